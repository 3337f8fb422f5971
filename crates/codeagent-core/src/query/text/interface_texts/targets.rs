//! The functions that code on some bytes of a file names or calls.

use std::ops::Range;

use crate::model::graph::{Dialect, EdgeType, Node, NodeId, NodeType};
use crate::query::{Occurrences, QueryError, flow, uses_on_lines};
use crate::store;

/// Maximum number of functions whose flow is shown.
const MAX_FUNCTIONS: usize = 3;

/// Returns the symbols that code on some bytes of an indexed file uses, in order, each once.
pub(super) fn used_in(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    span: &Range<usize>,
) -> Result<Vec<Node>, QueryError> {
    let Some(text) = occurrences.sources.text(path)? else {
        return Ok(Vec::new());
    };
    let at = |offset: usize| {
        let (line, column) = text.position(u32::try_from(offset).unwrap_or(u32::MAX));
        (line + 1, column + 1)
    };
    let (start, end) = (at(span.start), at(span.end));

    let snapshot = occurrences.sources.snapshot();
    let mut nodes: Vec<Node> = Vec::new();
    for (line, used) in uses_on_lines(snapshot, path, &(start.0..=end.0))? {
        let is_use = matches!(used.edge_type, EdgeType::Calls | EdgeType::References);
        let is_inside = (start..end).contains(&(line, used.column));
        if is_use && is_inside && nodes.iter().all(|node| node.id != used.target) {
            nodes.extend(store::node(snapshot, used.target)?);
        }
    }
    Ok(nodes)
}

/// Reports whether a symbol has a body that runs when it is called.
pub(super) fn is_function(node: &Node) -> bool {
    let is_value = node.node_type == NodeType::Property && node.parameter_signature.is_some();
    node.node_type == NodeType::Method || is_value
}

/// Returns the functions that code on some bytes names or calls, and those of the commands that it names.
pub(super) fn functions_in(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    span: &Range<usize>,
) -> Result<Vec<Node>, QueryError> {
    let mut found = Vec::new();
    let has_commands = Dialect::of_path(path) == Some(Dialect::CSharp);
    for node in used_in(occurrences, path, span)? {
        if is_function(&node) {
            found.push(node);
        } else if node.node_type == NodeType::Property && has_commands {
            found.extend(functions_of_value(occurrences, &node)?);
        }
    }
    Ok(found)
}

/// Returns the functions that the value of a property or variable names: `Save = new Command(OnSave)`.
pub(super) fn functions_of_value(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<Node>, QueryError> {
    let mut lines: Vec<(String, u32, u32)> = Vec::new();
    for span in &node.spans {
        lines.push((span.path.clone(), span.span.start.line, span.span.end_line));
    }
    for used in occurrences.incoming(&[node.id], &[EdgeType::References])? {
        let path = occurrences.path(used.file)?;
        let rest = occurrences
            .sources
            .rest_of_line(&path, used.line, used.column)?;
        let rest = rest.and_then(|rest| rest.strip_prefix(node.name.as_str()));
        let is_set = rest.is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with("??=")
        });
        if is_set {
            lines.push((path, used.line, used.line));
        }
    }

    let mut found: Vec<Node> = Vec::new();
    for (path, first, last) in lines {
        let snapshot = occurrences.sources.snapshot();
        for (_, used) in uses_on_lines(snapshot, &path, &(first..=last))? {
            let target = store::node(snapshot, used.target)?;
            let is_new = |target: &Node| found.iter().all(|node| node.id != target.id);
            found.extend(target.filter(|target| is_function(target) && is_new(target)));
        }
    }
    Ok(found)
}

/// Returns the flow of some functions, each once.
pub(super) fn flows(
    occurrences: &mut Occurrences<'_, '_>,
    functions: &[Node],
) -> Result<Vec<String>, QueryError> {
    let mut seen: Vec<NodeId> = Vec::new();
    let mut lines = Vec::new();
    for function in functions {
        if seen.len() == MAX_FUNCTIONS || seen.contains(&function.id) {
            continue;
        }
        seen.push(function.id);
        lines.extend(flow(occurrences, function)?);
    }
    Ok(lines)
}
