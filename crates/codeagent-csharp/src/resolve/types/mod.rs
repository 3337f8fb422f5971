//! The second layer: names of types, base lists, members and signatures of any file, without
//! looking at expressions.
//!
//! [`Types`] is the state that these queries need. Queries of the third layer are methods of
//! `Checker`, which holds a `Types`, so nothing here can call them.
//!
//! **Limits.** Those of [`queries`].

mod arena;
pub mod hierarchy;
pub mod instances;
pub mod members;
pub mod names;
pub mod queries;
pub mod scope_lookup;
pub mod signatures;
pub mod usings;

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

pub use self::arena::{Arena, ParamOwner, Ty, TyList, Type};
use codeagent_lang::dependencies::KeyTable;
use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::query::session::Session;
use codeagent_lang::query::stack::QueryStack;
use codeagent_lang::{DeclRef, Dependencies, FileId, World};
use codeagent_model::facts::{Facts, ScopeId, Sym, TypeId};

use self::members::Candidate;
use self::names::TypeOrNamespace;
use self::queries::Query;
use self::signatures::Signature;
use self::usings::Using;
use crate::resolve::declared::published;
use crate::resolve::declared::tables::{FileTable, Tables, TypeDef, TypeDefId};

/// Memoized results about declared types.
#[derive(Default)]
struct TypeMemo {
    type_exprs: MemoTable<(FileId, TypeId), Ty>,
    lookups: MemoTable<(FileId, ScopeId, Name, u16, bool), TypeOrNamespace>,
    usings: MemoTable<(FileId, ScopeId), Rc<[Using]>>,
    bases: MemoTable<TypeDefId, TyList>,
    constraints: MemoTable<Ty, TyList>,
    supertypes: MemoTable<Ty, TyList>,
    derives: MemoTable<(Option<TypeDefId>, TypeDefId), bool>,
    members: MemoTable<(Option<TypeDefId>, Ty, Name), Rc<[Candidate]>>,
    signatures: MemoTable<DeclRef, Rc<Signature>>,
}

/// The state of the type layer while one file is resolved: the world, the tables, an arena of
/// types, and memoized results.
pub struct Types<'w> {
    session: Session<'w>,
    pub tables: &'w Tables,
    pub facts: &'w Facts,
    pub table: &'w FileTable,
    pub arena: Arena,
    pub stack: QueryStack<Query>,
    /// The innermost type around the site, which decides what is accessible.
    pub site_type: Cell<Option<TypeDefId>>,
    memo: TypeMemo,
    touched: MemoTable<TypeDefId, ()>,
}

impl<'w> Types<'w> {
    /// Starts resolving a file.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let facts = world.facts(file);
        let tables = world.index::<Tables>();
        let types = Self {
            session: Session::new(world, file),
            tables,
            facts,
            table: tables.file(file),
            arena: Arena::new(),
            stack: QueryStack::new(queries::limits(facts.sites.len())),
            site_type: Cell::new(None),
            memo: TypeMemo::default(),
            touched: MemoTable::default(),
        };

        types.record_text_lookup(published::GLOBAL_USINGS, "");
        types.record_text_lookup(published::FRIENDS, "");
        types
    }

    /// Takes steps from the budget of the file; `false` if it is used up.
    pub fn spend(&self, steps: usize) -> bool {
        self.stack.spend(steps)
    }

    /// Reports whether something at this site was left unknown because it lies too deep or costs
    /// too much.
    pub fn exceeded(&self) -> bool {
        self.stack.exceeded()
    }

    /// Returns the recorded dependencies.
    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.session.finish(&self.tables.names)
    }

    /// A type definition, with everything its parts say recorded as read.
    pub fn type_def(&self, tid: TypeDefId) -> &'w TypeDef {
        let group = self.tables.type_def(tid);
        // A library is no file that changes.
        if group.external {
            return group;
        }

        if self.touched.insert(tid, ()) {
            for part in &group.parts {
                self.read(part.file);
            }

            let mut outermost = group;
            while let Some(outer) = outermost.outer {
                outermost = self.tables.type_def(outer);
            }
            self.record_lookup(published::TYPES, outermost.name);
        }

        group
    }

    /// Records a lookup of a name in a type, or of another key that its members provide.
    pub fn record_type_lookup(&self, tid: TypeDefId, table: KeyTable, name: Name) {
        let is_elsewhere = |part: &DeclRef| part.file != self.file;
        let group = self.tables.type_def(tid);
        if !group.external && group.parts.iter().any(is_elsewhere) {
            self.record_lookup(table, name);
        }
    }

    /// Returns the members of this name that a type declares itself.
    pub fn members_of(&self, tid: TypeDefId, name: Name) -> &'w [DeclRef] {
        self.record_type_lookup(tid, published::MEMBERS, name);
        self.tables
            .members
            .get(&(tid, name))
            .map_or(&[], |found| found.as_slice())
    }

    /// World-wide name of a file's string.
    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.tables
            .file(file)
            .names
            .get(sym.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }

    /// World-wide name of a string of the file being resolved.
    pub fn own_name(&self, sym: Sym) -> Name {
        self.table
            .names
            .get(sym.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }
}

impl<'w> Deref for Types<'w> {
    type Target = Session<'w>;

    #[inline]
    fn deref(&self) -> &Session<'w> {
        &self.session
    }
}
