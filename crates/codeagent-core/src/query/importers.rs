//! Finds the files that import symbols of a file.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType};
use crate::query::QueryError;
use crate::store::{self, FileKey, Snapshot};

/// Returns the files that import a file or one of its first `max_nodes` symbols.
pub(super) fn importing_files(
    snapshot: &Snapshot,
    file: FileKey,
    max_nodes: usize,
) -> Result<FxHashSet<FileKey>, QueryError> {
    let mut importing = FxHashSet::default();
    let nodes = store::node_ids_of_file(snapshot, file)?;
    for id in nodes.into_iter().take(max_nodes) {
        let imports = store::incident_edges(
            snapshot,
            id,
            Some(EdgeType::Imports),
            EdgeDirection::Incoming,
        )?;
        importing.extend(imports.iter().map(|edge| edge.file));
    }
    Ok(importing)
}
