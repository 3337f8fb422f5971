//! Brings the index up to date before a tool runs, and notes what it is still missing.
//!
//! Limitations: only tools about symbols wait; files are read directly.

use codeagent_core::service::Staleness;
use codeagent_render::staleness_text;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::state::State;
use crate::tools::{Tool, navigation, search, text};

/// Runs a tool after updating the index, or notes what the index is missing.
pub fn run(state: &State, tool: &Tool, arguments: &Arguments) -> Result<Answer, ToolError> {
    let asks_about_symbols = search::TOOLS
        .iter()
        .chain(navigation::TOOLS)
        .chain(text::TOOLS)
        .any(|other| other.name == tool.name);
    let staleness = if asks_about_symbols {
        state.wait_until_fresh()
    } else {
        Staleness::default()
    };

    let answer = (tool.run)(state, arguments);
    if staleness.is_none() {
        return answer;
    }

    // An unknown symbol may be in a file that is not indexed yet.
    answer
        .map(|answer| answer.with_note(staleness_text(&staleness)))
        .map_err(|error| error.with_staleness(&staleness))
}
