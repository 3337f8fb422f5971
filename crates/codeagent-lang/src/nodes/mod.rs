//! The nodes of the graph: the declarations that are nodes, and those that share one.
//!
//! Several declarations are one node: the parts of a partial class, merged interfaces and
//! namespaces, overload signatures and their implementation, a get/set pair. Ids are derived from
//! (project, language, space, qualified name, disambiguator) and are stable across line changes,
//! machines and, in C#, files. Different symbols with one identity (the same class under two
//! conditions, functions of the same name in two blocks) are distinguished by an ordinal in (path,
//! position) order.
//!
//! The table holds ids and declarations; a node is made from the facts of its declarations when it is
//! read (`make`).
//!
//! Limitations: parameters are not nodes, nor are locals and members of object literals that hold no
//! function; a use of them has no target.

mod build;
mod describe;
mod identity;
mod make;
mod patch;

use std::sync::{Arc, OnceLock};

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{Confidence, Edge, EdgeType, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::language::Languages;
use crate::project::ProjectModel;
use crate::world::{DeclRef, FileId, World, WorldFile};
use crate::{InheritedImplementation, Reference, Resolution, Target};
use build::TableBuilder;
pub use describe::{is_of_object, value};
pub use identity::{Container, Identity, MergeKey, qualified};
pub use patch::NodeUpdate;

/// All nodes of a world, and the node of each declaration.
#[derive(Debug, Default)]
pub struct NodeTable {
    /// Files and namespaces included, and vacant entries.
    entries: Vec<Entry>,
    /// Indices of the vacant entries.
    vacant: Vec<u32>,
    /// Identities that several nodes have.
    shared: FxHashSet<NodeId>,
    /// The index of each node by its id, computed on first use.
    ids: OnceLock<FxHashMap<NodeId, u32>>,
    /// Per file and declaration: index of its node plus one, 0 if it has none.
    of_decl: Vec<Vec<u32>>,
    /// Per file: index of its node.
    of_file: Vec<u32>,
    files: Vec<TableFile>,
    languages: Languages,
}

/// A node.
#[derive(Debug)]
struct Entry {
    id: NodeId,
    /// Its declarations, sorted; for a file, one without a declaration.
    parts: SmallVec<[DeclRef; 1]>,
}

/// A file of the table.
#[derive(Debug)]
struct TableFile {
    file: WorldFile,
    /// The project that owns it.
    project: Arc<str>,
    /// The declarations that other code in the file makes components, sorted.
    components: Box<[DeclId]>,
}

impl NodeTable {
    /// Builds the nodes of all repository files of a world.
    #[must_use]
    pub fn build(world: &World) -> Self {
        Self::of_files(world.files(), &world.projects)
    }

    /// Builds the nodes of the repository files among `files`, which are in the order of a world.
    #[must_use]
    pub fn of_files(files: &[WorldFile], projects: &ProjectModel) -> Self {
        let mut builder = TableBuilder::default();
        for file in files.iter().filter(|file| file.is_own()) {
            builder.add_file(projects, file);
        }
        builder.finish()
    }

    /// Returns the number of nodes that are not files.
    #[must_use]
    pub fn symbols(&self) -> usize {
        self.entries.len() - self.vacant.len() - self.of_file.len()
    }

    /// Returns the number of files.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.files.len() as u32
    }

    /// Returns the facts of a file, from which its nodes are made.
    #[must_use]
    pub fn facts(&self, file: FileId) -> &Facts {
        &self.files[file.0 as usize].file.facts
    }

    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files
            .binary_search_by(|file| (*file.file.path).cmp(path))
            .ok()
            .map(|at| FileId(at as u32))
    }

    #[must_use]
    pub fn of_file(&self, file: FileId) -> NodeId {
        self.entries[self.of_file[file.0 as usize] as usize].id
    }

    /// Returns the node of a declaration, else that of the nearest enclosing declaration that has
    /// one, else that of the file.
    #[must_use]
    pub fn around(&self, file: FileId, decl: DeclId) -> NodeId {
        let mut at = decl;
        while let Some(decl) = at.some() {
            if let Some(node) = self.of(DeclRef { file, decl }) {
                return node;
            }
            at = self.facts(file).decl(decl).parent;
        }
        self.of_file(file)
    }

    /// Returns the id of a declaration's node; `None` for locals, parameters and all declarations
    /// of an external file.
    #[must_use]
    pub fn of(&self, decl: DeclRef) -> Option<NodeId> {
        self.place_of_decl(decl).map(|place| self.entries[place].id)
    }

    /// Returns the index of a declaration's own node.
    fn place_of_decl(&self, decl: DeclRef) -> Option<usize> {
        let place = *self
            .of_decl
            .get(decl.file.0 as usize)?
            .get(decl.decl.index())?;
        (place != 0).then(|| place as usize - 1)
    }

    /// Returns the edges of one resolved file, sorted. Targets become nodes; several uses by one
    /// node at one position with one target become one edge.
    #[must_use]
    pub fn edges(&self, file: FileId, resolution: &Resolution) -> Vec<Edge> {
        let mut edges: Vec<Edge> = resolution
            .uses
            .iter()
            .filter_map(|each| self.edge(file, each))
            .collect();

        edges.extend(
            resolution
                .inherited
                .iter()
                .filter_map(|each| self.inherited(each)),
        );

        edges.sort_unstable();
        edges.dedup_by(|later, first| {
            (
                first.source,
                first.target,
                first.edge_type,
                first.line,
                first.column,
            ) == (
                later.source,
                later.target,
                later.edge_type,
                later.line,
                later.column,
            )
        });

        edges
    }

    fn inherited(&self, of: &InheritedImplementation) -> Option<Edge> {
        Some(Edge {
            source: self.of(of.member)?,
            target: self.of(of.implements)?,
            edge_type: EdgeType::Implements,
            line: of.at.line,
            column: of.at.column,
            confidence: Confidence::Exact,
            candidates: Vec::new(),
        })
    }

    /// Returns a hash of the ids of all declarations of a file. If it changes, files with edges
    /// into this file must be resolved again.
    #[must_use]
    pub fn ids_hash(&self, file: FileId) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for index in self.of_decl[file.0 as usize]
            .iter()
            .filter(|index| **index != 0)
        {
            hasher.update(&self.entries[*index as usize - 1].id.0.to_le_bytes());
        }
        u64::from_le_bytes(
            hasher.finalize().as_bytes()[..8]
                .try_into()
                .expect("a hash has 32 bytes"),
        )
    }

    fn edge(&self, file: FileId, of: &Reference) -> Option<Edge> {
        let mut targets = of.targets.iter().filter_map(|target| match target {
            Target::Decl(decl) => self.of(*decl),
            Target::File(file) => self
                .of_file
                .get(file.0 as usize)
                .map(|_| self.of_file(*file)),
        });

        let target = targets.next()?;
        let mut candidates: Vec<NodeId> = Vec::new();
        for candidate in targets {
            if candidate != target && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }

        debug_assert!(
            of.edge_type != EdgeType::Contains,
            "containment is kept on the node"
        );

        Some(Edge {
            source: self.around(file, of.source),
            target,
            edge_type: of.edge_type,
            line: of.at.line,
            column: of.at.column,
            confidence: of.confidence,
            candidates,
        })
    }
}
