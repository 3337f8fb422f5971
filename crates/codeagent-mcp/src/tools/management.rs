//! How is the index, and how is it brought up to date? `index_files`, `get_status`.
//!
//! **Limits.** Where another process writes the index, `index_files` does not say what is wrong
//! with a file that cannot be read.

use std::collections::BTreeMap;

use codeagent_core::model::graph::{Dialect, Language};
use codeagent_core::query::{self, IndexStatus, TextCoverage};
use codeagent_core::{Change, ChangeBatch};
use codeagent_workspace::{EntryKind, ReadError, RepoPath, Workspace};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter, shortened};
use crate::error::{Code, ToolError};
use crate::output::{CONFIGURATION, INDEXING, NOTE, Output};
use crate::state::State;
use crate::tools::{Tool, words};

const STATUS_ERRORS: &[Code] = &[Code::InvalidParameter, Code::IndexError];

/// Most paths of one call.
const MAX_PATHS: usize = 100;
/// Longest path that an error repeats whole, in bytes.
const LONGEST_PATH: usize = 4_096;

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "index_files",
        title: "Index files",
        doc: "Update the index with these files, if an answer names stale_files. Edits are normally picked up automatically.",
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
        name: "get_status",
        title: "Show the state of the index",
        doc: "How complete the index is and how much could be resolved. Use it if answers miss something.",
        parameters: &[],
        output: Output::object::<StatusReport>(&[INDEXING, CONFIGURATION]),
        errors: STATUS_ERRORS,
        run: get_status,
        writes: false,
    },
];

#[derive(Serialize, JsonSchema)]
struct Indexed {
    /// Number of named files that the index now holds as they are on disk, removed ones included.
    indexed: usize,
    /// What is wrong with the other files.
    errors: Vec<FileError>,
}

#[derive(Serialize, JsonSchema)]
struct FileError {
    /// The path as it was given.
    path: String,
    /// What kind of error.
    #[schemars(extend("enum" = Code::ALL.map(Code::as_str)))]
    code: &'static str,
    /// What is wrong and what to do next.
    message: String,
}

impl FileError {
    fn new(path: &str, error: &ToolError) -> Self {
        // No path is that long: it is enough to recognise it.
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
        let is_indexed = |path: &RepoPath| {
            let is_there = query::derive_file_id(&answers.snapshot()?, path.as_str()).is_ok();
            Ok(is_there
                || state
                    .engine()
                    .is_ok_and(|engine| engine.has_removed(path.as_str())))
        };
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
    let summary = state
        .engine()?
        .process_batch(&ChangeBatch::new(changes.clone()), &|progress| {
            arguments.reporter().report(progress)
        })?;
    for problem in summary.problems {
        if changes
            .iter()
            .any(|change| change.path().as_str() == problem.path)
        {
            errors.push(FileError::new(
                &problem.path,
                &ToolError::index(problem.message),
            ));
        }
    }
    let failed = errors
        .iter()
        .filter(|error| {
            changes
                .iter()
                .any(|change| change.path().as_str() == error.path)
        })
        .count();
    Answer::new(Indexed {
        indexed: changes.len() - failed,
        errors,
    })
}

/// What may be indexed, each folder looked at once.
struct Files<'a> {
    workspace: &'a Workspace,
    listed: BTreeMap<RepoPath, Vec<RepoPath>>,
}

impl Files<'_> {
    /// What happened to a path, or why it is not for the index.
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
                "{path} is no {} file",
                Language::all_names()
            )));
        };
        if !self
            .workspace
            .config()
            .takes(&path, dialect.language().as_str())
        {
            Err(ToolError::invalid(format!(
                "{path} is left out by .codeagent/config.json"
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

    /// Whether a walk comes to this file, and by this path.
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

/// How the index is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusReport {
    /// The database is open and its writer alive.
    pub healthy: bool,
    /// Migrations the database has seen.
    pub schema_version: usize,
    /// Files in the index.
    pub indexed_files: u64,
    /// Symbols in the index, files not counted.
    pub indexed_symbols: u64,
    /// Languages in the index: `csharp`, `typescript`.
    pub languages: Vec<&'static str>,
    /// Whether changes on disk are noticed by themselves.
    pub watcher_active: bool,
    /// When the disk was last compared, in UTC; null before that.
    #[schemars(schema_with = "text_or_null")]
    pub last_batch_at: Option<String>,
    /// What makes the vectors that search and find_similar rest on: a model, or `lexhash-384`,
    /// which compares words and letters, not meanings; null without an index.
    #[schemars(schema_with = "text_or_null")]
    pub embedding_model: Option<String>,
    /// Symbols with a vector of it.
    pub embeddings_count: u64,
    /// Uses in the index.
    pub edges: u64,
    /// Figures by language.
    pub quality: Vec<LanguageQuality>,
    /// Share of the bytes of code, markup and configuration that no indexed language covers; what
    /// it uses is not in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_of_no_language_percent: Option<f64>,
}

/// How well one language was understood.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LanguageQuality {
    /// Which language.
    #[schemars(extend("enum" = words(Language::NAMES)))]
    pub language: &'static str,
    /// Files.
    pub files: u64,
    /// Lines.
    pub lines: u64,
    /// Files with parse errors.
    pub files_with_errors: u64,
    /// Files that could not be read or parsed.
    pub files_failed: u64,
    /// Share of bytes in parse errors.
    pub error_percent: f64,
    /// Share of calls with a target, of those not known to go outside: whose receiver is outside,
    /// or whose name nothing here bears that can be called; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_resolved_percent: Option<f64>,
    /// Uses left without a target because linking them would have cost too much.
    pub sites_given_up: u64,
}

/// A list of types would say the same and be refused by strict clients.
fn text_or_null(_generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })
}

impl StatusReport {
    /// The report of an index.
    #[must_use]
    pub fn new(status: &IndexStatus, healthy: bool) -> Self {
        let counts = &status.counts;
        let quality = counts.languages.iter().map(|counts| LanguageQuality {
            language: counts.language.as_str(),
            files: counts.files,
            lines: counts.lines,
            files_with_errors: counts.partial,
            files_failed: counts.failed,
            error_percent: counts.error_percent(),
            calls_resolved_percent: counts.resolved_percent(),
            sites_given_up: counts.given_up,
        });
        Self {
            healthy,
            schema_version: status.schema_version,
            indexed_files: counts.read_files(),
            indexed_symbols: counts.symbols,
            languages: counts
                .languages
                .iter()
                .map(|counts| counts.language.as_str())
                .collect(),
            watcher_active: false,
            last_batch_at: status.scanned_at_ns.and_then(timestamp),
            embedding_model: Some(status.embedding.model.clone()).filter(|model| !model.is_empty()),
            embeddings_count: status.embedding.count,
            edges: counts.edges,
            quality: quality.collect(),
            text_of_no_language_percent: None,
        }
    }

    /// With the share of text that no language covers.
    #[must_use]
    pub fn with_coverage(self, coverage: TextCoverage) -> Self {
        Self {
            text_of_no_language_percent: coverage.other_percent(),
            ..self
        }
    }
}

/// A time since 1970, in UTC.
#[must_use]
pub fn timestamp(nanoseconds: i64) -> Option<String> {
    let second = jiff::Timestamp::from_second(nanoseconds.div_euclid(1_000_000_000)).ok()?;
    Some(second.to_string())
}

fn get_status(state: &State, _arguments: &Arguments) -> Result<Answer, ToolError> {
    let (report, remark, settings) = state.status()?;
    let mut answer = Answer::new(report)?;
    if let Some(remark) = remark {
        answer.add(&INDEXING, remark);
    }
    if !settings.is_empty() {
        // What the settings say is nobody's business here; the command tells it to their owner.
        let remark = format!(
            "`.codeagent/config.json` has {} odd settings; `codeagent status` says which",
            settings.len()
        );
        answer.add(&CONFIGURATION, vec![remark]);
    }
    Ok(answer)
}
