//! Parameter types assumed while the body of a lambda is bound for one overload.
//!
//! An assumption is about one lambda and extends one about the enclosing lambda. Assumptions about
//! sibling lambdas do not affect the body and are left out, so the number of times a body is bound
//! grows with its nesting depth, not with the number of lambdas in a call.

use std::cell::{Cell, RefCell};

use codeagent_model::facts::{Context, DeclId, DeclKind, ScopeId};
use rustc_hash::FxHashMap;

use crate::resolve::expressions::Checker;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{Ty, TyList};

/// The number of an assumption; 0 is none.
pub type LambdaBindingId = u32;

type Assumed = (LambdaBindingId, DeclId, TyList);

/// The assumptions made so far, and the current one.
#[derive(Default)]
pub struct LambdaBindings {
    made: RefCell<Vec<Assumed>>,
    numbers: RefCell<FxHashMap<Assumed, LambdaBindingId>>,
    current: Cell<LambdaBindingId>,
    /// The assumption under which the body around each anonymous object was last typed.
    objects: RefCell<FxHashMap<DeclId, LambdaBindingId>>,
}

impl LambdaBindings {
    pub fn current(&self) -> LambdaBindingId {
        self.current.get()
    }

    fn number(&self, assumed: Assumed) -> LambdaBindingId {
        let mut made = self.made.borrow_mut();
        *self
            .numbers
            .borrow_mut()
            .entry(assumed)
            .or_insert_with_key(|assumed| {
                made.push(assumed.clone());
                made.len() as LambdaBindingId
            })
    }

    /// Returns the parameter types assumed for a lambda.
    fn of(&self, lambda: DeclId) -> Option<TyList> {
        let made = self.made.borrow();
        let mut current = self.current.get();
        while let Some((outer, assumed, params)) = (current as usize)
            .checked_sub(1)
            .and_then(|index| made.get(index))
        {
            if *assumed == lambda {
                return Some(params.clone());
            }
            current = *outer;
        }
        None
    }
}

impl Checker<'_> {
    /// Evaluates under the assumption that the parameters of a lambda have these types.
    pub(super) fn assume<T>(
        &self,
        lambda: DeclId,
        params: TyList,
        evaluate: impl FnOnce() -> T,
    ) -> T {
        let outer = self.assumption_around(self.facts.decl(lambda).scope);
        self.under(
            self.lambda_bindings.number((outer, lambda, params)),
            evaluate,
        )
    }

    /// Evaluates under the assumptions about the lambdas that enclose a scope, and no others.
    pub(super) fn within<T>(&self, scope: ScopeId, evaluate: impl FnOnce() -> T) -> T {
        self.under(self.assumption_around(scope), evaluate)
    }

    fn under<T>(&self, assumption: LambdaBindingId, evaluate: impl FnOnce() -> T) -> T {
        let outer = self.lambda_bindings.current.replace(assumption);
        let result = evaluate();
        self.lambda_bindings.current.set(outer);
        result
    }

    /// Returns the part of the current assumption that is about lambdas enclosing a scope.
    fn assumption_around(&self, scope: ScopeId) -> LambdaBindingId {
        if self.lambda_bindings.current() == 0 {
            return 0;
        }
        let around = self.lambdas_around(scope);
        let assumed = around
            .iter()
            .rev()
            .filter_map(|lambda| Some((*lambda, self.lambda_bindings.of(*lambda)?)));
        assumed.fold(0, |outer, (lambda, params)| {
            self.lambda_bindings.number((outer, lambda, params))
        })
    }

    /// Returns the lambdas that enclose a scope, the innermost first.
    fn lambdas_around(&self, mut scope: ScopeId) -> Vec<DeclId> {
        let mut found = Vec::new();
        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if let Some(owner) = here.owner.some()
                && self.facts.decl(owner).kind == DeclKind::Lambda
                && found.last() != Some(&owner)
            {
                found.push(owner);
            }
            scope = here.parent;
        }
        found
    }

    /// Reports whether parameter types are assumed for a lambda.
    pub(super) fn is_assumed(&self, lambda: DeclId) -> bool {
        self.lambda_bindings.of(lambda).is_some()
    }

    /// Returns the assumed type of a lambda's parameter.
    pub(super) fn assumed_param(&self, lambda: DeclId, index: u16) -> Option<Ty> {
        Some(
            self.lambda_bindings
                .of(lambda)?
                .get(usize::from(index))
                .copied()
                .unwrap_or(Ty::UNKNOWN),
        )
    }

    /// Records the current assumption for an anonymous object. Its members may be accessed
    /// elsewhere while the enclosing call is still being resolved.
    pub(super) fn record_object(&self, object: DeclId) {
        let around = self.assumption_around(self.facts.decl(object).scope);
        if around != 0 {
            self.lambda_bindings
                .objects
                .borrow_mut()
                .insert(object, around);
        }
    }

    /// Evaluates members of an anonymous object: under the assumption recorded for it while the
    /// overload of an enclosing call is being resolved, else under that call's parameter types.
    pub(super) fn in_object<T>(&self, object: DeclId, evaluate: impl FnOnce() -> T) -> T {
        let scope = self.facts.decl(object).scope;
        let made = self.lambda_bindings.objects.borrow().get(&object).copied();
        match made {
            Some(made)
                if self
                    .lambdas_around(scope)
                    .iter()
                    .any(|lambda| self.awaits_overload(*lambda)) =>
            {
                self.under(made, evaluate)
            }
            _ => self.within(scope, evaluate),
        }
    }

    /// Reports whether the call that takes a lambda is still being resolved, and nothing is assumed
    /// about the lambda's parameters.
    fn awaits_overload(&self, lambda: DeclId) -> bool {
        let Context::Argument(taker, _) = self.facts.decl(lambda).context else {
            return false;
        };
        let resolves_taker =
            |query: &Query| matches!(query, Query::Call(_, call) if *call == taker);
        !self.is_assumed(lambda) && self.stack.is_active(resolves_taker)
    }
}
