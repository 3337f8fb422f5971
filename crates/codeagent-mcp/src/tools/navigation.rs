//! What is known of a symbol, where is it, and what is it related to? The nine tools that inspect and follow the graph.
//!
//! **Limits.** A neighbour's list of sites is cut after three; `site_count` then says how many there are.

use codeagent_core::engine::Answers;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, NodeId};
use codeagent_core::query::{self, Neighbor, Neighbors, Snapshot, Sources};
use codeagent_workspace::{Entry, EntryKind, RepoPath};

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{Addition, NEXT_CURSOR, NOTE, Output, STALE_FILES, TOTAL, UNRESOLVED_SITES};
use crate::page::{Rows, page};
use crate::state::State;
use crate::tools::stale::{show, with_stale_files};
use crate::tools::why::{elsewhere, why_empty};
use crate::tools::{CURSOR, NODE_ID, PLACES, SYMBOL_ERRORS, Tool, words};
use crate::wire::{DependencyRow, MAX_SITES, NeighborRow, OutlineRow, Related, SourceSpan, SymbolDetail, UseRow};

const EDGE_TYPE: Parameter = Parameter::optional("edge_type", Kind::Word(|| words(EdgeType::NAMES)), "Only relationships of this type.");

const OUTLINE_ERRORS: &[Code] = &[Code::NotFound, Code::InvalidParameter, Code::PathEscape, Code::EngineUnavailable, Code::IndexError];
const SYMBOL: &[Addition] = &[NOTE, STALE_FILES];
const USERS: &[Addition] = &[NEXT_CURSOR, TOTAL, NOTE, UNRESOLVED_SITES, STALE_FILES];

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
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<SourceSpan>("Its declarations, the primary one first, then by path and line.", PLACES),
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
        output: Output::list::<NeighborRow>("The symbols that call it, by path and line of the call.", USERS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<NeighborRow>(state, arguments, (EdgeDirection::Incoming, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_callees",
        title: "Find callees",
        doc: "Find the symbols of the repository that a symbol calls, with the places of the calls. Use it to understand how something \
              works. Calls into libraries are not listed.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<NeighborRow>("The symbols it calls, in the order of the calls.", PLACES),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<NeighborRow>(state, arguments, (EdgeDirection::Outgoing, &[EdgeType::Calls])),
        writes: false,
    },
    Tool {
        name: "get_implementations",
        title: "Find implementations",
        doc: "Find what implements an interface, derives from a class, or implements or overrides a member. Only direct ones: ask again \
              with a result to go further down.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<UseRow>("What implements, extends, inherits or overrides it.", USERS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<UseRow>(state, arguments, (EdgeDirection::Incoming, &IMPLEMENTING)),
        writes: false,
    },
    Tool {
        name: "get_references",
        title: "Find references",
        doc: "Find every use of a symbol: calls, reads and writes, type uses, imports, base lists, overrides. Use it before renaming or \
              removing something.",
        parameters: &[NODE_ID, CURSOR],
        output: Output::list::<UseRow>("The symbols that use it, by kind of use, path and line.", USERS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<UseRow>(state, arguments, (EdgeDirection::Incoming, USES)),
        writes: false,
    },
    Tool {
        name: "get_dependencies",
        title: "Find dependencies",
        doc: "Find what a symbol depends on: all outgoing relationships, or those of one type. With `contains`, the members of a type or \
              namespace; with `inherits`, `implements` or `extends`, its bases.",
        parameters: &[NODE_ID, EDGE_TYPE, CURSOR],
        output: Output::list::<DependencyRow>("What it depends on, by edge_type.", PLACES),
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
        output: Output::list::<DependencyRow>("What depends on it, by edge_type.", USERS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Incoming),
        writes: false,
    },
];

/// Every edge type, those that have sites first.
const ALL: [EdgeType; 9] = [
    EdgeType::Calls,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Imports,
    EdgeType::Overrides,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Extends,
    EdgeType::Contains,
];

/// Every edge type that has a site.
pub const USES: &[EdgeType] = ALL.split_at(8).0;

fn get_symbol(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let asked = arguments.required_text("node_id");
    let node = query::resolve_symbol(&snapshot, asked)?;
    let symbol = query::get_node(&snapshot, node.id)?.ok_or_else(|| ToolError::not_found(format!("there is no symbol {asked:?}")))?;
    show(&mut sources, &node)?;
    with_stale_files(Answer::new(SymbolDetail::from(&symbol))?, &sources)
}

fn get_source_spans(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let node = query::resolve_symbol(&snapshot, arguments.required_text("node_id"))?;
    let spans = SourceSpan::all(&query::get_source(&snapshot, node.id)?);
    let key = |index: usize| (&spans[index].file_path, spans[index].line_start, spans[index].line_end);
    let answer = page(arguments, Rows { count: spans.len(), key }, |index| {
        sources.freshness(&spans[index].file_path)?;
        Ok(Some(&spans[index]))
    })?;
    with_stale_files(answer, &sources)
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
    let mut sources = Sources::new(&snapshot, answers.workspace());
    sources.freshness(path.as_str())?;
    let nodes = query::get_outline(&snapshot, file)?;
    let key = |index: usize| (nodes[index].id.0, index);
    let answer = page(arguments, Rows { count: nodes.len(), key }, |index| Ok(Some(OutlineRow::from(&nodes[index]))))?;
    let answer = match query::lacking(&snapshot, path.as_str())? {
        Some(lacking) => answer.with_note(lacking),
        None if nodes.is_empty() => answer.with_note("the file declares nothing; read_file shows it"),
        None => answer,
    };
    with_stale_files(answer, &sources)
}

fn not_indexed(state: &State, path: &RepoPath) -> ToolError {
    match state.workspace().stat(path) {
        Err(error) => error.into(),
        Ok(Entry { kind: EntryKind::Directory, .. }) => ToolError::invalid(format!("{path} is not a file; list_directory shows it")),
        Ok(_) => ToolError::not_found(format!(
            "{path} is not in the index: it is no C# or TypeScript source, is ignored, or is new (index_files)"
        )),
    }
}

/// Neighbours over some types of edges, in the order of the types.
fn follow<R: Related>(state: &State, arguments: &Arguments, (direction, verbs): (EdgeDirection, &[EdgeType])) -> Result<Answer, ToolError> {
    let answers = state.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, arguments.required_text("node_id"))?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let found = Neighbors::find(&snapshot, node.id, direction, verbs)?;
    let rows = Rows { count: found.len(), key: |index| found.key(index) };
    let mut answer = page(arguments, rows, |index| {
        let Some(neighbor) = found.get(index, &mut sources, MAX_SITES)? else { return Ok(None) };
        show(&mut sources, &neighbor.node)?;
        Ok(Some(R::new(&neighbor, direction)))
    })?;
    if direction == EdgeDirection::Incoming {
        let unresolved = query::unresolved_sites(&snapshot, &node.name)?;
        if unresolved > 0 {
            answer.add(&UNRESOLVED_SITES, unresolved);
        }
    }
    if found.is_empty() {
        answer = answer.with_note(why_empty(&mut sources, &node, (direction, verbs))?);
    } else if let Some(more) = elsewhere(&mut sources, &node, (direction, verbs))? {
        answer = answer.with_note(more);
    }
    with_stale_files(answer, &sources)
}

fn follow_all(state: &State, arguments: &Arguments, direction: EdgeDirection) -> Result<Answer, ToolError> {
    match arguments.text("edge_type").and_then(EdgeType::parse) {
        Some(verb) => follow::<DependencyRow>(state, arguments, (direction, &[verb])),
        None => follow::<DependencyRow>(state, arguments, (direction, &ALL)),
    }
}

/// The neighbours of a node over some types of edges, in the order of the types.
pub fn neighbors(
    answers: &Answers,
    snapshot: &Snapshot,
    node: NodeId,
    (direction, verbs): (EdgeDirection, &[EdgeType]),
) -> Result<Vec<Neighbor>, ToolError> {
    let mut sources = Sources::new(snapshot, answers.workspace());
    let found = Neighbors::find(snapshot, node, direction, verbs)?;
    let all = (0..found.len()).filter_map(|index| found.get(index, &mut sources, MAX_SITES).transpose());
    Ok(all.collect::<Result<_, _>>()?)
}
