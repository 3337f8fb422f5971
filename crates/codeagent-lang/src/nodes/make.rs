//! Makes nodes from the facts of their declarations.

use std::sync::Arc;

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType};
use codeagent_model::span::{Position, Span};
use rustc_hash::FxHashMap;

use crate::language::LanguageSupport;
use crate::nodes::build::enclosing;
use crate::nodes::{Container, NodeTable, TableFile, describe};
use crate::world::{DeclRef, FileId};

/// What the description of a declaration needs besides its facts.
pub(super) struct NodeContext<'a> {
    pub support: &'static dyn LanguageSupport,
    pub file: &'a TableFile,
    pub id: NodeId,
    /// The id of the node that contains it.
    pub parent: Option<NodeId>,
}

/// A node, of whose declarations some are still to be added.
struct NodeDraft {
    node: Node,
    /// Number of its declarations so far.
    parts: usize,
    /// Rank of the primary declaration so far; see [`describe::weight`].
    weight: u32,
}

/// The declarations in one file of nodes with several declarations, by the node's index.
pub struct NodeParts(Vec<(usize, NodeDraft)>);

/// The nodes with several declarations of which some are still to be added, by index.
#[derive(Default)]
pub struct MergedNodes(FxHashMap<usize, NodeDraft>);

impl NodeTable {
    /// Iterates over all nodes, files and namespaces included.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        let (mut nodes, mut merged) = (Vec::new(), MergedNodes::default());
        for file in (0..self.files.len() as u32).map(FileId) {
            let (whole, parts) = self.nodes_of(file);
            nodes.extend(whole);
            nodes.extend(merged.add(parts, self));
        }
        nodes.into_iter()
    }

    /// Returns the nodes of a file that have one declaration, and its parts of the others.
    #[must_use]
    pub fn nodes_of(&self, file: FileId) -> (Vec<Node>, NodeParts) {
        let at = file.0 as usize;
        let whole = DeclRef {
            file,
            decl: DeclId::NONE,
        };
        let path = self.files[at].file.path.to_string();
        let of_file = self.part(self.of_file[at] as usize, whole, path);
        let (mut nodes, mut parts) = (vec![of_file.node], Vec::new());

        let of_decl = &self.of_decl[at];
        let mut names = vec![String::new(); of_decl.len()];
        for decl in (0..of_decl.len() as u32).map(DeclId) {
            let Some(place) = of_decl[decl.index()].checked_sub(1) else {
                continue;
            };
            let (place, part) = (place as usize, DeclRef { file, decl });
            let name = self.name_within(part, |parent| &names[parent.index()]);
            names[decl.index()].clone_from(&name);
            let part = self.part(place, part, name);
            if self.entries[place].parts.len() == 1 {
                nodes.push(part.node);
            } else {
                parts.push((place, part));
            }
        }
        (nodes, NodeParts(parts))
    }

    /// Frees the facts of a file, whose declarations have no nodes afterwards.
    pub fn free_facts(&mut self, file: FileId) {
        let at = file.0 as usize;
        let of_file = &mut self.files[at].file;
        of_file.facts = Arc::new(Facts::of(of_file.facts.dialect())).into();
        self.of_decl[at] = Vec::new();
    }

    /// Returns the node at an index in a [`NodeUpdate`](crate::nodes::NodeUpdate).
    ///
    /// # Panics
    ///
    /// If the node was removed.
    #[must_use]
    pub fn at(&self, place: usize) -> Node {
        let (first, others) = self.entries[place]
            .parts
            .split_first()
            .expect("a node has declarations");
        let part = |part: DeclRef| self.part(place, part, self.qualified_name(part));
        let mut draft = part(*first);
        for other in others {
            draft.add(part(*other));
        }
        draft.finish()
    }

    /// Returns the node of a declaration; `None` if it has none.
    #[must_use]
    pub fn node(&self, decl: DeclRef) -> Option<Node> {
        self.place_of_decl(decl).map(|place| self.at(place))
    }

    /// Returns a node as if a declaration was its only one.
    fn part(&self, place: usize, part: DeclRef, qualified_name: String) -> NodeDraft {
        let file = &self.files[part.file.0 as usize];
        let context = NodeContext {
            support: self.languages.of_facts(&file.file.facts),
            file,
            id: self.entries[place].id,
            parent: self.parent(part),
        };
        if part.decl.is_none() {
            return NodeDraft {
                node: file_node(&context),
                parts: 1,
                weight: 0,
            };
        }

        let mut node = describe::node(&context, part.decl, qualified_name);
        if file.components.binary_search(&part.decl).is_ok() {
            node.node_type = NodeType::Component;
        }
        NodeDraft {
            node,
            parts: 1,
            weight: describe::weight(&file.file.facts, part.decl),
        }
    }

    /// Returns the id of the node that contains a declaration.
    fn parent(&self, part: DeclRef) -> Option<NodeId> {
        let file = &self.files[part.file.0 as usize].file;
        let support = self.languages.of_facts(&file.facts);
        if part.decl.is_none() || support.is_outermost(&file.facts, part.decl) {
            return None;
        }
        Some(self.around(part.file, file.facts.decl(part.decl).parent))
    }

    /// Returns the qualified name of a declaration that has a node, or of a file.
    fn qualified_name(&self, part: DeclRef) -> String {
        let at = part.file.0 as usize;
        let file = &self.files[at].file;
        if part.decl.is_none() {
            return file.path.to_string();
        }

        let (of_decl, mut around) = (&self.of_decl[at], vec![part.decl]);
        while let Some(parent) = enclosing(&file.facts, of_decl, around[around.len() - 1]) {
            around.push(parent);
        }
        let mut name = String::new();
        for decl in around.into_iter().rev() {
            let part = DeclRef { decl, ..part };
            name = self.name_within(part, |_| &name);
        }
        name
    }

    /// Returns the qualified name of a declaration that has a node. `name_of` returns that of the
    /// enclosing one.
    fn name_within<'n>(&self, part: DeclRef, name_of: impl Fn(DeclId) -> &'n str) -> String {
        let at = part.file.0 as usize;
        let file = &self.files[at].file;
        let parent = enclosing(&file.facts, &self.of_decl[at], part.decl);
        let parent = parent.map(|parent| Container {
            id: self.around(part.file, parent),
            qualified_name: name_of(parent),
        });
        let support = self.languages.of_facts(&file.facts);
        support.identity(file, part.decl, parent).qualified_name
    }
}

impl MergedNodes {
    /// Adds the parts in a file, and returns the nodes that have all their declarations now. Files must be added in
    /// order.
    pub fn add(&mut self, parts: NodeParts, table: &NodeTable) -> Vec<Node> {
        let mut whole = Vec::new();
        for (place, part) in parts.0 {
            let draft = match self.0.remove(&place) {
                Some(mut draft) => {
                    draft.add(part);
                    draft
                }
                None => part,
            };
            if draft.parts == table.entries[place].parts.len() {
                whole.push(draft.finish());
            } else {
                self.0.insert(place, draft);
            }
        }
        whole
    }
}

impl NodeDraft {
    /// Adds a declaration; the weightiest one describes the node.
    fn add(&mut self, of_part: Self) {
        let mut other = of_part.node;
        self.parts += of_part.parts;
        if of_part.weight > self.weight {
            self.weight = of_part.weight;
            std::mem::swap(&mut self.node, &mut other);
        }
        self.node.spans.append(&mut other.spans);
        self.node.doc = self.node.doc.take().or(other.doc);
        self.node.flags.set(other.flags, true);
        if other.node_type == NodeType::Component {
            self.node.node_type = NodeType::Component;
        }
    }

    fn finish(mut self) -> Node {
        let rest = &mut self.node.spans[1..];
        rest.sort_by(|a, b| (&a.path, a.span.start.offset).cmp(&(&b.path, b.span.start.offset)));
        self.node
    }
}

/// Returns the node of a file.
fn file_node(context: &NodeContext<'_>) -> Node {
    let file = &context.file.file;
    let header = &file.facts.header;
    let path = file.path.to_string();
    let whole = Span {
        start: Position {
            offset: 0,
            line: 1,
            column: 1,
        },
        end_offset: header.bytes,
        end_line: header.lines.max(1),
    };

    Node {
        id: context.id,
        parent: None,
        project_id: context.file.project.to_string(),
        name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
        qualified_name: path.clone(),
        node_type: NodeType::File,
        kind: NodeKind::File,
        language: header.dialect.language(),
        access: None,
        flags: NodeFlags::default(),
        type_parameters: None,
        parameter_signature: None,
        parameter_count: None,
        return_type: None,
        doc: None,
        spans: vec![NodeSpan {
            path,
            span: whole,
            name_line: 1,
            name_column: 1,
        }],
    }
}
