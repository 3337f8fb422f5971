//! The queries of a resolution that can depend on themselves, and their budgets.
//!
//! Limitations: those of [`codeagent_lang::query::stack`]. A query that a cycle or budget cuts off
//! is `UNKNOWN`.

use codeagent_lang::query::stack::{FileQueryBudget, QueryLimits};
use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::{CallId, TypeId};

use crate::resolve::arena::Ty;

/// Largest number of nested queries, with the site; deeper ones are `UNKNOWN`.
pub const MAX_DEPTH: u32 = 61;

/// The steps of a site, so that a site that instantiates types without end leaves some to the others.
const SITE_BUDGET: u32 = 300_000;

/// The steps of each site of a file whose budget is used up. They suffice for names that scopes
/// alone decide: imports, functions of the same file, names in JSX.
const LEAST_OF_SITE: u32 = 500;

/// The most expensive file of twelve repositories used a third of this budget.
const FILE_BUDGET: FileQueryBudget = FileQueryBudget {
    least: 3_000_000,
    each_site: 20,
    most: 4_000_000,
};

/// The number of queries after which provisional results are kept for good, so that a resolution
/// always terminates.
const MAX_PROVISIONAL_QUERIES: u32 = 400_000;

/// A query that can depend on itself; making it again while it is active is a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    Decl(DeclRef),
    Expr(ExprRef),
    /// The return type of a function.
    Return(DeclRef),
    /// The contextual type of a literal or lambda.
    Context(DeclRef),
    /// The target of a type alias.
    Alias(DeclRef),
    /// An entry of a base list.
    Base(DeclRef, u32),
    Follow(DeclRef),
    Conditional(Ty),
    /// A comparison of two types member by member.
    Comparison(Ty, Ty),
    /// The expected type of a call.
    Expected(FileId, CallId),
    /// The type of a type node.
    Type(FileId, TypeId),
}

/// Returns the limits for a file with this number of sites.
pub fn limits(sites: usize) -> QueryLimits {
    QueryLimits {
        depth: MAX_DEPTH,
        site: Some(SITE_BUDGET),
        least_of_site: Some(LEAST_OF_SITE),
        file: FILE_BUDGET.steps(sites),
        provisional: MAX_PROVISIONAL_QUERIES,
    }
}
