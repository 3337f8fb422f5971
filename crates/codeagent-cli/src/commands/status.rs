//! `codeagent status`: what is indexed, how much of it was understood, and which files were not.

use codeagent_core::query;
use codeagent_mcp::tools::management::{LanguageQuality, StatusReport};
use serde::Serialize;

use crate::commands::{Format, Root};
use crate::output::{self, count};

pub fn run(root: &Root, format: Format) -> anyhow::Result<()> {
    let answers = root.answers()?;
    for remark in &answers.workspace().config().remarks {
        output::note(remark);
    }
    let snapshot = answers.snapshot()?;
    let status = query::status(&snapshot)?;
    let report = StatusReport::new(&status, true);
    let (failed, partial) = (listed(query::unread_files(&snapshot)?), listed(query::partly_read_files(&snapshot)?));
    if format.json {
        return output::json(&Report { report, failed, partial });
    }
    let files = count(report.indexed_files, "file");
    let mut lines = vec![format!("{files}, {}, {}", count(report.indexed_symbols, "symbol"), count(report.edges, "edge"))];
    lines.push(format!("last compared with the disk: {}", report.last_batch_at.as_deref().unwrap_or("never")));
    lines.extend(report.quality.iter().map(language));
    lines.extend(failed.iter().map(|file| format!("failed {}: {}", file.path, file.reason)));
    lines.extend(partial.iter().map(|file| format!("parse errors {}: {}", file.path, file.reason)));
    lines.extend(status.given_up.iter().map(|(path, sites)| format!("{path}: {} given up, too costly to link", count(*sites, "use"))));
    output::lines(lines)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    report: StatusReport,
    /// Files without symbols.
    failed: Vec<Listed>,
    /// Files of which some bytes could not be parsed.
    partial: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    path: String,
    reason: String,
}

fn listed(files: Vec<(String, String)>) -> Vec<Listed> {
    files.into_iter().map(|(path, reason)| Listed { path, reason }).collect()
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
