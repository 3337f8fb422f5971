//! `codeagent daemon`: runs `watch` in the background.
//!
//! A daemon is this program in its own session. Clients reach it over the index's local socket, so
//! no process is ever killed by its id.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use codeagent_core::IngestOptions;
use codeagent_core::engine::{Engine, EngineError, EngineOptions};
use codeagent_core::service::ipc::{self, WriterInfo};
use codeagent_core::service::{IndexService, Role, ShutdownReason};
use codeagent_render::timestamp;
use codeagent_workspace::{DataDir, DataDirError};
use serde_json::json;

use crate::commands::{Root, Threads, model};
use crate::output;

/// Time that a daemon gets to answer: it may have to check an index that was not closed.
const READY: Duration = Duration::from_secs(60);

/// Time that another process, started at the same moment, gets to answer.
const RIVAL: Duration = Duration::from_secs(2);

/// Time that a daemon gets to exit.
pub const ENDING: Duration = Duration::from_secs(20);

/// Interval of checks for readiness.
const LOOK: Duration = Duration::from_millis(20);

/// Maximum idle minutes: a year.
pub const LONGEST_IDLE: i64 = 525_600;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: DaemonCommand,
}

#[derive(Debug, Subcommand)]
enum DaemonCommand {
    /// Start the daemon of this repository, if none runs
    Start(Begin),
    /// Stop the daemon of this repository
    Stop,
    /// Show its process id, start time and log file
    Status,
    /// Run the daemon in this process
    #[command(hide = true)]
    Run(Begin),
}

#[derive(Debug, Args)]
struct Begin {
    /// Stop after this many minutes without requests or file changes (0 = never)
    #[arg(long, value_name = "MINUTES", default_value_t = 240, value_parser = clap::value_parser!(u32).range(0..=LONGEST_IDLE))]
    idle: u32,
    #[command(flatten)]
    threads: Threads,
}

impl Begin {
    /// Returns the arguments of the daemon process.
    fn arguments(&self, data: &DataDir) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = ["daemon", "run", "--idle"].map(OsString::from).to_vec();
        arguments.push(self.idle.to_string().into());
        arguments.extend(
            self.threads
                .given
                .iter()
                .flat_map(|number| ["--threads".into(), number.to_string().into()]),
        );
        arguments.extend(["--root".into(), data.root().into()]);
        arguments
    }
}

impl Arguments {
    /// Reports whether this process is the daemon.
    pub fn is_background(&self) -> bool {
        matches!(self.what, DaemonCommand::Run(_))
    }
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.what {
        DaemonCommand::Start(begin) => start(root, begin),
        DaemonCommand::Stop => stop(root),
        DaemonCommand::Status => status(root),
        DaemonCommand::Run(begin) => run_daemon(root, begin),
    }
}

/// Prints the process that keeps the index up to date; `is` is the outcome of the command.
fn say(root: &Root, is: &str, writer: Option<&WriterInfo>) -> anyhow::Result<()> {
    let data = root.data()?;
    let log = writer
        .filter(|writer| writer.role == Role::Daemon)
        .map(|_| data.log_path())
        .transpose()?;
    if root.json {
        return output::json(&json!({
            "watching": writer.is_some(),
            "process": writer.map(|writer| writer.process),
            "command": writer.map(|writer| writer.role.as_str()),
            "since": writer.map(since),
            "log": log,
            "notes": [is],
        }));
    }

    let Some(writer) = writer else {
        return output::lines([is]);
    };
    let log = log
        .map(|log| format!(", log {}", log.display()))
        .unwrap_or_default();

    output::lines([format!(
        "{is}: process {} (codeagent {}), since {}{log}",
        writer.process,
        writer.role.as_str(),
        since(writer)
    )])
}

fn since(writer: &WriterInfo) -> String {
    let nanoseconds = writer
        .since
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    i64::try_from(nanoseconds)
        .ok()
        .and_then(timestamp)
        .unwrap_or_default()
}

fn status(root: &Root) -> anyhow::Result<()> {
    match ipc::writer_info(&root.data()?) {
        Ok(writer) => say(root, "watching", Some(&writer)),
        Err(error) if ipc::is_unresponsive(&error) => say(
            root,
            "the codeagent process that writes the index does not answer; if it is suspended, \
             resume or end it",
            None,
        ),
        Err(_) => say(root, "not watching", None),
    }
}

fn stop(root: &Root) -> anyhow::Result<()> {
    let data = root.data()?;
    let Ok(writer) = ipc::writer_info(&data) else {
        return say(root, "no daemon is running", None);
    };

    if writer.role != Role::Daemon {
        return say(
            root,
            "no daemon is running; another process keeps the index up to date and was not stopped",
            Some(&writer),
        );
    }

    ipc::request_shutdown(&data, ENDING).with_context(|| {
        format!(
            "process {} was asked to stop but is still running",
            writer.process
        )
    })?;
    say(root, &format!("stopped process {}", writer.process), None)
}

fn start(root: &Root, begin: &Begin) -> anyhow::Result<()> {
    root.check()?;
    let data = root.data()?;
    if let Ok(writer) = ipc::writer_info(&data) {
        return say(root, "already watching", Some(&writer));
    }

    let mut child = codeagent_workspace::start_detached(&data, &begin.arguments(&data))
        .context("cannot start the daemon")?;
    let until = Instant::now() + READY;
    while Instant::now() < until {
        if let Ok(writer) = ipc::writer_info(&data) {
            let is = if writer.process == child.id() {
                "watching"
            } else {
                "already watching"
            };
            return say(root, is, Some(&writer));
        }

        if child.try_wait()?.is_some() {
            // Another daemon may have started first.
            if let Ok(writer) = ipc::writer_info(&data) {
                return say(root, "already watching", Some(&writer));
            }

            data.lock_writer().map_err(EngineError::from)?;
            let reason = data
                .log()
                .map_err(EngineError::from)?
                .last_line()?
                .unwrap_or_default();

            bail!("the daemon stopped: {reason}");
        }

        std::thread::sleep(LOOK);
    }

    bail!(
        "process {} does not answer yet; see its log {}",
        child.id(),
        data.log_path()?.display()
    )
}

/// Opens the index for writing. While another process holds the lock, waits for as long as that
/// process may take to answer, because some take the lock only briefly.
fn open(root: &Root, options: &EngineOptions) -> anyhow::Result<Engine> {
    let data = root.data()?;
    let until = Instant::now() + RIVAL;
    loop {
        match Engine::open(&root.folder, options.clone()) {
            Err(EngineError::Data(DataDirError::Locked(_)))
                if Instant::now() < until && ipc::writer_info(&data).is_err() =>
            {
                std::thread::sleep(LOOK)
            }
            opened => return Ok(opened?),
        }
    }
}

/// Runs the daemon until it has a reason to exit.
fn run_daemon(root: &Root, begin: &Begin) -> anyhow::Result<()> {
    codeagent_workspace::leave_session().context("cannot detach the daemon from its session")?;
    let cancel = Arc::new(AtomicBool::new(false));
    let ingest = IngestOptions {
        threads: begin.threads.number(),
        cancel: Arc::clone(&cancel),
        in_background: true,
        ..IngestOptions::default()
    };

    let engine = open(
        root,
        &EngineOptions {
            ingest,
            tolerate_config: true,
            model: model::source(),
            ..EngineOptions::default()
        },
    )?;

    let data = engine.data().clone();
    let service = Arc::new(IndexService::with_engine(
        Arc::new(engine),
        Role::Daemon,
        |_| {},
    )?);

    ipc::writer_info(&data).context("cannot accept connections from other processes")?;
    end_on_signal(&service)?;
    tracing::info!(process = std::process::id(), root = %data.root().display(), "watching");

    let idle = Duration::from_secs(u64::from(begin.idle) * 60);
    let reason = match service.wait_for_shutdown(Some(idle).filter(|idle| !idle.is_zero())) {
        ShutdownReason::Requested => "asked to stop",
        ShutdownReason::RootGone => "the repository's folder no longer exists",
        ShutdownReason::Idle => "no requests and no file changes",
    };

    cancel.store(true, Ordering::Relaxed);
    service.stop();
    tracing::info!(reason, "ended");

    Ok(())
}

fn end_on_signal(service: &Arc<IndexService>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let service = Arc::downgrade(service);
    std::thread::Builder::new()
        .name("codeagent-interrupt".to_owned())
        .spawn(move || {
            if runtime
                .block_on(codeagent_mcp::serve::stop_signal())
                .is_ok()
            {
                service
                    .upgrade()
                    .iter()
                    .for_each(|service| service.request_shutdown());
            }
        })?;

    Ok(())
}
