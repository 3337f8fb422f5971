//! Construction of types: substitution of type arguments, well-known types; and the types that a
//! type mentions.
//!
//! `Items` of a `List<Order>` is an `IEnumerable<T>` as declared, and an `IEnumerable<Order>` after
//! substitution.
//!
//! Limitations: no names are looked up here.

use codeagent_model::facts::DeclId;
use smallvec::SmallVec;

use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::{ParamOwner, Ty, TyList, Type, Types};

impl Types<'_> {
    /// Returns a well-known type: its declaration if there is one, else by name.
    pub fn known_type(&self, known: Known, args: &[Ty]) -> Ty {
        match self.tables.declared(known, args.len()) {
            Some(tid) => self.arena.add(Type::Named(tid, self.arena.list(args))),
            None => self.arena.add(Type::External(
                self.tables.name_of(known),
                self.arena.list(args),
            )),
        }
    }

    /// Returns the well-known type that a type is an instance of, and its arguments.
    pub fn known(&self, ty: Ty) -> Option<(Known, TyList)> {
        match self.arena.get(ty) {
            Type::Named(tid, args) => Some((*self.tables.known_of.get(&tid)?, args)),
            _ => None,
        }
    }

    /// Reports whether this is the known type.
    pub fn is_known(&self, ty: Ty, known: Known) -> bool {
        self.known(ty).is_some_and(|(found, _)| found == known)
    }

    /// Returns the type of a declaration inside itself, with its own type parameters as arguments.
    pub fn self_type(&self, tid: TypeDefId) -> Ty {
        let group = self.tables.type_def(tid);
        let args: SmallVec<[Ty; 4]> = (0..group.outer_arity + group.arity)
            .map(|index| self.outer_param(tid, index).unwrap_or(Ty::UNKNOWN))
            .collect();
        self.arena.add(Type::Named(tid, self.arena.list(&args)))
    }

    /// Returns parameter `index` of a type; parameters of enclosing types belong to those types.
    fn outer_param(&self, tid: TypeDefId, index: u16) -> Option<Ty> {
        let mut owner = tid;
        while index < self.tables.type_def(owner).outer_arity {
            owner = self.tables.type_def(owner).outer?;
        }
        Some(self.arena.add(Type::Param(ParamOwner::Type(owner), index)))
    }

    /// Replaces the type parameters in a member of the declared type `within` by its arguments.
    pub fn substitute(&self, ty: Ty, within: Ty) -> Ty {
        if !self.arena.is_open(ty) {
            return ty;
        }
        let Type::Named(tid, args) = self.arena.get(within) else {
            return ty;
        };
        self.arena.map(ty, &|owner, index| match owner {
            ParamOwner::Type(other) if self.is_or_contains(other, tid) => {
                args.get(usize::from(index)).copied()
            }
            _ => None,
        })
    }

    fn is_or_contains(&self, outer: TypeDefId, mut inner: TypeDefId) -> bool {
        loop {
            if outer == inner {
                return true;
            }
            match self.tables.type_def(inner).outer {
                Some(next) => inner = next,
                None => return false,
            }
        }
    }

    /// Replaces the type parameters `from` by `to`.
    pub fn replace_params(&self, ty: Ty, from: &[Ty], to: &[Ty]) -> Ty {
        if !self.arena.is_open(ty) {
            return ty;
        }
        self.arena.map(ty, &|owner, index| {
            let param = self.arena.add(Type::Param(owner, index));
            from.iter()
                .position(|other| *other == param)
                .and_then(|at| to.get(at).copied())
        })
    }

    /// Returns the type of `this` in a type declaration.
    pub fn type_of_this(&self, decl: DeclId) -> Ty {
        decl.some()
            .and_then(|decl| self.table.types.get(&decl))
            .map_or(Ty::UNKNOWN, |tid| self.self_type(*tid))
    }

    /// Returns `T` for `T?`.
    pub fn strip_nullable(&self, ty: Ty) -> Ty {
        match self.arena.get(ty) {
            Type::Nullable(of) => of,
            _ => ty,
        }
    }

    /// Reports whether it is `void`.
    pub fn is_void(&self, ty: Ty) -> bool {
        self.is_known(ty, Known::Void)
    }

    /// Reports whether a type mentions an unknown one.
    pub fn is_uncertain(&self, ty: Ty) -> bool {
        match self.arena.get(ty) {
            Type::Unknown | Type::ExternalValue | Type::Dynamic => true,
            Type::Named(_, args) | Type::External(_, args) | Type::Tuple(args, _) => {
                args.iter().any(|arg| self.is_uncertain(*arg))
            }
            Type::Array(of, _) | Type::Nullable(of) | Type::Pointer(of) => self.is_uncertain(of),
            _ => false,
        }
    }

    /// Reports whether the repository declares a type, and all its base classes are declared.
    pub fn is_complete_type(&self, ty: Ty) -> bool {
        let of = match self.arena.get(ty) {
            Type::Qualifier(of) => of,
            _ => ty,
        };
        self.is_repository_type(of) && !self.has_foreign_class(of)
    }

    fn is_repository_type(&self, ty: Ty) -> bool {
        match self.arena.get(ty) {
            Type::Named(tid, _) => !self.tables.type_def(tid).external,
            Type::Nullable(of) | Type::Qualifier(of) => self.is_repository_type(of),
            _ => false,
        }
    }

    /// Reports whether a type is external and mentions no type of the repository.
    pub fn is_external_type(&self, ty: Ty) -> bool {
        match self.arena.get(ty) {
            Type::ExternalValue => true,
            Type::External(_, args) => args.iter().all(|arg| self.is_external_type(*arg)),
            Type::Named(tid, args) => {
                self.tables.type_def(tid).external
                    && args.iter().all(|arg| self.is_external_type(*arg))
            }
            Type::Array(of, _) | Type::Nullable(of) | Type::Qualifier(of) => {
                self.is_external_type(of)
            }
            _ => false,
        }
    }

    /// Applies an operation to a type. If the result is unknown and the type is external, the
    /// result is external too.
    pub fn part_of(&self, whole: Ty, part: impl FnOnce(Ty) -> Ty) -> Ty {
        let ty = part(whole);
        if ty.is_unknown() && self.is_external_type(whole) {
            Ty::EXTERNAL_VALUE
        } else {
            ty
        }
    }

    /// Reports whether a type mentions a type parameter.
    pub fn mentions(&self, ty: Ty, param: Ty) -> bool {
        if ty == param {
            return true;
        }
        if !self.arena.is_open(ty) {
            return false;
        }
        match self.arena.get(ty) {
            Type::Named(_, args) | Type::External(_, args) | Type::Tuple(args, _) => {
                args.iter().any(|arg| self.mentions(*arg, param))
            }
            Type::Array(of, _) | Type::Pointer(of) | Type::Nullable(of) => self.mentions(of, param),
            _ => false,
        }
    }
}
