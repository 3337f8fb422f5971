//! The tools that answer a question in one call, as text.
//!
//! A row per tool; its function makes a [`Document`], and [`answer`] fits it into the budget of the
//! call. These tools send one text and no structured content, because clients show the model only
//! one of the two.

use codeagent_core::engine::Answers;
use codeagent_render::answers::{self, AnswerError};
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
    "`json`: the facts for programs, without a budget.",
)
.or(Fallback::Text("text"))
.hinted("");

/// How these tools may fail.
pub const ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::EngineUnavailable,
    Code::IndexError,
];

/// The tools of this file.
pub const TOOLS: &[Tool] = &[Tool {
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
            answers::explore(index, arguments.required_text("query"))
        })
    },
    writes: false,
}];

/// Answers a call with the document that `ask` makes, within the budget of the call.
pub fn answer(
    state: &State,
    arguments: &Arguments,
    ask: impl FnOnce(&Answers) -> Result<Document, AnswerError>,
) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    let mut document = ask(&index).map_err(ToolError::of_text_tool)?;
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
        max_chars: arguments
            .number(MAX_CHARS.name)
            .unwrap_or(DEFAULT_MAX_CHARS),
        is_json: arguments.text(FORMAT.name) == Some("json"),
    }))
}
