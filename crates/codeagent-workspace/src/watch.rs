//! What may have changed since somebody last looked? The system's own notices of changes, as hints: which files, or that anything may have.
//!
//! A hint is never believed: whoever gets one compares the disk. What counts is that nothing happens without one, so a notice that was lost,
//! a folder that came, went or moved and a change of the ignore rules are told as "anything".
//!
//! Only folders that a walk lists are watched, each by itself, so what is ignored costs nothing. Notices are taken from the system's queue by
//! whoever asks: a change that was made before [`Watcher::hints`] is called is among its answer.
//!
//! **Limits.** Linux only; elsewhere, on network file systems and beyond the system's limit of watches there is no [`Watcher`], and changes
//! are found by looking. Changes of the user's own ignore file (`core.excludesFile`) are not noticed.

use std::collections::BTreeSet;
use std::io;

use crate::path::RepoPath;

/// What may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// These files.
    pub paths: BTreeSet<RepoPath>,
    /// Anything.
    pub everything: bool,
}

impl Hints {
    /// Whether nothing is known to have changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }

    /// Takes in what others say.
    pub fn add(&mut self, others: Self) {
        self.paths.extend(others.paths);
        self.everything |= others.everything;
    }
}

/// Why changes have to be looked for.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The file system does not tell of changes that others make.
    #[error("{0} file systems do not tell of changes")]
    FileSystem(&'static str),
    /// The system has no watches left.
    #[error("the system's limit of watches is reached (see fs.inotify.max_user_watches and max_user_instances)")]
    Limit,
    /// This system has none that we know.
    #[error("watching is not known on this system")]
    Unknown,
    /// Anything else the system says.
    #[error("folders cannot be watched: {0}")]
    Io(#[from] io::Error),
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Watcher;
#[cfg(target_os = "linux")]
pub use linux::Watcher;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
