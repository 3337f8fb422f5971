//! The answer of `path`: how one symbol reaches another.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{
    self, Link, MAX_STEPS, Occurrences, PathSearch, PathStep, Sources, Targets,
};

use super::AnswerError;
use super::dispatch;
use super::symbol_line::{note_targets, symbol_line};
use crate::text::{Document, Section, cut};

/// Maximum characters of a source line.
const MAX_SOURCE: usize = 100;

/// A search for a path between the symbols of two texts.
pub(super) struct PathAnswer {
    /// The targets of both texts.
    targets: [Targets; 2],
    /// The symbols of both texts.
    nodes: [Vec<NodeId>; 2],
    pub found: PathSearch,
}

/// Finds the cheapest path from the symbols of one text to those of another.
pub(super) fn search(
    sources: &mut Sources<'_>,
    from: &str,
    to: &str,
) -> Result<PathAnswer, AnswerError> {
    let from = query::resolve_targets(sources, from)?.check()?;
    let to = query::resolve_targets(sources, to)?.check()?;

    let snapshot = sources.snapshot();
    let starts = query::nodes_of(snapshot, &from, true)?;
    let ends = query::nodes_of(snapshot, &to, true)?;
    let found = query::find_path(sources, &starts, &ends)?;

    Ok(PathAnswer {
        targets: [from, to],
        nodes: [starts, ends],
        found,
    })
}

/// Shows the cheapest path from the symbols of one text to those of another.
pub fn path(index: &IndexReader, from: &str, to: &str) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let PathAnswer {
        targets,
        nodes: [starts, ends],
        found,
    } = search(&mut sources, from, to)?;

    let mut document = Document::default();
    let mut occurrences = Occurrences::new(&mut sources);
    for ends in &targets {
        note_targets(&mut occurrences, &mut document, ends, true)?;
    }
    match &found.steps {
        Some(steps) if steps.is_empty() => {
            document.line(format!("{from} and {to} share a symbol"));
        }
        Some(steps) => {
            if found.is_reversed {
                document.line(format!(
                    "no path from {from} to {to}, but one from {to} to {from}:"
                ));
            }
            document.section(Section::lines("path", "", lines(&mut occurrences, steps)?));
            let ends = match found.is_reversed {
                true => (ends.as_slice(), starts.as_slice()),
                false => (starts.as_slice(), ends.as_slice()),
            };
            document.section(others(&mut occurrences, ends, steps)?);
        }
        None => {
            let scope = if found.is_cut {
                "among the nearest symbols"
            } else {
                "in either direction"
            };
            document.line(format!(
                "no path of at most {MAX_STEPS} steps {scope} between {from} and {to}"
            ));
            document.line(
                "calls through reflection, strings and unresolved receivers are not followed",
            );
            let shared = query::shared_literals(&snapshot, &starts, &ends)?;
            let lines = shared.iter().map(|literal| {
                let ((from, line), (to, at)) = (&literal.from, &literal.to);
                format!(" {:?} {from}:{line} and {to}:{at}", literal.text)
            });
            document.section(Section::lines(
                "literals",
                "string literals in both",
                lines.collect(),
            ));
        }
    }
    Ok(document)
}

/// Lists the first steps of other paths between the same ends that are as short.
pub(super) fn others(
    occurrences: &mut Occurrences<'_, '_>,
    ends: (&[NodeId], &[NodeId]),
    steps: &[PathStep],
) -> Result<Section, AnswerError> {
    let mut rows = Vec::new();
    for step in query::others_as_short(occurrences.sources, ends, steps)? {
        rows.push(step_line(occurrences, &step)?);
    }
    let title = "first steps of other paths that are as short";
    Ok(Section::lines("other paths", title, rows))
}

pub(super) fn lines(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[PathStep],
) -> Result<Vec<String>, AnswerError> {
    let mut lines = Vec::new();
    if let Some(first) = steps.first() {
        lines.push(symbol_line(occurrences, first.from)?);
    }

    for step in steps {
        lines.push(step_line(occurrences, step)?);
    }
    Ok(lines)
}

/// Writes how a symbol leads to the next, and where.
fn step_line(
    occurrences: &mut Occurrences<'_, '_>,
    step: &PathStep,
) -> Result<String, AnswerError> {
    let to = symbol_line(occurrences, step.to)?;
    let source = occurrences.sources.line(&step.path, step.line)?;
    let source = source.unwrap_or_default();
    let site = match step.link {
        Link::Call | Link::Reference | Link::Dispatched(_) => {
            let source = cut(&source, MAX_SOURCE);
            format!("\n    {}:{} {source}", step.path, step.line)
        }
        Link::Dispatch | Link::Later => String::new(),
    };
    Ok(format!("  {} {to}{site}", verb(step.link)))
}

/// Returns how a symbol leads to the next, as a verb between them.
pub(super) fn verb(link: Link) -> &'static str {
    match link {
        Link::Call => "calls",
        Link::Dispatch => "may run",
        Link::Later => "creates, later runs",
        Link::Reference => "names",
        Link::Dispatched(kind) => dispatch::verb(kind),
    }
}
