//! Ranking of natural-language queries by shared words and vector similarity.
//!
//! Symbols whose names contain all words come first, as for any query. The others are ordered by a
//! weighted sum of the two scores, each normalized so that the best result has 1 and the hundredth
//! 0.
//!
//! Limitations: only the first hundred results of each kind are considered.

use rustc_hash::FxHashMap;

use crate::model::graph::NodeId;
use crate::store::VectorSource;

/// Number of results of each kind that are combined.
pub(super) const COMBINED: usize = 100;

/// Symbols similar to a query in natural language.
#[derive(Clone, Debug)]
pub struct SimilarSymbols {
    /// Ids and cosines, nearest first.
    pub nearest: Vec<(NodeId, f32)>,
    /// Origin of the vectors.
    pub source: VectorSource,
}

impl SimilarSymbols {
    /// Returns the weight of similarity against words, measured on doc comments with
    /// `cargo xtask ranking`.
    fn weight(&self) -> f64 {
        match self.source {
            VectorSource::Lexical => 0.4,
            VectorSource::Model => 0.5,
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

/// Combines both scores, in no particular order.
pub(super) fn combined_scores(
    by_words: &[(NodeId, f64)],
    near: Option<&SimilarSymbols>,
) -> FxHashMap<NodeId, Score> {
    let weight = near.map_or(0.0, SimilarSymbols::weight);
    let mut scores: FxHashMap<NodeId, Score> = FxHashMap::default();
    let mut add = |id: NodeId, worth: f64, noted: &dyn Fn(&mut MatchedBy)| {
        let entry = scores.entry(id).or_insert(Score {
            score: 0.0,
            matched: MatchedBy::default(),
        });
        entry.score += worth;
        noted(&mut entry.matched);
    };

    let by_words: Vec<(NodeId, f64)> = by_words.iter().copied().take(COMBINED).collect();
    normalize(&by_words, |id, worth| {
        add(id, (1.0 - weight) * worth, &|matched| matched.words = true)
    });

    if let Some(near) = near {
        let nearest: Vec<(NodeId, f64)> = near
            .nearest
            .iter()
            .take(COMBINED)
            .map(|(id, cosine)| (*id, f64::from(*cosine)))
            .collect();
        normalize(&nearest, |id, worth| {
            add(id, weight * worth, &|matched| {
                matched.near = Some(near.source)
            })
        });
    }

    scores
}

/// Normalizes scores that are sorted best first: the best becomes 1. Zero is at the hundredth
/// score, or stays at 0 if there are fewer.
fn normalize(scored: &[(NodeId, f64)], mut take: impl FnMut(NodeId, f64)) {
    let best = scored.first().map_or(0.0, |(_, score)| *score);
    let last = scored.get(COMBINED - 1).map_or(0.0, |(_, score)| *score);
    for (id, score) in scored {
        take(
            *id,
            ((score - last) / (best - last).max(f64::EPSILON)).clamp(0.0, 1.0),
        );
    }
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

    #[test]
    fn scores_are_weighted_by_the_vector_source() {
        let words = [(NodeId(1), 8.0), (NodeId(2), 4.0)];
        let score = |source, id| {
            combined_scores(&words, Some(&near(source, &[(2, 0.5), (3, 0.25)])))[&NodeId(id)].score
        };
        let rounded = |score: f64| (score * 100.0).round() / 100.0;

        assert_eq!(
            [1, 2, 3].map(|id| rounded(score(VectorSource::Lexical, id))),
            [0.6, 0.7, 0.2]
        );
        assert_eq!(
            [1, 2, 3].map(|id| rounded(score(VectorSource::Model, id))),
            [0.5, 0.75, 0.25]
        );
        assert_eq!(
            rounded(combined_scores(&words, None)[&NodeId(1)].score),
            1.0
        );
    }

    #[test]
    fn a_result_says_how_it_matched() {
        let combined_scores = combined_scores(
            &[(NodeId(1), 8.0)],
            Some(&near(VectorSource::Lexical, &[(1, 0.5), (3, 0.25)])),
        );
        assert_eq!(
            combined_scores[&NodeId(1)].matched,
            MatchedBy {
                name: false,
                words: true,
                near: Some(VectorSource::Lexical)
            }
        );
        assert!(!combined_scores[&NodeId(3)].matched.words);
    }

    #[test]
    fn the_hundredth_word_match_scores_zero() {
        let words: Vec<(NodeId, f64)> =
            (0..150).map(|id| (NodeId(id), 200.0 - id as f64)).collect();
        let combined_scores = combined_scores(&words, None);
        assert_eq!(combined_scores.len(), COMBINED);
        assert_eq!(combined_scores[&NodeId(99)].score, 0.0);
    }
}
