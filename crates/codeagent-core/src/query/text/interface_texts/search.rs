//! Search for a phrase in source, markup and resources.

use std::collections::BTreeSet;
use std::sync::Mutex;

use codeagent_lang::surroundings::{AroundKind, Surroundings};
use codeagent_workspace::{Binary, Case, FileHits, Files, RepoPath, SearchError, TextQuery};

use super::keys::Definition;
use super::matching::{holds, is_mark, pattern, starts, unescaped, words_equal};
use super::phrases::Phrase;
use super::{MAX_PLACES, TextPlace, keys, markup};
use crate::languages::LANGUAGES;
use crate::model::graph::Dialect;
use crate::query::{Occurrence, Occurrences, QueryError, unpoisoned};
use crate::store::is_test_path;

/// Time limit of a search.
const MAX_MILLIS: u64 = 5_000;

/// Maximum number of lines of a file that are compared.
const MAX_LINES: usize = 1_000;

/// Maximum length of a line, in bytes; longer ones are generated.
const MAX_LINE_BYTES: usize = 2_000;

/// Maximum length of a shown line, in characters.
const MAX_SHOWN: usize = 200;

/// Number of words from which a phrase in quotation marks may be a part of a message in code.
const MESSAGE_WORDS: usize = 4;

/// Number of elements around a text that are named.
const MAX_NAMED: usize = 3;

/// Maximum number of lines that are read closer for texts that contain a phrase.
const MAX_READ: usize = 100;

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
    pub is_cut: bool,
}

/// The files that a search has found, by path.
pub(super) struct MatchingFiles {
    pub files: Vec<FileHits>,
    /// Whether the search stopped early, or a file has more lines than are compared.
    pub is_cut: bool,
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

/// A place where a text may begin.
struct Spot {
    path: String,
    line: u32,
    offset: usize,
    /// The number of words of the phrase that it seems to have.
    words: usize,
}

/// Finds the texts that equal a phrase, or else those that contain it.
pub(super) fn search(
    occurrences: &mut Occurrences<'_, '_>,
    phrase: &Phrase,
) -> Result<Found, QueryError> {
    let MatchingFiles { files, mut is_cut } = matching_files(
        occurrences,
        &pattern(phrase),
        Case::Insensitive,
        may_have_texts,
    )?;
    let mut all: Vec<Spot> = Vec::new();
    for file in &files {
        if let Some(text) = read(occurrences, file.path.as_str())? {
            all.extend(spots(file, &text, phrase, true));
        }
    }

    let asked = |count: usize| phrase.words[..count].join(" ");
    for count in (phrase.least..=phrase.words.len()).rev() {
        let mut here: Vec<&Spot> = all.iter().filter(|spot| spot.words == count).collect();
        is_cut |= here.len() > MAX_READ;
        here.truncate(MAX_READ);
        let mut equal = candidates(occurrences, &here)?;
        equal.retain(|one| words_equal(&one.text, phrase, false) == Some(count));
        if let Some((count, is_exact)) = best(&equal, phrase) {
            equal.retain(|one| words_equal(&one.text, phrase, is_exact) == Some(count));
            let found = Found {
                asked: asked(count),
                is_equal: true,
                is_cut,
                ..Found::default()
            };
            return filled(occurrences, found, equal);
        }
    }

    let mut found = Found {
        asked: asked(phrase.least),
        is_cut,
        ..Found::default()
    };
    let partial = partial(occurrences, &files, phrase, &mut found.is_cut)?;
    filled(occurrences, found, partial)
}

/// Returns the texts that contain a phrase and are surely shown.
fn partial(
    occurrences: &Occurrences<'_, '_>,
    files: &[FileHits],
    phrase: &Phrase,
    is_cut: &mut bool,
) -> Result<Vec<Candidate>, QueryError> {
    let may_show = |file: &&FileHits| {
        let path = file.path.as_str();
        let is_csharp = Dialect::of_path(path) == Some(Dialect::CSharp);
        !is_test_path(path) && (!is_csharp || is_message(phrase))
    };
    let mut all: Vec<Spot> = Vec::new();
    for file in files.iter().filter(may_show) {
        if all.len() <= MAX_READ
            && let Some(text) = read(occurrences, file.path.as_str())?
        {
            all.extend(spots(file, &text, phrase, false));
        }
    }

    let read: Vec<&Spot> = all.iter().take(MAX_READ).collect();
    let mut found = candidates(occurrences, &read)?;
    found.retain(|one| holds(&one.text, phrase) && (is_message(phrase) || is_visible(one)));
    *is_cut |= all.len() > MAX_READ || found.len() > MAX_PARTIAL;
    found.truncate(MAX_PARTIAL);
    Ok(found)
}

/// Reports whether a phrase is long enough to be that of a message in code, of which it may be a part.
fn is_message(phrase: &Phrase) -> bool {
    phrase.is_quoted && phrase.words.len() >= MESSAGE_WORDS
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

/// Adds the places and definitions of texts.
fn filled(
    occurrences: &mut Occurrences<'_, '_>,
    mut found: Found,
    mut texts: Vec<Candidate>,
) -> Result<Found, QueryError> {
    texts.sort_by_cached_key(|one| (is_test_path(&one.path), one.path.clone(), one.line));

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
            None => found.is_cut = true,
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
    let mut at = match Dialect::of_path(path) {
        Some(_) => occurrences.at(path, line)?,
        None => unindexed(occurrences, path, line)?,
    };

    let elements = around.around.iter();
    let elements = elements.filter(|one| one.kind == AroundKind::Element);
    let names = elements.map(|one| one.name.as_str());
    let names: Vec<&str> = names.take(MAX_NAMED).collect();
    if !names.is_empty() {
        let within = format!("<{}>", names.join("> in <"));
        at.symbol = match at.symbol.as_str() {
            "" => within,
            symbol => format!("{symbol} {within}"),
        };
    }
    Ok(TextPlace { at, around })
}

/// Makes the occurrence of a line of a file that is not indexed.
fn unindexed(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
    line: u32,
) -> Result<Occurrence, QueryError> {
    let text = read(occurrences, path)?.unwrap_or_default();
    let source = text.lines().nth(line.saturating_sub(1) as usize);
    let source = source.map(|line| line.trim().chars().take(MAX_SHOWN).collect());
    Ok(Occurrence {
        path: path.to_owned(),
        line,
        symbol: String::new(),
        source,
    })
}

/// Returns the places of a phrase in a file; only those of texts that seem to equal it if `is_whole`.
fn spots(file: &FileHits, text: &str, phrase: &Phrase, is_whole: bool) -> Vec<Spot> {
    let path = file.path.as_str();
    let mut found = Vec::new();
    for (number, start, line) in matching_lines(text, file) {
        if line.len() > MAX_LINE_BYTES || is_generated(path, line) {
            continue;
        }

        for at in starts(line, phrase) {
            let offset = start + at;
            let own = text_from(path, text, offset);
            let words = own.and_then(|own| words_equal(own, phrase, false));
            if let Some(words) = words.or((!is_whole).then_some(0)) {
                found.push(Spot {
                    path: path.to_owned(),
                    line: number,
                    offset,
                    words,
                });
            }
        }
    }

    found
}

/// Reads the texts at some places, those of a file together.
fn candidates(
    occurrences: &Occurrences<'_, '_>,
    spots: &[&Spot],
) -> Result<Vec<Candidate>, QueryError> {
    let mut found: Vec<Candidate> = Vec::new();
    for of_file in spots.chunk_by(|a, b| a.path == b.path) {
        let path = of_file[0].path.as_str();
        let text = read(occurrences, path)?.unwrap_or_default();
        let is_resource = RESOURCES.contains(&ending(path).as_str());
        let offsets: Vec<usize> = of_file.iter().map(|spot| spot.offset).collect();

        for (spot, around) in of_file.iter().zip(surroundings(path, &text, &offsets)) {
            let Some(own) = around.text.as_deref().map(unescaped) else {
                continue;
            };
            let mut known = found.iter();
            let is_known =
                known.any(|one| one.path == path && one.line == spot.line && one.text == own);
            let key = keys::key_at(path, &text, spot.offset, &around);
            if is_known || is_resource && key.is_none() {
                continue;
            }
            found.push(Candidate {
                path: path.to_owned(),
                line: spot.line,
                text: own,
                around,
                key,
            });
        }
    }
    Ok(found)
}

/// Reports whether a line belongs to code that is generated from `.resx`.
pub(super) fn is_generated(path: &str, line: &str) -> bool {
    path.ends_with(".Designer.cs") && line.contains("ResourceManager.GetString(")
}

/// Reports whether a text that contains a phrase is surely shown: that of an element or a resource.
fn is_visible(candidate: &Candidate) -> bool {
    let innermost = candidate.around.around.first();
    let is_element = innermost.is_some_and(|one| one.kind == AroundKind::Element);
    candidate.key.is_some() || is_element
}

/// Returns the text of the string or element that seems to begin at an offset; `None` if none does. A brace
/// ends the text of an element, but not that of a resource.
fn text_from<'t>(path: &str, text: &'t str, offset: usize) -> Option<&'t str> {
    let is_resource = RESOURCES.contains(&ending(path).as_str());
    let ends: &[char] = if is_resource { &['<'] } else { &['<', '{'] };
    let before = text[..offset].trim_end_matches("&amp;");
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || is_mark(c));
    let rest = &text[offset..];
    let rest = &rest[..rest.floor_char_boundary(MAX_LINE_BYTES)];
    let until = |ends: &[char]| &rest[..rest.find(ends).unwrap_or(rest.len())];
    match before.chars().next_back() {
        Some(quote @ ('"' | '\'' | '`')) => Some(until(&[quote])),
        // An arrow or comparison precedes code; so does the end of a block.
        Some('>') if !before.ends_with("=>") => Some(until(ends)),
        Some('}') => Some(until(ends)).filter(|own| !own.contains(['=', ';', '('])),
        _ => None,
    }
}

/// Returns the callee of the innermost call around a string on a line of code: `send` of `send({ event: "closed" })`.
pub fn call_around(
    occurrences: &Occurrences<'_, '_>,
    place: &Occurrence,
    text: &str,
) -> Result<Option<String>, QueryError> {
    let Some(source) = read(occurrences, &place.path)?.filter(|_| place.line > 0) else {
        return Ok(None);
    };

    let before = source.split_inclusive('\n').take(place.line as usize - 1);
    let start: usize = before.map(str::len).sum();
    let line = source[start..].lines().next().unwrap_or_default();
    let Some(at) = line.find(text) else {
        return Ok(None);
    };

    let found = surroundings(&place.path, &source, &[start + at]);
    let around = found.into_iter().flat_map(|found| found.around);
    let mut calls = around.filter(|around| around.kind == AroundKind::Call);
    Ok(calls.next().map(|call| call.name))
}

/// Returns the text at each offset of a file and what contains it.
pub(super) fn surroundings(path: &str, text: &str, offsets: &[usize]) -> Vec<Surroundings> {
    let scan = match Dialect::of_path(path) {
        Some(dialect) => return LANGUAGES.surroundings(text, dialect, offsets),
        None if ending(path) == "json" => keys::json_text,
        None => markup::surroundings,
    };
    offsets.iter().map(|offset| scan(text, *offset)).collect()
}

/// Returns the lines of a file that matched, with their numbers and offsets.
pub(super) fn matching_lines<'t>(text: &'t str, file: &FileHits) -> Vec<(u32, usize, &'t str)> {
    let numbers: BTreeSet<u64> = file.hits.iter().map(|hit| hit.line).collect();
    let mut start = 0;
    let mut found = Vec::with_capacity(numbers.len());
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if numbers.contains(&number) {
            found.push((number as u32, start, line));
        }
        start += line.len();
    }
    found
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

/// Returns the files with lines that match a pattern.
pub(super) fn matching_files(
    occurrences: &Occurrences<'_, '_>,
    pattern: &str,
    case: Case,
    is_wanted: fn(&str) -> bool,
) -> Result<MatchingFiles, QueryError> {
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
    let stats = occurrences
        .sources
        .workspace()
        .search_text(&files, &query, is_wanted, &take)
        .map_err(|error: SearchError| QueryError::Pattern(error.to_string()))?;
    occurrences.sources.snapshot().check()?;

    let mut files = matching.into_inner().unwrap_or_default();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let has_more = |file: &FileHits| file.count > file.hits.len() as u64;
    let is_cut = stats.timed_out || files.iter().any(has_more);
    Ok(MatchingFiles { files, is_cut })
}
