//! The third layer: types of expressions, targets of calls, overload resolution.
//!
//! [`Checker`] is a view of an [`ExprState`] from one site; it holds a `Types` and dereferences to
//! it. Its queries form one cycle, as in the language: the type of a call depends on its overload,
//! the overload on conversions of the arguments, those on the return types of lambdas, and these on
//! types of expressions.
//!
//! Limitations: only expressions of the file being resolved are typed; a member of another file has
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
mod interpolated_strings;
mod iteration;
mod lambda_bindings;
pub mod lambdas;
mod natural_types;
pub mod operators;
pub mod overload_trace;
pub mod overloads;
pub mod simple_names;
mod user_conversions;

use std::cell::{OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use codeagent_lang::query::memo::MemoTable;
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
pub struct ExprState {
    memo: ExprMemo,
    forms: Vec<CallForm>,
    lambda_bindings: LambdaBindings,
    locals: Locals,
    /// The uses of each lambda's parameters in its body.
    bodies: OnceCell<FxHashMap<DeclId, Vec<LambdaParamUse>>>,
    /// The number of elements into which each deconstructed value is split.
    deconstructed: OnceCell<FxHashMap<ExprId, usize>>,
    /// The overload resolutions so far; recorded only to explain them.
    trace: Option<RefCell<Vec<OverloadTrace>>>,
}

impl ExprState {
    /// Starts resolving the file of these types.
    #[must_use]
    pub fn new(types: Types<'_>) -> Self {
        Self {
            memo: ExprMemo::default(),
            forms: call_forms::call_forms(types.facts),
            lambda_bindings: LambdaBindings::default(),
            locals: simple_names::locals(types.facts, types.table),
            bodies: OnceCell::new(),
            deconstructed: OnceCell::new(),
            trace: None,
        }
    }

    /// Records the overload resolutions, to explain them.
    #[must_use]
    pub fn traced(self) -> Self {
        Self {
            trace: Some(RefCell::default()),
            ..self
        }
    }

    /// Returns the layer's view that extends this view of the layer below.
    pub fn above<'w>(&'w self, types: Types<'w>) -> Checker<'w> {
        Checker {
            types,
            memo: &self.memo,
            forms: &self.forms,
            lambda_bindings: &self.lambda_bindings,
            locals: &self.locals,
            bodies: &self.bodies,
            deconstructed: &self.deconstructed,
            trace: self.trace.as_ref(),
        }
    }
}

/// The expression layer, viewed from a site.
#[derive(Clone, Copy)]
pub struct Checker<'w> {
    types: Types<'w>,
    memo: &'w ExprMemo,
    pub forms: &'w [CallForm],
    lambda_bindings: &'w LambdaBindings,
    locals: &'w Locals,
    bodies: &'w OnceCell<FxHashMap<DeclId, Vec<LambdaParamUse>>>,
    deconstructed: &'w OnceCell<FxHashMap<ExprId, usize>>,
    pub trace: Option<&'w RefCell<Vec<OverloadTrace>>>,
}

impl<'w> Deref for Checker<'w> {
    type Target = Types<'w>;

    #[inline]
    fn deref(&self) -> &Types<'w> {
        &self.types
    }
}
