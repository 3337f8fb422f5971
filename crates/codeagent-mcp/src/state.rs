//! What do all calls share? The repository and, as soon as there is an index, the engine.
//!
//! **Limits.** One repository per server.

use codeagent_workspace::{RepoPath, Workspace};

use crate::error::ToolError;

/// Shared by all calls.
#[derive(Debug)]
pub struct State {
    workspace: Workspace,
}

impl State {
    /// A server's state before there is an engine.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    /// The repository.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// A path as a caller wrote it.
    pub fn path(&self, text: &str) -> Result<RepoPath, ToolError> {
        Ok(self.workspace.resolve(text)?)
    }
}
