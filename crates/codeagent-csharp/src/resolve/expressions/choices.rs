//! What became of each candidate of a choice among overloads? Kept while a link is explained,
//! because choices hang on the assumptions in force at that moment.
//!
//! **Limits.** The forms are put to the arguments once more: what a budget cut off the first time
//! may be known the second.

use codeagent_lang::DeclRef;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::expressions::overloads::{Applied, Argument, Pick, Rule};
use crate::resolve::types::TyList;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::questions::Question;

/// One choice among candidates.
pub struct Choice {
    /// In whose answer it was made; of a site itself in none.
    pub question: Option<Question>,
    /// What was put to the candidates.
    pub args: Vec<Argument>,
    /// Those that take so many arguments.
    pub forms: Vec<Form>,
    /// Candidates that take another number of arguments or type arguments.
    pub unfit: Vec<DeclRef>,
    /// Which one, and whether surely.
    pub chosen: Option<(DeclRef, bool)>,
}

/// A candidate put to the arguments.
pub struct Form {
    /// What it takes.
    pub applied: Applied,
    /// How each argument converts.
    pub conversions: Vec<Conversion>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a form.
#[derive(Clone, Copy)]
pub enum Fate {
    /// It won.
    Chosen,
    /// An argument does not convert.
    DoesNotConvert,
    /// Nothing says what a type argument is.
    NotInferred,
    /// A type argument is not what the parameter asks for.
    ConstraintFails,
    /// One of a more derived type is applicable.
    Farther,
    /// How the chosen one compares with it.
    Compared(Better, Rule),
}

impl Checker<'_> {
    /// A choice with what became of each candidate.
    pub(super) fn explain_choice(
        &self,
        candidates: &[Candidate],
        args: &[Argument],
        type_args: &TyList,
        pick: Option<&Pick>,
    ) -> Choice {
        let mut forms = Vec::new();
        for (candidate, mapping) in self.forms(candidates, args, type_args) {
            let applied = self.apply_form(candidate, &mapping, args, type_args);
            let signature = self.signature(candidate.decl);
            let each = applied.targets.iter().zip(args).zip(&mapping.params);
            let conversions: Vec<Conversion> = each
                .map(|((target, arg), param)| {
                    self.argument_converts(arg, *target, signature.params[*param].flags)
                })
                .collect();
            let fate = match pick {
                _ if conversions.contains(&Conversion::No) => Fate::DoesNotConvert,
                _ if type_args.is_empty()
                    && !self.can_be_inferred(&signature, &applied.formals, args) =>
                {
                    Fate::NotInferred
                }
                _ if applied.conversion == Conversion::No => Fate::ConstraintFails,
                Some(pick)
                    if pick.best.candidate == candidate
                        && pick.best.expanded == applied.expanded =>
                {
                    Fate::Chosen
                }
                Some(pick) if pick.best.candidate.depth < candidate.depth => Fate::Farther,
                Some(pick) => {
                    let (better, rule) = self.better_form(&pick.best, &applied, args);
                    Fate::Compared(better, rule)
                }
                None => Fate::Compared(Better::Unknown, Rule::Unknown),
            };
            forms.push(Form {
                applied,
                conversions,
                fate,
            });
        }
        let fits = |candidate: &&Candidate| {
            forms
                .iter()
                .any(|form| form.applied.candidate == **candidate)
        };
        let unfit = candidates
            .iter()
            .filter(|candidate| !fits(candidate))
            .map(|candidate| candidate.decl)
            .collect();
        let chosen = pick.map(|pick| (pick.best.candidate.decl, pick.sure));
        Choice {
            question: self.evaluation.innermost(),
            args: args.to_vec(),
            forms,
            unfit,
            chosen,
        }
    }
}
