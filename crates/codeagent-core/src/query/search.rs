//! Which symbols match these words: `Authenticate*`, `user service`, `Cart.Total`,
//! `where are carts saved`?

use crate::model::graph::Node;
use crate::query::vectors::LOOKED_AT;
use crate::query::{QueryError, Vectors};
use crate::store::{self, Hits, Score, SearchFilter, SimilarSymbols, Snapshot};

/// How many times as many near symbols are looked at if a filter leaves most of them out.
const FILTERED_REACH: usize = 8;

/// Less is chance: vectors of texts that have nothing in common come to 0.2 among some hundred
/// thousands.
const NEAR: f32 = 0.25;

/// Symbols found, best first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SearchResults {
    /// The symbols.
    pub hits: Vec<FoundSymbol>,
    /// The query was no FTS5 query, so its words were searched as they are.
    pub quoted: bool,
    /// No symbol has all of the words; these have some of them.
    pub some_words: bool,
}

/// A symbol found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSymbol {
    /// With its primary span.
    pub node: Node,
    /// bm25, smaller is better.
    pub rank: f64,
    /// How well it answers a sentence; the order then follows this.
    pub score: Option<Score>,
}

/// Symbols that match an FTS5 query and a filter. Of a query that reads as language, words and
/// `vectors` decide; without those, words alone.
pub fn filter_nodes(
    snapshot: &Snapshot,
    vectors: Option<&Vectors>,
    fts_query: &str,
    filter: &SearchFilter,
    limit: usize,
) -> Result<SearchResults, QueryError> {
    let reach = if *filter == SearchFilter::default() {
        1
    } else {
        FILTERED_REACH
    };
    let near = |question: &str| {
        let Some(vectors) = vectors else {
            return Ok(None);
        };
        let (source, vector) = vectors.of_question(snapshot, question)?;
        let mut nearest = vectors.nearest(snapshot, source, &vector, LOOKED_AT * reach)?;
        nearest.retain(|(_, cosine)| *cosine >= NEAR);
        Ok(Some(SimilarSymbols { nearest, source }))
    };
    let Hits {
        hits,
        quoted,
        some_words,
    } = store::search(snapshot, fts_query, filter, limit, &near)?;
    let hits = hits
        .into_iter()
        .map(|hit| FoundSymbol {
            node: hit.node,
            rank: hit.rank,
            score: hit.score,
        })
        .collect();
    Ok(SearchResults {
        hits,
        quoted,
        some_words,
    })
}
