//! Dispatch: what one file says about code that runs without a call that names it.
//!
//! A language recognises a framework by the targets of names and the shape of arguments, and adds
//! [`Dispatch`] entries to the file's resolution. Like edges, they are a function of the world alone.
//!
//! Limitations: sites that share a key (a route and its requests) are joined by queries, not here.

use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::DeclId;
use codeagent_model::graph::{Confidence, NodeId};
use codeagent_model::span::Position;

use crate::nodes::NodeTable;
use crate::resolution::{Resolution, Target};
use crate::world::{DeclRef, FileId};

/// A relation between two ends, or one site of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Kind of the relation.
    pub kind: DispatchKind,
    /// The symbol that leads to the target.
    pub source: DispatchEnd,
    /// The symbol that runs or is provided.
    pub target: DispatchEnd,
    /// The route, request or event as written; empty if both ends are symbols.
    pub label: String,
    /// Position of the site.
    pub at: Position,
    /// Confidence of the relation.
    pub confidence: Confidence,
}

impl Dispatch {
    /// Creates a relation without a label.
    #[must_use]
    pub fn new(
        kind: DispatchKind,
        (source, target): (DispatchEnd, DispatchEnd),
        at: Position,
        confidence: Confidence,
    ) -> Self {
        Self {
            kind,
            source,
            target,
            label: String::new(),
            at,
            confidence,
        }
    }
}

/// An end of a [`Dispatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchEnd {
    /// Unknown: only the label is given.
    Unknown,
    /// A declaration or a file.
    Target(Target),
    /// The node that encloses a declaration of the file, such as an unnamed callback.
    Around(DeclId),
}

impl From<DeclRef> for DispatchEnd {
    fn from(decl: DeclRef) -> Self {
        Self::Target(Target::Decl(decl))
    }
}

/// A [`Dispatch`] between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchEdge {
    /// Kind of the relation.
    pub kind: DispatchKind,
    /// The source; `None` if only the label is given.
    pub source: Option<NodeId>,
    /// The target; `None` if only the label is given.
    pub target: Option<NodeId>,
    /// The route, request or event as written.
    pub label: String,
    /// Line of the site.
    pub line: u32,
    /// UTF-16 column of the site.
    pub column: u32,
    /// Confidence of the relation.
    pub confidence: Confidence,
}

impl NodeTable {
    /// Returns the dispatch of one file between nodes, without entries whose declarations are not
    /// nodes.
    #[must_use]
    pub fn dispatch(&self, file: FileId, resolution: &Resolution) -> Vec<DispatchEdge> {
        let edge = |of: &Dispatch| {
            Some(DispatchEdge {
                kind: of.kind,
                source: self.end(file, of.source)?,
                target: self.end(file, of.target)?,
                label: of.label.clone(),
                line: of.at.line,
                column: of.at.column,
                confidence: of.confidence,
            })
        };
        resolution.dispatch.iter().filter_map(edge).collect()
    }

    /// Returns the node of an end; `None` if it has none.
    fn end(&self, file: FileId, end: DispatchEnd) -> Option<Option<NodeId>> {
        match end {
            DispatchEnd::Unknown => Some(None),
            DispatchEnd::Around(decl) => Some(Some(self.around(file, decl))),
            DispatchEnd::Target(Target::Decl(decl)) => self.of(decl).map(Some),
            DispatchEnd::Target(Target::File(file)) => Some(Some(self.of_file(file))),
        }
    }
}
