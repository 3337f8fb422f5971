//! Which symbols are related to a symbol, how, and at which places: callers, callees, implementations, references.
//!
//! One [`Neighbor`] per related symbol and verb, with all sites; the lines of the sites are read from disk.
//!
//! **Limits.** The line of a site in a file that was changed since is what stands there now; the site says so.

use codeagent_workspace::{RepoPath, Workspace};
use rustc_hash::FxHashMap;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId};
use crate::query::{QueryError, is_stale};
use crate::store::{self, FileKey, IncidentEdge, Snapshot, StoreError};

/// Longest source line that is shown.
const MAX_LINE_CHARS: usize = 200;

/// A place where a use stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// How sure.
    pub confidence: Confidence,
    /// The trimmed source line; empty if it was not asked for or the file is gone.
    pub text: String,
    /// The file was changed since it was indexed, so line and text may not fit.
    pub stale: bool,
}

/// A related symbol.
#[derive(Clone, Debug)]
pub struct Neighbor {
    /// The symbol with its primary span.
    pub node: Node,
    /// The verb: read "source verb target".
    pub edge_type: EdgeType,
    /// The surest of the sites.
    pub confidence: Confidence,
    /// Number of sites.
    pub count: usize,
    /// All sites by path and position; those with `text` come first. Empty for `contains`.
    pub sites: Vec<CallSite>,
}

/// One use with its other end.
pub type SitedEdge = IncidentEdge;

/// The symbols related to `node`, ordered by verb, path and position of their first site.
///
/// `contains` comes from the lexical structure and has no sites; without a filter it is part of the answer. At most `texts` lines per
/// neighbour are read from disk.
pub fn get_neighbors(
    snapshot: &Snapshot,
    (node, edge_type, direction): (NodeId, Option<EdgeType>, EdgeDirection),
    workspace: &Workspace,
    texts: usize,
) -> Result<Vec<Neighbor>, QueryError> {
    let mut neighbors = Vec::new();
    if edge_type != Some(EdgeType::Contains) {
        let edges = store::incident_edges(snapshot, node, edge_type, direction)?;
        let mut sources = Sources::new(snapshot, workspace);
        for group in edges.chunk_by(|a, b| (a.edge_type, a.other) == (b.edge_type, b.other)) {
            let Some(other) = store::node(snapshot, group[0].other)? else { continue };
            neighbors.push(neighbor(other, group, texts, &mut sources)?);
        }
        neighbors.sort_by(|a, b| (a.edge_type, a.sites.first(), a.node.id).cmp(&(b.edge_type, b.sites.first(), b.node.id)));
    }
    if edge_type.is_none_or(|edge_type| edge_type == EdgeType::Contains) {
        neighbors.extend(contained(snapshot, node, direction)?);
    }
    Ok(neighbors)
}

fn neighbor(node: Node, group: &[IncidentEdge], texts: usize, sources: &mut Sources<'_>) -> Result<Neighbor, StoreError> {
    let mut sites = Vec::with_capacity(group.len());
    for edge in group {
        let (path, stale) = sources.file(edge.file)?;
        let (path, stale) = (path.to_owned(), stale);
        sites.push(CallSite { path, line: edge.line, column: edge.column, confidence: edge.confidence, text: String::new(), stale });
    }
    sites.sort();
    for site in sites.iter_mut().take(texts) {
        site.text = sources.line(&site.path, site.line);
    }
    let confidence = group.iter().map(|edge| edge.confidence).max().unwrap_or(Confidence::Heuristic);
    Ok(Neighbor { node, edge_type: group[0].edge_type, confidence, count: sites.len(), sites })
}

fn contained(snapshot: &Snapshot, node: NodeId, direction: EdgeDirection) -> Result<Vec<Neighbor>, StoreError> {
    let nodes = match direction {
        EdgeDirection::Outgoing => store::children(snapshot, node)?,
        EdgeDirection::Incoming => {
            let parent = store::node(snapshot, node)?.and_then(|node| node.parent);
            parent.map(|parent| store::node(snapshot, parent)).transpose()?.flatten().into_iter().collect()
        }
    };
    let as_neighbor = |node| Neighbor { node, edge_type: EdgeType::Contains, confidence: Confidence::Exact, count: 1, sites: Vec::new() };
    Ok(nodes.into_iter().map(as_neighbor).collect())
}

/// Files of the sites of one answer, each looked at once.
struct Sources<'a> {
    snapshot: &'a Snapshot,
    workspace: &'a Workspace,
    files: FxHashMap<FileKey, (String, bool)>,
    texts: FxHashMap<String, Option<String>>,
}

impl<'a> Sources<'a> {
    fn new(snapshot: &'a Snapshot, workspace: &'a Workspace) -> Self {
        Self { snapshot, workspace, files: FxHashMap::default(), texts: FxHashMap::default() }
    }

    /// Path of a file, and whether it was changed since it was indexed.
    fn file(&mut self, key: FileKey) -> Result<(&str, bool), StoreError> {
        if !self.files.contains_key(&key) {
            let row = store::file_by_id(self.snapshot, key)?;
            let known = row.map_or_else(|| (String::new(), true), |row| (row.path.clone(), is_stale(self.workspace, &row)));
            self.files.insert(key, known);
        }
        let (path, stale) = &self.files[&key];
        Ok((path, *stale))
    }

    fn line(&mut self, path: &str, line: u32) -> String {
        if !self.texts.contains_key(path) {
            let text = RepoPath::new(path).ok().and_then(|path| self.workspace.read(&path).ok()).map(|file| file.text);
            self.texts.insert(path.to_owned(), text);
        }
        let text = self.texts.get(path).and_then(Option::as_deref).unwrap_or_default();
        let line = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        line.trim().chars().take(MAX_LINE_CHARS).collect()
    }
}
