//! The answer to a question for everything of a kind: `which commands exist?`

use codeagent_core::model::graph::Node;
use codeagent_core::query::{Kind, Occurrences};

use super::heading::{heading, short};
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Adds everything of a kind.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    kind: &Kind,
    wants: Wants,
) -> Result<(), AnswerError> {
    if let Some(base) = &kind.base {
        document.line(heading(occurrences, base)?);
        let subject = Subject {
            nodes: std::slice::from_ref(base),
            words: &[],
            wants: Wants {
                implementations: true,
                ..wants
            },
        };
        subject.sections(document, occurrences)?;
    }

    let title = format!("symbols whose names end with `{}`", kind.words);
    let rows = rows(occurrences, &kind.named)?;
    document.section(Section::names("found", title, rows).weighing(60));
    Ok(())
}

fn rows(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
) -> Result<Vec<NameRow>, AnswerError> {
    let mut rows = Vec::with_capacity(nodes.len());
    for node in nodes {
        rows.push(NameRow {
            full: short(occurrences, node)?,
            short: occurrences.short_name(node)?,
        });
    }
    Ok(rows)
}
