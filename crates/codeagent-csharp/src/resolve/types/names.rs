//! Namespace and type names (C# standard §7.8): resolves a written name in its scope to a type or
//! namespace.
//!
//! The first segment of `A.B<C>` is looked up from the inside outward: type parameters, nested
//! types (own before inherited) of the enclosing types, then for each enclosing namespace its types
//! and child namespaces before those imported by the usings of its declaration. Each further
//! segment is looked up in the one before.
//!
//! Limitations: an ambiguity between usings takes the first in canonical order; constraints are
//! ignored.

use codeagent_lang::FileId;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclKind, ScopeId, Segment, TypeExpr, TypeId};
use codeagent_model::graph::Access;
use smallvec::SmallVec;

use crate::resolve::global_index::assemblies::AssemblyId;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{NamespaceId, TypeDefId};
use crate::resolve::global_index::well_known::{self, Known};
use crate::resolve::types::Types;
use crate::resolve::types::queries::Query;
use crate::resolve::types::scope_lookup::LookupScope;
use crate::resolve::types::{Ty, TyList, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeOrNamespace {
    /// A type; its own type arguments are unknown until they are applied.
    Type(Ty),
    Namespace(NamespaceId),
    /// Not declared in the world.
    None,
}

impl Types<'_> {
    /// Returns the type of a type expression of any file.
    pub fn type_of(&self, file: FileId, id: TypeId) -> Ty {
        if id.is_none() {
            return Ty::UNKNOWN;
        }
        let asked = ((file, id), Query::TypeExpr(file, id));
        self.stack
            .query(&self.memo.type_exprs, asked, || {
                self.type_of_uncached(file, id)
            })
            .unwrap_or_default()
    }

    fn type_of_uncached(&self, file: FileId, id: TypeId) -> Ty {
        let facts = self.facts(file);
        match facts.type_expr(id) {
            TypeExpr::Primitive(word) => self.type_of_keyword(facts.text(word)),
            TypeExpr::Name(segments, scope) => {
                let segments = facts.list(segments);
                match self.resolve_segments(file, segments, scope, None) {
                    TypeOrNamespace::Type(ty) => ty,
                    TypeOrNamespace::Namespace(_) | TypeOrNamespace::None => segments
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

    pub fn type_of_keyword(&self, word: &str) -> Ty {
        if word == "dynamic" {
            return Ty::DYNAMIC;
        }
        let known = well_known::KEYWORDS
            .iter()
            .find(|(keyword, _)| *keyword == word);
        known.map_or(Ty::UNKNOWN, |(_, known)| self.known_type(*known, &[]))
    }

    /// Returns `T?`, which differs from `T` only if `T` is or may be a value type.
    pub fn nullable(&self, of: Ty) -> Ty {
        match self.is_value_type(of) {
            _ if matches!(self.arena.get(of), Type::Nullable(_)) => of,
            Some(false) => of,
            None if !matches!(self.arena.get(of), Type::External(..)) => of,
            _ => self.arena.add(Type::Nullable(of)),
        }
    }

    /// Reports whether it is a value type; `None` if unknown.
    pub fn is_value_type(&self, ty: Ty) -> Option<bool> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => {
                let kind = self.tables.type_def(tid).kind;
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

    /// Returns an undeclared type by its name.
    pub fn external(&self, name: Name, args: &[Ty]) -> Ty {
        match self.tables.opened_type(name, args.len()) {
            Some(tid) => self.arena.add(Type::Named(tid, self.arena.list(args))),
            None => self.arena.add(Type::External(name, self.arena.list(args))),
        }
    }

    /// Resolves a dotted name. The usings of the scope `alone` do not count, because the name is in
    /// one of them.
    pub fn resolve_segments(
        &self,
        file: FileId,
        segments: &[Segment],
        scope: ScopeId,
        alone: Option<ScopeId>,
    ) -> TypeOrNamespace {
        if self.is_external_file(file)
            && let [global, rest @ ..] = segments
            && self.name(file, global.name) == well_known::GLOBAL
        {
            return self.library_type(file, rest);
        }
        self.resolve_names(LookupScope { file, scope, alone }, segments, |segment| {
            self.name(file, segment.name)
        })
    }

    /// Resolves a type as named in a library's declarations: its whole namespace is one segment.
    /// Searches libraries only, which do not change.
    fn library_type(&self, file: FileId, segments: &[Segment]) -> TypeOrNamespace {
        let namespace = segments
            .first()
            .and_then(|first| self.tables.dotted.get(&self.name(file, first.name)));
        let (namespace, rest) = match namespace {
            Some(namespace) if segments.len() > 1 => (*namespace, &segments[1..]),
            _ => (NamespaceId::GLOBAL, segments),
        };

        let Some((first, nested)) = rest.split_first() else {
            return TypeOrNamespace::None;
        };

        let (name, args) = (self.name(file, first.name), self.segment_args(file, first));
        let same = self
            .tables
            .top
            .get(&(namespace, name))
            .into_iter()
            .flatten();

        let from = self.home_of(file);
        let is_meant = |tid: &TypeDefId| {
            let group = self.tables.type_def(*tid);
            let is_seen = || {
                group
                    .homes
                    .iter()
                    .any(|home| self.tables.assemblies.sees(from, *home))
            };
            group.external && usize::from(group.arity) == args.len() && is_seen()
        };

        let tid = same.copied().find(is_meant);
        let Some(tid) = tid else {
            return TypeOrNamespace::None;
        };

        let mut found = self.apply_type_args(TypeOrNamespace::Type(self.bare(tid, None)), &args);
        for segment in nested {
            let TypeOrNamespace::Type(ty) = found else {
                return TypeOrNamespace::None;
            };

            let args = self.segment_args(file, segment);
            found = self.apply_type_args(
                self.lookup_own_nested_type(ty, self.name(file, segment.name), args.len() as u16),
                &args,
            );
        }

        found
    }

    /// Resolves segments in the file being resolved, with another name for the last one.
    pub fn resolve_renamed(
        &self,
        segments: &[Segment],
        scope: ScopeId,
        last: Name,
    ) -> TypeOrNamespace {
        let end = segments.last().map(|segment| segment.name);
        let place = LookupScope {
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
        place: LookupScope,
        segments: &[Segment],
        name_of: impl Fn(&Segment) -> Name,
    ) -> TypeOrNamespace {
        let LookupScope { file, alone, .. } = place;
        let Some((first, rest)) = segments.split_first() else {
            return TypeOrNamespace::None;
        };

        let name = name_of(first);
        let args = self.segment_args(file, first);
        let mut found = if name == well_known::GLOBAL {
            TypeOrNamespace::Namespace(NamespaceId::GLOBAL)
        } else if let Some(alias) = self.tables.names.text(name).strip_suffix("::") {
            self.tables
                .names
                .get(alias)
                .map_or(TypeOrNamespace::None, |alias| {
                    self.lookup_alias(place, alias)
                })
        } else {
            self.apply_type_args(
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
            found = self.resolve_segment(found, name_of(segment), &args, true);
        }

        found
    }

    fn segment_args(&self, file: FileId, segment: &Segment) -> Vec<Ty> {
        self.facts(file)
            .list(segment.args)
            .iter()
            .map(|arg| self.type_of(file, *arg))
            .collect()
    }

    /// Resolves one more segment inside a namespace or type.
    pub fn resolve_segment(
        &self,
        from: TypeOrNamespace,
        name: Name,
        args: &[Ty],
        namespaces: bool,
    ) -> TypeOrNamespace {
        let arity = args.len() as u16;
        let found = match from {
            TypeOrNamespace::Namespace(namespace) => {
                let from = self
                    .table
                    .homes
                    .first()
                    .copied()
                    .unwrap_or(self.tables.assemblies.none());

                let ty = self.lookup_namespace_type(namespace, (name, arity), self.file, from);
                match ty {
                    Some(tid) => TypeOrNamespace::Type(self.bare(tid, None)),
                    None if namespaces && arity == 0 => self
                        .lookup_child_namespace(namespace, name, from)
                        .map_or(TypeOrNamespace::None, TypeOrNamespace::Namespace),
                    None => TypeOrNamespace::None,
                }
            }
            TypeOrNamespace::Type(ty) => self.lookup_nested_type(ty, name, arity),
            TypeOrNamespace::None => TypeOrNamespace::None,
        };

        self.apply_type_args(found, args)
    }

    /// Applies a type's own type arguments.
    pub fn apply_type_args(&self, found: TypeOrNamespace, args: &[Ty]) -> TypeOrNamespace {
        let TypeOrNamespace::Type(ty) = found else {
            return found;
        };
        if args.is_empty() {
            return found;
        }
        let Type::Named(tid, all) = self.arena.get(ty) else {
            return found;
        };
        let outer = usize::from(self.tables.type_def(tid).outer_arity);
        if self.tables.known_of.get(&tid) == Some(&Known::Nullable) {
            return TypeOrNamespace::Type(self.nullable(args[0]));
        }
        let all: TyList = all.iter().take(outer).chain(args).copied().collect();
        TypeOrNamespace::Type(self.arena.add(Type::Named(tid, all)))
    }

    /// Returns a type definition as a type: the arguments of its enclosing types from `outer`, its
    /// own unknown.
    pub(super) fn bare(&self, tid: TypeDefId, outer: Option<&TyList>) -> Ty {
        let group = self.tables.type_def(tid);
        let count = usize::from(group.outer_arity + group.arity);
        let mut args: SmallVec<[Ty; 4]> = SmallVec::from_elem(Ty::UNKNOWN, count);
        for (slot, arg) in args
            .iter_mut()
            .take(usize::from(group.outer_arity))
            .zip(outer.into_iter().flat_map(|list| list.iter()))
        {
            *slot = *arg;
        }
        self.arena.add(Type::Named(tid, self.arena.list(&args)))
    }

    /// Looks up a type directly in a namespace, as visible from an assembly.
    pub(super) fn lookup_namespace_type(
        &self,
        namespace: NamespaceId,
        (name, arity): (Name, u16),
        file: FileId,
        from: AssemblyId,
    ) -> Option<TypeDefId> {
        self.record_lookup(provided_keys::TYPES, name);
        let all = self.tables.top.get(&(namespace, name))?;
        let is_owned = from != self.tables.assemblies.none();
        let mut best: Option<((u8, usize), TypeDefId)> = None;
        for &tid in all {
            let group = self.tables.type_def(tid);
            if group.arity != arity || group.access == Access::File && group.parts[0].file != file {
                continue;
            }
            let Some(rank) = self.visibility(&group.homes, group.access, from) else {
                continue;
            };
            // No project says which copy a file without one is compiled with: the nearest is likely.
            let distance = if is_owned {
                0
            } else {
                self.distance(file, group)
            };
            if best.is_none_or(|(other, _)| (rank, distance) < other) {
                best = Some(((rank, distance), tid));
            }
            if (rank, distance) == (0, 0) {
                break;
            }
        }

        let (_, tid) = best?;
        self.type_def(tid);
        Some(tid)
    }

    /// Ranks how an assembly sees a declaration: 0 its own, 1 accessible, 2 visible but not
    /// accessible, `None` not at all.
    pub(super) fn visibility(
        &self,
        homes: &[AssemblyId],
        access: Access,
        from: AssemblyId,
    ) -> Option<u8> {
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

    pub(super) fn lookup_child_namespace(
        &self,
        namespace: NamespaceId,
        name: Name,
        from: AssemblyId,
    ) -> Option<NamespaceId> {
        self.record_lookup(provided_keys::NAMESPACES, name);
        let child = *self.tables.namespace_children.get(&(namespace, name))?;
        let homes = &self.tables.namespaces[child.0 as usize].homes;
        homes
            .iter()
            .any(|home| self.tables.assemblies.sees(from, *home))
            .then_some(child)
    }

    /// Looks up a type nested in a type or in one of its bases.
    pub fn lookup_nested_type(&self, ty: Ty, name: Name, arity: u16) -> TypeOrNamespace {
        let all = self.supertypes(ty);
        all.iter()
            .map(|base| self.lookup_own_nested_type(*base, name, arity))
            .find(|found| *found != TypeOrNamespace::None)
            .unwrap_or(TypeOrNamespace::None)
    }

    /// Looks up a type nested in a type itself.
    pub(super) fn lookup_own_nested_type(&self, ty: Ty, name: Name, arity: u16) -> TypeOrNamespace {
        let Type::Named(tid, args) = self.arena.get(ty) else {
            return TypeOrNamespace::None;
        };
        self.type_def(tid);
        let own = self.tables.nested.get(&(tid, name));
        let Some(&found) = own.and_then(|all| {
            all.iter()
                .find(|tid| self.tables.type_def(**tid).arity == arity)
        }) else {
            return TypeOrNamespace::None;
        };
        self.type_def(found);
        TypeOrNamespace::Type(self.bare(found, Some(&args)))
    }

    /// Reports whether a library declares the type.
    pub(super) fn is_external(&self, ty: Ty) -> bool {
        matches!(self.arena.get(ty), Type::Named(tid, _) if self.tables.type_def(tid).external)
    }

    pub(super) fn is_accessible_type(&self, ty: Ty, from: AssemblyId) -> bool {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return true;
        };
        let group = self.tables.type_def(tid);
        self.visibility(&group.homes, group.access, from)
            .is_some_and(|rank| rank < 2)
    }
}
