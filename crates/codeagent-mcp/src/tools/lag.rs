//! Does an answer know what was changed before it was asked for? It waits for that, and says what
//! it does not know.
//!
//! **Limits.** Only questions about symbols; files are read as they are.

use codeagent_core::service::Staleness;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::state::State;
use crate::tools::{Tool, navigation, search};

/// Runs a tool over an index that is as the disk is, or says in what it is not.
pub fn run(state: &State, tool: &Tool, arguments: &Arguments) -> Result<Answer, ToolError> {
    let asks_about_symbols = search::TOOLS
        .iter()
        .chain(navigation::TOOLS)
        .any(|other| other.name == tool.name);
    let lag = if asks_about_symbols {
        state.wait_until_fresh()
    } else {
        Staleness::default()
    };
    let answer = (tool.run)(state, arguments);
    if lag.is_none() {
        return answer;
    }
    // What is not found may be in what is not known yet.
    answer
        .map(|answer| answer.with_note(lag.to_string()))
        .map_err(|error| error.behind(&lag))
}
