//! Facts and graphs for other machines: the facts of all files by key, and the whole graph.
//!
//! A shared graph has no facts, no file times and no root, so that a machine that takes it over
//! compares every file by content. Files with a problem count as never read: they are tried again.

use std::path::Path;

use rusqlite::Connection;

use crate::store::codec::hash_column;
use crate::store::facts;
use crate::store::schema::{check_layout, open_for_writing};
use crate::store::{FactsKey, ROOT, SCANNED_AT, Snapshot, StoreError, copy_database};
use crate::versions::{FACTS_VERSION, LINK_VERSION};

/// Versions of what is shared. Facts and graphs of other versions are of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedVersions {
    /// Version of facts.
    pub facts: &'static str,
    /// Version of graphs made of these facts.
    pub graph: &'static str,
}

/// Returns the versions of this program.
#[must_use]
pub fn shared_versions() -> SharedVersions {
    SharedVersions {
        facts: FACTS_VERSION,
        graph: LINK_VERSION,
    }
}

const KEYS: &str = "SELECT DISTINCT facts.key FROM facts JOIN files ON files.facts_key = facts.key \
    WHERE files.problem IS NULL ORDER BY facts.key";

/// Returns the keys of the facts of all files without a problem, sorted.
pub fn shared_keys(snapshot: &Snapshot) -> Result<Vec<FactsKey>, StoreError> {
    let mut statement = snapshot.connection().prepare(KEYS)?;
    let mut rows = statement.query([])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.push(FactsKey(hash_column(row, 0)?));
    }
    Ok(keys)
}

const NO_FACTS: &str = "DELETE FROM facts";

/// The stamp is that of no file. Rows about missing files have no stamp, and keep none.
const NO_TIMES: [&str; 4] = [
    "UPDATE files SET changed = -1, inode = 0 WHERE changed <> -1 OR inode <> 0",
    "UPDATE files SET hash = zeroblob(32) WHERE problem IS NOT NULL",
    "UPDATE inputs SET changed = -1, inode = 0 WHERE changed NOT IN (0, -1) OR inode <> 0",
    "UPDATE packages SET changed = -1, inode = 0 WHERE changed NOT IN (0, -1) OR inode <> 0",
];

const SET: &str = "INSERT OR REPLACE INTO _metadata (key, value) VALUES (?1, ?2)";
const UNSET: &str = "DELETE FROM _metadata WHERE key = ?1";

/// Writes the graph of a snapshot into an empty database.
pub fn copy_graph(snapshot: &Snapshot, to: &Path) -> Result<(), StoreError> {
    copy_database(snapshot, to)?;
    let connection = open_for_writing(to)?;
    connection.execute(NO_FACTS, [])?;
    forget_machine(&connection)?;
    connection.execute(UNSET, [ROOT])?;
    connection.execute_batch("VACUUM; PRAGMA journal_mode = DELETE")?;
    Ok(())
}

/// A database with a graph that was made elsewhere, before it becomes an index. It is written
/// without a journal: if anything fails, it is discarded.
pub struct GraphDatabase(Connection);

impl GraphDatabase {
    /// Prepares the graph for the index of this root. Returns an error if it is not a database with
    /// exactly our tables.
    pub fn open(database: &Path, root_mark: &str) -> Result<Self, StoreError> {
        let connection = open_for_writing(database)?;
        connection.execute_batch("PRAGMA journal_mode = OFF; BEGIN")?;
        check_layout(&connection)?;
        connection.execute(NO_FACTS, [])?;
        forget_machine(&connection)?;
        connection.execute(SET, [ROOT, root_mark])?;
        Ok(Self(connection))
    }

    /// Stores packed facts.
    pub fn put_facts(&self, key: &FactsKey, blob: &[u8]) -> Result<(), StoreError> {
        facts::insert(&self.0, key, blob)
    }

    /// Returns the packed facts under a key.
    pub fn packed_facts(&self, key: &FactsKey) -> Result<Option<Vec<u8>>, StoreError> {
        facts::packed(&self.0, key)
    }

    /// Writes everything to the file, and closes it in the mode of an index.
    pub fn close(self) -> Result<(), StoreError> {
        self.0.execute_batch("COMMIT; PRAGMA journal_mode = WAL")?;
        Ok(())
    }
}

/// Removes what is true of one machine only.
fn forget_machine(connection: &Connection) -> Result<(), StoreError> {
    for statement in NO_TIMES {
        connection.execute(statement, [])?;
    }
    connection.execute(SET, [SCANNED_AT, "0"])?;
    Ok(())
}
