//! The checked arguments of one tool call, and the call's own context: progress and cancellation.

use std::hash::{DefaultHasher, Hash, Hasher};

use codeagent_core::Canceller;
pub use codeagent_files::arguments::{
    ArgumentError, DefaultValue, Kind, Parameter, brief_schema, schema, shortened,
};
use serde_json::{Map, Value};

use crate::error::ToolError;
use crate::report::ProgressReporter;

/// The checked arguments of a call, with defaults filled in.
#[derive(Clone, Debug)]
pub struct Arguments {
    values: codeagent_files::arguments::Arguments,
    question: u64,
    reporter: ProgressReporter,
    canceller: Canceller,
}

impl Arguments {
    /// Checks the arguments that a client sent to a tool.
    pub fn check(
        tool: &str,
        parameters: &[Parameter],
        sent: Map<String, Value>,
    ) -> Result<Self, ToolError> {
        let values = codeagent_files::arguments::Arguments::check(parameters, sent)?;
        Ok(Self {
            question: question(tool, parameters, &values),
            values,
            reporter: ProgressReporter::default(),
            canceller: Canceller::default(),
        })
    }

    /// Sets the receiver of progress reports.
    #[must_use]
    pub fn reporting_to(self, reporter: ProgressReporter) -> Self {
        Self { reporter, ..self }
    }

    /// Returns the receiver of progress reports.
    #[must_use]
    pub fn reporter(&self) -> &ProgressReporter {
        &self.reporter
    }

    /// Sets the canceller that stops the call.
    #[must_use]
    pub fn cancelled_by(self, canceller: Canceller) -> Self {
        Self { canceller, ..self }
    }

    /// Returns the canceller that stops the call.
    #[must_use]
    pub fn canceller(&self) -> &Canceller {
        &self.canceller
    }

    /// Returns a hash of the query, which all pages of its answer share.
    #[must_use]
    pub fn question(&self) -> u64 {
        self.question
    }

    /// Returns a text, or `None` if absent.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.text(name)
    }

    /// Returns a text that the parameter table requires.
    #[must_use]
    pub fn required_text(&self, name: &str) -> &str {
        self.values.required_text(name)
    }

    /// Returns a number, or `None` if absent.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        self.values.number(name)
    }

    /// Returns a boolean, false if absent.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.values.flag(name)
    }

    /// Returns a list of texts, empty if absent.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.values.texts(name)
    }
}

fn question(
    tool: &str,
    parameters: &[Parameter],
    values: &codeagent_files::arguments::Arguments,
) -> u64 {
    let asked = parameters
        .iter()
        .filter(|each| !matches!(each.name, "cursor" | "format"));
    let asked: Vec<String> = asked
        .map(|each| {
            values
                .value(each.name)
                .map(Value::to_string)
                .unwrap_or_default()
        })
        .collect();

    let mut hasher = DefaultHasher::new();
    (tool, asked).hash(&mut hasher);
    hasher.finish()
}
