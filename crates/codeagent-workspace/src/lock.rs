//! The write lock of a repository's index, and the process that holds it.
//!
//! The data folder also records the path of its repository, so that folders of deleted repositories
//! can be recognized.
//!
//! Limitations: the lock is advisory and ends with the process. Some network file systems have no
//! locks; then no process can write. The holder is recorded for messages only, shortly after the
//! lock is taken.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::data_dir::{DataDir, DataDirError, folder_name, make_own_folder, open_own};

/// Name of the lock file, which contains the holder's process id.
pub(crate) const LOCK: &str = "lock";

/// Name of the file with the repository's path.
const ROOT: &str = "root";

/// Maximum number of bytes read from one of these files.
const LONGEST: u64 = 1 << 16;

/// The write lock, released when dropped.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl Drop for WriterLock {
    /// Unlocks explicitly. A child process has a copy of the descriptor between fork and exec, and
    /// closing unlocks only when all copies are closed.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

/// The holder of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub process: u32,
}

impl DataDir {
    /// Creates the folder if needed and takes the write lock without waiting.
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

        // The lock is held even if the holder cannot be recorded, for lack of space.
        sign(&file).ok();
        self.remove_journal()?;
        self.note_root().ok();
        self.note_git().ok();

        Ok(WriterLock { file })
    }

    fn note_root(&self) -> io::Result<()> {
        self.note(ROOT, self.root().as_os_str().as_encoded_bytes())
    }

    /// Stores a few bytes in one of our files, unless it already contains them.
    pub(crate) fn note(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.file(name).map_err(io::Error::other)?;
        if read_short(&path).is_ok_and(|recorded| recorded == bytes) {
            return Ok(());
        }
        let mut file = open_own(&path)?;
        file.set_len(0)?;
        file.write_all(bytes)
    }
}

/// Returns the repository recorded in a data folder, if the folder's name is derived from it.
pub(crate) fn recorded_root(folder: &Path) -> Option<PathBuf> {
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

/// Reads a small file without following a link.
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
    use crate::DataRoot;

    #[test]
    fn a_lock_admits_one_writer_and_names_it() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
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
    fn a_dropped_lock_is_free_despite_inherited_descriptors() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let lock = dir.lock_writer().unwrap();
        let _of_child = lock.file.try_clone().unwrap();
        drop(lock);
        dir.lock_writer().unwrap();
    }

    /// A past bug: another thread started a process at the moment a lock was dropped.
    #[cfg(unix)]
    #[test]
    fn child_processes_do_not_keep_a_lock() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
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
    fn a_data_folder_names_its_repository() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        drop(dir.lock_writer().unwrap());
        assert_eq!(recorded_root(dir.path()).as_deref(), Some(root.path()));
        let copy = home.path().join("copy-0123456789abcdef");
        std::fs::rename(dir.path(), &copy).unwrap();
        assert_eq!(recorded_root(&copy), None);
    }
}
