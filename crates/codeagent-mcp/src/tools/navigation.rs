//! What is known of a symbol, where is it, and what is it related to? The nine tools that inspect and follow the graph.
//!
//! **Limits.** A neighbour's list of sites is cut after three; `site_count` says how many there are.

use codeagent_core::engine::Answers;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Neighbor, Snapshot};

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter};
use crate::error::ToolError;
use crate::state::State;
use crate::tools::{CURSOR, NODE_ID, Tool, words};
use crate::wire::{MAX_SITES, NeighborRow, OutlineRow, SourceSpan, SymbolDetail};

const EDGE_TYPE: Parameter = Parameter::optional("edge_type", Kind::Word(|| words(EdgeType::NAMES)), "Only relationships of this type.");

/// What makes something an implementation.
pub const IMPLEMENTING: [EdgeType; 4] = [EdgeType::Implements, EdgeType::Extends, EdgeType::Inherits, EdgeType::Overrides];

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_symbol",
        doc: "Get everything known about one symbol: kind, place, signature, modifiers, documentation, how often it is used.",
        parameters: &[NODE_ID],
        run: get_symbol,
        writes: false,
    },
    Tool {
        name: "get_source_spans",
        doc: "Get all places a symbol is declared at, the primary one first: partial classes and merged interfaces have several.",
        parameters: &[NODE_ID],
        run: get_source_spans,
        writes: false,
    },
    Tool {
        name: "get_file_outline",
        doc: "List the symbols declared in a file in the order of their lines.",
        parameters: &[Parameter::required("path", Kind::Text, "Repo-relative path of the file."), CURSOR],
        run: get_file_outline,
        writes: false,
    },
    Tool {
        name: "get_callers",
        doc: "Find the symbols that call a symbol, with the places of the calls.",
        parameters: &[NODE_ID, CURSOR],
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_callees",
        doc: "Find the symbols of the repository that a symbol calls, with the places of the calls.",
        parameters: &[NODE_ID, CURSOR],
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Outgoing, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_implementations",
        doc: "Find what implements an interface, derives from a class, or implements or overrides a member.",
        parameters: &[NODE_ID, CURSOR],
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &IMPLEMENTING)),
        writes: false,
    },
    Tool {
        name: "get_references",
        doc: "Find every use of a symbol: calls, reads and writes, type uses, imports, base lists.",
        parameters: &[NODE_ID, CURSOR],
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &USES)),
        writes: false,
    },
    Tool {
        name: "get_dependencies",
        doc: "Find what a symbol depends on: all outgoing relationships, or those of one type.",
        parameters: &[NODE_ID, EDGE_TYPE, CURSOR],
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Outgoing),
        writes: false,
    },
    Tool {
        name: "get_dependents",
        doc: "Find what depends on a symbol: all incoming relationships, or those of one type.",
        parameters: &[NODE_ID, EDGE_TYPE, CURSOR],
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Incoming),
        writes: false,
    },
];

/// Every edge type that has a site.
pub const USES: [EdgeType; 8] = [
    EdgeType::Calls,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Imports,
    EdgeType::Overrides,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Extends,
];

fn get_symbol(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let asked = arguments.required_text("node_id");
    let node = query::resolve_symbol(&snapshot, asked)?;
    let symbol = query::get_node(&snapshot, node.id)?.ok_or_else(|| ToolError::not_found(format!("there is no symbol {asked:?}")))?;
    Answer::new(SymbolDetail::from(&symbol))
}

fn get_source_spans(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, arguments.required_text("node_id"))?;
    Answer::new(SourceSpan::all(&query::get_source(&snapshot, node.id)?))
}

fn get_file_outline(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let path = state.path(arguments.required_text("path"))?;
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let file = match query::derive_file_id(&snapshot, path.as_str()) {
        // Whether the file exists at all is the better answer.
        Err(query::QueryError::NoFile(_)) => return Err(not_indexed(state, &path)),
        other => other?,
    };
    let rows: Vec<OutlineRow> = query::get_outline(&snapshot, file)?.iter().map(OutlineRow::from).collect();
    let answer = Answer::page(&rows, arguments.text("cursor"))?;
    Ok(if rows.is_empty() { answer.with_note("the file declares nothing") } else { answer })
}

fn not_indexed(state: &State, path: &codeagent_workspace::RepoPath) -> ToolError {
    match state.workspace().stat(path) {
        Err(error) => error.into(),
        Ok(_) => ToolError::not_found(format!(
            "{path} is not in the index: it is no C# or TypeScript source, is ignored, or is new (index_files)"
        )),
    }
}

/// Neighbours over some types of edges, in the order of the types.
fn follow(state: &State, arguments: &Arguments, edges: (EdgeDirection, &[EdgeType])) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, arguments.required_text("node_id"))?;
    let neighbors = neighbors(&answers, &snapshot, node.id, edges)?;
    answer(&snapshot, arguments, (&node, edges.0), &neighbors)
}

/// The neighbours of a node over some types of edges, in the order of the types.
pub fn neighbors(
    answers: &Answers,
    snapshot: &Snapshot,
    node: NodeId,
    (direction, edge_types): (EdgeDirection, &[EdgeType]),
) -> Result<Vec<Neighbor>, ToolError> {
    let mut found = Vec::new();
    for edge_type in edge_types {
        found.extend(query::get_neighbors(snapshot, (node, Some(*edge_type), direction), answers.workspace(), MAX_SITES)?);
    }
    Ok(found)
}

fn follow_all(state: &State, arguments: &Arguments, direction: EdgeDirection) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, arguments.required_text("node_id"))?;
    let edge_type = arguments.text("edge_type").and_then(EdgeType::parse);
    let neighbors = query::get_neighbors(&snapshot, (node.id, edge_type, direction), answers.workspace(), MAX_SITES)?;
    answer(&snapshot, arguments, (&node, direction), &neighbors)
}

fn answer(
    snapshot: &Snapshot,
    arguments: &Arguments,
    (node, direction): (&Node, EdgeDirection),
    neighbors: &[Neighbor],
) -> Result<Answer, ToolError> {
    let rows: Vec<NeighborRow> = neighbors.iter().map(|neighbor| NeighborRow::new(neighbor, direction)).collect();
    let mut answer = Answer::page(&rows, arguments.text("cursor"))?;
    if direction == EdgeDirection::Incoming {
        let unresolved = query::unresolved_sites(snapshot, &node.name)?;
        if unresolved > 0 {
            answer.add("unresolved_sites", unresolved);
            answer =
                answer.with_note(format!("{unresolved} uses of the name {} could not be resolved; some may be of this symbol", node.name));
        }
    }
    if rows.is_empty() && node.node_type == NodeType::Class {
        let name = &node.qualified_name;
        answer = answer.with_note(format!(
            "{name} is a class; its constructors and members, which get_dependencies lists (`contains`), have callers of their own"
        ));
    }
    if rows.iter().any(|row| row.call_sites.iter().any(|site| site.stale)) {
        answer.add("stale", "files marked so were changed since they were indexed; index_files brings them up to date");
    }
    Ok(answer)
}
