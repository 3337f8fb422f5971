//! Which of the specification's seven codes is an error of the engine? The only place where the two
//! meet; each `match` is exhaustive, so that a new error cannot be forgotten.
//!
//! **Limits.** Messages come from the errors themselves, which never hold a path of the machine.

use codeagent_core::IngestError;
use codeagent_core::StoreError;
use codeagent_core::engine::EngineError;
use codeagent_core::query::QueryError;
use codeagent_core::service::Staleness;
use codeagent_files::arguments::ArgumentError;
use codeagent_workspace::{PathError, ReadError};

/// The codes of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// What was asked for does not exist.
    NotFound,
    /// A parameter has a wrong type or value.
    InvalidParameter,
    /// A path leads out of the repository.
    PathEscape,
    /// A text was asked of a binary file.
    BinaryFile,
    /// The question or the answer exceeds a limit.
    TooLarge,
    /// The engine is not ready, or is going away.
    EngineUnavailable,
    /// Indexing or reading the index failed.
    IndexError,
}

impl Code {
    /// All seven.
    pub const ALL: [Self; 7] = [
        Self::NotFound,
        Self::InvalidParameter,
        Self::PathEscape,
        Self::BinaryFile,
        Self::TooLarge,
        Self::EngineUnavailable,
        Self::IndexError,
    ];

    /// As it is sent.
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

/// Why a tool has no answer. The message says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Its code.
    pub code: Code,
    /// Its message.
    pub message: String,
    /// The index was found damaged.
    is_damage: bool,
}

impl ToolError {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            is_damage: false,
        }
    }

    /// Whether the index was found damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.is_damage
    }

    /// The same of an index that does not know everything.
    #[must_use]
    pub fn behind(self, lag: &Staleness) -> Self {
        if self.code == Code::NotFound {
            Self {
                message: format!("{}; {lag}", self.message),
                ..self
            }
        } else {
            self
        }
    }

    /// `not_found`
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// `invalid_parameter`
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidParameter, message)
    }

    /// `too_large`
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(Code::TooLarge, message)
    }

    /// `engine_unavailable`
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::EngineUnavailable, message)
    }

    /// An answer that is no JSON.
    pub fn unwritable(error: serde_json::Error) -> Self {
        Self::index(format!("the answer cannot be written: {error}"))
    }

    /// `index_error`
    pub fn index(message: impl Into<String>) -> Self {
        Self::new(Code::IndexError, message)
    }
}

impl From<ArgumentError> for ToolError {
    fn from(error: ArgumentError) -> Self {
        match error {
            ArgumentError::Invalid(message) => Self::invalid(message),
            ArgumentError::TooLarge(message) => Self::too_large(message),
        }
    }
}

impl From<PathError> for ToolError {
    fn from(error: PathError) -> Self {
        let code = match error {
            PathError::Escapes(_) | PathError::Absolute(_) => Code::PathEscape,
            PathError::NotNormal(_)
            | PathError::Nul
            | PathError::TooLong(_)
            | PathError::Separator(_)
            | PathError::NotUtf8 => Code::InvalidParameter,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ReadError> for ToolError {
    fn from(error: ReadError) -> Self {
        let code = match error {
            ReadError::NotFound(_) | ReadError::RootGone => Code::NotFound,
            ReadError::Escapes(_) => Code::PathEscape,
            ReadError::NotAFile(_) | ReadError::NotADirectory(_) => Code::InvalidParameter,
            ReadError::TooLarge { .. } => Code::TooLarge,
            ReadError::Binary { .. } => Code::BinaryFile,
            ReadError::Io { .. } => Code::IndexError,
        };
        Self::new(code, error.to_string())
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        let message = error.to_string();
        match error {
            QueryError::NoSymbol { .. }
            | QueryError::NoOverload { .. }
            | QueryError::NotInFile { .. }
            | QueryError::NothingAt { .. }
            | QueryError::NoFile(_) => Self::not_found(message),
            QueryError::Ambiguous { .. } => Self::invalid(message),
            QueryError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        (&error).into()
    }
}

impl From<&StoreError> for ToolError {
    fn from(error: &StoreError) -> Self {
        if let StoreError::Corrupt(reason) = error {
            let message = format!(
                "the index is damaged ({reason}) and is being rebuilt; try again in a few seconds"
            );
            return Self {
                is_damage: true,
                ..Self::index(message)
            };
        }
        let code = match error {
            StoreError::Query(_) => Code::InvalidParameter,
            StoreError::NotIndexed
            | StoreError::Foreign(_)
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::OtherLayout
            | StoreError::OtherRoot
            | StoreError::Refused(_)
            | StoreError::OldSqlite(_)
            | StoreError::Busy
            | StoreError::Thread(_)
            | StoreError::Unwritten(_)
            | StoreError::Cancelled
            | StoreError::Pool(_) => Code::EngineUnavailable,
            StoreError::Corrupt(_) | StoreError::Sqlite(_) => Code::IndexError,
        };
        Self::new(code, error.to_string())
    }
}

impl From<&IngestError> for ToolError {
    fn from(error: &IngestError) -> Self {
        match error {
            IngestError::Store(error) => error.into(),
            IngestError::Interrupted
            | IngestError::WriterGone
            | IngestError::Shortage
            | IngestError::Threads(_) => Self::unavailable(error.to_string()),
        }
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> Self {
        (&error).into()
    }
}

impl From<&EngineError> for ToolError {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Ingest(error) => error.into(),
            EngineError::Root(_) | EngineError::Config(_) | EngineError::Data(_) => {
                Self::unavailable(error.to_string())
            }
        }
    }
}
