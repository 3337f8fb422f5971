//! Applicable function members (C# standard §12.6.4.2).
//!
//! Maps arguments to parameters by position, name, default and `params`, infers type arguments, and
//! finds how each argument converts to its parameter.
//!
//! `F(1, b: 2)` is bound to `F<T>(T a, int b, int c = 0)` in normal form with `T` = `int`.
//!
//! Limitations: an argument whose type is unknown converts to everything.

use codeagent_lang::query::names::Name;
use codeagent_model::facts::{ArgMode, DeclFlags, DeclId, Expr, ExprId};
use smallvec::SmallVec;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::expressions::simple_names::ScopePosition;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::signatures::Signature;
use crate::resolve::types::{Ty, TyList, Type};

#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its natural type, without a target type.
    pub ty: Ty,
    pub mode: ArgMode,
    /// The name in `name: value`.
    pub name: Name,
    /// The expression, if there is one.
    pub value: ExprId,
}

impl Argument {
    /// Returns an argument without an expression.
    #[must_use]
    pub fn of_type(ty: Ty) -> Self {
        Self {
            ty,
            mode: ArgMode::Value,
            name: Name::NONE,
            value: ExprId::NONE,
        }
    }
}

/// The parameter that each argument goes to.
#[derive(Clone)]
pub struct ArgumentMapping {
    pub params: SmallVec<[usize; 4]>,
    expanded: bool,
    defaults: bool,
}

/// What copies of a method have in common: the parameter list, the declaring type, and whether the
/// form is expanded.
type BoundForm = (u32, Ty, bool);

/// A candidate whose parameters are bound to the arguments.
#[derive(Clone, Debug)]
pub struct BoundCandidate {
    pub candidate: Candidate,
    /// Its type arguments, those of its extension block first.
    pub method_args: TyList,
    /// The parameter type of each argument.
    pub targets: SmallVec<[Ty; 4]>,
    /// The parameter types before type arguments are substituted.
    pub formals: SmallVec<[Ty; 4]>,
    /// Bound in expanded form: the last parameter takes several arguments.
    pub expanded: bool,
    /// Some parameter takes its default value.
    pub(super) defaults: bool,
    /// The number of declared parameters.
    pub(super) declared: usize,
    /// Some parameter is `in` or `ref readonly`.
    pub(super) by_readonly_ref: bool,
    /// The worst conversion of an argument; `No` also if inference or a constraint fails.
    pub conversion: Conversion,
    /// Equal for candidates that differ only in the method: copies of one declaration.
    pub(super) class: usize,
    /// Whether an earlier candidate has the same class.
    pub(super) is_copy: bool,
}

impl BoundCandidate {
    /// Reports whether all arguments are known to convert.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.conversion > Conversion::Unknown
    }
}

impl Checker<'_> {
    /// Returns the mappings of the candidates that accept this number of arguments and type
    /// arguments, in each applicable form.
    pub(super) fn argument_mappings(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
    ) -> Vec<(Candidate, ArgumentMapping)> {
        let mut forms: Vec<(Candidate, ArgumentMapping)> = Vec::new();
        for candidate in candidates {
            let signature = self.signature(candidate.decl);
            if !type_args.is_empty()
                && type_args.len() != signature.type_params.len() - signature.block_params
            {
                continue;
            }

            for expanded in [false, true] {
                if let Some(mapping) = map_arguments(&signature, args, expanded) {
                    forms.push((*candidate, mapping));
                }
            }
        }

        forms
    }

    /// Binds the candidates to the arguments. Copies of a method, such as those in the parts of a
    /// partial type that several programs have, are bound once.
    pub(super) fn bind_all(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
    ) -> Vec<BoundCandidate> {
        let mappings = self.argument_mappings(candidates, args, type_args);
        let mut bound: Vec<BoundCandidate> = Vec::with_capacity(mappings.len());
        let mut firsts: SmallVec<[(BoundForm, usize); 8]> = SmallVec::new();

        for (candidate, mapping) in &mappings {
            let shape = self.signature(candidate.decl).shape;
            let form = shape.map(|shape| (shape, candidate.within, mapping.expanded));
            let first = firsts.iter().find(|(first, _)| form == Some(*first));
            if let Some(&(_, first)) = first {
                bound.push(BoundCandidate {
                    candidate: *candidate,
                    is_copy: true,
                    ..bound[first].clone()
                });
                continue;
            }

            let class = bound.len();
            firsts.extend(form.map(|form| (form, class)));
            bound.push(BoundCandidate {
                class,
                ..self.bind_arguments(*candidate, mapping, args, type_args)
            });
        }

        bound
    }

    pub(super) fn bind_arguments(
        &self,
        candidate: Candidate,
        mapping: &ArgumentMapping,
        args: &[Argument],
        type_args: &TyList,
    ) -> BoundCandidate {
        let signature = self.signature(candidate.decl);
        let formals: SmallVec<[Ty; 4]> = mapping
            .params
            .iter()
            .map(|param| self.formal(&signature, *param, mapping.expanded, candidate))
            .collect();
        let method_args = self.method_arguments(&signature, &formals, args, type_args);
        let targets: SmallVec<[Ty; 4]> = formals
            .iter()
            .map(|formal| self.replace_params(*formal, &signature.type_params, &method_args))
            .collect();

        let mut conversion = Conversion::Identity;
        for ((target, arg), param) in targets.iter().zip(args).zip(&mapping.params) {
            let declared = signature.params[*param].flags;
            conversion = conversion.min(self.argument_converts(arg, *target, declared));
            if conversion == Conversion::No {
                break;
            }
        }

        if type_args.is_empty() && !self.can_be_inferred(&signature, &formals, args) {
            conversion = Conversion::No;
        }
        if conversion != Conversion::No
            && !self.constraints_hold(&signature, &method_args, candidate.within)
        {
            conversion = Conversion::No;
        }

        BoundCandidate {
            candidate,
            method_args,
            targets,
            formals,
            expanded: mapping.expanded,
            defaults: mapping.defaults,
            declared: signature.params.len(),
            by_readonly_ref: signature
                .params
                .iter()
                .any(|param| param.flags.has(DeclFlags::IN)),
            conversion,
            class: 0,
            is_copy: false,
        }
    }

    /// Returns the declared type of a parameter, or the element type of an expanded one.
    fn formal(
        &self,
        signature: &Signature,
        param: usize,
        expanded: bool,
        candidate: Candidate,
    ) -> Ty {
        let ty = self.substitute(signature.params[param].ty, candidate.within);
        if expanded && param + 1 == signature.params.len() {
            self.element_of(ty).unwrap_or(Ty::UNKNOWN)
        } else {
            ty
        }
    }

    fn method_arguments(
        &self,
        signature: &Signature,
        formals: &[Ty],
        args: &[Argument],
        type_args: &TyList,
    ) -> TyList {
        if signature.type_params.is_empty() {
            return TyList::clone(self.arena.no_types());
        }
        if type_args.len() == signature.type_params.len() {
            return type_args.clone();
        }

        let pairs: Vec<(Ty, Argument)> =
            formals.iter().copied().zip(args.iter().copied()).collect();
        let inferred = self.infer_type_args(&signature.type_params, &pairs);
        inferred
            .iter()
            .take(signature.block_params)
            .chain(if type_args.is_empty() {
                inferred[signature.block_params..].iter()
            } else {
                type_args.iter()
            })
            .copied()
            .collect()
    }

    /// Reports whether each type parameter occurs in a parameter whose argument can fix it
    /// (§12.6.3).
    pub(super) fn can_be_inferred(
        &self,
        signature: &Signature,
        formals: &[Ty],
        args: &[Argument],
    ) -> bool {
        let may_fix = |(formal, arg): (&Ty, &Argument), wanted: Ty| match self.arena.get(arg.ty) {
            Type::Lambda(lambda)
                if self
                    .explicit_params(lambda)
                    .iter()
                    .all(|ty| ty.is_unknown()) =>
            {
                self.result_mentions(*formal, wanted) && self.returns_something(lambda)
            }
            Type::MethodGroup(_) => self.result_mentions(*formal, wanted),
            Type::Null | Type::Default | Type::TargetNew => false,
            _ => {
                !self.is_declared_by_call(arg)
                    && self.mentions(*formal, wanted)
                    && !self.lacks_nullable(*formal, arg.ty)
            }
        };

        signature
            .type_params
            .iter()
            .all(|wanted| formals.iter().zip(args).any(|pair| may_fix(pair, *wanted)))
    }

    /// Reports whether a parameter is a `T?` of value types and the argument's type is known not to
    /// be nullable, so that nothing is inferred (§12.6.3.10).
    fn lacks_nullable(&self, formal: Ty, given: Ty) -> bool {
        match (self.arena.get(formal), self.arena.get(given)) {
            (Type::Nullable(_), Type::Nullable(_)) => false,
            (Type::Nullable(of), _) => {
                self.is_value_type(of) == Some(true) && self.is_value_type(given).is_some()
            }
            _ => false,
        }
    }

    /// Reports whether an argument is `out var x` or `out _`, whose type follows from the
    /// parameter.
    fn is_declared_by_call(&self, arg: &Argument) -> bool {
        let Some(value) = arg.value.some() else {
            return arg.mode == ArgMode::Out;
        };
        let Expr::Name(name, scope, offset) = self.facts.expr(value) else {
            return false;
        };

        let is_from_call = |local: DeclId| {
            let decl = self.facts.decl(local);
            decl.ty.is_none() && matches!(self.facts.expr(decl.init), Expr::OutArgument(..))
        };
        arg.mode == ArgMode::Out
            && self
                .lookup_local(self.own_name(name), ScopePosition { scope, offset })
                .is_some_and(is_from_call)
    }

    /// Reports whether a delegate's result mentions a type parameter. A type that is not a known
    /// delegate may mention it anywhere.
    fn result_mentions(&self, formal: Ty, wanted: Ty) -> bool {
        self.mentions(
            self.delegate_shape(formal)
                .map_or(formal, |shape| shape.result),
            wanted,
        )
    }

    pub(super) fn argument_converts(
        &self,
        arg: &Argument,
        target: Ty,
        declared: DeclFlags,
    ) -> Conversion {
        let by_ref = declared.has(DeclFlags::REF) || declared.has(DeclFlags::OUT);
        match arg.mode {
            ArgMode::Ref if !declared.has(DeclFlags::REF) && !declared.has(DeclFlags::IN) => {
                return Conversion::No;
            }
            ArgMode::Out if !declared.has(DeclFlags::OUT) => return Conversion::No,
            ArgMode::In if !declared.has(DeclFlags::IN) => return Conversion::No,
            ArgMode::Value if by_ref && self.interpolated_converts(arg.value, target) => {
                return Conversion::Implicit;
            }
            ArgMode::Value | ArgMode::Spread if by_ref && !arg.value.is_none() => {
                return Conversion::No;
            }
            ArgMode::Ref | ArgMode::Out => {
                return match self.convert(arg.ty, target) {
                    Conversion::Identity => Conversion::Identity,
                    Conversion::Unknown => Conversion::Unknown,
                    Conversion::No if arg.ty == Ty::EXTERNAL_VALUE => Conversion::No,
                    _ if self.is_uncertain(arg.ty) || self.is_uncertain(target) => {
                        Conversion::Unknown
                    }
                    _ => Conversion::No,
                };
            }
            _ => {}
        }

        self.convert_value(arg.value, arg.ty, target)
    }

    fn constraints_hold(&self, signature: &Signature, method_args: &TyList, within: Ty) -> bool {
        signature
            .type_params
            .iter()
            .zip(method_args.iter())
            .all(|(param, arg)| {
                if self.has_unknown_constraints(*arg) {
                    return true;
                }
                if !self.has_wanted_kind(*param, *arg) {
                    return false;
                }

                self.constraints(*param).iter().all(|constraint| {
                    let wanted = self.replace_params(
                        self.substitute(*constraint, within),
                        &signature.type_params,
                        method_args,
                    );
                    self.convert(*arg, wanted) != Conversion::No
                })
            })
    }

    /// Reports whether a type argument may satisfy a `class` or `struct` constraint. A type parameter
    /// does so only by its own constraints (standard §8.4.5).
    fn has_wanted_kind(&self, param: Ty, arg: Ty) -> bool {
        let Some(wants_value) = self.param_is_value_type(param) else {
            return true;
        };
        match (self.is_value_type(arg), self.arena.get(arg)) {
            (Some(is_value), _) => is_value == wants_value,
            (None, Type::Param(..)) => !wants_value && !self.may_be_a_value(arg),
            _ => true,
        }
    }

    /// Returns the return type of a chosen method.
    pub(super) fn result_of(&self, bound: &BoundCandidate) -> Ty {
        let signature = self.signature(bound.candidate.decl);
        let result = self.substitute(signature.result, bound.candidate.within);
        self.replace_params(result, &signature.type_params, &bound.method_args)
    }
}

/// Maps arguments to parameters in normal or expanded form (§12.6.2.2); `None` if they do not fit.
fn map_arguments(
    signature: &Signature,
    args: &[Argument],
    expanded: bool,
) -> Option<ArgumentMapping> {
    let declared = &signature.params;
    let rest = declared
        .last()
        .is_some_and(|param| param.flags.has(DeclFlags::REST));
    if expanded && !rest {
        return None;
    }

    let last = declared.len().wrapping_sub(1);
    let mut taken: SmallVec<[bool; 8]> = SmallVec::from_elem(false, declared.len());
    let mut params = SmallVec::new();
    for (index, arg) in args.iter().enumerate() {
        let param = if arg.name == Name::NONE {
            if expanded && index >= last {
                last
            } else {
                index
            }
        } else {
            declared.iter().position(|param| param.name == arg.name)?
        };
        if param >= declared.len() || taken[param] && !(expanded && param == last) {
            return None;
        }
        taken[param] = true;
        params.push(param);
    }

    let mut defaults = false;
    for (index, param) in declared.iter().enumerate() {
        if !taken[index] {
            let skipped = expanded && index == last;
            if !skipped && !param.flags.has(DeclFlags::OPTIONAL) {
                return None;
            }
            defaults |= !skipped;
        }
    }

    Some(ArgumentMapping {
        params,
        expanded,
        defaults,
    })
}
