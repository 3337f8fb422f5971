//! The state for resolving names, types and expressions, and the memoized queries about types.
//!
//! The modules `names`, `types` and `expressions` are methods of [`Checker`].
//!
//! Limitations: those of [`super::queries`].

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};

use crate::resolve::arena::{Arena, Ty, Type, TypeMapper};
use crate::resolve::queries::Query;
use crate::resolve::symbols::Symbols;
use crate::resolve::symbols::modules::ResolvedName;

/// Whether one type is assignable to another, if that is decided, and the inferred type arguments.
pub type Comparison = (Option<bool>, Rc<[(DeclRef, Ty)]>);

/// The state for resolving names, types and expressions.
pub struct Checker<'w> {
    symbols: Symbols<'w>,
    pub arena: Arena,
    memo: MemoTable<Query, Ty>,
    /// Types with type arguments substituted.
    pub instantiations: MemoTable<(Ty, TypeMapper), Ty>,
    /// Whether a type contains no type parameter.
    pub closed: MemoTable<Ty, bool>,
    pub exports: MemoTable<(FileId, Name), ResolvedName>,
    /// Exports of ambient modules, by their first block.
    pub ambient_exports: MemoTable<(DeclRef, Name), ResolvedName>,
    /// Comparisons of two types, the first possibly an intersection with a part that fits.
    pub comparisons: MemoTable<(Ty, Ty, Option<Ty>), Comparison>,
    /// Pairs of types that are being compared.
    pub comparing: RefCell<Vec<(Ty, Ty)>>,
}

impl<'w> Checker<'w> {
    /// Starts the resolution of a file.
    #[must_use]
    pub fn new(file: FileId, world: &'w World) -> Self {
        Self {
            symbols: Symbols::new(file, world),
            arena: Arena::new(),
            memo: MemoTable::default(),
            instantiations: MemoTable::default(),
            closed: MemoTable::default(),
            exports: MemoTable::default(),
            ambient_exports: MemoTable::default(),
            comparisons: MemoTable::default(),
            comparing: RefCell::default(),
        }
    }

    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.symbols.finish()
    }

    pub fn get(&self, ty: Ty) -> Type {
        self.arena.get(ty)
    }

    /// Returns the mapper from a declaration's type parameters to arguments.
    pub fn bind(&self, decl: DeclRef, args: &[Ty]) -> TypeMapper {
        let params = self.type_params(decl);
        let bindings = params.into_iter().zip(args.iter().copied()).collect();
        self.arena.mapper(bindings)
    }

    /// Evaluates a query without memoization; returns `otherwise` in a cycle or beyond a limit.
    pub fn query_uncached<T>(&self, query: Query, otherwise: T, compute: impl FnOnce() -> T) -> T {
        self.stack
            .query_uncached(query, compute)
            .unwrap_or(otherwise)
    }

    /// Evaluates a type query; only provisional results are memoized, while they are valid.
    pub fn query(&self, query: Query, compute: impl FnOnce() -> Ty) -> Ty {
        self.stack
            .query_provisional(&self.memo, (query, query), compute)
            .unwrap_or(Ty::UNKNOWN)
    }

    /// Evaluates a type query and memoizes its result.
    pub fn memoized(&self, query: Query, compute: impl FnOnce() -> Ty) -> Ty {
        self.stack
            .query(&self.memo, (query, query), compute)
            .unwrap_or(Ty::UNKNOWN)
    }

    /// Returns the memoized result of a query.
    pub fn memo_hit(&self, query: Query) -> Option<Ty> {
        self.stack.memo_hit(&self.memo, &query)
    }

    /// Evaluates one level deeper, without a query.
    pub fn with_depth<T>(&self, compute: impl FnOnce() -> T) -> T {
        self.stack.with_depth(compute)
    }

    /// Reports whether the depth limit is reached.
    pub fn is_deepest(&self) -> bool {
        self.stack.is_deepest()
    }
}

impl<'w> Deref for Checker<'w> {
    type Target = Symbols<'w>;

    #[inline]
    fn deref(&self) -> &Symbols<'w> {
        &self.symbols
    }
}
