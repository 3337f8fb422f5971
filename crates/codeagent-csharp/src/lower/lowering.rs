//! The state of lowering a tree, and the operations that all its modules use: children, names,
//! scopes, sites.
//!
//! Names and texts always come from the original text. The tree was parsed from a repaired text of
//! equal length.
//!
//! Limitations: recursion stops at [`MAX_DEPTH`] levels; everything deeper becomes `Expr::Unknown`.
//! Chains of binary operators, calls, member accesses and `else if`s do not recurse, so their
//! length is not limited.

use codeagent_lang::lower::builder::Builder;
use codeagent_lang::lower::cursor::next_beside;
use codeagent_model::facts::*;
use codeagent_model::graph::Dialect;
use codeagent_model::span::Position;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, TreeCursor};

use crate::lower::doc_and_signature::StrippedText;
use crate::syntax::parse::Parsed;
use crate::syntax::rewriter::{RewriteKind, Rewrites};
use crate::syntax::syntax_kind::{self, Children, Kind, kind};

/// The maximum nesting of expressions, statements, types, patterns and declarations.
pub const MAX_DEPTH: u32 = 220;

/// The state of lowering one file.
pub struct Lowering<'t, 'r> {
    /// The facts being built.
    pub b: Builder<'t>,
    pub rewrites: &'r Rewrites,
    /// The text without white space, for hashes.
    pub stripped: StrippedText,
    /// The enclosing type declaration; `NONE` at the top.
    pub ty_decl: DeclId,
    /// The synthetic main method of top-level statements; `NONE` before the first one.
    pub main: DeclId,
    /// The enclosing function-like declaration, to which `return` belongs.
    pub func: FunctionContext,
    /// The kind of site of the next type name: `TypeRef` or `ParameterType`.
    pub type_site: SiteKind,
    /// The values that the synthetic main method has returned so far.
    pub main_returns: Vec<ExprId>,
    depth: u32,
    cursor: TreeCursor<'r>,
    plain_types: FxHashMap<(Sym, ScopeId), TypeId>,
    /// Type arguments that the repairs blanked, by the end of the name before them.
    type_arguments: FxHashMap<usize, Node<'r>>,
}

/// The function-like declaration being lowered.
#[derive(Clone, Debug, Default)]
pub struct FunctionContext {
    /// The declaration; `NONE` outside any.
    pub decl: DeclId,
    /// The values it has returned or yielded so far.
    pub returns: Vec<ExprId>,
    /// Contains a `yield`.
    pub generator: bool,
    /// Contains a `return` without a value.
    pub leaves: bool,
}

/// The scope, owner, type and function to restore.
pub struct SavedContext {
    scope: ScopeId,
    owner: DeclId,
    ty_decl: DeclId,
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Creates the state for the tree under `root`.
    pub fn new(text: &'t str, rewrites: &'r Rewrites, root: Node<'r>) -> Self {
        Self {
            b: Builder::new(text, Dialect::CSharp),
            rewrites,
            stripped: StrippedText::new(text),
            ty_decl: DeclId::NONE,
            main: DeclId::NONE,
            func: FunctionContext::default(),
            type_site: SiteKind::TypeRef,
            main_returns: Vec::new(),
            depth: 0,
            cursor: root.walk(),
            plain_types: FxHashMap::default(),
            type_arguments: FxHashMap::default(),
        }
    }

    /// Adds the type arguments that were parsed into a tree of their own.
    pub fn read_type_lists(&mut self, parsed: &'r Parsed) {
        let Some(tree) = &parsed.type_lists_tree else {
            return;
        };

        let names: FxHashMap<usize, usize> = parsed
            .type_arguments
            .iter()
            .map(|list| (list.start, list.name_end))
            .collect();

        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if kind(node) == Kind::TypeArgumentList
                && let Some(name_end) = names.get(&node.start_byte())
            {
                self.type_arguments.insert(*name_end, node);
            }

            if cursor.goto_first_child() {
                continue;
            }
            if !next_beside(&mut cursor) {
                return;
            }
        }
    }

    /// Returns the type arguments that the repairs blanked after a name.
    pub fn blanked_type_list(&self, name: Node<'_>) -> Option<Node<'r>> {
        if self.type_arguments.is_empty() {
            None
        } else {
            self.type_arguments.get(&name.end_byte()).copied()
        }
    }

    /// Returns the children of a node without punctuation and comments.
    pub fn children(&mut self, node: Node<'r>) -> Children<'r> {
        syntax_kind::children(&mut self.cursor, node)
    }

    /// Counts the direct tokens of a node that have this text.
    pub fn count_tokens(&mut self, node: Node<'r>, token: &str) -> usize {
        self.cursor.reset(node);
        let mut count = 0;
        let mut more = self.cursor.goto_first_child();
        while more {
            count += usize::from(self.cursor.node().kind() == token);
            more = self.cursor.goto_next_sibling();
        }
        count
    }

    /// Runs `f` one level deeper; `None` at the maximum depth.
    pub fn with_depth_limit<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = visit(self);
        self.depth -= 1;
        Some(result)
    }

    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.b.node_text(node)
    }

    /// Returns the symbol of an identifier token, without `@`.
    pub fn name(&mut self, node: Node<'_>) -> Sym {
        let text = self.b.node_text(node);
        self.b.name_sym(text.strip_prefix('@').unwrap_or(text))
    }

    /// Saves the context of a declaration.
    pub fn save(&self) -> SavedContext {
        SavedContext {
            scope: self.b.scope,
            owner: self.b.owner,
            ty_decl: self.ty_decl,
        }
    }

    pub fn restore(&mut self, saved: SavedContext) {
        self.b.scope = saved.scope;
        self.b.owner = saved.owner;
        self.ty_decl = saved.ty_decl;
    }

    /// Runs `visit` in a new block scope.
    pub fn in_block<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.b.scope;
        self.b.open_scope(ScopeKind::Block, DeclId::NONE);
        let result = visit(self);
        self.b.scope = outer;
        result
    }

    /// Runs `visit` as the body of a function-like declaration; returns the function's context,
    /// with its returned values.
    pub fn in_function(&mut self, decl: DeclId, visit: impl FnOnce(&mut Self)) -> FunctionContext {
        let outer = std::mem::replace(
            &mut self.func,
            FunctionContext {
                decl,
                ..FunctionContext::default()
            },
        );
        visit(self);
        std::mem::replace(&mut self.func, outer)
    }

    /// Returns the type expression of a bare name in the current scope.
    pub fn simple_named_type(&mut self, name: Sym) -> TypeId {
        let scope = self.b.scope;
        if let Some(&ty) = self.plain_types.get(&(name, scope)) {
            return ty;
        }
        let segments = self.b.facts.add_list([Segment {
            name,
            args: List::default(),
        }]);
        let ty = self.b.type_expr(TypeExpr::Name(segments, scope));
        self.plain_types.insert((name, scope), ty);
        ty
    }

    /// Returns the type expression of a base library type, by its full name and type arguments.
    pub fn system_type(&mut self, path: &[&str], args: &[TypeId]) -> TypeId {
        let mut segments: Vec<Segment> = path
            .iter()
            .map(|name| Segment {
                name: self.b.sym_owned(name),
                args: List::default(),
            })
            .collect();
        let args = self.b.facts.add_list(args.iter().copied());
        if let Some(last) = segments.last_mut() {
            last.args = args;
        }
        let segments = self.b.facts.add_list(segments);
        self.b.type_expr(TypeExpr::Name(segments, ScopeId(0)))
    }

    /// Declares a local name, visible from its token on.
    pub fn declare_local(&mut self, name: Node<'_>, kind: DeclKind, flags: DeclFlags) -> DeclId {
        let sym = self.name(name);
        let at = self.b.at(name);
        let decl = self.b.declare(sym, kind, flags, at);
        self.b.decl(decl).from = at.offset;
        decl
    }

    /// Declares a local variable with its type and value.
    pub fn variable(&mut self, name: Node<'_>, ty: TypeId, init: ExprId) -> DeclId {
        let decl = self.declare_local(name, DeclKind::Variable, DeclFlags::default());
        let variable = self.b.decl(decl);
        variable.ty = ty;
        variable.init = init;
        decl
    }

    /// Adds the use of a value.
    pub fn use_site(&mut self, kind: SiteKind, expr: ExprId, at: Position) {
        self.b.site(kind, Subject::Expr(expr), at);
    }

    /// Reports whether a repair of this kind starts at a byte.
    pub fn edited(&self, offset: usize, kind: RewriteKind) -> bool {
        self.rewrites.at(offset, kind)
    }
}
