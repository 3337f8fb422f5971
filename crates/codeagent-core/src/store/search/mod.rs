//! Which symbols match some words: the full-text table `search`.
//!
//! `HttpClientFactory.CreateClient` is found by `CreateClient`, `create client`, `Create*` and
//! `client`, `HttpClientFactory` by `httpclientfactory`, `HCF` and `hcfac` too.
//!
//! What reads as language (`where are carts saved`) is answered by the words that a symbol shares
//! and by how near its vector is, after symbols that have all of the words in their names.
//!
//! FTS5 finds, in steps from the strictest to the loosest reading of the query, and each step gives
//! a bounded number of rows, best class first; the candidates are ranked here. So no query costs
//! more than a few hundred rows, however common its words are.
//!
//! **Limits.** Beyond these bounds it is the class and the id that decide what is ranked. A query
//! in FTS5's own syntax is run as it is: its short prefixes cost as much as they match.

mod candidates;
mod hybrid;
mod language;
mod nearest;
mod query;
mod rank;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use hybrid::{Matched, Near, Score};
pub use nearest::nearest_names;
pub use text::is_test_path;
pub(super) use write::{delete, delete_all, insert, same_text, set_hash_size};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Language, Node, NodeId, NodeType};
use crate::store::codec::stored_id;
use crate::store::nodes::select_nodes;
use crate::store::search::candidates::Candidates;
use crate::store::search::hybrid::{MIXED, mixed};
use crate::store::search::query::Query;
use crate::store::search::rank::{Met, Ranked, Ranker};
use crate::store::{SYMBOLS_TOTAL, Snapshot, StoreError, metadata};

/// Answers of one qualified name that come before all others.
const OVERLOADS: usize = 2;

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
    /// How well it answers a sentence, which then decides.
    pub score: Option<Score>,
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

/// Tells which symbols are near to a question, if that is to count.
pub type AskNear<'a> = &'a dyn Fn(&str) -> Result<Option<Near>, StoreError>;

/// At most `limit` symbols that match a query, best first.
pub fn search(
    snapshot: &Snapshot,
    query: &str,
    filter: &SearchFilter,
    limit: usize,
    near: AskNear<'_>,
) -> Result<Hits, StoreError> {
    let mut read = Query::read(query);
    let mut candidates = Candidates::new(snapshot, filter, limit);
    let expression = if read.is_expression {
        Some(candidates.of_expression(query.trim()))
    } else {
        None
    };
    let (all, quoted) = match expression {
        Some(Ok(())) => (true, false),
        Some(Err(StoreError::Query(_))) => {
            if read.words.is_empty() {
                // Who asks for nothing but operators means their words; signs alone are in no name.
                read = Query::read(&query.to_lowercase());
            }
            if read.words.is_empty() {
                return Ok(Hits {
                    quoted: true,
                    ..Hits::default()
                });
            }
            (candidates.of_words(&read)?, true)
        }
        Some(Err(other)) => return Err(other),
        None => (candidates.of_words(&read)?, !read.is_plain),
    };
    let is_language = !all || (read.is_language() && (quoted || !read.is_expression));
    let total = metadata(snapshot, SYMBOLS_TOTAL)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let ranker = Ranker::new(&read, &candidates.names_with(&read)?, total);
    let found = candidates.load(candidates.found())?;
    let mut ranked: Vec<Ranked> = found
        .into_iter()
        .map(|candidate| ranker.rank(candidate))
        .collect();
    sort(&mut ranked, ranker.same_names());
    let mut hits: Vec<Found> = ranked
        .into_iter()
        .map(|ranked| Found {
            ranked,
            score: None,
        })
        .collect();
    if is_language {
        hits.retain(|hit| hit.ranked.met >= Met::Starts);
        let in_name = Matched {
            name: true,
            ..Matched::default()
        };
        hits.iter_mut().for_each(|hit| {
            hit.score = Some(Score {
                score: 1.0,
                matched: in_name,
            })
        });
        hits.extend(answers(
            snapshot,
            &candidates,
            &ranker,
            (query, total),
            near,
        )?);
        let mut seen = FxHashSet::default();
        hits.retain(|hit| seen.insert(hit.ranked.candidate.id));
    }
    hits.truncate(limit);
    let has_all = all || hits.iter().any(|hit| hit.ranked.met >= Met::All);
    Ok(Hits {
        some_words: !has_all && !hits.is_empty(),
        hits: full(snapshot, hits)?,
        quoted,
    })
}

/// A symbol found, before it is read.
struct Found {
    ranked: Ranked,
    score: Option<Score>,
}

/// The symbols that answer a sentence, best first; of one name two at most come before all others.
fn answers(
    snapshot: &Snapshot,
    candidates: &Candidates<'_>,
    ranker: &Ranker<'_>,
    (sentence, total): (&str, u64),
    near: AskNear<'_>,
) -> Result<Vec<Found>, StoreError> {
    let by_words = language::by_words(snapshot, candidates, (sentence, total), MIXED)?;
    let mut near = near(sentence)?;
    if let Some(near) = &mut near {
        let mut let_through = Vec::with_capacity(MIXED);
        for (id, cosine) in near.nearest.drain(..) {
            if let_through.len() < MIXED && candidates.lets_through(id)? {
                let_through.push((id, cosine));
            }
        }
        near.nearest = let_through;
    }
    let scores = mixed(&by_words, near.as_ref());
    let mut ids: Vec<NodeId> = scores.keys().copied().collect();
    ids.sort_unstable_by(|a, b| scores[b].score.total_cmp(&scores[a].score).then(a.cmp(b)));
    let found = candidates.load(&ids)?.into_iter();
    let found = found.map(|candidate| Found {
        score: Some(scores[&candidate.id]),
        ranked: ranker.rank(candidate),
    });
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let (mut first, further): (Vec<_>, Vec<_>) = found.partition(|found| {
        let count = seen
            .entry(found.ranked.candidate.qualified_name.clone())
            .or_default();
        *count += 1;
        *count <= OVERLOADS
    });
    first.extend(further);
    Ok(first)
}

/// Best first. Of each name only a few come before other names that were met in the same way,
/// unless just this name was asked for.
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

fn full(snapshot: &Snapshot, found: Vec<Found>) -> Result<Vec<Hit>, StoreError> {
    let mut hits = Vec::with_capacity(found.len());
    for Found { ranked, score } in found {
        let node = select_nodes(
            snapshot.connection(),
            "WHERE n.id = ?1",
            &[&stored_id(ranked.candidate.id)],
        )?
        .pop();
        hits.extend(node.map(|node| Hit {
            node,
            rank: ranked.rank,
            score,
        }));
    }
    Ok(hits)
}
