//! Sections about the symbols that a question describes without naming one.

use codeagent_core::model::graph::Node;
use codeagent_core::query::Occurrences;

use super::heading::heading;
use super::member::source_lines;
use super::wants::WANTED;
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum characters of the source of the symbols, in their order.
const MAX_SOURCE_CHARS: [usize; 3] = [2_000, 1_800, 900];

/// Adds what a question asks for of the first symbol that it describes, and the source of all.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    described: &[Node],
    wants: Wants,
) -> Result<(), AnswerError> {
    for ((at, node), most) in described.iter().enumerate().zip(MAX_SOURCE_CHARS) {
        let mut part = Document::default();
        part.line(heading(occurrences, node)?);
        let source = source(occurrences, node)?.at_most(most);
        if at > 0 {
            part.section(source.weighing(20));
            document.append(part, WANTED / 2);
            continue;
        }

        let subject = Subject {
            nodes: std::slice::from_ref(node),
            words: &[],
            wants,
        };
        subject.sections(&mut part, occurrences)?;
        if part.keys().all(|key| key != "source") {
            part.section(source.weighing(10));
        }
        document.append(part, WANTED);
    }
    Ok(())
}

fn source(occurrences: &mut Occurrences<'_, '_>, node: &Node) -> Result<Section, AnswerError> {
    let lines = source_lines(occurrences, node)?;
    Ok(Section::lines("source", "", lines))
}
