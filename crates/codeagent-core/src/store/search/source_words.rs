//! Ranking of natural-language queries by the words in the source of symbols: bm25 over symbols of all levels.
//!
//! Names and documentation say what a symbol is, its source with what it does that: strings, comments and
//! the names of what it uses. A symbol has the words of what is inside it, too. One function that has many of the
//! words says more than a class in which they are far apart, so a top-level symbol counts as its best symbol does.

use rustc_hash::FxHashMap;

use crate::model::graph::NodeId;
use crate::store::StoreError;
use crate::store::search::described::word_roots;
use crate::store::search::language::{WordMatches, rarity, sort};
use crate::store::search::top_level::TopLevel;

/// How much further occurrences of a word in a symbol count; larger is more.
const K1: f64 = 1.2;

/// How much the score of a symbol falls with its length.
const B: f64 = 0.75;

/// Number of lines of a long symbol, and of the shortest that counts as such: a field of one line has few words, and
/// each of them by chance.
const LONG: f64 = 80.0;
const SHORTEST: u32 = 6;

/// How often a word of the qualified name counts, which tells the file or namespace and the container.
const IN_NAME: u32 = 3;

/// Number of symbols, best first, for which these words are compared.
const NAMED: usize = 500;

/// Where the words of a query are in source.
#[derive(Clone, Debug, Default)]
pub struct SourceWords {
    /// The roots of the words.
    pub roots: Vec<String>,
    /// Number of lines searched.
    pub lines: u64,
    /// The number of times that each word is there.
    pub having: Vec<u64>,
    /// Symbols with the words that are in them and not in a member: index and number.
    pub symbols: Vec<(NodeId, FxHashMap<usize, u32>)>,
    /// The number of lines of these symbols and of those around them.
    pub lengths: FxHashMap<NodeId, u32>,
}

impl SourceWords {
    /// Returns how much a word says.
    #[must_use]
    pub fn rarity(&self, word: usize) -> f64 {
        rarity(self.lines, self.having[word].min(self.lines))
    }
}

/// Returns the symbols whose source has words of a query, with the share of the query that they cover,
/// from 0 to 1.
pub(super) fn by_source(
    source: &SourceWords,
    top_level: &mut TopLevel<'_>,
) -> Result<WordMatches, StoreError> {
    let words = 0..source.roots.len();
    let rarity: Vec<f64> = words.map(|word| source.rarity(word)).collect();
    let share = 1.0 / rarity.iter().sum::<f64>().max(f64::EPSILON);
    let score = |id: &NodeId, counts: &[u32]| {
        let lines = source.lengths.get(id).copied().unwrap_or_default();
        let lines = f64::from(lines.max(SHORTEST));
        let saturation = K1 * (1.0 - B + B * lines / LONG);
        let words = rarity.iter().zip(counts);
        let scores = words.map(|(rarity, count)| {
            let count = f64::from(*count);
            rarity * count / (count + saturation)
        });
        scores.sum::<f64>() * share
    };

    let mut found: Vec<(NodeId, f64, Vec<u32>)> = Vec::new();
    for (id, counts) in within(source, top_level)? {
        found.push((id, score(&id, &counts), counts));
    }
    found.sort_unstable_by(|(a, one, _), (b, other, _)| other.total_cmp(one).then(a.cmp(b)));

    let mut matches = WordMatches::default();
    let mut tops: FxHashMap<NodeId, f64> = FxHashMap::default();
    for (at, (id, in_source, counts)) in found.iter_mut().enumerate() {
        if at < NAMED {
            let named = word_roots(top_level.qualified_name(*id)?);
            let words = source.roots.iter().zip(counts.iter_mut());
            words
                .filter(|(root, _)| named.contains(*root))
                .for_each(|(_, count)| *count += IN_NAME);
            *in_source = score(id, counts);
        }
        matches.members.insert(*id, *in_source);
        let top = tops.entry(top_level.of(*id)?).or_default();
        *top = top.max(*in_source);
    }
    matches.tops.extend(tops);
    sort(&mut matches.tops);
    Ok(matches)
}

/// Counts the words of symbols and of those inside them.
fn within(
    source: &SourceWords,
    top_level: &mut TopLevel<'_>,
) -> Result<FxHashMap<NodeId, Vec<u32>>, StoreError> {
    let mut within: FxHashMap<NodeId, Vec<u32>> = FxHashMap::default();
    for (id, words) in &source.symbols {
        for around in top_level.path(*id)? {
            let counts = within
                .entry(around)
                .or_insert_with(|| vec![0; source.roots.len()]);
            for (word, count) in words {
                counts[*word] += count;
            }
        }
    }
    Ok(within)
}
