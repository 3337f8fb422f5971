//! Section about types that name a base whose target is unknown, which may be the subject: samples often use a package of
//! the repository as it is published.

use codeagent_core::model::graph::{Language, NodeId};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::literal::{is_comment, regex};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of such types; the name of more is that of something else, too.
const MAX_TYPES: usize = 40;

/// Adds the types of C# whose first line names the subject as a base, besides those `below` it.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    below: &[NodeId],
) -> Result<(), AnswerError> {
    let first = subject.first();
    if !subject.wants.implementations || first.language != Language::CSharp {
        return Ok(());
    }

    let name = query::escaped_text(&first.name);
    let pattern = format!(r"\b(class|interface|record|struct) .*[:,] *([\w.]+\.)?{name}\b");
    let found = query::search_text(occurrences, &regex(&pattern))?;
    let known = occurrences.of_declarations(below)?;
    let is_new = |place: &Occurrence| {
        let mut known = known.iter();
        let is_known = known.any(|known| (&known.path, known.line) == (&place.path, place.line));
        !is_known && !is_comment(place)
    };

    let mut places: Vec<Occurrence> = found.code.into_iter().chain(found.tests).collect();
    places.retain(is_new);
    if places.len() > MAX_TYPES {
        return Ok(());
    }
    let title = "types that name it as a base, whose target is unknown";
    let section = Section::occurrence_rows("unresolved bases", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}
