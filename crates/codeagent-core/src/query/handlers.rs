//! Handlers: callbacks registered under a string that other code uses.
//!
//! `client.post("/documents.archive")` leads to `router.post("documents.archive", ..)`, because the
//! literals have the same key. So does the key of a property whose value is a call with a callback. Such a step is a guess from equal strings, not an edge.
//!
//! Limitations: literals in more than [`MAX_FILES`] files connect nothing.

use std::ops::RangeInclusive;

use crate::model::graph::{EdgeType, Node, NodeId, NodeSpan};
use crate::query::{Occurrences, QueryError, literal_files, literal_sites, literals_of};
use crate::store;

/// Maximum number of files with a literal that connects code.
const MAX_FILES: u64 = 12;

/// Maximum number of a symbol's literals that are followed, and of handlers for each.
const MAX_LITERALS: usize = 4;
const MAX_HANDLERS: usize = 3;

/// Maximum number of calls listed per handler.
const MAX_CALLS: usize = 40;

/// Returns the callbacks registered under the strings in a symbol, each with its calls.
pub fn handlers_named_in(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut lines = Vec::new();

    let mut followed = Vec::new();
    for literal in literals_of(snapshot, node.id)? {
        if followed.len() >= MAX_LITERALS || followed.contains(&literal.text) {
            continue;
        }
        let handlers = handlers(occurrences, &literal.text)?;
        if !handlers.is_empty() {
            lines.push(format!("{} \"{}\"", literal.line, literal.text));
            lines.extend(handlers.iter().map(|line| format!("  {line}")));
            followed.push(literal.text);
        }
    }

    Ok(lines)
}

/// Returns the callbacks registered under a string, each with its calls.
pub fn handlers(
    occurrences: &mut Occurrences<'_, '_>,
    literal: &str,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let files = literal_files(snapshot, literal)?;
    if files == 0 || files > MAX_FILES {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    let mut count = 0;
    for site in literal_sites(snapshot, literal, 60)? {
        let Some(callback) = site.enclosing.callback else {
            continue;
        };
        let registers =
            callback.label == site.text || callback.label.contains(&format!("\"{}\"", site.text));
        if !registers || store::is_test_path(&site.path) || count >= MAX_HANDLERS {
            continue;
        }
        count += 1;
        let (start, end) = (callback.start, callback.end);
        lines.push(format!("{}  {}:{start}-{end}", callback.label, site.path));
        let calls = calls_within(occurrences, &site.path, &(start..=end))?;
        lines.extend(calls.into_iter().map(|call| format!("  {call}")));
    }
    Ok(lines)
}

/// Returns the calls of a file's symbols on a range of lines, in order.
fn calls_within(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    within: &RangeInclusive<u32>,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let around: Vec<NodeId> = store::nodes_of_file(snapshot, file.id)?
        .iter()
        .filter(|node| node.spans.iter().any(|span| reaches(span, path, within)))
        .map(|node| node.id)
        .collect();
    let mut calls = occurrences.outgoing(&around, &[EdgeType::Calls])?;
    calls.retain(|call| call.file == file.id && within.contains(&call.line));
    calls.sort_by_key(|call| (call.line, call.column));

    let mut lines = Vec::new();
    let mut seen = Vec::new();
    for call in calls {
        if seen.contains(&call.other) || seen.len() >= MAX_CALLS {
            continue;
        }
        seen.push(call.other);
        let Some(target) = store::node(snapshot, call.other)? else {
            continue;
        };
        let place = target.spans.first();
        let place = place.map(|span| format!("  {}:{}", span.path, span.name_line));
        let name = occurrences.short_name(&target)?;
        lines.push(format!("{} {name}{}", call.line, place.unwrap_or_default()));
    }
    Ok(lines)
}

/// Reports whether a span has any of some lines of a file.
fn reaches(span: &NodeSpan, path: &str, lines: &RangeInclusive<u32>) -> bool {
    span.path == path
        && span.span.start.line <= *lines.end()
        && *lines.start() <= span.span.end_line
}
