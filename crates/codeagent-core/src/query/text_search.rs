//! Text search: lines that match a pattern, each with the symbol or callback around it.
//!
//! Files are searched as ripgrep does, ignore rules included; code, tests and other files are
//! returned apart. A line counts once however often the pattern matches in it.
//!
//! Limitations: [`MAX_LINES`] lines are returned, and [`MAX_LINES_OF_FILE`] of one file; all are
//! counted. Prose in strings is not indexed, so `literals` finds names only.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use codeagent_workspace::{Binary, Case, FileHits, Files, Hit, SearchError, TextQuery};

use crate::model::graph::Dialect;
use crate::query::literals::innermost_symbols;
use crate::query::{
    Occurrence, Occurrences, QueryError, is_in_place, literals_in_file, unpoisoned,
};
use crate::store;

/// Most lines returned.
const MAX_LINES: usize = 2_000;

/// Most lines returned of one file.
const MAX_LINES_OF_FILE: usize = 200;

/// Lists with more lines have no names.
const MAX_NAMED: usize = 500;

/// Longest line kept, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// How long a search may take.
const MAX_TIME: Duration = Duration::from_secs(20);

/// A query for [`search_text`].
#[derive(Clone, Copy, Debug)]
pub struct TextSearchQuery<'a> {
    /// The text, or the regular expression.
    pub pattern: &'a str,
    /// The pattern is a regular expression.
    pub is_regex: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// Only this file or folder, or files that match this pattern.
    pub path: Option<&'a str>,
    /// Only string literals that read as names.
    pub literals: bool,
}

/// The lines that match.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FoundText {
    /// Lines of code in which a word matches, or those of a regular expression.
    pub code: Vec<Occurrence>,
    /// The same in tests.
    pub tests: Vec<Occurrence>,
    /// The same in files of other languages.
    pub others: Vec<Occurrence>,
    /// Lines in which a part of a word matches.
    pub parts: Vec<Occurrence>,
    /// Number of lines that match, returned or not.
    pub count: u64,
    /// Number of files in which a line matches.
    pub files: usize,
    /// The search took too long, so files are missing.
    pub timed_out: bool,
}

impl FoundText {
    /// Returns the number of lines that are returned.
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
    let (mut files, timed_out) = matching_files(places, query)?;
    if query.literals {
        keep_literals(places, &mut files)?;
    }

    let mut found = FoundText {
        count: files.iter().map(|file| file.count).sum(),
        files: files.len(),
        timed_out,
        ..FoundText::default()
    };
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
) -> Result<(Vec<FileHits>, bool), QueryError> {
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

    let wanted = query.path.map(str::to_owned);
    let found = Mutex::new(Vec::new());
    let take = |hits: FileHits| {
        let is_wanted = wanted
            .as_ref()
            .is_none_or(|wanted| is_in_place(hits.path.as_str(), wanted));
        if is_wanted {
            unpoisoned(&found).push(hits);
        }
    };
    let stats = places
        .sources
        .workspace()
        .search_text(&files, &text, |_, _| true, &take)
        .map_err(unsearchable)?;
    places.sources.snapshot().check()?;

    let mut found = found.into_inner().unwrap_or_default();
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok((found, stats.timed_out))
}

fn unsearchable(error: SearchError) -> QueryError {
    QueryError::Pattern(error.to_string())
}

/// Keeps the lines with a literal that contains the match.
fn keep_literals(
    places: &Occurrences<'_, '_>,
    files: &mut Vec<FileHits>,
) -> Result<(), QueryError> {
    for file in &mut *files {
        let literals = literals_in_file(places.sources.snapshot(), file.path.as_str())?;
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

/// Returns the text that matches.
fn matched(hit: &Hit) -> &str {
    let start = hit.column.saturating_sub(1);
    hit.text.get(start..start + hit.length).unwrap_or_default()
}

/// Reports whether a match is not a part of a longer word.
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

/// Adds the lines of a file, at most `room`.
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
    let symbols = match store::file_by_path(places.sources.snapshot(), path)? {
        Some(row) if is_named && is_code => {
            innermost_symbols(places.sources.snapshot(), row.id, lines)?
        }
        _ => Vec::new(),
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
