//! The state for resolving names, types and expressions, and the memoized queries about types.
//!
//! The modules `names`, `types` and `expressions` are methods of [`Checker`].
//!
//! **Limits.** Those of [`super::queries`].

use std::ops::{Deref, DerefMut};

use codeagent_lang::query::names::Name;
use codeagent_lang::query::stack::Kept;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};
use rustc_hash::FxHashMap;

use crate::resolve::arena::{Arena, Ty, Type, TypeMapper};
use crate::resolve::queries::{MAX_PROVISIONAL_QUERIES, Query};
use crate::resolve::symbols::Symbols;
use crate::resolve::symbols::modules::ResolvedName;

/// The state for resolving names, types and expressions.
pub struct Checker<'w> {
    symbols: Symbols<'w>,
    pub arena: Arena,
    /// Results that hold for the whole resolution.
    settled: FxHashMap<Query, Ty>,
    /// Results that depend on unfinished queries.
    provisional: FxHashMap<Query, Kept<Ty>>,
    pub exports: FxHashMap<(FileId, Name), ResolvedName>,
    /// Exports of ambient modules, by their first block.
    pub ambient_exports: FxHashMap<(DeclRef, Name), ResolvedName>,
    /// Pairs of types whose comparison is in progress.
    pub comparing: Vec<(Ty, Ty)>,
}

impl<'w> Checker<'w> {
    /// Starts the resolution of a file.
    #[must_use]
    pub fn new(file: FileId, world: &'w World) -> Self {
        Self {
            symbols: Symbols::new(file, world),
            arena: Arena::new(),
            settled: FxHashMap::default(),
            provisional: FxHashMap::default(),
            exports: FxHashMap::default(),
            ambient_exports: FxHashMap::default(),
            comparing: Vec::new(),
        }
    }

    /// The recorded dependencies.
    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.symbols.finish()
    }

    pub fn get(&self, ty: Ty) -> Type {
        self.arena.get(ty)
    }

    /// The mapper from a declaration's type parameters to arguments.
    pub fn bind(&mut self, decl: DeclRef, args: &[Ty]) -> TypeMapper {
        let params = self.type_params(decl);
        let bindings = params.into_iter().zip(args.iter().copied()).collect();
        self.arena.mapper(bindings)
    }

    /// Evaluates a query without memoization; `otherwise` in a cycle or beyond the depth limit.
    pub fn query_uncached<T>(
        &mut self,
        query: Query,
        otherwise: T,
        answer: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let Some(around) = self.evaluation.open(query) else {
            return otherwise;
        };
        let value = answer(self);
        self.evaluation.close(query, around, value).value
    }

    /// Evaluates a type query; only provisional results are memoized, while they hold.
    pub fn query(&mut self, query: Query, answer: impl FnOnce(&mut Self) -> Ty) -> Ty {
        self.run_query(query, answer, false)
    }

    /// Evaluates a type query and memoizes its result.
    pub fn memoized(&mut self, query: Query, answer: impl FnOnce(&mut Self) -> Ty) -> Ty {
        self.run_query(query, answer, true)
    }

    /// The memoized result of a query.
    pub fn memo_hit(&self, query: Query) -> Option<Ty> {
        let settled = self.settled.get(&query).copied();
        settled.or_else(|| {
            self.provisional
                .get(&query)
                .and_then(|kept| self.evaluation.recall(kept))
        })
    }

    fn run_query(
        &mut self,
        query: Query,
        answer: impl FnOnce(&mut Self) -> Ty,
        is_remembered: bool,
    ) -> Ty {
        if let Some(ty) = self.memo_hit(query) {
            return ty;
        }
        let Some(around) = self.evaluation.open(query) else {
            return Ty::UNKNOWN;
        };

        let ty = answer(self);
        let kept = self.evaluation.close(query, around, ty);
        if !kept.is_settled() && self.evaluation.asked() <= MAX_PROVISIONAL_QUERIES {
            self.provisional.insert(query, kept);
        } else if is_remembered {
            self.settled.insert(query, ty);
        }

        ty
    }

    /// Evaluates one level deeper, without a query.
    pub fn with_depth<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.evaluation.descend();
        let value = answer(self);
        self.evaluation.ascend();
        value
    }

    /// Whether the depth limit is reached.
    pub fn is_deepest(&self) -> bool {
        self.evaluation.is_deepest()
    }
}

impl<'w> Deref for Checker<'w> {
    type Target = Symbols<'w>;

    #[inline]
    fn deref(&self) -> &Symbols<'w> {
        &self.symbols
    }
}

impl DerefMut for Checker<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.symbols
    }
}
