//! Folder listings on Unix. Each name is opened without following links, and the opened handle is
//! inspected.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::SystemTime;

use rustix::fs::{Dir, Mode, OFlags, openat};

use super::list::{Item, ItemKind, SpecialFile};
use super::{LOOK, READ};
use crate::Workspace;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::ReadError;

impl Workspace {
    /// Lists a folder by name; also returns the number of names that are not UTF-8. `.git` and
    /// `.codeagent` are invisible.
    pub fn items(&self, folder: &RepoPath) -> Result<(Vec<Item>, usize), ReadError> {
        let io = |error: rustix::io::Errno| match error {
            rustix::io::Errno::NOTDIR => ReadError::NotADirectory(folder.clone()),
            other => ReadError::Io {
                path: folder.clone(),
                source: other.into(),
            },
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

            // The entry was deleted meanwhile.
            let Ok(found) = openat(&handle, entry.file_name(), LOOK, Mode::empty()) else {
                continue;
            };
            let Ok(metadata) = File::from(found).metadata() else {
                continue;
            };
            let Ok(path) = folder.join(name) else {
                continue;
            };

            items.push(item(path, &metadata));
        }

        items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok((items, unreadable))
    }
}

fn item(path: RepoPath, metadata: &Metadata) -> Item {
    Item {
        path,
        kind: kind(metadata),
        length: metadata.len(),
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        accessed: metadata.accessed().unwrap_or(SystemTime::UNIX_EPOCH),
        mode: metadata.mode() & 0o7777,
        depth: 1,
    }
}

fn kind(metadata: &Metadata) -> ItemKind {
    match metadata.file_type() {
        kind if kind.is_file() => ItemKind::File,
        kind if kind.is_dir() => ItemKind::Directory,
        kind if kind.is_symlink() => ItemKind::Link,
        kind if kind.is_fifo() => ItemKind::Other(SpecialFile::Pipe),
        kind if kind.is_socket() => ItemKind::Other(SpecialFile::Socket),
        kind if kind.is_block_device() => ItemKind::Other(SpecialFile::BlockDevice),
        _ => ItemKind::Other(SpecialFile::CharacterDevice),
    }
}
