//! What is a file tool? A row of its profile's table, and what a call of it gets to work with.
//!
//! **Limits.** While a first index is being made, changes made here are on disk but may be in the
//! index only when it is complete.

use codeagent_core::model::graph::Dialect;
use codeagent_core::{Change, ChangeBatch};
use codeagent_workspace::{RepoPath, Workspace};
use serde_json::Value;

use crate::arguments::{Arguments, Parameter};
use crate::profiles::Options;
use crate::profiles::failure::{Failure, FailureKind};
use crate::state::State;

/// What a tool does to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It changes files.
    Writes,
    /// It runs commands.
    Runs,
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct FileTool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, written for a model.
    pub doc: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// The fields of its answer, from the outermost on.
    pub fields: &'static [&'static str],
    /// How it may fail.
    pub errors: &'static [FailureKind],
    /// What it does to the repository.
    pub effect: Effect,
    /// What it does.
    pub run: fn(&Call<'_>) -> Result<Value, Failure>,
}

/// One call of a tool.
pub struct Call<'a> {
    /// What calls share.
    pub state: &'a State,
    /// What the caller sent, checked.
    pub arguments: &'a Arguments,
    /// What the server may do.
    pub options: &'a Options,
}

impl Call<'_> {
    /// The repository.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        self.state.workspace()
    }

    /// Brings the index to what is on disk, these paths above all, whichever process writes it. An
    /// index that cannot be written does not undo the change.
    pub fn take_in(&self, changed: &[&RepoPath]) {
        let sources: Vec<&RepoPath> = changed
            .iter()
            .copied()
            .filter(|path| Dialect::of_path(path.as_str()).is_some())
            .collect();
        let taken_in =
            match self.state.engine() {
                Ok(engine) => {
                    let changes = sources.into_iter().cloned().map(|path| {
                        match self.workspace().stat(&path) {
                            Ok(_) => Change::Written(path),
                            Err(_) => Change::Removed(path),
                        }
                    });
                    // Whatever else changed is taken in as well.
                    let batch = ChangeBatch::new(changes.collect());
                    engine
                        .process_batch(&batch, &|_| {})
                        .map(drop)
                        .map_err(|error| error.to_string())
                }
                Err(_) => {
                    let paths: Vec<RepoPath> = sources.into_iter().cloned().collect();
                    self.state
                        .sync_via_writer(&paths)
                        .unwrap_or(Ok(()))
                        .map_err(|error| error.to_string())
                }
            };
        if let Err(error) = taken_in {
            tracing::warn!(error, "a change is not in the index");
        }
    }
}
