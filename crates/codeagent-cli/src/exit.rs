//! With which code does the command end? 0 done, 1 done with files that failed and `--strict`, 2 usage or settings, 3 no index, 4 locked, 5 damaged,
//! 130 interrupted.

use std::io;
use std::process::ExitCode;

use codeagent_core::engine::{EngineError, ErrorKind, store_kind};
use codeagent_core::query::QueryError;
use codeagent_core::store::StoreError;

/// Done, but some files could not be indexed and `--strict` was given.
pub const FILES_FAILED: u8 = 1;
const OTHER: u8 = 1;
const USAGE: u8 = 2;
const NOT_INDEXED: u8 = 3;
const LOCKED: u8 = 4;
const CORRUPT: u8 = 5;
/// Told to stop.
pub const INTERRUPTED: u8 = 130;

/// The code of an error, by the first cause that has one.
pub fn of_error(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    error.chain().find_map(code).unwrap_or(OTHER).into()
}

fn code(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(error) = cause.downcast_ref::<EngineError>() {
        return Some(of_kind(error.kind()));
    }
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return Some(of_kind(store_kind(error)));
    }
    if let Some(QueryError::Store(error)) = cause.downcast_ref::<QueryError>() {
        return Some(of_kind(store_kind(error)));
    }
    let is_usage = cause.is::<QueryError>()
        || cause.is::<codeagent_core::ingest::InspectError>()
        || cause.is::<codeagent_workspace::PathError>()
        || cause.is::<codeagent_workspace::OpenError>()
        || cause.is::<codeagent_workspace::ConfigError>();
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

/// Whether whoever read our output has had enough, which is no error.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
