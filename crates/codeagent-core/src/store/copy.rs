//! Copies a database, page by page.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::store::{Snapshot, StoreError};

/// Number of pages copied between two checks for cancellation; 8 MB.
const PAGES_AT_ONCE: i32 = 2_000;

/// Pause while the source is locked.
const BUSY: Duration = Duration::from_millis(10);

/// Copies the snapshot's generation into an empty database. Later writes to the source do not
/// affect the copy.
pub fn copy_database(snapshot: &Snapshot, to: &Path) -> Result<(), StoreError> {
    let mut target = Connection::open(to)?;
    let backup = Backup::new(snapshot.connection(), &mut target)?;
    loop {
        snapshot.check()?;
        match backup.step(PAGES_AT_ONCE)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => std::thread::sleep(BUSY),
        }
    }
}
