//! What is a file tool? A row of its profile's table, and what a call of it gets to work with.
//!
//! **Limits.** While another process has the right to write the index, changes made here are on disk but not in the index before that process
//! notices them.

use codeagent_core::ingest::{Change, ChangeBatch};
use codeagent_core::model::graph::Dialect;
use codeagent_workspace::{RepoPath, Workspace};
use serde_json::Value;

use crate::arguments::{Arguments, Parameter};
use crate::profiles::Options;
use crate::profiles::failure::{Failure, Kind};
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
    pub errors: &'static [Kind],
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

    /// Brings the index to what is on disk, these paths above all. An index that cannot be written does not undo the change.
    pub fn take_in(&self, changed: &[&RepoPath]) {
        let Ok(engine) = self.state.engine() else { return };
        let sources = changed.iter().filter(|path| Dialect::of_path(path.as_str()).is_some());
        let changes = sources.map(|path| match self.workspace().stat(path) {
            Ok(_) => Change::Written((*path).clone()),
            Err(_) => Change::Removed((*path).clone()),
        });
        // Whatever else changed is taken in as well.
        if let Err(error) = engine.process_batch(&ChangeBatch::new(changes.collect()), &|_| {}) {
            tracing::warn!(%error, "a change is not in the index");
        }
    }
}
