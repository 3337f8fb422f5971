//! Uses of a key of an object literal that a constant holds: `ROUTES.HOME` for
//! `const ROUTES = { HOME: "/" }`.
//!
//! Keys of object literals are no symbols. A use is one of the constant, followed by the key. A key of a literal
//! whose type the index does not know may set any property of its name.
//!
//! Limitations: a use is within one line; destructured and nested keys are not found.

use std::collections::HashSet;

use crate::model::graph::{Dialect, EdgeType, Language, Node, NodeId, NodeType};
use crate::query::{
    Occurrence, Occurrences, QueryError, TextSearchQuery, is_compound, search_text,
};
use crate::store;

/// Maximum number of uses of a constant that are read.
const MAX_USES: usize = 5_000;

/// Maximum number of symbols of one name whose uses are known.
const MAX_NAMED: usize = 200;

/// Types behind which a colon declares instead of setting.
const TYPES: [&str; 6] = ["Date", "any", "boolean", "number", "string", "unknown"];

/// Returns the lines outside tests with the name of a TypeScript property as the key of an object literal whose
/// type the index does not know; none for a name that is a word of prose.
pub fn undecided_keys(
    occurrences: &mut Occurrences<'_, '_>,
    property: &Node,
) -> Result<Vec<Occurrence>, QueryError> {
    let name = property.name.as_str();
    let is_property = property.node_type == NodeType::Property;
    if !is_property || property.language != Language::TypeScript || !is_compound(name) {
        return Ok(Vec::new());
    }

    let pattern = format!(r"(?:^|[^\w$]){}['\x22]?:", name.replace('$', r"\$"));
    let query = TextSearchQuery {
        pattern: &pattern,
        is_regex: true,
        ignore_case: false,
        path: None,
        literals: false,
    };
    let mut found = search_text(occurrences, &query)?.code;
    if found.is_empty() {
        return Ok(found);
    }

    let mut named = store::by_name(occurrences.sources.snapshot(), name, MAX_NAMED)?;
    named.retain(|node| node.name == name);
    let mut known: HashSet<(String, u32)> = HashSet::new();
    let ids: Vec<NodeId> = named.iter().map(|node| node.id).collect();
    for used in occurrences.incoming(&ids, &[EdgeType::References, EdgeType::Calls])? {
        known.insert((occurrences.path(used.file)?, used.line));
    }
    for span in named.into_iter().flat_map(|node| node.spans) {
        known.insert((span.path, span.name_line));
    }
    found.retain(|place| {
        let is_script = Dialect::of_path(&place.path).is_some_and(|it| it != Dialect::CSharp);
        let is_known = known.contains(&(place.path.clone(), place.line));
        let source = place.source.as_deref().unwrap_or_default();
        let is_comment = ["//", "*", "/*"]
            .iter()
            .any(|mark| source.starts_with(mark));
        is_script && !is_comment && !is_known && !is_declared(source, name)
    });
    Ok(found)
}

/// Reports whether a line gives a name one of the basic types: `(total: number)`.
fn is_declared(line: &str, name: &str) -> bool {
    let keys = line.match_indices(name).filter_map(|(at, _)| {
        let after = line[at + name.len()..].trim_start_matches(['\'', '"', '?']);
        let value = after.strip_prefix(':')?;
        (!line[..at].ends_with(is_of_name)).then(|| value.trim_start())
    });
    let is_type = |value: &str| {
        TYPES.iter().any(|name| {
            let rest = value.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(is_of_name) && !rest.starts_with(['.', '(']))
        })
    };
    let mut keys = keys.peekable();
    keys.peek().is_some() && keys.all(is_type)
}

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
pub(in crate::query) fn is_of_name(c: char) -> bool {
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
    fn a_basic_type_declares_a_name() {
        for (line, expected) in [
            ("total: number;", true),
            ("add(total: string)", true),
            ("total: numbers,", false),
            ("totalCount: x, total: number", true),
            ("{ subtotal: number, total: compute() }", false),
            ("f(total: number) { return { total: total } }", false),
            ("total: Date.now(),", false),
            ("total: { increment: 1 }", false),
        ] {
            assert_eq!(is_declared(line, "total"), expected, "{line}");
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
