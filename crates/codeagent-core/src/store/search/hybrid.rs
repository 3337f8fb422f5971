//! In which order do symbols answer a sentence, of which some share words with it and some are near
//! to it?
//!
//! First those whose names have all of its words, as for any query. Then by a weighted sum of two
//! scores, of the words and of the nearness, each drawn out so that the best has 1 and the last of
//! the first hundred 0.
//!
//! **Limits.** What is beyond the first hundred of both is not found.

use rustc_hash::FxHashMap;

use crate::model::graph::NodeId;
use crate::store::VectorSource;

/// So many of each kind are mixed.
pub(super) const MIXED: usize = 100;

/// Symbols near to a question.
#[derive(Clone, Debug)]
pub struct Near {
    /// With their cosines, nearest first.
    pub nearest: Vec<(NodeId, f32)>,
    /// What made the vectors.
    pub source: VectorSource,
}

impl Near {
    /// What nearness counts against words: measured on doc comments, `cargo xtask ranking`.
    fn weight(&self) -> f64 {
        match self.source {
            VectorSource::Lexical => 0.4,
            VectorSource::Model => 0.5,
        }
    }
}

/// Why a symbol is among the answers to a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// All words are in its name.
    pub name: bool,
    /// It shares words.
    pub words: bool,
    /// Its vector is near.
    pub near: Option<VectorSource>,
}

/// How well a symbol answers a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// From 0 to 1.
    pub score: f64,
    /// Why.
    pub matched: Matched,
}

/// The weighted sums of both, in no order.
pub(super) fn mixed(by_words: &[(NodeId, f64)], near: Option<&Near>) -> FxHashMap<NodeId, Score> {
    let weight = near.map_or(0.0, Near::weight);
    let mut scores: FxHashMap<NodeId, Score> = FxHashMap::default();
    let mut add = |id: NodeId, worth: f64, noted: &dyn Fn(&mut Matched)| {
        let entry = scores.entry(id).or_insert(Score {
            score: 0.0,
            matched: Matched::default(),
        });
        entry.score += worth;
        noted(&mut entry.matched);
    };
    let by_words: Vec<(NodeId, f64)> = by_words.iter().copied().take(MIXED).collect();
    drawn_out(&by_words, |id, worth| {
        add(id, (1.0 - weight) * worth, &|matched| matched.words = true)
    });
    if let Some(near) = near {
        let nearest: Vec<(NodeId, f64)> = near
            .nearest
            .iter()
            .take(MIXED)
            .map(|(id, cosine)| (*id, f64::from(*cosine)))
            .collect();
        drawn_out(&nearest, |id, worth| {
            add(id, weight * worth, &|matched| {
                matched.near = Some(near.source)
            })
        });
    }
    scores
}

/// Scores, best first, as shares of the way from the last of a full hundred, or from nothing, to
/// the best.
fn drawn_out(scored: &[(NodeId, f64)], mut take: impl FnMut(NodeId, f64)) {
    let best = scored.first().map_or(0.0, |(_, score)| *score);
    let last = scored.get(MIXED - 1).map_or(0.0, |(_, score)| *score);
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

    fn near(source: VectorSource, nearest: &[(u64, f32)]) -> Near {
        Near {
            nearest: nearest
                .iter()
                .map(|(id, cosine)| (NodeId(*id), *cosine))
                .collect(),
            source,
        }
    }

    #[test]
    fn sums_are_weighed_by_what_made_the_vectors() {
        let words = [(NodeId(1), 8.0), (NodeId(2), 4.0)];
        let score = |source, id| {
            mixed(&words, Some(&near(source, &[(2, 0.5), (3, 0.25)])))[&NodeId(id)].score
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
        assert_eq!(rounded(mixed(&words, None)[&NodeId(1)].score), 1.0);
    }

    #[test]
    fn an_answer_says_why_it_is_one() {
        let mixed = mixed(
            &[(NodeId(1), 8.0)],
            Some(&near(VectorSource::Lexical, &[(1, 0.5), (3, 0.25)])),
        );
        assert_eq!(
            mixed[&NodeId(1)].matched,
            Matched {
                name: false,
                words: true,
                near: Some(VectorSource::Lexical)
            }
        );
        assert!(!mixed[&NodeId(3)].matched.words);
    }

    #[test]
    fn the_hundredth_counts_nothing() {
        let words: Vec<(NodeId, f64)> =
            (0..150).map(|id| (NodeId(id), 200.0 - id as f64)).collect();
        let mixed = mixed(&words, None);
        assert_eq!(mixed.len(), MIXED);
        assert_eq!(mixed[&NodeId(99)].score, 0.0);
    }
}
