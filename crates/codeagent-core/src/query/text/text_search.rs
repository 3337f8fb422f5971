//! Text search: lines that match a pattern, each with the symbol or callback that encloses it.
//!
//! Files are searched as by ripgrep, including ignore rules. Code, tests and other files are
//! returned separately. A line counts once, however often the pattern matches in it. Lines of files
//! that have changed since they were indexed have no names.
//!
//! Limitations: at most [`MAX_LINES`] lines are returned, and [`MAX_LINES_OF_FILE`] per file; all
//! are counted. Prose in strings is not indexed, so `literals` finds names only.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use codeagent_workspace::{Binary, Case, FileHits, Files, Hit, RepoPath, SearchError, TextQuery};

use crate::model::graph::Dialect;
use crate::query::text::literals::innermost_symbols;
use crate::query::{
    Occurrence, Occurrences, QueryError, SourceState, is_in_place, literals_in_file, unpoisoned,
};
use crate::store::{self, FileKey};

/// Maximum number of lines returned.
const MAX_LINES: usize = 2_000;

/// Maximum number of lines returned per file.
const MAX_LINES_OF_FILE: usize = 200;

/// Maximum number of lines in a list with names.
const MAX_NAMED: usize = 500;

/// Maximum length of a line, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// Time limit of a search.
const MAX_TIME: Duration = Duration::from_secs(20);

/// A query for [`search_text`].
#[derive(Clone, Copy, Debug)]
pub struct TextSearchQuery<'a> {
    /// The text, or the regular expression.
    pub pattern: &'a str,
    /// Whether the pattern is a regular expression.
    pub is_regex: bool,
    /// Whether case is ignored.
    pub ignore_case: bool,
    /// Only this file or folder, or files that match this pattern.
    pub path: Option<&'a str>,
    /// Whether to search only string literals that look like names.
    pub literals: bool,
}

/// The matching lines.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FoundText {
    /// Lines of code with a whole-word match, or any match of a regular expression.
    pub code: Vec<Occurrence>,
    /// Such lines in tests.
    pub tests: Vec<Occurrence>,
    /// Such lines in files of other languages.
    pub others: Vec<Occurrence>,
    /// Lines in which only a part of a word matches.
    pub parts: Vec<Occurrence>,
    /// Total number of matching lines.
    pub count: u64,
    /// Number of files with a matching line.
    pub files: usize,
    /// Whether the time limit was exceeded, so that files are missing.
    pub timed_out: bool,
    /// Files that have changed since they were indexed.
    pub changed: Vec<String>,
}

impl FoundText {
    /// Returns the number of returned lines.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.code.len() + self.tests.len() + self.others.len() + self.parts.len()
    }
}

/// Finds the lines that match a pattern.
pub fn search_text(
    places: &mut Occurrences<'_, '_>,
    query: &TextSearchQuery<'_>,
) -> Result<FoundText, QueryError> {
    if query.pattern.is_empty() {
        return Err(QueryError::EmptySearch);
    }
    let mut found = FoundText::default();
    let mut files = matching_files(places, query, &mut found)?;
    if query.literals {
        keep_literals(places, &mut files, &mut found)?;
    }

    found.count = files.iter().map(|file| file.count).sum();
    found.files = files.len();
    let is_named = files.iter().map(|file| file.hits.len()).sum::<usize>() <= MAX_NAMED;
    for file in files {
        let room = MAX_LINES.saturating_sub(found.shown());
        if room == 0 {
            break;
        }
        add(places, query, &file, (room, is_named), &mut found)?;
    }
    Ok(found)
}

/// Searches the files, which are returned by path.
fn matching_files(
    places: &Occurrences<'_, '_>,
    query: &TextSearchQuery<'_>,
    found: &mut FoundText,
) -> Result<Vec<FileHits>, QueryError> {
    let text = TextQuery {
        pattern: query.pattern.to_owned(),
        is_literal: !query.is_regex,
        case: if query.ignore_case {
            Case::Insensitive
        } else {
            Case::Sensitive
        },
        binary: Binary::Skip,
        keep: MAX_LINES_OF_FILE,
        line_bytes: MAX_LINE_BYTES,
        deadline: Some(Instant::now() + MAX_TIME),
        ..TextQuery::default()
    };
    let files = Files {
        respects_ignore: true,
        ..Files::default()
    };

    let place = query.path.map(str::to_owned);
    let is_wanted = move |path: &RepoPath, is_folder| {
        let place = place.as_ref();
        is_folder || place.is_none_or(|place| is_in_place(path.as_str(), place))
    };
    let matching = Mutex::new(Vec::new());
    let take = |hits: FileHits| unpoisoned(&matching).push(hits);
    let stats = places
        .sources
        .workspace()
        .search_text(&files, &text, is_wanted, &take)
        .map_err(unsearchable)?;
    places.sources.snapshot().check()?;

    found.timed_out = stats.timed_out;
    let mut files = matching.into_inner().unwrap_or_default();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns an indexed file; `None`, and a mention in `found`, if it has changed since.
fn indexed_file(
    places: &mut Occurrences<'_, '_>,
    path: &str,
    found: &mut FoundText,
) -> Result<Option<FileKey>, QueryError> {
    let Some(row) = store::file_by_path(places.sources.snapshot(), path)? else {
        return Ok(None);
    };
    if places.sources.freshness(path)? == SourceState::Current {
        return Ok(Some(row.id));
    }
    if found.changed.last().is_none_or(|last| last != path) {
        found.changed.push(path.to_owned());
    }
    Ok(None)
}

fn unsearchable(error: SearchError) -> QueryError {
    QueryError::Pattern(error.to_string())
}

/// Keeps the lines that have a literal containing the match.
fn keep_literals(
    places: &mut Occurrences<'_, '_>,
    files: &mut Vec<FileHits>,
    found: &mut FoundText,
) -> Result<(), QueryError> {
    for file in &mut *files {
        let path = file.path.as_str();
        let literals = match indexed_file(places, path, found)? {
            Some(_) => literals_in_file(places.sources.snapshot(), path)?,
            None => Vec::new(),
        };
        file.hits.retain(|hit| {
            let matched = matched(hit);
            let first = literals.partition_point(|literal| u64::from(literal.line) < hit.line);
            literals[first..]
                .iter()
                .take_while(|literal| u64::from(literal.line) == hit.line)
                .any(|literal| literal.text.contains(matched))
        });
        file.count = file.hits.len() as u64;
    }

    files.retain(|file| !file.hits.is_empty());
    Ok(())
}

fn matched(hit: &Hit) -> &str {
    let start = hit.column.saturating_sub(1);
    hit.text.get(start..start + hit.length).unwrap_or_default()
}

fn is_whole_word(hit: &Hit) -> bool {
    let start = hit.column.saturating_sub(1);
    let (Some(before), Some(after)) = (hit.text.get(..start), hit.text.get(start + hit.length..))
    else {
        return true;
    };
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let matched = matched(hit);
    let continues_before = is_word(before.chars().next_back()) && is_word(matched.chars().next());
    let continues_after = is_word(matched.chars().next_back()) && is_word(after.chars().next());
    !continues_before && !continues_after
}

/// Adds at most `room` lines of a file.
fn add(
    places: &mut Occurrences<'_, '_>,
    query: &TextSearchQuery<'_>,
    file: &FileHits,
    (room, is_named): (usize, bool),
    found: &mut FoundText,
) -> Result<(), QueryError> {
    let path = file.path.as_str();
    let is_code = Dialect::of_path(path).is_some();
    let is_test = store::is_test_path(path);
    let lines = file.hits.iter().map(|hit| hit.line as u32);
    let indexed = match is_named && is_code {
        true => indexed_file(places, path, found)?,
        false => None,
    };
    let symbols = match indexed {
        Some(file) => innermost_symbols(places.sources.snapshot(), file, lines)?,
        None => Vec::new(),
    };

    for (index, hit) in file.hits.iter().take(room).enumerate() {
        let line = hit.line as u32;
        let symbol = match symbols.get(index).copied().flatten() {
            Some(node) => places.enclosing(node, path, line)?,
            None => String::new(),
        };
        let occurrence = Occurrence {
            path: path.to_owned(),
            line,
            symbol,
            source: Some(hit.text.trim().to_owned()),
        };
        let list = match () {
            () if !query.is_regex && !is_whole_word(hit) => &mut found.parts,
            () if !is_code => &mut found.others,
            () if is_test => &mut found.tests,
            () => &mut found.code,
        };
        list.push(occurrence);
    }
    Ok(())
}
