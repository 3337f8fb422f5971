//! Errors of queries. They contain the facts for a message; `codeagent-render` words it.

use crate::query::{NotFound, SymbolLabel};
use crate::store::StoreError;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// No symbol has the name.
    #[error("no symbol {:?} in the index", .0.asked)]
    NoSymbol(Box<NotFound>),
    /// The name matches more symbols than one answer covers.
    #[error("{asked:?} matches {count} symbols")]
    Ambiguous {
        /// The requested name.
        asked: String,
        /// Number of matching symbols.
        count: usize,
        /// The first matching symbols.
        candidates: Vec<SymbolLabel>,
    },
    /// No overload with this name has the requested parameters.
    #[error("no overload has the parameters {asked}")]
    NoOverload {
        /// The requested parameters.
        asked: String,
        /// The first overloads.
        candidates: Vec<SymbolLabel>,
    },
    /// The name exists, but is not declared in the file.
    #[error("{asked:?} is not declared in {file}")]
    NotInFile {
        /// The requested name.
        asked: String,
        /// The requested file.
        file: String,
        /// The first symbols with this name.
        candidates: Vec<SymbolLabel>,
    },
    /// Nothing is declared at a location.
    #[error("nothing is declared at or around line {line} of {path}")]
    NothingAt {
        /// The requested path.
        path: String,
        /// The requested line.
        line: u32,
    },
    /// The file is not in the index.
    #[error("{0} is not in the index")]
    NoFile(String),
    /// No project has this id.
    #[error("no project {asked:?}")]
    NoProject {
        /// The requested id.
        asked: String,
        /// The ids of all projects.
        projects: Vec<String>,
    },
    /// No kind or node type has this name.
    #[error("no kind {0:?}")]
    NoKind(String),
    /// A path filter starts with `!`; only inclusion is supported.
    #[error("{0:?} excludes, but a path filter only includes; pass the folders to include")]
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
        /// Length of the search, in bytes.
        bytes: usize,
        /// Maximum length, in bytes.
        max: usize,
    },
    /// A store operation failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
