//! Instantiation: substitutes type arguments and `this` in a type.
//!
//! Limitations: eight levels deep; deeper parts are not substituted.

use codeagent_lang::DeclRef;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;

const MAX_NESTING: u32 = 8;

/// Largest number of bindings in a type mapper.
const MAX_BINDINGS: usize = 24;

impl Checker<'_> {
    /// Substitutes the bound type parameters in a type.
    pub fn substitute(&self, ty: Ty, mapper: TypeMapper) -> Ty {
        if mapper == TypeMapper::EMPTY {
            ty
        } else {
            self.substitute_in(ty, mapper, 0)
        }
    }

    fn substitute_in(&self, ty: Ty, mapper: TypeMapper, nesting: u32) -> Ty {
        if nesting > MAX_NESTING || !self.spend(1) {
            return ty;
        }

        match self.get(ty) {
            Type::Param(param) => self.arena.bound(mapper, param).unwrap_or(ty),
            Type::Instance(decl, args) if args != Args::NONE => {
                let args = self.substitute_list(args, mapper, nesting);
                self.arena.add(Type::Instance(decl, args))
            }
            Type::BuiltIn(known, args) => {
                let args = self.substitute_list(args, mapper, nesting);
                self.arena.add(Type::BuiltIn(known, args))
            }
            Type::Tuple(args) => {
                let args = self.substitute_list(args, mapper, nesting);
                self.arena.add(Type::Tuple(args))
            }
            Type::Union(args) => {
                let members = self.substituted(args, mapper, nesting);
                self.arena.union(&members)
            }
            Type::Intersection(args) => {
                let members = self.substituted(args, mapper, nesting);
                self.arena.intersection(&members)
            }
            Type::Function(decl, inner) => {
                let mapper = self.compose(inner, mapper, nesting);
                self.arena.add(Type::Function(decl, mapper))
            }
            Type::Object(decl, inner) => {
                let mapper = self.compose(inner, mapper, nesting);
                self.arena.add(Type::Object(decl, mapper))
            }
            Type::Mapped(decl, inner) => {
                let mapper = self.compose(inner, mapper, nesting);
                self.mapped_elements(decl, mapper)
                    .unwrap_or_else(|| self.arena.add(Type::Mapped(decl, mapper)))
            }
            Type::Conditional(file, expr, inner) => {
                let mapper = self.compose(inner, mapper, nesting);
                self.type_of_conditional(file, expr, mapper)
            }
            Type::Indexed(object, key) => {
                let object = self.substitute_in(object, mapper, nesting + 1);
                let key = self.substitute_in(key, mapper, nesting + 1);
                self.type_of_indexed(object, key)
            }
            Type::Selected(inner, names, keep) => {
                let inner = self.substitute_in(inner, mapper, nesting + 1);
                let names = self.substitute_in(names, mapper, nesting + 1);
                self.arena.add(Type::Selected(inner, names, keep))
            }
            Type::KeyOf(object) => {
                let object = self.substitute_in(object, mapper, nesting + 1);
                self.arena.add(Type::KeyOf(object))
            }
            Type::Deferred(utility, args) => {
                let args = self.substituted(args, mapper, nesting);
                self.utility(utility, &args)
            }
            _ => ty,
        }
    }

    /// Instantiates a mapped type over the keys of a tuple or array as a tuple or array.
    fn mapped_elements(&self, decl: DeclRef, mapper: TypeMapper) -> Option<Ty> {
        let &key = self.type_params(decl).first()?;
        let keys = self.constraint(key);
        let Type::KeyOf(over) = self.get(keys) else {
            return None;
        };
        let Type::Param(over) = self.get(over) else {
            return None;
        };
        let of = self.arena.bound(mapper, over)?;
        let (Type::Tuple(elements) | Type::BuiltIn(BuiltinType::Array, elements)) = self.get(of)
        else {
            return None;
        };

        let value = self.decl(decl).ty;
        let value = self.type_of(decl.file, value);

        let mut types = Vec::new();
        for &element in self.arena.list(elements).iter() {
            // Without an index, the element type is that of every index.
            let alone = self.arena.array(element);
            let mut bindings = vec![(key, Ty::NUMBER), (over, alone)];
            bindings.extend(
                self.arena
                    .bindings(mapper)
                    .iter()
                    .copied()
                    .filter(|binding| binding.0 != over),
            );
            let mapper = self.arena.mapper(bindings);
            types.push(self.substitute(value, mapper));
        }

        Some(match self.get(of) {
            Type::Tuple(_) => self.arena.tuple(&types),
            _ => self
                .arena
                .array(types.first().copied().unwrap_or(Ty::UNKNOWN)),
        })
    }

    fn substituted(&self, args: Args, mapper: TypeMapper, nesting: u32) -> Vec<Ty> {
        self.arena
            .list(args)
            .iter()
            .map(|ty| self.substitute_in(*ty, mapper, nesting + 1))
            .collect()
    }

    fn substitute_list(&self, args: Args, mapper: TypeMapper, nesting: u32) -> Args {
        let types = self.substituted(args, mapper, nesting);
        self.arena.args(&types)
    }

    /// Composes two mappers: the inner bindings with the outer ones substituted, then the outer
    /// ones.
    fn compose(&self, inner: TypeMapper, outer: TypeMapper, nesting: u32) -> TypeMapper {
        if inner == outer {
            return inner;
        }

        let mut bindings: Vec<(DeclRef, Ty)> = self
            .arena
            .bindings(inner)
            .iter()
            .map(|(param, ty)| (*param, self.substitute_in(*ty, outer, nesting + 2)))
            .collect();
        let own = bindings.len();

        for (param, ty) in self.arena.bindings(outer).iter() {
            if !bindings[..own].iter().any(|binding| binding.0 == *param) {
                bindings.push((*param, *ty));
            }
        }

        bindings.truncate(MAX_BINDINGS);
        self.arena.mapper(bindings)
    }

    /// Reports whether a type contains type parameters.
    pub fn is_open(&self, ty: Ty) -> bool {
        self.is_open_in(ty, 0)
    }

    fn is_open_in(&self, ty: Ty, nesting: u32) -> bool {
        if nesting > 4 {
            return false;
        }

        match self.get(ty) {
            Type::Param(_) | Type::Conditional(..) | Type::Indexed(..) | Type::Deferred(..) => true,
            Type::Mapped(decl, mapper) => {
                let Some(&param) = self.type_params(decl).first() else {
                    return false;
                };
                let keys = self.constraint(param);
                let keys = self.substitute(keys, mapper);
                self.is_open_in(keys, nesting + 1)
            }
            Type::KeyOf(object) | Type::Selected(object, ..) => {
                self.is_open_in(object, nesting + 1)
            }
            Type::Instance(_, args)
            | Type::BuiltIn(_, args)
            | Type::Tuple(args)
            | Type::Union(args)
            | Type::Intersection(args) => self
                .arena
                .list(args)
                .iter()
                .any(|ty| self.is_open_in(*ty, nesting + 1)),
            _ => false,
        }
    }
}
