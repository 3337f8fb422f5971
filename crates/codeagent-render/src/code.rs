//! The seven error codes of the specification.
//!
//! Each `match` is exhaustive, so a new error cannot be forgotten.

use codeagent_core::StoreError;
use codeagent_core::query::QueryError;
use codeagent_workspace::{PathError, ReadError};

use crate::answers::AnswerError;

/// The code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The requested symbol or file does not exist.
    NotFound,
    /// A parameter has a wrong type or value.
    InvalidParameter,
    /// A path is outside the repository.
    PathEscape,
    /// Text was requested from a binary file.
    BinaryFile,
    /// The request or the answer exceeds a limit.
    TooLarge,
    /// The engine is not ready, or is shutting down.
    EngineUnavailable,
    /// Indexing or reading the index failed.
    IndexError,
}

impl Code {
    /// All seven codes.
    pub const ALL: [Self; 7] = [
        Self::NotFound,
        Self::InvalidParameter,
        Self::PathEscape,
        Self::BinaryFile,
        Self::TooLarge,
        Self::EngineUnavailable,
        Self::IndexError,
    ];

    /// Returns the code as sent to clients.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::InvalidParameter => "invalid_parameter",
            Self::PathEscape => "path_escape",
            Self::BinaryFile => "binary_file",
            Self::TooLarge => "too_large",
            Self::EngineUnavailable => "engine_unavailable",
            Self::IndexError => "index_error",
        }
    }
}

impl From<&AnswerError> for Code {
    fn from(error: &AnswerError) -> Self {
        match error {
            AnswerError::Query(error) => error.into(),
            AnswerError::Path(error) => error.into(),
            AnswerError::Read(error) => error.into(),
            AnswerError::Cursor(_) | AnswerError::Git(_) | AnswerError::NotAFile(_) => {
                Self::InvalidParameter
            }
            AnswerError::NotIndexed(_) => Self::NotFound,
        }
    }
}

impl From<&QueryError> for Code {
    fn from(error: &QueryError) -> Self {
        match error {
            QueryError::NoSymbol(_)
            | QueryError::NoOverload { .. }
            | QueryError::NotInFile { .. }
            | QueryError::NothingAt { .. }
            | QueryError::NoFile(_) => Self::NotFound,
            QueryError::Ambiguous { .. }
            | QueryError::NoProject { .. }
            | QueryError::NoKind(_)
            | QueryError::Negated(_)
            | QueryError::EmptySearch
            | QueryError::Pattern(_)
            | QueryError::SearchTooLong { .. } => Self::InvalidParameter,
            QueryError::Store(error) => error.into(),
        }
    }
}

impl From<&StoreError> for Code {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Query(_) => Self::InvalidParameter,
            StoreError::NotIndexed
            | StoreError::Foreign(_)
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::OtherLayout
            | StoreError::OtherRoot
            | StoreError::Refused(_)
            | StoreError::Spill(_)
            | StoreError::OldSqlite(_)
            | StoreError::Busy
            | StoreError::Thread(_)
            | StoreError::Unwritten(_)
            | StoreError::Cancelled
            | StoreError::Pool(_) => Self::EngineUnavailable,
            StoreError::Corrupt(_) | StoreError::Sqlite(_) => Self::IndexError,
        }
    }
}

impl From<&PathError> for Code {
    fn from(error: &PathError) -> Self {
        match error {
            PathError::Escapes(_) | PathError::Absolute(_) => Self::PathEscape,
            PathError::NotNormal(_)
            | PathError::Nul
            | PathError::TooLong(_)
            | PathError::Separator(_)
            | PathError::NotUtf8 => Self::InvalidParameter,
        }
    }
}

impl From<&ReadError> for Code {
    fn from(error: &ReadError) -> Self {
        match error {
            ReadError::NotFound(_) | ReadError::RootGone => Self::NotFound,
            ReadError::Escapes(_) => Self::PathEscape,
            ReadError::NotAFile(_) | ReadError::NotADirectory(_) => Self::InvalidParameter,
            ReadError::TooLarge { .. } => Self::TooLarge,
            ReadError::Binary { .. } => Self::BinaryFile,
            ReadError::Io { .. } => Self::IndexError,
        }
    }
}
