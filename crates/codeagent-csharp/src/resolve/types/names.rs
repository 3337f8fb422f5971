//! Namespace and type names (C# standard §7.8): the type or namespace that a written name stands
//! for in its scope.
//!
//! The first segment of `A.B<C>` is looked up outward: type parameters, nested types (own before
//! inherited) of the enclosing types, then for each namespace from the inside its types and child
//! namespaces before those that the usings of its declaration import. Each further segment is
//! looked up in the one before.
//!
//! **Limits.** An ambiguity between usings takes the first in canonical order; constraints are
//! ignored.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::{DeclKind, ScopeId, ScopeKind, Segment, TypeExpr, TypeId};
use codeagent_model::graph::Access;

use crate::resolve::declared::assemblies::AssemblyId;
use crate::resolve::declared::published;
use crate::resolve::declared::tables::{NamespaceId, Tid, is_type_scope};
use crate::resolve::declared::well_known::{self, Known};
use crate::resolve::types::Types;
use crate::resolve::types::questions::Question;
use crate::resolve::types::usings::Using;
use crate::resolve::types::{ParamOwner, Ty, TyList, Type};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    /// A type; its own type arguments are unknown until they are applied.
    Type(Ty),
    /// A namespace.
    Namespace(NamespaceId),
    /// Nothing in the world.
    None,
}

impl Types<'_> {
    /// The type a type expression of any file stands for.
    pub fn type_of(&self, file: FileId, id: TypeId) -> Ty {
        if id.is_none() {
            return Ty::UNKNOWN;
        }
        let asked = ((file, id), Question::TypeExpr(file, id));
        self.evaluation
            .answered(&self.memo.type_exprs, asked, || self.type_of_cold(file, id))
            .unwrap_or_default()
    }

    fn type_of_cold(&self, file: FileId, id: TypeId) -> Ty {
        let facts = self.facts(file);
        match facts.type_expr(id) {
            TypeExpr::Primitive(word) => self.keyword(facts.text(word)),
            TypeExpr::Name(segments, scope) => {
                let segments = facts.list(segments);
                match self.resolve_segments(file, segments, scope, None) {
                    Found::Type(ty) => ty,
                    Found::Namespace(_) | Found::None => segments
                        .last()
                        .map_or(Ty::UNKNOWN, |last| self.external_named(file, last)),
                }
            }
            TypeExpr::Array(of, rank) => self.arena.add(Type::Array(self.type_of(file, of), rank)),
            TypeExpr::Pointer(of) => self.arena.add(Type::Pointer(self.type_of(file, of))),
            TypeExpr::ByRef(of) => self.type_of(file, of),
            TypeExpr::Nullable(of) => self.nullable(self.type_of(file, of)),
            TypeExpr::Tuple(elements) => {
                let elements = facts.list(elements);
                let types = elements
                    .iter()
                    .map(|element| self.type_of(file, element.ty))
                    .collect();

                let names = elements
                    .iter()
                    .map(|element| self.name(file, element.name))
                    .collect();
                self.arena.add(Type::Tuple(types, names))
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// The type of a keyword.
    pub fn keyword(&self, word: &str) -> Ty {
        if word == "dynamic" {
            return Ty::DYNAMIC;
        }
        let known = well_known::KEYWORDS
            .iter()
            .find(|(keyword, _)| *keyword == word);
        known.map_or(Ty::UNKNOWN, |(_, known)| self.known_type(*known, &[]))
    }

    /// `T?`: only what is or may be a value type has another type.
    pub fn nullable(&self, of: Ty) -> Ty {
        match self.is_value_type(of) {
            _ if matches!(self.arena.get(of), Type::Nullable(_)) => of,
            Some(false) => of,
            None if !matches!(self.arena.get(of), Type::External(..)) => of,
            _ => self.arena.add(Type::Nullable(of)),
        }
    }

    /// Whether it is a value type; `None` if that is not known.
    pub fn is_value_type(&self, ty: Ty) -> Option<bool> {
        match self.arena.get(ty) {
            Type::Inst(tid, _) => {
                let kind = self.tables.group(tid).kind;
                Some(matches!(
                    kind,
                    DeclKind::Struct | DeclKind::RecordStruct | DeclKind::Enum
                ))
            }
            Type::Tuple(..) | Type::Pointer(_) | Type::Nullable(_) => Some(true),
            Type::Array(..) | Type::Object(_) => Some(false),
            Type::Param(..) => self.param_is_value_type(ty),
            _ => None,
        }
    }

    /// A type that no file declares.
    pub fn external(&self, name: Name, args: &[Ty]) -> Ty {
        match self.tables.opened_type(name, args.len()) {
            Some(tid) => self.arena.add(Type::Inst(tid, args.into())),
            None => self.arena.add(Type::External(name, args.into())),
        }
    }

    /// Resolves a dotted name. `alone`: the scope whose usings do not count, because the name
    /// stands in one of them.
    pub fn resolve_segments(
        &self,
        file: FileId,
        segments: &[Segment],
        scope: ScopeId,
        alone: Option<ScopeId>,
    ) -> Found {
        if self.is_external_file(file)
            && let [global, rest @ ..] = segments
            && self.name(file, global.name) == well_known::GLOBAL
        {
            return self.library_type(file, rest);
        }
        self.resolve_names(Place { file, scope, alone }, segments, |segment| {
            self.name(file, segment.name)
        })
    }

    /// A type as a library's declarations name it: its whole namespace is one segment. Only
    /// libraries are asked, which do not change.
    fn library_type(&self, file: FileId, segments: &[Segment]) -> Found {
        let namespace = segments
            .first()
            .and_then(|first| self.tables.dotted.get(&self.name(file, first.name)));
        let (namespace, rest) = match namespace {
            Some(namespace) if segments.len() > 1 => (*namespace, &segments[1..]),
            _ => (NamespaceId::GLOBAL, segments),
        };

        let Some((first, nested)) = rest.split_first() else {
            return Found::None;
        };

        let (name, args) = (self.name(file, first.name), self.segment_args(file, first));
        let same = self
            .tables
            .top
            .get(&(namespace, name))
            .into_iter()
            .flatten();

        let from = self.home_of(file);
        let is_meant = |tid: &Tid| {
            let group = self.tables.group(*tid);
            let is_seen = || {
                group
                    .homes
                    .iter()
                    .any(|home| self.tables.assemblies.sees(from, *home))
            };
            group.external && usize::from(group.arity) == args.len() && is_seen()
        };

        let tid = same.copied().find(is_meant);
        let Some(tid) = tid else { return Found::None };

        let mut found = self.apply(Found::Type(self.bare(tid, None)), &args);
        for segment in nested {
            let Found::Type(ty) = found else {
                return Found::None;
            };

            let args = self.segment_args(file, segment);
            found = self.apply(
                self.nested_directly(ty, self.name(file, segment.name), args.len() as u16),
                &args,
            );
        }

        found
    }

    /// The same in the linked file with another name for the last segment.
    pub fn resolve_renamed(&self, segments: &[Segment], scope: ScopeId, last: Name) -> Found {
        let end = segments.last().map(|segment| segment.name);
        let place = Place {
            file: self.file,
            scope,
            alone: None,
        };
        self.resolve_names(place, segments, |segment| {
            if Some(segment.name) == end {
                last
            } else {
                self.own_name(segment.name)
            }
        })
    }

    fn resolve_names(
        &self,
        place: Place,
        segments: &[Segment],
        name_of: impl Fn(&Segment) -> Name,
    ) -> Found {
        let Place { file, alone, .. } = place;
        let Some((first, rest)) = segments.split_first() else {
            return Found::None;
        };

        let name = name_of(first);
        let args = self.segment_args(file, first);
        let mut found = if name == well_known::GLOBAL {
            Found::Namespace(NamespaceId::GLOBAL)
        } else if let Some(alias) = self.tables.names.text(name).strip_suffix("::") {
            self.tables
                .names
                .get(alias)
                .map_or(Found::None, |alias| self.alias(place, alias))
        } else {
            self.apply(
                self.lookup(
                    place,
                    name,
                    args.len() as u16,
                    !rest.is_empty() || alone.is_some(),
                ),
                &args,
            )
        };

        for segment in rest {
            let args = self.segment_args(file, segment);
            found = self.step(found, name_of(segment), &args, true);
        }

        found
    }

    /// What `alias::` stands for: an alias of a using, the nearest outward.
    fn alias(&self, place: Place, alias: Name) -> Found {
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
        Found::None
    }

    fn segment_args(&self, file: FileId, segment: &Segment) -> Vec<Ty> {
        self.facts(file)
            .list(segment.args)
            .iter()
            .map(|arg| self.type_of(file, *arg))
            .collect()
    }

    /// One segment further inside a namespace or type.
    pub fn step(&self, from: Found, name: Name, args: &[Ty], namespaces: bool) -> Found {
        let arity = args.len() as u16;
        let found = match from {
            Found::Namespace(namespace) => {
                let from = self
                    .table
                    .homes
                    .first()
                    .copied()
                    .unwrap_or(self.tables.assemblies.none());

                let ty = self.namespace_type(namespace, (name, arity), self.file, from);
                match ty {
                    Some(tid) => Found::Type(self.bare(tid, None)),
                    None if namespaces && arity == 0 => self
                        .child_namespace(namespace, name, from)
                        .map_or(Found::None, Found::Namespace),
                    None => Found::None,
                }
            }
            Found::Type(ty) => self.nested(ty, name, arity),
            Found::None => Found::None,
        };

        self.apply(found, args)
    }

    /// Gives a type its own type arguments.
    pub fn apply(&self, found: Found, args: &[Ty]) -> Found {
        let Found::Type(ty) = found else { return found };
        if args.is_empty() {
            return found;
        }
        let Type::Inst(tid, all) = self.arena.get(ty) else {
            return found;
        };
        let outer = usize::from(self.tables.group(tid).outer_arity);
        if self.tables.known_of.get(&tid) == Some(&Known::Nullable) {
            return Found::Type(self.nullable(args[0]));
        }
        let all: TyList = all.iter().take(outer).chain(args).copied().collect();
        Found::Type(self.arena.add(Type::Inst(tid, all)))
    }

    /// A type group as a type: the arguments of the types around it from `outer`, its own unknown.
    fn bare(&self, tid: Tid, outer: Option<&TyList>) -> Ty {
        let group = self.tables.group(tid);
        let mut args = vec![Ty::UNKNOWN; usize::from(group.outer_arity + group.arity)];
        for (slot, arg) in args
            .iter_mut()
            .take(usize::from(group.outer_arity))
            .zip(outer.into_iter().flat_map(|list| list.iter()))
        {
            *slot = *arg;
        }
        self.arena.add(Type::Inst(tid, args.into()))
    }

    /// A type directly in a namespace, as an assembly sees it.
    fn namespace_type(
        &self,
        namespace: NamespaceId,
        (name, arity): (Name, u16),
        file: FileId,
        from: AssemblyId,
    ) -> Option<Tid> {
        self.record_lookup(published::TYPES, name);
        let all = self.tables.top.get(&(namespace, name))?;
        let mut best: Option<(u8, Tid)> = None;
        for &tid in all {
            let group = self.tables.group(tid);
            if group.arity != arity || group.access == Access::File && group.parts[0].file != file {
                continue;
            }
            let Some(rank) = self.visibility(&group.homes, group.access, from) else {
                continue;
            };

            if best.is_none_or(|(other, _)| rank < other) {
                best = Some((rank, tid));
            }
        }

        let (_, tid) = best?;
        self.group(tid);
        Some(tid)
    }

    /// How well an assembly sees something: 0 its own, 1 accessible, 2 visible but not accessible,
    /// `None` not at all.
    fn visibility(&self, homes: &[AssemblyId], access: Access, from: AssemblyId) -> Option<u8> {
        let assemblies = &self.tables.assemblies;
        if homes.contains(&from) {
            return Some(0);
        }
        let seen = homes.iter().filter(|home| assemblies.sees(from, **home));
        seen.map(|home| {
            if access == Access::Public || assemblies.is_friend(from, *home) {
                1
            } else {
                2
            }
        })
        .min()
    }

    fn child_namespace(
        &self,
        namespace: NamespaceId,
        name: Name,
        from: AssemblyId,
    ) -> Option<NamespaceId> {
        self.record_lookup(published::NAMESPACES, name);
        let child = *self.tables.namespace_children.get(&(namespace, name))?;
        let homes = &self.tables.namespaces[child.0 as usize].homes;
        homes
            .iter()
            .any(|home| self.tables.assemblies.sees(from, *home))
            .then_some(child)
    }

    /// A type nested in a type or in one of its bases.
    pub fn nested(&self, ty: Ty, name: Name, arity: u16) -> Found {
        let all = self.supertypes(ty);
        all.iter()
            .map(|base| self.nested_directly(*base, name, arity))
            .find(|found| *found != Found::None)
            .unwrap_or(Found::None)
    }

    /// A type nested in a type itself.
    fn nested_directly(&self, ty: Ty, name: Name, arity: u16) -> Found {
        let Type::Inst(tid, args) = self.arena.get(ty) else {
            return Found::None;
        };
        self.group(tid);
        let own = self.tables.nested.get(&(tid, name));
        let Some(&found) = own.and_then(|all| {
            all.iter()
                .find(|tid| self.tables.group(**tid).arity == arity)
        }) else {
            return Found::None;
        };
        self.group(found);
        Found::Type(self.bare(found, Some(&args)))
    }

    /// Looks up a simple name as a type, or also as a namespace if more follows.
    pub fn lookup(&self, place: Place, name: Name, arity: u16, qualifier: bool) -> Found {
        if place.alone.is_some() {
            return self.lookup_cold(place, name, arity, qualifier);
        }
        let key = (place.file, self.naming_scope(place), name, arity, qualifier);
        self.evaluation.remembered(&self.memo.lookups, key, || {
            self.lookup_cold(place, name, arity, qualifier)
        })
    }

    /// The nearest scope outward that can declare a type name.
    fn naming_scope(&self, place: Place) -> ScopeId {
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

    fn lookup_cold(&self, place: Place, name: Name, arity: u16, qualifier: bool) -> Found {
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

            if found != Found::None {
                return found;
            }

            match here.parent.some() {
                Some(parent) => scope = parent,
                None => return Found::None,
            }
        }
    }

    fn lookup_in_declaration(&self, file: FileId, scope: ScopeId, name: Name, arity: u16) -> Found {
        let facts = self.facts(file);
        let here = *facts.scope(scope);
        let Some(owner) = here.owner.some() else {
            return Found::None;
        };

        let tid = self.tables.file(file).types.get(&owner).copied();
        if arity == 0 {
            for (index, param) in facts.list(facts.decl(owner).type_params).iter().enumerate() {
                if self.name(file, facts.decl(*param).name) == name {
                    let index = index as u16;
                    let ty = match tid {
                        Some(tid) => Type::Param(
                            ParamOwner::Type(tid),
                            self.tables.group(tid).outer_arity + index,
                        ),
                        None => Type::Param(ParamOwner::Decl(DeclRef { file, decl: owner }), index),
                    };
                    return Found::Type(self.arena.add(ty));
                }
            }
        }

        match tid {
            Some(tid) if is_type_scope(here.kind) => self.nested(self.self_type(tid), name, arity),
            _ => Found::None,
        }
    }

    fn lookup_in_namespace(
        &self,
        place: Place,
        scope: ScopeId,
        name: (Name, u16),
        qualifier: bool,
    ) -> Found {
        let table = self.tables.file(place.file);
        let Some(&innermost) = table.namespaces.get(&scope) else {
            return Found::None;
        };

        let stop = self.namespace_around(place.file, self.facts(place.file).scope(scope).parent);
        let mut namespace = innermost;
        while namespace != stop {
            let found = self.in_namespace(place.file, namespace, name, qualifier);
            if found != Found::None {
                return found;
            }

            if namespace == innermost && place.alone != Some(scope) {
                let found = self.via_usings(place.file, scope, name, qualifier);
                if found != Found::None {
                    return found;
                }
            }

            let parent = self.tables.namespaces[namespace.0 as usize].parent;
            if parent == namespace {
                break;
            }
            namespace = parent;
        }

        Found::None
    }

    fn lookup_in_file(&self, place: Place, name: Name, arity: u16, qualifier: bool) -> Found {
        let found = self.in_namespace(place.file, NamespaceId::GLOBAL, (name, arity), qualifier);
        if found != Found::None || place.alone == Some(ScopeId(0)) {
            return found;
        }
        self.via_usings(place.file, ScopeId(0), (name, arity), qualifier)
    }

    /// The namespace that a scope lies in.
    pub fn namespace_around(&self, file: FileId, mut scope: ScopeId) -> NamespaceId {
        while let Some(id) = scope.some() {
            if let Some(&namespace) = self.tables.file(file).namespaces.get(&id) {
                return namespace;
            }
            scope = self.facts(file).scope(id).parent;
        }
        NamespaceId::GLOBAL
    }

    fn home_of(&self, file: FileId) -> AssemblyId {
        self.tables
            .file(file)
            .homes
            .first()
            .copied()
            .unwrap_or(self.tables.assemblies.none())
    }

    fn in_namespace(
        &self,
        file: FileId,
        namespace: NamespaceId,
        name: (Name, u16),
        qualifier: bool,
    ) -> Found {
        let from = self.home_of(file);
        if qualifier
            && name.1 == 0
            && let Some(child) = self.child_namespace(namespace, name.0, from)
        {
            return Found::Namespace(child);
        }
        self.namespace_type(namespace, name, file, from)
            .map_or(Found::None, |tid| Found::Type(self.bare(tid, None)))
    }

    fn via_usings(
        &self,
        file: FileId,
        scope: ScopeId,
        (name, arity): (Name, u16),
        qualifier: bool,
    ) -> Found {
        let usings = self.usings(file, scope);
        for using in usings.iter() {
            match *using {
                Using::Alias(alias, found)
                    if alias == name
                        && arity == 0
                        && (qualifier || matches!(found, Found::Type(_))) =>
                {
                    return found;
                }
                _ => {}
            }
        }
        let from = self.home_of(file);

        // What libraries declare comes last: where both are in sight, the project's framework does
        // not have the library's.
        let mut best: Option<((bool, bool), Found)> = None;
        for using in usings.iter() {
            let found = match *using {
                Using::Namespace(namespace) => self
                    .namespace_type(namespace, (name, arity), file, from)
                    .map_or(Found::None, |tid| Found::Type(self.bare(tid, None))),
                Using::Static(ty) => self.nested_directly(ty, name, arity),
                Using::Alias(..) => Found::None,
            };

            if let Found::Type(ty) = found {
                let rank = (!self.is_accessible_type(ty, from), self.is_external(ty));
                if best.is_none_or(|(other, _)| rank < other) {
                    best = Some((rank, found));
                }
            }
        }

        best.map_or(Found::None, |(_, found)| found)
    }

    /// Whether a library declares the type.
    fn is_external(&self, ty: Ty) -> bool {
        matches!(self.arena.get(ty), Type::Inst(tid, _) if self.tables.group(tid).external)
    }

    fn is_accessible_type(&self, ty: Ty, from: AssemblyId) -> bool {
        let Type::Inst(tid, _) = self.arena.get(ty) else {
            return true;
        };
        let group = self.tables.group(tid);
        self.visibility(&group.homes, group.access, from)
            .is_some_and(|rank| rank < 2)
    }
}

/// Where a name stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The scope.
    pub scope: ScopeId,
    /// The scope whose usings do not count.
    pub alone: Option<ScopeId>,
}
