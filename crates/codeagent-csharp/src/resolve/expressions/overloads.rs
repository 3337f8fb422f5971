//! Which of several methods of a name does a call choose (standard §12.6.4).
//!
//! Arguments are put to parameters by position, name, default and `params`; type arguments are
//! inferred; what an argument surely does not convert to is not applicable; of the applicable ones
//! the most derived and then the better ones win.
//!
//! **Limits.** If no candidate is applicable by what is known, all that fit by number compete, and
//! the answer is unsure.

use std::cmp::Ordering;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{ArgMode, DeclFlags, DeclId, Expr, ExprId};
use smallvec::SmallVec;

use crate::resolve::declared::well_known::Known;
use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::types::members::Candidate;
use crate::resolve::types::signatures::Signature;
use crate::resolve::types::{Ty, TyList, Type};

/// Most applicable forms that are compared with each other.
const MAX_RIVALS: usize = 100;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its natural type.
    pub ty: Ty,
    /// How it is passed.
    pub mode: ArgMode,
    /// `name:`
    pub name: Name,
    /// The expression, if there is one.
    pub value: ExprId,
}

impl Argument {
    /// An argument that is only a type.
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

/// What decides between two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Better conversions of the arguments.
    BetterConversion,
    /// Each has a better conversion of some argument.
    Contradiction,
    /// The arguments of only one surely convert.
    SurelyFits,
    /// A type that decides is unknown.
    Unknown,
    /// What only may fit does not beat what fits.
    CautiousFit,
    /// Only one has no type arguments.
    NotGeneric,
    /// Only one takes the last arguments without `params`.
    NormalForm,
    /// Of two expanded forms one declares more parameters.
    MoreDeclared,
    /// Only one needs no default values.
    NoDefaults,
    /// The declared parameter types of one say more.
    MoreSpecific,
    /// Only one takes no argument by `in`.
    ByValue,
    /// No rule tells them apart.
    Same,
}

/// A candidate put to the arguments.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The candidate.
    pub candidate: Candidate,
    /// Its type arguments, those of its extension block first.
    pub method_args: TyList,
    /// What each argument converts to.
    pub targets: SmallVec<[Ty; 4]>,
    /// The same before type arguments were put in.
    pub formals: SmallVec<[Ty; 4]>,
    /// The last parameter takes several arguments.
    pub expanded: bool,
    /// Some parameter takes its default.
    defaults: bool,
    /// How many parameters are declared.
    declared: usize,
    /// Some parameter is `in`.
    by_readonly_ref: bool,
    /// The worst conversion of an argument; `No` too if inference or a constraint fails.
    pub conversion: Conversion,
}

impl Applied {
    /// Whether all arguments are known to convert.
    #[must_use]
    pub fn surely_fits(&self) -> bool {
        self.conversion > Conversion::Unknown
    }
}

/// The choice.
#[derive(Clone, Debug)]
pub struct Pick {
    /// The best.
    pub best: Applied,
    /// Whether nothing unknown played a part.
    pub sure: bool,
    /// The others that remained, best first.
    pub others: Vec<DeclRef>,
    /// Whether the best is applicable as far as is known.
    pub applicable: bool,
}

impl Checker<'_> {
    /// Chooses among candidates; `None` if none takes that many arguments.
    pub(super) fn pick(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
    ) -> Option<Pick> {
        let pick = self.pick_untraced(candidates, args, type_args);
        if let Some(trace) = &self.trace {
            let choice = self.explain_choice(candidates, args, type_args, pick.as_ref());
            trace.borrow_mut().push(choice);
        }
        pick
    }

    fn pick_untraced(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
    ) -> Option<Pick> {
        if !self.spend(candidates.len() * (1 + args.len())) {
            return None;
        }
        let forms = self.forms(candidates, args, type_args);
        let alone = forms
            .iter()
            .all(|(candidate, _)| candidate.decl == forms[0].0.decl);
        let applied: Vec<Applied> = forms
            .iter()
            .map(|(candidate, mapping)| self.apply_form(*candidate, mapping, args, type_args))
            .collect();
        let mut fitting: Vec<&Applied> = applied
            .iter()
            .filter(|form| form.conversion != Conversion::No)
            .collect();
        let applicable = !fitting.is_empty();
        if !applicable && args.iter().any(|arg| arg.ty == Ty::OUTSIDE) {
            // It cannot all come from outside: some undeclared type is one of the repository after
            // all.
            let unknown = |arg: &Argument| {
                if arg.ty == Ty::OUTSIDE {
                    Argument {
                        ty: Ty::UNKNOWN,
                        ..*arg
                    }
                } else {
                    *arg
                }
            };
            let args: Vec<Argument> = args.iter().map(unknown).collect();
            return self.pick(candidates, &args, type_args);
        }
        if !applicable {
            fitting = applied.iter().collect();
        }
        self.drop_wrong_bodies(&mut fitting, args);
        let nearest = fitting.iter().map(|form| form.candidate.depth).min()?;
        if let Some(certain) = fitting
            .iter()
            .filter(|form| form.conversion > Conversion::Unknown)
            .map(|form| form.candidate.depth)
            .min()
        {
            fitting.retain(|form| form.candidate.depth <= certain);
        } else if applicable {
            fitting.retain(|form| form.candidate.depth == nearest);
        }
        fitting.truncate(MAX_RIVALS);
        self.spend(fitting.len() * fitting.len());
        let (best, sure) = self.best_of(&fitting, args);
        let mut others: Vec<DeclRef> = Vec::new();
        for form in &fitting {
            if form.candidate.decl != best.candidate.decl && !others.contains(&form.candidate.decl)
            {
                others.push(form.candidate.decl);
            }
        }
        // Nothing is better than identity in every argument, whatever else may be applicable as far
        // up.
        let harmless = |form: &&Applied| {
            form.surely_fits()
                || form.candidate.decl == best.candidate.decl
                || best.conversion == Conversion::Identity
                    && form.candidate.depth >= best.candidate.depth
        };
        let decided = best.surely_fits() && fitting.iter().all(harmless);
        // What is called outside may be made by a generator at build time: it decides, but proves
        // nothing.
        let guessed = args.iter().any(|arg| arg.ty == Ty::OUTSIDE)
            && applied.iter().any(|form| form.conversion == Conversion::No);
        if guessed {
            let left_out = applied
                .iter()
                .map(|form| form.candidate.decl)
                .filter(|decl| *decl != best.candidate.decl);
            left_out.for_each(|decl| {
                if !others.contains(&decl) {
                    others.push(decl)
                }
            });
        }
        let sure = alone || !guessed && applicable && (others.is_empty() || sure && decided);
        Some(Pick {
            best: best.clone(),
            sure,
            others,
            applicable,
        })
    }

    /// The candidates that take so many arguments and type arguments, in the forms in which they
    /// do.
    pub fn forms(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
    ) -> Vec<(Candidate, Mapping)> {
        let mut forms: Vec<(Candidate, Mapping)> = Vec::new();
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

    /// Of several methods, leaves out those for whose delegates the body of a lambda names what is
    /// not there.
    fn drop_wrong_bodies(&self, forms: &mut Vec<&Applied>, args: &[Argument]) {
        let several = forms
            .iter()
            .any(|form| form.candidate.decl != forms[0].candidate.decl);
        if !several
            || !args
                .iter()
                .any(|arg| matches!(self.arena.get(arg.ty), Type::Lambda(_)))
        {
            return;
        }
        let right = |form: &&Applied| {
            form.targets.iter().zip(args).all(|(target, arg)| {
                match (self.arena.get(arg.ty), self.delegate_shape(*target)) {
                    (Type::Lambda(lambda), Some(shape)) => self.body_binds(lambda, &shape.params),
                    _ => true,
                }
            })
        };
        let fits: Vec<bool> = forms.iter().map(right).collect();
        if fits.contains(&true) {
            let mut fits = fits.into_iter();
            forms.retain(|_| fits.next().unwrap_or(true));
        }
    }

    /// The form that beats all others, else the one that is beaten least.
    fn best_of<'f>(&self, forms: &[&'f Applied], args: &[Argument]) -> (&'f Applied, bool) {
        let mut best = (forms[0], usize::MAX, true);
        for (index, form) in forms.iter().enumerate() {
            let mut losses = 0;
            let mut sure = true;
            for (other, rival) in forms.iter().enumerate() {
                if index == other {
                    continue;
                }
                match self.better_form(form, rival, args).0 {
                    Better::First => continue,
                    Better::Second => losses += 2,
                    Better::Neither | Better::Unknown => {
                        losses += 1;
                        sure &= form.candidate.decl == rival.candidate.decl;
                    }
                }
                // Of hundreds of copies of a method most are out after one comparison.
                if losses >= best.1 {
                    break;
                }
            }
            if losses < best.1 {
                best = (form, losses, sure && losses == 0 || forms.len() == 1);
            }
        }
        (best.0, best.2)
    }

    pub(super) fn apply_form(
        &self,
        candidate: Candidate,
        mapping: &Mapping,
        args: &[Argument],
        type_args: &TyList,
    ) -> Applied {
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
        Applied {
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
        }
    }

    /// The declared type an argument meets.
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
            return TyList::from([]);
        }
        if type_args.len() == signature.type_params.len() {
            return type_args.clone();
        }
        let pairs: Vec<(Ty, Argument)> =
            formals.iter().copied().zip(args.iter().copied()).collect();
        let inferred = self.infer(&signature.type_params, &pairs);
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

    /// Whether every type parameter stands where some argument may say what it is (standard
    /// §12.6.3).
    pub(super) fn can_be_inferred(
        &self,
        signature: &Signature,
        formals: &[Ty],
        args: &[Argument],
    ) -> bool {
        let says = |(formal, arg): (&Ty, &Argument), wanted: Ty| match self.arena.get(arg.ty) {
            Type::Lambda(lambda)
                if self
                    .explicit_params(lambda)
                    .iter()
                    .all(|ty| ty.is_unknown()) =>
            {
                self.result_mentions(*formal, wanted) && self.returns_something(lambda)
            }
            Type::MethodGroup(_) => self.result_mentions(*formal, wanted),
            _ => !self.is_declared_by_call(arg) && self.mentions(*formal, wanted),
        };
        signature
            .type_params
            .iter()
            .all(|wanted| formals.iter().zip(args).any(|pair| says(pair, *wanted)))
    }

    /// `out var x`, `out _`: its type is that of the parameter, so it says nothing about it.
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
                .local_of(self.own_name(name), (scope, offset))
                .is_some_and(is_from_call)
    }

    /// Whether a delegate's result mentions a type parameter; of what is no known delegate, any
    /// part.
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
            ArgMode::Value | ArgMode::Spread if by_ref && !arg.value.is_none() => {
                return Conversion::No;
            }
            ArgMode::Ref | ArgMode::Out => {
                return match self.convert(arg.ty, target) {
                    Conversion::Identity => Conversion::Identity,
                    Conversion::Unknown => Conversion::Unknown,
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
                if arg.is_unknown() {
                    return true;
                }
                match (self.param_is_value_type(*param), self.is_value_type(*arg)) {
                    (Some(wanted), Some(given)) if wanted != given => return false,
                    _ => {}
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

    /// Which of two forms is the better function member, and what says so.
    pub(super) fn better_form(
        &self,
        a: &Applied,
        b: &Applied,
        args: &[Argument],
    ) -> (Better, Rule) {
        let (mut first, mut second, mut unknown) = (false, false, false);
        for (index, arg) in args.iter().enumerate() {
            match self.better_conversion(arg.value, arg.ty, a.targets[index], b.targets[index]) {
                Better::First => first = true,
                Better::Second => second = true,
                Better::Unknown => unknown = true,
                Better::Neither => {}
            }
        }
        let (better, rule) = match (first, second) {
            (true, false) => (Better::First, Rule::BetterConversion),
            (false, true) => (Better::Second, Rule::BetterConversion),
            (true, true) => (Better::Neither, Rule::Contradiction),
            (false, false) if a.surely_fits() && !b.surely_fits() => {
                (Better::First, Rule::SurelyFits)
            }
            (false, false) if b.surely_fits() && !a.surely_fits() => {
                (Better::Second, Rule::SurelyFits)
            }
            (false, false) if unknown => (Better::Unknown, Rule::Unknown),
            (false, false) => self.tie_break(a, b),
        };
        match better {
            Better::First if unknown && b.surely_fits() => (Better::Unknown, Rule::Unknown),
            Better::Second if unknown && a.surely_fits() => (Better::Unknown, Rule::Unknown),
            // What only may fit does not beat what fits by being more specific: a wider parameter
            // is the likelier meaning.
            Better::First
                if !a.surely_fits() && b.surely_fits() && !self.waits_for_lambda(args) =>
            {
                (Better::Second, Rule::CautiousFit)
            }
            Better::Second
                if !b.surely_fits() && a.surely_fits() && !self.waits_for_lambda(args) =>
            {
                (Better::First, Rule::CautiousFit)
            }
            better => (better, rule),
        }
    }

    /// Whether a lambda is among the arguments, whose result may be all that is unknown.
    fn waits_for_lambda(&self, args: &[Argument]) -> bool {
        args.iter().any(|arg| {
            matches!(
                self.arena.get(arg.ty),
                Type::Lambda(_) | Type::MethodGroup(_)
            )
        })
    }

    fn tie_break(&self, a: &Applied, b: &Applied) -> (Better, Rule) {
        let by = |rule: Rule, first: bool, second: bool| match (first, second) {
            (true, false) => Some((Better::First, rule)),
            (false, true) => Some((Better::Second, rule)),
            _ => None,
        };
        by(
            Rule::NotGeneric,
            a.method_args.is_empty(),
            b.method_args.is_empty(),
        )
        .or_else(|| by(Rule::NormalForm, !a.expanded, !b.expanded))
        .or_else(|| {
            if a.expanded {
                by(
                    Rule::MoreDeclared,
                    a.declared > b.declared,
                    b.declared > a.declared,
                )
            } else {
                None
            }
        })
        .or_else(|| by(Rule::NoDefaults, !a.defaults, !b.defaults))
        .or_else(|| {
            self.more_specific(a, b)
                .map(|better| (better, Rule::MoreSpecific))
        })
        .or_else(|| by(Rule::ByValue, !a.by_readonly_ref, !b.by_readonly_ref))
        .or_else(|| {
            self.better_collection(a, b)
                .map(|better| (better, Rule::MoreSpecific))
        })
        .unwrap_or((Better::Neither, Rule::Same))
    }

    /// Of two `params` collections of the same elements a span is better than others, a read-only
    /// one than one that can be written.
    fn better_collection(&self, a: &Applied, b: &Applied) -> Option<Better> {
        if !a.expanded || !b.expanded {
            return None;
        }
        let rank = |form: &Applied| {
            let collection = self
                .signature(form.candidate.decl)
                .params
                .last()
                .and_then(|last| self.known(last.ty));
            match collection {
                Some((Known::ReadOnlySpan, _)) => 2,
                Some((Known::Span, _)) => 1,
                _ => 0,
            }
        };
        match rank(a).cmp(&rank(b)) {
            Ordering::Greater => Some(Better::First),
            Ordering::Less => Some(Better::Second),
            Ordering::Equal => None,
        }
    }

    /// The one whose declared parameter types say more.
    fn more_specific(&self, a: &Applied, b: &Applied) -> Option<Better> {
        let (mut first, mut second) = (false, false);
        for (x, y) in a.formals.iter().zip(&b.formals) {
            match self.specificity(*x, *y) {
                Better::First => first = true,
                Better::Second => second = true,
                _ => {}
            }
        }
        match (first, second) {
            (true, false) => Some(Better::First),
            (false, true) => Some(Better::Second),
            _ => None,
        }
    }

    fn specificity(&self, a: Ty, b: Ty) -> Better {
        match (self.arena.get(a), self.arena.get(b)) {
            (Type::Param(..), Type::Param(..)) => Better::Neither,
            (Type::Param(..), _) => Better::Second,
            (_, Type::Param(..)) => Better::First,
            (Type::Array(x, _), Type::Array(y, _)) | (Type::Nullable(x), Type::Nullable(y)) => {
                self.specificity(x, y)
            }
            (Type::Inst(_, x), Type::Inst(_, y))
            | (Type::External(_, x), Type::External(_, y))
            | (Type::Tuple(x, _), Type::Tuple(y, _))
                if x.len() == y.len() =>
            {
                let all: Vec<Better> = x
                    .iter()
                    .zip(y.iter())
                    .map(|(x, y)| self.specificity(*x, *y))
                    .collect();
                match (all.contains(&Better::First), all.contains(&Better::Second)) {
                    (true, false) => Better::First,
                    (false, true) => Better::Second,
                    _ => Better::Neither,
                }
            }
            _ => Better::Neither,
        }
    }

    /// The result of a chosen method.
    pub(super) fn result_of(&self, applied: &Applied) -> Ty {
        let signature = self.signature(applied.candidate.decl);
        let result = self.substitute(signature.result, applied.candidate.within);
        self.replace_params(result, &signature.type_params, &applied.method_args)
    }
}

/// Which parameter each argument goes to.
pub struct Mapping {
    pub params: SmallVec<[usize; 4]>,
    expanded: bool,
    defaults: bool,
}

fn map_arguments(signature: &Signature, args: &[Argument], expanded: bool) -> Option<Mapping> {
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
    Some(Mapping {
        params,
        expanded,
        defaults,
    })
}
