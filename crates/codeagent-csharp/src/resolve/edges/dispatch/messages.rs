//! Mediator messages: handler classes and the sites that send a message.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::{DeclId, DeclKind, Site, SiteKind, Subject};
use codeagent_model::graph::Confidence;

use super::CallSite;
use super::frameworks::{HANDLERS, is_named_handler};
use crate::resolve::edges::SiteResolver;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{Ty, Type};

/// Arguments of a call that may be the message.
const MAX_ARGUMENTS: usize = 2;

/// Why a base makes a class a handler.
#[derive(Clone, Copy)]
enum HandledBy {
    /// It is of a mediator's library.
    Library,
    /// It is named a handler.
    Name,
    /// Its one method takes its type argument.
    Shape,
}

impl SiteResolver<'_> {
    pub(super) fn record_sent(
        &self,
        at: CallSite<'_>,
        confidence: Confidence,
        found: &mut Vec<Dispatch>,
    ) {
        let call = self.facts.calls[at.call.index()];

        for arg in self.facts.list(call.args).iter().take(MAX_ARGUMENTS) {
            let ty = self.type_of_expr(arg.value);
            if let Some(message) = self.message(ty) {
                let ends = (
                    DispatchEnd::Around(at.site.owner),
                    DispatchEnd::from(message),
                );

                found.push(Dispatch {
                    label: self.arguments_of(ty),
                    ..Dispatch::new(DispatchKind::Sends, ends, at.site.at, confidence)
                });
                return;
            }
        }
    }

    /// Records the messages that a class handles.
    pub(super) fn record_handlers(&self, id: DeclId, found: &mut Vec<Dispatch>) {
        let Some(&tid) = self.table.types.get(&id) else {
            return;
        };
        let group = self.type_def(tid);
        let is_first = group
            .parts
            .first()
            .is_some_and(|first| first.file == self.file && first.decl == id);
        if !is_first
            || matches!(
                group.kind,
                DeclKind::Interface | DeclKind::Enum | DeclKind::Delegate
            )
        {
            return;
        }

        let before = found.len();
        for base in self.supertypes(self.self_type(tid)).iter().skip(1) {
            let Some((message, by)) = self.handled_through(*base) else {
                continue;
            };
            let Some(declared) = self.message(message) else {
                continue;
            };
            let handler = match (self.method_taking(tid, message), by) {
                (Some(method), _) => method,
                (None, HandledBy::Library) => group.parts[0].decl,
                (None, _) => continue,
            };
            let confidence = match by {
                HandledBy::Library | HandledBy::Name => Confidence::Exact,
                HandledBy::Shape => Confidence::Inferred,
            };
            let target = DeclRef {
                file: self.file,
                decl: handler,
            };
            let site = Site {
                kind: SiteKind::Base,
                subject: Subject::Base(id, 0),
                owner: id,
                at: self.facts.decl(id).at,
            };
            let ends = (DispatchEnd::from(declared), DispatchEnd::from(target));
            let verdict = Dispatch {
                label: self.arguments_of(message),
                ..Dispatch::new(DispatchKind::Handles, ends, site.at, confidence)
            };
            let is_known = |known: &Dispatch| {
                (known.source, known.target, &known.label)
                    == (verdict.source, verdict.target, &verdict.label)
            };
            match found[before..].iter_mut().find(|known| is_known(known)) {
                Some(known) => known.confidence = known.confidence.max(verdict.confidence),
                None => found.push(verdict),
            }
        }
    }

    /// Returns the message that a base makes a class handle.
    fn handled_through(&self, base: Ty) -> Option<(Ty, HandledBy)> {
        let (name, args) = match self.arena.get(base) {
            Type::Named(tid, args) => (self.tables.type_def(tid).name, args),
            Type::External(name, args) => (name, args),
            _ => return None,
        };

        let message = *args.first()?;
        let name = self.tables.names.text(name);
        if HANDLERS.contains(&name) {
            return Some((message, HandledBy::Library));
        }
        if is_named_handler(name) {
            return Some((message, HandledBy::Name));
        }
        let Type::Named(tid, _) = self.arena.get(base) else {
            return None;
        };

        self.takes_its_argument(tid)
            .then_some((message, HandledBy::Shape))
    }

    /// Reports whether a type is an interface of the repository whose only method takes a value of
    /// its first type parameter first.
    fn takes_its_argument(&self, tid: TypeDefId) -> bool {
        let declares = self.tables.type_def(tid);
        if declares.external || declares.kind != DeclKind::Interface {
            return false;
        }

        let declares = self.type_def(tid);
        self.record_type_lookup(tid, provided_keys::ALL_MEMBERS, declares.name);
        let Type::Named(_, params) = self.arena.get(self.self_type(tid)) else {
            return false;
        };

        match declares.members.as_slice() {
            [only] if self.decl(*only).kind == DeclKind::Method => {
                let signature = self.signature(*only);
                let first = signature.params.first();
                first.is_some_and(|first| Some(&first.ty) == params.first())
            }
            _ => false,
        }
    }

    /// Returns the method of a type, declared in this file, whose first parameter is a message or
    /// has it as a type argument.
    fn method_taking(&self, tid: TypeDefId, message: Ty) -> Option<DeclId> {
        let group = self.type_def(tid);
        let holds = |ty: Ty| match self.arena.get(ty) {
            Type::Named(_, args) | Type::External(_, args) => args.contains(&message),
            _ => false,
        };
        let takes = |decl: &&DeclRef| {
            decl.file == self.file
                && self.decl(**decl).kind == DeclKind::Method
                && self
                    .signature(**decl)
                    .params
                    .first()
                    .is_some_and(|first| first.ty == message || holds(first.ty))
        };

        let mut all = group.members.iter().chain(&group.explicit);
        all.find(takes).map(|found| found.decl)
    }

    /// Returns the names of a message's type arguments, which tell messages of one generic type
    /// apart; empty if they are not all known.
    fn arguments_of(&self, message: Ty) -> String {
        let Type::Named(_, args) = self.arena.get(message) else {
            return String::new();
        };
        let names: Option<Vec<&str>> = args.iter().map(|arg| self.type_name(*arg)).collect();
        names.unwrap_or_default().join(", ")
    }

    /// Returns the declaration of a type that can be a message.
    fn message(&self, ty: Ty) -> Option<DeclRef> {
        let declared = self.declaration_of(ty)?;
        let kind = self.decl(declared).kind;
        (kind.opens_type() && !matches!(kind, DeclKind::Enum | DeclKind::Delegate))
            .then_some(declared)
    }
}
