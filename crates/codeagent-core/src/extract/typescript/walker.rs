//! Where the walk stands: the current scope, owner, function, class and `this`, and how deep it is.
//!
//! **Limits.** Recursion ends at [`MAX_DEPTH`]: deeper nodes give `Unknown` and no sites. Chains that nest to the left (`a.b().c()`,
//! `a + b + c`) are walked by loops and may be of any length.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree, TreeCursor};

use crate::extract::builder::Builder;
use crate::extract::typescript::assigned_members::Holder;
use crate::extract::typescript::assignments::{PathKey, Write};
use crate::extract::typescript::calls::Link;
use crate::extract::typescript::doc_tags::Tags;
use crate::extract::typescript::locals;
use crate::extract::typescript::narrowing::TestNode;
use crate::extract::typescript::prototypes::Receiver;
use crate::extract::typescript::repair::{EditKind, Repaired};
use crate::extract::typescript::syntax::{Child, Children, Field, Grammar, Kind};
use crate::model::facts::*;
use crate::model::graph::Dialect;
use crate::model::span::Position;

/// How many recursive steps the walk takes at most; fits into a stack of 2 MB.
pub const MAX_DEPTH: u32 = 320;

/// The walk over one tree.
pub struct Walker<'t, 'tree> {
    /// What is being built.
    pub b: Builder<'t>,
    /// The file has no type annotations: JSDoc and CommonJS count.
    pub javascript: bool,
    /// The function-like that `return` belongs to.
    pub function: DeclId,
    /// What it has returned so far.
    pub returns: Vec<ExprId>,
    /// The value of `this`.
    pub this: ExprId,
    /// A guard in this function speaks of something in `this`.
    pub narrows_this: bool,
    /// The class that `super` belongs to.
    pub class: DeclId,
    /// How a type named here is used: `ParameterType` in a parameter list, else `TypeRef`.
    pub type_use: SiteKind,
    /// The type about to be walked is the value of an alias: the members of its object types become nodes.
    pub aliased: bool,
    /// `AMBIENT` and `GLOBAL` as they hold here.
    pub ambient: DeclFlags,
    /// Decorators seen before what they decorate.
    pub decorators: Vec<Child<'tree>>,
    /// Conditions that narrow; see [`crate::extract::typescript::narrowing`].
    pub tests: Vec<TestNode>,
    /// JavaScript: the members that classes have so far.
    pub class_members: FxHashSet<(ScopeId, Sym)>,
    /// JavaScript: the tags of the comment before the function whose parameters are being walked.
    pub doc: Tags<'t>,
    /// JavaScript: where the comment before the function about to be walked ends, if not before the function itself.
    pub documented: Option<usize>,
    /// JavaScript: fields of which nothing is known but that they are null or undefined at first.
    pub empty_fields: FxHashMap<(ScopeId, Sym), DeclId>,
    /// JavaScript: the members that functions, classes and objects got by assignments at the top; those of `NONE` are given out.
    pub assigned_members: FxHashMap<(DeclId, Sym), DeclId>,
    /// JavaScript: what was declared so far, by scope and name, and how many declarations were looked at for that.
    pub holders: FxHashMap<(ScopeId, Sym), DeclId>,
    /// See [`Self::holders`].
    pub looked_for_holders: usize,
    /// The object literal about to be walked is what the file gives out: its members become nodes.
    pub gives_out: bool,
    /// JavaScript: comments of the file speak of overloads.
    pub has_overloads: bool,
    /// JavaScript: `this` of the function about to be walked.
    pub receiver: Receiver,
    /// JavaScript: the function whose instances have the object literal about to be walked as their prototype.
    pub prototype: Option<Holder>,
    /// JavaScript: the object literals that are prototypes, with what they are the prototypes of.
    pub prototypes: FxHashMap<DeclId, DeclId>,
    /// The chains being walked, outermost link first.
    pub links: Vec<Link<'tree>>,
    /// Assignments to bare names: name, value, function.
    pub assigned: Vec<(ExprId, ExprId, DeclId)>,
    /// Assignments in this function so far; see [`crate::extract::typescript::assignments`].
    pub writes: Vec<Write>,
    /// Paths of which a guard or an assignment says something, somewhere in the file so far.
    pub narrowed: FxHashSet<PathKey>,
    /// Where such a path has its declared type again.
    pub ended: FxHashSet<(ScopeId, PathKey)>,
    /// How many assignments to a root narrow in a scope.
    pub assigned_in: FxHashMap<(ScopeId, Sym), u32>,
    grammar: &'static Grammar,
    cursor: TreeCursor<'tree>,
    repaired: &'tree Repaired<'t>,
    depth: u32,
}

/// What a function or class changes and gives back.
pub struct Saved {
    scope: ScopeId,
    owner: DeclId,
    function: DeclId,
    returns: Vec<ExprId>,
    this: ExprId,
    narrows_this: bool,
    writes: Vec<Write>,
    class: DeclId,
    type_use: SiteKind,
}

/// The statement around a declaration.
#[derive(Clone, Copy)]
pub struct Outer {
    /// First byte, `export` and decorators included.
    pub start: usize,
    /// Past its last byte.
    pub end: usize,
    /// `EXPORT`, `DEFAULT`, `AMBIENT`, `GLOBAL`.
    pub flags: DeclFlags,
}

impl<'t, 'tree> Walker<'t, 'tree> {
    /// A walk at the top of a file.
    pub fn new(text: &'t str, dialect: Dialect, tree: &'tree Tree, repaired: &'tree Repaired<'t>) -> Self {
        let grammar = Grammar::get(dialect.has_jsx());
        let mut b = Builder::new(text, dialect);
        let this = b.expr(Expr::This(DeclId::NONE));
        Self {
            b,
            javascript: dialect.is_javascript(),
            function: DeclId::NONE,
            returns: Vec::new(),
            this,
            narrows_this: false,
            class: DeclId::NONE,
            type_use: SiteKind::TypeRef,
            aliased: false,
            ambient: DeclFlags::default(),
            decorators: Vec::new(),
            tests: Vec::new(),
            class_members: FxHashSet::default(),
            doc: Tags::default(),
            documented: None,
            empty_fields: FxHashMap::default(),
            assigned_members: FxHashMap::default(),
            holders: FxHashMap::default(),
            looked_for_holders: 0,
            gives_out: false,
            has_overloads: false,
            receiver: Receiver::Own,
            prototype: None,
            prototypes: FxHashMap::default(),
            links: Vec::new(),
            assigned: Vec::new(),
            writes: Vec::new(),
            narrowed: FxHashSet::default(),
            ended: FxHashSet::default(),
            assigned_in: FxHashMap::default(),
            grammar,
            cursor: tree.walk(),
            repaired,
            depth: 0,
        }
    }

    /// Walks the whole file.
    pub fn program(&mut self, root: Node<'tree>) {
        for child in self.children_of(root).named() {
            self.statement(child, None);
        }
    }

    /// The facts, once the walk is over.
    pub fn finish(mut self, root: Node<'tree>) -> Facts {
        locals::settle(&mut self.b.facts, &self.assigned);
        self.b.finish((!self.javascript).then_some(root))
    }

    /// The children of a node, comments left out.
    pub fn children(&mut self, of: Child<'tree>) -> Children<'tree> {
        self.children_of(of.node)
    }

    fn children_of(&mut self, node: Node<'tree>) -> Children<'tree> {
        self.grammar.children(&mut self.cursor, node)
    }

    /// Takes one recursive step, or none if the walk is too deep.
    pub fn deeper<T>(&mut self, otherwise: T, step: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            return otherwise;
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// The original text of a node.
    pub fn text(&self, child: Child<'_>) -> &'t str {
        self.b.node_text(child.node)
    }

    /// The symbol of a node's text.
    pub fn sym(&mut self, child: Child<'_>) -> Sym {
        self.b.sym_of(child.node)
    }

    /// Where a node starts.
    pub fn at(&self, child: Child<'_>) -> Position {
        self.b.at(child.node)
    }

    /// Whether the text at this node was rewritten for that reason.
    pub fn was(&self, kind: EditKind, offset: usize) -> bool {
        self.repaired.edit_at(offset).is_some_and(|edit| edit.kind == kind)
    }

    /// Keeps what a function or class changes; the returns of the outer function are put aside.
    pub fn save(&mut self) -> Saved {
        Saved {
            scope: self.b.scope,
            owner: self.b.owner,
            function: self.function,
            returns: std::mem::take(&mut self.returns),
            this: self.this,
            narrows_this: std::mem::take(&mut self.narrows_this),
            writes: std::mem::take(&mut self.writes),
            class: self.class,
            type_use: self.type_use,
        }
    }

    /// Puts it back and gives what the inner function returned.
    pub fn restore(&mut self, saved: Saved) -> Vec<ExprId> {
        self.b.scope = saved.scope;
        self.b.owner = saved.owner;
        self.function = saved.function;
        self.this = saved.this;
        self.narrows_this = saved.narrows_this;
        self.writes = saved.writes;
        self.class = saved.class;
        self.type_use = saved.type_use;
        std::mem::replace(&mut self.returns, saved.returns)
    }

    /// Runs a part of the walk in a scope of its own.
    pub fn scoped<T>(&mut self, kind: ScopeKind, part: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.b.scope;
        self.b.open_scope(kind, DeclId::NONE);
        let result = part(self);
        self.b.scope = scope;
        result
    }

    /// Whether declarations made here belong to a module or namespace.
    pub fn at_module_level(&self) -> bool {
        matches!(self.b.facts.scope(self.b.scope).kind, ScopeKind::File | ScopeKind::Namespace | ScopeKind::Global)
    }

    /// The statement around a declaration that stands alone.
    pub fn outer(&self, child: Child<'_>, outer: Option<Outer>) -> Outer {
        outer.unwrap_or(Outer { start: child.start(), end: child.end(), flags: self.ambient })
    }

    /// Text without its quotes.
    pub fn unquoted(&self, child: Child<'_>) -> &'t str {
        let text = self.text(child);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if text.starts_with(['"', '\'', '`']) { inner } else { text }
    }

    /// The symbol of a string literal.
    pub fn string(&mut self, child: Child<'_>) -> Sym {
        let text = self.unquoted(child);
        self.b.sym(text)
    }

    /// The name of a member or key, quotes removed; computed ones as written unless they are a literal.
    pub fn member_name(&mut self, name: Child<'tree>) -> (Sym, DeclFlags) {
        match name.kind {
            Kind::String => (self.string(name), DeclFlags::COMPUTED),
            Kind::ComputedPropertyName => match self.children(name).first() {
                Some(inner) if inner.kind == Kind::String => (self.string(inner), DeclFlags::COMPUTED),
                _ => (self.sym(name), DeclFlags::COMPUTED),
            },
            _ => (self.sym(name), DeclFlags::default()),
        }
    }

    /// Walks what a computed name is computed from.
    pub fn computed_name(&mut self, name: Child<'tree>) {
        if name.kind == Kind::ComputedPropertyName {
            for inner in self.children(name).named() {
                self.expr(inner, Context::None);
            }
        }
    }

    /// Walks decorators on behalf of what they decorate.
    pub fn decorate(&mut self, owner: DeclId, decorators: impl IntoIterator<Item = Child<'tree>>) {
        let before = std::mem::replace(&mut self.b.owner, owner);
        for decorator in decorators {
            let Some(inner) = self.children(decorator).first() else { continue };
            if inner.kind == Kind::CallExpression {
                self.expr(inner, Context::None);
            } else {
                let value = self.used(inner, Context::None, None).expr;
                let at = self.name_position(inner);
                self.b.site(SiteKind::Decorator, Subject::Decorator(value), at);
            }
        }
        self.b.owner = before;
    }

    /// The last name token of what is called or named: `c` of `a.b.c`, `(a.c)!`, `c as T`, the string of `a["c"]`; else the start.
    pub fn name_position(&mut self, child: Child<'tree>) -> Position {
        let named = self.last_name(child).unwrap_or(child);
        self.at(named)
    }

    fn last_name(&mut self, mut child: Child<'tree>) -> Option<Child<'tree>> {
        loop {
            child = match child.kind {
                Kind::Identifier | Kind::Super => return Some(child),
                Kind::MemberExpression => return self.children(child).get(Field::Property),
                Kind::SubscriptExpression => {
                    return self.children(child).get(Field::Index).filter(|index| index.kind == Kind::String);
                }
                Kind::ParenthesizedExpression
                | Kind::NonNullExpression
                | Kind::AsExpression
                | Kind::SatisfiesExpression
                | Kind::InstantiationExpression => self.children(child).first()?,
                Kind::TypeAssertion => self.children(child).named().nth(1)?,
                _ => return None,
            };
        }
    }
}
