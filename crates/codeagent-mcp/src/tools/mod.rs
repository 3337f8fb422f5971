//! Which tools are there? Each is a row of a table: name, what a model should know, parameters, function. One file per group, as in the
//! specification.
//!
//! **Limits.** Tools are functions that may block; the server runs them on threads of their own.

pub mod filesystem;

use crate::answer::Answer;
use crate::arguments::{Arguments, Kind, Parameter};
use crate::error::ToolError;
use crate::state::State;

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, written for a model.
    pub doc: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it does.
    pub run: fn(&State, &Arguments) -> Result<Answer, ToolError>,
    /// Whether it changes the index.
    pub writes: bool,
}

/// The parameter of every tool that answers in pages.
pub const CURSOR: Parameter =
    Parameter::optional("cursor", Kind::Text, "The `next_cursor` of the previous answer, to get the next page. Default: the first page.");

/// All tools, in the order in which clients list them.
pub fn all() -> impl Iterator<Item = &'static Tool> {
    [filesystem::TOOLS].into_iter().flatten()
}

/// The tool of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    all().find(|tool| tool.name == name)
}
