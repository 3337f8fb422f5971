//! The neighbourhood of a symbol.

use codeagent_core::model::graph::{Confidence, Node};
use codeagent_core::query::{self, NearSymbol, NeighborhoodQuery, Side};
use serde_json::{Value, json};

use super::symbol::named;
use super::{ApiError, Query, rows};

/// Maximum number of symbols in a picture.
const MAX_SYMBOLS: usize = 200;

const MAX_DEPTH: usize = 3;

/// Returns the neighbourhood of the symbol that a text names.
pub fn graph(query: &Query<'_>) -> Result<Value, ApiError> {
    let root = named(query, query.parameters.text("name")?)?[0];
    let depth = query.parameters.number("depth", 2)?;
    let asked = NeighborhoodQuery {
        root,
        depth: MAX_DEPTH.min(depth),
        max: MAX_SYMBOLS,
    };
    let found = query::neighborhood(query.snapshot, &asked)?;

    let mut nodes: Vec<(NearSymbol, Node)> = Vec::new();
    for symbol in &found.symbols {
        if let Some(known) = query::get_node(query.snapshot, symbol.id)? {
            nodes.push((*symbol, known.node));
        }
    }
    let rows: Vec<Value> = nodes
        .iter()
        .map(|(near, node)| {
            let mut row = rows::symbol(node, &found.labels);
            let side = match near.side {
                Side::Users => "users",
                Side::Used => "used",
            };
            row["side"] = side.into();
            row["distance"] = near.distance.into();
            row["parent"] = near.parent.map(|id| id.to_string()).into();
            row
        })
        .collect();
    let edges: Vec<Value> = found
        .relations
        .iter()
        .map(|each| {
            json!({
                "from": each.from.to_string(),
                "to": each.to.to_string(),
                "type": each.edge_type.as_str(),
                "uses": each.uses,
                "is_inferred": each.confidence != Confidence::Exact,
            })
        })
        .collect();
    Ok(json!({ "nodes": rows, "edges": edges, "left_out": found.left_out }))
}
