//! The commands of command lines that code registers.

use crate::model::dispatch::DispatchKind;
use crate::query::{DispatchStep, QueryError};
use crate::store::{self, Snapshot};

/// Returns the commands that a file registers, by position.
pub fn commands_in(snapshot: &Snapshot, path: &str) -> Result<Vec<DispatchStep>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let rows = store::dispatch_in_file(snapshot, file.id, DispatchKind::Runs)?;
    Ok(rows.into_iter().map(DispatchStep::of).collect())
}

/// Returns the commands of the repository outside tests, by file and position.
pub fn all_commands(snapshot: &Snapshot) -> Result<Vec<DispatchStep>, QueryError> {
    let mut commands = Vec::new();
    for row in store::dispatch_of_kind(snapshot, DispatchKind::Runs)? {
        let path = store::file_path(snapshot, row.file)?.unwrap_or_default();
        if !store::is_test_path(&path) && !store::is_generated_path(&path) {
            commands.push((path, DispatchStep::of(row)));
        }
    }
    commands.sort_by(|(path, step), (other_path, other)| {
        (path, step.site.1).cmp(&(other_path, other.site.1))
    });
    Ok(commands.into_iter().map(|(_, step)| step).collect())
}
