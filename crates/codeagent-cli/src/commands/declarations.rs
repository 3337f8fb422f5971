//! `codeagent declarations`: every place a symbol is declared at.

use crate::commands::ask::{Question, ask};
use crate::commands::{OfSymbol, Root};
use crate::output::Answered;
use crate::text::Line;

pub fn run(root: &Root, of: &OfSymbol) -> anyhow::Result<()> {
    let answer = ask(
        root,
        "get_source_spans",
        of.question(root, Question::default())?,
    )?;
    Answered::new(answer, None).print(root, |row, place| {
        let of = row["of"]
            .as_str()
            .map(|of| format!("  {of}"))
            .unwrap_or_default();
        let path = place.of(row["file_path"].as_str().unwrap_or_default());
        vec![
            Line::default()
                .place(format!("{path}:{}", row["line_start"]))
                .text(format!("-{}{of}", row["line_end"])),
        ]
    })
}
