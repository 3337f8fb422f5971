//! The rows of one transaction: a [`Delta`] of the index.

use std::io;
use std::sync::Arc;

use codeagent_workspace::{SpillFile, Stamp};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::embed::SignBits;
use crate::model::external::ExternalSymbol;
use crate::model::graph::{Confidence, Dialect, EdgeType, Node, NodeId, ParseStatus};
use crate::model::span::Span;
use crate::store::{
    DispatchRow, ExternalRow, FactsKey, ImportedGraph, LiteralRow, PackageRow, PackedNodes, RowList,
};

/// The id of a file's row.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct FileKey(pub u32);

/// The low half of a dependency key's hash, as stored. A collision only causes one resolution too
/// many.
pub type DependencyKeyHash = u32;

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Row id.
    pub id: FileKey,
    /// Repo-relative path.
    pub path: String,
    /// Language and syntax.
    pub dialect: Dialect,
    /// Path of the owning project file, or `.`.
    pub project_id: String,
    /// Size in bytes on disk.
    pub size: u64,
    /// Identity and change time on disk when the file was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
    pub facts_key: FactsKey,
    /// Hash of the preprocessor symbols it was read with.
    pub defines_hash: u64,
    /// Whether the file was parsed completely, partially or not at all.
    pub parse_status: ParseStatus,
    /// Why the file was not read.
    pub problem: Option<String>,
    /// Total size of the syntax error nodes, in bytes.
    pub error_bytes: u32,
    /// Lines of the first errors.
    pub error_lines: Vec<u32>,
    pub lines: u32,
    /// Length of the decoded text, in bytes.
    pub bytes: u32,
    /// Number of call sites, except calls of values.
    pub calls: u32,
    /// Number of call sites with a target.
    pub calls_resolved: u32,
    /// Number of call sites known to have an external target.
    pub calls_external: u32,
    /// Number of sites whose query budget was exceeded.
    pub budget_exceeded: u32,
    /// See `Header::interface_hash`.
    pub interface_hash: [u8; 16],
    /// See `NodeTable::ids_hash`.
    pub ids_hash: u64,
}

/// What a file depended on when it was last resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyRow {
    /// Hash of its project environment: usings, references, owner.
    pub environment_hash: u64,
    /// Hash of the module resolution results for its specifiers.
    pub answers_hash: u64,
    /// Files whose interface the resolution read, sorted.
    pub reads: Vec<FileKey>,
    /// Dependency keys that were looked up, sorted.
    pub slots: Vec<DependencyKeyHash>,
    /// Dependency keys that the file provides, sorted.
    pub published: Vec<DependencyKeyHash>,
    /// Nodes with edges whose sites are in this file, sorted.
    pub sources: Vec<NodeId>,
}

/// A project file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRow {
    pub path: String,
    /// Size in bytes on disk.
    pub size: u64,
    /// Identity and change time on disk when the file was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
}

/// One use of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRow {
    /// The node whose declaration contains the site.
    pub source: NodeId,
    /// The node that is used.
    pub target: NodeId,
    pub edge_type: EdgeType,
    pub confidence: Confidence,
    pub file: FileKey,
    pub line: u32,
    /// UTF-16 column of the site.
    pub column: u32,
    /// Other candidates, best first.
    pub candidates: Box<[NodeId]>,
}

impl EdgeRow {
    /// Returns the key of the row that holds the edge.
    #[must_use]
    pub fn row_key(&self) -> (NodeId, EdgeType, NodeId, FileKey) {
        (self.source, self.edge_type, self.target, self.file)
    }

    /// Returns the sort key of the outgoing table.
    #[must_use]
    pub fn key(&self) -> (NodeId, EdgeType, NodeId, FileKey, u32, u32) {
        (
            self.source,
            self.edge_type,
            self.target,
            self.file,
            self.line,
            self.column,
        )
    }

    /// Returns the sort key of the incoming table.
    #[must_use]
    pub fn incoming_key(&self) -> (NodeId, EdgeType, NodeId, FileKey, u32, u32) {
        (
            self.target,
            self.edge_type,
            self.source,
            self.file,
            self.line,
            self.column,
        )
    }
}

/// A site whose target was not resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedSite {
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    pub is_call: bool,
}

/// The sites of one unresolved name in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedRow {
    pub file: FileKey,
    pub name: String,
    /// Sites in text order.
    pub sites: Vec<UnresolvedSite>,
}

/// A node with its `node_hash`.
pub type NodeWithHash = (i64, Node);

/// The new location of a declaration site that moved within its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanUpdate {
    /// The declared node.
    pub node: NodeId,
    /// Index of the site among the node's sites.
    pub position: u32,
    pub span: Span,
    /// Line and column of the declared name.
    pub name: (u32, u32),
}

/// How a transaction changes the graph.
#[derive(Debug)]
pub enum Write {
    /// Replaces the whole graph.
    Replace(FullGraph),
    /// Writes the resolved files. All nodes, sorted by id, are compared with the stored ones.
    Update(PackedNodes),
    /// Writes the resolved files and exactly these nodes.
    Patch(NodeChanges),
}

/// The nodes of a whole graph.
#[derive(Debug)]
pub struct FullGraph {
    /// All nodes, sorted by id.
    pub nodes: PackedNodes,
    /// [`crate::store::lexical_signs`] of the nodes, sorted by id.
    pub signs: Vec<(NodeId, SignBits)>,
}

/// Nodes that differ from the stored ones.
#[derive(Debug, Default)]
pub struct NodeChanges {
    /// Nodes that are new or differ in more than their position.
    pub written: Vec<NodeWithHash>,
    /// Removed nodes.
    pub removed: Vec<NodeId>,
    /// Declaration sites that moved within their file.
    pub moved: Vec<SpanUpdate>,
    /// New hashes of the nodes whose sites moved.
    pub rehashed: Vec<(NodeId, i64)>,
}

impl NodeChanges {
    /// Reports whether no node differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && self.moved.is_empty()
    }
}

/// The rows of resolved files other than those of the files themselves.
#[derive(Debug, Default)]
pub struct ResolvedRows {
    /// What each file depended on.
    pub dependencies: RowList<(FileKey, DependencyRow)>,
    /// Edges, in any order, with distinct keys.
    pub edges: RowList<EdgeRow>,
    /// Unresolved names.
    pub unresolved: RowList<UnresolvedRow>,
    /// Names of functions in object literals, without duplicates. They may be functions but are no nodes.
    pub object_functions: RowList<(FileKey, String)>,
    /// Literals and callbacks, one row per file.
    pub literals: RowList<LiteralRow>,
    /// Code that runs without a call that names it, in any order, with distinct keys.
    pub dispatch: Vec<DispatchRow>,
    /// Uses of external symbols, one row per file and symbol.
    pub external: RowList<ExternalRow>,
    /// The external symbols that are used, by id.
    pub external_symbols: FxHashMap<NodeId, Arc<ExternalSymbol>>,
}

impl ResolvedRows {
    /// Moves the rows of most kinds into a file.
    pub fn spill(&mut self, file: &SpillFile) -> io::Result<()> {
        self.dependencies.spill(file)?;
        self.edges.spill(file)?;
        self.unresolved.spill(file)?;
        self.literals.spill(file)?;
        self.external.spill(file)
    }

    /// Adds the rows of other files.
    pub fn append(&mut self, other: Self) {
        self.dependencies.append(other.dependencies);
        self.edges.append(other.edges);
        self.unresolved.append(other.unresolved);
        self.object_functions.append(other.object_functions);
        self.literals.append(other.literals);
        self.dispatch.extend(other.dispatch);
        self.external.append(other.external);
        self.external_symbols.extend(other.external_symbols);
    }
}

/// Everything that one transaction changes.
#[derive(Debug, Default)]
pub struct Delta {
    /// How the nodes change.
    pub write: Write,
    /// File keys of written nodes, by path.
    pub keys: FxHashMap<String, FileKey>,
    /// The resolved files.
    pub files: Vec<FileRow>,
    /// The other rows of the resolved files.
    pub resolved: ResolvedRows,
    /// Other files whose rows differ.
    pub touched: Vec<FileRow>,
    pub removed: Vec<FileKey>,
    /// All project files, or `None` if unchanged.
    pub inputs: Option<Vec<InputRow>>,
    /// The package files that were read, or `None` if unchanged.
    pub packages: Option<Vec<PackageRow>>,
    /// The rows of all imports, or `None` if unchanged.
    pub imports: Option<ImportedGraph>,
    /// `_metadata` entries to set.
    pub metadata: Vec<(&'static str, String)>,
}

impl Default for Write {
    fn default() -> Self {
        Self::Patch(NodeChanges::default())
    }
}

/// What a transaction changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteReport {
    /// Number of nodes added or changed.
    pub nodes_written: usize,
    /// Number of nodes removed.
    pub nodes_removed: usize,
    /// Number of edges added.
    pub edges_written: usize,
    /// Number of edges removed.
    pub edges_removed: usize,
}
