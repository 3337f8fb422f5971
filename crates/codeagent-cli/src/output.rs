//! How is an answer printed? Rows as lines for people, or the structs of `codeagent-mcp` as JSON.

use std::io::Write;

use codeagent_mcp::wire::{NeighborRow, SymbolRow, UseRow};
use serde::Serialize;

/// Prints lines.
pub fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{}", line.as_ref())?;
    }
    Ok(out.flush()?)
}

/// Prints a value as JSON, readable.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    lines([serde_json::to_string_pretty(value)?])
}

/// A remark, apart from the answer.
pub fn note(text: &str) {
    // A remark that nobody can read is no reason to fail.
    writeln!(anstream::stderr(), "note: {text}").ok();
}

/// An error and its causes, as far as what is said before does not hold them: most of our errors say their causes themselves.
pub fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.is_empty() => cause,
        cause if said.contains(&cause) => said,
        cause => format!("{said}: {cause}"),
    })
}

/// `method Shop.Cart.Total(int extra): int  src/Cart.cs:12`
pub fn symbol(row: &SymbolRow) -> String {
    let signature = row.signature.parameter_signature.as_deref().unwrap_or_default();
    let result = row.signature.return_type.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{} {}{signature}{result}  {}:{}", row.symbol.word(), row.symbol.qualified_name, row.file_path, row.line_start)
}

/// A related symbol and under it the places of its uses.
pub fn neighbor(UseRow { neighbor: row, edge_type }: &UseRow, with_verb: bool) -> Vec<String> {
    let verb = if with_verb { format!("{edge_type} ") } else { String::new() };
    let sure = if row.confidence == "exact" { String::new() } else { format!(" ({})", row.confidence) };
    let mut lines = vec![format!("{verb}{}{sure}  {}:{}", row.symbol.qualified_name, row.file_path, row.line_start)];
    lines.extend(sites(row));
    lines
}

fn sites(row: &NeighborRow) -> Vec<String> {
    let mut lines = Vec::new();
    for site in &row.call_sites {
        let path = site.file_path.as_ref().map(|path| format!("{path}:")).unwrap_or_default();
        let text = site.text.as_deref().unwrap_or("(the file was changed since it was indexed)");
        lines.push(format!("    {path}{}:{}  {text}", site.line, site.column));
    }
    if let Some(count) = row.site_count {
        lines.push(format!("    and {} more", count.saturating_sub(row.call_sites.len())));
    }
    lines
}

/// `1 file`, `2 files`
pub fn count(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}
