//! Services: the class that a container provides for a type.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::{Call, DeclKind, Expr, ExprId, Subject, TypeExpr, TypeId};
use codeagent_model::graph::Confidence;

use super::frameworks::{CONTAINERS, GETTERS};
use super::{CallSite, Fit};
use crate::resolve::edges::SiteResolver;
use crate::resolve::types::Ty;

/// Sites after a call among which the types of its `typeof`s are looked for.
const MAX_SITES: usize = 12;

impl SiteResolver<'_> {
    pub(super) fn record_service(&self, at: CallSite<'_>, found: &mut Vec<Dispatch>) {
        let fit = self.receiver_fits(at.call, CONTAINERS);
        if fit == Fit::Other || self.calls_own_method(at.call) {
            return;
        }
        let call = self.facts.calls[at.call.index()];
        let (service, given) = self.service_types(at, &call);
        let Some((given, confidence)) = given else {
            return;
        };
        let Some(given) = self.declaration_of(given) else {
            return;
        };

        let service_type = service;
        let service = self.declaration_of(service_type);
        let (source, label) = match service {
            Some(service) => (DispatchEnd::from(service), String::new()),
            None => {
                let name = self.type_name(service_type).unwrap_or_default();
                (DispatchEnd::Unknown, name.to_owned())
            }
        };
        let confidence = match fit {
            Fit::Exact => confidence,
            _ => Confidence::Inferred,
        };
        found.push(Dispatch {
            label,
            ..Dispatch::new(
                DispatchKind::Provides,
                (source, DispatchEnd::from(given)),
                at.site.at,
                confidence,
            )
        });
    }

    /// Returns the requested type and the provided class.
    fn service_types(&self, at: CallSite<'_>, call: &Call) -> (Ty, Option<(Ty, Confidence)>) {
        let written: Vec<Ty> = self
            .facts
            .list(call.type_args)
            .iter()
            .map(|ty| self.type_of(self.file, *ty))
            .collect();

        match *written.as_slice() {
            [service, given] => (service, Some((given, Confidence::Exact))),
            [service] => (service, self.given_by_arguments(call, service)),
            _ => match *self.typeof_types(at, call).as_slice() {
                [service, given, ..] => (service, Some((given, Confidence::Exact))),
                [service] => (service, self.given_by_arguments(call, service)),
                [] => {
                    let given = self.given_by_instance(call);
                    (given.map_or(Ty::UNKNOWN, |(ty, _)| ty), given)
                }
            },
        }
    }

    /// Returns the class that a factory or an instance among the arguments gives; the service
    /// itself if there is neither.
    fn given_by_arguments(&self, call: &Call, service: Ty) -> Option<(Ty, Confidence)> {
        let args = self.facts.list(call.args);
        let mut is_given = false;
        for arg in args {
            match self.facts.expr(arg.value) {
                Expr::Function(lambda) => {
                    let returned = self.facts.list(self.facts.decl(lambda).returns);
                    is_given = true;
                    if let Some(given) = returned.iter().find_map(|value| self.given_by(*value)) {
                        return Some(given);
                    }
                }
                Expr::Literal(..) | Expr::Cast(_) => {}
                _ => {
                    is_given = true;
                    if let Some(given) = self.given_by(arg.value) {
                        return Some(given);
                    }
                }
            }
        }

        (!is_given && self.is_class(service)).then_some((service, Confidence::Exact))
    }

    /// Returns the class of an instance that is registered under its own type.
    fn given_by_instance(&self, call: &Call) -> Option<(Ty, Confidence)> {
        let args = self.facts.list(call.args);
        let arg = args.last()?;
        match self.facts.expr(arg.value) {
            Expr::Function(lambda) => {
                let returned = self.facts.list(self.facts.decl(lambda).returns);
                returned.iter().find_map(|value| self.given_by(*value))
            }
            _ => self.given_by(arg.value),
        }
    }

    /// Returns the class of a value.
    fn given_by(&self, value: ExprId) -> Option<(Ty, Confidence)> {
        if let Expr::Call(call) = self.facts.expr(value) {
            let call = self.facts.calls[call.index()];
            if let (Expr::Member(_, name), [given]) = (
                self.facts.expr(call.callee),
                self.facts.list(call.type_args),
            ) && GETTERS.contains(&self.facts.text(name))
            {
                let given = self.type_of(self.file, *given);
                return self.is_class(given).then_some((given, Confidence::Exact));
            }
        }

        let given = self.type_of_expr(value);
        let confidence = match self.facts.expr(value) {
            Expr::New(_) => Confidence::Exact,
            _ => Confidence::Inferred,
        };
        self.is_class(given).then_some((given, confidence))
    }

    fn is_class(&self, ty: Ty) -> bool {
        self.declaration_of(ty).is_some_and(|decl: DeclRef| {
            let kind = self.decl(decl).kind;
            matches!(
                kind,
                DeclKind::Class | DeclKind::Record | DeclKind::Struct | DeclKind::RecordStruct
            )
        })
    }

    /// Returns the types in the `typeof`s among the arguments, in order.
    fn typeof_types(&self, at: CallSite<'_>, call: &Call) -> Vec<Ty> {
        let args = self.facts.list(call.args);
        let count = args
            .iter()
            .filter(|arg| matches!(self.facts.expr(arg.value), Expr::Cast(_)))
            .count();
        let mut found: Vec<TypeId> = Vec::new();

        let mut inner: Vec<TypeId> = Vec::new();
        for site in self
            .facts
            .sites
            .iter()
            .skip(at.index + 1)
            .take(if count == 0 { 0 } else { MAX_SITES })
        {
            let Subject::Type(ty, _) = site.subject else {
                continue;
            };
            if found.last() == Some(&ty) || inner.contains(&ty) {
                continue;
            }
            if found.len() == count {
                break;
            }

            found.push(ty);
            self.add_arguments(ty, &mut inner);
        }

        found
            .into_iter()
            .map(|ty| self.type_of(self.file, ty))
            .collect()
    }

    /// Adds the type arguments in a written type.
    fn add_arguments(&self, ty: TypeId, inner: &mut Vec<TypeId>) {
        let TypeExpr::Name(segments, _) = self.facts.type_expr(ty) else {
            return;
        };
        for segment in self.facts.list(segments) {
            for argument in self.facts.list(segment.args) {
                if !argument.is_none() && inner.len() < MAX_SITES {
                    inner.push(*argument);
                    self.add_arguments(*argument, inner);
                }
            }
        }
    }
}
