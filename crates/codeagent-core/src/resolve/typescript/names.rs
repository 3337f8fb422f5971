//! Which declarations does a bare name mean at a place: `x` in a value, `X` in a type.
//!
//! Scopes are searched from the inside out; a class or named function expression sees its own name, a namespace or enum sees what the other
//! blocks of the same name declare; at last come globals of scripts and `declare global`.
//!
//! **Limits.** No temporal dead zone; members of an outer object never count as names.

use smallvec::SmallVec;

use super::exports::Found;
use super::tables::{AUGMENTED, GLOBAL, Name};
use super::{Link, at};
use crate::model::facts::*;
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
    fn holds(self, kind: DeclKind) -> bool {
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

impl Link<'_> {
    /// The declarations of a name in just one scope.
    pub(super) fn in_scope(&mut self, place: Place, name: Name, space: Space) -> Decls {
        let facts = self.facts(place.file);
        let mut found = Decls::new();
        let mut narrowed = None;
        let declared = self.tables.declared(place.file, place.scope, name);
        if declared.len() > super::USUAL_LIST {
            self.spend_list(declared.len());
        }
        for &(_, _, id) in declared {
            let decl = facts.decl(id);
            if decl.flags.has(DeclFlags::MEMBER) {
                continue;
            }
            if decl.kind == DeclKind::Narrow {
                if space == Space::Narrowed && decl.from <= place.offset && narrows_name(facts, decl) {
                    narrowed = Some(at(place.file, id));
                }
            } else if space.holds(decl.kind) {
                found.push(at(place.file, id));
            }
        }
        narrowed.map_or(found, |decl| Decls::from_slice(&[decl]))
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
                for other in self.group(owner) {
                    if other == owner {
                        continue;
                    }
                    let inner = self.decl(other).inner;
                    let found = self.scope_members(Place { file: other.file, scope: inner, offset: u32::MAX }, name, space);
                    if !found.is_empty() {
                        return found;
                    }
                }
                Decls::new()
            }
            _ => Decls::new(),
        }
    }

    /// A `declare module` block sees what the module exports that it adds to, and what the other blocks of its name declare.
    fn through_ambient(&mut self, block: DeclRef, name: Name, space: Space) -> Decls {
        let facts = self.facts(block.file);
        let target = self.tables.target(block.file, facts.decl(block.decl).name).filter(|_| facts.header.is_module);
        match self.export(&target.map_or(Found::Ambient(block), Found::Module), name) {
            Found::Decls(decls) => decls.into_iter().filter(|decl| space.holds(self.decl(*decl).kind)).collect(),
            _ => Decls::new(),
        }
    }

    /// Names declared in a namespace or enum, enum members included whether or not they count as members.
    pub(super) fn scope_members(&mut self, place: Place, name: Name, space: Space) -> Decls {
        if place.scope.is_none() {
            return Decls::new();
        }
        let found = self.in_scope(place, name, space);
        if !found.is_empty() {
            return found;
        }
        let facts = self.facts(place.file);
        let members = self.tables.declared(place.file, place.scope, name).iter().map(|entry| entry.2);
        members.filter(|id| facts.decl(*id).kind == DeclKind::EnumMember).map(|id| at(place.file, id)).collect()
    }

    pub(super) fn global(&mut self, name: Name, space: Space) -> Decls {
        self.ask(GLOBAL, name);
        let mut found = Decls::new();
        for &decl in self.tables.globals(name) {
            let kind = self.decl(decl).kind;
            if space.holds(kind) {
                found.push(decl);
            }
        }
        found
    }

    /// All declarations of the symbol a declaration belongs to, in canonical order: overloads, merged interfaces, namespaces, classes.
    pub(super) fn group(&mut self, decl: DeclRef) -> Decls {
        let facts = self.facts(decl.file);
        let own = facts.decl(decl.decl);
        if self.left == 0
            || own.name.is_none()
            || matches!(own.kind, DeclKind::Lambda | DeclKind::Narrow | DeclKind::Parameter | DeclKind::TypeParam)
        {
            return Decls::from_slice(&[decl]);
        }
        let name = self.name(decl.file, own.name);
        let mut found = Decls::new();
        if super::tables::is_global(facts, own) {
            self.ask(GLOBAL, name);
            for &other in self.tables.globals(name) {
                let candidate = self.decl(other);
                if merges(own, candidate) {
                    found.push(other);
                }
            }
        } else {
            self.merge_from((decl.file, own.scope), own, name, &mut found);
            self.merge_elsewhere(decl.file, own, name, &mut found);
        }
        self.spend_list(found.len());
        if found.is_empty() { Decls::from_slice(&[decl]) } else { found }
    }

    fn merge_from(&mut self, place: (FileId, ScopeId), own: &Declaration, name: Name, found: &mut Decls) {
        let (file, scope) = place;
        let facts = self.facts(file);
        for &(_, _, id) in self.tables.declared(file, scope, name) {
            if merges(own, facts.decl(id)) {
                found.push(at(file, id));
            }
        }
    }

    /// Blocks of an enclosing namespace elsewhere, ambient modules of one name, and module augmentations.
    fn merge_elsewhere(&mut self, file: FileId, own: &Declaration, name: Name, found: &mut Decls) {
        if own.flags.has(DeclFlags::MEMBER) {
            return;
        }
        let facts = self.facts(file);
        let scope = facts.scope(own.scope);
        let others: Decls = match (scope.kind, scope.owner.some()) {
            (ScopeKind::File, _) if self.tables.has_augmentations() && mergeable(own.kind) => {
                self.ask(AUGMENTED, name);
                self.tables.augmentations(file).iter().copied().collect()
            }
            (ScopeKind::Namespace, Some(owner)) => {
                let decl = facts.decl(owner);
                if decl.kind == DeclKind::AmbientModule {
                    let (target, blocks) = self.ambient_blocks(file, owner);
                    if let Some(target) = target {
                        self.ask(AUGMENTED, name);
                        self.merge_from((target, ScopeId(0)), own, name, found);
                    }
                    blocks
                } else {
                    self.group(at(file, owner)).into_iter().filter(|other| *other != at(file, owner)).collect()
                }
            }
            _ => return,
        };
        for other in others {
            let inner = self.decl(other).inner;
            self.merge_from((other.file, inner), own, name, found);
        }
        found.sort_by_key(|other| (self.is_added(*other), *other));
    }

    /// Whether a declaration stands in a `declare module` block of a module and so adds to what is declared elsewhere.
    fn is_added(&mut self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        let owner = facts.scope(facts.decl(decl.decl).scope).owner;
        facts.header.is_module && owner.some().is_some_and(|owner| facts.decl(owner).kind == DeclKind::AmbientModule)
    }

    /// The blocks in which a symbol of an ambient module block may be declared too; with what it adds to, if it adds to a module.
    fn ambient_blocks(&mut self, file: FileId, block: DeclId) -> (Option<FileId>, Decls) {
        let facts = self.facts(file);
        let sym = facts.decl(block).name;
        let own = at(file, block);
        if let Some(target) = self.tables.target(file, sym).filter(|_| facts.header.is_module) {
            return (Some(target), self.tables.augmentations(target).iter().copied().filter(|other| *other != own).collect());
        }
        let module = self.name(file, sym);
        self.ask(super::tables::AMBIENT, module);
        (None, self.tables.ambient(module).iter().copied().filter(|other| *other != own).collect())
    }
}

fn narrows_name(facts: &Facts, decl: &Declaration) -> bool {
    match facts.expr(decl.init) {
        Expr::Guarded(index) => facts.guards.get(index as usize).is_some_and(|guard| matches!(facts.expr(guard.subject), Expr::Name(..))),
        _ => false,
    }
}

fn mergeable(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::Interface | DeclKind::Class | DeclKind::Namespace | DeclKind::Enum | DeclKind::Function)
}

/// Whether two declarations of one name in one place are one symbol of the graph.
fn merges(own: &Declaration, other: &Declaration) -> bool {
    use DeclKind as K;
    let flags = DeclFlags::MEMBER.with(DeclFlags::STATIC).0;
    if own.flags.0 & flags != other.flags.0 & flags {
        return false;
    }
    let class = |kind: K| match kind {
        K::Class | K::Interface => 1,
        K::Enum => 2,
        K::Function | K::LocalFunction => 3,
        K::Namespace => 4,
        K::Variable => 5,
        K::Method | K::Property | K::Getter | K::Setter | K::EnumMember => 6,
        K::Constructor => 7,
        K::CallSignature => 8,
        K::ConstructSignature => 9,
        K::IndexSignature => 10,
        K::TypeAlias => 11,
        _ => 0,
    };
    match (class(own.kind), class(other.kind)) {
        (0, _) | (_, 0) => false,
        (4, 1..=5) | (1..=3, 4) => true,
        (a, b) => a == b,
    }
}
