//! Word ranking of natural-language queries: bm25 over top-level symbols, whose texts are the names,
//! signatures and documentation of all their members.
//!
//! A sentence describes a type or function in words that are spread over its members, so its members
//! count together. Words are compared by root, so `scheduling` finds `Scheduler`. A bounded number
//! of rows is gathered per word.
//!
//! Limitations: only word forms that occur in names are tried. For a word in thousands of symbols,
//! only the first of them count. The length of a top-level symbol is ignored.

use rusqlite::params;
use rustc_hash::FxHashMap;

use crate::embed::tokenizer::{camel_words, is_stop_word, root, runs, without_digits};
use crate::model::graph::NodeId;
use crate::store::search::candidates::Candidates;
use crate::store::search::query::{any_of, quoted};
use crate::store::search::top_level::TopLevel;
use crate::store::{Snapshot, StoreError};

/// Maximum number of words used from a query.
const MAX_TERMS: usize = 24;
/// Maximum number of words read to find those with the same root.
const MAX_WORDS_READ: usize = 400;
/// Maximum number of forms per word.
const MAX_FORMS: usize = 12;
/// Maximum number of rows per word.
const ROWS: usize = 600;
/// Further members with a word add less and less, as in bm25.
const K1: f64 = 1.2;

/// A word of the query.
struct Term {
    /// FTS5 expression for its forms.
    forms: String,
    /// Number of names that contain one of the forms.
    names: u64,
}

/// What shares words with a query.
#[derive(Debug, Default)]
pub(super) struct WordMatches {
    /// Top-level symbols with the share of the query that they cover, from 0 to about 2; best first.
    pub tops: Vec<(NodeId, f64)>,
    /// Symbols with the share of the query that they cover by themselves, from 0 to 1.
    pub members: FxHashMap<NodeId, f64>,
}

/// Returns the symbols that share words with a query among `total` symbols. Rare words cover more
/// of the query than common ones.
pub(super) fn by_words(
    snapshot: &Snapshot,
    candidates: &Candidates<'_>,
    top_level: &mut TopLevel<'_>,
    (sentence, total): (&str, u64),
) -> Result<WordMatches, StoreError> {
    let mut matches = WordMatches::default();
    let mut tops: FxHashMap<NodeId, f64> = FxHashMap::default();
    let mut whole = 0.0;

    for (root, word) in roots(sentence) {
        let term = term(snapshot, root, &word)?;
        let rows = candidates.rows(&term.forms, ROWS)?;
        let having = term.names.max(rows.len() as u64).min(total) as f64;
        let rarity = (1.0 + (total as f64 - having + 0.5) / (having + 0.5)).ln();
        whole += rarity;

        let mut counts: FxHashMap<NodeId, f64> = FxHashMap::default();
        for id in rows {
            *matches.members.entry(id).or_default() += rarity;
            *counts.entry(top_level.of(id)?).or_default() += 1.0;
        }
        for (top, count) in counts {
            *tops.entry(top).or_default() += rarity * count * (K1 + 1.0) / (count + K1);
        }
    }

    let share = 1.0 / f64::max(whole, f64::EPSILON);
    matches.members.values_mut().for_each(|own| *own *= share);
    matches.tops = tops
        .into_iter()
        .map(|(top, score)| (top, score * share))
        .collect();
    matches
        .tops
        .sort_unstable_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
    Ok(matches)
}

/// Returns the words of a query without stop words, with distinct roots.
fn roots(sentence: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in words(sentence) {
        let is_known = found.iter().any(|(known, _)| known == root(&word));
        if !is_known && !is_stop_word(&word) && found.len() < MAX_TERMS {
            found.push((root(&word).to_owned(), word));
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = String> {
    runs(text)
        .flat_map(camel_words)
        .flat_map(without_digits)
        .map(str::to_lowercase)
}

const FORMS: &str = "SELECT word, names FROM name_words WHERE word >= ?1 AND word < ?2 LIMIT ?3";

fn term(snapshot: &Snapshot, root_of_word: String, word: &str) -> Result<Term, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FORMS)?;
    let rows = statement.query_map(
        params![
            root_of_word,
            format!("{root_of_word}\u{10ffff}"),
            MAX_WORDS_READ as i64
        ],
        |row| {
            Ok((
                std::cmp::Reverse(row.get::<_, i64>(1)?),
                row.get::<_, String>(0)?,
            ))
        },
    )?;

    let mut found = rows.collect::<Result<Vec<_>, _>>()?;
    found.retain(|(_, form)| root(form) == root_of_word);
    found.sort_unstable();
    let names = found.iter().map(|(names, _)| names.0 as u64).sum();

    let mut forms = vec![quoted(word)];
    forms.extend(
        found
            .iter()
            .filter(|(_, form)| form != word)
            .take(MAX_FORMS)
            .map(|(_, form)| quoted(form)),
    );

    Ok(Term {
        forms: any_of(&forms),
        names,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_of_a_sentence_are_dropped() {
        let roots: Vec<String> =
            roots("Returns the carts of all customers that were returned by getCarts.")
                .into_iter()
                .map(|(root, _)| root)
                .collect();
        assert_eq!(roots, ["return", "cart", "custom", "get"]);
    }
}
