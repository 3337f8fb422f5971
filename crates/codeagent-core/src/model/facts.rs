//! What one file says on its own: scopes, declarations, types, expressions and the sites where something is used.
//!
//! Names are recorded, never resolved: `extract` makes these values from one text, `resolve` links them across files. Everything right of
//! this type works without the text, so whatever an answer shows (signature, return type, doc) is in here.
//!
//! All cross references are indices into the vectors of the same [`Facts`]; `NONE` (all ones) means "not there". Variable-length parts are
//! [`List`]s into shared pools, which keeps the values flat: cheap to store, to decode and to drop.
//!
//! # How source becomes facts
//!
//! * **Scopes.** One per file, namespace, type, function (parameters and type parameters live there too), block, object literal, object
//!   type. A declaration stands in `scope` and opens `inner`.
//! * **Declarations.** Locals, parameters and lambdas are declarations like any other; those without [`Detail`] never become nodes.
//!   Narrowing (`if (x instanceof C)`) is a declaration of kind `Narrow` in the guarded block: there is no flow graph.
//! * **Expressions** are shared if equal, except calls, lambdas and literals objects. An expression says how to find a type or a target:
//!   `Member(Call(Name f), "g")`.
//! * **Sites** say where a name token stands and which expression or type it is part of; each may become one edge. A name that lexically
//!   binds to a local or parameter needs no site.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::graph::{Access, Dialect, ParseStatus};
use crate::model::span::{Position, Span};

/// Version of this form and of the extractors, a hash of their sources; part of the key under which facts are stored.
pub const FACTS_VERSION: &str = env!("FACTS_VERSION");

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        /// One more than the number: "not there", which is what most fields say, then takes one byte instead of five.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.0.wrapping_add(1))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u32::deserialize(deserializer).map(|stored| Self(stored.wrapping_sub(1)))
            }
        }

        impl $name {
            /// "Not there".
            pub const NONE: Self = Self(u32::MAX);

            /// Whether this is [`Self::NONE`].
            #[must_use]
            pub fn is_none(self) -> bool {
                self == Self::NONE
            }

            /// `None` for [`Self::NONE`].
            #[must_use]
            pub fn some(self) -> Option<Self> {
                (!self.is_none()).then_some(self)
            }

            /// As an index. Must not be called on [`Self::NONE`].
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }
    )*};
}

ids! {
    /// A string of the file.
    Sym,
    /// A scope.
    ScopeId,
    /// A declaration.
    DeclId,
    /// A type expression.
    TypeId,
    /// A value expression.
    ExprId,
    /// A call, `new`, index or similar with its arguments.
    CallId,
    /// Everything about a declaration that only nodes need.
    DetailId,
    /// An import or using.
    ImportId,
    /// An export clause.
    ExportId,
}

/// A run of values in one of the pools of [`Facts`]; read it with [`Facts::list`].
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct List<T> {
    start: u32,
    len: u32,
    #[serde(skip)]
    of: PhantomData<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { start: 0, len: 0, of: PhantomData }
    }
}

impl<T> List<T> {
    /// Number of values.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A value that lists are made of: says in which pool of [`Facts`] it lies.
pub trait Pooled: Sized {
    /// The pool.
    fn pool(pools: &Pools) -> &Vec<Self>;
    /// The pool, to add to.
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
}

macro_rules! pools {
    ($($(#[$meta:meta])* $field:ident: $ty:ty,)*) => {
        /// The values of all [`List`]s.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Pools {
            $($(#[$meta])* pub $field: Vec<$ty>,)*
        }
        $(impl Pooled for $ty {
            fn pool(pools: &Pools) -> &Vec<Self> { &pools.$field }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> { &mut pools.$field }
        })*
        impl Pools {
            /// Gives back unused capacity.
            pub fn shrink(&mut self) {
                $(self.$field.shrink_to_fit();)*
            }
        }
    };
}

pools! {
    /// Parameters, type parameters.
    decls: DeclId,
    /// Type arguments, members of unions, constraints.
    types: TypeId,
    /// Returned values, array elements.
    exprs: ExprId,
    /// Arguments of calls.
    args: Arg,
    /// Segments of dotted type names.
    segments: Segment,
    /// Elements of tuples.
    elements: Element,
    /// Base lists.
    bases: Base,
}

/// Everything one text says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// About the file as a whole.
    pub header: Header,
    /// All strings, each once.
    pub names: Names,
    /// Scope 0 is the file.
    pub scopes: Vec<Scope>,
    /// In the order of their name tokens, containers before what they contain.
    pub decls: Vec<Declaration>,
    /// What only nodes need.
    pub details: Vec<Detail>,
    /// Type expressions.
    pub types: Vec<TypeExpr>,
    /// Value expressions.
    pub exprs: Vec<Expr>,
    /// Calls, `new`s, element accesses.
    pub calls: Vec<Call>,
    /// In text order.
    pub imports: Vec<Import>,
    /// In text order.
    pub exports: Vec<Export>,
    /// Uses, in text order.
    pub sites: Vec<Site>,
    /// Narrowing guards; see [`Guard`].
    pub guards: Vec<Guard>,
    /// Bodies that the interface hash leaves out although others may ask what they give, by their declaration.
    pub bodies: Vec<Body>,
    /// Declarations that others see one by one, in text order; none lies in another.
    pub pieces: Vec<Piece>,
    /// The values of all lists.
    pub pools: Pools,
}

impl Facts {
    /// Those of a file that says nothing.
    #[must_use]
    pub fn of(dialect: Dialect) -> Self {
        Self {
            header: Header::of(dialect),
            names: Names::default(),
            scopes: Vec::new(),
            decls: Vec::new(),
            details: Vec::new(),
            types: Vec::new(),
            exprs: Vec::new(),
            calls: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            sites: Vec::new(),
            guards: Vec::new(),
            bodies: Vec::new(),
            pieces: Vec::new(),
            pools: Pools::default(),
        }
    }

    /// The values of a list.
    #[must_use]
    pub fn list<T: Pooled>(&self, list: List<T>) -> &[T] {
        let start = list.start as usize;
        T::pool(&self.pools).get(start..start + list.len as usize).unwrap_or_default()
    }

    /// Adds a list.
    pub fn add_list<T: Pooled>(&mut self, values: impl IntoIterator<Item = T>) -> List<T> {
        let pool = T::pool_mut(&mut self.pools);
        let start = pool.len();
        pool.extend(values);
        List { start: start as u32, len: (pool.len() - start) as u32, of: PhantomData }
    }

    /// The text of a name, empty for `NONE`.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.names.get(sym)
    }

    /// A declaration; for `NONE` one that says nothing.
    #[must_use]
    pub fn decl(&self, id: DeclId) -> &Declaration {
        self.decls.get(id.0 as usize).unwrap_or(&NO_DECLARATION)
    }

    /// The name of a declaration.
    #[must_use]
    pub fn decl_name(&self, id: DeclId) -> &str {
        self.text(self.decl(id).name)
    }

    /// A scope; for `NONE` one that is in no other.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        self.scopes.get(id.0 as usize).unwrap_or(&NO_SCOPE)
    }

    /// An expression; `Unknown` for `NONE`.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.get(id.0 as usize).copied().unwrap_or(Expr::Unknown)
    }

    /// A type expression; `Unknown` for `NONE`.
    #[must_use]
    pub fn type_expr(&self, id: TypeId) -> TypeExpr {
        self.types.get(id.0 as usize).copied().unwrap_or(TypeExpr::Unknown)
    }

    /// What nodes need of a declaration, `None` for locals and parameters.
    #[must_use]
    pub fn detail(&self, id: DeclId) -> Option<&Detail> {
        self.details.get(self.decl(id).detail.0 as usize)
    }

    /// All declaration ids.
    pub fn decl_ids(&self) -> impl Iterator<Item = DeclId> + use<> {
        (0..self.decls.len() as u32).map(DeclId)
    }
}

/// What is said of no declaration.
static NO_DECLARATION: Declaration = Declaration {
    name: Sym::NONE,
    kind: DeclKind::Variable,
    flags: DeclFlags(0),
    scope: ScopeId::NONE,
    inner: ScopeId::NONE,
    parent: DeclId::NONE,
    ty: TypeId::NONE,
    init: ExprId::NONE,
    params: NO_LIST,
    type_params: NO_LIST,
    bases: List { start: 0, len: 0, of: PhantomData },
    returns: List { start: 0, len: 0, of: PhantomData },
    context: Context::None,
    from: 0,
    at: Position { offset: 0, line: 0, column: 0 },
    detail: DetailId::NONE,
};

static NO_SCOPE: Scope = Scope { kind: ScopeKind::File, parent: ScopeId::NONE, owner: DeclId::NONE };

const NO_LIST: List<DeclId> = List { start: 0, len: 0, of: PhantomData };

/// The strings of a file, in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// The string, empty for `NONE`.
    #[must_use]
    pub fn get(&self, sym: Sym) -> &str {
        let Some(&end) = self.ends.get(sym.0 as usize) else { return "" };
        let start = if sym.0 == 0 { 0 } else { self.ends[sym.index() - 1] };
        &self.text[start as usize..end as usize]
    }

    /// Adds a string; the caller sees to it that each is added once.
    pub fn push(&mut self, text: &str) -> Sym {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        Sym(self.ends.len() as u32 - 1)
    }

    /// Number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in order of their `Sym`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|i| self.get(Sym(i)))
    }

    /// Gives back unused capacity.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// About the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Grammar and rules it was read with.
    pub dialect: Dialect,
    /// How the parse went.
    pub parse_status: ParseStatus,
    /// Bytes under outermost ERROR nodes plus one per MISSING node.
    pub error_bytes: u32,
    /// 1-based lines of the first errors, at most eight.
    pub error_lines: Vec<u32>,
    /// Number of lines.
    pub lines: u32,
    /// Length of the decoded text in bytes.
    pub bytes: u32,
    /// TypeScript: the file has a top-level import or export (otherwise it is a script whose declarations are global).
    pub is_module: bool,
    /// A hash of everything another file's links can depend on: the text without the bodies whose content cannot be seen from outside, and
    /// without [`Facts::bodies`]. Equal hashes mean that no other file has to be linked again but those that asked about a body that changed.
    pub interface_hash: [u8; 16],
    /// The same without [`Facts::pieces`].
    pub frame_hash: [u8; 16],
}

impl Header {
    /// That of a file that says nothing.
    #[must_use]
    pub fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            parse_status: ParseStatus::Full,
            error_bytes: 0,
            error_lines: Vec::new(),
            lines: 0,
            bytes: 0,
            is_module: false,
            interface_hash: [0; 16],
            frame_hash: [0; 16],
        }
    }
}

/// A body whose result type is not declared: what it gives is seen by who asks for it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Whose body; not one that lies in another such body.
    pub decl: DeclId,
    /// The declaration of the piece that it lies in, if it lies in one; see [`Facts::pieces`].
    pub piece: DeclId,
    /// A hash of its text.
    pub hash: [u8; 8],
}

/// A declaration that is seen by who asks for its name, and by nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Which; its span is all that belongs to it.
    pub decl: DeclId,
    /// A hash of what others see of it.
    pub hash: [u8; 8],
}

/// A region of the text in which names are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// What kind of region.
    pub kind: ScopeKind,
    /// The scope around it; `NONE` for the file.
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
    /// A namespace or ambient module body. C#: one scope per dotted declaration (`namespace A.B` is one, its declaration named `A.B`).
    Namespace,
    /// `declare global { }`
    Global,
    /// The body of a class, struct, record, interface (with its type parameters and C# primary constructor parameters).
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
    /// `namespace A.B` (C#: the dotted name), TypeScript `namespace A` / `module A` (dotted ones nest).
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
    /// TypeScript function declaration or overload signature (module level, namespace level or local).
    Function,
    /// C# local function.
    LocalFunction,
    /// A lambda, arrow function, function expression or anonymous method; no name unless it is a named function expression.
    Lambda,
    /// A member function (class, interface, object type, object literal).
    Method,
    /// Named `constructor` in TypeScript and as the type in C#.
    Constructor,
    /// A C# primary constructor (its parameters lie in the type's scope); named as the type.
    PrimaryConstructor,
    /// Named as the type.
    StaticConstructor,
    /// Named `~Type`.
    Finalizer,
    /// Named `operator +`.
    Operator,
    /// Named `implicit operator T` / `explicit operator T`.
    Conversion,
    /// A property: C# with accessors or a record parameter; TypeScript class field, interface or object type member, parameter property.
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
    /// A local name made by an import (TypeScript) or `import a = b.c`.
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
    /// The name has another type in this scope: see [`Guard`] at `guard`.
    Narrow,
    /// C# top-level statements: a method named `<Main>$` whose scope is the file.
    TopLevel,
    /// A label, range variable or other name without a type of interest.
    Other,
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
    /// C# `partial`; of an `ObjectType`: with others it makes up what an alias names.
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
    /// C# first parameter `this T x`; on the method: it is an extension method.
    pub const EXTENSION: Self = Self(1 << 22);
    /// Has a body (function-like) or an implementation.
    pub const HAS_BODY: Self = Self(1 << 23);
    /// Imported with `import type`, or exported with `export type`.
    pub const TYPE_ONLY: Self = Self(1 << 24);
    /// Declared as a member of a class, interface, object: found through a receiver, never by a bare name (C#: also by a bare name inside the type).
    pub const MEMBER: Self = Self(1 << 25);
    /// Returns JSX somewhere.
    pub const RETURNS_JSX: Self = Self(1 << 26);
    /// A C# record's positional property, or a TypeScript parameter property.
    pub const FROM_PARAMETER: Self = Self(1 << 27);
    /// A local function that is named outside its own body.
    pub const CALLED: Self = Self(1 << 28);
    /// TypeScript `var` or function: hoisted to the function scope.
    pub const HOISTED: Self = Self(1 << 29);
    /// TypeScript: the name is `[computed]` or quoted.
    pub const COMPUTED: Self = Self(1 << 30);
    /// C# `required`.
    pub const REQUIRED: Self = Self(1 << 31);
    /// A function in JavaScript, or a variable that holds one: it makes instances, whose members are declared in its scope.
    pub const CONSTRUCTS: Self = Self(1 << 31);

    /// Whether all bits of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Sets the bits of `other`.
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
    /// Its bare name; `NONE` for lambdas, object literals and other nameless ones.
    pub name: Sym,
    /// What it is.
    pub kind: DeclKind,
    /// Yes/no properties.
    pub flags: DeclFlags,
    /// Where it is declared.
    pub scope: ScopeId,
    /// What it opens; `NONE` if nothing.
    pub inner: ScopeId,
    /// The declaration around it: the nearest one that has a [`Detail`]; `NONE` at the top.
    pub parent: DeclId,
    /// Declared type: of a variable, parameter, property, field; returned type of a function-like; value of an alias; default of a type parameter.
    pub ty: TypeId,
    /// What gives a value (and, without `ty`, a type): initialiser, destructured source, loop element, lambda parameter from context.
    pub init: ExprId,
    /// Parameters.
    pub params: List<DeclId>,
    /// Type parameters.
    pub type_params: List<DeclId>,
    /// Base list of a type; constraints of a type parameter.
    pub bases: List<Base>,
    /// Function-like: the expressions it returns (an expression body is one); yielded ones if it is a generator.
    pub returns: List<ExprId>,
    /// Where a lambda or object literal gets its type from.
    pub context: Context,
    /// The name is visible from this byte offset on (0: in the whole scope). Narrowings after an early exit and C# locals have one.
    pub from: u32,
    /// Where the name token stands (for a nameless one, its first token).
    pub at: Position,
    /// What nodes need; `NONE` for locals, parameters, lambdas.
    pub detail: DetailId,
}

impl Declaration {
    /// One of which only this is known.
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

/// What only nodes need of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// The declaration with attributes, decorators and `export`, without its doc comment. A C# field or TypeScript variable: its whole statement
    /// if it is the only declarator, else from the declarator on. Ends with the last token.
    pub span: Span,
    /// Declared accessibility with the language's default filled in; `None` where it has no meaning.
    pub access: Option<Access>,
    /// Parameter list as written, white space folded to single blanks; `NONE` without one.
    pub parameters: Sym,
    /// Returned or declared type as written, white space folded; `NONE` without one.
    pub type_text: Sym,
    /// Plain text of the doc comment's summary, at most 300 characters; `NONE` without one.
    pub doc: Sym,
    /// Whether it is marked obsolete or deprecated.
    pub deprecated: bool,
    /// C#: the interface of an explicit implementation.
    pub explicit_interface: TypeId,
    /// Hash of the declaration's text without its own name and without layout; equal in a renamed or moved copy.
    pub body_hash: [u8; 8],
}

/// One entry of a base list or one constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Which clause.
    pub clause: BaseClause,
    /// What is named; a TypeScript heritage expression that is not a plain name is a `TypeExpr::Heritage`.
    pub ty: TypeId,
    /// Its last name token.
    pub at: Position,
}

/// Where a base stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum BaseClause {
    /// TypeScript `extends`.
    Extends,
    /// TypeScript `implements`.
    Implements,
    /// C# base list: class or interface, which only the linker can tell.
    Base,
    /// Constraint of a type parameter.
    Constraint,
    /// C# constraints `class`, `struct`, `notnull`, `unmanaged`, `new()`: `ty` is a `Primitive` of that word.
    ConstraintWord,
}

/// Where a lambda, object literal, `new()` or collection expression gets its type from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Context {
    /// Nowhere.
    #[default]
    None,
    /// It is argument number n of a call.
    Argument(CallId, u16),
    /// It is given to something of a declared type (variable, cast, parameter default).
    Typed(TypeId),
    /// It is assigned to an expression (`a.b = ..`, C# object initialiser member).
    Assigned(ExprId),
    /// It is the value of a property of an object literal.
    Property(DeclId, Sym),
    /// It is returned from a function-like.
    Returned(DeclId),
    /// It is an element of an array literal or collection that has a context of its own, given by the declaration standing for it.
    Element(ExprId),
    /// It is the value of a JSX attribute of the element whose component is the expression.
    Attribute(ExprId, Sym),
}

/// A type expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeExpr {
    /// Not understood, or `var`-like.
    Unknown,
    /// A keyword type: `string`, `int`, `void`, `any`, `undefined`, `dynamic`, ...
    Primitive(Sym),
    /// A possibly dotted and generic name, looked up from a scope. C# `global::A.B` begins with a segment `global::`.
    Name(List<Segment>, ScopeId),
    /// An array and its rank (1 for `T[]`).
    Array(TypeId, u8),
    /// C# `T?`.
    Nullable(TypeId),
    /// C# `T*`.
    Pointer(TypeId),
    /// C# `ref T`.
    ByRef(TypeId),
    /// A tuple.
    Tuple(List<Element>),
    /// `A | B`
    Union(List<TypeId>),
    /// `A & B`
    Intersection(List<TypeId>),
    /// A function or constructor type.
    Function(DeclId),
    /// `{ .. }`
    Object(DeclId),
    /// The type `this`.
    This,
    /// `typeof x`.
    TypeOf(ExprId),
    /// `T[K]`
    Indexed(TypeId, TypeId),
    /// `keyof T`
    KeyOf(TypeId),
    /// `check extends bound ? yes : no`, the four in this order; then an `Infer` for each name that the `infer`s of `bound` declare.
    Conditional(List<TypeId>),
    /// `{ [K in C]: T }`
    Mapped(DeclId),
    /// `x is T` (`asserts` flag last).
    Predicate(Sym, TypeId, bool),
    /// `import("m").A.B<T>`; the list may be empty.
    Import(Sym, List<Segment>),
    /// A literal type: its text without quotes.
    Literal(LiteralKind, Sym),
    /// A heritage clause that is an expression: `extends mixin(A)<T>`.
    Heritage(ExprId, List<TypeId>),
    /// `infer X`: the type parameter it declares.
    Infer(DeclId),
    /// A template literal type.
    Template,
}

/// One segment of a dotted type name with its type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// The name.
    pub name: Sym,
    /// Its type arguments. C# `typeof(List<,>)`: as many `NONE`s as there are parameters.
    pub args: List<TypeId>,
}

/// One element of a tuple type or tuple literal type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Element {
    /// Its name, `NONE` if unnamed.
    pub name: Sym,
    /// Its type.
    pub ty: TypeId,
    /// `...T`
    pub rest: bool,
}

/// Kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum LiteralKind {
    /// A string (TypeScript templates too; C# interpolated strings too).
    String,
    /// A number. C#: without suffix and fraction, an `int`.
    Number,
    /// C# `1L`, `1u`, `1.0`, `1f`, `1m` and so on: the text of the literal is the C# keyword of its type.
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
    /// C# `throw e` as an expression: it has no type and converts to any.
    Throw,
}

/// A value expression: how to find its type and its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// Not understood.
    Unknown,
    /// A bare name, looked up from a scope at a byte offset.
    Name(Sym, ScopeId, u32),
    /// `this` in (the innermost) type or object literal; `NONE` at the top.
    This(DeclId),
    /// TypeScript: `this` of the first, where a guard speaks of something in it: with its scope and byte offset, as a name has them.
    ThisAt(DeclId, ScopeId, u32),
    /// `super` / `base` in a type.
    Super(DeclId),
    /// `a.b`, `a?.b`, `a!.b`, C# `a->b` (`*a` first).
    Member(ExprId, Sym),
    /// `a[i]`: `callee` is `a`, `args` are the indices.
    Index(CallId),
    /// `f(..)`
    Call(CallId),
    /// `new C(..)`: `callee` is a `TypeValue` in C#, the class expression in TypeScript.
    New(CallId),
    /// C# `new(..)`: `callee` is `NONE`, the type comes from the context of the declaration (kind `ObjectLiteral`).
    NewTarget(CallId, DeclId),
    /// A name or member with type arguments that is not called: `M<int>`, `Foo<string>`.
    Generic(ExprId, List<TypeId>),
    /// `await e`
    Await(ExprId),
    /// What a loop over `e` yields (`for of`, `foreach`); `true` for `await`.
    Iterate(ExprId, bool),
    /// `yield e` / `yield* e` as a value.
    Yield(ExprId),
    /// `...e` / C# `..e` in a collection expression.
    Spread(ExprId),
    /// A value of a written type: cast, `as T`, `default(T)`, `typeof(T)` (of `System.Type`), C# array creation.
    Cast(TypeId),
    /// `e satisfies T`: the type of `e` with the context `T`; `e as const` has `NONE`.
    Satisfies(ExprId, TypeId),
    /// Either: `c ? a : b`, `a ?? b`, `a || b`, arms of a switch expression.
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
    ContextParam(DeclId, u16),
    /// C# `out var x`: what parameter n of the call writes.
    OutArgument(CallId, u16),
    /// The type a guard gives; see [`Guard`].
    Guarded(u32),
    /// Element n of a tuple, array or `Deconstruct` (destructuring).
    Element(ExprId, u16),
    /// `...rest` of an array (`true`) or object (`false`) pattern.
    RestOf(ExprId, bool),
    /// Member `b` of `a` in an object pattern; as `Member`, but without being written as one. With a default value it is an `Or`.
    Destructured(ExprId, Sym),
    /// `import("m")`
    DynamicImport(Sym),
    /// `require("m")` (JavaScript)
    Require(Sym),
    /// A C# query expression: its last select or group; the sequence is of this element.
    Query(ExprId),
    /// A literal; the `Sym` is its text for strings up to 64 bytes, else `NONE`.
    Literal(LiteralKind, Sym),
    /// A type used as a value: `int.Parse`, `List<int>.Empty`, `new C` (C#), `Foo` in `new Foo()`; TypeScript never has it.
    TypeValue(TypeId),
    /// A JSX element.
    Jsx(ExprId),
    /// `typeof x`, comparisons, `!x`: a boolean or string known by the operator.
    Known(KnownType),
    /// Assignment `a = b` as a value.
    Assign(ExprId, ExprId),
    /// C# `a?.b.c` as a whole: the type of the inner chain, nullable.
    Conditional(ExprId),
    /// C# the receiver of `a?.b` and the value that `x is { } y` names: the inner value without its `?`.
    NonNull(ExprId),
    /// C# `x with { }`, checked, parenthesised, ref: the type of the inner expression.
    Same(ExprId),
}

/// Types that an operator gives whatever its operands.
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
    /// What is called: a `Name`, `Member`, ... without its type arguments.
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

/// Why a name has another type in a scope: the test that holds there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Guard {
    /// What is narrowed: a `Name` or a `Member` path; the `Narrow` declaration bears the name of its root.
    pub subject: ExprId,
    /// The test.
    pub test: GuardTest,
    /// Whether the test is known to be false here.
    pub negated: bool,
}

/// The test of a [`Guard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GuardTest {
    /// `x instanceof C`
    InstanceOf(ExprId),
    /// `f(x)` where `f` may be a type predicate; the argument's number, `u16::MAX` for what `f` is a member of.
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
    /// TypeScript: `x` may have been assigned to; it has its declared type.
    Declared,
}

/// An import (TypeScript) or using (C#).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// What it brings.
    pub kind: ImportKind,
    /// TypeScript: the module specifier. C#: the dotted name as written, without white space.
    pub module: Sym,
    /// TypeScript: the imported name (`default` for a default import). C#: the alias.
    pub name: Sym,
    /// TypeScript: the declaration of the local name; `NONE` for side-effect imports.
    pub decl: DeclId,
    /// C#: what is named, as a type expression (a namespace is one too).
    pub ty: TypeId,
    /// C#: the file or namespace scope it stands in.
    pub scope: ScopeId,
    /// C# `global using`.
    pub global: bool,
    /// `import type`
    pub type_only: bool,
    /// The specifier string (TypeScript) or the last name token (C#).
    pub at: Position,
}

/// What an import brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ImportKind {
    /// `import { a as b }`
    Named,
    /// `import a`
    Default,
    /// `import * as a`
    Namespace,
    /// `import a = require("m")`, JavaScript `const a = require("m")`.
    Require,
    /// `import "m"`
    SideEffect,
    /// C# `using A.B;`
    UsingNamespace,
    /// C# `using static A.B;`
    UsingStatic,
    /// C# `using X = A.B;`
    UsingAlias,
    /// C# `extern alias X;`
    ExternAlias,
}

/// An export clause (TypeScript); exported declarations carry a flag instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// What it does.
    pub kind: ExportKind,
    /// The exported name; `NONE` for stars.
    pub name: Sym,
    /// The local name, or the name in the other module.
    pub local: Sym,
    /// The other module's specifier; `NONE` for local exports.
    pub module: Sym,
    /// The value of `export =` and of `module.exports = ..` / `exports.a = ..`.
    pub value: ExprId,
    /// The scope it stands in (file, namespace, ambient module).
    pub scope: ScopeId,
    /// `export type`
    pub type_only: bool,
    /// The local name token; for stars the specifier.
    pub at: Position,
}

/// What an export clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ExportKind {
    /// `export { a as b }`
    Local,
    /// `export { a as b } from "m"`
    From,
    /// `export * from "m"`
    Star,
    /// `export * as a from "m"`
    StarAs,
    /// `export = e`, `module.exports = e`
    Assign,
    /// `exports.a = e`, `module.exports.a = e`
    CommonJs,
}

/// A place where something is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// How it is used.
    pub kind: SiteKind,
    /// What is used.
    pub subject: Subject,
    /// The innermost declaration with a [`Detail`] around it (a lambda belongs to the member around it); `NONE` at the top of the file.
    pub owner: DeclId,
    /// The name token (for `[..]`, `new(..)` and operators: the token that stands for it).
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
    /// The key of an object literal's member, or of a C# object initialiser / `with` (then the expression is the object).
    Key(DeclId, Sym),
    /// A C# call without an expression of its own: attribute, constructor initialiser, primary base call; the type is what is constructed.
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
    /// Whether something is run: the use is a call.
    #[must_use]
    pub fn is_call(self) -> bool {
        match self {
            Self::Call | Self::New | Self::ThisInit | Self::BaseInit | Self::Jsx | Self::Tag | Self::Attribute | Self::Decorator => true,
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
