//! Groups of routes: methods that map routes on a group they are given, and lambdas that only forward
//! a request to a method.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::{CallId, DeclId, Expr, ExprId, Facts, ScopeId, SiteKind, Subject};
use codeagent_model::graph::Confidence;

use super::CallSite;
use super::frameworks::{GROUP, RESULTS};
use crate::resolve::edges::SiteResolver;

/// Maximum number of calls in a lambda that may forward to a method.
const MAX_CALLS: usize = 6;

/// Maximum number of scopes around a call that are climbed to a lambda.
const MAX_SCOPES: usize = 8;

/// Maximum number of members and calls before the method of a call.
const MAX_CHAIN: usize = 24;

impl SiteResolver<'_> {
    /// Records `app.MapGroup("/carts").MapCarts()` and `Carts.Map(app.MapGroup("/carts"))`.
    pub(super) fn record_mount(&self, at: CallSite<'_>, found: &mut Vec<Dispatch>) {
        let call = self.facts.calls[at.call.index()];
        let receiver = match self.facts.expr(call.callee) {
            Expr::Member(receiver, _) => Some(receiver),
            _ => None,
        };
        let args = self.facts.list(call.args).iter().map(|arg| arg.value);
        let mut groups = receiver.into_iter().chain(args).filter(|value| {
            matches!(
                self.facts.expr(*value),
                Expr::Call(_) | Expr::Name(..) | Expr::Paren(_)
            )
        });
        let prefix = groups.find_map(|value| {
            let (prefix, _) = self.group_prefix(value);
            Some(prefix).filter(|prefix| !prefix.is_empty())
        });
        let Some(prefix) = prefix else {
            return;
        };
        let Some(target) = self.own_method(at.call) else {
            return;
        };

        found.push(Dispatch {
            label: format!("/{}", prefix.trim_start_matches('/')),
            ..Dispatch::new(
                DispatchKind::Mounts,
                (DispatchEnd::Around(at.site.owner), target.into()),
                at.site.at,
                Confidence::Exact,
            )
        });
    }

    /// Returns the method to which a lambda forwards a request: the only one of the repository that it
    /// calls, if its other calls only make a response.
    pub(super) fn forwarded(&self, at: CallSite<'_>, value: ExprId) -> Option<DeclRef> {
        let facts = self.facts;
        let Expr::Function(lambda) = facts.expr(value) else {
            return None;
        };

        let sites = facts.sites[at.index + 1..].iter();
        let calls = sites.filter_map(|site| match (site.kind, site.subject) {
            (SiteKind::Call, Subject::Expr(expr)) => match facts.expr(expr) {
                Expr::Call(call) => Some(call),
                _ => None,
            },
            _ => None,
        });
        let mut method = None;
        for call in calls.take(MAX_CALLS) {
            let (name, scope) = self.root_name(facts.calls[call.index()].callee)?;
            if !self.is_within(scope, lambda) {
                break;
            }
            match self.own_method(call) {
                Some(own) if method.is_none() => method = Some(own),
                None if RESULTS.contains(&name) => {}
                _ => return None,
            }
        }
        method
    }

    /// Returns the method of the repository that a call runs, if it is the only one.
    fn own_method(&self, call: CallId) -> Option<DeclRef> {
        let result = self.resolve_call(call);
        match result.targets.as_slice() {
            [only] if self.is_node(*only) => Some(*only),
            _ => None,
        }
    }

    /// Returns the name with which a callee begins, and its scope.
    fn root_name(&self, mut callee: ExprId) -> Option<(&str, ScopeId)> {
        for _ in 0..MAX_CHAIN {
            callee = match self.facts.expr(callee) {
                Expr::Name(name, scope, _) => return Some((self.facts.text(name), scope)),
                Expr::Member(inner, _)
                | Expr::Generic(inner, _)
                | Expr::Await(inner)
                | Expr::Paren(inner)
                | Expr::NonNull(inner)
                | Expr::Conditional(inner) => inner,
                Expr::Call(call) => self.facts.calls[call.index()].callee,
                _ => return None,
            };
        }
        None
    }

    /// Reports whether a scope is in the body of a lambda.
    fn is_within(&self, mut scope: ScopeId, lambda: DeclId) -> bool {
        for _ in 0..MAX_SCOPES {
            if scope.is_none() {
                return false;
            }
            let around = self.facts.scope(scope);
            if around.owner == lambda {
                return true;
            }
            scope = around.parent;
        }
        false
    }
}

/// Reports whether a file makes groups of routes.
pub(super) fn has_groups(facts: &Facts) -> bool {
    let is_group =
        |callee| matches!(facts.expr(callee), Expr::Member(_, name) if facts.text(name) == GROUP);
    facts.calls.iter().any(|call| is_group(call.callee))
}
