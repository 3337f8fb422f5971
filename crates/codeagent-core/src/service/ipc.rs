//! One writer serves everybody: what others want to be in the index, and whether it is, is asked
//! through the writer's door.
//!
//! A request is one line, `sync PROTOCOL VERSION MILLISECONDS all|now|anew`, followed by as many
//! paths as lines and an empty one; the answer is one line, `done GENERATION` or
//! `behind GENERATION TEXT`. Whoever sends `stay PROTOCOL VERSION` hears nothing, and in that way
//! of the writer's end. `who PROTOCOL VERSION` is answered `keeper PROCESS SECONDS ROLE`, with when
//! it began; so is `end PROTOCOL VERSION`, and a daemon ends then. So does one of which a newer
//! version asks something: the next writer is not older than who asks.
//!
//! **Limits.** A writer that does not answer in time is taken for one that cannot.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codeagent_workspace::{DataDir, IpcListener, IpcStream, RepoPath};

use super::{Role, Shared, Staleness};
use crate::engine::EngineError;
use crate::ingest::ChangeBatch;
use crate::store;

/// Version of the lines.
const PROTOCOL: u32 = 1;

/// Most lines of a request.
const MOST_LINES: usize = 100_000;

/// How much longer than it was asked to a writer may take to answer.
const GRACE: Duration = Duration::from_secs(1);

/// What another process is asked to have in its index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// These files, compared by their content.
    pub paths: Vec<RepoPath>,
    /// Everything is compared, whatever the system told.
    pub everything: bool,
    /// The index was found damaged and is to be made anew.
    pub anew: bool,
}

/// What it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReply {
    /// Number of the batch that is in the index.
    pub generation: u64,
    /// What is not in it yet.
    pub behind: Option<String>,
}

/// Asks the writer of this data folder for at most `wait` to have everything in the index that was
/// changed before.
pub fn sync(data: &DataDir, wish: &SyncRequest, wait: Duration) -> io::Result<SyncReply> {
    let mut writer = IpcStream::connect(data, Some(wait + GRACE))?;
    let what = match (wish.anew, wish.everything) {
        (true, _) => "anew",
        (false, true) => "all",
        (false, false) => "now",
    };
    let mut request = format!(
        "sync {PROTOCOL} {} {} {what}\n",
        env!("CARGO_PKG_VERSION"),
        wait.as_millis()
    );
    wish.paths
        .iter()
        .for_each(|path| request.push_str(&format!("{path}\n")));
    request.push('\n');
    writer.write_all(request.as_bytes())?;
    let mut answer = String::new();
    BufReader::new(writer).read_line(&mut answer)?;
    granted(&answer).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "the writer of the index answered something else",
        )
    })
}

/// Reports whether an error of [`writer_info`] means that the process is there and does not answer: it is
/// suspended, or the system gives it no time.
#[must_use]
pub fn is_silence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Who keeps an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterInfo {
    /// Number of the process.
    pub process: u32,
    /// Since when.
    pub since: SystemTime,
    /// What it is.
    pub role: Role,
}

/// Who keeps the index of this data folder.
pub fn writer_info(data: &DataDir) -> io::Result<WriterInfo> {
    let mut keeper = IpcStream::connect(data, Some(GRACE))?;
    ask_writer_info(&mut keeper, "who")
}

/// Has the daemon that keeps the index of this data folder end, and waits for its process to do so;
/// others go on. Fails with [`io::ErrorKind::WouldBlock`] or [`io::ErrorKind::TimedOut`] if it
/// takes longer than `wait`.
pub fn request_shutdown(data: &DataDir, wait: Duration) -> io::Result<WriterInfo> {
    let mut keeper = IpcStream::connect(data, Some(wait))?;
    let keeping = ask_writer_info(&mut keeper, "end")?;
    if keeping.role == Role::Daemon {
        // Nothing more is said; the conversation ends with the process.
        match keeper.read(&mut [0]) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionReset => return Err(error),
            _ => {}
        }
    }
    Ok(keeping)
}

fn ask_writer_info(keeper: &mut IpcStream, verb: &str) -> io::Result<WriterInfo> {
    keeper.write_all(format!("{verb} {PROTOCOL} {}\n", env!("CARGO_PKG_VERSION")).as_bytes())?;
    let mut answer = String::new();
    BufReader::new(keeper).read_line(&mut answer)?;
    keeping(&answer).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "the writer of the index answered something else",
        )
    })
}

fn keeping(answer: &str) -> Option<WriterInfo> {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let ["keeper", process, seconds, role] = words.as_slice() else {
        return None;
    };
    let since = UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))?;
    Some(WriterInfo {
        process: process.parse().ok()?,
        since,
        role: Role::parse(role)?,
    })
}

/// A stay with the writer of an index, to notice its end.
pub struct WriterConnection(IpcStream);

impl WriterConnection {
    /// Begins one.
    pub fn begin(data: &DataDir) -> io::Result<Self> {
        let mut writer = IpcStream::connect(data, None)?;
        writer.write_all(format!("stay {PROTOCOL} {}\n", env!("CARGO_PKG_VERSION")).as_bytes())?;
        Ok(Self(writer))
    }

    /// Waits until the writer ends, or the visit.
    pub fn wait(&self) {
        // Nothing is ever said.
        self.0
            .try_clone()
            .map(|mut writer| writer.read(&mut [0]))
            .ok();
    }

    /// Ends it.
    pub fn end(&self) {
        self.0.close();
    }
}

fn granted(answer: &str) -> Option<SyncReply> {
    let mut words = answer.trim_end().splitn(3, ' ');
    let (word, generation) = (words.next()?, words.next()?.parse().ok()?);
    match word {
        "done" => Some(SyncReply {
            generation,
            behind: None,
        }),
        "behind" => Some(SyncReply {
            generation,
            behind: Some(words.next().unwrap_or_default().to_owned()),
        }),
        _ => None,
    }
}

/// Lets in who knocks, until the keeper ends.
pub(super) fn serve(door: &IpcListener, shared: &Weak<Shared>) {
    while let Ok(guest) = door.next() {
        let Some(shared) = shared.upgrade().filter(|shared| !shared.is_stopping()) else {
            return;
        };
        let serve = move || {
            if let Err(error) = talk(guest, shared) {
                tracing::debug!(%error, "a request of another process was not answered");
            }
        };
        if let Err(error) = std::thread::Builder::new()
            .name("codeagent-guest".to_owned())
            .spawn(serve)
        {
            tracing::warn!(%error, "a request of another process cannot be served");
        }
    }
}

fn talk(guest: IpcStream, shared: Arc<Shared>) -> io::Result<()> {
    let mut lines = BufReader::new(guest.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let mut guest = guest;
    // An older daemon makes room for a newer version, once it has answered.
    let is_outdated = matches!(words.as_slice(), ["stay" | "sync", _, version, ..] if is_newer(version, env!("CARGO_PKG_VERSION")));
    let life = Arc::clone(&shared.life);
    let makes_room = is_outdated && life.role == Role::Daemon;
    let done = match words.as_slice() {
        ["stay", ..] => {
            if makes_room {
                life.request_shutdown();
            }
            let number = shared.add_client(guest);
            // Until the guest leaves, or is shown out.
            lines.by_ref().map_while(Result::ok).for_each(drop);
            shared.remove_client(number);
            Ok(())
        }
        ["sync", _, version, wait, what] => {
            let wait = Duration::from_millis(wait.parse().unwrap_or(0));
            let texts = lines
                .by_ref()
                .take(MOST_LINES)
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let paths: Vec<RepoPath> = texts.filter_map(|text| RepoPath::new(&text).ok()).collect();
            // To another version, what is whole may look damaged.
            let wish = SyncRequest {
                paths,
                everything: *what == "all",
                anew: *what == "anew" && *version == env!("CARGO_PKG_VERSION"),
            };
            let lag = fulfil(&shared, &wish, wait);
            // What is being closed keeps nothing up to date.
            let text = if shared.is_stopping() {
                "closing 0\n".to_owned()
            } else {
                answer(&shared, &lag)
            };
            guest.write_all(text.as_bytes())
        }
        ["who", ..] => guest.write_all(own(&shared).as_bytes()),
        ["end", ..] => {
            guest.write_all(own(&shared).as_bytes())?;
            if life.role == Role::Daemon {
                // The engine must not be held here when it ends; the guest leaves when the process
                // has ended.
                drop(shared);
                life.request_shutdown();
                lines.by_ref().map_while(Result::ok).for_each(drop);
            }
            Ok(())
        }
        _ => guest.write_all(b"unknown 0\n"),
    };
    if makes_room {
        life.request_shutdown();
    }
    done
}

/// Whether a version is a later one than another. What is no version is not.
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

/// Who this is.
fn own(shared: &Shared) -> String {
    let seconds = shared
        .life
        .began
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    format!(
        "keeper {} {seconds} {}\n",
        std::process::id(),
        shared.life.role.as_str()
    )
}

fn fulfil(shared: &Arc<Shared>, wish: &SyncRequest, wait: Duration) -> Staleness {
    let failed = |error: EngineError| Staleness {
        failure: Some(error.to_string()),
        ..Staleness::default()
    };
    if wish.anew
        && let Err(error) = shared
            .engine
            .rebuild("another process could not read it", &|_| {})
    {
        return failed(error);
    }
    if !wish.paths.is_empty()
        && let Err(error) = shared
            .engine
            .process_batch(&ChangeBatch::of_paths(wish.paths.iter().cloned()), &|_| {})
    {
        return failed(error);
    }
    shared.wait_until_fresh(Some(wait), wish.everything)
}

fn answer(shared: &Arc<Shared>, lag: &Staleness) -> String {
    let snapshot = shared.engine.answers().snapshot();
    let generation = snapshot
        .and_then(|snapshot| store::metadata(&snapshot, store::GENERATION))
        .ok()
        .flatten()
        .unwrap_or_default();
    let generation = if generation.is_empty() {
        "0"
    } else {
        &generation
    };
    if lag.is_none() {
        format!("done {generation}\n")
    } else {
        format!(
            "behind {generation} {}\n",
            lag.to_string().replace('\n', " ")
        )
    }
}
