//! `codeagent status`: what is indexed and how much of it was understood.

use codeagent_core::query;
use codeagent_mcp::tools::management::{LanguageQuality, StatusReport};

use crate::commands::{Format, Root};
use crate::output::{self, count};

pub fn run(root: &Root, format: Format) -> anyhow::Result<()> {
    let answers = root.answers()?;
    for remark in &answers.workspace().config().remarks {
        output::note(remark);
    }
    let report = StatusReport::new(&query::status(&answers.snapshot()?)?, true);
    if format.json {
        return output::json(&report);
    }
    let files = count(report.indexed_files, "file");
    let mut lines = vec![format!("{files}, {}, {}", count(report.indexed_symbols, "symbol"), count(report.edges, "edge"))];
    lines.push(format!("last compared with the disk: {}", report.last_batch_at.as_deref().unwrap_or("never")));
    lines.extend(report.quality.iter().map(language));
    output::lines(lines)
}

fn language(quality: &LanguageQuality) -> String {
    let resolved = quality.calls_resolved_percent.map(|percent| format!(", {percent}% of calls resolved")).unwrap_or_default();
    format!(
        "{}: {}, {}, {} with parse errors ({}% of bytes), {} failed{resolved}",
        quality.language,
        count(quality.files, "file"),
        count(quality.lines, "line"),
        quality.files_with_errors,
        quality.error_percent,
        quality.files_failed
    )
}
