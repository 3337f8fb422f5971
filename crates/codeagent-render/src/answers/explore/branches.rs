//! Section about the branches of `switch` statements that a constant or type selects.

use codeagent_core::model::graph::EdgeType;
use codeagent_core::query::{self, Occurrences};

use super::member::numbered;
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of branches that are shown.
const MAX_BRANCHES: usize = 6;

/// Maximum number of lines of a branch.
const MAX_LINES: u32 = 14;

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
