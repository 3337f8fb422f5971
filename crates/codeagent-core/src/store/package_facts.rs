//! Facts of package declarations that all indexes of the user share, in a database of their own.
//!
//! A row holds the packed facts of one text, under the key that covers everything they depend on
//! ([`FactsKey`]), and a hash of both. A row that is damaged in any way reads as missing, so the
//! caller parses the text and the row is replaced. Rows of other versions have other keys.
//!
//! Limitations: the caller holds the lock of the file while it writes. A database that cannot be
//! written, or that exceeds [`MAX_BYTES`], is removed and filled again.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::store::schema::reader_flags;
use crate::store::{FactsKey, StoreError};

/// Size at which the file is started over, in bytes; the facts of a large `node_modules` have 20 MB.
const MAX_BYTES: u64 = 1 << 30;

/// Format of the file.
const FORMAT: i64 = 1;

/// Settings of all connections. The time-out, in milliseconds, is for the locks of other processes.
const PRAGMAS: &str = "
    PRAGMA busy_timeout = 1000;
    PRAGMA mmap_size = 0;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
";

const WRITER_PRAGMAS: &str = "
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
";

const CREATE: &str = "CREATE TABLE IF NOT EXISTS facts (\
    key BLOB NOT NULL PRIMARY KEY, seal BLOB NOT NULL, data BLOB NOT NULL) STRICT";
const SELECT: &str = "SELECT seal, data FROM facts WHERE key = ?1";
const INSERT: &str = "INSERT OR REPLACE INTO facts (key, seal, data) VALUES (?1, ?2, ?3)";

/// A connection that reads shared facts.
pub struct PackageFacts(Connection);

impl PackageFacts {
    /// Opens the database; `None` if there is none, or none that can be read.
    pub fn open(path: &Path) -> Option<Self> {
        let connection = Connection::open_with_flags(path, reader_flags()).ok()?;
        connection.execute_batch(PRAGMAS).ok()?;
        (format(&connection).ok()? == FORMAT).then_some(Self(connection))
    }

    /// Returns the packed facts of a key, if present and intact.
    pub fn find(&self, key: &FactsKey) -> Option<Vec<u8>> {
        let mut statement = self.0.prepare_cached(SELECT).ok()?;
        let row = statement
            .query_row([&key.0[..]], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            })
            .optional();

        let (sealed, blob) = row.ok()??;
        (sealed == seal(key, &blob)).then_some(blob)
    }
}

/// Adds facts to the database at `path`, creating or replacing it if needed. `remove` deletes its
/// files.
pub fn add_package_facts(
    path: &Path,
    facts: &[(FactsKey, Vec<u8>)],
    remove: &dyn Fn() -> bool,
) -> Result<(), StoreError> {
    let is_full = path
        .metadata()
        .is_ok_and(|metadata| metadata.len() > MAX_BYTES);
    if is_full && !remove() {
        return Ok(());
    }

    match insert(path, facts) {
        // The file is derived from the packages, so it can be replaced.
        Err(StoreError::Corrupt(reason)) if remove() => {
            tracing::debug!(reason, "the shared facts of packages are damaged");
            insert(path, facts)
        }
        other => other,
    }
}

fn insert(path: &Path, facts: &[(FactsKey, Vec<u8>)]) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(PRAGMAS)?;
    connection.execute_batch(WRITER_PRAGMAS)?;

    match format(&connection)? {
        FORMAT => {}
        0 => connection.execute_batch(&format!("{CREATE}; PRAGMA user_version = {FORMAT}"))?,
        other => return Err(StoreError::Corrupt(format!("format {other}"))),
    }

    let transaction = connection.transaction()?;
    {
        let mut statement = transaction.prepare(INSERT)?;
        for (key, blob) in facts {
            statement.execute(params![&key.0[..], seal(key, blob), blob])?;
        }
    }
    transaction.commit()?;
    Ok(())
}

fn format(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Hashes a key and its blob, so that neither a flipped bit nor a mixed-up row goes unnoticed.
fn seal(key: &FactsKey, blob: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&key.0).update(blob);
    hasher.finalize().as_bytes()[..16].to_vec()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "damages files as others would")]
mod tests {
    use super::*;

    fn key(number: u8) -> FactsKey {
        FactsKey([number; 32])
    }

    fn rows() -> Vec<(FactsKey, Vec<u8>)> {
        (0..40)
            .map(|number| (key(number), vec![number; 3_000]))
            .collect()
    }

    fn remover(path: &Path) -> impl Fn() -> bool {
        let path = path.to_owned();
        move || {
            ["", "-wal", "-shm"].iter().for_each(|end| {
                std::fs::remove_file(format!("{}{end}", path.display())).ok();
            });
            !path.exists()
        }
    }

    #[test]
    fn facts_are_found_under_their_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        assert!(PackageFacts::open(&path).is_none());

        add_package_facts(&path, &rows(), &remover(&path)).unwrap();
        add_package_facts(&path, &rows(), &remover(&path)).unwrap();
        let facts = PackageFacts::open(&path).unwrap();
        assert_eq!(facts.find(&key(7)), Some(vec![7; 3_000]));
        assert_eq!(facts.find(&key(41)), None);
    }

    #[test]
    fn a_damaged_file_never_gives_other_facts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        add_package_facts(&path, &rows(), &remover(&path)).unwrap();
        let whole = std::fs::read(&path).unwrap();

        for at in (0..whole.len()).step_by(311) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x15;
            std::fs::write(&path, &damaged).unwrap();
            if let Some(facts) = PackageFacts::open(&path) {
                for (key, blob) in rows() {
                    let found = facts.find(&key);
                    assert!(found.is_none_or(|found| found == blob), "a byte at {at}");
                }
            }
        }
    }

    #[test]
    fn a_damaged_file_is_filled_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        add_package_facts(&path, &rows(), &remover(&path)).unwrap();
        let whole = std::fs::read(&path).unwrap();

        let half = whole[..whole.len() / 2].to_vec();
        let other = b"the file of another program".repeat(400);
        let holed = [&whole[..8192], &vec![0xff; whole.len() - 8192]].concat();
        for damaged in [half, other, holed, Vec::new()] {
            std::fs::write(&path, &damaged).unwrap();
            add_package_facts(&path, &rows(), &remover(&path)).unwrap();
            let facts = PackageFacts::open(&path).unwrap();
            for (key, blob) in rows() {
                assert_eq!(facts.find(&key), Some(blob));
            }
        }
    }

    #[test]
    fn a_file_of_another_format_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        let newer = Connection::open(&path).unwrap();
        newer
            .execute_batch("CREATE TABLE facts (other); PRAGMA user_version = 99")
            .unwrap();
        drop(newer);

        assert!(PackageFacts::open(&path).is_none());
        add_package_facts(&path, &rows(), &remover(&path)).unwrap();
        assert_eq!(
            PackageFacts::open(&path).unwrap().find(&key(1)),
            Some(vec![1; 3_000])
        );
    }
}
