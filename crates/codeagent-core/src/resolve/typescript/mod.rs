//! Links one TypeScript or JavaScript file: each name it uses finds the declaration the compiler would find.
//!
//! Reading order: `tables` (all files at once), `names` and `exports` (scopes, imports), `types` (the values), `typing` (what type an
//! expression has), `type_exprs`, `members`, `calls`, `inference`, `context`, `narrowing`, then `sites` and `hierarchy` (the edges).
//!
//! **Limits.** No checker: types are inferred on demand, as far as members and calls need them. Whatever a budget or a cycle cuts off is
//! `UNKNOWN` and gives no edge.

mod aliases;
mod calls;
mod context;
mod display;
mod explain;
mod exports;
mod generics;
mod hierarchy;
mod inference;
mod members;
mod names;
mod narrowing;
mod packages;
mod shapes;
mod sites;
mod tables;
mod type_exprs;
mod types;
mod typing;
mod well_known;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{CallId, DeclId, Declaration, ExprId, Facts, Sym, TypeId};
use crate::resolve::reads::{Recorder, slot};
use crate::resolve::{DeclRef, FileId, Links, World};
pub(super) use explain::explain;
use exports::Found;
pub use tables::{Name, Tables, published};
use types::{Arena, Env, Ty, Type};

/// Nested questions before the answer is `UNKNOWN`: keeps the stack of a worker thread small.
const MAX_DEPTH: u32 = 60;

/// Questions after which provisional answers are remembered too, so that a link always comes to an end.
const PATIENCE: u32 = 400_000;

/// Steps a file may cost, how many more for each of its sites, and the most. Of twelve repositories the file that took most took a third.
const FILE_BUDGET: (u64, u64, u64) = (3_000_000, 20, 4_000_000);

/// So many declarations of one name are usual; longer lists cost more, because they are gone through again and again.
const USUAL_LIST: usize = 32;

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let mut link = Link::new(file, world);
    let mut links = sites::walk(&mut link);
    hierarchy::members(&mut link, &mut links);
    links.uses.sort_by_key(|link_use| (link_use.at.offset, link_use.edge_type, link_use.source));
    links.reads = link.recorder.finish(file);
    links
}

/// A question that is being answered; asking it again meanwhile is a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    Decl(DeclRef),
    Expr(FileId, ExprId),
    Return(DeclRef),
    Context(DeclRef),
    Alias(DeclRef),
    Base(DeclRef, u32),
    Follow(DeclRef),
    Conditional(Ty),
    Expected(FileId, CallId),
    Type(FileId, TypeId),
}

/// The state of one link.
struct Link<'w> {
    world: &'w World,
    tables: &'w Tables,
    file: FileId,
    arena: Arena,
    recorder: Recorder,
    last_read: FileId,
    asked_slots: FxHashSet<(&'static str, Name)>,
    /// Files whose `export *` modules stand in the read set.
    read_stars: FxHashSet<FileId>,
    depth: u32,
    /// Open questions and the depth they were asked at.
    busy: FxHashMap<Question, u32>,
    /// The least depth of an open question that was asked again: answers found below it are provisional.
    lowest_cycle: u32,
    /// Whether the last guarded answer may be remembered.
    is_settled: bool,
    questions: u32,
    /// What is left of the budget of the file.
    left: u64,
    decl_types: FxHashMap<DeclRef, Ty>,
    alias_types: FxHashMap<DeclRef, Ty>,
    expr_types: FxHashMap<(FileId, ExprId), Ty>,
    return_types: FxHashMap<DeclRef, Ty>,
    type_types: FxHashMap<(FileId, TypeId), Ty>,
    exports: FxHashMap<(FileId, Name), Found>,
}

impl<'w> Link<'w> {
    fn new(file: FileId, world: &'w World) -> Self {
        Self {
            world,
            tables: &world.typescript,
            file,
            arena: Arena::new(),
            recorder: Recorder::default(),
            last_read: file,
            asked_slots: FxHashSet::default(),
            read_stars: FxHashSet::default(),
            depth: 0,
            busy: FxHashMap::default(),
            lowest_cycle: u32::MAX,
            is_settled: true,
            questions: 0,
            left: FILE_BUDGET.2.min(FILE_BUDGET.0 + FILE_BUDGET.1 * world.facts(file).sites.len() as u64),
            alias_types: FxHashMap::default(),
            decl_types: FxHashMap::default(),
            expr_types: FxHashMap::default(),
            return_types: FxHashMap::default(),
            type_types: FxHashMap::default(),
            exports: FxHashMap::default(),
        }
    }

    /// The facts of a file, whose interface this link now depends on.
    fn facts(&mut self, file: FileId) -> &'w Facts {
        if file != self.last_read {
            self.last_read = file;
            self.recorder.file(file);
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
        self.tables.spelling(name)
    }

    fn is_external(&self, decl: DeclRef) -> bool {
        self.world.file(decl.file).external
    }

    /// Records that a world-wide table was asked for a name.
    fn ask(&mut self, table: &'static str, name: Name) {
        if self.asked_slots.insert((table, name)) {
            self.recorder.slot(slot(table, self.tables.spelling(name)));
        }
    }

    /// Takes steps from the budget of the file; `false` if it is used up.
    fn spend(&mut self, steps: usize) -> bool {
        self.left = self.left.saturating_sub(steps as u64);
        self.left > 0
    }

    /// Takes what it costs to go through a list.
    fn spend_list(&mut self, length: usize) {
        self.spend(if length > USUAL_LIST { 32 * length } else { length });
    }

    /// Answers a question unless it is being answered already or lies too deep. Sets [`Self::is_settled`].
    fn guarded<T>(&mut self, question: Question, otherwise: T, answer: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(&asked_at) = self.busy.get(&question) {
            self.lowest_cycle = self.lowest_cycle.min(asked_at);
            self.is_settled = false;
            return otherwise;
        }
        if self.depth >= MAX_DEPTH || !self.spend(1) {
            self.lowest_cycle = 0;
            self.is_settled = false;
            return otherwise;
        }
        let depth = self.depth;
        let outer_cycle = std::mem::replace(&mut self.lowest_cycle, u32::MAX);
        self.busy.insert(question, depth);
        self.questions += 1;
        self.depth += 1;
        let result = answer(self);
        self.depth -= 1;
        self.busy.remove(&question);
        let own_cycle = if self.lowest_cycle < depth { self.lowest_cycle } else { u32::MAX };
        self.is_settled = own_cycle == u32::MAX || self.questions > PATIENCE;
        self.lowest_cycle = outer_cycle.min(own_cycle);
        result
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
