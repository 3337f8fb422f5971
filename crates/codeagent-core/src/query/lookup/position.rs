//! Lookup by location: the symbol at `src/Cart.cs:12` or `Cart.cs:12:5`, and files by folder, end of
//! path or pattern.
//!
//! Limitations: if several symbols begin on a line, the outermost is found unless a column is given.

use crate::model::facts::Callback;
use crate::model::graph::{Node, NodeType};
use crate::query::text::literals;
use crate::query::{QueryError, innermost};
use crate::store::{self, FileKey, Snapshot};

/// Maximum number of files with the same name.
const MAX_FILES: usize = 20;

/// A file, a line and possibly a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::query) struct FilePosition<'a> {
    path: &'a str,
    line: u32,
    column: Option<u32>,
}

/// Parses `src/a.cs:3` or `src/a.cs:3:5`.
pub(in crate::query) fn parse(text: &str) -> Option<FilePosition<'_>> {
    let (before, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let at = match before
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, line.parse().ok()?)))
    {
        Some((path, line)) => FilePosition {
            path,
            line,
            column: Some(last),
        },
        None => FilePosition {
            path: before,
            line: last,
            column: None,
        },
    };

    (!at.path.is_empty() && at.path.contains('.')).then_some(FilePosition {
        path: at.path.strip_prefix("./").unwrap_or(at.path),
        ..at
    })
}

/// Returns the symbols declared at a location, or else those that enclose it. If no file has this
/// path, all files whose path ends with it are searched.
pub(in crate::query) fn symbols_at(
    snapshot: &Snapshot,
    at: &FilePosition<'_>,
) -> Result<Vec<Node>, QueryError> {
    let files = match store::file_by_path(snapshot, at.path)? {
        Some(file) => vec![file.id],
        None => store::files_ending(snapshot, at.path, MAX_FILES)?,
    };
    if files.is_empty() {
        return Err(QueryError::NoFile(at.path.to_owned()));
    }

    let mut found = Vec::new();
    for file in files {
        found.extend(at_line(&store::nodes_of_file(snapshot, file)?, at));
    }

    if found.is_empty() {
        return Err(QueryError::NothingAt {
            path: at.path.to_owned(),
            line: at.line,
        });
    }

    Ok(found)
}

/// The lines of a labelled callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackLines {
    /// File of the callback.
    pub file: FileKey,
    /// Lines and label of the callback.
    pub callback: Callback,
}

impl CallbackLines {
    /// Reports whether a line is in the callback.
    #[must_use]
    pub fn has(&self, file: FileKey, line: u32) -> bool {
        self.file == file && (self.callback.start..=self.callback.end).contains(&line)
    }
}

/// Returns the innermost callback that encloses a location, if it is inside `node`, the symbol
/// there.
pub(in crate::query) fn callback_at(
    snapshot: &Snapshot,
    at: &FilePosition<'_>,
    node: &Node,
) -> Result<Option<CallbackLines>, QueryError> {
    let Some(span) = node.spans.first() else {
        return Ok(None);
    };
    let is_named = node.node_type != NodeType::File && span.name_line == at.line;
    let Some(file) = store::file_by_path(snapshot, &span.path)?.filter(|_| !is_named) else {
        return Ok(None);
    };

    let callbacks = store::callbacks_of(snapshot, file.id)?;
    let found = innermost(&callbacks, at.line)
        .filter(|callback| literals::is_inside(callback, node, &span.path));
    Ok(found.map(|callback| CallbackLines {
        file: file.id,
        callback: callback.clone(),
    }))
}

fn at_line(nodes: &[Node], at: &FilePosition<'_>) -> Vec<Node> {
    let symbols = || {
        nodes
            .iter()
            .filter(|node| node.node_type != NodeType::File)
            .filter_map(|node| Some((node, node.spans.first()?)))
    };

    let named: Vec<&Node> = symbols()
        .filter(|(_, span)| span.name_line == at.line)
        .map(|(node, _)| node)
        .collect();
    if let Some(column) = at.column {
        let before =
            symbols().filter(|(_, span)| span.name_line == at.line && span.name_column <= column);
        if let Some((node, _)) = before.max_by_key(|(_, span)| span.name_column) {
            return vec![node.clone()];
        }
    }

    if !named.is_empty() {
        let is_outermost = |node: &&&Node| !named.iter().any(|other| Some(other.id) == node.parent);
        return named
            .iter()
            .filter(is_outermost)
            .map(|node| (*node).clone())
            .collect();
    }

    let around = symbols()
        .filter(|(_, span)| (span.span.start.line..=span.span.end_line).contains(&at.line));
    let innermost = around.min_by_key(|(_, span)| {
        (
            span.span.end_line - span.span.start.line,
            std::cmp::Reverse(span.span.start.offset),
        )
    });

    let file = || {
        nodes.iter().find(|node| {
            node.node_type == NodeType::File
                && node
                    .spans
                    .first()
                    .is_some_and(|span| at.line <= span.span.end_line)
        })
    };

    innermost
        .map(|(node, _)| node)
        .or_else(file)
        .cloned()
        .into_iter()
        .collect()
}

/// Reports whether a repo-relative path is `wanted`, ends with its segments, or is inside that
/// folder. `wanted` may be a pattern: `*` and `?` match within a segment, `**` any number of
/// segments. A pattern without `/` is matched against file names.
#[must_use]
pub fn is_in_place(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim().trim_start_matches("./").trim_end_matches('/');
    if wanted.contains(['*', '?']) {
        let segments: Vec<&str> = path.split('/').collect();
        let pattern: Vec<&str> = wanted
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        return match pattern.as_slice() {
            [name] => {
                segments.last().is_some_and(|last| is_like(last, name))
                    || is_below(&segments, &pattern)
            }
            _ => is_below(&segments, &pattern),
        };
    }

    let ends_so = || {
        path.strip_suffix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let lies_in = || {
        path.strip_prefix(wanted)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    wanted.is_empty() || ends_so() || lies_in()
}

/// Reports whether a pattern matches all segments of a path. Takes time proportional to the product
/// of both lengths.
fn is_below(path: &[&str], pattern: &[&str]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for segment in pattern {
        let mut next = vec![false; path.len() + 1];
        if *segment == "**" {
            let first = reached.iter().position(|is| *is).unwrap_or(next.len());
            next[first..].fill(true);
        } else {
            for (at, part) in path.iter().enumerate() {
                next[at + 1] = reached[at] && is_like(part, segment);
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Reports whether a pattern of `*` and `?` matches a text, ignoring case. Takes time proportional
/// to the product of both lengths.
fn is_like(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;

    for symbol in pattern.chars().flat_map(char::to_lowercase) {
        let mut next = vec![false; text.len() + 1];
        if symbol == '*' {
            let first = reached.iter().position(|is| *is).unwrap_or(next.len());
            next[first..].fill(true);
        } else {
            for (at, c) in text.iter().enumerate() {
                next[at + 1] = reached[at] && (symbol == '?' || symbol == *c);
            }
        }
        reached = next;
    }

    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_a_line_and_an_optional_column() {
        let at = |path, line, column| Some(FilePosition { path, line, column });
        assert_eq!(parse("src/a.cs:3"), at("src/a.cs", 3, None));
        assert_eq!(parse("./src/a.cs:3:5"), at("src/a.cs", 3, Some(5)));
        for none in ["src/a.cs", "src/a.cs:x", "a:3", ":3", "A::B"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }

    #[test]
    fn a_path_filter_matches_files_folders_and_patterns() {
        for (path, wanted, expected) in [
            ("src/a/Cart.cs", "src/a/Cart.cs", true),
            ("src/a/Cart.cs", "Cart.cs", true),
            ("src/a/Cart.cs", "art.cs", false),
            ("src/a/Cart.cs", "src", true),
            ("src/a/Cart.cs", "./src/a/", true),
            ("srcs/Cart.cs", "src", false),
            ("src/a/Cart.cs", "*.cs", true),
            ("src/a/Cart.cs", "src/*.cs", false),
            ("src/a/Cart.cs", "src/**/*.cs", true),
            ("src/Cart.cs", "src/**/*.cs", true),
            ("src/a/Cart.cs", "**/a/c?rt.*", true),
            ("src/a/Cart.cs", "**", true),
            ("src/a/Cart.cs", "src/**/b/**", false),
        ] {
            assert_eq!(is_in_place(path, wanted), expected, "{wanted} on {path}");
        }
    }

    #[test]
    fn hostile_patterns_are_matched_quickly() {
        assert!(!is_in_place(
            &"a".repeat(4_000),
            &("*a".repeat(2_000) + "b")
        ));
        assert!(!is_in_place(&"a/".repeat(400), &"**/a/".repeat(500)));
    }
}
