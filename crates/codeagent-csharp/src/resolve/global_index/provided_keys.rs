//! The dependency keys that a file publishes: the names it adds to the tables.
//!
//! Resolving a file records the key of every table lookup; a file publishes the keys of all names
//! it adds. Nested types need no keys, because a lookup of one reads all parts of the containing
//! type. Members are parts of those types that are compared one by one: a lookup of a member
//! records its name as well.
//!
//! Limitations: types are keyed by simple name alone, so a new type invalidates every file that
//! looked up a type of that name anywhere.

use codeagent_lang::dependencies::{DependencyKey, KeyTable};
use codeagent_model::facts::{
    DeclFlags, DeclId, DeclKind, Expr, Facts, LiteralKind, Operator, ScopeId, SiteKind, Subject,
    TypeExpr,
};
use smallvec::{SmallVec, smallvec};

use crate::lower::is_attribute_class;

/// Table of top-level types.
pub const TYPES: KeyTable = KeyTable::names("cs:type");
/// Table of namespaces, by each segment of their names; their whole names are published too, so
/// that reordered segments are noticed.
pub const NAMESPACES: KeyTable = KeyTable::presence("cs:namespace");
/// Table of extension members.
pub const EXTENSIONS: KeyTable = KeyTable::names("cs:extension");
/// The global usings in sources, under one key.
pub const GLOBAL_USINGS: KeyTable = KeyTable::names("cs:global-usings");
/// The friend assemblies declared by attributes in sources, under one key.
pub const FRIENDS: KeyTable = KeyTable::names("cs:friends");

/// Members of types by name, in the files that are read. Members with the same name share
/// one key, whichever type declares them.
pub const MEMBERS: KeyTable = KeyTable::members("cs:member");
/// Constructors, by the name of their type.
pub const CONSTRUCTORS: KeyTable = KeyTable::members("cs:constructor");
/// All members of interfaces and attribute classes, by the type's name.
pub const ALL_MEMBERS: KeyTable = KeyTable::members("cs:all-members");
/// Conversion operators, by the name of their type.
pub const CONVERSIONS: KeyTable = KeyTable::members("cs:conversion");

/// Returns the keys of a member, or of a separate type.
#[must_use]
pub fn keys_of_member(facts: &Facts, member: DeclId) -> SmallVec<[DependencyKey; 3]> {
    let decl = facts.decl(member);
    if decl.kind.opens_type() {
        return smallvec![TYPES.key(facts.text(decl.name))];
    }

    let container = facts.decl(facts.scope(decl.scope).owner);
    let (name, type_name) = (facts.text(decl.name), facts.text(container.name));
    let mut keys = smallvec![MEMBERS.key(name)];
    match container.kind {
        DeclKind::Interface => keys.push(ALL_MEMBERS.key(type_name)),
        DeclKind::Class if is_attribute_class(type_name) => keys.push(ALL_MEMBERS.key(type_name)),
        DeclKind::ExtensionBlock => keys.push(EXTENSIONS.key(name)),
        _ if decl.flags.has(DeclFlags::EXTENSION) => keys.push(EXTENSIONS.key(name)),
        _ => {}
    }

    match decl.kind {
        DeclKind::Conversion => keys.push(CONVERSIONS.key(type_name)),
        DeclKind::Constructor => keys.push(CONSTRUCTORS.key(type_name)),
        _ => {}
    }

    keys
}

/// Returns the keys that a file publishes, sorted.
#[must_use]
pub fn provided_keys(facts: &Facts) -> Vec<DependencyKey> {
    let mut keys = Vec::new();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let name = facts.text(decl.name);
        if decl.kind == DeclKind::Namespace {
            keys.push(NAMESPACES.key(name));
            keys.extend(
                name.split('.')
                    .map(|segment| NAMESPACES.key(segment.trim())),
            );
        } else if decl.kind.opens_type() {
            keys.push(TYPES.key(name));
        } else if decl.flags.has(DeclFlags::EXTENSION) && decl.kind == DeclKind::Method
            || in_extension_block(facts, decl.scope)
        {
            keys.push(EXTENSIONS.key(name));
        }
    }

    if facts.imports.iter().any(|import| import.global) {
        keys.push(GLOBAL_USINGS.key(""));
    }

    if friends(facts).next().is_some() {
        keys.push(FRIENDS.key(""));
    }

    keys.sort_unstable();
    keys.dedup();
    keys
}

fn in_extension_block(facts: &Facts, scope: ScopeId) -> bool {
    let owner = scope
        .some()
        .and_then(|scope| facts.scope(scope).owner.some());
    owner.is_some_and(|owner| facts.decl(owner).kind == DeclKind::ExtensionBlock)
}

/// Returns the names in `[assembly: InternalsVisibleTo("name")]`; empty where the facts lack it (a
/// literal with a long public key).
pub fn friends(facts: &Facts) -> impl Iterator<Item = &str> {
    facts
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Attribute && site.owner.is_none())
        .filter_map(|site| {
            let Subject::Construct(ty, call) = site.subject else {
                return None;
            };
            let TypeExpr::Name(segments, _) = facts.type_expr(ty) else {
                return None;
            };

            let last = facts.text(facts.list(segments).last()?.name);
            if !matches!(last, "InternalsVisibleTo" | "InternalsVisibleToAttribute") {
                return None;
            }

            let call = facts.calls.get(call.some()?.index())?;
            let mut value = facts.expr(facts.list(call.args).first()?.value);
            while let Expr::Binary(Operator::Add, left, _) = value {
                value = facts.expr(left);
            }

            match value {
                Expr::Literal(LiteralKind::String, text) => Some(facts.text(text)),
                _ => Some(""),
            }
        })
}
