//! Instantiation: substitutes type arguments in a type.
//!
//! As in the compiler, an instantiated function, object, mapped or conditional type carries the
//! arguments of the outer type parameters that its declaration can refer to, and no others
//! (`symbols/type_parameters`). Otherwise each object type in a library would carry the arguments of
//! everything around its uses: equal types would differ, and every substitution would grow the
//! mappers of those before it.
//!
//! A type without any of these parameters is closed, and substituting in it gives the type itself.
//! The instantiations of the other types are memoized by type and mapper.
//!
//! Limitations: [`MAX_NESTING`] levels deep; deeper parts are not substituted. Where the outer type
//! parameters are unknown (JavaScript), mappers carry all arguments, at most [`MAX_BINDINGS`].

use codeagent_lang::DeclRef;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::type_parameters::OuterParamList;

const MAX_NESTING: u32 = 24;

/// Largest number of bindings in a type mapper whose type parameters are unknown.
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
        if self.is_closed(ty) {
            return ty;
        }
        if let Type::Param(param) = self.get(ty) {
            return self.arena.bound(mapper, param).unwrap_or(ty);
        }
        if nesting > MAX_NESTING || !self.spend(1) {
            self.stack.cut_off();
            return ty;
        }
        self.stack.memoized(&self.instantiations, (ty, mapper), || {
            self.instantiate(ty, mapper, nesting)
        })
    }

    fn instantiate(&self, ty: Ty, mapper: TypeMapper, nesting: u32) -> Ty {
        match self.get(ty) {
            Type::Instance(decl, args) => {
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
                let mapper = self.compose(&self.outer_params(decl), inner, mapper, nesting);
                self.arena.add(Type::Function(decl, mapper))
            }
            Type::Object(decl, inner) => {
                let mapper = self.compose(&self.outer_params(decl), inner, mapper, nesting);
                self.arena.add(Type::Object(decl, mapper))
            }
            Type::Mapped(decl, inner) => {
                let mapper = self.compose(&self.outer_params(decl), inner, mapper, nesting);
                self.mapped_elements(decl, mapper)
                    .unwrap_or_else(|| self.arena.add(Type::Mapped(decl, mapper)))
            }
            Type::Conditional(file, expr, inner) => {
                let params = self.outer_params_of_conditional(file, expr);
                let mapper = self.compose(&params, inner, mapper, nesting);
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
                self.selected(inner, names, keep)
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

    /// Composes two mappers for a type that can refer to `params`: the inner bindings with the outer
    /// ones substituted, and the outer bindings of the other parameters.
    fn compose(
        &self,
        params: &OuterParamList,
        inner: TypeMapper,
        outer: TypeMapper,
        nesting: u32,
    ) -> TypeMapper {
        let Some(params) = params else {
            return self.compose_all(inner, outer, nesting);
        };

        let bindings = params
            .iter()
            .filter_map(|&param| {
                let ty = match self.arena.bound(inner, param) {
                    Some(ty) => self.substitute_in(ty, outer, nesting + 1),
                    None => self.arena.bound(outer, param)?,
                };
                Some((param, ty))
            })
            .filter(|(param, ty)| self.get(*ty) != Type::Param(*param))
            .collect();

        self.arena.mapper(bindings)
    }

    /// Composes two mappers for a type whose outer type parameters are not known.
    fn compose_all(&self, inner: TypeMapper, outer: TypeMapper, nesting: u32) -> TypeMapper {
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

    /// Reports whether a type contains no type parameter, so that no substitution changes it.
    fn is_closed(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Param(_) => false,
            Type::Instance(_, args) | Type::BuiltIn(_, args) if args == Args::NONE => true,
            Type::Simple(_)
            | Type::Literal(..)
            | Type::Static(_)
            | Type::BuiltInValue(_)
            | Type::BuiltInMethod(..)
            | Type::Module(_)
            | Type::Ambient(_)
            | Type::GlobalObject => true,
            composite => self
                .stack
                .memoized(&self.closed, ty, || self.compute_is_closed(composite)),
        }
    }

    fn compute_is_closed(&self, ty: Type) -> bool {
        match ty {
            Type::Instance(_, args)
            | Type::BuiltIn(_, args)
            | Type::Tuple(args)
            | Type::Union(args)
            | Type::Intersection(args)
            | Type::Deferred(_, args) => {
                let types = self.arena.list(args);
                types.iter().all(|ty| self.is_closed(*ty))
            }

            Type::Function(decl, mapper)
            | Type::Object(decl, mapper)
            | Type::Mapped(decl, mapper) => self.closes(mapper, &self.outer_params(decl)),
            Type::Conditional(file, expr, mapper) => {
                self.closes(mapper, &self.outer_params_of_conditional(file, expr))
            }

            Type::Indexed(object, key) | Type::Selected(object, key, _) => {
                self.is_closed(object) && self.is_closed(key)
            }
            Type::KeyOf(object) => self.is_closed(object),
            _ => true,
        }
    }

    /// Reports whether a mapper binds all of a type's outer type parameters to closed types.
    fn closes(&self, mapper: TypeMapper, params: &OuterParamList) -> bool {
        params.as_ref().is_some_and(|params| {
            params.iter().all(|param| {
                let bound = self.arena.bound(mapper, *param);
                bound.is_some_and(|ty| self.is_closed(ty))
            })
        })
    }

    /// Reports whether a type is a type variable: its members are not known before it is
    /// instantiated. `Box<T>` is none, although it contains one.
    pub fn is_generic(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Instance(..) | Type::BuiltIn(..) | Type::Tuple(_) => false,
            Type::Union(args) | Type::Intersection(args) => {
                let members = self.arena.list(args);
                members.iter().any(|member| self.is_generic(*member))
            }
            Type::Selected(inner, ..) => self.is_generic(inner),
            _ => self.is_open(ty),
        }
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
