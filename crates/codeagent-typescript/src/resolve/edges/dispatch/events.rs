//! Event listeners: `on("name", f)`, and the sites that emit the name.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::*;
use codeagent_model::graph::Confidence;

use super::{DispatchSite, MAX_WRAPPERS};
use crate::resolve::arena::Type;
use crate::resolve::edges::FileResolver;

impl FileResolver<'_> {
    /// Records `emitter.on("name", handler)`. Without an emitter that the repository declares, only
    /// a named handler tells something.
    pub(super) fn record_listener(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let args = self.own_facts().list(at.call.args);
        let (Some(name), Some(handler)) = (self.argument_text(at, 0), args.get(1)) else {
            return;
        };
        let Some(target) = self.handler(at.site.owner, handler.value, MAX_WRAPPERS) else {
            return;
        };

        let source = match self.emitter(at.receiver) {
            Some(emitter) => DispatchEnd::from(emitter),
            None if matches!(target, DispatchEnd::Target(_)) => DispatchEnd::Unknown,
            None => return,
        };

        found.push(Dispatch {
            label: name,
            ..Dispatch::new(
                DispatchKind::Listens,
                (source, target),
                at.site.at,
                Confidence::Exact,
            )
        });
    }

    /// Records `emitter.emit("name")`.
    pub(super) fn record_emitted(&self, at: DispatchSite<'_>, found: &mut Vec<Dispatch>) {
        let Some(name) = self.argument_text(at, 0) else {
            return;
        };

        let Some(emitter) = self.emitter(at.receiver) else {
            return;
        };

        found.push(Dispatch {
            label: name,
            ..Dispatch::new(
                DispatchKind::Emits,
                (
                    DispatchEnd::Around(at.site.owner),
                    DispatchEnd::from(emitter),
                ),
                at.site.at,
                Confidence::Exact,
            )
        });
    }

    /// Records a method with `@OnEvent("name")`: its own source, because it hears all emitters.
    pub(super) fn record_decorated_listener(
        &self,
        at: DispatchSite<'_>,
        found: &mut Vec<Dispatch>,
    ) {
        let Some(name) = self.argument_text(at, 0) else {
            return;
        };

        let method = DeclRef {
            file: self.file,
            decl: at.site.owner,
        };

        found.push(Dispatch {
            label: name,
            ..Dispatch::new(
                DispatchKind::Listens,
                (DispatchEnd::from(method), DispatchEnd::from(method)),
                at.site.at,
                Confidence::Exact,
            )
        });
    }

    /// Returns what tells emitters apart: the class of the repository that one is an instance of,
    /// else the variable or property that holds it.
    fn emitter(&self, receiver: ExprId) -> Option<DeclRef> {
        let ty = self.type_of_expr(self.file.expr(receiver));
        if let Type::Instance(class, _) = self.get(ty)
            && self.is_node(class)
        {
            return Some(class);
        }
        self.symbol(receiver).filter(|symbol| {
            matches!(
                self.decl(*symbol).kind,
                DeclKind::Variable | DeclKind::Property
            )
        })
    }
}
