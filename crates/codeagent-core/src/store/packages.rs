//! Files and folders of packages that a batch read: `packages`.

use codeagent_workspace::Stamp;
use rusqlite::{Connection, params};

use crate::store::codec::hash_column;
use crate::store::{FactsKey, Snapshot, StoreError};

/// A package file or folder that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRow {
    /// Repo-relative path, or a path in the user's package folder with a prefix.
    pub path: String,
    /// Size in bytes on disk; 0 for a folder.
    pub size: u64,
    /// Identity and change time on disk when it was read.
    pub stamp: Stamp,
    /// Hash of the file's bytes or of the names of a folder's entries.
    pub hash: [u8; 32],
    /// Key of the facts, if it is a declaration file.
    pub facts_key: Option<FactsKey>,
}

const SELECT: &str =
    "SELECT path, size, changed, inode, hash, facts_key FROM packages ORDER BY path";

/// Returns all rows by path.
pub fn package_rows(snapshot: &Snapshot) -> Result<Vec<PackageRow>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SELECT)?;
    let mut rows = statement.query([])?;
    let mut packages = Vec::new();

    while let Some(row) = rows.next()? {
        let has_facts = row.get_ref(5)?.as_blob_or_null().ok().flatten().is_some();

        packages.push(PackageRow {
            path: row.get(0)?,
            size: row.get::<_, i64>(1)? as u64,
            stamp: Stamp {
                changed_ns: row.get(2)?,
                inode: row.get::<_, i64>(3)? as u64,
            },
            hash: hash_column(row, 4)?,
            facts_key: if has_facts {
                Some(FactsKey(hash_column(row, 5)?))
            } else {
                None
            },
        });
    }

    Ok(packages)
}

/// Returns all paths in order.
pub fn package_paths(snapshot: &Snapshot) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot
        .connection()
        .prepare_cached("SELECT path FROM packages ORDER BY path")?;
    let paths = statement.query_map([], |row| row.get(0))?;
    Ok(paths.collect::<Result<_, _>>()?)
}

const INSERT: &str = "INSERT INTO packages VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(super) fn replace(connection: &Connection, packages: &[PackageRow]) -> Result<(), StoreError> {
    connection.execute("DELETE FROM packages", [])?;
    let mut statement = connection.prepare_cached(INSERT)?;
    for row in packages {
        let key = row.facts_key.map(|key| key.0.to_vec());
        statement.execute(params![
            row.path,
            row.size as i64,
            row.stamp.changed_ns,
            row.stamp.inode as i64,
            &row.hash[..],
            key
        ])?;
    }
    Ok(())
}
