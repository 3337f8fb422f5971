//! Which files are in the index without their symbols, or without some, and may hold what is asked for?
//!
//! **Limits.** Whether a file could hold a symbol is told from its name: `Keycode` may be in `Keycode.cs` and `Keycode.Names.cs`.

use crate::model::graph::ParseStatus;
use crate::query::QueryError;
use crate::store::{self, FileRow, Snapshot};

/// How many files are named.
const MAX_NAMED: usize = 3;

/// What the index lacks of a file, in one sentence; `None` if nothing, or if it does not know the file.
pub fn lacking(snapshot: &Snapshot, path: &str) -> Result<Option<String>, QueryError> {
    Ok(store::file_by_path(snapshot, path)?.and_then(|file| said(&file)))
}

/// The files whose symbols are not in the index, by path, each with the reason.
pub fn unread_files(snapshot: &Snapshot) -> Result<Vec<(String, String)>, QueryError> {
    let files = store::files_with_problems(snapshot)?;
    Ok(files.into_iter().filter_map(|file| Some((file.path, file.problem?))).collect())
}

/// The files that were read but for some bytes, by path, each with what is lacking.
pub fn partly_read_files(snapshot: &Snapshot) -> Result<Vec<(String, String)>, QueryError> {
    let files = store::files(snapshot)?.into_iter().filter(|file| file.problem.is_none() && file.parse_status == ParseStatus::Partial);
    Ok(files.map(|file| (file.path.clone(), broken(&file))).collect())
}

/// What is to be said of files without symbols that are named as something in `asked`, a name or words; empty if there are none.
pub fn unread_like(snapshot: &Snapshot, asked: &str) -> Result<Vec<String>, QueryError> {
    let words: Vec<&str> = asked.split(|next: char| !next.is_alphanumeric() && next != '_').filter(|word| !word.is_empty()).collect();
    let is_meant = |file: &FileRow| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        words.iter().any(|word| word.eq_ignore_ascii_case(stem))
    };
    let files = store::files_with_problems(snapshot)?;
    Ok(files.iter().filter(|file| is_meant(file)).take(MAX_NAMED).filter_map(said).collect())
}

fn said(file: &FileRow) -> Option<String> {
    let path = &file.path;
    match &file.problem {
        Some(problem) => Some(format!("{path} could not be indexed, so none of its symbols are known: {problem}")),
        None if file.parse_status == ParseStatus::Partial => {
            Some(format!("{path} was read in part, so symbols may be missing: {}", broken(file)))
        }
        None => None,
    }
}

fn broken(file: &FileRow) -> String {
    let line = file.error_lines.first().map(|line| format!(", first at line {line}")).unwrap_or_default();
    format!("{} of {} bytes could not be parsed{line}", file.error_bytes, file.bytes)
}
