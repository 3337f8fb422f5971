//! The third layer: types of expressions, targets of calls, overload resolution.
//!
//! [`Checker`] holds a `Types` and dereferences to it. Its queries form one cycle, as in the
//! language: the type of a call depends on its overload, that on conversions of the arguments, that
//! on the return types of lambdas among them, and these are types of expressions.
//!
//! **Limits.** Only expressions of the file being resolved are typed; a member of another file has
//! its declared type.

pub mod applicability;
pub mod betterness;
pub mod calls;
pub mod contextual_types;
pub mod conversions;
pub mod expr_types;
pub mod extensions;
mod inference;
mod iteration;
mod lambda_bindings;
pub mod lambdas;
pub mod operators;
pub mod overload_trace;
pub mod overloads;
pub mod simple_names;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::stack::Table;
use codeagent_lang::{FileId, ReadSet, World};
use codeagent_model::facts::{CallId, DeclId, ExprId, ScopeId};
use rustc_hash::FxHashMap;

use self::calls::{CallForm, CallResult};
use self::extensions::ExtensionScope;
use self::lambda_bindings::{LambdaBindingId, LambdaBindings};
use self::lambdas::LambdaParamUse;
use self::overload_trace::OverloadTrace;
use self::simple_names::Locals;
use crate::resolve::types::{Ty, Types};

/// Answers about expressions, by query.
#[derive(Default)]
struct ExprMemo {
    exprs: Table<(LambdaBindingId, ExprId), Ty>,
    calls: Table<(LambdaBindingId, CallId), Rc<CallResult>>,
    extension_scopes: RefCell<FxHashMap<ScopeId, Rc<[ExtensionScope]>>>,
}

/// A link as far as expressions go.
pub struct Checker<'w> {
    types: Types<'w>,
    memo: ExprMemo,
    pub forms: Vec<CallForm>,
    /// Scope of the innermost type or namespace around the site, for extension methods.
    pub site_scope: Cell<ScopeId>,
    lambda_bindings: LambdaBindings,
    locals: Locals,
    /// What the body of each lambda does with what starts from one of its parameters.
    bodies: OnceCell<FxHashMap<DeclId, Vec<LambdaParamUse>>>,
    /// The overload resolutions so far, if this link is to be explained.
    pub trace: Option<RefCell<Vec<OverloadTrace>>>,
}

impl<'w> Checker<'w> {
    /// Nothing asked yet, for a link of a file.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let types = Types::new(world, file);
        Self {
            memo: ExprMemo::default(),
            forms: calls::call_forms(types.facts),
            site_scope: Cell::new(ScopeId(0)),
            lambda_bindings: LambdaBindings::default(),
            locals: simple_names::locals(types.facts, types.table),
            bodies: OnceCell::new(),
            trace: None,
            types,
        }
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self) -> ReadSet {
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
