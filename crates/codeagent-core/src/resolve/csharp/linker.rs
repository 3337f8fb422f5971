//! What does one link hold: the file, the tables, an arena of types, private memos and the record of everything that was asked.
//!
//! **Limits.** Those of [`super::evaluation`].

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::model::facts::{CallId, DeclFlags, DeclId, DeclKind, Declaration, Expr, ExprId, Facts, ScopeId, SiteKind, Subject, Sym, TypeId};
use crate::resolve::csharp::assumptions::Assumptions;
use crate::resolve::csharp::calls::CallResult;
use crate::resolve::csharp::evaluation::{Evaluation, Table};
use crate::resolve::csharp::explain::Trace;
use crate::resolve::csharp::extensions::Level;
use crate::resolve::csharp::intern::NameId;
use crate::resolve::csharp::lambdas::ParameterUse;
use crate::resolve::csharp::members::Candidate;
use crate::resolve::csharp::names::Found;
use crate::resolve::csharp::published;
use crate::resolve::csharp::signatures::Signature;
use crate::resolve::csharp::tables::{FileTable, Tables, Tid, TypeGroup};
use crate::resolve::csharp::types::{Arena, ParamOwner, Ty, TyList, Type};
use crate::resolve::csharp::usings::Using;
use crate::resolve::csharp::well_known::Known;
use crate::resolve::reads::{Recorder, slot};
use crate::resolve::{DeclRef, FileId, ReadSet, World};

/// What a call record stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallForm {
    /// Not used by any expression or site.
    #[default]
    Unused,
    /// `f(..)`
    Call,
    /// `new C(..)`
    New,
    /// `new(..)`, with the declaration that has the context.
    NewTarget(DeclId),
    /// `a[..]`
    Index,
    /// A constructor initialiser and what it constructs.
    Construct(TypeId),
    /// `: this(..)` of a constructor.
    This(DeclId),
    /// `: base(..)` of a constructor.
    Base(DeclId),
    /// An attribute and what it names.
    Attribute(TypeId),
}

/// Results of a link, by question.
#[derive(Default)]
pub struct Memo {
    pub(super) exprs: Table<(u32, ExprId), Ty>,
    pub(super) calls: Table<(u32, CallId), Rc<CallResult>>,
    pub(super) type_exprs: Table<(FileId, TypeId), Ty>,
    pub(super) lookups: Table<(FileId, ScopeId, NameId, u16, bool), Found>,
    pub(super) usings: Table<(FileId, ScopeId), Rc<[Using]>>,
    pub(super) bases: Table<Tid, TyList>,
    pub(super) constraints: Table<Ty, TyList>,
    pub(super) supertypes: Table<Ty, TyList>,
    pub(super) derives: Table<(Option<Tid>, Tid), bool>,
    pub(super) members: Table<(Option<Tid>, Ty, NameId), Rc<[Candidate]>>,
    pub(super) signatures: Table<DeclRef, Rc<Signature>>,
    pub(super) levels: RefCell<FxHashMap<ScopeId, Rc<[Level]>>>,
}

/// One link in progress.
pub struct Linker<'w> {
    pub(super) world: &'w World,
    pub(super) tables: &'w Tables,
    pub(super) file: FileId,
    pub(super) facts: &'w Facts,
    pub(super) table: &'w FileTable,
    pub(super) arena: Arena,
    pub(super) memo: Memo,
    pub(super) forms: Vec<CallForm>,
    /// Scope of the innermost type or namespace around each call, for extension methods.
    pub(super) site_scope: Cell<ScopeId>,
    /// The innermost type around the site, which decides what is accessible.
    pub(super) site_type: Cell<Option<Tid>>,
    pub(super) assumptions: Assumptions,
    locals: FxHashMap<(ScopeId, NameId), SmallVec<[DeclId; 1]>>,
    /// The member accessed on each bare name.
    pub(super) followers: OnceCell<FxHashMap<ExprId, NameId>>,
    pub(super) evaluation: Evaluation,
    /// What the body of each lambda does with what starts from one of its parameters.
    pub(super) bodies: OnceCell<FxHashMap<DeclId, Vec<ParameterUse>>>,
    recorder: Recorder,
    asked: RefCell<FxHashSet<(&'static str, NameId)>>,
    touched: RefCell<FxHashSet<Tid>>,
    /// Overload choices as they are made, if this link is to be explained.
    pub(super) trace: Option<Trace>,
}

impl<'w> Linker<'w> {
    /// A fresh link of a file.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let facts = world.facts(file);
        let tables = &world.csharp;
        let linker = Self {
            world,
            tables,
            file,
            facts,
            table: tables.file(file),
            arena: Arena::new(),
            memo: Memo::default(),
            forms: call_forms(facts),
            site_scope: Cell::new(ScopeId(0)),
            site_type: Cell::new(None),
            assumptions: Assumptions::default(),
            locals: locals(facts, tables.file(file)),
            bodies: OnceCell::new(),
            followers: OnceCell::new(),
            evaluation: Evaluation::new(facts.sites.len()),
            recorder: Recorder::default(),
            asked: RefCell::default(),
            touched: RefCell::default(),
            trace: None,
        };
        linker.recorder.slot(slot(published::GLOBAL_USINGS, ""));
        linker.recorder.slot(slot(published::FRIENDS, ""));
        linker
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self) -> ReadSet {
        for (table, name) in self.asked.into_inner() {
            self.recorder.slot(slot(table, self.tables.names.text(name)));
        }
        self.recorder.finish(self.file)
    }

    /// Records a question to a world-wide table.
    pub(super) fn ask(&self, table: &'static str, name: NameId) {
        self.asked.borrow_mut().insert((table, name));
    }

    /// Records a question about a name that no file has.
    pub(super) fn ask_text(&self, table: &'static str, name: &str) {
        self.recorder.slot(slot(table, name));
    }

    /// Records that a file's declarations are looked at.
    pub(super) fn read(&self, file: FileId) {
        self.recorder.file(file);
    }

    /// A type group, with everything its parts say recorded as read.
    pub(super) fn group(&self, tid: Tid) -> &'w TypeGroup {
        let group = self.tables.group(tid);
        // A library is no file that changes.
        if group.external {
            return group;
        }
        if self.touched.borrow_mut().insert(tid) {
            for part in &group.parts {
                self.recorder.file(part.file);
            }
            let mut outermost = group;
            while let Some(outer) = outermost.outer {
                outermost = self.tables.group(outer);
            }
            self.ask(published::TYPES, outermost.name);
        }
        group
    }

    /// Records that a type is asked for a name, or for one of the other questions that its members answer.
    pub(super) fn ask_type(&self, tid: Tid, table: &'static str, name: NameId) {
        let is_elsewhere = |part: &DeclRef| part.file != self.file;
        let group = self.tables.group(tid);
        if !group.external && group.parts.iter().any(is_elsewhere) {
            self.ask(table, name);
        }
    }

    /// The members of this name that a type declares itself.
    pub(super) fn members_of(&self, tid: Tid, name: NameId) -> &'w [DeclRef] {
        self.ask_type(tid, published::MEMBERS, name);
        self.tables.members.get(&(tid, name)).map_or(&[], |found| found.as_slice())
    }

    /// A declaration of any file.
    pub(super) fn decl(&self, decl: DeclRef) -> &'w Declaration {
        self.recorder.file(decl.file);
        self.world.decl(decl)
    }

    /// World-wide name of a file's string.
    pub(super) fn name(&self, file: FileId, sym: Sym) -> NameId {
        self.tables.file(file).names.get(sym.0 as usize).copied().unwrap_or(NameId::NONE)
    }

    /// World-wide name of a string of the linked file.
    pub(super) fn own_name(&self, sym: Sym) -> NameId {
        self.table.names.get(sym.0 as usize).copied().unwrap_or(NameId::NONE)
    }

    /// Locals, parameters and local functions of this name declared directly in a scope of the linked file.
    pub(super) fn locals(&self, scope: ScopeId, name: NameId) -> &[DeclId] {
        self.locals.get(&(scope, name)).map_or(&[], |found| found.as_slice())
    }

    /// A known type of the base library: its declaration if there is one, else by name.
    pub(super) fn known_type(&self, known: Known, args: &[Ty]) -> Ty {
        match self.tables.declared(known, args.len()) {
            Some(tid) => self.arena.add(Type::Inst(tid, args.into())),
            None => self.arena.add(Type::External(self.tables.names.of_known(known), args.into())),
        }
    }

    /// Which known type this is, with its arguments.
    pub(super) fn known(&self, ty: Ty) -> Option<(Known, TyList)> {
        match self.arena.get(ty) {
            Type::Inst(tid, args) => Some((*self.tables.known_of.get(&tid)?, args)),
            _ => None,
        }
    }

    /// Whether this is the known type.
    pub(super) fn is_known(&self, ty: Ty, known: Known) -> bool {
        self.known(ty).is_some_and(|(found, _)| found == known)
    }

    /// The type of a declaration's own type arguments inside itself.
    pub(super) fn self_type(&self, tid: Tid) -> Ty {
        let group = self.tables.group(tid);
        let args = (0..group.outer_arity + group.arity).map(|index| self.outer_param(tid, index).unwrap_or(Ty::UNKNOWN)).collect();
        self.arena.add(Type::Inst(tid, args))
    }

    /// Parameter `index` of a type as a type; those of the types around it belong to these.
    pub(super) fn outer_param(&self, tid: Tid, index: u16) -> Option<Ty> {
        let mut owner = tid;
        while index < self.tables.group(owner).outer_arity {
            owner = self.tables.group(owner).outer?;
        }
        Some(self.arena.add(Type::Param(ParamOwner::Type(owner), index)))
    }

    /// Replaces the type parameters of the declared type `within` by its arguments.
    pub(super) fn substitute(&self, ty: Ty, within: Ty) -> Ty {
        if !self.arena.is_open(ty) {
            return ty;
        }
        let Type::Inst(tid, args) = self.arena.get(within) else { return ty };
        self.arena.map(ty, &|owner, index| match owner {
            ParamOwner::Type(other) if self.is_or_contains(other, tid) => args.get(usize::from(index)).copied(),
            _ => None,
        })
    }

    fn is_or_contains(&self, outer: Tid, mut inner: Tid) -> bool {
        loop {
            if outer == inner {
                return true;
            }
            match self.tables.group(inner).outer {
                Some(next) => inner = next,
                None => return false,
            }
        }
    }
}

fn call_forms(facts: &Facts) -> Vec<CallForm> {
    let mut forms = vec![CallForm::Unused; facts.calls.len()];
    let mut set = |call: CallId, form: CallForm| {
        if let Some(slot) = call.some().and_then(|call| forms.get_mut(call.index())) {
            *slot = form;
        }
    };
    for expr in &facts.exprs {
        match *expr {
            Expr::Call(call) => set(call, CallForm::Call),
            Expr::New(call) => set(call, CallForm::New),
            Expr::NewTarget(call, decl) => set(call, CallForm::NewTarget(decl)),
            Expr::Index(call) => set(call, CallForm::Index),
            _ => {}
        }
    }
    for site in &facts.sites {
        if let Subject::Construct(ty, call) = site.subject {
            set(
                call,
                match site.kind {
                    SiteKind::Attribute => CallForm::Attribute(ty),
                    SiteKind::ThisInit if ty.is_none() => CallForm::This(site.owner),
                    SiteKind::BaseInit if ty.is_none() => CallForm::Base(site.owner),
                    _ => CallForm::Construct(ty),
                },
            );
        }
    }
    forms
}

fn locals(facts: &Facts, table: &FileTable) -> FxHashMap<(ScopeId, NameId), SmallVec<[DeclId; 1]>> {
    let mut locals: FxHashMap<(ScopeId, NameId), SmallVec<[DeclId; 1]>> = FxHashMap::default();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let local = matches!(decl.kind, DeclKind::Variable | DeclKind::Parameter | DeclKind::LocalFunction);
        if local
            && !decl.flags.has(DeclFlags::MEMBER)
            && let Some(name) = table.names.get(decl.name.0 as usize)
        {
            locals.entry((decl.scope, *name)).or_default().push(id);
        }
    }
    locals
}
