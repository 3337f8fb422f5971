//! Reads the changes in the git repository around the root: between two commits, or between a
//! commit and the working tree.
//!
//! Objects are read by gix's object database, references and the index by this crate. git's
//! configuration is never read and no program is started, so a repository cannot run a file system
//! monitor, diff driver, filter, hook, pager or alias. Folders and packs are checked for links and
//! special files before they are opened.
//!
//! Limitations: only SHA-1 repositories with references in files are supported. Objects borrowed
//! from another repository (`git clone --shared`) are not read. Contents are compared unfiltered,
//! apart from line endings, so a file that a filter checks out differently counts as changed.

mod location;
mod merge_base;
mod objects;
mod revision;
mod work_tree;

#[cfg(test)]
mod tests;

use std::io;

use gix_hash::ObjectId;

use crate::Workspace;
use crate::decode::{binary_type, decode};
use crate::git::location::Location;
use crate::git::objects::Objects;
use crate::path::RepoPath;

/// Maximum number of files listed by one comparison.
const MAX_FILES: usize = 20_000;

/// Why git changes cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The root is not in a git repository.
    #[error("this folder is not in a git repository")]
    NoRepository,
    /// The repository's format is not supported.
    #[error("cannot read the git repository: {0}")]
    Unsupported(&'static str),
    /// The syntax of the range is unknown.
    #[error("`{0}` is not a range of commits; use BASE (compares the working tree), A..B or A...B")]
    Range(String),
    /// No commit has this name.
    #[error("no commit `{0}` in the git repository")]
    NoCommit(String),
    /// Several objects begin with this id.
    #[error("several objects start with `{0}`; pass more digits")]
    Ambiguous(String),
    /// The history of a shallow clone ends before a commit that is needed.
    #[error(
        "the clone is shallow and does not contain the history of `{0}`; run `git fetch --unshallow`"
    )]
    Shallow(String),
    /// An object is missing.
    #[error(
        "object {0} is missing: the clone is partial or damaged; check it with `git fsck`, \
         complete it with `git fetch --refetch`"
    )]
    Missing(String),
    /// Two commits share no history.
    #[error("`{0}` and `{1}` have no commit in common")]
    NoMergeBase(String, String),
    /// Too many files differ.
    #[error("more than {MAX_FILES} files differ; pass a more recent commit")]
    TooMany,
    /// An object or file cannot be read.
    #[error("cannot read the git repository: {0}")]
    Unreadable(String),
}

impl From<io::Error> for GitError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A commit in a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitName {
    /// Name as given by the caller.
    pub asked: String,
    /// First ten digits of the id.
    pub id: String,
}

/// The differences between two sides.
#[derive(Clone, Debug)]
pub struct GitChanges {
    /// The older side.
    pub base: CommitName,
    /// The named commit, if [`Self::base`] is its merge base with the newer side.
    pub merge_base_of: Option<CommitName>,
    /// The newer side; `None` for the working tree.
    pub end: Option<CommitName>,
    /// Whether the newer side is checked out.
    pub is_checked_out: bool,
    /// Changed files, by path. Files that git ignores and symbolic links are left out.
    pub files: Vec<ChangedFile>,
    /// Submodules that point to another commit, by path. Their contents are not compared.
    pub submodules: Vec<String>,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path below the root.
    pub path: RepoPath,
    /// Its content on the older side.
    pub old: Option<Content>,
    /// Its content on the newer side.
    pub new: Option<Content>,
}

/// Location of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// In git's object database.
    Blob(ObjectId),
    /// In the working tree.
    WorkTree,
}

/// The git repository around a root.
pub struct GitRepository {
    workspace: Workspace,
    location: Location,
    objects: Objects,
}

impl Workspace {
    /// Opens the git repository around the root.
    pub fn git(&self) -> Result<GitRepository, GitError> {
        let location = Location::find(self.root())?;
        let objects = Objects::open(&location.common)?;
        Ok(GitRepository {
            workspace: self.clone(),
            location,
            objects,
        })
    }
}

impl GitRepository {
    /// Compares two sides. `BASE` compares its merge base with `HEAD` to the working tree, `A..B`
    /// compares two commits, and `A...B` compares the merge base of both with `B`.
    pub fn changes(&self, range: &str) -> Result<GitChanges, GitError> {
        let range = range.trim();
        let is_word = |side: &str| {
            !side.is_empty() && !side.starts_with('-') && !side.contains(char::is_whitespace)
        };

        let (first, end, parts) = if let Some((first, end)) = range.split_once("...") {
            (first, Some(end), true)
        } else if let Some((first, end)) = range.split_once("..") {
            (first, Some(end), false)
        } else {
            (range, None, true)
        };
        let first = if first.is_empty() && end.is_some() {
            "HEAD"
        } else {
            first
        };
        let end = end.map(|end| if end.is_empty() { "HEAD" } else { end });
        if !is_word(first) || end.is_some_and(|end| !is_word(end) || end.contains("..")) {
            return Err(GitError::Range(range.to_owned()));
        }

        let named = self.commit(first)?;
        let head = self.commit("HEAD")?;
        let newest = end.map(|end| self.commit(end)).transpose()?;
        let base = if parts {
            self.merge_base(
                (first, named),
                (end.unwrap_or("HEAD"), newest.unwrap_or(head)),
            )?
        } else {
            named
        };

        let name = |asked: &str, id: ObjectId| CommitName {
            asked: asked.to_owned(),
            id: id.to_hex_with_len(10).to_string(),
        };
        let mut changes = GitChanges {
            base: name(first, base),
            merge_base_of: (base != named).then(|| name(first, named)),
            end: newest.map(|newest| name(end.unwrap_or_default(), newest)),
            is_checked_out: newest.is_none_or(|newest| newest == head),
            files: Vec::new(),
            submodules: Vec::new(),
        };
        match newest {
            Some(newest) => self.compare_trees(base, newest, &mut changes)?,
            None => self.compare_work_tree(base, &mut changes)?,
        }
        changes
            .files
            .sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
        Ok(changes)
    }

    /// Returns the ids of `HEAD` and its first parents, newest first, at most `limit`. The history
    /// of a shallow clone ends early.
    pub fn history(&self, limit: usize) -> Result<Vec<String>, GitError> {
        let mut next = Some(self.commit("HEAD")?);
        let mut ids = Vec::new();
        while let Some(id) = next.filter(|_| ids.len() < limit) {
            ids.push(id.to_string());
            let commit = self.objects.commit(id)?;
            next = commit.and_then(|(_, commit)| commit.parents.first().copied());
        }
        Ok(ids)
    }

    /// Reads one side of a file as text; `None` if it is binary, too large or missing.
    pub fn text(&self, path: &RepoPath, content: Content) -> Result<Option<String>, GitError> {
        let limit = self.workspace.config().max_file_bytes;
        match content {
            Content::WorkTree => Ok(self.workspace.read(path).ok().map(|file| file.text)),
            Content::Blob(id) => {
                let Some(bytes) = self.objects.blob(id, limit)? else {
                    return Ok(None);
                };
                let is_binary = binary_type(path.file_name(), &bytes).is_some();
                Ok((!is_binary).then(|| decode(bytes).text))
            }
        }
    }

    /// Adds a changed file, given relative to the top of the work tree, if it is below the root.
    fn add(
        &self,
        changes: &mut GitChanges,
        path: &str,
        (old, new): (Option<Content>, Option<Content>),
    ) -> Result<(), GitError> {
        let Some(path) = path.strip_prefix(&*self.location.prefix) else {
            return Ok(());
        };
        let Ok(path) = RepoPath::new(path) else {
            return Ok(());
        };
        if path.is_hidden() {
            return Ok(());
        }
        if changes.files.len() == MAX_FILES {
            return Err(GitError::TooMany);
        }

        changes.files.push(ChangedFile { path, old, new });
        Ok(())
    }
}
