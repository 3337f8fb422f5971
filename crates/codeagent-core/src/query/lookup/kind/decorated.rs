//! Symbols with an attribute or decorator of a name: `@Command()`, `[Command]`.

use crate::model::graph::{EdgeDirection, Node, NodeId, NodeType};
use crate::query::uses::external::external_uses;
use crate::query::{Occurrences, QueryError, resolve_external};
use crate::store::{self, IncidentEdge};

/// Maximum number of symbols with the name of an attribute.
const MAX_NAMED: usize = 8;

/// Maximum number of uses that are looked at.
const MAX_USES: usize = 2_000;

/// Returns the symbols that have an attribute or decorator with a name, by file and line.
pub(super) fn decorated(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
) -> Result<Vec<Node>, QueryError> {
    let mut uses = Vec::new();
    for name in [name.to_owned(), format!("{name}Attribute")] {
        uses.extend(uses_of(occurrences, &name)?);
    }
    uses.truncate(MAX_USES);

    let snapshot = occurrences.sources.snapshot();
    let mut nodes: Vec<Node> = Vec::new();
    for edge in uses {
        if nodes.iter().any(|node| node.id == edge.other) || !is_decorator(occurrences, &edge)? {
            continue;
        }
        let node = store::node(snapshot, edge.other)?;
        nodes.extend(node.filter(|node| node.node_type != NodeType::File));
    }
    Ok(nodes)
}

/// Returns the uses of symbols with a name, in the repository and outside.
fn uses_of(occurrences: &Occurrences<'_, '_>, name: &str) -> Result<Vec<IncidentEdge>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut outside = resolve_external(snapshot, name)?;
    outside.retain(|found| found.symbol.path() == name);
    let uses = external_uses(snapshot, &outside)?;
    let mut edges: Vec<IncidentEdge> = uses.into_iter().map(|(_, edge)| edge).collect();

    let own = store::by_name(snapshot, name, MAX_NAMED)?;
    let own: Vec<NodeId> = own.iter().map(|node| node.id).collect();
    let constructors = store::children_of(snapshot, &own)?
        .into_iter()
        .filter(|child| child.node_type == NodeType::Constructor)
        .map(|child| child.id);
    for id in own.iter().copied().chain(constructors) {
        edges.extend(store::incident_edges(
            snapshot,
            id,
            None,
            EdgeDirection::Incoming,
        )?);
    }
    Ok(edges)
}

/// Reports whether a use is that of a decorator or an attribute: after `@`, or in C# after `[`.
fn is_decorator(
    occurrences: &mut Occurrences<'_, '_>,
    edge: &IncidentEdge,
) -> Result<bool, QueryError> {
    let path = occurrences.path(edge.file)?;
    let lines = occurrences.sources.lines(&path, edge.line, edge.line)?;
    let line = lines.and_then(|lines| lines.into_iter().next());
    let Some(line) = line else {
        return Ok(false);
    };

    let units = line
        .encode_utf16()
        .take(edge.column.saturating_sub(1) as usize);
    let before: String = char::decode_utf16(units).flatten().collect();
    let mark = if path.ends_with(".cs") { '[' } else { '@' };
    Ok(before.trim_end().ends_with(mark))
}
