//! Search for a phrase in source, markup and resources.

use std::sync::Mutex;

use codeagent_lang::surroundings::{AroundKind, Surroundings};
use codeagent_workspace::{Binary, Case, FileHits, Files, RepoPath, SearchError, TextQuery};

use super::keys::Definition;
use super::matching::{holds, pattern, starts, unescaped, words_equal};
use super::phrases::Phrase;
use super::{MAX_PLACES, TextPlace, keys, markup};
use crate::languages::LANGUAGES;
use crate::model::graph::Dialect;
use crate::query::{Occurrences, QueryError, unpoisoned};
use crate::store::is_test_path;

/// Time limit of a search.
const MAX_MILLIS: u64 = 5_000;

/// Maximum number of lines of a file that are compared.
const MAX_LINES: usize = 100;

/// Maximum length of a line, in bytes; longer ones are generated.
const MAX_LINE_BYTES: usize = 2_000;

/// Maximum number of places of texts that contain a phrase.
const MAX_PARTIAL: usize = 20;

/// Endings of markup.
pub(super) const MARKUP: [&str; 16] = [
    "ascx", "aspx", "astro", "axaml", "cshtml", "ejs", "hbs", "htm", "html", "master", "razor",
    "svelte", "vbhtml", "vue", "xaml", "xml",
];

/// Endings of resources.
const RESOURCES: [&str; 3] = ["json", "resw", "resx"];

/// What a search has found.
#[derive(Default)]
pub(super) struct Found {
    pub asked: String,
    pub is_equal: bool,
    pub places: Vec<TextPlace>,
    pub definitions: Vec<Definition>,
}

/// A text that may be that of a phrase.
struct Candidate {
    path: String,
    line: u32,
    text: String,
    around: Surroundings,
    key: Option<String>,
}

/// Returns the ending of a path, in lower case.
pub(super) fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.to_ascii_lowercase()
}

/// Reports whether a file is source or markup.
pub(super) fn may_use_keys(path: &str) -> bool {
    Dialect::of_path(path).is_some() || MARKUP.contains(&ending(path).as_str())
}

fn may_have_texts(path: &str) -> bool {
    may_use_keys(path) || RESOURCES.contains(&ending(path).as_str())
}

/// Finds the texts that equal a phrase, or else those that contain it.
pub(super) fn search(
    occurrences: &mut Occurrences<'_, '_>,
    phrase: &Phrase,
) -> Result<Found, QueryError> {
    let files = matching_files(
        occurrences,
        &pattern(phrase),
        Case::Insensitive,
        may_have_texts,
    )?;
    let mut equal = Vec::new();
    let mut partial = Vec::new();
    for file in files {
        let Some(text) = read(occurrences, file.path.as_str())? else {
            continue;
        };
        candidates(&file, &text, phrase, (&mut equal, &mut partial));
    }

    let Some(best) = best(&equal, phrase) else {
        partial.truncate(MAX_PARTIAL);
        let asked = phrase.words[..phrase.least].join(" ");
        return made(occurrences, asked, false, partial);
    };
    let (count, is_exact) = best;
    equal.retain(|one| words_equal(&one.text, phrase, is_exact) == Some(count));
    let asked = phrase.words[..count].join(" ");
    made(occurrences, asked, true, equal)
}

/// Returns the most words that a text has, and whether it is compared with its case.
fn best(equal: &[Candidate], phrase: &Phrase) -> Option<(usize, bool)> {
    let most = |is_exact| {
        let counts = equal.iter();
        counts
            .filter_map(|one| words_equal(&one.text, phrase, is_exact))
            .max()
    };
    let exact = most(true).filter(|_| !phrase.is_lower);
    let any = most(false)?;
    match exact {
        Some(exact) if exact == any => Some((exact, true)),
        _ if phrase.is_quoted || phrase.is_lower || any > 1 => Some((any, false)),
        exact => exact.map(|exact| (exact, true)),
    }
}

/// Makes the places and definitions of texts.
fn made(
    occurrences: &mut Occurrences<'_, '_>,
    asked: String,
    is_equal: bool,
    mut texts: Vec<Candidate>,
) -> Result<Found, QueryError> {
    texts.sort_by_cached_key(|one| (is_test_path(&one.path), one.path.clone(), one.line));
    let mut found = Found {
        asked,
        is_equal,
        ..Found::default()
    };
    for one in texts {
        let Candidate {
            path,
            line,
            around,
            key,
            text,
        } = one;
        match key {
            Some(key) => found.definitions.push(Definition {
                key,
                at: (path, line),
                others: 0,
                text,
            }),
            None if found.places.len() < MAX_PLACES => {
                found
                    .places
                    .push(place(occurrences, (&path, line), around)?);
            }
            None => {}
        }
    }
    Ok(found)
}

/// Makes a place with the names of the elements around it.
pub(super) fn place(
    occurrences: &mut Occurrences<'_, '_>,
    (path, line): (&str, u32),
    around: Surroundings,
) -> Result<TextPlace, QueryError> {
    let mut at = occurrences.at(path, line)?;
    if at.source.is_none()
        && let Some(text) = read(occurrences, path)?
    {
        let line = text.lines().nth(line.saturating_sub(1) as usize);
        at.source = line.map(|line| line.trim().chars().take(200).collect());
    }

    let elements = around.around.iter();
    let elements = elements.filter(|one| one.kind == AroundKind::Element);
    let names: Vec<&str> = elements.map(|one| one.name.as_str()).take(2).collect();
    if !names.is_empty() {
        let within = format!("<{}>", names.join("> in <"));
        at.symbol = match at.symbol.as_str() {
            "" => within,
            symbol => format!("{symbol} {within}"),
        };
    }
    Ok(TextPlace { at, around })
}

/// Adds the texts of a file that equal a phrase, and those that contain it.
fn candidates(
    file: &FileHits,
    text: &str,
    phrase: &Phrase,
    (equal, partial): (&mut Vec<Candidate>, &mut Vec<Candidate>),
) {
    let path = file.path.as_str();
    let mut seen = Vec::new();
    for hit in &file.hits {
        let Some((start, line)) = line_at(text, hit.line) else {
            continue;
        };
        if line.len() > MAX_LINE_BYTES {
            continue;
        }
        for at in starts(line, phrase) {
            let offset = start + at;
            let is_whole = is_delimited(text, offset, phrase);
            if !is_whole && partial.len() >= MAX_PARTIAL {
                continue;
            }
            let around = surroundings(path, text, offset);
            let Some(own) = around.text.clone() else {
                continue;
            };
            let key = keys::key_at(path, text, offset, &around);
            if key.is_none() && RESOURCES.contains(&ending(path).as_str()) {
                continue;
            }
            let place = (hit.line, own.clone());
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let candidate = Candidate {
                path: path.to_owned(),
                line: hit.line as u32,
                key,
                text: unescaped(&own),
                around,
            };
            match () {
                () if words_equal(&own, phrase, false).is_some() => equal.push(candidate),
                () if holds(&own, phrase) && is_visible(path, &candidate) => {
                    partial.push(candidate);
                }
                () => {}
            }
        }
    }
}

/// Reports whether a text that contains a phrase is surely shown: that of an element or a resource.
fn is_visible(path: &str, candidate: &Candidate) -> bool {
    let innermost = candidate.around.around.first();
    let is_element = innermost.is_some_and(|one| one.kind == AroundKind::Element);
    !is_test_path(path) && (candidate.key.is_some() || is_element)
}

/// Reports whether a text of a file may begin at an offset and be no longer than a phrase.
fn is_delimited(text: &str, offset: usize, phrase: &Phrase) -> bool {
    let before = text[..offset].trim_end().chars().next_back();
    let is_start = before.is_none_or(|c| !c.is_alphanumeric() && !",.".contains(c));
    let letters: usize = phrase.words.iter().map(String::len).sum();
    let end = text.len().min(offset + 2 * letters + 40);
    let end = text.floor_char_boundary(end);
    is_start && text[offset..end].contains(['"', '\'', '`', '<', '{'])
}

/// Returns the text at an offset of a file and what contains it.
pub(super) fn surroundings(path: &str, text: &str, offset: usize) -> Surroundings {
    match Dialect::of_path(path) {
        Some(dialect) => LANGUAGES.surroundings(text, dialect, offset),
        None if ending(path) == "json" => keys::json_text(text, offset),
        None => markup::surroundings(text, offset),
    }
}

/// Returns the offset of a line and the line.
pub(super) fn line_at(text: &str, line: u64) -> Option<(usize, &str)> {
    let mut start = 0;
    for (number, line_text) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            return Some((start, line_text));
        }
        start += line_text.len();
    }
    None
}

/// Reads a file that may not be indexed.
pub(super) fn read(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
) -> Result<Option<String>, QueryError> {
    occurrences.sources.snapshot().check()?;
    let Ok(path) = RepoPath::new(path) else {
        return Ok(None);
    };
    let file = occurrences.sources.workspace().read(&path);
    Ok(file.ok().map(|file| file.text))
}

/// Returns the files with lines that match a pattern, by path.
pub(super) fn matching_files(
    occurrences: &Occurrences<'_, '_>,
    pattern: &str,
    case: Case,
    is_wanted: fn(&str) -> bool,
) -> Result<Vec<FileHits>, QueryError> {
    let query = TextQuery {
        pattern: pattern.to_owned(),
        case,
        binary: Binary::Skip,
        multi_line: pattern.contains(r"\s"),
        keep: MAX_LINES,
        line_bytes: MAX_LINE_BYTES,
        ..TextQuery::default().within_millis(MAX_MILLIS)
    };
    let files = Files {
        respects_ignore: true,
        ..Files::default()
    };
    let matching = Mutex::new(Vec::new());
    let take = |hits: FileHits| unpoisoned(&matching).push(hits);
    let is_wanted = move |path: &RepoPath, is_folder: bool| is_folder || is_wanted(path.as_str());
    occurrences
        .sources
        .workspace()
        .search_text(&files, &query, is_wanted, &take)
        .map_err(|error: SearchError| QueryError::Pattern(error.to_string()))?;
    occurrences.sources.snapshot().check()?;

    let mut files = matching.into_inner().unwrap_or_default();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
