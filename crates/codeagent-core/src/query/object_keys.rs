//! Uses of a key of an object literal that a constant holds: `ROUTES.HOME` for `const ROUTES = { HOME: "/" }`.
//!
//! Keys of object literals are no symbols. A use is one of the constant, followed by the key.
//!
//! Limitations: a use is within one line; destructured keys are not found.

use crate::model::graph::{EdgeType, NodeId};
use crate::query::{Occurrence, Occurrences, QueryError};

/// Maximum number of uses of a constant that are read.
const MAX_USES: usize = 5_000;

/// Returns the key that has its value on a line: `HOME` for `HOME: "/",`.
#[must_use]
pub fn key_of_line(line: &str) -> Option<&str> {
    let (key, _) = line.trim_start().split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    (!key.is_empty() && key.chars().all(is_name)).then_some(key)
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
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let after_name = text.trim_start_matches(is_name);
    let after_mark = after_name.trim_start_matches(['?', '!', '.', '[', '"', '\'']);
    let is_member = after_name.len() > after_mark.len() && after_name.len() < text.len();
    let rest = after_mark.strip_prefix(key);
    is_member && rest.is_some_and(|rest| !rest.starts_with(is_name))
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
            ("ROUTES.HOME_PAGE", false),
            ("ROUTES", false),
            ("HOME", false),
            ("ROUTES.other.HOME", false),
        ] {
            assert_eq!(is_use_of_key(text, "HOME"), expected, "{text}");
        }
    }

    #[test]
    fn a_line_of_an_object_begins_with_its_key() {
        assert_eq!(key_of_line("  HOME: '/home',"), Some("HOME"));
        assert_eq!(key_of_line("  'home': '/home',"), Some("home"));
        assert_eq!(key_of_line("  path('/home'),"), None);
        assert_eq!(key_of_line("  a ? b : '/home',"), None);
    }
}
