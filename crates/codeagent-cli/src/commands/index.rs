//! `codeagent index`: what changed since the last time becomes part of the index.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use codeagent_core::engine::{Answers, Engine, EngineOptions, ErrorKind};
use codeagent_core::query;
use codeagent_core::watch::door::{self, Wish};
use codeagent_core::{IngestOptions, Progress, Summary};
use codeagent_workspace::DataHome;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::commands::{Root, Threads};
use crate::exit;
use crate::output::{self, count};

/// How long another process may take to bring the index up to date.
const LONGEST: Duration = Duration::from_secs(3600);

/// After how long one asks again whether another `codeagent index` is done.
const AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub struct Arguments {
    /// Rebuild the index from scratch
    #[arg(long)]
    rebuild: bool,
    /// Exit with 1 if a file could not be indexed
    #[arg(long)]
    strict: bool,
    /// List the files with parse errors, and the time of each phase
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let cancel = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(Arc::clone(&cancel))?;
    let ingest = IngestOptions { threads: arguments.threads.number(), cancel, ..IngestOptions::default() };
    let options = EngineOptions { ingest, rebuild: arguments.rebuild, ..EngineOptions::default() };
    let engine = match open(root, &options)? {
        Opened::Here(engine) => engine,
        Opened::Elsewhere(text) => {
            if root.json {
                output::json(&json!({ "notes": [text] }))?;
            } else {
                output::lines([text])?;
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    let bar = progress_bar()?;
    let summary = engine.index(&|progress| show(&bar, progress));
    bar.finish_and_clear();
    say_healed(&engine);
    let answers = engine.answers();
    let remarks = answers.workspace().config().remarks.iter().map(String::as_str).chain(answers.workspace().brought_index());
    let mut notes: Vec<String> = remarks.map(str::to_owned).collect();
    if summary.as_ref().is_ok_and(|summary| summary.files() == 0) {
        notes.push(format!(
            "no C#, TypeScript or JavaScript files in {}; --root names another folder",
            answers.workspace().root().display()
        ));
    }
    let say_notes = || notes.iter().for_each(|text| output::note(text));
    let summary = summary.inspect_err(|_| say_notes())?;
    let details = if arguments.verbose { details(&engine, &summary)? } else { Vec::new() };
    if root.json {
        output::json(&report(&summary, &notes, &details))?;
    } else {
        output::lines(std::iter::once(line(&summary)).chain(details))?;
        say_notes();
    }
    engine.close()?;
    let failed = arguments.strict && !summary.problems.is_empty();
    Ok(if failed { exit::FILES_FAILED.into() } else { ExitCode::SUCCESS })
}

/// Throws a damaged index away and makes a new one, or has who writes it do so.
pub fn anew(root: &Root) -> anyhow::Result<()> {
    let engine = match open_alone(root, true) {
        Ok(engine) => engine,
        Err(error) if exit::is_locked(&error) => {
            let data = root.data()?;
            let granted = door::sync(&data, &Wish { anew: true, ..Wish::default() }, LONGEST);
            return granted.map(drop).map_err(|_| error);
        }
        Err(error) => return Err(error),
    };
    engine.index(&|_| {})?;
    Ok(engine.close()?)
}

/// The engine of a command that is about to make the index anew, or to find out whether it has to be.
pub fn open_alone(root: &Root, rebuild: bool) -> anyhow::Result<Engine> {
    let cancel = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(Arc::clone(&cancel))?;
    let ingest = IngestOptions { cancel, ..IngestOptions::default() };
    Ok(Engine::open(&root.folder, EngineOptions { ingest, rebuild, tolerate_config: true, ..EngineOptions::default() })?)
}

/// Says it if the index was damaged.
pub fn say_healed(engine: &Engine) {
    if let Some(reason) = engine.take_healed() {
        output::note(&format!("the index was damaged ({reason}) and was rebuilt"));
    }
}

/// Who brings the index up to date.
enum Opened {
    /// This process.
    Here(Box<Engine>),
    /// The one that writes it, and has done so.
    Elsewhere(String),
}

/// Takes the right to write, or has who holds it do the work. Waits for a process that lets nobody in, unless the index is to be rebuilt.
fn open(root: &Root, options: &EngineOptions) -> anyhow::Result<Opened> {
    let mut is_said = false;
    loop {
        let error = match Engine::open(&root.folder, options.clone()) {
            Ok(engine) => return Ok(Opened::Here(Box::new(engine))),
            Err(error) => error,
        };
        if error.kind() != ErrorKind::Locked || options.rebuild || options.ingest.cancel.load(Ordering::Relaxed) {
            return Err(error.into());
        }
        if let Some(text) = elsewhere(root)? {
            return Ok(Opened::Elsewhere(text));
        }
        if !std::mem::replace(&mut is_said, true) {
            output::note("another codeagent process is indexing this repository; waiting");
        }
        std::thread::sleep(AGAIN);
    }
}

/// Has the process that writes the index bring it up to date; `None` if it lets nobody in, or is gone.
fn elsewhere(root: &Root) -> anyhow::Result<Option<String>> {
    let data = root.data()?;
    let wish = Wish { everything: true, ..Wish::default() };
    let Ok(granted) = door::sync(&data, &wish, LONGEST) else { return Ok(None) };
    let counts = query::counts(&Answers::open(&root.folder, &DataHome::default())?.snapshot()?)?;
    let behind = granted.behind.map(|behind| format!("; {behind}")).unwrap_or_default();
    let (files, symbols) = (count(counts.files, "file"), count(counts.symbols, "symbol"));
    Ok(Some(format!("{files}, {symbols}, {}, updated by the process that watches the repository{behind}", count(counts.edges, "edge"))))
}

/// The one line that says what the index holds now.
fn line(summary: &Summary) -> String {
    let resolved = summary.resolved_percent(None).map(|percent| format!(", {percent:.1}% of calls resolved")).unwrap_or_default();
    let partial: u64 = summary.languages.iter().map(|counts| counts.partial).sum();
    let partial = if partial > 0 { format!(", {} with parse errors", count(partial, "file")) } else { String::new() };
    let failed = summary.problems.len() as u64;
    let failed = if failed > 0 { format!(", {} could not be indexed", count(failed, "file")) } else { String::new() };
    let hint = if partial.is_empty() && failed.is_empty() { "" } else { " (`codeagent status --all` lists them)" };
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
fn report(summary: &Summary, notes: &[String], details: &[String]) -> Value {
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
    let partly_read = query::partly_read_files(&snapshot)?;
    lines.extend(partly_read.iter().map(|file| format!("parse errors {}: {} of {} bytes", file.path, file.error_bytes, file.bytes)));
    lines.push(summary.work());
    Ok(lines)
}

/// Drawn on a terminal only.
pub fn progress_bar() -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{msg:>7} {wide_bar} {pos}/{len}")?);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    Ok(bar)
}

/// Draws how far a batch is.
pub fn show(bar: &ProgressBar, progress: Progress) {
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
