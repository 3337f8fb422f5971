//! Errors of the engine, classified by what a caller can do about them.

use codeagent_workspace::{ConfigError, DataDirError, OpenError};

use crate::ingest::IngestError;
use crate::query::QueryError;
use crate::store::StoreError;

/// An error of opening or using an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The root directory cannot be used.
    #[error(transparent)]
    Root(#[from] OpenError),
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no data folder, or another process writes to it.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// A store operation failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A batch failed.
    #[error(transparent)]
    Ingest(IngestError),
}

/// Classes of [`EngineError`], by what a caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Correct the arguments or the settings.
    Usage,
    /// Run `codeagent index`.
    NotIndexed,
    /// Wait for the other process.
    Locked,
    /// Rebuild the index.
    Corrupt,
    /// Nothing: the operation was cancelled.
    Interrupted,
    /// None of the above.
    Other,
}

impl EngineError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Root(_) | Self::Config(_) => ErrorKind::Usage,
            Self::Data(error) => match error {
                DataDirError::Locked(_) => ErrorKind::Locked,
                DataDirError::NoPlace
                | DataDirError::Unwritable { .. }
                | DataDirError::Link { .. }
                | DataDirError::Open { .. }
                | DataDirError::Io(_)
                | DataDirError::Remove { .. } => ErrorKind::Other,
            },
            Self::Ingest(error) => match error {
                IngestError::Interrupted => ErrorKind::Interrupted,
                IngestError::Store(error) => store_kind(error),
                IngestError::Shortage | IngestError::Threads(_) | IngestError::WriterGone => {
                    ErrorKind::Other
                }
            },
            Self::Store(error) => store_kind(error),
        }
    }
}

/// Returns the class of a query error.
#[must_use]
pub fn query_kind(error: &QueryError) -> ErrorKind {
    match error {
        QueryError::NoSymbol { .. }
        | QueryError::Ambiguous { .. }
        | QueryError::NoOverload { .. }
        | QueryError::NotInFile { .. }
        | QueryError::NothingAt { .. }
        | QueryError::NoFile(_)
        | QueryError::NoProject { .. }
        | QueryError::NoKind(_)
        | QueryError::Negated(_)
        | QueryError::EmptySearch
        | QueryError::Pattern(_)
        | QueryError::SearchTooLong { .. } => ErrorKind::Usage,
        QueryError::Store(error) => store_kind(error),
    }
}

/// Returns the class of a store error.
#[must_use]
pub fn store_kind(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::Query(_) => ErrorKind::Usage,
        StoreError::NotIndexed
        | StoreError::Older { .. }
        | StoreError::OtherLayout
        | StoreError::OtherRoot => ErrorKind::NotIndexed,
        StoreError::Busy => ErrorKind::Locked,
        StoreError::Cancelled => ErrorKind::Interrupted,
        StoreError::Corrupt(_) | StoreError::Newer { .. } | StoreError::Foreign(_) => {
            ErrorKind::Corrupt
        }
        StoreError::Refused(_)
        | StoreError::Spill(_)
        | StoreError::OldSqlite(_)
        | StoreError::Thread(_)
        | StoreError::Unwritten(_)
        | StoreError::Sqlite(_)
        | StoreError::Pool(_) => ErrorKind::Other,
    }
}

impl From<IngestError> for EngineError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Store(error) => Self::Store(error),
            other => Self::Ingest(other),
        }
    }
}
