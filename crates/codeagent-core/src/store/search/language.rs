//! Word ranking of natural-language queries: bm25 over top-level symbols, whose texts are the names,
//! signatures and documentation of all their members.
//!
//! A sentence describes a type or function in words that are spread over its members, so its members
//! count together. Words are compared by root, so `scheduling` finds `Scheduler`; a word that means
//! the same counts less. A bounded number of rows is gathered per word.
//!
//! Limitations: only word forms that occur in names are tried. For a word in thousands of symbols,
//! only the first of them count.

use rusqlite::params;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::tokenizer::{root, roots};
use crate::model::graph::NodeId;
use crate::store::search::candidates::Candidates;
use crate::store::search::query::{any_of, quoted};
use crate::store::search::synonyms::synonyms;
use crate::store::search::top_level::TopLevel;
use crate::store::{Snapshot, StoreError};

/// Maximum number of words read to find those with the same root.
const MAX_WORDS_READ: usize = 400;
/// Maximum number of forms per word.
const MAX_FORMS: usize = 12;
/// Maximum number of rows per word.
const ROWS: usize = 300;
/// Further members with a word add less and less, as in bm25.
pub(super) const K1: f64 = 1.2;
/// Worth of a field or property with a word. Types with many fields have most words by chance.
const PROPERTY: f64 = 0.6;
/// Worth of a word that means the same.
const SYNONYM: f64 = 0.3;
/// How much the score of a type falls with the logarithm of the number of its members.
const LENGTH: f64 = 0.25;
/// Number of top-level symbols whose members are counted.
const COUNTED: usize = 200;

/// A word of the query.
struct Term {
    /// FTS5 expression for its forms.
    forms: String,
    /// FTS5 expression for words that mean the same, if there are any.
    synonyms: Option<String>,
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

    for term in terms(snapshot, sentence)? {
        let found = term.matches(candidates)?;
        let having = term.names.max(found.exact as u64).min(total);
        let rarity = rarity(total, having);
        whole += rarity;

        let mut counts: FxHashMap<NodeId, f64> = FxHashMap::default();
        for (id, worth) in found.symbols {
            *matches.members.entry(id).or_default() += rarity * worth;
            let of_type = if top_level.is_inner_property(id)? {
                PROPERTY
            } else {
                1.0
            };
            *counts.entry(top_level.of(id)?).or_default() += of_type * worth;
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

    sort(&mut matches.tops);
    matches.tops.truncate(COUNTED);
    for (top, score) in &mut matches.tops {
        let members = top_level.member_count(*top)? as f64;
        *score /= 1.0 + LENGTH * members.ln_1p();
    }
    sort(&mut matches.tops);
    Ok(matches)
}

/// Returns how much a word says that `having` of `total` texts have, as in bm25.
pub(super) fn rarity(total: u64, having: u64) -> f64 {
    let (total, having) = (total as f64, having as f64);
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
}

/// Sorts scores, best first.
pub(super) fn sort(tops: &mut [(NodeId, f64)]) {
    tops.sort_unstable_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
}

/// The symbols that have a word or one that means the same.
struct TermMatches {
    /// Symbols, each with how much its match is worth, from 0 to 1.
    symbols: Vec<(NodeId, f64)>,
    /// Number of symbols that have the word itself.
    exact: usize,
}

impl Term {
    fn matches(&self, candidates: &Candidates<'_>) -> Result<TermMatches, StoreError> {
        let exact = candidates.rows(&described(&self.forms), ROWS)?;
        let mut symbols: Vec<(NodeId, f64)> = exact.iter().map(|id| (*id, 1.0)).collect();

        if let Some(synonyms) = &self.synonyms {
            let seen: FxHashSet<NodeId> = exact.iter().copied().collect();
            let others = candidates.rows(&described(synonyms), ROWS)?;
            let others = others.into_iter().filter(|id| !seen.contains(id));
            symbols.extend(others.map(|id| (id, SYNONYM)));
        }
        Ok(TermMatches {
            symbols,
            exact: exact.len(),
        })
    }
}

/// Returns an expression for symbols that are described by words. The words of a container are left
/// out: they say the same of each member, and the container has them itself.
fn described(words: &str) -> String {
    format!("{{name signature doc}} : {words}")
}

const FORMS: &str = "SELECT word, names FROM name_words WHERE word >= ?1 AND word < ?2 LIMIT ?3";

/// Returns the words of a query with their forms and synonyms. A word of the query is no synonym of
/// another one.
fn terms(snapshot: &Snapshot, sentence: &str) -> Result<Vec<Term>, StoreError> {
    let roots = roots(sentence);
    let mut terms = Vec::with_capacity(roots.len());

    for (root_of_word, word) in &roots {
        let (mut own, names) = forms(snapshot, root_of_word)?;
        own.retain(|form| form != word);
        own.insert(0, word.clone());

        let mut others = Vec::new();
        for synonym in synonyms(root_of_word) {
            let synonym = root(synonym);
            if !roots.iter().any(|(known, _)| known == synonym) {
                others.extend(forms(snapshot, synonym)?.0);
            }
        }

        terms.push(Term {
            forms: any_word(&own),
            synonyms: (!others.is_empty()).then(|| any_word(&others)),
            names,
        });
    }
    Ok(terms)
}

fn any_word(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    any_of(&quoted)
}

/// Returns the words of names that have a root, most common first, and the number of names that
/// have one of them.
pub(super) fn forms(
    snapshot: &Snapshot,
    root_of_word: &str,
) -> Result<(Vec<String>, u64), StoreError> {
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

    let forms = found.into_iter().take(MAX_FORMS).map(|(_, form)| form);
    Ok((forms.collect(), names))
}
