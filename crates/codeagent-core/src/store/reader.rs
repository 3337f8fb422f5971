//! Read access: a pool of read-only connections and snapshots of one generation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use r2d2::PooledConnection;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;

use crate::store::cancel::ActiveRead;
use crate::store::facts_cache::FactsCache;
use crate::store::schema::{prepare_reader, reader_flags};
use crate::store::status::Totals;
use crate::store::{Canceller, StoreError};

const STATEMENTS_CACHED: usize = 64;
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(15);

/// A pool of read-only connections. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    pool: r2d2::Pool<SqliteConnectionManager>,
    totals: Arc<Totals>,
    facts: Arc<FactsCache>,
}

impl Reader {
    /// Opens the database at `path` with at most `connections` connections.
    pub fn open(path: &Path, connections: u32) -> Result<Self, StoreError> {
        let check =
            Connection::open_with_flags(path, reader_flags()).map_err(|error| {
                match error.sqlite_error_code() {
                    Some(rusqlite::ErrorCode::CannotOpen) if !path.exists() => {
                        StoreError::NotIndexed
                    }
                    _ => StoreError::from(error),
                }
            })?;

        prepare_reader(&check, path)?;
        drop(check);

        let at = path.to_owned();
        let manager = SqliteConnectionManager::file(path)
            .with_flags(reader_flags())
            .with_init(move |connection| setup(connection, &at));

        let builder = r2d2::Pool::builder()
            .max_size(connections.max(1))
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(CONNECTION_TIMEOUT);

        // The builder panics if the system cannot start a thread.
        let pool = catch_unwind(AssertUnwindSafe(|| builder.build(manager)));
        let pool =
            pool.map_err(|_| StoreError::Thread("the system has none left".to_owned()))??;

        Ok(Self {
            pool,
            totals: Arc::default(),
            facts: Arc::default(),
        })
    }

    /// Opens a snapshot of the current generation, unaffected by later writes. Drop it soon: a
    /// long-lived snapshot keeps the write-ahead log from being emptied.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.snapshot_for(&Canceller::default())
    }

    /// Like [`Reader::snapshot`], for a call that may be cancelled.
    pub fn snapshot_for(&self, canceller: &Canceller) -> Result<Snapshot, StoreError> {
        let connection = self.pool.get()?;
        connection.execute_batch("BEGIN")?;

        let reading = Some(canceller.reading(&connection));
        let snapshot = Snapshot {
            connection,
            canceller: canceller.clone(),
            reading,
            totals: Arc::clone(&self.totals),
            facts: Arc::clone(&self.facts),
        };

        snapshot.check()?;

        // The generation is fixed by the first read, not by BEGIN.
        snapshot
            .connection
            .query_row("SELECT count(*) FROM _metadata", [], |row| {
                row.get::<_, i64>(0)
            })?;

        Ok(snapshot)
    }
}

fn setup(connection: &mut Connection, path: &Path) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    prepare_reader(connection, path).map_err(|error| match error {
        StoreError::Sqlite(error) => error,
        other => rusqlite::Error::ToSqlConversionFailure(Box::new(other)),
    })
}

/// One generation of the database, for one call.
pub struct Snapshot {
    connection: PooledConnection<SqliteConnectionManager>,
    canceller: Canceller,
    reading: Option<ActiveRead>,
    totals: Arc<Totals>,
    facts: Arc<FactsCache>,
}

impl Snapshot {
    /// Returns an error if the call was cancelled; for long work outside the database.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.canceller.is_cancelled() {
            Err(StoreError::Cancelled)
        } else {
            Ok(())
        }
    }

    pub(super) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(super) fn facts(&self) -> &FactsCache {
        &self.facts
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // The connection no longer belongs to this call.
        self.reading = None;
        if let Err(error) = self.connection.execute_batch("ROLLBACK") {
            tracing::warn!(%error, "a read transaction could not be ended");
        }
    }
}
