//! The noun with a clause by which a question describes a symbol: `the class that keeps carts` in `which tests cover the
//! class that keeps carts, and where are they?`

use crate::model::graph::{Node, NodeKind, NodeType};

/// What a question describes.
#[derive(Clone, Copy, Debug)]
pub struct DescribedNoun<'q> {
    /// The noun with its clause: `the class that keeps carts`.
    pub text: &'q str,
    /// The kind of symbols that the noun tells.
    pub kind: NounKind,
}

/// A kind of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NounKind {
    /// Any code.
    Code,
    /// An event.
    Event,
    /// A function or method.
    Function,
    /// A class, interface or other type.
    Type,
    /// A field, property or variable.
    Value,
    /// A struct.
    ValueType,
    /// A component or class that users see.
    View,
}

/// Nouns for each kind.
const NOUNS: [(NounKind, &[&str]); 6] = [
    (
        NounKind::Code,
        &["call", "code", "command", "endpoint", "place", "step"],
    ),
    (NounKind::Event, &["event"]),
    (
        NounKind::Function,
        &[
            "assertion",
            "check",
            "function",
            "guard",
            "helper",
            "hook",
            "method",
            "predicate",
            "routine",
            "utility",
        ],
    ),
    (
        NounKind::Type,
        &[
            "adapter",
            "builder",
            "cache",
            "class",
            "client",
            "collection",
            "container",
            "controller",
            "factory",
            "interface",
            "listener",
            "manager",
            "model",
            "object",
            "parser",
            "pool",
            "provider",
            "queue",
            "reader",
            "registry",
            "repository",
            "service",
            "store",
            "struct",
            "type",
            "wrapper",
            "writer",
        ],
    ),
    (
        NounKind::Value,
        &[
            "constant", "field", "flag", "option", "property", "setting", "variable",
        ],
    ),
    (
        NounKind::View,
        &[
            "component",
            "dialog",
            "page",
            "panel",
            "popup",
            "screen",
            "view",
            "window",
        ],
    ),
];

/// Words that begin a clause behind a noun.
const CLAUSES: [&str; 4] = ["that", "which", "who", "whose"];

/// Words between a noun and such a clause: `the interface through which ..`, `the type of the library that ..`.
const MAX_BETWEEN: usize = 5;
const BETWEEN: [&str; 7] = ["by", "for", "from", "in", "of", "through", "with"];

/// Words before a noun.
const ARTICLES: [&str; 8] = ["a", "an", "its", "that", "the", "this", "what", "which"];

/// Maximum number of words between an article and its noun.
const MAX_ADJECTIVES: usize = 4;

/// Minimum number of words of a clause; fewer hardly describe something.
const MIN_CLAUSE: usize = 3;

/// Words with which another part of a question begins behind `and`.
const ASKING: [&str; 11] = [
    "are", "by", "does", "how", "in", "is", "what", "when", "where", "which", "who",
];

/// Words at the end of a question about what it describes.
const ENDS: [&str; 4] = ["as a whole", "depend on", "depends on", "have"];

impl NounKind {
    /// Reports whether a symbol is of the kind.
    #[must_use]
    pub fn has(self, node: &Node) -> bool {
        match self {
            Self::Code => true,
            Self::Event => node.kind == NodeKind::Event,
            Self::Function => node.node_type == NodeType::Method,
            Self::Type => node.node_type.is_type(),
            Self::Value => node.node_type == NodeType::Property,
            Self::ValueType => matches!(node.kind, NodeKind::Struct | NodeKind::RecordStruct),
            Self::View => {
                let is_capitalized = node.name.starts_with(char::is_uppercase);
                let is_component = node.kind == NodeKind::Function && is_capitalized;
                node.node_type.is_type() || node.node_type == NodeType::Component || is_component
            }
        }
    }

    /// Reports whether members of a symbol of the kind describe it as well.
    #[must_use]
    pub fn has_members(self) -> bool {
        matches!(self, Self::Type | Self::ValueType | Self::View)
    }

    /// Reports whether a symbol of the kind is nothing that users see or do.
    #[must_use]
    pub fn is_internal(self) -> bool {
        !matches!(self, Self::Code | Self::View)
    }
}

/// Returns the first noun of a question that says the kind of a symbol and has a clause.
#[must_use]
pub fn described_noun(question: &str) -> Option<DescribedNoun<'_>> {
    let words: Vec<(usize, &str)> = words(question).collect();
    let bare = |at: usize| words.get(at).map_or("", |(_, word)| trimmed(word));
    for at in 1..words.len() {
        let kind = match (bare(at - 1), kind(bare(at))) {
            ("value", Some(NounKind::Type)) => NounKind::ValueType,
            (_, Some(kind)) => kind,
            (_, None) => continue,
        };
        let is_article = |before: &usize| ARTICLES.contains(&&*bare(*before).to_lowercase());
        let first = at.saturating_sub(MAX_ADJECTIVES + 1);
        let article = (first..at).rev().find(is_article);
        let is_whole = !words[at].1.ends_with(['.', '?', ';', ':', ',']);
        // `which class keeps carts?`
        let is_asked = |article: usize| article == 0 && kind != NounKind::Code && asks(bare(0));
        let begins = |word: usize| CLAUSES.contains(&bare(word));
        let is_between = BETWEEN.contains(&bare(at + 1));
        let has_clause =
            begins(at + 1) || is_between && (at + 2..=at + 1 + MAX_BETWEEN).any(begins);
        let has_clause = |article: &usize| is_whole && (has_clause || is_asked(*article));
        let Some(article) = article.filter(has_clause) else {
            continue;
        };

        // Further parts of a question for one of several tell more about it.
        let end = match is_asked(article) {
            true => question.trim_end_matches(['?', ' ']).len(),
            false => end(question, &words, at + 1),
        };
        let start = words[article].0;
        let clause = question[words[at + 1].0..end].split_whitespace().count();
        if clause >= MIN_CLAUSE {
            return Some(DescribedNoun {
                text: question[start..end].trim_end_matches([',', ' ']),
                kind,
            });
        }
    }
    None
}

/// Returns the kind of symbols that a word tells.
fn kind(word: &str) -> Option<NounKind> {
    let mut nouns = NOUNS.iter();
    let found = nouns.find(|(_, nouns)| nouns.contains(&word));
    found.map(|(kind, _)| *kind)
}

/// Returns where the clause that starts at a word ends.
fn end(question: &str, words: &[(usize, &str)], clause: usize) -> usize {
    for at in clause + 1..words.len() {
        let before = words[at - 1].1;
        let is_new_sentence = before.ends_with(['.', '?', ';', ':']);
        let (word, next) = (words[at].1, words.get(at + 1).map_or("", |(_, next)| *next));
        let is_new_part = word == "and" && ASKING.contains(&trimmed(next));
        let is_condition = before.ends_with(',') && ASKING.contains(&word);

        if is_new_sentence || is_new_part || is_condition {
            return words[at].0;
        }
    }

    let mut text = question;
    for end in ENDS {
        text = text.trim_end_matches(['?', '.', ',', ' ']);
        text = text.strip_suffix(end).unwrap_or(text);
    }
    text.trim_end().len()
}

/// Reports whether a word asks for one of several.
fn asks(word: &str) -> bool {
    matches!(word, "Which" | "which" | "What" | "what")
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns the words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - base, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_describes_a_noun_by_a_clause() {
        for (question, expected) in [
            (
                "Which tests cover the timer class whose delay grows with its stage?",
                Some("the timer class whose delay grows with its stage"),
            ),
            (
                "What does the class that keeps carts in a list depend on, as a whole?",
                Some("the class that keeps carts in a list"),
            ),
            (
                "Who calls the small helper that breaks ties, and where is it declared?",
                Some("the small helper that breaks ties"),
            ),
            ("Who calls the helper addTotal?", None),
            (
                "Which small class keeps carts in a list, and how?",
                Some("Which small class keeps carts in a list, and how"),
            ),
            ("Which class is it?", None),
        ] {
            let found = described_noun(question).map(|noun| noun.text);
            assert_eq!(found, expected, "{question}");
        }
    }
}
