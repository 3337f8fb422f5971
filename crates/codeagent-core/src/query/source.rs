//! Where a symbol is declared, and whether the file still is as it was indexed.

use codeagent_workspace::{RepoPath, Workspace};

use crate::model::graph::{NodeId, NodeSpan};
use crate::query::QueryError;
use crate::store::{self, FileRow, Snapshot};

/// All declaration sites of a symbol, primary first, then by path and position.
pub fn get_source(snapshot: &Snapshot, id: NodeId) -> Result<Vec<NodeSpan>, QueryError> {
    Ok(store::spans_of(snapshot, id)?)
}

/// Whether a file was changed or removed since it was indexed, by its size and time.
#[must_use]
pub fn is_stale(workspace: &Workspace, file: &FileRow) -> bool {
    let entry = RepoPath::new(&file.path).ok().and_then(|path| workspace.stat(&path).ok());
    entry.is_none_or(|entry| (entry.size, entry.mtime_ns) != (file.size, file.mtime))
}
