//! Read-only access to installed npm and NuGet packages.
//!
//! npm packages are in `node_modules` folders inside the root, or are reached through them: pnpm
//! has its packages in `node_modules/.pnpm` and links to them. A file is only read if it is in such
//! a folder after all links are resolved. NuGet packages are in a folder of the user's
//! ([`crate::DataRoot::packages`]), which is a root of its own.
//!
//! Limitations: a `node_modules` above the root is not read. Names that are not UTF-8 are skipped.

use std::fs::File;

use crate::Workspace;
use crate::path::RepoPath;
use crate::read::{FileBytes, FileText, ReadError, Stamp};

/// Name of the folders with npm packages.
pub const NODE_MODULES: &str = "node_modules";

/// An entry of a package folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirListing {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link and its target as written.
    Link(String),
}

/// The content of a package folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Names and entries, sorted.
    pub names: Vec<(String, DirListing)>,
    /// Stamp of the folder; changes when an entry is added or removed.
    pub stamp: Stamp,
}

impl Listing {
    /// Returns the entry with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&DirListing> {
        let at = self
            .names
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
            .ok()?;
        Some(&self.names[at].1)
    }

    /// Returns a hash of the content.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (name, kind) in &self.names {
            let (word, target) = match kind {
                DirListing::File => ("file", ""),
                DirListing::Folder => ("folder", ""),
                DirListing::Link(target) => ("link", target.as_str()),
            };
            for text in [name, word, target] {
                hasher.update(text.as_bytes()).update(&[0]);
            }
        }
        *hasher.finalize().as_bytes()
    }
}

/// Kinds of folders with files that are not sources of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExternalKind {
    /// In the repository's `node_modules` folders.
    NodeModules,
    /// Any file of the repository: assemblies in it, and output of a restore.
    Repository,
    /// In the user's folder of NuGet packages.
    NuGet,
}

impl ExternalKind {
    /// All kinds, in order.
    pub const ALL: [Self; 3] = [Self::NodeModules, Self::Repository, Self::NuGet];
}

/// Access to package files of one kind.
#[derive(Clone, Debug)]
pub struct Packages {
    workspace: Workspace,
    only_node_modules: bool,
}

impl Workspace {
    /// Returns access to the files of one kind, if there are any. Only for the indexer: no tool
    /// shows these files, and a repository cannot set the location of the user's packages.
    #[must_use]
    pub fn external(&self, kind: ExternalKind) -> Option<Packages> {
        let workspace = match kind {
            ExternalKind::NodeModules | ExternalKind::Repository => self.clone(),
            ExternalKind::NuGet => Self::open(self.packages.as_ref()?).ok()?,
        };
        Some(Packages {
            workspace,
            only_node_modules: kind == ExternalKind::NodeModules,
        })
    }
}

impl Packages {
    /// Lists a folder.
    pub fn list(&self, folder: &RepoPath) -> Result<Listing, ReadError> {
        let (real, handle) = self.look(folder)?;
        let stamp = Stamp::of(&handle.metadata().map_err(|source| ReadError::Io {
            path: real.clone(),
            source,
        })?);
        let mut names = self.workspace.names(&real, &handle)?;
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Listing { names, stamp })
    }

    /// Reads a text of at most `limit` bytes.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Result<FileText, ReadError> {
        self.workspace.read_up_to(&self.readable(path)?, limit)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read_bytes(&self, path: &RepoPath, limit: u64) -> Result<FileBytes, ReadError> {
        self.workspace.read_bytes_meta(&self.readable(path)?, limit)
    }

    /// Resolves the links of a path, which must lead to one of these files.
    fn readable(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        let has_no_links = self.workspace.look_without_links(path).is_some();
        let real = if has_no_links {
            path.clone()
        } else {
            self.real_path(path)?
        };
        if self.has(&real) {
            Ok(real)
        } else {
            Err(ReadError::Escapes(path.clone()))
        }
    }

    /// Reports whether a link-free path is one of these files.
    fn has(&self, path: &RepoPath) -> bool {
        !self.only_node_modules || is_in_packages(path)
    }

    /// Returns the size and stamp of a file, following links; size 0 for a folder.
    pub fn stat(&self, path: &RepoPath) -> Result<(u64, Stamp), ReadError> {
        let (real, handle) = self.look(path)?;
        let metadata = handle
            .metadata()
            .map_err(|source| ReadError::Io { path: real, source })?;
        Ok((
            if metadata.is_dir() { 0 } else { metadata.len() },
            Stamp::of(&metadata),
        ))
    }

    /// Resolves all links of a path. It is an error if the path leads outside these files.
    pub fn real_path(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        let real = self.workspace.real_path(path)?;
        if self.has(&real) {
            Ok(real)
        } else {
            Err(ReadError::Escapes(path.clone()))
        }
    }

    /// Resolves a path and opens a handle of its target.
    fn look(&self, path: &RepoPath) -> Result<(RepoPath, File), ReadError> {
        if let Some(handle) = self
            .workspace
            .look_without_links(path)
            .filter(|_| self.has(path))
        {
            return Ok((path.clone(), handle));
        }
        let real = self.real_path(path)?;
        let handle = self.workspace.look(&real)?;
        Ok((real, handle))
    }
}

/// Reports whether a link-free path is a package folder or is inside one.
fn is_in_packages(path: &RepoPath) -> bool {
    path.segments().any(|segment| segment == NODE_MODULES)
}

impl Workspace {
    /// Lists the names in a folder, unsorted.
    #[cfg(unix)]
    fn names(
        &self,
        path: &RepoPath,
        folder: &File,
    ) -> Result<Vec<(String, DirListing)>, ReadError> {
        use rustix::fs::{Dir, FileType, Mode, OFlags, openat, readlinkat};
        use std::os::unix::ffi::OsStrExt;

        let io = |error: rustix::io::Errno| match error {
            rustix::io::Errno::NOTDIR => ReadError::NotADirectory(path.clone()),
            other => ReadError::Io {
                path: path.clone(),
                source: other.into(),
            },
        };
        let handle = openat(
            folder,
            ".",
            crate::sandbox::READ | OFlags::DIRECTORY,
            Mode::empty(),
        )
        .map_err(io)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&handle).map_err(io)? {
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if matches!(name, "." | "..") || crate::path::is_hidden_name(name) {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let found = rustix::fs::statat(
                        &handle,
                        entry.file_name(),
                        rustix::fs::AtFlags::SYMLINK_NOFOLLOW,
                    );
                    found.map_or(FileType::Unknown, |found| {
                        FileType::from_raw_mode(found.st_mode)
                    })
                }
                kind => kind,
            };
            let listed = match kind {
                FileType::RegularFile => DirListing::File,
                FileType::Directory => DirListing::Folder,
                FileType::Symlink => {
                    let target =
                        readlinkat(&handle, entry.file_name(), Vec::new()).unwrap_or_default();
                    DirListing::Link(
                        std::ffi::OsStr::from_bytes(target.as_bytes())
                            .to_string_lossy()
                            .into_owned(),
                    )
                }
                _ => continue,
            };
            names.push((name.to_owned(), listed));
        }
        Ok(names)
    }

    /// Lists the names in a folder, unsorted. Link targets are unknown on this platform.
    #[cfg(not(unix))]
    fn names(
        &self,
        path: &RepoPath,
        _folder: &File,
    ) -> Result<Vec<(String, DirListing)>, ReadError> {
        use crate::sandbox::ItemKind;

        let listed = |kind| match kind {
            ItemKind::File => Some(DirListing::File),
            ItemKind::Directory => Some(DirListing::Folder),
            ItemKind::Link => Some(DirListing::Link(String::new())),
            _ => None,
        };
        let (items, _) = self.items(path)?;
        Ok(items
            .into_iter()
            .filter_map(|item| Some((item.path.file_name().to_owned(), listed(item.kind)?)))
            .collect())
    }
}
