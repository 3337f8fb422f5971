//! Which symbols match some words: the full-text table `search`.
//!
//! `HttpClientFactory.CreateClient` is found by `CreateClient`, `create client`, `Create*` and `client`, `HttpClientFactory` by
//! `httpclientfactory`, `HCF` and `hcfac` too.
//!
//! FTS5 finds, in steps from the strictest to the loosest reading of the query, and each step gives a bounded number of rows, best class
//! first; the candidates are ranked here. So no query costs more than a few hundred rows, however common its words are.
//!
//! **Limits.** Beyond these bounds it is the class and the id that decide what is ranked. A query in FTS5's own syntax is run as it is: its
//! short prefixes cost as much as they match.

mod candidates;
mod nearest;
mod query;
mod rank;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use nearest::{edit_distance, nearest_names};
pub use text::is_test_path;
pub(super) use write::{delete, delete_all, insert, same_text, set_hash_size};

use rustc_hash::FxHashMap;

use crate::model::graph::{Language, Node, NodeType};
use crate::store::codec::stored_id;
use crate::store::nodes::select_nodes;
use crate::store::search::candidates::Candidates;
use crate::store::search::query::Query;
use crate::store::search::rank::{Met, Ranked, Ranker};
use crate::store::{SYMBOLS_TOTAL, Snapshot, StoreError, metadata};

/// Which symbols are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Only of this project.
    pub project: Option<String>,
    /// Only of this type.
    pub node_type: Option<NodeType>,
    /// Only of this language.
    pub language: Option<Language>,
}

/// A symbol found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The symbol with its primary span.
    pub node: Node,
    /// bm25 with bonuses for how its name was met, negated: smaller is better.
    pub rank: f64,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The query was no FTS5 query, so its words were searched as they are.
    pub quoted: bool,
    /// No symbol has all of the words; these have some of them.
    pub some_words: bool,
}

/// At most `limit` symbols that match a query, best first.
pub fn search(snapshot: &Snapshot, query: &str, filter: &SearchFilter, limit: usize) -> Result<Hits, StoreError> {
    let mut read = Query::read(query);
    let mut candidates = Candidates::new(snapshot, filter, limit);
    let expression = if read.is_expression { Some(candidates.of_expression(query.trim())) } else { None };
    let (all, quoted) = match expression {
        Some(Ok(())) => (true, false),
        Some(Err(StoreError::Query(_))) => {
            if read.words.is_empty() {
                // Who asks for nothing but operators means their words; signs alone are in no name.
                read = Query::read(&query.to_lowercase());
            }
            if read.words.is_empty() {
                return Ok(Hits { quoted: true, ..Hits::default() });
            }
            (candidates.of_words(&read)?, true)
        }
        Some(Err(other)) => return Err(other),
        None => (candidates.of_words(&read)?, !read.is_plain),
    };
    let total = metadata(snapshot, SYMBOLS_TOTAL)?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let ranker = Ranker::new(&read, &candidates.names_with(&read)?, total);
    let mut ranked: Vec<Ranked> = candidates.load()?.into_iter().map(|candidate| ranker.rank(candidate)).collect();
    let has_all = all || ranked.iter().any(|one| one.met >= Met::All);
    if !all && has_all {
        ranked.retain(|one| one.met >= Met::All);
    }
    sort(&mut ranked, ranker.same_names());
    ranked.truncate(limit);
    Ok(Hits { some_words: !has_all && !ranked.is_empty(), hits: full(snapshot, ranked)?, quoted })
}

/// Best first. Of each name only a few come before other names that were met in the same way, unless just this name was asked for.
fn sort(ranked: &mut [Ranked], same_names: usize) {
    let mut bearers: FxHashMap<String, usize> = FxHashMap::default();
    for one in &*ranked {
        *bearers.entry(one.candidate.name.clone()).or_default() += 1;
    }
    for one in ranked.iter_mut().filter(|one| one.met == Met::Start) {
        one.promote(bearers[&one.candidate.name]);
    }
    ranked.sort_by(Ranked::order);
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for one in ranked.iter_mut().filter(|one| one.met < Met::Exact) {
        let count = seen.entry(one.candidate.name.clone()).or_default();
        *count += 1;
        if *count > same_names {
            one.demote(*count);
        }
    }
    ranked.sort_by(Ranked::order);
}

fn full(snapshot: &Snapshot, ranked: Vec<Ranked>) -> Result<Vec<Hit>, StoreError> {
    let mut hits = Vec::with_capacity(ranked.len());
    for one in ranked {
        let node = select_nodes(snapshot.connection(), "WHERE n.id = ?1", &[&stored_id(one.candidate.id)])?.pop();
        hits.extend(node.map(|node| Hit { node, rank: one.rank }));
    }
    Ok(hits)
}
