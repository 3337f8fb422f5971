//! The queries that may depend on themselves, and their limits.
//!
//! Limitations: those of [`codeagent_lang::query::stack`]. The result of a query that exceeds a
//! limit is unknown, and a site that gets no target for that reason is counted.

use codeagent_lang::FileId;
use codeagent_lang::query::stack::{FileQueryBudget, QueryLimits};
use codeagent_model::facts::{CallId, DeclId, ExprId, ImportId, TypeId};

use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::Ty;

const MAX_DEPTH: u32 = 61;

/// Steps per site. A lambda inside overloaded calls is bound once per overload, so nesting
/// multiplies.
const SITE_BUDGET: u32 = 40_000;

/// The most expensive file of seven repositories (three thousand lines of queries in lambdas) used
/// a third of its budget.
const FILE_BUDGET: FileQueryBudget = FileQueryBudget {
    least: 500_000,
    each_site: 150,
    most: 3_000_000,
};

/// An active query; making it again meanwhile is a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// The type of an expression under an assumption.
    Expr(u32, ExprId),
    TypeExpr(FileId, TypeId),
    Bases(TypeDefId),
    /// The target of a call under an assumption.
    Call(u32, CallId),
    /// The context of a lambda or `new()` under an assumption.
    Context(u32, DeclId),
    Using(FileId, ImportId),
    /// The constraints of a type parameter.
    Constraints(Ty),
}

/// Returns the limits for a file with this number of sites.
#[must_use]
pub fn limits(sites: usize) -> QueryLimits {
    QueryLimits {
        depth: MAX_DEPTH,
        site: Some(SITE_BUDGET),
        least_of_site: None,
        file: FILE_BUDGET.steps(sites),
        provisional: u32::MAX,
    }
}
