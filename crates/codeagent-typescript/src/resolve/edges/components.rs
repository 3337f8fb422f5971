//! Recognition of user interface components.
//!
//! Limitations: a component is recognised by its form (a capitalised name and returned JSX, a known
//! wrapper or base class, Angular's decorator), not by its type.

use codeagent_lang::nodes::value;
use codeagent_model::facts::{
    DeclFlags, DeclId, DeclKind, Expr, ExprId, Facts, SiteKind, Subject, TypeExpr, TypeId,
};

/// Returns the classes with Angular's `@Component(..)`.
pub fn decorated_components(facts: &Facts) -> Vec<DeclId> {
    let names_component = |expr| match facts.expr(expr) {
        Expr::Call(call) => {
            matches!(facts.expr(facts.calls[call.index()].callee), Expr::Name(name, ..) if facts.text(name) == "Component")
        }
        _ => false,
    };

    facts
        .sites
        .iter()
        .filter(|site| {
            site.kind == SiteKind::Call
                && matches!(site.subject, Subject::Expr(expr) if names_component(expr))
        })
        .filter_map(|site| site.owner.some().map(|owner| (site, owner)))
        .filter(|(site, owner)| {
            facts.decl(*owner).kind == DeclKind::Class
                && site.at.offset < facts.decl(*owner).at.offset
        })
        .map(|(_, owner)| owner)
        .collect()
}

/// Reports whether a declaration is a component by itself.
pub fn is_component(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);

    if !facts
        .decl_name(decl)
        .starts_with(|first: char| first.is_uppercase())
    {
        return false;
    }

    match declaration.kind {
        DeclKind::Function => declaration.flags.has(DeclFlags::RETURNS_JSX),
        DeclKind::Class => facts
            .list(declaration.bases)
            .iter()
            .any(|base| names_component_class(facts, base.ty)),
        DeclKind::Variable => match facts.expr(value(facts, declaration.init)) {
            Expr::Function(function) => facts.decl(function).flags.has(DeclFlags::RETURNS_JSX),
            Expr::Call(call) => wraps_component(facts, facts.calls[call.index()].callee),
            _ => false,
        },
        _ => false,
    }
}

fn names_component_class(facts: &Facts, ty: TypeId) -> bool {
    let TypeExpr::Name(segments, _) = facts.type_expr(ty) else {
        return false;
    };
    let last = facts
        .list(segments)
        .last()
        .map_or("", |segment| facts.text(segment.name));
    matches!(last, "Component" | "PureComponent")
}

fn wraps_component(facts: &Facts, callee: ExprId) -> bool {
    let name = match facts.expr(callee) {
        Expr::Name(name, ..) | Expr::Member(_, name) => facts.text(name),
        _ => "",
    };
    matches!(name, "memo" | "forwardRef" | "lazy")
}
