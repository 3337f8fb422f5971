//! The section about how one symbol reaches another.

use codeagent_core::query::{self, Occurrences, Target, Targets};

use crate::answers::{AnswerError, path};
use crate::text::{Document, Section};

/// Adds the path from the first to the last target, if the question asks for one.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<(), AnswerError> {
    let symbols: Vec<&Target> = targets
        .found
        .iter()
        .filter(|target| !target.ids().is_empty())
        .collect();
    let [first, .., last] = symbols.as_slice() else {
        return Ok(());
    };
    if !targets.mentions(&["reach", "path", "lead", "from", "get"]) {
        return Ok(());
    }
    let snapshot = occurrences.sources.snapshot();
    let found = query::find_path(snapshot, &first.ids(), &last.ids())?;
    let (from, to) = if found.is_reversed {
        (last.asked(), first.asked())
    } else {
        (first.asked(), last.asked())
    };
    let Some(steps) = found.steps else {
        document.line(format!("no path between {from} and {to} within the index"));
        return Ok(());
    };
    let lines = path::lines(occurrences, &steps)?;
    let title = format!("how {from} leads to {to}");
    document.section(Section::lines("path", title, lines).weighing(60));
    Ok(())
}
