//! Which files are in the index without their symbols, or without some, and may hold what is asked
//! for?
//!
//! **Limits.** Whether a file could hold a symbol is told from its name: `Keycode` may be in
//! `Keycode.cs` and `Keycode.Names.cs`.

use crate::model::graph::{Language, ParseStatus};
use crate::query::QueryError;
use crate::store::{self, FileRow, Snapshot};

/// How many files are named.
const MAX_NAMED: usize = 3;

/// What the index lacks of a file, in one sentence; `None` if nothing, or if it does not know the
/// file.
pub fn lacking(snapshot: &Snapshot, path: &str) -> Result<Option<String>, QueryError> {
    Ok(store::file_by_path(snapshot, path)?.and_then(|file| said(&file)))
}

/// The files whose symbols are not in the index, by path, each with the reason.
pub fn unread_files(snapshot: &Snapshot) -> Result<Vec<(String, String)>, QueryError> {
    let files = store::files_with_problems(snapshot)?;
    Ok(files
        .into_iter()
        .filter_map(|file| Some((file.path, file.problem?)))
        .collect())
}

/// A file that was read but for some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartlyRead {
    /// Its path.
    pub path: String,
    /// How many bytes could not be parsed.
    pub error_bytes: u32,
    /// Of how many.
    pub bytes: u32,
    /// The 1-based line of the first of them.
    pub line: Option<u32>,
}

impl PartlyRead {
    fn of(file: &FileRow) -> Self {
        let line = file.error_lines.first().copied();
        Self {
            path: file.path.clone(),
            error_bytes: file.error_bytes,
            bytes: file.bytes,
            line,
        }
    }

    /// What is lacking.
    #[must_use]
    pub fn reason(&self) -> String {
        let line = self
            .line
            .map(|line| format!(", first at line {line}"))
            .unwrap_or_default();
        format!(
            "{} of {} bytes could not be parsed{line}",
            self.error_bytes, self.bytes
        )
    }
}

/// The files that were read but for some bytes, by path.
pub fn partly_read_files(snapshot: &Snapshot) -> Result<Vec<PartlyRead>, QueryError> {
    let files = store::files(snapshot)?
        .into_iter()
        .filter(|file| file.problem.is_none() && file.parse_status == ParseStatus::Partial);
    Ok(files.map(|file| PartlyRead::of(&file)).collect())
}

/// What is to be said of files without symbols that are named as something in `asked`, a name or
/// words; empty if there are none.
pub fn unread_like(snapshot: &Snapshot, asked: &str) -> Result<Vec<String>, QueryError> {
    let words: Vec<&str> = asked
        .split(|next: char| !next.is_alphanumeric() && next != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let is_meant = |file: &FileRow| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        words.iter().any(|word| word.eq_ignore_ascii_case(stem))
    };
    let files = store::files_with_problems(snapshot)?;
    Ok(files
        .iter()
        .filter(|file| is_meant(file))
        .take(MAX_NAMED)
        .filter_map(said)
        .collect())
}

/// What an empty answer leaves out because files could not be indexed, those of a language or all;
/// `None` if there are none.
pub fn unread_note(
    snapshot: &Snapshot,
    language: Option<Language>,
) -> Result<Option<String>, QueryError> {
    let is_asked =
        |file: &FileRow| language.is_none_or(|language| file.dialect.language() == language);
    let files: Vec<FileRow> = store::files_with_problems(snapshot)?
        .into_iter()
        .filter(is_asked)
        .collect();
    let named: Vec<&str> = files
        .iter()
        .take(MAX_NAMED)
        .map(|file| file.path.as_str())
        .collect();
    let more = files.len() - named.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let (are, they) = if files.len() == 1 {
        ("1 source file", "it declares and uses")
    } else {
        ("source files", "they declare and use")
    };
    let count = if files.len() == 1 {
        String::new()
    } else {
        format!("{} ", files.len())
    };
    let names = named.join(", ");
    Ok((!files.is_empty())
        .then(|| format!("{count}{are} could not be read or parsed, so what {they} is missing here: {names}{more} (see get_status)")))
}

fn said(file: &FileRow) -> Option<String> {
    let path = &file.path;
    match &file.problem {
        Some(problem) => Some(format!(
            "{path} could not be indexed, so none of its symbols are known: {problem}"
        )),
        None if file.parse_status == ParseStatus::Partial => Some(format!(
            "{path} was read in part, so symbols may be missing: {}",
            PartlyRead::of(file).reason()
        )),
        None => None,
    }
}
