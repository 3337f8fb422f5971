//! Sandboxed file access: turns a repository path into a handle below the root, whatever links
//! exist and however files are exchanged meanwhile.
//!
//! A path without links is opened in one step by the system, which rejects links and everything
//! outside the root (`openat2`). A path with links is walked one segment at a time. Folders are
//! entered by handle, never through a link; the target of a link is read and walked in turn.
//! Leaving the root is an error before anything outside is touched. The final operation (open,
//! create, rename, remove) is relative to the handle of the parent folder and does not follow a
//! link: a link that appears meanwhile is an error.
//!
//! Limitations: a hard link to a file elsewhere cannot be told from other files, but no repository
//! can contain one. A folder that is moved out of the root while its handle is open stays open.
//! Platforms other than Unix use a library (`portable`), with fewer guarantees.

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
pub use list::{Item, ItemKind, SpecialFile, WalkControl};
#[cfg(not(unix))]
pub use portable::Root;
#[cfg(unix)]
pub use unix::Root;
#[cfg(unix)]
pub(crate) use unix::{FinalLink, LOOK, READ};
#[cfg(target_os = "linux")]
pub use write::remove_tree;
