//! Type expressions as written.

use serde::{Deserialize, Serialize};

use super::{DeclId, ExprId, List, LiteralKind, ScopeId, Sym, TypeId};

/// A type expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeExpr {
    /// Not recognized, or `var`-like.
    Unknown,
    /// A keyword type: `string`, `int`, `void`, `any`, `undefined`, `dynamic`, ...
    Primitive(Sym),
    /// A possibly dotted and generic name, looked up from a scope. C# `global::A.B` starts with the
    /// segment `global::`.
    Name(List<Segment>, ScopeId),
    /// An array and its rank (1 for `T[]`).
    Array(TypeId, u8),
    /// C# `T?`.
    Nullable(TypeId),
    /// C# `T*`.
    Pointer(TypeId),
    /// C# `ref T`.
    ByRef(TypeId),
    /// A tuple.
    Tuple(List<Element>),
    /// `A | B`
    Union(List<TypeId>),
    /// `A & B`
    Intersection(List<TypeId>),
    /// A function or constructor type.
    Function(DeclId),
    /// `{ .. }`
    Object(DeclId),
    /// The type `this`.
    This,
    /// `typeof x`.
    TypeOf(ExprId),
    /// `T[K]`
    Indexed(TypeId, TypeId),
    /// `keyof T`
    KeyOf(TypeId),
    /// `check extends bound ? yes : no`: the four types in this order, then an `Infer` for each
    /// name that an `infer` in `bound` declares.
    Conditional(List<TypeId>),
    /// `{ [K in C]: T }`
    Mapped(DeclId),
    /// `x is T` (`asserts` flag last).
    Predicate(Sym, TypeId, bool),
    /// `import("m").A.B<T>`; the list may be empty.
    Import(Sym, List<Segment>),
    /// A literal type: its text without quotes.
    Literal(LiteralKind, Sym),
    /// A heritage clause that is an expression: `extends mixin(A)<T>`.
    Heritage(ExprId, List<TypeId>),
    /// `infer X`: the declared type parameter.
    Infer(DeclId),
    /// A template literal type: its texts, as literal types, and the types between them.
    Template(List<TypeId>),
}

/// One segment of a dotted type name with its type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// The name.
    pub name: Sym,
    /// Its type arguments. C# `typeof(List<,>)`: as many `NONE`s as there are parameters.
    pub args: List<TypeId>,
}

/// One element of a tuple type or tuple literal type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Element {
    /// Its name, `NONE` if unnamed.
    pub name: Sym,
    /// Its type.
    pub ty: TypeId,
    /// `...T`
    pub rest: bool,
}
