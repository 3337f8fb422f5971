//! The repository on disk: files, ignore rules, settings, watching, and codeagent's own data
//! folder.
//!
//! This is the only crate that accesses the file system. Every access takes a [`RepoPath`], which
//! only `sandbox` turns into an open file or folder. Everything read, listed or changed is
//! therefore below the root, whatever the caller passes.
//!
//! Limitations: names that are not UTF-8 are skipped. `.git` and `.codeagent` are invisible to
//! callers, at any depth.

#![warn(missing_docs)]
#![allow(
    clippy::disallowed_methods,
    reason = "this is the crate that the other crates are sent to"
)]

mod clean;
mod config;
mod data_dir;
mod decode;
mod detach;
mod eviction;
mod git;
mod git_index;
mod ignored;
mod imports;
mod integrity;
mod ipc;
mod limits;
mod lock;
mod log;
mod package_dirs;
mod packs;
mod path;
mod priority;
mod read;
mod root;
mod sandbox;
mod search;
mod spill;
mod threads;
mod uri;
mod walk;
mod watch;
mod worktrees;

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

pub use clean::{DataDirs, ScratchRoot};
pub use config::{CONFIG_FILE, Config, ConfigError, Globs, LANGUAGES, MAX_FILE_BYTES};
pub use data_dir::{DataDir, DataDirError, DataRoot, make_own_folder, root_mark};
pub use decode::Encoding;
pub use detach::{leave_session, start_detached};
pub use eviction::MAX_TOTAL_BYTES;
pub use git::{ChangedFile, CommitName, Content, GitChanges, GitError, GitRepository};
pub use imports::is_import_name;
pub use integrity::{CleanShutdownMarker, Guard, Integrity};
pub use ipc::{IpcListener, IpcStream};
pub use limits::{TooFewAddresses, check_addresses, survive_file_size_limit};
pub use lock::{Holder, WriterLock};
pub use log::{LONGEST_LOG, LogFile};
pub use package_dirs::{DirListing, ExternalKind, Listing, NODE_MODULES, Packages};
pub use path::{MAX_PATH_BYTES, PathError, RepoPath};
pub use priority::{lower_priority, lowest_priority, priority_steps};
pub use read::{FileBytes, FileText, ReadError, Stamp};
pub use root::{
    RootError, check_found_root, check_named_root, find_root, find_roots, has_source, is_work_tree,
};
#[cfg(target_os = "linux")]
pub use sandbox::remove_tree;
pub use sandbox::{Item, ItemKind, Removed, SpecialFile, WalkControl, WriteError};
pub use search::{
    Binary, Case, FileHits, Files, Hit, Ordered, SearchError, SearchStats, TextQuery, line_matcher,
    path_glob,
};
pub use spill::{SpillFile, SpilledBytes};
pub use uri::{file_uri, path_of_file_uri};
pub use walk::{Entry, EntryKind, Walk};
pub use watch::{FsEvents, WatchError, Watcher};

/// Why a repository root cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The root does not exist or is not accessible.
    #[error("cannot open {path}: {source}", path = path.display())]
    Unreachable {
        /// Path of the root, as given.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// The root is a file.
    #[error("{path} is not a folder", path = .0.display())]
    NotADirectory(PathBuf),
}

/// A repository: its resolved root and its settings. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: Arc<Path>,
    /// The root as given by the caller, if that path contains links.
    linked: Option<Arc<Path>>,
    handle: Arc<sandbox::Root>,
    config: Arc<Config>,
    /// The user's folder of NuGet packages.
    packages: Option<Arc<Path>>,
}

impl Workspace {
    /// Opens a root with default settings. Links in `root` itself are resolved once.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, OpenError> {
        let given = root.as_ref();
        let root = dunce::canonicalize(given).map_err(|source| OpenError::Unreachable {
            path: given.to_owned(),
            source,
        })?;

        if !root.is_dir() {
            return Err(OpenError::NotADirectory(given.to_owned()));
        }

        let handle = sandbox::Root::open(&root).map_err(|source| OpenError::Unreachable {
            path: given.to_owned(),
            source,
        })?;

        let linked = std::path::absolute(given)
            .ok()
            .filter(|given| *given != root)
            .map(Arc::from);

        Ok(Self {
            root: root.into(),
            linked,
            handle: Arc::new(handle),
            config: Arc::default(),
            packages: None,
        })
    }

    /// Replaces the settings.
    #[must_use]
    pub fn with_config(self, config: Config) -> Self {
        Self {
            config: Arc::new(config),
            ..self
        }
    }

    /// Sets the user's folder of NuGet packages, which may not exist.
    #[must_use]
    pub fn with_packages(self, folder: Option<PathBuf>) -> Self {
        Self {
            packages: folder.map(Arc::from),
            ..self
        }
    }

    /// Loads the settings file. If it is invalid, returns an error, or with `tolerate` the default
    /// settings with a note.
    pub fn configured(self, tolerate: bool) -> Result<Self, ConfigError> {
        let config = if tolerate {
            Config::load_tolerantly(&self.root)
        } else {
            Config::load(&self.root)?
        };
        Ok(self.with_config(config))
    }

    /// Reopens the root if its path now leads to another folder, as after a removal or a mount.
    #[must_use]
    pub fn reopened(&self) -> Self {
        if self.handle.is_at(&self.root) {
            return self.clone();
        }
        let opened = Self::open(&self.root)
            .ok()
            .filter(|opened| opened.root == self.root);
        opened.map_or_else(
            || self.clone(),
            |opened| Self {
                handle: opened.handle,
                ..self.clone()
            },
        )
    }

    /// Reports whether the path that the root was opened with now leads to another folder.
    #[must_use]
    pub fn is_repointed(&self) -> bool {
        self.linked
            .as_ref()
            .is_some_and(|linked| dunce::canonicalize(linked).is_ok_and(|now| *now != *self.root))
    }

    /// Reports whether both workspaces have the same root folder.
    pub(crate) fn has_root_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.handle, &other.handle)
    }

    /// Returns the settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns a note if the repository contains a file that could be mistaken for one of our
    /// indexes, which are elsewhere ([`DataRoot`]).
    #[must_use]
    pub fn bundled_index(&self) -> Option<&'static str> {
        let is_there = self
            .root
            .join(".codeagent/index.db")
            .symlink_metadata()
            .is_ok();
        is_there.then_some(".codeagent/index.db in the repository is ignored and can be removed; indexes are in the user's cache folder")
    }

    /// Returns the resolved root. It must not appear in answers.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reports whether the root still exists.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.root.is_dir()
    }

    /// Resolves a path typed by a user or tool: removes `./` and redundant slashes, folds inner
    /// `..`, and accepts an absolute path below the root.
    pub fn resolve(&self, text: &str) -> Result<RepoPath, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul);
        }

        let typed = Path::new(text);
        if !typed.is_absolute() {
            return RepoPath::normalized(text);
        }

        let mut clean = PathBuf::new();
        for component in typed.components() {
            match component {
                Component::ParentDir => drop(clean.pop()),
                Component::CurDir => {}
                other => clean.push(other),
            }
        }

        let inside = clean
            .strip_prefix(&self.root)
            .map_err(|_| PathError::Escapes(text.to_owned()))?;
        RepoPath::from_relative(inside)
    }
}

/// Reads a file that the user named on the command line, of at most `limit` bytes.
pub fn read_input(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let size = std::fs::metadata(path)?.len();
    if size > limit {
        let what = format!("it has {size} bytes, more than {limit}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    std::fs::read(path)
}

/// Writes a file that the user named on the command line, never one named by a repository.
pub fn write_output(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}

/// Creates a file that the user named on the command line, to be written in parts.
pub fn create_output(path: &Path) -> io::Result<impl io::Write> {
    Ok(io::BufWriter::new(std::fs::File::create(path)?))
}

#[cfg(test)]
mod tests;
