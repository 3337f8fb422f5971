//! The protocol between the process that writes an index and its readers.
//!
//! A request is one line, and so is its answer:
//!
//! * `sync PROTOCOL VERSION MILLISECONDS all|now|anew`, followed by paths, one per line, and an
//!   empty line, asks to index every change made so far. The answer is `done GENERATION`, followed
//!   by the state of the files in no language if it is known, or `behind GENERATION JSON`, a
//!   [`Staleness`].
//! * `stay PROTOCOL VERSION` gets no answer: the client stays connected to notice the writer's end.
//! * `who PROTOCOL VERSION` is answered by `daemon PROCESS SECONDS ROLE`, with the process's start
//!   time.
//! * `end PROTOCOL VERSION` has the same answer. A daemon then ends.
//!
//! A daemon also ends after a `sync` or `stay` of a newer version, so that the next writer is not
//! older than its clients.
//!
//! Limitations: a writer that does not answer in time is treated as unavailable.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codeagent_workspace::{DataDir, IpcListener, IpcStream, RepoPath};

use crate::engine::EngineError;
use crate::ingest::ChangeBatch;
use crate::service::lifetime::Role;
use crate::service::owner::OwnerState;
use crate::service::staleness::Staleness;
use crate::store;

const PROTOCOL: u32 = 2;

/// This program's version, which clients and writers exchange.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Maximum number of lines in a request.
const MOST_LINES: usize = 100_000;

/// Extra time before a writer counts as unresponsive.
const GRACE: Duration = Duration::from_secs(1);

/// A request to index changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// Files to compare by content.
    pub paths: Vec<RepoPath>,
    /// Compare every file, regardless of events.
    pub everything: bool,
    /// Rebuild the index because it was found damaged.
    pub rebuild: bool,
}

/// The writer's answer to a [`SyncRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReply {
    /// Number of the last batch.
    pub generation: u64,
    /// The changes that the index is missing.
    pub staleness: Staleness,
    /// The state of the text files that are not indexed, if the writer is told of their changes.
    pub texts: Option<String>,
}

impl SyncReply {
    fn parse(answer: &str) -> Option<Self> {
        let mut words = answer.trim_end().splitn(3, ' ');
        let (word, generation) = (words.next()?, words.next()?.parse().ok()?);
        let (staleness, texts) = match word {
            "done" => (Staleness::default(), words.next().map(str::to_owned)),
            "behind" => {
                let json = words.next().unwrap_or_default();
                // A writer of another version may send an unknown format.
                let staleness = serde_json::from_str(json).unwrap_or_else(|_| Staleness::unknown());
                (staleness, None)
            }
            _ => return None,
        };

        Some(Self {
            generation,
            staleness,
            texts,
        })
    }
}

/// The process that writes an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterInfo {
    /// Its process id.
    pub process: u32,
    /// When it opened the index.
    pub since: SystemTime,
    /// Its role.
    pub role: Role,
}

impl WriterInfo {
    fn parse(answer: &str) -> Option<Self> {
        let words: Vec<&str> = answer.split_whitespace().collect();
        let ["keeper", process, seconds, role] = words.as_slice() else {
            return None;
        };
        let since = UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))?;
        Some(Self {
            process: process.parse().ok()?,
            since,
            role: Role::parse(role)?,
        })
    }
}

/// Asks the writer of this index to index every change made so far; waits at most `wait`.
pub fn sync(data: &DataDir, request: &SyncRequest, wait: Duration) -> io::Result<SyncReply> {
    let mut writer = IpcStream::connect(data, Some(wait + GRACE))?;
    let what = match (request.rebuild, request.everything) {
        (true, _) => "anew",
        (false, true) => "all",
        (false, false) => "now",
    };
    let mut lines = format!("sync {PROTOCOL} {VERSION} {} {what}\n", wait.as_millis());
    for path in &request.paths {
        lines.push_str(path.as_str());
        lines.push('\n');
    }
    lines.push('\n');

    writer.write_all(lines.as_bytes())?;
    SyncReply::parse(&read_answer(&mut writer)?).ok_or_else(unexpected)
}

/// Returns the process that writes this index.
pub fn writer_info(data: &DataDir) -> io::Result<WriterInfo> {
    let mut writer = IpcStream::connect(data, Some(GRACE))?;
    ask_writer_info(&mut writer, "who")
}

/// Reports whether an error of [`writer_info`] means that the process exists but does not answer,
/// because it is suspended or starved of processor time.
#[must_use]
pub fn is_unresponsive(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Asks the daemon that writes this index to end and waits for its process to end. A writer that is
/// not a daemon continues. If it takes longer than `wait`, the error is one that
/// [`is_unresponsive`] reports.
pub fn request_shutdown(data: &DataDir, wait: Duration) -> io::Result<WriterInfo> {
    let mut writer = IpcStream::connect(data, Some(wait))?;
    let info = ask_writer_info(&mut writer, "end")?;
    if info.role == Role::Daemon {
        // The writer sends nothing more, so this returns when the process ends.
        match writer.read(&mut [0]) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionReset => return Err(error),
            _ => {}
        }
    }
    Ok(info)
}

fn ask_writer_info(writer: &mut IpcStream, verb: &str) -> io::Result<WriterInfo> {
    writer.write_all(format!("{verb} {PROTOCOL} {VERSION}\n").as_bytes())?;
    WriterInfo::parse(&read_answer(writer)?).ok_or_else(unexpected)
}

fn read_answer(writer: &mut IpcStream) -> io::Result<String> {
    let mut answer = String::new();
    BufReader::new(writer).read_line(&mut answer)?;
    Ok(answer)
}

fn unexpected() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "unexpected reply from the index's writer",
    )
}

/// An idle connection to the writer of an index, to notice its end.
pub struct WriterConnection(IpcStream);

impl WriterConnection {
    /// Connects to the writer of an index.
    pub fn open(data: &DataDir) -> io::Result<Self> {
        let mut writer = IpcStream::connect(data, None)?;
        writer.write_all(format!("stay {PROTOCOL} {VERSION}\n").as_bytes())?;
        Ok(Self(writer))
    }

    /// Waits until the writer ends or the connection is closed.
    pub fn wait(&self) {
        // The writer sends nothing, so this returns when the connection ends.
        self.0
            .try_clone()
            .map(|mut writer| writer.read(&mut [0]))
            .ok();
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.0.close();
    }
}

pub(super) fn serve(listener: &IpcListener, shared: &Weak<OwnerState>) {
    while let Ok(client) = listener.next() {
        let Some(shared) = shared.upgrade().filter(|shared| !shared.is_stopping()) else {
            return;
        };
        let serve = move || {
            if let Err(error) = serve_client(client, shared) {
                tracing::debug!(%error, "cannot answer a request of another process");
            }
        };

        let thread = std::thread::Builder::new()
            .name("codeagent-client".to_owned())
            .spawn(serve);
        if let Err(error) = thread {
            tracing::warn!(%error, "cannot serve a request of another process");
        }
    }
}

fn serve_client(mut client: IpcStream, shared: Arc<OwnerState>) -> io::Result<()> {
    let mut lines = BufReader::new(client.try_clone()?)
        .lines()
        .map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let lifetime = Arc::clone(&shared.lifetime);
    let is_daemon = lifetime.role == Role::Daemon;
    // An outdated daemon ends after it has answered.
    let is_outdated = is_daemon && is_of_newer_version(&words);

    let done = match words.as_slice() {
        ["stay", ..] => {
            if is_outdated {
                lifetime.request_shutdown();
            }
            let number = shared.add_client(client);
            // Ends when the client leaves or is disconnected.
            lines.for_each(drop);
            shared.remove_client(number);
            Ok(())
        }
        ["sync", _, version, wait, what] => {
            let wait = Duration::from_millis(wait.parse().unwrap_or(0));
            let request = SyncRequest {
                paths: read_paths(lines),
                everything: *what == "all",
                // An intact index may look damaged to another version.
                rebuild: *what == "anew" && *version == VERSION,
            };
            client.write_all(sync_answer(&shared, &request, wait).as_bytes())
        }
        ["who", ..] => client.write_all(own_info(&shared).as_bytes()),
        ["end", ..] => {
            client.write_all(own_info(&shared).as_bytes())?;
            if is_daemon {
                // The client disconnects when the process ends. Until then, this thread must not
                // keep the engine alive.
                drop(shared);
                lifetime.request_shutdown();
                lines.for_each(drop);
            }
            Ok(())
        }
        _ => client.write_all(b"unknown 0\n"),
    };
    if is_outdated {
        lifetime.request_shutdown();
    }
    done
}

fn read_paths(lines: impl Iterator<Item = String>) -> Vec<RepoPath> {
    lines
        .take(MOST_LINES)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| RepoPath::new(&line).ok())
        .collect()
}

/// Reports whether a newer version uses the index.
fn is_of_newer_version(words: &[&str]) -> bool {
    matches!(words, ["stay" | "sync", _, version, ..] if is_newer(version, VERSION))
}

/// Reports whether a version is later than another. Text that is no version is not.
fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u32>> {
        text.split('-')
            .next()?
            .split('.')
            .map(|number| number.parse().ok())
            .collect()
    };
    numbers(version).is_some_and(|version| numbers(than).is_some_and(|than| version > than))
}

/// Returns the answer to `who` and `end`.
fn own_info(shared: &OwnerState) -> String {
    let seconds = shared
        .lifetime
        .began
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let role = shared.lifetime.role.as_str();
    format!("keeper {} {seconds} {role}\n", std::process::id())
}

/// Handles a `sync` request and returns the answer.
fn sync_answer(shared: &OwnerState, request: &SyncRequest, wait: Duration) -> String {
    let staleness = serve_request(shared, request, wait).unwrap_or_else(|error| Staleness {
        failure: Some(error.to_string()),
        ..Staleness::default()
    });
    // An index that is being closed is no longer updated.
    if shared.is_stopping() {
        return "closing 0\n".to_owned();
    }

    let snapshot = shared.engine.reader().snapshot();
    let generation = snapshot
        .and_then(|snapshot| store::metadata(&snapshot, store::GENERATION))
        .ok()
        .flatten()
        .filter(|generation| !generation.is_empty())
        .unwrap_or_else(|| "0".to_owned());
    if staleness.is_none() {
        let texts = texts_state(shared).map(|state| format!(" {state}"));
        format!("done {generation}{}\n", texts.unwrap_or_default())
    } else {
        // A struct of strings always serializes, and its JSON has no line breaks.
        let json = serde_json::to_string(&staleness.abridged()).unwrap_or_default();
        format!("behind {generation} {json}\n")
    }
}

/// Returns the state of the text files that are not indexed; differs between writers.
fn texts_state(shared: &OwnerState) -> Option<String> {
    let number = shared.engine.reader().texts().state()?;
    let began = shared.lifetime.began.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{number}", began.as_nanos()))
}

fn serve_request(
    shared: &OwnerState,
    request: &SyncRequest,
    wait: Duration,
) -> Result<Staleness, EngineError> {
    let engine = &shared.engine;
    if request.rebuild {
        engine.rebuild("another process could not read it", &|_| {})?;
    }
    if !request.paths.is_empty() {
        let batch = ChangeBatch::of_paths(request.paths.iter().cloned());
        engine.process_batch(&batch, &|_| {})?;
    }
    Ok(shared.wait_until_fresh(Some(wait), request.everything))
}
