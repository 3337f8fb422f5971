//! Dependencies of a type as a whole: the uses by all its members, counted per used type or
//! function.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Maximum number of members named per dependency.
const MAX_NAMES: usize = 4;

/// Maximum number of members visited.
const MAX_MEMBERS: usize = 3_000;

/// A type or function that another one depends on.
#[derive(Clone, Debug)]
pub struct TypeDependency {
    /// The type or function.
    pub node: Node,
    /// Number of uses.
    pub count: usize,
    /// The most used members.
    pub members: Vec<String>,
}

/// Returns the dependencies of a type, function or file, most used first.
pub fn type_dependencies(
    snapshot: &Snapshot,
    node: NodeId,
) -> Result<Vec<TypeDependency>, QueryError> {
    let inside = tree(snapshot, node)?;
    let own: FxHashSet<NodeId> = inside.iter().copied().collect();
    let mut owners: FxHashMap<NodeId, Option<NodeId>> = FxHashMap::default();
    let mut counts: FxHashMap<NodeId, (usize, FxHashMap<NodeId, usize>)> = FxHashMap::default();
    for member in &inside {
        for edge in store::incident_edges(snapshot, *member, None, EdgeDirection::Outgoing)? {
            if own.contains(&edge.other) || edge.edge_type == EdgeType::Imports {
                continue;
            }
            let owner = match owners.get(&edge.other) {
                Some(owner) => *owner,
                None => {
                    let owner = owner_of(snapshot, edge.other)?;
                    owners.insert(edge.other, owner);
                    owner
                }
            };
            let Some(owner) = owner.filter(|owner| !own.contains(owner)) else {
                continue;
            };
            let entry = counts.entry(owner).or_default();
            entry.0 += 1;
            if owner != edge.other {
                *entry.1.entry(edge.other).or_default() += 1;
            }
        }
    }

    let mut found = Vec::with_capacity(counts.len());
    for (owner, (count, members)) in counts {
        let Some(node) = store::node(snapshot, owner)? else {
            continue;
        };
        let mut members: Vec<(NodeId, usize)> = members.into_iter().collect();
        members.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        let mut names: Vec<String> = Vec::new();
        for (id, _) in members.into_iter().take(2 * MAX_NAMES) {
            let name = store::node(snapshot, id)?.map(|node| node.name);
            names.extend(name.filter(|name| *name != node.name && !names.contains(name)));
        }
        names.truncate(MAX_NAMES);
        found.push(TypeDependency {
            node,
            count,
            members: names,
        });
    }
    found.sort_by(|a, b| {
        let key =
            |of: &TypeDependency| (std::cmp::Reverse(of.count), of.node.qualified_name.clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// Returns a symbol with everything it contains.
pub fn tree(snapshot: &Snapshot, node: NodeId) -> Result<Vec<NodeId>, QueryError> {
    let mut all = vec![node];
    let mut at = 0;
    while at < all.len() && all.len() < MAX_MEMBERS {
        let inner = store::contained(snapshot, all[at], EdgeDirection::Outgoing)?;
        all.extend(inner.into_iter().map(|child| child.id));
        at += 1;
    }
    Ok(all)
}

/// Returns the outermost type that contains a symbol, or else its top-level container in the file
/// or namespace.
pub fn owner_of(snapshot: &Snapshot, node: NodeId) -> Result<Option<NodeId>, QueryError> {
    let is_outer = |node: &Node| matches!(node.node_type, NodeType::File | NodeType::Module);
    let Some(mut owner) = store::node(snapshot, node)? else {
        return Ok(None);
    };
    while let Some(parent) = owner.parent {
        match store::node(snapshot, parent)? {
            Some(parent) if !is_outer(&parent) => owner = parent,
            _ => break,
        }
    }
    Ok((!is_outer(&owner)).then_some(owner.id))
}
