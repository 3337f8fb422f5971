//! `codeagent symbol`: all about one symbol.

use codeagent_core::query;
use codeagent_mcp::wire::{SourceSpan, SymbolDetail};

use crate::commands::{OfSymbol, Root};
use crate::output::{self, count};

pub fn run(root: &Root, of: &OfSymbol) -> anyhow::Result<()> {
    let answers = root.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, &of.name)?;
    let Some(symbol) = query::get_node(&snapshot, node.id)? else { return Ok(()) };
    let detail = SymbolDetail::from(&symbol);
    if of.format.json {
        return output::json(&detail);
    }
    let mut lines = vec![output::symbol(&detail.row)];
    lines.extend(detail.doc.iter().map(|doc| format!("    {doc}")));
    lines.push(format!(
        "    node_id {}, project {}, used {}",
        detail.row.symbol.node_id,
        detail.project_id,
        count(detail.reference_count, "time")
    ));
    lines.push(format!("    {}", modifiers(&detail)));
    let spans = SourceSpan::all(&symbol.node.spans);
    lines.extend(spans.iter().map(|span| format!("    declared {}:{}-{}", span.file_path, span.line_start, span.line_end)));
    output::lines(lines)
}

fn modifiers(detail: &SymbolDetail) -> String {
    let flags = [
        (detail.is_static, "static"),
        (detail.is_abstract, "abstract"),
        (detail.is_async, "async"),
        (detail.is_override, "override"),
        (detail.is_deprecated, "deprecated"),
        (detail.is_public_api, "part of the public API"),
    ];
    let access = detail.row.signature.access_modifier.into_iter();
    access.chain(flags.iter().filter(|(on, _)| *on).map(|(_, word)| *word)).collect::<Vec<_>>().join(", ")
}
