//! The indexer: turns changes on disk into one committed delta of the index. See [`pipeline`].
//!
//! Limitations: one batch at a time.

mod cache;
mod changes;
mod context;
mod delta;
mod load;
mod members;
mod package_cache;
mod packages;
mod patch;
mod phase_timer;
mod resolution;
mod resolve_files;
mod rows;
mod scan;
mod source;
mod worktree_cache;
mod world;

pub mod change;
pub mod imports;
pub mod inspect;
pub mod packs;
pub mod pipeline;
pub mod plan;
pub mod summary;
pub mod writer_thread;

pub use change::{Change, ChangeBatch};
pub use pipeline::{IngestOptions, IngestPipeline};
pub use source::Overlay;
pub use summary::{FileProblem, Phase, PhaseTime, Progress, Summary};
pub use writer_thread::{WriterLiveness, WriterThread};

use crate::store::StoreError;

/// Why a batch failed. The index is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A store operation failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system is short of resources, so existing files cannot be told from missing ones.
    #[error("out of file handles or memory; the index is unchanged")]
    Shortage,
    /// The caller asked to stop.
    #[error("interrupted; the index is unchanged")]
    Interrupted,
    /// The worker threads could not be started.
    #[error("cannot start worker threads: {0}")]
    Threads(String),
    /// The writer thread has ended.
    #[error("the writer has stopped; restart codeagent")]
    WriterGone,
}

/// Why a file cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Not an indexed source file.
    #[error("{0} is not an indexed source file")]
    NoSource(String),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] codeagent_workspace::ReadError),
    /// The sources cannot be loaded.
    #[error("{0}")]
    Failed(String),
}

#[cfg(test)]
mod tests;
