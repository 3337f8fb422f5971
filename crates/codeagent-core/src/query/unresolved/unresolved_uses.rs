//! Unresolved uses of symbols' names, ranked by how likely they refer to the symbols.
//!
//! Uses in files that import a declaring file come first, then those in the same project, then the
//! rest, and last those in generated files and bundles, unless these declare the symbols. Among the first [`MAX_COUNTED`], calls with more arguments than the symbols accept come last
//! in their class.
//!
//! Limitations: arguments are counted within the line of the call.

use rustc_hash::FxHashSet;

use crate::model::graph::Node;
use crate::model::language::split_outside;
use crate::query::uses::importers;
use crate::query::{QueryError, Sources};
use crate::store::{self, Snapshot, UnresolvedFile};

/// Maximum number of files searched for one name.
const MAX_FILES: usize = 2_000;

/// Maximum number of nodes per declaring file whose importers are searched.
const MAX_NODES: usize = 200;

/// Maximum number of uses whose arguments are counted.
const MAX_COUNTED: usize = 40;

/// Distance of a use's file from the symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It declares one of them, or imports such a file.
    Importing,
    /// It is in the project of one.
    SameProject,
    /// It is in another project.
    Elsewhere,
    /// It is generated, bundled or minified.
    NotWritten,
}

/// An unresolved use that may mean one of some symbols.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnresolvedUse {
    /// Distance of its file.
    pub nearness: Nearness,
    /// It passes more arguments than any of the symbols takes.
    pub is_misfit: bool,
    /// Repo-relative path.
    pub path: String,
    /// Line.
    pub line: u32,
    /// UTF-16 column.
    pub column: u32,
    /// The name is called.
    pub is_call: bool,
}

/// Finds the unresolved uses of the names of symbols, the likeliest first.
pub fn unresolved_uses(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
) -> Result<Vec<UnresolvedUse>, QueryError> {
    let snapshot = sources.snapshot();
    let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut files = Vec::new();
    for name in names {
        files.extend(store::unresolved_files_of(snapshot, name, MAX_FILES)?);
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }

    let importing = importing_files(snapshot, nodes)?;
    let is_of_written = declared_in_written_files(snapshot, nodes)?;
    let nearness = |file: &UnresolvedFile| {
        if is_of_written && !file.is_written {
            Nearness::NotWritten
        } else if importing.contains(&file.path) {
            Nearness::Importing
        } else if nodes.iter().any(|node| node.project_id == file.project_id) {
            Nearness::SameProject
        } else {
            Nearness::Elsewhere
        }
    };
    let mut uses = Vec::new();
    for file in files {
        let nearness = nearness(&file);
        uses.extend(file.sites.iter().map(|site| UnresolvedUse {
            nearness,
            is_misfit: false,
            path: file.path.clone(),
            line: site.line,
            column: site.column,
            is_call: site.is_call,
        }));
    }
    uses.sort_unstable();

    if let Some(most) = most_arguments(nodes) {
        for each in uses
            .iter_mut()
            .take(MAX_COUNTED)
            .filter(|each| each.is_call)
        {
            let call = sources.rest_of_line(&each.path, each.line, each.column)?;
            let passed = call.and_then(passed_arguments);
            each.is_misfit = passed.is_some_and(|passed| passed > most);
        }
        uses.sort();
    }
    Ok(uses)
}

/// Reports whether people wrote a file that declares one of some symbols.
pub(in crate::query) fn declared_in_written_files(
    snapshot: &Snapshot,
    nodes: &[&Node],
) -> Result<bool, QueryError> {
    for span in nodes.iter().flat_map(|node| &node.spans) {
        if store::is_written(snapshot, &span.path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the paths of the files that declare symbols, and of those that import these files.
fn importing_files(snapshot: &Snapshot, nodes: &[&Node]) -> Result<FxHashSet<String>, QueryError> {
    let mut paths = FxHashSet::default();
    for span in nodes.iter().filter_map(|node| node.spans.first()) {
        if !paths.insert(span.path.clone()) {
            continue;
        }
        let Some(file) = store::file_by_path(snapshot, &span.path)? else {
            continue;
        };
        for importing in importers::importing_files(snapshot, file.id, MAX_NODES)? {
            paths.extend(store::file_path(snapshot, importing)?);
        }
    }
    Ok(paths)
}

/// Returns the largest number of arguments that symbols take; `None` if there is no limit.
fn most_arguments(nodes: &[&Node]) -> Option<usize> {
    let takes = |node: &&Node| {
        let signature = node.parameter_signature.as_deref()?;
        let is_open = signature.contains("...") || signature.contains("params ");
        node.parameter_count.filter(|_| !is_open)
    };
    let most: Option<Vec<u32>> = nodes.iter().map(takes).collect();
    most?.into_iter().max().map(|most| most as usize)
}

/// Counts the arguments of the call that a text begins with: `add(1, 2);`. `None` if it is none, is
/// not closed, or spreads a list.
fn passed_arguments(text: &str) -> Option<usize> {
    let list = text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let list = list.strip_prefix('(')?;
    let mut depth = 1;
    let end = list.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let list = &list[..end];
    let has_texts = list.contains(['"', '\'', '`']);
    (!has_texts && !list.contains("...")).then(|| split_outside(list, ',').len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_call_are_counted() {
        for (text, expected) in [
            ("add()", Some(0)),
            ("add(1, f(2, 3)); add(1)", Some(2)),
            ("add([1, 2], { a, b })", Some(2)),
            ("add(...all)", None),
            ("add(\"a, b\")", None),
            ("add(1,", None),
            ("add;", None),
        ] {
            assert_eq!(passed_arguments(text), expected, "{text}");
        }
    }
}
