//! The third layer: types of expressions, targets of calls, overload resolution.
//!
//! [`Checker`] holds a `Types` and dereferences to it. Its queries form one cycle, as in the
//! language: the type of a call depends on its overload, that on conversions of the arguments, that
//! on the return types of lambdas among them, and these are types of expressions.
//!
//! **Limits.** Only expressions of the file being resolved are typed; a member of another file has
//! its declared type.

pub mod applicability;
mod assumptions;
pub mod betterness;
pub mod calls;
pub mod contexts;
pub mod conversions;
pub mod extensions;
mod inference;
pub mod lambdas;
pub mod operators;
pub mod overload_trace;
pub mod overloads;
mod sequences;
pub mod simple_names;
pub mod typing;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::stack::Table;
use codeagent_lang::{Dependencies, FileId, World};
use codeagent_model::facts::{CallId, DeclId, ExprId, ScopeId};
use rustc_hash::FxHashMap;

use self::assumptions::{Assumption, Assumptions};
use self::calls::{CallForm, CallResult};
use self::extensions::Level;
use self::lambdas::ParameterUse;
use self::overload_trace::OverloadTrace;
use self::simple_names::Locals;
use crate::resolve::types::{Ty, Types};

/// Answers about expressions, by question.
#[derive(Default)]
struct Memo {
    exprs: Table<(Assumption, ExprId), Ty>,
    calls: Table<(Assumption, CallId), Rc<CallResult>>,
    levels: RefCell<FxHashMap<ScopeId, Rc<[Level]>>>,
}

/// A link as far as expressions go.
pub struct Checker<'w> {
    types: Types<'w>,
    memo: Memo,
    pub forms: Vec<CallForm>,
    /// Scope of the innermost type or namespace around the site, for extension methods.
    pub site_scope: Cell<ScopeId>,
    assumptions: Assumptions,
    locals: Locals,
    /// What the body of each lambda does with what starts from one of its parameters.
    bodies: OnceCell<FxHashMap<DeclId, Vec<ParameterUse>>>,
    /// The overload resolutions so far, if this link is to be explained.
    pub trace: Option<RefCell<Vec<OverloadTrace>>>,
}

impl<'w> Checker<'w> {
    /// Nothing asked yet, for a link of a file.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let types = Types::new(world, file);
        Self {
            memo: Memo::default(),
            forms: calls::call_forms(types.facts),
            site_scope: Cell::new(ScopeId(0)),
            assumptions: Assumptions::default(),
            locals: simple_names::locals(types.facts, types.table),
            bodies: OnceCell::new(),
            trace: None,
            types,
        }
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self) -> Dependencies {
        self.types.finish()
    }
}

impl<'w> Deref for Checker<'w> {
    type Target = Types<'w>;

    #[inline]
    fn deref(&self) -> &Types<'w> {
        &self.types
    }
}
