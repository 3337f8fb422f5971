//! Which declarations are vertices of the graph, and which of them are the same vertex.
//!
//! Several declarations are one node: the parts of a partial class, merged interfaces and namespaces, overload signatures and their
//! implementation, a get/set pair. Ids come from (project, language, space, qualified name, disambiguator) and hold across lines, machines
//! and moved C# files.

use rustc_hash::FxHashMap;

use crate::model::facts::DeclId;
use crate::model::graph::{Edge, Node, NodeId};
use crate::resolve::world::{DeclRef, FileId, World};
use crate::resolve::Links;

/// All nodes of a world and which declaration belongs to which.
#[derive(Debug, Default)]
pub struct NodeTable {
    /// Sorted by id; files and namespaces included.
    pub nodes: Vec<Node>,
    by_decl: FxHashMap<DeclRef, NodeId>,
    files: Vec<NodeId>,
}

impl NodeTable {
    /// The nodes of all repository files of a world.
    #[must_use]
    pub fn build(_world: &World) -> Self {
        Self::default()
    }

    /// The node of a file.
    #[must_use]
    pub fn of_file(&self, file: FileId) -> NodeId {
        self.files[file.0 as usize]
    }

    /// The node of a declaration: its own, or that of the nearest declaration around it that has one, at last the file.
    #[must_use]
    pub fn around(&self, file: FileId, decl: DeclId) -> NodeId {
        let _ = decl;
        self.of_file(file)
    }

    /// The node of a declaration itself.
    #[must_use]
    pub fn of(&self, decl: DeclRef) -> Option<NodeId> {
        self.by_decl.get(&decl).copied()
    }

    /// The edges of one file's links: targets become nodes, several uses by one node at one place with one target become one edge. Sorted.
    #[must_use]
    pub fn edges(&self, _file: FileId, _links: &Links) -> Vec<Edge> {
        Vec::new()
    }

    /// A hash of the ids of all declarations of a file: if it changes, whoever has edges into the file must be linked again.
    #[must_use]
    pub fn ids_hash(&self, _file: FileId) -> u64 {
        0
    }
}
