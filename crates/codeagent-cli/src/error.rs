//! Errors as text, or as `{"error":{"code","message"}}` with the codes of the tools.
//!
//! Limitations: an error without its own code becomes `invalid_parameter`, because only wrong
//! arguments are left.

use codeagent_core::StoreError;
use codeagent_core::engine::{EngineError, ErrorKind, query_kind, store_kind};
use codeagent_core::query::QueryError;
use codeagent_render::Code;
use serde_json::{Value, json};

use crate::commands::Unanswered;

/// Invalid arguments that the command-line parser cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Formats an error and its causes. Omits causes that the text already contains, because most of
/// our errors include theirs.
pub fn message(error: &anyhow::Error) -> String {
    error
        .chain()
        .fold(String::new(), |text, cause| match cause.to_string() {
            cause if text.is_empty() => cause,
            cause if text.contains(&cause) => text,
            cause => format!("{text}: {cause}"),
        })
}

/// Returns the error in the form of the tools.
pub fn as_json(error: &anyhow::Error) -> Value {
    shape(
        error
            .chain()
            .find_map(code)
            .unwrap_or(Code::InvalidParameter),
        &message(error),
    )
}

/// Returns a wrong command line as an error in the form of the tools.
pub fn wrong_usage(message: &str) -> Value {
    shape(Code::InvalidParameter, message)
}

fn shape(code: Code, message: &str) -> Value {
    json!({ "error": { "code": code.as_str(), "message": message } })
}

fn code(cause: &(dyn std::error::Error + 'static)) -> Option<Code> {
    if let Some(error) = cause.downcast_ref::<Unanswered>() {
        return Some(error.code());
    }
    kind(cause).map(|kind| match kind {
        ErrorKind::Usage => Code::InvalidParameter,
        ErrorKind::NotIndexed | ErrorKind::Locked | ErrorKind::Interrupted => {
            Code::EngineUnavailable
        }
        ErrorKind::Corrupt | ErrorKind::Other => Code::IndexError,
    })
}

/// Returns the kind of an error of the engine, the store or a query.
pub fn kind(cause: &(dyn std::error::Error + 'static)) -> Option<ErrorKind> {
    if let Some(error) = cause.downcast_ref::<EngineError>() {
        return Some(error.kind());
    }
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return Some(store_kind(error));
    }
    query_error(cause).map(query_kind)
}

pub fn query_error<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a QueryError> {
    let unanswered = cause.downcast_ref::<Unanswered>();
    unanswered
        .and_then(Unanswered::query)
        .or_else(|| cause.downcast_ref())
}
