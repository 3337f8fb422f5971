//! The section about how one symbol reaches another.

use codeagent_core::query::{self, Occurrences, Target, Targets};

use super::wants::Wants;
use crate::answers::{AnswerError, path};
use crate::text::{Document, Section};

/// Adds the path from the first to the last target, if the question asks for one. Reports whether
/// that answers the question: a path in the other direction does not.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
    wants: Wants,
) -> Result<bool, AnswerError> {
    if !wants.path {
        return Ok(false);
    }

    let symbols: Vec<&Target> = targets
        .found
        .iter()
        .filter(|target| !target.ids().is_empty())
        .collect();
    let [first, .., last] = symbols.as_slice() else {
        return Ok(false);
    };

    let found = query::find_path(occurrences.sources, &first.ids(), &last.ids())?;
    let (from, to) = if found.is_reversed {
        (last.requested_text(), first.requested_text())
    } else {
        (first.requested_text(), last.requested_text())
    };
    let Some(steps) = found.steps else {
        document.line(format!("no path between {from} and {to} in the index"));
        return Ok(false);
    };

    let lines = path::lines(occurrences, &steps)?;
    if lines.is_empty() {
        return Ok(false);
    }
    let title = if found.is_reversed {
        format!("no path in that direction, but {from} leads to {to}")
    } else {
        format!("how {from} leads to {to}")
    };

    document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
    Ok(!found.is_reversed)
}
