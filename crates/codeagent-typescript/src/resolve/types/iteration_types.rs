//! Element types: the types that `await`, `for of` and indexing yield for a given type.
//!
//! Limitations: a class behaves like its bases. Iterators are followed through the result of
//! `[Symbol.iterator]`.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::at;

impl Checker<'_> {
    /// Returns the type of `await` on a value of a type.
    pub fn awaited(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(BuiltinType::Promise | BuiltinType::PromiseLike, args) => {
                let inner = self
                    .arena
                    .list(args)
                    .first()
                    .copied()
                    .unwrap_or(Ty::UNKNOWN);

                self.awaited(inner)
            }
            Type::Union(args) => {
                let members: Vec<Ty> = self
                    .arena
                    .list(args)
                    .iter()
                    .map(|member| self.awaited(*member))
                    .collect();

                self.arena.union(&members)
            }
            Type::Instance(..) if !self.is_deepest() => self
                .with_depth(|| self.as_built_in(ty, BuiltinType::PromiseLike, 0))
                .unwrap_or(ty),
            _ => ty,
        }
    }

    /// Returns the element type of `for of`.
    pub fn type_of_element(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(
                BuiltinType::Array
                | BuiltinType::Set
                | BuiltinType::Iterable
                | BuiltinType::AsyncIterable,
                args,
            ) => self
                .arena
                .list(args)
                .first()
                .copied()
                .unwrap_or(Ty::UNKNOWN),
            Type::BuiltIn(BuiltinType::Map, args) => self.arena.add(Type::Tuple(args)),
            Type::Tuple(args) => {
                let elements = self.arena.list(args);
                self.arena.union(&elements)
            }
            Type::Union(args) => {
                let elements: Vec<Ty> = self
                    .arena
                    .list(args)
                    .iter()
                    .map(|member| self.type_of_element(*member))
                    .collect();

                self.arena.union(&elements)
            }
            Type::Simple(Ty::STRING) | Type::Literal(..) => Ty::STRING,
            Type::Simple(Ty::EXTERNAL) => Ty::EXTERNAL,
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) {
                    Ty::UNKNOWN
                } else {
                    self.type_of_element(bound)
                }
            }
            Type::Instance(..) => self.iterated_instance(ty),
            Type::Deferred(utility, args) => {
                let bound = self.deferred_bound(utility, args);
                self.type_of_element(bound)
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the type of `yield*` on a value: what its iterator returns at the end.
    pub fn type_of_delegated(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(BuiltinType::Iterable | BuiltinType::AsyncIterable, args) => {
                self.arena.list(args).get(1).copied().unwrap_or(Ty::UNKNOWN)
            }
            Type::BuiltIn(..) | Type::Tuple(_) => Ty::NOTHING,

            Type::Union(args) => {
                let members = self.arena.list(args);
                let results: Vec<Ty> = members
                    .iter()
                    .map(|member| self.type_of_delegated(*member))
                    .collect();
                self.arena.union(&results)
            }

            Type::Simple(_) | Type::Literal(..) if ty != Ty::EXTERNAL => Ty::UNKNOWN,
            Type::Simple(_) => Ty::EXTERNAL,

            Type::Param(param) => {
                let bound = self.constraint(param);
                if bound == ty {
                    Ty::UNKNOWN
                } else {
                    self.type_of_delegated(bound)
                }
            }
            _ => self.delegated_instance(ty),
        }
    }

    /// Follows `[Symbol.iterator]` and the iterator's `next` to an `IteratorResult<T, Return>`.
    fn delegated_instance(&self, ty: Ty) -> Ty {
        let method = self.type_of_member(ty, self.tables.find("[Symbol.iterator]"));
        let iterator = self.with_this(self.result_of(method), ty);
        if let Type::BuiltIn(BuiltinType::Iterable, args) = self.get(iterator) {
            return self.arena.list(args).get(1).copied().unwrap_or(Ty::UNKNOWN);
        }

        let next = self.type_of_member(iterator, self.tables.find("next"));
        self.type_of_last_value(self.result_of(next))
    }

    /// Returns `Return` of an `IteratorResult<T, Return>`, which the libraries declare as a union
    /// of `IteratorYieldResult<T>` and `IteratorReturnResult<Return>`.
    fn type_of_last_value(&self, result: Ty) -> Ty {
        match self.get(result) {
            Type::Union(args) => {
                let members = self.arena.list(args);
                let mut values = members
                    .iter()
                    .map(|member| self.type_of_last_value(*member));
                values.find(|ty| *ty != Ty::UNKNOWN).unwrap_or(Ty::UNKNOWN)
            }
            Type::Instance(decl, args)
                if self.is_external_global(decl)
                    && self.spelling(self.decl_name(decl)) == "IteratorReturnResult" =>
            {
                self.arena
                    .list(args)
                    .first()
                    .copied()
                    .unwrap_or(Ty::UNKNOWN)
            }
            _ => Ty::UNKNOWN,
        }
    }

    fn iterated_instance(&self, ty: Ty) -> Ty {
        for known in [
            BuiltinType::Array,
            BuiltinType::Iterable,
            BuiltinType::Set,
            BuiltinType::AsyncIterable,
        ] {
            if let Some(element) = self.as_built_in(ty, known, 0) {
                return element;
            }
        }

        let names =
            ["[Symbol.iterator]", "[Symbol.asyncIterator]"].map(|name| self.tables.find(name));
        let method = names
            .map(|name| self.type_of_member(ty, name))
            .into_iter()
            .find(|method| *method != Ty::UNKNOWN);
        let iterator = method.map_or(Ty::UNKNOWN, |method| self.result_of(method));
        if iterator == ty || matches!(self.get(iterator), Type::Instance(..)) {
            Ty::UNKNOWN
        } else {
            self.type_of_element(iterator)
        }
    }

    /// Returns the type of element `index` of a tuple or array.
    pub fn element_at(&self, ty: Ty, index: Option<usize>) -> Ty {
        match (self.get(ty), index) {
            (Type::Tuple(args), Some(index)) => self
                .arena
                .list(args)
                .get(index)
                .copied()
                .unwrap_or(Ty::UNKNOWN),
            (Type::Union(args), _) => {
                let elements: Vec<Ty> = self
                    .arena
                    .list(args)
                    .iter()
                    .map(|member| self.element_at(*member, index))
                    .collect();

                self.arena.union(&elements)
            }
            _ => {
                let indexed = self.type_of_index(ty);
                if indexed == Ty::UNKNOWN {
                    self.type_of_element(ty)
                } else {
                    indexed
                }
            }
        }
    }

    /// Returns the type of `value[key]` for an unknown key.
    pub fn type_of_index(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(BuiltinType::Array, _) | Type::Tuple(_) => self.type_of_element(ty),
            Type::BuiltIn(BuiltinType::Record, args) => {
                self.arena.list(args).get(1).copied().unwrap_or(Ty::UNKNOWN)
            }
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                let group = self.merged_symbol(decl);
                match self.index_signature(&group, &types) {
                    Some(ty) => ty,
                    None => self
                        .as_built_in(ty, BuiltinType::Array, 0)
                        .unwrap_or(Ty::UNKNOWN),
                }
            }
            Type::Object(decl, mapper) => match self.index_signature(&[decl], &[]) {
                Some(ty) => self.substitute(ty, mapper),
                None => Ty::UNKNOWN,
            },
            Type::Mapped(decl, mapper) => self.mapped_value(decl, mapper),
            Type::Union(args) | Type::Intersection(args) => {
                let types: Vec<Ty> = self
                    .arena
                    .list(args)
                    .iter()
                    .map(|member| self.type_of_index(*member))
                    .collect();

                self.arena.union(&types)
            }
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) {
                    Ty::UNKNOWN
                } else {
                    self.type_of_index(bound)
                }
            }
            Type::Simple(Ty::EXTERNAL) => Ty::EXTERNAL,
            Type::Simple(Ty::STRING) => Ty::STRING,
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the type of a mapped type's members for unknown keys.
    fn mapped_value(&self, decl: DeclRef, mapper: TypeMapper) -> Ty {
        let value = self.decl(decl).ty;
        let ty = self.type_of(decl.file, value);

        let Some(&param) = self.type_params(decl).first() else {
            return Ty::UNKNOWN;
        };

        let keys = self.constraint(param);
        let keys = self.substitute(keys, mapper);

        let over_elements = match self.get(keys) {
            Type::KeyOf(source) => matches!(
                self.get(source),
                Type::Tuple(_) | Type::BuiltIn(BuiltinType::Array, _)
            ),
            _ => false,
        };
        let mut bindings = vec![(param, if over_elements { Ty::NUMBER } else { keys })];
        bindings.extend(self.arena.bindings(mapper).iter().copied());

        let mapper = self.arena.mapper(bindings);
        self.substitute(ty, mapper)
    }

    /// Returns the union of the property types of a value.
    pub fn property_types(&self, ty: Ty) -> Ty {
        let indexed = self.type_of_index(ty);
        if indexed != Ty::UNKNOWN {
            return indexed;
        }

        let (decl, mapper) = match self.get(ty) {
            Type::Object(decl, mapper) => (decl, mapper),
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                (decl, self.bind(decl, &types))
            }
            Type::Static(decl) if self.decl(decl).kind == DeclKind::Enum => {
                return self.instance(decl, &[]);
            }
            _ => return Ty::UNKNOWN,
        };

        let inner = self.decl(decl).inner;
        let members = self.declared_in(decl.file, inner);
        let types: Vec<Ty> = members
            .iter()
            .take(16)
            .map(|member| self.type_of_decl(at(decl.file, member.1)))
            .collect();
        let union = self.arena.union(&types);

        self.substitute(union, mapper)
    }

    pub fn index_signature(&self, group: &[DeclRef], types: &[Ty]) -> Option<Ty> {
        for &part in group {
            if let Some(&signature) = self
                .nameless_members(part, DeclKind::IndexSignature)
                .first()
            {
                let ty = self.type_of_decl(signature);
                let mapper = self.bind(part, types);
                return Some(self.substitute(ty, mapper));
            }
        }
        None
    }
}
