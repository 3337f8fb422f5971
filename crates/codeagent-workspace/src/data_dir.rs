//! Where our own data about a repository lies, and who may write it.
//!
//! In `.codeagent` of the root; if that cannot be written, in a folder of the root's own under the user's cache directory. The environment
//! variable `CODEAGENT_DATA_DIR` names another place for such folders.
//!
//! **Limits.** The lock is advisory and ends with the process; some network file systems have none, and then there is no writer.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder in the root.
const FOLDER: &str = ".codeagent";

/// What git is told about it.
const GITIGNORE: &str = "*\n!config.json\n";

/// No place for data, or no right to write it now.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Neither the root nor the user's cache directory can be written.
    #[error("no folder for the index can be written: {0}; set CODEAGENT_DATA_DIR to one that can")]
    Unwritable(String),
    /// Another process writes.
    #[error("another codeagent is writing the index of this repository")]
    Locked,
    /// A link stands where our file should; following it would write somewhere else.
    #[error("{name} in the data folder is a link; remove it")]
    Link {
        /// Name of the file.
        name: String,
    },
    /// The system refused.
    #[error("cannot lock the index: {0}")]
    Io(#[from] io::Error),
    /// A file of ours cannot be removed.
    #[error("cannot remove {name} in the data folder: {source}")]
    Remove {
        /// Name of the file.
        name: String,
        /// Why.
        source: io::Error,
    },
}

/// The folder for everything we keep about one repository. It exists and can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    path: PathBuf,
    in_root: bool,
}

/// The right to write, given back when dropped.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

/// Finds and makes the data folder of a resolved root.
pub fn data_dir(root: &Path) -> Result<DataDir, DataDirError> {
    Places { chosen: variable("CODEAGENT_DATA_DIR"), cache: user_cache() }.data_dir(root)
}

impl DataDir {
    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it lies in the root, where people look for it.
    #[must_use]
    pub fn is_in_root(&self) -> bool {
        self.in_root
    }

    /// The path of a file of ours, which need not exist. `name` is ours too, never a caller's.
    pub fn file(&self, name: &str) -> Result<PathBuf, DataDirError> {
        let path = self.path.join(name);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.file_type().is_symlink() => Err(DataDirError::Link { name: name.to_owned() }),
            _ => Ok(path),
        }
    }

    /// The path of the database.
    pub fn database(&self) -> Result<PathBuf, DataDirError> {
        self.file("index.db")
    }

    /// Removes the database, if there is one. Only for who holds the right to write.
    pub fn remove_database(&self) -> Result<(), DataDirError> {
        for name in ["index.db", "index.db-wal", "index.db-shm"] {
            match std::fs::remove_file(self.path.join(name)) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(DataDirError::Remove { name: name.to_owned(), source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the right to write, without waiting.
    pub fn lock_writer(&self) -> Result<WriterLock, DataDirError> {
        let file = open_lock(&self.file("lock")?)?;
        match file.try_lock() {
            Ok(()) => Ok(WriterLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(DataDirError::Locked),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

/// The places outside the root.
struct Places {
    chosen: Option<PathBuf>,
    cache: Option<PathBuf>,
}

impl Places {
    fn data_dir(&self, root: &Path) -> Result<DataDir, DataDirError> {
        if let Some(chosen) = &self.chosen {
            let path = chosen.join(folder_name(root));
            return match prepare(&path) {
                Ok(()) => Ok(DataDir { path, in_root: false }),
                Err(error) => Err(DataDirError::Unwritable(error.to_string())),
            };
        }
        let path = root.join(FOLDER);
        let Err(first) = prepare(&path) else { return Ok(DataDir { path, in_root: true }) };
        let path = self.cache.as_ref().ok_or_else(|| DataDirError::Unwritable(first.to_string()))?.join(folder_name(root));
        prepare(&path).map_err(|error| DataDirError::Unwritable(error.to_string()))?;
        Ok(DataDir { path, in_root: false })
    }
}

/// Makes the folder and finds out whether it can be written.
fn prepare(folder: &Path) -> io::Result<()> {
    // A repository may bring a link along; what lies at its end is not ours.
    if folder.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "the data folder is not a folder"));
    }
    std::fs::create_dir_all(folder)?;
    match OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore")) {
        Ok(mut file) => file.write_all(GITIGNORE.as_bytes())?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let lock = folder.join("lock");
    if lock.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the lock is not a file"));
    }
    open_lock(&lock).map(drop)
}

fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// Readable and different for each root.
fn folder_name(root: &Path) -> String {
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(40).collect();
    format!("{name}-{}", &hash[..16])
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from)
}

fn user_cache() -> Option<PathBuf> {
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("codeagent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(cache: &Path) -> Places {
        Places { chosen: None, cache: Some(cache.to_owned()) }
    }

    #[test]
    fn lies_in_the_root_and_is_hidden_from_git() {
        let root = tempfile::tempdir().unwrap();
        let dir = places(root.path()).data_dir(root.path()).unwrap();
        assert!(dir.is_in_root());
        assert_eq!(std::fs::read_to_string(root.path().join(".codeagent/.gitignore")).unwrap(), "*\n!config.json\n");
        assert_eq!(dir.database().unwrap(), root.path().join(".codeagent/index.db"));
    }

    #[test]
    fn one_writer_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let dir = places(root.path()).data_dir(root.path()).unwrap();
        let lock = dir.lock_writer().unwrap();
        assert!(matches!(dir.lock_writer(), Err(DataDirError::Locked)));
        drop(lock);
        dir.lock_writer().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_of_the_repository_are_not_followed() {
        let (root, other, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join(".codeagent")).unwrap();
        let dir = places(cache.path()).data_dir(root.path()).unwrap();
        assert!(!dir.is_in_root() && dir.path().starts_with(cache.path()));
        assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0);

        let precious = other.path().join("precious");
        std::fs::write(&precious, "x").unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join("index.db")).unwrap();
        assert!(matches!(dir.database(), Err(DataDirError::Link { .. })));
    }

    #[test]
    fn the_chosen_place_has_a_folder_for_each_root() {
        let (a, b, chosen) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = Places { chosen: Some(chosen.path().to_owned()), cache: None };
        let (a, b) = (places.data_dir(a.path()).unwrap(), places.data_dir(b.path()).unwrap());
        assert!(a.path() != b.path() && a.path().starts_with(chosen.path()));
    }

    #[test]
    fn no_place_at_all_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(".codeagent"), "a file in the way").unwrap();
        assert!(matches!(Places { chosen: None, cache: None }.data_dir(root.path()), Err(DataDirError::Unwritable(_))));
    }
}
