//! Clean-shutdown marker: detects a database that changed since it was closed, or was not closed.
//!
//! The last writer leaves a marker next to the database with its size, stamp and hash. Equal size
//! and stamp show, at the cost of one stat, that the file is untouched. Where they differ (damage,
//! a copy, a restored backup), the hash of the content decides. For a database of at most
//! [`MOST_HASHED_BYTES`] it always does. A database that was copied or pulled is hashed only when
//! it is next written. There is no marker while a process writes, nor after a writer that did not
//! close the database.
//!
//! While a process writes, a [`Guard`] notices changes by other processes. Such a database is
//! marked as damaged.
//!
//! Limitations: silent corruption, with size and stamp unchanged, of a larger database or of one
//! that is open is only detected by `codeagent status --verify`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

use crate::data_dir::{DataDir, open_own};
use crate::read::{Stamp, since_1970};
use crate::walk::is_shortage;

const MARKER: &str = "index.seal";
const DATABASE: &str = "index.db";
const JOURNAL: &str = "index.db-journal";
const LOG: &str = "index.db-wal";

/// Maximum size of a database that is hashed at every opening, in bytes; this takes milliseconds.
const MOST_HASHED_BYTES: u64 = 16 << 20;

/// Size of the buffer that a database is written with, in bytes.
const BUFFER: usize = 256 << 10;

/// In place of the hash, in the marker of a new database: only size and stamp are compared.
const NOT_HASHED: &str = "-";

/// Marker of a database that must be rebuilt; matches no database.
const DAMAGED: &str = "0 0 0 damaged\n";

/// State of a database according to its marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// Unchanged since it was closed.
    Whole,
    /// Unknown: being written, not closed cleanly, or never written.
    Unknown,
    /// Changed since it was closed.
    Damaged,
}

/// The recorded state of a database when it was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanShutdownMarker {
    size: u64,
    stamp: Stamp,
    hash: String,
}

impl CleanShutdownMarker {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let size = words.next()?.parse().ok()?;
        let stamp = Stamp {
            changed_ns: words.next()?.parse().ok()?,
            inode: words.next()?.parse().ok()?,
        };
        Some(Self {
            size,
            stamp,
            hash: words.next()?.to_owned(),
        })
    }

    fn describes(&self, database: &Path) -> io::Result<bool> {
        let metadata = database.metadata()?;
        Ok((self.size, self.stamp) == (metadata.len(), Stamp::of(&metadata)))
    }

    /// Reports whether a database of matching size and stamp has the recorded content, as far as
    /// this is compared. A database that cannot be read at the moment does not count as damaged.
    fn fits(&self, database: &Path) -> bool {
        self.size > MOST_HASHED_BYTES
            || self.hash == NOT_HASHED
            || hash_of(database).map_or(true, |hash| hash == self.hash)
    }

    /// Creates the marker of a database as it is.
    fn new(database: &Path, hash: String) -> io::Result<Self> {
        let metadata = database.metadata()?;
        Ok(Self {
            size: metadata.len(),
            stamp: Stamp::of(&metadata),
            hash,
        })
    }
}

/// Detects changes by other processes to the files of an open database, by sizes and times.
#[derive(Debug)]
pub struct Guard {
    files: [PathBuf; 2],
    state: Mutex<GuardState>,
}

#[derive(Debug)]
struct GuardState {
    left: [Option<(u64, Stamp)>; 2],
    is_touched: bool,
}

impl Guard {
    /// Records the current state of the files.
    #[must_use]
    pub fn new(database: &Path) -> Self {
        let files = [database.to_owned(), database.with_file_name(LOG)];
        let left = [size_and_stamp(&files[0]), log_of(&files[1])];
        Self {
            files,
            state: Mutex::new(GuardState {
                left,
                is_touched: false,
            }),
        }
    }

    /// Runs a function that may write to the files.
    pub fn while_writing<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.compare(&mut state);
        let done = write();
        state.left = [size_and_stamp(&self.files[0]), log_of(&self.files[1])];
        done
    }

    /// Reports whether another process changed the files. Does not wait for a write in progress.
    #[must_use]
    pub fn is_touched(&self) -> bool {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.compare(&mut state);
        state.is_touched
    }

    /// Compares the files with their recorded state. Replaced files are skipped;
    /// [`DataDir::database_mark`] detects them.
    fn compare(&self, state: &mut GuardState) {
        for (now, left) in [size_and_stamp(&self.files[0]), log_of(&self.files[1])]
            .into_iter()
            .zip(&state.left)
        {
            let is_same_file = |(_, stamp): (u64, Stamp)| {
                left.is_some_and(|(_, before)| before.inode == stamp.inode)
            };
            state.is_touched |= now.is_some_and(is_same_file) && now != *left;
        }
    }
}

fn size_and_stamp(file: &Path) -> Option<(u64, Stamp)> {
    let metadata = file.symlink_metadata().ok()?;
    Some((metadata.len(), Stamp::of(&metadata)))
}

/// Like [`look_of`], for the log. Uses only the content's time, because SQLite changes the owner
/// when the superuser opens the log.
fn log_of(file: &Path) -> Option<(u64, Stamp)> {
    let metadata = file.symlink_metadata().ok()?;
    let changed_ns = metadata.modified().map_or(0, since_1970);
    Some((
        metadata.len(),
        Stamp {
            changed_ns,
            ..Stamp::of(&metadata)
        },
    ))
}

impl DataDir {
    /// Reads the whole database.
    pub fn read_database(&self) -> io::Result<Vec<u8>> {
        std::fs::read(self.path().join(DATABASE))
    }

    /// Writes the content of an empty database, which the next transaction syncs. The caller must
    /// hold the lock.
    pub fn write_database(&self, content: &mut dyn io::Read) -> io::Result<()> {
        let file = open_own(&self.path().join(DATABASE))?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        io::copy(content, &mut file)?;
        file.flush()
    }

    /// Reports whether there is a database, even an empty one that once had content.
    #[must_use]
    pub fn has_database(&self) -> bool {
        let metadata = self.path().join(DATABASE).metadata();
        metadata.is_ok_and(|metadata| metadata.len() > 0 || self.read_marker().is_some())
    }

    /// Reports whether the database is unchanged since it was closed. Costs a stat, plus hashing a
    /// small database.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        let database = self.path().join(DATABASE);
        let is_same = |marker: CleanShutdownMarker| {
            marker.describes(&database).unwrap_or(false) && marker.fits(&database)
        };
        !self.path().join(JOURNAL).exists() && self.read_marker().is_some_and(is_same)
    }

    /// Compares the database with its marker. Reads the whole file only if it was touched or is
    /// small. The caller must hold the lock.
    #[must_use]
    pub fn integrity(&self) -> Integrity {
        let Some(marker) = self.read_marker() else {
            return Integrity::Unknown;
        };

        let database = self.path().join(DATABASE);
        let looks_same = marker.describes(&database).unwrap_or(false);

        let is_same = if looks_same {
            marker.fits(&database)
        } else if marker.hash == NOT_HASHED {
            return Integrity::Unknown;
        } else {
            match hash_of(&database) {
                Ok(hash) => hash == marker.hash,
                Err(error) if is_shortage(&error) => return Integrity::Unknown,
                Err(_) => false,
            }
        };

        if is_same {
            Integrity::Whole
        } else {
            Integrity::Damaged
        }
    }

    /// Removes the marker before a write, and returns it. The caller must hold the lock.
    pub fn clear_marker(&self) -> io::Result<Option<CleanShutdownMarker>> {
        let marker = self.read_marker();
        match std::fs::remove_file(self.path().join(MARKER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(marker),
        }
    }

    /// Writes the marker of a closed database; reuses `before` if nothing was written since. A
    /// database with a log gets no marker. The caller must hold the lock.
    pub fn write_marker(&self, before: Option<&CleanShutdownMarker>) -> io::Result<()> {
        let database = self.path().join(DATABASE);
        if self.has_log() {
            return Ok(());
        }

        let unchanged = before
            .map(|marker| marker.describes(&database))
            .transpose()?
            .unwrap_or(false);

        let marker = match before {
            Some(before) if unchanged => before.clone(),
            _ => CleanShutdownMarker::new(&database, hash_of(&database)?)?,
        };
        self.store_marker(&marker)
    }

    /// Writes the marker of a new database, without its hash: the next writer adds it. The caller
    /// must hold the lock.
    pub fn mark_new(&self) -> io::Result<()> {
        if self.has_log() {
            return Ok(());
        }
        let database = self.path().join(DATABASE);
        self.store_marker(&CleanShutdownMarker::new(&database, NOT_HASHED.to_owned())?)
    }

    /// Moves a closed database with its marker here. A move changes the stamp, so the marker gets the
    /// new one; it is left out if it does not describe the database.
    pub(crate) fn move_database(&self, from: &Self) -> io::Result<()> {
        let (before, database) = (from.path().join(DATABASE), self.path().join(DATABASE));
        let marker = from.read_marker();
        let marker = marker.filter(|marker| marker.describes(&before).unwrap_or(false));

        std::fs::rename(&before, &database)?;
        match marker {
            Some(marker) => self.store_marker(&CleanShutdownMarker::new(&database, marker.hash)?),
            None => Ok(()),
        }
    }

    fn has_log(&self) -> bool {
        let log = self.path().join(LOG).metadata();
        log.is_ok_and(|log| log.len() > 0)
    }

    fn store_marker(&self, marker: &CleanShutdownMarker) -> io::Result<()> {
        let text = format!(
            "{} {} {} {}\n",
            marker.size, marker.stamp.changed_ns, marker.stamp.inode, marker.hash
        );
        self.write_marker_text(&text)
    }

    /// Marks the database so that the next process to open it rebuilds it. The caller must hold the
    /// lock.
    pub fn mark_damaged(&self) -> io::Result<()> {
        self.write_marker_text(DAMAGED)
    }

    fn write_marker_text(&self, text: &str) -> io::Result<()> {
        let path = self.file(MARKER).map_err(io::Error::other)?;
        std::fs::remove_file(&path).ok();
        open_own(&path)?.write_all(text.as_bytes())
    }

    /// Removes a rollback journal: codeagent writes none, and SQLite would apply it to the
    /// database. The caller must hold the lock.
    pub(crate) fn remove_journal(&self) -> io::Result<()> {
        match std::fs::remove_file(self.path().join(JOURNAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn read_marker(&self) -> Option<CleanShutdownMarker> {
        CleanShutdownMarker::parse(&std::fs::read_to_string(self.path().join(MARKER)).ok()?)
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataRoot;

    #[test]
    fn a_marker_is_valid_until_the_content_changes() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        assert_eq!(dir.integrity(), Integrity::Unknown);

        let _lock = dir.lock_writer().unwrap();
        let database = dir.writable_database().unwrap();
        std::fs::write(&database, "content").unwrap();
        dir.write_marker(None).unwrap();
        assert_eq!(dir.integrity(), Integrity::Whole);

        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&database, "content").unwrap();
        assert_eq!(dir.integrity(), Integrity::Whole, "touched only");

        for damage in ["contemt", "conten", ""] {
            std::fs::write(&database, damage).unwrap();
            assert_eq!(dir.integrity(), Integrity::Damaged, "{damage:?}");
        }

        let marker = dir.clear_marker().unwrap();
        assert_eq!(dir.integrity(), Integrity::Unknown);
        std::fs::write(&database, "other").unwrap();
        dir.write_marker(marker.as_ref()).unwrap();
        assert_eq!(dir.integrity(), Integrity::Whole, "rebuilt after the write");

        dir.mark_damaged().unwrap();
        assert_eq!(dir.integrity(), Integrity::Damaged);
    }

    #[test]
    fn a_new_database_is_whole_until_its_stamp_changes() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let _lock = dir.lock_writer().unwrap();
        let database = dir.writable_database().unwrap();
        std::fs::write(&database, "content").unwrap();
        dir.mark_new().unwrap();
        assert!(dir.is_untouched() && dir.integrity() == Integrity::Whole);

        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&database, "content").unwrap();
        assert!(!dir.is_untouched() && dir.integrity() == Integrity::Unknown);
    }

    #[test]
    fn a_moved_database_keeps_its_marker() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let _lock = dir.lock_writer().unwrap();
        let fresh = dir.rebuilt().unwrap().data_dir(root.path()).unwrap();
        let _fresh_lock = fresh.lock_writer().unwrap();
        let database = fresh.writable_database().unwrap();
        std::fs::write(&database, "content").unwrap();
        fresh.write_marker(None).unwrap();
        let hash = fresh.read_marker().unwrap().hash;

        dir.move_database(&fresh).unwrap();
        assert!(dir.is_untouched());
        assert_eq!(dir.read_marker().unwrap().hash, hash);
    }

    #[test]
    fn silent_decay_is_detected_in_a_small_database() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let _lock = dir.lock_writer().unwrap();
        let database = dir.writable_database().unwrap();
        std::fs::write(&database, "content").unwrap();
        dir.write_marker(None).unwrap();
        let hash = dir.read_marker().unwrap().hash;
        std::fs::write(&database, "contemt").unwrap();
        let stamp = Stamp::of(&database.metadata().unwrap());
        dir.write_marker_text(&format!("7 {} {} {hash}\n", stamp.changed_ns, stamp.inode))
            .unwrap();
        assert!(!dir.is_untouched() && dir.integrity() == Integrity::Damaged);
    }

    #[test]
    fn a_guard_notices_writes_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let (database, log) = (folder.path().join(DATABASE), folder.path().join(LOG));
        std::fs::write(&database, "content").unwrap();

        let guard = Guard::new(&database);
        guard.while_writing(|| std::fs::write(&log, "log")).unwrap();
        guard
            .while_writing(|| std::fs::write(&database, "contents"))
            .unwrap();
        assert!(!guard.is_touched());

        for (file, restored) in [(&database, "contents"), (&log, "log")] {
            let guard = Guard::new(&database);
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(file, "other").unwrap();
            assert!(guard.is_touched());
            guard
                .while_writing(|| std::fs::write(file, restored))
                .unwrap();
            assert!(guard.is_touched(), "what was touched once stays so");
        }

        let guard = Guard::new(&database);
        std::fs::remove_file(&database).unwrap();
        assert!(!guard.is_touched(), "the database identity shows that");
    }
}
