//! Errors of queries. They hold what a caller needs to give advice; `codeagent-render` words it.

use crate::query::{NotFound, SymbolLabel};
use crate::store::StoreError;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// No symbol has the name.
    #[error("no symbol {:?} in the index", .0.asked)]
    NoSymbol(Box<NotFound>),
    /// The name matches more symbols than are answered at once.
    #[error("{asked:?} matches {count} symbols")]
    Ambiguous {
        /// The name as asked.
        asked: String,
        /// How many symbols it matches.
        count: usize,
        /// The first of them.
        candidates: Vec<SymbolLabel>,
    },
    /// The name is known, but no overload has the parameters.
    #[error("no overload has the parameters {asked}")]
    NoOverload {
        /// The parameters as asked.
        asked: String,
        /// The first of the overloads.
        candidates: Vec<SymbolLabel>,
    },
    /// The name is known, but not declared in the file.
    #[error("{asked:?} is not declared in {file}")]
    NotInFile {
        /// The name as asked.
        asked: String,
        /// The file as asked.
        file: String,
        /// The first of the symbols.
        candidates: Vec<SymbolLabel>,
    },
    /// Nothing is declared at a location.
    #[error("nothing is declared at or around line {line} of {path}")]
    NothingAt {
        /// The path as asked.
        path: String,
        /// The line.
        line: u32,
    },
    /// The file is not in the index.
    #[error("{0} is not in the index")]
    NoFile(String),
    /// No project has this id.
    #[error("no project {asked:?}")]
    NoProject {
        /// The id as asked.
        asked: String,
        /// The ids of all projects.
        projects: Vec<String>,
    },
    /// No kind or node type has this name.
    #[error("no kind {0:?}")]
    NoKind(String),
    /// A path filter excludes instead of including.
    #[error("{0:?} excludes, but a path filter only includes; name the folders to include")]
    Negated(String),
    /// The search has no words.
    #[error("the query is empty")]
    EmptySearch,
    /// The pattern of a text search, or a filter of it, is invalid.
    #[error("{0}")]
    Pattern(String),
    /// The search is too long.
    #[error("the query has {bytes} bytes, more than {max}")]
    SearchTooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The largest allowed.
        max: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
