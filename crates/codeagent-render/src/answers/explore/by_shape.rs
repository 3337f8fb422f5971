//! Section about the classes that have all members of an interface of TypeScript and do not declare that they implement it.

use codeagent_core::model::graph::{Language, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrences};

use super::Subject;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of such classes; more of them have members of common names.
const MAX_CLASSES: usize = 12;

/// Adds the classes whose objects fit an interface, besides those `below` it.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (members, below): (&[Node], &[NodeId]),
) -> Result<(), AnswerError> {
    let first = subject.first();
    let is_interface = first.node_type == NodeType::Interface;
    if !subject.wants.implementations || !is_interface || first.language != Language::TypeScript {
        return Ok(());
    }
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut classes = query::classes_with_members(occurrences.sources.snapshot(), &names)?;
    classes.retain(|class| !below.contains(class));
    if classes.len() > MAX_CLASSES {
        return Ok(());
    }
    let places = occurrences.of_declarations(&classes)?;
    let title = "classes that have all its members and do not declare it";
    let section = Section::occurrence_rows("by shape", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}
