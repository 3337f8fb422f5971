//! Data that lowering carries across its modules: guards and assignments, JavaScript functions and
//! objects, untyped fields, chain links.
//!
//! The functions that fill and read these types are methods of `Lowering`.

use codeagent_lang::lower::builder::Builder;
use codeagent_model::facts::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::javascript::doc_tags::Tags;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// The test that an expression makes as a condition; a cheap handle.
#[derive(Clone, Copy, Debug, Default)]
pub enum Test {
    #[default]
    None,
    Truthy(ExprId),
    /// A call, which may be of a type predicate.
    Call(CallId),
    /// `typeof` of the expression, which becomes a test when it is compared.
    TypeOf(ExprId),
    /// A compound test.
    Node(u32),
}

#[derive(Clone, Copy, Debug)]
pub enum TestNode {
    And(Test, Test),
    Or(Test, Test),
    Not(Test),
    Guard(Guard),
}

/// An expression and the test it makes as a condition.
#[derive(Clone, Copy)]
pub struct Value {
    pub expr: ExprId,
    pub test: Test,
}

impl Value {
    /// Returns an expression without a test.
    pub fn of(expr: ExprId) -> Self {
        Self {
            expr,
            test: Test::None,
        }
    }
}

/// The root of a path and its first member, `NONE` for a bare name.
pub type PathKey = (Sym, Sym);

#[derive(Clone, Copy, Debug)]
pub struct PathAssignment {
    /// The path up to its first member.
    pub path: ExprId,
    pub key: PathKey,
    /// In a branch that does not continue after its statement.
    pub left: bool,
}

/// Guards and assignments seen so far.
#[derive(Default)]
pub struct Narrowing {
    /// Conditions that narrow; see [`crate::lower::narrowing`].
    pub tests: Vec<TestNode>,
    /// A guard in this function narrows a member of `this`.
    pub narrows_this: bool,
    /// Assignments in this function so far; see [`crate::lower::assignments`].
    pub writes: Vec<PathAssignment>,
    /// Paths that were narrowed anywhere in the file so far.
    pub narrowed: FxHashSet<PathKey>,
    /// The scopes in which a narrowed path has its declared type again.
    pub ended: FxHashSet<(ScopeId, PathKey)>,
    /// The number of narrowing assignments to a root in a scope.
    pub assigned_in: FxHashMap<(ScopeId, Sym), u32>,
    /// The number of statements in a scope that may assert something about a name.
    pub asserted_in: FxHashMap<(ScopeId, Sym), u32>,
    /// The conditions that constants hold, by scope and name.
    pub conditions: FxHashMap<(ScopeId, Sym), Test>,
    /// The test of the first argument of the last call.
    pub argument_test: Test,
    /// The call that may assert the narrowings being declared.
    pub asserting: Option<CallId>,
}

/// The value of `this` in a JavaScript function.
#[derive(Clone, Copy, Default)]
pub enum Receiver {
    /// The instance that the function constructs, if it is a constructor function.
    #[default]
    Own,
    Instance(DeclId),
    /// The object to one of whose members the function is assigned, unless it is a constructor
    /// function.
    Object(ExprId),
}

/// The properties of a function or object literal that follow from its place as a value.
#[derive(Clone, Copy)]
pub struct ValuePlace {
    pub context: Context,
    /// The start of the statement or member whose comment documents the function.
    pub documented: Option<usize>,
    /// `this` of the function.
    pub receiver: Receiver,
    /// The constructor function whose prototype the object is.
    pub prototype: Option<MemberOwner>,
    /// The members of the object become nodes.
    pub shown: bool,
}

impl ValuePlace {
    /// Returns a place that determines nothing but the context.
    pub fn of(context: Context) -> Self {
        Self {
            context,
            documented: None,
            receiver: Receiver::Own,
            prototype: None,
            shown: false,
        }
    }

    /// Returns the place of a value that a comment at `start` may document.
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
    /// The class that has the members; `NONE` for a function or object.
    pub class: DeclId,
    /// The constructor function whose instances inherit the members of its prototype.
    pub function: DeclId,
}

impl MemberOwner {
    /// Returns the declaration whose scope holds the instance members: the class or function.
    pub fn made(self) -> Option<DeclId> {
        self.class.some().or(self.function.some())
    }
}

/// The state for lowering functions, classes and objects of JavaScript.
#[derive(Default)]
pub struct JsContext<'t> {
    /// The tags of the comment before the current function.
    pub doc: Tags<'t>,
    /// Some comment in the file contains `@overload`.
    pub has_overloads: bool,
    /// The object literals, by position, that a call adds to the prototype of a constructor
    /// function.
    pub prototype_arguments: FxHashMap<usize, MemberOwner>,
    /// The object literals that are prototypes, with their constructor functions.
    pub prototypes: FxHashMap<DeclId, DeclId>,
    /// The members of classes seen so far.
    pub class_members: FxHashSet<(ScopeId, Sym)>,
    /// Fields whose initial value is null or undefined and that have no other type.
    pub empty_fields: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The members assigned to functions, classes and objects at the top level; those of `NONE` are
    /// exports.
    pub assigned_members: FxHashMap<(DeclId, Sym), DeclId>,
    /// Declarations seen so far, by scope and name.
    pub holders: FxHashMap<(ScopeId, Sym), DeclId>,
    /// The number of declarations already added to `holders`.
    pub holders_scanned: usize,
}

/// The untyped fields of the classes seen so far and what constructors assign to members.
#[derive(Default)]
pub struct UntypedFields {
    fields: Vec<(ScopeId, Sym, DeclId)>,
    /// The values that constructors and static blocks assign.
    pub assigned: FxHashMap<AssignedField, Vec<ExprId>>,
}

/// A field by the scope of its class, its name, and whether it is static.
pub type AssignedField = (ScopeId, Sym, bool);

impl UntypedFields {
    /// Adds a field of the class that has the scope.
    pub fn add(&mut self, class: ScopeId, name: Sym, field: DeclId) {
        self.fields.push((class, name, field));
    }

    /// Gives each field the union of the values that are assigned to it. `null` and `undefined`
    /// alone determine no type.
    pub fn give_values(mut self, b: &mut Builder<'_>) {
        for (class, name, field) in self.fields {
            let is_static = b.decl(field).flags.has(DeclFlags::STATIC);
            let values = self.assigned.remove(&(class, name, is_static));
            let joined = values
                .unwrap_or_default()
                .into_iter()
                .reduce(|left, right| b.expr(Expr::Or(left, right)));

            if let Some(value) = joined {
                b.decl(field).init = value;
            }
        }
    }
}

pub struct ChainLink<'tree> {
    pub child: Child<'tree>,
    pub children: Children<'tree>,
    /// An operator that the grammar put under a call with type arguments and that belongs on top of
    /// the chain.
    pub hoisted: bool,
}

impl<'tree> ChainLink<'tree> {
    /// Returns the last name token, else the whole node.
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
