//! Explains overload resolutions: each candidate with its conversions, and the deciding rule.
//!
//! Limitations: those of `explain`.

use codeagent_lang::DeclRef;
use codeagent_lang::explain::Report;
use codeagent_model::print;

use crate::resolve::edges::SiteResolver;
use crate::resolve::edges::explain::MAX_SHOWN;
use crate::resolve::expressions::betterness::BetternessRule;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::expressions::overload_trace::{CandidateOutcome, OverloadTrace};

impl SiteResolver<'_> {
    /// Reports the overload resolutions that satisfy `made_for` and whose first candidate satisfies
    /// `is_meant`.
    pub(super) fn explain_overloads(
        &self,
        made_for: impl Fn(&OverloadTrace) -> bool,
        is_meant: impl Fn(DeclRef) -> bool,
        report: &mut Report<'_>,
    ) {
        let Some(trace) = &self.trace else { return };

        for overload in trace.borrow().iter().filter(|overload| made_for(overload)) {
            let first = overload
                .forms
                .first()
                .map(|form| form.bound.candidate.decl)
                .or(overload.unfit.first().copied());
            if first.is_some_and(&is_meant) {
                self.explain_overload_trace(overload, report);
            }
        }
    }

    fn explain_overload_trace(&self, overload: &OverloadTrace, report: &mut Report<'_>) {
        let verdict = match overload.chosen {
            Some((decl, true)) => format!("surely {}", report.decl(decl)),
            Some((decl, false)) => format!("perhaps {}", report.decl(decl)),
            None => "none".to_owned(),
        };

        let count = overload.forms.len() + overload.unfit.len();
        report.line(
            1,
            format_args!("overload resolution among {count} (standard §12.6.4): {verdict}"),
        );

        for form in overload.forms.iter().take(MAX_SHOWN) {
            let expanded = if form.bound.expanded {
                ", params form"
            } else {
                ""
            };

            report.line(
                2,
                format_args!(
                    "{}{expanded}: {}",
                    report.decl(form.bound.candidate.decl),
                    outcome_text(form.outcome)
                ),
            );

            for ((arg, target), conversion) in overload
                .args
                .iter()
                .zip(&form.bound.targets)
                .zip(&form.conversions)
            {
                let value = if arg.value.is_none() {
                    "receiver".to_owned()
                } else {
                    print::expression(self.facts, arg.value)
                };

                let (from, to) = (self.display(arg.ty, report), self.display(*target, report));
                report.line(
                    3,
                    format_args!("{value}: {from} -> {to}: {}", converts(*conversion)),
                );
            }
        }

        for decl in overload.unfit.iter().take(MAX_SHOWN) {
            report.line(
                2,
                format_args!(
                    "{}: does not accept these arguments (number, names or type arguments)",
                    report.decl(*decl)
                ),
            );
        }
    }
}

pub(super) fn converts(conversion: Conversion) -> &'static str {
    match conversion {
        Conversion::No => "does not convert",
        Conversion::Unknown => "may convert; an unknown type decides",
        Conversion::Implicit => "implicit conversion",
        Conversion::Identity => "identity",
    }
}

fn outcome_text(outcome: CandidateOutcome) -> String {
    match outcome {
        CandidateOutcome::Chosen => "chosen".to_owned(),
        CandidateOutcome::DoesNotConvert => {
            "not applicable: an argument does not convert (§12.6.4.2)".to_owned()
        }
        CandidateOutcome::NotInferred => {
            "not applicable: a type argument cannot be inferred (§12.6.3)".to_owned()
        }
        CandidateOutcome::ConstraintFails => {
            "not applicable: a constraint does not hold (§8.4.5)".to_owned()
        }
        CandidateOutcome::LessDerived => {
            "removed: an applicable one is declared nearer (§12.8.10.2)".to_owned()
        }

        CandidateOutcome::Compared(Better::First, rule) => format!("worse: {}", rule_text(rule)),
        CandidateOutcome::Compared(Better::Second, rule) => {
            format!(
                "better here, but it loses more comparisons: {}",
                rule_text(rule)
            )
        }
        CandidateOutcome::Compared(_, rule) => format!("undecided: {}", rule_text(rule)),
    }
}

fn rule_text(rule: BetternessRule) -> &'static str {
    match rule {
        BetternessRule::BetterConversion => {
            "an argument converts better to the chosen one (§12.6.4.4)"
        }
        BetternessRule::Contradiction => "each is better for another argument (§12.6.4.3)",
        BetternessRule::CertainFit => "only one of the two is known to be applicable",
        BetternessRule::Unknown => "an unknown type decides",
        BetternessRule::CautiousFit => {
            "only one of the two is known to be applicable, which counts more than being more \
             specific"
        }

        BetternessRule::NotGeneric => "only one has no type parameters (§12.6.4.3)",
        BetternessRule::NormalForm => "only one takes the arguments in normal form (§12.6.4.3)",
        BetternessRule::MoreDeclared => {
            "of two params forms one declares more parameters (§12.6.4.3)"
        }
        BetternessRule::NoDefaults => "only one needs no default values (§12.6.4.3)",
        BetternessRule::MoreSpecific => "parameter types of one are more specific (§12.6.4.3)",
        BetternessRule::ByValue => "only one takes its arguments by value, not by `in` (C# 7.2)",

        BetternessRule::Same => "no rule distinguishes them",
    }
}
