//! Symbols by the last words of their names.

use crate::model::graph::{Node, NodeFlags};
use crate::store::codec::stored_id;
use crate::store::nodes::select_nodes;
use crate::store::search::query::{all_of, quoted};
use crate::store::search::text::{SymbolName, node_of};
use crate::store::{Snapshot, StoreError};

const WITH_WORDS: &str = "SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid LIMIT 5000";

/// Returns at most `limit` symbols whose names end with these lower-case words, without local ones:
/// `job definition` finds `SEAL_JOB_DEFINITION` and `JobDefinition`.
pub fn names_ending_with(
    snapshot: &Snapshot,
    words: &[String],
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    let parts: Vec<String> = words
        .iter()
        .map(|word| format!("name : {}", quoted(word)))
        .collect();
    let connection = snapshot.connection();
    let mut statement = connection.prepare_cached(WITH_WORDS)?;
    let rows: Vec<i64> = statement
        .query_map([all_of(&parts)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;

    let mut nodes = Vec::new();
    for row in rows {
        let id = stored_id(node_of(row));
        let found = select_nodes(connection, "WHERE n.id = ?1", &[&id])?;
        nodes.extend(found.into_iter().filter(|node| {
            !node.flags.has(NodeFlags::LOCAL) && ends_with(&SymbolName::of(&node.name), words)
        }));
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
