//! `codeagent index`: updates the index with what changed since the last run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use codeagent_core::engine::{Engine, EngineError, EngineOptions, ErrorKind, IndexReader};
use codeagent_core::packs::add_pack;
use codeagent_core::query;
use codeagent_core::service::Staleness;
use codeagent_core::service::ipc::{self, SyncRequest};
use codeagent_core::{IngestError, IngestOptions, Progress, Summary};
use codeagent_render::staleness_text;
use codeagent_share::read_pack;
use codeagent_workspace::DataRoot;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::commands::{Root, Threads};
use crate::error::Usage;
use crate::exit;
use crate::output::{self, count};

/// Time limit for another process to bring the index up to date.
const LONGEST: Duration = Duration::from_secs(3600);

/// Interval of checks that the other process still answers.
const LOOK: Duration = Duration::from_secs(2);

/// Interval of retries while another `codeagent index` runs.
const AGAIN: Duration = Duration::from_millis(100);

/// Maximum number of changed files that are indexed before a query.
const MAX_BEFORE_QUERY: usize = 100;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder of the repository [default: the current directory]
    #[arg(value_name = "FOLDER", conflicts_with = "root")]
    folder: Option<PathBuf>,
    /// Build the index from scratch; the old one is kept until the new one is complete
    #[arg(long)]
    rebuild: bool,
    /// Exit with 1 if a file could not be indexed
    #[arg(long)]
    strict: bool,
    /// List the files with parse errors, and the time of each phase
    #[arg(long, short)]
    verbose: bool,
    /// Resolve calls into another repository by its interface pack, which `codeagent snapshot push
    /// --pack` wrote; the index keeps it until it is removed
    #[arg(long, value_name = "FILE|URL")]
    pack: Vec<String>,
    /// Remove an interface pack
    #[arg(long, value_name = "NAME")]
    remove_pack: Vec<String>,
    #[command(flatten)]
    threads: Threads,
}

impl Arguments {
    /// Returns the folder whose repository is to be indexed.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    root.check()?;
    change_packs(root, arguments)?;
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
        Opened::SyncOutcome(text) => {
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
    let notes = notes(&engine);
    let summary = summary.inspect_err(|_| notes.iter().for_each(|text| output::note(text)))?;

    let is_empty = summary.files() == 0 && summary.problems.is_empty();
    print_summary(root, arguments, &engine, &summary, notes)?;
    engine.close()?;
    if is_empty && root.data()?.imports().is_empty() {
        // An empty index would hide the index of a parent folder.
        root.data()?.remove_index().map_err(EngineError::from)?;
    }

    let failed = arguments.strict && !summary.problems.is_empty();
    Ok(if failed {
        exit::FILES_FAILED.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Adds and removes interface packs.
fn change_packs(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.pack.is_empty() && arguments.remove_pack.is_empty() {
        return Ok(());
    }

    let data = root.data()?;
    for name in &arguments.remove_pack {
        if !data.remove_pack(name)? {
            let packs = data.packs(0).into_iter().map(|(name, _)| name);
            let known = match packs.collect::<Vec<_>>().as_slice() {
                [] => "the index has no packs".to_owned(),
                names => format!("the packs are {}", names.join(", ")),
            };
            bail!(Usage(format!("no pack is named {name:?}; {known}")));
        }
    }

    for place in &arguments.pack {
        add_pack(&data, &read_pack(place)?).with_context(|| format!("cannot use {place}"))?;
    }

    Ok(())
}

/// Brings the index up to date for another command, without output.
pub fn update(root: &Root) -> anyhow::Result<()> {
    let options = EngineOptions {
        tolerate_config: true,
        ..EngineOptions::default()
    };
    if let Opened::Here(engine, _) = open(root, &options)? {
        engine.index(&|_| {})?;
        say_healed(&engine);
        engine.close()?;
    }
    Ok(())
}

/// Returns the notes about the settings and a bundled index.
fn notes(engine: &Engine) -> Vec<String> {
    let reader = engine.reader();
    let workspace = reader.workspace();
    let of_settings = workspace.config().notes.iter().map(String::as_str);
    let notes = of_settings.chain(workspace.bundled_index());
    notes.map(str::to_owned).collect()
}

fn print_summary(
    root: &Root,
    arguments: &Arguments,
    engine: &Engine,
    summary: &Summary,
    mut notes: Vec<String>,
) -> anyhow::Result<()> {
    let details = if arguments.verbose {
        details(engine, summary)?
    } else {
        Vec::new()
    };
    let nothing = (summary.files() == 0 && summary.problems.is_empty()).then(|| {
        format!(
            "no C# or TypeScript files in {}; nothing is indexed",
            engine.reader().workspace().root().display()
        )
    });

    if root.json {
        notes.extend(nothing);
        return output::json(&report(summary, &notes, &details));
    }

    let first = nothing.unwrap_or_else(|| line(summary));
    output::lines(std::iter::once(first).chain(details))?;
    notes.iter().for_each(|text| output::note(text));
    Ok(())
}

/// Updates the index before a query if only a few files changed and no process writes it. Returns
/// whether the index now contains all changes.
pub fn update_few(root: &Root, staleness: &Staleness) -> bool {
    let is_few = !staleness.everything
        && staleness.failure.is_none()
        && (1..=MAX_BEFORE_QUERY).contains(&staleness.files.len());
    if !is_few || root.check().is_err() {
        return false;
    }

    let Ok(engine) = Engine::open(&root.folder, EngineOptions::default()) else {
        return false;
    };
    let is_updated = engine.index(&|_| {}).is_ok();
    engine.close().is_ok() && is_updated
}

/// Rebuilds a damaged index, or has the process that writes it do so.
pub fn rebuild(root: &Root) -> anyhow::Result<()> {
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

/// Opens the engine for a command that rebuilds or verifies the index.
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

/// Prints a note if the index was damaged.
pub fn say_healed(engine: &Engine) {
    if let Some(reason) = engine.take_repair_notice() {
        output::note(&format!("the index was damaged ({reason}) and was rebuilt"));
    }
}

/// The process that brings the index up to date.
enum Opened {
    /// This process, with the summary if it is done already.
    Here(Box<Engine>, Option<Summary>),
    /// The process that writes the index, which is done.
    SyncOutcome(String),
}

/// Opens the index for writing, or has the process that holds the lock do the work. Waits for a
/// process that accepts no clients or does not answer.
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

        let note = match sync_via_writer(root, &options.ingest.cancel)? {
            SyncOutcome::Done(text) => return Ok(Opened::SyncOutcome(text)),
            SyncOutcome::Closed => {
                "another codeagent process is indexing this repository; waiting".to_owned()
            }
            SyncOutcome::Silent => format!(
                "{error} and does not answer; waiting for it. If it is suspended, resume or end it"
            ),
        };

        if !std::mem::replace(&mut is_said, true) {
            output::note(&note);
        }

        std::thread::sleep(AGAIN);
    }
}

/// The outcome of a request to the process that writes the index.
enum SyncOutcome {
    /// It has brought the index up to date.
    Done(String),
    /// It accepts no clients, or has exited.
    Closed,
    /// It does not answer.
    Silent,
}

/// Has the process that writes the index bring it up to date.
fn sync_via_writer(root: &Root, cancel: &AtomicBool) -> anyhow::Result<SyncOutcome> {
    let data = root.data()?;
    if let Err(error) = ipc::writer_info(&data) {
        return Ok(if ipc::is_unresponsive(&error) {
            SyncOutcome::Silent
        } else {
            SyncOutcome::Closed
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
            // A suspended process answers no other client either.
            Err(RecvTimeoutError::Timeout)
                if ipc::writer_info(&data).is_err_and(|error| ipc::is_unresponsive(&error)) =>
            {
                return Ok(SyncOutcome::Silent);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(SyncOutcome::Closed),
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
    Ok(SyncOutcome::Done(format!(
        "{files}, {symbols}, {edges}, updated by the process that watches the repository{behind}"
    )))
}

/// Returns the line about the index's content.
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
        " (`codeagent status --files` lists them)"
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

/// Returns the output of `--json`.
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

/// Returns the additional lines of `--verbose`.
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

/// Creates a progress bar, which is drawn only on a terminal.
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

/// Draws the progress of a batch.
pub fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_message(progress.phase.as_str());
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
}

/// Stops gracefully on the first Ctrl-C or SIGTERM, and at once on the second, which rolls back
/// uncommitted changes.
fn stop_on_interrupt(cancel: Arc<AtomicBool>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let is_stopped = move || {
        runtime
            .block_on(codeagent_mcp::serve::stop_signal())
            .is_ok()
    };

    std::thread::Builder::new()
        .name("codeagent-interrupt".to_owned())
        .spawn(move || {
            if is_stopped() {
                cancel.store(true, Ordering::Relaxed);
                if is_stopped() {
                    std::process::exit(exit::INTERRUPTED.into());
                }
            }
        })?;

    Ok(())
}
