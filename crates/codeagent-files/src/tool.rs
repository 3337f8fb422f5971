//! A file tool: a row of its contract's table, and what one call of it works with.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_workspace::{RepoPath, Workspace};
use serde_json::Value;

use crate::Options;
use crate::arguments::{Arguments, Parameter};
use crate::error::{ErrorKind, FileToolError};

/// The effect of a tool on the repository.
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
    /// Its description for models.
    pub doc: &'static str,
    /// Its type.
    pub parameters: &'static [Parameter],
    /// The fields of its answer, from the outermost on.
    pub fields: &'static [&'static str],
    /// How it may fail.
    pub errors: &'static [ErrorKind],
    /// Its effect on the repository.
    pub effect: Effect,
    /// Its implementation.
    pub run: fn(&Call<'_>) -> Result<Value, FileToolError>,
}

/// One call of a tool.
pub struct Call<'a> {
    /// The repository.
    pub workspace: &'a Workspace,
    /// The checked arguments.
    pub arguments: &'a Arguments,
    /// The options of the server.
    pub options: &'a Options,
    /// Set when the caller no longer waits.
    pub cancelled: &'a Arc<AtomicBool>,
    changed: RefCell<Option<Vec<RepoPath>>>,
}

impl<'a> Call<'a> {
    /// A call that has changed nothing yet.
    pub fn new(
        workspace: &'a Workspace,
        arguments: &'a Arguments,
        options: &'a Options,
        cancelled: &'a Arc<AtomicBool>,
    ) -> Self {
        Self {
            workspace,
            arguments,
            options,
            cancelled,
            changed: RefCell::default(),
        }
    }

    /// Reports the paths that this call wrote, moved or removed; none if it ran a command that may
    /// have changed anything.
    pub fn report_changed(&self, paths: &[&RepoPath]) {
        let mut changed = self.changed.borrow_mut();
        let all = changed.get_or_insert_default();
        all.extend(paths.iter().copied().cloned());
    }

    /// The reported paths; `None` if the call changed nothing.
    pub fn into_changed(self) -> Option<Vec<RepoPath>> {
        self.changed.into_inner()
    }
}
