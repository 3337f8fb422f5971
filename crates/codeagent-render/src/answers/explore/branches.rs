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
        let branch = branch(&source);
        if branch.is_empty() || query::is_test_path(path) || count == MAX_BRANCHES {
            continue;
        }

        count += 1;
        let place = occurrences.at(path, *first)?;
        lines.push(format!("{}  {path}:{first}", place.symbol));
        let numbered = numbered(branch, *first);
        lines.extend(numbered.into_iter().map(|line| format!(" {line}")));
    }

    let branches = Section::lines("branches", "in the branch for it", lines);
    document.section(wants.weigh(branches, true, 0));
    Ok(())
}

/// Returns the lines of a branch whose label is the first line; none if it is no label. The branch ends at
/// the next label or bracket that is not indented deeper.
fn branch(lines: &[String]) -> &[String] {
    let Some(first) = lines.first().filter(|line| is_label(line)) else {
        return &[];
    };

    let mut has_body = false;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        if indentation(line) > indentation(first) {
            has_body = true;
        } else if has_body || !is_label(line) && line.trim() != "{" {
            return &lines[..at];
        }
    }
    lines
}

fn is_label(line: &str) -> bool {
    line.trim_start().starts_with("case ")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_branch_ends_at_the_next_label() {
        for (text, expected) in [
            ("  case A:\n    a();\n\n    break;\n  case B:\n    b();", 4),
            ("  case A:\n  case B:\n    b();\n  default:", 3),
            ("  case A: {\n    a();\n  }\n}", 2),
            ("  case A:\n  {\n    a();\n  }\n}", 3),
            ("  case A: return a();\n}", 1),
            ("  if (x == A) {\n    a();", 0),
            ("  case A:\n    a();", 2),
        ] {
            assert_eq!(branch(&lines(text)).len(), expected, "{text}");
        }
    }
}
