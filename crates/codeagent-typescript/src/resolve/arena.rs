//! The types of one file's resolution, interned: equal types have equal numbers, which are valid
//! only in this resolution.
//!
//! Limitations: the types are detailed enough to find members and calls, not to check programs.
//! Unions keep at most twelve members and 48 literal types; `null` and `undefined` are dropped from them. An exceeded
//! budget gives `UNKNOWN`, never a guess.

use std::rc::Rc;

use codeagent_lang::query::interner::SharedInterner;
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::{LiteralKind, TypeId};

use crate::resolve::global_index::well_known::BuiltinType;

/// An interned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(u32);

impl Ty {
    pub const UNKNOWN: Self = Self(0);
    /// An external value; everything derived from it is external.
    pub const EXTERNAL: Self = Self(1);
    /// `any`, `unknown`.
    pub const ANY: Self = Self(2);
    /// `null`, `undefined`, `void`, `never`.
    pub const NOTHING: Self = Self(3);
    /// `string`
    pub const STRING: Self = Self(4);
    /// `number`
    pub const NUMBER: Self = Self(5);
    /// `boolean`
    pub const BOOLEAN: Self = Self(6);
    /// `symbol`
    pub const SYMBOL: Self = Self(7);
    /// `bigint`
    pub const BIGINT: Self = Self(8);
    /// The type `this` before it is substituted by a receiver.
    pub const THIS: Self = Self(9);
    /// An external generic type with type arguments from the repository: its members are external,
    /// but their types may be the repository's.
    pub const FOREIGN_GENERIC: Self = Self(10);

    /// Reports whether nothing is known about the type.
    pub fn is_opaque(self) -> bool {
        matches!(
            self,
            Self::UNKNOWN | Self::EXTERNAL | Self::ANY | Self::FOREIGN_GENERIC
        )
    }

    pub fn is_primitive(self) -> bool {
        matches!(
            self,
            Self::STRING | Self::NUMBER | Self::BOOLEAN | Self::SYMBOL | Self::BIGINT
        )
    }
}

/// An interned list of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Args(u32);

impl Args {
    pub const NONE: Self = Self(0);
}

/// An interned set of bindings of type parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeMapper(u32);

impl TypeMapper {
    pub const EMPTY: Self = Self(0);
}

/// A utility type whose evaluation can be deferred until its arguments are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Utility {
    /// `ReturnType<F>`
    ReturnType,
    /// `InstanceType<C>`
    InstanceType,
    /// `Parameters<F>`
    Parameters,
    /// `ConstructorParameters<C>`
    ConstructorParameters,
    /// `Awaited<T>`
    Awaited,
    /// `Exclude<T, U>`
    Exclude,
    /// `Extract<T, U>`
    Extract,
    /// A template literal type: its texts and the types between them.
    Template,
    /// `Uppercase<S>`
    Uppercase,
    /// `Lowercase<S>`
    Lowercase,
    /// `Capitalize<S>`
    Capitalize,
    /// `Uncapitalize<S>`
    Uncapitalize,
}

/// The structure of a [`Ty`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One of the constants of [`Ty`].
    Simple(Ty),
    Literal(LiteralKind, Name),
    /// An instance of a class, interface or enum with its type arguments.
    Instance(DeclRef, Args),
    /// The value of a class, enum or namespace.
    Static(DeclRef),
    /// A function-like declaration as a value.
    Function(DeclRef, TypeMapper),
    /// An object literal or object type.
    Object(DeclRef, TypeMapper),
    Mapped(DeclRef, TypeMapper),
    /// A conditional type that still has type parameters.
    Conditional(FileId, TypeId, TypeMapper),
    /// `T[K]` that still has type parameters.
    Indexed(Ty, Ty),
    /// A utility type whose arguments still have type parameters.
    Deferred(Utility, Args),
    /// `keyof T`
    KeyOf(Ty),
    /// A built-in type with its type arguments.
    BuiltIn(BuiltinType, Args),
    /// The constructor value of a built-in type: `Map` in `new Map()`, `Object` in `Object.keys()`.
    BuiltInValue(BuiltinType),
    /// A method of a built-in type: its index in `BUILTIN_MEMBERS` and the receiver.
    BuiltInMethod(u16, Ty),
    /// `Pick<T, K>` (`true`) or `Omit<T, K>` (`false`) with the names in `K` known.
    Selected(Ty, Ty, bool),
    /// A whole module.
    Module(FileId),
    /// A `declare module` block.
    Ambient(DeclRef),
    /// The global object, `globalThis`. `window` and `self` have this type, too.
    GlobalObject,
    Union(Args),
    Intersection(Args),
    Tuple(Args),
    Param(DeclRef),
}

/// Bindings of type parameters, sorted by parameter.
pub type Bindings = Rc<[(DeclRef, Ty)]>;

/// Largest number of members of a union; literal types and classes as values are counted apart.
const UNION_LIMIT: usize = 12;

/// Largest number of classes as values in a union: lists of plugins. They have no type arguments, so
/// they cost less than instances.
const CLASS_LIMIT: usize = 256;

/// Largest number of members of an intersection: interfaces are composed of many.
const INTERSECTION_LIMIT: usize = 32;

/// Largest number of literal types in a union.
pub const LITERAL_LIMIT: usize = 48;

/// All types of one resolution.
pub struct Arena {
    types: SharedInterner<Type>,
    lists: SharedInterner<Rc<[Ty]>>,
    envs: SharedInterner<Bindings>,
}

impl Arena {
    /// Creates an arena that holds the constants of [`Ty`].
    pub fn new() -> Self {
        let arena = Self {
            types: SharedInterner::default(),
            lists: SharedInterner::default(),
            envs: SharedInterner::default(),
        };
        for number in 0..11 {
            arena.types.add(Type::Simple(Ty(number)));
        }
        arena.lists.add(Rc::from([]));
        arena.envs.add(Rc::from([]));
        arena
    }

    pub fn add(&self, ty: Type) -> Ty {
        if let Type::Simple(simple) = ty {
            return simple;
        }
        Ty(self.types.add(ty))
    }

    /// Returns the structure of a type.
    pub fn get(&self, ty: Ty) -> Type {
        self.types.get(ty.0)
    }

    pub fn args(&self, types: &[Ty]) -> Args {
        Args(self.lists.add_with(types, || Rc::from(types)))
    }

    pub fn list(&self, args: Args) -> Rc<[Ty]> {
        self.lists.get(args.0)
    }

    /// Interns a set of bindings; the first binding of a parameter counts.
    pub fn mapper(&self, mut bindings: Vec<(DeclRef, Ty)>) -> TypeMapper {
        bindings.sort_by_key(|binding| binding.0);
        bindings.dedup_by_key(|binding| binding.0);
        TypeMapper(
            self.envs
                .add_with(bindings.as_slice(), || Rc::from(bindings.as_slice())),
        )
    }

    /// Returns the bindings of a set.
    pub fn bindings(&self, mapper: TypeMapper) -> Bindings {
        self.envs.get(mapper.0)
    }

    /// Returns the binding of a parameter.
    pub fn bound(&self, mapper: TypeMapper, param: DeclRef) -> Option<Ty> {
        let bindings = self.envs.get(mapper.0);
        bindings
            .binary_search_by_key(&param, |binding| binding.0)
            .ok()
            .map(|at| bindings[at].1)
    }

    pub fn instance(&self, decl: DeclRef, args: &[Ty]) -> Ty {
        let args = self.args(args);
        self.add(Type::Instance(decl, args))
    }

    pub fn built_in(&self, known: BuiltinType, args: &[Ty]) -> Ty {
        let args = self.args(args);
        self.add(Type::BuiltIn(known, args))
    }

    /// Interns `T[]`.
    pub fn array(&self, element: Ty) -> Ty {
        self.built_in(BuiltinType::Array, &[element])
    }

    pub fn tuple(&self, elements: &[Ty]) -> Ty {
        let args = self.args(elements);
        self.add(Type::Tuple(args))
    }

    /// Interns the union of types; unknown types and `null` are dropped if there is a known one.
    pub fn union(&self, types: &[Ty]) -> Ty {
        let mut members: Vec<Ty> = Vec::new();

        let mut opaque = None;
        for &ty in types {
            match self.get(ty) {
                Type::Union(inner) => self
                    .list(inner)
                    .iter()
                    .for_each(|member| self.push_member(&mut members, *member)),
                Type::Simple(Ty::NOTHING) => {}
                Type::Simple(simple) if simple.is_opaque() => opaque = opaque.max(Some(simple)),
                _ => self.push_member(&mut members, ty),
            }
        }

        match members.as_slice() {
            [] => opaque.unwrap_or(if types.is_empty() {
                Ty::UNKNOWN
            } else {
                Ty::NOTHING
            }),
            [one] => *one,
            _ => {
                let args = self.args(&members);
                self.add(Type::Union(args))
            }
        }
    }

    /// Reports whether a union has reached a limit, so that members may be missing.
    pub fn is_full(&self, args: Args) -> bool {
        let members = self.list(args);
        [LITERAL_LIMIT, CLASS_LIMIT, UNION_LIMIT]
            .into_iter()
            .any(|limit| self.count_under(&members, limit) >= limit)
    }

    /// Adds a new member of a union, unless the limit of its kind is reached.
    fn push_member(&self, members: &mut Vec<Ty>, ty: Ty) {
        if members.contains(&ty) {
            return;
        }
        let limit = self.limit_of(ty);
        if self.count_under(members, limit) < limit {
            members.push(ty);
        }
    }

    fn count_under(&self, members: &[Ty], limit: usize) -> usize {
        let is_counted = |member: &&Ty| self.limit_of(**member) == limit;
        members.iter().filter(is_counted).count()
    }

    /// Returns how many members of its kind a union has at most.
    fn limit_of(&self, member: Ty) -> usize {
        match self.get(member) {
            Type::Literal(..) => LITERAL_LIMIT,
            Type::Static(_) => CLASS_LIMIT,
            _ => UNION_LIMIT,
        }
    }

    /// Interns the intersection of types.
    pub fn intersection(&self, types: &[Ty]) -> Ty {
        let mut members: Vec<Ty> = Vec::new();
        for &ty in types {
            match self.get(ty) {
                Type::Intersection(inner) => self
                    .list(inner)
                    .iter()
                    .for_each(|member| push_new(&mut members, *member)),
                Type::Simple(Ty::UNKNOWN | Ty::NOTHING) => {}
                _ => push_new(&mut members, ty),
            }
        }

        match members.as_slice() {
            [] => Ty::UNKNOWN,
            [one] => *one,
            _ => {
                let args = self.args(&members);
                self.add(Type::Intersection(args))
            }
        }
    }

    /// Returns the members of a union, or the type itself.
    pub fn members(&self, ty: Ty) -> Rc<[Ty]> {
        match self.get(ty) {
            Type::Union(args) => self.list(args),
            _ => Rc::from([ty]),
        }
    }

    /// Returns the primitive type of a literal type, also inside unions.
    pub fn widen(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::Literal(kind, _) => primitive_of(kind),
            Type::Union(args) => {
                let members: Vec<Ty> = self
                    .list(args)
                    .iter()
                    .map(|member| self.widen(*member))
                    .collect();
                self.union(&members)
            }
            _ => ty,
        }
    }

    /// Replaces `this` types by a receiver.
    pub fn substitute_this(&self, ty: Ty, receiver: Ty) -> Ty {
        match self.get(ty) {
            Type::Simple(Ty::THIS) => receiver,
            Type::Instance(decl, args) if args != Args::NONE => {
                let args = self.this_in_list(args, receiver);
                self.add(Type::Instance(decl, args))
            }
            Type::BuiltIn(known, args) if args != Args::NONE => {
                let args = self.this_in_list(args, receiver);
                self.add(Type::BuiltIn(known, args))
            }

            Type::Union(args) => {
                let members: Vec<Ty> = self
                    .list(args)
                    .iter()
                    .map(|member| self.substitute_this(*member, receiver))
                    .collect();
                self.union(&members)
            }
            _ => ty,
        }
    }

    fn this_in_list(&self, args: Args, receiver: Ty) -> Args {
        let types: Vec<Ty> = self
            .list(args)
            .iter()
            .map(|ty| this_shallow(*ty, receiver))
            .collect();
        self.args(&types)
    }

    /// Returns the type in a `Pick` or `Omit`, or the type itself.
    pub fn unselected(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::Selected(inner, ..) => inner,
            _ => ty,
        }
    }

    /// Reports whether a type consists of keys: `keyof A`, or an intersection with one.
    pub fn is_keys(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::KeyOf(_) => true,
            Type::Intersection(args) => self
                .list(args)
                .iter()
                .any(|member| matches!(self.get(*member), Type::KeyOf(_))),
            _ => false,
        }
    }
}

fn push_new(members: &mut Vec<Ty>, ty: Ty) {
    if members.len() < INTERSECTION_LIMIT && !members.contains(&ty) {
        members.push(ty);
    }
}

pub fn primitive_of(kind: LiteralKind) -> Ty {
    match kind {
        LiteralKind::Number | LiteralKind::TypedNumber => Ty::NUMBER,
        LiteralKind::Bool => Ty::BOOLEAN,
        LiteralKind::BigInt => Ty::BIGINT,
        LiteralKind::Null | LiteralKind::Undefined | LiteralKind::Default | LiteralKind::Throw => {
            Ty::NOTHING
        }
        LiteralKind::String
        | LiteralKind::Interpolated
        | LiteralKind::Char
        | LiteralKind::Utf8String
        | LiteralKind::Regex => Ty::STRING,
    }
}

fn this_shallow(ty: Ty, receiver: Ty) -> Ty {
    if ty == Ty::THIS { receiver } else { ty }
}
