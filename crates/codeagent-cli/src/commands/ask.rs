//! Queries of commands: each waits until the index is up to date, asks once, and keeps what the
//! index does not know yet.
//!
//! Limitations: only an existing index is asked; none is created.

use std::fmt;

use codeagent_core::engine::IndexReader;
use codeagent_core::query::QueryError;
use codeagent_core::service::Staleness;
use codeagent_render::answers::{Answer, AnswerError};
use codeagent_render::{Code, Face, error_text, staleness_text};

use crate::commands::Root;

/// Why a query has no answer.
#[derive(Debug)]
pub struct Unanswered {
    error: AnswerError,
    /// What the index does not know yet, which may be what was not found.
    staleness: Staleness,
}

impl Unanswered {
    /// Creates the error of a query.
    pub fn new(error: AnswerError, staleness: Staleness) -> Self {
        Self { error, staleness }
    }

    /// The kind of error.
    pub fn code(&self) -> Code {
        (&self.error).into()
    }

    /// The error of the query, if it came that far.
    pub fn query(&self) -> Option<&QueryError> {
        match &self.error {
            AnswerError::Query(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&error_text(&self.error, Face::Commands))?;
        if self.code() == Code::NotFound && !self.staleness.is_none() {
            write!(f, "; {}", staleness_text(&self.staleness))?;
        }
        Ok(())
    }
}

impl std::error::Error for Unanswered {}

/// Asks the index, once the process that writes it has picked up all changes. Returns the answer
/// and what is not in it.
pub fn ask<T>(
    root: &Root,
    query: impl FnOnce(&IndexReader) -> Result<Answer<T>, AnswerError>,
) -> anyhow::Result<(Answer<T>, Staleness)> {
    let (index, staleness) = root.settled()?;
    match query(&index) {
        Ok(answer) => Ok((answer, staleness)),
        Err(error) => Err(Unanswered { error, staleness }.into()),
    }
}
