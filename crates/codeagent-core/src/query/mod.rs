//! What a reader asks of the index: one file per question, each a function over a [`Snapshot`].
//!
//! **Limits.** Answers are values, not texts or JSON; only [`Sources`] looks at the disk, through
//! the workspace it is given.

mod empty_result_hints;
mod export;
mod filter;
mod neighbors;
mod not_found;
mod outline;
mod parameters;
mod place;
mod possible_uses;
mod relations;
mod search;
mod source;
mod status;
mod symbol;
mod symbol_lookup;
mod text_mentions;
mod texts;
mod unindexed;
mod vectors;

pub use empty_result_hints::{elsewhere, why_empty};
pub use export::{ExportTables, export};
pub use filter::Filter;
pub use neighbors::{Neighbor, NeighborQuery, Neighbors, Relation, UseSite, get_neighbors};
pub use not_found::{beginning, why_not_found};
pub use outline::{derive_file_id, get_outline};
pub use place::is_in_place;
pub use possible_uses::{
    Places, Uncertain, UncertainQuery, possible_uses, uncertain, unresolved_calls_in,
    unresolved_uses,
};
pub use relations::Relations;
pub use search::{FoundSymbol, SearchResults, filter_nodes};
pub use source::{Freshness, Sources, get_source};
pub use status::{
    IndexStatus, TextCoverage, counts, most_unresolved, project_ids, reference_count, status,
    unresolved_sites,
};
pub use symbol::{Match, Symbol, get_node, get_node_by_qualified_name, nearest};
pub use symbol_lookup::{Meaning, Meant, label, resolve_symbol, symbols_meant};
pub use text_mentions::{TextualUses, textual_uses};
pub use texts::Texts;
pub use unindexed::{
    PartlyRead, lacking, partly_read_files, unread_files, unread_like, unread_note,
};
pub use vectors::{Embedding, Similar, Vectors, exactly_nearest, find_similar};

pub use crate::store::{
    Counts, FileKey, LanguageCounts, MatchedBy, Score, SearchFilter, Snapshot, VectorSource,
};

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::StoreError;

/// A question without an answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// No such symbol.
    #[error(
        "no symbol {asked:?} in the index{}{}",
        hint(.nearest, .beginning.as_deref(), .unread),
        .missing.as_ref().map(|missing| format!("; {missing}")).unwrap_or_default()
    )]
    NoSymbol {
        /// As asked.
        asked: String,
        /// Names that look like it, nearest first.
        nearest: Vec<String>,
        /// What the beginning of the name means.
        beginning: Option<String>,
        /// Files that may hold it and are not in the index.
        unread: Vec<String>,
        /// What else is not in the index, of which nothing is known.
        missing: Option<String>,
    },
    /// More symbols than are answered for at once.
    #[error(
        "{asked:?} matches {count} symbols; select one by a longer name, parameters, `file` or node_id:{}",
        listed(.candidates, *.count)
    )]
    Ambiguous {
        /// As asked.
        asked: String,
        /// How many there are.
        count: usize,
        /// Some of them, each as `node_id qualified_name(signature) path:line`.
        candidates: Vec<String>,
    },
    /// A name that is known, with parameters that none of its overloads has.
    #[error("no overload has the parameters {asked}; there are {}", .candidates.join(", "))]
    NoOverload {
        /// The parameters as asked.
        asked: String,
        /// Some of the overloads, as in [`Self::Ambiguous`].
        candidates: Vec<String>,
    },
    /// A name that is known, but not in this file.
    #[error("{asked:?} is not declared in {file}; it is at:{}", listed(.candidates, .candidates.len()))]
    NotInFile {
        /// The name as asked.
        asked: String,
        /// The file as asked.
        file: String,
        /// Some of the symbols, as in [`Self::Ambiguous`].
        candidates: Vec<String>,
    },
    /// Nothing is declared at a place.
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
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One per line, and how many more there are.
fn listed(candidates: &[String], count: usize) -> String {
    let lines: String = candidates
        .iter()
        .map(|candidate| format!("\n{candidate}"))
        .collect();
    match count.saturating_sub(candidates.len()) {
        0 => lines,
        more => format!("{lines}\nand {more} more"),
    }
}

fn hint(nearest: &[String], beginning: Option<&str>, unread: &[String]) -> String {
    if !unread.is_empty() {
        return format!("; {}", unread.join("; "));
    }
    if let Some(beginning) = beginning {
        format!("; {beginning}")
    } else if nearest.is_empty() {
        "; search_symbols finds names by their parts; symbols of libraries are not indexed"
            .to_owned()
    } else {
        match nearest {
            [one] => format!("; did you mean {one}?"),
            several => format!("; did you mean one of these?\n{}", several.join("\n")),
        }
    }
}

/// What is kept between questions is written in one step, so it is whole whoever panicked.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
