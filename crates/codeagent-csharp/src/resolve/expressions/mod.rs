//! The third layer: types of expressions, targets of calls, overload resolution.
//!
//! [`Checker`] holds a `Types` and dereferences to it. Its queries form one cycle, as in the
//! language: the type of a call depends on its overload, that on conversions of the arguments, that
//! on the return types of lambdas among them, and these are types of expressions.
//!
//! **Limits.** Only expressions of the file being resolved are typed; a member of another file has
//! its declared type.

pub mod applicability;
mod better_conversion;
pub mod betterness;
pub mod call_forms;
pub mod calls;
mod constants;
mod constructions;
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
mod user_conversions;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::{Dependencies, FileId, World};
use codeagent_model::facts::{CallId, DeclId, ExprId, ScopeId};
use rustc_hash::FxHashMap;

use self::call_forms::CallForm;
use self::calls::CallResult;
use self::extensions::ExtensionScope;
use self::lambda_bindings::{LambdaBindingId, LambdaBindings};
use self::lambdas::LambdaParamUse;
use self::overload_trace::OverloadTrace;
use self::simple_names::Locals;
use crate::resolve::types::{Ty, Types};

/// Memoized results about expressions.
#[derive(Default)]
struct ExprMemo {
    exprs: MemoTable<(LambdaBindingId, ExprId), Ty>,
    calls: MemoTable<(LambdaBindingId, CallId), Rc<CallResult>>,
    extension_scopes: MemoTable<ScopeId, Rc<[ExtensionScope]>>,
}

/// The state of the expression layer while one file is resolved.
pub struct Checker<'w> {
    types: Types<'w>,
    memo: ExprMemo,
    pub forms: Vec<CallForm>,
    /// Scope of the innermost type or namespace around the site, for extension methods.
    pub site_scope: Cell<ScopeId>,
    lambda_bindings: LambdaBindings,
    locals: Locals,
    /// The uses of the parameters of each lambda.
    bodies: OnceCell<FxHashMap<DeclId, Vec<LambdaParamUse>>>,
    /// The overload resolutions so far, if this link is to be explained.
    pub trace: Option<RefCell<Vec<OverloadTrace>>>,
}

impl<'w> Checker<'w> {
    /// Starts resolving a file.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        let types = Types::new(world, file);
        Self {
            memo: ExprMemo::default(),
            forms: call_forms::call_forms(types.facts),
            site_scope: Cell::new(ScopeId(0)),
            lambda_bindings: LambdaBindings::default(),
            locals: simple_names::locals(types.facts, types.table),
            bodies: OnceCell::new(),
            trace: None,
            types,
        }
    }

    /// Returns the recorded dependencies.
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
