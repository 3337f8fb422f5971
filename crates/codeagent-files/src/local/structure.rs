//! The tool `local_view_structure`.
//!
//! Limitations: stops after 10,000 entries.

use codeagent_workspace::{Item, ItemKind, RepoPath, WalkControl, Workspace, path_glob};
use serde_json::{Value, json};

use super::contract::Query;
use super::pages::{Page, part};
use super::{is_secret, path, shown, time};
use crate::error::{ErrorKind, FileToolError};

/// Maximum number of visited entries.
const MAX_ENTRIES: usize = 10_000;
/// Default depth of a recursive listing.
const DEPTH: usize = 5;

pub fn answer(workspace: &Workspace, query: &Query) -> Result<Value, FileToolError> {
    let at = path(workspace, query)?;
    let mut entries = list_entries(workspace, query, &at)?;
    sort(query, &mut entries);
    entries.truncate(query.number("limit").unwrap_or(usize::MAX));

    let page = Page {
        number: query.number("entryPageNumber").unwrap_or(1),
        size: query.number("entriesPerPage").unwrap_or(20),
        total: entries.len(),
    };
    let lines: Vec<String> = page
        .of(&entries)
        .iter()
        .map(|item| line(query, item, &at))
        .collect();

    let listing = lines.join("\n");
    let requested = query
        .number("charLength")
        .map(|length| part(&listing, query.number("charOffset"), Some(length)));

    let mut answer = json!({ "status": if entries.is_empty() { "empty" } else { "hasResults" }, "path": shown(&at) });
    answer["structuredOutput"] = requested
        .as_ref()
        .map_or(listing.as_str(), |part| part.text)
        .into();

    let count = |kind| entries.iter().filter(|item| item.kind == kind).count();
    let (files, folders) = (count(ItemKind::File), count(ItemKind::Directory));
    if query.flag("summary") {
        answer["totalFiles"] = files.into();
        answer["totalDirectories"] = folders.into();
        answer["totalSize"] = entries.iter().map(Item::size).sum::<u64>().into();
    }

    answer["pagination"] = page.to_json("Entries");
    let mut hints = page.hints(lines.len(), "entryPageNumber");
    hints.push(format!("Total: {files} files, {folders} directories"));
    if let Some(part) = requested {
        answer["charPagination"] = part.to_json();
        hints.push(part.hint());
    }

    answer["hints"] = hints.into();
    Ok(answer)
}

/// Returns the entries below a folder that the query asks for.
fn list_entries(
    workspace: &Workspace,
    query: &Query,
    at: &RepoPath,
) -> Result<Vec<Item>, FileToolError> {
    let default_depth = if query.flag("recursive") { DEPTH } else { 1 };
    let depth = query.number("depth").unwrap_or(default_depth);
    let shows_hidden = query.flag("hidden");
    let wanted = wanted(query)?;
    let (mut entries, mut seen) = (Vec::new(), 0);

    workspace.descend(at, depth, &mut |item| {
        let is_hidden = !shows_hidden && item.path.file_name().starts_with('.');
        if is_hidden || is_secret(&item.path) {
            return WalkControl::Over;
        }

        seen += 1;
        if wanted(item) {
            entries.push(item.clone());
        }

        if seen < MAX_ENTRIES {
            WalkControl::Into
        } else {
            WalkControl::Stop
        }
    })?;

    Ok(entries)
}

/// Returns a filter for entries.
fn wanted(query: &Query) -> Result<impl Fn(&Item) -> bool + use<>, FileToolError> {
    let pattern = query.some_text("pattern").map(str::to_owned);
    let matches = match pattern
        .as_deref()
        .filter(|pattern| pattern.contains(['*', '?', '[', '{']))
    {
        Some(pattern) => Some(path_glob(&pattern.to_lowercase()).map_err(|error| {
            FileToolError::new(ErrorKind::BadArguments, format!("pattern: {error}"))
        })?),
        None => None,
    };

    let bare = |extension: &str| extension.trim_start_matches('.').to_ascii_lowercase();
    let extensions: Vec<String> = query
        .texts("extensions")
        .into_iter()
        .chain(query.some_text("extension"))
        .map(bare)
        .collect();

    let (folders_only, files_only) = (query.flag("directoriesOnly"), query.flag("filesOnly"));
    Ok(move |item: &Item| {
        let name = item.path.file_name();
        let is_named = match (&matches, &pattern) {
            (Some(matches), _) => matches(&name.to_lowercase()),
            (None, Some(part)) => name.contains(part.as_str()),
            (None, None) => true,
        };
        let other_kind = (folders_only && item.kind != ItemKind::Directory)
            || (files_only && item.kind != ItemKind::File);
        is_named && !other_kind && (extensions.is_empty() || extensions.contains(&extension(name)))
    })
}

fn extension(name: &str) -> String {
    name.rfind('.')
        .filter(|at| *at > 0)
        .map_or_else(String::new, |at| name[at + 1..].to_ascii_lowercase())
}

fn sort(query: &Query, entries: &mut [Item]) {
    match query.text("sortBy") {
        "size" => entries.sort_by(|a, b| (b.size(), &a.path).cmp(&(a.size(), &b.path))),
        "extension" => {
            entries.sort_by_cached_key(|item| (extension(item.path.file_name()), item.path.clone()))
        }
        "name" => entries.sort_by(|a, b| a.path.cmp(&b.path)),
        _ => entries.sort_by(|a, b| (b.modified, &a.path).cmp(&(a.modified, &b.path))),
    }
    if query.flag("reverse") {
        entries.reverse();
    }
}

fn line(query: &Query, item: &Item, at: &RepoPath) -> String {
    let below = item
        .path
        .as_str()
        .strip_prefix(at.as_str())
        .map_or(item.path.as_str(), |below| below.trim_start_matches('/'));

    let indent = "  ".repeat(item.depth.saturating_sub(1));
    // A name may contain line endings.
    let below: String = below
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();

    let mut line = match item.kind {
        ItemKind::Directory => format!("{indent}[DIR]  {below}/"),
        ItemKind::Link => format!("{indent}[LINK] {below}"),
        ItemKind::File | ItemKind::Other(_) => {
            format!(
                "{indent}[FILE] {below} ({})",
                format_size(query, item.size())
            )
        }
    };

    if item.kind == ItemKind::File && !extension(item.path.file_name()).is_empty() {
        line.push_str(&format!(" .{}", extension(item.path.file_name())));
    }

    if query.flag("details") {
        line.push_str(&format!(" {:03o}", item.mode & 0o777));
    }

    if query.flag("details") || query.flag("showFileLastModified") {
        line.push_str(&format!(" {}", time(item.modified)));
    }

    line
}

fn format_size(query: &Query, bytes: u64) -> String {
    if !query.flag("humanReadable") {
        return bytes.to_string();
    }
    let units = [(1_u64 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1}{name}", bytes as f64 / *unit as f64),
        None => format!("{bytes}B"),
    }
}
