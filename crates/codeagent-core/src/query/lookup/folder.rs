//! Folders as targets: the declarations below a folder, treated as one symbol.

use rustc_hash::FxHashSet;

use crate::model::graph::NodeId;
use crate::query::{QueryError, SymbolGroup, SymbolMatches};
use crate::store::{self, Snapshot};

/// Resolves the path of a folder, or the end of one, to everything declared below it; `None` if no
/// folder, or more than one, is named so, and for the whole repository.
pub fn resolve_folder(
    snapshot: &Snapshot,
    asked: &str,
) -> Result<Option<SymbolMatches>, QueryError> {
    let path = asked.trim().trim_start_matches("./").trim_end_matches('/');
    if path.is_empty() || path == "." {
        return Ok(None);
    }
    let folders = store::folders_named(snapshot, path, 2)?;
    let [folder] = folders.as_slice() else {
        return Ok(None);
    };

    let (mut nodes, mut members) = (Vec::new(), Vec::new());
    for (path, file) in store::files_in_folder(snapshot, folder)? {
        let declared = store::by_qualified_name(snapshot, &path)?;
        nodes.extend(
            declared
                .into_iter()
                .filter(|node| node.qualified_name == path),
        );
        members.extend(store::node_ids_of_file(snapshot, file)?);
    }
    let files: FxHashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    members.retain(|id| !files.contains(id));
    members.sort_unstable();
    members.dedup();
    if nodes.is_empty() {
        return Ok(None);
    }
    Ok(Some(SymbolMatches {
        answered: vec![SymbolGroup {
            nodes,
            members,
            callback: None,
            folder: Some(folder.clone()),
        }],
        listed: Vec::new(),
        note: None,
    }))
}
