//! Cache of the facts of package declarations: each text is parsed once for all repositories of the
//! user.
//!
//! The facts of packages are in one file of the data root, not in each index. Facts depend on a
//! text alone, so what an index takes from there equals what it would parse. Only the processes of
//! the user write to it, and only what they parsed themselves: the key is derived from the text.
//!
//! A file that is missing, damaged or locked costs time, never an answer: what cannot be read is
//! parsed, and what cannot be written is parsed again by the next scan that needs it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codeagent_workspace::{DataDir, DataDirError, WriterLock};

use crate::ingest::writer_thread::PackedFacts;
use crate::store::{FactsKey, PackageFacts, add_package_facts};

/// Number of attempts to lock the file, and the time between them.
const ATTEMPTS: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(20);

/// The shared facts, for one batch.
#[derive(Default)]
pub struct PackageCache<'a> {
    data: Option<&'a DataDir>,
    /// Whether the file cannot be read, or there is none.
    is_unreadable: AtomicBool,
    /// Connections that no thread uses at the moment.
    idle: Mutex<Vec<PackageFacts>>,
    /// Facts that are not in the file.
    added: Mutex<PackedFacts>,
}

impl<'a> PackageCache<'a> {
    /// Creates a cache over the file in a data folder; without one, there are no shared facts.
    pub fn of(data: Option<&'a DataDir>) -> Self {
        Self {
            data,
            ..Self::default()
        }
    }

    /// Reports whether facts can be shared.
    pub fn is_available(&self) -> bool {
        self.data.is_some()
    }

    /// Returns the packed facts of a key.
    pub fn find(&self, key: &FactsKey) -> Option<Vec<u8>> {
        let idle = unpoisoned(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };

        let found = connection.find(key);
        unpoisoned(&self.idle).push(connection);
        found
    }

    fn open(&self) -> Option<PackageFacts> {
        let data = self
            .data
            .filter(|_| !self.is_unreadable.load(Ordering::Relaxed))?;
        let opened = data
            .database()
            .ok()
            .and_then(|path| PackageFacts::open(&path));
        self.is_unreadable
            .store(opened.is_none(), Ordering::Relaxed);
        opened
    }

    /// Adds facts, which [`Self::write`] stores.
    pub fn add(&self, key: FactsKey, blob: Vec<u8>) {
        unpoisoned(&self.added).push((key, blob));
    }

    /// Stores the added facts. If that fails, they are parsed again when they are needed.
    pub fn write(&self) {
        let added = std::mem::take(&mut *unpoisoned(&self.added));
        let Some(data) = self.data.filter(|_| !added.is_empty()) else {
            return;
        };

        // Nobody reads while the file may be replaced.
        unpoisoned(&self.idle).clear();
        let written = lock(data)
            .map_err(|error| error.to_string())
            .and_then(|_lock| {
                let path = data.writable_database();
                let path = path.map_err(|error| error.to_string())?;
                let remove = || data.remove_database().is_ok() && data.writable_database().is_ok();
                add_package_facts(&path, &added, &remove).map_err(|error| error.to_string())
            });
        if let Err(error) = written {
            tracing::debug!(error, "the facts of packages could not be stored");
        }
    }
}

/// Locks the file; another process holds the lock only while it writes.
fn lock(data: &DataDir) -> Result<WriterLock, DataDirError> {
    for _ in 1..ATTEMPTS {
        match data.lock_writer() {
            Err(DataDirError::Locked(_)) => std::thread::sleep(BETWEEN),
            other => return other,
        }
    }
    data.lock_writer()
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
