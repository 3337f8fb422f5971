//! Changes to files and folders on Unix.
//!
//! Files are written next to their target and renamed, relative to the handle of their folder. A
//! reader sees either the old or the new content, and no link is written through.
//!
//! Limitations: a replaced file keeps its permissions, but not its owner, extended attributes and
//! access lists. A folder that is removed while another process writes to it may be left partially
//! removed.
//! removed.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

use super::change::{Removed, WriteError};
use super::unix::{ResolvedPath, TRIES, failed};
use super::{FinalLink, LOOK, READ};
use crate::Workspace;
use crate::path::RepoPath;
use crate::read::ReadError;
use crate::walk::EntryKind;

impl Workspace {
    /// Writes a complete file, creating or replacing it, and creates missing folders.
    pub fn write_file(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), WriteError> {
        for _ in 0..TRIES {
            let mut target = self.resolve_new(path, FinalLink::Follow)?;
            make_folders(&mut target, path)?;
            let name = target.name.as_deref().ok_or(WriteError::Root)?;

            let mode = match kind_at(&target.folder, name) {
                Ok((FileType::RegularFile, stat)) => Some(Mode::from_raw_mode(stat.st_mode)),
                // A link appeared meanwhile.
                Ok((FileType::Symlink, _)) => continue,
                Ok(_) => return Err(ReadError::NotAFile(path.clone()).into()),
                Err(Errno::NOENT) => None,
                Err(error) => return Err(refused(path, error)),
            };

            if mode.is_some_and(|mode| !mode.intersects(Mode::WUSR | Mode::WGRP | Mode::WOTH)) {
                return Err(WriteError::Permission(path.clone()));
            }

            return replace(&target.folder, name, bytes, mode)
                .map_err(|error| refused_io(path, error));
        }
        Err(ReadError::Escapes(path.clone()).into())
    }

    /// Creates a folder; with `parents`, also missing parents. Returns `false` if it existed.
    pub fn create_folder(&self, path: &RepoPath, parents: bool) -> Result<bool, WriteError> {
        let mut target = self.resolve_new(path, FinalLink::Follow)?;

        if !target.rest.is_empty() && !parents {
            return Err(ReadError::NotFound(path.clone()).into());
        }
        make_folders(&mut target, path)?;

        let Some(name) = target.name.as_deref() else {
            return Ok(false);
        };

        match mkdirat(&target.folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => match kind_at(&target.folder, name) {
                Ok((FileType::Directory, _)) => Ok(false),
                _ => Err(WriteError::Exists(path.clone())),
            },
            Err(error) => Err(refused(path, error)),
        }
    }

    /// Removes a file, a link (not its target) or an empty folder; with `recursive`, also a folder
    /// with its content.
    pub fn remove(&self, path: &RepoPath, recursive: bool) -> Result<Removed, WriteError> {
        let target = self.resolve_writable(path, FinalLink::Keep)?;
        let name = target.name.as_deref().ok_or(WriteError::Root)?;
        let io = |error| refused(path, error);
        let (kind, _) = kind_at(&target.folder, name).map_err(io)?;
        if kind != FileType::Directory {
            unlinkat(&target.folder, name, AtFlags::empty()).map_err(io)?;
            return Ok(Removed::File);
        }
        if recursive {
            remove_tree(&target.folder, name).map_err(io)?;
        } else {
            unlinkat(&target.folder, name, AtFlags::REMOVEDIR).map_err(io)?;
        }
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
        let source = self.resolve_writable(from, FinalLink::Keep)?;
        let source_name = source.name.as_deref().ok_or(WriteError::Root)?;
        let (kind, _) =
            kind_at(&source.folder, source_name).map_err(|error| refused(from, error))?;

        // A link at the target is replaced, but one that leads out of the root is rejected.
        self.resolve_new(to, FinalLink::Follow)?;
        let mut target = self.resolve_new(to, FinalLink::Keep)?;

        if kind == FileType::Directory
            && target
                .real()
                .zip(source.real())
                .is_some_and(|(to, from)| to.is_in(&from))
        {
            return Err(WriteError::IntoItself(from.clone()));
        }

        let exists = target.rest.is_empty()
            && match target
                .name
                .as_deref()
                .map(|name| kind_at(&target.folder, name))
            {
                None => return Err(WriteError::Exists(to.clone())),
                Some(Ok((FileType::Directory, _))) => return Err(WriteError::Exists(to.clone())),
                Some(Ok(_)) if !overwrite => return Err(WriteError::Exists(to.clone())),
                Some(Ok(_)) => true,
                Some(Err(_)) => false,
            };

        make_folders(&mut target, to)?;
        let target_name = target.name.as_deref().ok_or(WriteError::Root)?;

        let renamed = if overwrite {
            renameat(&source.folder, source_name, &target.folder, target_name)
        } else {
            rename_new(&source.folder, source_name, &target.folder, target_name)
        };
        renamed.map_err(|error| {
            if error == Errno::XDEV {
                WriteError::OtherFileSystem(to.clone())
            } else {
                refused(to, error)
            }
        })?;

        Ok(exists)
    }

    /// Resolves the path of a new entry. If a parent is a file, the error says so.
    fn resolve_new(&self, path: &RepoPath, last: FinalLink) -> Result<ResolvedPath, WriteError> {
        self.resolve_writable(path, last)
            .map_err(|error| match error {
                WriteError::Path(ReadError::NotFound(_)) => {
                    let mut above = std::iter::successors(path.parent(), RepoPath::parent);
                    let is_no_folder = |path: &RepoPath| {
                        self.stat(path)
                            .is_ok_and(|entry| entry.kind != EntryKind::Directory)
                    };
                    above
                        .find(is_no_folder)
                        .map_or(error, |file| ReadError::NotADirectory(file).into())
                }
                other => other,
            })
    }

    /// Resolves a path to be changed, unless it belongs to git or codeagent.
    fn resolve_writable(
        &self,
        path: &RepoPath,
        last: FinalLink,
    ) -> Result<ResolvedPath, WriteError> {
        if path.is_hidden() {
            return Err(WriteError::Protected(path.clone()));
        }
        Ok(self.resolve_parent(path, last)?)
    }
}

/// Creates missing parents, so that only the last segment may be missing.
fn make_folders(target: &mut ResolvedPath, path: &RepoPath) -> Result<(), WriteError> {
    let io = |error| refused(path, error);
    for next in std::mem::take(&mut target.rest) {
        let Some(name) = target.name.replace(next) else {
            return Err(WriteError::Root);
        };

        match mkdirat(&target.folder, &name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(io(error)),
        }

        target.folder = openat(
            &target.folder,
            &name,
            LOOK | OFlags::DIRECTORY,
            Mode::empty(),
        )
        .map_err(io)?;
        target.at.push(name);
    }
    Ok(())
}

/// Returns the type of an entry, without following a link.
fn kind_at(folder: &OwnedFd, name: &str) -> Result<(FileType, Stat), Errno> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((FileType::from_raw_mode(stat.st_mode), stat))
}

/// Writes a temporary file and renames it.
fn replace(folder: &OwnedFd, name: &str, bytes: &[u8], mode: Option<Mode>) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);

    let temporary = format!(
        ".codeagent-{}-{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );

    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(folder, &temporary, flags, Mode::from_raw_mode(0o666))?;

    let written = (|| {
        if let Some(mode) = mode {
            fchmod(&handle, mode)?;
        }
        let mut file = File::from(handle);
        file.write_all(bytes)?;
        file.sync_data()?;
        Ok(renameat(folder, &temporary, folder, name)?)
    })();

    if written.is_err() {
        unlinkat(folder, &temporary, AtFlags::empty()).ok();
    }
    written
}

/// Renames, unless the new name exists.
#[cfg(target_os = "linux")]
fn rename_new(from: &OwnedFd, name: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    rustix::fs::renameat_with(from, name, to, new, rustix::fs::RenameFlags::NOREPLACE)
}

/// Renames, unless the new name exists. Not atomic on this platform.
#[cfg(not(target_os = "linux"))]
fn rename_new(from: &OwnedFd, name: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    if kind_at(to, new).is_ok() {
        Err(Errno::EXIST)
    } else {
        renameat(from, name, to, new)
    }
}

/// Removes a folder and everything in it, however deep, with at most two folders open at a time.
pub fn remove_tree(parent: &OwnedFd, name: impl Arg + Copy) -> Result<(), Errno> {
    let flags = READ | OFlags::DIRECTORY;
    let mut folder = openat(parent, name, flags, Mode::empty())?;
    // The enclosing folders, each with the name of the next one.
    let mut way: Vec<(Stat, CString)> = Vec::new();

    loop {
        if let Some(inner) = remove_files(&folder)? {
            let next = openat(&folder, &inner, flags, Mode::empty())?;
            way.push((fstat(&folder)?, inner));
            folder = next;
        } else if let Some((around, name)) = way.pop() {
            let above = openat(&folder, "..", flags, Mode::empty())?;
            let found = fstat(&above)?;
            // The folder was moved meanwhile.
            if (found.st_dev, found.st_ino) != (around.st_dev, around.st_ino) {
                return Err(Errno::LOOP);
            }
            unlinkat(&above, &name, AtFlags::REMOVEDIR)?;
            folder = above;
        } else {
            return unlinkat(parent, name, AtFlags::REMOVEDIR);
        }
    }
}

/// Removes the content of a folder up to the first non-empty folder and returns the name of that
/// folder.
fn remove_files(folder: &OwnedFd) -> Result<Option<CString>, Errno> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();

        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let is_folder = match unlinkat(folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => true,
            other => other.map(|()| false)?,
        };

        if is_folder {
            match unlinkat(folder, name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST) => return Ok(Some(name.to_owned())),
                other => other?,
            }
        }
    }

    Ok(None)
}

fn refused(path: &RepoPath, error: Errno) -> WriteError {
    match error {
        Errno::EXIST => WriteError::Exists(path.clone()),
        Errno::NOTEMPTY => WriteError::NotEmpty(path.clone()),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => WriteError::Permission(path.clone()),
        Errno::NOTDIR => ReadError::NotADirectory(path.clone()).into(),
        Errno::ISDIR => ReadError::NotAFile(path.clone()).into(),
        Errno::INVAL => WriteError::IntoItself(path.clone()),
        other => failed(path, other).into(),
    }
}

fn refused_io(path: &RepoPath, error: io::Error) -> WriteError {
    match Errno::from_io_error(&error) {
        Some(errno) => refused(path, errno),
        None => ReadError::Io {
            path: path.clone(),
            source: error,
        }
        .into(),
    }
}
