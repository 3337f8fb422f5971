//! Dispatch: what one file says about code that runs without a call that names it.
//!
//! A language recognises a framework by what names mean and by the shape of arguments, and adds
//! [`Dispatch`]es to the links of the file. Like edges they are a function of the world alone.
//!
//! **Limits.** Sites that share a key (a route and its requests) are joined by queries, not here.

use codeagent_model::dispatch::DispatchKind;
use codeagent_model::facts::DeclId;
use codeagent_model::graph::{Confidence, NodeId};
use codeagent_model::span::Position;

use crate::nodes::NodeTable;
use crate::resolution::{Resolution, Target};
use crate::world::FileId;

/// One relation, or one site of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// What it says.
    pub kind: DispatchKind,
    /// What leads to the target.
    pub source: DispatchEnd,
    /// What runs or is given.
    pub target: DispatchEnd,
    /// The route, request or event as written; empty if both ends are symbols.
    pub label: String,
    /// Where it is said.
    pub at: Position,
    /// How sure.
    pub confidence: Confidence,
}

/// An end of a [`Dispatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchEnd {
    /// Only the label tells.
    Unknown,
    /// A declaration or a file.
    Target(Target),
    /// The node around a declaration of the file: what a callback without a name stands in.
    Around(DeclId),
}

impl From<Target> for DispatchEnd {
    fn from(target: Target) -> Self {
        Self::Target(target)
    }
}

/// A [`Dispatch`] between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchEdge {
    /// What it says.
    pub kind: DispatchKind,
    /// Its source; `None` if only the label tells.
    pub source: Option<NodeId>,
    /// Its target; `None` if only the label tells.
    pub target: Option<NodeId>,
    /// The route, request or event as written.
    pub label: String,
    /// Line of the site.
    pub line: u32,
    /// UTF-16 column of the site.
    pub column: u32,
    /// How sure.
    pub confidence: Confidence,
}

impl NodeTable {
    /// Returns the dispatch of one file's links between nodes; without those whose declarations are
    /// no nodes.
    #[must_use]
    pub fn dispatch(&self, file: FileId, links: &Resolution) -> Vec<DispatchEdge> {
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
        links.dispatch.iter().filter_map(edge).collect()
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
