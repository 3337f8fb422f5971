//! Use sites, each of which may become an edge.

use serde::{Deserialize, Serialize};

use super::{CallId, DeclId, ExportId, ExprId, ImportId, Sym, TypeId, relative};
use crate::span::Position;

/// A use site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The kind of use.
    pub kind: SiteKind,
    /// The used expression, type, specifier or key.
    pub subject: Subject,
    /// The innermost enclosing declaration with a [`Detail`](super::Detail) (a lambda belongs to
    /// its enclosing member); `NONE` at the top of the file.
    pub owner: DeclId,
    /// Position of the name token; for `[..]`, `new(..)` and operators, that of the token in its
    /// place.
    #[serde(with = "relative::position")]
    pub at: Position,
}

/// The subject of a use site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// A value: for a call site the `Call`/`New`/`Jsx`, else the `Name` or `Member` itself.
    Expr(ExprId),
    /// Segment n of a dotted type name.
    Type(TypeId, u16),
    /// An import specifier.
    Import(ImportId),
    /// An export specifier.
    Export(ExportId),
    /// Entry n of the base list of a declaration.
    Base(DeclId, u16),
    /// The key of a member in an object literal, or in a C# object initialiser or `with` (the
    /// expression is then the object).
    Key(DeclId, Sym),
    /// A C# call without an expression of its own (attribute, constructor initialiser, primary base
    /// call); the type is the constructed one.
    Construct(TypeId, CallId),
    /// TypeScript: the expression of a decorator that is not a call.
    Decorator(ExprId),
    /// An attribute of a JSX element: the component and the name.
    Attribute(ExprId, Sym),
}

/// Kinds of uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum SiteKind {
    /// `f()`
    Call,
    /// `new C()`, `new()`
    New,
    /// `: this(..)`
    ThisInit,
    /// `: base(..)`, C# primary base call, TypeScript `super(..)`
    BaseInit,
    /// `<C />`
    Jsx,
    /// A tagged template.
    Tag,
    /// C# attribute.
    Attribute,
    /// TypeScript decorator without call.
    Decorator,
    /// An overloadable operator.
    Operator,
    /// An element access.
    Index,
    /// A value is read.
    Read,
    /// C# `value is Name`: a type if one has that name, else a value.
    Test,
    /// A value is written.
    Write,
    /// A value is read and written (`+=`, `++`).
    ReadWrite,
    /// A type is named in a parameter list.
    ParameterType,
    /// A type is named anywhere else.
    TypeRef,
    /// A base list entry.
    Base,
    /// An import or using.
    Import,
    /// An export specifier.
    Export,
    /// A key of an object literal or initialiser.
    Key,
    /// A name in a destructuring pattern.
    Destructure,
    /// Inside `nameof(..)`.
    NameOf,
}

impl SiteKind {
    /// Reports whether the use is a call.
    #[must_use]
    pub fn is_call(self) -> bool {
        match self {
            Self::Call
            | Self::New
            | Self::ThisInit
            | Self::BaseInit
            | Self::Jsx
            | Self::Tag
            | Self::Attribute
            | Self::Decorator => true,

            Self::Operator
            | Self::Index
            | Self::Read
            | Self::Test
            | Self::Write
            | Self::ReadWrite
            | Self::ParameterType
            | Self::TypeRef
            | Self::Base
            | Self::Import
            | Self::Export
            | Self::Key
            | Self::Destructure
            | Self::NameOf => false,
        }
    }
}
