//! No watching: on systems where none of ours is known, changes are found by looking.
//!
//! **Limits.** Nothing is ever told here.

use std::time::Duration;

use crate::Workspace;
use crate::walk::Entry;
use crate::watch::{Hints, WatchError};

/// There is none.
pub enum Watcher {}

impl Watcher {
    /// Never works.
    pub fn new(_workspace: &Workspace) -> Result<Self, WatchError> {
        Err(WatchError::Unknown)
    }

    /// Watches these folders and no others.
    pub fn cover(&self, _folders: &[Entry]) -> bool {
        match *self {}
    }

    /// Why not everything is watched.
    #[must_use]
    pub fn failure(&self) -> Option<&WatchError> {
        match *self {}
    }

    /// Says that something may have changed unseen.
    pub fn doubt(&self) {
        match *self {}
    }

    /// What may have changed since the last time.
    #[must_use]
    pub fn hints(&self) -> Hints {
        match *self {}
    }

    /// Waits for a notice.
    pub fn wait(&self, _time: Option<Duration>) -> bool {
        match *self {}
    }

    /// Ends a wait.
    pub fn wake(&self) {
        match *self {}
    }
}
