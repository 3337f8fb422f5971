//! The tool `local_ripgrep`.
//!
//! Limitations: stores at most 1,000 matches per file, of which a page shows up to 100. `smartCase`
//! is the default; the other two case options override it. `jsonOutput`, `passthru`, `mmap` and
//! `noMessages` have no effect, and the answer says so.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codeagent_workspace::{
    Binary, Case, FileHits, Files, Hit, RepoPath, SearchError, SearchStats, TextQuery, Workspace,
};
use serde_json::{Value, json};

use super::contract::Query;
use super::pages::Page;
use super::secrets::is_secret_name;
use super::{path, shown, time};
use crate::error::{ErrorKind, FileToolError};

/// Time limit of a search.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit of a search with a PCRE2 pattern, which may be slow on little text.
const PERL_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of stored matches per file.
const DEFAULT_MATCHES: usize = 1_000;
/// Maximum total number of stored matches; about ten megabytes, the contract's output limit.
const MAX_MATCHES: usize = 50_000;

pub fn answer(workspace: &Workspace, query: &Query) -> Result<Value, FileToolError> {
    let query = &with_mode(query);
    if query.flag("filesOnly") && (query.flag("passthru") || query.flag("filesWithoutMatch")) {
        return Err(FileToolError::new(
            ErrorKind::BadArguments,
            "filesOnly excludes passthru and filesWithoutMatch",
        ));
    }

    let at = path(workspace, query)?;
    let limit = if query.flag("perlRegex") {
        PERL_TIMEOUT
    } else {
        TIMEOUT
    };

    let search = search(workspace, query, &at, Deadline::in_time(limit))?;
    let kept: usize = search.found.iter().map(|file| file.hits.len()).sum();

    if kept > MAX_MATCHES {
        Ok(too_many_matches(&at))
    } else if search.found.is_empty() {
        Ok(no_matches(query, &at, &search))
    } else {
        Ok(matches_json(workspace, query, &at, search))
    }
}

fn too_many_matches(at: &RepoPath) -> Value {
    let hints = vec![
        format!("More than {MAX_MATCHES} matches: the pattern is too broad"),
        "Use filesOnly=true to see which files match, then narrow by path, type or include"
            .to_owned(),
    ];
    super::error("outputTooLarge", shown(at), hints)
}

fn no_matches(query: &Query, at: &RepoPath, search: &Search) -> Value {
    let hints = [
        "No matches",
        "Try a shorter or fixedString pattern, caseInsensitive=true, or a wider path",
        "noIgnore and hidden search more files",
    ];
    let hints: Vec<String> = hints
        .into_iter()
        .map(str::to_owned)
        .chain(search.debug_hint(query))
        .collect();

    json!({
        "status": "empty",
        "path": shown(at),
        "searchEngine": "rg",
        "stats": search.stats_json(query),
        "warnings": warnings(query),
        "hints": hints,
    })
}

/// Returns a page of the found files.
fn matches_json(workspace: &Workspace, query: &Query, at: &RepoPath, mut search: Search) -> Value {
    let (stats, debug) = (search.stats_json(query), search.debug_hint(query));
    let found = &mut search.found;
    sort(workspace, query, found);
    let matching = found.len();
    found.truncate(query.number("maxFiles").unwrap_or(usize::MAX));

    let page = Page {
        number: query.number("filePageNumber").unwrap_or(1),
        size: query.number("filesPerPage").unwrap_or(10),
        total: found.len(),
    };
    let files: Vec<Value> = page
        .of(found)
        .iter()
        .map(|file| file_json(workspace, query, file))
        .collect();

    let total: u64 = found.iter().map(|file| file.count).sum();
    let mut hints = page.hints(files.len(), "filePageNumber");
    hints.push(format!(
        "Total: {total} matches across {} files",
        found.len()
    ));

    if matching > found.len() {
        hints.push(format!(
            "Limited to {} of {matching} matching files by maxFiles",
            found.len()
        ));
    }

    hints.extend(debug);
    if !lists_files(query) {
        hints.push(
            "location.charOffset is a byte offset; local_fetch_content takes the same".to_owned(),
        );
    }

    json!({
        "status": "hasResults",
        "path": shown(at),
        "searchEngine": "rg",
        "files": files,
        "totalMatches": total,
        "totalFiles": found.len(),
        "pagination": page.to_json("Files"),
        "stats": stats,
        "warnings": warnings(query),
        "hints": hints,
    })
}

/// Applies the defaults of a query's `mode`; explicit options win.
fn with_mode(query: &Query) -> Query {
    let mut query = query.clone();
    let presets: &[(&str, Value)] = match query.text("mode") {
        "discovery" => &[("filesOnly", json!(true))],
        "paginated" => &[("maxMatchesPerFile", json!(3))],
        "detailed" => &[("contextLines", json!(3))],
        _ => &[],
    };
    for (name, value) in presets {
        if query.0[*name].is_null() {
            query.0[*name] = value.clone();
        }
    }
    query
}

fn lists_files(query: &Query) -> bool {
    ["filesOnly", "filesWithoutMatch", "count", "countMatches"]
        .into_iter()
        .any(|name| query.flag(name))
}

fn case(query: &Query) -> Case {
    if query.flag("caseSensitive") {
        Case::Sensitive
    } else if query.flag("caseInsensitive") {
        Case::Insensitive
    } else if query.flag("smartCase") {
        Case::Smart
    } else {
        Case::Sensitive
    }
}

fn text_query(query: &Query) -> TextQuery {
    let lines = |name: &str| {
        query
            .number("contextLines")
            .or_else(|| query.number(name))
            .unwrap_or_default()
    };

    let length = query.number("matchContentLength").unwrap_or(200);
    TextQuery {
        pattern: query.text("pattern").to_owned(),
        is_literal: query.flag("fixedString"),
        perl: query.flag("perlRegex"),
        case: case(query),
        whole_word: query.flag("wholeWord"),
        whole_line: query.flag("lineRegexp"),
        invert: query.flag("invertMatch"),
        multi_line: query.flag("multiline"),
        dot_all: query.flag("multilineDotall"),
        ascii: query.flag("noUnicode"),
        context: (lines("beforeContext"), lines("afterContext")),
        count_occurrences: query.flag("countMatches"),
        binary: match query.text("binaryFiles") {
            "text" => Binary::Text,
            "binary" => Binary::Detect,
            _ => Binary::Skip,
        },
        encoding: query.some_text("encoding").map(str::to_owned),
        keep: if lists_files(query) {
            0
        } else {
            query.number("maxMatchesPerFile").unwrap_or(DEFAULT_MATCHES)
        },
        // The shown characters have at most four bytes each.
        line_bytes: length * 4 + 4,
        misses: query.flag("filesWithoutMatch"),
        ..TextQuery::default()
    }
}

/// A finished search.
struct Search {
    /// In path order.
    found: Vec<FileHits>,
    stats: SearchStats,
    /// The duration, as text.
    took: String,
}

impl Search {
    /// Returns the hint for `debug`: how the search was done.
    fn debug_hint(&self, query: &Query) -> Option<String> {
        if !query.flag("debug") {
            return None;
        }

        let engine = if query.flag("perlRegex") && !query.flag("fixedString") {
            "pcre2"
        } else {
            "regex"
        };
        let threads = query
            .number("threads")
            .map_or_else(|| "auto".to_owned(), |threads| threads.to_string());
        let yes_no = |name: &str| if query.flag(name) { "yes" } else { "no" };

        Some(format!(
            "debug: engine {engine}, threads {threads}, case {:?}, ignore files {}, hidden files {}, links followed {}; {} files of {} bytes in {}",
            case(query),
            if query.flag("noIgnore") { "no" } else { "yes" },
            yes_no("hidden"),
            yes_no("followSymlinks"),
            self.stats.files,
            self.stats.bytes,
            self.took,
        ))
    }

    fn stats_json(&self, query: &Query) -> Option<Value> {
        let matches: u64 = self.found.iter().map(|file| file.count).sum();
        query.flag("includeStats").then(|| {
            json!({
                "matchCount": matches,
                "filesMatched": self.found.len(),
                "filesSearched": self.stats.files,
                "bytesSearched": self.stats.bytes,
                "searchTime": self.took,
            })
        })
    }
}

/// When a search began, and how long it may take.
struct Deadline {
    begun: Instant,
    limit: Duration,
}

impl Deadline {
    fn in_time(limit: Duration) -> Self {
        Self {
            begun: Instant::now(),
            limit,
        }
    }
}

/// Searches below a path.
///
/// # Errors
///
/// The pattern or path is invalid, or the time is up.
fn search(
    workspace: &Workspace,
    query: &Query,
    at: &RepoPath,
    deadline: Deadline,
) -> Result<Search, FileToolError> {
    let found = Mutex::new((Vec::new(), 0_usize));
    // The parents were checked before.
    let wanted = |path: &RepoPath, _is_folder: bool| !is_secret_name(path.file_name());
    let misses = query.flag("filesWithoutMatch");
    let take = |hits: FileHits| {
        let mut found = found
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if (hits.count == 0) == misses && found.1 <= MAX_MATCHES {
            found.1 += hits.hits.len();
            found.0.push(hits);
        }
    };

    let text_query = TextQuery {
        deadline: Some(deadline.begun + deadline.limit),
        cancel: Arc::clone(&query.1),
        ..text_query(query)
    };
    let stats = workspace
        .search_text(&searched_files(query, at), &text_query, wanted, &take)
        .map_err(|error| match error {
            SearchError::Path(error) => FileToolError::from(error),
            other => FileToolError::new(ErrorKind::BadPattern, other.to_string()),
        })?;
    if stats.timed_out {
        return Err(FileToolError::new(
            ErrorKind::TimedOut,
            format!(
                "the search timed out after {} s; use a narrower path or pattern",
                deadline.limit.as_secs()
            ),
        ));
    }

    let (mut found, _) = found
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Search {
        found,
        stats,
        took: format!("{:.6}s", deadline.begun.elapsed().as_secs_f64()),
    })
}

/// Returns which files below a path the query asks for.
fn searched_files(query: &Query, at: &RepoPath) -> Files {
    let excluded = query.texts("exclude").into_iter().map(str::to_owned);
    let excluded_folders = query
        .texts("excludeDir")
        .into_iter()
        .map(|folder| format!("**/{folder}/**"));

    Files {
        at: at.clone(),
        respects_ignore: !query.flag("noIgnore"),
        hidden: query.flag("hidden"),
        include: query
            .texts("include")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        exclude: excluded.chain(excluded_folders).collect(),
        file_type: query.some_text("type").map(str::to_owned),
        follow_links: query.flag("followSymlinks"),
        threads: query.number("threads").unwrap_or_default(),
    }
}

fn sort(workspace: &Workspace, query: &Query, found: &mut [FileHits]) {
    let by = if query.flag("showFileLastModified") && query.text("sort") == "path" {
        "modified"
    } else {
        query.text("sort")
    };

    if matches!(by, "modified" | "accessed" | "created") {
        let times = |file: &FileHits| workspace.metadata(&file.path).ok();
        found.sort_by_cached_key(|file| {
            let metadata = times(file);
            let time = metadata.and_then(|metadata| match by {
                "accessed" => metadata.accessed().ok(),
                "created" => metadata.created().ok(),
                _ => metadata.modified().ok(),
            });
            // Newest first.
            (std::cmp::Reverse(time), file.path.clone())
        });
    }

    if query.flag("sortReverse") {
        found.reverse();
    }
}

fn file_json(workspace: &Workspace, query: &Query, file: &FileHits) -> Value {
    let size = query.number("matchesPerPage").unwrap_or(10);
    let page = Page {
        number: 1,
        size,
        total: file.hits.len(),
    };

    let matches: Vec<Value> = page
        .of(&file.hits)
        .iter()
        .map(|hit| match_json(query, &file.path, hit))
        .collect();

    let count = query.flag("includeDistribution").then_some(file.count);
    let mut row = json!({ "path": file.path.as_str(), "matchCount": count, "matches": matches });
    if page.has_more() {
        row["pagination"] = json!({
            "currentPage": 1, "totalPages": page.pages(), "matchesPerPage": size, "totalMatches": file.hits.len(), "hasMore": true,
        });
    }

    if query.flag("showFileLastModified") {
        row["modified"] = workspace
            .modified(&file.path)
            .map_or(Value::Null, |modified| time(modified).into());
    }

    row
}

fn match_json(query: &Query, path: &RepoPath, hit: &Hit) -> Value {
    let lines: Vec<&str> = hit
        .before
        .iter()
        .chain([&hit.text])
        .chain(&hit.after)
        .map(String::as_str)
        .collect();

    let whole = if query.flag("vimgrepFormat") {
        format!("{path}:{}:{}:{}", hit.line, hit.column, hit.text)
    } else {
        lines.join("\n")
    };

    let most = query.number("matchContentLength").unwrap_or(200);
    let value = match whole.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &whole[..end]),
        None => whole,
    };

    let mut row = json!({ "value": value, "location": { "charOffset": hit.offset, "charLength": hit.length } });
    if query.flag("lineNumbers") {
        row["line"] = hit.line.into();
    }
    // Shown unless declined, because callers usually need it.
    if query.0["column"] != json!(false) {
        row["column"] = hit.column.into();
    }
    row
}

/// Options without effect, with the reason.
const WITHOUT_EFFECT: [(&str, &str); 4] = [
    ("jsonOutput", "all answers have the same format"),
    ("passthru", "use local_fetch_content for whole files"),
    ("mmap", "files are always read through handles"),
    (
        "noMessages",
        "files that cannot be read are always skipped silently",
    ),
];

fn warnings(query: &Query) -> Vec<String> {
    let ignored = WITHOUT_EFFECT.iter().filter(|(name, _)| query.flag(name));
    let mut warnings: Vec<String> = ignored
        .map(|(name, why)| format!("{name} has no effect: {why}"))
        .collect();
    if query.flag("multiline") {
        warnings.push("multiline is slow and reads whole files".to_owned());
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_ripgrep_timeout_is_reported() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let query = Query(json!({ "pattern": "x", "path": "." }), Arc::default());
        let deadline = Deadline::in_time(Duration::ZERO);
        let Err(failure) = search(&workspace, &query, &RepoPath::root(), deadline) else {
            panic!("the search was in time");
        };
        assert_eq!(
            (failure.kind, super::super::code(failure.kind)),
            (ErrorKind::TimedOut, "commandExecutionFailed")
        );
    }
}
