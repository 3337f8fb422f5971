//! Top-level symbols: the types, functions and variables that are direct members of a file or a C#
//! namespace. Natural-language results are grouped by them.

use std::collections::hash_map::Entry;

use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

use crate::model::graph::{NodeId, NodeType};
use crate::store::StoreError;
use crate::store::codec::{stored_id, word_column};

/// Maximum depth of symbols in symbols; deeper ones count as top-level.
const MAX_DEPTH: usize = 32;

/// Finds the top-level symbols that contain symbols, and remembers them.
pub(super) struct TopLevel<'c> {
    connection: &'c Connection,
    known: FxHashMap<NodeId, Container>,
}

/// The container of a symbol.
#[derive(Clone, Debug, Default)]
struct Container {
    qualified_name: String,
    parent: Option<NodeId>,
    /// Whether it is a file or namespace, which is above the top level.
    is_above: bool,
    /// Whether it is a field, property or variable.
    is_property: bool,
}

impl<'c> TopLevel<'c> {
    pub fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            known: FxHashMap::default(),
        }
    }

    /// Returns the top-level symbol that contains a symbol; for a top-level symbol, itself.
    pub fn of(&mut self, id: NodeId) -> Result<NodeId, StoreError> {
        Ok(self.path(id)?.last().copied().unwrap_or(id))
    }

    /// Returns a symbol and those that contain it, up to the top level.
    pub fn path(&mut self, id: NodeId) -> Result<Vec<NodeId>, StoreError> {
        let mut path = vec![id];
        let mut inner = id;
        while path.len() <= MAX_DEPTH {
            let Some(parent) = self.container(inner)?.parent else {
                break;
            };
            if self.container(parent)?.is_above {
                break;
            }
            path.push(parent);
            inner = parent;
        }
        Ok(path)
    }

    pub fn qualified_name(&mut self, id: NodeId) -> Result<&str, StoreError> {
        Ok(&self.container(id)?.qualified_name)
    }

    /// Reports whether a symbol is a field, property or variable inside a top-level symbol.
    pub fn is_inner_property(&mut self, id: NodeId) -> Result<bool, StoreError> {
        Ok(self.container(id)?.is_property && self.of(id)? != id)
    }

    /// Returns the number of direct members of a symbol.
    pub fn member_count(&self, id: NodeId) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached(MEMBERS)?;
        Ok(statement.query_row([stored_id(id)], |row| row.get::<_, i64>(0))? as u64)
    }

    fn container(&mut self, id: NodeId) -> Result<&Container, StoreError> {
        Ok(match self.known.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut statement = self.connection.prepare_cached(CONTAINER)?;
                let mut rows = statement.query([stored_id(id)])?;
                new.insert(match rows.next()? {
                    Some(row) => read(row)?,
                    None => Container::default(),
                })
            }
        })
    }
}

fn read(row: &Row<'_>) -> Result<Container, StoreError> {
    let node_type = word_column(row, 1, NodeType::from_code)?;
    let qualified_name: String = row.get(2)?;
    // TypeScript's namespaces are inside a file.
    let is_namespace = node_type == NodeType::Module && !qualified_name.contains('#');
    Ok(Container {
        qualified_name,
        parent: row.get::<_, Option<i64>>(0)?.map(|id| NodeId(id as u64)),
        is_above: node_type == NodeType::File || is_namespace,
        is_property: node_type == NodeType::Property,
    })
}

const CONTAINER: &str = "SELECT parent_id, node_type, qualified_name FROM nodes WHERE id = ?1";
const MEMBERS: &str = "SELECT count(*) FROM nodes WHERE parent_id = ?1";
