//! Use sites, each of which may become an edge.

use serde::{Deserialize, Serialize};

use super::{CallId, DeclId, ExportId, ExprId, ImportId, Sym, TypeId};
use crate::span::Position;

/// A use site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// How it is used.
    pub kind: SiteKind,
    /// What is used.
    pub subject: Subject,
    /// The innermost enclosing declaration with a [`Detail`](super::Detail) (a lambda belongs to
    /// its enclosing member); `NONE` at the top of the file.
    pub owner: DeclId,
    /// The name token, or for `[..]`, `new(..)` and operators the token in its place.
    pub at: Position,
}

/// What a site uses.
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
    /// The key of an object literal's member, or of a C# object initialiser / `with` (then the
    /// expression is the object).
    Key(DeclId, Sym),
    /// A C# call without an expression of its own: attribute, constructor initialiser, primary base
    /// call; the type is what is constructed.
    Construct(TypeId, CallId),
    /// TypeScript: a decorator without call: the expression.
    Decorator(ExprId),
    /// An attribute of a JSX element: the component and the name.
    Attribute(ExprId, Sym),
}

/// How something is used.
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
    /// C# `value is Name`: a type if there is one of that name, else a value.
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
