//! Who may write the index of a repository, and who does? Whoever holds the lock of its data
//! folder, and says there which process it is.
//!
//! The folder also keeps the path of its repository, so that what is left of one that is gone can
//! be told from the rest.
//!
//! **Limits.** The lock is advisory and ends with the process; some network file systems have none,
//! and then there is no writer. Who holds it is for people to read: a process that has just taken
//! it may not have said so yet.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::data_dir::{DataDir, DataDirError, folder_name, make_own_folder, open_own};

/// The file that is locked, with the number of the process that did it.
pub(crate) const LOCK: &str = "lock";

/// The file with the path of the repository.
const ROOT: &str = "root";

/// Most bytes that are read of one of these files.
const LONGEST: u64 = 1 << 16;

/// The right to write, given back when dropped.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl Drop for WriterLock {
    /// Unlocks instead of only closing: a child process has a copy of the descriptor between fork
    /// and exec, and a lock lasts until all copies are closed.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

/// Who has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Number of the process.
    pub process: u32,
}

impl DataDir {
    /// Makes the folder if it is not there and takes the right to write, without waiting.
    pub fn lock_writer(&self) -> Result<WriterLock, DataDirError> {
        let unwritable = |source| DataDirError::Unwritable {
            path: self.path().to_owned(),
            source,
        };
        make_own_folder(self.path()).map_err(unwritable)?;
        let path = self.file(LOCK)?;
        let file = open_own(&path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DataDirError::Locked(holder(&path))),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // The right is had whether or not there is room to say so.
        sign(&file).ok();
        self.remove_journal()?;
        self.note_root().ok();
        self.note_git().ok();
        Ok(WriterLock { file })
    }

    fn note_root(&self) -> io::Result<()> {
        self.note(ROOT, self.root().as_os_str().as_encoded_bytes())
    }

    /// Keeps a few bytes in a file of ours, which is written only if it says something else.
    pub(crate) fn note(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.file(name).map_err(io::Error::other)?;
        if read_short(&path).is_ok_and(|noted| noted == bytes) {
            return Ok(());
        }
        let mut file = open_own(&path)?;
        file.set_len(0)?;
        file.write_all(bytes)
    }
}

/// The repository that a data folder says it is about, if the folder has the name that this
/// repository's has.
pub(crate) fn noted_root(folder: &Path) -> Option<PathBuf> {
    let root = path_of(read_short(&folder.join(ROOT)).ok()?)?;
    (folder.file_name()?.to_str()? == folder_name(&root)).then_some(root)
}

fn sign(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

fn holder(path: &Path) -> Option<Holder> {
    let process = String::from_utf8(read_short(path).ok()?)
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Holder { process })
}

/// What a small file holds; a link is not followed.
pub(crate) fn read_short(path: &Path) -> io::Result<Vec<u8>> {
    if !path.symlink_metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataHome;

    #[test]
    fn there_is_one_writer_at_a_time_and_it_is_known() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        let lock = dir.lock_writer().unwrap();
        let refused = dir.lock_writer().unwrap_err();
        assert!(
            matches!(refused, DataDirError::Locked(Some(Holder { process })) if process == std::process::id())
        );
        assert!(
            refused
                .to_string()
                .contains(&format!("(process {})", std::process::id())),
            "{refused}"
        );
        drop(lock);
        dir.lock_writer().unwrap();
    }

    #[test]
    fn a_dropped_lock_is_free_although_a_child_process_still_has_its_descriptor() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        let lock = dir.lock_writer().unwrap();
        let _of_child = lock.file.try_clone().unwrap();
        drop(lock);
        dir.lock_writer().unwrap();
    }

    /// What happened in practice: other threads started processes in the moment in which a lock was
    /// dropped.
    #[cfg(unix)]
    #[test]
    fn processes_that_are_started_meanwhile_do_not_keep_a_lock() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::process::Command::new("true").status().unwrap();
                }
            });
            let refused = (0..2_000).filter(|_| dir.lock_writer().is_err()).count();
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(refused, 0);
        });
    }

    #[test]
    fn a_folder_knows_its_repository_unless_it_is_anothers() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        drop(dir.lock_writer().unwrap());
        assert_eq!(noted_root(dir.path()).as_deref(), Some(root.path()));
        let copy = home.path().join("copy-0123456789abcdef");
        std::fs::rename(dir.path(), &copy).unwrap();
        assert_eq!(noted_root(&copy), None);
    }
}
