//! `codeagent index`: what changed since the last time becomes part of the index.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use clap::Args;
use codeagent_core::engine::{Engine, EngineError, EngineOptions, ErrorKind, IndexReader};
use codeagent_core::query;
use codeagent_core::service::ipc::{self, SyncRequest};
use codeagent_core::{IngestError, IngestOptions, Progress, Summary};
use codeagent_render::staleness_text;
use codeagent_workspace::DataRoot;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::commands::{Root, Threads};
use crate::exit;
use crate::output::{self, count};

/// How long another process may take to bring the index up to date.
const LONGEST: Duration = Duration::from_secs(3600);

/// How often one looks whether a process that was asked still answers.
const LOOK: Duration = Duration::from_secs(2);

/// After how long one asks again whether another `codeagent index` is done.
const AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub struct Arguments {
    /// Build the index from scratch; the old one is kept until the new one is complete
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
    root.check()?;
    let cancel = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(Arc::clone(&cancel))?;
    let ingest = IngestOptions {
        threads: arguments.threads.number(),
        cancel,
        ..IngestOptions::default()
    };
    let options = EngineOptions {
        ingest,
        ..EngineOptions::default()
    };
    let bar = progress_bar()?;
    let progress = |progress| show(&bar, progress);
    let opened = if arguments.rebuild {
        let rebuilt = Engine::rebuilt(&root.folder, options, &progress);
        bar.finish_and_clear();
        rebuilt.map(|(engine, summary)| Opened::Here(Box::new(engine), Some(summary)))?
    } else {
        open(root, &options)?
    };
    let (engine, rebuilt) = match opened {
        Opened::Here(engine, rebuilt) => (engine, rebuilt),
        Opened::Elsewhere(text) => {
            if root.json {
                output::json(&json!({ "notes": [text] }))?;
            } else {
                output::lines([text])?;
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    let summary = rebuilt.map_or_else(|| engine.index(&progress), Ok);
    bar.finish_and_clear();
    say_healed(&engine);
    let answers = engine.reader();
    let notes = answers
        .workspace()
        .config()
        .notes
        .iter()
        .map(String::as_str)
        .chain(answers.workspace().bundled_index());
    let mut notes: Vec<String> = notes.map(str::to_owned).collect();
    let summary = summary.inspect_err(|_| notes.iter().for_each(|text| output::note(text)))?;
    let details = if arguments.verbose {
        details(&engine, &summary)?
    } else {
        Vec::new()
    };
    let nothing = (summary.files() == 0 && summary.problems.is_empty()).then(|| {
        format!(
            "no C# or TypeScript files in {}; nothing is indexed",
            answers.workspace().root().display()
        )
    });
    if root.json {
        notes.extend(nothing.clone());
        output::json(&report(&summary, &notes, &details))?;
    } else {
        let first = nothing.clone().unwrap_or_else(|| line(&summary));
        output::lines(std::iter::once(first).chain(details))?;
        notes.iter().for_each(|text| output::note(text));
    }
    engine.close()?;
    if nothing.is_some() {
        // An empty index would hide that of a folder above.
        root.data()?.remove_index().map_err(EngineError::from)?;
    }
    let failed = arguments.strict && !summary.problems.is_empty();
    Ok(if failed {
        exit::FILES_FAILED.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Throws a damaged index away and makes a new one, or has who writes it do so.
pub fn anew(root: &Root) -> anyhow::Result<()> {
    let engine = match open_alone(root, true) {
        Ok(engine) => engine,
        Err(error) if exit::is_locked(&error) => {
            let data = root.data()?;
            let granted = ipc::sync(
                &data,
                &SyncRequest {
                    rebuild: true,
                    ..SyncRequest::default()
                },
                LONGEST,
            );
            return granted.map(drop).map_err(|_| error);
        }
        Err(error) => return Err(error),
    };
    engine.index(&|_| {})?;
    Ok(engine.close()?)
}

/// The engine of a command that is about to make the index anew, or to find out whether it has to
/// be.
pub fn open_alone(root: &Root, rebuild: bool) -> anyhow::Result<Engine> {
    let cancel = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(Arc::clone(&cancel))?;
    let ingest = IngestOptions {
        cancel,
        ..IngestOptions::default()
    };
    Ok(Engine::open(
        &root.folder,
        EngineOptions {
            ingest,
            rebuild,
            tolerate_config: true,
            ..EngineOptions::default()
        },
    )?)
}

/// Says it if the index was damaged.
pub fn say_healed(engine: &Engine) {
    if let Some(reason) = engine.take_repair_notice() {
        output::note(&format!("the index was damaged ({reason}) and was rebuilt"));
    }
}

/// Who brings the index up to date.
enum Opened {
    /// This process; with what came of it, if that is done.
    Here(Box<Engine>, Option<Summary>),
    /// The one that writes it, and has done so.
    Elsewhere(String),
}

/// Takes the right to write, or has who holds it do the work. Waits for a process that lets nobody
/// in or does not answer.
fn open(root: &Root, options: &EngineOptions) -> anyhow::Result<Opened> {
    let mut is_said = false;
    loop {
        let error = match Engine::open(&root.folder, options.clone()) {
            Ok(engine) => return Ok(Opened::Here(Box::new(engine), None)),
            Err(error) => error,
        };
        if error.kind() != ErrorKind::Locked || options.ingest.cancel.load(Ordering::Relaxed) {
            return Err(error.into());
        }
        let note = match elsewhere(root, &options.ingest.cancel)? {
            Elsewhere::Done(text) => return Ok(Opened::Elsewhere(text)),
            Elsewhere::Closed => {
                "another codeagent process is indexing this repository; waiting".to_owned()
            }
            Elsewhere::Silent => format!(
                "{error} and does not answer; waiting for it. It may be suspended: resume it or end it"
            ),
        };
        if !std::mem::replace(&mut is_said, true) {
            output::note(&note);
        }
        std::thread::sleep(AGAIN);
    }
}

/// What came of asking the process that writes the index.
enum Elsewhere {
    /// It has brought the index up to date.
    Done(String),
    /// It lets nobody in, or is gone.
    Closed,
    /// It does not answer.
    Silent,
}

/// Has the process that writes the index bring it up to date.
fn elsewhere(root: &Root, cancel: &AtomicBool) -> anyhow::Result<Elsewhere> {
    let data = root.data()?;
    if let Err(error) = ipc::writer_info(&data) {
        return Ok(if ipc::is_unresponsive(&error) {
            Elsewhere::Silent
        } else {
            Elsewhere::Closed
        });
    }
    let (reply, answer) = std::sync::mpsc::channel();
    let asked = data.clone();
    let ask = move || {
        reply
            .send(ipc::sync(
                &asked,
                &SyncRequest {
                    everything: true,
                    ..SyncRequest::default()
                },
                LONGEST,
            ))
            .ok()
    };
    std::thread::Builder::new()
        .name("codeagent-sync".to_owned())
        .spawn(ask)?;
    let granted = loop {
        match answer.recv_timeout(LOOK) {
            Ok(Ok(granted)) => break granted,
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                return Err(EngineError::Ingest(IngestError::Interrupted).into());
            }
            // Suspended at work, it answers nobody else either.
            Err(RecvTimeoutError::Timeout)
                if ipc::writer_info(&data).is_err_and(|error| ipc::is_unresponsive(&error)) =>
            {
                return Ok(Elsewhere::Silent);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(Elsewhere::Closed),
        }
    };
    let counts =
        query::counts(&IndexReader::open(&root.folder, &DataRoot::default())?.snapshot()?)?;
    let behind = if granted.staleness.is_none() {
        String::new()
    } else {
        format!("; {}", staleness_text(&granted.staleness))
    };
    let (files, symbols) = (count(counts.files, "file"), count(counts.symbols, "symbol"));
    let edges = count(counts.edges, "edge");
    Ok(Elsewhere::Done(format!(
        "{files}, {symbols}, {edges}, updated by the process that watches the repository{behind}"
    )))
}

/// The one line that says what the index holds now.
fn line(summary: &Summary) -> String {
    let resolved = summary
        .resolved_percent(None)
        .map(|percent| format!(", {percent:.1}% of calls resolved"))
        .unwrap_or_default();
    let partial: u64 = summary.languages.iter().map(|counts| counts.partial).sum();
    let partial = if partial > 0 {
        format!(", {} with parse errors", count(partial, "file"))
    } else {
        String::new()
    };
    let failed = summary.problems.len() as u64;
    let failed = if failed > 0 {
        format!(", {} could not be indexed", count(failed, "file"))
    } else {
        String::new()
    };
    let hint = if partial.is_empty() && failed.is_empty() {
        ""
    } else {
        " (`codeagent status --all` lists them)"
    };
    let unchanged = if summary.unchanged {
        "nothing changed: "
    } else {
        ""
    };
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
    let failed = summary
        .problems
        .iter()
        .map(|problem| json!({ "path": problem.path, "reason": problem.message }));
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
    let mut lines: Vec<String> = summary
        .problems
        .iter()
        .map(|problem| format!("failed {}: {}", problem.path, problem.message))
        .collect();
    lines.extend(summary.notes.iter().map(|note| format!("project {note}")));
    let snapshot = engine.reader().snapshot()?;
    let partial = query::partially_parsed_files(&snapshot)?;
    lines.extend(partial.iter().map(|file| {
        format!(
            "parse errors {}: {} of {} bytes",
            file.path, file.error_bytes, file.bytes
        )
    }));
    lines.push(summary.work());
    Ok(lines)
}

/// Drawn on a terminal only.
pub fn progress_bar() -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template(
        "{msg:>7} {wide_bar} {pos}/{len}",
    )?);
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

/// The first Ctrl-C or SIGTERM ends the work in good order, the second at once: what is not
/// committed is rolled back.
fn stop_on_interrupt(cancel: Arc<AtomicBool>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new()
        .name("codeagent-interrupt".to_owned())
        .spawn(move || {
            if runtime
                .block_on(codeagent_mcp::serve::stop_signal())
                .is_ok()
            {
                cancel.store(true, Ordering::Relaxed);
                if runtime
                    .block_on(codeagent_mcp::serve::stop_signal())
                    .is_ok()
                {
                    std::process::exit(exit::INTERRUPTED.into());
                }
            }
        })?;
    Ok(())
}
