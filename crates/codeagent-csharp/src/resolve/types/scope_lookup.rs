//! Lookup of one name outward from a scope (C# standard §7.8.2): type parameters, nested types,
//! namespaces and usings.
//!
//! Limitations: an ambiguity between usings takes the first in canonical order.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::{ScopeId, ScopeKind};

use crate::resolve::global_index::assemblies::AssemblyId;
use crate::resolve::global_index::tables::{NamespaceId, is_type_scope};
use crate::resolve::types::Types;
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::usings::Using;
use crate::resolve::types::{ParamOwner, Type};

/// The starting point of a lookup.
#[derive(Clone, Copy, Debug)]
pub struct LookupScope {
    pub file: FileId,
    pub scope: ScopeId,
    /// The scope whose usings do not count, if any.
    pub alone: Option<ScopeId>,
}

impl Types<'_> {
    /// Looks up `alias::`: the nearest using alias, from the inside outward.
    pub(super) fn lookup_alias(&self, place: LookupScope, alias: Name) -> TypeOrNamespace {
        let facts = self.facts(place.file);
        let mut scope = place.scope;
        while let Some(id) = scope.some() {
            if place.alone != Some(id) {
                for using in self.usings(place.file, id).iter() {
                    match *using {
                        Using::Alias(name, found) if name == alias => return found,
                        _ => {}
                    }
                }
            }
            scope = facts.scope(id).parent;
        }
        TypeOrNamespace::None
    }

    /// Looks up a simple name as a type, or also as a namespace if more segments follow.
    pub fn lookup(
        &self,
        place: LookupScope,
        name: Name,
        arity: u16,
        qualifier: bool,
    ) -> TypeOrNamespace {
        if place.alone.is_some() {
            return self.lookup_uncached(place, name, arity, qualifier);
        }
        let key = (place.file, self.naming_scope(place), name, arity, qualifier);
        self.stack.memoized(&self.memo.lookups, key, || {
            self.lookup_uncached(place, name, arity, qualifier)
        })
    }

    /// Returns the nearest enclosing scope that can declare a type name.
    fn naming_scope(&self, place: LookupScope) -> ScopeId {
        let facts = self.facts(place.file);
        let mut scope = place.scope;
        while let Some(id) = scope.some() {
            let here = facts.scope(id);
            let generic = here
                .owner
                .some()
                .is_some_and(|owner| !facts.decl(owner).type_params.is_empty());

            if generic
                || !matches!(
                    here.kind,
                    ScopeKind::Block | ScopeKind::Function | ScopeKind::Object
                )
            {
                return id;
            }

            scope = here.parent;
        }

        ScopeId(0)
    }

    fn lookup_uncached(
        &self,
        place: LookupScope,
        name: Name,
        arity: u16,
        qualifier: bool,
    ) -> TypeOrNamespace {
        let facts = self.facts(place.file);
        let mut scope = place.scope.some().unwrap_or(ScopeId(0));
        loop {
            let here = *facts.scope(scope);
            let found = match here.kind {
                ScopeKind::File => return self.lookup_in_file(place, name, arity, qualifier),
                ScopeKind::Namespace => {
                    self.lookup_in_namespace(place, scope, (name, arity), qualifier)
                }
                _ => self.lookup_in_declaration(place.file, scope, name, arity),
            };

            if found != TypeOrNamespace::None {
                return found;
            }

            match here.parent.some() {
                Some(parent) => scope = parent,
                None => return TypeOrNamespace::None,
            }
        }
    }

    fn lookup_in_declaration(
        &self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        arity: u16,
    ) -> TypeOrNamespace {
        let facts = self.facts(file);
        let here = *facts.scope(scope);
        let Some(owner) = here.owner.some() else {
            return TypeOrNamespace::None;
        };

        let tid = self.tables.file(file).types.get(&owner).copied();
        if arity == 0 {
            for (index, param) in facts.list(facts.decl(owner).type_params).iter().enumerate() {
                if self.name(file, facts.decl(*param).name) == name {
                    let index = index as u16;
                    let ty = match tid {
                        Some(tid) => Type::Param(
                            ParamOwner::Type(tid),
                            self.tables.type_def(tid).outer_arity + index,
                        ),
                        None => Type::Param(ParamOwner::Decl(DeclRef { file, decl: owner }), index),
                    };
                    return TypeOrNamespace::Type(self.arena.add(ty));
                }
            }
        }

        match tid {
            Some(tid) if is_type_scope(here.kind) => {
                self.lookup_nested_type(self.self_type(tid), name, arity)
            }
            _ => TypeOrNamespace::None,
        }
    }

    fn lookup_in_namespace(
        &self,
        place: LookupScope,
        scope: ScopeId,
        name: (Name, u16),
        qualifier: bool,
    ) -> TypeOrNamespace {
        let table = self.tables.file(place.file);
        let Some(&innermost) = table.namespaces.get(&scope) else {
            return TypeOrNamespace::None;
        };

        let stop = self.namespace_around(place.file, self.facts(place.file).scope(scope).parent);
        let mut namespace = innermost;
        while namespace != stop {
            let found = self.lookup_type_in_namespace(place.file, namespace, name, qualifier);
            if found != TypeOrNamespace::None {
                return found;
            }

            if namespace == innermost && place.alone != Some(scope) {
                let found = self.lookup_via_usings(place.file, scope, name, qualifier);
                if found != TypeOrNamespace::None {
                    return found;
                }
            }

            let parent = self.tables.namespaces[namespace.0 as usize].parent;
            if parent == namespace {
                break;
            }
            namespace = parent;
        }

        TypeOrNamespace::None
    }

    fn lookup_in_file(
        &self,
        place: LookupScope,
        name: Name,
        arity: u16,
        qualifier: bool,
    ) -> TypeOrNamespace {
        let found = self.lookup_type_in_namespace(
            place.file,
            NamespaceId::GLOBAL,
            (name, arity),
            qualifier,
        );

        if found != TypeOrNamespace::None || place.alone == Some(ScopeId(0)) {
            return found;
        }

        self.lookup_via_usings(place.file, ScopeId(0), (name, arity), qualifier)
    }

    /// Returns the namespace that encloses a scope.
    pub fn namespace_around(&self, file: FileId, mut scope: ScopeId) -> NamespaceId {
        while let Some(id) = scope.some() {
            if let Some(&namespace) = self.tables.file(file).namespaces.get(&id) {
                return namespace;
            }
            scope = self.facts(file).scope(id).parent;
        }
        NamespaceId::GLOBAL
    }

    pub(super) fn home_of(&self, file: FileId) -> AssemblyId {
        self.tables
            .file(file)
            .homes
            .first()
            .copied()
            .unwrap_or(self.tables.assemblies.none())
    }

    fn lookup_type_in_namespace(
        &self,
        file: FileId,
        namespace: NamespaceId,
        name: (Name, u16),
        qualifier: bool,
    ) -> TypeOrNamespace {
        let from = self.home_of(file);
        if qualifier
            && name.1 == 0
            && let Some(child) = self.lookup_child_namespace(namespace, name.0, from)
        {
            return TypeOrNamespace::Namespace(child);
        }

        self.lookup_namespace_type(namespace, name, file, from)
            .map_or(TypeOrNamespace::None, |tid| {
                TypeOrNamespace::Type(self.bare(tid, None))
            })
    }

    fn lookup_via_usings(
        &self,
        file: FileId,
        scope: ScopeId,
        (name, arity): (Name, u16),
        qualifier: bool,
    ) -> TypeOrNamespace {
        let usings = self.usings(file, scope);
        for using in usings.iter() {
            match *using {
                Using::Alias(alias, found)
                    if alias == name
                        && arity == 0
                        && (qualifier || matches!(found, TypeOrNamespace::Type(_))) =>
                {
                    return found;
                }
                _ => {}
            }
        }
        let from = self.home_of(file);

        // Library types come last: if both are visible, the project's framework lacks the library's
        // type.
        let mut best: Option<((bool, bool), TypeOrNamespace)> = None;
        for using in usings.iter() {
            let found = match *using {
                Using::Namespace(namespace) => self
                    .lookup_namespace_type(namespace, (name, arity), file, from)
                    .map_or(TypeOrNamespace::None, |tid| {
                        TypeOrNamespace::Type(self.bare(tid, None))
                    }),
                Using::Static(ty) => self.lookup_own_nested_type(ty, name, arity),
                Using::Alias(..) | Using::Undeclared => TypeOrNamespace::None,
            };

            if let TypeOrNamespace::Type(ty) = found {
                let rank = (!self.is_accessible_type(ty, from), self.is_external(ty));
                if best.is_none_or(|(other, _)| rank < other) {
                    best = Some((rank, found));
                }
            }
        }

        best.map_or(TypeOrNamespace::None, |(_, found)| found)
    }
}
