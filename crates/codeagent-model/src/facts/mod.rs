//! The facts of one file: scopes, declarations, types, expressions and use sites.
//!
//! Names are recorded, never resolved: lowering produces these values from one text, and the
//! resolvers connect them across files. Nothing after lowering needs the text, so everything that
//! results show (signature, return type, doc) is stored here.
//!
//! All cross references are indices into the vectors of the same [`Facts`]; `NONE` (all ones) is
//! the absent index. Variable-length parts are [`List`]s into shared pools, so the values are flat
//! and cheap to store, decode and drop.
//!
//! # How source becomes facts
//!
//! * **Scopes.** One per file, namespace, type, function (including its parameters and type
//!   parameters), block, object literal and object type. A declaration is in `scope` and opens
//!   `inner`.
//! * **Declarations.** Locals, parameters and lambdas are declarations like any other; those
//!   without [`Detail`] never become nodes. Narrowing (`if (x instanceof C)`) is a declaration of
//!   kind `Narrow` in the guarded block: there is no flow graph.
//! * **Expressions** are shared if equal, except calls, lambdas and object literals. An expression
//!   describes how to find a type or a target: `Member(Call(Name f), "g")`.
//! * **Sites** record the position of a name token and the expression or type it is part of; each
//!   may become one edge. A name that lexically binds to a local or parameter needs no site.

mod declarations;
mod expressions;
mod header;
mod literals;
mod modules;
mod names;
mod pools;
mod relative;
mod sites;
mod types;

use serde::{Deserialize, Serialize};

use crate::graph::Dialect;
use crate::span::Position;
pub use declarations::{
    Accessors, Base, BaseClause, Context, DeclFlags, DeclKind, Declaration, Detail, Scope,
    ScopeKind,
};
pub use expressions::{
    Arg, ArgMode, Call, ChildElement, Expr, Guard, GuardTest, KnownType, LiteralKind, NO_GUARD,
    Operator,
};
pub use header::{Body, Header, MemberHash};
pub use literals::{
    Callback, InactiveName, StringLiteral, inactive_key, literal_key, reads_as_name,
};
pub use modules::{Export, ExportKind, Import, ImportKind};
pub use names::Names;
pub use pools::{
    CallId, DeclId, DetailId, ExportId, ExprId, ImportId, List, Pooled, Pools, ScopeId, Sym, TypeId,
};
pub use sites::{Site, SiteKind, Subject};
pub use types::{Element, Segment, TypeExpr};

/// The facts of one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Facts about the file as a whole.
    #[serde(with = "relative::first")]
    pub header: Header,
    /// All strings, each once.
    pub names: Names,
    /// Scope 0 is the file.
    pub scopes: Vec<Scope>,
    /// In the order of their name tokens, containers before their members.
    pub decls: Vec<Declaration>,
    /// Details that only nodes need.
    pub details: Vec<Detail>,
    /// Type expressions.
    pub types: Vec<TypeExpr>,
    /// Value expressions.
    pub exprs: Vec<Expr>,
    /// Calls, `new`s and element accesses.
    pub calls: Vec<Call>,
    /// In text order.
    pub imports: Vec<Import>,
    /// In text order.
    pub exports: Vec<Export>,
    /// Uses, in text order.
    pub sites: Vec<Site>,
    /// String literals that read as names, except module specifiers, in text order.
    pub literals: Vec<StringLiteral>,
    /// Names in code excluded by `#if`, each once a line, in text order.
    pub inactive_names: Vec<InactiveName>,
    /// Calls that take an anonymous callback and a string, by position.
    pub callbacks: Vec<Callback>,
    /// JSX elements in each other, inner ones first.
    pub child_elements: Vec<ChildElement>,
    /// Narrowing guards; see [`Guard`].
    pub guards: Vec<Guard>,
    /// Bodies that the interface hash leaves out although other files may depend on their results,
    /// by declaration.
    pub bodies: Vec<Body>,
    /// Declarations that other files depend on separately, in text order; none is nested in
    /// another.
    pub member_hashes: Vec<MemberHash>,
    /// Top-level types that other files depend on separately, without their members, in text order.
    pub type_hashes: Vec<MemberHash>,
    /// The values of all lists.
    pub pools: Pools,
}

/// Largest number of steps of a path that is compared.
pub const MAX_PATH: usize = 8;

impl Facts {
    /// Returns the facts of an empty file.
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
            literals: Vec::new(),
            inactive_names: Vec::new(),
            callbacks: Vec::new(),
            child_elements: Vec::new(),
            guards: Vec::new(),
            bodies: Vec::new(),
            member_hashes: Vec::new(),
            type_hashes: Vec::new(),
            pools: Pools::default(),
        }
    }

    /// Returns the object and the name of the last step of a path: of `a.b`, `a["b"]` and `a[0]`.
    #[must_use]
    pub fn path_step(&self, path: ExprId) -> Option<(ExprId, Sym)> {
        let call = match self.expr(path) {
            Expr::Member(object, name) => return Some((object, name)),
            Expr::Index(call) => self.calls.get(call.index())?,
            _ => return None,
        };

        let [key] = self.list(call.args) else {
            return None;
        };
        match self.expr(key.value) {
            Expr::Literal(LiteralKind::String | LiteralKind::Number, name) if !name.is_none() => {
                Some((call.callee, name))
            }
            _ => None,
        }
    }

    /// Reports whether two expressions are the same name, or the same path from it. Scopes are not
    /// compared.
    #[must_use]
    pub fn is_same_path(&self, a: ExprId, b: ExprId) -> bool {
        let (mut a, mut b) = (a, b);
        for _ in 0..MAX_PATH {
            match (self.expr(a), self.expr(b)) {
                (Expr::Name(x, ..), Expr::Name(y, ..)) => return x == y,
                (Expr::This(x) | Expr::ThisAt(x, ..), Expr::This(y) | Expr::ThisAt(y, ..)) => {
                    return x == y;
                }
                _ => {}
            }

            match (self.path_step(a), self.path_step(b)) {
                (Some((p, x)), Some((q, y))) if x == y => (a, b) = (p, q),
                _ => return false,
            }
        }
        false
    }

    /// Returns the values of a list.
    #[must_use]
    pub fn list<T: Pooled>(&self, list: List<T>) -> &[T] {
        T::pool(&self.pools).get(list.range()).unwrap_or_default()
    }

    /// Adds a list.
    pub fn add_list<T: Pooled>(&mut self, values: impl IntoIterator<Item = T>) -> List<T> {
        let pool = T::pool_mut(&mut self.pools);
        let start = pool.len();
        pool.extend(values);
        List::of(start..pool.len())
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.names.shrink();
        self.scopes.shrink_to_fit();
        self.decls.shrink_to_fit();
        self.details.shrink_to_fit();
        self.types.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.sites.shrink_to_fit();
        self.pools.shrink();
    }

    /// Returns the text of a name; empty for `NONE`.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.names.get(sym)
    }

    /// Returns a declaration; a placeholder for `NONE`.
    #[must_use]
    pub fn decl(&self, id: DeclId) -> &Declaration {
        self.decls.get(id.0 as usize).unwrap_or(&NO_DECLARATION)
    }

    /// Returns the name of a declaration.
    #[must_use]
    pub fn decl_name(&self, id: DeclId) -> &str {
        self.text(self.decl(id).name)
    }

    /// Returns a scope; a placeholder without parent for `NONE`.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        self.scopes.get(id.0 as usize).unwrap_or(&NO_SCOPE)
    }

    /// Returns an expression; `Unknown` for `NONE`.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs
            .get(id.0 as usize)
            .copied()
            .unwrap_or(Expr::Unknown)
    }

    /// Returns a type expression; `Unknown` for `NONE`.
    #[must_use]
    pub fn type_expr(&self, id: TypeId) -> TypeExpr {
        self.types
            .get(id.0 as usize)
            .copied()
            .unwrap_or(TypeExpr::Unknown)
    }

    /// Returns the details of a declaration; `None` for locals and parameters.
    #[must_use]
    pub fn detail(&self, id: DeclId) -> Option<&Detail> {
        self.details.get(self.decl(id).detail.0 as usize)
    }

    /// Returns all declaration ids.
    pub fn decl_ids(&self) -> impl Iterator<Item = DeclId> + use<> {
        (0..self.decls.len() as u32).map(DeclId)
    }
}

/// The placeholder for `DeclId::NONE`.
static NO_DECLARATION: Declaration = Declaration {
    name: Sym::NONE,
    kind: DeclKind::Variable,
    flags: DeclFlags(0),
    scope: ScopeId::NONE,
    inner: ScopeId::NONE,
    parent: DeclId::NONE,
    ty: TypeId::NONE,
    init: ExprId::NONE,
    params: List::EMPTY,
    type_params: List::EMPTY,
    bases: List::EMPTY,
    returns: List::EMPTY,
    context: Context::None,
    from: 0,
    at: Position {
        offset: 0,
        line: 0,
        column: 0,
    },
    detail: DetailId::NONE,
};

static NO_SCOPE: Scope = Scope {
    kind: ScopeKind::File,
    parent: ScopeId::NONE,
    owner: DeclId::NONE,
};
