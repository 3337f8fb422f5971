//! Value expressions as written, from which types and targets are found.

use serde::{Deserialize, Serialize};

use super::{CallId, DeclId, ExprId, List, ScopeId, Sym, TypeId, relative};

/// Kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum LiteralKind {
    /// A string (TypeScript templates too).
    String,
    /// A C# `$".."`; the text is `$` if it has no holes, else `NONE`.
    Interpolated,
    /// A number. C#: without suffix and fraction, an `int`.
    Number,
    /// C# `1L`, `1u`, `1.0`, `1f`, `1m` and so on: the text of the literal is the C# keyword of its
    /// type.
    TypedNumber,
    /// `true`, `false`.
    Bool,
    /// C# `'c'`.
    Char,
    /// `null`
    Null,
    /// `undefined`, `void 0`.
    Undefined,
    /// A regular expression.
    Regex,
    /// `1n`
    BigInt,
    /// C# `default` without a type.
    Default,
    /// C# `"x"u8`.
    Utf8String,
    /// C# `throw e` as an expression: it has no type and converts to every type.
    Throw,
}

/// A value expression: how to find its type and its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// Not recognized.
    Unknown,
    /// A bare name, looked up from a scope at a byte offset.
    Name(Sym, ScopeId, #[serde(with = "relative::offset")] u32),
    /// `this` of the innermost type or object literal; `NONE` at the top.
    This(DeclId),
    /// TypeScript: `this` where a guard tests one of its members. Scope and byte offset as in
    /// `Name`.
    ThisAt(DeclId, ScopeId, #[serde(with = "relative::offset")] u32),
    /// `super` / `base` of a type.
    Super(DeclId),
    /// `a.b`, `a?.b`, `a!.b`, C# `a->b` (`*a` first).
    Member(ExprId, Sym),
    /// `a[i]`: `callee` is `a`, `args` are the indices.
    Index(CallId),
    /// `f(..)`
    Call(CallId),
    /// `new C(..)`: `callee` is a `TypeValue` in C#, the class expression in TypeScript.
    New(CallId),
    /// C# `new(..)`: `callee` is `NONE`, the type comes from the context of the declaration (kind
    /// `ObjectLiteral`).
    NewTarget(CallId, DeclId),
    /// A name or member with type arguments that is not called: `M<int>`, `Foo<string>`.
    Generic(ExprId, List<TypeId>),
    /// `await e`
    Await(ExprId),
    /// An element of `e` in a loop (`for of`, `foreach`); `true` for `await`.
    Iterate(ExprId, bool),
    /// `yield e` as a value.
    Yield(ExprId),
    /// `yield* e` as a value: what the iterator returns at its end.
    Delegate(ExprId),
    /// A value that a generator returns, among those that it yields.
    Return(ExprId),
    /// `...e` / C# `..e` in a collection expression.
    Spread(ExprId),
    /// A value of a written type: cast, `as T`, `default(T)`, `typeof(T)` (of `System.Type`), C#
    /// array creation.
    Cast(TypeId),
    /// `e satisfies T`: the type of `e` with the context `T`; `e as const` has `NONE`.
    Satisfies(ExprId, TypeId),
    /// One of two values: `c ? a : b`, `a ?? b`, `a || b`, arms of a switch expression.
    Or(ExprId, ExprId),
    /// `a && b` (TypeScript; the type is that of `b`).
    And(ExprId, ExprId),
    /// A binary operator that may be overloaded.
    Binary(Operator, ExprId, ExprId),
    /// A unary operator that may be overloaded.
    Unary(Operator, ExprId),
    /// An object literal, C# anonymous object.
    Object(DeclId),
    /// An array literal, C# collection expression, implicitly typed array.
    Array(List<ExprId>, DeclId),
    /// A tuple literal (C#); names come with the arguments.
    Tuple(List<Arg>),
    /// A lambda or function expression.
    Function(DeclId),
    /// A class expression.
    Class(DeclId),
    /// Parameter n of a lambda, typed by the lambda's context.
    ContextualParam(DeclId, u16),
    /// C# `out var x`: the value that the call writes to parameter n.
    OutArgument(CallId, u16),
    /// The type given by a guard; see [`Guard`].
    NarrowedRef(u32),
    /// Element n of a tuple, array or `Deconstruct` (destructuring).
    Element(ExprId, u16),
    /// `...rest` of an array (`true`) or object (`false`) pattern.
    RestElement(ExprId, bool),
    /// Member `b` of `a` in an object pattern: like `Member`, but not written as an access. With a
    /// default value it is an `Or`.
    Destructured(ExprId, Sym),
    /// `import("m")`
    DynamicImport(Sym),
    /// `require("m")` (JavaScript)
    Require(Sym),
    /// A C# query expression: its last select or group, the element of the resulting sequence.
    Query(ExprId),
    /// A literal; the `Sym` is its text for strings up to 64 bytes, else `NONE`.
    Literal(LiteralKind, Sym),
    /// A type used as a value: `int.Parse`, `List<int>.Empty`, `new C` (C#), `Foo` in `new Foo()`;
    /// TypeScript never has it.
    TypeValue(TypeId),
    /// A JSX element.
    Jsx(ExprId),
    /// `typeof x`, comparisons, `!x`: the operator alone determines the type.
    Known(KnownType),
    /// Assignment `a = b` as a value.
    Assign(ExprId, ExprId),
    /// C# `a?.b.c` as a whole: the type of the inner chain, made nullable.
    Conditional(ExprId),
    /// C#: the inner value without its `?`: the receiver of `a?.b`, the first value of `a ?? b`, or
    /// the value that `x is { } y` declares.
    NonNull(ExprId),
    /// C# `x with { }`, `checked`, `ref` or parentheses: the type of the inner expression.
    Paren(ExprId),
}

/// Result types fixed by an operator, whatever its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum KnownType {
    /// `bool` / `boolean`
    Bool,
    /// `string`
    String,
    /// `int` / `number`
    Number,
    /// `void` / `undefined`
    Void,
}

/// Operators as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs, reason = "each variant is its token")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Power,
    LogicalAnd,
    LogicalOr,
    Not,
    Complement,
    Increment,
    Decrement,
    Plus,
    Minus,
    /// C# `^1`
    FromEnd,
    /// C# `a..b`
    Range,
    /// C# `*p`
    Dereference,
    /// C# `&x`
    AddressOf,
}

/// A call, `new`, index access, attribute or constructor initialiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The callee: a `Name`, `Member`, ... without its type arguments.
    pub callee: ExprId,
    /// Arguments in the order written.
    pub args: List<Arg>,
    /// Written type arguments.
    pub type_args: List<TypeId>,
}

/// One argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arg {
    /// C# `name: value`; `NONE` if positional. In a tuple literal: the element's name.
    pub name: Sym,
    /// How it is passed.
    pub mode: ArgMode,
    /// The value.
    pub value: ExprId,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ArgMode {
    /// By value.
    Value,
    /// C# `ref`
    Ref,
    /// C# `out`
    Out,
    /// C# `in`
    In,
    /// `...value`
    Spread,
}

/// A JSX element between the tags of another: `<B />` in `<A><B /></A>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildElement {
    /// The inner element, a `Jsx` with a component.
    pub element: ExprId,
    /// The outer element, a `Jsx` that may be a fragment or `<div>`.
    pub inside: ExprId,
}

/// A test that narrows the type of a name in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Guard {
    /// The narrowed `Name` or path (see [`crate::facts::Facts::path_step`]); the `Narrow` declaration
    /// has the name of its root.
    pub subject: ExprId,
    /// The test.
    pub test: GuardTest,
    /// True if the test is known to be false here.
    pub negated: bool,
}

/// No guard.
pub const NO_GUARD: u32 = u32::MAX;

/// The test of a [`Guard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GuardTest {
    /// `x instanceof C`
    InstanceOf(ExprId),
    /// `f(x)` where `f` may be a type predicate, and the number of the argument; `u16::MAX` for the
    /// receiver of `f`.
    Predicate(CallId, u16),
    /// `typeof x === "string"`
    TypeOf(Sym),
    /// `x.kind === "a"` (or `!==`, negated): the member and the literal.
    Discriminant(Sym, LiteralKind, Sym),
    /// `"a" in x`
    HasProperty(Sym),
    /// `if (x)`: not null, undefined or false.
    Truthy,
    /// C# `x is T` without a designation.
    IsType(TypeId),
    /// TypeScript `x = value`
    Assigned(ExprId),
    /// TypeScript: `x` may have been assigned to, so it has its declared type.
    Declared,
    /// TypeScript: after the statement `f(x)` where `f` may be an assertion function, the number of
    /// the argument. If the argument is a condition, the guard that follows from it, else
    /// [`NO_GUARD`].
    Asserted(CallId, u16, u32),
    /// TypeScript: one of two guards of the same subject, by number: `isA(x) || isB(x)`.
    Either(u32, u32),
}
