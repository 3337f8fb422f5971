//! Links one TypeScript or JavaScript file: each name it uses finds the declaration the compiler would find.
//!
//! Reading order: `tables` (all files at once), `names` and `exports` (scopes, imports), `types` (the values), `typing` (what type an
//! expression has), `type_exprs`, `members`, `calls`, `inference`, `assignability`, `callables`, `context`, `narrowing`, then `sites` and
//! `hierarchy` (the edges). `questions` says what can need itself; how that is cut short is `resolve/kernel`'s.
//!
//! **Limits.** No checker: types are inferred on demand, as far as members and calls need them. Whatever a budget or a cycle cuts off is
//! `UNKNOWN` and gives no edge.

mod aliases;
mod assignability;
mod callables;
mod callees;
mod calls;
mod common_js;
mod components;
mod constructors;
mod context;
mod display;
mod explain;
mod exports;
mod generics;
mod hierarchy;
mod identity;
mod inference;
mod members;
mod merging;
mod module_paths;
mod names;
mod narrowing;
mod object_functions;
mod packages;
mod patch;
mod programs;
mod published;
mod questions;
mod shapes;
mod sites;
mod tables;
mod type_exprs;
mod types;
mod typing;
mod used_names;
mod well_known;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{DeclId, Declaration, Facts, ScopeId, Sym};
use crate::resolve::kernel::evaluation::{Evaluation, Kept};
use crate::resolve::kernel::names::Name;
use crate::resolve::kernel::reads::Reads;
use crate::resolve::{DeclRef, FileId, Links, World};
pub(super) use components::{decorated_components, is_component};
pub(super) use explain::explain;
use exports::Found;
pub(super) use identity::identity;
use merging::Group;
pub use module_paths::{PackageAnswers, is_of_package};
pub(super) use object_functions::object_functions;
pub use published::{asked_of, published};
use questions::Question;
pub use tables::{Tables, module_answers, specifiers};
use types::{Arena, Env, Ty, Type};

/// Going through so many declarations of one name costs a step: a namespace may have hundreds of blocks, each use of it asks for all of them.
const LIST_STEP: usize = 8;

/// Lists of so many are written by nobody, and cost as much again for each time they are longer.
const CROWD: usize = 4096;

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let mut link = Link::new(file, world);
    let mut links = sites::walk(&mut link);
    hierarchy::members(&mut link, &mut links);
    links.uses.sort_by_key(|link_use| (link_use.at.offset, link_use.edge_type, link_use.source));
    links.reads = link.reads.finish(file, &world.typescript.names);
    links
}

/// The state of one link.
struct Link<'w> {
    world: &'w World,
    tables: &'w Tables,
    file: FileId,
    arena: Arena,
    reads: Reads,
    last_read: FileId,
    /// Files whose `export *` modules stand in the read set.
    read_stars: FxHashSet<FileId>,
    evaluation: Evaluation<Question>,
    /// Answers that hold as long as the link.
    settled: FxHashMap<Question, Ty>,
    /// Those that hang on open questions.
    provisional: FxHashMap<Question, Kept<Ty>>,
    exports: FxHashMap<(FileId, Name), Found>,
    /// By the first block of an ambient module.
    ambient_exports: FxHashMap<(DeclRef, Name), Found>,
    groups: FxHashMap<DeclRef, Rc<Group>>,
    /// Types that are being compared member by member.
    comparing: Vec<(Ty, Ty)>,
}

impl<'w> Link<'w> {
    fn new(file: FileId, world: &'w World) -> Self {
        Self {
            world,
            tables: &world.typescript,
            file,
            arena: Arena::new(),
            reads: Reads::default(),
            last_read: file,
            read_stars: FxHashSet::default(),
            evaluation: Evaluation::new(questions::limits(world.facts(file).sites.len())),
            settled: FxHashMap::default(),
            provisional: FxHashMap::default(),
            exports: FxHashMap::default(),
            ambient_exports: FxHashMap::default(),
            groups: FxHashMap::default(),
            comparing: Vec::new(),
        }
    }

    /// The facts of a file, whose interface this link now depends on.
    fn facts(&mut self, file: FileId) -> &'w Facts {
        if file != self.last_read {
            self.last_read = file;
            self.reads.file(file);
        }
        self.world.facts(file)
    }

    fn decl(&mut self, decl: DeclRef) -> &'w Declaration {
        self.facts(decl.file).decl(decl.decl)
    }

    fn name(&self, file: FileId, sym: Sym) -> Name {
        self.tables.name(file, sym)
    }

    fn decl_name(&mut self, decl: DeclRef) -> Name {
        let sym = self.decl(decl).name;
        self.name(decl.file, sym)
    }

    fn spelling(&self, name: Name) -> &'w str {
        self.tables.names.text(name)
    }

    fn is_external(&self, decl: DeclRef) -> bool {
        self.world.file(decl.file).external
    }

    /// Whether a declaration stands for all files in a file that is not of the repository: what a package exports may be called `Map` too.
    fn is_of_library(&self, decl: DeclRef) -> bool {
        self.is_external(decl) && tables::is_global(self.world.facts(decl.file), self.world.decl(decl))
    }

    /// Records that a world-wide table was asked for a name.
    fn ask(&mut self, table: &'static str, name: Name) {
        self.reads.name(table, name);
    }

    /// Declarations of a name in one scope.
    fn declarations(&mut self, file: FileId, scope: ScopeId, name: Name) -> &'w [(ScopeId, Name, DeclId)] {
        if file != self.file {
            self.ask(published::PIECES, name);
        }
        self.tables.declared(file, scope, name)
    }

    /// All declarations of one scope, in the order of the text.
    fn declared_in(&mut self, file: FileId, scope: ScopeId) -> &'w [(Name, DeclId)] {
        let facts = self.facts(file);
        if file != self.file {
            let owner = self.name(file, facts.decl(facts.scope(scope).owner).name);
            self.ask(published::MEMBERS, owner);
        }
        self.tables.declared_in(file, scope)
    }

    /// Records that another file was asked what a body gives.
    fn ask_body(&mut self, decl: DeclRef) {
        let file = self.world.file(decl.file);
        let Ok(number) = file.facts.bodies.binary_search_by_key(&decl.decl, |body| body.decl) else { return };
        if decl.file != self.file {
            self.reads.slot(self.tables.body_slot(decl.file, number));
        }
    }

    /// Takes steps from the budget of the file; `false` if it is used up.
    fn spend(&mut self, steps: usize) -> bool {
        self.evaluation.spend(steps)
    }

    /// Takes what it costs to go through a list.
    fn spend_list(&mut self, length: usize) {
        self.spend(length / LIST_STEP * (1 + length / CROWD));
    }

    fn get(&self, ty: Ty) -> Type {
        self.arena.get(ty)
    }

    fn params(&mut self, decl: DeclRef) -> Vec<DeclRef> {
        let facts = self.facts(decl.file);
        facts.list(facts.decl(decl.decl).params).iter().map(|id| DeclRef { file: decl.file, decl: *id }).collect()
    }

    fn type_params(&mut self, decl: DeclRef) -> Vec<DeclRef> {
        let facts = self.facts(decl.file);
        facts.list(facts.decl(decl.decl).type_params).iter().map(|id| DeclRef { file: decl.file, decl: *id }).collect()
    }

    /// The environment that binds the type parameters of a declaration to arguments.
    fn bind(&mut self, decl: DeclRef, args: &[Ty]) -> Env {
        let params = self.type_params(decl);
        let bindings = params.into_iter().zip(args.iter().copied()).collect();
        self.arena.env(bindings)
    }
}

/// A declaration of a file.
fn at(file: FileId, decl: DeclId) -> DeclRef {
    DeclRef { file, decl }
}
