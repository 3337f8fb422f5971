//! Implementations and bases at all levels.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType, NodeId};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Most symbols of one hierarchy.
const MAX_SYMBOLS: usize = 20_000;

const VERBS: [EdgeType; 4] = [
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Overrides,
    EdgeType::Extends,
];

/// Returns what implements, extends, inherits or overrides some symbols, directly or not, each with
/// its distance; nearest first.
pub fn implementations_of(
    snapshot: &Snapshot,
    nodes: &[NodeId],
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    closure(snapshot, nodes, EdgeDirection::Incoming, u32::MAX)
}

/// Returns what implements, extends, inherits or overrides some symbols directly.
pub fn direct_implementations(
    snapshot: &Snapshot,
    nodes: &[NodeId],
) -> Result<Vec<(NodeId, u32)>, QueryError> {
    closure(snapshot, nodes, EdgeDirection::Incoming, 1)
}

/// Returns what some symbols implement, extend, inherit or override, directly or not, each with its
/// distance; nearest first.
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
            for verb in VERBS {
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
