//! Anonymous functions and method groups: conversion to a delegate type, and their return types (C#
//! standard §10.7).
//!
//! `x => x.Name` converts to `Func<Person, string>`: its body is typed with `x` as a `Person`.
//!
//! Limitations: a block body without `return` counts as `void`, even if it never ends, unless its
//! last statement is a `throw`. At most eight returns are examined.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{
    CallId, DeclFlags, DeclId, DeclKind, Expr, ExprId, LiteralKind, Operator,
};
use rustc_hash::FxHashMap;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::call_forms::CallForm;
use crate::resolve::expressions::calls::CallOutcome;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::expressions::simple_names::ScopePosition;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::signatures::DelegateShape;
use crate::resolve::types::{Ty, TyList, Type};

/// Largest number of returns that are examined in a lambda's body.
const MAX_RETURNS: usize = 8;

/// Largest number of uses of its parameters that are examined in a lambda's body.
const MAX_USES: usize = 100;

/// A use of a lambda parameter, or of a value reached from one, in the lambda's body.
#[derive(Clone, Copy, Debug)]
pub enum LambdaParamUse {
    /// Accesses a member of it.
    Member(ExprId, Name),
    /// Accesses an element of it.
    Indexed(ExprId),
    /// Passes it to a call.
    Argument(CallId),
    /// Stores it in a variable with a written type.
    Value(DeclId),
    Assigned(ExprId, ExprId),
}

impl Checker<'_> {
    /// Returns the result type of a lambda for these parameter types; a task for an async lambda.
    /// `None` if it returns nothing (or has only `return;`).
    pub(super) fn infer_lambda_result(&self, lambda: DeclId, params: &TyList) -> Option<Ty> {
        let decl = self.facts.decl(lambda);
        let returns = self.facts.list(decl.returns);
        let inner =
            if returns.is_empty() || decl.flags.has(DeclFlags::ASYNC) && self.only_throws(lambda) {
                None
            } else {
                let values = self.assume(lambda, params.clone(), || {
                    returns
                        .iter()
                        .take(MAX_RETURNS)
                        .map(|value| self.type_of_expr(*value))
                        .collect::<Vec<Ty>>()
                });
                Some(self.infer_common_type(&values)).filter(|ty| !self.is_void(*ty))
            };

        if !decl.flags.has(DeclFlags::ASYNC) {
            return inner;
        }

        Some(match inner {
            Some(ty) => self.known_type(Known::TaskOf, &[ty]),
            None => self.known_type(Known::Task, &[]),
        })
    }

    /// Reports whether a lambda throws instead of returning.
    fn only_throws(&self, lambda: DeclId) -> bool {
        let returns = self.facts.list(self.facts.decl(lambda).returns);
        matches!(returns, [only] if matches!(self.facts.expr(*only), Expr::Literal(LiteralKind::Throw, _)))
    }

    /// Reports whether a lambda returns a value that can have a type.
    pub(super) fn returns_something(&self, lambda: DeclId) -> bool {
        let untyped = |value: &ExprId| match self.facts.expr(*value) {
            Expr::Literal(kind, _) => matches!(
                kind,
                LiteralKind::Null | LiteralKind::Default | LiteralKind::Throw
            ),
            _ => false,
        };
        !self
            .facts
            .list(self.facts.decl(lambda).returns)
            .iter()
            .all(untyped)
    }

    /// Returns the best common type of values.
    pub(super) fn infer_common_type(&self, values: &[Ty]) -> Ty {
        let mut best = Ty::UNKNOWN;
        let mut null = false;
        for &ty in values {
            match self.arena.get(ty) {
                Type::Null => null = true,
                Type::Unknown
                | Type::ExternalValue
                | Type::Default
                | Type::TargetNew
                | Type::Qualifier(_)
                | Type::Namespace(_) => {}
                _ if best.is_unknown() => best = ty,
                Type::Lambda(_) | Type::MethodGroup(_) => {}
                _ if self.is_delegate(ty) == Some(true) && self.delegate_shape(best).is_none() => {
                    best = ty
                }
                _ if self.convert(best, ty) == Conversion::Implicit => best = ty,
                _ => {}
            }
        }

        if best.is_unknown() {
            return if null { Ty::NULL } else { Ty::UNKNOWN };
        }

        if null && self.is_value_type(best) == Some(true) {
            self.nullable(best)
        } else {
            best
        }
    }

    /// Returns the written types of a lambda's parameters, unknown where there are none.
    pub(super) fn explicit_params(&self, lambda: DeclId) -> Vec<Ty> {
        let decl = self.facts.decl(lambda);
        self.facts
            .list(decl.params)
            .iter()
            .map(|param| self.type_of(self.file, self.facts.decl(*param).ty))
            .collect()
    }

    pub(super) fn lambda_converts(&self, lambda: DeclId, shape: &DelegateShape) -> Conversion {
        let explicit = self.explicit_params(lambda);
        if explicit.len() != shape.params.len() {
            return Conversion::No;
        }

        let clash = explicit
            .iter()
            .zip(shape.params.iter())
            .any(|(own, wanted)| {
                let known = !self.is_uncertain(*own) && !self.is_uncertain(*wanted);
                known
                    && matches!(
                        self.convert(*own, *wanted),
                        Conversion::No | Conversion::Implicit
                    )
            });

        if clash {
            return Conversion::No;
        }
        if self.is_void(shape.result) {
            return self.fits_void(lambda);
        }
        let Some(returned) = self.infer_lambda_result(lambda, &shape.params) else {
            return Conversion::No;
        };
        if self.facts.decl(lambda).flags.has(DeclFlags::ASYNC) {
            return self.async_converts(lambda, returned, shape.result);
        }

        self.assume(lambda, shape.params.clone(), || {
            let returns = self.facts.list(self.facts.decl(lambda).returns).iter();
            returns
                .take(MAX_RETURNS)
                .map(|value| self.convert_value(*value, self.type_of_expr(*value), shape.result))
                .fold(Conversion::Implicit, Conversion::min)
        })
    }

    /// Reports whether a lambda's body binds if its parameters have these types, judging only by
    /// their direct uses: accessed members exist, calls and variables accept the values, and no number
    /// is indexed (standard §12.6.4.2 by way of §10.7.1).
    pub(super) fn body_binds(&self, lambda: DeclId, params: &TyList) -> bool {
        let bodies = self.bodies.get_or_init(|| self.parameter_uses());
        let Some(uses) = bodies.get(&lambda) else {
            return true;
        };
        self.assume(lambda, params.clone(), || {
            uses.iter().take(MAX_USES).all(|used| self.use_binds(*used))
        })
    }

    fn use_binds(&self, used: LambdaParamUse) -> bool {
        match used {
            LambdaParamUse::Member(base, name) => !self.surely_lacks(self.type_of_expr(base), name),
            LambdaParamUse::Indexed(base) => {
                let known = self.known(self.type_of_expr(base));
                !known.is_some_and(|(known, _)| known.is_primitive_value())
            }
            LambdaParamUse::Argument(call) => {
                !self.resolve_call(call).refused && self.value_takes(call)
            }

            LambdaParamUse::Assigned(target, value) => {
                self.convert_value(value, self.type_of_expr(value), self.type_of_expr(target))
                    != Conversion::No
            }
            LambdaParamUse::Value(variable) => {
                let decl = self.facts.decl(variable);
                self.convert_value(
                    decl.init,
                    self.type_of_expr(decl.init),
                    self.type_of(self.file, decl.ty),
                ) != Conversion::No
            }
        }
    }

    /// Reports whether the delegate invoked by a call accepts its arguments.
    fn value_takes(&self, id: CallId) -> bool {
        let (call, args) = (
            self.resolve_call(id),
            self.arguments(&self.facts.calls[id.index()]),
        );
        if let ([only], CallForm::New | CallForm::NewTarget(_)) =
            (&args[..], self.forms[id.index()])
            && let Some(given) = self.delegate_shape(only.ty)
        {
            return self.delegate_takes(&given, call.result);
        }

        call.outcome != CallOutcome::Value
            || call.expected.len() != args.len()
            || self.parameters_take(&call.expected, &args)
    }

    /// Reports whether a delegate created from another may have this type: parameters and result
    /// convert (standard §12.8.17.6).
    fn delegate_takes(&self, given: &DelegateShape, created: Ty) -> bool {
        let Some(wanted) = self.delegate_shape(created) else {
            return true;
        };
        if given.params.len() != wanted.params.len()
            || self.is_void(given.result) != self.is_void(wanted.result)
        {
            return false;
        }

        let takes = |(from, to): (&Ty, &Ty)| self.convert(*from, *to) != Conversion::No;
        let results = (&given.result, &wanted.result);
        wanted.params.iter().zip(given.params.iter()).all(takes)
            && (self.is_void(given.result) || takes(results))
    }

    fn parameter_uses(&self) -> FxHashMap<DeclId, Vec<LambdaParamUse>> {
        let mut bodies: FxHashMap<DeclId, Vec<LambdaParamUse>> = FxHashMap::default();
        let mut add = |value: ExprId, used: LambdaParamUse| {
            if let Some(lambda) = self.lambda_under(value) {
                bodies.entry(lambda).or_default().push(used);
            }
        };

        for expr in &self.facts.exprs {
            match *expr {
                Expr::Member(base, name) => {
                    add(base, LambdaParamUse::Member(base, self.own_name(name)))
                }
                Expr::Assign(target, value) => add(value, LambdaParamUse::Assigned(target, value)),
                _ => {}
            }
        }

        for (number, call) in self.facts.calls.iter().enumerate() {
            if matches!(self.forms[number], CallForm::Index) {
                add(call.callee, LambdaParamUse::Indexed(call.callee));
            }
            for arg in self.facts.list(call.args) {
                add(arg.value, LambdaParamUse::Argument(CallId(number as u32)));
            }
        }

        for id in self.facts.decl_ids() {
            let decl = self.facts.decl(id);
            if decl.kind == DeclKind::Variable && !decl.ty.is_none() {
                add(decl.init, LambdaParamUse::Value(id));
            }
        }

        bodies
    }

    /// Returns the lambda whose parameter is at the start of a chain.
    fn lambda_under(&self, chain: ExprId) -> Option<DeclId> {
        let mut current = chain;
        for _ in 0..32 {
            current = match self.facts.expr(current) {
                Expr::Member(inner, _)
                | Expr::NonNull(inner)
                | Expr::Conditional(inner)
                | Expr::Paren(inner) => inner,
                Expr::Call(call) | Expr::Index(call) => self.facts.calls.get(call.index())?.callee,
                Expr::Name(name, scope, offset) => {
                    let local =
                        self.lookup_local(self.own_name(name), ScopePosition { scope, offset })?;
                    return match self.facts.expr(self.facts.decl(local).init) {
                        Expr::ContextualParam(lambda, _) => Some(lambda),
                        _ => None,
                    };
                }
                _ => return None,
            };
        }

        None
    }

    /// Reports whether all members of a type are known, and neither one of them nor an extension
    /// has the name.
    fn surely_lacks(&self, ty: Ty, name: Name) -> bool {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return false;
        };

        let group = self.type_def(tid);
        let has_members = matches!(
            group.kind,
            DeclKind::Class
                | DeclKind::Interface
                | DeclKind::Struct
                | DeclKind::Enum
                | DeclKind::Record
                | DeclKind::RecordStruct
        );

        has_members
            && !group.external
            && !self.has_foreign_base(ty)
            && self.lookup_members(ty, name).is_empty()
            && !self.may_be_extended(ty, name)
    }

    /// Reports whether a lambda fits a `void` delegate: it returns nothing, or its body is a
    /// statement expression.
    fn fits_void(&self, lambda: DeclId) -> Conversion {
        let decl = self.facts.decl(lambda);
        let is_expression = !decl.flags.has(DeclFlags::HAS_BODY);
        let fits = |value: &ExprId| match self.facts.expr(*value) {
            Expr::Literal(LiteralKind::Throw, _) => true,
            _ => is_expression && self.is_statement(*value),
        };
        if self.facts.list(decl.returns).iter().all(fits) {
            Conversion::Implicit
        } else {
            Conversion::No
        }
    }

    /// Reports whether an expression can be a statement.
    fn is_statement(&self, value: ExprId) -> bool {
        match self.facts.expr(value) {
            Expr::Conditional(inner) | Expr::Paren(inner) => self.is_statement(inner),
            Expr::Call(_)
            | Expr::New(_)
            | Expr::NewTarget(..)
            | Expr::Await(_)
            | Expr::Assign(..)
            | Expr::Unknown
            | Expr::Literal(LiteralKind::Throw, _) => true,
            Expr::Unary(operator, _) => {
                matches!(operator, Operator::Increment | Operator::Decrement)
            }
            _ => false,
        }
    }

    /// Converts the result of an async lambda, which can be any task type of a fitting result. A
    /// statement whose value is unknown may have no result.
    fn async_converts(&self, lambda: DeclId, returned: Ty, wanted: Ty) -> Conversion {
        let given = self.known(returned);
        match (given, self.known(wanted)) {
            (Some(_), Some((known, _)))
                if (known.is_task() || known.is_task_of()) && self.only_throws(lambda) =>
            {
                Conversion::Implicit
            }
            (Some((_, have)), Some((known, want))) if known.is_task_of() => {
                match (have.first(), want.first()) {
                    (Some(have), Some(want)) => {
                        self.convert(*have, *want).min(Conversion::Implicit)
                    }
                    _ => Conversion::No,
                }
            }

            (Some((have, _)), Some((known, _))) if known.is_task() && have.is_task() => {
                Conversion::Implicit
            }
            (Some((_, have)), Some((known, _))) if known.is_task() => {
                let may_be_void = have.first().is_some_and(|ty| ty.is_unknown())
                    && self.fits_void(lambda) != Conversion::No;
                if may_be_void {
                    Conversion::Unknown
                } else {
                    Conversion::No
                }
            }
            (_, Some(_)) => Conversion::No,
            _ => Conversion::Unknown,
        }
    }

    /// Returns the delegate type to which a lambda converts better.
    pub(super) fn better_lambda(&self, lambda: DeclId, first: Ty, second: Ty) -> Better {
        let (Some(a), Some(b)) = (self.delegate_shape(first), self.delegate_shape(second)) else {
            return match (
                self.delegate_shape(first).is_some(),
                self.delegate_shape(second).is_some(),
            ) {
                (true, false) => Better::First,
                (false, true) => Better::Second,
                _ => Better::Neither,
            };
        };
        if a.params != b.params {
            return self.better_target(first, second);
        }

        match (self.is_void(a.result), self.is_void(b.result)) {
            (false, true) => return Better::First,
            (true, false) => return Better::Second,
            (true, true) => return Better::Neither,
            _ => {}
        }

        let Some(returned) = self.infer_lambda_result(lambda, &a.params) else {
            return Better::Unknown;
        };

        if self.facts.decl(lambda).flags.has(DeclFlags::ASYNC)
            && let (Some((x, xs)), Some((y, ys))) = (self.known(a.result), self.known(b.result))
            && let ([own], [other]) = (&*xs, &*ys)
            && x.is_task_of()
            && y.is_task_of()
        {
            let inner = self.type_of_awaited(returned);
            return self.better_conversion(ExprId::NONE, inner, *own, *other);
        }

        self.assume(lambda, a.params.clone(), || {
            self.better_conversion(ExprId::NONE, returned, a.result, b.result)
        })
    }

    /// Returns the method of a group that overload resolution chooses for a delegate's parameters.
    pub(super) fn method_of_group(&self, group: ExprId, params: &[Ty]) -> Option<(DeclRef, Ty)> {
        let chosen = self.resolve_group(group, params)?;
        Some((chosen.best.candidate.decl, self.result_of(&chosen.best)))
    }

    fn resolve_group(&self, group: ExprId, params: &[Ty]) -> Option<OverloadResult> {
        let candidates = self.group_candidates(group);
        let args: Vec<Argument> = params.iter().map(|ty| Argument::of_type(*ty)).collect();
        let type_args = match self.facts.expr(group) {
            Expr::Generic(_, args) => self.type_list(args),
            _ => Rc::from([]),
        };
        self.resolve_overload(&candidates, &args, &type_args)
    }

    /// Returns the methods of a method group, skipping values that hide them.
    pub fn group_candidates(&self, group: ExprId) -> Vec<Candidate> {
        match self.facts.expr(group) {
            Expr::Name(name, scope, offset) => self
                .lookup_value(self.own_name(name), ScopePosition { scope, offset }, true)
                .candidates()
                .to_vec(),
            Expr::Member(base, name) => {
                self.lookup_invoked_member(base, self.own_name(name))
                    .candidates
            }
            Expr::Generic(inner, _) => self.group_candidates(inner),
            _ => Vec::new(),
        }
    }

    pub(super) fn method_group_converts(&self, group: ExprId, shape: &DelegateShape) -> Conversion {
        if self.group_candidates(group).is_empty() {
            return Conversion::Unknown;
        }

        let Some(chosen) = self
            .resolve_group(group, &shape.params)
            .filter(|chosen| chosen.applicable)
        else {
            return Conversion::No;
        };
        let result = self.result_of(&chosen.best);
        match self.is_void(shape.result) != self.is_void(result) {
            true if result.is_unknown() => Conversion::Unknown,
            true => Conversion::No,
            false if result == shape.result => Conversion::Implicit,
            false => self.convert(result, shape.result).min(Conversion::Implicit),
        }
    }
}
