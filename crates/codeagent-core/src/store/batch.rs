//! What is written in one transaction: the rows of a batch.

use codeagent_workspace::Stamp;
use rustc_hash::FxHashMap;

use crate::embed::Signs;
use crate::model::graph::{Confidence, Dialect, EdgeType, Node, NodeId, ParseStatus};
use crate::model::span::Span;
use crate::store::{FactsKey, PackageRow};

/// The id of a file's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey(pub u32);

/// A slot of `resolve::reads` as it is stored: its low half. Equal slots stay equal, and a false
/// match only costs a link.
pub type DependencyKeyHash = u32;

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Its id.
    pub id: FileKey,
    /// Repo-relative path.
    pub path: String,
    /// Grammar and rules it is read with.
    pub dialect: Dialect,
    /// Project file that owns it, or `.`.
    pub project_id: String,
    /// Bytes on disk.
    pub size: u64,
    /// What was to be seen of it from outside when it was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
    /// Where its facts are.
    pub facts_key: FactsKey,
    /// Hash of the preprocessor symbols it was read with.
    pub defines_hash: u64,
    /// How well it was parsed.
    pub parse_status: ParseStatus,
    /// Why it was not read, if it was not.
    pub problem: Option<String>,
    /// Bytes in error nodes.
    pub error_bytes: u32,
    /// Lines of the first errors.
    pub error_lines: Vec<u32>,
    /// Number of lines.
    pub lines: u32,
    /// Length of the decoded text.
    pub bytes: u32,
    /// Call-like sites, those left out that call a value.
    pub calls: u32,
    /// Call-like sites with a target.
    pub calls_resolved: u32,
    /// Call-like sites known to go outside.
    pub calls_external: u32,
    /// Sites without a target because a budget of the linker was used up.
    pub given_up: u32,
    /// See `Header::interface_hash`.
    pub interface_hash: [u8; 16],
    /// See `NodeTable::ids_hash`.
    pub ids_hash: u64,
}

/// What the last link of a file depended on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyRow {
    /// Hash of what its project says: usings, references, owner.
    pub environment_hash: u64,
    /// Hash of the answers of module resolution for its specifiers.
    pub answers_hash: u64,
    /// Files whose interface was looked at, sorted.
    pub reads: Vec<FileKey>,
    /// Slots that were looked up, sorted.
    pub slots: Vec<DependencyKeyHash>,
    /// Slots it publishes itself, sorted.
    pub published: Vec<DependencyKeyHash>,
    /// Nodes with edges whose sites lie in the file, sorted.
    pub sources: Vec<NodeId>,
}

/// A project file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRow {
    /// Repo-relative path.
    pub path: String,
    /// Bytes on disk.
    pub size: u64,
    /// What was to be seen of it from outside when it was read.
    pub stamp: Stamp,
    /// blake3 of its bytes.
    pub hash: [u8; 32],
}

/// One use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// In whose declaration it stands.
    pub source: NodeId,
    /// What is used.
    pub target: NodeId,
    /// The verb.
    pub edge_type: EdgeType,
    /// How sure.
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
    /// The order of the outgoing table.
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

    /// The order of the incoming table.
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

/// Where a file uses a name that was not resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnresolvedRow {
    /// The file.
    pub file: FileKey,
    /// The name.
    pub name: String,
    /// The places in text order.
    pub sites: Vec<UnresolvedSite>,
}

/// Whether a batch is the whole graph or a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchKind {
    /// Everything is written anew.
    Replace,
    /// Only what differs is written.
    #[default]
    Update,
}

/// A node with its `node_hash`.
pub type NodeWithHash = (i64, Node);

/// A declaration site of a node that is now elsewhere in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanUpdate {
    /// Whose.
    pub node: NodeId,
    /// Its place among the sites of the node.
    pub position: u32,
    /// Where it begins and ends.
    pub span: Span,
    /// Line and column of the name.
    pub name: (u32, u32),
}

/// Everything one transaction changes.
#[derive(Debug, Default)]
pub struct Batch {
    /// Whole or part.
    pub kind: BatchKind,
    /// Rows to write: all files, or those that changed or were linked again.
    pub files: Vec<(FileRow, DependencyRow)>,
    /// Rows of files that were touched without being changed.
    pub touched: Vec<FileRow>,
    /// Files that are gone.
    pub removed: Vec<FileKey>,
    /// Keys of all files by path, those of `files` included.
    pub keys: FxHashMap<String, FileKey>,
    /// All nodes, sorted by id, of the whole graph (an update finds out itself which of them
    /// differ); `None` if none differs but those below.
    pub nodes: Option<Vec<NodeWithHash>>,
    /// The [`crate::store::lexical_signs`] of `nodes` if everything is written anew and they are
    /// made already; `None`: the store makes them.
    pub signs: Option<Vec<(NodeId, Signs)>>,
    /// Nodes that differ, of an update without `nodes`.
    pub renewed: Vec<NodeWithHash>,
    /// Nodes that are gone, of an update without `nodes`.
    pub gone: Vec<NodeId>,
    /// Declaration sites that moved within their file, of an update without `nodes`.
    pub moved: Vec<SpanUpdate>,
    /// The hashes of their nodes.
    pub rehashed: Vec<(NodeId, i64)>,
    /// Edges of the files in `files`; any order, no two with one key.
    pub edges: Vec<EdgeRow>,
    /// Unresolved names of the files in `files`.
    pub unresolved: Vec<UnresolvedRow>,
    /// Names of functions of object literals in the files in `files`; no two rows are equal.
    pub object_functions: Vec<(FileKey, String)>,
    /// All project files; `None` if they are as before.
    pub inputs: Option<Vec<InputRow>>,
    /// What was read of packages, if it is not as it was.
    pub packages: Option<Vec<PackageRow>>,
    /// Entries of `_metadata` to set.
    pub metadata: Vec<(&'static str, String)>,
}

/// What a batch changed.
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
