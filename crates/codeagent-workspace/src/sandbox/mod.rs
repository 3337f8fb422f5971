//! Sandboxed file access: a repository path becomes a handle below the root, whatever links exist
//! and however files are exchanged meanwhile.
//!
//! A path without links is opened in one step by the system, which refuses links and everything
//! above the root (`openat2`). A path with links is walked one segment at a time: a folder is
//! entered by its handle and never by a link, the target of a link is read and walked itself, and
//! leaving the root is an error before anything outside is touched. The operation at the end of the
//! path (open, create, rename, remove) is relative to the handle of its folder and does not follow
//! a link: one that appears in between is an error.
//!
//! Limitations: a hard link to a file elsewhere cannot be told from other files; no repository can
//! bring one. A folder that is moved out of the root while its handle is open stays open. Platforms
//! other than Unix use a library (`portable`), with fewer guarantees.

mod change;
#[cfg(unix)]
mod items;
mod list;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod write;

#[cfg(test)]
#[cfg(unix)]
mod race;
#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use change::{Removed, WriteError};
pub use list::{Item, ItemKind, Special, WalkControl};
#[cfg(not(unix))]
pub use portable::Root;
#[cfg(unix)]
pub use unix::Root;
#[cfg(unix)]
pub(crate) use unix::{FinalLink, LOOK, READ};
#[cfg(target_os = "linux")]
pub use write::remove_tree;
