//! Compares our tables with the C# compiler's results.
//!
//! * A declaration is identified by any line from its first line to the line of its name. Every
//!   declaration except local functions is required.
//! * A call site is right if one of our targets is the declaration that the compiler binds
//!   (`calls`), or has that declaration's container and name (`calls, method group`). An external
//!   call must have no target. Sites that the compiler could not bind, because a package is
//!   missing, are skipped.
//! * References are uses of types only; the gold has no others.
//! * Files without gold data are skipped.
//!
//! Limitations: callers are not compared; the row hashes cover them.

mod calls;
mod declarations;
mod inheritance;
mod references;
mod symbols;

use crate::accuracy::csharp::declarations::CsharpGold;
use crate::accuracy::score::{INHERITANCE_KINDS, Report, Tables};

/// Returns all figures and disagreements of one repository.
pub fn score(actual: &Tables<'_>, gold: &Tables<'_>) -> Report {
    let declared = CsharpGold::new(gold);
    let mut report = Report::default();

    report.push(symbols::score(&declared, actual));
    let [calls, method_groups] = calls::score(&declared, actual, gold);
    report.push(calls);
    report.push(method_groups);
    report.push(references::score(&declared, actual, gold));
    for kind in INHERITANCE_KINDS {
        report.push(inheritance::score(&declared, actual, gold, kind));
    }

    report
}
