//! Indexed files whose symbols are missing, completely or partially, because they could not be read
//! or parsed.
//!
//! Limitations: whether a file may declare a symbol is guessed from its name: `Keycode` may be in
//! `Keycode.cs` and `Keycode.Names.cs`.

use crate::model::graph::{Language, ParseStatus};
use crate::query::{Note, PartiallyParsed, QueryError, UnindexedFiles};
use crate::store::{self, FileRow, Snapshot};

/// Maximum number of files named in a note.
const MAX_NAMED: usize = 3;

/// Returns a note if symbols of a file are missing, completely or partially; `None` if none are, or
/// if the file is not in the index.
pub fn partial_index_note(snapshot: &Snapshot, path: &str) -> Result<Option<Note>, QueryError> {
    Ok(store::file_by_path(snapshot, path)?.and_then(|file| note(&file)))
}

/// Returns the files without indexed symbols, by path, each with the reason.
pub fn failed_files(snapshot: &Snapshot) -> Result<Vec<(String, String)>, QueryError> {
    let files = store::files_with_problems(snapshot)?;
    Ok(files
        .into_iter()
        .filter_map(|file| Some((file.path, file.problem?)))
        .collect())
}

/// Returns the files that could not be parsed completely, by path.
pub fn partially_parsed_files(snapshot: &Snapshot) -> Result<Vec<PartiallyParsed>, QueryError> {
    let files = store::files(snapshot)?
        .into_iter()
        .filter(|file| file.problem.is_none() && file.parse_status == ParseStatus::Partial);
    Ok(files.map(|file| partially_parsed(&file)).collect())
}

/// Returns notes on the first files without symbols whose names contain a word of `asked`.
pub fn unindexed_files_like(snapshot: &Snapshot, asked: &str) -> Result<Vec<Note>, QueryError> {
    let words: Vec<&str> = asked
        .split(|next: char| !next.is_alphanumeric() && next != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let is_named = |file: &FileRow| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        words.iter().any(|word| word.eq_ignore_ascii_case(stem))
    };

    let files = store::files_with_problems(snapshot)?;
    Ok(files
        .iter()
        .filter(|file| is_named(file))
        .take(MAX_NAMED)
        .filter_map(note)
        .collect())
}

/// Returns the files without symbols, optionally of one language; `None` if there are none.
pub fn unindexed_files(
    snapshot: &Snapshot,
    language: Option<Language>,
) -> Result<Option<UnindexedFiles>, QueryError> {
    let mut files = store::files_with_problems(snapshot)?;
    files.retain(|file| language.is_none_or(|language| file.dialect.language() == language));
    if files.is_empty() {
        return Ok(None);
    }

    let count = files.len();
    let first = files.into_iter().take(MAX_NAMED).map(|file| file.path);
    Ok(Some(UnindexedFiles {
        first: first.collect(),
        count,
    }))
}

fn note(file: &FileRow) -> Option<Note> {
    match &file.problem {
        Some(problem) => Some(Note::Unindexed {
            path: file.path.clone(),
            problem: problem.clone(),
        }),
        None if file.parse_status == ParseStatus::Partial => {
            Some(Note::PartiallyParsed(partially_parsed(file)))
        }
        None => None,
    }
}

fn partially_parsed(file: &FileRow) -> PartiallyParsed {
    PartiallyParsed {
        path: file.path.clone(),
        error_bytes: file.error_bytes,
        bytes: file.bytes,
        line: file.error_lines.first().copied(),
    }
}
