//! What lies in a folder, ignored or not? Folders are entered by their handles, so nothing outside the root is ever listed.
//!
//! **Limits.** Names that are not UTF-8 are left out and counted.

use std::fs::{File, Metadata};
use std::time::SystemTime;

use rustix::fs::{Dir, Mode, OFlags, openat};

use super::{LOOK, READ};
use crate::Workspace;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::ReadError;

/// What something in a folder is; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A link.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// Something in a folder.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where.
    pub path: RepoPath,
    /// What.
    pub kind: ItemKind,
    /// What the system says of it; of a link, not of its target.
    pub metadata: Metadata,
    /// Levels below the folder that was asked about; 1 for what lies in it.
    pub depth: usize,
}

impl Item {
    /// Size in bytes; 0 for folders.
    #[must_use]
    pub fn size(&self) -> u64 {
        if self.kind == ItemKind::Directory { 0 } else { self.metadata.len() }
    }

    /// When its content was last changed.
    #[must_use]
    pub fn modified(&self) -> SystemTime {
        self.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

/// What to do after an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Go on, into it if it is a folder.
    Into,
    /// Go on, not into it.
    Over,
    /// It is enough.
    Stop,
}

impl Workspace {
    /// What lies in a folder, by name, with the number of names that are not UTF-8. `.git` and `.codeagent` do not exist.
    pub fn items(&self, folder: &RepoPath) -> Result<(Vec<Item>, usize), ReadError> {
        let io = |error: rustix::io::Errno| match error {
            rustix::io::Errno::NOTDIR => ReadError::NotADirectory(folder.clone()),
            other => ReadError::Io { path: folder.clone(), source: other.into() },
        };
        let handle = self.open_inside(folder, LOOK)?;
        let handle = openat(&handle, ".", READ | OFlags::DIRECTORY, Mode::empty()).map_err(io)?;
        let mut items = Vec::new();
        let mut unreadable = 0;
        for entry in Dir::read_from(&handle).map_err(io)? {
            let entry = entry.map_err(io)?;
            let Ok(name) = entry.file_name().to_str() else {
                unreadable += 1;
                continue;
            };
            if matches!(name, "." | "..") || is_hidden_name(name) {
                continue;
            }
            // Something that is gone by now is not there.
            let Ok(found) = openat(&handle, entry.file_name(), LOOK, Mode::empty()) else { continue };
            let Ok(metadata) = File::from(found).metadata() else { continue };
            let kind = match metadata.file_type() {
                kind if kind.is_file() => ItemKind::File,
                kind if kind.is_dir() => ItemKind::Directory,
                kind if kind.is_symlink() => ItemKind::Link,
                _ => ItemKind::Other,
            };
            let Ok(path) = folder.join(name) else { continue };
            items.push(Item { path, kind, metadata, depth: 1 });
        }
        items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok((items, unreadable))
    }

    /// Visits what lies below a folder, down to `depth` levels, each folder before what it holds. Folders that cannot be listed are passed over.
    pub fn descend(&self, folder: &RepoPath, depth: usize, visit: &mut dyn FnMut(&Item) -> Visit) -> Result<(), ReadError> {
        let (mut todo, _) = self.items(folder)?;
        todo.reverse();
        while let Some(item) = todo.pop() {
            let next = visit(&item);
            if next == Visit::Stop {
                return Ok(());
            }
            if next == Visit::Into && item.kind == ItemKind::Directory && item.depth < depth {
                let (inner, _) = self.items(&item.path).unwrap_or_default();
                todo.extend(inner.into_iter().rev().map(|inner| Item { depth: item.depth + 1, ..inner }));
            }
        }
        Ok(())
    }
}
