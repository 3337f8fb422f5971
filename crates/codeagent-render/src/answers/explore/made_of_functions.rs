//! Section about the objects of a type that are made of a function: `new PredicateFilter(cart => cart.IsOpen)`.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrences};

use super::Subject;
use super::wants::says;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of words by which a question asks for such objects.
const ASKING: [&str; 4] = ["anonymous", "arrow", "delegate", "lambda"];

/// Parts of the types of parameters that take functions.
const FUNCTIONS: [&str; 4] = ["Action", "Func<", "Predicate<", "=>"];

/// Maximum number of types below a type whose constructors are looked at.
const MAX_DERIVED: usize = 60;

/// Adds the places that make objects of types below a type by constructors that take a function, if the question asks
/// for them.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    derived: &[NodeId],
) -> Result<(), AnswerError> {
    if !says(subject.words, &ASKING) {
        return Ok(());
    }

    let mut constructors = Vec::new();
    for id in derived.iter().take(MAX_DERIVED) {
        let mut members = query::members_of(occurrences.sources.snapshot(), *id)?;
        members.retain(takes_function);
        constructors.extend(members.into_iter().map(|member| member.id));
    }
    let places = occurrences.uses_of(&constructors, &[EdgeType::Calls])?;
    let title = "made of a function by a constructor of one of these";
    let section = Section::occurrence_rows("made of functions", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Reports whether a member is a constructor that takes a function.
fn takes_function(node: &Node) -> bool {
    let parameters = node.parameter_signature.as_deref().unwrap_or_default();
    node.node_type == NodeType::Constructor
        && FUNCTIONS.iter().any(|part| parameters.contains(part))
}
