//! Cancellation of one call's reads: interrupts running statements and prevents new snapshots.
//!
//! Limitations: a statement that starts just after [`Canceller::cancel`] is not interrupted; cancel
//! repeatedly until the call has ended.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, InterruptHandle};

/// Cancels one call from another thread. Clones share the call.
#[derive(Clone, Default)]
pub struct Canceller {
    flag: Arc<AtomicBool>,
    running: Arc<Mutex<Running>>,
}

/// The connections on which the call is reading.
#[derive(Default)]
struct Running {
    last: u64,
    handles: BTreeMap<u64, InterruptHandle>,
}

/// Registers a connection with the call until dropped.
pub(super) struct ActiveRead {
    running: Arc<Mutex<Running>>,
    number: u64,
}

impl Canceller {
    /// Interrupts the running statements and prevents new snapshots.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
        // The lock keeps these connections from being handed to another call.
        locked(&self.running)
            .handles
            .values()
            .for_each(InterruptHandle::interrupt);
    }

    /// Reports whether the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns the cancellation flag, for work that does not know this store.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    pub(super) fn reading(&self, connection: &Connection) -> ActiveRead {
        let mut running = locked(&self.running);
        running.last += 1;
        let number = running.last;

        running
            .handles
            .insert(number, connection.get_interrupt_handle());

        ActiveRead {
            running: Arc::clone(&self.running),
            number,
        }
    }
}

impl Drop for ActiveRead {
    fn drop(&mut self) {
        locked(&self.running).handles.remove(&self.number);
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller")
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

fn locked(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::store::{Canceller, Reader, StoreError, Writer};

    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

    #[test]
    fn a_cancelled_call_stops_reading_and_others_continue() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        drop(Writer::open(&path).unwrap());

        // One connection, so that the next call gets the one that was interrupted.
        let reader = Reader::open(&path, 1).unwrap();
        let canceller = Canceller::default();
        let began = Instant::now();

        std::thread::scope(|scope| {
            let reading = scope.spawn(|| {
                let snapshot = reader.snapshot_for(&canceller)?;
                snapshot
                    .connection()
                    .query_row(ENDLESS, [], |row| row.get::<_, i64>(0))
                    .map_err(StoreError::from)
            });

            std::thread::sleep(Duration::from_millis(50));
            while !reading.is_finished() {
                canceller.cancel();
                std::thread::sleep(Duration::from_millis(1));
            }

            assert!(matches!(
                reading.join().unwrap(),
                Err(StoreError::Cancelled)
            ));
        });

        assert!(began.elapsed() < Duration::from_secs(20));
        assert!(
            matches!(reader.snapshot_for(&canceller), Err(StoreError::Cancelled)),
            "it begins nothing more"
        );

        let other = reader.snapshot().unwrap();
        canceller.cancel();
        assert_eq!(
            other
                .connection()
                .query_row("SELECT 1", [], |row| row.get::<_, i64>(0))
                .unwrap(),
            1
        );
        other.check().unwrap();
    }
}
