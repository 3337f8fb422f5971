//! The queries of a resolution that can depend on themselves, and their budgets.
//!
//! **Limits.** Those of [`codeagent_lang::query::stack`]. A query that a cycle or budget cuts off
//! is `UNKNOWN`.

use codeagent_lang::query::stack::{FileBudget, Limits};
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::{CallId, ExprId, TypeId};

use crate::resolve::arena::Ty;

/// Nested questions before the answer is `UNKNOWN`.
pub const MAX_DEPTH: u32 = 60;

/// Of twelve repositories the file that took most took a third of what it may.
const FILE_BUDGET: FileBudget = FileBudget {
    least: 3_000_000,
    each_site: 20,
    most: 4_000_000,
};

/// Questions after which provisional answers are remembered for good, so that a link always comes
/// to an end.
pub const MAX_PROVISIONAL_QUERIES: u32 = 400_000;

/// A question that is being answered; asking it again meanwhile is a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// The type of a declaration.
    Decl(DeclRef),
    /// The type of an expression.
    Expr(FileId, ExprId),
    /// What a function gives.
    Return(DeclRef),
    /// What is expected of a literal or lambda.
    Context(DeclRef),
    /// What an alias stands for.
    Alias(DeclRef),
    /// An entry of a base list.
    Base(DeclRef, u32),
    /// What an import means.
    Follow(DeclRef),
    /// A conditional type.
    Conditional(Ty),
    /// What is expected of the result of a call.
    Expected(FileId, CallId),
    /// What a written type means.
    Type(FileId, TypeId),
}

/// Those of the link of a file with so many sites.
pub fn limits(sites: usize) -> Limits {
    Limits {
        depth: MAX_DEPTH,
        site: None,
        file: FILE_BUDGET.steps(sites),
    }
}
