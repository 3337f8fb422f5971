//! Sections about what has the name of something else: the members that frameworks find by the name of an event or
//! command (`closedEvent()`, `onClosed()` and `closeCommand()` for "closed" and "close"), and the messages with which other
//! processes call a function (`Command.CloseCart` for `closeCart()`).

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeKind, NodeType};
use codeagent_core::query::{self, Occurrences};

use crate::answers::AnswerError;
use crate::text::Section;

/// What follows the name, and what precedes it with a capital.
const ENDS: [&str; 3] = ["Command", "Event", "Handler"];
const STARTS: [&str; 2] = ["handle", "on"];

/// Minimum length of a name, in bytes; many members are named after shorter words.
const MIN_NAME: usize = 6;

/// Maximum number of such members; more are named after a word, not after an event.
const MAX_MEMBERS: usize = 40;

/// Returns a section with the methods that are named after a string.
pub(super) fn section(
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
) -> Result<Section, AnswerError> {
    let is_name = text.chars().all(char::is_alphanumeric);
    let mut members: Vec<NodeId> = Vec::new();
    if is_name && text.len() >= MIN_NAME && text.starts_with(char::is_lowercase) {
        let capital = query::capitalized(text);
        let names = ENDS.iter().map(|end| format!("{text}{end}"));
        let names = names.chain(STARTS.iter().map(|start| format!("{start}{capital}")));

        for name in names {
            let found = query::symbols_of_name(occurrences.sources.snapshot(), &name)?;
            let methods = found
                .iter()
                .filter(|node| node.node_type == NodeType::Method);
            members.extend(methods.map(|node| node.id));
        }
    }

    if members.len() > MAX_MEMBERS {
        members.clear();
    }

    let places = occurrences.of_declarations(&members)?;
    let title = "methods named after it";
    Ok(Section::occurrence_rows("named after", title, places).weighing(30))
}

/// Returns a section with the uses of the enum members that have the name of a function of several words, with a capital.
pub(super) fn messages(
    occurrences: &mut Occurrences<'_, '_>,
    function: &Node,
) -> Result<Section, AnswerError> {
    let mut messages = Vec::new();
    if query::is_compound(&function.name) {
        let name = query::capitalized(&function.name);
        messages = query::symbols_of_name(occurrences.sources.snapshot(), &name)?;
        messages.retain(|node| node.kind == NodeKind::EnumMember);
    }
    let ids: Vec<NodeId> = messages.iter().map(|node| node.id).collect();
    let mut uses = occurrences.uses_of(&ids, &[EdgeType::References])?;
    uses.retain(|place| !place.is_test());
    let title = "uses of enum members of its name, which may be messages that call it";
    Ok(Section::occurrence_rows("messages", title, uses).weighing(30))
}
