//! Which symbols is a call about? What a `node_id` argument means, and what an answer says of the
//! symbols that it means.
//!
//! **Limits.** The symbols are listed on the first page only; every row says which of them it
//! belongs to.

use codeagent_core::model::graph::{Confidence, NodeKind, NodeType};
use codeagent_core::query::{self, Filter, Meaning, Meant, Snapshot, label};

use crate::answer::Answer;
use crate::arguments::{Arguments, shortened};
use crate::error::ToolError;
use crate::output::{ALSO_NAMED, SYMBOLS};
use crate::tools::words;

/// Most characters of what is listed of symbols that are told only.
const MAX_TOLD: usize = 2_000;

/// What the `node_id` of a call means, where `file` may say in which file.
pub fn asked(snapshot: &Snapshot, arguments: &Arguments) -> Result<Meant, ToolError> {
    Ok(query::symbols_meant(
        snapshot,
        arguments.required_text("node_id"),
        arguments.text("file"),
    )?)
}

/// Which of the related symbols a call wants.
pub fn filter(arguments: &Arguments) -> Result<Filter, ToolError> {
    if let Some(kind) = arguments
        .text("kind")
        .filter(|kind| NodeKind::parse(kind).is_none() && NodeType::parse(kind).is_none())
    {
        let (kinds, types) = (
            words(NodeKind::NAMES).join(", "),
            words(NodeType::NAMES).join(", "),
        );
        return Err(ToolError::invalid(format!(
            "`kind` must be one of {kinds}, or a node_type: {types}; got {}",
            shortened(kind)
        )));
    }
    Ok(Filter {
        min_confidence: arguments.text("min_confidence").and_then(Confidence::parse),
        path: arguments.text("path").map(str::to_owned),
        tests: arguments.text("tests").map(|word| word == "only"),
        kind: arguments.text("kind").map(str::to_owned),
    })
}

/// The name of the meaning that a row belongs to, if there are several.
pub fn of(meant: &Meant, meaning: usize) -> Option<&str> {
    (meant.answered.len() > 1).then(|| meant.answered[meaning].first().qualified_name.as_str())
}

/// What is said of the symbols on the first page: all that are answered for with the number of
/// their rows, and what bears the name too.
#[derive(Debug, Default)]
pub struct Listed {
    symbols: Vec<String>,
    also_named: Vec<String>,
    remark: Option<String>,
}

impl Listed {
    /// Overloads count as one.
    pub fn meanings(arguments: &Arguments, meant: &Meant, counts: &[usize]) -> Self {
        let line = |(meaning, count): (&Meaning, &usize)| format!("{}: {count}", meaning.label());
        Self::new(
            arguments,
            meant,
            meant.answered.iter().zip(counts).map(line).collect(),
        )
    }

    /// Each by itself.
    pub fn each(arguments: &Arguments, meant: &Meant) -> Self {
        Self::new(arguments, meant, meant.nodes().map(label).collect())
    }

    fn new(arguments: &Arguments, meant: &Meant, symbols: Vec<String>) -> Self {
        if arguments.is_next_page() {
            return Self::default();
        }
        let symbols = if meant.is_one() { Vec::new() } else { symbols };
        Self {
            symbols,
            also_named: told(&meant.told),
            remark: meant.remark.clone(),
        }
    }

    /// How many characters this adds to an answer.
    pub fn characters(&self) -> usize {
        self.symbols
            .iter()
            .chain(&self.also_named)
            .map(|line| line.chars().count() + 4)
            .sum()
    }

    /// The answer with what is said of its symbols.
    pub fn add_to(self, mut answer: Answer) -> Answer {
        if !self.symbols.is_empty() {
            answer.add(&SYMBOLS, self.symbols);
        }
        if !self.also_named.is_empty() {
            answer.add(&ALSO_NAMED, self.also_named);
        }
        match self.remark {
            Some(remark) => answer.with_note(remark),
            None => answer,
        }
    }
}

/// As many as there is room for, and how many more there are.
fn told(meanings: &[Meaning]) -> Vec<String> {
    let (mut lines, mut characters) = (Vec::new(), 0);
    for meaning in meanings {
        let line = meaning.label();
        characters += line.chars().count();
        if characters > MAX_TOLD && !lines.is_empty() {
            lines.push(format!("and {} more", meanings.len() - lines.len()));
            break;
        }
        lines.push(line);
    }
    lines
}
