//! What lies in a folder, ignored or not? Folders are entered by their handles, so nothing outside
//! the root is ever listed.
//!
//! **Limits.** Names that are not UTF-8 are left out and counted. Where the system is no Unix there
//! are no modes: what may be written has the bits `0o666`, what may not `0o444`, and nothing is
//! executable.

use std::time::SystemTime;

use crate::Workspace;
use crate::path::RepoPath;
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
    /// None of these.
    Other(Special),
}

/// What is no file, folder or link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Special {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device that is read in blocks.
    BlockDevice,
    /// Any other device.
    CharacterDevice,
}

/// Something in a folder.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where.
    pub path: RepoPath,
    /// What.
    pub kind: ItemKind,
    /// Length in bytes; of a link, not of its target.
    pub length: u64,
    /// When its content was last changed.
    pub modified: SystemTime,
    /// When it was last read.
    pub accessed: SystemTime,
    /// Who may do what with it, as twelve bits.
    pub mode: u32,
    /// Levels below the folder that was asked about; 1 for what lies in it.
    pub depth: usize,
}

impl Item {
    /// Size in bytes; 0 for folders.
    #[must_use]
    pub fn size(&self) -> u64 {
        if self.kind == ItemKind::Directory {
            0
        } else {
            self.length
        }
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
    /// Visits what lies below a folder, down to `depth` levels, each folder before what it holds.
    /// Folders that cannot be listed are passed over.
    pub fn descend(
        &self,
        folder: &RepoPath,
        depth: usize,
        visit: &mut dyn FnMut(&Item) -> Visit,
    ) -> Result<(), ReadError> {
        let (mut todo, _) = self.items(folder)?;
        todo.reverse();
        while let Some(item) = todo.pop() {
            let next = visit(&item);
            if next == Visit::Stop {
                return Ok(());
            }
            if next == Visit::Into && item.kind == ItemKind::Directory && item.depth < depth {
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
