//! Mentions of C# names in code excluded by `#if`, which is not lowered.
//!
//! Limitations: names are matched by equal text, in at most [`MAX_FILES`] files.

use rustc_hash::FxHashSet;

use crate::model::facts::inactive_key;
use crate::model::graph::{Access, Language, Node};
use crate::query::text::text_files::is_word;
use crate::query::{QueryError, Sources};
use crate::store::{self, Snapshot};

/// Maximum number of files whose facts are read for one name.
const MAX_FILES: usize = 60;

/// Lines of inactive code that name some symbols.
#[derive(Debug, Default)]
pub(super) struct InactiveLines {
    /// Path and 1-based line, sorted and distinct.
    pub lines: Vec<(String, u32)>,
    /// Whether some files were not searched.
    pub is_cut: bool,
}

/// Finds the lines of inactive code that name one of these symbols outside of its declarations. A
/// private symbol is named in its own files only.
pub(super) fn inactive_lines(
    sources: &Sources<'_>,
    nodes: &[&Node],
) -> Result<InactiveLines, QueryError> {
    let mut found = InactiveLines::default();
    let mut seen = FxHashSet::default();
    for node in nodes {
        let is_named = node.language == Language::CSharp && node.name.chars().all(is_word);
        let is_private = node.access == Some(Access::Private);
        if !is_named || !is_private && !seen.insert(node.name.as_str()) {
            continue;
        }

        let key = inactive_key(&node.name);
        let mut files = store::files_with_literal(sources.snapshot(), &key, MAX_FILES + 1)?;
        found.is_cut |= files.len() > MAX_FILES;
        files.truncate(MAX_FILES);
        if is_private {
            files.retain(|path| node.spans.iter().any(|span| span.path == *path));
        }

        for path in files {
            sources.snapshot().check()?;
            let lines = lines_in_file(sources, &path, &node.name)?.into_iter();
            let outside = lines.filter(|line| !is_declared_around(nodes, &path, *line));
            found.lines.extend(outside.map(|line| (path.clone(), line)));
        }
    }

    found.lines.sort();
    found.lines.dedup();
    Ok(found)
}

/// Counts the lines of a file that have names and are excluded by `#if`.
pub fn count_inactive_lines(snapshot: &Snapshot, path: &str) -> Result<usize, QueryError> {
    let Some(facts) = store::facts_of_file(snapshot, path)? else {
        return Ok(0);
    };
    let names = facts.inactive_names.chunk_by(|a, b| a.line == b.line);
    Ok(names.count())
}

/// Returns the inactive lines of a file that contain a name.
fn lines_in_file(sources: &Sources<'_>, path: &str, name: &str) -> Result<Vec<u32>, QueryError> {
    let Some(facts) = store::facts_of_file(sources.snapshot(), path)? else {
        return Ok(Vec::new());
    };
    let named = facts.inactive_names.iter();
    let named = named.filter(|each| facts.text(each.name) == name);
    Ok(named.map(|each| each.line).collect())
}

/// Reports whether a line is inside a declaration of one of these symbols.
fn is_declared_around(nodes: &[&Node], path: &str, line: u32) -> bool {
    let mut spans = nodes.iter().flat_map(|node| node.spans.iter());
    spans.any(|span| {
        span.path == path && (span.span.start.line..=span.span.end_line).contains(&line)
    })
}
