//! Tools that list and read files: `list_directory`, `read_file`, `get_directory_tree`. They need
//! no index.
//!
//! Limitations: ignored files are not listed, but may be read by name. `.git` and `.codeagent` are
//! treated as missing.

use std::collections::BTreeMap;

use codeagent_core::query;
use codeagent_render::{Face, Rows, note_text, paged};
use codeagent_workspace::{Entry, EntryKind, FileText, ReadError, RepoPath};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Answer;
use crate::arguments::{Arguments, DefaultValue, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{ENCODING_NOTE, NOTE, Output};
use crate::state::State;
use crate::tools::symbol_args::page;
use crate::tools::{CURSOR, FORMAT, PAGED, Tool};

/// Maximum bytes of an answer of `read_file`.
const MAX_BYTES: usize = 512_000;
/// Maximum lines of an answer of `read_file`.
const MAX_LINES: usize = 10_000;
/// Maximum size of a file that `read_file` shows parts of.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Maximum entries shown of one directory of a tree.
const MAX_ENTRIES: usize = 1_000;
/// Maximum characters of a whole tree; with the note it stays below 48,000.
const TREE_CHARACTERS: usize = 47_800;
/// Characters of a file's entry without its name: `{"name":,"type":"file"},`.
const FILE_COST: usize = 24;
/// Characters of a directory's entry without its name:
/// `{"name":,"type":"directory","children":[],"truncated":true,"more":99999999},`.
const DIRECTORY_COST: usize = 76;

const DIRECTORY_ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::PathEscape,
    Code::IndexError,
];
const FILE_ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::PathEscape,
    Code::BinaryFile,
    Code::TooLarge,
    Code::IndexError,
];

const ROOT: DefaultValue = DefaultValue::Text("");

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "list_directory",
        title: "List a directory",
        doc: "Lists the files and folders of a directory, without ignored ones.",
        parameters: &[
            Parameter::optional(
                "path",
                Kind::Text,
                "Repo-relative path of the directory; empty for the repository root.",
            )
            .or(ROOT)
            .hinted("Repo-relative."),
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<DirectoryEntry>("Entries of the directory, by name.", PAGED),
        errors: DIRECTORY_ERRORS,
        run: list_directory,
        writes: false,
    },
    Tool {
        name: "read_file",
        title: "Read a file",
        doc: "Returns a file or some of its lines: at most 10,000 lines or 500 KB, then \
              `truncated`.",
        parameters: &[
            Parameter::required("path", Kind::Text, "Repo-relative path of the file.")
                .hinted("Repo-relative."),
            Parameter::optional(
                "line_start",
                Kind::Number {
                    min: 1,
                    max: u64::MAX,
                },
                "First line, counted from 1.",
            )
            .or(DefaultValue::Number(1)),
            Parameter::optional(
                "line_end",
                Kind::Number {
                    min: 1,
                    max: u64::MAX,
                },
                "Last line, inclusive. Default: the file's last line.",
            ),
        ],
        output: Output::object::<FileContent>(&[NOTE, ENCODING_NOTE]),
        errors: FILE_ERRORS,
        run: read_file,
        writes: false,
    },
    Tool {
        name: "get_directory_tree",
        title: "Show the directory tree",
        doc: "Shows directories and files below a path as a tree; `more` counts omitted entries.",
        parameters: &[
            Parameter::optional(
                "path",
                Kind::Text,
                "Repo-relative path of the directory to start from; empty for the repository root.",
            )
            .or(ROOT)
            .hinted("Repo-relative."),
            Parameter::optional(
                "depth",
                Kind::Number { min: 1, max: 10 },
                "Maximum number of levels to show.",
            )
            .or(DefaultValue::Number(3)),
        ],
        output: Output::object::<TreeNode>(&[NOTE]),
        errors: DIRECTORY_ERRORS,
        run: get_directory_tree,
        writes: false,
    },
];

#[derive(Serialize, JsonSchema)]
struct DirectoryEntry {
    /// Its name.
    name: String,
    /// What it is.
    #[schemars(extend("enum" = KINDS))]
    r#type: &'static str,
    /// Size in bytes; only for files, and not for links that are broken or lead out of the
    /// repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

fn list_directory(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let folder = state.path(arguments.required_text("path"))?;
    let listing = state.workspace().list(&folder)?;
    let entries = &listing.entries;
    let rows = Rows {
        count: entries.len(),
        key: |index: usize| entries[index].path.as_str(),
    };
    let rows = paged(&page(arguments), 0, &rows, |index| {
        Ok::<_, ToolError>(Some(directory_entry(state, &entries[index])))
    })?;
    let answer = Answer::page(rows)?;

    Ok(if entries.is_empty() {
        answer.with_note("the directory is empty or everything in it is ignored")
    } else {
        answer
    })
}

fn directory_entry(state: &State, entry: &Entry) -> DirectoryEntry {
    // The size of an unfollowed link would be that of the link itself.
    let is_file = entry.kind == EntryKind::File && state.workspace().stat(&entry.path).is_ok();
    let size = is_file.then_some(entry.size);
    DirectoryEntry {
        name: entry.path.file_name().to_owned(),
        r#type: kind_word(entry.kind),
        size,
    }
}

/// Values of an entry's type.
const KINDS: [&str; 2] = ["file", "directory"];

fn kind_word(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => KINDS[0],
        EntryKind::Directory => KINDS[1],
    }
}

#[derive(Serialize, JsonSchema)]
struct FileContent {
    /// The lines with their line endings, without byte order mark.
    content: String,
    /// Number of lines of the whole file.
    total_lines: usize,
    /// Whether the content was cut off.
    truncated: bool,
}

fn read_file(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let asked = state.path(arguments.required_text("path"))?;
    let workspace = state.workspace();
    let is_missing = matches!(workspace.stat(&asked), Err(ReadError::NotFound(_)));
    let found = is_missing.then(|| unique_file(state, &asked)).flatten();
    let path = found.unwrap_or_else(|| asked.clone());
    let file = workspace.read_up_to(&path, MAX_FILE_BYTES)?;
    let total_lines = count_lines(&file.text);
    let first = arguments.number("line_start").unwrap_or_default();
    let last = arguments.number("line_end").unwrap_or(usize::MAX);

    if first > total_lines.max(1) {
        return Err(ToolError::invalid(format!(
            "`line_start` is {first}, but {path} has {total_lines} lines"
        )));
    }

    if last < first {
        return Err(ToolError::invalid(format!(
            "`line_end` is {last}, less than `line_start`, which is {first}"
        )));
    }

    let wanted = lines(&file.text, first, last);
    let content = cut(wanted);
    let mut answer = Answer::new(FileContent {
        content: content.to_owned(),
        total_lines,
        truncated: content.len() < wanted.len(),
    })?;

    if content.len() < wanted.len() {
        let shown = first + count_lines(content) - 1;
        answer = answer.with_note(format!(
            "lines {first} to {shown} of {total_lines} are shown; pass `line_start` for more"
        ));
    }

    add_decoding_notes(&mut answer, &file);
    if path != asked {
        answer = answer.with_note(format!("showing {path}, the only file of that name"));
    }

    Ok(match index_gap(state, &path) {
        Some(lacking) => answer.with_note(lacking),
        None => answer,
    })
}

/// Returns the only indexed file whose path ends with the requested one.
fn unique_file(state: &State, asked: &RepoPath) -> Option<RepoPath> {
    let snapshot = state.answers().ok()?.snapshot().ok()?;
    let found = query::unique_file(&snapshot, asked.as_str()).ok()??;
    RepoPath::new(&found).ok()
}

/// Returns what the index is missing of a file; reading needs no index.
fn index_gap(state: &State, path: &RepoPath) -> Option<String> {
    let snapshot = state.answers().ok()?.snapshot().ok()?;
    let note = query::partial_index_note(&snapshot, path.as_str()).ok()??;
    // Profile `agent` lists this tool, too.
    Some(note_text(&note, Face::TextTools))
}

fn add_decoding_notes(answer: &mut Answer, file: &FileText) {
    if file.lossy {
        answer.add(
            &ENCODING_NOTE,
            "the file is not valid UTF-8; invalid bytes are shown as \u{fffd}",
        );
    }
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
        + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Returns the lines `first..=last`, counted from 1, with their line endings.
fn lines(text: &str, first: usize, last: usize) -> &str {
    let start_of = |line: usize| match line.checked_sub(1) {
        None | Some(0) => Some(0),
        Some(before) => text
            .match_indices('\n')
            .nth(before - 1)
            .map(|(at, _)| at + 1),
    };
    let start = start_of(first).unwrap_or(text.len());
    let end = last.checked_add(1).and_then(start_of).unwrap_or(text.len());
    &text[start..end]
}

/// Cuts a text to the size of an answer: whole lines, or the start of a single line that is too
/// long.
fn cut(text: &str) -> &str {
    let by_lines = text
        .match_indices('\n')
        .nth(MAX_LINES - 1)
        .map_or(text, |(at, _)| &text[..=at]);
    if by_lines.len() <= MAX_BYTES {
        return by_lines;
    }
    let mut end = MAX_BYTES;
    while !by_lines.is_char_boundary(end) {
        end -= 1;
    }
    let head = &by_lines[..end];
    head.rfind('\n').map_or(head, |at| &head[..=at])
}

#[derive(Serialize, JsonSchema)]
struct TreeNode {
    /// Its name.
    name: String,
    /// What it is.
    #[schemars(extend("enum" = KINDS))]
    r#type: &'static str,
    /// Entries of the directory, each with these fields; absent at the last level.
    // A schema that refers to itself is more than many clients can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    children: Option<Vec<TreeNode>>,
    /// Whether some of its entries are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Number of entries left out; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

fn get_directory_tree(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let folder = state.path(arguments.required_text("path"))?;
    let depth = arguments.number("depth").unwrap_or_default();
    let listing = state.workspace().tree(&folder, depth)?;

    let mut children: BTreeMap<RepoPath, Vec<&Entry>> = BTreeMap::new();
    for entry in &listing.entries {
        children
            .entry(entry.path.parent().unwrap_or_default())
            .or_default()
            .push(entry);
    }

    let tree = TreeBuilder {
        shown: fitting(&children, &folder),
        children,
    };
    let name = if folder.is_root() {
        "."
    } else {
        folder.file_name()
    };

    let is_cut = tree.children.iter().any(|(path, entries)| {
        tree.shown
            .get(path)
            .is_some_and(|shown| *shown < entries.len())
    });

    let answer = Answer::new(tree.directory(&folder, name, depth))?;
    Ok(if is_cut {
        answer.with_note(
            "directories with `more` are incomplete; list them separately or reduce `depth`",
        )
    } else {
        answer
    })
}

/// Returns the number of entries to show of each directory. Works level by level, so that entries
/// near the top come first. If a level does not fit, its directories get equal shares, and larger
/// ones get what smaller ones do not need.
fn fitting(
    children: &BTreeMap<RepoPath, Vec<&Entry>>,
    top: &RepoPath,
) -> BTreeMap<RepoPath, usize> {
    let (mut shown, mut left, mut level) = (
        BTreeMap::new(),
        TREE_CHARACTERS.saturating_sub(DIRECTORY_COST),
        vec![top.clone()],
    );

    while !level.is_empty() {
        let entries =
            |folder: &RepoPath| children.get(folder).into_iter().flatten().take(MAX_ENTRIES);
        let mut level_costs: Vec<(usize, RepoPath)> = level
            .drain(..)
            .map(|folder| (entries(&folder).map(|entry| cost(entry)).sum(), folder))
            .collect();
        level_costs.sort();

        let count = level_costs.len();
        for (at, (_, folder)) in level_costs.into_iter().enumerate() {
            let (share, mut used, mut fitting) = (left / (count - at), 0, 0);
            for entry in entries(&folder) {
                let cost = cost(entry);
                if used + cost > share {
                    break;
                }
                (used, fitting) = (used + cost, fitting + 1);
                if entry.kind == EntryKind::Directory {
                    level.push(entry.path.clone());
                }
            }

            left -= used;
            shown.insert(folder, fitting);
        }
    }

    shown
}

fn cost(entry: &Entry) -> usize {
    // Escaping lengthens a name in JSON.
    let name = serde_json::Value::from(entry.path.file_name())
        .to_string()
        .chars()
        .count();
    name + if entry.kind == EntryKind::Directory {
        DIRECTORY_COST
    } else {
        FILE_COST
    }
}

struct TreeBuilder<'a> {
    children: BTreeMap<RepoPath, Vec<&'a Entry>>,
    /// Number of entries to show of each directory.
    shown: BTreeMap<RepoPath, usize>,
}

impl TreeBuilder<'_> {
    /// Returns a directory with `depth` levels below it; directories at the last level have no
    /// `children`.
    fn directory(&self, path: &RepoPath, name: &str, depth: usize) -> TreeNode {
        let entries = self.children.get(path).map_or(&[][..], Vec::as_slice);
        let shown = self.shown.get(path).copied().unwrap_or_default();
        let children: Vec<TreeNode> = entries[..shown]
            .iter()
            .map(|entry| self.node(entry, depth))
            .collect();
        let children = (depth > 0).then_some(children);
        let more = entries.len() - shown;
        TreeNode {
            name: name.to_owned(),
            r#type: "directory",
            children,
            truncated: more > 0,
            more: (more > 0).then_some(more),
        }
    }

    fn node(&self, entry: &Entry, depth: usize) -> TreeNode {
        match entry.kind {
            EntryKind::Directory => self.directory(&entry.path, entry.path.file_name(), depth - 1),
            EntryKind::File => TreeNode {
                name: entry.path.file_name().to_owned(),
                r#type: "file",
                children: None,
                truncated: false,
                more: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_at_line_feeds() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("\n\n", 2)] {
            assert_eq!(count_lines(text), count, "{text:?}");
        }
        for (first, last, expected) in [
            (1, 1, "a\r\n"),
            (2, 3, "b\nc"),
            (3, 9, "c"),
            (1, usize::MAX, "a\r\nb\nc"),
            (2, 2, "b\n"),
        ] {
            assert_eq!(lines("a\r\nb\nc", first, last), expected);
        }
    }

    #[test]
    fn answers_are_cut_at_line_ends() {
        assert_eq!(cut("a\nb"), "a\nb");
        assert_eq!(count_lines(cut(&"x\n".repeat(10_001))), 10_000);
        let long = format!("{}\n{}\n", "x".repeat(300_000), "y".repeat(300_000));
        assert_eq!(cut(&long).len(), 300_001);
        assert_eq!(cut(&"\u{e4}".repeat(400_000)).len(), 512_000);
    }
}
