//! Ranking of natural-language queries by the words in the source of symbols: bm25 over top-level symbols.
//!
//! Names and documentation say what a symbol is, its source with what it does that: strings, comments and
//! the names of what it uses.

use rustc_hash::FxHashMap;

use crate::model::graph::NodeId;
use crate::store::StoreError;
use crate::store::search::language::{K1, WordMatches, rarity, sort};
use crate::store::search::top_level::TopLevel;

/// How much the score of a symbol falls with its length.
const B: f64 = 0.75;

/// Where the words of a query are in source.
#[derive(Clone, Debug, Default)]
pub struct SourceWords {
    /// Number of files searched.
    pub files: usize,
    /// The number of files that have each word.
    pub having: Vec<usize>,
    /// Symbols with the words that are in them and not in a member: index and number.
    pub symbols: Vec<(NodeId, FxHashMap<usize, u32>)>,
    /// The number of lines of these symbols and of those around them.
    pub lines: FxHashMap<NodeId, u32>,
}

impl SourceWords {
    /// Returns how much a word says.
    #[must_use]
    pub fn rarity(&self, word: usize) -> f64 {
        rarity(self.files as u64, self.having[word] as u64)
    }
}

/// Returns the symbols whose source has words of a query, with the share of the query that they cover,
/// from 0 to 1.
pub(super) fn by_source(
    source: &SourceWords,
    top_level: &mut TopLevel<'_>,
) -> Result<WordMatches, StoreError> {
    let mut matches = WordMatches::default();
    let words = 0..source.having.len();
    let rarity: Vec<f64> = words.map(|word| source.rarity(word)).collect();
    let share = 1.0 / rarity.iter().sum::<f64>().max(f64::EPSILON);

    let mut tops: FxHashMap<NodeId, FxHashMap<usize, u32>> = FxHashMap::default();
    for (id, words) in &source.symbols {
        let own = words.keys().map(|word| rarity[*word]).sum::<f64>();
        matches.members.insert(*id, own * share);
        let of_top = tops.entry(top_level.of(*id)?).or_default();
        for (word, count) in words {
            *of_top.entry(*word).or_default() += count;
        }
    }

    let length = |top: &NodeId| f64::from(source.lines.get(top).copied().unwrap_or(1));
    let mean = tops.keys().map(length).sum::<f64>() / (tops.len() as f64).max(1.0);
    for (top, words) in &tops {
        let saturation = K1 * (1.0 - B + B * length(top) / mean);
        let score = words.iter().map(|(word, count)| {
            let count = f64::from(*count);
            rarity[*word] * count / (count + saturation)
        });
        matches.tops.push((*top, score.sum::<f64>() * share));
    }
    sort(&mut matches.tops);
    Ok(matches)
}
