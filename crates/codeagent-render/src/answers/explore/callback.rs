//! Sections about a nameless callback, for a location inside it: a route's handler, a test.

use codeagent_core::model::graph::Node;
use codeagent_core::query::{CallbackLines, Occurrences, UnknownCalls};

use super::callees::{called, unknown_row};
use super::member::{MAX_SOURCE_LINES, numbered};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Adds the source of a callback in `node`, and what it calls.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    within: &CallbackLines,
) -> Result<(), AnswerError> {
    let callback = &within.callback;
    let path = occurrences.path(within.file)?;
    let (start, end) = (callback.start, callback.end);
    document.line(format!(
        "## callback of {}  {path}:{start}-{end}",
        callback.label
    ));

    let last = end.min(start + MAX_SOURCE_LINES);
    if let Some(lines) = occurrences.sources.lines(&path, start, last)? {
        let source = Section::lines("source", "", numbered(&lines, start));
        document.section(source.weighing(20));
    }

    let mut rows = called(occurrences, &[node.id], Some(within))?;
    let snapshot = occurrences.sources.snapshot();
    let unknown = UnknownCalls::default().on_lines(snapshot, within.file, &(start..=end))?;
    rows.extend(unknown_row(&unknown));
    document.section(Section::names("callees", "calls", rows).weighing(20));
    Ok(())
}
