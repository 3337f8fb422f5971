//! Resolves the name of a program.
//!
//! Searches the system's folders, regardless of the server's `PATH`. Tools that projects install
//! are also found in `node_modules/.bin` and in virtual environments, from the working folder up to
//! the root.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use codeagent_workspace::{RepoPath, Workspace};

use super::{ExecError, Policy, Request};

/// System folders with programs.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Programs that a project may provide itself.
const PROJECT: [&str; 3] = ["tsc", "pytest", "rg"];
const PROJECT_FOLDERS: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/// Returns the path of a program. A name that contains a folder is never found.
pub fn find(workspace: &Workspace, request: &Request<'_>) -> Result<PathBuf, ExecError> {
    let name = request.program;
    let missing = || ExecError::NotInstalled(name.to_owned());
    if name.is_empty() || name.contains(['/', '\0']) || matches!(name, "." | "..") {
        return Err(missing());
    }

    let system = || {
        SYSTEM
            .iter()
            .map(|folder| Path::new(folder).join(name))
            .find(|path| path.is_file())
    };

    let project = || in_project(workspace, request.folder, name);
    // A project's own version is preferred if the policy allows to run the repository's code
    // anyway.
    let found = match request.policy {
        Policy::Tools => system().or_else(project),
        Policy::Interpreters { .. } => project().or_else(system),
    };
    found.ok_or_else(missing)
}

fn in_project(workspace: &Workspace, folder: &RepoPath, name: &str) -> Option<PathBuf> {
    if !PROJECT.contains(&name) {
        return None;
    }
    let folders = std::iter::successors(Some(folder.clone()), RepoPath::parent);
    let candidates =
        folders.flat_map(|folder| PROJECT_FOLDERS.map(|bin| folder.join(&format!("{bin}/{name}"))));
    let runs = |path: &RepoPath| {
        workspace
            .metadata(path)
            .is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
    };
    candidates
        .flatten()
        .find(runs)
        .map(|path| workspace.root().join(path.as_str()))
}
