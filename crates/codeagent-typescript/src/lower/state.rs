//! Data that lowering carries across its modules: guards and assignments, JavaScript functions and
//! objects, chain links.
//!
//! The modules that fill and read these types are methods of `Lowering`.
//!
//! Limitations: nothing here walks the tree.

use codeagent_model::facts::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::javascript::doc_tags::Tags;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// The test that an expression makes when it is used as a condition; a cheap handle.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// No test.
    None,
    /// The expression is truthy.
    Truthy(ExprId),
    /// A call, possibly of a type predicate.
    Call(CallId),
    /// `typeof` of the expression, which becomes a test when it is compared.
    TypeOf(ExprId),
    /// A compound test.
    Node(u32),
}

/// A compound test.
#[derive(Clone, Copy, Debug)]
pub enum TestNode {
    /// Both hold.
    And(Test, Test),
    /// One of them holds.
    Or(Test, Test),
    /// The test does not hold.
    Not(Test),
    /// A guard.
    Guard(Guard),
}

/// An expression and the test it makes as a condition.
#[derive(Clone, Copy)]
pub struct Value {
    /// The expression.
    pub expr: ExprId,
    /// The test.
    pub test: Test,
}

impl Value {
    /// An expression that tests nothing.
    pub fn of(expr: ExprId) -> Self {
        Self {
            expr,
            test: Test::None,
        }
    }
}

/// The root of a path and its first member, `NONE` for a bare name.
pub type PathKey = (Sym, Sym);

/// An assignment to a path.
#[derive(Clone, Copy, Debug)]
pub struct PathAssignment {
    /// The path up to its first member.
    pub path: ExprId,
    pub key: PathKey,
    /// Whether it is in a branch that does not continue after its statement.
    pub left: bool,
}

/// Guards and assignments seen so far.
#[derive(Default)]
pub struct Narrowing {
    /// Conditions that narrow; see [`crate::lower::narrowing`].
    pub tests: Vec<TestNode>,
    /// Whether a guard in this function narrows a member of `this`.
    pub narrows_this: bool,
    /// Assignments in this function so far; see [`crate::lower::assignments`].
    pub writes: Vec<PathAssignment>,
    /// Paths that were narrowed anywhere in the file so far.
    pub narrowed: FxHashSet<PathKey>,
    /// The scopes in which a narrowed path has its declared type again.
    pub ended: FxHashSet<(ScopeId, PathKey)>,
    /// The number of narrowing assignments to a root in a scope.
    pub assigned_in: FxHashMap<(ScopeId, Sym), u32>,
}

/// The value of `this` in a JavaScript function.
#[derive(Clone, Copy, Default)]
pub enum Receiver {
    /// The instance that the function constructs, if it is a constructor function.
    #[default]
    Own,
    /// An instance of this function.
    Instance(DeclId),
    /// The object that it is assigned to a member of, unless it is a constructor function.
    Object(ExprId),
}

/// What the place of a value says about the function or object literal that the value is.
#[derive(Clone, Copy)]
pub struct ValuePlace {
    /// The contextual type.
    pub context: Context,
    /// The start of the statement or member whose comment documents the function.
    pub documented: Option<usize>,
    /// `this` of the function.
    pub receiver: Receiver,
    /// The constructor function whose prototype the object is.
    pub prototype: Option<MemberOwner>,
    /// Whether the members of the object become nodes.
    pub shown: bool,
}

impl ValuePlace {
    /// A place that gives a value nothing but its context.
    pub fn of(context: Context) -> Self {
        Self {
            context,
            documented: None,
            receiver: Receiver::Own,
            prototype: None,
            shown: false,
        }
    }

    /// The place of a value that a comment at `start` may document.
    pub fn documented(context: Context, start: usize) -> Self {
        Self {
            documented: Some(start),
            ..Self::of(context)
        }
    }
}

/// The owner of an assigned member.
#[derive(Clone, Copy)]
pub struct MemberOwner {
    /// The class, function, variable or member.
    pub decl: DeclId,
    /// The class that gets the members; `NONE` for a function or object.
    pub class: DeclId,
    /// The constructor function whose instances inherit the members of its prototype.
    pub function: DeclId,
}

impl MemberOwner {
    /// The declaration whose scope holds the instance members: the class or function.
    pub fn made(self) -> Option<DeclId> {
        self.class.some().or(self.function.some())
    }
}

/// The state for lowering JavaScript functions, classes and objects.
#[derive(Default)]
pub struct JsContext<'t> {
    /// The tags of the comment before the current function.
    pub doc: Tags<'t>,
    /// Whether some comment in the file has `@overload`.
    pub has_overloads: bool,
    /// The object literals, by position, that a call adds to the prototype of a constructor
    /// function.
    pub prototype_arguments: FxHashMap<usize, MemberOwner>,
    /// The object literals that are prototypes, with their constructor functions.
    pub prototypes: FxHashMap<DeclId, DeclId>,
    /// The members of classes seen so far.
    pub class_members: FxHashSet<(ScopeId, Sym)>,
    /// Fields that are only known to be null or undefined initially.
    pub empty_fields: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The members that top-level assignments gave to functions, classes and objects; those of
    /// `NONE` are exports.
    pub assigned_members: FxHashMap<(DeclId, Sym), DeclId>,
    /// Declarations seen so far, by scope and name.
    pub holders: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The number of declarations already entered in `holders`.
    pub holders_scanned: usize,
}

/// One link of a chain.
pub struct ChainLink<'tree> {
    pub child: Child<'tree>,
    pub children: Children<'tree>,
    /// Whether this is an operator that the grammar put under a call with type arguments and that
    /// belongs on top of the chain.
    pub hoisted: bool,
}

impl<'tree> ChainLink<'tree> {
    /// The last name token, else the whole node.
    pub fn name(&self) -> Child<'tree> {
        let name = match self.child.kind {
            Kind::MemberExpression => self.children.get(Field::Property),
            Kind::SubscriptExpression => self
                .children
                .get(Field::Index)
                .filter(|index| index.kind == Kind::String),
            _ => None,
        };
        name.unwrap_or(self.child)
    }
}
