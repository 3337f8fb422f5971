//! Implementations and bases of symbols, direct and indirect.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType, NodeId};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Maximum number of symbols in one hierarchy.
const MAX_SYMBOLS: usize = 20_000;

/// Types of edges that are the steps of a hierarchy.
pub const HIERARCHICAL: [EdgeType; 4] = [
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Overrides,
    EdgeType::Extends,
];

/// Reports whether edges of a type are the steps of a hierarchy.
#[must_use]
pub fn is_hierarchical(edge_type: EdgeType) -> bool {
    HIERARCHICAL.contains(&edge_type)
}

/// Returns the symbols that implement, extend, inherit or override these symbols, directly or
/// indirectly, with their distance; nearest first.
pub fn implementations_of(
    snapshot: &Snapshot,
    nodes: &[NodeId],
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    closure(snapshot, nodes, EdgeDirection::Incoming, u32::MAX)
}

/// Returns the symbols that directly implement, extend, inherit or override these symbols.
pub fn direct_implementations(
    snapshot: &Snapshot,
    nodes: &[NodeId],
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    closure(snapshot, nodes, EdgeDirection::Incoming, 1)
}

/// Returns the symbols that these symbols implement, extend, inherit or override, directly or
/// indirectly, with their distance; nearest first.
pub fn bases_of(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Vec<(NodeId, u32)>, QueryError> {
    closure(snapshot, nodes, EdgeDirection::Outgoing, u32::MAX)
}

fn closure(
    snapshot: &Snapshot,
    nodes: &[NodeId],
    direction: EdgeDirection,
    depth: u32,
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    let mut seen: FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut found: Vec<(NodeId, u32)> = Vec::new();
    let mut level = nodes.to_vec();

    let mut distance = 0;
    while !level.is_empty() && distance < depth && found.len() < MAX_SYMBOLS {
        distance += 1;
        let mut next = Vec::new();
        for id in level {
            for verb in HIERARCHICAL {
                for edge in store::incident_edges(snapshot, id, Some(verb), direction)? {
                    if seen.insert(edge.other) {
                        next.push(edge.other);
                    }
                }
            }
        }
        found.extend(next.iter().map(|id| (*id, distance)));
        level = next;
    }

    Ok(found)
}
