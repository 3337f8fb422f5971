//! The rows of one transaction: a [`Delta`] of the index.

use codeagent_workspace::Stamp;
use rustc_hash::FxHashMap;

use crate::embed::SignBits;
use crate::model::graph::{Confidence, Dialect, EdgeType, Node, NodeId, ParseStatus};
use crate::model::span::Span;
use crate::store::{DispatchRow, FactsKey, LiteralRow, PackageRow};

/// The id of a file's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Grammar and rules it is read with.
    pub dialect: Dialect,
    /// Project file that owns it, or `.`.
    pub project_id: String,
    /// Bytes on disk.
    pub size: u64,
    /// Identity and change time on disk when the file was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
    /// Key of its facts.
    pub facts_key: FactsKey,
    /// Hash of the preprocessor symbols it was read with.
    pub defines_hash: u64,
    /// Whether it was parsed fully, in part or not at all.
    pub parse_status: ParseStatus,
    /// Why it was not read, if so.
    pub problem: Option<String>,
    /// Bytes in error nodes.
    pub error_bytes: u32,
    /// Lines of the first errors.
    pub error_lines: Vec<u32>,
    /// Number of lines.
    pub lines: u32,
    /// Length of the decoded text.
    pub bytes: u32,
    /// Call-like sites, except calls of values.
    pub calls: u32,
    /// Call-like sites with a target.
    pub calls_resolved: u32,
    /// Call-like sites known to have an external target.
    pub calls_external: u32,
    /// Sites left without a target because a resolver budget was exceeded.
    pub given_up: u32,
    /// See `Header::interface_hash`.
    pub interface_hash: [u8; 16],
    /// See `NodeTable::ids_hash`.
    pub ids_hash: u64,
}

/// What a file depended on when it was last resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyRow {
    /// Hash of its project environment: usings, references, owner.
    pub environment_hash: u64,
    /// Hash of the module resolution results for its specifiers.
    pub answers_hash: u64,
    /// Files whose interface was read, sorted.
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
    /// Repo-relative path.
    pub path: String,
    /// Bytes on disk.
    pub size: u64,
    /// Identity and change time on disk when the file was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
}

/// One use of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// The node whose declaration contains the site.
    pub source: NodeId,
    /// The node that is used.
    pub target: NodeId,
    pub edge_type: EdgeType,
    pub confidence: Confidence,
    /// File of the site.
    pub file: FileKey,
    /// Line of the site.
    pub line: u32,
    /// UTF-16 column of the site.
    pub column: u32,
    /// Further candidates, best first.
    pub candidates: Box<[NodeId]>,
}

impl EdgeRow {
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

/// A use without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnresolvedSite {
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// Whether it calls.
    pub is_call: bool,
}

/// The sites of one unresolved name in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnresolvedRow {
    pub file: FileKey,
    pub name: String,
    /// In text order.
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
    /// Deletes and rewrites the whole graph.
    Replace(FullGraph),
    /// Writes the files, and compares all nodes, sorted by id, with the stored ones.
    Update(Vec<NodeWithHash>),
    /// Writes the files, and the nodes that are known to differ.
    Patch(NodeChanges),
}

/// The nodes of a whole graph.
#[derive(Debug)]
pub struct FullGraph {
    /// All nodes, sorted by id.
    pub nodes: Vec<NodeWithHash>,
    /// Their [`crate::store::lexical_signs`].
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
    /// The hashes of the nodes whose sites moved.
    pub rehashed: Vec<(NodeId, i64)>,
}

impl NodeChanges {
    /// Reports whether no node differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && self.moved.is_empty()
    }
}

/// Everything that one transaction changes.
#[derive(Debug, Default)]
pub struct Delta {
    /// How the nodes change.
    pub write: Write,
    /// The keys of the files of written nodes, by path.
    pub keys: FxHashMap<String, FileKey>,
    /// The files that were resolved.
    pub files: Vec<(FileRow, DependencyRow)>,
    /// Their edges, in any order, with distinct keys.
    pub edges: Vec<EdgeRow>,
    /// Their unresolved names.
    pub unresolved: Vec<UnresolvedRow>,
    /// Their names of functions in object literals, without duplicates.
    pub object_functions: Vec<(FileKey, String)>,
    /// Their literals and callbacks, one row per file.
    pub literals: Vec<LiteralRow>,
    /// Their dispatch, in any order, with distinct keys.
    pub dispatch: Vec<DispatchRow>,
    /// Other files whose rows differ.
    pub touched: Vec<FileRow>,
    pub removed: Vec<FileKey>,
    /// All project files; `None` if unchanged.
    pub inputs: Option<Vec<InputRow>>,
    /// The package files that were read; `None` if unchanged.
    pub packages: Option<Vec<PackageRow>>,
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
    /// Nodes added or changed.
    pub nodes_written: usize,
    /// Nodes removed.
    pub nodes_removed: usize,
    /// Edges added.
    pub edges_written: usize,
    /// Edges removed.
    pub edges_removed: usize,
}
