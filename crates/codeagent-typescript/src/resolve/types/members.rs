//! Member lookup: own, inherited, merged, static, exported and mapped members of a receiver.
//!
//! Limitations: every member of a union is searched, and the first hit determines the type. Index
//! signatures provide a type but no declaration.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::*;
use smallvec::SmallVec;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::{BuiltinType, row};
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, Meaning};
use crate::resolve::symbols::value_owners::constructs;

/// Largest number of levels of inheritance, unions and constraints that are followed.
const MAX_LEVELS: u32 = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its declarations; for a union receiver, those from all members.
    pub decls: DeclList,
    /// The type arguments for its declared type.
    pub mapper: TypeMapper,
    pub ty: MemberType,
}

/// What the type of a member is computed from. Most lookups only need the declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// Its declarations.
    Declared,
    /// A type with these bindings (mapped types).
    Substituted(Ty, TypeMapper),
    /// The types of the members found in the parts of a union or intersection, with the parts.
    Parts {
        found: Rc<[(MemberLookup, Ty)]>,
        is_union: bool,
    },
}

/// The result of a member lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberLookup {
    Missing,
    External,
    Declared(Member),
    /// The member has a type but no declaration.
    Value(Ty),
}

impl MemberLookup {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Converts the result to a resolved name.
    pub fn into_found(self) -> ResolvedName {
        match self {
            Self::Declared(member) => ResolvedName::Decls(member.decls),
            Self::External => ResolvedName::External,
            Self::Missing | Self::Value(_) => ResolvedName::Nothing,
        }
    }
}

impl Checker<'_> {
    /// Looks up a member of a type.
    pub fn lookup_member(&self, ty: Ty, name: Name) -> MemberLookup {
        if name == Name::NONE {
            MemberLookup::Missing
        } else {
            self.lookup_member_in(ty, name, 0)
        }
    }

    pub fn type_of_member(&self, ty: Ty, name: Name) -> Ty {
        let lookup = self.lookup_member(ty, name);
        self.type_of_lookup(lookup, ty)
    }

    pub fn type_of_lookup(&self, lookup: MemberLookup, receiver: Ty) -> Ty {
        match lookup {
            MemberLookup::Missing => Ty::UNKNOWN,
            MemberLookup::External => Ty::EXTERNAL,
            MemberLookup::Value(ty) => ty,
            MemberLookup::Declared(member) => match member.ty {
                MemberType::Declared => {
                    let ty = self.type_of_decls(&member.decls);
                    let ty = self.substitute(ty, member.mapper);
                    self.with_this(ty, receiver)
                }
                MemberType::Substituted(ty, mapper) => self.substitute(ty, mapper),
                MemberType::Parts { found, is_union } => self.type_of_parts(&found, is_union),
            },
        }
    }

    pub(super) fn lookup_member_in(&self, ty: Ty, name: Name, level: u32) -> MemberLookup {
        if level > MAX_LEVELS || !self.spend(1) {
            return MemberLookup::Missing;
        }

        match self.get(ty) {
            Type::Simple(simple) => self.lookup_member_of_simple(simple, name),
            Type::Literal(kind, _) => self.lookup_member_of_simple(primitive_of(kind), name),
            Type::Instance(decl, args) => self.lookup_member_of_instance(decl, args, name, level),
            Type::Static(decl) => self.lookup_member_of_static(decl, name, level),
            Type::Object(decl, mapper) => self.lookup_member_of_object(decl, mapper, name, level),
            Type::Mapped(decl, mapper) => self.lookup_member_of_mapped(decl, mapper, name, level),
            Type::Function(decl, _) => self.lookup_member_of_function(decl, name),
            Type::Selected(inner, names, keep) => {
                let key = self.arena.add(Type::Literal(LiteralKind::String, name));
                if self.arena.members(names).contains(&key) == keep {
                    self.lookup_member_in(inner, name, level + 1)
                } else {
                    MemberLookup::Missing
                }
            }
            Type::BuiltInMethod(..) => {
                self.lookup_member_of_built_in((BuiltinType::Function, Args::NONE), ty, name)
            }
            Type::BuiltIn(known, args) => self.lookup_member_of_built_in((known, args), ty, name),
            Type::BuiltInValue(known) => {
                self.lookup_member_of_built_in((known, Args::NONE), ty, name)
            }
            Type::Tuple(args) => {
                let elements = self.arena.list(args);
                let index = self.spelling(name).parse::<usize>().ok();
                if let Some(element) = index.and_then(|index| elements.get(index)) {
                    return MemberLookup::Value(*element);
                }

                let element = self.arena.union(&elements);
                let array = self.arena.array(element);
                self.lookup_member_in(array, name, level + 1)
            }
            Type::Union(args) => self.lookup_member_of_several(args, name, level, true),
            Type::Intersection(args) => self.lookup_member_of_several(args, name, level, false),
            Type::Param(decl) => {
                let bound = self.constraint(decl);
                if bound == ty {
                    MemberLookup::Missing
                } else {
                    self.lookup_member_in(bound, name, level + 1)
                }
            }
            Type::KeyOf(_) => self.lookup_member_of_simple(Ty::STRING, name),
            Type::Indexed(object, key) => {
                let bound = self.indexed_constraint(object, key);
                if bound == ty {
                    MemberLookup::Missing
                } else {
                    self.lookup_member_in(bound, name, level + 1)
                }
            }
            Type::Deferred(utility, args) => {
                let bound = self.deferred_bound(utility, args);
                self.lookup_member_in(bound, name, level + 1)
            }
            Type::Conditional(..) => MemberLookup::Missing,
            Type::Module(file) => self.lookup_member_of_module(&ResolvedName::Module(file), name),
            Type::Ambient(block) => {
                self.lookup_member_of_module(&ResolvedName::Ambient(block), name)
            }
            Type::GlobalObject => self.lookup_member_of_global_object(name, level),
        }
    }

    fn lookup_member_of_instance(
        &self,
        decl: DeclRef,
        args: Args,
        name: Name,
        level: u32,
    ) -> MemberLookup {
        let types = self.arena.list(args);
        let group = self.merged_symbol(decl);
        let mut found = DeclList::new();

        let mut bindings = Vec::new();
        for &part in group.iter() {
            let declaration = self.decl(part);
            if !matches!(declaration.kind, DeclKind::Class | DeclKind::Interface)
                && !constructs(declaration)
            {
                continue;
            }
            let own = self.own_members(part, declaration.inner, name, false);
            if !own.is_empty() {
                bindings.extend(
                    self.type_params(part)
                        .into_iter()
                        .zip(types.iter().copied()),
                );
                found.extend(own);
            }
        }

        if !found.is_empty() {
            let mapper = self.arena.mapper(bindings);
            return MemberLookup::Declared(Member {
                decls: found,
                mapper,
                ty: MemberType::Declared,
            });
        }

        let inherited = self.lookup_inherited_member(&group, &types, name, level);
        if !inherited.is_missing() {
            return inherited;
        }
        if self.decl(decl).kind == DeclKind::Enum || (level == 0 && self.is_object_member(name)) {
            return MemberLookup::External;
        }

        match self.index_signature(&group, &types) {
            Some(ty) => MemberLookup::Value(ty),
            None if self.is_external_file(decl.file) => self.lookup_undeclared_member(args),
            None => MemberLookup::Missing,
        }
    }

    /// Returns a member of a library type whose declaration is not loaded; its type may come from
    /// type arguments of the repository.
    fn lookup_undeclared_member(&self, args: Args) -> MemberLookup {
        if self.are_of_repository(args, 0) {
            MemberLookup::Value(Ty::UNKNOWN)
        } else {
            MemberLookup::External
        }
    }

    fn lookup_inherited_member(
        &self,
        group: &[DeclRef],
        types: &[Ty],
        name: Name,
        level: u32,
    ) -> MemberLookup {
        let (mut external, mut unknown) = (false, false);
        let found = self.find_in_inherited(group, types, |base| {
            if base.is_opaque() {
                external |= base != Ty::UNKNOWN;
                unknown |= base == Ty::FOREIGN_GENERIC;
                return None;
            }
            match self.lookup_member_in(base, name, level + 1) {
                MemberLookup::Missing => None,
                MemberLookup::External => {
                    external = true;
                    None
                }
                // The base may lack the member; another base may declare it.
                MemberLookup::Value(Ty::UNKNOWN) => {
                    unknown = true;
                    None
                }
                found => Some(found),
            }
        });

        if let Some(found) = found {
            return found;
        }

        match external {
            // It is external, but its type may come from type arguments of the repository.
            _ if unknown => MemberLookup::Value(Ty::UNKNOWN),
            true => MemberLookup::External,
            false => MemberLookup::Missing,
        }
    }

    fn lookup_member_of_static(&self, decl: DeclRef, name: Name, level: u32) -> MemberLookup {
        let mut found = DeclList::new();
        let group = self.merged_symbol(decl);
        let is_class = self.decl(decl).kind == DeclKind::Class;
        for &part in group.iter().filter(|_| is_class) {
            let declaration = self.decl(part);
            if declaration.kind == DeclKind::Class {
                found.extend(self.own_members(part, declaration.inner, name, true));
            }
        }

        found.extend(self.block_members(&group, name, Meaning::Value));

        if found.is_empty() && is_class {
            found.extend(self.beside_whole(decl, name).unwrap_or_default());
        }

        if !found.is_empty() {
            return self.as_member(self.resolve_decls(found));
        }

        if !is_class {
            return self.lookup_namespace_export(&group, name);
        }
        if self.spelling(name) == "prototype" {
            return MemberLookup::Value(self.instance(decl, &[]));
        }

        let mut seen: SmallVec<[Ty; 4]> = SmallVec::new();
        for &part in group.iter() {
            if let Some(base) = self.static_base(part).filter(|base| !seen.contains(base)) {
                seen.push(base);
                let inherited = self.lookup_member_in(base, name, level + 1);
                if !inherited.is_missing() {
                    return inherited;
                }
            }
        }

        let of_function = row(BuiltinType::Function, self.spelling(name)).is_some()
            || self
                .lookup_member_of_globals(BuiltinType::Function.names(), Args::NONE, false, name)
                .is_some();
        if of_function {
            MemberLookup::External
        } else {
            MemberLookup::Missing
        }
    }

    fn lookup_namespace_export(&self, group: &[DeclRef], name: Name) -> MemberLookup {
        let group = ResolvedName::Decls(DeclList::from_slice(group));
        self.as_member(self.lookup_member_of_found(&group, name))
    }

    /// Returns the member that an exported or static name stands for.
    fn as_member(&self, found: ResolvedName) -> MemberLookup {
        match found {
            ResolvedName::Decls(decls) => MemberLookup::Declared(Member {
                decls,
                mapper: TypeMapper::EMPTY,
                ty: MemberType::Declared,
            }),
            ResolvedName::Nothing => MemberLookup::Missing,
            ResolvedName::External => MemberLookup::External,
            other => MemberLookup::Value(self.found_type(&other)),
        }
    }

    fn lookup_member_of_object(
        &self,
        decl: DeclRef,
        mapper: TypeMapper,
        name: Name,
        level: u32,
    ) -> MemberLookup {
        let declaration = self.decl(decl);
        let own = self.own_members(decl, declaration.inner, name, false);
        if !own.is_empty() {
            return MemberLookup::Declared(Member {
                decls: own,
                mapper,
                ty: MemberType::Declared,
            });
        }

        if let Some(decls) = self.assigned_to_value(decl, name) {
            return MemberLookup::Declared(Member {
                decls,
                mapper,
                ty: MemberType::Declared,
            });
        }

        let mut external = false;
        for spread in self
            .nameless_members(decl, DeclKind::Property)
            .into_iter()
            .rev()
        {
            let base = self.type_of_spread(spread);
            let base = self.substitute(base, mapper);
            match self.lookup_member_in(base, name, level + 1) {
                MemberLookup::Missing => {}
                MemberLookup::External => external = true,
                found => return found,
            }
        }

        if external || self.is_object_member(name) {
            return MemberLookup::External;
        }

        match self.index_signature(&[decl], &[]) {
            Some(ty) => MemberLookup::Value(self.substitute(ty, mapper)),
            None => MemberLookup::Missing,
        }
    }

    /// Returns the type that `...value` in an object literal spreads.
    pub fn type_of_spread(&self, spread: DeclRef) -> Ty {
        let init = self.decl(spread).init;
        self.type_of_expr(spread.file.expr(init))
    }

    fn lookup_member_of_mapped(
        &self,
        decl: DeclRef,
        mapper: TypeMapper,
        name: Name,
        level: u32,
    ) -> MemberLookup {
        let Some(&param) = self.type_params(decl).first() else {
            return MemberLookup::Missing;
        };

        let keys = self.constraint(param);
        let keys = self.listed_keys(self.substitute(keys, mapper));
        if let Some(renamed) = self.lookup_renamed_member((decl, mapper), (param, keys), name) {
            return renamed;
        }
        let key = self.arena.add(Type::Literal(LiteralKind::String, name));
        let mapper = self.with_binding(mapper, param, key);
        let ty = {
            let value = self.decl(decl).ty;
            self.type_of(decl.file, value)
        };

        match self.get(keys) {
            Type::KeyOf(source) => match self.lookup_member_in(source, name, level + 1) {
                MemberLookup::Declared(member) => MemberLookup::Declared(Member {
                    ty: MemberType::Substituted(ty, mapper),
                    ..member
                }),
                // An index signature of the source has one in the mapped type. A source that may be
                // `any` decides nothing.
                MemberLookup::Value(value) if !value.is_opaque() => {
                    MemberLookup::Value(self.substitute(ty, mapper))
                }
                other => other,
            },
            Type::Simple(Ty::STRING) => MemberLookup::Value(self.substitute(ty, mapper)),
            _ if self.arena.members(keys).contains(&key) => {
                MemberLookup::Value(self.substitute(ty, mapper))
            }
            _ => MemberLookup::Missing,
        }
    }

    /// Returns `keyof T` for `keyof T & string`: all keys that are listed are strings.
    pub fn listed_keys(&self, keys: Ty) -> Ty {
        let Type::Intersection(parts) = self.get(keys) else {
            return keys;
        };
        let parts = self.arena.list(parts);
        let is_keys = |part: &&Ty| matches!(self.get(**part), Type::KeyOf(_));
        parts.iter().find(is_keys).copied().unwrap_or(keys)
    }

    fn lookup_member_of_function(&self, decl: DeclRef, name: Name) -> MemberLookup {
        let group = self.merged_symbol(decl);
        let merged = self.lookup_namespace_export(&group, name);
        if !merged.is_missing() {
            return merged;
        }
        if constructs(self.decl(decl)) && self.spelling(name) == "prototype" {
            return MemberLookup::Value(self.instance(decl, &[]));
        }

        if let Some(decls) = self.assigned_to_value(decl, name) {
            return MemberLookup::Declared(Member {
                decls,
                mapper: TypeMapper::EMPTY,
                ty: MemberType::Declared,
            });
        }

        let ty = self.arena.add(Type::Function(decl, TypeMapper::EMPTY));
        match self.lookup_member_of_built_in((BuiltinType::Function, Args::NONE), ty, name) {
            // An assigned member that functions do not otherwise have.
            MemberLookup::External
                if !self.is_external_file(decl.file) && !self.is_object_member(name) =>
            {
                MemberLookup::Missing
            }
            lookup => lookup,
        }
    }

    fn lookup_member_of_module(&self, module: &ResolvedName, name: Name) -> MemberLookup {
        self.as_member(self.lookup_export(module, name))
    }

    /// Looks up a member of `window`, else a global declaration. Classes, enums and what `let` or `const` declares
    /// are no members of the global object.
    fn lookup_member_of_global_object(&self, name: Name, level: u32) -> MemberLookup {
        let window = self.lookup_global(self.tables.find("Window"), Meaning::Type);
        let of_window = window.first().map_or(MemberLookup::External, |decl| {
            self.lookup_member_in(self.instance(*decl, &[]), name, level + 1)
        });
        if let MemberLookup::Declared(_) = of_window {
            return of_window;
        }

        let mut decls = self.lookup_global(name, Meaning::Value);
        decls.retain(|decl| {
            let Declaration { kind, flags, .. } = self.decl(*decl);
            let is_scoped = flags.has(DeclFlags::LET) || flags.has(DeclFlags::CONST);
            !is_scoped && !matches!(kind, DeclKind::Class | DeclKind::Enum)
        });
        if decls.is_empty() {
            return of_window;
        }
        self.as_member(self.resolve_decls(decls))
    }
}
