//! Can the index be believed? What can be known of it before it is read: the seal that its last
//! writer left, or else a check of all of it.
//!
//! The index follows from the sources, so a damaged one is thrown away and made anew.
//!
//! **Limits.** Whoever only reads and finds an index that nobody closed holds the right to write
//! while it checks.

use std::io;
use std::sync::{Arc, Mutex};

use codeagent_workspace::{CleanShutdownMarker, DataDir, Guard, Integrity, WriterLock};

use crate::engine::unpoisoned;
use crate::store::{self, Check, StoreError};

const CHANGED: &str = "its content is not what was written";

/// Why the index cannot be believed, if that can be seen. Only for who holds the right to write.
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

/// Refuses a damaged index. One that was touched, or that nobody closed, is checked once, unless
/// somebody writes it.
pub fn check(data: &DataDir) -> Result<(), StoreError> {
    if data.is_untouched() || !data.has_database() {
        return Ok(());
    }
    // Whoever writes it looks after it.
    let Ok(lock) = data.lock_writer() else {
        return Ok(());
    };
    match damage(data) {
        Some(reason) => Err(StoreError::Corrupt(reason)),
        None => {
            // Without a log and sealed again, it is checked no more.
            if let Ok(database) = data.database()
                && let Err(error) = store::move_log(&database)
            {
                tracing::debug!(%error, "the log of the index could not be moved");
            }
            if let Ok(index_lock) = IndexLock::new(data.clone(), lock) {
                index_lock.note_database();
            }
            Ok(())
        }
    }
}

/// The right to write, with the duty to seal what was written: when this is dropped, everything
/// that writes must be closed.
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
    /// Breaks the seal.
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

    /// The file that lies there now is the one that was opened.
    pub fn note_database(&self) {
        *unpoisoned(&self.mark) = self.data.database_mark();
    }

    /// Has a database that others wrote sealed as damaged.
    pub fn guard_with(&self, guard: Arc<Guard>) {
        *unpoisoned(&self.guard) = Some(guard);
    }

    /// Whether others wrote the database that this process has open.
    pub fn is_touched(&self) -> bool {
        unpoisoned(&self.guard)
            .as_ref()
            .is_some_and(|guard| guard.is_touched())
    }

    /// What tells the file that was opened from others.
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
        let sealed = if self.is_touched() {
            self.data.mark_damaged()
        } else {
            self.data.write_marker(self.before.as_ref())
        };
        if let Err(error) = sealed {
            // It is checked when it is opened.
            tracing::debug!(%error, "the index could not be sealed");
        }
    }
}
