//! What is known of a symbol, where is it, and what is it related to? The nine tools that inspect
//! and follow the graph.
//!
//! **Limits.** A neighbour's list of sites is cut after `sites`; `site_count` then says how many
//! there are.

use codeagent_core::model::graph::{Confidence, EdgeDirection, EdgeType, Language};
use codeagent_core::query::{self, Relation, Relations, Sources};
use codeagent_workspace::{Entry, EntryKind, RepoPath};

use crate::answer::Answer;
use crate::arguments::{Arguments, Fallback, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{
    ALSO_NAMED, Addition, FOLDERS, NEXT_CURSOR, NOTE, Output, STALE_FILES, SYMBOLS, TOTAL,
    UNCERTAIN, UNRESOLVED, UNRESOLVED_SITES,
};
use crate::page::{Rows, page, page_beside};
use crate::state::State;
use crate::tools::asked::{Listed, asked, filter, of};
use crate::tools::stale::{show, with_stale_files};
use crate::tools::uncertain::uncertain;
use crate::tools::{CURSOR, FILE, FORMAT, NODE_ID, PLACES, RELATED, SYMBOL_ERRORS, Tool, words};
use crate::wire::{DependencyRow, NeighborRow, OutlineRow, Row, SourceSpan, SymbolDetail, UseRow};

const EDGE_TYPE: Parameter = Parameter::optional(
    "edge_type",
    Kind::Word(|| words(EdgeType::NAMES)),
    "Only relationships of this type.",
)
.hinted("");

const SITES: Parameter = Parameter::optional(
    "sites",
    Kind::Number {
        min: 1,
        max: u64::MAX,
    },
    "Maximum number of locations per row.",
)
.or(Fallback::Number(3))
.hinted("");

const PATH: Parameter = Parameter::optional(
    "path",
    Kind::Name,
    "Only results declared in this file, folder or glob.",
)
.hinted("Where results are.");
const TESTS: Parameter = Parameter::optional(
    "tests",
    Kind::Word(|| vec!["only", "without"]),
    "Only results in tests, or none of them.",
)
.hinted("");
const KIND: Parameter = Parameter::optional(
    "kind",
    Kind::Name,
    "Only results of this kind (`struct`, `function`, `field`, ...) or node_type.",
)
.hinted("");
const MIN_CONFIDENCE: Parameter = Parameter::optional(
    "min_confidence",
    Kind::Word(|| words(Confidence::NAMES)),
    "Only results with at least this confidence.",
)
.hinted("");

const OUTLINE_ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::PathEscape,
    Code::EngineUnavailable,
    Code::IndexError,
];
const SYMBOL: &[Addition] = &[NOTE, SYMBOLS, ALSO_NAMED, STALE_FILES];
const USERS: &[Addition] = &[
    NEXT_CURSOR,
    TOTAL,
    FOLDERS,
    NOTE,
    SYMBOLS,
    ALSO_NAMED,
    UNCERTAIN[0],
    UNCERTAIN[1],
    UNCERTAIN[2],
    UNCERTAIN[3],
    UNCERTAIN[4],
    UNCERTAIN[5],
    STALE_FILES,
];
const USED: &[Addition] = &[
    NEXT_CURSOR,
    TOTAL,
    FOLDERS,
    NOTE,
    SYMBOLS,
    ALSO_NAMED,
    UNRESOLVED_SITES,
    UNRESOLVED,
    STALE_FILES,
];

/// Of how many folders a long list says how many results they have.
const MAX_FOLDERS: usize = 8;

/// How many characters these are left.
const FOLDERS_CHARACTERS: usize = 600;

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_symbol",
        title: "Get a symbol",
        doc: "Details of a symbol: kind, location, signature, modifiers, documentation, number of uses. read_file shows its source.",
        parameters: &[NODE_ID, FILE],
        output: Output::object::<SymbolDetail>(SYMBOL),
        errors: SYMBOL_ERRORS,
        run: get_symbol,
        writes: false,
    },
    Tool {
        name: "get_source_spans",
        title: "Find declarations",
        doc: "Where a symbol is declared; partial classes and merged interfaces have several.",
        parameters: &[NODE_ID, FILE, FORMAT, CURSOR],
        output: Output::list::<SourceSpan>(
            "Its declarations, the primary one first, then by path and line.",
            RELATED,
        ),
        errors: SYMBOL_ERRORS,
        run: get_source_spans,
        writes: false,
    },
    Tool {
        name: "get_file_outline",
        title: "Outline a file",
        doc: "The symbols of a file by line. Use it before read_file to see which lines you need.",
        parameters: &[
            Parameter::required("path", Kind::Text, "Repo-relative path of the file.")
                .hinted("Repo-relative."),
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<OutlineRow>("The symbols in the order of their lines.", PLACES),
        errors: OUTLINE_ERRORS,
        run: get_file_outline,
        writes: false,
    },
    Tool {
        name: "get_callers",
        title: "Find callers",
        doc: "Who calls a symbol, and where. Calls through an interface or base class are listed under that member.",
        parameters: &[
            NODE_ID,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<NeighborRow>(
            "The symbols that call it, by path and line of the call.",
            USERS,
        ),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<NeighborRow>(state, arguments, Relation::CALLERS),
        writes: false,
    },
    Tool {
        name: "get_callees",
        title: "Find callees",
        doc: "What a symbol calls, and where. Calls into libraries are not listed.",
        parameters: &[
            NODE_ID,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<NeighborRow>(
            "The symbols it calls, in the order of the calls.",
            USED,
        ),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<NeighborRow>(state, arguments, Relation::CALLEES),
        writes: false,
    },
    Tool {
        name: "get_implementations",
        title: "Find implementations",
        doc: "What directly implements, extends or overrides a symbol. Repeat on a result to go deeper.",
        parameters: &[
            NODE_ID,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<UseRow>(
            "What implements, extends, inherits or overrides it.",
            USERS,
        ),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<UseRow>(state, arguments, Relation::IMPLEMENTATIONS),
        writes: false,
    },
    Tool {
        name: "get_references",
        title: "Find references",
        doc: "Every use: calls, reads, writes, types, imports, bases, overrides. Check it before renaming.",
        parameters: &[
            NODE_ID,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<UseRow>(
            "The symbols that use it, by kind of use, path and line.",
            USERS,
        ),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow::<UseRow>(state, arguments, Relation::REFERENCES),
        writes: false,
    },
    Tool {
        name: "get_dependencies",
        title: "Find dependencies",
        doc: "What a symbol depends on. `contains`: its members; `inherits`, `implements`, `extends`: its bases.",
        parameters: &[
            NODE_ID,
            EDGE_TYPE,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<DependencyRow>("What it depends on, by edge_type.", USED),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Outgoing),
        writes: false,
    },
    Tool {
        name: "get_dependents",
        title: "Find dependents",
        doc: "What depends on a symbol, like get_references; `contains`: the container it is declared in.",
        parameters: &[
            NODE_ID,
            EDGE_TYPE,
            FILE,
            PATH,
            TESTS,
            KIND,
            MIN_CONFIDENCE,
            SITES,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<DependencyRow>("What depends on it, by edge_type.", USERS),
        errors: SYMBOL_ERRORS,
        run: |state, arguments| follow_all(state, arguments, EdgeDirection::Incoming),
        writes: false,
    },
];

fn get_symbol(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let meant = asked(&snapshot, arguments)?;
    let node = meant.answered[0].first();
    let symbol = query::get_node(&snapshot, node.id)?
        .ok_or_else(|| ToolError::not_found(format!("there is no symbol {}", node.id)))?;
    show(&mut sources, node)?;
    let answer = Listed::each(arguments, &meant).add_to(Answer::new(SymbolDetail::from(&symbol))?);
    with_stale_files(answer, &sources)
}

fn get_source_spans(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let meant = asked(&snapshot, arguments)?;
    let is_one = meant.nodes().count() == 1;
    let mut spans = Vec::new();
    for node in meant.nodes() {
        let signature = node.parameter_signature.as_deref().unwrap_or_default();
        let of = (!is_one).then(|| format!("{}{signature}", node.qualified_name));
        spans.extend(SourceSpan::all(
            &query::get_source(&snapshot, node.id)?,
            of.as_deref(),
        ));
    }
    let key = |index: usize| {
        (
            &spans[index].file_path,
            spans[index].line_start,
            spans[index].line_end,
            index,
        )
    };
    let listed = Listed::each(arguments, &meant);
    let answer = page_beside(
        arguments,
        listed.characters(),
        Rows {
            count: spans.len(),
            key,
        },
        |index| {
            sources.freshness(&spans[index].file_path)?;
            Ok(Some(&spans[index]))
        },
    )?;
    with_stale_files(listed.add_to(answer), &sources)
}

fn get_file_outline(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let path = state.path(arguments.required_text("path"))?;
    let answers = state.answers_for(arguments)?;
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
    let answer = page(
        arguments,
        Rows {
            count: nodes.len(),
            key,
        },
        |index| Ok(Some(OutlineRow::from(&nodes[index]))),
    )?;
    let answer = match query::lacking(&snapshot, path.as_str())? {
        Some(lacking) => answer.with_note(lacking),
        None if nodes.is_empty() => {
            answer.with_note("the file declares nothing itself: what it imports, exports again or runs is seen by reading it")
        }
        None => answer,
    };
    with_stale_files(answer, &sources)
}

fn not_indexed(state: &State, path: &RepoPath) -> ToolError {
    match state.workspace().stat(path) {
        Err(error) => error.into(),
        Ok(Entry {
            kind: EntryKind::Directory,
            ..
        }) => ToolError::invalid(format!("{path} is not a file; list_directory shows it")),
        Ok(_) => ToolError::not_found(format!(
            "{path} is not in the index: it is no {} source, is ignored, or is new (index_files)",
            Language::all_names()
        )),
    }
}

/// Neighbours over some types of edges, in the order of the types, of each symbol that is meant.
fn follow<R: Row>(
    state: &State,
    arguments: &Arguments,
    relation: Relation<'_>,
) -> Result<Answer, ToolError> {
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    let meant = asked(&snapshot, arguments)?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let filter = filter(arguments)?;
    let found = Relations::find(&snapshot, &meant, relation, &filter)?;
    let key = |index: usize| {
        let (meaning, found, at) = found.at(index);
        (meant.answered[meaning].first().id, found.key(at))
    };
    let listed = Listed::meanings(arguments, &meant, &found.counts());
    let sites = arguments.number("sites").unwrap_or_default();
    let uncertain = if arguments.is_next_page() {
        Answer::new(())?
    } else {
        uncertain(
            &mut sources,
            answers.texts(),
            &meant,
            relation,
            found.is_empty(),
        )?
    };
    let beside = listed.characters() + uncertain.characters() + FOLDERS_CHARACTERS;
    let mut answer = page_beside(
        arguments,
        beside,
        Rows {
            count: found.len(),
            key,
        },
        |index| {
            let (meaning, found, at) = found.at(index);
            let Some(neighbor) = found.get(at, &mut sources, sites)? else {
                return Ok(None);
            };
            show(&mut sources, &neighbor.node)?;
            Ok(Some(R::new(
                &neighbor,
                relation.direction,
                of(&meant, meaning),
            )))
        },
    )?;
    if !arguments.is_next_page() {
        answer = answer.with_all_of(uncertain);
        if answer.added.contains_key(NEXT_CURSOR.name) {
            let folders = by_folder(found.folders());
            if !folders.is_empty() {
                answer.add(&FOLDERS, folders);
            }
        }
    }
    if found.is_empty() && !filter.is_empty() {
        answer =
            answer.with_note("no result matches the filters (path, tests, kind, min_confidence)");
        return with_stale_files(listed.add_to(answer), &sources);
    }
    for note in found.notes(&mut sources, &meant, relation)? {
        answer = answer.with_note(note);
    }
    with_stale_files(listed.add_to(answer), &sources)
}

/// The folders with most results, and how many there are of others.
fn by_folder(folders: Vec<(String, usize)>) -> Vec<String> {
    let (mut lines, mut characters) = (Vec::new(), 0);
    for (folder, count) in folders.iter().take(MAX_FOLDERS) {
        let line = format!("{folder}: {count}");
        characters += line.chars().count() + 4;
        if characters > FOLDERS_CHARACTERS {
            break;
        }
        lines.push(line);
    }
    let rest: usize = folders
        .iter()
        .skip(lines.len())
        .map(|(_, count)| count)
        .sum();
    if rest > 0 {
        lines.push(format!(
            "{} more folders: {rest}",
            folders.len() - lines.len()
        ));
    }
    lines
}

fn follow_all(
    state: &State,
    arguments: &Arguments,
    direction: EdgeDirection,
) -> Result<Answer, ToolError> {
    match arguments.text("edge_type").and_then(EdgeType::parse) {
        Some(verb) => follow::<DependencyRow>(
            state,
            arguments,
            Relation {
                direction,
                edge_types: &[verb],
            },
        ),
        None => follow::<DependencyRow>(state, arguments, Relation::all(direction)),
    }
}
