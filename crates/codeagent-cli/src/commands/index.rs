//! `codeagent index`: what changed since the last time becomes part of the index.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::ingest::{IngestOptions, Progress, Summary};
use codeagent_core::model::graph::ParseStatus;
use codeagent_core::store;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::commands::Root;
use crate::exit;
use crate::output::{self, count};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Throw the old index away first
    #[arg(long)]
    rebuild: bool,
    /// End with exit code 1 if a file could not be indexed
    #[arg(long)]
    strict: bool,
    /// List the files with parse errors, and the time by phase
    #[arg(long, short)]
    verbose: bool,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let cancel = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(Arc::clone(&cancel))?;
    let ingest = IngestOptions { cancel, ..IngestOptions::default() };
    let engine = Engine::open(&root.folder, EngineOptions { ingest, rebuild: arguments.rebuild, ..EngineOptions::default() })?;
    let bar = progress_bar()?;
    let summary = engine.index(&|progress| show(&bar, progress));
    bar.finish_and_clear();
    let answers = engine.answers();
    let remarks = answers.workspace().config().remarks.iter().map(String::as_str).chain(answers.workspace().brought_index());
    let notes: Vec<&str> = remarks.collect();
    if !root.json {
        notes.iter().for_each(|remark| output::note(remark));
    }
    let summary = summary?;
    let details = if arguments.verbose { details(&engine, &summary)? } else { Vec::new() };
    if root.json {
        output::json(&report(&summary, &notes, &details))?;
    } else {
        output::lines(std::iter::once(line(&summary)).chain(details))?;
    }
    engine.close()?;
    let failed = arguments.strict && !summary.problems.is_empty();
    Ok(if failed { exit::FILES_FAILED.into() } else { ExitCode::SUCCESS })
}

/// The one line that says what the index holds now.
fn line(summary: &Summary) -> String {
    let resolved = summary.resolved_percent(None).map(|percent| format!(", {percent:.1}% of calls resolved")).unwrap_or_default();
    let partial: u64 = summary.languages.iter().map(|counts| counts.partial).sum();
    let partial = if partial > 0 { format!(", {} with parse errors", count(partial, "file")) } else { String::new() };
    let failed = summary.problems.len() as u64;
    let failed = if failed > 0 { format!(", {} could not be indexed", count(failed, "file")) } else { String::new() };
    let hint = if partial.is_empty() && failed.is_empty() { "" } else { " (`codeagent status` lists them)" };
    let unchanged = if summary.unchanged { "nothing changed: " } else { "" };
    format!(
        "{unchanged}{}, {}, {}{resolved}, {:.1} s{partial}{failed}{hint}",
        count(summary.files(), "file"),
        count(summary.symbols, "symbol"),
        count(summary.edges, "edge"),
        summary.elapsed.as_secs_f64()
    )
}

/// What `--json` prints.
fn report(summary: &Summary, notes: &[&str], details: &[String]) -> Value {
    let failed = summary.problems.iter().map(|problem| json!({ "path": problem.path, "reason": problem.message }));
    json!({
        "unchanged": summary.unchanged,
        "files": summary.files(),
        "symbols": summary.symbols,
        "edges": summary.edges,
        "calls_resolved_percent": summary.resolved_percent(None),
        "files_with_errors": summary.languages.iter().map(|counts| counts.partial).sum::<u64>(),
        "failed": failed.collect::<Vec<_>>(),
        "seconds": summary.elapsed.as_secs_f64(),
        "details": details,
        "notes": notes,
    })
}

/// What `--verbose` adds.
fn details(engine: &Engine, summary: &Summary) -> anyhow::Result<Vec<String>> {
    let mut lines: Vec<String> = summary.problems.iter().map(|problem| format!("failed {}: {}", problem.path, problem.message)).collect();
    lines.extend(summary.remarks.iter().map(|remark| format!("project {remark}")));
    let snapshot = engine.answers().snapshot()?;
    for file in store::files(&snapshot)? {
        if file.parse_status == ParseStatus::Partial {
            lines.push(format!("parse errors {}: {} of {} bytes", file.path, file.error_bytes, file.bytes));
        }
    }
    lines.extend(summary.phases.iter().map(|phase| format!("cpu {}: {:.2} s", phase.phase.as_str(), phase.cpu.as_secs_f64())));
    Ok(lines)
}

/// Drawn on a terminal only.
fn progress_bar() -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{msg:>7} {wide_bar} {pos}/{len}")?);
    bar.enable_steady_tick(Duration::from_millis(200));
    Ok(bar)
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_message(progress.phase.as_str());
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
}

/// The first Ctrl-C or SIGTERM ends the work in good order.
fn stop_on_interrupt(cancel: Arc<AtomicBool>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("codeagent-interrupt".to_owned()).spawn(move || {
        if runtime.block_on(codeagent_mcp::serve::stop_signal()).is_ok() {
            cancel.store(true, Ordering::Relaxed);
        }
    })?;
    Ok(())
}
