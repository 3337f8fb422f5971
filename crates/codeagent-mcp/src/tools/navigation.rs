//! What is known of a symbol, where is it, and what is it related to? The nine tools that inspect and follow the graph.
//!
//! **Limits.** A neighbour's list of sites is cut after three; `site_count` says how many there are.

use codeagent_core::engine::Answers;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Neighbor, Snapshot};

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{Addition, NEXT_CURSOR, NOTE, Output, STALE_FILES, TOTAL, UNRESOLVED_SITES};
use crate::state::State;
use crate::tools::{CURSOR, NODE_ID, PLACES, SYMBOL_ERRORS, Tool, words};
use crate::wire::{MAX_SITES, NeighborRow, OutlineRow, SourceSpan, SymbolDetail};

const EDGE_TYPE: Parameter = Parameter::optional("edge_type", Kind::Word(|| words(EdgeType::NAMES)), "Only relationships of this type.");

const OUTLINE_ERRORS: &[Code] = &[Code::NotFound, Code::InvalidParameter, Code::PathEscape, Code::EngineUnavailable, Code::IndexError];
const SYMBOL: &[Addition] = &[NOTE, STALE_FILES];
const SPANS: &[Addition] = &[NOTE, STALE_FILES];
const NEIGHBORS: &[Addition] = &[NEXT_CURSOR, TOTAL, NOTE, UNRESOLVED_SITES, STALE_FILES];

/// What makes something an implementation.
pub const IMPLEMENTING: [EdgeType; 4] = [EdgeType::Implements, EdgeType::Extends, EdgeType::Inherits, EdgeType::Overrides];

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_symbol",
        title: "Get a symbol",
        doc: "Get everything known about one symbol: kind, place, signature, modifiers, documentation, how often it is used. Then \
              read_file shows its source (file_path, line_start, line_end), get_references its uses.",
        parameters: &[NODE_ID],
        output: Output::object::<SymbolDetail>(SYMBOL),
        errors: SYMBOL_ERRORS,
        run: get_symbol,
        writes: false,
    },
    Tool {
        name: "get_source_spans",
        title: "Find declarations",
        doc: "Get all places a symbol is declared at: partial classes and merged interfaces have several. Use it before editing a type; \
              read_file shows the lines.",
        parameters: &[NODE_ID],
        output: Output::list::<SourceSpan>("Its declarations, the primary one first, then by path and line.", SPANS),
        errors: SYMBOL_ERRORS,
        run: get_source_spans,
        writes: false,
    },
    Tool {
        name: "get_file_outline",
        title: "Outline a file",
        doc: "List the symbols declared in a file in the order of their lines. Use it instead of read_file to see what is in a file, \
              then read_file with line_start and line_end for the part you need.",
        parameters: &[Parameter::required("path", Kind::Text, "Repo-relative path of the file."), CURSOR],
        output: Output::list::<OutlineRow>("The symbols in the order of their lines.", PLACES),
        errors: OUTLINE_ERRORS,
        run: get_file_outline,
        writes: false,
    },
    Tool {
        name: "get_callers",
        title: "Find callers",
        doc: "Find the symbols that call a symbol, with the places of the calls. Use it to see who is affected by a change of behaviour. \
              Calls through an interface or base class belong to that member: get_implementations and get_references find more.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<NeighborRow>("The symbols that call it, by path and line of the call.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_callees",
        title: "Find callees",
        doc: "Find the symbols of the repository that a symbol calls, with the places of the calls. Use it to understand how something \
              works. Calls into libraries are not listed.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<NeighborRow>("The symbols it calls, in the order of the calls.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Outgoing, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_implementations",
        title: "Find implementations",
        doc: "Find what implements an interface, derives from a class, or implements or overrides a member. Only direct ones: ask again \
              with a result to go further down.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<NeighborRow>("What implements, extends, inherits or overrides it.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &IMPLEMENTING)),
        writes: false,
    },
    Tool {
        name: "get_references",
        title: "Find references",
        doc: "Find every use of a symbol: calls, reads and writes, type uses, imports, base lists, overrides. Use it before renaming or \
              removing something.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<NeighborRow>("The symbols that use it, by kind of use, path and line.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow(state, arguments, (EdgeDirection::Incoming, &USES)),
        writes: false,
    },
    Tool {
        name: "get_dependencies",
        title: "Find dependencies",
        doc: "Find what a symbol depends on: all outgoing relationships, or those of one type. With `contains`, the members of a type or \
              namespace; with `inherits`, `implements` or `extends`, its bases.",
        parameters: &[NODE_ID, EDGE_TYPE, CURSOR],
        output: Output::list::<NeighborRow>("What it depends on, by edge_type.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Outgoing),
        writes: false,
    },
    Tool {
        name: "get_dependents",
        title: "Find dependents",
        doc: "Find what depends on a symbol: all incoming relationships, or those of one type. As get_references, and `contains` gives \
              what it is declared in.",
        parameters: &[NODE_ID, EDGE_TYPE, CURSOR],
        output: Output::list::<NeighborRow>("What depends on it, by edge_type.", NEIGHBORS),
        errors: SYMBOL_ERRORS,
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
