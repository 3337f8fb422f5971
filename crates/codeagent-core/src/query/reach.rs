//! Indirect callers, and the tests that reach a symbol.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use crate::query::{Occurrence, Occurrences, QueryError};
use crate::store::{self, IncidentEdge};

/// Maximum number of symbols per level whose callers are searched.
const MAX_LEVEL: usize = 300;

/// Returns the calls of the symbols that call `nodes`, except calls by `nodes` and these callers.
pub fn callers_of_callers(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
) -> Result<Vec<Occurrence>, QueryError> {
    let callers = callers(occurrences, nodes)?;
    let edges = occurrences.incoming(&callers, &[EdgeType::Calls])?;
    let known: FxHashSet<NodeId> = nodes.iter().chain(&callers).copied().collect();
    let edges: Vec<IncidentEdge> = edges
        .into_iter()
        .filter(|edge| !known.contains(&edge.other))
        .collect();
    occurrences.of_edges(&edges)
}

/// Returns the uses of symbols in tests, directly or through at most this number of other symbols.
pub fn tests_reaching(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
    steps: u32,
) -> Result<Vec<Occurrence>, QueryError> {
    let mut seen: FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut level = nodes.to_vec();
    let mut found = Vec::new();
    for _ in 0..=steps {
        let uses = occurrences.incoming(&level, &[EdgeType::Calls, EdgeType::References])?;
        let mut next = Vec::new();
        for edge in uses {
            if store::is_test_path(&occurrences.path(edge.file)?) {
                found.push(edge);
            } else if seen.insert(edge.other) && next.len() < MAX_LEVEL {
                next.push(edge.other);
            }
        }
        let snapshot = occurrences.sources.snapshot();
        let mut callable = Vec::new();
        for id in next {
            let node = store::node(snapshot, id)?;
            if node.is_some_and(|node| node.node_type != NodeType::File) {
                callable.push(id);
            }
        }
        level = callable;
        if !found.is_empty() {
            break;
        }
    }
    occurrences.of_edges(&found)
}

/// Returns the callers of these symbols, and overloads of the same name that forward to them.
fn callers(occurrences: &Occurrences<'_, '_>, nodes: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
    let mut seen: FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut callers = Vec::new();
    for edge in occurrences.incoming(nodes, &[EdgeType::Calls])? {
        let node = store::node(occurrences.sources.snapshot(), edge.other)?;
        let is_callable = node.is_some_and(|node: Node| node.node_type != NodeType::File);
        if is_callable && seen.insert(edge.other) && callers.len() < MAX_LEVEL {
            callers.push(edge.other);
        }
    }
    let mut at = 0;
    while at < callers.len() && callers.len() < MAX_LEVEL {
        let snapshot = occurrences.sources.snapshot();
        let forwarded = store::node(snapshot, callers[at])?;
        for edge in store::incident_edges(
            snapshot,
            callers[at],
            Some(EdgeType::Calls),
            EdgeDirection::Incoming,
        )? {
            let other = store::node(snapshot, edge.other)?;
            let is_overload = match (&forwarded, &other) {
                (Some(a), Some(b)) => (&a.name, a.parent) == (&b.name, b.parent),
                _ => false,
            };
            if is_overload && seen.insert(edge.other) {
                callers.push(edge.other);
            }
        }
        at += 1;
    }
    Ok(callers)
}
