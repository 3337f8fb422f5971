//! Natural-language questions that another query answers: `who calls Cart.total?`
//!
//! Limitations: English only, with the name of a symbol at the end or right after the verb.

use crate::query::FollowUp;

/// Verbs of questions, with the query that answers them.
const VERBS: [(&str, FollowUp); 16] = [
    ("calls", FollowUp::Callers),
    ("call", FollowUp::Callers),
    ("called", FollowUp::Callers),
    ("callers", FollowUp::Callers),
    ("invokes", FollowUp::Callers),
    ("callees", FollowUp::Callees),
    ("implements", FollowUp::Implementations),
    ("implement", FollowUp::Implementations),
    ("implementations", FollowUp::Implementations),
    ("overrides", FollowUp::Implementations),
    ("extends", FollowUp::Implementations),
    ("uses", FollowUp::References),
    ("use", FollowUp::References),
    ("used", FollowUp::References),
    ("references", FollowUp::References),
    ("usages", FollowUp::References),
];

/// First words of questions.
const STARTS: [&str; 8] = [
    "who",
    "what",
    "which",
    "where",
    "callers",
    "callees",
    "implementations",
    "usages",
];

/// Reports whether a word asks for the uses of the name behind it.
pub(in crate::query) fn is_verb(word: &str) -> bool {
    VERBS
        .iter()
        .any(|(verb, _)| word.eq_ignore_ascii_case(verb))
}

/// Parses a question about one symbol: the query that answers it, and the symbol's name.
pub fn question(text: &str) -> Option<(FollowUp, &str)> {
    let words: Vec<&str> = text
        .trim()
        .trim_end_matches('?')
        .split_whitespace()
        .collect();
    let (first, name) = (words.first()?, words.last()?);
    let is_start = STARTS.iter().any(|start| first.eq_ignore_ascii_case(start));
    if !is_start || words.len() < 3 || words.len() > 8 {
        return None;
    }

    let verb = |word: &&&str| {
        VERBS
            .iter()
            .find(|(verb, _)| word.eq_ignore_ascii_case(verb))
    };
    let (at, asked) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, verb(&word)?.1)))?;
    // In `what does X call`, the name precedes the verb.
    let (asked, name) = match words[at].to_ascii_lowercase().as_str() {
        "call" if at == words.len() - 1 && first.eq_ignore_ascii_case("what") => {
            (FollowUp::Callees, words[at - 1])
        }
        "called" | "used" if at == words.len() - 1 => (asked, words[at - 1]),
        _ => (asked, *name),
    };
    let name = name.trim_matches(['`', '"', '\'', '(', ')', ',', ';']);
    let is_name = name.contains(['.', '#', '_']) || name.chars().any(char::is_uppercase);
    is_name.then_some((asked, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_recognised_by_their_verb_and_name() {
        for (text, expected) in [
            (
                "who calls Cart.total?",
                Some((FollowUp::Callers, "Cart.total")),
            ),
            (
                "what does Cart.total call",
                Some((FollowUp::Callees, "Cart.total")),
            ),
            (
                "Which classes implement `IShape`?",
                Some((FollowUp::Implementations, "IShape")),
            ),
            ("where is Cart used", Some((FollowUp::References, "Cart"))),
            (
                "callers of Cart.total",
                Some((FollowUp::Callers, "Cart.total")),
            ),
            ("where are carts used", None),
            ("who calls", None),
            ("uses Cart", None),
        ] {
            assert_eq!(question(text), expected, "{text}");
        }
    }
}
