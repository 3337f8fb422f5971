//! The tools that update the index and report its status: `index_files`, `get_status`.
//!
//! Limitations: if another process writes the index, `index_files` does not say why a file cannot
//! be read.

use std::collections::BTreeMap;

use codeagent_core::engine::{Engine, IndexReader};
use codeagent_core::model::graph::{Dialect, Language};
use codeagent_core::query;
use codeagent_core::{Change, ChangeBatch};
use codeagent_render::StatusReport;
use codeagent_workspace::{EntryKind, ReadError, RepoPath, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter, shortened};
use crate::error::{Code, ToolError};
use crate::output::{CONFIGURATION, INDEXING, NOTE, Output};
use crate::state::State;
use crate::tools::{STATUS, Tool};

const STATUS_ERRORS: &[Code] = &[Code::InvalidParameter, Code::IndexError];

const MAX_PATHS: usize = 100;
/// Maximum bytes of a path that an error repeats in full.
const LONGEST_PATH: usize = 4_096;

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "index_files",
        title: "Index files",
        doc: "Updates the index with these files. Use it if an answer names stale_files; other edits are picked up automatically.",
        parameters: &[Parameter::required(
            "paths",
            Kind::Texts(MAX_PATHS),
            "Repo-relative paths of the files, at most 100.",
        )
        .hinted("Repo-relative.")],
        output: Output::object::<Indexed>(&[NOTE]),
        errors: &[
            Code::InvalidParameter,
            Code::TooLarge,
            Code::EngineUnavailable,
            Code::IndexError,
        ],
        run: index_files,
        writes: true,
    },
    Tool {
        name: STATUS,
        title: "Show the state of the index",
        doc: "Shows how complete the index is and how much could be resolved. Use it if results are missing.",
        parameters: &[],
        output: Output::object::<StatusReport>(&[INDEXING, CONFIGURATION]),
        errors: STATUS_ERRORS,
        run: get_status,
        writes: false,
    },
];

#[derive(Serialize, JsonSchema)]
struct Indexed {
    /// Number of the given files that are now up to date in the index, including removed ones.
    indexed: usize,
    /// Errors of the other files.
    errors: Vec<FileError>,
}

#[derive(Serialize, JsonSchema)]
struct FileError {
    /// The path as given.
    path: String,
    /// Error code.
    #[schemars(extend("enum" = Code::ALL.map(Code::as_str)))]
    code: &'static str,
    /// What went wrong and what to do next.
    message: String,
}

impl FileError {
    fn new(path: &str, error: &ToolError) -> Self {
        // A path this long is invalid; its start is enough to recognise it.
        let path = if path.len() > LONGEST_PATH {
            shortened(path)
        } else {
            path.to_owned()
        };
        Self {
            path,
            code: error.code.as_str(),
            message: error.message.clone(),
        }
    }
}

fn index_files(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers_for(arguments)?;
    let workspace = state
        .workspace()
        .configured(true)
        .map_err(|error| ToolError::index(error.to_string()))?;
    let mut files = Files {
        workspace: &workspace,
        listed: BTreeMap::new(),
    };
    let (mut changes, mut errors) = (Vec::new(), Vec::new());
    for text in arguments.texts("paths") {
        let is_indexed = |path: &RepoPath| is_indexed(state, &answers, path);
        match state
            .path(text)
            .and_then(|path| files.change(path, is_indexed))
        {
            Ok(change) => changes.push(change),
            Err(error) => errors.push(FileError::new(text, &error)),
        }
    }
    changes.sort();
    changes.dedup();

    let paths: Vec<RepoPath> = changes.iter().map(|change| change.path().clone()).collect();
    if let Some(taken_in) = state.sync_via_writer(&paths) {
        taken_in?;
        return Answer::new(Indexed {
            indexed: changes.len(),
            errors,
        });
    }

    let batch = ChangeBatch::new(changes);
    let report = |progress| arguments.reporter().report(progress);
    let summary = state.engine()?.process_batch(&batch, &report)?;
    let failed: Vec<FileError> = summary
        .problems
        .into_iter()
        .filter(|problem| paths.iter().any(|path| path.as_str() == problem.path))
        .map(|problem| FileError::new(&problem.path, &ToolError::index(problem.message)))
        .collect();

    let indexed = paths.len().saturating_sub(failed.len());
    errors.extend(failed);
    Answer::new(Indexed { indexed, errors })
}

/// Reports whether a file is in the index, or was until it was removed.
fn is_indexed(state: &State, answers: &IndexReader, path: &RepoPath) -> Result<bool, ToolError> {
    let is_there = query::derive_file_id(&answers.snapshot()?, path.as_str()).is_ok();
    let was_there = |engine: &Engine| engine.has_removed(path.as_str());
    Ok(is_there || state.engine().is_ok_and(|engine| was_there(&engine)))
}

/// Checks for indexable files, which list each folder only once.
struct Files<'a> {
    workspace: &'a Workspace,
    listed: BTreeMap<RepoPath, Vec<RepoPath>>,
}

impl Files<'_> {
    /// Returns the change of a path, or why it is not indexed.
    fn change(
        &mut self,
        path: RepoPath,
        is_indexed: impl Fn(&RepoPath) -> Result<bool, ToolError>,
    ) -> Result<Change, ToolError> {
        let entry = match self.workspace.stat(&path) {
            Err(ReadError::NotFound(_)) if is_indexed(&path)? => return Ok(Change::Removed(path)),
            other => other?,
        };
        let limit = self.workspace.config().max_file_bytes;
        let Some(dialect) =
            Dialect::of_path(path.as_str()).filter(|_| entry.kind == EntryKind::File)
        else {
            return Err(ToolError::invalid(format!(
                "{path} is not a {} file",
                Language::all_names()
            )));
        };

        if !self
            .workspace
            .config()
            .takes(&path, dialect.language().as_str())
        {
            Err(ToolError::invalid(format!(
                "{path} is excluded by .codeagent/config.json"
            )))
        } else if entry.size > limit {
            Err(ReadError::TooLarge {
                path,
                size: entry.size,
                limit,
            }
            .into())
        } else if !self.is_listed(&path)? {
            Err(ToolError::invalid(format!(
                "{path} is ignored or reached through a link, so it is not indexed"
            )))
        } else {
            Ok(Change::Written(path))
        }
    }

    /// Reports whether a walk lists this file under this path.
    fn is_listed(&mut self, path: &RepoPath) -> Result<bool, ToolError> {
        if self.workspace.real_path(path)? != *path {
            return Ok(false);
        }
        let folder = path.parent().unwrap_or_default();
        if !self.listed.contains_key(&folder) {
            let paths = self
                .workspace
                .list(&folder)?
                .entries
                .into_iter()
                .map(|entry| entry.path)
                .collect();
            self.listed.insert(folder.clone(), paths);
        }
        Ok(self.listed[&folder].contains(path))
    }
}

fn get_status(state: &State, _arguments: &Arguments) -> Result<Answer, ToolError> {
    let (report, note, settings) = state.status()?;
    let mut answer = Answer::new(report)?;
    if let Some(note) = note {
        answer.add(&INDEXING, note);
    }
    if !settings.is_empty() {
        // Clients see only the number of problems; the command tells their owner.
        let plural = if settings.len() == 1 { "" } else { "s" };
        let note = format!(
            "`.codeagent/config.json` has {} invalid setting{plural}; see `codeagent status`",
            settings.len()
        );
        answer.add(&CONFIGURATION, vec![note]);
    }
    Ok(answer)
}
