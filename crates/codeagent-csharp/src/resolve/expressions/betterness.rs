//! Better function members (C# standard §12.6.4.3).
//!
//! Compares two bound candidates: first by the conversions of the arguments, then by the
//! tie-breaking rules.
//!
//! `void F(int a)` and `void F(params int[] a)` are equal for `F(1)` by conversions; the first is
//! better because it is applicable in normal form.
//!
//! Limitations: beyond the standard, a candidate that is known to be applicable is better than one
//! that only may be.

use std::cmp::Ordering;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::{Argument, BoundCandidate};
use crate::resolve::expressions::conversions::Better;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::{Ty, Type};

/// The rule that decides between two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetternessRule {
    /// Better conversions of the arguments.
    BetterConversion,
    /// Each has a better conversion of some argument.
    Contradiction,
    /// Only for one, all arguments are known to convert.
    CertainFit,
    /// An unknown type decides.
    Unknown,
    /// A candidate that only may be applicable does not beat one that is.
    CautiousFit,
    /// Only one has no type arguments.
    NotGeneric,
    /// Only one takes the last arguments without `params`.
    NormalForm,
    /// Both are expanded forms, and one declares more parameters.
    MoreDeclared,
    /// Only one needs no default values.
    NoDefaults,
    /// The declared parameter types of one are more specific.
    MoreSpecific,
    /// Only one takes no argument by `in`.
    ByValue,
    /// No rule distinguishes them.
    Same,
}

impl Checker<'_> {
    /// Returns which of two candidates is the better function member, and the deciding rule.
    pub(super) fn better_candidate(
        &self,
        a: &BoundCandidate,
        b: &BoundCandidate,
        args: &[Argument],
    ) -> (Better, BetternessRule) {
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
            (true, false) => (Better::First, BetternessRule::BetterConversion),
            (false, true) => (Better::Second, BetternessRule::BetterConversion),
            (true, true) => (Better::Neither, BetternessRule::Contradiction),
            (false, false) if a.is_certain() && !b.is_certain() => {
                (Better::First, BetternessRule::CertainFit)
            }
            (false, false) if b.is_certain() && !a.is_certain() => {
                (Better::Second, BetternessRule::CertainFit)
            }
            (false, false) if unknown => (Better::Unknown, BetternessRule::Unknown),
            (false, false) => self.resolve_tie(a, b),
        };

        match better {
            Better::First if unknown && b.is_certain() => {
                (Better::Unknown, BetternessRule::Unknown)
            }
            Better::Second if unknown && a.is_certain() => {
                (Better::Unknown, BetternessRule::Unknown)
            }
            // A candidate that only may be applicable does not win by being more specific: a wider
            // parameter is more likely to be right.
            Better::First if !a.is_certain() && b.is_certain() && !self.waits_for_lambda(args) => {
                (Better::Second, BetternessRule::CautiousFit)
            }
            Better::Second if !b.is_certain() && a.is_certain() && !self.waits_for_lambda(args) => {
                (Better::First, BetternessRule::CautiousFit)
            }
            better => (better, rule),
        }
    }

    /// Reports whether an argument is a lambda or method group; then its result may be the only
    /// unknown.
    fn waits_for_lambda(&self, args: &[Argument]) -> bool {
        args.iter().any(|arg| {
            matches!(
                self.arena.get(arg.ty),
                Type::Lambda(_) | Type::MethodGroup(_)
            )
        })
    }

    fn resolve_tie(&self, a: &BoundCandidate, b: &BoundCandidate) -> (Better, BetternessRule) {
        let by = |rule: BetternessRule, first: bool, second: bool| match (first, second) {
            (true, false) => Some((Better::First, rule)),
            (false, true) => Some((Better::Second, rule)),
            _ => None,
        };

        by(
            BetternessRule::NotGeneric,
            a.method_args.is_empty(),
            b.method_args.is_empty(),
        )
        .or_else(|| by(BetternessRule::NormalForm, !a.expanded, !b.expanded))
        .or_else(|| {
            if a.expanded {
                by(
                    BetternessRule::MoreDeclared,
                    a.declared > b.declared,
                    b.declared > a.declared,
                )
            } else {
                None
            }
        })
        .or_else(|| by(BetternessRule::NoDefaults, !a.defaults, !b.defaults))
        .or_else(|| {
            self.more_specific(a, b)
                .map(|better| (better, BetternessRule::MoreSpecific))
        })
        .or_else(|| {
            by(
                BetternessRule::ByValue,
                !a.by_readonly_ref,
                !b.by_readonly_ref,
            )
        })
        .or_else(|| {
            self.better_collection(a, b)
                .map(|better| (better, BetternessRule::MoreSpecific))
        })
        .unwrap_or((Better::Neither, BetternessRule::Same))
    }

    /// Compares two `params` collections of the same element type: a span is better than others, a
    /// read-only span better than a writable one.
    fn better_collection(&self, a: &BoundCandidate, b: &BoundCandidate) -> Option<Better> {
        if !a.expanded || !b.expanded {
            return None;
        }
        let rank = |form: &BoundCandidate| {
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

    /// Returns the candidate whose declared parameter types are more specific.
    fn more_specific(&self, a: &BoundCandidate, b: &BoundCandidate) -> Option<Better> {
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
            (Type::Named(_, x), Type::Named(_, y))
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
}
