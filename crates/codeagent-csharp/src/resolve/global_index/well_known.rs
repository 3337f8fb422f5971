//! Well-known types: types of the base library that the language itself refers to, such as keyword
//! types, tasks, sequences and spans.
//!
//! `int` is `System.Int32`; an async lambda returns a `Task<T>`. A well-known type is the library's
//! declaration with that namespace, name and number of type parameters, not a type of the same name
//! elsewhere.
//!
//! Limitations: members and base types are not listed here: the declaration is in the world like
//! any other.

use codeagent_lang::query::names::{Name, Names};

macro_rules! known {
    ($($variant:ident $name:literal $arity:expr;)*) => {
        /// A type of the base library that the resolver knows by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each variant is the type it names")]
        pub enum Known { $($variant,)* }

        /// Variant, simple name and number of type parameters (`None`: any).
        pub const KNOWN: &[(Known, &str, Option<u16>)] = &[$((Known::$variant, $name, $arity),)*];
    };
}

known! {
    Object "Object" Some(0);
    String "String" Some(0);
    Boolean "Boolean" Some(0);
    Char "Char" Some(0);
    SByte "SByte" Some(0);
    Byte "Byte" Some(0);
    Int16 "Int16" Some(0);
    UInt16 "UInt16" Some(0);
    Int32 "Int32" Some(0);
    UInt32 "UInt32" Some(0);
    Int64 "Int64" Some(0);
    UInt64 "UInt64" Some(0);
    IntPtr "IntPtr" Some(0);
    UIntPtr "UIntPtr" Some(0);
    Single "Single" Some(0);
    Double "Double" Some(0);
    Decimal "Decimal" Some(0);
    Void "Void" Some(0);
    ValueType "ValueType" Some(0);
    Enum "Enum" Some(0);
    Array "Array" Some(0);
    Delegate "Delegate" Some(0);
    MulticastDelegate "MulticastDelegate" Some(0);
    Index "Index" Some(0);
    Range "Range" Some(0);
    Nullable "Nullable" Some(1);
    ValueTuple "ValueTuple" None;
    Equatable "IEquatable" Some(1);
    Task "Task" Some(0);
    TaskOf "Task" Some(1);
    ValueTask "ValueTask" Some(0);
    ValueTaskOf "ValueTask" Some(1);
    Enumerable "IEnumerable" Some(0);
    EnumerableOf "IEnumerable" Some(1);
    CollectionInterface "ICollection" Some(1);
    ListInterface "IList" Some(1);
    ReadOnlyCollectionInterface "IReadOnlyCollection" Some(1);
    ReadOnlyListInterface "IReadOnlyList" Some(1);
    Enumerator "IEnumerator" Some(1);
    AsyncEnumerable "IAsyncEnumerable" Some(1);
    AsyncEnumerator "IAsyncEnumerator" Some(1);
    Span "Span" Some(1);
    ReadOnlySpan "ReadOnlySpan" Some(1);
    Expression "Expression" Some(1);
    LambdaExpression "LambdaExpression" Some(0);
    FormattableString "FormattableString" Some(0);
    Formattable "IFormattable" Some(0);
}

/// Keyword and the type it stands for.
pub const KEYWORDS: &[(&str, Known)] = &[
    ("object", Known::Object),
    ("string", Known::String),
    ("bool", Known::Boolean),
    ("char", Known::Char),
    ("sbyte", Known::SByte),
    ("byte", Known::Byte),
    ("short", Known::Int16),
    ("ushort", Known::UInt16),
    ("int", Known::Int32),
    ("uint", Known::UInt32),
    ("long", Known::Int64),
    ("ulong", Known::UInt64),
    ("nint", Known::IntPtr),
    ("nuint", Known::UIntPtr),
    ("float", Known::Single),
    ("double", Known::Double),
    ("decimal", Known::Decimal),
    ("void", Known::Void),
];

macro_rules! words {
    ($($constant:ident $text:literal,)*) => {
        /// Names that are interned before all others, in this order.
        pub const WORDS: &[&str] = &[$($text,)*];
        words!(@ 0u32; $($constant,)*);
    };
    (@ $index:expr; $constant:ident, $($rest:ident,)*) => {
        #[allow(missing_docs, reason = "each constant is the name it interns")]
        pub const $constant: Name = Name($index);
        words!(@ $index + 1; $($rest,)*);
    };
    (@ $index:expr;) => {};
}

words! {
    INDEXER "this[]", INVOKE "Invoke", VALUE "Value", GET_ENUMERATOR "GetEnumerator", GET_ASYNC_ENUMERATOR "GetAsyncEnumerator",
    CURRENT "Current", DECONSTRUCT "Deconstruct", GET_AWAITER "GetAwaiter", GET_RESULT "GetResult", GLOBAL "global::", GET_VALUE_OR_DEFAULT "GetValueOrDefault",
    SLICE "Slice", APPEND_LITERAL "AppendLiteral", APPEND_FORMATTED "AppendFormatted",
}

/// Names of operators. Always interned, so that recorded lookups do not depend on whether a file
/// declares one.
pub const OPERATORS: &[&str] = &[
    "operator +",
    "operator -",
    "operator *",
    "operator /",
    "operator %",
    "operator &",
    "operator |",
    "operator ^",
    "operator <<",
    "operator >>",
    "operator >>>",
    "operator ==",
    "operator !=",
    "operator <",
    "operator >",
    "operator <=",
    "operator >=",
    "operator !",
    "operator ~",
    "operator ++",
    "operator --",
];

/// Returns all names that the resolver knows, and the simple name of each well-known type.
#[must_use]
pub fn names() -> (Names, Vec<Name>) {
    let mut names = Names::default();
    for word in WORDS.iter().chain(OPERATORS) {
        names.add(word);
    }
    let known = KNOWN.iter().map(|(_, name, _)| names.add(name)).collect();
    (names, known)
}

impl Known {
    /// Returns the namespace of the type.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Task | Self::TaskOf | Self::ValueTask | Self::ValueTaskOf => {
                "System.Threading.Tasks"
            }
            Self::Enumerable => "System.Collections",
            Self::EnumerableOf
            | Self::CollectionInterface
            | Self::ListInterface
            | Self::ReadOnlyCollectionInterface
            | Self::ReadOnlyListInterface
            | Self::Enumerator
            | Self::AsyncEnumerable
            | Self::AsyncEnumerator => "System.Collections.Generic",
            Self::Expression | Self::LambdaExpression => "System.Linq.Expressions",
            _ => "System",
        }
    }

    /// Reports whether it is a numeric type.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        (Self::Char as u8..=Self::Decimal as u8).contains(&(self as u8))
    }

    /// Reports whether values of the numeric type `self` convert implicitly to `to`.
    #[must_use]
    pub fn widens_to(self, to: Self) -> bool {
        use Known::{
            Byte, Char, Decimal, Double, Int16, Int32, Int64, IntPtr, SByte, Single, UInt16,
            UInt32, UInt64, UIntPtr,
        };

        match self {
            SByte => matches!(
                to,
                Int16 | Int32 | Int64 | Single | Double | Decimal | IntPtr
            ),
            Byte => matches!(
                to,
                Int16
                    | UInt16
                    | Int32
                    | UInt32
                    | Int64
                    | UInt64
                    | Single
                    | Double
                    | Decimal
                    | IntPtr
                    | UIntPtr
            ),
            Int16 => matches!(to, Int32 | Int64 | Single | Double | Decimal | IntPtr),
            UInt16 => matches!(
                to,
                Int32 | UInt32 | Int64 | UInt64 | Single | Double | Decimal | IntPtr | UIntPtr
            ),
            Char => matches!(
                to,
                UInt16
                    | Int32
                    | UInt32
                    | Int64
                    | UInt64
                    | Single
                    | Double
                    | Decimal
                    | IntPtr
                    | UIntPtr
            ),
            Int32 => matches!(to, Int64 | Single | Double | Decimal | IntPtr),
            UInt32 => matches!(to, Int64 | UInt64 | Single | Double | Decimal | UIntPtr),
            Int64 | UInt64 => matches!(to, Single | Double | Decimal),
            IntPtr => matches!(to, Int64 | Single | Double | Decimal),
            UIntPtr => matches!(to, UInt64 | Single | Double | Decimal),
            Single => matches!(to, Double),
            _ => false,
        }
    }

    /// Reports whether it is a signed integer type that is better than the unsigned type `other` in
    /// overload resolution.
    #[must_use]
    pub fn beats_unsigned(self, other: Self) -> bool {
        use Known::{Byte, Int16, Int32, Int64, IntPtr, SByte, UInt16, UInt32, UInt64, UIntPtr};
        match self {
            SByte => matches!(other, Byte | UInt16 | UInt32 | UInt64 | UIntPtr),
            Int16 => matches!(other, UInt16 | UInt32 | UInt64 | UIntPtr),
            Int32 => matches!(other, UInt32 | UInt64 | UIntPtr),
            Int64 | IntPtr => matches!(other, UInt64 | UIntPtr),
            _ => false,
        }
    }

    /// Reports whether it is `bool` or numeric.
    #[must_use]
    pub fn is_primitive_value(self) -> bool {
        self == Self::Boolean || self.is_numeric()
    }

    /// Reports whether a one-dimensional array implements it and a collection expression can create
    /// it (standard §17.2).
    #[must_use]
    pub fn is_collection_interface(self) -> bool {
        matches!(
            self,
            Self::EnumerableOf
                | Self::CollectionInterface
                | Self::ListInterface
                | Self::ReadOnlyCollectionInterface
                | Self::ReadOnlyListInterface
        )
    }

    /// Reports whether its type argument is the result of awaiting it.
    #[must_use]
    pub fn is_task_of(self) -> bool {
        matches!(self, Self::TaskOf | Self::ValueTaskOf)
    }

    /// Reports whether it is a task without a result.
    #[must_use]
    pub fn is_task(self) -> bool {
        matches!(self, Self::Task | Self::ValueTask)
    }
}
