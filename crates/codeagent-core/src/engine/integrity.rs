//! Checks an index before it is opened, and marks it when it is closed.
//!
//! The marker that the last writer left tells whether the database is intact; without one, all of
//! it is checked. An index is derived from the sources, so a damaged one is rebuilt.
//!
//! Limitations: a process that only reads holds the right to write while it checks an index that
//! was not closed.

use std::io;
use std::sync::{Arc, Mutex};

use codeagent_workspace::{CleanShutdownMarker, DataDir, Guard, Integrity, WriterLock};

use crate::engine::unpoisoned;
use crate::store::{self, Check, StoreError};

const CHANGED: &str = "its content has changed";

/// Returns why the index is damaged, if it is. Only for the process with the right to write.
pub fn damage(data: &DataDir) -> Option<String> {
    if !data.has_database() {
        return None;
    }
    match data.integrity() {
        Integrity::Whole => None,
        Integrity::Damaged => Some(CHANGED.to_owned()),
        Integrity::Unknown => match store::check(&data.database().ok()?, Check::Quick) {
            Err(StoreError::Corrupt(reason)) => Some(reason),
            // What else is wrong with it is said when it is opened.
            _ => None,
        },
    }
}

/// Refuses a damaged index. One that was touched or not closed is checked once, unless another
/// process writes it.
pub fn check(data: &DataDir) -> Result<(), StoreError> {
    if data.is_untouched() || !data.has_database() {
        return Ok(());
    }
    // The process that writes it has checked it.
    let Ok(lock) = data.lock_writer() else {
        return Ok(());
    };
    match damage(data) {
        Some(reason) => Err(StoreError::Corrupt(reason)),
        None => {
            // With a marker and without a log it is not checked again.
            if let Ok(database) = data.database()
                && let Err(error) = store::move_log(&database)
            {
                tracing::debug!(%error, "cannot move the index's log");
            }
            if let Ok(index_lock) = IndexLock::new(data.clone(), lock) {
                index_lock.note_database();
            }
            Ok(())
        }
    }
}

/// The right to write. Marks the database when dropped, so everything that writes must be closed
/// before.
pub struct IndexLock {
    /// The folder of the index.
    pub data: DataDir,
    before: Option<CleanShutdownMarker>,
    /// The database file that was opened.
    mark: Mutex<Option<(u64, u64)>>,
    /// Notices that others write it.
    guard: Mutex<Option<Arc<Guard>>>,
    _lock: WriterLock,
}

impl IndexLock {
    /// Removes the marker.
    pub fn new(data: DataDir, lock: WriterLock) -> io::Result<Self> {
        let before = data.clear_marker()?;
        Ok(Self {
            data,
            before,
            mark: Mutex::default(),
            guard: Mutex::default(),
            _lock: lock,
        })
    }

    /// Records the identity of the database file that was opened.
    pub fn note_database(&self) {
        *unpoisoned(&self.mark) = self.data.database_mark();
    }

    /// Marks the database as damaged if others write it.
    pub fn guard_with(&self, guard: Arc<Guard>) {
        *unpoisoned(&self.guard) = Some(guard);
    }

    /// Whether others wrote the database that this process has open.
    pub fn is_touched(&self) -> bool {
        unpoisoned(&self.guard)
            .as_ref()
            .is_some_and(|guard| guard.is_touched())
    }

    /// The identity of the database file that was opened.
    pub fn mark(&self) -> Option<(u64, u64)> {
        *unpoisoned(&self.mark)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        let mark = self.mark();
        // What somebody else put there is not ours to vouch for.
        if mark.is_none() || self.data.database_mark() != mark {
            return;
        }
        let marked = if self.is_touched() {
            self.data.mark_damaged()
        } else {
            self.data.write_marker(self.before.as_ref())
        };
        if let Err(error) = marked {
            // It is checked when it is opened.
            tracing::debug!(%error, "the index could not be marked as closed");
        }
    }
}
