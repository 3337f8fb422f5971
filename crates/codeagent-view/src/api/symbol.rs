//! The head of a symbol's page.

use codeagent_core::ParseStatus;
use codeagent_core::model::graph::{Node, NodeFlags, NodeId, NodeType};
use codeagent_core::query::{self, Labels, QueryError, Target};
use serde_json::{Value, json};

use super::{ApiError, Query, rows};

/// Maximum number of other symbols of the same name.
const MAX_ALSO: usize = 12;

/// Flags that the page shows, in this order.
const FLAGS: [(NodeFlags, &str); 5] = [
    (NodeFlags::STATIC, "static"),
    (NodeFlags::ABSTRACT, "abstract"),
    (NodeFlags::OVERRIDE, "override"),
    (NodeFlags::ASYNC, "async"),
    (NodeFlags::DEPRECATED, "deprecated"),
];

/// Describes the symbol that a text names.
pub fn symbol(query: &Query<'_>) -> Result<Value, ApiError> {
    let named = named(query, query.parameters.text("name")?)?;
    let Some(symbol) = query::get_node(query.snapshot, named[0])? else {
        return Err(gone());
    };

    let node = &symbol.node;
    let mut labels = Labels::default();
    labels.load(query.snapshot, [node.id])?;
    let parents = parents(query, node)?;
    let also = also(query, &named[1..])?;
    let flags: Vec<&str> = FLAGS
        .iter()
        .filter(|(flag, _)| node.flags.has(*flag))
        .map(|(_, word)| *word)
        .collect();
    let spans: Vec<Value> = node
        .spans
        .iter()
        .map(|span| json!({ "path": span.path, "first": span.span.start.line, "last": span.span.end_line }))
        .collect();
    let parsed = match symbol.parse_status {
        ParseStatus::Full => "full",
        ParseStatus::Partial => "partial",
        ParseStatus::Failed => "failed",
    };

    let mut answer = rows::symbol(node, &labels);
    answer["qualified_name"] = node.qualified_name.clone().into();
    answer["parameters"] = node.all_parameters().into();
    answer["access"] = node.access.map(|access| access.as_str()).into();
    answer["flags"] = flags.into();
    answer["project"] = node.project_id.clone().into();
    answer["doc"] = node.doc.clone().into();
    answer["uses"] = symbol.reference_count.into();
    answer["parsed"] = parsed.into();
    answer["spans"] = spans.into();
    answer["parents"] = parents.into();
    answer["also"] = also.into();
    Ok(answer)
}

fn gone() -> ApiError {
    ApiError::NotFound("the symbol is no longer in the index; search for it".to_owned())
}

/// Returns the symbols that a text names, the best first: an id, a file, a name or FILE:LINE.
pub fn named(query: &Query<'_>, text: &str) -> Result<Vec<NodeId>, ApiError> {
    let text = text.trim();
    if let Some(id) = NodeId::parse(text)
        && query::get_node(query.snapshot, id)?.is_some()
    {
        return Ok(overloads(query, id)?);
    }

    let exact = query::get_node_by_qualified_name(query.snapshot, text, None, None)?;
    let files = exact.iter().filter(|(node, _)| node.qualified_name == text);
    let files: Vec<NodeId> = files.map(|(node, _)| node.id).collect();
    if !files.is_empty() {
        return Ok(files);
    }

    let targets = query::resolve_targets(&mut query.sources(), text)?.check()?;
    let named = match targets.found.into_iter().next() {
        Some(Target::Symbols(symbols)) => {
            let groups = symbols.groups.iter().chain(&symbols.others);
            groups.flat_map(|group| group.ids()).collect()
        }
        Some(target) => target.ids(),
        None => Vec::new(),
    };
    if named.is_empty() {
        return Err(ApiError::NotFound(format!(
            "{text:?} names no symbol or file of the index; search for it"
        )));
    }
    Ok(named)
}

/// Returns a symbol and its overloads.
fn overloads(query: &Query<'_>, id: NodeId) -> Result<Vec<NodeId>, QueryError> {
    let mut ids = vec![id];
    if let Some(symbol) = query::get_node(query.snapshot, id)? {
        let node = symbol.node;
        let name = &node.qualified_name;
        let same =
            query::get_node_by_qualified_name(query.snapshot, name, Some(node.language), None)?;
        let same = same
            .into_iter()
            .filter(|(other, _)| other.qualified_name == *name);
        ids.extend(same.map(|(other, _)| other.id).filter(|other| *other != id));
    }
    Ok(ids)
}

fn parents(query: &Query<'_>, node: &Node) -> Result<Vec<Value>, ApiError> {
    let mut parents = Vec::new();
    let mut next = node.parent;
    while let Some(id) = next {
        let Some(symbol) = query::get_node(query.snapshot, id)? else {
            break;
        };
        let parent = symbol.node;
        let name = if matches!(parent.node_type, NodeType::File | NodeType::Module) {
            &parent.qualified_name
        } else {
            &parent.name
        };
        parents.push(json!({ "id": id.to_string(), "name": name, "kind": parent.kind.as_str() }));
        next = parent.parent;
    }

    parents.reverse();
    Ok(parents)
}

fn also(query: &Query<'_>, ids: &[NodeId]) -> Result<Vec<Value>, ApiError> {
    let mut nodes = Vec::new();
    for id in ids.iter().take(MAX_ALSO) {
        nodes.extend(query::get_node(query.snapshot, *id)?.map(|symbol| symbol.node));
    }
    let mut rows = rows::symbols(query.snapshot, nodes.iter())?;
    for (row, node) in rows.iter_mut().zip(&nodes) {
        row["parameters"] = node.all_parameters().into();
    }
    Ok(rows)
}
