//! Built-in types that the language itself refers to, and the members that need no declaration.
//!
//! Arrays, promises and iterables are known by name, because literals, `await` and `for of` produce
//! them. Their members are declared in [`stdlib`](crate::stdlib), except for those in
//! [`BUILTIN_MEMBERS`].

macro_rules! known {
    ($($(#[$meta:meta])* $variant:ident = $($name:literal)|+,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum BuiltinType { $($(#[$meta])* $variant,)* }

        impl BuiltinType {
            /// All built-in types.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the built-in type of a global name.
            pub fn of_name(name: &str) -> Option<Self> {
                Some(match name { $($($name)|+ => Self::$variant,)* _ => return None })
            }

            /// Returns the global names of a built-in type.
            pub fn names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($name),+],)* }
            }

            /// Reports whether each value of a built-in type is one of another, by their declarations.
            pub fn is_a(self, wanted: Self) -> bool {
                self == wanted || (self, wanted) == (Self::Promise, Self::PromiseLike)
            }

            /// Returns the global name of a built-in type.
            pub fn name(self) -> &'static str {
                self.names()[0]
            }
        }
    };
}

/// Returns names that are looked up although no source text may contain them. Every world numbers
/// them, so that dependencies do not vary with the other files.
pub fn words() -> impl Iterator<Item = String> {
    let globals = BuiltinType::ALL
        .iter()
        .flat_map(|known| known.names().iter().copied());
    let words = [
        "Component",
        "constructor",
        "default",
        "next",
        "props",
        "prototype",
        "then",
        "this",
        "Window",
        "Symbol",
        "BigInt",
        "[Symbol.iterator]",
        "[Symbol.asyncIterator]",
    ];

    globals
        .clone()
        .map(|name| format!("{name}Constructor"))
        .chain(globals.chain(words).map(str::to_owned))
}

known! {
    /// `T[]`
    Array = "Array" | "ReadonlyArray" | "ArrayLike" | "ConcatArray",
    /// `Promise<T>`
    Promise = "Promise",
    /// `PromiseLike<T>`, of which every promise is a subtype.
    PromiseLike = "PromiseLike",
    /// `Map<K, V>`
    Map = "Map" | "ReadonlyMap",
    /// `Set<T>`
    Set = "Set" | "ReadonlySet",
    /// Anything a `for of` loop iterates over.
    Iterable = "Iterable" | "IterableIterator" | "Iterator" | "Generator" | "ArrayIterator" | "MapIterator" | "SetIterator" | "IteratorObject",
    /// Anything a `for await` loop iterates over.
    AsyncIterable = "AsyncIterable" | "AsyncIterableIterator" | "AsyncIterator" | "AsyncGenerator",
    /// `Record<K, V>` and index signatures.
    Record = "Record",
    /// Methods of `string`.
    Text = "String",
    /// Methods of `number`.
    Number = "Number",
    /// Methods of `boolean`.
    Boolean = "Boolean",
    Function = "Function" | "CallableFunction" | "NewableFunction",
    /// `Object`
    Object = "Object",
    RegExp = "RegExp",
    /// Points in time.
    Date = "Date",
    /// `JSON`
    Json = "JSON",
}

/// The result type of a built-in method.
#[derive(Clone, Copy, Debug)]
pub enum BuiltinResult {
    /// An array of the elements of the receiver's elements.
    Flattened,
    Receiver,
    /// The return type of the receiver, a function.
    Result,
}

/// A method of a built-in type whose declaration does not determine its result.
pub struct BuiltinMember {
    /// The type it belongs to.
    pub on: BuiltinType,
    pub name: &'static str,
    pub gives: BuiltinResult,
}

const fn builtin(on: BuiltinType, name: &'static str, gives: BuiltinResult) -> BuiltinMember {
    BuiltinMember { on, name, gives }
}

pub static BUILTIN_MEMBERS: &[BuiltinMember] = &[
    // Its declaration counts levels with a recursive conditional type.
    builtin(BuiltinType::Array, "flat", BuiltinResult::Flattened),
    // They are declared in terms of `this`, the called function.
    builtin(BuiltinType::Function, "call", BuiltinResult::Result),
    builtin(BuiltinType::Function, "apply", BuiltinResult::Result),
    builtin(BuiltinType::Function, "bind", BuiltinResult::Receiver),
];

/// Returns the index of an instance member in [`BUILTIN_MEMBERS`].
pub fn row(on: BuiltinType, name: &str) -> Option<u16> {
    let position = BUILTIN_MEMBERS
        .iter()
        .position(|row| row.on == on && row.name == name);
    position.map(|index| index as u16)
}
