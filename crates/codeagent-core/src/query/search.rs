//! Which symbols match these words: `Authenticate*`, `user service`, `Cart.Total`.

use crate::model::graph::Node;
use crate::query::QueryError;
use crate::store::{self, SearchFilter, Snapshot};

/// Symbols found, best first.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Each with its rank: bm25, smaller is better.
    pub hits: Vec<(Node, f64)>,
    /// The query was no FTS5 query, so each of its words was quoted.
    pub quoted: bool,
}

/// Symbols that match an FTS5 query and a filter.
pub fn filter_nodes(snapshot: &Snapshot, fts_query: &str, filter: &SearchFilter, limit: usize) -> Result<Found, QueryError> {
    let (hits, quoted) = store::search(snapshot, fts_query, filter, limit)?;
    Ok(Found { hits: hits.into_iter().map(|hit| (hit.node, hit.rank)).collect(), quoted })
}
