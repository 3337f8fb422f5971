//! The tool `local_find_files`.
//!
//! Limitations: `regex` is matched against the whole path, and `regexType` is ignored. `readable`,
//! `writable` and `executable` test permission bits, not the rights of the server's user.

use std::time::{Duration, SystemTime};

use codeagent_workspace::{
    Case, Item, ItemKind, RepoPath, SpecialFile, TextQuery, WalkControl, Workspace, line_matcher,
    path_glob,
};
use serde_json::{Value, json};

use super::contract::Query;
use super::pages::{Page, part};
use super::{is_secret, path, shown, time};
use crate::error::{ErrorKind, FileToolError};

/// Maximum number of visited entries.
const MAX_ENTRIES: usize = 1_000_000;
/// Default number of results.
const LIMIT: usize = 1_000;
const DEPTH: usize = 5;

type Condition = Box<dyn Fn(&Item) -> bool>;

pub fn answer(workspace: &Workspace, query: &Query) -> Result<Value, FileToolError> {
    let at = path(workspace, query)?;
    let mut found = find_items(workspace, query, &at)?;
    found.sort_by(|a, b| (b.modified, &a.path).cmp(&(a.modified, &b.path)));
    found.truncate(query.number("limit").unwrap_or(LIMIT));

    let page = Page {
        number: query.number("filePageNumber").unwrap_or(1),
        size: query.number("filesPerPage").unwrap_or(20),
        total: found.len(),
    };
    let files: Vec<Value> = page
        .of(&found)
        .iter()
        .map(|item| item_json(query, item))
        .collect();

    if files.is_empty() {
        let hints = [
            "No files found",
            "Try iname, a wider pattern, a larger maxDepth or fewer conditions",
        ];
        return Ok(
            json!({ "status": "empty", "path": shown(&at), "totalFiles": found.len(), "hints": hints }),
        );
    }

    let mut hints = page.hints(files.len(), "filePageNumber");
    hints.push("Sorted by modification time, newest first".to_owned());
    let mut answer = json!({
        "status": "hasResults", "path": shown(&at), "files": files, "totalFiles": found.len(), "pagination": page.to_json("Files"),
    });

    if let Some(length) = query.number("charLength") {
        let rows: Vec<String> = files.iter().map(Value::to_string).collect();
        let rows = rows.join("\n");
        let part = part(&rows, query.number("charOffset"), Some(length));
        answer["files"] = part.text.into();
        answer["charPagination"] = part.to_json();
        hints.push(part.hint());
    }

    answer["hints"] = hints.into();
    Ok(answer)
}

/// Returns the entries below a folder that meet all conditions of the query.
fn find_items(
    workspace: &Workspace,
    query: &Query,
    at: &RepoPath,
) -> Result<Vec<Item>, FileToolError> {
    let conditions = conditions(workspace, query, at)?;
    let min_depth = query.number("minDepth").unwrap_or_default();
    let max_depth = query.number("maxDepth").unwrap_or(DEPTH);
    let excluded: Vec<&str> = query.texts("excludeDir");
    let (mut found, mut seen) = (Vec::new(), 0);

    workspace.descend(at, max_depth, &mut |item| {
        let is_excluded =
            item.kind == ItemKind::Directory && excluded.contains(&item.path.file_name());
        if is_excluded || is_secret(&item.path) {
            return WalkControl::Over;
        }

        seen += 1;
        if item.depth >= min_depth && conditions.iter().all(|holds| holds(item)) {
            found.push(item.clone());
        }

        if seen < MAX_ENTRIES {
            WalkControl::Into
        } else {
            WalkControl::Stop
        }
    })?;

    Ok(found)
}

fn item_json(query: &Query, item: &Item) -> Value {
    let kind = match item.kind {
        ItemKind::Directory => "directory",
        ItemKind::Link => "symlink",
        ItemKind::File | ItemKind::Other(_) => "file",
    };
    let mut row = json!({ "path": item.path.as_str(), "type": kind });
    if query.flag("details") {
        row["size"] = item.length.into();
        row["permissions"] = format!("{:03o}", item.mode & 0o777).into();
    }
    if query.flag("showFileLastModified") {
        row["modified"] = time(item.modified).into();
    }
    row
}

fn bad(message: String) -> FileToolError {
    FileToolError::new(ErrorKind::BadArguments, message)
}

fn conditions(
    workspace: &Workspace,
    query: &Query,
    at: &RepoPath,
) -> Result<Vec<Condition>, FileToolError> {
    let mut all: Vec<Condition> = Vec::new();
    names(query, &mut all)?;
    paths(query, at, &mut all)?;
    times_and_sizes(query, &mut all)?;

    let bits = [
        ("executable", 0o111),
        ("readable", 0o444),
        ("writable", 0o222),
    ];

    for (_, bits) in bits.into_iter().filter(|(name, _)| query.flag(name)) {
        all.push(Box::new(move |item| item.mode & bits != 0));
    }

    if let Some(text) = query.some_text("permissions") {
        let mode = u32::from_str_radix(text.trim_start_matches(['-', '/']), 8)
            .map_err(|_| bad(format!("permissions: {text:?} is not an octal mode")))?;
        all.push(match text.chars().next() {
            Some('-') => Box::new(move |item| item.mode & mode == mode),
            Some('/') => Box::new(move |item| item.mode & mode != 0),
            _ => Box::new(move |item| item.mode == mode),
        });
    }

    if let Some(kind) = query.some_text("type").map(str::to_owned) {
        all.push(Box::new(move |item| is_of_type(item, &kind)));
    }

    if query.flag("empty") {
        let workspace = workspace.clone();
        all.push(Box::new(move |item| match item.kind {
            ItemKind::Directory => workspace
                .items(&item.path)
                .is_ok_and(|(items, unreadable)| items.is_empty() && unreadable == 0),
            ItemKind::File => item.length == 0,
            ItemKind::Link | ItemKind::Other(_) => false,
        }));
    }

    Ok(all)
}

fn is_of_type(item: &Item, kind: &str) -> bool {
    item.kind
        == match kind {
            "f" => ItemKind::File,
            "d" => ItemKind::Directory,
            "l" => ItemKind::Link,
            "b" => ItemKind::Other(SpecialFile::BlockDevice),
            "c" => ItemKind::Other(SpecialFile::CharacterDevice),
            "p" => ItemKind::Other(SpecialFile::Pipe),
            _ => ItemKind::Other(SpecialFile::Socket),
        }
}

fn glob(name: &str, pattern: &str) -> Result<impl Fn(&str) -> bool + use<>, FileToolError> {
    path_glob(pattern).map_err(|error| bad(format!("{name}: {error}")))
}

fn names(query: &Query, all: &mut Vec<Condition>) -> Result<(), FileToolError> {
    if let Some(pattern) = query.some_text("name") {
        let matches = glob("name", pattern)?;
        all.push(Box::new(move |item| matches(item.path.file_name())));
    }

    if let Some(pattern) = query.some_text("iname") {
        let matches = glob("iname", &pattern.to_lowercase())?;
        all.push(Box::new(move |item| {
            matches(&item.path.file_name().to_lowercase())
        }));
    }

    let names = query.texts("names");
    if !names.is_empty() {
        let matches = names
            .iter()
            .map(|pattern| glob("names", pattern))
            .collect::<Result<Vec<_>, _>>()?;
        all.push(Box::new(move |item| {
            matches.iter().any(|matches| matches(item.path.file_name()))
        }));
    }

    Ok(())
}

fn paths(query: &Query, at: &RepoPath, all: &mut Vec<Condition>) -> Result<(), FileToolError> {
    if let Some(pattern) = query.some_text("pathPattern") {
        let matches = glob("pathPattern", pattern)?;
        // A pattern may refer to the path from the root or from the searched folder.
        let start = at.as_str().to_owned();
        all.push(Box::new(move |item| {
            let path = item.path.as_str();
            let below = path
                .strip_prefix(&start)
                .map_or(path, |below| below.trim_start_matches('/'));
            matches(path) || matches(below)
        }));
    }

    if let Some(pattern) = query.some_text("regex") {
        let pattern = TextQuery {
            pattern: pattern.to_owned(),
            case: Case::Sensitive,
            ..TextQuery::default()
        };
        let matches = line_matcher(&pattern).map_err(|error| bad(format!("regex: {error}")))?;
        all.push(Box::new(move |item| matches(item.path.as_str())));
    }

    Ok(())
}

fn times_and_sizes(query: &Query, all: &mut Vec<Condition>) -> Result<(), FileToolError> {
    let since = |name: &str| -> Result<Option<SystemTime>, FileToolError> {
        let Some(text) = query.some_text(name) else {
            return Ok(None);
        };
        let age = age(text).ok_or_else(|| {
            bad(format!(
                "{name}: {text:?} is not a duration; write 7d, 2h or 30m"
            ))
        })?;

        Ok(Some(
            SystemTime::now()
                .checked_sub(age)
                .unwrap_or(SystemTime::UNIX_EPOCH),
        ))
    };

    if let Some(after) = since("modifiedWithin")? {
        all.push(Box::new(move |item| item.modified >= after));
    }

    if let Some(before) = since("modifiedBefore")? {
        all.push(Box::new(move |item| item.modified < before));
    }

    if let Some(after) = since("accessedWithin")? {
        all.push(Box::new(move |item| item.accessed >= after));
    }

    for (name, wants_greater) in [("sizeGreater", true), ("sizeLess", false)] {
        if let Some(text) = query.some_text(name) {
            let limit = size(text).ok_or_else(|| {
                bad(format!(
                    "{name}: {text:?} is not a size; write 10M, 100k or 1G"
                ))
            })?;

            all.push(Box::new(move |item| {
                if wants_greater {
                    item.length > limit
                } else {
                    item.length < limit
                }
            }));
        }
    }

    Ok(())
}

/// Parses an age: `7d`, `2h`, `30m`, `90s`, `1w`.
fn age(text: &str) -> Option<Duration> {
    let (number, unit) = text
        .trim()
        .split_at_checked(text.trim().len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    Some(Duration::from_secs(
        number.parse::<u64>().ok()?.checked_mul(seconds)?,
    ))
}

/// Parses a size: `512`, `100k`, `10M`, `1G`.
fn size(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches(['b', 'B', 'c']);
    let unit = match text.chars().last()?.to_ascii_lowercase() {
        'k' => 1 << 10,
        'm' => 1 << 20,
        'g' => 1 << 30,
        _ => 1,
    };
    text.trim_end_matches(|last: char| last.is_ascii_alphabetic())
        .parse::<u64>()
        .ok()?
        .checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_parsed() {
        assert_eq!(age("7d"), Some(Duration::from_secs(604_800)));
        assert_eq!(age("30m"), Some(Duration::from_secs(1_800)));
        assert_eq!(age("x"), None);
        assert_eq!(age(""), None);

        assert_eq!(size("10M"), Some(10 << 20));
        assert_eq!(size("100k"), Some(100 << 10));
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("1GB"), Some(1 << 30));
        assert_eq!(size("k"), None);
        assert_eq!(size("99999999999999999999"), None);
    }
}
