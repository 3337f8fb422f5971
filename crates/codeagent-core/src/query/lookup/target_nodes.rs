//! The symbols that targets stand for, for queries that walk the graph.

use crate::model::graph::NodeId;
use crate::query::lookup::target::{Target, Targets};
use crate::query::{QueryError, Snapshot};
use crate::store;

/// Returns the symbols of targets: for a name, its best group, or with `all_groups` every group;
/// for a folder, the files below it.
pub fn nodes_of(
    snapshot: &Snapshot,
    targets: &Targets,
    all_groups: bool,
) -> Result<Vec<NodeId>, QueryError> {
    let mut nodes = Vec::new();
    for target in &targets.found {
        match target {
            Target::Symbols(symbols) => {
                let kept = if all_groups { symbols.groups.len() } else { 1 };
                nodes.extend(
                    symbols
                        .groups
                        .iter()
                        .take(kept)
                        .flat_map(|group| group.ids()),
                );
            }
            Target::File { node, .. } => nodes.push(node.id),
            Target::Folder { path, .. } => nodes.extend(store::file_nodes_below(snapshot, path)?),
            Target::External { .. } | Target::Literal(_) => {}
        }
    }

    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}
