//! The queries that may depend on themselves, and the limits on their number.
//!
//! Limitations: those of [`codeagent_lang::query::stack`]. A query that exceeds a limit is unknown,
//! and a site that gets no target for that reason is counted.

use codeagent_lang::FileId;
use codeagent_lang::query::stack::{FileQueryBudget, QueryLimits};
use codeagent_model::facts::{CallId, DeclId, ExprId, ImportId, TypeId};

use crate::resolve::declared::tables::TypeDefId;
use crate::resolve::types::Ty;

/// The most queries that may be active at once.
const MAX_DEPTH: u32 = 61;

/// Steps one site may cost; a lambda inside overloaded calls is read once per overload, so nesting
/// multiplies.
const SITE_BUDGET: u32 = 40_000;

/// Of seven repositories the file that took most, three thousand lines of queries in lambdas, took
/// a third of what it may.
const FILE_BUDGET: FileQueryBudget = FileQueryBudget {
    least: 500_000,
    each_site: 150,
    most: 3_000_000,
};

/// An active query; asking it again meanwhile is a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// The type of an expression under an assumption.
    Expr(u32, ExprId),
    /// A type expression.
    TypeExpr(FileId, TypeId),
    /// The bases of a type.
    Bases(TypeDefId),
    /// The target of a call under an assumption.
    Call(u32, CallId),
    /// The context of a lambda or `new()` under an assumption.
    Context(u32, DeclId),
    /// A using.
    Using(FileId, ImportId),
    /// The constraints of a type parameter.
    Constraints(Ty),
}

/// Returns the limits for a file with that many sites.
#[must_use]
pub fn limits(sites: usize) -> QueryLimits {
    QueryLimits {
        depth: MAX_DEPTH,
        site: Some(SITE_BUDGET),
        file: FILE_BUDGET.steps(sites),
        provisional: u32::MAX,
    }
}
