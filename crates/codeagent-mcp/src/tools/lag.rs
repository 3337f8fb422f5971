//! Brings the index up to date before a tool runs, and notes what it does not know yet.
//!
//! Limitations: only tools about symbols wait; files are read as they are.

use codeagent_core::watch::Lag;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::state::State;
use crate::tools::{Tool, navigation, search};

/// Runs a tool over an index that is up to date, or notes what is missing from it.
pub fn run(state: &State, tool: &Tool, arguments: &Arguments) -> Result<Answer, ToolError> {
    let asks_about_symbols = search::TOOLS
        .iter()
        .chain(navigation::TOOLS)
        .any(|other| other.name == tool.name);
    let lag = if asks_about_symbols {
        state.settle()
    } else {
        Lag::default()
    };
    let answer = (tool.run)(state, arguments);
    if lag.is_none() {
        return answer;
    }
    // What was not found may be in a file that is not indexed yet.
    answer
        .map(|answer| answer.with_note(lag.to_string()))
        .map_err(|error| error.behind(&lag))
}
