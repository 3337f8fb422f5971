//! Mediator messages: handler classes and the sites that send a message.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;

use super::DispatchSite;
use crate::resolve::arena::Type;
use crate::resolve::edges::FileResolver;

/// Methods of a handler that take the message.
const HANDLING: &[&str] = &["execute", "handle"];

impl FileResolver<'_> {
    /// Records `@CommandHandler(Message)` of a class, and `@Action(Message)` of a method.
    pub(super) fn record_handler(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let facts = self.own_facts();
        let owner = at.site.owner;
        let handling = match facts.decl(owner).kind {
            DeclKind::Method => owner,
            DeclKind::Class => self.handling_method(owner).unwrap_or(owner),
            _ => return,
        };

        let target = DeclRef {
            file: self.file,
            decl: handling,
        };
        for arg in facts.list(at.call.args) {
            if let Some(message) = self.class(arg.value) {
                found.push(Dispatch::new(
                    DispatchKind::Handles,
                    (DispatchEnd::from(message), DispatchEnd::from(target)),
                    at.site.at,
                    Confidence::Exact,
                ));
            }
        }
    }

    fn handling_method(&self, class: DeclId) -> Option<DeclId> {
        let facts = self.own_facts();
        let members = facts.decl(class).inner;
        facts.decl_ids().find(|id| {
            let decl = facts.decl(*id);
            decl.scope == members
                && decl.kind == DeclKind::Method
                && HANDLING.contains(&facts.text(decl.name))
        })
    }

    /// Records `bus.execute(new Message())`.
    pub(super) fn record_sent(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let args = self.own_facts().list(at.call.args);
        let [first] = args else { return };
        let ty = self.type_of_expr(self.file.expr(first.value));
        let Type::Instance(class, _) = self.get(ty) else {
            return;
        };
        if self.decl(class).kind != DeclKind::Class || !self.is_node(class) {
            return;
        }
        found.push(Dispatch::new(
            DispatchKind::Sends,
            (DispatchEnd::Around(at.site.owner), DispatchEnd::from(class)),
            at.site.at,
            Confidence::Exact,
        ));
    }
}
