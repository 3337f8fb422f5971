//! Folder listings without ignore rules. Folders are entered by handle, so nothing outside the root
//! is listed.
//!
//! Limitations: names that are not UTF-8 are skipped and counted. Platforms other than Unix have no
//! permission bits: writable items get `0o666`, others `0o444`.

use std::time::SystemTime;

use crate::Workspace;
use crate::path::RepoPath;
use crate::read::ReadError;

/// Kind of an item, without following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A link.
    Link,
    /// A special file.
    Other(SpecialFile),
}

/// Kinds of special files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecialFile {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharacterDevice,
}

/// An entry of a folder.
#[derive(Clone, Debug)]
pub struct Item {
    /// Path of the item.
    pub path: RepoPath,
    /// Kind of the item.
    pub kind: ItemKind,
    /// Length in bytes; for a link, the length of the link itself.
    pub length: u64,
    /// Time of the last change to its content.
    pub modified: SystemTime,
    /// Time of the last read.
    pub accessed: SystemTime,
    /// The twelve permission bits.
    pub mode: u32,
    /// Number of levels below the listed folder; 1 for its direct entries.
    pub depth: usize,
}

impl Item {
    /// Returns the size in bytes; 0 for folders.
    #[must_use]
    pub fn size(&self) -> u64 {
        if self.kind == ItemKind::Directory {
            0
        } else {
            self.length
        }
    }
}

/// How a walk continues after an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkControl {
    /// Continue, entering a folder.
    Into,
    /// Continue, skipping a folder's content.
    Over,
    /// End the walk.
    Stop,
}

impl Workspace {
    /// Visits everything below a folder, down to `depth` levels. Folders come before their content.
    /// Folders that cannot be listed are skipped.
    pub fn descend(
        &self,
        folder: &RepoPath,
        depth: usize,
        visit: &mut dyn FnMut(&Item) -> WalkControl,
    ) -> Result<(), ReadError> {
        let (mut todo, _) = self.items(folder)?;
        todo.reverse();

        while let Some(item) = todo.pop() {
            let next = visit(&item);
            if next == WalkControl::Stop {
                return Ok(());
            }

            if next == WalkControl::Into && item.kind == ItemKind::Directory && item.depth < depth {
                let (inner, _) = self.items(&item.path).unwrap_or_default();
                todo.extend(inner.into_iter().rev().map(|inner| Item {
                    depth: item.depth + 1,
                    ..inner
                }));
            }
        }

        Ok(())
    }
}
