//! Binding of locals, after a file is lowered, because names are visible before they are declared.
//!
//! Removes the sites of names that are locals, parameters or type parameters; gives `let x;` its
//! first assigned value; marks local functions that are referred to outside their own body.
//!
//! Limitations: calls of locals keep their sites: `const { f } = o; f()` calls the value of `o.f`.

use codeagent_lang::{LocalName, LocalUses};
use codeagent_model::facts::*;
use rustc_hash::FxHashMap;

/// The kind of a name in a scope.
#[derive(Clone, Copy)]
struct Local {
    decl: DeclId,
    /// No declaration with this name in this scope can be a node, except a parameter property.
    hidden: bool,
}

pub fn bind_locals(facts: &mut Facts, assigned: &[(ExprId, ExprId, DeclId)]) {
    let locals = Locals::of(facts);
    locals.give_first_values(facts, assigned);
    locals.drop_sites(facts);
}

/// Returns the names that are no nodes, with the uses that [`bind_locals`] removes and the calls that
/// it keeps. Imported names are among them.
pub fn local_names(facts: &Facts) -> Vec<LocalName> {
    let is_import = |decl: DeclId| facts.decl(decl).kind == DeclKind::Import;
    let mut locals = Locals::of(facts);
    for decl in facts
        .decls
        .iter()
        .filter(|decl| decl.kind == DeclKind::Import)
    {
        if let Some(name) = decl.name.some() {
            locals.declared[name.index()] = true;
        }
    }

    let is_wanted = |local: &Local| local.hidden || is_import(local.decl);
    let mut found = LocalUses::default();
    for local in locals.by_name.values().filter(|local| is_wanted(local)) {
        found.declare(local.decl);
    }
    for site in &facts.sites {
        if let Some((name, scope)) = bare_name(facts, site.subject)
            && let Some(local) = locals.find(facts, name, scope)
            && is_wanted(&local)
        {
            found.add(local.decl, site.at);
        }
    }
    found.finish(facts)
}

struct Locals {
    by_name: FxHashMap<(ScopeId, Sym), Local>,
    /// Per symbol: declared somewhere as a local, or without type and value.
    declared: Vec<bool>,
}

impl Locals {
    fn of(facts: &Facts) -> Self {
        let mut by_name: FxHashMap<(ScopeId, Sym), Local> = FxHashMap::default();

        let mut declared = vec![false; facts.names.len()];
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            if decl.name.is_none()
                || decl.flags.has(DeclFlags::MEMBER)
                || decl.kind == DeclKind::Narrow
            {
                continue;
            }

            let named = matches!(
                decl.kind,
                DeclKind::Variable | DeclKind::Parameter | DeclKind::TypeParam | DeclKind::Lambda
            );
            let hidden =
                named && decl.detail.is_none() && !decl.flags.has(DeclFlags::FROM_PARAMETER);
            let local_function =
                decl.kind == DeclKind::Function && !at_module_level(facts, decl.scope);
            let untyped =
                decl.kind == DeclKind::Variable && decl.ty.is_none() && decl.init.is_none();

            declared[decl.name.index()] |= hidden || local_function || untyped;

            let entry = by_name
                .entry((decl.scope, decl.name))
                .or_insert(Local { decl: id, hidden });
            if entry.hidden && !hidden {
                *entry = Local { decl: id, hidden };
            }
        }

        Self { by_name, declared }
    }

    fn find(&self, facts: &Facts, name: Sym, mut scope: ScopeId) -> Option<Local> {
        if !self.declared.get(name.index()).copied().unwrap_or(false) {
            return None;
        }
        while !scope.is_none() {
            if let Some(local) = self.by_name.get(&(scope, name)) {
                return Some(*local);
            }
            scope = facts.scope(scope).parent;
        }
        None
    }

    /// Gives variables their first assigned value. Only assignments in the declaring function
    /// count; others may not run.
    fn give_first_values(&self, facts: &mut Facts, assigned: &[(ExprId, ExprId, DeclId)]) {
        for &(target, value, function) in assigned {
            let Expr::Name(name, scope, _) = facts.expr(target) else {
                continue;
            };

            if matches!(
                facts.expr(value),
                Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _)
            ) {
                continue;
            }

            let Some(local) = self.find(facts, name, scope) else {
                continue;
            };

            let decl = facts.decl(local.decl);
            let untyped =
                decl.kind == DeclKind::Variable && decl.ty.is_none() && decl.init.is_none();
            if untyped && function_of(facts, decl.scope) == function {
                facts.decls[local.decl.index()].init = value;
            }
        }
    }

    fn drop_sites(&self, facts: &mut Facts) {
        let mut sites = std::mem::take(&mut facts.sites);
        let mut called = Vec::new();
        sites.retain(|site| {
            let Some((name, scope)) = bare_name(facts, site.subject) else {
                return true;
            };
            let Some(local) = self.find(facts, name, scope) else {
                return true;
            };

            if facts.decl(local.decl).kind == DeclKind::Function
                && !is_inside(facts, site.owner, local.decl)
            {
                called.push(local.decl);
            }

            !local.hidden
                || matches!(
                    site.kind,
                    SiteKind::Call | SiteKind::New | SiteKind::Tag | SiteKind::Jsx
                )
        });

        for decl in called {
            if !at_module_level(facts, facts.decl(decl).scope) {
                facts.decls[decl.index()].flags.insert(DeclFlags::CALLED);
            }
        }

        facts.sites = sites;
    }
}

fn at_module_level(facts: &Facts, scope: ScopeId) -> bool {
    matches!(
        facts.scope(scope).kind,
        ScopeKind::File | ScopeKind::Namespace | ScopeKind::Global
    )
}

/// Returns the function that encloses a scope.
fn function_of(facts: &Facts, mut scope: ScopeId) -> DeclId {
    while let Some(id) = scope.some() {
        let Scope {
            kind,
            owner,
            parent,
        } = *facts.scope(id);
        if kind == ScopeKind::Function {
            return owner;
        }
        scope = parent;
    }
    DeclId::NONE
}

fn is_inside(facts: &Facts, mut inner: DeclId, outer: DeclId) -> bool {
    while let Some(id) = inner.some() {
        if id == outer {
            return true;
        }
        inner = facts.decl(id).parent;
    }
    false
}

/// Returns the bare name of a site, with the scope from which it is looked up.
fn bare_name(facts: &Facts, subject: Subject) -> Option<(Sym, ScopeId)> {
    let value = match subject {
        Subject::Type(ty, 0) => {
            let TypeExpr::Name(segments, scope) = facts.type_expr(ty) else {
                return None;
            };
            return Some((facts.list(segments).first()?.name, scope));
        }
        Subject::Expr(value) | Subject::Decorator(value) => value,
        _ => return None,
    };

    let value = match facts.expr(value) {
        Expr::Call(call) | Expr::New(call) => facts.calls[call.index()].callee,
        Expr::Jsx(component) => component,
        _ => value,
    };
    match facts.expr(value) {
        Expr::Name(name, scope, _) => Some((name, scope)),
        _ => None,
    }
}
