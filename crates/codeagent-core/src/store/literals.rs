//! String literals, names in inactive code and labels of callbacks: `literals`, `file_literals`,
//! `callbacks`.
//!
//! `literals` only records which files have a literal or such a name; text and lines are in their
//! facts. A hash collision makes a query read the facts of an unrelated file.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::model::facts::{Callback, Facts, Sym, inactive_key, literal_key};
use crate::store::bulk;
use crate::store::codec::{pack_sorted, unpack_sorted};
use crate::store::{FileKey, RowList, Snapshot, StoreError, is_test_path};

/// The literals and callbacks of one file, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiteralRow {
    pub file: FileKey,
    /// Hashes of the keys of literals and inactive names, sorted and distinct.
    pub key_hashes: Vec<u32>,
    /// Callbacks, sorted and distinct.
    pub callbacks: Vec<Callback>,
}

impl LiteralRow {
    /// Returns the row of a file, made from its facts.
    #[must_use]
    pub fn new(file: FileKey, facts: &Facts) -> Self {
        let texts: BTreeSet<Sym> = facts.literals.iter().map(|literal| literal.text).collect();
        let inactive: BTreeSet<Sym> = facts.inactive_names.iter().map(|each| each.name).collect();

        let literals = texts.into_iter().map(|text| key_hash(facts.text(text)));
        let names = inactive
            .into_iter()
            .map(|name| key_hash(&inactive_key(facts.text(name))));
        let hashes: BTreeSet<u32> = literals.chain(names).collect();
        let mut callbacks = facts.callbacks.clone();
        callbacks.dedup();
        Self {
            file,
            key_hashes: hashes.into_iter().collect(),
            callbacks,
        }
    }
}

fn key_hash(text: &str) -> u32 {
    let hash = blake3::hash(literal_key(text).as_bytes());
    u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

/// Returns a hash as a signed 32-bit number, for which SQLite's encoding is shortest.
fn stored(hash: u32) -> i32 {
    hash.cast_signed()
}

/// Writes the rows of a graph into empty tables.
pub(super) fn insert_all(
    connection: &Connection,
    rows: RowList<LiteralRow>,
) -> Result<(), StoreError> {
    let mut literals: Vec<(i32, FileKey)> = Vec::new();
    for row in rows.into_rows() {
        let row = row?;
        literals.extend(row.key_hashes.iter().map(|hash| (stored(*hash), row.file)));
        write_hashes(connection, &row)?;
        insert_callbacks(connection, &row)?;
    }
    literals.sort_unstable();
    insert_literals(connection, &literals)
}

pub(super) fn replace(connection: &Connection, row: &LiteralRow) -> Result<(), StoreError> {
    let before = hashes_of(connection, row.file)?;
    if before != row.key_hashes {
        let gone = before
            .iter()
            .filter(|hash| row.key_hashes.binary_search(hash).is_err());
        for hash in gone {
            delete_literal(connection, *hash, row.file)?;
        }

        let mut added: Vec<(i32, FileKey)> = row
            .key_hashes
            .iter()
            .filter(|hash| before.binary_search(hash).is_err())
            .map(|hash| (stored(*hash), row.file))
            .collect();
        added.sort_unstable();
        insert_literals(connection, &added)?;
        write_hashes(connection, row)?;
    }

    delete_callbacks(connection, row.file)?;
    insert_callbacks(connection, row)
}

pub(super) fn delete(connection: &Connection, file: FileKey) -> Result<(), StoreError> {
    for hash in hashes_of(connection, file)? {
        delete_literal(connection, hash, file)?;
    }
    connection
        .prepare_cached(DELETE_HASHES)?
        .execute([file.0])?;
    delete_callbacks(connection, file)
}

fn insert_literals(connection: &Connection, literals: &[(i32, FileKey)]) -> Result<(), StoreError> {
    bulk::insert(
        connection,
        ("literals", 2),
        literals.iter(),
        |(hash, file), values| {
            values.push(*hash)?;
            values.push(file.0)
        },
    )
}

const DELETE_LITERAL: &str = "DELETE FROM literals WHERE key_hash = ?1 AND file_id = ?2";

fn delete_literal(connection: &Connection, hash: u32, file: FileKey) -> Result<(), StoreError> {
    connection
        .prepare_cached(DELETE_LITERAL)?
        .execute(params![stored(hash), file.0])?;
    Ok(())
}

const UPSERT_HASHES: &str = "INSERT OR REPLACE INTO file_literals VALUES (?1, ?2)";
const DELETE_HASHES: &str = "DELETE FROM file_literals WHERE file_id = ?1";

fn write_hashes(connection: &Connection, row: &LiteralRow) -> Result<(), StoreError> {
    if row.key_hashes.is_empty() {
        connection
            .prepare_cached(DELETE_HASHES)?
            .execute([row.file.0])?;
    } else {
        let hashes = pack_sorted(row.key_hashes.iter().copied());
        connection
            .prepare_cached(UPSERT_HASHES)?
            .execute(params![row.file.0, hashes])?;
    }
    Ok(())
}

const HASHES: &str = "SELECT key_hashes FROM file_literals WHERE file_id = ?1";

fn hashes_of(connection: &Connection, file: FileKey) -> Result<Vec<u32>, StoreError> {
    let hashes = connection
        .prepare_cached(HASHES)?
        .query_row([file.0], |row| {
            Ok(unpack_sorted(row.get_ref(0)?.as_blob().unwrap_or_default()))
        })
        .optional()?;
    Ok(hashes.unwrap_or_default())
}

fn insert_callbacks(connection: &Connection, row: &LiteralRow) -> Result<(), StoreError> {
    bulk::insert(
        connection,
        ("callbacks", 4),
        row.callbacks.iter(),
        |callback, values| {
            values.push(row.file.0)?;
            values.push(callback.start)?;
            values.push(callback.end)?;
            values.push(callback.label.as_str())
        },
    )
}

const DELETE_CALLBACKS: &str = "DELETE FROM callbacks WHERE file_id = ?1";

fn delete_callbacks(connection: &Connection, file: FileKey) -> Result<(), StoreError> {
    connection
        .prepare_cached(DELETE_CALLBACKS)?
        .execute([file.0])?;
    Ok(())
}

const FILES_WITH: &str = "SELECT f.path FROM literals l JOIN files f ON f.id = l.file_id WHERE l.key_hash = ?1 ORDER BY f.path LIMIT ?2";

/// Returns the first `limit` files, by path, that may have a literal with the key of `text`.
pub fn files_with_literal(
    snapshot: &Snapshot,
    text: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FILES_WITH)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![stored(key_hash(text)), limit], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const COUNT_FILES_WITH: &str = "SELECT count(*) FROM literals WHERE key_hash = ?1";

/// Counts the files that may have a literal with the key of `text`.
pub fn count_files_with_literal(snapshot: &Snapshot, text: &str) -> Result<u64, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(COUNT_FILES_WITH)?;
    Ok(statement.query_row([stored(key_hash(text))], |row| row.get::<_, i64>(0))? as u64)
}

const CALLBACKS: &str = "SELECT line_start, line_end, label FROM callbacks WHERE file_id = ?1 ORDER BY line_start, line_end, label";

/// Returns the labelled callbacks of a file, by position.
pub fn callbacks_of(snapshot: &Snapshot, file: FileKey) -> Result<Vec<Callback>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(CALLBACKS)?;
    let rows = statement.query_map([file.0], |row| {
        Ok(Callback {
            start: row.get(0)?,
            end: row.get(1)?,
            label: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The first quotation mark of a label begins its title; the path of the file may have words of the rest. Mocks of
/// modules (`jest.mock "./a"`) are no tests.
const TITLED: &str = "SELECT f.path, c.line_start FROM callbacks c JOIN files f ON f.id = c.file_id WHERE instr(c.label, '\"') > 0 AND substr(c.label, 1, instr(c.label, '\"') - 1) NOT LIKE '%mock ' AND NOT EXISTS ( SELECT 1 FROM json_each(?1) word WHERE instr(lower(substr(c.label, instr(c.label, '\"')) || f.path), word.value) = 0 ) ORDER BY f.path, c.line_start";

const TITLED_IN_FILE: &str = "SELECT c.line_start FROM callbacks c JOIN files f ON f.id = c.file_id \
    WHERE f.path = ?1 AND (c.label GLOB 'it[ .]*\"*' OR c.label GLOB 'test[ .]*\"*') ORDER BY c.line_start";

/// Returns the first lines of the tests with titles in a file: `it "adds"`, `test.each "adds"`.
pub fn titled_tests_of(snapshot: &Snapshot, path: &str) -> Result<Vec<u32>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(TITLED_IN_FILE)?;
    let lines = statement.query_map([path], |row| row.get(0))?;
    Ok(lines.collect::<Result<_, _>>()?)
}

/// Returns path and first line of at most `limit` callbacks in files of tests whose titles and paths together
/// contain all of these texts, which are in lower case.
pub fn tests_titled(
    snapshot: &Snapshot,
    texts: &[&str],
    limit: usize,
) -> Result<Vec<(String, u32)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(TITLED)?;
    let mut rows = statement.query([serde_json::json!(texts).to_string()])?;
    let mut tests = Vec::new();

    while let Some(row) = rows.next()?
        && tests.len() < limit
    {
        let path: String = row.get(0)?;
        if is_test_path(&path) {
            tests.push((path, row.get(1)?));
        }
    }

    Ok(tests)
}
