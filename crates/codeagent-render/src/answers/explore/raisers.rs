//! Sections about what raises an event: the places, and the callers of the methods that have them.
//!
//! An event of an interface is raised by the classes that implement it, and one with accessors through the
//! field to which these add handlers.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeKind};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of uses of an event among which raises are looked for.
const MAX_RAISES: usize = 500;

/// The methods that raise an event or subscribe a parameter to it, each with the type of the event.
#[derive(Default)]
struct Methods {
    raising: Vec<NodeId>,
    passing: Vec<NodeId>,
}

/// Adds what raises an event, and the callers of the methods that raise an event of their own type (`OnClosed` for
/// `Closed`), or subscribe a parameter to it.
pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    if subject.first().kind != NodeKind::Event {
        return Ok(());
    }
    let snapshot = occurrences.sources.snapshot();
    let mut events = subject.nodes.to_vec();
    for (id, _) in query::implementations_of(snapshot, &subject.ids())? {
        events.extend(query::get_node(snapshot, id)?.map(|symbol| symbol.node));
    }

    let mut methods = Methods::default();
    let mut places = Vec::new();
    for event in &events {
        let mut raised = vec![event.clone()];
        raised.extend(fields_of_accessors(occurrences, event)?);
        for node in &raised {
            let raises = add_methods(occurrences, node, &mut methods)?;
            // What uses the event itself is listed already.
            if !subject.ids().contains(&node.id) {
                places.extend(raises);
            }
        }
    }

    places.retain(|place| !place.is_test());
    document.section(Section::occurrence_rows("raises", "raised at", places).weighing(20));
    let several = subject.nodes.len() > 1;
    for (key, how, ids) in [
        ("raisers", "raised", methods.raising),
        ("subscribers", "subscribed", methods.passing),
    ] {
        for id in ids {
            callers_of(document, occurrences, (key, how), (id, several))?;
        }
    }
    Ok(())
}

/// Returns the fields of an event's type that its accessors name: `add => _closed += value`.
fn fields_of_accessors(
    occurrences: &Occurrences<'_, '_>,
    event: &Node,
) -> Result<Vec<Node>, AnswerError> {
    let mut fields = Vec::new();
    for used in occurrences.outgoing(&[event.id], &[EdgeType::References])? {
        let named = query::get_node(occurrences.sources.snapshot(), used.other)?;
        let is_field = |node: &Node| node.kind == NodeKind::Field && node.parent == event.parent;
        let is_new = |node: &Node| fields.iter().all(|known: &Node| known.id != node.id);
        let field = named.map(|symbol| symbol.node);
        fields.extend(field.filter(|node| is_field(node) && is_new(node)));
    }
    Ok(fields)
}

/// Adds the methods of an event's type that raise it or subscribe a parameter to it, and returns where it is
/// raised.
fn add_methods(
    occurrences: &mut Occurrences<'_, '_>,
    event: &Node,
    methods: &mut Methods,
) -> Result<Vec<Occurrence>, AnswerError> {
    let types = [EdgeType::Calls, EdgeType::References];
    let uses = occurrences.incoming(&[event.id], &types)?;
    let mut raises = Vec::new();
    for used in uses.into_iter().take(MAX_RAISES) {
        let path = occurrences.path(used.file)?;
        let sources = &mut occurrences.sources;
        let rest = sources.rest_of_line(&path, used.line, used.column)?;
        let rest = rest.and_then(|rest| rest.strip_prefix(event.name.as_str()));
        let Some(rest) = rest.map(str::to_owned) else {
            continue;
        };

        let is_raise = query::is_raised(&rest);
        let found = match rest.trim_start().strip_prefix("+= ") {
            _ if is_raise => Some(&mut methods.raising),
            Some(handler) if is_parameter(occurrences, used.other, handler)? => {
                Some(&mut methods.passing)
            }
            _ => None,
        };
        if let Some(found) = found
            && !found.contains(&used.other)
            && is_method_beside(occurrences, used.other, event)?
            && !is_in_lambda(occurrences, used.other, (&path, used.line, used.column))?
        {
            found.push(used.other);
        }
        if is_raise {
            raises.push(used);
        }
    }
    Ok(occurrences.of_edges(&raises)?)
}

/// Reports whether a place of a method is in a lambda on its line, which runs later: `door.Opened += (_, e) => Opened?.Invoke(e);`.
fn is_in_lambda(
    occurrences: &mut Occurrences<'_, '_>,
    method: NodeId,
    (path, line, column): (&str, u32, u32),
) -> Result<bool, AnswerError> {
    let symbol = query::get_node(occurrences.sources.snapshot(), method)?;
    let mut spans = symbol.iter().flat_map(|symbol| &symbol.node.spans);
    // The arrow may be that of the method.
    if spans.any(|span| span.path == path && span.name_line == line) {
        return Ok(false);
    }

    let source = occurrences.sources.lines(path, line, line)?;
    let source = source.into_iter().flatten().next().unwrap_or_default();
    let before: String = source
        .chars()
        .take(column.saturating_sub(1) as usize)
        .collect();

    Ok(before.contains("=>"))
}

/// Reports whether a symbol is a method of the type that an event belongs to.
fn is_method_beside(
    occurrences: &Occurrences<'_, '_>,
    id: NodeId,
    event: &Node,
) -> Result<bool, AnswerError> {
    let symbol = query::get_node(occurrences.sources.snapshot(), id)?;
    let is_beside = |node: &Node| node.kind == NodeKind::Method && node.parent == event.parent;
    Ok(symbol.is_some_and(|symbol| is_beside(&symbol.node)))
}

/// Adds the callers of a method and of what it implements or overrides. Among those of `several` classes it is named with
/// its class.
fn callers_of(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (key, how): (&'static str, &str),
    (id, several): (NodeId, bool),
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(symbol) = query::get_node(snapshot, id)? else {
        return Ok(());
    };

    let mut called = vec![id];
    called.extend(
        query::bases_of(snapshot, &[id])?
            .into_iter()
            .map(|(id, _)| id),
    );

    let calls = occurrences.incoming(&called, &[EdgeType::Calls])?;
    let mut places = occurrences.of_edges(&calls)?;
    places.retain(|place| !place.is_test());

    let name = match several {
        true => occurrences.short_name(&symbol.node)?,
        false => symbol.node.name,
    };
    let title = format!("{how} through {name} by");
    document.section(Section::occurrence_rows(key, title, places).weighing(20));
    Ok(())
}

/// Reports whether a text begins with the name of a method's parameter.
fn is_parameter(
    occurrences: &Occurrences<'_, '_>,
    method: NodeId,
    text: &str,
) -> Result<bool, AnswerError> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &text[..end.unwrap_or(text.len())];
    let method = query::get_node(occurrences.sources.snapshot(), method)?;
    let signature = method.and_then(|symbol| symbol.node.parameter_signature);
    let mut words = signature
        .as_deref()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric() && c != '_');
    Ok(!name.is_empty() && words.any(|word| word == name))
}
