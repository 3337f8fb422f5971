//! Functions that have the name of a call whose target is unknown.

use crate::model::graph::{Node, NodeType};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Maximum number of functions; a name of more says nothing.
const MAX_FUNCTIONS: usize = 3;

/// Maximum number of symbols that are looked at.
const MAX_SYMBOLS: usize = 40;

/// Returns the functions of the product with a name; none if there are many.
pub fn functions_of_name(snapshot: &Snapshot, name: &str) -> Result<Vec<Node>, QueryError> {
    let mut functions = store::by_name(snapshot, name, MAX_SYMBOLS)?;
    functions.retain(|node| {
        let mut spans = node.spans.iter();
        let is_product = spans.all(|span| !store::is_test_path(&span.path));
        node.node_type == NodeType::Method && node.name == name && is_product
    });
    if functions.len() > MAX_FUNCTIONS {
        functions.clear();
    }
    Ok(functions)
}
