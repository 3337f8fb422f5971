//! Event subscriptions: `x.Event += handler`, also of a field or property with a delegate type.

use codeagent_lang::{Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::{DeclKind, Expr, ExprId, Site};
use codeagent_model::graph::Confidence;

use crate::resolve::edges::SiteResolver;

impl SiteResolver<'_> {
    /// Records `event += handler`. What a function is added to is an event or a delegate.
    pub(super) fn record_subscription(
        &self,
        site: &Site,
        event: ExprId,
        handler: ExprId,
        found: &mut Vec<Dispatch>,
    ) {
        let Some(target) = self.handler(site, handler) else {
            return;
        };
        let declared = self.lookup_named(event).0;
        let (source, label) = match declared.first() {
            Some(first)
                if !matches!(
                    self.decl(first.decl).kind,
                    DeclKind::Event | DeclKind::Field | DeclKind::Property
                ) =>
            {
                return;
            }
            Some(first) if !self.is_external_file(first.decl.file) => {
                (DispatchEnd::from(first.decl), String::new())
            }
            // Any library may declare it, but `+=` with a method is an event or a delegate.
            _ if matches!(target, DispatchEnd::Around(_)) => return,
            _ => match self.facts.expr(event) {
                Expr::Member(_, name) | Expr::Name(name, ..) => {
                    (DispatchEnd::Unknown, self.facts.text(name).to_owned())
                }
                _ => return,
            },
        };

        found.push(Dispatch {
            label,
            ..Dispatch::new(
                DispatchKind::Subscribes,
                (source, target),
                site.at,
                Confidence::Exact,
            )
        });
    }
}
