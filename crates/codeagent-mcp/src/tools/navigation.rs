//! The nine tools that inspect symbols and follow the graph.

use codeagent_core::model::graph::{Confidence, EdgeDirection, EdgeType};
use codeagent_core::query::Relation;
use codeagent_render::answers::{self, RelatedQuery};
use codeagent_render::{
    DependencyRow, NeighborRow, OutlineRow, Row, SourceSpan, SymbolDetail, UseRow,
};

use crate::answer::Answer;
use crate::arguments::{Arguments, DefaultValue, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{
    ALSO_NAMED, EXTERNAL, ExtraField, FOLDERS, NEXT_CURSOR, NOTE, Output, STALE_FILES, SYMBOLS,
    TOTAL, UNCERTAIN, UNRESOLVED, UNRESOLVED_CURSOR, UNRESOLVED_SITES,
};
use crate::state::State;
use crate::tools::symbol_args::{filter, page, symbol};
use crate::tools::{CURSOR, FILE, FORMAT, NODE_ID, PLACES, RELATED, SYMBOL_ERRORS, Tool, words};

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
.or(DefaultValue::Number(3))
.hinted("");

const DEPTH: Parameter = Parameter::optional(
    "depth",
    Kind::Number { min: 1, max: 100 },
    "Maximum number of levels to list.",
)
.or(DefaultValue::Number(1))
.hinted("");

const PATH: Parameter = Parameter::optional(
    "path",
    Kind::Name,
    "Only results declared in this file, folder or glob.",
)
.hinted("File, folder or glob.");
const TESTS: Parameter = Parameter::optional(
    "tests",
    Kind::Word(|| vec!["only", "without"]),
    "Only results in tests, or without tests.",
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
const SYMBOL: &[ExtraField] = &[NOTE, SYMBOLS, ALSO_NAMED, STALE_FILES];
const USERS: &[ExtraField] = &[
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
    UNCERTAIN[6],
    STALE_FILES,
];
const USED: &[ExtraField] = &[
    EXTERNAL,
    NEXT_CURSOR,
    TOTAL,
    FOLDERS,
    NOTE,
    SYMBOLS,
    ALSO_NAMED,
    UNRESOLVED_SITES,
    UNRESOLVED,
    UNRESOLVED_CURSOR,
    STALE_FILES,
];

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_symbol",
        title: "Get a symbol",
        doc: "Shows a symbol's kind, location, signature, modifiers, documentation, number of \
              uses. read_file shows its source.",
        parameters: &[NODE_ID, FILE],
        output: Output::object::<SymbolDetail>(SYMBOL),
        errors: SYMBOL_ERRORS,
        run: get_symbol,
        writes: false,
    },
    Tool {
        name: "get_source_spans",
        title: "Find declarations",
        doc: "Lists where a symbol is declared; partial classes and merged interfaces have several.",
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
        doc: "Lists a file's symbols by line, or a folder's top-level symbols. Use it before read_file to find the lines you need.",
        parameters: &[
            Parameter::required(
                "path",
                Kind::Text,
                "Repo-relative path of the file or folder.",
            )
            .hinted("Repo-relative."),
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<OutlineRow>("The symbols, by line.", PLACES),
        errors: OUTLINE_ERRORS,
        run: get_file_outline,
        writes: false,
    },
    Tool {
        name: "get_callers",
        title: "Find callers",
        doc: "Lists who calls a symbol, also one of a library (`HttpClient.SendAsync`), and where. \
              Calls through an interface or base class are listed under its member.",
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
        doc: "Lists what a symbol calls, and where; `external` lists calls into libraries.",
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
        doc: "Lists what directly implements, extends or overrides a symbol; `depth` adds levels.",
        parameters: &[
            NODE_ID,
            DEPTH,
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
        doc: "Lists every use: calls, reads, writes, types, imports, bases, overrides. Check it \
              before renaming.",
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
        doc: "Lists what a symbol depends on. `contains`: its members; `inherits`, `implements`, \
              `extends`: its bases.",
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
        doc: "Lists what depends on a symbol, like get_references; `contains`: its container.",
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
    let index = state.answers_for(arguments)?;
    Answer::first(&answers::details(&index, &symbol(arguments), 1)?)
}

fn get_source_spans(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    Answer::list(&answers::declarations(
        &index,
        &symbol(arguments),
        &page(arguments),
    )?)
}

fn get_file_outline(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    // Refuses a path outside the repository before the index is ready.
    let path = state.path(arguments.required_text("path"))?;
    let index = state.answers_for(arguments)?;
    Answer::list(&answers::outline(&index, &path, &page(arguments))?)
}

/// Lists the symbols related to a symbol by a relation.
fn follow<R: Row>(
    state: &State,
    arguments: &Arguments,
    relation: Relation<'_>,
) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    let query = RelatedQuery {
        symbol: symbol(arguments),
        relation,
        filter: filter(arguments),
        sites: arguments.number("sites").unwrap_or_default(),
        depth: arguments.number(DEPTH.name).unwrap_or(1),
    };
    Answer::list(&answers::related::<R>(&index, &query, &page(arguments))?)
}

/// Lists the symbols related to a symbol by the edge type of the call, or by any.
fn follow_all(
    state: &State,
    arguments: &Arguments,
    direction: EdgeDirection,
) -> Result<Answer, ToolError> {
    let edge_type = arguments.text("edge_type").and_then(EdgeType::parse);
    let relation = match &edge_type {
        Some(verb) => Relation {
            direction,
            edge_types: std::slice::from_ref(verb),
        },
        None => Relation::all(direction),
    };
    follow::<DependencyRow>(state, arguments, relation)
}
