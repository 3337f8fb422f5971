//! The nodes of the graph: the declarations that are nodes, and those that share one.
//!
//! Several declarations are one node: the parts of a partial class, merged interfaces and
//! namespaces, overload signatures and their implementation, a get/set pair. Ids are derived from
//! (project, language, space, qualified name, disambiguator) and are stable across line changes,
//! machines and, in C#, files. Different symbols with one identity (the same class under two
//! conditions, functions of the same name in two blocks) are distinguished by an ordinal in (path,
//! position) order.
//!
//! Limitations: parameters are not nodes, nor are locals and members of object literals that hold no
//! function; a use of them has no target.

mod describe;
mod identity;
mod patch;

use std::sync::{Arc, OnceLock};

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{
    Confidence, Edge, EdgeType, Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType,
};
use codeagent_model::span::{Position, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::LanguageSupport;
use crate::project::ProjectModel;
use crate::world::{DeclRef, FileId, World, WorldFile};
use crate::{InheritedImplementation, Reference, Resolution, Target};
pub use describe::{is_of_object, value};
pub use identity::{Identity, MergeKey, qualified};
pub use patch::NodeUpdate;

/// All nodes of a world, and the node of each declaration.
#[derive(Debug, Default)]
pub struct NodeTable {
    /// Nodes, files and namespaces included, and vacant entries.
    nodes: Vec<Node>,
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
    /// Per file: its facts, to find enclosing declarations.
    facts: Vec<Arc<Facts>>,
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

    /// Iterates over all nodes, files and namespaces included.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let vacant: FxHashSet<u32> = self.vacant.iter().copied().collect();
        self.nodes
            .iter()
            .enumerate()
            .filter(move |(place, _)| !vacant.contains(&(*place as u32)))
            .map(|(_, node)| node)
    }

    /// Moves all nodes out of the table.
    pub fn take_nodes(&mut self) -> Vec<Node> {
        let mut vacant = std::mem::take(&mut self.vacant);
        let mut nodes = std::mem::take(&mut self.nodes);
        vacant.sort_unstable();
        for place in vacant.into_iter().rev() {
            nodes.swap_remove(place as usize);
        }
        nodes
    }

    /// Frees everything but the nodes. No declaration has a node afterwards.
    pub fn keep_nodes_only(&mut self) {
        self.ids = OnceLock::new();
        self.of_decl = Vec::new();
        self.facts = Vec::new();
    }

    /// Returns the node at an index in a [`NodeUpdate`].
    #[must_use]
    pub fn at(&self, place: usize) -> &Node {
        &self.nodes[place]
    }

    /// Returns the number of nodes that are not files.
    #[must_use]
    pub fn symbols(&self) -> usize {
        self.nodes.len() - self.vacant.len() - self.of_file.len()
    }

    /// Returns the facts of a file, from which its nodes were built.
    #[must_use]
    pub fn facts(&self, file: FileId) -> &Facts {
        &self.facts[file.0 as usize]
    }

    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let path_of = |node: &u32| self.nodes[*node as usize].qualified_name.as_str();
        self.of_file
            .binary_search_by(|node| path_of(node).cmp(path))
            .ok()
            .map(|at| FileId(at as u32))
    }

    #[must_use]
    pub fn of_file(&self, file: FileId) -> NodeId {
        self.nodes[self.of_file[file.0 as usize] as usize].id
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
            at = self.facts[file.0 as usize].decl(decl).parent;
        }
        self.of_file(file)
    }

    /// Returns the id of a declaration's node; `None` for locals, parameters and all declarations
    /// of an external file.
    #[must_use]
    pub fn of(&self, decl: DeclRef) -> Option<NodeId> {
        self.node(decl).map(|node| node.id)
    }

    /// Returns a declaration's own node, as [`Self::of`].
    #[must_use]
    pub fn node(&self, decl: DeclRef) -> Option<&Node> {
        let index = *self
            .of_decl
            .get(decl.file.0 as usize)?
            .get(decl.decl.index())?;
        (index != 0).then(|| &self.nodes[index as usize - 1])
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
            hasher.update(&self.nodes[*index as usize - 1].id.0.to_le_bytes());
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

/// A node under construction.
struct NodeDraft {
    node: Node,
    /// The other condition for declarations to be the same symbol; see [`Identity::merge_key`].
    merge_key: MergeKey,
    /// Rank of the primary declaration so far; see [`describe::weight`].
    weight: u32,
}

#[derive(Default)]
struct TableBuilder {
    drafts: Vec<NodeDraft>,
    /// Drafts by the id they would have without an ordinal.
    by_identity: FxHashMap<NodeId, Vec<u32>>,
    of_decl: Vec<Vec<u32>>,
    of_file: Vec<u32>,
    facts: Vec<Arc<Facts>>,
}

impl TableBuilder {
    fn add_file(&mut self, projects: &ProjectModel, file: &WorldFile) {
        let project = projects.project_id(&file.path);
        let file_node = self.drafts.len() as u32;
        self.of_file.push(file_node);
        self.drafts.push(file_draft(file, project));
        let support = projects.languages().of_facts(&file.facts);
        let components = support.decorated_components(&file.facts);
        let mut of_decl = vec![0; file.facts.decls.len()];
        for decl in file
            .facts
            .decl_ids()
            .filter(|decl| is_node(&file.facts, *decl))
        {
            let parent = enclosing(&file.facts, &of_decl, decl);
            let context = NodeContext {
                support,
                file,
                project,
                parent,
                file_node,
            };
            let index = self.add_decl(&context, decl);
            if components.contains(&decl) {
                self.drafts[index as usize].node.node_type = NodeType::Component;
            }
            of_decl[decl.index()] = index + 1;
        }

        self.of_decl.push(of_decl);
        self.facts.push(Arc::clone(file.facts.shared()));
    }

    fn add_decl(&mut self, context: &NodeContext<'_>, decl: DeclId) -> u32 {
        let parent = context
            .parent
            .map(|index| &self.drafts[index as usize].node);

        let identity = context.support.identity(context.file, decl, parent);
        let base = identity.id(context.project, None);
        let same = self.by_identity.entry(base).or_default();
        let merged = same.iter().copied().find(|index| {
            identity
                .merge_key
                .merges_with(&self.drafts[*index as usize].merge_key)
        });

        if let Some(index) = merged {
            self.merge(index, context, decl);
            return index;
        }

        let ordinal = same.len();
        let index = self.drafts.len() as u32;
        same.push(index);
        let id = if ordinal == 0 {
            base
        } else {
            identity.id(context.project, Some(ordinal))
        };

        let parent_id = parent_id(context, &self.drafts, decl);
        let node = describe::node(context, decl, id, (identity.qualified_name, parent_id));
        let weight = describe::weight(&context.file.facts, decl);
        self.drafts.push(NodeDraft {
            node,
            merge_key: identity.merge_key,
            weight,
        });

        index
    }

    /// Adds a declaration to a node; the weightiest one describes it.
    fn merge(&mut self, index: u32, context: &NodeContext<'_>, decl: DeclId) {
        let weight = describe::weight(&context.file.facts, decl);
        let parent = parent_id(context, &self.drafts, decl);
        let draft = &mut self.drafts[index as usize];
        let qualified_name = draft.node.qualified_name.clone();
        let mut other = describe::node(context, decl, draft.node.id, (qualified_name, parent));
        if weight > draft.weight {
            draft.weight = weight;
            std::mem::swap(&mut draft.node, &mut other);
        }
        draft.node.spans.append(&mut other.spans);
        draft.node.doc = draft.node.doc.take().or(other.doc);
        draft.node.flags.set(other.flags, true);
        if other.node_type == NodeType::Component {
            draft.node.node_type = NodeType::Component;
        }
    }

    fn finish(mut self) -> NodeTable {
        let mut nodes: Vec<Node> = std::mem::take(&mut self.drafts)
            .into_iter()
            .map(|draft| draft.node)
            .collect();

        for node in &mut nodes {
            let rest = &mut node.spans[1..];
            rest.sort_by(|a, b| {
                (&a.path, a.span.start.offset).cmp(&(&b.path, b.span.start.offset))
            });
        }

        let shared = self
            .by_identity
            .into_iter()
            .filter(|(_, nodes)| nodes.len() > 1)
            .map(|(id, _)| id)
            .collect();

        let Self {
            of_decl,
            of_file,
            facts,
            ..
        } = self;

        NodeTable {
            nodes,
            vacant: Vec::new(),
            shared,
            ids: OnceLock::new(),
            of_decl,
            of_file,
            facts,
        }
    }
}

/// The context of a declaration while its node is built.
struct NodeContext<'a> {
    support: &'static dyn LanguageSupport,
    file: &'a WorldFile,
    project: &'a str,
    /// Draft of the nearest enclosing declaration that is a node.
    parent: Option<u32>,
    /// Draft of the file.
    file_node: u32,
}

fn parent_id(context: &NodeContext<'_>, drafts: &[NodeDraft], decl: DeclId) -> Option<NodeId> {
    let is_outermost = context.support.is_outermost(&context.file.facts, decl);
    (!is_outermost).then(|| {
        drafts[context.parent.unwrap_or(context.file_node) as usize]
            .node
            .id
    })
}

/// Reports whether a declaration is (part of) a node.
fn is_node(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);
    !declaration.detail.is_none()
        && !declaration.name.is_none()
        && describe::kind(facts, decl).is_some()
}

fn enclosing(facts: &Facts, of_decl: &[u32], decl: DeclId) -> Option<u32> {
    let mut at = facts.decl(decl).parent;
    while let Some(parent) = at.some() {
        if of_decl[parent.index()] != 0 {
            return Some(of_decl[parent.index()] - 1);
        }
        at = facts.decl(parent).parent;
    }
    None
}

fn file_draft(file: &WorldFile, project: &str) -> NodeDraft {
    NodeDraft {
        node: file_node(file, project),
        merge_key: MergeKey::Alone,
        weight: 0,
    }
}

/// Returns the node of a file.
fn file_node(file: &WorldFile, project: &str) -> Node {
    let language = file.facts.header.dialect.language();
    let whole = Span {
        start: Position {
            offset: 0,
            line: 1,
            column: 1,
        },
        end_offset: file.facts.header.bytes,
        end_line: file.facts.header.lines.max(1),
    };

    Node {
        id: NodeId::derive(&[project, language.as_str(), "file", &file.path, ""]),
        parent: None,
        project_id: project.to_owned(),
        name: file
            .path
            .rsplit('/')
            .next()
            .unwrap_or(&file.path)
            .to_owned(),
        qualified_name: file.path.to_string(),
        node_type: NodeType::File,
        kind: NodeKind::File,
        language,
        access: None,
        flags: NodeFlags::default(),
        type_parameters: None,
        parameter_signature: None,
        parameter_count: None,
        return_type: None,
        doc: None,
        spans: vec![NodeSpan {
            path: file.path.to_string(),
            span: whole,
            name_line: 1,
            name_column: 1,
        }],
    }
}
