//! The rows that one write transaction changes.

use codeagent_workspace::Stamp;
use rustc_hash::FxHashMap;

use crate::embed::SignBits;
use crate::model::graph::{Confidence, Dialect, EdgeType, Node, NodeId, ParseStatus};
use crate::model::span::Span;
use crate::store::{FactsKey, PackageRow};

/// The id of a file's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Whether a batch replaces the whole graph or updates a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// Deletes and rewrites everything.
    Replace,
    /// Writes only the rows that differ.
    #[default]
    Update,
}

/// A node's `node_hash` and the node.
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

/// Everything that one transaction changes.
#[derive(Debug, Default)]
pub struct Batch {
    pub kind: WriteMode,
    /// Files to write: all of them, or those that changed or were resolved again.
    pub files: Vec<(FileRow, DependencyRow)>,
    /// Files whose stamp changed but whose content did not.
    pub touched: Vec<FileRow>,
    pub removed: Vec<FileKey>,
    /// Keys of all files by path, including those in `files`.
    pub keys: FxHashMap<String, FileKey>,
    /// All nodes of the graph, sorted by id. An update compares them with the stored ones; it
    /// passes `None` if only the nodes listed below differ.
    pub nodes: Option<Vec<NodeWithHash>>,
    /// The [`crate::store::lexical_signs`] of `nodes`, if the caller has computed them for a
    /// replacing batch.
    pub signs: Option<Vec<(NodeId, SignBits)>>,
    /// Changed nodes. Only for an update without `nodes`.
    pub renewed: Vec<NodeWithHash>,
    /// Removed nodes. Only for an update without `nodes`.
    pub gone: Vec<NodeId>,
    /// Moved declaration sites. Only for an update without `nodes`.
    pub moved: Vec<SpanUpdate>,
    /// New hashes of the nodes in `moved`.
    pub rehashed: Vec<(NodeId, i64)>,
    /// Edges of the files in `files`, in any order, with distinct keys.
    pub edges: Vec<EdgeRow>,
    /// Unresolved names in the files in `files`.
    pub unresolved: Vec<UnresolvedRow>,
    /// Names of functions in object literals of the files in `files`, without duplicates.
    pub object_functions: Vec<(FileKey, String)>,
    /// All project files; `None` if unchanged.
    pub inputs: Option<Vec<InputRow>>,
    /// The package files that were read; `None` if unchanged.
    pub packages: Option<Vec<PackageRow>>,
    /// `_metadata` entries to set.
    pub metadata: Vec<(&'static str, String)>,
}

/// Counts of what a batch changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// Nodes added or changed.
    pub nodes_written: usize,
    /// Nodes removed.
    pub nodes_removed: usize,
    /// Edges added.
    pub edges_written: usize,
    /// Edges removed.
    pub edges_removed: usize,
}
