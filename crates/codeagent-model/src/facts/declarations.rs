//! Scopes and declarations.

use serde::{Deserialize, Serialize};

use super::{CallId, DeclId, DetailId, ExprId, List, ScopeId, Sym, TypeId, relative};
use crate::graph::Access;
use crate::span::{Position, Span};

/// A region of the text in which names are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The kind of region.
    pub kind: ScopeKind,
    /// The enclosing scope; `NONE` for the file.
    pub parent: ScopeId,
    /// The declaration that opens it; `NONE` for the file and plain blocks.
    pub owner: DeclId,
}

/// Kinds of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A namespace or ambient module body. In C#, each dotted declaration has one scope: `namespace
    /// A.B` opens one, whose declaration is named `A.B`.
    Namespace,
    /// `declare global { }`
    Global,
    /// The body of a class, struct, record, interface (with its type parameters and C# primary
    /// constructor parameters).
    Type,
    /// The members of an enum.
    Enum,
    /// A function, method, accessor pair, lambda: type parameters, parameters and body.
    Function,
    /// A block, loop, switch section, catch clause, arm.
    Block,
    /// An object literal or object type: its members.
    Object,
    /// The type parameters of an alias, mapped or conditional type (with its `infer` names).
    TypeParams,
}

/// Kinds of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum DeclKind {
    /// `namespace A.B` (C#: the dotted name), TypeScript `namespace A` / `module A` (dotted ones
    /// nest).
    Namespace,
    /// `declare module "x"`; the name is `x` without quotes.
    AmbientModule,
    /// Class.
    Class,
    /// C# struct.
    Struct,
    /// C# record class.
    Record,
    /// C# record struct.
    RecordStruct,
    /// Interface.
    Interface,
    /// Enum.
    Enum,
    /// C# delegate; its parameters are `params`, its return type `ty`.
    Delegate,
    /// TypeScript type alias; its value is `ty`.
    TypeAlias,
    /// C# 14 extension block; the receiver is its one parameter.
    ExtensionBlock,
    /// TypeScript function declaration or overload signature (module level, namespace level or
    /// local).
    Function,
    /// C# local function.
    LocalFunction,
    /// A lambda, arrow function, function expression or anonymous method; no name unless it is a
    /// named function expression.
    Lambda,
    /// A member function (class, interface, object type, object literal).
    Method,
    /// A constructor; named `constructor` in TypeScript and like the type in C#.
    Constructor,
    /// A C# primary constructor, named like the type; its parameters are in the type's scope.
    PrimaryConstructor,
    /// A static constructor, named like the type.
    StaticConstructor,
    /// A finalizer, named `~Type`.
    Finalizer,
    /// An operator, named `operator +`.
    Operator,
    /// A conversion operator, named `implicit operator T` or `explicit operator T`.
    Conversion,
    /// A property: C# with accessors or a record parameter; TypeScript class field, interface or
    /// object type member, parameter property.
    Property,
    /// C# field (one declaration per declarator).
    Field,
    /// C# event.
    Event,
    /// C# `this[..]`; named `this[]`.
    Indexer,
    /// A member of an enum.
    EnumMember,
    /// TypeScript `get x()`.
    Getter,
    /// TypeScript `set x()`.
    Setter,
    /// A variable: local, module level, namespace level, catch, loop, pattern, out.
    Variable,
    /// A parameter.
    Parameter,
    /// A type parameter; its constraints are `heritage`, its default is `ty`.
    TypeParam,
    /// A local name introduced by an import (TypeScript) or by `import a = b.c`.
    Import,
    /// `export default <expression>`; named `default`.
    DefaultExport,
    /// An object literal used as a value; its members are declared in `inner`.
    ObjectLiteral,
    /// An object type `{ .. }`; its members are declared in `inner`.
    ObjectType,
    /// A function type or constructor type.
    FunctionType,
    /// A mapped type; `ty` is its value type, its one type parameter has the key constraint.
    MappedType,
    /// `(..): T` in an interface or object type.
    CallSignature,
    /// `new (..): T` in an interface or object type.
    ConstructSignature,
    /// `[k: K]: T` in an interface, class or object type.
    IndexSignature,
    /// A name with a narrowed type in this scope; see [`Guard`](super::Guard).
    Narrow,
    /// C# top-level statements: a method named `<Main>$` whose scope is the file.
    TopLevel,
    /// A label, range variable or other name without a type of interest.
    Other,
}

impl DeclKind {
    /// Reports whether a C# declaration opens a type.
    #[must_use]
    pub fn opens_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Record
                | Self::RecordStruct
                | Self::Interface
                | Self::Enum
                | Self::Delegate
        )
    }
}

/// Yes/no properties of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeclFlags(pub u32);

#[allow(missing_docs, reason = "each constant is the keyword it names")]
impl DeclFlags {
    pub const STATIC: Self = Self(1);
    pub const ABSTRACT: Self = Self(1 << 1);
    pub const VIRTUAL: Self = Self(1 << 2);
    pub const OVERRIDE: Self = Self(1 << 3);
    pub const SEALED: Self = Self(1 << 4);
    pub const ASYNC: Self = Self(1 << 5);
    /// `function*`, or a body with `yield`.
    pub const GENERATOR: Self = Self(1 << 6);
    pub const READONLY: Self = Self(1 << 7);
    /// `const` in either language.
    pub const CONST: Self = Self(1 << 8);
    /// `let` (TypeScript).
    pub const LET: Self = Self(1 << 9);
    /// C# `partial`. On an `ObjectType`: one of several that together make up an alias's type.
    pub const PARTIAL: Self = Self(1 << 10);
    /// C# `new` modifier.
    pub const HIDES: Self = Self(1 << 11);
    pub const EXTERN: Self = Self(1 << 12);
    /// TypeScript `export` on the declaration itself.
    pub const EXPORT: Self = Self(1 << 13);
    /// TypeScript `export default` on the declaration itself.
    pub const DEFAULT: Self = Self(1 << 14);
    /// TypeScript `declare` or inside an ambient context or `.d.ts`.
    pub const AMBIENT: Self = Self(1 << 15);
    /// TypeScript: inside `declare global`.
    pub const GLOBAL: Self = Self(1 << 16);
    /// `?` member or parameter; C#: parameter with a default value.
    pub const OPTIONAL: Self = Self(1 << 17);
    /// `...rest` or C# `params`.
    pub const REST: Self = Self(1 << 18);
    /// C# parameter `ref`.
    pub const REF: Self = Self(1 << 19);
    /// C# parameter `out`.
    pub const OUT: Self = Self(1 << 20);
    /// C# parameter `in` or `ref readonly`.
    pub const IN: Self = Self(1 << 21);
    /// C# `this T x` on the first parameter; on the method: it is an extension method.
    pub const EXTENSION: Self = Self(1 << 22);
    /// Has a body (function-like) or an implementation. C# lambda: its body is a block.
    pub const HAS_BODY: Self = Self(1 << 23);
    /// Imported with `import type`, or exported with `export type`.
    pub const TYPE_ONLY: Self = Self(1 << 24);
    /// Declared as a member of a class, interface or object: found through a receiver, never by a
    /// bare name (in C#, also by a bare name inside the type).
    pub const MEMBER: Self = Self(1 << 25);
    /// Returns JSX somewhere.
    pub const RETURNS_JSX: Self = Self(1 << 26);
    /// A C# record's positional property, or a TypeScript parameter property.
    pub const FROM_PARAMETER: Self = Self(1 << 27);
    /// A local function that is referred to outside its own body.
    pub const CALLED: Self = Self(1 << 28);
    /// TypeScript `var` or function: hoisted to the function scope.
    pub const HOISTED: Self = Self(1 << 29);
    /// TypeScript: the name is `[computed]` or quoted.
    pub const COMPUTED: Self = Self(1 << 30);
    /// C# `required`.
    pub const REQUIRED: Self = Self(1 << 31);
    /// A JavaScript function, or a variable that holds one, that constructs instances; their
    /// members are declared in its scope.
    pub const CONSTRUCTS: Self = Self(1 << 31);

    /// Reports whether all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Sets all bits of `other`.
    pub fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl std::ops::BitOr for DeclFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.with(other)
    }
}

/// One declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// Bare name; `NONE` for lambdas, object literals and other unnamed declarations.
    pub name: Sym,
    /// The kind of declaration.
    pub kind: DeclKind,
    /// Yes/no properties.
    pub flags: DeclFlags,
    /// The scope it is declared in.
    pub scope: ScopeId,
    /// The scope it opens; `NONE` if it opens none.
    pub inner: ScopeId,
    /// The nearest enclosing declaration that has a [`Detail`]; `NONE` at the top.
    pub parent: DeclId,
    /// Declared type of a variable, parameter, property or field; return type of a function-like;
    /// value of an alias; default of a type parameter.
    pub ty: TypeId,
    /// The expression that gives its value and, without `ty`, its type: initialiser, destructured
    /// source, loop element, lambda parameter from context.
    pub init: ExprId,
    /// Parameters.
    pub params: List<DeclId>,
    /// Type parameters.
    pub type_params: List<DeclId>,
    /// Base list of a type; constraints of a type parameter.
    pub bases: List<Base>,
    /// The expressions that a function-like returns (an expression body is one), or those that a
    /// generator yields.
    pub returns: List<ExprId>,
    /// Where a lambda or object literal gets its contextual type from.
    pub context: Context,
    /// Byte offset from which the name is visible (0: in the whole scope). Set for narrowings after
    /// an early exit and for C# locals.
    #[serde(with = "relative::offset")]
    pub from: u32,
    /// Position of the name token, or of the first token if it has no name.
    #[serde(with = "relative::position")]
    pub at: Position,
    /// Details that only nodes need; `NONE` for locals, parameters, lambdas.
    pub detail: DetailId,
}

impl Declaration {
    /// Creates a declaration without any further facts.
    #[must_use]
    pub fn new(kind: DeclKind, name: Sym, scope: ScopeId, at: Position) -> Self {
        Self {
            name,
            kind,
            flags: DeclFlags::default(),
            scope,
            inner: ScopeId::NONE,
            parent: DeclId::NONE,
            ty: TypeId::NONE,
            init: ExprId::NONE,
            params: List::default(),
            type_params: List::default(),
            bases: List::default(),
            returns: List::default(),
            context: Context::None,
            from: 0,
            at,
            detail: DetailId::NONE,
        }
    }
}

/// The accessors that a property's declaration has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accessors(pub u8);

impl Accessors {
    /// TypeScript `get x()`, C# `get` or `=>`.
    pub const GET: Self = Self(1);
    /// TypeScript `set x(v)`, C# `set`.
    pub const SET: Self = Self(1 << 1);
    /// C# `init`.
    pub const INIT: Self = Self(1 << 2);
    /// The accessor with an accessibility of its own is the getter.
    const OWN_ACCESS_OF_GETTER: Self = Self(1 << 6);

    /// Where the code of that accessibility plus one begins; 0 if there is none.
    const OWN_ACCESS: u8 = 3;

    /// Sets the accessibility that one of the accessors has of its own: `private set`.
    pub fn set_own_access(&mut self, access: Access, is_getter: bool) {
        self.0 |= (access as u8 + 1) << Self::OWN_ACCESS;
        self.set(Self::OWN_ACCESS_OF_GETTER, is_getter);
    }

    /// Returns the accessibility that one of the accessors has of its own, and whether that is the getter.
    #[must_use]
    pub fn own_access(self) -> Option<(Access, bool)> {
        let code = ((self.0 >> Self::OWN_ACCESS) & 7).checked_sub(1)?;
        Some((
            Access::from_code(code)?,
            self.has(Self::OWN_ACCESS_OF_GETTER),
        ))
    }

    /// Reports whether all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets the bits of `other` if `on`.
    pub fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }
}

/// Details of a declaration that only nodes need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// The declaration with attributes, decorators and `export`, without its doc comment, up to its
    /// last token. For a C# field or TypeScript variable, its whole statement if it is the only
    /// declarator, else from the declarator on.
    #[serde(with = "relative::span")]
    pub span: Span,
    /// Declared accessibility with the language's default filled in; `None` where accessibility
    /// does not apply.
    pub access: Option<Access>,
    /// Parameter list as written, white space collapsed; `NONE` without one.
    pub parameters: Sym,
    /// Return or declared type as written, white space collapsed; `NONE` without one.
    pub type_text: Sym,
    /// Plain text of the doc comment's summary, at most 300 characters; `NONE` without one.
    pub doc: Sym,
    /// Marked obsolete or deprecated.
    pub deprecated: bool,
    /// The accessors of a property or accessor.
    pub accessors: Accessors,
    /// C#: the interface of an explicit implementation.
    pub explicit_interface: TypeId,
    /// Hash of the declaration's text without its own name and layout, so that a renamed or moved
    /// copy has the same hash.
    pub body_hash: [u8; 8],
}

/// One entry of a base list or one constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The clause it is in.
    pub clause: BaseClause,
    /// The named type; a TypeScript heritage expression that is not a plain name is a
    /// `TypeExpr::Heritage`.
    pub ty: TypeId,
    /// Position of its last name token.
    #[serde(with = "relative::position")]
    pub at: Position,
}

/// The clause of a base or constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum BaseClause {
    /// TypeScript `extends`.
    Extends,
    /// TypeScript `implements`.
    Implements,
    /// C# base list: a class or an interface; only the resolver can tell which.
    Base,
    /// Constraint of a type parameter.
    Constraint,
    /// C# constraint `class`, `struct`, `notnull`, `unmanaged` or `new()`: `ty` is a `Primitive` of
    /// that word.
    ConstraintWord,
}

/// The source of the contextual type of a lambda, object literal, `new()` or collection expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Context {
    /// No context.
    #[default]
    None,
    /// Argument number n of a call.
    Argument(CallId, u16),
    /// A value of a declared type (variable, cast, parameter default).
    Typed(TypeId),
    /// The value assigned to an expression (`a.b = ..`, C# object initialiser member).
    Assigned(ExprId),
    /// The value of a property of an object literal.
    Property(DeclId, Sym),
    /// A value returned from a function-like.
    Returned(DeclId),
    /// An element of an array literal or collection; the context of the literal itself is that of
    /// its declaration.
    Element(ExprId),
    /// The value of a JSX attribute; the expression is the component of the element.
    Attribute(ExprId, Sym),
}
