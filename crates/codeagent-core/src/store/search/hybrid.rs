//! Ranking of natural-language queries by words in names and in source, and by vector similarity.
//!
//! Symbols whose names contain all words come first, as for any query. The others are grouped by
//! top-level symbol, so that the members of one class do not fill the page, and ordered by a weighted
//! sum of scores: the share of the query's words, weighted by rarity, that the members have together in
//! names and documentation, the share that their source has, and the similarity of the most similar
//! member. A single rare word is a small share, so it does not outweigh similarity.
//!
//! Limitations: only the first hundred top-level symbols of each kind are considered.

use rustc_hash::FxHashMap;

use crate::model::graph::NodeId;
use crate::store::search::language::WordMatches;
use crate::store::search::top_level::TopLevel;
use crate::store::{StoreError, VectorSource};

/// Number of top-level symbols of each kind that are combined.
const COMBINED: usize = 100;

/// Factor of the scores of fields and properties, because the functions that use them say more.
const PROPERTY: f64 = 0.85;

/// Weight of words in source against those in names and documentation.
const SOURCE: f64 = 0.8;

/// Symbols similar to a query in natural language.
#[derive(Clone, Debug)]
pub struct SimilarSymbols {
    /// Ids and cosines, nearest first.
    pub nearest: Vec<(NodeId, f32)>,
    /// Origin of the vectors.
    pub source: VectorSource,
}

/// How much each kind of match counts; together 1. Measured on sentences that avoid the words of the
/// symbol that they describe.
struct Weights {
    words: f64,
    source: f64,
    near: f64,
}

impl Weights {
    fn of(source: &WordMatches, near: Option<&SimilarSymbols>) -> Self {
        let has_source = !source.tops.is_empty();
        let near = match (near.map(|near| near.source), has_source) {
            (None, _) => 0.0,
            (Some(VectorSource::Lexical), true) => 0.1,
            (Some(VectorSource::Lexical), false) => 0.15,
            (Some(VectorSource::Model), true) => 0.2,
            (Some(VectorSource::Model), false) => 0.4,
        };
        let of_source = if has_source { SOURCE } else { 0.0 };
        Self {
            words: (1.0 - near) * (1.0 - of_source),
            source: (1.0 - near) * of_source,
            near,
        }
    }
}

/// Why a symbol matches a query in natural language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchedBy {
    /// Whether all words are in its name.
    pub name: bool,
    /// Whether it shares words with the query.
    pub words: bool,
    /// Origin of its vector, if the vector is similar.
    pub near: Option<VectorSource>,
}

/// How well a symbol matches a query in natural language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// From 0 to 1.
    pub score: f64,
    /// Why the symbol is a result.
    pub matched: MatchedBy,
}

/// A top-level symbol that matches a query, shown by its best member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub member: NodeId,
    pub score: Score,
}

/// Everything that matches in one top-level symbol.
#[derive(Default)]
struct Group {
    score: f64,
    matched: MatchedBy,
    /// Members with what they match by themselves.
    members: FxHashMap<NodeId, f64>,
}

/// Combines the scores. Returns the best member of each top-level symbol, then the further members;
/// both best first.
pub(super) fn combined(
    words: &WordMatches,
    source: &WordMatches,
    near: Option<&SimilarSymbols>,
    top_level: &mut TopLevel<'_>,
) -> Result<[Vec<Answer>; 2], StoreError> {
    let weights = Weights::of(source, near);
    let mut groups: FxHashMap<NodeId, Group> = FxHashMap::default();

    // Source has so many words that a symbol covers only few of a query's well: the best counts whole.
    let best = source.tops.first().map_or(1.0, |(_, share)| *share);
    for (weight, whole, matches) in [(weights.words, 1.0, words), (weights.source, best, source)] {
        for (top, share) in matches.tops.iter().take(COMBINED) {
            let group = groups.entry(*top).or_default();
            group.score += weight * (share / whole.max(f64::EPSILON)).min(1.0);
            group.matched.words = true;
        }
    }

    if let Some(near) = near {
        add_similar(&mut groups, near, weights.near, top_level)?;
    }

    for (weight, matches) in [(weights.words, words), (weights.source, source)] {
        for (member, own) in &matches.members {
            if let Some(group) = groups.get_mut(&top_level.of(*member)?) {
                *group.members.entry(*member).or_default() += weight * own;
            }
        }
    }

    let [mut first, mut further] = [Vec::new(), Vec::new()];
    for group in groups.into_values() {
        let Some(best) = best_member(&group, top_level)? else {
            continue;
        };
        let answer = |member: &NodeId, worth: f64| Answer {
            member: *member,
            score: Score {
                score: group.score * worth,
                matched: group.matched,
            },
        };
        first.push(answer(&best.0, 1.0));
        let others = group.members.iter().filter(|(id, _)| **id != best.0);
        further.extend(others.map(|(id, own)| answer(id, own / best.1.max(f64::EPSILON))));
    }

    for answers in [&mut first, &mut further] {
        answers.sort_unstable_by(|a, b| {
            b.score
                .score
                .total_cmp(&a.score.score)
                .then(a.member.cmp(&b.member))
        });
        answers.truncate(2 * COMBINED);
    }
    Ok([first, further])
}

/// Adds each top-level symbol by its most similar member. The best becomes 1, the last of
/// [`COMBINED`] becomes 0, or stays above it if there are fewer.
fn add_similar(
    groups: &mut FxHashMap<NodeId, Group>,
    near: &SimilarSymbols,
    weight: f64,
    top_level: &mut TopLevel<'_>,
) -> Result<(), StoreError> {
    let mut nearest = Vec::with_capacity(near.nearest.len());
    for (id, cosine) in &near.nearest {
        let cosine = f64::from(*cosine);
        let is_property = top_level.is_inner_property(*id)?;
        nearest.push((
            *id,
            if is_property {
                PROPERTY * cosine
            } else {
                cosine
            },
        ));
    }
    nearest.sort_unstable_by(|(a, near), (b, far)| far.total_cmp(near).then(a.cmp(b)));
    let best = nearest.first().map_or(0.0, |(_, cosine)| *cosine);

    let mut seen: Vec<(NodeId, f64)> = Vec::new();
    for (id, cosine) in nearest {
        let top = top_level.of(id)?;
        let is_new = !seen.iter().any(|(known, _)| *known == top);
        if is_new && seen.len() == COMBINED {
            continue;
        }
        if is_new {
            seen.push((top, cosine));
        }
        let member = groups.entry(top).or_default().members.entry(id);
        *member.or_default() += weight * cosine / best.max(f64::EPSILON);
    }

    let last = seen.get(COMBINED - 1).map_or(0.0, |(_, cosine)| *cosine);
    for (top, cosine) in seen {
        let group = groups.entry(top).or_default();
        group.score += weight * (cosine - last) / (best - last).max(f64::EPSILON);
        group.matched.near = Some(near.source);
    }
    Ok(())
}

/// Returns the member that matches best by itself.
fn best_member(
    group: &Group,
    top_level: &mut TopLevel<'_>,
) -> Result<Option<(NodeId, f64)>, StoreError> {
    let mut best: Option<(NodeId, f64)> = None;
    for (id, own) in &group.members {
        let worth = match top_level.is_inner_property(*id)? {
            true => PROPERTY * own,
            false => *own,
        };
        if best.is_none_or(|(known, most)| worth > most || (worth == most && *id < known)) {
            best = Some((*id, worth));
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(source: VectorSource, nearest: &[(u64, f32)]) -> SimilarSymbols {
        SimilarSymbols {
            nearest: nearest
                .iter()
                .map(|(id, cosine)| (NodeId(*id), *cosine))
                .collect(),
            source,
        }
    }

    fn combined_of(words: &[(u64, f64)], near: Option<&SimilarSymbols>) -> Vec<(u64, Score)> {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE nodes (id, parent_id, node_type, qualified_name)")
            .unwrap();
        let words = WordMatches {
            tops: words
                .iter()
                .map(|(id, share)| (NodeId(*id), *share))
                .collect(),
            members: words
                .iter()
                .map(|(id, share)| (NodeId(*id), *share))
                .collect(),
        };

        let [first, further] = combined(
            &words,
            &WordMatches::default(),
            near,
            &mut TopLevel::new(&connection),
        )
        .unwrap();
        assert!(further.is_empty());
        first
            .into_iter()
            .map(|answer| (answer.member.0, answer.score))
            .collect()
    }

    #[test]
    fn scores_are_weighted_by_the_vector_source() {
        let words = [(1, 0.8), (2, 0.4)];
        let scores = |source| {
            let near = near(source, &[(2, 0.5), (3, 0.25)]);
            let mut found: Vec<(u64, f64)> = combined_of(&words, Some(&near))
                .into_iter()
                .map(|(id, score)| (id, (score.score * 100.0).round() / 100.0))
                .collect();
            found.sort_unstable_by_key(|(id, _)| *id);
            found
        };

        assert_eq!(
            scores(VectorSource::Lexical),
            [(1, 0.68), (2, 0.49), (3, 0.08)]
        );
        assert_eq!(
            scores(VectorSource::Model),
            [(1, 0.48), (2, 0.64), (3, 0.2)]
        );
        assert_eq!(combined_of(&words, None)[0].1.score, 0.8);
    }

    #[test]
    fn a_result_says_how_it_matched() {
        let near = near(VectorSource::Lexical, &[(1, 0.5), (3, 0.25)]);
        let found = combined_of(&[(1, 0.8)], Some(&near));
        assert_eq!(
            found[0].1.matched,
            MatchedBy {
                name: false,
                words: true,
                near: Some(VectorSource::Lexical)
            }
        );
        assert!(!found[1].1.matched.words);
    }
}
