//! The data folder of a repository. Its `lock` determines which process may write to it.
//!
//! Each root has a folder in the user's cache directory, readable by the user only. It is never in
//! the repository, whose content could forge it. The environment variable `CODEAGENT_DATA_DIR`
//! names another data root.
//!
//! Limitations: permissions are enforced on Unix only.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::lock::Holder;
use crate::walk::is_shortage;

/// Maximum size of a secret, in bytes.
const LONGEST_SECRET: u64 = 4_096;

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The user has no cache directory.
    #[error("no folder for the index: XDG_CACHE_HOME and HOME are not set; set CODEAGENT_DATA_DIR")]
    NoPlace,
    /// The folder cannot be created or written to.
    #[error("cannot write the index folder {path}: {source}{hint}", path = path.display(), hint = hint(source))]
    Unwritable {
        /// Path of the folder.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// Another process holds the write lock.
    #[error("another codeagent{} is writing this repository's index", .0.map(|by| format!(" (process {})", by.process)).unwrap_or_default())]
    Locked(Option<Holder>),
    /// One of our files is a link, and writing would follow it.
    #[error("{path} is a link instead of an index file; remove it", path = path.display())]
    Link {
        /// Path of the file.
        path: PathBuf,
    },
    /// Other users can read a file that must be private.
    #[error("{path} is readable by others; remove it, and codeagent creates a new one", path = path.display())]
    Open {
        /// Path of the file.
        path: PathBuf,
    },
    /// Any other system error.
    #[error("cannot lock the index: {0}")]
    Io(#[from] io::Error),
    /// One of our files cannot be removed.
    #[error("cannot remove {name} in the data folder: {source}")]
    Remove {
        /// Name of the file.
        name: String,
        /// Cause of the failure.
        source: io::Error,
    },
}

/// Returns a hint for a folder that cannot be written.
fn hint(source: &io::Error) -> &'static str {
    if is_shortage(source) {
        "; raise the limit (ulimit -n)"
    } else {
        "; set CODEAGENT_DATA_DIR to one that can"
    }
}

/// The data root, which holds the data folders of all repositories, and the user's folder of NuGet
/// packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataRoot {
    chosen: Option<PathBuf>,
    packages: Option<PathBuf>,
}

/// The data folder of one repository, which may not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    path: PathBuf,
    root: PathBuf,
}

impl DataRoot {
    /// Uses the given directory instead of `CODEAGENT_DATA_DIR` or the user's cache directory.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            chosen: Some(path.into()),
            packages: None,
        }
    }

    /// Sets the folder of NuGet packages.
    #[must_use]
    pub fn with_packages(self, folder: Option<PathBuf>) -> Self {
        Self {
            packages: folder,
            ..self
        }
    }

    /// Returns the user's folder of NuGet packages, which may not exist: `NUGET_PACKAGES`, else
    /// `.nuget/packages` in the home directory. If the data root was given, returns the folder set
    /// by [`Self::with_packages`] only.
    #[must_use]
    pub fn packages(&self) -> Option<PathBuf> {
        let of_user = || {
            let named = variable("NUGET_PACKAGES").filter(|path| path.is_absolute());
            named.or_else(|| {
                Some(
                    variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?
                        .join(".nuget/packages"),
                )
            })
        };
        self.packages
            .clone()
            .or_else(|| self.chosen.is_none().then(of_user)?)
    }

    /// Returns the data folder of a resolved root, without touching the disk.
    pub fn data_dir(&self, root: &Path) -> Result<DataDir, DataDirError> {
        Ok(DataDir {
            path: self.path()?.join(folder_name(root)),
            root: root.to_owned(),
        })
    }

    /// Returns the absolute path of the data root, which may not exist.
    pub fn path(&self) -> Result<PathBuf, DataDirError> {
        let home = self
            .chosen
            .clone()
            .or_else(|| variable("CODEAGENT_DATA_DIR"))
            .or_else(user_cache)
            .ok_or(DataDirError::NoPlace)?;
        Ok(std::path::absolute(&home).unwrap_or(home))
    }
}

impl DataDir {
    /// Returns the path of the data folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the resolved root of the repository.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of one of our files, which may not exist. `name` must be a constant of this
    /// program.
    pub fn file(&self, name: &str) -> Result<PathBuf, DataDirError> {
        let path = self.path.join(name);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.file_type().is_symlink() => Err(DataDirError::Link { path }),
            _ => Ok(path),
        }
    }

    /// Returns the path of the database. It is an error if one of its files is a link, which SQLite
    /// would follow.
    pub fn database(&self) -> Result<PathBuf, DataDirError> {
        ["index.db-wal", "index.db-shm"]
            .iter()
            .try_for_each(|name| self.file(name).map(drop))?;
        self.file("index.db")
    }

    /// Returns the path of the database, creating an empty file readable by the owner only if
    /// needed. The caller must hold the lock.
    pub fn writable_database(&self) -> Result<PathBuf, DataDirError> {
        let path = self.database()?;
        open_own(&path).map_err(|source| DataDirError::Unwritable {
            path: self.path.clone(),
            source,
        })?;
        Ok(path)
    }

    /// Returns an identity that changes when the database file is replaced; `None` if there is no
    /// file.
    #[must_use]
    pub fn database_mark(&self) -> Option<(u64, u64)> {
        let metadata = self.path.join("index.db").symlink_metadata().ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        }
        #[cfg(not(unix))]
        {
            drop(metadata);
            Some((0, 0))
        }
    }

    /// Returns whether only the owner may read a file, and its path; `None` if the file does not
    /// exist.
    #[must_use]
    pub fn is_secret(&self, name: &str) -> Option<(bool, PathBuf)> {
        let path = self.file(name).ok()?;
        Some((!is_open_to_others(&path).ok()?, path))
    }

    /// Returns the text and path of a private file, creating it with the text `fresh` if needed.
    pub fn secret(&self, name: &str, fresh: &str) -> Result<(String, PathBuf), DataDirError> {
        let unwritable = |source| DataDirError::Unwritable {
            path: self.path.clone(),
            source,
        };

        make_own_folder(&self.path).map_err(unwritable)?;
        let path = self.file(name)?;

        if !path.exists() {
            // Linking a complete draft into place makes the file complete from the start; the first
            // of two concurrent writers wins.
            let draft = self.path.join(format!("{name}.{}", std::process::id()));
            std::fs::remove_file(&draft).ok();
            open_own(&draft)
                .and_then(|mut file| file.write_all(fresh.as_bytes()))
                .map_err(unwritable)?;

            let linked = std::fs::hard_link(&draft, &path);
            std::fs::remove_file(&draft).map_err(unwritable)?;
            if let Err(error) =
                linked.or_else(|error| if path.exists() { Ok(()) } else { Err(error) })
            {
                return Err(unwritable(error));
            }
        }

        if is_open_to_others(&path).map_err(unwritable)? {
            return Err(DataDirError::Open { path });
        }

        let mut text = String::new();
        File::open(&path)
            .and_then(|file| file.take(LONGEST_SECRET).read_to_string(&mut text))
            .map_err(unwritable)?;

        Ok((text, path))
    }
}

/// Creates a folder that only its owner can enter, or restricts an existing one.
pub fn make_own_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);

    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;

    if !folder.symlink_metadata()?.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "the data folder is not a folder",
        ));
    }

    #[cfg(unix)]
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Opens a file for writing. A new file is readable by its owner only.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    own_with(OpenOptions::new().write(true), path)
}

/// Like [`open_own`], with further options.
pub(crate) fn own_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(path.metadata()?.permissions().mode() & 0o077 != 0)
}

/// Returns `false`: on other platforms, the permissions of the folder have to suffice.
#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Returns a root's identifier, a hash of its path.
#[must_use]
pub fn root_mark(root: &Path) -> String {
    blake3::hash(root.as_os_str().as_encoded_bytes())
        .to_hex()
        .to_string()
}

/// Returns a readable folder name that is unique per root.
pub(crate) fn folder_name(root: &Path) -> String {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let name: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
        .take(40)
        .collect();
    format!("{name}-{}", &root_mark(root)[..16])
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value: &OsString| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns the user's cache directory. A relative `XDG_CACHE_HOME` is ignored, as its specification
/// requires.
fn user_cache() -> Option<PathBuf> {
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        let chosen = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        chosen.or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("codeagent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_outside_the_root_and_created_by_writers() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        assert!(dir.path().starts_with(home.path()) && !dir.path().exists());
        let _lock = dir.lock_writer().unwrap();
        assert!(dir.path().is_dir());
        assert_eq!(
            std::fs::read_dir(root.path()).unwrap().count(),
            0,
            "nothing is put into the repository"
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_data_folder_is_private_to_its_owner() {
        use std::os::unix::fs::PermissionsExt;
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path().join("deep/er"))
            .data_dir(root.path())
            .unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;

        let _lock = dir.lock_writer().unwrap();
        let database = dir.writable_database().unwrap();

        assert_eq!(
            (
                mode(dir.path()),
                mode(&database),
                mode(&dir.path().join("lock"))
            ),
            (0o700, 0o600, 0o600)
        );

        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o777)).unwrap();
        drop(_lock);

        let _lock = dir.lock_writer().unwrap();
        assert_eq!(
            mode(dir.path()),
            0o700,
            "a folder that was open to others is closed"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_in_place_of_files_are_not_followed() {
        let (root, home, other) = (
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
        );
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        std::os::unix::fs::symlink(other.path(), dir.path()).unwrap();
        assert!(matches!(
            dir.lock_writer(),
            Err(DataDirError::Unwritable { .. })
        ));
        assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0);
        std::fs::remove_file(dir.path()).unwrap();

        let _lock = dir.lock_writer().unwrap();
        let precious = other.path().join("precious");
        std::fs::write(&precious, "x").unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join("index.db")).unwrap();
        assert!(matches!(
            dir.writable_database(),
            Err(DataDirError::Link { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_is_created_once_and_must_be_private() {
        use std::os::unix::fs::PermissionsExt;
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();

        let (text, path) = dir.secret("token", "first").unwrap();
        assert_eq!(
            (
                text.as_str(),
                path.metadata().unwrap().permissions().mode() & 0o777
            ),
            ("first", 0o600)
        );

        assert_eq!(dir.secret("token", "second").unwrap().0, "first");
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            1,
            "no draft is left"
        );

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        assert!(matches!(
            dir.secret("token", "third"),
            Err(DataDirError::Open { .. })
        ));

        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(home.path().join("x"), &path).unwrap();
        assert!(matches!(
            dir.secret("token", "third"),
            Err(DataDirError::Link { .. })
        ));
    }

    #[test]
    fn each_root_has_a_folder() {
        let (a, b, home) = (
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
        );
        let home = DataRoot::at(home.path());
        assert_ne!(
            home.data_dir(a.path()).unwrap(),
            home.data_dir(b.path()).unwrap()
        );
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = home.path().join("file");
        std::fs::write(&home, "in the way").unwrap();
        let dir = DataRoot::at(home).data_dir(root.path()).unwrap();
        assert!(matches!(
            dir.lock_writer(),
            Err(DataDirError::Unwritable { .. })
        ));
    }
}
