//! Modules of packages, as imports name them: `@x/core/session`, `lodash/debounce`.
//!
//! The meaning of a name is taken from the imports of the files that contain it, because it depends on
//! the package's `exports` and on the settings of the importing project.

use codeagent_workspace::TextQuery;

use super::alias::{is_typescript, lines_matching};
use super::{MAX_FILES, Target, files};
use crate::model::external::PackageManager;
use crate::model::graph::{EdgeDirection, EdgeType, NodeType};
use crate::query::uses::external::resolve_external;
use crate::query::{QueryError, Sources, get_node_by_qualified_name};
use crate::store::{self, Snapshot, StoredExternal};

/// Returns the files that are imported under a name, or else the symbols of packages that are imported
/// by it; `None` if nothing is known to import it.
pub(super) fn imported(
    sources: &Sources<'_>,
    name: &str,
) -> Result<Option<Vec<Target>>, QueryError> {
    if !is_specifier(name) {
        return Ok(None);
    }

    let snapshot = sources.snapshot();
    let (mut paths, mut symbols) = (Vec::new(), Vec::new());
    for (path, lines) in lines_matching(sources, importing(name), is_typescript) {
        paths.extend(files_imported(snapshot, &path, &lines)?);
        symbols.extend(symbols_imported(snapshot, &path, &lines)?);
    }

    paths.sort();
    paths.dedup();
    if paths.is_empty() && symbols.is_empty() {
        symbols = resolve_external(snapshot, &format!("npm:{name}"))?;
    }
    if paths.is_empty() {
        return Ok(external(name, symbols).map(|found| vec![found]));
    }
    let mut targets = Vec::new();
    for path in paths.iter().take(MAX_FILES) {
        targets.extend(files(snapshot, path)?);
    }
    Ok(Some(targets).filter(|targets| !targets.is_empty()))
}

/// Reports whether a `package.json` of the repository has this name.
pub(super) fn is_own_package(sources: &Sources<'_>, name: &str) -> bool {
    let query = TextQuery {
        pattern: format!(r#"^\s*"name"\s*:\s*"{}""#, name.replace('.', r"\.")),
        ..TextQuery::default()
    };
    let is_manifest = |path: &str| path.ends_with("package.json");
    !lines_matching(sources, query, is_manifest).is_empty()
}

/// Reports whether a text has the form of a module of a package: `lodash/debounce`, `@x/core`.
fn is_specifier(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    let is_package = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@');
    is_package && text.contains('/') && !text.ends_with('/') && text.chars().all(is_part)
}

/// Returns a query for the lines that import or re-export a module.
fn importing(name: &str) -> TextQuery {
    let name = name.replace('.', r"\.");
    TextQuery {
        pattern: format!(r#"\b(from|import|require)\s*\(?\s*["'`]{name}["'`]"#),
        ..TextQuery::default()
    }
}

/// Returns the paths of the files that a file imports on these lines.
fn files_imported(
    snapshot: &Snapshot,
    path: &str,
    lines: &[u32],
) -> Result<Vec<String>, QueryError> {
    let mut found = Vec::new();
    for (file, _) in get_node_by_qualified_name(snapshot, path, None, None)? {
        let (imports, direction) = (Some(EdgeType::Imports), EdgeDirection::Outgoing);
        let mut edges = store::incident_edges(snapshot, file.id, imports, direction)?;
        edges.retain(|edge| lines.contains(&edge.line));

        for edge in edges {
            let node = store::node(snapshot, edge.other)?;
            let module = node.filter(|node| node.node_type == NodeType::File);
            found.extend(module.map(|node| node.qualified_name));
        }
    }

    Ok(found)
}

/// Returns the symbols of packages that a file imports on these lines.
fn symbols_imported(
    snapshot: &Snapshot,
    path: &str,
    lines: &[u32],
) -> Result<Vec<StoredExternal>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let mut uses = store::external_uses_in(snapshot, file.id)?;
    uses.retain(|(used, sites)| {
        let is_import = |site: &store::ExternalSite| {
            site.edge_type == EdgeType::Imports && lines.contains(&site.line)
        };
        used.symbol.manager == PackageManager::Npm && sites.iter().any(is_import)
    });
    Ok(uses.into_iter().map(|(used, _)| used).collect())
}

/// Makes a target of symbols, unless one is a package as a whole: that stands for other modules, too.
fn external(name: &str, mut symbols: Vec<StoredExternal>) -> Option<Target> {
    symbols.sort_by_key(|found| found.id);
    symbols.dedup_by_key(|found| found.id);
    let is_known =
        !symbols.is_empty() && symbols.iter().all(|found| !found.symbol.path().is_empty());
    is_known.then(|| Target::External {
        asked: name.to_owned(),
        symbols,
        member: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_packages_are_told_from_other_texts() {
        for (text, expected) in [
            ("@x/core", true),
            ("@x/core/session", true),
            ("lodash/debounce.js", true),
            ("./cart", false),
            ("/carts", false),
            ("src/", false),
            ("lodash", false),
            ("a.ts#go/x", false),
        ] {
            assert_eq!(is_specifier(text), expected, "{text}");
        }
    }
}
