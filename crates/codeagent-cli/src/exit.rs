//! Exit codes: 0 success, 1 files that failed with `--strict` or a problem that `doctor` found, 2
//! usage or settings, 3 no index, 4 locked, 5 damaged, 130 interrupted.

use std::io;
use std::process::ExitCode;

use codeagent_core::StoreError;
use codeagent_core::engine::{EngineError, ErrorKind};
use codeagent_core::query::QueryError;
use codeagent_mcp::serve::ServeError;
use codeagent_render::Code;
use codeagent_share::ShareError;

use crate::commands::Unanswered;
use crate::error;

/// Success, except that some files could not be indexed and `--strict` was given.
pub const FILES_FAILED: u8 = 1;
/// Success, and `doctor` found a problem.
pub const FOUND: u8 = 1;
const OTHER: u8 = 1;
/// Wrong usage or settings.
pub const USAGE: u8 = 2;
const NOT_INDEXED: u8 = 3;
const LOCKED: u8 = 4;
const CORRUPT: u8 = 5;
/// Interrupted by a signal.
pub const INTERRUPTED: u8 = 130;

/// Returns the exit code of an error, by the first cause that has one.
pub fn of_error(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    error.chain().find_map(code).unwrap_or(OTHER).into()
}

fn code(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(kind) = error::kind(cause) {
        return Some(of_kind(kind));
    }

    let is_usage = cause.is::<error::Usage>()
        || cause
            .downcast_ref::<Unanswered>()
            .is_some_and(|error| error.code() != Code::IndexError)
        || cause.is::<codeagent_core::InspectError>()
        || matches!(
            cause.downcast_ref(),
            Some(ServeError::Exposed(_) | ServeError::Root(_))
        )
        || cause.is::<codeagent_mcp::http::TokenError>()
        || cause.is::<codeagent_workspace::PathError>()
        || cause.is::<codeagent_workspace::OpenError>()
        || cause.is::<codeagent_workspace::RootError>()
        || cause.is::<crate::commands::Unfilled>()
        || cause.is::<codeagent_workspace::ConfigError>()
        || matches!(
            cause.downcast_ref(),
            Some(ShareError::Url { .. } | ShareError::Name { .. })
        );

    is_usage.then_some(USAGE)
}

fn of_kind(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => USAGE,
        ErrorKind::NotIndexed => NOT_INDEXED,
        ErrorKind::Locked => LOCKED,
        ErrorKind::Corrupt => CORRUPT,
        ErrorKind::Interrupted => INTERRUPTED,
        ErrorKind::Other => OTHER,
    }
}

/// Reports whether another process holds the writer lock.
pub fn is_locked(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| error::kind(cause) == Some(ErrorKind::Locked))
}

/// Reports whether the index is damaged; a foreign or newer one is not.
pub fn is_damage(error: &anyhow::Error) -> bool {
    let is_corrupt = |error: &StoreError| matches!(error, StoreError::Corrupt(_));
    error.chain().any(|cause| {
        let store = cause.downcast_ref::<StoreError>();
        let engine =
            matches!(cause.downcast_ref(), Some(EngineError::Store(error)) if is_corrupt(error));
        let query =
            matches!(error::query_error(cause), Some(QueryError::Store(error)) if is_corrupt(error));
        store.is_some_and(is_corrupt) || engine || query
    })
}

/// Reports whether the reader closed the pipe (EPIPE), which is not an error.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
