//! Ranking of candidates: bm25 over the words found, plus bonuses for how the name matched.
//!
//! The order of the bonuses: the name itself, its words in order, its prefix, its words or their
//! prefixes in any order, its initials, then containers, signatures and documentation. Among
//! equals, shorter names, types, source code and public symbols come first. Functions in functions
//! and in object literals come behind all others that matched in the same way.
//!
//! Limitations: bm25 is computed over the candidates only. A word counts once per column, and the
//! length of a row is that of its name.

use std::cmp::Ordering;

use crate::embed::tokenizer::{camel_words, runs};
use crate::model::graph::{Access, NodeFlags, NodeId, NodeType};
use crate::store::search::query::Query;
use crate::store::search::text::{SymbolName, is_public, is_tests_place};

/// How a symbol's name matched the query, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MatchKind {
    /// Some words were found, but none in the name.
    Elsewhere,
    /// Some words are in the name.
    Some,
    /// All words were found, but not all in the name.
    All,
    /// Each word begins a word of the name.
    Starts,
    /// The query is the initials of the name, or the initials followed by the rest of the last
    /// word.
    Initials,
    /// Each word is a word of the name.
    Words,
    /// A camel-case word of the name starts with the query.
    PartStart,
    /// The name contains the words in order.
    Part,
    /// The query is the initials of the name, in capitals.
    Capitals,
    /// The name has this prefix.
    Start,
    /// The name consists of exactly these words.
    Joined,
    /// The name equals the query, ignoring case.
    SameName,
    /// The name equals the query.
    Exact,
    /// The qualified name ends with the query.
    Qualified,
}

/// Worth of one step of [`MatchKind`]; more than all the other bonuses together.
const STEP: f64 = 50.0;
/// Maximum contribution of bm25.
const MAX_BM25: f64 = 20.0;
/// Bonus for a name that the query covers completely.
const COVERED: f64 = 14.0;
/// Bonus for a name that starts with the query in the same case.
const SAME_CASE: f64 = 10.0;
/// Like [`SAME_CASE`], for a query without capitals, because users often type in lower case.
const SAME_LOWER_CASE: f64 = 4.0;
/// Bonus each time the number of symbols with the name doubles.
const COMMON: f64 = 2.0;
/// Bonus for non-test code.
const IN_SOURCES: f64 = 4.0;
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Length of an average name, in letters.
const AVERAGE_LENGTH: f64 = 14.0;
/// Maximum number of symbols of one name ranked before other names with an equal match; 1 if the
/// query is a prefix.
const SAME_NAMES: usize = 2;

/// The data that ranking needs of a symbol.
#[derive(Debug)]
pub(super) struct SearchCandidate {
    pub id: NodeId,
    pub project_id: String,
    pub name: String,
    pub qualified_name: String,
    pub node_type: NodeType,
    pub access: Option<Access>,
    pub flags: NodeFlags,
    pub type_parameters: String,
    pub signature: String,
    pub doc: String,
    /// All its declarations are in generated files.
    pub is_generated: bool,
}

impl SearchCandidate {
    /// Returns the qualified name of the type or function that contains the symbol.
    pub fn container(&self) -> Option<&str> {
        let is_member = matches!(
            self.node_type,
            NodeType::Method | NodeType::Constructor | NodeType::Property
        );
        let container = self.qualified_name.strip_suffix(self.name.as_str())?;
        (is_member && container.ends_with('.')).then_some(container)
    }

    /// Returns what distinguishes the symbol in a list of results. Overloads have the same local
    /// symbols.
    pub fn row(&self) -> (String, String, String, NodeType) {
        (
            self.project_id.clone(),
            self.qualified_name.clone(),
            format!("{}{}", self.type_parameters, self.signature),
            self.node_type,
        )
    }

    /// Reports whether the symbol belongs to tests or generated code.
    pub fn is_secondary(&self) -> bool {
        self.is_generated || is_tests_place(&self.project_id, &self.qualified_name)
    }
}

/// A ranked symbol.
#[derive(Debug)]
pub(super) struct Ranked {
    /// The rank; smaller is better.
    pub rank: f64,
    pub match_kind: MatchKind,
    pub candidate: SearchCandidate,
}

impl Ranked {
    /// Compares by rank; ties are broken independently of how the symbols were found.
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

    /// Moves the symbol before names that fewer symbols have: for a prefix, a common name is the
    /// more likely target.
    pub fn promote(&mut self, with_name: usize) {
        self.rank -= COMMON * (with_name as f64).log2();
    }

    /// Moves the symbol behind all that matched equally well, as the `count`th with its name.
    pub fn demote(&mut self, count: usize) {
        self.rank = penalty(&self.candidate) - (worth(self.match_kind) + 1.0 / count as f64);
    }
}

/// Returns the name to match; for a file, without the extension.
fn stem(candidate: &SearchCandidate) -> &str {
    match candidate.node_type {
        NodeType::File => candidate
            .name
            .rsplit_once('.')
            .map_or(&candidate.name, |(stem, _)| stem),
        _ => &candidate.name,
    }
}

/// A query prepared for ranking.
pub(super) struct Ranker<'q> {
    query: &'q Query,
    joined: String,
    /// Whether the query has no capitals.
    is_lower: bool,
    /// Whether the query has only capitals.
    is_upper: bool,
    /// Words, each with whether it is a prefix and how rare it is.
    terms: Vec<(&'q str, bool, f64)>,
}

impl<'q> Ranker<'q> {
    /// Prepares a query. `names_with` has, for each word, the number of names among `total` that
    /// contain it.
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

    /// Returns the number of symbols with the same name that precede other names that matched
    /// equally well.
    pub fn same_names(&self) -> usize {
        if self.query.open { 1 } else { SAME_NAMES }
    }

    pub fn rank(&self, candidate: SearchCandidate) -> Ranked {
        let name = SymbolName::of(stem(&candidate));
        let (found, bm25) = self.bm25(&candidate, &name);
        let match_kind = self.match_kind(&candidate, &name, found);
        let covered =
            COVERED * (self.joined.len() as f64 / name.joined.len().max(1) as f64).min(1.0);
        let case = match candidate.name.starts_with(&self.query.text) {
            true if self.is_lower && !self.query.open => SAME_LOWER_CASE,
            true => SAME_CASE,
            false => 0.0,
        };

        let merits = worth(match_kind) + bm25 + covered + case + preference(&candidate);
        Ranked {
            rank: penalty(&candidate) - merits,
            match_kind,
            candidate,
        }
    }

    fn match_kind(
        &self,
        candidate: &SearchCandidate,
        name: &SymbolName,
        (in_name, found): (usize, usize),
    ) -> MatchKind {
        let text = &self.query.text;
        if candidate.name.len() < text.len() && is_end(&candidate.qualified_name, text) {
            return MatchKind::Qualified;
        }

        match candidate.name.eq_ignore_ascii_case(text) {
            true if self.query.open => return MatchKind::Start,
            // A query without capitals does not distinguish `title`, `Title` and `_title`.
            true if self.is_lower => return MatchKind::Joined,
            true if candidate.name == *text => return MatchKind::Exact,
            true => return MatchKind::SameName,
            false => (),
        }

        let by_place = (!self.joined.is_empty())
            .then(|| self.match_in_order(name))
            .flatten();

        let by_words = if in_name == self.terms.len() {
            self.match_by_words(name)
        } else {
            None
        };

        let initials = if self.is_upper {
            MatchKind::Capitals
        } else {
            MatchKind::Initials
        };
        let by_initials = self.is_initials(name).then_some(initials);

        let otherwise = match (in_name, found) {
            (_, found) if found == self.terms.len() => MatchKind::All,
            (0, _) => MatchKind::Elsewhere,
            _ => MatchKind::Some,
        };

        [by_place, by_words, by_initials]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(otherwise)
    }

    /// Matches the words of the query in sequence anywhere in the name.
    fn match_in_order(&self, name: &SymbolName) -> Option<MatchKind> {
        let ends = |at: usize| at == name.joined.len() || name.starts.contains(&at);
        let at = name
            .starts
            .iter()
            .filter(|start| name.joined[**start..].starts_with(&self.joined));
        at.map(|start| match (*start, ends(start + self.joined.len())) {
            (0, true) if self.joined.len() == name.joined.len() && !self.query.open => {
                MatchKind::Joined
            }
            (0, whole) if whole || self.query.open => MatchKind::Start,
            (0, _) => MatchKind::PartStart,
            (_, true) => MatchKind::Part,
            (_, false) => MatchKind::PartStart,
        })
        .max()
    }

    fn match_by_words(&self, name: &SymbolName) -> Option<MatchKind> {
        let has = |term: &str| name.words().any(|word| word == term);
        let whole = self.terms.iter().all(|(term, star, _)| *star || has(term));
        Some(if whole {
            MatchKind::Words
        } else {
            MatchKind::Starts
        })
    }

    fn is_initials(&self, name: &SymbolName) -> bool {
        let (Some(letters), Some(initials)) = (self.query.initials(), name.initials()) else {
            return false;
        };
        initials.starts_with(letters) && letters.chars().count() >= name.starts.len()
    }

    /// Returns the number of words in the name, the number of words anywhere, and their bm25.
    fn bm25(&self, candidate: &SearchCandidate, name: &SymbolName) -> ((usize, usize), f64) {
        let norm = K1 * (1.0 - B + B * (name.joined.len() as f64 / AVERAGE_LENGTH).min(8.0));

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

fn worth(match_kind: MatchKind) -> f64 {
    f64::from(match_kind as u8) * STEP
}

/// Returns the penalty that ranks functions in functions and object literals below all other
/// symbols that matched in the same way.
fn penalty(candidate: &SearchCandidate) -> f64 {
    if candidate.flags.has(NodeFlags::LOCAL) {
        STEP
    } else {
        0.0
    }
}

fn weight_elsewhere(candidate: &SearchCandidate, term: &str) -> Option<f64> {
    if has_word(&candidate.qualified_name, term) {
        return Some(4.0);
    }
    (has_word(&candidate.signature, term) || has_word(&candidate.doc, term)).then_some(1.0)
}

/// Reports whether a word or camel-case word of the text starts with `term`.
fn has_word(text: &str, term: &str) -> bool {
    if !may_contain(text, term) {
        return false;
    }
    let begins = |word: &str| {
        let mut letters = word.chars().flat_map(char::to_lowercase);
        term.chars().all(|c| letters.next() == Some(c))
    };
    runs(text).any(|run| begins(run) || camel_words(run).any(begins))
}

/// Reports whether a text may contain a lower-case term, in any letter case; quick.
fn may_contain(text: &str, term: &str) -> bool {
    let Some(first) = term.bytes().next().filter(|_| text.is_ascii()) else {
        return true;
    };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text.as_bytes()).any(|at| {
        let found = text.as_bytes().get(at..at + term.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(term.as_bytes()))
    })
}

/// Returns the bonus that orders symbols that matched equally well.
fn preference(candidate: &SearchCandidate) -> f64 {
    let by_type = match candidate.node_type {
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component => 2.0,
        NodeType::Method => 1.5,
        NodeType::Constructor | NodeType::Module => 1.0,
        NodeType::Property => 0.5,
        NodeType::File => -8.0,
    };

    let in_sources = if candidate.is_secondary() {
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

/// Reports whether a qualified name ends with these segments.
fn is_end(qualified_name: &str, end: &str) -> bool {
    qualified_name
        .strip_suffix(end)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '#', '/']))
}
