//! Sections about what fits an interface of TypeScript without declaring that it implements it: classes that have all its
//! members, and functions that have the name of one.

use codeagent_core::model::graph::{Language, Node, NodeId, NodeKind, NodeType};
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

/// Adds the functions that have the name of a member of an interface, which objects of it may hold.
pub(super) fn functions_of_name(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let first = subject.first();
    let may_ask = subject.wants.implementations && query::is_compound(&first.name);
    let Some(owner) = first.parent.filter(|_| may_ask) else {
        return Ok(());
    };
    let snapshot = occurrences.sources.snapshot();
    let is_interface = query::get_node(snapshot, owner)?
        .is_some_and(|owner| owner.node.node_type == NodeType::Interface);
    if !is_interface || first.language != Language::TypeScript {
        return Ok(());
    }

    let named =
        query::get_node_by_qualified_name(snapshot, &first.name, Some(first.language), None)?;
    let is_function = |node: &Node| node.kind == NodeKind::Function && node.name == first.name;
    let functions = named.into_iter().map(|(node, _)| node).filter(is_function);
    let functions: Vec<NodeId> = functions.map(|node| node.id).collect();
    if functions.len() > MAX_CLASSES {
        return Ok(());
    }
    let mut places = occurrences.of_declarations(&functions)?;
    places.retain(|place| !place.is_test());
    let title = "functions of that name, which objects of the interface may hold";
    let section = Section::occurrence_rows("functions of that name", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}
