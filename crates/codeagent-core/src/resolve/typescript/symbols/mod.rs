//! What do declarations say that needs no type: which of them are one symbol, what a scope, type or module declares itself?
//!
//! [`Symbols`] is the state of a link that these questions need. It has no types: whatever needs one is a method of `Checker`, which holds a
//! `Symbols`, so that nothing here can call it.
//!
//! **Limits.** Imports and export clauses are not followed here.

mod guards;
pub mod holders;
mod members;
pub mod merging;
pub mod modules;
pub mod scopes;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::merging::Group;
use crate::model::facts::{DeclId, Declaration, Facts, ScopeId, Sym};
use crate::resolve::kernel::evaluation::Evaluation;
use crate::resolve::kernel::names::Name;
use crate::resolve::kernel::reads::Reads;
use crate::resolve::typescript::declared::published;
use crate::resolve::typescript::declared::tables::{Tables, is_global};
use crate::resolve::typescript::questions::{self, Question};
use crate::resolve::{DeclRef, FileId, ReadSet, World};

/// Going through so many declarations of one name costs a step: a namespace may have hundreds of blocks, each use of it asks for all of them.
const LIST_STEP: usize = 8;

/// Lists of so many are written by nobody, and cost as much again for each time they are longer.
const CROWD: usize = 4096;

/// A link as far as declarations go: the file, the tables, and the record of everything that was asked.
pub struct Symbols<'w> {
    pub world: &'w World,
    pub tables: &'w Tables,
    pub file: FileId,
    pub evaluation: Evaluation<Question>,
    reads: Reads,
    last_read: FileId,
    /// Files whose `export *` modules stand in the read set.
    read_stars: FxHashSet<FileId>,
    groups: FxHashMap<DeclRef, Rc<Group>>,
}

impl<'w> Symbols<'w> {
    /// Nothing asked yet, for a link of a file.
    #[must_use]
    pub fn new(file: FileId, world: &'w World) -> Self {
        Self {
            world,
            tables: &world.typescript,
            file,
            evaluation: Evaluation::new(questions::limits(world.facts(file).sites.len())),
            reads: Reads::default(),
            last_read: file,
            read_stars: FxHashSet::default(),
            groups: FxHashMap::default(),
        }
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self) -> ReadSet {
        self.reads.finish(self.file, &self.tables.names)
    }

    /// The facts of a file, whose interface this link now depends on.
    pub fn facts(&mut self, file: FileId) -> &'w Facts {
        if file != self.last_read {
            self.last_read = file;
            self.reads.file(file);
        }
        self.world.facts(file)
    }

    /// The facts of the file that is linked.
    pub fn own_facts(&self) -> &'w Facts {
        self.world.facts(self.file)
    }

    pub fn decl(&mut self, decl: DeclRef) -> &'w Declaration {
        self.facts(decl.file).decl(decl.decl)
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

    pub fn is_external(&self, decl: DeclRef) -> bool {
        self.world.file(decl.file).external
    }

    /// Whether a declaration stands for all files in a file that is not of the repository: what a package exports may be called `Map` too.
    pub fn is_of_library(&self, decl: DeclRef) -> bool {
        self.is_external(decl) && is_global(self.world.facts(decl.file), self.world.decl(decl))
    }

    /// Records that a world-wide table was asked for a name.
    pub fn ask(&mut self, table: &'static str, name: Name) {
        self.reads.name(table, name);
    }

    /// Declarations of a name in one scope.
    pub fn declarations(&mut self, file: FileId, scope: ScopeId, name: Name) -> &'w [(ScopeId, Name, DeclId)] {
        if file != self.file {
            self.ask(published::PIECES, name);
        }
        self.tables.declared(file, scope, name)
    }

    /// All declarations of one scope, in the order of the text.
    pub fn declared_in(&mut self, file: FileId, scope: ScopeId) -> &'w [(Name, DeclId)] {
        let facts = self.facts(file);
        if file != self.file {
            let owner = self.name(file, facts.decl(facts.scope(scope).owner).name);
            self.ask(published::MEMBERS, owner);
        }
        self.tables.declared_in(file, scope)
    }

    /// Records that another file was asked what a body gives.
    pub fn ask_body(&mut self, decl: DeclRef) {
        let file = self.world.file(decl.file);
        let Ok(number) = file.facts.bodies.binary_search_by_key(&decl.decl, |body| body.decl) else { return };
        if decl.file != self.file {
            self.reads.slot(self.tables.body_slot(decl.file, number));
        }
    }

    /// Takes steps from the budget of the file; `false` if it is used up.
    pub fn spend(&mut self, steps: usize) -> bool {
        self.evaluation.spend(steps)
    }

    /// Takes what it costs to go through a list.
    pub fn spend_list(&mut self, length: usize) {
        self.spend(length / LIST_STEP * (1 + length / CROWD));
    }
}

/// A declaration of a file.
pub fn at(file: FileId, decl: DeclId) -> DeclRef {
    DeclRef { file, decl }
}
