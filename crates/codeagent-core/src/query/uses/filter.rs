//! Filters for related symbols: by confidence, location, tests and kind.
//!
//! Limitations: a symbol's location is that of its primary declaration.

use crate::model::graph::{Confidence, Node, NodeKind, NodeType};
use crate::query::{QueryError, is_in_place};
use crate::store;

/// Which related symbols to list. The default lists all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only uses with at least this confidence.
    pub min_confidence: Option<Confidence>,
    /// Only symbols declared in this file or folder, or in files that match this pattern.
    pub path: Option<String>,
    /// Only symbols of tests, or only those that are not.
    pub tests: Option<bool>,
    /// Only symbols of this kind or node type.
    pub kind: Option<String>,
}

impl Filter {
    /// Checks that the kind exists and that the path is not negated.
    pub fn check(&self) -> Result<(), QueryError> {
        if let Some(path) = self.path.as_ref().filter(|path| path.starts_with('!')) {
            return Err(QueryError::Negated(path.clone()));
        }
        let is_known =
            |kind: &String| NodeKind::parse(kind).is_some() || NodeType::parse(kind).is_some();
        match self.kind.as_ref().filter(|kind| !is_known(kind)) {
            Some(kind) => Err(QueryError::NoKind(kind.clone())),
            None => Ok(()),
        }
    }

    /// Reports whether the filter depends on properties of symbols.
    #[must_use]
    pub fn looks_at_symbols(&self) -> bool {
        self.path.is_some() || self.tests.is_some() || self.kind.is_some()
    }

    /// Reports whether the filter accepts everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min_confidence.is_none() && !self.looks_at_symbols()
    }

    /// Reports whether the filter accepts a use.
    pub(in crate::query) fn takes_use(&self, confidence: Confidence) -> bool {
        self.min_confidence.is_none_or(|least| confidence >= least)
    }

    /// Reports whether the filter accepts a symbol.
    pub(in crate::query) fn takes(&self, node: &Node) -> bool {
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        let is_kind = |kind: &String| kind == node.kind.as_str() || kind == node.node_type.as_str();
        self.path
            .as_ref()
            .is_none_or(|wanted| is_in_place(path, wanted))
            && self
                .tests
                .is_none_or(|wanted| store::is_test_path(path) == wanted)
            && self.kind.as_ref().is_none_or(is_kind)
    }
}
