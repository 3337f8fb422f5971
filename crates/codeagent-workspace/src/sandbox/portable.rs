//! Sandboxed file access on platforms other than Unix, with the directory handles of `cap-std`.
//! They resolve one name at a time and cannot leave the root.
//!
//! Limitations: links are followed only inside the root, and a file is never changed through a link
//! at the end of its path. Access lists of a replaced file are lost.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::change::{Removed, WriteError};
use super::list::{Item, ItemKind, SpecialFile};
use crate::Workspace;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::ReadError;

/// The repository root as an open folder.
#[derive(Debug)]
pub struct Root {
    folder: Dir,
    identity: same_file::Handle,
}

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            folder: Dir::open_ambient_dir(path, ambient_authority())?,
            identity: same_file::Handle::from_path(path)?,
        })
    }

    /// Reports whether this is still the folder at `path`.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        same_file::Handle::from_path(path).is_ok_and(|now| now == self.identity)
    }
}

impl Workspace {
    /// Opens a file for reading. All files of the repository are opened here.
    pub(crate) fn open_file(&self, path: &RepoPath) -> Result<File, ReadError> {
        let read = |error| failed(path, error);
        let metadata = self
            .folder()
            .metadata(library_path(self.seen(path)?))
            .map_err(read)?;
        // Opening a device could block.
        if !metadata.is_file() {
            return Err(ReadError::NotAFile(path.clone()));
        }
        self.folder()
            .open(path.as_str())
            .map(cap_std::fs::File::into_std)
            .map_err(read)
    }

    /// Opens the target of a path, following links inside the root.
    pub(crate) fn look(&self, path: &RepoPath) -> Result<File, ReadError> {
        let at = library_path(self.seen(path)?);
        let read = |error| failed(path, error);
        if self.folder().metadata(at).map_err(read)?.is_dir() {
            return self
                .folder()
                .open_dir(at)
                .map(Dir::into_std_file)
                .map_err(read);
        }
        self.folder()
            .open(at)
            .map(cap_std::fs::File::into_std)
            .map_err(read)
    }

    /// Returns `None`: this takes more than one step on this platform.
    pub(crate) fn look_without_links(&self, _path: &RepoPath) -> Option<File> {
        None
    }

    /// Resolves all links of a path.
    pub fn real_path(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        let missing = || ReadError::NotFound(path.clone());
        // The system returns the names as spelled on disk.
        let real = dunce::canonicalize(self.root().join(self.seen(path)?.as_str()))
            .map_err(|error| failed(path, error))?;
        let inside = real
            .strip_prefix(self.root())
            .map_err(|_| ReadError::Escapes(path.clone()))?;
        let real = RepoPath::from_relative(inside).map_err(|_| missing())?;
        if real.is_hidden() {
            Err(missing())
        } else {
            Ok(real)
        }
    }

    /// Lists a folder by name; also returns the number of names that are not UTF-8. `.git` and
    /// `.codeagent` are invisible.
    pub fn items(&self, folder: &RepoPath) -> Result<(Vec<Item>, usize), ReadError> {
        let read = |error: io::Error| match error.kind() {
            io::ErrorKind::NotADirectory => ReadError::NotADirectory(folder.clone()),
            _ => failed(folder, error),
        };

        let at = library_path(self.seen(folder)?);
        if !self.folder().metadata(at).map_err(read)?.is_dir() {
            return Err(ReadError::NotADirectory(folder.clone()));
        }

        let (mut items, mut unreadable) = (Vec::new(), 0);
        for entry in self.folder().read_dir(at).map_err(read)? {
            let entry = entry.map_err(read)?;
            let Ok(name) = entry.file_name().into_string() else {
                unreadable += 1;
                continue;
            };

            // The entry was deleted meanwhile.
            let (false, Ok(metadata), Ok(path)) =
                (is_hidden_name(&name), entry.metadata(), folder.join(&name))
            else {
                continue;
            };
            items.push(item(path, &metadata));
        }

        items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok((items, unreadable))
    }

    /// Writes a complete file, creating or replacing it, and creates missing folders.
    pub fn write_file(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), WriteError> {
        let refuse = |error| refused(path, error);
        let at = self.writable(path)?;
        match self.folder().symlink_metadata(at) {
            Ok(found) if !found.is_file() => return Err(ReadError::NotAFile(path.clone()).into()),
            Ok(found) if found.permissions().readonly() => {
                return Err(WriteError::Permission(path.clone()));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_parents(path)?,
            Err(error) => return Err(refuse(error)),
        }

        let parent = path.parent().ok_or(WriteError::Root)?;
        let folder = self
            .folder()
            .open_dir(library_path(&parent))
            .map_err(refuse)?;
        replace(&folder, path.file_name(), bytes).map_err(refuse)
    }

    /// Creates a folder; with `parents`, also missing parents. Returns `false` if it existed.
    pub fn create_folder(&self, path: &RepoPath, parents: bool) -> Result<bool, WriteError> {
        if path.is_root() {
            return Ok(false);
        }
        let at = self.writable(path)?;
        if self.folder().metadata(at).is_ok_and(|found| found.is_dir()) {
            return Ok(false);
        }
        if parents {
            self.make_parents(path)?;
        }
        self.folder()
            .create_dir(at)
            .map_err(|error| refused(path, error))?;
        Ok(true)
    }

    /// Removes a file, a link (not its target) or an empty folder; with `recursive`, also a folder
    /// with its content.
    pub fn remove(&self, path: &RepoPath, recursive: bool) -> Result<Removed, WriteError> {
        let at = self.writable(path)?;
        let refuse = |error| refused(path, error);
        if !self.folder().symlink_metadata(at).map_err(refuse)?.is_dir() {
            self.folder().remove_file(at).map_err(refuse)?;
            return Ok(Removed::File);
        }
        if recursive {
            self.folder().remove_dir_all(at)
        } else {
            self.folder().remove_dir(at)
        }
        .map_err(refuse)?;
        Ok(Removed::Directory)
    }

    /// Moves a file, link or folder, creating missing folders. With `overwrite`, a file at the
    /// target is replaced, but never a folder. Returns whether a file was replaced.
    pub fn rename(
        &self,
        from: &RepoPath,
        to: &RepoPath,
        overwrite: bool,
    ) -> Result<bool, WriteError> {
        let (source, target) = (self.writable(from)?, self.writable(to)?);

        let kind = self
            .folder()
            .symlink_metadata(source)
            .map_err(|error| refused(from, error))?;

        if kind.is_dir() && to.is_in(from) {
            return Err(WriteError::IntoItself(from.clone()));
        }

        let exists = match self.folder().symlink_metadata(target) {
            Ok(found) if found.is_dir() || !overwrite => {
                return Err(WriteError::Exists(to.clone()));
            }
            Ok(_) => true,
            Err(_) => false,
        };

        self.make_parents(to)?;
        self.folder()
            .rename(source, self.folder(), target)
            .map_err(|error| match error.kind() {
                io::ErrorKind::CrossesDevices => WriteError::OtherFileSystem(to.clone()),
                _ => refused(to, error),
            })?;

        Ok(exists)
    }

    fn folder(&self) -> &Dir {
        &self.handle.folder
    }

    /// Checks that a path is visible to callers.
    fn seen<'p>(&self, path: &'p RepoPath) -> Result<&'p RepoPath, ReadError> {
        if path.is_hidden() {
            Err(ReadError::NotFound(path.clone()))
        } else {
            Ok(path)
        }
    }

    /// Checks that a path may be changed. Names that belong to git or codeagent are rejected like
    /// paths outside.
    fn writable<'p>(&self, path: &'p RepoPath) -> Result<&'p str, WriteError> {
        if path.is_root() {
            return Err(WriteError::Root);
        }
        if path.is_hidden() {
            return Err(WriteError::Protected(path.clone()));
        }
        Ok(path.as_str())
    }

    fn make_parents(&self, path: &RepoPath) -> Result<(), WriteError> {
        match path.parent().filter(|parent| !parent.is_root()) {
            Some(parent) => self
                .folder()
                .create_dir_all(parent.as_str())
                .map_err(|error| refused(path, error)),
            None => Ok(()),
        }
    }
}

/// Converts a path for the library.
fn library_path(path: &RepoPath) -> &str {
    if path.is_root() { "." } else { path.as_str() }
}

fn item(path: RepoPath, metadata: &Metadata) -> Item {
    let kind = match metadata.file_type() {
        kind if kind.is_file() => ItemKind::File,
        kind if kind.is_dir() => ItemKind::Directory,
        kind if kind.is_symlink() => ItemKind::Link,
        _ => ItemKind::Other(SpecialFile::CharacterDevice),
    };

    let time = |time: io::Result<cap_std::time::SystemTime>| {
        time.map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std)
    };

    let mode = if metadata.permissions().readonly() {
        0o444
    } else {
        0o666
    };

    Item {
        path,
        kind,
        length: metadata.len(),
        modified: time(metadata.modified()),
        accessed: time(metadata.accessed()),
        mode,
        depth: 1,
    }
}

/// Writes a temporary file and renames it.
fn replace(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let temporary = format!(
        ".codeagent-{}-{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let mut file = folder.open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    drop(file);
    let renamed = written.and_then(|()| folder.rename(&temporary, folder, name));
    if renamed.is_err() {
        folder.remove_file(&temporary).ok();
    }
    renamed
}

/// Converts an error. A rejection by the library means that the path leads out of the root.
fn failed(path: &RepoPath, error: io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            ReadError::NotFound(path.clone())
        }
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            ReadError::Escapes(path.clone())
        }
        _ => ReadError::Io {
            path: path.clone(),
            source: error,
        },
    }
}

fn refused(path: &RepoPath, error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Exists(path.clone()),
        io::ErrorKind::DirectoryNotEmpty => WriteError::NotEmpty(path.clone()),
        io::ErrorKind::NotADirectory => ReadError::NotADirectory(path.clone()).into(),
        io::ErrorKind::IsADirectory => ReadError::NotAFile(path.clone()).into(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            if error.raw_os_error().is_some() =>
        {
            WriteError::Permission(path.clone())
        }
        _ => failed(path, error).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        std::fs::create_dir_all(root.join("src/inner")).unwrap();
        std::fs::write(root.join("src/a.cs"), "class A { }\r\n").unwrap();
        std::fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        std::fs::create_dir(root.join(".git")).unwrap();
        std::fs::write(root.join(".git/config"), "").unwrap();
        let workspace = Workspace::open(&root).unwrap();
        (outer, workspace)
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn files_are_read_and_listed_in_any_spelling() {
        let (_outer, workspace) = workspace();
        assert_eq!(
            workspace.read(&path("src/a.cs")).unwrap().text,
            "class A { }\r\n"
        );

        assert_eq!(
            workspace.real_path(&path("SRC/A.CS")).unwrap(),
            path("src/a.cs")
        );

        let (items, unreadable) = workspace.items(&path("src")).unwrap();
        let names: Vec<_> = items
            .iter()
            .map(|item| (item.path.as_str(), item.kind, item.length))
            .collect();

        assert_eq!(
            names,
            [
                ("src/a.cs", ItemKind::File, 13),
                ("src/inner", ItemKind::Directory, items[1].length)
            ]
        );
        assert_eq!(unreadable, 0);

        assert!(matches!(
            workspace.items(&path("src/a.cs")),
            Err(ReadError::NotADirectory(_))
        ));
        assert!(matches!(
            workspace.open_file(&path("src")),
            Err(ReadError::NotAFile(_))
        ));
        assert!(matches!(
            workspace.open_file(&path("src/b.cs")),
            Err(ReadError::NotFound(_))
        ));
    }

    #[test]
    fn names_with_a_special_meaning_are_not_found() {
        let (_outer, workspace) = workspace();

        for name in [
            "..\\secret.txt",
            "src\\..\\..\\secret.txt",
            "C:/Windows",
            "C:secret.txt",
            "src/a.cs:stream",
            ".GIT/config",
            ".git./config",
            "con",
            "src/NUL.cs",
        ] {
            let Ok(path) = RepoPath::new(name) else {
                continue;
            };

            assert!(workspace.open_file(&path).is_err(), "{name} was read");
            assert!(
                workspace.write_file(&path, b"x").is_err(),
                "{name} was written"
            );
        }
    }

    #[test]
    fn files_are_written_moved_and_removed() {
        let (_outer, workspace) = workspace();
        workspace
            .write_file(&path("new/deep/b.cs"), b"class B { }")
            .unwrap();

        workspace
            .write_file(&path("new/deep/b.cs"), b"class C { }")
            .unwrap();
        assert_eq!(
            workspace.read(&path("new/deep/b.cs")).unwrap().text,
            "class C { }"
        );

        assert!(matches!(
            workspace.rename(&path("new/deep/b.cs"), &path("src/a.cs"), false),
            Err(WriteError::Exists(_))
        ));
        assert!(
            workspace
                .rename(&path("new/deep/b.cs"), &path("src/a.cs"), true)
                .unwrap()
        );

        assert!(matches!(
            workspace.rename(&path("src"), &path("src/inner/src"), false),
            Err(WriteError::IntoItself(_))
        ));
        assert!(matches!(
            workspace.remove(&path("src"), false),
            Err(WriteError::NotEmpty(_))
        ));

        assert_eq!(
            workspace.remove(&path("src"), true).unwrap(),
            Removed::Directory
        );

        assert!(workspace.create_folder(&path("src"), false).unwrap());
        assert!(!workspace.create_folder(&path("src"), false).unwrap());
        assert_eq!(workspace.items(&path("new/deep")).unwrap().0.len(), 0);
    }
}
