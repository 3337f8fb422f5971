//! Parsing of search queries: words with stars, or an FTS5 expression.
//!
//! `HttpClientFac*` is one word of three camel-case words, the last of them a prefix; `name:Cart OR
//! Basket` is left to FTS5.
//!
//! Limitations: only the words of an expression are extracted, not its operators. Words after `NOT`
//! are skipped.

use crate::model::graph::{Language, NodeType};
use crate::store::search::SearchFilter;
use crate::store::search::text::{INITIALS, SymbolName, project_word, type_word};

/// Maximum number of words; further words are ignored.
const MAX_WORDS: usize = 16;

/// Minimum number of words in a natural-language query; shorter queries are read as names.
const MIN_SENTENCE: usize = 3;

/// Possible lengths of a word of initials.
const INITIALS_LENGTH: std::ops::RangeInclusive<usize> = 2..=32;

#[derive(Debug)]
pub(super) struct Query {
    /// The query as typed, without surrounding white space and trailing stars.
    pub text: String,
    /// The words, in order.
    pub words: Vec<Word>,
    /// Whether the query ends with a star.
    pub open: bool,
    /// Whether the query has FTS5 operators.
    pub is_expression: bool,
    /// Whether the query consists of words, stars and white space only.
    pub is_plain: bool,
}

#[derive(Debug)]
pub(super) struct Word {
    /// The camel-case words, in lower case.
    pub name: SymbolName,
    /// Whether a star follows, so that the last camel-case word is a prefix.
    pub star: bool,
}

impl Query {
    /// Parses a query. FTS5 may still reject it.
    pub fn read(query: &str) -> Self {
        let text = query.trim();
        let tokens = tokens(text);

        let is_operator = |token: &&str| matches!(*token, "AND" | "OR" | "NOT" | "NEAR");

        let mut words = Vec::new();
        let mut unwanted = false;

        for (token, star) in &tokens {
            if is_operator(token) {
                unwanted = *token == "NOT";
            } else if !std::mem::take(&mut unwanted) {
                words.push(Word {
                    name: SymbolName::of(token),
                    star: *star,
                });
            }
        }

        words.retain(|word| !word.name.starts.is_empty());
        words.truncate(MAX_WORDS);

        let is_plain = text
            .chars()
            .all(|c| is_word(c) || c == '*' || c.is_whitespace());
        let has_syntax = text.contains(['"', ':', '(', '^', '+']);

        Self {
            is_expression: has_syntax || tokens.iter().any(|(token, _)| is_operator(token)),
            is_plain,
            open: words.last().is_some_and(|word| word.star),
            text: text.trim_end_matches('*').to_owned(),
            words,
        }
    }

    /// Reports whether the query is natural language: several words, none of them a prefix.
    pub fn is_language(&self) -> bool {
        self.words.len() >= MIN_SENTENCE
            && self.words.iter().all(|word| !word.star)
            && self.text.split_whitespace().count() >= MIN_SENTENCE
    }

    /// Returns the camel-case words of all words, each with whether it is a prefix.
    pub fn terms(&self) -> impl Iterator<Item = (&str, bool)> {
        self.words.iter().flat_map(|word| {
            let last = word.name.starts.len() - 1;
            word.name
                .words()
                .enumerate()
                .map(move |(at, part)| (part, word.star && at == last))
        })
    }

    /// Returns all words, concatenated.
    pub fn joined(&self) -> String {
        self.words
            .iter()
            .map(|word| word.name.joined.as_str())
            .collect()
    }

    /// Returns the last segment of a qualified name such as `Cart.Total`.
    pub fn qualified(&self) -> Option<&str> {
        let name = self.text.rsplit(['.', '#', '/']).next()?;
        (name.len() < self.text.len()
            && !name.is_empty()
            && !self.text.contains(char::is_whitespace))
        .then_some(name)
    }

    /// Returns the query if it may be the initials of a name, optionally followed by the rest of
    /// the last word: `hcf`, `hcfac`.
    pub fn initials(&self) -> Option<&str> {
        let [word] = self.words.as_slice() else {
            return None;
        };
        let letters = &word.name.joined;
        let is_one =
            letters.eq_ignore_ascii_case(&self.text) && INITIALS_LENGTH.contains(&letters.len());
        is_one.then_some(letters)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits a text into words, each with whether a star follows.
fn tokens(text: &str) -> Vec<(&str, bool)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let word = &rest[start..];
        let end = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
        rest = &word[end..];
        out.push((&word[..end], rest.starts_with('*')));
    }
    out
}

/// Quotes a word, which must not contain quotes.
pub(super) fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

/// Joins expressions with `OR`.
pub(super) fn any_of(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        _ => format!("({})", parts.join(" OR ")),
    }
}

/// Joins expressions with `AND`.
pub(super) fn all_of(parts: &[String]) -> String {
    format!("({})", parts.join(" AND "))
}

/// Returns an expression for names whose initials start with these letters.
pub(super) fn with_initials(letters: &str) -> String {
    format!("name : \"{INITIALS}{letters}\" *")
}

/// Adds the conditions of a filter to an expression.
pub(super) fn filtered(expression: &str, filter: &SearchFilter) -> String {
    let mut parts = vec![format!("({expression})")];
    if let Some(project) = &filter.project {
        parts.push(format!("container : {}", quoted(&project_word(project))));
    }

    if filter.language.is_some() || filter.node_type.is_some() {
        let languages = Language::NAMES
            .iter()
            .filter(|(_, language)| filter.language.is_none_or(|wanted| wanted == *language));
        let words: Vec<String> = languages
            .flat_map(|(_, language)| {
                let types = NodeType::NAMES.iter().filter(|(_, node_type)| {
                    filter.node_type.is_none_or(|wanted| wanted == *node_type)
                });
                types.map(|(_, node_type)| quoted(&type_word(*language, *node_type)))
            })
            .collect();
        parts.push(format!("container : {}", any_of(&words)));
    }

    parts.join(" AND ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(query: &str) -> String {
        let query = Query::read(query);
        let shown: Vec<String> = query
            .terms()
            .map(|(term, star)| format!("{term}{}", if star { "*" } else { "" }))
            .collect();
        format!(
            "{}{}",
            shown.join(" "),
            if query.is_expression { " !" } else { "" }
        )
    }

    #[test]
    fn queries_are_words_or_expressions() {
        for (query, expected) in [
            ("HttpClientFac*", "http client fac*"),
            ("client  factory", "client factory"),
            ("a* b*", "a* b*"),
            ("Foo.Bar", "foo bar"),
            ("List<int>", "list int"),
            ("MAX_VALUE", "max value"),
            ("name:Cart OR Basket", "name cart basket !"),
            ("user NOT service", "user !"),
            ("\"a b\"", "a b !"),
            ("$", ""),
        ] {
            assert_eq!(terms(query), expected, "{query}");
        }
    }

    #[test]
    fn several_whole_words_are_natural_language() {
        for (query, expected) in [
            ("adds up the prices of a cart", true),
            ("Where, then, are carts saved?", true),
            ("client factory", false),
            ("HttpClientFactory", false),
            ("Shop.Cart.Total", false),
            ("get http cli*", false),
        ] {
            assert_eq!(Query::read(query).is_language(), expected, "{query}");
        }
    }

    #[test]
    fn only_one_short_word_counts_as_initials() {
        assert_eq!(Query::read("HCF").initials(), Some("hcf"));
        assert_eq!(Query::read("h").initials(), None);
        assert_eq!(Query::read("h c").initials(), None);
        assert_eq!(Query::read("a.b").initials(), None);
    }

    #[test]
    fn filters_become_terms_of_the_query() {
        let filter = SearchFilter {
            node_type: Some(NodeType::Class),
            ..SearchFilter::default()
        };
        assert_eq!(
            filtered("\"a\"", &filter),
            "(\"a\") AND container : (\"\u{e002}aa\" OR \"\u{e002}ba\" OR \"\u{e002}ca\")"
        );
    }
}
