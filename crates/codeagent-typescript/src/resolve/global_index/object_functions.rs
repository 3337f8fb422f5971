//! Names of object members that may hold functions but are not nodes.
//!
//! A call on an unknown object may target one of these, so such a call cannot be assumed to be
//! external.

use codeagent_model::facts::{DeclFlags, DeclKind, Declaration, Expr, Facts, SiteKind, Subject};

/// Returns the names, sorted: methods and properties of object literals, and assigned members.
pub fn object_functions(facts: &Facts) -> Vec<&str> {
    let may_be_function = |decl: &Declaration| match decl.kind {
        DeclKind::Method => true,
        DeclKind::Property => !matches!(
            facts.expr(decl.init),
            Expr::Literal(..) | Expr::Known(_) | Expr::Object(_) | Expr::Array(..)
        ),
        _ => false,
    };

    let decls = facts.decl_ids().map(|id| facts.decl(id));
    let own = decls
        .filter(|decl| {
            decl.flags.has(DeclFlags::MEMBER) && decl.detail.is_none() && may_be_function(decl)
        })
        .map(|decl| decl.name);

    let written = facts
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Write)
        .filter_map(|site| match site.subject {
            Subject::Expr(expr) => match facts.expr(expr) {
                Expr::Member(_, name) => Some(name),
                _ => None,
            },
            _ => None,
        });

    let mut names: Vec<&str> = own
        .chain(written)
        .filter(|name| !name.is_none())
        .map(|name| facts.text(name))
        .collect();
    names.sort_unstable();
    names.dedup();

    names
}
