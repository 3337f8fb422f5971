//! Lookup of symbols by id or by qualified name.

use crate::model::graph::{Language, Node, NodeId, ParseStatus};
use crate::query::QueryError;
use crate::store::{self, Snapshot, StoreError};

/// Maximum number of similar names returned.
const NEAREST: usize = 5;

/// Maximum number of symbols with a bare name that are compared with the end of a qualified name.
const MAX_SAME_NAME: usize = 10_000;

/// A symbol with its details.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Symbol {
    /// The node with all its declaration sites, primary first.
    pub node: Node,
    /// How well the file of its primary declaration was parsed.
    pub parse_status: ParseStatus,
    /// Number of incoming uses, except `contains` and `overrides`.
    pub reference_count: u64,
}

/// Returns the symbol with this id.
pub fn get_node(snapshot: &Snapshot, id: NodeId) -> Result<Option<Symbol>, QueryError> {
    let Some(mut node) = store::node(snapshot, id)? else {
        return Ok(None);
    };
    node.spans = store::spans_of(snapshot, id)?;
    let parse_status = match node.spans.first() {
        Some(span) => store::file_by_path(snapshot, &span.path)?
            .map_or(ParseStatus::Failed, |file| file.parse_status),
        None => ParseStatus::Full,
    };
    Ok(Some(Symbol {
        node,
        parse_status,
        reference_count: store::reference_count(snapshot, id)?,
    }))
}

/// How a symbol matches a requested qualified name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// Its qualified name equals the requested one.
    Exact,
    /// Its qualified name ends with the requested one.
    Suffix,
}

/// Returns the symbols with a qualified name, optionally of one language and project; if there are
/// none, those whose qualified name ends with its segments.
pub fn get_node_by_qualified_name(
    snapshot: &Snapshot,
    qualified_name: &str,
    language: Option<Language>,
    project_id: Option<&str>,
) -> Result<Vec<(Node, Match)>, QueryError> {
    let wanted = |node: &Node| {
        language.is_none_or(|language| node.language == language)
            && project_id.is_none_or(|id| node.project_id == id)
    };
    let mut nodes = store::by_qualified_name(snapshot, qualified_name)?;
    nodes.retain(wanted);
    let how = if nodes.is_empty() {
        Match::Suffix
    } else {
        Match::Exact
    };

    if nodes.is_empty() {
        nodes = with_suffix(snapshot, qualified_name)?;
        nodes.retain(wanted);
    }

    nodes.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    Ok(nodes.into_iter().map(|node| (node, how)).collect())
}

/// Returns the sort key: qualified name, path and line.
fn sort_key(node: &Node) -> (&str, &str, u32, NodeId) {
    let span = node.spans.first();
    (
        &node.qualified_name,
        span.map_or("", |span| span.path.as_str()),
        span.map_or(0, |span| span.name_line),
        node.id,
    )
}

/// Returns the symbols whose qualified name ends with these segments, found by their bare name.
fn with_suffix(snapshot: &Snapshot, suffix: &str) -> Result<Vec<Node>, StoreError> {
    let mut nodes = Vec::new();
    for name in bare_names(suffix) {
        let ending = store::by_name_within(snapshot, name, suffix, MAX_SAME_NAME)?;
        nodes.extend(
            ending
                .into_iter()
                .filter(|node| ends_with_segments(&node.qualified_name, suffix)),
        );
    }
    nodes.sort_by_key(|node| node.id);
    nodes.dedup_by_key(|node| node.id);
    Ok(nodes)
}

/// Returns the possible bare names at the end of a qualified name. There are several, because a
/// bare name may contain separators.
fn bare_names(suffix: &str) -> impl Iterator<Item = &str> {
    let starts = suffix.match_indices(is_separator).map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(starts)
        .map(|at| &suffix[at..])
        .filter(|name| !name.is_empty())
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | '#' | '/')
}

fn ends_with_segments(qualified_name: &str, suffix: &str) -> bool {
    qualified_name
        .strip_suffix(suffix)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(is_separator))
}

fn last_segments(name: &str, count: usize) -> &str {
    name.rmatch_indices(is_separator)
        .nth(count.saturating_sub(1))
        .map_or(name, |(at, _)| &name[at + 1..])
}

/// Returns similar qualified names, nearest first.
pub fn nearest(snapshot: &Snapshot, qualified_name: &str) -> Result<Vec<String>, QueryError> {
    let name = qualified_name
        .rsplit(is_separator)
        .next()
        .unwrap_or(qualified_name);
    let mut found = Vec::new();
    for name in store::nearest_names(snapshot, name, NEAREST)? {
        found.extend(
            store::by_name(snapshot, &name, NEAREST)?
                .into_iter()
                .map(|node| node.qualified_name),
        );
    }

    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|name| seen.insert(name.clone()));

    // Among several containers, the one most similar to the requested one comes first.
    let segments = qualified_name.split(is_separator).count();
    found.sort_by_cached_key(|name| {
        strsim::levenshtein(qualified_name, last_segments(name, segments))
    });
    found.truncate(NEAREST);

    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_suffix_starts_at_a_segment() {
        assert!(ends_with_segments("A.B.CartService.Add", "CartService.Add"));
        assert!(ends_with_segments("src/a.ts#Cart.add", "Cart.add"));
        assert!(ends_with_segments("src/a.ts#Cart.add", "a.ts#Cart.add"));
        assert!(!ends_with_segments("A.B.CartService.Add", "Service.Add"));
    }

    #[test]
    fn names_may_contain_separators() {
        assert_eq!(
            bare_names("C.operator .x").collect::<Vec<_>>(),
            ["C.operator .x", "operator .x", "x"]
        );
    }
}
