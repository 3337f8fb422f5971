//! The second layer: names of types, base lists, members and signatures of any file, without
//! expressions.
//!
//! [`TypeState`] is the state of these queries for one file; they are methods of [`Types`], a view
//! of it from one site. Queries of the third layer are methods of `Checker`, which holds a `Types`,
//! so this layer cannot call them.
//!
//! Limitations: those of [`queries`].

mod arena;
mod copies;
pub mod hierarchy;
pub mod instances;
pub mod members;
pub mod names;
pub mod queries;
pub mod scope_lookup;
pub mod signatures;
pub mod usings;

use std::ops::Deref;
use std::rc::Rc;

pub use self::arena::{Arena, ParamOwner, Ty, TyList, Type};
use codeagent_lang::dependencies::KeyTable;
use codeagent_lang::query::interner::SharedInterner;
use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::query::stack::QueryStack;
use codeagent_lang::query::tracked_world::TrackedWorld;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};
use codeagent_model::facts::{DeclId, Facts, ScopeId, ScopeKind, Sym, TypeId};

use self::members::Candidate;
use self::names::TypeOrNamespace;
use self::queries::Query;
use self::signatures::{Parameter, Signature};
use self::usings::Using;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{FileTable, Tables, TypeDef, TypeDefId};

/// Memoized results about declared types.
#[derive(Default)]
struct TypeMemo {
    type_exprs: MemoTable<(FileId, TypeId), Ty>,
    lookups: MemoTable<(FileId, ScopeId, Name, u16, bool), TypeOrNamespace>,
    usings: MemoTable<(FileId, ScopeId), Rc<[Using]>>,
    bases: MemoTable<TypeDefId, TyList>,
    base_classes: MemoTable<TypeDefId, Option<Ty>>,
    constraints: MemoTable<Ty, TyList>,
    supertypes: MemoTable<Ty, TyList>,
    /// A class and its base classes.
    chains: MemoTable<Ty, TyList>,
    /// The types whose members count, by distance.
    levels: MemoTable<Ty, Rc<[Vec<Ty>]>>,
    derives: MemoTable<(Option<TypeDefId>, TypeDefId), bool>,
    /// Whether a type is the nearest of those with its name.
    nearest: MemoTable<TypeDefId, bool>,
    members: MemoTable<(Option<TypeDefId>, Ty, Name), Rc<[Candidate]>>,
    signatures: MemoTable<DeclRef, Rc<Signature>>,
    /// The different parameter lists of signatures.
    shapes: SharedInterner<Vec<Parameter>>,
    constructors: MemoTable<(Option<TypeDefId>, Ty), Rc<[Candidate]>>,
    /// The methods that overrides and explicit implementations take their constraints from.
    overridden: MemoTable<DeclRef, Option<Candidate>>,
    /// The types whose parts are recorded as dependencies.
    touched: MemoTable<TypeDefId, ()>,
}

/// The state of the type layer while one file is resolved.
pub struct TypeState<'w> {
    tracked: TrackedWorld<'w>,
    tables: &'w Tables,
    arena: Arena,
    stack: QueryStack<Query>,
    memo: TypeMemo,
}

impl<'w> TypeState<'w> {
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let tracked = TrackedWorld::new(world, file);
        tracked.record_text_lookup(provided_keys::GLOBAL_USINGS, "");
        tracked.record_text_lookup(provided_keys::FRIENDS, "");

        Self {
            tables: world.index::<Tables>(),
            arena: Arena::new(),
            stack: QueryStack::new(
                queries::limits(tracked.own_facts().sites.len()),
                world.cancel(),
            ),
            memo: TypeMemo::default(),
            tracked,
        }
    }

    /// Returns the facts of the file.
    pub fn facts(&self) -> &'w Facts {
        self.tracked.own_facts()
    }

    /// Returns the active queries and the budgets.
    pub fn stack(&self) -> &QueryStack<Query> {
        &self.stack
    }

    pub fn site_context(&self, owner: DeclId) -> SiteContext {
        let facts = self.tracked.own_facts();
        let table = self.tables.file(self.tracked.file);
        let mut context = SiteContext::default();
        let mut scope = owner.some().map_or(ScopeId(0), |owner| {
            let decl = facts.decl(owner);
            decl.inner.some().unwrap_or(decl.scope)
        });

        while let Some(id) = scope.some() {
            let here = facts.scope(id);
            if context.enclosing_type.is_none() {
                let owner = here.owner.some();
                context.enclosing_type = owner.and_then(|owner| table.types.get(&owner)).copied();
            }

            if matches!(here.kind, ScopeKind::Namespace | ScopeKind::File) {
                context.namespace = id;
                break;
            }
            scope = here.parent;
        }

        context
    }

    /// Returns the layer's view from a site.
    pub fn at(&self, site: SiteContext) -> Types<'_> {
        Types {
            tracked: &self.tracked,
            tables: self.tables,
            facts: self.tracked.own_facts(),
            table: self.tables.file(self.tracked.file),
            arena: &self.arena,
            stack: &self.stack,
            memo: &self.memo,
            site,
        }
    }

    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.tracked.finish(&self.tables.names)
    }
}

/// The context that decides at a site which members are accessible and which extension methods are
/// in scope.
#[derive(Clone, Copy)]
pub struct SiteContext {
    /// The innermost type that encloses the site.
    pub enclosing_type: Option<TypeDefId>,
    /// The innermost namespace or file scope that encloses it.
    pub namespace: ScopeId,
}

impl Default for SiteContext {
    fn default() -> Self {
        Self {
            enclosing_type: None,
            namespace: ScopeId(0),
        }
    }
}

/// The type layer, viewed from a site: the tables, an arena of types, and memoized results.
#[derive(Clone, Copy)]
pub struct Types<'w> {
    tracked: &'w TrackedWorld<'w>,
    pub tables: &'w Tables,
    pub facts: &'w Facts,
    pub table: &'w FileTable,
    pub arena: &'w Arena,
    pub stack: &'w QueryStack<Query>,
    pub site: SiteContext,
    memo: &'w TypeMemo,
}

impl<'w> Types<'w> {
    /// Takes steps from the budget of the file; returns `false` if it is used up.
    pub fn spend(&self, steps: usize) -> bool {
        self.stack.spend(steps)
    }

    /// Reports whether something at this site is unknown because a depth or budget limit was
    /// exceeded.
    pub fn exceeded(&self) -> bool {
        self.stack.exceeded()
    }

    /// Returns a type definition and records a dependency on all its parts.
    pub fn type_def(&self, tid: TypeDefId) -> &'w TypeDef {
        let group = self.tables.type_def(tid);
        // A library does not change, so it is no dependency.
        if group.external {
            return group;
        }

        if self.memo.touched.insert(tid, ()) {
            for part in &group.parts {
                self.read(part.file);
            }

            let mut outermost = group;
            while let Some(outer) = outermost.outer {
                outermost = self.tables.type_def(outer);
            }
            self.record_lookup(provided_keys::TYPES, outermost.name);
        }

        group
    }

    /// Records a lookup of a name in a type, or of another key that its members publish.
    pub fn record_type_lookup(&self, tid: TypeDefId, table: KeyTable, name: Name) {
        let is_elsewhere = |part: &DeclRef| part.file != self.file;
        let group = self.tables.type_def(tid);
        if !group.external && group.parts.iter().any(is_elsewhere) {
            self.record_lookup(table, name);
        }
    }

    /// Returns the members with this name that a type itself declares.
    pub fn members_of(&self, tid: TypeDefId, name: Name) -> &'w [DeclRef] {
        self.record_type_lookup(tid, provided_keys::MEMBERS, name);
        self.tables
            .members
            .get(&(tid, name))
            .map_or(&[], |found| found.as_slice())
    }

    /// Returns the world-wide name of a file's string.
    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.tables
            .file(file)
            .names
            .get(sym.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }

    /// Returns the world-wide name of a string of the file being resolved.
    pub fn own_name(&self, sym: Sym) -> Name {
        self.table
            .names
            .get(sym.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }
}

impl<'w> Deref for Types<'w> {
    type Target = TrackedWorld<'w>;

    #[inline]
    fn deref(&self) -> &TrackedWorld<'w> {
        self.tracked
    }
}
