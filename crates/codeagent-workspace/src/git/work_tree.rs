//! Compares a commit with another one, or with the working tree.

use std::collections::{BTreeMap, HashMap};
use std::time::UNIX_EPOCH;

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{Kind, compute_hash};

use crate::git::objects::TreeEntry;
use crate::git::{Content, GitChanges, GitError, GitRepository};
use crate::git_index::TrackedFile;
use crate::path::RepoPath;
use crate::walk::{Entry, EntryKind};

impl GitRepository {
    /// Lists the differences between two commits.
    pub(super) fn compare_trees(
        &self,
        old: ObjectId,
        new: ObjectId,
        changes: &mut GitChanges,
    ) -> Result<(), GitError> {
        let sides = (self.root_tree(old)?, self.root_tree(new)?);
        let prefix = &*self.location.prefix;

        self.objects
            .differing(sides, prefix, &mut |path, old, new| {
                if is_submodule(old) || is_submodule(new) {
                    changes
                        .submodules
                        .extend(path.strip_prefix(prefix).map(str::to_owned));
                }

                let sides = (file(old), file(new));
                // Only the mode differs.
                if sides.0 == sides.1 {
                    return Ok(());
                }

                self.add(changes, path, sides)
            })
    }

    /// Lists the differences between a commit and the working tree.
    pub(super) fn compare_work_tree(
        &self,
        old: ObjectId,
        changes: &mut GitChanges,
    ) -> Result<(), GitError> {
        let prefix = &*self.location.prefix;
        let mut tracked: BTreeMap<String, ObjectId> = BTreeMap::new();
        let trees = (self.root_tree(old)?, None);
        self.objects
            .differing(trees, prefix, &mut |path, entry, _| {
                if let Some(Content::Blob(id)) = file(entry) {
                    tracked.insert(path.to_owned(), id);
                }
                Ok(())
            })?;

        let known = KnownFiles::read(self);
        for entry in self.workspace.walk().entries {
            let path = format!("{prefix}{}", entry.path);
            let Some(id) = tracked.remove(&path) else {
                self.add(changes, &path, (None, Some(Content::WorkTree)))?;
                continue;
            };
            if self.differs(&known, &path, &entry, id)? {
                self.add(
                    changes,
                    &path,
                    (Some(Content::Blob(id)), Some(Content::WorkTree)),
                )?;
            }
        }

        // Files not found by the walk: deleted, or tracked although ignored.
        for (path, id) in tracked {
            let entry = path
                .strip_prefix(prefix)
                .and_then(|path| RepoPath::new(path).ok())
                .and_then(|path| self.workspace.entry_at(&path))
                .filter(|entry| entry.kind == EntryKind::File);
            let new = match entry {
                Some(entry) if !self.differs(&known, &path, &entry, id)? => continue,
                Some(_) => Some(Content::WorkTree),
                None => None,
            };
            self.add(changes, &path, (Some(Content::Blob(id)), new))?;
        }
        Ok(())
    }

    fn root_tree(&self, commit: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let found = self.objects.commit(commit)?;
        let (_, commit) =
            found.ok_or_else(|| GitError::Missing(commit.to_hex_with_len(10).to_string()))?;
        self.objects.folder(commit.tree, &self.location.prefix)
    }

    /// Reports whether a file's content differs from a blob's.
    fn differs(
        &self,
        known: &KnownFiles,
        path: &str,
        entry: &Entry,
        id: ObjectId,
    ) -> Result<bool, GitError> {
        if let Some(now) = known.id(self, path, entry) {
            return Ok(now != id);
        }
        let limit = self.workspace.config().max_file_bytes;
        let Ok(file) = self.workspace.read_bytes_meta(&entry.path, limit) else {
            return Ok(true);
        };

        let hash = |bytes: &[u8]| {
            compute_hash(HashKind::Sha1, Kind::Blob, bytes)
                .map_err(|error| GitError::Unreadable(error.to_string()))
        };
        if hash(&file.bytes)? == id {
            return Ok(false);
        }
        // The file may have been checked out with CRLF line endings.
        let has_returns = memchr::memmem::find(&file.bytes, b"\r\n").is_some();
        Ok(!has_returns || hash(&without_returns(&file.bytes))? != id)
    }
}

/// Ids of unmodified files, from git's index.
struct KnownFiles {
    files: HashMap<Vec<u8>, TrackedFile>,
    /// Time of the index in seconds since 1970. Files modified in that second or later may have
    /// changed unnoticed.
    written: u64,
}

impl KnownFiles {
    fn read(repository: &GitRepository) -> Self {
        let path = repository.location.git.join("index");
        let written = path
            .symlink_metadata()
            .and_then(|found| found.modified())
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs());
        Self {
            files: TrackedFile::all(&path),
            written,
        }
    }

    /// Returns the id of a file's content if its size and time match the index.
    fn id(&self, repository: &GitRepository, path: &str, entry: &Entry) -> Option<ObjectId> {
        let known = self.files.get(path.as_bytes())?;
        if u64::from(known.size) != entry.size || u64::from(known.modified.0) >= self.written {
            return None;
        }
        let modified = repository.workspace.modified(&entry.path).ok()?;
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        let is_same = since.as_secs() as u32 == known.modified.0
            && (known.modified.1 == 0 || since.subsec_nanos() == known.modified.1);
        is_same.then_some(ObjectId::Sha1(known.id))
    }
}

fn file(entry: Option<TreeEntry>) -> Option<Content> {
    match entry {
        Some(TreeEntry::File(id)) => Some(Content::Blob(id)),
        _ => None,
    }
}

fn is_submodule(entry: Option<TreeEntry>) -> bool {
    matches!(entry, Some(TreeEntry::Submodule(_)))
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            kept.push(*byte);
        }
    }
    kept
}
