//! Errors of pushing, reading and removing snapshots.

use std::io;

use codeagent_core::{EngineError, StoreError};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// The URL cannot be used.
    #[error("invalid URL `{url}`: {reason}; pass one such as file:///srv/snapshots")]
    Url {
        /// The URL as given.
        url: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// The store failed.
    #[error("{url}: {what} ({reason}); {next}")]
    Store {
        /// The URL.
        url: String,
        /// What failed.
        what: &'static str,
        /// What the store or the network said.
        reason: String,
        /// What to do.
        next: String,
    },
    /// There is nothing to pull.
    #[error("{url} has no snapshot of `{repo}`; `codeagent snapshot ls` lists those it has")]
    Nothing {
        /// The URL.
        url: String,
        /// Name of the repository.
        repo: String,
    },
    /// There is no pack.
    #[error("there is no pack at {place}; make one with `codeagent snapshot push --pack {place}`")]
    NoPack {
        /// Its path or URL.
        place: String,
    },
    /// A name that cannot be part of a path in the store.
    #[error("invalid {what} `{name}`: use letters, digits, `.`, `_` and `-`")]
    Name {
        /// What the name is of.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A snapshot was made by another version.
    #[error(
        "the snapshot of {commit} was made by another version of codeagent ({made_by}); push it \
         again with this one"
    )]
    OtherVersion {
        /// Its commit.
        commit: String,
        /// The version that made it.
        made_by: String,
    },
    /// Something in the store is not what its name or its manifest says.
    #[error("refused {name}: {reason}; the index was not changed")]
    Refused {
        /// Its name in the store.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The index cannot be read or written.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// The index cannot be read.
    #[error("{0}")]
    Index(#[from] StoreError),
    /// The tables cannot be written.
    #[error("cannot write the tables: {0}; check the folder or URL and your permissions")]
    Tables(#[from] parquet::errors::ParquetError),
    /// The packages of the repository cannot be read.
    #[error("{0}")]
    Packages(#[from] codeagent_core::InspectError),
    /// The index cannot be read.
    #[error("{0}")]
    Query(Box<codeagent_core::QueryError>),
    /// A thread or buffer is not available.
    #[error("cannot read or write the snapshot: {0}")]
    Io(#[from] io::Error),
}

impl ShareError {
    /// Creates the error for content that is refused.
    pub fn refused(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Refused {
            name: name.into(),
            reason: reason.into(),
        }
    }
}
