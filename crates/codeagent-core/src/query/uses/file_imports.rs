//! Lists what a file imports, by line.

use std::collections::BTreeMap;

use crate::model::external::{ExternalSymbol, PackageManager};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeType};
use crate::query::{QueryError, external_targets};
use crate::store::{self, Snapshot};

/// What a line imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileImport {
    /// 1-based line.
    pub line: u32,
    /// Names of the symbols, as declared; empty if the whole module is imported.
    pub names: Vec<String>,
    /// The path of the file that is imported, or the package.
    pub module: String,
}

/// Returns what a file imports, by line.
pub fn imports_of(snapshot: &Snapshot, file: &Node) -> Result<Vec<FileImport>, QueryError> {
    let mut imports: BTreeMap<u32, FileImport> = BTreeMap::new();
    let mut edges = store::incident_edges(
        snapshot,
        file.id,
        Some(EdgeType::Imports),
        EdgeDirection::Outgoing,
    )?;
    edges.sort_by_key(|edge| (edge.line, edge.column));
    for edge in edges {
        let Some(node) = store::node(snapshot, edge.other)? else {
            continue;
        };
        let import = imports.entry(edge.line).or_default();
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        if node.node_type == NodeType::File || import.module.is_empty() {
            path.clone_into(&mut import.module);
        }
        if node.node_type != NodeType::File {
            import.names.push(node.name);
        }
    }

    for used in external_targets(snapshot, &[file], &[EdgeType::Imports])? {
        let import = imports.entry(used.line).or_default();
        let (module, name) = module_and_name(&used.symbol);
        import.module = module;
        import
            .names
            .extend(Some(name).filter(|name| !name.is_empty()));
    }
    let numbered = imports.into_iter();
    Ok(numbered
        .map(|(line, import)| FileImport { line, ..import })
        .collect())
}

/// Splits an external symbol into its module and its name, which is empty for a module as a whole:
/// `node:fs` and `readFile`.
fn module_and_name(symbol: &ExternalSymbol) -> (String, String) {
    let path = symbol.path();
    if symbol.manager != PackageManager::Node {
        return (symbol.package.to_string(), path);
    }
    let (module, name) = path.split_once('.').unwrap_or((&path, ""));
    (format!("node:{module}"), name.to_owned())
}
