//! The answer of `explore`: sections about what a text refers to.

use codeagent_core::engine::Answers;
use codeagent_core::query::{self, Sources};

use super::AnswerError;
use crate::text::Document;

/// Answers a question about what a text refers to.
pub fn explore(index: &Answers, text: &str) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = Sources::new(&snapshot, index.workspace());
    let targets = query::resolve_targets(&mut sources, text)?.check()?;
    let mut document = Document::default();
    for target in &targets.found {
        document.line(target.asked());
    }
    Ok(document)
}
