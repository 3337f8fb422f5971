//! Dependencies of a type as a whole: the uses by all its members, counted per used type or
//! function.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use crate::query::QueryError;
use crate::store::{self, FileKey, Snapshot};

/// Maximum number of members named per dependency.
const MAX_NAMES: usize = 4;

/// Maximum number of members visited.
const MAX_MEMBERS: usize = 3_000;

/// A type or function that another one depends on.
#[derive(Clone, Debug)]
pub struct TypeDependency {
    /// The type or function.
    pub node: Node,
    /// Number of lines with uses.
    pub count: usize,
    /// The most used members.
    pub members: Vec<String>,
    /// Number of further used members.
    pub further: usize,
}

/// The uses of a type or function.
#[derive(Default)]
struct Uses {
    lines: FxHashSet<(FileKey, u32)>,
    /// The uses of each of its members.
    members: FxHashMap<NodeId, usize>,
}

/// Returns the dependencies of a type, function or file, most used first.
pub fn type_dependencies(
    snapshot: &Snapshot,
    node: NodeId,
) -> Result<Vec<TypeDependency>, QueryError> {
    let inside = tree(snapshot, node)?;
    let own: FxHashSet<NodeId> = inside.iter().copied().collect();
    let mut owners: FxHashMap<NodeId, Option<NodeId>> = FxHashMap::default();
    let mut counts: FxHashMap<NodeId, Uses> = FxHashMap::default();
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
            let uses = counts.entry(owner).or_default();
            uses.lines.insert((edge.file, edge.line));
            if owner != edge.other {
                *uses.members.entry(edge.other).or_default() += 1;
            }
        }
    }

    let mut found = Vec::with_capacity(counts.len());
    for (owner, uses) in counts {
        let Some(node) = store::node(snapshot, owner)? else {
            continue;
        };
        let mut members: Vec<(usize, String)> = Vec::new();
        for (id, count) in uses.members {
            let name = store::node(snapshot, id)?.map(|node| node.name);
            let Some(name) = name.filter(|name| *name != node.name) else {
                continue;
            };
            match members.iter_mut().find(|(_, known)| *known == name) {
                Some((known, _)) => *known += count,
                None => members.push((count, name)),
            }
        }

        members.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
        let further = members.len().saturating_sub(MAX_NAMES);
        members.truncate(MAX_NAMES);
        found.push(TypeDependency {
            node,
            count: uses.lines.len(),
            members: members.into_iter().map(|(_, name)| name).collect(),
            further,
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
