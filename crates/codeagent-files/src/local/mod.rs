//! The `local` profile: searches and reads files, with 1 to 5 queries per call.
//!
//! Each query has its own answer, so a failure does not affect the others. Names, schemas and
//! prompts are those of the recorded contract (`contract.json`). Paths are relative to the root, or
//! absolute and below it; answers use relative paths. Files that usually contain secrets are hidden
//! (`secrets`).
//!
//! Limitations: the field `execution` of a tool is not sent; its default means the same.

mod contract;
mod fetch;
mod find;
mod pages;
mod prompts;
mod ripgrep;
mod secrets;
mod structure;
mod yaml;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_workspace::{RepoPath, Workspace};
use rmcp::model::{CallToolResult, ContentBlock, Tool as ToolDescription, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::error::{ErrorKind, FileToolError};
use contract::Query;
pub use contract::{instructions, server_name};
pub use prompts::{prompt, prompts};
pub use secrets::is_secret;

/// Maximum length of an answer in characters: 25,000 tokens of four characters.
const MAX_ANSWER: usize = 100_000;

type QueryHandler = fn(&Workspace, &Query) -> Result<Value, FileToolError>;

const TOOLS: &[(&str, QueryHandler)] = &[
    ("local_ripgrep", ripgrep::answer),
    ("local_view_structure", structure::answer),
    ("local_find_files", find::answer),
    ("local_fetch_content", fetch::answer),
];

/// Returns the names of the tools.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name)
}

/// Returns the tools as shown to clients.
#[must_use]
pub fn descriptions() -> Vec<ToolDescription> {
    let described = contract::tools().map(|(name, doc, schema)| {
        let mut description = ToolDescription::new(name, doc, Arc::new(schema.clone()));
        description.annotations = Some(
            ToolAnnotations::default()
                .read_only(true)
                .idempotent(true)
                .open_world(false),
        );
        description
    });
    described.collect()
}

/// Calls a tool; returns `None` if there is no tool of this name.
#[must_use]
pub fn call(
    workspace: &Workspace,
    name: &str,
    sent: Map<String, Value>,
    cancelled: &Arc<AtomicBool>,
) -> Option<CallToolResult> {
    let (_, answerer) = TOOLS.iter().find(|(known, _)| *known == name)?;
    let (_, _, schema) = contract::tools().find(|(known, ..)| *known == name)?;

    let mut sent = Value::Object(sent);
    if let Err(wrong) = contract::check(&Value::Object(schema.clone()), &mut sent, "arguments") {
        return Some(CallToolResult::error(vec![ContentBlock::text(format!(
            "Input validation error: {wrong}"
        ))]));
    }

    let queries: Vec<Query> = sent["queries"]
        .as_array()
        .into_iter()
        .flatten()
        .cloned()
        .map(|query| Query(query, Arc::clone(cancelled)))
        .collect();

    let results: Vec<Value> = std::thread::scope(|scope| {
        let running: Vec<_> = queries
            .iter()
            .map(|query| scope.spawn(|| result(workspace, *answerer, query)))
            .collect();
        running
            .into_iter()
            .map(|running| running.join().unwrap_or_default())
            .collect()
    });

    let text = yaml::yaml(&json!({ "results": results }));
    if text.chars().count() <= MAX_ANSWER {
        return Some(CallToolResult::success(vec![ContentBlock::text(text)]));
    }

    let hints = [
        format!(
            "The answer of {} queries would exceed {MAX_ANSWER} characters",
            results.len()
        ),
        "Send fewer queries per call, or request smaller pages: charLength, filesPerPage, \
         matchesPerPage"
            .to_owned(),
    ];

    let text = yaml::yaml(&json!({ "errorCode": "responseTooLarge", "hints": hints }));
    Some(CallToolResult::error(vec![ContentBlock::text(text)]))
}

/// Returns the answer to a call that cannot be started.
#[must_use]
pub fn refused(failure: &FileToolError) -> CallToolResult {
    let text = yaml::yaml(&json!({ "errorCode": code(failure.kind), "hints": [failure.message] }));
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Answers one query. An error is converted to an answer.
fn result(workspace: &Workspace, answerer: QueryHandler, query: &Query) -> Value {
    let answered = catch_unwind(AssertUnwindSafe(|| answerer(workspace, query)));
    let answered = answered.unwrap_or_else(|_| {
        Err(FileToolError::new(
            ErrorKind::Internal,
            "this query failed because of a bug in codeagent",
        ))
    });
    let mut data = answered.unwrap_or_else(|failure| failed(query, &failure));
    for field in ["researchGoal", "reasoning"] {
        data[field] = query.0[field].clone();
    }
    json!({ "status": data["status"].clone(), "data": data })
}

/// Returns the contract's code of an error.
#[must_use]
pub fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Outside | ErrorKind::BadPath => "pathValidationFailed",
        ErrorKind::NoFile
        | ErrorKind::NoFolder
        | ErrorKind::NotAFile
        | ErrorKind::NotAFolder
        | ErrorKind::Permission => "fileAccessFailed",
        ErrorKind::Binary => "fileReadFailed",
        ErrorKind::TooLarge => "fileTooLarge",
        ErrorKind::TextMissing => "noMatches",
        ErrorKind::CountDiffers => "patternTooBroad",
        ErrorKind::NotEmpty => "paginationRequired",
        ErrorKind::Exists => "outputTooLarge",
        ErrorKind::BadPattern | ErrorKind::BadArguments => "queryExecutionFailed",
        ErrorKind::TimedOut => "commandExecutionFailed",
        ErrorKind::PatchFailed
        | ErrorKind::ReadOnly
        | ErrorKind::CommandRefused
        | ErrorKind::Internal => "toolExecutionFailed",
    }
}

fn failed(query: &Query, failure: &FileToolError) -> Value {
    error(
        code(failure.kind),
        query.text("path"),
        vec![failure.message.clone()],
    )
}

/// Returns the answer of a failed query.
fn error(code: &str, path: &str, hints: Vec<String>) -> Value {
    json!({ "status": "error", "errorCode": code, "path": path, "hints": hints })
}

/// Resolves the path of a query. Secret files are rejected like paths outside the root.
fn path(workspace: &Workspace, query: &Query) -> Result<RepoPath, FileToolError> {
    let text = query.text("path");
    let refused = |why: String| FileToolError::new(ErrorKind::Outside, why);
    let path = workspace
        .resolve(text)
        .map_err(|error| refused(error.to_string()))?;
    // A link may lead to a secret file.
    let real = workspace.real_path(&path).unwrap_or_else(|_| path.clone());
    if path.is_hidden() || is_secret(&path) || is_secret(&real) {
        return Err(refused(format!(
            "{path} is omitted because it may contain secrets"
        )));
    }
    Ok(path)
}

/// Returns a path as shown in answers.
fn shown(path: &RepoPath) -> &str {
    if path.is_root() { "." } else { path.as_str() }
}

/// Formats a time in UTC with milliseconds.
fn time(time: std::time::SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(
        |_| String::new(),
        |time| time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_fails_one_query() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let answer = result(
            &workspace,
            |_, _| panic!("a defect"),
            &Query(json!({ "path": "." }), Arc::default()),
        );
        assert_eq!(
            (&answer["status"], &answer["data"]["errorCode"]),
            (&json!("error"), &json!("toolExecutionFailed"))
        );
    }
}
