//! Uses of a key of an object literal that a constant holds: `ROUTES.HOME` for
//! `const ROUTES = { HOME: "/" }`.
//!
//! Keys of object literals are no symbols. A use is one of the constant, followed by the key.
//!
//! Limitations: a use is within one line; destructured and nested keys are not found.

use crate::model::graph::{EdgeType, NodeId};
use crate::query::{Occurrence, Occurrences, QueryError};

/// Maximum number of uses of a constant that are read.
const MAX_USES: usize = 5_000;

/// Returns the key on a line whose value is a string: `HOME` for the line `HOME: "/",` and the string `/`.
#[must_use]
pub fn key_of_string<'l>(line: &'l str, string: &str) -> Option<&'l str> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    line.match_indices(string).find_map(|(at, _)| {
        let before = line[..at].strip_suffix(is_quote)?;
        if !line[at + string.len()..].starts_with(is_quote) {
            return None;
        }
        let before = before.trim_end().strip_suffix(':')?.trim_end();
        let before = before.strip_suffix(is_quote).unwrap_or(before);
        let start = before.trim_end_matches(is_of_name).len();
        (start < before.len()).then_some(&before[start..])
    })
}

/// Reports whether a character may be part of a name.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the uses of a key of the object that a constant holds.
pub fn uses_of_key(
    occurrences: &mut Occurrences<'_, '_>,
    constant: NodeId,
    key: &str,
) -> Result<Vec<Occurrence>, QueryError> {
    let uses = occurrences.incoming(&[constant], &[EdgeType::References])?;
    let mut found = Vec::new();
    for used in uses.into_iter().take(MAX_USES) {
        let path = occurrences.path(used.file)?;
        let rest = occurrences
            .sources
            .rest_of_line(&path, used.line, used.column)?;
        if rest.is_some_and(|rest| is_use_of_key(rest, key)) {
            found.push(used);
        }
    }
    occurrences.of_edges(&found)
}

/// Reports whether a text starts with a name and then a key: `ROUTES.HOME`, `ROUTES["HOME"]`.
fn is_use_of_key(text: &str, key: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    if rest.len() == text.len() {
        return false;
    }
    let rest = rest.trim_start_matches(['?', '!']);
    let key_in = ["[\"", "['", "."]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark));
    let after = key_in.and_then(|rest| rest.strip_prefix(key));
    after.is_some_and(|after| !after.starts_with(is_of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_follows_the_name_of_its_constant() {
        for (text, expected) in [
            ("ROUTES.HOME, next", true),
            ("ROUTES?.HOME", true),
            ("ROUTES['HOME']", true),
            ("ROUTES[HOME]", false),
            ("ROUTES.HOME_PAGE", false),
            ("ROUTES", false),
            ("HOME", false),
            ("ROUTES.other.HOME", false),
        ] {
            assert_eq!(is_use_of_key(text, "HOME"), expected, "{text}");
        }
    }

    #[test]
    fn a_key_precedes_its_string() {
        for (line, string, expected) in [
            ("  HOME: '/cart',", "/cart", Some("HOME")),
            ("  'home': '/cart',", "/cart", Some("home")),
            ("  A: '/a', B: \"/b\",", "/b", Some("B")),
            ("  path('/cart'),", "/cart", None),
            ("  HOME: '/cart/page',", "/cart", None),
        ] {
            assert_eq!(key_of_string(line, string), expected, "{line}");
        }
    }
}
