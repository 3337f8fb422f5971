//! The outcome of each candidate of an overload resolution, for `explain`.
//!
//! Traces are recorded while overloads are resolved, because the result depends on the types that
//! lambda parameters are assumed to have at that moment.
//!
//! Limitations: candidates are bound to the arguments a second time, so a conversion that exceeded
//! a budget the first time may be known the second time.

use codeagent_lang::DeclRef;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::{Argument, BoundCandidate};
use crate::resolve::expressions::betterness::BetternessRule;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::types::TyList;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::queries::Query;

/// The trace of one overload resolution.
pub struct OverloadTrace {
    /// The innermost query that was active; `None` for the site itself.
    pub query: Option<Query>,
    pub args: Vec<Argument>,
    /// The candidates that accept this number of arguments.
    pub forms: Vec<CandidateTrace>,
    /// Candidates that accept another number of arguments or type arguments.
    pub unfit: Vec<DeclRef>,
    /// The chosen method, and whether the choice is certain.
    pub chosen: Option<(DeclRef, bool)>,
}

pub struct CandidateTrace {
    pub bound: BoundCandidate,
    /// The conversion of each argument.
    pub conversions: Vec<Conversion>,
    pub outcome: CandidateOutcome,
}

/// Why a candidate won or lost.
#[derive(Clone, Copy)]
pub enum CandidateOutcome {
    Chosen,
    DoesNotConvert,
    /// A type argument cannot be inferred.
    NotInferred,
    /// A type argument violates a constraint.
    ConstraintFails,
    /// A candidate of a more derived type is applicable.
    LessDerived,
    /// How the chosen candidate compares with it.
    Compared(Better, BetternessRule),
}

impl Checker<'_> {
    /// Returns the outcome of each candidate of a resolved overload.
    pub(super) fn explain_overload(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
        result: Option<&OverloadResult>,
    ) -> OverloadTrace {
        let mut forms = Vec::new();
        for (candidate, mapping) in self.argument_mappings(candidates, args, type_args) {
            let bound = self.bind_arguments(candidate, &mapping, args, type_args);
            let signature = self.signature(candidate.decl);
            let each = bound.targets.iter().zip(args).zip(&mapping.params);
            let conversions: Vec<Conversion> = each
                .map(|((target, arg), param)| {
                    self.argument_converts(arg, *target, signature.params[*param].flags)
                })
                .collect();

            let is_inferred =
                !type_args.is_empty() || self.can_be_inferred(&signature, &bound.formals, args);
            let outcome = if conversions.contains(&Conversion::No) {
                CandidateOutcome::DoesNotConvert
            } else if !is_inferred {
                CandidateOutcome::NotInferred
            } else if bound.conversion == Conversion::No {
                CandidateOutcome::ConstraintFails
            } else {
                self.outcome_of_fitting(&bound, args, result)
            };
            forms.push(CandidateTrace {
                bound,
                conversions,
                outcome,
            });
        }

        let fits =
            |candidate: &&Candidate| forms.iter().any(|form| form.bound.candidate == **candidate);
        let unfit = candidates
            .iter()
            .filter(|candidate| !fits(candidate))
            .map(|candidate| candidate.decl)
            .collect();

        OverloadTrace {
            query: self.stack.innermost(),
            args: args.to_vec(),
            forms,
            unfit,
            chosen: result
                .map(|result| (result.best.candidate.decl, result.certainty.is_certain())),
        }
    }

    /// Returns the outcome of a candidate that may be applicable.
    fn outcome_of_fitting(
        &self,
        bound: &BoundCandidate,
        args: &[Argument],
        result: Option<&OverloadResult>,
    ) -> CandidateOutcome {
        let Some(OverloadResult { best, .. }) = result else {
            return CandidateOutcome::Compared(Better::Unknown, BetternessRule::Unknown);
        };

        if best.candidate == bound.candidate && best.expanded == bound.expanded {
            CandidateOutcome::Chosen
        } else if best.candidate.depth < bound.candidate.depth {
            CandidateOutcome::LessDerived
        } else {
            let (better, rule) = self.better_candidate(best, bound, args);
            CandidateOutcome::Compared(better, rule)
        }
    }
}
