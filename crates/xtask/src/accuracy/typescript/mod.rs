//! Compares our tables with the TypeScript compiler's results.
//!
//! * A declaration is identified by any line from its first line to the line of its name.
//!   Declarations of modules and members are required; local functions and members of object
//!   literals and unnamed types are optional.
//! * A call site is right if its target is any declaration that the compiler accepts there
//!   (overloads, merged declarations, class and constructor). Sites with a receiver of type `any`
//!   are skipped.
//! * Files without gold data are skipped.
//!
//! Limitations: callers are not compared; the row hashes cover them.

mod calls;
mod declarations;
mod inheritance;
mod references;
mod symbols;

use crate::accuracy::score::{INHERITANCE_KINDS, Report, Sources, Tables};
use crate::accuracy::typescript::declarations::TypescriptGold;

/// Returns all figures and disagreements of one repository.
pub fn score(actual: &Tables<'_>, gold: &Tables<'_>, sources: &mut Sources) -> Report {
    let declared = TypescriptGold::new(gold);
    let mut report = Report::default();

    report.push(symbols::score(&declared, actual));
    report.push(calls::score(&declared, actual, gold, sources));
    report.push(references::score(&declared, actual, gold));
    for kind in INHERITANCE_KINDS {
        report.push(inheritance::score(&declared, actual, gold, kind));
    }

    report
}
