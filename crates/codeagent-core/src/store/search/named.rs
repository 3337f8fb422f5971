//! Symbols by words of their names.

use crate::model::graph::{Access, Node, NodeFlags, NodeType};
use crate::store::codec::stored_id;
use crate::store::nodes::select_nodes;
use crate::store::search::query::{all_of, quoted};
use crate::store::search::text::{SymbolName, is_test_path, node_of};
use crate::store::{Snapshot, StoreError};

const WITH_WORDS: &str = "SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid LIMIT 5000";

/// Returns at most `limit` symbols whose names end with these lower-case words, without local ones:
/// `job definition` finds `SEAL_JOB_DEFINITION` and `JobDefinition`.
pub fn names_ending_with(
    snapshot: &Snapshot,
    words: &[String],
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    matching(snapshot, &in_names(words), limit, |node| {
        !node.flags.has(NodeFlags::LOCAL) && ends_with(&SymbolName::of(&node.name), words)
    })
}

/// Returns at most `limit` functions whose names are this lower-case word and others.
pub fn names_beginning_with(
    snapshot: &Snapshot,
    word: &str,
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    matching(snapshot, &in_names(&[word.to_owned()]), limit, |node| {
        let name = SymbolName::of(&node.name);
        let mut words = name.words();
        node.node_type == NodeType::Method && words.next() == Some(word) && words.next().is_some()
    })
}

/// Returns at most `limit` types whose names consist of these lower-case words and others.
pub fn types_with_words(
    snapshot: &Snapshot,
    words: &[String],
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    matching(snapshot, &in_names(words), limit, |node| {
        let name = SymbolName::of(&node.name);
        node.node_type.is_type() && words.iter().all(|word| name.words().any(|own| own == word))
    })
}

/// Returns at most `limit` functions in files of tests, other than private ones, whose names, with those of their
/// containers, have a word with each of these beginnings, in lower case.
pub fn tests_with_beginnings(
    snapshot: &Snapshot,
    beginnings: &[&str],
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    let parts: Vec<String> = beginnings
        .iter()
        .map(|beginning| format!("{{name container}} : {}*", quoted(beginning)))
        .collect();
    matching(snapshot, &parts, limit, |node| {
        let mut paths = node.spans.iter().map(|span| span.path.as_str());
        let is_helper = node.access == Some(Access::Private);
        node.node_type == NodeType::Method && !is_helper && paths.any(is_test_path)
    })
}

/// Returns the parts of a query for names with all of these words.
fn in_names(words: &[String]) -> Vec<String> {
    words
        .iter()
        .map(|word| format!("name : {}", quoted(word)))
        .collect()
}

/// Returns at most `limit` symbols that match all parts of a query and a predicate.
fn matching(
    snapshot: &Snapshot,
    parts: &[String],
    limit: usize,
    is_wanted: impl Fn(&Node) -> bool,
) -> Result<Vec<Node>, StoreError> {
    let connection = snapshot.connection();
    let mut statement = connection.prepare_cached(WITH_WORDS)?;
    let rows: Vec<i64> = statement
        .query_map([all_of(parts)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;

    let mut nodes = Vec::new();
    for row in rows {
        let id = stored_id(node_of(row));
        let found = select_nodes(connection, "WHERE n.id = ?1", &[&id])?;
        nodes.extend(found.into_iter().filter(&is_wanted));
        if nodes.len() >= limit {
            break;
        }
    }

    Ok(nodes)
}

fn ends_with(name: &SymbolName, words: &[String]) -> bool {
    let own: Vec<&str> = name.words().collect();
    own.len() >= words.len()
        && own[own.len() - words.len()..]
            .iter()
            .zip(words)
            .all(|(own, word)| own == word)
}
