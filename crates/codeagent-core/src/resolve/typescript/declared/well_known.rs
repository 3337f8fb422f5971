//! Which built-in types does the language itself speak of, and what is known of them and of a few types of packages without a declaration?
//!
//! Arrays, promises and what is gone over are known by name, because literals, `await` and `for of` make them; their members are declared
//! (`library::javascript`), but for those in [`ROWS`]. Types of packages have a row per member whose type carries types of the repository on.
//!
//! **Limits.** A member of a package's type without a row is outside the repository; so is everything else of packages that are not installed.

use Shape::{Arg, Array, Boolean, Callback, Either, Element, Nothing, Number, Passed, Promise, Receiver, Returned};

macro_rules! known {
    ($($(#[$meta:meta])* $variant:ident = $($name:literal)|+,)*) => {
        /// A built-in type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Known { $($(#[$meta])* $variant,)* }

        impl Known {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The built-in type of a global name.
            pub fn of_name(name: &str) -> Option<Self> {
                Some(match name { $($($name)|+ => Self::$variant,)* _ => return None })
            }

            /// The global names of a built-in type.
            pub fn names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($name),+],)* }
            }

            /// The global name of a built-in type.
            pub fn name(self) -> &'static str {
                self.names()[0]
            }
        }
    };
}

/// Names that are looked up though no text need have them; they have a number in every world, so that what is asked does not depend on who else
/// has them.
pub fn words() -> impl Iterator<Item = String> {
    let globals = Known::ALL.iter().flat_map(|known| known.names().iter().copied());
    let words = ["constructor", "default", "props", "prototype", "this", "Window", "[Symbol.iterator]", "[Symbol.asyncIterator]"];
    globals.clone().map(|name| format!("{name}Constructor")).chain(globals.chain(words).map(str::to_owned))
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
    /// A class as a value: `Type<T>` of dependency injection.
    ClassOf = "package Type",
    /// A dependency injection container.
    Container = "package Container",
    /// What makes a container for a test.
    ContainerBuilder = "package ContainerBuilder",
    /// Makes containers: `NestFactory`, `Test`.
    ContainerFactory = "package ContainerFactory",
    /// `InjectionToken<T>`
    Token = "package InjectionToken",
    /// Angular's `TestBed`.
    TestBed = "package TestBed",
    /// `ComponentFixture<T>`
    Fixture = "package ComponentFixture",
    /// `ComponentRef<T>`
    ComponentRef = "package ComponentRef",
    /// `ViewContainerRef`
    ViewContainer = "package ViewContainerRef",
    /// `DebugElement`
    DebugElement = "package DebugElement",
    /// `QueryList<T>`
    QueryList = "package QueryList",
    /// `ElementRef<T>`
    ElementRef = "package ElementRef",
    /// `Signal<T>` and its kin: calling it gives `T`.
    Signal = "package Signal",
    /// `Observable<T>`, `Subject<T>`, `EventEmitter<T>`
    Observable = "package Observable",
    /// React's `RefObject<T>`.
    Ref = "package RefObject",
    /// React's `Context<T>`.
    Context = "package Context",
    /// React's `FC<P>`: a function of `P`.
    Component = "package FC",
}

/// How a type is made from a receiver and arguments.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `any`
    Any,
    /// `void`, `undefined`
    Nothing,
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
    /// An array of it.
    Array(&'static Shape),
    /// A promise of it.
    Promise(&'static Shape),
    /// What going over it gives; itself if it is no array.
    Element(&'static Shape),
    /// A tuple of them.
    Tuple(&'static [Shape]),
    /// The first that is known.
    Either(&'static Shape, &'static Shape),
    /// An instance of argument n, a class.
    Made(usize),
    /// A built-in type without or with one type argument.
    Of(Known, &'static [Shape]),
    /// Type argument 0 of it.
    First(&'static Shape),
    /// The shape if the call has one argument; outside the repository else.
    Alone(&'static Shape),
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

/// A member of instances that is called.
pub const fn method(on: Known, names: &'static [&'static str], params: &'static [Shape], out: Shape) -> Row {
    Row { on, is_static: false, names, params, out, method: true }
}

/// A member of instances that is not called.
pub const fn property(on: Known, names: &'static [&'static str], out: Shape) -> Row {
    Row { on, is_static: false, names, params: &[], out, method: false }
}

/// A member of the constructor value that is called.
pub const fn function(on: Known, names: &'static [&'static str], params: &'static [Shape], out: Shape) -> Row {
    Row { on, is_static: true, names, params, out, method: true }
}

const EACH: &[Shape] = &[Callback(&[Arg(0), Number, Receiver])];
const ACCUMULATED: Shape = Shape::Written(0, &Either(&Passed(1), &Arg(0)));

/// All rows.
pub static ROWS: &[Row] = &[
    // Its declaration counts levels by a conditional type that needs itself.
    method(Known::Array, &["flat"], &[], Array(&Element(&Arg(0)))),
    // An iterator's result is a union that is told apart by `done`.
    property(Known::IteratorResult, &["value"], Arg(0)),
    // They are declared by the `this` of the function that they call.
    method(Known::Function, &["call", "apply"], &[], Shape::ReceiverResult),
    method(Known::Function, &["bind"], &[], Receiver),
    function(Known::TestBed, &["inject", "get"], &[], Shape::Written(0, &Shape::Made(0))),
    function(Known::TestBed, &["createComponent"], &[], Shape::Of(Known::Fixture, &[Shape::Made(0)])),
    function(Known::TestBed, TEST_BED_CHAIN, &[], Receiver),
    property(Known::Fixture, &["componentInstance"], Arg(0)),
    property(Known::Fixture, &["debugElement"], Shape::Of(Known::DebugElement, &[])),
    property(Known::Fixture, &["componentRef"], Shape::Of(Known::ComponentRef, &[Arg(0)])),
    property(Known::ComponentRef, &["instance"], Arg(0)),
    property(Known::ComponentRef, &["injector"], Shape::Of(Known::Container, &[])),
    method(Known::ViewContainer, &["createComponent"], &[], Shape::Of(Known::ComponentRef, &[Shape::Made(0)])),
    property(Known::DebugElement, &["injector"], Shape::Of(Known::Container, &[])),
    method(Known::DebugElement, &["query"], &[], Receiver),
    method(Known::DebugElement, &["queryAll"], &[Callback(&[Receiver])], Array(&Receiver)),
    method(Known::Container, &["get"], &[], Shape::Written(0, &Shape::Made(0))),
    method(Known::Container, &["resolve", "create"], &[], Promise(&Shape::Written(0, &Shape::Made(0)))),
    method(Known::Container, &["select", "createNestApplication"], &[], Shape::Of(Known::Container, &[])),
    method(Known::ContainerBuilder, &["compile"], &[], Promise(&Shape::Of(Known::Container, &[]))),
    method(Known::ContainerBuilder, CONTAINER_CHAIN, &[], Receiver),
    function(
        Known::ContainerFactory,
        &["create", "createApplicationContext", "createMicroservice"],
        &[],
        Promise(&Shape::Of(Known::Container, &[])),
    ),
    function(Known::ContainerFactory, &["createTestingModule"], &[], Shape::Of(Known::ContainerBuilder, &[])),
    property(Known::QueryList, &["first", "last"], Arg(0)),
    method(Known::QueryList, &["get"], &[], Arg(0)),
    method(Known::QueryList, &["find"], EACH, Arg(0)),
    method(Known::QueryList, &["toArray"], &[], Array(&Arg(0))),
    method(Known::QueryList, &["filter"], EACH, Array(&Arg(0))),
    method(Known::QueryList, &["map"], EACH, Array(&Shape::Written(0, &Returned(0)))),
    method(Known::QueryList, &["forEach"], EACH, Nothing),
    method(Known::QueryList, &["some"], EACH, Boolean),
    method(Known::QueryList, &["reduce"], &[Callback(&[ACCUMULATED, Arg(0), Number])], ACCUMULATED),
    property(Known::ElementRef, &["nativeElement"], Arg(0)),
    method(Known::Signal, &["set"], &[Arg(0)], Nothing),
    method(Known::Signal, &["update"], &[Callback(&[Arg(0)])], Nothing),
    method(Known::Signal, &["asReadonly"], &[], Receiver),
    method(Known::Observable, &["subscribe", "forEach"], &[Callback(&[Arg(0)])], Shape::Any),
    method(Known::Observable, &["next", "emit"], &[Arg(0)], Nothing),
    method(Known::Observable, &["asObservable"], &[], Receiver),
    method(Known::Observable, &["getValue"], &[], Arg(0)),
    method(Known::Observable, &["toPromise"], &[], Promise(&Arg(0))),
    property(Known::Observable, &["value"], Arg(0)),
    property(Known::Ref, &["current"], Arg(0)),
];

const TEST_BED_CHAIN: &[&str] =
    &["configureTestingModule", "overrideComponent", "overrideProvider", "overrideModule", "overrideDirective", "compileComponents"];
const CONTAINER_CHAIN: &[&str] =
    &["overrideProvider", "overrideGuard", "overrideInterceptor", "overrideModule", "useValue", "useClass", "useFactory", "setLogger"];

/// The row of a member.
pub fn row(on: Known, is_static: bool, name: &str) -> Option<u16> {
    let position = ROWS.iter().position(|row| row.on == on && row.is_static == is_static && row.names.contains(&name));
    position.map(|index| index as u16)
}
