//! Opening the database file: ownership check, schema version, migrations and connection setup.
//!
//! `user_version` is the number of migrations that have run. A migration is a file in the top-level
//! `migrations/`. All pending migrations run in one transaction. Released files are never edited.
//!
//! Before the first release, the one migration may be edited. A hash of the migration texts is
//! stored in the database, so a database created from another text is refused.
//!
//! Limitations: there are no down migrations, so a newer schema is refused.

use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::store::StoreError;

/// The migrations, oldest first.
const MIGRATIONS: &[(&str, &str)] = &[
    (
        "0001_graph.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0001_graph.sql")),
    ),
    (
        "0002_unresolved_sites.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0002_unresolved_sites.sql")),
    ),
    (
        "0003_vectors.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0003_vectors.sql")),
    ),
    (
        "0004_signs.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0004_signs.sql")),
    ),
    (
        "0005_packages.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0005_packages.sql")),
    ),
    (
        "0006_object_functions.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0006_object_functions.sql")),
    ),
    (
        "0007_literals.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0007_literals.sql")),
    ),
    (
        "0008_dispatch.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0008_dispatch.sql")),
    ),
    (
        "0009_external_symbols.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0009_external_symbols.sql")),
    ),
    (
        "0010_imports.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0010_imports.sql")),
    ),
    (
        "0011_type_parameters.sql",
        include_str!(concat!(env!("MIGRATIONS"), "/0011_type_parameters.sql")),
    ),
];

/// The schema version of this code.
pub const SCHEMA_VERSION: usize = MIGRATIONS.len();

/// `_metadata`: hash of the migrations that created the tables.
const LAYOUT: &str = "layout";

/// "cdag" in ASCII: identifies a database of ours.
const APPLICATION_ID: i64 = 0x6364_6167;

/// The first SQLite version without the WAL-reset corruption bug.
const OLDEST_SQLITE: i32 = 3_051_003;

/// Maximum time that a statement waits for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time that `move_log` waits for readers.
const BRIEFLY: Duration = Duration::from_millis(100);

/// The page size applies to new databases only. The log is copied into the database at 56 MB: pages
/// written several times are copied once, and the log stays below 64 MB while a server runs.
const WRITER_PRAGMAS: &str = "
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA wal_autocheckpoint = 7168;
    PRAGMA mmap_size = 0;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
    PRAGMA foreign_keys = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
";

const READER_PRAGMAS: &str = "
    PRAGMA mmap_size = 0;
    PRAGMA cache_size = -32768;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
";

/// Opens the database for writing, creating or migrating it as needed.
pub fn open_for_writing(path: &Path) -> Result<Connection, StoreError> {
    check_sqlite()?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let version = match stored_version(&connection, path) {
        Err(StoreError::NotIndexed) => 0,
        other => other?,
    };
    note_differences(&connection);
    connection.execute_batch(WRITER_PRAGMAS)?;
    migrate(&mut connection, version)?;
    Ok(connection)
}

/// Checks that this code can read a database, and configures a read-only connection.
pub fn prepare_reader(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    check_sqlite()?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let found = stored_version(connection, path)?;
    if found < SCHEMA_VERSION {
        return Err(StoreError::Older {
            found,
            known: SCHEMA_VERSION,
        });
    }
    connection.execute_batch(READER_PRAGMAS)?;
    // For `rarray`, see `graph.rs`.
    rusqlite::vtab::array::load_module(connection)?;
    Ok(())
}

/// Returns the flags of read-only connections.
pub fn reader_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI
}

/// How thoroughly a database is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Check pages and rows.
    Quick,
    /// Also check that indexes agree with their tables.
    Whole,
}

/// Reads the whole database and returns an error if it is malformed. Wrong but well-formed values
/// are not detected.
pub fn check(path: &Path, check: Check) -> Result<(), StoreError> {
    let connection = Connection::open_with_flags(path, reader_flags())?;
    prepare_reader(&connection, path)?;
    let sql = if check == Check::Quick {
        "PRAGMA quick_check(1)"
    } else {
        "PRAGMA integrity_check(1)"
    };
    let said: String = connection.query_row(sql, [], |row| row.get(0))?;
    if said == "ok" {
        Ok(())
    } else {
        Err(StoreError::Corrupt(said))
    }
}

/// Moves the log of a killed writer into the database. The caller must hold the write lock.
pub fn move_log(path: &Path) -> Result<(), StoreError> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    prepare_reader(&connection, path)?;
    connection.busy_timeout(BRIEFLY)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// Returns the version of the linked SQLite.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// Compile options of SQLite, whether each is wanted, and the cost of a deviation.
const OPTIONS: &[(&str, bool, &str)] = &[
    (
        "DEFAULT_MEMSTATUS=0",
        true,
        "every allocation is counted under a lock",
    ),
    (
        "ENABLE_MEMORY_MANAGEMENT",
        false,
        "the page caches of all connections share a lock",
    ),
];

const COMPILE_OPTIONS: &str = "PRAGMA compile_options";

/// Lists deviations of the linked SQLite from the wanted options with their cost, one clause each.
pub fn sqlite_differences() -> Result<Vec<String>, StoreError> {
    differences(&Connection::open_in_memory()?)
}

fn differences(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(COMPILE_OPTIONS)?;
    let options: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let differs = OPTIONS
        .iter()
        .filter(|(name, is_wanted, _)| options.iter().any(|option| option == name) != *is_wanted);
    let said = |(name, is_wanted, cost): &(&str, bool, &str)| {
        format!(
            "{} {name}: {cost}",
            if *is_wanted { "without" } else { "with" }
        )
    };
    Ok(differs.map(said).collect())
}

/// Logs the deviations, once per process.
fn note_differences(connection: &Connection) {
    static NOTED: Once = Once::new();
    NOTED.call_once(|| match differences(connection) {
        Ok(differences) if !differences.is_empty() => tracing::info!(
            ?differences,
            "SQLite is compiled otherwise than it should be"
        ),
        _ => {}
    });
}

fn check_sqlite() -> Result<(), StoreError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::OldSqlite(rusqlite::version().to_owned()));
    }
    Ok(())
}

/// Returns the number of migrations a database has run; `NotIndexed` if the database is empty,
/// `Foreign` if another program created it.
fn stored_version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));

    let application = match pragma("application_id") {
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            return Err(StoreError::Foreign(path.display().to_string()));
        }
        other => other?,
    };

    let version = pragma("user_version")?;

    if application == 0 && version == 0 {
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        return Err(if tables == 0 {
            StoreError::NotIndexed
        } else {
            StoreError::Foreign(path.display().to_string())
        });
    }

    if application != APPLICATION_ID {
        return Err(StoreError::Foreign(path.display().to_string()));
    }

    let found = usize::try_from(version).unwrap_or(usize::MAX);
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer {
            found,
            known: SCHEMA_VERSION,
        });
    }

    if stored_layout(connection)?.as_deref() != Some(&layout(found)) {
        return Err(StoreError::OtherLayout);
    }

    Ok(found)
}

/// Returns the hash of the first `version` migrations.
fn layout(version: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    for (_, sql) in &MIGRATIONS[..version] {
        hasher.update(sql.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

const TABLES: &str =
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY name";

/// Returns an error if a database of another machine has tables, triggers or views other than ours.
pub fn check_layout(connection: &Connection) -> Result<(), StoreError> {
    let mut ours = Connection::open_in_memory()?;
    migrate(&mut ours, 0)?;
    if tables(connection)? == tables(&ours)? {
        Ok(())
    } else {
        Err(StoreError::OtherLayout)
    }
}

fn tables(connection: &Connection) -> Result<Vec<[String; 4]>, StoreError> {
    let mut statement = connection.prepare(TABLES)?;
    let rows = statement.query_map([], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const HAS_METADATA: &str = "SELECT 1 FROM sqlite_master WHERE name = '_metadata'";
const GET_METADATA: &str = "SELECT value FROM _metadata WHERE key = ?1";
const SET_METADATA: &str = "INSERT OR REPLACE INTO _metadata VALUES (?1, ?2)";

fn stored_layout(connection: &Connection) -> Result<Option<String>, StoreError> {
    if connection
        .query_row(HAS_METADATA, [], |_| Ok(()))
        .optional()?
        .is_none()
    {
        return Ok(None);
    }
    Ok(connection
        .query_row(GET_METADATA, [LAYOUT], |row| row.get(0))
        .optional()?)
}

fn migrate(connection: &mut Connection, from: usize) -> Result<(), StoreError> {
    migrate_to(connection, from, SCHEMA_VERSION)
}

fn migrate_to(connection: &mut Connection, from: usize, to: usize) -> Result<(), StoreError> {
    if from >= to {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for (_, sql) in &MIGRATIONS[from..to] {
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", to as i64)?;
    transaction.execute(SET_METADATA, [LAYOUT, &layout(to)])?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sql: &str) -> StoreError {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        open_for_writing(&path).unwrap_err()
    }

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "the test looks at the folder of migrations itself"
    )]
    fn every_migration_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(
            files,
            MIGRATIONS
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect::<Vec<_>>()
        );
    }

    /// The workspace sets `LIBSQLITE3_FLAGS`.
    #[test]
    fn sqlite_has_the_required_compile_options() {
        assert_eq!(sqlite_differences().unwrap(), Vec::<String>::new());
        let connection = Connection::open_in_memory().unwrap();
        let options: Vec<String> = connection
            .prepare(COMPILE_OPTIONS)
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(
            options.iter().any(|option| option == "DEFAULT_MEMSTATUS=0"),
            "the words are as SQLite says them: {options:?}"
        );
    }

    #[test]
    fn foreign_and_newer_files_are_refused() {
        assert!(matches!(
            refused("CREATE TABLE t (a)"),
            StoreError::Foreign(_)
        ));
        assert!(matches!(
            refused("PRAGMA application_id = 7"),
            StoreError::Foreign(_)
        ));
        assert!(matches!(
            refused(&format!(
                "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 99"
            )),
            StoreError::Newer { .. }
        ));
    }

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "makes a file that is no database"
    )]
    fn a_text_file_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        let text = "this is somebody's text, longer than a header of a database file would be. "
            .repeat(20);
        std::fs::write(&path, &text).unwrap();
        assert!(matches!(
            open_for_writing(&path),
            Err(StoreError::Foreign(_))
        ));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn another_layout_of_the_same_version_is_refused() {
        for sql in [
            "UPDATE _metadata SET value = 'x' WHERE key = 'layout'",
            "DELETE FROM _metadata",
            "DROP TABLE _metadata",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("index.db");
            open_for_writing(&path).unwrap().execute_batch(sql).unwrap();
            assert!(
                matches!(open_for_writing(&path), Err(StoreError::OtherLayout)),
                "{sql}"
            );

            let reader = Connection::open_with_flags(&path, reader_flags()).unwrap();
            assert!(
                matches!(prepare_reader(&reader, &path), Err(StoreError::OtherLayout)),
                "{sql}"
            );
        }
    }

    #[test]
    fn an_interrupted_migration_is_completed() {
        for (done, (_, next)) in MIGRATIONS.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("index.db");
            let mut connection = Connection::open(&path).unwrap();
            connection.execute_batch(WRITER_PRAGMAS).unwrap();
            migrate_to(&mut connection, 0, done).unwrap();

            // The process ends while the next migration runs.
            let transaction = connection.transaction().unwrap();
            transaction.execute_batch(next).unwrap();
            drop(transaction);
            drop(connection);

            let reader = Connection::open_with_flags(&path, reader_flags()).unwrap();
            assert!(
                matches!(
                    prepare_reader(&reader, &path),
                    Err(StoreError::NotIndexed | StoreError::Older { .. })
                ),
                "{done}"
            );
            drop(reader);
            assert_eq!(
                stored_version(&open_for_writing(&path).unwrap(), &path).unwrap(),
                SCHEMA_VERSION
            );
        }
    }

    #[test]
    fn opening_twice_migrates_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        drop(open_for_writing(&path).unwrap());
        assert_eq!(
            stored_version(&open_for_writing(&path).unwrap(), &path).unwrap(),
            SCHEMA_VERSION
        );
    }
}
