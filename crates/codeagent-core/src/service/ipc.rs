//! The protocol between the process that writes an index and the others.
//!
//! A request is one line, and its answer too:
//!
//! * `sync PROTOCOL VERSION MILLISECONDS all|now|anew`, followed by paths, one per line, and an empty
//!   line, asks to have every change made so far indexed. The answer is `done GENERATION` or
//!   `behind GENERATION JSON`, a [`Staleness`].
//! * `stay PROTOCOL VERSION` gets no answer: the client stays connected to notice the writer's end.
//! * `who PROTOCOL VERSION` is answered by `keeper PROCESS SECONDS ROLE`, with the time the process
//!   started at.
//! * `end PROTOCOL VERSION` is answered likewise, and a daemon then ends.
//!
//! A daemon also ends after a `sync` or `stay` of a newer version, so the next writer is not older
//! than its clients.
//!
//! Limitations: a writer that does not answer in time is treated as unable to.

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

/// The version of the protocol.
const PROTOCOL: u32 = 2;

/// This program's version, which clients and writers tell each other.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The most lines a request may have.
const MOST_LINES: usize = 100_000;

/// Extra time after which a writer counts as unresponsive.
const GRACE: Duration = Duration::from_secs(1);

/// The changes that the writer is asked to index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// These files, compared by their content.
    pub paths: Vec<RepoPath>,
    /// Compare every file, whatever events the system reported.
    pub everything: bool,
    /// Rebuild the index, which was found damaged.
    pub rebuild: bool,
}

/// The writer's answer to a [`SyncRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReply {
    /// The number of the last batch.
    pub generation: u64,
    /// The changes that the index is missing.
    pub staleness: Staleness,
}

impl SyncReply {
    fn parse(answer: &str) -> Option<Self> {
        let mut words = answer.trim_end().splitn(3, ' ');
        let (word, generation) = (words.next()?, words.next()?.parse().ok()?);
        let staleness = match word {
            "done" => Staleness::default(),
            "behind" => {
                let json = words.next().unwrap_or_default();
                // A writer of another version may send something else.
                serde_json::from_str(json).unwrap_or_else(|_| Staleness::unknown())
            }
            _ => return None,
        };
        Some(Self {
            generation,
            staleness,
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

/// Asks the writer of this index to index every change made so far, for at most `wait`.
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

/// Returns which process writes this index.
pub fn writer_info(data: &DataDir) -> io::Result<WriterInfo> {
    let mut writer = IpcStream::connect(data, Some(GRACE))?;
    ask_writer_info(&mut writer, "who")
}

/// Reports whether an error of [`writer_info`] means that the process exists and does not answer:
/// it is suspended, or the system gives it no time.
#[must_use]
pub fn is_unresponsive(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Asks the daemon that writes this index to end and waits for its process to do so; a writer that
/// is no daemon goes on. Fails with an error that [`is_unresponsive`] if it takes longer than
/// `wait`.
pub fn request_shutdown(data: &DataDir, wait: Duration) -> io::Result<WriterInfo> {
    let mut writer = IpcStream::connect(data, Some(wait))?;
    let info = ask_writer_info(&mut writer, "end")?;
    if info.role == Role::Daemon {
        // Nothing more is sent; the connection ends with the process.
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

/// An idle connection with the writer of an index, to notice its end.
pub struct WriterConnection(IpcStream);

impl WriterConnection {
    /// Connects.
    pub fn open(data: &DataDir) -> io::Result<Self> {
        let mut writer = IpcStream::connect(data, None)?;
        writer.write_all(format!("stay {PROTOCOL} {VERSION}\n").as_bytes())?;
        Ok(Self(writer))
    }

    /// Waits until the writer ends or the connection is closed.
    pub fn wait(&self) {
        // The writer sends nothing.
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

/// Serves clients until the owner stops.
pub(super) fn serve(listener: &IpcListener, shared: &Weak<OwnerState>) {
    while let Ok(client) = listener.next() {
        let Some(shared) = shared.upgrade().filter(|shared| !shared.is_stopping()) else {
            return;
        };
        let serve = move || {
            if let Err(error) = serve_client(client, shared) {
                tracing::debug!(%error, "a request of another process was not answered");
            }
        };

        let thread = std::thread::Builder::new()
            .name("codeagent-client".to_owned())
            .spawn(serve);
        if let Err(error) = thread {
            tracing::warn!(%error, "a request of another process cannot be served");
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
    // An older daemon ends for a newer version, once it has answered.
    let is_outdated = is_daemon && is_of_newer_version(&words);

    let done = match words.as_slice() {
        ["stay", ..] => {
            if is_outdated {
                lifetime.request_shutdown();
            }
            let number = shared.add_client(client);
            // Until the client leaves or is disconnected.
            lines.for_each(drop);
            shared.remove_client(number);
            Ok(())
        }
        ["sync", _, version, wait, what] => {
            let wait = Duration::from_millis(wait.parse().unwrap_or(0));
            let request = SyncRequest {
                paths: read_paths(lines),
                everything: *what == "all",
                // To another version, a sound index may look damaged.
                rebuild: *what == "anew" && *version == VERSION,
            };
            client.write_all(sync_answer(&shared, &request, wait).as_bytes())
        }
        ["who", ..] => client.write_all(own_info(&shared).as_bytes()),
        ["end", ..] => {
            client.write_all(own_info(&shared).as_bytes())?;
            if is_daemon {
                // The engine must not be held here when the daemon ends; the client leaves when the
                // process has ended.
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
    let staleness = fulfil(shared, request, wait).unwrap_or_else(|error| Staleness {
        failure: Some(error.to_string()),
        ..Staleness::default()
    });
    // An index that is being closed is not kept up to date.
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
        format!("done {generation}\n")
    } else {
        // Strings of a struct always have a JSON form, which has no line breaks.
        let json = serde_json::to_string(&staleness.abridged()).unwrap_or_default();
        format!("behind {generation} {json}\n")
    }
}

fn fulfil(
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
