//! Groups of routes: methods that map routes on a group they are given, and lambdas that only
//! forward a request to a method.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::{CallId, DeclId, Expr, ExprId, Facts, ScopeId, SiteKind, Subject};
use codeagent_model::graph::Confidence;

use super::CallSite;
use super::frameworks::{GROUP, RESULTS, ROUTERS, USE_ENDPOINTS};
use super::routes::{GroupBase, GroupPrefix, UNKNOWN_PATH, last_name};
use crate::resolve::edges::SiteResolver;

/// Maximum number of calls in a lambda that may forward to a method.
const MAX_CALLS: usize = 6;

/// Maximum number of scopes around a call that are climbed to a lambda.
const MAX_SCOPES: usize = 8;

/// Maximum number of members and calls before the method of a call.
const MAX_CHAIN: usize = 24;

impl SiteResolver<'_> {
    /// Records `app.MapGroup("/carts").MapCarts()`, `Carts.Map(app.MapGroup("/carts"))` and
    /// `app.MapCarts()`. The label is the prefix of the group, with a `?` where it is unknown. The
    /// mount is inferred unless the prefix is whole.
    pub(super) fn record_mount(&self, at: CallSite<'_>, found: &mut Vec<Dispatch>) {
        let call = self.facts.calls[at.call.index()];
        let receiver = match self.facts.expr(call.callee) {
            Expr::Member(receiver, _) => Some(receiver),
            _ => None,
        };
        let args = self.facts.list(call.args).iter().map(|arg| arg.value);
        let values = receiver.into_iter().chain(args).filter(|value| {
            matches!(
                self.facts.expr(*value),
                Expr::Call(_) | Expr::Name(..) | Expr::Paren(_)
            )
        });
        let groups: Vec<GroupPrefix> = values.map(|value| self.group_prefix(value)).collect();
        let group = groups
            .iter()
            .find(|group| !group.path.is_empty())
            .or_else(|| groups.iter().find(|group| group.base != GroupBase::Unknown))
            .or(groups.first());
        let (Some(group), Some(target)) = (group, self.own_method(at.call)) else {
            return;
        };
        // Without a prefix, only the parameters show that the routes are mapped there.
        if group.path.is_empty() && !self.takes_router(target) {
            return;
        }

        let path = group.path.trim_start_matches('/');
        found.push(Dispatch {
            label: match group.base {
                GroupBase::Cut if path.is_empty() => UNKNOWN_PATH.to_owned(),
                GroupBase::Cut => format!("{UNKNOWN_PATH}/{path}"),
                _ => format!("/{path}"),
            },
            ..Dispatch::new(
                DispatchKind::Mounts,
                (DispatchEnd::Around(at.site.owner), target.into()),
                at.site.at,
                match group.base {
                    GroupBase::App => Confidence::Exact,
                    _ => Confidence::Inferred,
                },
            )
        });
    }

    /// Reports whether a method has a parameter on which routes are mapped.
    fn takes_router(&self, method: DeclRef) -> bool {
        let facts = self.facts(method.file);
        let mut params = facts.list(facts.decl(method.decl).params).iter();
        params.any(|param| ROUTERS.contains(&last_name(facts, facts.decl(*param).ty)))
    }

    /// Returns the method to which a lambda forwards a request: the only one of the repository that
    /// it calls, if its other calls only make a response.
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

/// Reports whether a file may map routes on groups: it names a router or makes a group.
pub(super) fn has_groups(facts: &Facts) -> bool {
    let is_group = |name: &str| name == GROUP || name == USE_ENDPOINTS || ROUTERS.contains(&name);
    facts.names.iter().any(is_group)
}
