//! The tools: each is a row of a table with name, description, parameters and function.
//!
//! There is one file per group, as in the specification. Tools may block; the server runs them on
//! blocking threads.

pub mod filesystem;
pub mod freshness;
pub mod management;
pub mod navigation;
pub mod search;
mod symbol_args;
pub mod text;

pub use codeagent_core::model::graph::Language;
pub(crate) use codeagent_render::words;

use codeagent_files::Profile;

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter};
use crate::error::{Code, ToolError};
use crate::output::{
    ALSO_NAMED, ExtraField, NEXT_CURSOR, NOTE, Output, STALE_FILES, SYMBOLS, TOTAL,
};
use crate::state::State;

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Name in the protocol.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it does, when to use it and what to call next, written for a model.
    pub doc: &'static str,
    /// Parameters, in the order of the schema.
    pub parameters: &'static [Parameter],
    /// Description of the result.
    pub output: Output,
    /// Codes of the errors it may return.
    pub errors: &'static [Code],
    /// The function that answers a call.
    pub run: fn(&State, &Arguments) -> Result<Answer, ToolError>,
    /// Whether it changes the index.
    pub writes: bool,
}

/// The parameter of every tool with pages.
pub const CURSOR: Parameter = Parameter::optional(
    "cursor",
    Kind::Text,
    "The `next_cursor` of the previous answer. Default: the first page.",
)
.hinted("");

/// The parameter of every tool that lists something.
pub const FORMAT: Parameter = Parameter::optional(
    "format",
    Kind::Word(|| vec!["rows", "compact"]),
    "`rows`: a list of objects; `compact`: lines grouped by file, less than half as long. Default: \
     `rows`, or the server's `--answers`.",
)
.hinted("");

/// Fields that may be added to every paged list.
pub const PAGED: &[ExtraField] = &[NEXT_CURSOR, TOTAL, NOTE];

/// Fields that may be added to paged lists that show locations.
pub const PLACES: &[ExtraField] = &[NEXT_CURSOR, TOTAL, NOTE, STALE_FILES];

/// Fields that may be added to paged lists about the symbols that a name matches.
pub const RELATED: &[ExtraField] = &[NEXT_CURSOR, TOTAL, NOTE, SYMBOLS, ALSO_NAMED, STALE_FILES];

/// Errors of queries about names.
pub const NAME_ERRORS: &[Code] = &[
    Code::InvalidParameter,
    Code::EngineUnavailable,
    Code::IndexError,
];

/// Errors of queries about one symbol.
pub const SYMBOL_ERRORS: &[Code] = &[
    Code::NotFound,
    Code::InvalidParameter,
    Code::EngineUnavailable,
    Code::IndexError,
];

/// The parameter of every tool about one symbol.
pub const NODE_ID: Parameter = Parameter::required(
    "node_id",
    Kind::Name,
    "A node_id, a name or its last segments (`Total`, `Cart.Total`, `Cart.Add(Product, int)`), \
     `FILE:LINE`, or `Cart.*` for a type with all its \
     members. If a name matches several symbols, results cover all of them.",
)
.hinted("node_id, name, Type.*, FILE:LINE.");

/// The file in which a name is declared.
pub const FILE: Parameter = Parameter::optional(
    "file",
    Kind::Name,
    "Only symbols declared in this file, folder or glob, if the name is ambiguous.",
)
.hinted("Its file or folder.");

/// The filter by project.
pub const PROJECT_ID: Parameter = Parameter::optional(
    "project_id",
    Kind::Name,
    "Only symbols of this project: the repo-relative path of its project file.",
)
.hinted("Path of its project file.");

/// The filter by language.
pub const LANGUAGE: Parameter = Parameter::optional(
    "language",
    Kind::Word(|| words(Language::NAMES)),
    "Only symbols of this language.",
)
.hinted("");

/// Name of the tool that shows the state of the index.
pub const STATUS: &str = "get_status";

/// Tools of profile `agent` in addition to those that answer text.
const AGENT: [&str; 2] = ["read_file", STATUS];

/// Iterates over all tools in the order in which clients list them.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    [
        filesystem::TOOLS,
        search::TOOLS,
        navigation::TOOLS,
        management::TOOLS,
        text::TOOLS,
    ]
    .into_iter()
    .flatten()
}

/// Iterates over the tools of a profile.
pub fn of_profile(profile: Profile) -> impl Iterator<Item = &'static Tool> {
    let is_agent = profile == Profile::Agent;
    let texts = text::TOOLS.iter().filter(move |_| is_agent);
    let others = all().filter(move |tool| !is_agent || AGENT.contains(&tool.name));
    texts.chain(others)
}

/// Finds a tool by name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    all().find(|tool| tool.name == name)
}
