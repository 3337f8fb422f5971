//! Files of an answer that have changed since they were indexed, and the note about them.
//!
//! **Limits.** Files that an answer does not name are not looked at.

use codeagent_core::StoreError;
use codeagent_core::model::graph::Node;
use codeagent_core::query::{Freshness, Sources};

use crate::answer::Answer;
use crate::error::ToolError;
use crate::output::STALE_FILES;

/// Looks at the file in which a symbol is shown.
pub fn show(sources: &mut Sources<'_>, node: &Node) -> Result<(), StoreError> {
    node.spans
        .first()
        .map_or(Ok(()), |span| sources.freshness(&span.path).map(drop))
}

/// An answer with the names of the files that its places cannot be trusted in.
pub fn with_stale_files(mut answer: Answer, sources: &Sources<'_>) -> Result<Answer, ToolError> {
    let stale = sources.stale();
    if stale.is_empty() {
        return Ok(answer);
    }
    let gone: Vec<&str> = stale
        .iter()
        .filter(|(_, freshness)| *freshness == Freshness::Gone)
        .map(|(path, _)| *path)
        .collect();
    let gone = if gone.is_empty() {
        String::new()
    } else {
        format!(" (removed: {})", gone.join(", "))
    };
    answer.add(
        &STALE_FILES,
        stale.iter().map(|(path, _)| *path).collect::<Vec<_>>(),
    );
    Ok(answer.with_note(format!(
        "changed since the index was updated: stale_files{gone}; line numbers in them may be off (call index_files with them and ask again)"
    )))
}
