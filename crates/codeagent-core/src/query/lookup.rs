//! Which one symbol does a caller mean: a node id, a qualified name, or the end of one that names exactly one symbol.

use crate::model::graph::{Node, NodeId, NodeType};
use crate::query::{QueryError, get_node_by_qualified_name, nearest};
use crate::store::{self, Snapshot};

/// How many candidates an error lists.
const MAX_LISTED: usize = 10;

/// The node that `text` means, with its primary span.
pub fn resolve_symbol(snapshot: &Snapshot, text: &str) -> Result<Node, QueryError> {
    if let Some(id) = NodeId::parse(text)
        && let Some(node) = store::node(snapshot, id)?
    {
        return Ok(node);
    }
    let mut found: Vec<Node> = get_node_by_qualified_name(snapshot, text, None, None)?.into_iter().map(|(node, _)| node).collect();
    prefer_types(&mut found);
    match found.len() {
        0 => Err(QueryError::NoSymbol { asked: text.to_owned(), nearest: nearest(snapshot, text)? }),
        1 => Ok(found.remove(0)),
        count => {
            let candidates = found.iter().take(MAX_LISTED).map(described).collect();
            Err(QueryError::Ambiguous { asked: text.to_owned(), count, candidates })
        }
    }
}

/// A type and its constructors bear one name; whoever says it means the type.
fn prefer_types(found: &mut Vec<Node>) {
    let ids: Vec<NodeId> = found.iter().map(|node| node.id).collect();
    found.retain(|node| node.node_type != NodeType::Constructor || node.parent.is_none_or(|parent| !ids.contains(&parent)));
}

fn described(node: &Node) -> String {
    format!("{} {}{}", node.id, node.qualified_name, node.parameter_signature.as_deref().unwrap_or_default())
}
