//! The `assistant` profile: lists, reads and searches files, and changes nothing.
//!
//! Names, limits, environment variables, exclusions and errors are those of its contract. An error
//! is a protocol error (`code`, `message`, `data.error_code`) in revisions that allow it, otherwise
//! a result with the same fields.
//!
//! Limitations: `max_results` is also limited by `MAX_SEARCH_RESULTS` (100 by default). Lines are
//! cut at 2,000 bytes.

mod files;
mod search;

use std::path::PathBuf;
use std::time::SystemTime;

use codeagent_workspace::{RepoPath, Workspace};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Value, json};

use crate::ProtocolEra;
use crate::arguments::{DefaultValue, Kind as Takes, Parameter};
use crate::error::{ErrorKind, FileToolError};
use crate::tool::{Call, Effect, FileTool};

/// Instructions for models.
pub const INSTRUCTIONS: &str = "\
Reads the files of one repository; nothing can be changed. Start with get_repo_overview, find lines with search_files, then call read_file. Paths are relative to the repository root.";

const ENCODINGS: [&str; 2] = ["utf-8", "base64"];

/// The tools of the profile.
pub const TOOLS: &[FileTool] = &[
    FileTool {
        name: "list_files",
        title: "List files",
        doc: "List files and directories within the repository, with sizes and modification dates. At most 500 entries are shown.",
        parameters: &[
            Parameter::optional(
                "directory",
                Takes::Text,
                "Directory, relative to the repository root.",
            )
            .or(DefaultValue::Text(".")),
            Parameter::optional(
                "pattern",
                Takes::Text,
                "Glob that files must match: `*.ts` by name, `src/**/*.ts` by path.",
            ),
            Parameter::optional(
                "max_depth",
                Takes::Number { min: 1, max: 10 },
                "Maximum number of levels to list.",
            )
            .or(DefaultValue::Number(3)),
            Parameter::optional(
                "include_hidden",
                Takes::Flag,
                "Whether to list names that start with a dot.",
            )
            .or(DefaultValue::Flag(false)),
        ],
        fields: &[
            "files",
            "files[].path",
            "files[].type",
            "files[].size",
            "files[].modified_at",
            "total_count",
            "truncated",
        ],
        errors: &[
            ErrorKind::NoFolder,
            ErrorKind::Outside,
            ErrorKind::BadPattern,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Reads,
        run: files::list_files,
    },
    FileTool {
        name: "read_file",
        title: "Read a file",
        doc: "Read a file, as UTF-8 text or as base64.",
        parameters: &[
            Parameter::required(
                "path",
                Takes::Text,
                "File, relative to the repository root.",
            ),
            Parameter::optional(
                "max_bytes",
                Takes::Number {
                    min: 1,
                    max: u64::MAX,
                },
                "Maximum number of bytes to read.",
            )
            .or(DefaultValue::Number(100_000)),
            Parameter::optional(
                "encoding",
                Takes::Word(|| ENCODINGS.to_vec()),
                "Encoding of the content.",
            )
            .or(DefaultValue::Text("utf-8")),
        ],
        fields: &[
            "path",
            "content",
            "size",
            "modified_at",
            "encoding",
            "truncated",
        ],
        errors: &[
            ErrorKind::NoFile,
            ErrorKind::Outside,
            ErrorKind::TooLarge,
            ErrorKind::Binary,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Reads,
        run: files::read_file,
    },
    FileTool {
        name: "search_files",
        title: "Search files",
        doc: "Search for a text or regular expression in all files. Returns matching lines with context.",
        parameters: &[
            Parameter::required(
                "pattern",
                Takes::Something,
                "Text, or a regular expression with `is_regex`.",
            ),
            Parameter::optional(
                "is_regex",
                Takes::Flag,
                "Whether the pattern is a regular expression.",
            )
            .or(DefaultValue::Flag(false)),
            Parameter::optional(
                "glob",
                Takes::Text,
                "Glob that files must match: `src/**/*.ts`.",
            ),
            Parameter::optional(
                "max_results",
                Takes::Number { min: 1, max: 1_000 },
                "Maximum number of matches.",
            )
            .or(DefaultValue::Number(50)),
            Parameter::optional(
                "context_lines",
                Takes::Number { min: 0, max: 10 },
                "Number of context lines.",
            )
            .or(DefaultValue::Number(2)),
            Parameter::optional(
                "case_sensitive",
                Takes::Flag,
                "Whether the search is case-sensitive.",
            )
            .or(DefaultValue::Flag(false)),
        ],
        fields: &[
            "matches",
            "matches[].path",
            "matches[].line_number",
            "matches[].line_content",
            "matches[].context",
            "matches[].context.before",
            "matches[].context.after",
            "total_matches",
            "files_searched",
            "truncated",
            "duration_ms",
            "note",
        ],
        errors: &[
            ErrorKind::BadPattern,
            ErrorKind::TimedOut,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Reads,
        run: search::search_files,
    },
    FileTool {
        name: "get_repo_overview",
        title: "Show the repository",
        doc: "Show the repository's structure, and the number and size of its files by extension.",
        parameters: &[
            Parameter::optional(
                "max_depth",
                Takes::Number { min: 1, max: 5 },
                "Maximum number of levels to show.",
            )
            .or(DefaultValue::Number(2)),
            Parameter::optional(
                "include_stats",
                Takes::Flag,
                "Whether to count files and extensions.",
            )
            .or(DefaultValue::Flag(true)),
        ],
        fields: &[
            "root",
            "structure",
            "structure.name",
            "structure.type",
            "structure.size",
            "structure.children",
            "stats",
            "stats.total_files",
            "stats.total_directories",
            "stats.total_size",
            "stats.languages",
            "stats.languages[].extension",
            "stats.languages[].count",
            "stats.languages[].bytes",
        ],
        errors: &[ErrorKind::BadArguments],
        effect: Effect::Reads,
        run: files::get_repo_overview,
    },
];

/// Settings from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `MAX_FILE_SIZE_BYTES`: maximum size of a file that is read.
    pub file_bytes: u64,
    /// `SEARCH_TIMEOUT_MS`: time limit of a search.
    pub search_ms: u64,
    /// `MAX_SEARCH_RESULTS`: maximum number of matches in an answer.
    pub results: usize,
    /// `ALLOWED_REPO_ROOT`: the folder that a repository must be in.
    pub within: Option<PathBuf>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 20,
            search_ms: 30_000,
            results: 100,
            within: None,
        }
    }
}

impl Limits {
    /// Reads the variables. Also returns messages about invalid ones.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> (Self, Vec<String>) {
        let mut wrong = Vec::new();
        let mut number = |name: &str, default: u64| {
            let Some(text) = variable(name).filter(|text| !text.trim().is_empty()) else {
                return default;
            };
            text.trim()
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .unwrap_or_else(|| {
                    wrong.push(format!(
                        "{name} is {text:?}, which is not a positive whole number; using {default}"
                    ));
                    default
                })
        };

        let default = Self::default();
        let limits = Self {
            file_bytes: number("MAX_FILE_SIZE_BYTES", default.file_bytes),
            search_ms: number("SEARCH_TIMEOUT_MS", default.search_ms),
            results: usize::try_from(number("MAX_SEARCH_RESULTS", default.results as u64))
                .unwrap_or(usize::MAX),
            within: variable("ALLOWED_REPO_ROOT")
                .filter(|text| !text.is_empty())
                .map(PathBuf::from),
        };

        (limits, wrong)
    }
}

/// Reports whether the repository may be accessed.
pub fn check_root(workspace: &Workspace, limits: &Limits) -> Result<(), FileToolError> {
    let Some(within) = &limits.within else {
        return Ok(());
    };
    // A missing folder contains no repository.
    let is_within = within
        .canonicalize()
        .is_ok_and(|within| workspace.root().starts_with(within));
    if is_within {
        Ok(())
    } else {
        Err(FileToolError::new(
            ErrorKind::Outside,
            "the repository is outside ALLOWED_REPO_ROOT",
        ))
    }
}

/// Parses a path by the rules of this profile: `..` is rejected, and an absolute path must be below
/// the root.
fn path(call: &Call<'_>, text: &str) -> Result<RepoPath, FileToolError> {
    if text.split(['/', '\\']).any(|segment| segment == "..") {
        let message = format!("{text:?} is outside the repository; `..` is not allowed");
        return Err(FileToolError::new(ErrorKind::Outside, message).about(text));
    }
    call.workspace
        .resolve(text)
        .map_err(|error| FileToolError::from(error).about(text))
}

/// Formats a time in UTC with milliseconds.
fn time(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(
        |_| String::new(),
        |time| time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
    )
}

/// Compiles a glob over paths. A glob without `/` is matched against names.
fn glob(
    pattern: &str,
) -> Result<impl Fn(&RepoPath) -> bool + Send + Sync + Clone + use<>, FileToolError> {
    let invalid = |error: String| {
        FileToolError::new(
            ErrorKind::BadPattern,
            format!("invalid glob {pattern:?}: {error}"),
        )
    };

    let by_name = !pattern.contains('/');
    let matches = codeagent_workspace::path_glob(pattern).map_err(invalid)?;

    Ok(move |path: &RepoPath| {
        matches(if by_name {
            path.file_name()
        } else {
            path.as_str()
        })
    })
}

/// Returns the contract's code of an error.
#[must_use]
pub fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NoFile => "file_not_found",
        ErrorKind::NoFolder | ErrorKind::NotAFolder => "directory_not_found",
        ErrorKind::Outside => "access_denied",
        ErrorKind::TooLarge => "file_too_large",
        ErrorKind::Binary => "binary_file",
        ErrorKind::BadPattern => "invalid_pattern",
        ErrorKind::TimedOut => "search_timeout",
        ErrorKind::BadPath | ErrorKind::NotAFile | ErrorKind::BadArguments => "invalid_arguments",
        ErrorKind::Exists
        | ErrorKind::NotEmpty
        | ErrorKind::TextMissing
        | ErrorKind::CountDiffers
        | ErrorKind::PatchFailed
        | ErrorKind::Permission
        | ErrorKind::ReadOnly
        | ErrorKind::CommandRefused
        | ErrorKind::Internal => "internal_error",
    }
}

/// Returns the JSON-RPC error number of a code.
#[must_use]
pub fn number(code: &str) -> i32 {
    match code {
        "file_not_found" | "directory_not_found" => -32_001,
        "access_denied" => -32_002,
        "file_too_large" => -32_003,
        "binary_file" => -32_004,
        "invalid_pattern" => -32_005,
        "search_timeout" => -32_006,
        "invalid_arguments" => -32_602,
        _ => -32_603,
    }
}

/// Converts an answer to its protocol form.
pub fn render(
    answer: Result<Value, FileToolError>,
    era: ProtocolEra,
) -> Result<CallToolResult, ErrorData> {
    let failure = match answer {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            return Ok(result);
        }
        Err(failure) => failure,
    };

    let word = code(failure.kind);
    let number = number(word);
    let mut data = json!({ "error_code": word });
    if let Some(path) = failure.path {
        data["path"] = path.into();
    }

    if era == ProtocolEra::Legacy {
        return Err(ErrorData::new(
            ErrorCode(number),
            failure.message,
            Some(data),
        ));
    }

    let value = json!({ "code": number, "message": failure.message, "data": data });
    let mut result = CallToolResult::error(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);

    Ok(result)
}
