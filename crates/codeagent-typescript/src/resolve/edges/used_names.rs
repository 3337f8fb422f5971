//! The name under which an unresolved use is recorded.

use codeagent_model::facts::*;

/// Returns the name of a use that was not resolved because its budget was exceeded.
pub fn name_or_fallback(facts: &Facts, site: Site) -> Option<Sym> {
    match site.subject {
        Subject::Type(ty, index) => match facts.type_expr(ty) {
            TypeExpr::Name(segments, _) => facts
                .list(segments)
                .get(usize::from(index))
                .map(|segment| segment.name),
            _ => None,
        },
        _ => of_value(facts, site),
    }
}

/// Returns the name of an unresolved value, import or callee. Unresolved types are usually external
/// and are not recorded.
pub fn of_value(facts: &Facts, site: Site) -> Option<Sym> {
    let expr = match site.subject {
        Subject::Expr(expr) | Subject::Decorator(expr) => expr,
        Subject::Import(id) => return Some(facts.imports[id.index()].name),
        _ => return None,
    };

    let expr = match facts.expr(expr) {
        Expr::Call(call) | Expr::New(call) => facts.calls[call.index()].callee,
        Expr::Jsx(component) => component,
        _ => expr,
    };

    match facts.expr(expr) {
        Expr::Name(sym, ..) | Expr::Member(_, sym) | Expr::Destructured(_, sym) => Some(sym),
        // The called value has no name, but the call still counts.
        _ if site.kind.is_call() => Some(Sym::NONE),
        _ => None,
    }
}
