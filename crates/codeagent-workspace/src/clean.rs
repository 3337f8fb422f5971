//! Data folders of all repositories: listing, sizes and removal.
//!
//! Only codeagent's own folders are removed: they are in the data root, have the name derived from
//! the repository they record, and contain a lock, which the remover must take. Links are neither
//! followed nor removed.
//!
//! Limitations: a repository on an unmounted drive counts as gone; its index is rebuilt when the
//! drive is back. Folders without a recorded repository are only counted.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::data_dir::{DataDir, DataDirError, DataRoot, make_own_folder};
use crate::lock::{LOCK, recorded_root};
use crate::log::LOG;

/// Files of an index. The other files of a data folder (lock, path, server token) belong to the
/// repository.
const INDEX: [&str; 4] = ["index.seal", "index.db", "index.db-wal", "index.db-shm"];

/// Folder for the fresh index that an index is compared with.
const FRESH: &str = "verify";

/// Folder for rebuilding an index next to the old one.
const REBUILT: &str = "rebuild";

/// Folder of the indexes that single processes have for themselves.
const SCRATCH: &str = "scratch";

/// Age from which a scratch folder without a lock is left over from a killed process.
const ABANDONED: Duration = Duration::from_secs(600);

/// A data root that only this process uses, removed when dropped.
#[derive(Debug)]
pub struct ScratchRoot(PathBuf);

impl ScratchRoot {
    /// Returns the data root.
    #[must_use]
    pub fn data_root(&self) -> DataRoot {
        DataRoot::at(&self.0)
    }
}

impl Drop for ScratchRoot {
    fn drop(&mut self) {
        // What is left is removed by a later process.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// All data folders of a data root.
#[derive(Clone, Debug, Default)]
pub struct DataDirs {
    /// Folders with a recorded repository, by name.
    pub known: Vec<DataDir>,
    /// Number of folders that have such a name but are not data folders.
    pub unknown: usize,
}

impl DataRoot {
    /// Lists the data folders, without creating any.
    pub fn data_dirs(&self) -> Result<DataDirs, DataDirError> {
        let home = self.path()?;
        let mut kept = DataDirs::default();

        let entries = match std::fs::read_dir(&home) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(kept),
            other => other?,
        };

        let mut folders: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_data_dir(path))
            .collect();
        folders.sort();

        for folder in folders {
            match recorded_root(&folder) {
                Some(root) => kept.known.push(self.data_dir(&root)?),
                None => kept.unknown += 1,
            }
        }

        Ok(kept)
    }
}

/// Reports whether a path is a folder that has the name of a data folder and contains a lock.
fn is_data_dir(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let mark = name.rsplit_once('-').map_or("", |(_, mark)| mark);

    let is_named = mark.len() == 16
        && mark
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_folder = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir());

    is_named
        && is_folder
        && path
            .join(LOCK)
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file())
}

impl DataDir {
    /// Reports whether the repository is known to be gone.
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.root()
            .symlink_metadata()
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the size of the folder in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size(self.path())
    }

    /// Returns the total size of the index and its log in bytes.
    #[must_use]
    pub fn index_bytes(&self) -> u64 {
        INDEX
            .iter()
            .chain([&FRESH, &REBUILT, &SCRATCH, &LOG])
            .map(|name| size(&self.path().join(name)))
            .sum()
    }

    /// Removes the index and the log. Fails while a process is writing.
    pub fn remove_index(&self) -> Result<(), DataDirError> {
        let _lock = self.lock_writer()?;
        self.remove_database()?;
        self.remove_folder(FRESH)?;
        self.remove_folder(REBUILT)?;
        self.remove_folder(SCRATCH)?;
        self.remove_file(LOG)
    }

    /// Removes the whole folder. Fails while a process is writing.
    pub fn remove(&self) -> Result<(), DataDirError> {
        // Windows cannot remove a folder with an open file.
        let _lock = Some(self.lock_writer()?).filter(|_| !cfg!(windows));
        let name = || {
            self.path()
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        // This removes links in the folder, but not their targets.
        std::fs::remove_dir_all(self.path()).map_err(|source| DataDirError::Remove {
            name: name(),
            source,
        })
    }

    /// Removes the database, if there is one. The caller must hold the lock.
    pub fn remove_database(&self) -> Result<(), DataDirError> {
        INDEX.iter().try_for_each(|name| self.remove_file(name))
    }

    /// Returns the location for rebuilding this index, after removing the remains of an earlier
    /// rebuild. Facts of packages are shared with the indexes of this data root. The caller must hold
    /// the lock.
    pub fn rebuilt(&self) -> Result<DataRoot, DataDirError> {
        self.remove_folder(REBUILT)?;
        let rebuilt = DataRoot::at(self.path().join(REBUILT));
        Ok(match self.path().parent() {
            Some(home) => rebuilt.sharing_with(home),
            None => rebuilt,
        })
    }

    /// Replaces this database with a closed one, including its clean-shutdown marker, and removes
    /// the folder that `with` was in. Processes that have the old database open continue to read
    /// it. The caller must hold the lock and must have moved the old log into the database;
    /// otherwise a crash here would lose it.
    pub fn replace_database(&self, with: &Self) -> Result<(), DataDirError> {
        let [seal, _, log, shared] = INDEX;
        [seal, log, shared]
            .iter()
            .try_for_each(|name| self.remove_file(name))?;
        self.move_database(with)?;
        self.remove_folder(REBUILT)
    }

    /// Creates a data root inside the data folder that only this process uses. Removes those of
    /// processes that were killed.
    pub fn scratch(&self) -> Result<ScratchRoot, DataDirError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let all = self.file(SCRATCH)?;
        self.remove_abandoned(&all);

        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = all.join(format!("{}-{count}", std::process::id()));
        make_own_folder(&path).map_err(|source| DataDirError::Unwritable {
            path: path.clone(),
            source,
        })?;
        Ok(ScratchRoot(path))
    }

    fn remove_abandoned(&self, all: &Path) {
        let entries = std::fs::read_dir(all).into_iter().flatten().flatten();
        for folder in entries.map(|entry| entry.path()) {
            let is_old = folder
                .symlink_metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED));
            let is_unused = || {
                let data = DataRoot::at(&folder).data_dir(self.root());
                data.is_ok_and(|data| data.lock_writer().is_ok())
            };
            if is_old && is_unused() {
                std::fs::remove_dir_all(&folder).ok();
            }
        }
    }

    /// Removes a folder inside the data folder, if it exists. `name` must be a constant of this
    /// program.
    pub fn remove_folder(&self, name: &str) -> Result<(), DataDirError> {
        match std::fs::remove_dir_all(self.file(name)?) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(DataDirError::Remove {
                name: name.to_owned(),
                source,
            }),
            _ => Ok(()),
        }
    }

    fn remove_file(&self, name: &str) -> Result<(), DataDirError> {
        match std::fs::remove_file(self.path().join(name)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(DataDirError::Remove {
                name: name.to_owned(),
                source,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the total size of a file or of all files below a folder in bytes, without following
/// links.
fn size(path: &Path) -> u64 {
    let Ok(metadata) = path.symlink_metadata() else {
        return 0;
    };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten();
    entries
        .filter_map(Result::ok)
        .map(|entry| size(&entry.path()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data root, with repositories next to it.
    struct Fixture {
        outer: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            let outer = tempfile::tempdir().unwrap();
            std::fs::create_dir(outer.path().join("home")).unwrap();
            Self { outer }
        }

        fn home(&self) -> DataRoot {
            DataRoot::at(self.outer.path().join("home"))
        }

        /// Creates a repository with an index of ten bytes.
        fn indexed(&self, name: &str) -> DataDir {
            let root = self.outer.path().join(name);
            std::fs::create_dir(&root).unwrap();
            let data = self.home().data_dir(&root).unwrap();
            drop(data.lock_writer().unwrap());
            std::fs::write(data.path().join("index.db"), "0123456789").unwrap();
            data
        }
    }

    #[test]
    fn removing_an_index_keeps_the_repositorys_files() {
        let fixture = Fixture::new();
        let data = fixture.indexed("a");
        std::fs::create_dir(data.path().join(FRESH)).unwrap();
        std::fs::write(data.path().join(FRESH).join("x"), "12345").unwrap();
        let (token, _) = data.secret("token", "kept").unwrap();

        assert_eq!(data.index_bytes(), 15);
        let lock = data.lock_writer().unwrap();
        assert!(matches!(
            data.remove_index(),
            Err(DataDirError::Locked(Some(_)))
        ));
        drop(lock);
        assert_eq!(data.index_bytes(), 15, "who is refused removes nothing");

        data.remove_index().unwrap();
        assert_eq!((data.index_bytes(), data.has_database()), (0, false));
        assert_eq!(data.secret("token", "other").unwrap().0, token);
    }

    #[test]
    fn orphans_are_folders_of_missing_repositories() {
        let fixture = Fixture::new();
        let (gone, stays) = (fixture.indexed("gone"), fixture.indexed("stays"));
        std::fs::remove_dir_all(gone.root()).unwrap();

        let kept = fixture.home().data_dirs().unwrap();
        assert_eq!(
            (kept.known.clone(), kept.unknown),
            (vec![gone.clone(), stays.clone()], 0)
        );
        assert_eq!(
            kept.known
                .iter()
                .map(DataDir::is_orphan)
                .collect::<Vec<_>>(),
            [true, false]
        );

        assert!(gone.bytes() > 10);
        let lock = gone.lock_writer().unwrap();
        assert!(matches!(gone.remove(), Err(DataDirError::Locked(_))));
        drop(lock);

        gone.remove().unwrap();
        assert!(!gone.path().exists() && stays.path().exists());

        assert!(fixture.home().data_dirs().unwrap().known == [stays]);
        assert!(
            DataRoot::at(fixture.outer.path().join("nowhere"))
                .data_dirs()
                .unwrap()
                .known
                .is_empty()
        );
    }

    #[test]
    fn foreign_folders_are_skipped() {
        let fixture = Fixture::new();
        let home = fixture.outer.path().join("home");
        let data = fixture.indexed("a");
        std::fs::remove_dir_all(data.root()).unwrap();

        // Another folder's record, a changed record, and folders and files of other programs
        std::fs::create_dir(home.join("a-0123456789abcdef")).unwrap();
        std::fs::copy(data.path().join(LOCK), home.join("a-0123456789abcdef/lock")).unwrap();
        std::fs::copy(
            data.path().join("root"),
            home.join("a-0123456789abcdef/root"),
        )
        .unwrap();
        std::fs::create_dir(home.join("mine")).unwrap();
        std::fs::create_dir(home.join("b-0123456789abcdef")).unwrap();
        std::fs::write(home.join("c-0123456789abcdef"), "").unwrap();

        let kept = fixture.home().data_dirs().unwrap();
        assert_eq!((kept.known, kept.unknown), (vec![data], 1));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let fixture = Fixture::new();
        let precious = fixture.outer.path().join("precious");
        std::fs::create_dir(&precious).unwrap();
        std::fs::write(precious.join("file"), "0123456789".repeat(100)).unwrap();
        let data = fixture.indexed("a");
        std::os::unix::fs::symlink(&precious, data.path().join("inside")).unwrap();
        std::os::unix::fs::symlink(&precious, data.path().join(FRESH)).unwrap();
        assert!(data.bytes() < 1_000);
        std::fs::remove_dir_all(data.root()).unwrap();
        data.remove().unwrap();
        assert!(precious.join("file").exists() && !data.path().exists());

        // A link with the name of a data folder
        let other = fixture.indexed("b");
        let real = fixture.outer.path().join("elsewhere");
        std::fs::rename(other.path(), &real).unwrap();
        std::os::unix::fs::symlink(&real, other.path()).unwrap();
        assert!(fixture.home().data_dirs().unwrap().known.is_empty());
        assert!(
            matches!(other.remove(), Err(DataDirError::Unwritable { .. }))
                && real.join("index.db").exists()
        );
    }
}
