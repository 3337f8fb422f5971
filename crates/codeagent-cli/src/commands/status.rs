//! `codeagent status`: what is indexed, how much of it was understood, and which files were not.

use clap::Args;
use codeagent_core::query;
use codeagent_core::watch::door::Visit;
use codeagent_core::watch::vector_progress;
use codeagent_mcp::tools::management::{LanguageQuality, StatusReport};
use serde::Serialize;

use crate::commands::{Root, index, model};
use crate::output::{self, count};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Compare the index with one made afresh, and make it anew if they differ
    #[arg(long)]
    verify: bool,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.verify {
        verify(root)?;
    }
    let (answers, lag) = root.settled()?;
    let snapshot = answers.snapshot()?;
    let status = query::status(&snapshot, answers.vectors())?;
    let watcher_active = Visit::begin(answers.data()).is_ok();
    let report = StatusReport { watcher_active, ..StatusReport::new(&status, true) };
    let report = report.with_coverage(answers.coverage(&status.counts));
    let mut failed = listed(query::unread_files(&snapshot)?);
    // What the walk leaves out, names that are no UTF-8 among it, has no path.
    failed.extend(answers.workspace().walk().skipped.into_iter().map(|reason| Listed::new("", reason)));
    let partial: Vec<Listed> = query::partly_read_files(&snapshot)?.iter().map(|file| Listed::new(&file.path, file.reason())).collect();
    let mut notes = answers.workspace().config().remarks.clone();
    notes.extend((!lag.is_none()).then(|| lag.to_string()));
    let given_up: Vec<Listed> = status.given_up.iter().map(|(path, sites)| Listed::new(path, too_costly(*sites))).collect();
    let progress = vector_progress(&snapshot)?.filter(|progress| progress.done < progress.total);
    notes.extend(progress.map(|progress| format!("{progress}; a server, daemon or `codeagent watch` makes the others")));
    notes.extend(model::trouble());
    if root.json {
        return output::json(&Report { report, failed, partial, given_up, notes });
    }
    notes.iter().for_each(|remark| output::note(remark));
    let files = count(report.indexed_files, "file");
    let mut lines = vec![format!("{files}, {}, {}", count(report.indexed_symbols, "symbol"), count(report.edges, "edge"))];
    lines.push(format!("last changed: {}", report.last_batch_at.as_deref().unwrap_or("never")));
    lines.push(if report.watcher_active { "a codeagent watches the files" } else { "nobody watches the files" }.to_owned());
    lines.extend(report.quality.iter().map(language));
    let vectors = count(report.embeddings_count, "vector");
    lines
        .extend(report.embedding_model.as_ref().map(|model| format!("sentences and similar symbols are compared by {vectors} of {model}")));
    lines.extend(report.text_of_no_language_percent.filter(|share| *share > 0.0).map(|share| {
        format!("{share}% of the code, markup and configuration is in no indexed language: what it uses is not in the index")
    }));
    lines.extend(failed.iter().map(|file| match file.path.as_str() {
        "" => format!("failed {}", file.reason),
        path => format!("failed {path}: {}", file.reason),
    }));
    lines.extend(partial.iter().map(|file| format!("parse errors {}: {}", file.path, file.reason)));
    lines.extend(given_up.iter().map(|file| format!("{}: {}", file.path, file.reason)));
    output::lines(lines)
}

fn verify(root: &Root) -> anyhow::Result<()> {
    let engine = index::open_alone(root, false)?;
    let bar = index::progress_bar()?;
    let differing = engine.verify(&|progress| index::show(&bar, progress));
    bar.finish_and_clear();
    index::say_healed(&engine);
    if differing? == 0 {
        output::note("the index says what one made afresh says");
    }
    Ok(engine.close()?)
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
    /// Files with uses that cost too much to link.
    given_up: Vec<Listed>,
    /// What is odd about the settings.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Listed {
    path: String,
    reason: String,
}

impl Listed {
    fn new(path: &str, reason: String) -> Self {
        Self { path: path.to_owned(), reason }
    }
}

fn listed(files: Vec<(String, String)>) -> Vec<Listed> {
    files.into_iter().map(|(path, reason)| Listed { path, reason }).collect()
}

fn too_costly(sites: u64) -> String {
    format!("{} given up, too costly to link", count(sites, "use"))
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
