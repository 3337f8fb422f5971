//! What went wrong, as a text for people or as `{"error":{"code","message"}}` with the codes of the
//! tools?
//!
//! **Limits.** What has no code of its own is `invalid_parameter`: a wrong argument is what is
//! left.

use codeagent_core::StoreError;
use codeagent_core::engine::{EngineError, ErrorKind, query_kind, store_kind};
use codeagent_core::query::QueryError;
use codeagent_mcp::error::{Code, ToolError};
use serde_json::{Value, json};

use crate::said::by_command;

/// Arguments that make no sense, as far as the parser of the command line cannot tell.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// An error and its causes, as far as what is said before does not hold them: most of our errors
/// say their causes themselves.
pub fn told(error: &anyhow::Error) -> String {
    let whole = error
        .chain()
        .fold(String::new(), |said, cause| match cause.to_string() {
            cause if said.is_empty() => cause,
            cause if said.contains(&cause) => said,
            cause => format!("{said}: {cause}"),
        });
    by_command(&whole, &[])
}

/// The error as tools tell theirs.
pub fn as_json(error: &anyhow::Error) -> Value {
    shape(
        error
            .chain()
            .find_map(code)
            .unwrap_or(Code::InvalidParameter),
        &told(error),
    )
}

/// A wrong command line.
pub fn wrong_usage(message: &str) -> Value {
    shape(Code::InvalidParameter, message)
}

fn shape(code: Code, message: &str) -> Value {
    json!({ "error": { "code": code.as_str(), "message": message } })
}

fn code(cause: &(dyn std::error::Error + 'static)) -> Option<Code> {
    if let Some(error) = cause.downcast_ref::<ToolError>() {
        return Some(error.code);
    }
    kind(cause).map(|kind| match kind {
        ErrorKind::Usage => Code::InvalidParameter,
        ErrorKind::NotIndexed | ErrorKind::Locked | ErrorKind::Interrupted => {
            Code::EngineUnavailable
        }
        ErrorKind::Corrupt | ErrorKind::Other => Code::IndexError,
    })
}

/// What can be done about an error of the engine.
pub fn kind(cause: &(dyn std::error::Error + 'static)) -> Option<ErrorKind> {
    if let Some(error) = cause.downcast_ref::<EngineError>() {
        return Some(error.kind());
    }
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return Some(store_kind(error));
    }
    cause.downcast_ref::<QueryError>().map(query_kind)
}
