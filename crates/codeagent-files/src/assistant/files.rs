//! The tools `list_files`, `read_file` and `get_repo_overview`.
//!
//! Limitations: at most 200,000 entries are counted; a tree shows at most 10,000.

use std::collections::BTreeMap;

use base64::Engine as _;
use codeagent_workspace::{EntryKind, Item, ItemKind, RepoPath, WalkControl};
use serde_json::{Map, Value, json};

use super::{glob, path, time};
use crate::error::{ErrorKind, FileToolError};
use crate::tool::Call;

/// Maximum number of entries in an answer of `list_files`.
const MAX_LISTED: usize = 500;
/// Maximum number of visited entries.
const MAX_COUNTED: usize = 200_000;
/// Maximum number of entries in a tree.
const MAX_TREE: usize = 10_000;
/// Maximum number of rows in `stats.languages`.
const MAX_LANGUAGES: usize = 15;

/// Extensions of files that are not read as text.
const BLOCKED: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "ico", "webp", "bmp", "zip", "tar", "gz", "bz2", "7z", "rar",
    "exe", "dll", "so", "dylib", "wasm", "pyc", "class", "o", "obj", "woff", "woff2", "ttf", "otf",
    "eot", "mp3", "mp4", "wav", "avi", "mov", "sqlite", "db", "pdf",
];

/// Folders left out of an overview.
const NOT_SHOWN: &[&str] = &[
    "node_modules",
    ".git",
    ".next",
    "dist",
    "build",
    "__pycache__",
    ".cache",
    "coverage",
    ".nyc_output",
];

pub fn list_files(call: &Call<'_>) -> Result<Value, FileToolError> {
    let text = call.arguments.required_text("directory");
    let folder = path(call, text).map_err(FileToolError::of_folder)?;
    let pattern = call.arguments.text("pattern").map(glob).transpose()?;
    let hidden = call.arguments.flag("include_hidden");
    let (mut files, mut total) = (Vec::new(), 0);
    let visited = call.workspace.descend(
        &folder,
        call.arguments.number("max_depth").unwrap_or_default(),
        &mut |item| {
            if !hidden && item.path.file_name().starts_with('.') {
                return WalkControl::Over;
            }

            let is_folder = is_folder(call, item);
            if pattern
                .as_ref()
                .is_none_or(|matches| !is_folder && matches(&item.path))
            {
                total += 1;
                if files.len() < MAX_LISTED {
                    files.push(listed(item, is_folder));
                }
            }

            if total < MAX_COUNTED {
                WalkControl::Into
            } else {
                WalkControl::Stop
            }
        },
    );

    visited.map_err(|error| FileToolError::from(error).of_folder().about(text))?;
    Ok(json!({ "files": files, "total_count": total, "truncated": total > files.len() }))
}

/// Reports whether an item is a folder, or a link to a folder inside the root.
fn is_folder(call: &Call<'_>, item: &Item) -> bool {
    match item.kind {
        ItemKind::Directory => true,
        ItemKind::Link => call
            .workspace
            .stat(&item.path)
            .is_ok_and(|entry| entry.kind == EntryKind::Directory),
        ItemKind::File | ItemKind::Other(_) => false,
    }
}

fn listed(item: &Item, is_folder: bool) -> Value {
    if is_folder {
        return json!({ "path": item.path.as_str(), "type": "directory" });
    }
    json!({ "path": item.path.as_str(), "type": "file", "size": item.size(), "modified_at": time(item.modified) })
}

pub fn read_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let text = call.arguments.required_text("path");
    let file = path(call, text)?;
    let is_text = call.arguments.text("encoding") == Some("utf-8");
    let extension = file
        .file_name()
        .rsplit_once('.')
        .map_or(String::new(), |(_, extension)| {
            extension.to_ascii_lowercase()
        });

    let about = |error| FileToolError::from(error).about(text);
    if is_text && BLOCKED.contains(&extension.as_str()) {
        call.workspace.stat(&file).map_err(about)?;
        return Err(binary(&file, text));
    }

    let read = call
        .workspace
        .read_bytes_meta(&file, call.options.limits.file_bytes)
        .map_err(about)?;
    let size = read.bytes.len();
    let end = call
        .arguments
        .number("max_bytes")
        .unwrap_or(usize::MAX)
        .min(size);

    let content = if is_text {
        if read.bytes[..size.min(8_192)].contains(&0) {
            return Err(binary(&file, text));
        }
        beginning(&read.bytes, end)
    } else {
        base64::engine::general_purpose::STANDARD.encode(&read.bytes[..end])
    };

    let modified = call
        .workspace
        .modified(&file)
        .map_or_else(|_| String::new(), time);
    Ok(json!({
        "path": text,
        "content": content,
        "size": size,
        "modified_at": modified,
        "encoding": if is_text { "utf-8" } else { "base64" },
        "truncated": end < size,
    }))
}

fn binary(file: &RepoPath, text: &str) -> FileToolError {
    FileToolError::new(
        ErrorKind::Binary,
        format!("{file} is binary; read it with encoding \"base64\""),
    )
    .about(text)
}

/// Returns the first `end` bytes as text, without a character that was cut in two.
fn beginning(bytes: &[u8], end: usize) -> String {
    let cut = &bytes[..end];
    match std::str::from_utf8(cut) {
        Err(error) if error.error_len().is_none() && end < bytes.len() => {
            String::from_utf8_lossy(&cut[..error.valid_up_to()]).into_owned()
        }
        _ => String::from_utf8_lossy(cut).into_owned(),
    }
}

#[derive(Default)]
struct Stats {
    files: u64,
    folders: u64,
    bytes: u64,
    extensions: BTreeMap<String, (u64, u64)>,
}

pub fn get_repo_overview(call: &Call<'_>) -> Result<Value, FileToolError> {
    let depth = call.arguments.number("max_depth").unwrap_or_default();
    let with_stats = call.arguments.flag("include_stats");
    let name = call.workspace.root().file_name().map_or_else(
        || "/".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    let mut stats = Stats::default();
    let mut children: BTreeMap<RepoPath, Vec<Item>> = BTreeMap::new();
    let (mut shown, mut seen) = (0, 0);

    let levels = if with_stats { usize::MAX } else { depth };
    call.workspace
        .descend(&RepoPath::root(), levels, &mut |item| {
            if item.kind == ItemKind::Directory && NOT_SHOWN.contains(&item.path.file_name()) {
                return WalkControl::Over;
            }

            stats.count(item);
            if item.depth <= depth
                && shown < MAX_TREE
                && matches!(item.kind, ItemKind::File | ItemKind::Directory)
            {
                shown += 1;
                children
                    .entry(item.path.parent().unwrap_or_default())
                    .or_default()
                    .push(item.clone());
            }

            seen += 1;
            if seen < MAX_COUNTED {
                WalkControl::Into
            } else {
                WalkControl::Stop
            }
        })?;

    let structure = json!({ "name": name, "type": "directory", "children": nodes(&mut children, &RepoPath::root(), depth) });
    let mut overview = json!({ "root": name, "structure": structure });
    if with_stats {
        overview["stats"] = stats.into_json();
    }

    Ok(overview)
}

/// Lists the nodes of a folder, down to the requested depth.
fn nodes(
    children: &mut BTreeMap<RepoPath, Vec<Item>>,
    folder: &RepoPath,
    depth: usize,
) -> Vec<Value> {
    let items = children.remove(folder).unwrap_or_default();
    let node = |item: &Item| {
        let mut node = Map::new();
        node.insert("name".to_owned(), item.path.file_name().into());
        if item.kind == ItemKind::Directory {
            node.insert("type".to_owned(), "directory".into());
            if depth > 1 {
                node.insert(
                    "children".to_owned(),
                    nodes(children, &item.path, depth - 1).into(),
                );
            }
        } else {
            node.insert("type".to_owned(), "file".into());
            node.insert("size".to_owned(), item.size().into());
        }

        Value::Object(node)
    };

    items.iter().map(node).collect()
}

impl Stats {
    fn count(&mut self, item: &Item) {
        match item.kind {
            ItemKind::Directory => self.folders += 1,
            ItemKind::File => {
                self.files += 1;
                self.bytes += item.size();
                let name = item.path.file_name();
                let extension = name
                    .rfind('.')
                    .filter(|at| *at > 0)
                    .map_or_else(String::new, |at| name[at..].to_ascii_lowercase());
                let row = self.extensions.entry(extension).or_default();
                *row = (row.0 + 1, row.1 + item.size());
            }
            ItemKind::Link | ItemKind::Other(_) => {}
        }
    }

    fn into_json(self) -> Value {
        let mut rows: Vec<_> = self
            .extensions
            .into_iter()
            .filter(|(extension, _)| !extension.is_empty())
            .collect();
        rows.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
        rows.truncate(MAX_LANGUAGES);
        let rows: Vec<_> =
            rows.into_iter().map(|(extension, (count, bytes))| json!({ "extension": extension, "count": count, "bytes": bytes })).collect();
        json!({ "total_files": self.files, "total_directories": self.folders, "total_size": self.bytes, "languages": rows })
    }
}
