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

use crate::answer::{Answer, Part, TextAnswer};
use crate::arguments::{Arguments, DefaultValue, Kind, Parameter};
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
    "Maximum length of the answer, in characters.",
)
.or(DefaultValue::Number(DEFAULT_MAX_CHARS as u64))
.hinted("");

/// The section of every tool that answers text.
pub const SECTION: Parameter = Parameter::optional(
    "section",
    Kind::Name,
    "Return only this section. The last line of an answer names the sections that were cut.",
)
.hinted("Only this section.");

/// The format of every tool that answers text.
pub const FORMAT: Parameter = Parameter::optional(
    "format",
    Kind::Word(|| vec!["text", "json"]),
    "`json` returns data for programs, at most 1,000 entries per section; `left_out` counts the \
     rest.",
)
.or(DefaultValue::Text("text"))
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
    doc: "Answers a question about code in one call: source, callers, callees, implementations, \
          tests, uses, what happens when it runs. Call it first.",
    parameters: &[
        Parameter::required(
            "query",
            Kind::Name,
            "Names or their last segments (`Cart.Total`), FILE:LINE, files, folders or quoted \
             literals, one or several, or a sentence. Words such as \
             \"tests\", \"implements\", \"breaks\", \"two levels\", \"what happens when\" decide \
             which sections get most of the budget.",
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
    doc: "Shows what a change affects: uses that must change, possible uses, symbols steps away, tests, public symbols.",
    parameters: &[
        Parameter::required(
            "target",
            Kind::Name,
            "Names or their last segments (`Cart.Total`, `Cart.*`), FILE:LINE, files or folders, \
             one or several; or a git range (`main..HEAD`, `HEAD`).",
        )
        .hinted("Names, FILE:LINE, files, folders, or a git range."),
        Parameter::optional(
            "depth",
            Kind::Number {
                min: 1,
                max: MAX_IMPACT_DEPTH as u64,
            },
            "Maximum number of steps to follow.",
        )
        .or(DefaultValue::Number(IMPACT_DEPTH as u64))
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
    doc: "Shows how one symbol reaches another: calls, dispatch, references; at most eight steps.",
    parameters: &[
        Parameter::required(
            "from",
            Kind::Name,
            "Start of the path: a name or FILE:LINE.",
        )
        .hinted(""),
        Parameter::required("to", Kind::Name, "End of the path.").hinted(""),
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
    doc: "Shows projects and their dependencies, entry points, hubs, cycles and unused code; for a \
          folder or project also its public symbols and their uses.",
    parameters: &[
        Parameter::optional(
            "path",
            Kind::Name,
            "A folder or project. Default: the whole repository.",
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
    doc: "Finds lines of any file by text or regular expression (strings, comments, \
          configuration), each with its enclosing symbol, route or test.",
    parameters: &[
        Parameter::required("pattern", Kind::Something, "Text to find, case-sensitive.")
            .hinted("Text to find."),
        Parameter::optional(
            "regex",
            Kind::Flag,
            "Treat the pattern as a regular expression, as ripgrep does.",
        ),
        Parameter::optional("ignore_case", Kind::Flag, "Ignore case."),
        Parameter::optional(
            "path",
            Kind::Name,
            "Search only this file or folder, or files that match a glob (`*`, `**`).",
        )
        .hinted("File, folder or glob."),
        Parameter::optional(
            "literals",
            Kind::Flag,
            "Search only string literals that are one word: routes, events, keys, settings.",
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
    doc: "Compares a git commit with the working tree, or two commits: symbols added, removed and \
          changed, callers that no longer match, tests to run.",
    parameters: &[
        Parameter::optional(
            "range",
            Kind::Name,
            "`BASE` compares the merge base of `BASE` and `HEAD` with the working tree; `A..B` \
             compares two commits; `A...B` compares their merge base with `B`.",
        )
        .or(DefaultValue::Text("HEAD"))
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
                "the answer has no section `{section}`; it has {}",
                keys.join(", ")
            )));
        }
    }

    let part = Part {
        document,
        ..Part::default()
    };
    Ok(Answer::of_text(TextAnswer {
        parts: vec![part],
        max_chars,
        is_json: arguments.text(FORMAT.name) == Some("json"),
    }))
}
