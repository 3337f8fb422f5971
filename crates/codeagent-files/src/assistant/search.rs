//! The tool `search_files`.
//!
//! Limitations: stores as many matches of each file as the answer may show; all are counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use codeagent_workspace::{Binary, Case, Files, Hit, Ordered, RepoPath, SearchError, TextQuery};
use serde_json::{Value, json};

use super::glob;
use crate::error::{ErrorKind, FileToolError};
use crate::tool::Call;

/// Folders that are not searched.
const NOT_ENTERED: &[&str] = &["node_modules", ".git", "dist", "build"];
/// Suffixes of files that are not searched.
const NOT_SEARCHED: &[&str] = &[".min.js", ".min.css", ".map"];
/// Names of files that are not searched.
const LOCKS: &[&str] = &["package-lock.json", "yarn.lock"];
/// Maximum number of bytes shown of a line.
const LINE_BYTES: usize = 2_000;

pub fn search_files(call: &Call<'_>) -> Result<Value, FileToolError> {
    let begun = Instant::now();
    let requested = call.arguments.number("max_results").unwrap_or_default();
    let limit = call.options.limits.results;
    let most = requested.min(limit);
    let timeout = call.options.limits.search_ms;
    let query = TextQuery {
        keep: most,
        deadline: Some(begun + Duration::from_millis(timeout.min(3_600_000))),
        ..text_query(call)
    };

    let files = Files {
        hidden: true,
        ..Files::default()
    };
    let found = Ordered::new(most);
    let stats = call
        .workspace
        .search_text(&files, &query, is_searched(call)?, &|hits| found.take(hits))
        .map_err(failure)?;
    if stats.timed_out {
        let message = format!("the search timed out after {timeout} ms; restrict it with `glob`");
        return Err(FileToolError::new(ErrorKind::TimedOut, message));
    }

    let (found, total) = found.finish();
    let matches = found
        .iter()
        .flat_map(|file| file.hits.iter().map(|hit| shown(&file.path, hit)));
    let matches: Vec<Value> = matches.take(most).collect();
    let truncated = total > matches.len() as u64;
    let mut answer = json!({
        "truncated": truncated,
        "matches": matches,
        "total_matches": total,
        "files_searched": stats.files,
        "duration_ms": begun.elapsed().as_millis() as u64,
    });

    if truncated && requested > limit {
        answer["note"] = format!(
            "max_results is {requested}, but this server returns at most {limit} (MAX_SEARCH_RESULTS)"
        )
        .into();
    }

    Ok(answer)
}

/// Returns what is searched for, without limits.
fn text_query(call: &Call<'_>) -> TextQuery {
    let arguments = call.arguments;
    let lines = arguments.number("context_lines").unwrap_or_default();

    TextQuery {
        pattern: arguments.required_text("pattern").to_owned(),
        is_literal: !arguments.flag("is_regex"),
        case: if arguments.flag("case_sensitive") {
            Case::Sensitive
        } else {
            Case::Insensitive
        },
        context: (lines, lines),
        binary: Binary::Skip,
        line_bytes: LINE_BYTES,
        cancel: Arc::clone(call.cancelled),
        ..TextQuery::default()
    }
}

/// Returns a filter of paths; its flag tells whether the path is a folder.
fn is_searched(
    call: &Call<'_>,
) -> Result<impl Fn(&RepoPath, bool) -> bool + Send + Sync + Clone + use<>, FileToolError> {
    let matches = call.arguments.text("glob").map(glob).transpose()?;
    Ok(move |path: &RepoPath, is_folder: bool| {
        let name = path.file_name();
        if is_folder {
            return !NOT_ENTERED.contains(&name);
        }

        !LOCKS.contains(&name)
            && !NOT_SEARCHED.iter().any(|end| name.ends_with(end))
            && matches.as_ref().is_none_or(|matches| matches(path))
    })
}

fn shown(path: &RepoPath, hit: &Hit) -> Value {
    json!({
        "path": path.as_str(),
        "line_number": hit.line,
        "line_content": hit.text,
        "context": { "before": hit.before, "after": hit.after },
    })
}

fn failure(error: SearchError) -> FileToolError {
    match error {
        SearchError::Path(error) => error.into(),
        other => FileToolError::new(ErrorKind::BadPattern, other.to_string()),
    }
}
