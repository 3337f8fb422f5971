//! Calls: targets and result types of calls, `new`, element access, attributes and constructor
//! initializers.
//!
//! Instance members come before extension methods. A delegate value that is invoked is not a
//! target. `new C()` without a declared constructor targets the type.
//!
//! **Limits.** A call whose receiver is unknown never gets a target by name.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{
    Call, CallId, DeclFlags, DeclId, DeclKind, Expr, ExprId, Facts, ScopeId, SiteKind, Subject,
    TypeExpr, TypeId,
};
use codeagent_model::graph::Confidence;

use crate::resolve::declared::published;
use crate::resolve::declared::tables::is_type_scope;
use crate::resolve::declared::well_known;
use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::expressions::simple_names::Simple;
use crate::resolve::expressions::typing::Access;
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::names::Found;
use crate::resolve::types::questions::Question;
use crate::resolve::types::signatures::DelegateShape;
use crate::resolve::types::{Ty, TyList, Type};

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

/// How a call came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOutcome {
    /// It has a target.
    Target,
    /// It goes to something outside the repository.
    External,
    /// A value is called: a delegate, whatever it holds.
    Value,
    /// Something it depends on is unknown.
    #[default]
    Unknown,
}

/// A resolved call.
#[derive(Clone, Debug, Default)]
pub struct CallResult {
    /// How it came out.
    pub outcome: CallOutcome,
    /// The targets, best first; more than one only if unsure.
    pub targets: Vec<DeclRef>,
    /// How sure.
    pub sure: bool,
    /// What it gives.
    pub result: Ty,
    /// What each argument is converted to.
    pub expected: Vec<Ty>,
    /// No candidate takes the arguments.
    pub refused: bool,
}

impl CallResult {
    /// A call that leaves the repository and gives this.
    #[must_use]
    pub fn external(result: Ty, expected: Vec<Ty>) -> Self {
        Self {
            outcome: CallOutcome::External,
            result,
            expected,
            ..Self::default()
        }
    }

    /// A call of a value that gives this.
    fn value(result: Ty, expected: Vec<Ty>) -> Self {
        Self {
            outcome: CallOutcome::Value,
            ..Self::external(result, expected)
        }
    }

    /// The confidence of its edge.
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
    /// Resolves a call of the linked file.
    pub fn call(&self, id: CallId) -> Rc<CallResult> {
        let key = (self.assumptions.current(), id);
        let asked = (key, Question::Call(key.0, id));
        self.evaluation
            .answered(&self.memo.calls, asked, || Rc::new(self.call_cold(id)))
            .unwrap_or_default()
    }

    fn call_cold(&self, id: CallId) -> CallResult {
        let Some(&call) = id.some().and_then(|id| self.facts.calls.get(id.index())) else {
            return CallResult::default();
        };

        match self.forms[id.index()] {
            CallForm::Call => self.invoke(&call),
            CallForm::New => {
                let ty = self.expr_type(call.callee);
                match self.arena.get(ty) {
                    Type::Qualifier(ty) => self.construct(ty, &call),
                    _ => CallResult::default(),
                }
            }
            CallForm::NewTarget(decl) => {
                let ty = self.context_type(decl);
                self.construct(self.strip_nullable(ty), &call)
            }
            CallForm::Index => self.index(&call),
            CallForm::Construct(ty) => self.construct(self.type_of(self.file, ty), &call),
            CallForm::This(constructor) => self.construct(self.constructed_by(constructor), &call),
            CallForm::Base(constructor) => {
                self.construct(self.base_class(self.constructed_by(constructor)), &call)
            }
            CallForm::Attribute(ty) => self.attribute(ty, &call),
            CallForm::Unused => CallResult::default(),
        }
    }

    /// The type whose constructor this is.
    pub fn constructed_by(&self, constructor: DeclId) -> Ty {
        let owner = constructor
            .some()
            .map(|constructor| self.facts.decl(constructor).scope)
            .and_then(ScopeId::some);
        owner.map_or(Ty::UNKNOWN, |scope| {
            self.this_type(self.facts.scope(scope).owner)
        })
    }

    /// The arguments of a call with their natural types.
    pub fn arguments(&self, call: &Call) -> Vec<Argument> {
        let args = self.facts.list(call.args).iter();
        args.map(|arg| Argument {
            ty: self.argument_type(arg.value),
            mode: arg.mode,
            name: if arg.name.is_none() {
                Name::NONE
            } else {
                self.own_name(arg.name)
            },
            value: arg.value,
        })
        .collect()
    }

    /// The type of an argument before its call is resolved: what waits for the call's choice has
    /// none yet.
    pub(super) fn argument_type(&self, value: ExprId) -> Ty {
        match self.facts.expr(value) {
            Expr::NewTarget(..) => Ty::TARGET_NEW,
            Expr::Array(_, decl) if !decl.is_none() => self.arena.add(Type::Collection(value)),
            Expr::Same(inner) => self.argument_type(inner),
            Expr::OutArgument(..) => Ty::UNKNOWN,
            _ => self.expr_type(value),
        }
    }

    fn invoke(&self, call: &Call) -> CallResult {
        match self.facts.expr(call.callee) {
            Expr::Name(name, scope, offset) => {
                match self.lookup_value(self.own_name(name), (scope, offset), true) {
                    Simple::Local(found) => self.invoke_candidates(&found, call, false),
                    Simple::Members(found) => self.invoke_candidates(
                        &self.meant_without_receiver(found, scope),
                        call,
                        false,
                    ),
                    Simple::Imported(found, undeclared) => {
                        self.invoke_candidates(&found, call, undeclared)
                    }
                    _ => CallResult::external(Ty::UNKNOWN, Vec::new()),
                }
            }
            Expr::Member(base, name) => self.invoke_member(base, self.own_name(name), call),
            Expr::Same(_)
            | Expr::Conditional(_)
            | Expr::Cast(_)
            | Expr::Call(_)
            | Expr::Index(_) => {
                let ty = self.expr_type(call.callee);
                self.invoke_value(ty)
            }
            _ => CallResult::default(),
        }
    }

    /// `undeclared`: something else of that name may be in sight, so that only a call that surely
    /// fits is linked.
    fn invoke_candidates(&self, found: &[Candidate], call: &Call, undeclared: bool) -> CallResult {
        let methods: Vec<Candidate> = found
            .iter()
            .copied()
            .filter(|candidate| is_method(self.decl(candidate.decl).kind))
            .collect();

        let Some(first) = methods.first() else {
            return found.first().map_or_else(CallResult::default, |value| {
                self.invoke_value(self.candidate_type(value))
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

    /// Invokes a value: no target, but a type.
    fn invoke_value(&self, ty: Ty) -> CallResult {
        match self.delegate_shape(ty) {
            Some(DelegateShape { params, result, .. }) => {
                CallResult::value(result, params.to_vec())
            }
            None if ty.is_unknown() => CallResult::default(),
            None => CallResult::value(if ty == Ty::DYNAMIC { ty } else { Ty::UNKNOWN }, Vec::new()),
        }
    }

    fn invoke_member(&self, base: ExprId, name: Name, call: &Call) -> CallResult {
        let mut access = self.member_access(base, name);
        if !access.candidates.is_empty() && self.cannot_be_invoked(&access.candidates) {
            let of = if let Type::Qualifier(ty) = self.arena.get(access.receiver) {
                ty
            } else {
                access.receiver
            };

            let passed = self.methods(of, name);
            access.candidates = if passed.is_empty() {
                access.candidates
            } else {
                passed
            };
        }

        let methods = self.invocable(&access.candidates, access.receiver, base);
        let args = self.arguments(call);
        let type_args = self.type_list(call.type_args);
        let own = if methods.is_empty() {
            None
        } else {
            self.resolve_overload(&methods, &args, &type_args)
        };

        let hidden = access
            .candidates
            .first()
            .is_some_and(|first| !self.is_accessible(*first));

        if let Some(chosen) = own.as_ref().filter(|chosen| chosen.applicable && !hidden) {
            return self.call_result(chosen.clone(), 0);
        }

        if let Some(value) = access
            .candidates
            .first()
            .filter(|first| !hidden && !is_method(self.decl(first.decl).kind))
        {
            let ty = self.candidate_type(value);
            if self.is_delegate(ty) != Some(false) {
                return self.invoke_value(ty);
            }
        }

        if let Some(chosen) = self.resolve_extension(access.receiver, name, &args, &type_args) {
            return self.call_result(chosen, 1);
        }

        match own {
            // None of the declared ones takes the arguments, so one of the undeclared base class is
            // called.
            Some(chosen) if !chosen.applicable && self.has_foreign_class(access.receiver) => {
                CallResult::external(Ty::UNKNOWN, Vec::new())
            }
            Some(chosen) => self.call_result(chosen.doubted_if(hidden), 0),
            None => {
                let call = self.outside_result(
                    self.invoke_undeclared(&access, name),
                    (base, &access),
                    &args,
                    &type_args,
                );

                let is_open = self.has_foreign_class(access.receiver)
                    && self.may_be_an_extension(access.receiver, name);
                if is_open {
                    CallResult {
                        outcome: CallOutcome::Unknown,
                        ..call
                    }
                } else {
                    call
                }
            }
        }
    }

    /// A method from outside that gets nothing of the repository gives nothing of it.
    fn outside_result(
        &self,
        call: CallResult,
        (base, access): (ExprId, &Access),
        args: &[Argument],
        type_args: &TyList,
    ) -> CallResult {
        let takes_nothing = |arg: &Argument| {
            matches!(self.facts.expr(arg.value), Expr::Literal(..)) || self.is_outside(arg.ty)
        };
        let outside = call.result.is_unknown()
            && self.is_outside_value(base, access.receiver)
            && args.iter().all(takes_nothing)
            && type_args.iter().all(|arg| self.is_outside(*arg));
        if outside {
            CallResult {
                result: Ty::OUTSIDE,
                ..call
            }
        } else {
            call
        }
    }

    /// The innermost type around a scope.
    pub(super) fn enclosing_type(&self, mut scope: ScopeId) -> Option<Ty> {
        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if is_type_scope(here.kind) {
                return Some(self.this_type(here.owner));
            }
            scope = here.parent;
        }
        None
    }

    /// Where there is no `this`, instance methods are left out if a static one is there.
    fn meant_without_receiver(&self, found: Vec<Candidate>, scope: ScopeId) -> Vec<Candidate> {
        let is_static =
            |candidate: &Candidate| self.decl(candidate.decl).flags.has(DeclFlags::STATIC);
        if !self.is_static_context(scope) || !found.iter().any(is_static) {
            return found;
        }
        found.into_iter().filter(is_static).collect()
    }

    /// Whether a static method, local function or lambda is around a scope, within the innermost
    /// type.
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

    /// Methods that can be meant: static ones through a type, others through a value.
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

    /// Whether a value bears the name of its type, so that static members may be meant too (Color
    /// Color, standard §12.8.7.2).
    pub(super) fn names_its_type(&self, value: ExprId, ty: Ty) -> bool {
        match self.facts.expr(value) {
            Expr::Name(name, scope, _) => {
                match self.lookup_type_name(self.own_name(name), scope, 0) {
                    Simple::Type(named) => named == self.strip_nullable(ty),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// A method that nothing declares.
    fn invoke_undeclared(&self, access: &Access, name: Name) -> CallResult {
        let receiver = access.receiver;
        if receiver == Ty::UNKNOWN {
            return CallResult::default();
        }
        if self.is_invoke(name) {
            return self.invoke_value(receiver);
        }

        if matches!(self.arena.get(receiver), Type::Tuple(..))
            && self.delegate_shape(access.ty).is_some()
        {
            return self.invoke_value(access.ty);
        }

        if name == well_known::GET_VALUE_OR_DEFAULT {
            return CallResult::external(access.ty, Vec::new());
        }

        CallResult::external(Ty::UNKNOWN, Vec::new())
    }

    /// The result of a choice; `skip` arguments were not written (the receiver of an extension).
    fn call_result(&self, chosen: OverloadResult, skip: usize) -> CallResult {
        let result = self.result_of(&chosen.best);
        let expected = chosen.best.targets.iter().skip(skip).copied().collect();
        let refused = !chosen.applicable;
        if self.is_external_file(chosen.best.candidate.decl.file) {
            return CallResult {
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
        }
    }

    /// `new T(..)`.
    fn construct(&self, ty: Ty, call: &Call) -> CallResult {
        let Type::Inst(tid, _) = self.arena.get(ty) else {
            let outcome = if ty.is_unknown() {
                CallOutcome::Unknown
            } else {
                CallOutcome::External
            };

            let expected = self
                .delegate_shape(ty)
                .map(|_| vec![ty])
                .unwrap_or_default();

            return CallResult {
                outcome,
                result: ty,
                expected,
                ..CallResult::default()
            };
        };

        let group = self.group(tid);
        if group.kind == DeclKind::Delegate {
            let made = CallResult::external(ty, vec![ty]);
            return if group.external {
                made
            } else {
                CallResult {
                    outcome: CallOutcome::Value,
                    ..made
                }
            };
        }

        let args = self.arguments(call);
        let constructors = self.constructors(ty);
        if let Some(chosen) = self.resolve_overload(&constructors, &args, &TyList::from([])) {
            return CallResult {
                result: ty,
                ..self.call_result(chosen, 0)
            };
        }

        let implicit = args.is_empty()
            && (constructors.is_empty()
                || matches!(group.kind, DeclKind::Struct | DeclKind::RecordStruct));
        if group.external || !implicit {
            let outcome = if group.external {
                CallOutcome::External
            } else {
                CallOutcome::Unknown
            };

            return CallResult {
                outcome,
                result: ty,
                ..CallResult::default()
            };
        }

        CallResult {
            outcome: CallOutcome::Target,
            targets: vec![group.parts[0]],
            sure: true,
            result: ty,
            ..CallResult::default()
        }
    }

    fn attribute(&self, ty: TypeId, call: &Call) -> CallResult {
        let Some(ty) = self.attribute_type(ty) else {
            return CallResult::external(Ty::UNKNOWN, Vec::new());
        };

        let constructors = self.constructors(ty);
        let mut args = self.arguments(call);
        let names: Vec<Name> = constructors
            .iter()
            .flat_map(|candidate| {
                self.signature(candidate.decl)
                    .params
                    .iter()
                    .map(|param| param.name)
                    .collect::<Vec<_>>()
            })
            .collect();

        args.retain(|arg| arg.name == Name::NONE || names.contains(&arg.name));
        if constructors.is_empty() && args.is_empty() {
            return self.construct(
                ty,
                &Call {
                    args: codeagent_model::facts::List::default(),
                    ..*call
                },
            );
        }

        match self.resolve_overload(&constructors, &args, &TyList::from([])) {
            Some(chosen) => CallResult {
                result: ty,
                ..self.call_result(chosen, 0)
            },
            None => CallResult::external(ty, Vec::new()),
        }
    }

    /// The class an attribute names: `[Foo]` is `FooAttribute` or, if that is an attribute class,
    /// `Foo`.
    pub fn attribute_type(&self, id: TypeId) -> Option<Ty> {
        let TypeExpr::Name(segments, scope) = self.facts.type_expr(id) else {
            return None;
        };

        let segments = self.facts.list(segments);
        let last = segments.last()?;
        let suffixed = format!("{}Attribute", self.facts.text(last.name));
        self.record_text_lookup(published::TYPES, &suffixed);
        if let Some(name) = self.tables.names.get(&suffixed)
            && let Found::Type(ty) = self.resolve_renamed(segments, scope, name)
        {
            return Some(ty);
        }

        let Found::Type(ty) = self.resolve_segments(self.file, segments, scope, None) else {
            return None;
        };

        let is_attribute = self
            .supertypes(ty)
            .iter()
            .any(|base| match self.arena.get(*base) {
                Type::External(name, _) => self.tables.names.text(name).ends_with("Attribute"),
                Type::Inst(tid, _) => self
                    .tables
                    .names
                    .text(self.tables.group(tid).name)
                    .ends_with("Attribute"),
                _ => false,
            });

        is_attribute.then_some(ty)
    }

    fn index(&self, call: &Call) -> CallResult {
        let receiver = self.expr_type(call.callee);
        let indexers = self.members(receiver, well_known::INDEXER);
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
        match self.resolve_overload(&indexers, &args, &TyList::from([])) {
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

/// What each call record of a file stands for.
#[must_use]
pub fn call_forms(facts: &Facts) -> Vec<CallForm> {
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
