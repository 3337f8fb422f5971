//! Symbols without types: merged declarations, and what a scope, type or module itself declares.
//!
//! [`Symbols`] is the state these queries need. It has no types: whatever needs one is a method of
//! `Checker`, which holds a `Symbols`, so nothing here can call it.
//!
//! **Limits.** Imports and export clauses are not followed here.

mod members;
pub mod merging;
pub mod modules;
mod narrowing_scopes;
pub mod scopes;
pub mod value_owners;

use std::borrow::Cow;
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::names::Name;
use codeagent_lang::query::session::Session;
use codeagent_lang::query::stack::Evaluation;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};
use codeagent_model::facts::{DeclId, ScopeId, Sym};
use rustc_hash::{FxHashMap, FxHashSet};

use self::merging::MergedSymbol;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{Tables, is_global};
use crate::resolve::queries::{self, Query};

/// Going through so many declarations of one name costs a step: a namespace may have hundreds of
/// blocks, each use of it asks for all of them.
const LIST_STEP: usize = 8;

/// Lists of so many are written by nobody, and cost as much again for each time they are longer.
const LARGE_LIST: usize = 4096;

/// A link as far as declarations go: what it sees of other files, the tables, and which
/// declarations are one symbol.
pub struct Symbols<'w> {
    session: Session<'w>,
    pub tables: &'w Tables,
    pub evaluation: Evaluation<Query>,
    /// Files whose `export *` modules stand in the read set.
    read_stars: FxHashSet<FileId>,
    groups: FxHashMap<DeclRef, Rc<MergedSymbol>>,
    /// The names in the file, once they were needed.
    named: Option<FxHashSet<Name>>,
}

impl<'w> Symbols<'w> {
    /// Nothing asked yet, for a link of a file.
    #[must_use]
    pub fn new(file: FileId, world: &'w World) -> Self {
        Self {
            session: Session::new(world, file),
            tables: world.index(),
            evaluation: Evaluation::new(queries::limits(world.facts(file).sites.len())),
            read_stars: FxHashSet::default(),
            groups: FxHashMap::default(),
            named: None,
        }
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.session.finish(&self.tables.names)
    }

    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.tables.name(file, sym)
    }

    pub fn decl_name(&mut self, decl: DeclRef) -> Name {
        let sym = self.decl(decl).name;
        self.name(decl.file, sym)
    }

    pub fn spelling(&self, name: Name) -> &'w str {
        self.tables.names.text(name)
    }

    /// Whether a declaration stands for all files in a file that is not of the repository: what a
    /// package exports may be called `Map` too.
    pub fn is_external_global(&self, decl: DeclRef) -> bool {
        self.is_external_file(decl.file) && is_global(self.facts(decl.file), self.decl(decl))
    }

    /// Declarations of a name in one scope.
    pub fn declarations(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> &'w [(ScopeId, Name, DeclId)] {
        if file != self.file && !self.tables.is_of_library(file) {
            self.record_lookup(provided_keys::PIECES, name);
        }
        self.tables.declared(file, scope, name)
    }

    /// All declarations of one scope, in the order of the text. Of what a type or a module in the
    /// binary has those that the linked file names: which others are there depends on other files.
    pub fn declared_in(&mut self, file: FileId, scope: ScopeId) -> Cow<'w, [(Name, DeclId)]> {
        let facts = self.facts(file);

        if self.tables.is_of_library(file) {
            let (tables, own) = (self.tables, self.file);
            let named = self
                .named
                .get_or_insert_with(|| tables.file(own).names().collect());
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

    /// Records that another file was asked what a body gives.
    pub fn ask_body(&mut self, decl: DeclRef) {
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

    /// Takes steps from the budget of the file; `false` if it is used up.
    pub fn spend(&mut self, steps: usize) -> bool {
        self.evaluation.spend(steps)
    }

    /// Takes what it costs to go through a list.
    pub fn spend_list(&mut self, length: usize) {
        self.spend(length / LIST_STEP * (1 + length / LARGE_LIST));
    }
}

impl<'w> Deref for Symbols<'w> {
    type Target = Session<'w>;

    #[inline]
    fn deref(&self) -> &Session<'w> {
        &self.session
    }
}

/// A declaration of a file.
pub fn at(file: FileId, decl: DeclId) -> DeclRef {
    DeclRef { file, decl }
}
