//! `codeagent declarations`: every location where a symbol is declared.

use codeagent_render::Page;
use codeagent_render::answers;

use crate::commands::ask::ask;
use crate::commands::{Root, SymbolArgs};
use crate::output::PrintedAnswer;
use crate::text::Line;

pub fn run(root: &Root, arguments: &SymbolArgs) -> anyhow::Result<()> {
    let symbol = arguments.resolve(root)?;
    let answer = ask(root, |index| {
        answers::declarations(index, &symbol.query(), &Page::WHOLE)
    })?;
    PrintedAnswer::new(answer, None).print(root, |row, places| {
        let of = row.of.as_ref().map(|of| format!("  {of}"));
        let start = format!("{}:{}", places.of(&row.file_path), row.line_start);
        let end = format!("-{}{}", row.line_end, of.unwrap_or_default());
        vec![Line::default().location(&start).text(end)]
    })
}
