//! Finds the files that import symbols of a file.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType};
use crate::query::QueryError;
use crate::store::{self, FileKey, Snapshot};

/// Returns the files that import a file or one of its first `max_nodes` symbols.
pub(in crate::query) fn importing_files(
    snapshot: &Snapshot,
    file: FileKey,
    max_nodes: usize,
) -> Result<FxHashSet<FileKey>, QueryError> {
    let mut importing = FxHashSet::default();
    let mut nodes = store::node_ids_of_file(snapshot, file)?;
    nodes.truncate(max_nodes);

    let imports = [EdgeType::Imports];
    store::each_use(
        snapshot,
        &nodes,
        &imports,
        EdgeDirection::Incoming,
        |_, edge| {
            importing.insert(edge.file);
        },
    )?;
    Ok(importing)
}
