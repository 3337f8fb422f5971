//! Which declarations does a bare name mean at a place: `x` in a value, `X` in a type.
//!
//! Scopes are searched from the inside out; a class or named function expression sees its own name, a namespace or enum sees what the other
//! blocks of the same name declare; at last come globals of scripts and `declare global`.
//!
//! **Limits.** No temporal dead zone; members of an outer object never count as names.

use smallvec::SmallVec;

use super::exports::Found;
use super::published::GLOBAL;
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::kernel::names::Name;
use crate::resolve::world::{DeclRef, FileId};

/// Declarations of one symbol.
pub type Decls = SmallVec<[DeclRef; 2]>;

/// What a name is looked up as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// A value.
    Value,
    /// A value, seen through narrowings in force.
    Narrowed,
    /// A type.
    Type,
    /// What may stand before a dot in a type name.
    Namespace,
}

impl Space {
    pub(super) fn holds(self, kind: DeclKind) -> bool {
        use DeclKind as K;
        match self {
            Self::Value | Self::Narrowed => matches!(
                kind,
                K::Variable
                    | K::Parameter
                    | K::Function
                    | K::LocalFunction
                    | K::Class
                    | K::Enum
                    | K::EnumMember
                    | K::Namespace
                    | K::Import
                    | K::Lambda
                    | K::DefaultExport
            ),
            Self::Type => matches!(
                kind,
                K::Class | K::Interface | K::TypeAlias | K::Enum | K::EnumMember | K::TypeParam | K::Import | K::DefaultExport
            ),
            Self::Namespace => matches!(kind, K::Namespace | K::Enum | K::Class | K::Import),
        }
    }
}

/// A place from which a name is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The scope.
    pub scope: ScopeId,
    /// The byte offset; `u32::MAX` if all of the scope counts.
    pub offset: u32,
}

/// What another block of a namespace can see.
const SEEN_OUTSIDE: u32 = DeclFlags::EXPORT.0 | DeclFlags::AMBIENT.0;

impl Link<'_> {
    /// The declarations of a name in just one scope.
    pub(super) fn in_scope(&mut self, place: Place, name: Name, space: Space) -> Decls {
        let facts = self.facts(place.file);
        let mut found = Decls::new();
        let mut narrowed = None;
        let declared = self.declarations(place.file, place.scope, name);
        self.spend_list(declared.len());
        for &(_, _, id) in declared {
            let decl = facts.decl(id);
            if decl.flags.has(DeclFlags::MEMBER) {
                continue;
            }
            if decl.kind == DeclKind::Narrow {
                if space == Space::Narrowed && decl.from <= place.offset && narrows_name(facts, decl) {
                    narrowed = Some(at(place.file, id));
                }
            } else if space.holds(decl.kind) || space == Space::Type && decl.flags.has(DeclFlags::CONSTRUCTS) {
                found.push(at(place.file, id));
            }
        }
        if found.len() > 1 {
            self.beside_import(&mut found, space);
        }
        narrowed.map_or(found, |decl| Decls::from_slice(&[decl]))
    }

    /// A name that is imported and declared: the declaration is meant where it declares what is asked for, the import else. A namespace beside
    /// an import declares types only.
    fn beside_import(&mut self, found: &mut Decls, space: Space) {
        let is_import = |link: &mut Self, decl: DeclRef| link.decl(decl).kind == DeclKind::Import;
        let imports = found.iter().filter(|decl| is_import(self, **decl)).count();
        if imports == 0 || imports == found.len() {
            return;
        }
        let is_value = matches!(space, Space::Value | Space::Narrowed);
        let declares = |link: &mut Self, decl: DeclRef| {
            let kind = link.decl(decl).kind;
            kind != DeclKind::Import && !(is_value && kind == DeclKind::Namespace)
        };
        let is_declared = found.iter().any(|decl| declares(self, *decl));
        found.retain(|decl| if is_declared { !is_import(self, *decl) } else { is_import(self, *decl) });
    }

    /// The declarations of a name, not followed through imports.
    pub(super) fn lookup(&mut self, place: Place, name: Name, space: Space) -> Decls {
        if name == Name::NONE {
            return Decls::new();
        }
        let facts = self.facts(place.file);
        let mut scope = place.scope;
        while let Some(id) = scope.some() {
            let found = self.in_scope(Place { scope: id, ..place }, name, space);
            if !found.is_empty() {
                return found;
            }
            let region = facts.scope(id);
            if let Some(owner) = region.owner.some() {
                let found = self.through_owner(at(place.file, owner), region.kind, name, space);
                if !found.is_empty() {
                    return found;
                }
            }
            scope = region.parent;
        }
        self.global(name, space)
    }

    /// What the declaration that opens a scope adds to it: its own name, or what its other blocks declare.
    fn through_owner(&mut self, owner: DeclRef, kind: ScopeKind, name: Name, space: Space) -> Decls {
        let decl = self.decl(owner);
        match kind {
            ScopeKind::Type | ScopeKind::Function => {
                let is_own = match decl.kind {
                    DeclKind::Class => true,
                    // `module.exports = function f() {}`
                    DeclKind::Function => decl.flags.has(DeclFlags::MEMBER) && matches!(space, Space::Value | Space::Narrowed),
                    DeclKind::Lambda => matches!(space, Space::Value | Space::Narrowed),
                    _ => false,
                };
                if is_own && self.name(owner.file, decl.name) == name {
                    return Decls::from_slice(&[owner]);
                }
                Decls::new()
            }
            ScopeKind::Namespace if decl.kind == DeclKind::AmbientModule => self.through_ambient(owner, name, space),
            ScopeKind::Namespace | ScopeKind::Enum => {
                let group = self.group(owner);
                if group.len() == 1 {
                    return Decls::new();
                }
                let mut found = self.block_members(&group, name, space);
                // What another block does not export is its own.
                let is_seen = |decl: &Declaration| decl.flags.0 & SEEN_OUTSIDE != 0 || decl.kind == DeclKind::EnumMember;
                found.retain(|other| is_seen(self.decl(*other)));
                found
            }
            _ => Decls::new(),
        }
    }

    /// A `declare module` block sees what the module exports that it adds to, and what the other blocks of its name declare.
    fn through_ambient(&mut self, block: DeclRef, name: Name, space: Space) -> Decls {
        let facts = self.facts(block.file);
        let module = self.decl_name(block);
        let is_ambient = !self.ambient(module).is_empty() && self.is_visible(block);
        let target = self.tables.target(block.file, facts.decl(block.decl).name).filter(|_| facts.header.is_module && !is_ambient);
        match self.export(&target.map_or(Found::Ambient(block), Found::Module), name) {
            Found::Decls(decls) => decls.into_iter().filter(|decl| space.holds(self.decl(*decl).kind)).collect(),
            _ => Decls::new(),
        }
    }

    pub(super) fn global(&mut self, name: Name, space: Space) -> Decls {
        self.ask(GLOBAL, name);
        let mut found = Decls::new();
        for decl in self.visible(self.tables.globals(name)) {
            let kind = self.decl(decl).kind;
            if space.holds(kind) {
                found.push(decl);
            }
        }
        found
    }

    /// Of declarations that a world-wide table holds those that count for the file being linked.
    pub(super) fn visible(&self, decls: &[DeclRef]) -> Decls {
        decls.iter().copied().filter(|decl| self.is_visible(*decl)).collect()
    }

    /// Whether a declaration that a world-wide table holds counts for the file being linked.
    pub(super) fn is_visible(&self, decl: DeclRef) -> bool {
        self.tables.counts(self.file, decl.file)
    }
}

fn narrows_name(facts: &Facts, decl: &Declaration) -> bool {
    match facts.expr(decl.init) {
        Expr::Guarded(index) => facts.guards.get(index as usize).is_some_and(|guard| matches!(facts.expr(guard.subject), Expr::Name(..))),
        _ => false,
    }
}
