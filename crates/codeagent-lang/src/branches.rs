//! Parts of functions that run under a condition: branches of `if`, `switch` and `?:`, `catch` clauses, and handlers
//! of events (`Closed += () => { .. }`).
//!
//! Answers about what happens in a function ask for them, one file at a time; the index has no rows for
//! them. See [`LanguageSupport::branches`](crate::LanguageSupport::branches).

use std::fmt;
use std::ops::Range;

/// When code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// If the condition of an `if` or `?:` holds, or the left side of `&&`.
    If,
    /// If that condition does not hold.
    Else,
    /// If the value of a `switch` fits.
    Case,
    /// If something is thrown.
    Catch,
    /// When the event is raised that a function without a name is added to.
    Event,
}

/// A part of a text that runs under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// When it runs.
    pub kind: BranchKind,
    /// Its bytes, without the condition.
    pub span: Range<usize>,
}

impl fmt::Display for BranchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::If => "if",
            Self::Else => "else",
            Self::Case => "case",
            Self::Catch => "catch",
            Self::Event => "on event",
        })
    }
}
