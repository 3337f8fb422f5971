//! Checks an index before it is opened, and marks it when it is closed.
//!
//! The marker left by the last writer tells whether the database is intact; without one, the whole
//! database is checked. A damaged index is rebuilt, since it is derived from the sources.
//!
//! Limitations: while a reader checks an index that was not closed, it holds the write lock.

use std::io;
use std::sync::{Arc, Mutex};

use codeagent_workspace::{CleanShutdownMarker, DataDir, Guard, Integrity, WriterLock};

use crate::engine::unpoisoned;
use crate::store::{self, Check, StoreError};

const CHANGED: &str = "its content has changed";

/// Returns why the index is damaged, if it is. The caller must hold the write lock.
pub fn damage(data: &DataDir) -> Option<String> {
    if !data.has_database() {
        return None;
    }
    match data.integrity() {
        Integrity::Whole => None,
        Integrity::Damaged => Some(CHANGED.to_owned()),
        Integrity::Unknown => match store::check(&data.database().ok()?, Check::Quick) {
            Err(StoreError::Corrupt(reason)) => Some(reason),
            // Other problems are reported when the index is opened.
            _ => None,
        },
    }
}

/// Returns an error if the index is damaged. An index that was modified or not closed is checked
/// once, unless another process writes it.
pub fn check(data: &DataDir) -> Result<(), StoreError> {
    if data.is_untouched() || !data.has_database() {
        return Ok(());
    }
    // The process that holds the lock has checked the index.
    let Ok(lock) = data.lock_writer() else {
        return Ok(());
    };

    match damage(data) {
        Some(reason) => Err(StoreError::Corrupt(reason)),
        None => {
            // With a marker and no log, the next process does not check the index again.
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

/// The write lock of an index. Marks the database when dropped, so all writers must be closed
/// before.
pub struct IndexLock {
    /// The folder of the index.
    pub data: DataDir,
    before: Option<CleanShutdownMarker>,
    /// Identity of the database file that was opened.
    mark: Mutex<Option<(u64, u64)>>,
    /// Detects writes by other programs.
    guard: Mutex<Option<Arc<Guard>>>,
    _lock: WriterLock,
}

impl IndexLock {
    /// Creates the lock and removes the marker.
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

    /// Makes a write by another program mark the database as damaged.
    pub fn guard_with(&self, guard: Arc<Guard>) {
        *unpoisoned(&self.guard) = Some(guard);
    }

    /// Reports whether another program wrote the open database.
    pub fn is_touched(&self) -> bool {
        unpoisoned(&self.guard)
            .as_ref()
            .is_some_and(|guard| guard.is_touched())
    }

    /// Returns the identity of the database file that was opened.
    pub fn mark(&self) -> Option<(u64, u64)> {
        *unpoisoned(&self.mark)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        let mark = self.mark();
        // If the database was replaced, this process cannot vouch for it.
        if mark.is_none() || self.data.database_mark() != mark {
            return;
        }
        let marked = if self.is_touched() {
            self.data.mark_damaged()
        } else {
            self.data.write_marker(self.before.as_ref())
        };
        if let Err(error) = marked {
            // Without a marker, the index is checked when it is next opened.
            tracing::debug!(%error, "the index could not be marked as closed");
        }
    }
}
