//! `codeagent outline`: the symbols of a file in the order of their lines.

use std::path::Path;

use clap::Args;
use codeagent_core::query;
use codeagent_mcp::wire::OutlineRow;

use crate::commands::{Format, Root};
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Path of the file, from the root or absolute
    #[arg(value_name = "FILE")]
    path: String,
    #[command(flatten)]
    format: Format,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let answers = root.answers()?;
    let path = answers.workspace().resolve(&arguments.path)?;
    let snapshot = answers.snapshot()?;
    let file = query::derive_file_id(&snapshot, path.as_str())?;
    let nodes = query::get_outline(&snapshot, file)?;
    if let Some(lacking) = query::lacking(&snapshot, path.as_str())? {
        output::note(&lacking);
    }
    let rows: Vec<OutlineRow> = nodes.iter().map(OutlineRow::from).collect();
    if arguments.format.json {
        return output::json(&rows);
    }
    let mut open: Vec<u32> = Vec::new();
    output::lines(rows.iter().map(|row| {
        open.retain(|end| *end >= row.line_start);
        let indent = "  ".repeat(open.len());
        open.push(row.line_end);
        let signature = row.signature.parameter_signature.as_deref().unwrap_or_default();
        format!("{:<5} {indent}{} {}{signature}", row.line_start, row.symbol.word(), shown_name(row, path.as_str()))
    }))
}

/// A namespace is known by its whole name.
fn shown_name<'a>(row: &'a OutlineRow, path: &str) -> &'a str {
    let is_path = Path::new(&row.symbol.qualified_name).starts_with(path);
    if row.symbol.node_type == "module" && !is_path { &row.symbol.qualified_name } else { &row.symbol.name }
}
