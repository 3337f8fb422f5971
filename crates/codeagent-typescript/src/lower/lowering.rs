//! The state of lowering: current scope, owner, function, class, `this` and nesting depth.
//!
//! Limitations: recursion ends at [`MAX_DEPTH`]: deeper nodes are `Unknown` and have no sites.
//! Chains that nest to the left (`a.b().c()`, `a + b + c`) are lowered in loops and may have any
//! length.

use codeagent_lang::LocalName;
use codeagent_lang::lower::builder::Builder;
use codeagent_lang::lower::member_spans::FindMembers;
use codeagent_model::facts::*;
use codeagent_model::graph::Dialect;
use codeagent_model::span::Position;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::lower::locals;
use crate::lower::member_spans::find_members;
use crate::lower::state::{ChainLink, JsContext, Narrowing, PathAssignment, UntypedFields};
use crate::syntax::repair::{EditKind, Repaired};
use crate::syntax::syntax::{Child, Children, Field, Grammar, Kind};

/// Largest number of recursive steps; fits into a stack of 2 MB.
pub const MAX_DEPTH: u32 = 320;

pub struct Lowering<'t, 'tree> {
    /// The facts being built.
    pub b: Builder<'t>,
    /// The file has no type annotations: JSDoc and CommonJS are read.
    pub javascript: bool,
    /// The declarations are a library's, which are never shown.
    pub is_library: bool,
    /// The function-like to which `return` belongs.
    pub function: DeclId,
    /// The expressions returned by it so far.
    pub returns: Vec<ExprId>,
    /// The value of `this`.
    pub this: ExprId,
    /// The class to which `super` belongs.
    pub class: DeclId,
    /// The kind of type uses: `ParameterType` in a parameter list, else `TypeRef`.
    pub type_use: SiteKind,
    /// `AMBIENT` and `GLOBAL` at the current position.
    pub ambient: DeclFlags,
    /// Decorators that were read before the declaration they decorate.
    pub decorators: Vec<Child<'tree>>,
    /// Guards and assignments seen so far.
    pub narrowing: Narrowing,
    /// Functions, classes and objects of JavaScript seen so far.
    pub script: JsContext<'t>,
    /// The chains being lowered, outermost link first.
    pub links: Vec<ChainLink<'tree>>,
    /// Assignments to bare names: name, value, function.
    pub assigned: Vec<(ExprId, ExprId, DeclId)>,
    /// Fields that constructors give their types.
    pub untyped_fields: UntypedFields,
    grammar: &'static Grammar,
    cursor: TreeCursor<'tree>,
    repaired: &'tree Repaired<'t>,
    depth: u32,
}

/// The context that a function or class changes and restores.
pub struct SavedContext {
    scope: ScopeId,
    owner: DeclId,
    function: DeclId,
    returns: Vec<ExprId>,
    this: ExprId,
    narrows_this: bool,
    writes: Vec<PathAssignment>,
    class: DeclId,
    type_use: SiteKind,
}

/// The statement around a declaration.
#[derive(Clone, Copy)]
pub struct EnclosingStatement {
    /// Offset of its first byte, `export` and decorators included.
    pub start: usize,
    /// Offset past its last byte.
    pub end: usize,
    /// `EXPORT`, `DEFAULT`, `AMBIENT`, `GLOBAL`.
    pub flags: DeclFlags,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Starts at the top of a file.
    pub fn new(
        text: &'t str,
        dialect: Dialect,
        tree: &'tree Tree,
        repaired: &'tree Repaired<'t>,
    ) -> Self {
        let grammar = Grammar::get(dialect.has_jsx());
        let mut b = Builder::new(text, dialect);
        let this = b.expr(Expr::This(DeclId::NONE));

        Self {
            b,
            javascript: dialect.is_javascript(),
            is_library: false,
            function: DeclId::NONE,
            returns: Vec::new(),
            this,
            class: DeclId::NONE,
            type_use: SiteKind::TypeRef,
            ambient: DeclFlags::default(),
            decorators: Vec::new(),
            narrowing: Narrowing::default(),
            script: JsContext::default(),
            links: Vec::new(),
            assigned: Vec::new(),
            untyped_fields: UntypedFields::default(),
            grammar,
            cursor: tree.walk(),
            repaired,
            depth: 0,
        }
    }

    pub fn program(&mut self, root: Node<'tree>) {
        for child in self.children_of(root).named() {
            self.statement(child, None);
        }
    }

    /// Returns the finished facts. For `root` see [`Builder::finish`].
    pub fn finish(mut self, root: Option<Node<'tree>>) -> Facts {
        locals::bind_locals(&mut self.b.facts, &self.assigned);
        self.untyped_fields.give_values(&mut self.b);
        self.b
            .finish(root.map(|root| (root, find_members as FindMembers)))
    }

    /// Returns the names that are no nodes, instead of the facts.
    pub fn local_names(self) -> Vec<LocalName> {
        locals::local_names(&self.b.facts)
    }

    /// Returns the children of a node, without comments.
    pub fn children(&mut self, of: Child<'tree>) -> Children<'tree> {
        self.children_of(of.node)
    }

    fn children_of(&mut self, node: Node<'tree>) -> Children<'tree> {
        self.grammar.children(&mut self.cursor, node)
    }

    /// Runs one recursive step, or returns `otherwise` beyond [`MAX_DEPTH`].
    pub fn with_depth_limit<T>(&mut self, otherwise: T, step: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            return otherwise;
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Returns the original text of a node.
    pub fn text(&self, child: Child<'_>) -> &'t str {
        self.b.node_text(child.node)
    }

    /// Returns the text of a node as the parser saw it, after repairs.
    pub fn parsed_text(&self, child: Child<'_>) -> &'tree [u8] {
        let text: &'tree [u8] = &self.repaired.text;
        text.get(child.start()..child.end()).unwrap_or_default()
    }

    /// Interns the text of a node.
    pub fn sym(&mut self, child: Child<'_>) -> Sym {
        self.b.sym_of(child.node)
    }

    /// Returns the start position of a node.
    pub fn at(&self, child: Child<'_>) -> Position {
        self.b.at(child.node)
    }

    /// Reports whether the text at an offset was rewritten by this kind of repair.
    pub fn was(&self, kind: EditKind, offset: usize) -> bool {
        self.repaired
            .edit_at(offset)
            .is_some_and(|edit| edit.kind == kind)
    }

    /// Saves the context that a function or class changes, and starts with empty returns.
    pub fn save(&mut self) -> SavedContext {
        SavedContext {
            scope: self.b.scope,
            owner: self.b.owner,
            function: self.function,
            returns: std::mem::take(&mut self.returns),
            this: self.this,
            narrows_this: std::mem::take(&mut self.narrowing.narrows_this),
            writes: std::mem::take(&mut self.narrowing.writes),
            class: self.class,
            type_use: self.type_use,
        }
    }

    /// Restores a context and returns the inner function's returned expressions.
    pub fn restore(&mut self, saved: SavedContext) -> Vec<ExprId> {
        self.b.scope = saved.scope;
        self.b.owner = saved.owner;
        self.function = saved.function;
        self.this = saved.this;
        self.narrowing.narrows_this = saved.narrows_this;
        self.narrowing.writes = saved.writes;
        self.class = saved.class;
        self.type_use = saved.type_use;
        std::mem::replace(&mut self.returns, saved.returns)
    }

    /// Runs `part` in a new scope.
    pub fn scoped<T>(&mut self, kind: ScopeKind, part: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.b.scope;
        self.b.open_scope(kind, DeclId::NONE);
        let result = part(self);
        self.b.scope = scope;
        result
    }

    /// Reports whether the current scope is that of a module or namespace.
    pub fn at_module_level(&self) -> bool {
        matches!(
            self.b.facts.scope(self.b.scope).kind,
            ScopeKind::File | ScopeKind::Namespace | ScopeKind::Global
        )
    }

    /// Returns the given statement, or that of the declaration itself.
    pub fn outer(&self, child: Child<'_>, outer: Option<EnclosingStatement>) -> EnclosingStatement {
        outer.unwrap_or(EnclosingStatement {
            start: child.start(),
            end: child.end(),
            flags: self.ambient,
        })
    }

    /// Returns a text without its quotes.
    pub fn unquoted(&self, child: Child<'_>) -> &'t str {
        let text = self.text(child);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if text.starts_with(['"', '\'', '`']) {
            inner
        } else {
            text
        }
    }

    /// Interns the value of a string literal.
    pub fn string(&mut self, child: Child<'_>) -> Sym {
        let text = self.unquoted(child);
        self.b.sym(text)
    }

    /// Returns the name of a member or key, without quotes; a computed name as written, unless it
    /// is a literal.
    pub fn member_name(&mut self, name: Child<'tree>) -> (Sym, DeclFlags) {
        match name.kind {
            Kind::String => (self.string(name), DeclFlags::COMPUTED),
            Kind::ComputedPropertyName => match self.children(name).first() {
                Some(inner) if inner.kind == Kind::String => {
                    (self.string(inner), DeclFlags::COMPUTED)
                }
                _ => (self.sym(name), DeclFlags::COMPUTED),
            },
            _ => (self.sym(name), DeclFlags::default()),
        }
    }

    /// Lowers the expression of a computed name.
    pub fn computed_name(&mut self, name: Child<'tree>) {
        if name.kind == Kind::ComputedPropertyName {
            for inner in self.children(name).named() {
                self.expr(inner, Context::None);
            }
        }
    }

    /// Lowers decorators with the decorated declaration as their owner.
    pub fn decorate(&mut self, owner: DeclId, decorators: impl IntoIterator<Item = Child<'tree>>) {
        let before = std::mem::replace(&mut self.b.owner, owner);
        for decorator in decorators {
            let Some(inner) = self.decorator_value(decorator) else {
                continue;
            };
            if inner.kind == Kind::CallExpression {
                self.expr(inner, Context::None);
            } else {
                let value = self.used(inner, Context::None, None).expr;
                let at = self.name_position(inner);
                self.b
                    .site(SiteKind::Decorator, Subject::Decorator(value), at);
            }
        }
        self.b.owner = before;
    }

    /// Returns the expression of a decorator; `@(a)` may have become `@_(a)`.
    fn decorator_value(&mut self, decorator: Child<'tree>) -> Option<Child<'tree>> {
        let inner = self.children(decorator).first()?;
        if !self.was(EditKind::DecoratorGroup, decorator.start()) {
            return Some(inner);
        }
        let arguments = self.children(inner).get(Field::Arguments)?;
        self.children(arguments).first()
    }

    /// Returns the position of the last name token: `c` of `a.b.c`, `(a.c)!` or `c as T`, the
    /// string of `a["c"]`; else the start.
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
                    return self
                        .children(child)
                        .get(Field::Index)
                        .filter(|index| index.kind == Kind::String);
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
