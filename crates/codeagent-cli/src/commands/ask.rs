//! How is a question put to a tool? The commands ask the same tools as MCP clients do, on one page,
//! so that both know the same.
//!
//! **Limits.** Only an index that is there is asked; none is made.

use codeagent_mcp::answer::Answer;
use codeagent_mcp::arguments::Arguments;
use codeagent_mcp::server;
use codeagent_mcp::state::State;
use codeagent_mcp::tools;
use serde_json::{Map, Value};

use crate::commands::Root;

/// What a tool is asked with.
#[derive(Debug, Default)]
pub struct Question(Map<String, Value>);

impl Question {
    /// With an argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// With an argument if there is one.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// What the tool of a name answers.
pub fn ask(root: &Root, tool: &str, question: Question) -> anyhow::Result<Answer> {
    let tool = tools::find(tool).ok_or_else(|| anyhow::anyhow!("there is no tool {tool}"))?;
    let state = State::of_answers(root.answers()?);
    let arguments = Arguments::check(tool.name, tool.parameters, question.0)?.on_one_page();
    Ok(server::run(&state, tool, &arguments)?)
}
