//! Which names of the base library have a meaning the language or the inference relies on: keyword types, tasks, sequences, delegates.
//!
//! `int` is `System.Int32`; an async lambda gives a `Task<T>`. A known type is the library's declaration of that namespace, name and number of type
//! parameters; one of the same name elsewhere is not meant.
//!
//! **Limits.** Shapes only: what an external type declares is known when its declarations are in the world as external files.

use crate::resolve::csharp::intern::NameId;

macro_rules! known {
    ($($variant:ident $name:literal $arity:literal,)*) => {
        /// A type of the base library the linker knows by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each variant is the type it names")]
        pub enum Known { $($variant,)* }

        /// Variant, simple name and number of type arguments ([`ANY`]: whatever).
        pub const KNOWN: &[(Known, &str, u8)] = &[$((Known::$variant, $name, $arity),)*];
    };
}

/// Any number of type arguments.
pub const ANY: u8 = u8::MAX;

known! {
    Object "Object" 0, String "String" 0, Boolean "Boolean" 0, Char "Char" 0, SByte "SByte" 0, Byte "Byte" 0, Int16 "Int16" 0,
    UInt16 "UInt16" 0, Int32 "Int32" 0, UInt32 "UInt32" 0, Int64 "Int64" 0, UInt64 "UInt64" 0, IntPtr "IntPtr" 0, UIntPtr "UIntPtr" 0,
    Single "Single" 0, Double "Double" 0, Decimal "Decimal" 0, Void "Void" 0, ValueType "ValueType" 0, Enum "Enum" 0, Array "Array" 0,
    Delegate "Delegate" 0, MulticastDelegate "MulticastDelegate" 0, Attribute "Attribute" 0, Exception "Exception" 0, Type "Type" 0,
    Index "Index" 0, Range "Range" 0, DateTime "DateTime" 0, DateTimeOffset "DateTimeOffset" 0, TimeSpan "TimeSpan" 0, Guid "Guid" 0,
    CancellationToken "CancellationToken" 0, BigInteger "BigInteger" 0, DateOnly "DateOnly" 0, TimeOnly "TimeOnly" 0,
    FormattableString "FormattableString" 0,
    Nullable "Nullable" 1, Lazy "Lazy" 1, Task "Task" 0, TaskOf "Task" 1, ValueTask "ValueTask" 0, ValueTaskOf "ValueTask" 1,
    ConfiguredTask "ConfiguredTaskAwaitable" 1, ConfiguredValueTask "ConfiguredValueTaskAwaitable" 1, YieldAwaitable "YieldAwaitable" 0,
    Enumerable "IEnumerable" 0, EnumerableOf "IEnumerable" 1, CollectionInterface "ICollection" 1, ListInterface "IList" 1,
    ReadOnlyCollectionInterface "IReadOnlyCollection" 1, ReadOnlyListInterface "IReadOnlyList" 1, SetInterface "ISet" 1,
    ReadOnlySetInterface "IReadOnlySet" 1, Enumerator "IEnumerator" 1, AsyncEnumerable "IAsyncEnumerable" 1,
    AsyncEnumerator "IAsyncEnumerator" 1, List "List" 1, HashSet "HashSet" 1, Queue "Queue" 1, Stack "Stack" 1, LinkedList "LinkedList" 1,
    SortedSet "SortedSet" 1, Collection "Collection" 1, ObservableCollection "ObservableCollection" 1,
    ReadOnlyCollection "ReadOnlyCollection" 1, ConcurrentBag "ConcurrentBag" 1, ConcurrentQueue "ConcurrentQueue" 1,
    ConcurrentStack "ConcurrentStack" 1, BlockingCollection "BlockingCollection" 1, ImmutableArray "ImmutableArray" 1,
    ImmutableList "ImmutableList" 1, ImmutableHashSet "ImmutableHashSet" 1, Span "Span" 1, ReadOnlySpan "ReadOnlySpan" 1,
    Memory "Memory" 1, ReadOnlyMemory "ReadOnlyMemory" 1, ArraySegment "ArraySegment" 1, Queryable "IQueryable" 1,
    OrderedEnumerable "IOrderedEnumerable" 1, OrderedQueryable "IOrderedQueryable" 1, ParallelQuery "ParallelQuery" 1,
    Grouping "IGrouping" 2, Lookup "ILookup" 2, Dictionary "Dictionary" 2, DictionaryInterface "IDictionary" 2,
    ReadOnlyDictionaryInterface "IReadOnlyDictionary" 2, ConcurrentDictionary "ConcurrentDictionary" 2,
    SortedDictionary "SortedDictionary" 2, SortedList "SortedList" 2, ReadOnlyDictionary "ReadOnlyDictionary" 2,
    ImmutableDictionary "ImmutableDictionary" 2, KeyValuePair "KeyValuePair" 2, Func "Func" 255, Action "Action" 255,
    Predicate "Predicate" 1, Comparison "Comparison" 1, Converter "Converter" 2, EventHandler "EventHandler" 0,
    EventHandlerOf "EventHandler" 1, Expression "Expression" 1, ValueTuple "ValueTuple" 255, ThreadLocal "ThreadLocal" 1,
    AsyncLocal "AsyncLocal" 1, WeakReference "WeakReference" 1, EventArgs "EventArgs" 0, Equatable "IEquatable" 1, AsyncCallback "AsyncCallback" 0,
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
        /// Names interned before all others, in this order.
        pub const WORDS: &[&str] = &[$($text,)*];
        words!(@ 0u32; $($constant,)*);
    };
    (@ $index:expr; $constant:ident, $($rest:ident,)*) => {
        #[allow(missing_docs, reason = "each constant is the name it interns")]
        pub const $constant: NameId = NameId($index);
        words!(@ $index + 1; $($rest,)*);
    };
    (@ $index:expr;) => {};
}

words! {
    INDEXER "this[]", INVOKE "Invoke", VALUE "Value", GET_ENUMERATOR "GetEnumerator", GET_ASYNC_ENUMERATOR "GetAsyncEnumerator",
    CURRENT "Current", DECONSTRUCT "Deconstruct", GET_AWAITER "GetAwaiter", GET_RESULT "GetResult", GLOBAL "global::", GET_VALUE_OR_DEFAULT "GetValueOrDefault",
    SLICE "Slice",
}

impl Known {
    /// The namespace it is declared in.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Self::CancellationToken | Self::ThreadLocal | Self::AsyncLocal => "System.Threading",
            Self::BigInteger => "System.Numerics",
            Self::Task | Self::TaskOf | Self::ValueTask | Self::ValueTaskOf => "System.Threading.Tasks",
            Self::ConfiguredTask | Self::ConfiguredValueTask | Self::YieldAwaitable => "System.Runtime.CompilerServices",
            Self::Enumerable => "System.Collections",
            Self::Collection | Self::ObservableCollection | Self::ReadOnlyCollection | Self::ReadOnlyDictionary => {
                "System.Collections.ObjectModel"
            }
            Self::ConcurrentBag | Self::ConcurrentQueue | Self::ConcurrentStack | Self::BlockingCollection | Self::ConcurrentDictionary => {
                "System.Collections.Concurrent"
            }
            Self::ImmutableArray | Self::ImmutableList | Self::ImmutableHashSet | Self::ImmutableDictionary => {
                "System.Collections.Immutable"
            }
            Self::Queryable | Self::OrderedEnumerable | Self::OrderedQueryable | Self::ParallelQuery | Self::Grouping | Self::Lookup => {
                "System.Linq"
            }
            Self::Expression => "System.Linq.Expressions",
            Self::EnumerableOf
            | Self::CollectionInterface
            | Self::ListInterface
            | Self::ReadOnlyCollectionInterface
            | Self::ReadOnlyListInterface
            | Self::SetInterface
            | Self::ReadOnlySetInterface
            | Self::Enumerator
            | Self::AsyncEnumerable
            | Self::AsyncEnumerator
            | Self::List
            | Self::HashSet
            | Self::Queue
            | Self::Stack
            | Self::LinkedList
            | Self::SortedSet
            | Self::Dictionary
            | Self::DictionaryInterface
            | Self::ReadOnlyDictionaryInterface
            | Self::SortedDictionary
            | Self::SortedList
            | Self::KeyValuePair => "System.Collections.Generic",
            _ => "System",
        }
    }

    /// Whether types of that name differ in the number of their type parameters alone.
    #[must_use]
    pub fn is_variadic(self) -> bool {
        matches!(self, Self::Func | Self::Action | Self::ValueTuple)
    }

    /// Whether it is a numeric type.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        (Self::Char as u8..=Self::Decimal as u8).contains(&(self as u8))
    }

    /// Whether values of the numeric type `self` convert implicitly to `to`.
    #[must_use]
    pub fn widens_to(self, to: Self) -> bool {
        use Known::{Byte, Char, Decimal, Double, Int16, Int32, Int64, IntPtr, SByte, Single, UInt16, UInt32, UInt64, UIntPtr};
        match self {
            SByte => matches!(to, Int16 | Int32 | Int64 | Single | Double | Decimal | IntPtr),
            Byte => matches!(to, Int16 | UInt16 | Int32 | UInt32 | Int64 | UInt64 | Single | Double | Decimal | IntPtr | UIntPtr),
            Int16 => matches!(to, Int32 | Int64 | Single | Double | Decimal | IntPtr),
            UInt16 => matches!(to, Int32 | UInt32 | Int64 | UInt64 | Single | Double | Decimal | IntPtr | UIntPtr),
            Char => matches!(to, UInt16 | Int32 | UInt32 | Int64 | UInt64 | Single | Double | Decimal | IntPtr | UIntPtr),
            Int32 => matches!(to, Int64 | Single | Double | Decimal | IntPtr),
            UInt32 => matches!(to, Int64 | UInt64 | Single | Double | Decimal | UIntPtr),
            Int64 | UInt64 => matches!(to, Single | Double | Decimal),
            IntPtr => matches!(to, Int64 | Single | Double | Decimal),
            UIntPtr => matches!(to, UInt64 | Single | Double | Decimal),
            Single => matches!(to, Double),
            _ => false,
        }
    }

    /// Whether it is a signed integer type that beats the unsigned type `other` in overload resolution.
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

    /// Whether it is a value type.
    #[must_use]
    pub fn is_value_type(self) -> bool {
        self.is_primitive_value()
            || matches!(
                self,
                Self::Index
                    | Self::Range
                    | Self::DateTime
                    | Self::DateTimeOffset
                    | Self::TimeSpan
                    | Self::Guid
                    | Self::CancellationToken
                    | Self::BigInteger
                    | Self::DateOnly
                    | Self::TimeOnly
                    | Self::Nullable
                    | Self::ValueTask
                    | Self::ValueTaskOf
                    | Self::ConfiguredTask
                    | Self::ConfiguredValueTask
                    | Self::ImmutableArray
                    | Self::Span
                    | Self::ReadOnlySpan
                    | Self::Memory
                    | Self::ReadOnlyMemory
                    | Self::ArraySegment
                    | Self::KeyValuePair
                    | Self::ValueTuple
            )
    }

    /// Whether it is `bool` or numeric.
    #[must_use]
    pub fn is_primitive_value(self) -> bool {
        self == Self::Boolean || self.is_numeric()
    }

    /// Whether nothing can derive from it and what converts to and from it is known here.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self == Self::String || self == Self::Type || self.is_value_type()
    }

    /// Whether it is a sequence of its one type argument, or of pairs of its two.
    #[must_use]
    pub fn is_sequence(self) -> bool {
        (Self::EnumerableOf as u8..=Self::ImmutableDictionary as u8).contains(&(self as u8))
            && !matches!(self, Self::Enumerator | Self::AsyncEnumerator | Self::Memory | Self::ReadOnlyMemory)
    }

    /// Whether it maps keys to values.
    #[must_use]
    pub fn is_dictionary(self) -> bool {
        (Self::Dictionary as u8..=Self::ImmutableDictionary as u8).contains(&(self as u8))
    }

    /// Whether a collection converts to it: an interface that all collections implement.
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

    /// Whether type argument `index` of `count` is covariant, and whether it is contravariant.
    #[must_use]
    pub fn variance(self, index: usize, count: usize) -> (bool, bool) {
        match self {
            Self::EnumerableOf
            | Self::Enumerator
            | Self::AsyncEnumerable
            | Self::AsyncEnumerator
            | Self::ReadOnlyCollectionInterface
            | Self::ReadOnlyListInterface
            | Self::Queryable
            | Self::OrderedEnumerable
            | Self::OrderedQueryable
            | Self::Grouping => (true, false),
            Self::Func | Self::Converter => (index + 1 == count, index + 1 < count),
            Self::Action | Self::Predicate | Self::Comparison => (false, true),
            _ => (false, false),
        }
    }

    /// Whether awaiting it gives its type argument.
    #[must_use]
    pub fn is_task_of(self) -> bool {
        matches!(self, Self::TaskOf | Self::ValueTaskOf | Self::ConfiguredTask | Self::ConfiguredValueTask)
    }

    /// Whether it is a task without a result.
    #[must_use]
    pub fn is_task(self) -> bool {
        matches!(self, Self::Task | Self::ValueTask)
    }
}
