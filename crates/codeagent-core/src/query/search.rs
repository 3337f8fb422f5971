//! Which symbols match these words: `Authenticate*`, `user service`, `Cart.Total`.

use crate::model::graph::Node;
use crate::query::QueryError;
use crate::store::{self, Hits, SearchFilter, Snapshot};

/// Symbols found, best first.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Each with its rank: bm25, smaller is better.
    pub hits: Vec<(Node, f64)>,
    /// The query was no FTS5 query, so its words were searched as they are.
    pub quoted: bool,
    /// No symbol has all of the words; these have some of them.
    pub some_words: bool,
}

/// Symbols that match an FTS5 query and a filter.
pub fn filter_nodes(snapshot: &Snapshot, fts_query: &str, filter: &SearchFilter, limit: usize) -> Result<Found, QueryError> {
    let Hits { hits, quoted, some_words } = store::search(snapshot, fts_query, filter, limit)?;
    Ok(Found { hits: hits.into_iter().map(|hit| (hit.node, hit.rank)).collect(), quoted, some_words })
}
