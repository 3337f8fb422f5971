//! Symbol search over the full-text table `search`.
//!
//! `HttpClientFactory.CreateClient` is found by `CreateClient`, `create client`, `Create*` and
//! `client`; `HttpClientFactory` also by `httpclientfactory`, `HCF` and `hcfac`.
//!
//! A query in natural language (`where are carts saved`) first returns symbols whose names have all
//! of its words, then the best member of each type or function that shares words with it or has a
//! similar vector.
//!
//! FTS5 finds candidates in bounded steps, from the strictest reading of the query to the loosest,
//! best class first; this module ranks them. A query therefore costs at most a few hundred rows,
//! however common its words are.
//!
//! Limitations: beyond these bounds, class and id decide which rows are ranked. A query in FTS5's
//! own syntax runs unchanged, so the cost of a short prefix grows with the number of its matches.

mod candidates;
mod described;
mod hybrid;
mod language;
mod named;
mod nearest;
mod query;
mod rank;
mod source_words;
mod synonyms;
mod text;
mod top_level;
mod write;

#[cfg(test)]
mod tests;

pub use described::{
    DescribedAmong, DescribedSymbol, described, is_word_of_names, telling_roots, word_roots,
};
pub use hybrid::{MatchedBy, Score, SimilarSymbols};
pub use named::{names_beginning_with, names_ending_with, tests_with_beginnings, types_with_words};
pub use nearest::nearest_names;
pub use source_words::SourceWords;
pub(super) use text::row_of;
pub use text::{is_generated_path, is_test_path};
pub(super) use write::{delete, delete_all, insert, same_text, set_hash_size};

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Language, Node, NodeId, NodeType};
use crate::store::codec::stored_id;
use crate::store::nodes::select_nodes;
use crate::store::search::candidates::Candidates;
use crate::store::search::hybrid::combined;
use crate::store::search::language::WordMatches;
use crate::store::search::query::Query;
use crate::store::search::rank::{MatchKind, Ranked, Ranker};
use crate::store::search::source_words::by_source;
use crate::store::search::top_level::TopLevel;
use crate::store::{SYMBOLS_TOTAL, Snapshot, StoreError, metadata};

/// Number of members of one type or function that precede others that matched equally well.
const MEMBERS: usize = 4;

/// Factor of the score of tests and generated code.
const SECONDARY: f64 = 0.5;

/// Restricts a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Only symbols of this project.
    pub project: Option<String>,
    /// Only symbols of this type.
    pub node_type: Option<NodeType>,
    /// Only symbols of this language.
    pub language: Option<Language>,
}

/// A found symbol.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The symbol with its primary span.
    pub node: Node,
    /// Negated bm25 with bonuses for how the name matched: smaller is better.
    pub rank: f64,
    /// For a natural-language query, the score that decides the order.
    pub score: Option<Score>,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Results, best first.
    pub hits: Vec<Hit>,
    /// Whether the query was invalid FTS5 syntax and was searched as plain words.
    pub quoted: bool,
    /// Whether no symbol has all of the words, so the results have only some of them.
    pub some_words: bool,
}

/// Returns the symbols similar to a query, or `None` if similarity is not used.
pub type SimilarityFn<'a> = &'a dyn Fn(&str) -> Result<Option<SimilarSymbols>, StoreError>;

/// Returns where the words of a query are in source, or `None` if source is not searched.
pub type SourceFn<'a> = &'a dyn Fn(&str) -> Result<Option<SourceWords>, StoreError>;

/// What answers a query in natural language beside words in names and documentation.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Similar symbols.
    pub near: SimilarityFn<'a>,
    /// Words in source.
    pub source: SourceFn<'a>,
}

impl Default for Evidence<'_> {
    fn default() -> Self {
        Self {
            near: &|_| Ok(None),
            source: &|_| Ok(None),
        }
    }
}

/// Returns at most `limit` symbols that match a query, best first.
pub fn search(
    snapshot: &Snapshot,
    query: &str,
    filter: &SearchFilter,
    limit: usize,
    evidence: Evidence<'_>,
) -> Result<Hits, StoreError> {
    let mut parsed = Query::read(query);
    let mut candidates = Candidates::new(snapshot, filter, limit);
    let Some(Gathered { all, quoted }) = gather(&mut candidates, query, &mut parsed)? else {
        return Ok(Hits {
            quoted: true,
            ..Hits::default()
        });
    };

    let is_language = !all || (parsed.is_language() && (quoted || !parsed.is_expression));
    let total = metadata(snapshot, SYMBOLS_TOTAL)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);

    let ranker = Ranker::new(&parsed, &candidates.names_with(&parsed)?, total);
    let mut ranked: Vec<Ranked> = candidates
        .load(candidates.found())?
        .into_iter()
        .map(|candidate| ranker.rank(candidate))
        .collect();
    sort(&mut ranked, ranker.same_names());

    let mut hits: Vec<ScoredSymbol> = ranked
        .into_iter()
        .map(|ranked| ScoredSymbol {
            ranked,
            score: None,
        })
        .collect();

    if is_language {
        keep_full_matches(&mut hits);
        hits.extend(answers(
            snapshot,
            &candidates,
            &ranker,
            (query, total),
            evidence,
        )?);

        let mut seen = FxHashSet::default();
        hits.retain(|hit| seen.insert(hit.ranked.candidate.id));
    }

    let mut rows = FxHashSet::default();
    hits.retain(|hit| rows.insert(hit.ranked.candidate.row()));
    hits.truncate(limit);
    let has_all = all
        || hits
            .iter()
            .any(|hit| hit.ranked.match_kind >= MatchKind::All);

    Ok(Hits {
        some_words: !has_all && !hits.is_empty(),
        hits: full(snapshot, hits)?,
        quoted,
    })
}

/// How a query's candidates were found.
struct Gathered {
    /// Whether some candidates have all of the words.
    all: bool,
    /// Whether the query was searched as plain words.
    quoted: bool,
}

/// Gathers the candidates of a query; returns `None` if it has no words. `parsed` is replaced if
/// the query consists of FTS5 operators only.
fn gather(
    candidates: &mut Candidates<'_>,
    query: &str,
    parsed: &mut Query,
) -> Result<Option<Gathered>, StoreError> {
    if !parsed.is_expression {
        return Ok(Some(Gathered {
            all: candidates.of_words(parsed)?,
            quoted: !parsed.is_plain,
        }));
    }

    match candidates.of_expression(query.trim()) {
        Ok(()) => Ok(Some(Gathered {
            all: true,
            quoted: false,
        })),
        Err(StoreError::Query(_)) => {
            if parsed.words.is_empty() {
                // A query of operators only is searched as words. Punctuation occurs in no name.
                *parsed = Query::read(&query.to_lowercase());
            }
            if parsed.words.is_empty() {
                return Ok(None);
            }

            Ok(Some(Gathered {
                all: candidates.of_words(parsed)?,
                quoted: true,
            }))
        }
        Err(other) => Err(other),
    }
}

/// Keeps the symbols with all words in their names, which get the best score.
fn keep_full_matches(hits: &mut Vec<ScoredSymbol>) {
    let in_name = MatchedBy {
        name: true,
        ..MatchedBy::default()
    };

    hits.retain(|hit| hit.ranked.match_kind >= MatchKind::Starts);
    hits.iter_mut().for_each(|hit| {
        hit.score = Some(Score {
            score: 1.0,
            matched: in_name,
        })
    });
}

/// A found symbol before its node is loaded.
struct ScoredSymbol {
    ranked: Ranked,
    score: Option<Score>,
}

impl ScoredSymbol {
    /// Compares by score, best first.
    fn by_score(a: &Self, b: &Self) -> Ordering {
        let score = |one: &Self| one.score.map_or(0.0, |score| score.score);
        score(b)
            .total_cmp(&score(a))
            .then(a.ranked.candidate.id.cmp(&b.ranked.candidate.id))
    }
}

/// Returns the symbols that match a natural-language query, best first: one for each top-level
/// symbol, then further members of these. Tests come behind other code that matches as well.
fn answers(
    snapshot: &Snapshot,
    candidates: &Candidates<'_>,
    ranker: &Ranker<'_>,
    (sentence, total): (&str, u64),
    evidence: Evidence<'_>,
) -> Result<Vec<ScoredSymbol>, StoreError> {
    let mut top_level = TopLevel::new(snapshot.connection());
    let by_words = language::by_words(snapshot, candidates, &mut top_level, (sentence, total))?;

    let source = match (evidence.source)(sentence)? {
        Some(source) => by_source(&source, &mut top_level)?,
        None => WordMatches::default(),
    };
    let mut near = (evidence.near)(sentence)?;
    if let Some(near) = &mut near {
        let mut let_through = Vec::with_capacity(near.nearest.len());
        for (id, cosine) in near.nearest.drain(..) {
            if candidates.matches_filter(id)? {
                let_through.push((id, cosine));
            }
        }
        near.nearest = let_through;
    }

    let mut found = Vec::new();
    for answers in combined(&by_words, &source, near.as_ref(), &mut top_level)? {
        let ids: Vec<NodeId> = answers.iter().map(|answer| answer.member).collect();
        let scores: FxHashMap<NodeId, Score> = answers
            .iter()
            .map(|answer| (answer.member, answer.score))
            .collect();

        let mut symbols: Vec<ScoredSymbol> = candidates
            .load(&ids)?
            .into_iter()
            .map(|candidate| {
                let mut score = scores[&candidate.id];
                if candidate.is_secondary() {
                    score.score *= SECONDARY;
                }
                ScoredSymbol {
                    ranked: ranker.rank(candidate),
                    score: Some(score),
                }
            })
            .collect();
        symbols.sort_by(ScoredSymbol::by_score);
        found.extend(symbols);
    }
    Ok(found)
}

/// Sorts results best first. Only a few results with the same name precede others that matched
/// equally well, unless the query is exactly their name; likewise members of one type or function
/// whose names do not have all words.
fn sort(ranked: &mut [Ranked], same_names: usize) {
    let mut with_name: FxHashMap<String, usize> = FxHashMap::default();
    for one in &*ranked {
        *with_name.entry(one.candidate.name.clone()).or_default() += 1;
    }

    for one in ranked
        .iter_mut()
        .filter(|one| one.match_kind == MatchKind::Start)
    {
        one.promote(with_name[&one.candidate.name]);
    }
    ranked.sort_by(Ranked::order);

    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let mut members: FxHashMap<String, usize> = FxHashMap::default();
    for one in ranked
        .iter_mut()
        .filter(|one| one.match_kind < MatchKind::Exact)
    {
        let count = seen.entry(one.candidate.name.clone()).or_default();
        *count += 1;
        if *count > same_names {
            one.demote(*count);
            continue;
        }
        // A word that only the container has says nothing about the member.
        let is_by_container = one.match_kind <= MatchKind::All;
        let Some(container) = one.candidate.container().filter(|_| is_by_container) else {
            continue;
        };
        let count = members.entry(container.to_owned()).or_default();
        *count += 1;
        if *count > MEMBERS {
            one.demote(*count);
        }
    }

    ranked.sort_by(Ranked::order);
}

fn full(snapshot: &Snapshot, found: Vec<ScoredSymbol>) -> Result<Vec<Hit>, StoreError> {
    let mut hits = Vec::with_capacity(found.len());

    for ScoredSymbol { ranked, score } in found {
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
