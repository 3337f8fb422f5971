//! How well does a symbol fit what was typed? bm25 over the words found, and bonuses by how its
//! name was met.
//!
//! The order of the bonuses: the name itself, its words in order, its beginning, its words or their
//! beginnings in any order, its initials, then containers, signatures and documentation. Within
//! equal ones shorter names, types, sources and what is public come first.
//!
//! **Limits.** bm25 is reckoned here over the candidates: words are counted once per column, and
//! the length of a row is that of its name.

use std::cmp::Ordering;

use crate::embed::words::{humps, runs};
use crate::model::graph::{Access, NodeFlags, NodeId, NodeType};
use crate::store::search::query::Query;
use crate::store::search::text::{SymbolName, is_public, is_secondary_place};

/// How the name of a symbol was met, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Met {
    /// Some words were found, none of them in the name.
    Elsewhere,
    /// Some words are in the name.
    Some,
    /// All words are somewhere, not all in the name.
    All,
    /// Each word begins a word of the name.
    Starts,
    /// The query is the initials of the name, or those and the rest of its last word.
    Initials,
    /// Each word is a word of the name.
    Words,
    /// The name has a part that begins so.
    PartStart,
    /// The name has the words in order.
    Part,
    /// The query is the initials of the name, in capitals.
    Capitals,
    /// The name begins so.
    Start,
    /// The name is made of just these words.
    Joined,
    /// The name, but for upper and lower case.
    SameName,
    /// The name.
    Exact,
    /// The name, and the names of what contains it.
    Qualified,
}

/// What one step of [`Met`] is worth: more than all below together.
const STEP: f64 = 50.0;
/// What bm25 is worth at most.
const MAX_BM25: f64 = 20.0;
/// What a name is worth that is the query and no more.
const COVERED: f64 = 14.0;
/// What it is worth that a name begins as typed, upper and lower case too.
const SAME_CASE: f64 = 10.0;
/// What it is worth if whole words were typed without capitals, as one does who types fast.
const SAME_LOWER_CASE: f64 = 4.0;
/// What it is worth that twice as many symbols bear a name.
const COMMON: f64 = 2.0;
/// A source is worth more than a test.
const IN_SOURCES: f64 = 4.0;
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Letters of a middling name.
const MIDDLING: f64 = 14.0;
/// Symbols of one name that come before other names met in the same way; of a name that only begins
/// as asked, one.
const SAME_NAMES: usize = 2;

/// What ranking looks at.
#[derive(Debug)]
pub(super) struct SearchCandidate {
    pub id: NodeId,
    pub project_id: String,
    pub name: String,
    pub qualified_name: String,
    pub node_type: NodeType,
    pub access: Option<Access>,
    pub flags: NodeFlags,
    pub signature: String,
    pub doc: String,
}

/// A symbol and how well it fits.
#[derive(Debug)]
pub(super) struct Ranked {
    /// Smaller is better.
    pub rank: f64,
    pub met: Met,
    pub candidate: SearchCandidate,
}

impl Ranked {
    /// Better ones first; equal ones in an order that does not depend on how they were found.
    pub fn order(&self, other: &Self) -> Ordering {
        let name = |one: &'_ Self| (one.candidate.qualified_name.len(), one.candidate.id);
        let order = self
            .rank
            .total_cmp(&other.rank)
            .then_with(|| name(self).0.cmp(&name(other).0));
        order
            .then_with(|| {
                self.candidate
                    .qualified_name
                    .cmp(&other.candidate.qualified_name)
            })
            .then_with(|| name(self).1.cmp(&name(other).1))
    }

    /// Puts it before names that fewer symbols bear: of what begins as asked, the common name is
    /// likelier meant.
    pub fn promote(&mut self, bearers: usize) {
        self.rank -= COMMON * (bearers as f64).log2();
    }

    /// Puts it behind all that were met in the same way, as the `count`th of its name.
    pub fn demote(&mut self, count: usize) {
        self.rank = -(worth(self.met) + 1.0 / count as f64);
    }
}

/// A file is named without its extension.
fn stem(candidate: &SearchCandidate) -> &str {
    match candidate.node_type {
        NodeType::File => candidate
            .name
            .rsplit_once('.')
            .map_or(&candidate.name, |(stem, _)| stem),
        _ => &candidate.name,
    }
}

/// What was typed, made ready for comparing.
pub(super) struct Ranker<'q> {
    query: &'q Query,
    joined: String,
    /// Nothing in capitals was typed.
    is_lower: bool,
    /// Nothing but capitals was typed.
    is_upper: bool,
    /// Words, whether each is a beginning, and how rare each is.
    terms: Vec<(&'q str, bool, f64)>,
}

impl<'q> Ranker<'q> {
    /// `names_with` tells how many names have a word, of `total`.
    pub fn new(query: &'q Query, names_with: &[u64], total: u64) -> Self {
        let rarity = |count: u64| {
            (1.0 + (total.max(count) - count) as f64 / (count as f64 + 0.5))
                .ln()
                .max(0.5)
        };
        let counts = names_with.iter().copied().chain(std::iter::repeat(0));
        let terms = query
            .terms()
            .zip(counts)
            .map(|((term, star), count)| (term, star, rarity(count)))
            .collect();
        let is_lower = !query.text.contains(char::is_uppercase);
        let is_upper = query.text.chars().all(char::is_uppercase);
        Self {
            query,
            joined: query.joined(),
            is_lower,
            is_upper,
            terms,
        }
    }

    /// How many symbols of one name come before other names that were met in the same way.
    pub fn same_names(&self) -> usize {
        if self.query.open { 1 } else { SAME_NAMES }
    }

    /// How well a symbol fits.
    pub fn rank(&self, candidate: SearchCandidate) -> Ranked {
        let name = SymbolName::of(stem(&candidate));
        let (found, bm25) = self.bm25(&candidate, &name);
        let met = self.met(&candidate, &name, found);
        let covered =
            COVERED * (self.joined.len() as f64 / name.joined.len().max(1) as f64).min(1.0);
        let case = match candidate.name.starts_with(&self.query.text) {
            true if self.is_lower && !self.query.open => SAME_LOWER_CASE,
            true => SAME_CASE,
            false => 0.0,
        };
        Ranked {
            rank: -(worth(met) + bm25 + covered + case + preference(&candidate)),
            met,
            candidate,
        }
    }

    fn met(
        &self,
        candidate: &SearchCandidate,
        name: &SymbolName,
        (in_name, found): (usize, usize),
    ) -> Met {
        let text = &self.query.text;
        if candidate.name.len() < text.len() && is_end(&candidate.qualified_name, text) {
            return Met::Qualified;
        }
        match candidate.name.eq_ignore_ascii_case(text) {
            true if self.query.open => return Met::Start,
            // Who types no capitals does not say which of `title`, `Title` and `_title` is meant.
            true if self.is_lower => return Met::Joined,
            true if candidate.name == *text => return Met::Exact,
            true => return Met::SameName,
            false => (),
        }
        let by_place = (!self.joined.is_empty())
            .then(|| self.met_in_order(name))
            .flatten();
        let by_words = if in_name == self.terms.len() {
            self.met_by_words(name)
        } else {
            None
        };
        let initials = if self.is_upper {
            Met::Capitals
        } else {
            Met::Initials
        };
        let by_initials = self.is_initials(name).then_some(initials);
        let otherwise = match (in_name, found) {
            (_, found) if found == self.terms.len() => Met::All,
            (0, _) => Met::Elsewhere,
            _ => Met::Some,
        };
        [by_place, by_words, by_initials]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(otherwise)
    }

    /// The words of the query as they stand in a row somewhere in the name.
    fn met_in_order(&self, name: &SymbolName) -> Option<Met> {
        let ends = |at: usize| at == name.joined.len() || name.starts.contains(&at);
        let at = name
            .starts
            .iter()
            .filter(|start| name.joined[**start..].starts_with(&self.joined));
        at.map(|start| match (*start, ends(start + self.joined.len())) {
            (0, true) if self.joined.len() == name.joined.len() && !self.query.open => Met::Joined,
            (0, whole) if whole || self.query.open => Met::Start,
            (0, _) => Met::PartStart,
            (_, true) => Met::Part,
            (_, false) => Met::PartStart,
        })
        .max()
    }

    fn met_by_words(&self, name: &SymbolName) -> Option<Met> {
        let has = |term: &str| name.words().any(|word| word == term);
        let whole = self.terms.iter().all(|(term, star, _)| *star || has(term));
        Some(if whole { Met::Words } else { Met::Starts })
    }

    fn is_initials(&self, name: &SymbolName) -> bool {
        let (Some(letters), Some(initials)) = (self.query.initials(), name.initials()) else {
            return false;
        };
        initials.starts_with(letters) && letters.chars().count() >= name.starts.len()
    }

    /// How many words are in the name and how many anywhere, and what they are worth.
    fn bm25(&self, candidate: &SearchCandidate, name: &SymbolName) -> ((usize, usize), f64) {
        let norm = K1 * (1.0 - B + B * (name.joined.len() as f64 / MIDDLING).min(8.0));
        let (mut in_name, mut found, mut sum) = (0, 0, 0.0);
        for (term, _, rarity) in &self.terms {
            let starts = name
                .starts
                .iter()
                .any(|start| name.joined[*start..].starts_with(term));
            let elsewhere = if starts {
                None
            } else {
                weight_elsewhere(candidate, term)
            };
            in_name += usize::from(starts);
            found += usize::from(starts || elsewhere.is_some());
            let weight = if starts {
                10.0
            } else {
                elsewhere.unwrap_or(0.0)
            };
            sum += rarity * weight * (K1 + 1.0) / (weight + norm);
        }
        (
            (in_name, found),
            (sum / self.terms.len().max(1) as f64).min(MAX_BM25),
        )
    }
}

fn worth(met: Met) -> f64 {
    f64::from(met as u8) * STEP
}

fn weight_elsewhere(candidate: &SearchCandidate, term: &str) -> Option<f64> {
    if has_word(&candidate.qualified_name, term) {
        return Some(4.0);
    }
    (has_word(&candidate.signature, term) || has_word(&candidate.doc, term)).then_some(1.0)
}

/// Whether a run or hump of the text begins with a word.
fn has_word(text: &str, term: &str) -> bool {
    let begins = |word: &str| {
        let mut letters = word.chars().flat_map(char::to_lowercase);
        term.chars().all(|c| letters.next() == Some(c))
    };
    runs(text).any(|run| begins(run) || humps(run).any(begins))
}

/// What decides between symbols that were met in the same way.
fn preference(candidate: &SearchCandidate) -> f64 {
    let by_type = match candidate.node_type {
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component => 2.0,
        NodeType::Method => 1.5,
        NodeType::Constructor | NodeType::Module => 1.0,
        NodeType::Property => 0.5,
        NodeType::File => -8.0,
    };
    let in_sources = if is_secondary_place(&candidate.project_id, &candidate.qualified_name) {
        0.0
    } else {
        IN_SOURCES
    };
    by_type
        + in_sources
        + if is_public(candidate.access, candidate.flags) {
            0.25
        } else {
            0.0
        }
}

/// Whether a qualified name ends with these segments.
fn is_end(qualified_name: &str, end: &str) -> bool {
    qualified_name
        .strip_suffix(end)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '#', '/']))
}
