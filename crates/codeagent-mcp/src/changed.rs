//! Indexes what file tools changed, before their answers are sent.
//!
//! Limitations: while the first index is being built, changes are on disk but may be indexed only
//! when it is complete.

use codeagent_core::model::graph::Dialect;
use codeagent_core::{Change, ChangeBatch};
use codeagent_workspace::RepoPath;

use crate::state::State;

/// Brings the index up to date with the disk, these paths first, whichever process writes it. A
/// failure to update the index does not undo the change.
pub fn index_changed(state: &State, changed: Vec<RepoPath>) {
    let sources: Vec<RepoPath> = changed
        .into_iter()
        .filter(|path| Dialect::of_path(path.as_str()).is_some())
        .collect();

    let indexed = match state.engine() {
        Ok(engine) => {
            let workspace = state.workspace();
            let changes = sources.into_iter().map(|path| match workspace.stat(&path) {
                Ok(_) => Change::Written(path),
                Err(_) => Change::Removed(path),
            });
            // The batch indexes every other change on disk too.
            let batch = ChangeBatch::new(changes.collect());
            engine
                .process_batch(&batch, &|_| {})
                .map(drop)
                .map_err(|error| error.to_string())
        }
        Err(_) => state
            .sync_via_writer(&sources)
            .unwrap_or(Ok(()))
            .map_err(|error| error.to_string()),
    };

    if let Err(error) = indexed {
        tracing::warn!(error, "a change is not in the index");
    }
}
