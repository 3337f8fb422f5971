//! The source of a symbol, with the uses in it.

use std::collections::BTreeMap;

use codeagent_core::query::{self, Labels};
use serde_json::{Value, json};

use super::{ApiError, Query, rows};

/// Number of lines of one answer.
const PAGE: u32 = 300;

/// Lines before a requested line.
const BEFORE: u32 = 60;

/// Returns a part of a symbol's primary declaration: its beginning, or the lines around a line.
pub fn source(query: &Query<'_>) -> Result<Value, ApiError> {
    let id = rows::id(query.parameters.text("id")?)?;
    let symbol = query::get_node(query.snapshot, id)?;
    let Some(span) = symbol.and_then(|symbol| symbol.node.spans.into_iter().next()) else {
        return Ok(json!({ "problem": "The symbol has no declaration in a file." }));
    };

    let (start, end) = (span.span.start.line, span.span.end_line);
    let line: u32 = query.parameters.number("line", 0)?;
    let around = if line > start + PAGE - BEFORE {
        line.min(end).saturating_sub(BEFORE)
    } else {
        start
    };
    let first = query.parameters.number("from", around)?.clamp(start, end);
    let last = end.min(first.saturating_add(PAGE - 1));

    let mut sources = query.sources();
    let Some(lines) = sources.lines(&span.path, first, last)? else {
        let problem = format!(
            "{} has changed since it was indexed, or is gone.",
            span.path
        );
        return Ok(json!({ "problem": problem }));
    };
    let next = (last < end).then(|| last + 1);
    Ok(json!({
        "path": span.path,
        "first": first,
        "lines": lines,
        "next": next,
        "uses": uses(query, &span.path, first, last)?,
    }))
}

/// Returns the uses on each line, by column.
fn uses(
    query: &Query<'_>,
    path: &str,
    first: u32,
    last: u32,
) -> Result<BTreeMap<u32, Vec<Value>>, ApiError> {
    let lines = first..=last;
    let found = query::uses_on_lines(query.snapshot, path, &lines)?;
    let mut labels = Labels::default();
    labels.load(query.snapshot, found.iter().map(|(_, each)| each.target))?;

    let mut by_place: BTreeMap<(u32, u32), Value> = BTreeMap::new();
    for (line, each) in &found {
        by_place.entry((*line, each.column)).or_insert_with(|| {
            json!({
                "column": each.column,
                "id": each.target.to_string(),
                "name": labels.short(each.target),
                "confidence": each.confidence.as_str(),
            })
        });
    }
    for (line, column) in query::unresolved_on_lines(query.snapshot, path, &lines)? {
        by_place
            .entry((line, column))
            .or_insert_with(|| json!({ "column": column }));
    }

    let mut by_line: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for ((line, _), each) in by_place {
        by_line.entry(line).or_default().push(each);
    }
    Ok(by_line)
}
