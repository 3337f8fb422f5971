//! Which of the related symbols are wanted: by certainty, place, tests, kind?
//!
//! **Limits.** A symbol is where its primary declaration is.

use crate::model::graph::{Confidence, Node};
use crate::query::is_in_place;
use crate::store;

/// What is wanted; nothing set wants all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only uses at least as sure.
    pub min_confidence: Option<Confidence>,
    /// Only symbols declared in this file or folder, or in files like this pattern.
    pub path: Option<String>,
    /// Only symbols of tests, or only those that are not.
    pub tests: Option<bool>,
    /// Only symbols of this kind or node type.
    pub kind: Option<String>,
}

impl Filter {
    /// Whether anything is asked of the symbols themselves.
    #[must_use]
    pub fn looks_at_symbols(&self) -> bool {
        self.path.is_some() || self.tests.is_some() || self.kind.is_some()
    }

    /// Whether anything is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min_confidence.is_none() && !self.looks_at_symbols()
    }

    /// Whether a use is wanted.
    pub(super) fn takes_use(&self, confidence: Confidence) -> bool {
        self.min_confidence.is_none_or(|least| confidence >= least)
    }

    /// Whether a symbol is wanted.
    pub(super) fn takes(&self, node: &Node) -> bool {
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
