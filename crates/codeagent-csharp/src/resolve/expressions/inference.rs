//! Type inference for generic methods (C# standard §12.6.3).
//!
//! Two phases, as in the standard: first the arguments that have a type, then the results of
//! lambdas and method groups whose parameter types are fixed by then.
//!
//! Limitations: all bounds are lower bounds; the one to which all others convert is taken, else the
//! first.

use codeagent_model::facts::{ArgMode, DeclId, ExprId};
use smallvec::SmallVec;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::signatures::DelegateShape;
use crate::resolve::types::{Ty, TyList, Type};

struct Inference<'a> {
    params: &'a [Ty],
    bounds: Vec<SmallVec<[(bool, Ty); 2]>>,
    fixed: Vec<Ty>,
}

impl Inference<'_> {
    fn position(&self, ty: Ty) -> Option<usize> {
        self.params.iter().position(|param| *param == ty)
    }
}

/// A lambda or method group whose result has not been used yet.
enum Pending {
    Lambda(DeclId),
    Group(ExprId),
}

impl Checker<'_> {
    /// Infers type arguments; those without a bound are unknown.
    pub(super) fn infer_type_args(&self, params: &[Ty], pairs: &[(Ty, Argument)]) -> TyList {
        let mut state = Inference {
            params,
            bounds: vec![SmallVec::new(); params.len()],
            fixed: vec![Ty::UNKNOWN; params.len()],
        };

        let mut pending: Vec<(Ty, Pending)> = Vec::new();
        for (formal, argument) in pairs {
            if !self.arena.is_open(*formal) {
                continue;
            }

            match self.arena.get(argument.ty) {
                Type::Lambda(lambda) => {
                    self.explicit_lambda_bounds(&mut state, *formal, lambda);
                    pending.push((*formal, Pending::Lambda(lambda)));
                }
                Type::MethodGroup(group) => pending.push((*formal, Pending::Group(group))),
                Type::Collection(collection) => {
                    self.collection_bounds(&mut state, *formal, collection)
                }
                _ => self.bound(
                    &mut state,
                    *formal,
                    argument.ty,
                    matches!(argument.mode, ArgMode::Ref | ArgMode::Out),
                ),
            }
        }

        self.output_phase(&mut state, &mut pending);
        for index in 0..params.len() {
            self.fix(&mut state, index);
        }

        state.fixed.into()
    }

    fn output_phase(&self, state: &mut Inference<'_>, pending: &mut Vec<(Ty, Pending)>) {
        for _ in 0..=pending.len() {
            let Some(at) = pending
                .iter()
                .position(|(formal, _)| self.ready(state, *formal))
            else {
                return;
            };
            let (formal, what) = pending.remove(at);
            let Some(shape) = self.delegate_shape(formal) else {
                continue;
            };

            for param in shape.params.iter() {
                self.fix_mentioned(state, *param);
            }

            let inputs: TyList = shape
                .params
                .iter()
                .map(|param| self.replace_params(*param, state.params, &state.fixed))
                .collect();

            let result = match what {
                Pending::Lambda(lambda) => self
                    .infer_lambda_result(lambda, &inputs)
                    .unwrap_or(Ty::UNKNOWN),
                Pending::Group(group) => self
                    .method_of_group(group, &inputs)
                    .map_or(Ty::UNKNOWN, |(_, result)| result),
            };

            if !self.is_void(result) {
                self.bound(state, self.task_shaped(shape.result, result), result, false);
            }
        }
    }

    /// Returns the result of an async lambda in the form of the formal type: a `Task<X>` as a
    /// `ValueTask<X>`.
    fn task_shaped(&self, formal: Ty, result: Ty) -> Ty {
        match (self.known(formal), self.known(result)) {
            (Some((Known::ValueTaskOf, args)), Some((Known::TaskOf, _))) => {
                self.known_type(Known::TaskOf, &args)
            }
            _ => formal,
        }
    }

    /// Reports whether all type parameters in a delegate's parameters are fixed or can be fixed
    /// from their bounds.
    fn ready(&self, state: &Inference<'_>, formal: Ty) -> bool {
        let Some(shape) = self.delegate_shape(formal) else {
            return true;
        };
        shape.params.iter().all(|param| {
            state.params.iter().enumerate().all(|(index, wanted)| {
                !state.fixed[index].is_unknown()
                    || !state.bounds[index].is_empty()
                    || !self.mentions(*param, *wanted)
            })
        })
    }

    fn fix_mentioned(&self, state: &mut Inference<'_>, ty: Ty) {
        for index in 0..state.params.len() {
            if self.mentions(ty, state.params[index]) {
                self.fix(state, index);
            }
        }
    }

    fn explicit_lambda_bounds(&self, state: &mut Inference<'_>, formal: Ty, lambda: DeclId) {
        let explicit = self.explicit_params(lambda);
        let Some(DelegateShape { params, .. }) = self.delegate_shape(formal) else {
            return;
        };
        for (param, ty) in params.iter().zip(explicit) {
            self.bound(state, *param, ty, true);
        }
    }

    fn collection_bounds(&self, state: &mut Inference<'_>, formal: Ty, collection: ExprId) {
        let element = self.collection_element(collection);
        if let Some(wanted) = self.element_of(formal) {
            self.bound(state, wanted, element, false);
        }
    }

    fn fix(&self, state: &mut Inference<'_>, index: usize) {
        if !state.fixed[index].is_unknown() {
            return;
        }

        let bounds = &state.bounds[index];
        if let Some((_, ty)) = bounds.iter().find(|(exact, _)| *exact) {
            state.fixed[index] = *ty;
            return;
        }

        let widest = bounds.iter().find(|(_, ty)| {
            bounds
                .iter()
                .all(|(_, other)| self.convert(*other, *ty) > Conversion::Unknown)
        });

        if let Some((_, ty)) = widest.or(bounds.first()) {
            state.fixed[index] = *ty;
        }
    }

    /// Adds `actual` as a bound of the type parameters in `formal`.
    fn bound(&self, state: &mut Inference<'_>, formal: Ty, actual: Ty, exact: bool) {
        self.bound_deep(state, (formal, actual), exact, 0);
    }

    fn bound_deep(
        &self,
        state: &mut Inference<'_>,
        (formal, actual): (Ty, Ty),
        exact: bool,
        depth: u32,
    ) {
        if depth > 8 || !self.arena.is_open(formal) {
            return;
        }

        let given = self.arena.get(actual);
        if let Some(index) = state.position(formal) {
            let usable = !matches!(
                given,
                Type::Unknown
                    | Type::ExternalValue
                    | Type::Null
                    | Type::Default
                    | Type::TargetNew
                    | Type::Lambda(_)
                    | Type::MethodGroup(_)
                    | Type::Qualifier(_)
                    | Type::Namespace(_)
            );
            if usable && !state.bounds[index].contains(&(exact, actual)) {
                state.bounds[index].push((exact, actual));
            }
            return;
        }

        match (self.arena.get(formal), given) {
            (Type::Array(x, a), Type::Array(y, b)) if a == b => {
                self.bound_deep(state, (x, y), exact, depth + 1)
            }
            (Type::Nullable(x), Type::Nullable(y)) => {
                self.bound_deep(state, (x, y), exact, depth + 1)
            }
            (Type::Nullable(x), _) if self.is_value_type(x) != Some(true) => {
                self.bound_deep(state, (x, actual), exact, depth + 1)
            }
            (Type::Tuple(x, _), Type::Tuple(y, _)) => {
                for (x, y) in x.iter().zip(y.iter()) {
                    self.bound_deep(state, (*x, *y), exact, depth + 1);
                }
            }
            (Type::Pointer(x), Type::Pointer(y)) => {
                self.bound_deep(state, (x, y), exact, depth + 1)
            }
            (Type::Named(..) | Type::External(..), _) => {
                self.bound_arguments(state, (formal, actual), exact, depth)
            }
            _ => {}
        }
    }

    fn bound_arguments(
        &self,
        state: &mut Inference<'_>,
        (formal, actual): (Ty, Ty),
        exact: bool,
        depth: u32,
    ) {
        let Some(instance) = self.as_instance_of(actual, formal) else {
            if let (Some((known, args)), Type::Array(element, 1)) =
                (self.known(formal), self.arena.get(actual))
                && matches!(known, Known::Span | Known::ReadOnlySpan)
            {
                self.bound_deep(state, (args[0], element), exact, depth + 1);
            }
            return;
        };

        let (wanted, given) = match (self.arena.get(formal), self.arena.get(instance)) {
            (Type::Named(_, a), Type::Named(_, b))
            | (Type::External(_, a), Type::External(_, b)) => (a, b),
            _ => return,
        };

        for (index, (x, y)) in wanted.iter().zip(given.iter()).enumerate() {
            let is_exact = exact || self.variance(formal, index) == (false, false);
            self.bound_deep(state, (*x, *y), is_exact, depth + 1);
        }
    }
}
