//! The model of a compiled library: its public and protected types and members with their
//! signatures.
//!
//! A [`TopLevelType`] is one top-level type with all its nested types. Names are numbers in the
//! string table of the [`super::pack::BundleWriter`] that made the unit; types are numbers in the
//! unit's own table.
//!
//! Limitations: nullability of reference types, values of constants and defaults, attributes and
//! accessors of properties are left out, because the resolver does not need them.

use serde::{Deserialize, Serialize};

/// The number of a string; 0 is the empty one.
pub type StringId = u32;

/// The number of a type in [`TopLevelType::types`].
pub type TypeIndex = u32;

/// The keyword types, in the order of [`TypeSig::Keyword`].
pub const KEYWORDS: &[&str] = &[
    "void", "bool", "char", "sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong",
    "float", "double", "string", "nint", "nuint", "object", "decimal", "dynamic",
];

/// One top-level type with its nested types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopLevelType {
    /// The types that its signatures mention; the parts of a type come before it.
    pub types: Vec<TypeSig>,
    pub root: TypeDeclaration,
}

/// A type in a signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeSig {
    /// A function pointer or another type that C# cannot name here.
    Unknown,
    /// An entry of [`KEYWORDS`].
    Keyword(u8),
    /// A type parameter of the enclosing types, counted from the outermost.
    TypeParameter(u16),
    MethodParameter(u16),
    /// A declared type: its namespace, then its enclosing types and itself by name, each with its
    /// own type arguments.
    Named(StringId, Vec<(StringId, Vec<TypeIndex>)>),
    /// An array and its rank.
    Array(TypeIndex, u8),
    Pointer(TypeIndex),
    /// A reference returned by `ref`.
    ByRef(TypeIndex),
    /// `T?` of a value type.
    Nullable(TypeIndex),
    /// A tuple: the names (0: none) and types of its elements.
    Tuple(Vec<(StringId, TypeIndex)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is the keyword it names")]
pub enum TypeKind {
    Class,
    Struct,
    Interface,
    Enum,
    Delegate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is what it names")]
pub enum MemberKind {
    Method,
    Constructor,
    /// Named `operator +`.
    Operator,
    /// Named `implicit operator` or `explicit operator`.
    Conversion,
    Property,
    Field,
    Event,
    /// Named `this[]`.
    Indexer,
    EnumMember,
}

/// Yes/no properties of a type, member, parameter or type parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits(pub u32);

#[allow(missing_docs, reason = "each constant is the keyword it names")]
impl Traits {
    pub const PROTECTED: Self = Self(1);
    pub const STATIC: Self = Self(1 << 1);
    pub const ABSTRACT: Self = Self(1 << 2);
    pub const VIRTUAL: Self = Self(1 << 3);
    pub const OVERRIDE: Self = Self(1 << 4);
    pub const SEALED: Self = Self(1 << 5);
    pub const CONST: Self = Self(1 << 6);
    /// An extension method.
    pub const EXTENSION: Self = Self(1 << 7);
    /// A parameter with a default value.
    pub const OPTIONAL: Self = Self(1 << 8);
    pub const PARAMS: Self = Self(1 << 9);
    pub const REF: Self = Self(1 << 10);
    /// An `out` parameter, or a covariant type parameter.
    pub const OUT: Self = Self(1 << 11);
    /// An `in` parameter, or a contravariant type parameter.
    pub const IN: Self = Self(1 << 12);
    /// The `class` constraint.
    pub const CLASS: Self = Self(1 << 13);
    /// The `struct` constraint.
    pub const STRUCT: Self = Self(1 << 14);
    /// The `new()` constraint.
    pub const NEW: Self = Self(1 << 15);

    /// Reports whether all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets the bits of `other` if the condition holds.
    pub fn set(&mut self, other: Self, condition: bool) {
        if condition {
            self.0 |= other.0;
        }
    }
}

/// A declared type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeDeclaration {
    /// Name without arity.
    pub name: StringId,
    pub kind: TypeKind,
    /// Properties.
    pub traits: Traits,
    /// Its own type parameters.
    pub type_params: Vec<TypeParameter>,
    /// Base class and interfaces.
    pub bases: Vec<TypeIndex>,
    /// Members; those of one name need not be adjacent.
    pub members: Vec<MemberDeclaration>,
    pub nested: Vec<TypeDeclaration>,
    /// The parameters of a delegate.
    pub params: Vec<ParameterDeclaration>,
    /// The result type of a delegate.
    pub result: Option<TypeIndex>,
}

/// A declared member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberDeclaration {
    pub name: StringId,
    pub kind: MemberKind,
    /// Properties.
    pub traits: Traits,
    pub type_params: Vec<TypeParameter>,
    /// Its type or return type; `None` for constructors and enum members.
    pub ty: Option<TypeIndex>,
    pub params: Vec<ParameterDeclaration>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterDeclaration {
    pub name: StringId,
    /// Its type without `ref`.
    pub ty: TypeIndex,
    /// Modifiers and default value.
    pub traits: Traits,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    pub name: StringId,
    /// Variance and keyword constraints.
    pub traits: Traits,
    pub constraints: Vec<TypeIndex>,
}
