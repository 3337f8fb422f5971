//! A file tool, as a row of its contract's table, and the context of a call.

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
    /// Reads only.
    Reads,
    /// Changes files.
    Writes,
    /// Runs commands.
    Runs,
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct FileTool {
    /// Name of the tool.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Description for models.
    pub doc: &'static str,
    /// Parameters of the tool.
    pub parameters: &'static [Parameter],
    /// Fields of its answer, from the outermost inward.
    pub fields: &'static [&'static str],
    /// Errors that it may return.
    pub errors: &'static [ErrorKind],
    /// Effect on the repository.
    pub effect: Effect,
    /// Implementation of the tool.
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
    /// Set when the caller cancels the call.
    pub cancelled: &'a Arc<AtomicBool>,
    changed: RefCell<Option<Vec<RepoPath>>>,
}

impl<'a> Call<'a> {
    /// Creates a call that has changed nothing yet.
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

    /// Reports the paths that this call wrote, moved or removed; an empty list after a command that
    /// may have changed anything.
    pub fn report_changed(&self, paths: &[&RepoPath]) {
        let mut changed = self.changed.borrow_mut();
        let all = changed.get_or_insert_default();
        all.extend(paths.iter().copied().cloned());
    }

    /// Returns the reported paths; `None` if the call changed nothing.
    pub fn into_changed(self) -> Option<Vec<RepoPath>> {
        self.changed.into_inner()
    }
}
