//! `codeagent outline`: the symbols of a file in the order of their lines.

use anyhow::bail;
use clap::Args;
use codeagent_core::query::is_in_place;
use codeagent_workspace::Workspace;
use serde_json::Value;

use crate::commands::Root;
use crate::commands::ask::{Question, ask};
use crate::error::Usage;
use crate::output::Answered;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Path of the file, from the current directory or from the root
    #[arg(value_name = "FILE")]
    path: String,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let path = found(root, &arguments.path)?;
    let answer = ask(
        root,
        "get_file_outline",
        Question::default().with("path", path.as_str()),
    )?;
    let mut open: Vec<u64> = Vec::new();
    Answered::new(answer, None).print(root, |row, _| {
        let line = |name: &str| row[name].as_u64().unwrap_or_default();
        open.retain(|end| *end >= line("line_start"));
        let indent = "  ".repeat(open.len());
        open.push(line("line_end"));
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let word = row["kind"].as_str().unwrap_or(text("node_type"));
        vec![
            format!(
                "{:<5} {indent}{word} {}{}",
                line("line_start"),
                name(row, &path),
                text("parameter_signature")
            )
            .into(),
        ]
    })
}

/// The path of a file as somebody typed it: with either kind of slash, or the end of a path, or a
/// glob, if one file only is meant.
fn found(root: &Root, typed: &str) -> anyhow::Result<String> {
    let path = root.path(typed)?;
    let workspace = Workspace::open(&root.folder)?;
    let is_there = |path: &str| {
        workspace
            .resolve(path)
            .is_ok_and(|path| workspace.stat(&path).is_ok())
    };
    let slashed = typed.replace('\\', "/");
    if is_there(&path) || slashed.split('/').any(|part| part == "..") || slashed.starts_with('/') {
        return Ok(path);
    }
    if is_there(&slashed) {
        return Ok(slashed);
    }
    let entries = workspace.walk().entries;
    let mut named = entries
        .iter()
        .map(|entry| entry.path.as_str())
        .filter(|path| is_in_place(path, &slashed));
    match (named.next(), named.next()) {
        (None, _) => Ok(path),
        (Some(one), None) => Ok(one.to_owned()),
        (Some(one), Some(other)) => {
            let more = match named.count() {
                0 => String::new(),
                more => format!("\nand {more} more"),
            };
            bail!(Usage(format!(
                "{typed} matches several files; give a longer path:\n{one}\n{other}{more}"
            )))
        }
    }
}

/// A namespace is known by its whole name.
fn name<'a>(row: &'a Value, path: &str) -> &'a str {
    let text = |name: &str| row[name].as_str().unwrap_or_default();
    let is_namespace = text("node_type") == "module" && !text("qualified_name").starts_with(path);
    if is_namespace {
        text("qualified_name")
    } else {
        text("name")
    }
}
