//! Errors of tools, and the specification's code for each error of the engine.
//!
//! Limitations: messages come from the errors themselves, which never contain absolute paths.

use codeagent_core::IngestError;
use codeagent_core::StoreError;
use codeagent_core::engine::EngineError;
use codeagent_core::query::QueryError;
use codeagent_core::service::Staleness;
use codeagent_files::arguments::ArgumentError;
use codeagent_render::answers::AnswerError;
use codeagent_render::{CursorError, Face, error_text, query_error_text, staleness_text};
use codeagent_workspace::{PathError, ReadError};

pub use codeagent_render::Code;

/// The error of a tool; the message says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Its code in the specification.
    pub code: Code,
    /// The text that the client gets.
    pub message: String,
    /// Whether the index was found damaged.
    is_damage: bool,
}

impl ToolError {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            is_damage: false,
        }
    }

    /// Reports whether the index was found damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.is_damage
    }

    /// Adds to a `not_found` error what the index is missing.
    #[must_use]
    pub fn with_staleness(self, staleness: &Staleness) -> Self {
        if self.code == Code::NotFound {
            Self {
                message: format!("{}; {}", self.message, staleness_text(staleness)),
                ..self
            }
        } else {
            self
        }
    }

    /// Creates a `not_found` error.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Creates an `invalid_parameter` error.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidParameter, message)
    }

    /// Creates a `too_large` error.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(Code::TooLarge, message)
    }

    /// Creates an `engine_unavailable` error.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::EngineUnavailable, message)
    }

    /// Creates the error for an answer that cannot be written as JSON.
    pub fn unwritable(error: serde_json::Error) -> Self {
        Self::index(format!("cannot write the answer: {error}"))
    }

    /// Creates an `index_error`.
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
        Self::new((&error).into(), error.to_string())
    }
}

impl From<ReadError> for ToolError {
    fn from(error: ReadError) -> Self {
        Self::new((&error).into(), error.to_string())
    }
}

impl From<CursorError> for ToolError {
    fn from(error: CursorError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<AnswerError> for ToolError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Query(error) => error.into(),
            error => Self::new((&error).into(), error_text(&error, Face::Tools)),
        }
    }
}

impl ToolError {
    /// Cuts the message, so that with its code it has at most `max_chars` characters.
    #[must_use]
    pub fn within(mut self, max_chars: usize) -> Self {
        let room = max_chars.saturating_sub(self.code.as_str().len() + 2);
        if let Some((end, _)) = self.message.char_indices().nth(room) {
            let start = &self.message[..end];
            let kept = start.char_indices().next_back().map_or(0, |(last, _)| last);
            self.message.truncate(kept);
            self.message.push('…');
        }
        self
    }

    /// Converts an error of a tool that answers text.
    #[must_use]
    pub fn of_text_tool(error: AnswerError) -> Self {
        match error {
            AnswerError::Query(QueryError::Store(error)) => error.into(),
            error => Self::new((&error).into(), error_text(&error, Face::TextTools)),
        }
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Store(error) => error.into(),
            error => Self::new((&error).into(), query_error_text(&error, Face::Tools)),
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
        Self::new(error.into(), error.to_string())
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
