//! Symbols without types: merged declarations, and the own declarations of a scope, type or module.
//!
//! [`Symbols`] is the state of these queries. It has no types: every query that needs one is a
//! method of `Checker`, which holds a `Symbols`, so this layer cannot call it.
//!
//! Limitations: imports and export clauses are not followed here.

mod members;
pub mod merging;
pub mod modules;
mod narrowing_scopes;
pub mod scopes;
pub mod type_parameters;
pub mod value_owners;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::query::stack::QueryStack;
use codeagent_lang::query::tracked_world::TrackedWorld;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};
use codeagent_model::facts::{DeclId, ScopeId, Sym, TypeId};
use rustc_hash::FxHashSet;

use self::merging::MergedSymbol;
use self::type_parameters::OuterParamList;
use crate::resolve::global_index::global_names::is_global;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::Tables;
use crate::resolve::queries::{self, Query};

/// The number of declarations of one name that cost one step: a namespace may have hundreds of
/// blocks, and each use reads all of them.
const LIST_STEP: usize = 8;

/// Lists longer than this are not written by hand; their cost is quadratic in the length.
const LARGE_LIST: usize = 4096;

/// The untyped state of a resolution: access to other files, the global index, and merged symbols.
pub struct Symbols<'w> {
    tracked: TrackedWorld<'w>,
    pub tables: &'w Tables,
    pub stack: QueryStack<Query>,
    /// Files whose `export *` targets are recorded as dependencies.
    read_stars: MemoTable<FileId, ()>,
    groups: MemoTable<DeclRef, Rc<MergedSymbol>>,
    /// The outer type parameters of declared types and of conditional types.
    outer_params: MemoTable<DeclRef, OuterParamList>,
    conditional_params: MemoTable<(FileId, TypeId), OuterParamList>,
    /// The names in the file, computed on demand.
    named: OnceCell<FxHashSet<Name>>,
}

impl<'w> Symbols<'w> {
    /// Starts the resolution of a file.
    #[must_use]
    pub fn new(file: FileId, world: &'w World) -> Self {
        Self {
            tracked: TrackedWorld::new(world, file),
            tables: world.index(),
            stack: QueryStack::new(
                queries::limits(world.facts(file).sites.len()),
                world.cancel(),
            ),
            read_stars: MemoTable::default(),
            groups: MemoTable::default(),
            outer_params: MemoTable::default(),
            conditional_params: MemoTable::default(),
            named: OnceCell::new(),
        }
    }

    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.tracked.finish(&self.tables.names)
    }

    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.tables.name(file, sym)
    }

    pub fn decl_name(&self, decl: DeclRef) -> Name {
        let sym = self.decl(decl).name;
        self.name(decl.file, sym)
    }

    pub fn spelling(&self, name: Name) -> &'w str {
        self.tables.names.text(name)
    }

    /// Reports whether a declaration is a global of an external file, unlike a `Map` that a package
    /// exports.
    pub fn is_external_global(&self, decl: DeclRef) -> bool {
        self.is_external_file(decl.file) && is_global(self.facts(decl.file), self.decl(decl))
    }

    /// Returns the declarations of a name in one scope.
    pub fn declarations(
        &self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> &'w [(ScopeId, Name, DeclId)] {
        if file != self.file && !self.tables.is_of_library(file) {
            self.record_lookup(provided_keys::PIECES, name);
        }
        self.tables.declared(file, scope, name)
    }

    /// Returns all declarations of one scope, in source order. For bundled types and modules,
    /// returns only those that the resolved file names, because the others depend on other files.
    pub fn declared_in(&self, file: FileId, scope: ScopeId) -> Cow<'w, [(Name, DeclId)]> {
        let facts = self.facts(file);

        if self.tables.is_of_library(file) {
            let (tables, own) = (self.tables, self.file);
            let named = self
                .named
                .get_or_init(|| tables.file(own).names().collect());
            return tables
                .declared_in(file, scope)
                .iter()
                .copied()
                .filter(|entry| named.contains(&entry.0))
                .collect();
        }

        if file != self.file {
            let owner = self.name(file, facts.decl(facts.scope(scope).owner).name);
            self.record_lookup(provided_keys::MEMBERS, owner);
        }

        Cow::Borrowed(self.tables.declared_in(file, scope))
    }

    /// Records a dependency on the body of a function in another file.
    pub fn record_body(&self, decl: DeclRef) {
        let Ok(number) = self
            .facts(decl.file)
            .bodies
            .binary_search_by_key(&decl.decl, |body| body.decl)
        else {
            return;
        };
        if decl.file != self.file
            && let Some(key) = self.tables.body_key(decl.file, number)
        {
            self.record_key(key);
        }
    }

    /// Spends steps of the file's budget; returns `false` if it is exceeded.
    pub fn spend(&self, steps: usize) -> bool {
        self.stack.spend(steps)
    }

    /// Spends the cost of iterating over a list.
    pub fn spend_list(&self, length: usize) {
        if length > LARGE_LIST {
            self.stack.withdraw_least();
        }
        self.spend(length / LIST_STEP * (1 + length / LARGE_LIST));
    }
}

impl<'w> Deref for Symbols<'w> {
    type Target = TrackedWorld<'w>;

    #[inline]
    fn deref(&self) -> &TrackedWorld<'w> {
        &self.tracked
    }
}

pub fn at(file: FileId, decl: DeclId) -> DeclRef {
    DeclRef { file, decl }
}
