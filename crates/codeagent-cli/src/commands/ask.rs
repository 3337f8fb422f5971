//! Runs the query of a command once the index is up to date, and reports afterwards if it is not.
//!
//! Limitations: needs an existing index; creates none.

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
    /// What the index is missing, which may be what was not found.
    staleness: Staleness,
}

impl Unanswered {
    pub fn new(error: AnswerError, staleness: Staleness) -> Self {
        Self { error, staleness }
    }

    pub fn code(&self) -> Code {
        (&self.error).into()
    }

    /// Returns the error of the query, if it was run.
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

/// Runs a query after the process that writes the index has picked up all changes. Returns the
/// answer and what the index is still missing.
pub fn ask<T>(
    root: &Root,
    query: impl FnOnce(&IndexReader) -> Result<Answer<T>, AnswerError>,
) -> anyhow::Result<(Answer<T>, Staleness)> {
    let (index, staleness) = root.up_to_date_reader()?;
    match query(&index) {
        Ok(answer) => Ok((answer, staleness)),
        Err(error) => Err(Unanswered { error, staleness }.into()),
    }
}
