//! The declarations of a file in text order.

use rustc_hash::FxHashSet;

use crate::model::graph::{Dialect, EdgeDirection, Node, NodeId, NodeKind, NodeType};
use crate::query::QueryError;
use crate::store::{self, FileKey, Snapshot};

/// Returns the id of the file at a repo-relative path.
pub fn derive_file_id(snapshot: &Snapshot, path: &str) -> Result<FileKey, QueryError> {
    store::file_by_path(snapshot, path)?
        .map(|file| file.id)
        .ok_or_else(|| QueryError::NoFile(path.to_owned()))
}

/// Returns the paths of the files that are indexed from their sources.
pub fn source_paths(snapshot: &Snapshot) -> Result<FxHashSet<String>, QueryError> {
    let files = store::files(snapshot)?.into_iter();
    let own = files.filter(|file| file.dialect != Dialect::Imported);
    Ok(own.map(|file| file.path).collect())
}

/// Returns the path of the only indexed file whose path ends with `path`; `None` if there are
/// several, or if `path` itself is indexed.
pub fn unique_file(snapshot: &Snapshot, path: &str) -> Result<Option<String>, QueryError> {
    if store::file_by_path(snapshot, path)?.is_some() {
        return Ok(None);
    }
    match store::files_ending(snapshot, path, 2)?.as_slice() {
        [file] => Ok(store::file_path(snapshot, *file)?),
        _ => Ok(None),
    }
}

/// Returns the symbols declared in a file, except the file itself, each with its span in that file,
/// in text order.
pub fn get_outline(snapshot: &Snapshot, file: FileKey) -> Result<Vec<Node>, QueryError> {
    let mut nodes = store::nodes_of_file(snapshot, file)?;
    nodes.retain(|node| node.node_type != NodeType::File);
    Ok(nodes)
}

/// Returns the symbols whose names are on a line of a file, each with its span there; none if the file is not indexed.
pub fn named_on_line(snapshot: &Snapshot, path: &str, line: u32) -> Result<Vec<Node>, QueryError> {
    match store::file_by_path(snapshot, path)? {
        Some(file) => Ok(store::nodes_named_on_line(snapshot, file.id, line)?),
        None => Ok(Vec::new()),
    }
}

/// Keeps the symbols of an outline that are in no type or function of it.
#[must_use]
pub fn outermost(nodes: Vec<Node>) -> Vec<Node> {
    let is_block = |node: &Node| node.kind == NodeKind::ExtensionBlock;
    let is_inner = |node: &Node| {
        is_block(node) || !matches!(node.node_type, NodeType::File | NodeType::Module)
    };
    let inner: FxHashSet<NodeId> = nodes
        .iter()
        .filter(|node| is_inner(node))
        .map(|node| node.id)
        .collect();
    let is_top = |node: &Node| node.parent.is_none_or(|parent| !inner.contains(&parent));
    let mut seen = FxHashSet::default();
    nodes
        .into_iter()
        .filter(|node| is_inner(node) && is_top(node) && seen.insert(node.id))
        .collect()
}

/// Returns the direct members of a symbol, in no particular order; those of an extension block of C# for the block.
pub fn members_of(snapshot: &Snapshot, node: NodeId) -> Result<Vec<Node>, QueryError> {
    let mut nodes = Vec::new();
    for member in store::contained(snapshot, node, EdgeDirection::Outgoing)? {
        match store::node(snapshot, member.id)? {
            Some(block) if block.kind == NodeKind::ExtensionBlock => {
                nodes.extend(members_of(snapshot, block.id)?);
            }
            member => nodes.extend(member),
        }
    }
    Ok(nodes)
}

/// Returns the paths of the indexed files below a folder; `.` is the whole repository.
pub fn files_below(snapshot: &Snapshot, folder: &str) -> Result<Vec<String>, QueryError> {
    let files = store::files_in_folder(snapshot, folder)?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Returns the paths of the files that declare something in a namespace or in one below it.
pub fn files_of_namespace(snapshot: &Snapshot, name: &str) -> Result<Vec<String>, QueryError> {
    Ok(store::files_of_namespace(snapshot, name)?)
}
