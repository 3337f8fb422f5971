//! The tools that answer a question in one call, as text.
//!
//! Each tool is a row; its function creates a [`Document`], and [`answer`] fits it into the call's
//! budget. These tools send one text and no structured content, because clients show the model only
//! one of the two.

use codeagent_core::engine::IndexReader;
use codeagent_core::query::{MAX_IMPACT_DEPTH, TextSearchQuery};
use codeagent_render::Face;
use codeagent_render::answers::{self, AnswerError, ExploreQuery, IMPACT_DEPTH};
use codeagent_render::text::{DEFAULT_MAX_CHARS, Document, LARGEST_MAX_CHARS, MIN_MAX_CHARS};

use crate::answer::{Answer, TextAnswer};
use crate::arguments::{Arguments, Fallback, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::Output;
use crate::state::State;
use crate::tools::Tool;

/// The budget of every tool that answers text.
pub const MAX_CHARS: Parameter = Parameter::optional(
    "max_chars",
    Kind::Number {
        min: MIN_MAX_CHARS as u64,
        max: LARGEST_MAX_CHARS as u64,
    },
    "Most characters of the answer.",
)
.or(Fallback::Number(DEFAULT_MAX_CHARS as u64))
.hinted("");

/// The section of every tool that answers text.
pub const SECTION: Parameter = Parameter::optional(
    "section",
    Kind::Name,
    "Only this section, named as in the last line of an answer.",
)
.hinted("Only this section.");

/// The format of every tool that answers text.
pub const FORMAT: Parameter = Parameter::optional(
    "format",
    Kind::Word(|| vec!["text", "json"]),
    "`json`: the facts for programs, at most 1,000 entries a section; `left_out` counts the others.",
)
.or(Fallback::Text("text"))
.hinted("");

/// Errors of these tools.
pub const ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::EngineUnavailable,
    Code::IndexError,
];

/// The tools of this file.
pub const TOOLS: &[Tool] = &[EXPLORE, IMPACT, PATH, SEARCH_TEXT, OVERVIEW, CHANGES];

const EXPLORE: Tool = Tool {
    name: "explore",
    title: "Explore code",
    doc: "Answers a question about code in one call: source, callers, callees, implementations, tests, uses; what happens when it runs. Ask it first.",
    parameters: &[
        Parameter::required(
            "query",
            Kind::Name,
            "Names or their ends (`Cart.Total`), FILE:LINE, files, folders, quoted literals, several of them, or a sentence. Words such as \
             \"tests\", \"implements\", \"breaks\", \"two levels\", \"what happens when\" say which sections get most of the budget.",
        )
        .hinted("Names, FILE:LINE, files, folders, literals, or a sentence (`which tests cover Cart.Total?`)."),
        MAX_CHARS,
        SECTION,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        answer(state, arguments, |index| {
            let query = ExploreQuery {
                text: arguments.required_text("query"),
                section: arguments.text(SECTION.name),
                face: Face::TextTools,
            };
            answers::explore(index, &query)
        })
    },
    writes: false,
};

const IMPACT: Tool = Tool {
    name: "get_impact",
    title: "Impact of a change",
    doc: "What a change affects: uses that must change, possible ones, symbols steps away, tests, public symbols.",
    parameters: &[
        Parameter::required(
            "target",
            Kind::Name,
            "Names or their ends (`Cart.Total`, `Cart.*`), FILE:LINE, files or folders, one or several; or a git range (`main..HEAD`, `HEAD`).",
        )
        .hinted("Names, FILE:LINE, files, folders, or a git range."),
        Parameter::optional(
            "depth",
            Kind::Number { min: 1, max: MAX_IMPACT_DEPTH as u64 },
            "How many steps to follow.",
        )
        .or(Fallback::Number(IMPACT_DEPTH as u64))
        .hinted(""),
        MAX_CHARS,
        SECTION,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        let depth = arguments.number("depth").unwrap_or(IMPACT_DEPTH);
        answer(state, arguments, |index| {
            answers::impact(index, arguments.required_text("target"), depth)
        })
    },
    writes: false,
};

const PATH: Tool = Tool {
    name: "find_path",
    title: "Path between symbols",
    doc: "How one symbol reaches another: calls, dispatch and references, at most eight steps.",
    parameters: &[
        Parameter::required(
            "from",
            Kind::Name,
            "Where the path begins: a name or FILE:LINE.",
        )
        .hinted(""),
        Parameter::required("to", Kind::Name, "Where it ends.").hinted(""),
        MAX_CHARS,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        answer(state, arguments, |index| {
            answers::path(
                index,
                arguments.required_text("from"),
                arguments.required_text("to"),
            )
        })
    },
    writes: false,
};

const OVERVIEW: Tool = Tool {
    name: "get_overview",
    title: "Repository overview",
    doc: "Projects and their dependencies, entry points, hubs, cycles and unused code; of a folder or project also its public symbols and what uses them.",
    parameters: &[
        Parameter::optional(
            "path",
            Kind::Name,
            "A folder or project; without it the whole repository.",
        )
        .hinted("A folder or project."),
        MAX_CHARS,
        SECTION,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        answer(state, arguments, |index| {
            answers::overview(index, arguments.text("path"))
        })
    },
    writes: false,
};

const SEARCH_TEXT: Tool = Tool {
    name: "search_text",
    title: "Search text",
    doc: "Finds lines by text or regular expression, each with the symbol, route or test around it: strings, comments, configuration, any file.",
    parameters: &[
        Parameter::required("pattern", Kind::Something, "Text to find, case-sensitive.")
            .hinted("Text to find."),
        Parameter::optional(
            "regex",
            Kind::Flag,
            "The pattern is a regular expression, as in ripgrep.",
        ),
        Parameter::optional(
            "ignore_case",
            Kind::Flag,
            "Upper and lower case are the same.",
        ),
        Parameter::optional(
            "path",
            Kind::Name,
            "Only in this file or folder, or in files that match (`*`, `**`).",
        )
        .hinted("File, folder or pattern."),
        Parameter::optional(
            "literals",
            Kind::Flag,
            "Only in string literals that are one word: routes, events, keys, settings.",
        ),
        MAX_CHARS,
        SECTION,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        let query = TextSearchQuery {
            pattern: arguments.required_text("pattern"),
            is_regex: arguments.flag("regex"),
            ignore_case: arguments.flag("ignore_case"),
            path: arguments.text("path"),
            literals: arguments.flag("literals"),
        };
        answer(state, arguments, |index| answers::text(index, &query))
    },
    writes: false,
};

const CHANGES: Tool = Tool {
    name: "get_changes",
    title: "Get changes",
    doc: "Compares a git commit with the working tree, or two commits: symbols added, removed and changed, callers that no longer fit, tests to run.",
    parameters: &[
        Parameter::optional(
            "range",
            Kind::Name,
            "`BASE` compares the working tree with where its history parts from `BASE`; `A..B` two commits; `A...B` where both part with `B`.",
        )
        .or(Fallback::Text("HEAD"))
        .hinted("BASE (with the working tree), A..B or A...B."),
        MAX_CHARS,
        SECTION,
        FORMAT,
    ],
    output: Output::TEXT,
    errors: ERRORS,
    run: |state, arguments| {
        answer(state, arguments, |index| {
            answers::changes(index, arguments.text("range").unwrap_or("HEAD"))
        })
    },
    writes: false,
};

/// Answers a call with the document that `ask` creates, within the call's budget.
pub fn answer(
    state: &State,
    arguments: &Arguments,
    ask: impl FnOnce(&IndexReader) -> Result<Document, AnswerError>,
) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    let max_chars = arguments
        .number(MAX_CHARS.name)
        .unwrap_or(DEFAULT_MAX_CHARS);
    let mut document =
        ask(&index).map_err(|error| ToolError::of_text_tool(error).within(max_chars))?;

    if let Some(section) = arguments.text(SECTION.name) {
        let keys: Vec<&str> = document.keys().collect();
        if !document.keep_only(section) {
            return Err(ToolError::invalid(format!(
                "there is no section `{section}` in this answer; there are {}",
                keys.join(", ")
            )));
        }
    }

    Ok(Answer::of_text(TextAnswer {
        document,
        max_chars,
        is_json: arguments.text(FORMAT.name) == Some("json"),
    }))
}
