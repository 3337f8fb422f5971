//! The repository that a command is about.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use codeagent_core::StoreError;
use codeagent_core::engine::{EngineError, IndexReader};
use codeagent_core::service::{Staleness, quick_check};
use codeagent_mcp::repositories;
use codeagent_mcp::roots::resolved;
use codeagent_workspace::{
    DataDir, DataRoot, RepoPath, Workspace, check_addresses, check_named_root,
};

use crate::commands::{index, model};
use crate::output::PathDisplay;

/// The repository of a command, and the form of its output.
#[derive(Clone, Debug)]
pub struct Root {
    pub(super) folder: PathBuf,
    /// Whether the user named the folder.
    pub(super) is_named: bool,
    /// Whether to print JSON.
    pub json: bool,
}

impl Root {
    pub(super) fn of(given: Option<PathBuf>, json: bool) -> anyhow::Result<Self> {
        let is_named = given.is_some();
        let folder = match given {
            Some(folder) => filled_in(folder)?,
            None => codeagent_workspace::find_root(&working_folder()?, &DataRoot::default()),
        };
        Ok(Self {
            folder,
            is_named,
            json,
        })
    }

    /// Returns the repository that contains a folder.
    pub(super) fn around(folder: &Path, json: bool) -> anyhow::Result<Self> {
        let start = Workspace::open(folder)?;
        Ok(Self {
            folder: codeagent_workspace::find_root(start.root(), &DataRoot::default()),
            is_named: false,
            json,
        })
    }

    /// Checks that the folder may be indexed (the disk and home folders only if named) and that
    /// there is enough memory.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        check_addresses()?;
        Ok(if self.is_named {
            check_named_root(&self.folder)
        } else {
            repositories::check(&self.folder)
        }?)
    }

    /// Returns the resolved path of the folder.
    pub(super) fn resolved(&self) -> anyhow::Result<PathBuf> {
        Ok(resolved(&self.folder)?)
    }

    /// Returns the name of the repository for others: the given one, else that of its folder.
    pub(super) fn repository_name(&self, given: Option<&str>) -> anyhow::Result<String> {
        if let Some(name) = given {
            return Ok(name.to_owned());
        }
        let folder = self.resolved()?;
        let name = folder.file_name().and_then(|name| name.to_str());
        Ok(name
            .context("the folder has no name; pass --repo")?
            .to_owned())
    }

    pub(super) fn answers(&self) -> anyhow::Result<IndexReader> {
        let answers =
            IndexReader::open(&self.folder, &DataRoot::default())?.with_model(model::source());
        // An interrupted first index leaves an empty database.
        if !answers.is_complete()? {
            return Err(StoreError::NotIndexed.into());
        }
        Ok(answers)
    }

    /// Returns a reader of an index that contains all changes, and what it is still missing. The
    /// process that writes the index updates it; without one, this process does, if few files
    /// changed.
    pub(super) fn up_to_date_reader(&self) -> anyhow::Result<(IndexReader, Staleness)> {
        let (reader, staleness) = self.reader()?;
        if index::update_few(self, &staleness) {
            return Ok((self.answers()?, Staleness::default()));
        }
        Ok((reader, staleness))
    }

    /// Returns a reader once the process that writes the index has indexed all changes, and what
    /// the index is still missing. That process may find the index damaged and rebuild it.
    pub(super) fn reader(&self) -> anyhow::Result<(IndexReader, Staleness)> {
        let answers = self.answers()?;
        let staleness = quick_check(&answers);
        Ok((
            if answers.is_in_place() {
                answers
            } else {
                self.answers()?
            },
            staleness,
        ))
    }

    /// Returns the folder of the repository's data, which need not exist.
    pub(super) fn data(&self) -> anyhow::Result<DataDir> {
        let workspace = Workspace::open(&self.folder)?;
        Ok(DataRoot::default()
            .data_dir(workspace.root())
            .map_err(EngineError::from)?)
    }

    /// Returns the paths of files relative to the working folder.
    pub fn path_display(&self) -> anyhow::Result<PathDisplay> {
        Ok(PathDisplay::new(
            Workspace::open(&self.folder)?.root(),
            &working_folder()?,
        ))
    }

    /// Converts a path typed in the working folder to one from the root; a path of nothing is
    /// unchanged.
    pub(super) fn path(&self, typed: &str) -> anyhow::Result<String> {
        let workspace = Workspace::open(&self.folder)?;
        let here = working_folder()?;
        let from_here = here
            .join(typed)
            .to_str()
            .and_then(|path| workspace.resolve(path).ok());
        let is_there = |path: &RepoPath| workspace.stat(path).is_ok();
        Ok(from_here
            .filter(is_there)
            .map_or_else(|| typed.to_owned(), |path| path.as_str().to_owned()))
    }
}

/// Refuses a folder that contains a variable which a client did not expand.
fn filled_in(folder: PathBuf) -> anyhow::Result<PathBuf> {
    let variable = folder
        .to_str()
        .and_then(|text| Some(&text[text.find("${")?..]))
        .and_then(|rest| Some(&rest[..=rest.find('}')?]));
    match variable {
        Some(variable) if !folder.exists() => Err(Unfilled(variable.to_owned()).into()),
        _ => Ok(folder),
    }
}

/// An unexpanded variable in place of a folder.
#[derive(Debug, thiserror::Error)]
#[error(
    "--root contains {0}, which the client did not expand; pass a folder, or omit --root to serve \
     the client's current folder"
)]
pub struct Unfilled(String);

#[allow(
    clippy::disallowed_methods,
    reason = "the command line is where the working folder has a meaning"
)]
pub(super) fn working_folder() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current directory does not exist")
}
