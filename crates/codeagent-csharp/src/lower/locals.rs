//! Binding of locals, after the whole file is lowered.
//!
//! A name that binds to a local, parameter or type parameter needs no site, so its site is removed.
//! Local functions that are used outside themselves are marked as called.
//!
//! Limitations: parameters of primary constructors keep their sites, because an inherited member
//! may hide them.

use codeagent_lang::lower::builder::Builder;
use codeagent_lang::{LocalName, LocalUses};
use codeagent_model::facts::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Declarations by scope and name.
type Index = FxHashMap<(ScopeId, Sym), Vec<DeclId>>;

/// Removes the sites of local names and marks local functions that are called.
pub fn finish(builder: &mut Builder<'_>) {
    let facts = &mut builder.facts;
    let index = index(facts);
    let mut called = Vec::new();
    let mut sites = std::mem::take(&mut facts.sites);
    sites.retain(|site| match bound(facts, &index, site) {
        Some(decl) if facts.decl(decl).kind == DeclKind::LocalFunction => {
            if !is_inside(facts, site.owner, decl) {
                called.push(decl);
            }
            true
        }
        Some(_) => false,
        None => true,
    });

    facts.sites = sites;
    for decl in called {
        facts.decls[decl.index()].flags.insert(DeclFlags::CALLED);
    }
}

/// Returns the names that are no nodes, with the uses that [`finish`] removes, and those of the
/// parameters of primary constructors that no member of the type itself hides.
pub fn local_names(facts: &Facts) -> Vec<LocalName> {
    let index = index(facts);
    let is_hidden = |decl: &DeclId| facts.decl(*decl).detail.is_none();
    let mut found = LocalUses::default();
    for decl in index.values().flatten().filter(|decl| is_hidden(decl)) {
        found.declare(*decl);
    }

    let members = members(facts);
    for site in &facts.sites {
        let decl = bound(facts, &index, site)
            .or_else(|| constructor_parameter(facts, &index, &members, site));
        if let Some(decl) = decl.filter(is_hidden) {
            found.add(decl, site.at);
        }
    }
    found.finish(facts)
}

/// Returns the scopes and names of all members.
fn members(facts: &Facts) -> FxHashSet<(ScopeId, Sym)> {
    let members = facts.decls.iter();
    members
        .filter(|decl| decl.flags.has(DeclFlags::MEMBER))
        .map(|decl| (decl.scope, decl.name))
        .collect()
}

/// Returns the parameter of the innermost type's primary constructor that a site's name binds to.
fn constructor_parameter(
    facts: &Facts,
    index: &Index,
    members: &FxHashSet<(ScopeId, Sym)>,
    site: &Site,
) -> Option<DeclId> {
    let (name, mut scope, _) = bare_name(facts, site)?;
    while facts.scope(scope).kind != ScopeKind::Type {
        scope = facts.scope(scope).parent.some()?;
    }

    if members.contains(&(scope, name)) {
        return None;
    }

    let is_parameter = |decl: &&DeclId| facts.decl(**decl).kind == DeclKind::Parameter;
    index
        .get(&(scope, name))?
        .iter()
        .find(is_parameter)
        .copied()
}

fn index(facts: &Facts) -> Index {
    let mut index = Index::default();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        if matches!(
            decl.kind,
            DeclKind::Variable
                | DeclKind::Parameter
                | DeclKind::TypeParam
                | DeclKind::LocalFunction
        ) {
            index.entry((decl.scope, decl.name)).or_default().push(id);
        }
    }
    index
}

/// Returns the local declaration that a site's name binds to.
fn bound(facts: &Facts, index: &Index, site: &Site) -> Option<DeclId> {
    match site.subject {
        Subject::Expr(_) => {
            let (name, scope, at) = bare_name(facts, site)?;
            local(facts, index, name, (scope, at))
        }
        Subject::Type(ty, 0) => {
            let TypeExpr::Name(segments, scope) = facts.type_expr(ty) else {
                return None;
            };

            let segment = facts.list(segments).first()?;
            if !segment.args.is_empty() {
                return None;
            }

            type_param(facts, index, segment.name, scope)
        }
        _ => None,
    }
}

/// Returns the bare name of a value or of a called value, with the scope and offset from which it is
/// looked up.
fn bare_name(facts: &Facts, site: &Site) -> Option<(Sym, ScopeId, u32)> {
    let Subject::Expr(expr) = site.subject else {
        return None;
    };
    let expr = match facts.expr(expr) {
        Expr::Call(call) => facts.expr(facts.calls[call.index()].callee),
        expr => expr,
    };
    match expr {
        Expr::Name(name, scope, at) => Some((name, scope, at)),
        _ => None,
    }
}

/// Returns the innermost local, parameter or local function with a name that is visible at an
/// offset.
fn local(
    facts: &Facts,
    index: &Index,
    name: Sym,
    (mut scope, at): (ScopeId, u32),
) -> Option<DeclId> {
    while let Some(current) = scope.some() {
        let region = facts.scope(current);
        if matches!(
            region.kind,
            ScopeKind::Function | ScopeKind::Block | ScopeKind::File
        ) && let Some(decls) = index.get(&(current, name))
        {
            let before = decls.partition_point(|decl| facts.decl(*decl).at.offset <= at);
            let is_value = |decl: &&DeclId| facts.decl(**decl).kind != DeclKind::TypeParam;
            let is_function = |decl: &&DeclId| facts.decl(**decl).kind == DeclKind::LocalFunction;
            let found = decls[..before]
                .iter()
                .rev()
                .find(is_value)
                .or_else(|| decls[before..].iter().find(is_function));

            if let Some(decl) = found {
                return Some(*decl);
            }
        }

        if matches!(region.kind, ScopeKind::Type | ScopeKind::Enum) {
            return None;
        }
        scope = region.parent;
    }

    None
}

/// Returns the type parameter that a type name binds to.
fn type_param(facts: &Facts, index: &Index, name: Sym, mut scope: ScopeId) -> Option<DeclId> {
    while let Some(current) = scope.some() {
        let region = facts.scope(current);
        // The header of a type sees the type parameters, which its body declares.
        let declared_in = match region.kind {
            ScopeKind::TypeParams => facts.decl(region.owner).inner,
            _ => current,
        };
        if let Some(decls) = index.get(&(declared_in, name))
            && let Some(decl) = decls
                .iter()
                .find(|decl| facts.decl(**decl).kind == DeclKind::TypeParam)
        {
            return Some(*decl);
        }

        scope = region.parent;
    }

    None
}

fn is_inside(facts: &Facts, mut owner: DeclId, decl: DeclId) -> bool {
    while let Some(current) = owner.some() {
        if current == decl {
            return true;
        }
        owner = facts.decl(current).parent;
    }
    false
}
