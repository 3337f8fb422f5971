//! What the built-in library is known to give when its declarations are not in the world: element types, callback parameters, results.
//!
//! One row per member whose type carries repository types on: `items.map(item => ..)`, `await promise`, `map.get(key)`.
//!
//! **Limits.** A member without a row is outside the repository; so are the DOM and everything from packages but for a few functions that
//! hand a type straight through.

use Shape::{
    Arg, Array, Awaited, Boolean, Callback, Either, Element, Iterable, Nothing, Number, Passed, Promise, Receiver, Returned, Text, Tuple,
    Value,
};

macro_rules! known {
    ($($(#[$meta:meta])* $variant:ident = $($name:literal)|+,)*) => {
        /// A built-in type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Known { $($(#[$meta])* $variant,)* }

        impl Known {
            /// The built-in type of a global name.
            pub fn of_name(name: &str) -> Option<Self> {
                Some(match name { $($($name)|+ => Self::$variant,)* _ => return None })
            }

            /// The global name of a built-in type.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => [$($name),+][0],)* }
            }
        }
    };
}

known! {
    /// `T[]`
    Array = "Array" | "ReadonlyArray" | "ArrayLike" | "ConcatArray",
    /// `Promise<T>`
    Promise = "Promise" | "PromiseLike",
    /// `Map<K, V>`
    Map = "Map" | "ReadonlyMap" | "WeakMap",
    /// `Set<T>`
    Set = "Set" | "ReadonlySet" | "WeakSet",
    /// Whatever a `for of` loop goes over.
    Iterable = "Iterable" | "IterableIterator" | "Iterator" | "Generator" | "ArrayIterator" | "MapIterator" | "SetIterator" | "IteratorObject",
    /// Whatever a `for await` loop goes over.
    AsyncIterable = "AsyncIterable" | "AsyncIterableIterator" | "AsyncIterator" | "AsyncGenerator",
    /// What an iterator's `next` gives.
    IteratorResult = "IteratorResult",
    /// `Record<K, V>` and index signatures.
    Record = "Record",
    /// `WeakRef<T>`
    WeakRef = "WeakRef",
    /// Methods of `string`.
    Text = "String",
    /// Methods of `number`.
    Number = "Number",
    /// Methods of `boolean`.
    Boolean = "Boolean",
    /// Methods of functions.
    Function = "Function" | "CallableFunction" | "NewableFunction",
    /// `Object`
    Object = "Object",
    /// Regular expressions.
    RegExp = "RegExp",
    /// Points in time.
    Date = "Date",
    /// `JSON`
    Json = "JSON",
}

/// How a type is made from a receiver and arguments.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `any`
    Any,
    /// `void`, `undefined`
    Nothing,
    /// `string`
    Text,
    /// `number`
    Number,
    /// `boolean`
    Boolean,
    /// Type argument n of the receiver.
    Arg(usize),
    /// The receiver itself.
    Receiver,
    /// What the receiver, a function, returns.
    ReceiverResult,
    /// The type of argument n.
    Passed(usize),
    /// What argument n, a function, returns.
    Returned(usize),
    /// The type argument n as written, else the other shape.
    Written(usize, &'static Shape),
    /// The type that argument n, a type predicate, tests for, else the other shape.
    Tested(usize, &'static Shape),
    /// An array of it.
    Array(&'static Shape),
    /// A promise of it.
    Promise(&'static Shape),
    /// An iterable of it.
    Iterable(&'static Shape),
    /// What awaiting it gives.
    Awaited(&'static Shape),
    /// What going over it gives; itself if it is no array.
    Element(&'static Shape),
    /// The types of its properties.
    Value(&'static Shape),
    /// Each element of a tuple or array awaited.
    All(&'static Shape),
    /// A tuple of them.
    Tuple(&'static [Shape]),
    /// The first that is known.
    Either(&'static Shape, &'static Shape),
    /// All arguments together.
    Merged,
    /// An instance of argument n, a class.
    Made(usize),
    /// A function that takes these.
    Callback(&'static [Shape]),
}

/// A member of a built-in type.
pub struct Row {
    /// Of which type.
    pub on: Known,
    /// Whether it is a member of the constructor value (`Object.keys`) instead of an instance.
    pub is_static: bool,
    /// Its names.
    pub names: &'static [&'static str],
    /// Types its arguments take over from their place; empty where that says nothing.
    pub params: &'static [Shape],
    /// Its result, or its own type if it is no method.
    pub out: Shape,
    /// Whether it is called.
    pub method: bool,
}

const fn method(on: Known, names: &'static [&'static str], params: &'static [Shape], out: Shape) -> Row {
    Row { on, is_static: false, names, params, out, method: true }
}

const fn property(on: Known, names: &'static [&'static str], out: Shape) -> Row {
    Row { on, is_static: false, names, params: &[], out, method: false }
}

const fn function(on: Known, names: &'static [&'static str], params: &'static [Shape], out: Shape) -> Row {
    Row { on, is_static: true, names, params, out, method: true }
}

const EACH: &[Shape] = &[Callback(&[Arg(0), Number, Receiver])];
const COMPARE: &[Shape] = &[Callback(&[Arg(0), Arg(0)])];
const ACCUMULATED: Shape = Shape::Written(0, &Either(&Passed(1), &Arg(0)));

/// All rows.
pub static ROWS: &[Row] = &[
    method(Known::Array, &["find", "findLast"], EACH, Shape::Tested(0, &Arg(0))),
    method(Known::Array, &["at", "pop", "shift"], &[], Arg(0)),
    method(Known::Array, &["filter"], EACH, Array(&Shape::Tested(0, &Arg(0)))),
    method(Known::Array, &["forEach"], EACH, Nothing),
    method(Known::Array, &["map"], EACH, Array(&Shape::Written(0, &Returned(0)))),
    method(Known::Array, &["flatMap"], EACH, Array(&Shape::Written(0, &Element(&Returned(0))))),
    method(Known::Array, &["flat"], &[], Array(&Element(&Arg(0)))),
    method(Known::Array, &["some", "every"], EACH, Boolean),
    method(Known::Array, &["findIndex", "findLastIndex"], EACH, Number),
    method(Known::Array, &["reduce", "reduceRight"], &[Callback(&[ACCUMULATED, Arg(0), Number, Receiver])], ACCUMULATED),
    method(Known::Array, &["sort", "toSorted"], COMPARE, Array(&Arg(0))),
    method(Known::Array, &["concat"], &[], Array(&Either(&Arg(0), &Element(&Passed(0))))),
    method(Known::Array, &["slice", "splice", "reverse", "fill", "toReversed", "toSpliced", "with", "copyWithin"], &[], Array(&Arg(0))),
    method(Known::Array, &["push", "unshift"], &[Arg(0), Arg(0), Arg(0)], Number),
    method(Known::Array, &["indexOf", "lastIndexOf"], &[], Number),
    method(Known::Array, &["includes"], &[], Boolean),
    method(Known::Array, &["join", "toString"], &[], Text),
    method(Known::Array, &["values"], &[], Iterable(&Arg(0))),
    method(Known::Array, &["keys"], &[], Iterable(&Number)),
    method(Known::Array, &["entries"], &[], Iterable(&Tuple(&[Number, Arg(0)]))),
    property(Known::Array, &["length"], Number),
    function(
        Known::Array,
        &["from"],
        &[Shape::Any, Callback(&[Element(&Passed(0)), Number])],
        Array(&Shape::Written(0, &Either(&Returned(1), &Element(&Passed(0))))),
    ),
    function(Known::Array, &["of"], &[], Array(&Passed(0))),
    function(Known::Array, &["isArray"], &[], Boolean),
    method(Known::Promise, &["then"], &[Callback(&[Awaited(&Arg(0))])], Promise(&Shape::Written(0, &Awaited(&Returned(0))))),
    method(Known::Promise, &["catch"], &[Callback(&[Shape::Any])], Promise(&Either(&Arg(0), &Awaited(&Returned(0))))),
    method(Known::Promise, &["finally"], &[], Receiver),
    function(Known::Promise, &["resolve"], &[], Promise(&Shape::Written(0, &Awaited(&Passed(0))))),
    function(Known::Promise, &["reject"], &[], Promise(&Shape::Written(0, &Shape::Any))),
    function(Known::Promise, &["all"], &[], Promise(&Shape::All(&Passed(0)))),
    function(Known::Promise, &["race", "any"], &[], Promise(&Awaited(&Element(&Passed(0))))),
    method(Known::Map, &["get"], &[], Arg(1)),
    method(Known::Map, &["set"], &[Arg(0), Arg(1)], Receiver),
    method(Known::Map, &["has", "delete"], &[], Boolean),
    method(Known::Map, &["forEach"], &[Callback(&[Arg(1), Arg(0), Receiver])], Nothing),
    method(Known::Map, &["values"], &[], Iterable(&Arg(1))),
    method(Known::Map, &["keys"], &[], Iterable(&Arg(0))),
    method(Known::Map, &["entries"], &[], Iterable(&Tuple(&[Arg(0), Arg(1)]))),
    property(Known::Map, &["size"], Number),
    method(Known::Set, &["add"], &[Arg(0)], Receiver),
    method(Known::Set, &["has", "delete"], &[], Boolean),
    method(Known::Set, &["forEach"], &[Callback(&[Arg(0), Arg(0), Receiver])], Nothing),
    method(Known::Set, &["values", "keys"], &[], Iterable(&Arg(0))),
    method(Known::Set, &["entries"], &[], Iterable(&Tuple(&[Arg(0), Arg(0)]))),
    property(Known::Set, &["size"], Number),
    method(Known::Iterable, &["next", "return"], &[], Shape::Any),
    method(Known::Iterable, &["map"], EACH, Iterable(&Returned(0))),
    method(Known::Iterable, &["filter"], EACH, Iterable(&Shape::Tested(0, &Arg(0)))),
    method(Known::Iterable, &["take", "drop"], &[], Receiver),
    method(Known::Iterable, &["toArray"], &[], Array(&Arg(0))),
    method(Known::Iterable, &["find"], EACH, Arg(0)),
    method(Known::Iterable, &["forEach"], EACH, Nothing),
    method(Known::Iterable, &["some", "every"], EACH, Boolean),
    property(Known::IteratorResult, &["value"], Arg(0)),
    method(Known::WeakRef, &["deref"], &[], Arg(0)),
    method(Known::Text, &["split"], &[], Array(&Text)),
    method(Known::Text, &["indexOf", "lastIndexOf", "charCodeAt", "codePointAt", "localeCompare", "search"], &[], Number),
    method(Known::Text, &["includes", "startsWith", "endsWith"], &[], Boolean),
    method(Known::Text, &["replace", "replaceAll"], &[Shape::Any, Callback(&[Text, Text, Text, Text])], Text),
    method(
        Known::Text,
        &[
            "trim",
            "trimStart",
            "trimEnd",
            "slice",
            "substring",
            "substr",
            "toLowerCase",
            "toUpperCase",
            "toString",
            "charAt",
            "padStart",
            "padEnd",
            "repeat",
            "concat",
            "normalize",
            "valueOf",
        ],
        &[],
        Text,
    ),
    method(Known::Text, &["match"], &[], Array(&Text)),
    property(Known::Text, &["length"], Number),
    method(Known::Number, &["toString", "toFixed", "toPrecision", "toLocaleString"], &[], Text),
    method(Known::Function, &["call"], &[], Shape::ReceiverResult),
    method(Known::Function, &["apply"], &[], Shape::ReceiverResult),
    method(Known::Function, &["bind"], &[], Receiver),
    property(Known::Function, &["name"], Text),
    function(Known::Object, &["keys", "getOwnPropertyNames"], &[], Array(&Text)),
    function(Known::Object, &["values"], &[], Array(&Value(&Passed(0)))),
    function(Known::Object, &["entries"], &[], Array(&Tuple(&[Text, Value(&Passed(0))]))),
    function(Known::Object, &["assign"], &[], Shape::Merged),
    function(Known::Object, &["freeze", "seal", "preventExtensions", "defineProperty", "setPrototypeOf"], &[], Passed(0)),
    function(Known::Json, &["stringify"], &[], Text),
    function(Known::Json, &["parse"], &[], Shape::Any),
];

/// The row of a member.
pub fn row(on: Known, is_static: bool, name: &str) -> Option<u16> {
    let position = ROWS.iter().position(|row| row.on == on && row.is_static == is_static && row.names.contains(&name));
    position.map(|index| index as u16)
}

/// Functions of packages that hand types through: package, name, parameters, result.
pub static PACKAGE_FUNCTIONS: &[(&str, &[&str], &[Shape], Shape)] = &[
    ("@angular/core", &["inject"], &[], Shape::Written(0, &Shape::Made(0))),
    ("react", &["useCallback", "memo", "forwardRef"], &[], Passed(0)),
    ("react", &["useMemo"], &[], Shape::Written(0, &Returned(0))),
];
