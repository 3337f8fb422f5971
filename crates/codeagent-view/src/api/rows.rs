//! The rows of answers.

use codeagent_core::model::graph::{Node, NodeId, NodeType};
use codeagent_core::query::{self, Labels, Neighbor, Occurrence, QueryError, Snapshot, UseSite};
use serde_json::{Value, json};

/// Returns the rows of symbols.
pub fn symbols<'a>(
    snapshot: &Snapshot,
    nodes: impl Iterator<Item = &'a Node> + Clone,
) -> Result<Vec<Value>, QueryError> {
    let mut labels = Labels::default();
    labels.load(snapshot, nodes.clone().map(|node| node.id))?;
    Ok(nodes.map(|node| symbol(node, &labels)).collect())
}

/// Returns the row of a symbol whose name is loaded.
pub fn symbol(node: &Node, labels: &Labels) -> Value {
    let (path, line) = place(node);
    json!({
        "id": node.id.to_string(),
        "name": name(node, labels),
        "kind": node.kind.as_str(),
        "path": path,
        "line": line,
        "test": query::is_test_path(path),
    })
}

/// Returns the name as the page shows it: `Cart.total`; the last part of a file's path.
pub fn name(node: &Node, labels: &Labels) -> String {
    match node.node_type {
        NodeType::File => last(&node.qualified_name).to_owned(),
        NodeType::Module => node.qualified_name.clone(),
        _ => labels.short(node.id),
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the path and the line of a symbol's name.
pub fn place(node: &Node) -> (&str, u32) {
    let span = node.spans.first();
    span.map_or(("", 0), |span| (span.path.as_str(), span.name_line))
}

/// Returns the row of a symbol with its uses.
pub fn neighbor(neighbor: &Neighbor, labels: &Labels) -> Value {
    let mut row = symbol(&neighbor.node, labels);
    row["confidence"] = neighbor.confidence.as_str().into();
    row["relation"] = neighbor.edge_type.as_str().into();
    row["count"] = neighbor.count.into();
    row["sites"] = neighbor.sites.iter().map(site).collect();
    row
}

fn site(site: &UseSite) -> Value {
    json!({
        "path": site.path,
        "line": site.line,
        "column": site.column,
        "text": site.text,
    })
}

/// Returns the row of a line of a file.
pub fn occurrence(place: &Occurrence) -> Value {
    json!({
        "path": place.path,
        "line": place.line,
        "name": place.symbol,
        "text": place.source,
    })
}

/// Parses the id of a symbol.
pub fn id(text: &str) -> Result<NodeId, super::ApiError> {
    let wrong = || super::ApiError::Parameters("the symbol's id is not valid".to_owned());
    NodeId::parse(text).ok_or_else(wrong)
}
