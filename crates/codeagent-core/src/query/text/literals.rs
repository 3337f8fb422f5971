//! String literals that look like names, and the symbol or callback that encloses a line.
//!
//! A literal is found by its key ([`literal_key`]), so `/documents.archive` finds
//! `documents.archive`, and `/users/${id}` finds `/users/:id`.
//!
//! Limitations: prose, module specifiers and literal types are not indexed.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use crate::model::facts::{Callback, literal_key};
use crate::model::graph::{Node, NodeId, NodeType};
use crate::query::{QueryError, Sources};
use crate::store::{self, FileKey, Snapshot, StoreError};

/// Maximum number of files read for one literal.
const MAX_FILES: usize = 200;

/// The innermost symbol that encloses a line, and the innermost labelled callback inside it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Enclosing {
    /// The symbol; the file if no other symbol encloses the line.
    pub node: Node,
    /// The callback, if it is inside the symbol.
    pub callback: Option<Callback>,
}

/// A location of a literal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiteralSite {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// The literal as written, without quotes.
    pub text: String,
    /// The symbol or callback that encloses it.
    pub enclosing: Enclosing,
}

/// A literal in a range of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// 1-based line.
    pub line: u32,
    /// The literal as written, without quotes.
    pub text: String,
}

/// Returns at most `limit` sites of literals with the key of `text`, by path and line.
pub fn literal_sites(
    snapshot: &Snapshot,
    text: &str,
    limit: usize,
) -> Result<Vec<LiteralSite>, QueryError> {
    let key = literal_key(text);
    let mut sites = Vec::new();
    for path in store::files_with_literal(snapshot, text, MAX_FILES)? {
        let Some(file) = store::file_by_path(snapshot, &path)? else {
            continue;
        };
        for literal in literals_in_file(snapshot, &path)? {
            if literal_key(&literal.text) != key {
                continue;
            }
            if sites.len() == limit {
                return Ok(sites);
            }

            if let Some(enclosing) = enclosing(snapshot, file.id, literal.line)? {
                let Literal { line, text } = literal;
                sites.push(LiteralSite {
                    path: path.clone(),
                    line,
                    text,
                    enclosing,
                });
            }
        }
    }

    Ok(sites)
}

/// Returns the lines with a literal equal to `text`, at most `limit`, by path and line.
///
/// They are found in the source of the files that have such a literal, because facts take longer to
/// decode; so a line that quotes the text in a comment counts too.
pub fn literal_lines(
    sources: &mut Sources<'_>,
    text: &str,
    limit: usize,
) -> Result<Vec<(String, u32)>, QueryError> {
    let mut lines = Vec::new();
    for path in store::files_with_literal(sources.snapshot(), text, MAX_FILES)? {
        if let Some(source) = sources.text(&path)? {
            let found = source.lines_with_quoted(text);
            lines.extend(found.into_iter().map(|line| (path.clone(), line)));
        }
    }
    lines.truncate(limit);
    Ok(lines)
}

/// Counts the files that have a literal with the key of `text`. Common literals connect nothing.
pub fn literal_files(snapshot: &Snapshot, text: &str) -> Result<u64, QueryError> {
    Ok(store::count_files_with_literal(snapshot, text)?)
}

/// Returns the literals on a range of lines, such as the span of a symbol or callback.
pub fn literals_in(
    snapshot: &Snapshot,
    path: &str,
    lines: &RangeInclusive<u32>,
) -> Result<Vec<Literal>, QueryError> {
    let mut literals = literals_in_file(snapshot, path)?;
    literals.retain(|literal| lines.contains(&literal.line));
    Ok(literals)
}

/// Returns the literals in all declarations of a symbol.
pub fn literals_of(snapshot: &Snapshot, node: NodeId) -> Result<Vec<Literal>, QueryError> {
    let mut literals = Vec::new();
    for span in store::spans_of(snapshot, node)? {
        let lines = span.span.start.line..=span.span.end_line;
        literals.extend(literals_in(snapshot, &span.path, &lines)?);
    }
    Ok(literals)
}

/// Returns the literals of a file by line; empty if its facts cannot be read.
pub fn literals_in_file(snapshot: &Snapshot, path: &str) -> Result<Vec<Literal>, QueryError> {
    let Some(facts) = store::facts_of_file(snapshot, path)? else {
        return Ok(Vec::new());
    };

    let mut literals: Vec<Literal> = facts
        .literals
        .iter()
        .map(|literal| Literal {
            line: literal.line,
            text: facts.text(literal.text).to_owned(),
        })
        .collect();

    literals.sort_by_key(|literal| literal.line);
    Ok(literals)
}

/// Returns the symbol and callback that enclose a line; `None` if the file has no node.
pub fn enclosing(
    snapshot: &Snapshot,
    file: FileKey,
    line: u32,
) -> Result<Option<Enclosing>, QueryError> {
    let id = innermost_symbols(snapshot, file, [line])?.pop().flatten();
    let Some(node) = id.map_or(Ok(None), |id| store::node(snapshot, id))? else {
        return Ok(None);
    };

    let callbacks = store::callbacks_of(snapshot, file)?;
    let callback = innermost(&callbacks, line);
    let path = store::file_path(snapshot, file)?.unwrap_or_default();
    let is_nearer = |callback: &&Callback| is_inside(callback, &node, &path);

    Ok(Some(Enclosing {
        callback: callback.filter(is_nearer).cloned(),
        node,
    }))
}

/// Returns the innermost symbol that encloses each of some lines; the file if there is no other.
pub(in crate::query) fn innermost_symbols(
    snapshot: &Snapshot,
    file: FileKey,
    lines: impl IntoIterator<Item = u32>,
) -> Result<Vec<Option<NodeId>>, QueryError> {
    let spans = store::line_spans(snapshot, file)?;
    let innermost = |line| {
        let around = spans.iter().find(|(_, lines)| lines.contains(&line));
        around.map(|(id, _)| *id)
    };
    Ok(lines.into_iter().map(innermost).collect())
}

/// Returns the innermost callback that encloses a line.
#[must_use]
pub fn innermost(callbacks: &[Callback], line: u32) -> Option<&Callback> {
    callbacks
        .iter()
        .take_while(|callback| callback.start <= line)
        .filter(|callback| line <= callback.end)
        .min_by_key(|callback| {
            (
                callback.end - callback.start,
                std::cmp::Reverse(callback.start),
            )
        })
}

/// Reports whether a callback is inside a symbol, and not the symbol inside the callback.
pub(in crate::query) fn is_inside(callback: &Callback, node: &Node, path: &str) -> bool {
    node.node_type == NodeType::File
        || !node.spans.iter().any(|span| {
            let (start, end) = (span.span.start.line, span.span.end_line);
            span.path == path && callback.start <= start && end <= callback.end
        })
}

/// The callbacks of the files of one answer. Each file is read once.
#[derive(Debug, Default)]
pub(in crate::query) struct CallbackCache(FxHashMap<FileKey, Vec<Callback>>);

impl CallbackCache {
    /// Returns the innermost callback that encloses a line and is inside the symbol `node`.
    pub(in crate::query) fn label(
        &mut self,
        snapshot: &Snapshot,
        node: NodeId,
        (file, path, line): (FileKey, &str, u32),
    ) -> Result<Option<String>, StoreError> {
        let callbacks = match self.0.entry(file) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(store::callbacks_of(snapshot, file)?)
            }
        };
        let Some(callback) = innermost(callbacks, line) else {
            return Ok(None);
        };

        let is_inside =
            store::node(snapshot, node)?.is_some_and(|node| is_inside(callback, &node, path));
        Ok(is_inside.then(|| callback.label.clone()))
    }
}
