//! Updates of the full-text table `search`, and of `name_words`, which counts the names that
//! contain each word.
//!
//! The table is contentless, so the words of a removed row are recomputed from its node.
//!
//! Limitations: writing is fast in row order only, so pass many rows in one call.

use std::borrow::Borrow;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::model::graph::Node;
use crate::store::StoreError;
use crate::store::search::text::{SearchText, row_of};

/// Reports whether two versions of a node have the same words and the same row.
pub(in crate::store) fn same_text(a: &Node, b: &Node) -> bool {
    (
        &a.name,
        &a.qualified_name,
        &a.parameter_signature,
        &a.return_type,
        &a.doc,
    ) == (
        &b.name,
        &b.qualified_name,
        &b.parameter_signature,
        &b.return_type,
        &b.doc,
    ) && (a.language, a.node_type, &a.project_id, row_of(a))
        == (b.language, b.node_type, &b.project_id, row_of(b))
}

const INSERT: &str =
    "INSERT INTO search (rowid, name, container, signature, doc) VALUES (?1, ?2, ?3, ?4, ?5)";

/// Adds the rows of nodes, which are in the order of [`row_of`].
pub(in crate::store) fn insert(
    connection: &Connection,
    nodes: impl Iterator<Item = impl Borrow<Node>>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(INSERT)?;
    let mut text = SearchText::default();
    let mut counts = WordCounts::default();

    for node in nodes {
        let node = node.borrow();
        text.read(node);
        counts.add(&text, 1);
        statement.execute(params![
            row_of(node),
            text.name,
            text.container,
            text.signature,
            node.doc.as_deref().unwrap_or_default()
        ])?;
    }

    counts.write(connection)
}

const DELETE: &str = "INSERT INTO search (search, rowid, name, container, signature, doc) VALUES ('delete', ?1, ?2, ?3, ?4, ?5)";

/// Removes the row of a node; `node` must be as it was inserted.
pub(in crate::store) fn delete(connection: &Connection, node: &Node) -> Result<(), StoreError> {
    let mut text = SearchText::default();
    text.read(node);
    let values = params![
        row_of(node),
        text.name,
        text.container,
        text.signature,
        node.doc.as_deref().unwrap_or_default()
    ];
    connection.prepare_cached(DELETE)?.execute(values)?;
    let mut counts = WordCounts::default();
    counts.add(&text, -1);
    counts.write(connection)
}

/// Changes to the number of names that contain each word.
#[derive(Default)]
struct WordCounts(FxHashMap<String, i64>);

const COUNT: &str = "INSERT INTO name_words VALUES (?1, ?2) ON CONFLICT (word) DO UPDATE SET names = names + excluded.names";
const FORGET: &str = "DELETE FROM name_words WHERE word = ?1 AND names <= 0";

impl WordCounts {
    fn add(&mut self, text: &SearchText, by: i64) {
        for word in text.words.words() {
            match self.0.get_mut(word) {
                Some(count) => *count += by,
                None => drop(self.0.insert(word.to_owned(), by)),
            }
        }
    }

    fn write(self, connection: &Connection) -> Result<(), StoreError> {
        let mut words: Vec<(String, i64)> = self.0.into_iter().collect();
        words.sort_unstable();
        let (mut count, mut forget) = (
            connection.prepare_cached(COUNT)?,
            connection.prepare_cached(FORGET)?,
        );
        for (word, by) in words {
            count.execute(params![word, by])?;
            if by < 0 {
                forget.execute([&word])?;
            }
        }
        Ok(())
    }
}

const DELETE_ALL: &str = "INSERT INTO search (search) VALUES ('delete-all')";
const DELETE_WORDS: &str = "DELETE FROM name_words";

/// Removes all rows.
pub(in crate::store) fn delete_all(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(DELETE_ALL, [])?;
    connection.execute(DELETE_WORDS, [])?;
    Ok(())
}

/// Memory for new postings, in bytes: large for a full write, small otherwise.
const SET_HASH_SIZE: &str = "INSERT INTO search (search, rank) VALUES ('hashsize', ?1)";

pub(in crate::store) fn set_hash_size(
    connection: &Connection,
    bytes: i64,
) -> Result<(), StoreError> {
    connection.execute(SET_HASH_SIZE, [bytes])?;
    Ok(())
}
