//! Word ranking of natural-language queries: bm25 over name, container, signature, documentation
//! and path.
//!
//! Words are compared by stem, so `subscribes` finds `subscribe`. A bounded number of rows is
//! gathered per word, rarest word first. The best rows are then ranked by their texts.
//!
//! Limitations: only word forms that occur in names are tried. For a word in thousands of symbols,
//! only the first of them are gathered.

use rusqlite::params;
use rustc_hash::FxHashMap;

use crate::embed::tokenizer::{camel_words, is_stop_word, runs, stem, without_digits};
use crate::model::graph::{NodeId, NodeType};
use crate::store::search::candidates::Candidates;
use crate::store::search::query::{any_of, quoted};
use crate::store::search::rank::SearchCandidate;
use crate::store::{Snapshot, StoreError};

/// Maximum number of words used from a query.
const MAX_TERMS: usize = 24;
/// Maximum number of words read to find those with the same stem.
const MAX_WORDS_READ: usize = 400;
/// Maximum number of forms per word.
const MAX_FORMS: usize = 12;
/// Maximum number of rows per word.
const ROWS: usize = 1500;
/// Maximum number of rows per word found by name.
const NAMED_ROWS: usize = 500;
/// Weight of a row found by name while rows are gathered.
const IN_NAME: f64 = 3.0;
/// Number of symbols ranked by their texts.
const RANKED: usize = 300;
/// Weights of a word in name, container, signature, documentation and path.
const WEIGHTS: [f64; 5] = [5.0, 5.0, 2.0, 2.0, 2.0];
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A word of the query.
struct Term {
    stem: String,
    /// FTS5 expression for its forms.
    forms: String,
    /// Number of names that contain one of the forms.
    names: u64,
}

/// Returns at most `limit` symbols that share words with a query and their bm25, best first; larger
/// is better.
pub(super) fn by_words(
    snapshot: &Snapshot,
    candidates: &Candidates<'_>,
    (sentence, total): (&str, u64),
    limit: usize,
) -> Result<Vec<(NodeId, f64)>, StoreError> {
    let mut terms = stems(sentence)
        .into_iter()
        .map(|(stem, word)| term(snapshot, stem, &word))
        .collect::<Result<Vec<_>, _>>()?;

    terms.sort_by_key(|term| term.names);
    let mut gathered: FxHashMap<NodeId, f64> = FxHashMap::default();
    let mut weighed = Vec::new();

    for term in terms {
        let anywhere = candidates.rows(&term.forms, ROWS)?;
        let having = term.names.max(anywhere.len() as u64).min(total) as f64;
        let rarity = (1.0 + (total as f64 - having + 0.5) / (having + 0.5)).ln();
        for id in anywhere {
            *gathered.entry(id).or_default() += rarity;
        }

        if term.names > 0 {
            for id in candidates.rows(&format!("name : {}", term.forms), NAMED_ROWS)? {
                *gathered.entry(id).or_default() += IN_NAME * rarity;
            }
        }
        weighed.push((term.stem, rarity));
    }

    let mut gathered: Vec<(NodeId, f64)> = gathered.into_iter().collect();
    gathered.sort_unstable_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
    gathered.truncate(RANKED);

    let ids: Vec<NodeId> = gathered.into_iter().map(|(id, _)| id).collect();
    let texts: Vec<(NodeId, TermStats)> = candidates
        .load(&ids)?
        .iter()
        .map(|candidate| (candidate.id, TermStats::of(candidate)))
        .collect();

    let average_length =
        texts.iter().map(|(_, text)| text.length).sum::<f64>() / texts.len().max(1) as f64;

    let mut scored: Vec<(NodeId, f64)> = texts
        .iter()
        .map(|(id, text)| (*id, text.bm25(&weighed, average_length)))
        .collect();
    scored.sort_unstable_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
    scored.truncate(limit);

    Ok(scored)
}

/// Returns the words of a query without stop words, with distinct stems.
fn stems(sentence: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in words(sentence) {
        let is_known = found.iter().any(|(known, _)| known == stem(&word));
        if !is_known && !is_stop_word(&word) && found.len() < MAX_TERMS {
            found.push((stem(&word).to_owned(), word));
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

fn term(snapshot: &Snapshot, stem_of_word: String, word: &str) -> Result<Term, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FORMS)?;
    let rows = statement.query_map(
        params![
            stem_of_word,
            format!("{stem_of_word}\u{10ffff}"),
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
    found.retain(|(_, form)| stem(form) == stem_of_word);
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
        stem: stem_of_word,
        forms: any_of(&forms),
        names,
    })
}

/// Weighted frequency of each stem in a symbol's texts.
struct TermStats {
    with: FxHashMap<String, f64>,
    length: f64,
}

impl TermStats {
    fn of(candidate: &SearchCandidate) -> Self {
        let (path, qualified_name) = match candidate.qualified_name.split_once('#') {
            Some((path, name)) => (path, name),
            None if candidate.node_type == NodeType::File => {
                (candidate.qualified_name.as_str(), "")
            }
            None => ("", candidate.qualified_name.as_str()),
        };

        let container = qualified_name
            .strip_suffix(candidate.name.as_str())
            .unwrap_or(qualified_name);

        let mut counted = Self {
            with: FxHashMap::default(),
            length: 0.0,
        };

        let texts = [
            &candidate.name,
            container,
            &candidate.signature,
            &candidate.doc,
            path,
        ];

        for (text, weight) in texts.into_iter().zip(WEIGHTS) {
            for word in words(text) {
                *counted.with.entry(stem(&word).to_owned()).or_default() += weight;
                counted.length += 1.0;
            }
        }

        counted
    }

    fn bm25(&self, terms: &[(String, f64)], average_length: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * self.length / average_length);
        terms
            .iter()
            .filter_map(|(stem, rarity)| {
                self.with
                    .get(stem)
                    .map(|weight| rarity * weight * (K1 + 1.0) / (weight + norm))
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_of_a_sentence_are_dropped() {
        let stems: Vec<String> =
            stems("Returns the carts of all customers that were returned by getCarts.")
                .into_iter()
                .map(|(stem, _)| stem)
                .collect();
        assert_eq!(stems, ["return", "cart", "customer", "get"]);
    }
}
