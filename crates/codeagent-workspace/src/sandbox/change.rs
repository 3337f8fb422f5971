//! What comes of a change of the repository, on any system?
//!
//! **Limits.** Words only; who makes the change decides which of them it is.

use crate::path::RepoPath;
use crate::read::ReadError;

/// A change that was not made.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path cannot be used.
    #[error(transparent)]
    Path(#[from] ReadError),
    /// Something is there already.
    #[error("{0} exists already")]
    Exists(RepoPath),
    /// A folder that holds something.
    #[error("{0} is not empty")]
    NotEmpty(RepoPath),
    /// It is git's or ours.
    #[error("{0} belongs to git or codeagent and is not changed by tools")]
    Protected(RepoPath),
    /// The root itself.
    #[error("the root itself cannot be changed")]
    Root,
    /// A folder would come to lie in itself.
    #[error("{0} cannot be moved into itself")]
    IntoItself(RepoPath),
    /// Another file system is mounted between the two paths.
    #[error("{0} lies on another file system, so nothing can be moved to there")]
    OtherFileSystem(RepoPath),
    /// The file may not be written, or the folder not be changed.
    #[error("no permission to change {0}")]
    Permission(RepoPath),
}

/// What was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// A file or a link.
    File,
    /// A folder.
    Directory,
}
