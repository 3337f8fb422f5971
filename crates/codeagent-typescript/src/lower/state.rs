//! Data that lowering carries across its modules: guards and assignments, JavaScript functions and
//! objects, chain links.
//!
//! The modules that fill and read these types are methods of `Lowering`.
//!
//! **Limits.** Nothing here walks the tree.

use codeagent_model::facts::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::javascript::doc_tags::Tags;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// What an expression says when it is true; a handle that costs nothing for expressions that are no
/// conditions.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// Nothing.
    None,
    /// The expression is not null, undefined, false.
    Truthy(ExprId),
    /// The call may be one of a type predicate.
    Call(CallId),
    /// `typeof` of the expression; a test only once it is compared.
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
    /// It does not hold.
    Not(Test),
    /// A guard.
    Guard(Guard),
}

/// An expression and what it says when it is true or false.
#[derive(Clone, Copy)]
pub struct Value {
    /// The expression.
    pub expr: ExprId,
    /// What it tests.
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

/// The root of a path and the first member behind it, `NONE` if it is a bare name.
pub type PathKey = (Sym, Sym);

/// An assignment to a path.
#[derive(Clone, Copy, Debug)]
pub struct PathAssignment {
    /// The path as far as its first member.
    pub path: ExprId,
    pub key: PathKey,
    /// It stands in a branch that does not go on behind its statement.
    pub left: bool,
}

/// What is known of guards and assignments.
#[derive(Default)]
pub struct Narrowing {
    /// Conditions that narrow; see [`crate::lower::narrowing`].
    pub tests: Vec<TestNode>,
    /// A guard in this function speaks of something in `this`.
    pub narrows_this: bool,
    /// Assignments in this function so far; see [`crate::lower::assignments`].
    pub writes: Vec<PathAssignment>,
    /// Paths of which a guard or an assignment says something, somewhere in the file so far.
    pub narrowed: FxHashSet<PathKey>,
    /// Where such a path has its declared type again.
    pub ended: FxHashSet<(ScopeId, PathKey)>,
    /// How many assignments to a root narrow in a scope.
    pub assigned_in: FxHashMap<(ScopeId, Sym), u32>,
}

/// What `this` is in the function about to be walked.
#[derive(Clone, Copy, Default)]
pub enum Receiver {
    /// What the function itself makes, if it makes anything.
    #[default]
    Own,
    /// An instance of this function.
    Instance(DeclId),
    /// What it is assigned to a member of, unless it makes instances itself.
    Object(ExprId),
}

/// What a member is assigned to.
#[derive(Clone, Copy)]
pub struct MemberOwner {
    /// The class, function, variable or member.
    pub decl: DeclId,
    /// The class whose members these become; `NONE` for a function or object.
    pub class: DeclId,
    /// The function whose instances may have the members of its prototype.
    pub function: DeclId,
}

impl MemberOwner {
    /// The scope of the members that instances have: that of the class or function.
    pub fn made(self) -> Option<DeclId> {
        self.class.some().or(self.function.some())
    }
}

/// What is known of functions, classes and objects of JavaScript.
#[derive(Default)]
pub struct JsContext<'t> {
    /// The tags of the comment before the function whose parameters are being walked.
    pub doc: Tags<'t>,
    /// Where the comment before the function about to be walked ends, if not before the function
    /// itself.
    pub documented: Option<usize>,
    /// Comments of the file speak of overloads.
    pub has_overloads: bool,
    /// `this` of the function about to be walked.
    pub receiver: Receiver,
    /// The function whose instances have the object literal about to be walked as their prototype.
    pub prototype: Option<MemberOwner>,
    /// The object literals that are prototypes, with what they are the prototypes of.
    pub prototypes: FxHashMap<DeclId, DeclId>,
    /// The members that classes have so far.
    pub class_members: FxHashSet<(ScopeId, Sym)>,
    /// Fields of which nothing is known but that they are null or undefined at first.
    pub empty_fields: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The members that functions, classes and objects got by assignments at the top; those of
    /// `NONE` are given out.
    pub assigned_members: FxHashMap<(DeclId, Sym), DeclId>,
    /// What was declared so far, by scope and name.
    pub holders: FxHashMap<(ScopeId, Sym), DeclId>,
    /// How many declarations were looked at for that.
    pub looked_for_holders: usize,
    /// The object literal about to be walked is what the file gives out: its members become nodes.
    pub gives_out: bool,
}

/// One link of a chain.
pub struct ChainLink<'tree> {
    pub child: Child<'tree>,
    pub kids: Children<'tree>,
    /// An operator that the grammar put under a call with type arguments and that belongs on top of
    /// the chain.
    pub hoisted: bool,
}

impl<'tree> ChainLink<'tree> {
    /// The last name token, else the whole.
    pub fn name(&self) -> Child<'tree> {
        let name = match self.child.kind {
            Kind::MemberExpression => self.kids.get(Field::Property),
            Kind::SubscriptExpression => self
                .kids
                .get(Field::Index)
                .filter(|index| index.kind == Kind::String),
            _ => None,
        };
        name.unwrap_or(self.child)
    }
}
