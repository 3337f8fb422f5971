//! Makes nodes from the facts of their declarations.

use std::sync::Arc;

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{Access, Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType};
use codeagent_model::span::{Position, Span};

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
    /// Rank of the primary declaration so far; see [`describe::weight`].
    weight: u32,
}

impl NodeTable {
    /// Iterates over all nodes, files and namespaces included.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<'_> {
        let files = (0..self.files.len() as u32).map(FileId);
        let several = self.of_several_parts().map(|place| self.at(place));
        files.flat_map(|file| self.nodes_of(file)).chain(several)
    }

    /// Returns the indices of the nodes that have several declarations.
    pub fn of_several_parts(&self) -> impl Iterator<Item = usize> + use<'_> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.parts.len() > 1)
            .map(|(place, _)| place)
    }

    /// Returns the nodes of a file that have one declaration.
    #[must_use]
    pub fn nodes_of(&self, file: FileId) -> Vec<Node> {
        let at = file.0 as usize;
        let whole = DeclRef {
            file,
            decl: DeclId::NONE,
        };
        let path = self.files[at].file.path.to_string();
        let of_file = self.part(self.of_file[at] as usize, whole, path);
        let mut nodes = vec![of_file.node];

        let of_decl = &self.of_decl[at];
        let mut names = vec![String::new(); of_decl.len()];
        for decl in (0..of_decl.len() as u32).map(DeclId) {
            let Some(place) = of_decl[decl.index()].checked_sub(1) else {
                continue;
            };
            let (place, part) = (place as usize, DeclRef { file, decl });
            let name = self.name_within(part, |parent| &names[parent.index()]);
            names[decl.index()].clone_from(&name);
            if self.entries[place].parts.len() == 1 {
                nodes.push(self.part(place, part, name).node);
            }
        }
        nodes
    }

    /// Frees the facts of a file, whose declarations have no nodes afterwards.
    pub fn free_facts(&mut self, file: FileId) {
        let at = file.0 as usize;
        let of_file = &mut self.files[at].file;
        of_file.facts = Arc::new(Facts::of(of_file.facts.dialect())).into();
        self.of_decl[at] = Vec::new();
    }

    /// Returns the node at an index, such as one in a [`NodeUpdate`](crate::nodes::NodeUpdate).
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
                weight: 0,
            };
        }

        let mut node = describe::node(&context, part.decl, qualified_name);
        if file.components.binary_search(&part.decl).is_ok() {
            node.node_type = NodeType::Component;
        }
        NodeDraft {
            node,
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

impl NodeDraft {
    /// Adds a declaration; the weightiest one describes the node.
    fn add(&mut self, of_part: Self) {
        let mut other = of_part.node;
        if of_part.weight > self.weight {
            self.weight = of_part.weight;
            std::mem::swap(&mut self.node, &mut other);
        }

        self.node.spans.append(&mut other.spans);
        self.node.doc = self.node.doc.take().or(other.doc);
        self.node.flags.set(other.flags, true);

        // Only some parts of a partial type of C# may have a modifier; the others have the default.
        if self.node.node_type.is_type() {
            self.node.access = self
                .node
                .access
                .into_iter()
                .chain(other.access)
                .min_by_key(|access| openness(*access));
        }

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

/// Ranks an accessibility, the most open one first.
fn openness(access: Access) -> usize {
    let ranked = [
        Access::Public,
        Access::ProtectedInternal,
        Access::Protected,
        Access::Internal,
        Access::PrivateProtected,
        Access::Private,
        Access::File,
    ];
    ranked
        .iter()
        .position(|known| *known == access)
        .unwrap_or(ranked.len())
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
