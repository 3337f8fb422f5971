//! The types and functions that symbols belong to.
//!
//! Answers to a sentence are grouped by them, so that the members of one class do not fill a page
//! and a class is found by whatever member answers best.

use rusqlite::{Connection, Statement};
use rustc_hash::FxHashMap;

use crate::model::graph::{NodeId, NodeType};
use crate::store::StoreError;
use crate::store::codec::{id_column, stored_id, word_column};

const PARENT: &str =
    "SELECT p.id, p.node_type FROM nodes n JOIN nodes p ON p.id = n.parent_id WHERE n.id = ?1";

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 32;

/// Finds the outermost types and functions around symbols.
pub(super) struct TopLevel<'c> {
    parent: Statement<'c>,
    known: FxHashMap<NodeId, NodeId>,
}

impl<'c> TopLevel<'c> {
    pub fn new(connection: &'c Connection) -> Result<Self, StoreError> {
        Ok(Self {
            parent: connection.prepare(PARENT)?,
            known: FxHashMap::default(),
        })
    }

    /// Returns the outermost symbol around a symbol, inside its file and namespaces.
    pub fn of(&mut self, id: NodeId) -> Result<NodeId, StoreError> {
        let (mut at, mut path) = (id, Vec::new());
        while path.len() < MAX_DEPTH {
            if let Some(known) = self.known.get(&at) {
                at = *known;
                break;
            }
            path.push(at);
            let mut rows = self.parent.query([stored_id(at)])?;
            let parent = match rows.next()? {
                Some(row) => Some((
                    id_column(row, 0)?,
                    word_column(row, 1, NodeType::from_code)?,
                )),
                None => None,
            };
            match parent {
                Some((parent, node_type))
                    if !matches!(node_type, NodeType::File | NodeType::Module) =>
                {
                    at = parent;
                }
                _ => break,
            }
        }
        for id in path {
            self.known.insert(id, at);
        }
        Ok(at)
    }
}
