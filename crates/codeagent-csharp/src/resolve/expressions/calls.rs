//! Calls: targets and result types of calls, `new`, element access, attributes and constructor
//! initializers.
//!
//! Instance members come before extension methods. A delegate value that is invoked is not a
//! target. `new C()` without a declared constructor targets the type.
//!
//! Limitations: a call whose receiver is unknown never gets a member as its target by name.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{Call, CallId, DeclFlags, Expr, ExprId, ScopeId};
use codeagent_model::graph::Confidence;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::call_forms::CallForm;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::expressions::expr_types::MemberAccess;
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::expressions::simple_names::{ScopePosition, SimpleName};
use crate::resolve::global_index::tables::is_type_scope;
use crate::resolve::global_index::well_known;
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::queries::Query;
use crate::resolve::types::signatures::DelegateShape;
use crate::resolve::types::{Ty, TyList, Type};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOutcome {
    Target,
    /// The target is outside the repository.
    External,
    /// A delegate value is called; the method it holds is not looked for.
    Value,
    /// Something it depends on is unknown.
    #[default]
    Unknown,
}

#[derive(Clone, Debug, Default)]
pub struct CallResult {
    pub outcome: CallOutcome,
    /// The targets, best first; several only if uncertain.
    pub targets: Vec<DeclRef>,
    /// The external declaration that is called, if it is declared.
    pub external: Option<DeclRef>,
    /// The target is certain.
    pub sure: bool,
    pub result: Ty,
    /// The type to which each argument converts.
    pub expected: Vec<Ty>,
    /// No candidate takes the arguments.
    pub refused: bool,
}

impl CallResult {
    /// Returns a call with an external target and this result.
    #[must_use]
    pub fn external(result: Ty, expected: Vec<Ty>) -> Self {
        Self {
            outcome: CallOutcome::External,
            result,
            expected,
            ..Self::default()
        }
    }

    /// Returns a call of a delegate value with this result.
    fn value(result: Ty, expected: Vec<Ty>) -> Self {
        Self {
            outcome: CallOutcome::Value,
            ..Self::external(result, expected)
        }
    }

    /// Returns the confidence of the call's edge.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        if self.sure {
            Confidence::Exact
        } else {
            Confidence::Inferred
        }
    }
}

const MAX_CANDIDATES: usize = 8;

impl Checker<'_> {
    /// Resolves a call of the file being resolved.
    pub fn resolve_call(&self, id: CallId) -> Rc<CallResult> {
        let key = (self.lambda_bindings.current(), id);
        let asked = (key, Query::Call(key.0, id));
        self.stack
            .query(&self.memo.calls, asked, || Rc::new(self.compute_call(id)))
            .unwrap_or_default()
    }

    fn compute_call(&self, id: CallId) -> CallResult {
        let Some(&call) = id.some().and_then(|id| self.facts.calls.get(id.index())) else {
            return CallResult::default();
        };

        match self.forms[id.index()] {
            CallForm::Call => self.resolve_invocation(&call),
            CallForm::New => {
                let ty = self.type_of_expr(call.callee);
                match self.arena.get(ty) {
                    Type::Qualifier(ty) => self.resolve_construction(ty, &call),
                    _ => CallResult::default(),
                }
            }
            CallForm::NewTarget(decl) => {
                let ty = self.infer_context_type(decl);
                self.resolve_construction(self.strip_nullable(ty), &call)
            }
            CallForm::Index => self.resolve_element_access(&call),
            CallForm::Construct(ty) => {
                self.resolve_construction(self.type_of(self.file, ty), &call)
            }
            CallForm::This(constructor) => {
                self.resolve_construction(self.constructed_by(constructor), &call)
            }
            CallForm::Base(constructor) => {
                self.resolve_construction(self.base_class(self.constructed_by(constructor)), &call)
            }
            CallForm::Attribute(ty) => self.resolve_attribute(ty, &call),
            CallForm::Unused => CallResult::default(),
        }
    }

    /// Returns the arguments of a call with their natural types.
    pub fn arguments(&self, call: &Call) -> Vec<Argument> {
        let args = self.facts.list(call.args).iter();
        args.map(|arg| Argument {
            ty: self.type_of_argument(arg.value),
            mode: arg.mode,
            name: self.own_name(arg.name),
            value: arg.value,
        })
        .collect()
    }

    /// Returns the type of an argument before its call is resolved; unknown if the type depends on
    /// the chosen overload.
    pub(super) fn type_of_argument(&self, value: ExprId) -> Ty {
        match self.facts.expr(value) {
            Expr::NewTarget(..) => Ty::TARGET_NEW,
            Expr::Array(_, decl) if !decl.is_none() => self.arena.add(Type::Collection(value)),
            Expr::Paren(inner) => self.type_of_argument(inner),
            _ => self.type_of_expr(value),
        }
    }

    fn resolve_invocation(&self, call: &Call) -> CallResult {
        match self.facts.expr(call.callee) {
            Expr::Name(name, scope, offset) => {
                match self.lookup_value(self.own_name(name), ScopePosition { scope, offset }, true)
                {
                    SimpleName::Local(found) => self.resolve_candidates(&found, call, false),
                    SimpleName::Members(found) => self.resolve_candidates(
                        &self.static_context_candidates(found, scope),
                        call,
                        false,
                    ),
                    SimpleName::Imported(found, undeclared) => {
                        self.resolve_candidates(&found, call, undeclared)
                    }
                    _ => CallResult::external(Ty::UNKNOWN, Vec::new()),
                }
            }

            Expr::Member(base, name) => self.resolve_member_call(base, self.own_name(name), call),
            Expr::Paren(_)
            | Expr::Conditional(_)
            | Expr::Cast(_)
            | Expr::Call(_)
            | Expr::Index(_) => {
                let ty = self.type_of_expr(call.callee);
                self.resolve_value_call(ty, call)
            }
            _ => CallResult::default(),
        }
    }

    /// Resolves a call among the members of this name. With `undeclared`, an undeclared member of
    /// the name may be in scope, so only a certain choice becomes an edge.
    fn resolve_candidates(&self, found: &[Candidate], call: &Call, undeclared: bool) -> CallResult {
        let methods: Vec<Candidate> = found
            .iter()
            .copied()
            .filter(|candidate| is_method(self.decl(candidate.decl).kind))
            .collect();

        let Some(first) = methods.first() else {
            return found.first().map_or_else(CallResult::default, |value| {
                self.resolve_value_call(self.type_of_candidate(value), call)
            });
        };

        let args = self.arguments(call);
        match self.resolve_overload(&methods, &args, &self.type_list(call.type_args)) {
            Some(chosen) if undeclared && !chosen.best.is_certain() => {
                CallResult::external(Ty::UNKNOWN, Vec::new())
            }
            Some(chosen) => self.call_result(chosen, 0),
            None if self.has_foreign_base(first.within) => {
                CallResult::external(Ty::UNKNOWN, Vec::new())
            }
            None => CallResult::default(),
        }
    }

    /// Resolves the call of a delegate value: it has no target, but a type.
    fn resolve_value_call(&self, ty: Ty, call: &Call) -> CallResult {
        match self.callable_shape(ty) {
            Some(shape) => CallResult::value(shape.result, self.delegate_params(&shape, call)),
            None if ty.is_unknown() => CallResult::default(),
            None => CallResult::value(if ty == Ty::DYNAMIC { ty } else { Ty::UNKNOWN }, Vec::new()),
        }
    }

    /// Returns the parameter type of each argument of a delegate's call: in expanded form if the
    /// normal form is not applicable (standard §12.6.4.2).
    fn delegate_params(&self, shape: &DelegateShape, call: &Call) -> Vec<Ty> {
        let params = shape.params.to_vec();
        let is_rest = |flags: &DeclFlags| flags.has(DeclFlags::REST);
        let (true, Some((rest, fixed))) =
            (shape.flags.last().is_some_and(is_rest), params.split_last())
        else {
            return params;
        };

        let args = self.arguments(call);
        if args.len() == params.len() && self.parameters_take(&params, &args) {
            return params;
        }

        let mut expanded = fixed.to_vec();
        let element = self.element_of(*rest).unwrap_or(Ty::UNKNOWN);
        expanded.resize(args.len().max(fixed.len()), element);
        expanded
    }

    /// Reports whether each argument may convert to its parameter's type.
    pub(super) fn parameters_take(&self, params: &[Ty], args: &[Argument]) -> bool {
        let takes = |(arg, wanted): (&Argument, &Ty)| {
            self.argument_converts(arg, *wanted, DeclFlags::default()) != Conversion::No
        };
        args.iter().zip(params).all(takes)
    }

    fn resolve_member_call(&self, base: ExprId, name: Name, call: &Call) -> CallResult {
        let access = self.lookup_invoked_member(base, name);
        let methods = self.invocable(&access.candidates, access.receiver, base);
        let args = self.arguments(call);
        let type_args = self.type_list(call.type_args);
        let own = if methods.is_empty() {
            None
        } else {
            self.resolve_overload(&methods, &args, &type_args)
        };

        let inaccessible = access
            .candidates
            .first()
            .is_some_and(|first| !self.is_accessible(*first));
        let hidden = inaccessible || self.needs_type(&access, base);

        if let Some(chosen) = own.as_ref().filter(|chosen| chosen.applicable && !hidden) {
            return self.call_result(chosen.clone(), 0);
        }

        if let Some(value) = access
            .candidates
            .first()
            .filter(|first| !hidden && !is_method(self.decl(first.decl).kind))
        {
            let ty = self.type_of_candidate(value);
            if self.is_delegate(ty) != Some(false) {
                return self.resolve_value_call(ty, call);
            }
        }

        if let Some(chosen) = self.resolve_extension(access.receiver, name, &args, &type_args) {
            return self.call_result(chosen, 1);
        }

        match own {
            // No declared candidate takes the arguments, so the undeclared base class must have one
            // that does.
            Some(chosen) if !chosen.applicable && self.has_foreign_class(access.receiver) => {
                CallResult::external(Ty::UNKNOWN, Vec::new())
            }
            Some(chosen) => self.call_result(chosen.doubted_if(inaccessible), 0),
            None => {
                if let Some(chosen) =
                    self.resolve_block_method(access.receiver, name, &args, &type_args)
                {
                    return self.call_result(chosen, 0);
                }
                if let Some(chosen) =
                    self.resolve_extension_of_unknown(access.receiver, name, &args, &type_args)
                {
                    return self.call_result(chosen, 1);
                }

                self.external_call_result(
                    self.resolve_undeclared_call(&access, name, call),
                    (base, &access),
                    &args,
                    &type_args,
                )
            }
        }
    }

    /// Looks up an invoked member: members that cannot be invoked are skipped if there are methods.
    pub(super) fn lookup_invoked_member(&self, base: ExprId, name: Name) -> MemberAccess {
        let mut access = self.lookup_member_access(base, name);
        if access.candidates.is_empty() || !self.cannot_be_invoked(&access.candidates) {
            return access;
        }

        let of = if let Type::Qualifier(ty) = self.arena.get(access.receiver) {
            ty
        } else {
            access.receiver
        };
        let methods = self.lookup_methods(of, name);
        if !methods.is_empty() {
            access.candidates = methods;
        }
        access
    }

    /// Gives the result of an external method an external type if no argument has a repository
    /// type.
    fn external_call_result(
        &self,
        call: CallResult,
        (base, access): (ExprId, &MemberAccess),
        args: &[Argument],
        type_args: &TyList,
    ) -> CallResult {
        let takes_nothing = |arg: &Argument| {
            matches!(self.facts.expr(arg.value), Expr::Literal(..)) || self.is_external_type(arg.ty)
        };

        let outside = call.result.is_unknown()
            && self.is_external_value(base, access.receiver)
            && args.iter().all(takes_nothing)
            && type_args.iter().all(|arg| self.is_external_type(*arg));

        if outside {
            CallResult {
                result: Ty::EXTERNAL_VALUE,
                ..call
            }
        } else {
            call
        }
    }

    /// Returns the innermost type that encloses a scope.
    pub(super) fn enclosing_type(&self, mut scope: ScopeId) -> Option<Ty> {
        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if is_type_scope(here.kind) {
                return Some(self.type_of_this(here.owner));
            }
            scope = here.parent;
        }
        None
    }

    /// Removes instance methods where there is no `this`, if a static one remains.
    fn static_context_candidates(&self, found: Vec<Candidate>, scope: ScopeId) -> Vec<Candidate> {
        let is_static =
            |candidate: &Candidate| self.decl(candidate.decl).flags.has(DeclFlags::STATIC);
        if !self.is_static_context(scope) || !found.iter().any(is_static) {
            return found;
        }
        found.into_iter().filter(is_static).collect()
    }

    /// Reports whether a static method, local function or lambda encloses a scope, within the
    /// innermost type.
    fn is_static_context(&self, mut scope: ScopeId) -> bool {
        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if is_type_scope(here.kind) {
                return false;
            }
            if here
                .owner
                .some()
                .is_some_and(|owner| self.facts.decl(owner).flags.has(DeclFlags::STATIC))
            {
                return true;
            }
            scope = here.parent;
        }
        false
    }

    /// Returns the methods that can be invoked: static ones through a type, others through a value.
    fn invocable(&self, candidates: &[Candidate], receiver: Ty, base: ExprId) -> Vec<Candidate> {
        let methods: Vec<Candidate> = candidates
            .iter()
            .copied()
            .filter(|candidate| is_method(self.decl(candidate.decl).kind))
            .collect();

        let through_type = matches!(self.arena.get(receiver), Type::Qualifier(_));
        if !through_type && self.names_its_type(base, receiver) {
            return methods;
        }

        let fitting: Vec<Candidate> = methods
            .iter()
            .copied()
            .filter(|candidate| {
                self.decl(candidate.decl).flags.has(DeclFlags::STATIC) == through_type
            })
            .collect();

        if fitting.is_empty() { methods } else { fitting }
    }

    /// Reports whether all members are static, but are accessed through a value: then extension
    /// methods come first (standard §12.8.7.1, §12.8.10.3).
    fn needs_type(&self, access: &MemberAccess, base: ExprId) -> bool {
        let is_value = !matches!(
            self.arena.get(access.receiver),
            Type::Qualifier(_) | Type::Namespace(_)
        );
        is_value
            && !access.candidates.is_empty()
            && access
                .candidates
                .iter()
                .all(|member| self.is_static(member))
            && !self.names_its_type(base, access.receiver)
    }

    /// Reports whether a value has the name of its type, so that static members are candidates too
    /// (Color Color, standard §12.8.7.2).
    pub fn names_its_type(&self, value: ExprId, ty: Ty) -> bool {
        match self.facts.expr(value) {
            Expr::Name(name, scope, _) => {
                match self.lookup_type_name(self.own_name(name), scope, 0) {
                    SimpleName::Type(named) => named == self.strip_nullable(ty),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Resolves the call of a method that is not declared.
    fn resolve_undeclared_call(
        &self,
        access: &MemberAccess,
        name: Name,
        call: &Call,
    ) -> CallResult {
        let receiver = access.receiver;
        if receiver == Ty::UNKNOWN {
            return CallResult::default();
        }
        if self.is_invoke(name) {
            return self.resolve_value_call(receiver, call);
        }

        if matches!(self.arena.get(receiver), Type::Tuple(..) | Type::Object(_))
            && self.delegate_shape(access.ty).is_some()
        {
            return self.resolve_value_call(access.ty, call);
        }

        if name == well_known::GET_VALUE_OR_DEFAULT {
            return CallResult::external(access.ty, Vec::new());
        }

        if self.lacks_method(access, name) {
            return CallResult::default();
        }
        CallResult::external(Ty::UNKNOWN, Vec::new())
    }

    /// Reports whether the call of a method that no declaration accepts is an error, or may be to an
    /// extension of the repository, rather than certainly outside of it.
    fn lacks_method(&self, access: &MemberAccess, name: Name) -> bool {
        let receiver = access.receiver;
        let is_value = !matches!(self.arena.get(receiver), Type::Qualifier(_));
        if is_value && self.has_foreign_class(receiver) {
            return self.may_be_an_extension(receiver, name);
        }

        let is_extended =
            is_value && self.cannot_be_invoked(&access.candidates) && self.imports_undeclared();
        self.is_complete_type(receiver) && !is_extended
    }

    /// Returns the call of a chosen method; the first `skip` arguments are not written (the
    /// receiver of an extension).
    pub(super) fn call_result(&self, chosen: OverloadResult, skip: usize) -> CallResult {
        let result = self.result_of(&chosen.best);
        let expected = chosen.best.targets.iter().skip(skip).copied().collect();
        let refused = !chosen.applicable;
        if self.is_external_file(chosen.best.candidate.decl.file) {
            return CallResult {
                external: Some(chosen.best.candidate.decl),
                sure: chosen.certainty.is_certain(),
                refused,
                ..CallResult::external(result, expected)
            };
        }

        let mut targets = vec![chosen.best.candidate.decl];
        if !chosen.certainty.is_certain() {
            targets.extend(
                chosen
                    .others
                    .iter()
                    .copied()
                    .filter(|other| !self.is_external_file(other.file)),
            );
            targets.truncate(MAX_CANDIDATES);
        }

        CallResult {
            outcome: CallOutcome::Target,
            targets,
            sure: chosen.certainty.is_certain(),
            result,
            expected,
            refused,
            ..CallResult::default()
        }
    }

    fn resolve_element_access(&self, call: &Call) -> CallResult {
        let receiver = self.type_of_expr(call.callee);
        let indexers = self.lookup_members(receiver, well_known::INDEXER);
        if indexers.is_empty() {
            let sliced = self.sliced(receiver, &self.arguments(call));
            let result = sliced.unwrap_or_else(|| self.part_of(receiver, |ty| self.indexed(ty)));

            let outcome = if receiver == Ty::UNKNOWN {
                CallOutcome::Unknown
            } else {
                CallOutcome::External
            };

            return CallResult {
                outcome,
                result,
                ..CallResult::default()
            };
        }

        let args = self.arguments(call);
        match self.resolve_overload(&indexers, &args, self.arena.no_types()) {
            Some(chosen) if chosen.applicable => self.call_result(chosen, 0),
            chosen => match (self.sliced(receiver, &args), chosen) {
                (Some(slice), _) => CallResult::external(slice, Vec::new()),
                (None, Some(chosen)) => self.call_result(chosen, 0),
                (None, None) => CallResult {
                    outcome: CallOutcome::External,
                    ..CallResult::default()
                },
            },
        }
    }
}
