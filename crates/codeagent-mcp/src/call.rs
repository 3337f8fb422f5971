//! Runs a call of an index tool over the repositories of a server.
//!
//! A call about one repository of several names it (`repo`) or contains an absolute path. Other
//! calls are answered by each repository, and `several` makes one answer of theirs.
//!
//! Limitations: `cursor` and changes of the index need a repository.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use codeagent_core::Canceller;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::INDEXING;
use crate::report::ProgressReporter;
use crate::roots::{NamedRoot, REPO, Roots};
use crate::several;
use crate::state::State;
use crate::tools::{self, CURSOR, FORMAT, Tool};

/// Number of repositories that answer a call at the same time.
const AT_ONCE: usize = 4;

/// Default format of lists, for calls that do not choose one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListFormat {
    /// As rows.
    #[default]
    Rows,
    /// As lines grouped by file.
    Compact,
}

/// One call of a tool.
pub struct ToolCall {
    /// The tool.
    pub tool: &'static Tool,
    /// Default format of lists.
    pub lists: ListFormat,
    /// Receiver of progress reports.
    pub reporter: ProgressReporter,
    /// Stops the call.
    pub canceller: Canceller,
}

impl ToolCall {
    /// Runs the call with the arguments as sent.
    pub fn run(&self, roots: &Roots, mut sent: Map<String, Value>) -> Result<Answer, ToolError> {
        if let Some(only) = roots.only() {
            let arguments = self.check(sent)?;
            return self.run_in(&*only.state().map_err(ToolError::unavailable)?, &arguments);
        }

        let chosen = roots.take_chosen(&mut sent).map_err(ToolError::invalid)?;
        let arguments = self.check(sent)?;
        if let Some(root) = chosen {
            return Ok(several::of_one(&root.name, self.run_at(root, &arguments)?));
        }

        if self.tool.writes {
            return Err(ToolError::invalid(roots.not_chosen()));
        }
        if arguments.text(CURSOR.name).is_some() {
            return Err(ToolError::invalid(format!(
                "pass `{REPO}` with `cursor`: the repository whose answer had this `next_cursor`"
            )));
        }
        several::merge(self.tool, self.run_at_all(roots, &arguments))
    }

    fn check(&self, sent: Map<String, Value>) -> Result<Arguments, ToolError> {
        Ok(
            Arguments::check(self.tool.name, self.tool.parameters, sent)?
                .reporting_to(self.reporter.clone())
                .cancelled_by(self.canceller.clone()),
        )
    }

    /// Returns the answer of each repository, in their order.
    fn run_at_all<'a>(
        &self,
        roots: &'a Roots,
        arguments: &Arguments,
    ) -> Vec<(&'a str, Result<Answer, ToolError>)> {
        let all: Vec<&NamedRoot> = roots.iter().collect();
        let mut answers = Vec::new();
        for some in all.chunks(AT_ONCE) {
            thread::scope(|scope| {
                let asked = some.iter().map(|root| {
                    let ask = || self.run_at_open(root, arguments);
                    (root.name.as_str(), scope.spawn(ask))
                });
                let asked: Vec<_> = asked.collect();
                answers.extend(asked.into_iter().map(|(name, answer)| {
                    let answer = answer.join().unwrap_or_else(|_| Err(self.defect()));
                    (name, answer)
                }));
            });
        }

        answers
    }

    /// Like [`Self::run_at`], but does not open a repository only for its status.
    fn run_at_open(&self, root: &NamedRoot, arguments: &Arguments) -> Result<Answer, ToolError> {
        if self.tool.name != tools::STATUS || root.is_open() {
            return self.run_at(root, arguments);
        }
        let mut answer = Answer::new(json!({}))?;
        answer.add(&INDEXING, "closed; the next query opens it");
        Ok(answer)
    }

    fn run_at(&self, root: &NamedRoot, arguments: &Arguments) -> Result<Answer, ToolError> {
        let state = root.state().map_err(ToolError::unavailable)?;
        self.run_in(&state, arguments)
    }

    /// Runs the tool in a repository; a panic becomes an error.
    fn run_in(&self, state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
        let tool = self.tool;
        tracing::info!(tool = tool.name, "called");
        let answer = catch_unwind(AssertUnwindSafe(|| {
            tools::freshness::run(state, tool, arguments)
        }));

        if matches!(&answer, Ok(Err(error)) if error.is_damage()) {
            state.rebuild_in_background();
        }

        let is_compact = self.is_compact(arguments);
        let answer = answer.unwrap_or_else(|_| Err(self.defect()));
        answer.map(|answer| Answer {
            is_compact,
            ..answer
        })
    }

    fn is_compact(&self, arguments: &Arguments) -> bool {
        let mut parameters = self.tool.parameters.iter();
        let is_listing =
            !self.tool.output.is_text && parameters.any(|parameter| parameter.name == FORMAT.name);
        is_listing
            && arguments
                .text(FORMAT.name)
                .map_or(self.lists == ListFormat::Compact, |format| {
                    format == "compact"
                })
    }

    fn defect(&self) -> ToolError {
        tracing::error!(tool = self.tool.name, "a tool panicked");
        ToolError::index(format!(
            "`{}` failed on this call because of a bug in codeagent; other calls are not affected",
            self.tool.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::output::Output;

    #[test]
    fn a_panicking_tool_returns_an_error() {
        let root = tempfile::tempdir().unwrap();
        let state = State::open(
            root.path(),
            codeagent_workspace::DataRoot::at(root.path().join(".codeagent")),
        )
        .unwrap();

        static BROKEN: Tool = Tool {
            name: "broken",
            title: "",
            doc: "",
            parameters: &[],
            output: Output::object::<()>(&[]),
            errors: &[],
            run: |_, _| panic!("a defect"),
            writes: false,
        };

        let call = ToolCall {
            tool: &BROKEN,
            lists: ListFormat::Rows,
            reporter: ProgressReporter::default(),
            canceller: Canceller::default(),
        };
        let arguments = Arguments::check("broken", &[], serde_json::Map::new()).unwrap();
        let error = call.run_in(&state, &arguments).unwrap_err();
        assert_eq!(error.code, Code::IndexError);
        assert!(error.message.contains("`broken`"), "{}", error.message);
    }
}
