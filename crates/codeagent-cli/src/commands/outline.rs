//! `codeagent outline`: the symbols of a file in the order of their lines.

use clap::Args;
use serde_json::Value;

use crate::commands::Root;
use crate::commands::ask::{Question, ask};
use crate::output::Answered;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Path of the file, from the working folder or from the root
    #[arg(value_name = "FILE")]
    path: String,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let path = root.path(&arguments.path)?;
    let answer = ask(root, "get_file_outline", Question::default().with("path", path.as_str()))?;
    let mut open: Vec<u64> = Vec::new();
    Answered::new(answer, None).print(root, |row, _| {
        let line = |name: &str| row[name].as_u64().unwrap_or_default();
        open.retain(|end| *end >= line("line_start"));
        let indent = "  ".repeat(open.len());
        open.push(line("line_end"));
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let word = row["kind"].as_str().unwrap_or(text("node_type"));
        vec![format!("{:<5} {indent}{word} {}{}", line("line_start"), name(row, &path), text("parameter_signature")).into()]
    })
}

/// A namespace is known by its whole name.
fn name<'a>(row: &'a Value, path: &str) -> &'a str {
    let text = |name: &str| row[name].as_str().unwrap_or_default();
    let is_namespace = text("node_type") == "module" && !text("qualified_name").starts_with(path);
    if is_namespace { text("qualified_name") } else { text("name") }
}
