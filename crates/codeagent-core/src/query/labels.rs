//! Short names of symbols (`Cart.total`), loaded for many symbols at once.

use rustc_hash::FxHashMap;

use crate::model::graph::{NodeId, NodeType};
use crate::query::{QueryError, Snapshot};
use crate::store::{self, SymbolBrief};

/// Symbols with the containers that their short names need.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    known: FxHashMap<NodeId, SymbolBrief>,
}

impl Labels {
    /// Loads symbols that are not known yet, and their containers.
    pub fn load(
        &mut self,
        snapshot: &Snapshot,
        ids: impl IntoIterator<Item = NodeId>,
    ) -> Result<(), QueryError> {
        let mut missing = self.missing(ids);
        while !missing.is_empty() {
            let found = store::briefs(snapshot, &missing)?;
            let parents: Vec<NodeId> = found.values().filter_map(|each| each.parent).collect();
            self.known.extend(found);
            missing = self.missing(parents);
        }
        Ok(())
    }

    fn missing(&self, ids: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let mut missing: Vec<NodeId> = ids
            .into_iter()
            .filter(|id| !self.known.contains_key(id))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Returns a loaded symbol.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&SymbolBrief> {
        self.known.get(&id)
    }

    /// Returns the name qualified with containing types and functions, but not with namespaces and
    /// files: `Cart.total`.
    #[must_use]
    pub fn short(&self, id: NodeId) -> String {
        let Some(symbol) = self.get(id) else {
            return String::new();
        };
        let container = symbol
            .parent
            .and_then(|parent| self.get(parent))
            .filter(|parent| !matches!(parent.node_type, NodeType::File | NodeType::Module));
        match container {
            Some(container) => format!("{}.{}", self.short(container.id), symbol.name),
            None => symbol.name.clone(),
        }
    }
}
