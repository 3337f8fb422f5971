//! Sections about messages in code: the conditions under which they are shown or logged, the callers of the
//! functions around them, and the uses of the constants that hold them.

use std::ops::RangeInclusive;

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences, TextPlace};

use super::member::{ROOTS, numbered};
use super::reads_and_writes::is_written;
use super::wants::{WANTED, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of places of a message that are shown with their context.
const MAX_MESSAGES: usize = 4;

/// Maximum number of functions whose callers are shown.
const MAX_FUNCTIONS: usize = 5;

/// Number of lines that are shown before a message.
const LINES_BEFORE: u32 = 5;

/// Maximum number of assignments of a property in a condition.
const MAX_WRITES: usize = 3;

/// Adds the lines before the texts of code, what their conditions use, and the callers of the functions around
/// them.
pub(super) fn add_messages(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
    wants: Wants,
) -> Result<(), AnswerError> {
    for place in places.iter().take(MAX_MESSAGES) {
        let at = &place.at;
        let Some(function) = query::function_around(occurrences, at)? else {
            continue;
        };
        let start = function.spans.first();
        let start = start.map_or(1, |span| span.span.start.line);
        let first = at.line.saturating_sub(LINES_BEFORE).max(start);
        let lines = occurrences.sources.lines(&at.path, first, at.line + 1)?;
        let lines = numbered(&lines.unwrap_or_default(), first);
        document.section(Section::lines("context", &at.path, lines).weighing(20));
        add_condition(document, occurrences, (&at.path, first..=at.line))?;
    }

    let places: Vec<&Occurrence> = places
        .iter()
        .take(MAX_MESSAGES)
        .map(|place| &place.at)
        .collect();
    for function in add_callers_around(document, occurrences, &places)? {
        if wants.roots {
            let lines = query::caller_tree(occurrences, &[function.id])?;
            document.section(Section::tree("leads to it", ROOTS, lines).weighing(WANTED));
        }
    }
    Ok(())
}

/// Adds the properties and functions in the condition on some lines, with the assignments of the properties.
fn add_condition(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (path, lines): (&str, RangeInclusive<u32>),
) -> Result<(), AnswerError> {
    let (first, last) = (*lines.start(), *lines.end());
    let source = occurrences.sources.lines(path, first, last)?;
    let source = source.unwrap_or_default();
    let Some(at) = condition(&source) else {
        return Ok(());
    };

    let line = first + at as u32;
    let snapshot = occurrences.sources.snapshot();
    let mut rows = Vec::new();
    let mut seen: Vec<NodeId> = Vec::new();
    for (_, used) in query::uses_on_lines(snapshot, path, &(line..=line))? {
        if seen.contains(&used.target) {
            continue;
        }
        seen.push(used.target);
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), used.target)? else {
            continue;
        };
        let has_value = matches!(symbol.node.node_type, NodeType::Property | NodeType::Method);
        if has_value && let Some(place) = occurrences.declaration(&symbol.node, true)? {
            rows.push(place);
            rows.extend(writes(occurrences, &symbol.node)?);
        }
    }
    let title = "symbols in its condition and their assignments";
    document.section(Section::occurrence_rows("condition", title, rows).weighing(20));
    Ok(())
}

/// Returns the index of the line with the innermost condition around the last of some lines: on that line, or above
/// and less indented than all between.
fn condition(lines: &[String]) -> Option<usize> {
    let mut least = usize::MAX;
    for (at, line) in lines.iter().enumerate().rev() {
        let code = line.trim_start();
        if code.is_empty() {
            continue;
        }

        let indent = line.len() - code.len();
        let code = code
            .trim_start_matches("} else ")
            .trim_start_matches("else ");
        let is_condition = code.starts_with("if (") || code.starts_with("if(");
        if is_condition && indent < least {
            return Some(at);
        }
        least = least.min(indent);
    }

    None
}

/// Returns the lines outside tests that assign a property.
fn writes(
    occurrences: &mut Occurrences<'_, '_>,
    property: &Node,
) -> Result<Vec<Occurrence>, AnswerError> {
    if property.node_type != NodeType::Property {
        return Ok(Vec::new());
    }
    let mut rows = occurrences.uses_of(&[property.id], &[EdgeType::References])?;
    rows.retain(|row| {
        let source = row.source.as_deref().unwrap_or_default();
        !row.is_test() && is_written(source, &property.name)
    });
    rows.truncate(MAX_WRITES);
    Ok(rows)
}

/// Adds the callers of the functions around some places, each once, and returns the functions. A note tells if there
/// are more functions than are shown.
pub(super) fn add_callers_around(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&Occurrence],
) -> Result<Vec<Node>, AnswerError> {
    let mut functions: Vec<Node> = Vec::new();
    for place in places {
        let function = query::function_around(occurrences, place)?;
        let is_new = |function: &Node| functions.iter().all(|known| known.id != function.id);
        functions.extend(function.filter(is_new));
    }

    if let left_out @ 1.. = functions.len().saturating_sub(MAX_FUNCTIONS) {
        document.note(format!(
            "the callers of {left_out} more functions are left out"
        ));
        functions.truncate(MAX_FUNCTIONS);
    }

    for function in &functions {
        let mut rows = occurrences.uses_of(&[function.id], &[EdgeType::Calls])?;
        rows.retain(|row| !row.is_test());
        let title = format!("{} is called at", occurrences.short_name(function)?);
        document.section(Section::occurrence_rows("callers", title, rows).weighing(20));

        let further = query::callers_of_callers(occurrences, &[function.id])?;
        let title = "callers of these callers";
        let section = Section::occurrence_rows("callers of callers", title, further.certain);
        document.section(section.weighing(10));
    }
    Ok(functions)
}

/// Adds the uses of the constants that hold a text.
pub(super) fn add_constants(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<(), AnswerError> {
    for place in places.iter().take(MAX_MESSAGES) {
        let Some(constant) = query::constant_around(occurrences, place)? else {
            continue;
        };
        let mut rows = occurrences.uses_of(&[constant.id], &[EdgeType::References])?;
        rows.retain(|row| !row.is_test());
        let title = format!("{} is used at", constant.name);
        document.section(Section::occurrence_rows("constants", title, rows).weighing(30));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_less_indented_than_its_message() {
        for (lines, expected) in [
            (&["if (a) {", "  show();"][..], Some(0)),
            (&["if (!b) return;", "if (a)", "  show();"], Some(1)),
            (&["} else if (a) {", "  log();", "  show();"], Some(0)),
            (&["if (!a) return;", "show();"], None),
            (&["iframe();", "  show();"], None),
            (&["if (a) show();"], Some(0)),
            (&["if (!a) return;", "show(", "  text);"], None),
        ] {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(condition(&lines), expected, "{lines:?}");
        }
    }
}
