//! Unresolved sites by name or by file: `unresolved`.

use rusqlite::{Row, params};

use crate::store::codec::unpack_sorted;
use crate::store::files::has_written_form;
use crate::store::{FileKey, Snapshot, StoreError, UnresolvedSite};

fn sites(row: &Row<'_>, from: usize) -> Result<Vec<UnresolvedSite>, StoreError> {
    let numbers = |index| {
        Ok::<_, StoreError>(unpack_sorted(
            row.get_ref(index)?.as_blob().unwrap_or_default(),
        ))
    };
    let (lines, columns) = (numbers(from)?, numbers(from + 1)?);
    let site = |(line, column): (u32, u32)| UnresolvedSite {
        line,
        column: column >> 1,
        is_call: column & 1 == 1,
    };
    Ok(lines.into_iter().zip(columns).map(site).collect())
}

const OF_NAME: &str = "SELECT f.path, u.lines, u.columns FROM unresolved u JOIN files f ON f.id = u.file_id WHERE u.name = ?1 \
    ORDER BY f.path LIMIT ?2";

/// Returns the unresolved sites of a name in the first `limit` files, by path.
pub fn unresolved_sites_of(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<(String, Vec<UnresolvedSite>)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(OF_NAME)?;
    let mut rows = statement.query(params![name, i64::try_from(limit).unwrap_or(i64::MAX)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((row.get(0)?, sites(row, 1)?));
    }
    Ok(found)
}

/// The unresolved sites of a name in one file.
#[derive(Clone, Debug)]
pub struct UnresolvedFile {
    pub path: String,
    pub project_id: String,
    /// Whether people wrote the file; see [`is_written`](crate::store::is_written).
    pub is_written: bool,
    pub sites: Vec<UnresolvedSite>,
}

const FILES_OF_NAME: &str = "SELECT f.path, f.project_id, f.bytes, f.lines, u.lines, u.columns FROM unresolved u JOIN files f ON f.id = u.file_id \
    WHERE u.name = ?1 ORDER BY f.path LIMIT ?2";

/// Returns the first `limit` files with unresolved sites of a name, by path.
pub fn unresolved_files_of(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<UnresolvedFile>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FILES_OF_NAME)?;
    let mut rows = statement.query(params![name, i64::try_from(limit).unwrap_or(i64::MAX)])?;
    let mut found = Vec::new();

    while let Some(row) = rows.next()? {
        let path: String = row.get(0)?;
        found.push(UnresolvedFile {
            is_written: has_written_form(&path, row.get(2)?, row.get(3)?),
            path,
            project_id: row.get(1)?,
            sites: sites(row, 4)?,
        });
    }

    Ok(found)
}

const IN_FILE: &str =
    "SELECT name, lines, columns FROM unresolved WHERE file_id = ?1 ORDER BY name";

/// Returns the unresolved names of a file and their sites.
pub fn unresolved_in_file(
    snapshot: &Snapshot,
    file: FileKey,
) -> Result<Vec<(String, Vec<UnresolvedSite>)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(IN_FILE)?;
    let mut rows = statement.query([file.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((row.get(0)?, sites(row, 1)?));
    }
    Ok(found)
}
