//! The branches that code selects: sections about those of `switch` statements, and what follows a condition.

use codeagent_core::model::graph::EdgeType;
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::member::numbered;
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of branches that are shown.
const MAX_BRANCHES: usize = 6;

/// Maximum number of lines of a branch.
const MAX_LINES: u32 = 14;

/// Beginnings of lines with a condition.
const CONDITIONS: [&str; 4] = ["if (", "else if (", "} else if (", "while ("];

/// Adds the first statement that runs if the condition on the line of a place holds.
pub(super) fn add_guarded(
    occurrences: &mut Occurrences<'_, '_>,
    place: &mut Occurrence,
) -> Result<(), AnswerError> {
    let (first, last) = (place.line + 1, place.line + 2);
    let Some(source) = &mut place.source else {
        return Ok(());
    };

    let is_condition = CONDITIONS.iter().any(|start| source.starts_with(start));
    if !is_condition || !source.ends_with([')', '{']) {
        return Ok(());
    }

    let lines = occurrences.sources.lines(&place.path, first, last)?;
    let mut lines = lines.into_iter().flatten();
    if let Some(statement) = lines.find(|line| line.trim() != "{") {
        source.push(' ');
        source.push_str(statement.trim());
    }

    Ok(())
}

/// Adds the source of the branches `case X:` of the subject, outside tests.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let mut labels = Vec::new();
    for used in occurrences.incoming(&subject.ids(), &[EdgeType::References])? {
        labels.push((occurrences.path(used.file)?, used.line));
    }
    at(document, occurrences, &labels, subject.wants)
}

/// Adds the source of the branches whose labels are on these lines of files.
pub(super) fn at(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    labels: &[(String, u32)],
    wants: Wants,
) -> Result<(), AnswerError> {
    let mut lines = Vec::new();
    let mut count = 0;
    for (path, first) in labels {
        let source = occurrences.sources.lines(path, *first, first + MAX_LINES)?;
        let source = source.unwrap_or_default();
        let is_label = source.first().is_some_and(|line| query::is_label(line));
        if !is_label || query::is_test_path(path) || count == MAX_BRANCHES {
            continue;
        }

        count += 1;
        let place = occurrences.at(path, *first)?;
        lines.push(format!("{}  {path}:{first}", place.symbol));
        let numbered = numbered(query::block(&source), *first);
        lines.extend(numbered.into_iter().map(|line| format!(" {line}")));
    }

    let branches = Section::lines("branches", "in the branch for it", lines);
    document.section(wants.weigh(branches, true, 0));
    Ok(())
}
