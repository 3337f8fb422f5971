//! Reads commits, trees and blobs.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use gix_hash::{Kind as HashKind, ObjectId, Prefix};
use gix_object::{CommitRefIter, Find, FindHeader, Kind, TreeRefIter};

use crate::git::GitError;
use crate::ignored::read;

/// Maximum size of an object that is read, in bytes.
const MAX_OBJECT_BYTES: u64 = 64 << 20;

/// Maximum size of the list of commits at which a shallow clone ends, in bytes.
const MAX_SHALLOW_BYTES: u64 = 4 << 20;

/// Maximum depth of folders. Together with the maximum number of entries it bounds a comparison,
/// since a few trees can stand for any number of files.
const MAX_DEPTH: usize = 256;
const MAX_ENTRIES: usize = 2_000_000;

/// A commit.
pub struct Commit {
    pub tree: ObjectId,
    /// Parents; empty where the history of a shallow clone ends.
    pub parents: Vec<ObjectId>,
    /// Commit time, in seconds since 1970.
    pub time: i64,
}

/// An entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntry {
    File(ObjectId),
    Folder(ObjectId),
    Submodule(ObjectId),
    Link(ObjectId),
}

/// The objects of a repository.
pub struct Objects {
    database: gix_odb::Handle,
    folder: PathBuf,
    shallow: HashSet<ObjectId>,
}

/// Callback that receives a path and its entry on each side.
type Report<'r> =
    dyn FnMut(&str, Option<TreeEntry>, Option<TreeEntry>) -> Result<(), GitError> + 'r;

impl Objects {
    pub fn open(common: &Path) -> Result<Self, GitError> {
        let folder = common.join("objects");
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: usize::try_from(MAX_OBJECT_BYTES).ok(),
            ..Default::default()
        };
        let database = gix_odb::at_opts(&folder, HashKind::Sha1, [], options)?;

        let shallow = read(&common.join("shallow"), MAX_SHALLOW_BYTES)
            .and_then(Result::ok)
            .unwrap_or_default();
        let shallow = shallow
            .split(|byte| *byte == b'\n')
            .filter_map(|line| ObjectId::from_hex(line).ok())
            .collect();
        Ok(Self {
            database,
            folder,
            shallow,
        })
    }

    pub fn is_shallow(&self) -> bool {
        !self.shallow.is_empty()
    }

    /// Reports whether the history of a shallow clone ends at a commit.
    pub fn is_cut_at(&self, id: ObjectId) -> bool {
        self.shallow.contains(&id)
    }

    /// Returns the only object whose id starts with these digits.
    pub fn with_prefix(&self, digits: &str) -> Result<Option<ObjectId>, GitError> {
        let Ok(prefix) = Prefix::from_hex(digits) else {
            return Ok(None);
        };
        let found = self.database.lookup_prefix(prefix, None);
        match found.map_err(|error| GitError::Unreadable(error.to_string()))? {
            Some(Ok(id)) => Ok(Some(id)),
            Some(Err(())) => Err(GitError::Ambiguous(digits.to_owned())),
            None => Ok(None),
        }
    }

    /// Reads a commit. Tags are followed.
    pub fn commit(&self, mut id: ObjectId) -> Result<Option<(ObjectId, Commit)>, GitError> {
        for _ in 0..8 {
            let (kind, bytes) = self.read(id)?;
            match kind {
                Kind::Commit => return Ok(Some((id, self.parsed(id, &bytes)?))),
                Kind::Tag => {
                    let tag = gix_object::TagRefIter::from_bytes(&bytes, HashKind::Sha1);
                    id = tag.target_id().map_err(|_| unreadable(id))?;
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }

    fn parsed(&self, id: ObjectId, bytes: &[u8]) -> Result<Commit, GitError> {
        let mut tokens = CommitRefIter::from_bytes(bytes, HashKind::Sha1);
        let tree = tokens.tree_id().map_err(|_| unreadable(id))?;
        let time = tokens
            .committer()
            .ok()
            .and_then(|committer| committer.time().ok())
            .map_or(0, |time| time.seconds);

        let parents = if self.shallow.contains(&id) {
            Vec::new()
        } else {
            CommitRefIter::from_bytes(bytes, HashKind::Sha1)
                .parent_ids()
                .collect()
        };

        Ok(Commit {
            tree,
            parents,
            time,
        })
    }

    /// Returns the content of a blob; `None` if it is larger than `limit`.
    pub fn blob(&self, id: ObjectId, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        if self.size(id)? > limit {
            return Ok(None);
        }
        match self.read(id)? {
            (Kind::Blob, bytes) => Ok(Some(bytes)),
            _ => Err(unreadable(id)),
        }
    }

    /// Returns the entries of one tree by name.
    pub fn tree(&self, id: ObjectId) -> Result<BTreeMap<String, TreeEntry>, GitError> {
        let (Kind::Tree, bytes) = self.read(id)? else {
            return Err(unreadable(id));
        };

        let mut entries = BTreeMap::new();
        for entry in TreeRefIter::from_bytes(&bytes, HashKind::Sha1) {
            let entry = entry.map_err(|_| unreadable(id))?;
            let Ok(name) = std::str::from_utf8(entry.filename) else {
                continue;
            };
            let target = entry.oid.to_owned();
            let kind = if entry.mode.is_tree() {
                TreeEntry::Folder(target)
            } else if entry.mode.is_commit() {
                TreeEntry::Submodule(target)
            } else if entry.mode.is_link() {
                TreeEntry::Link(target)
            } else {
                TreeEntry::File(target)
            };
            entries.insert(name.to_owned(), kind);
        }
        Ok(entries)
    }

    /// Returns the tree of a folder in a commit, such as `src/app/`; `None` if there is none.
    pub fn folder(&self, root: ObjectId, path: &str) -> Result<Option<ObjectId>, GitError> {
        let mut at = root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            match self.tree(at)?.get(name) {
                Some(TreeEntry::Folder(below)) => at = *below,
                _ => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Reports every path at which two trees differ, with its entry on each side. Reported paths
    /// are prefixed with `path`. Equal folders are skipped.
    pub fn differing(
        &self,
        (old, new): (Option<ObjectId>, Option<ObjectId>),
        path: &str,
        report: &mut Report<'_>,
    ) -> Result<(), GitError> {
        let mut open = vec![(old, new, path.to_owned(), 0)];
        let mut seen = 0;
        while let Some((old, new, path, depth)) = open.pop() {
            let entries =
                |id: Option<ObjectId>| id.map_or_else(|| Ok(BTreeMap::new()), |id| self.tree(id));
            let (before, mut after) = (entries(old)?, entries(new)?);
            seen += before.len() + after.len();
            if depth > MAX_DEPTH || seen > MAX_ENTRIES {
                return Err(GitError::TooMany);
            }

            let before = before.into_iter().map(|(name, entry)| {
                let other = after.remove(&name);
                (name, Some(entry), other)
            });
            let mut pairs: Vec<_> = before.collect();
            pairs.extend(
                after
                    .into_iter()
                    .map(|(name, entry)| (name, None, Some(entry))),
            );

            for (name, before, after) in pairs.into_iter().filter(|(_, old, new)| old != new) {
                let path = format!("{path}{name}");
                let folder = |entry| match entry {
                    Some(TreeEntry::Folder(id)) => (Some(id), None),
                    other => (None, other),
                };
                let ((old_folder, before), (new_folder, after)) = (folder(before), folder(after));
                if old_folder.is_some() || new_folder.is_some() {
                    open.push((old_folder, new_folder, format!("{path}/"), depth + 1));
                }
                if before.is_some() || after.is_some() {
                    report(&path, before, after)?;
                }
            }
        }
        Ok(())
    }

    fn size(&self, id: ObjectId) -> Result<u64, GitError> {
        self.check_file(id)?;
        let header = self.database.try_header(&id).map_err(|_| unreadable(id))?;
        let header = header.ok_or_else(|| GitError::Missing(short(id)))?;
        Ok(header.size)
    }

    fn read(&self, id: ObjectId) -> Result<(Kind, Vec<u8>), GitError> {
        if self.size(id)? > MAX_OBJECT_BYTES {
            return Err(GitError::Unreadable(format!(
                "object {} is too large",
                short(id)
            )));
        }

        let mut bytes = Vec::new();
        let found = self.database.try_find(&id, &mut bytes);
        let kind = found
            .map_err(|_| unreadable(id))?
            .ok_or_else(|| GitError::Missing(short(id)))?
            .kind;
        Ok((kind, bytes))
    }

    /// Returns an error if the object's file is a pipe or behind a link.
    fn check_file(&self, id: ObjectId) -> Result<(), GitError> {
        let digits = id.to_hex().to_string();
        let folder = self.folder.join(&digits[..2]);
        let is_other = |path: &Path, is_right: fn(&std::fs::Metadata) -> bool| {
            path.symlink_metadata().is_ok_and(|found| !is_right(&found))
        };
        let is_odd = is_other(&folder, std::fs::Metadata::is_dir)
            || is_other(&folder.join(&digits[2..]), std::fs::Metadata::is_file);
        if is_odd { Err(unreadable(id)) } else { Ok(()) }
    }
}

fn unreadable(id: ObjectId) -> GitError {
    GitError::Unreadable(format!("object {} is damaged", short(id)))
}

fn short(id: ObjectId) -> String {
    id.to_hex_with_len(10).to_string()
}
