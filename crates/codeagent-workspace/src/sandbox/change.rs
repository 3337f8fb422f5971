//! Results and errors of changes to the repository, on any platform.

use crate::path::RepoPath;
use crate::read::ReadError;

/// Why a change was refused.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path cannot be used.
    #[error(transparent)]
    Path(#[from] ReadError),
    /// The target already exists.
    #[error("{0} exists already")]
    Exists(RepoPath),
    /// The folder is not empty.
    #[error("{0} is not empty")]
    NotEmpty(RepoPath),
    /// The path belongs to git or codeagent.
    #[error("{0} belongs to git or codeagent; tools cannot change it")]
    Protected(RepoPath),
    /// The root itself cannot be changed.
    #[error("the root itself cannot be changed")]
    Root,
    /// A folder would be moved into itself.
    #[error("{0} cannot be moved into itself")]
    IntoItself(RepoPath),
    /// The paths are on different file systems.
    #[error("{0} is on another file system; files cannot be moved there")]
    OtherFileSystem(RepoPath),
    /// Permission denied.
    #[error("no permission to change {0}")]
    Permission(RepoPath),
}

/// The kind of a removed entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// A file or a link.
    File,
    /// A folder.
    Directory,
}
