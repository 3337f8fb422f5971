//! An index that is as the disk is: changes are taken in as they are made, and a question waits for
//! those made before it.
//!
//! One thread takes hints of the [`Watcher`], lets a storm pass and hands them to the engine. A
//! question asks [`IndexService::settle`] first: it waits for the events of all changes up to that moment
//! ([`Watcher::sync`]) and, for a stated time, until they are in the index; past that it is told
//! what is not. Where events are late, everything is compared. Nothing is done by the clock while
//! the system tells of changes; where it does not, the repository is looked at again and again, for
//! at most a twentieth of the time, and before an answer if that is quick.
//!
//! Other processes have theirs taken in by this one (`door`). When a keeper in the background has
//! to end is told by `life`; `vectors` makes those of a model.
//!
//! **Limits.** Where changes have to be looked for, one may be up to [`POLLING`] old before it is
//! seen.

mod embedding;
pub mod ipc;
mod lifetime;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use codeagent_workspace::{FsEvents, IpcListener, IpcStream, RepoPath, Watcher};

use crate::engine::{Answers, Engine};
use crate::ingest::{ChangeBatch, Phase, Progress};
use crate::service::embedding::EmbeddingWorker;
use crate::service::lifetime::Lifetime;

pub use crate::service::embedding::{VectorProgress, embedded, vector_progress};
pub use crate::service::lifetime::{Role, ShutdownReason};

/// How long a question waits for changes made before it.
pub const FRESHNESS_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the disk is compared for one answer of an index that nobody keeps.
const QUICK_CHECK: Duration = Duration::from_millis(200);

/// How long the events of changes may take to arrive until everything is compared instead.
const DELIVERY: Duration = Duration::from_secs(1);

/// How long nothing must happen before changes are taken in that nobody asks about.
const QUIET: Duration = Duration::from_millis(20);

/// How long one waits for such a moment: half of a storm would be taken in for nothing.
const STORM: Duration = Duration::from_secs(1);

/// How often one looks where the system does not tell of changes, or after a failure.
pub const POLLING: Duration = Duration::from_secs(2);

/// How often one looks for a root that is gone.
const RETURNING: Duration = Duration::from_millis(500);

/// How many times longer than a look one waits for the next one.
const REST: u32 = 20;

/// Name of the thread that lets other processes in.
const LISTENER_THREAD: &str = "codeagent-door";

/// How long one waits for guests to leave.
const LEAVING: Duration = Duration::from_secs(1);

/// After how long without an edit its memory is freed.
const IDLE: Duration = Duration::from_secs(300);

/// What is said if the path of the root is a link that leads elsewhere than at the start.
const REPOINTED: &str =
    "the repository's path leads to another folder now; restart codeagent to index that one";

/// What an answer does not know yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Staleness {
    /// Files that changed.
    pub files: BTreeSet<RepoPath>,
    /// How many files are known to have changed, where more than `files` may have.
    pub found: Option<usize>,
    /// Not even which files changed is known.
    pub everything: bool,
    /// Why the index cannot be brought up to date.
    pub failure: Option<String>,
    /// All this in the words of the process that writes the index.
    pub said: Option<String>,
}

impl Staleness {
    /// Whether the index is as the disk was when it was asked.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.files.is_empty() && !self.everything && self.failure.is_none()
    }
}

/// Names that a sentence lists.
const NAMED: usize = 5;

impl fmt::Display for Staleness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(said) = &self.said {
            return f.write_str(said);
        }
        let more = if self.files.len() > NAMED {
            format!(" and {} more", self.files.len() - NAMED)
        } else {
            String::new()
        };
        let names: Vec<&str> = self
            .files
            .iter()
            .take(NAMED)
            .map(RepoPath::as_str)
            .collect();
        let names = names.join(", ");
        match (self.found, self.everything) {
            (Some(0) | None, true) => f.write_str(
                "could not check all files for changes in time; some may not be in the index yet",
            )?,
            (Some(found), true) => {
                write!(f, "{found} files have changed and are not in the index yet")?
            }
            (_, false) if names.is_empty() => f.write_str("the index may be behind the files")?,
            (_, false) if self.files.len() == 1 => {
                write!(f, "1 file has changed and is not in the index yet: {names}")?
            }
            (_, false) => write!(
                f,
                "{} files have changed and are not in the index yet: {names}{more}",
                self.files.len()
            )?,
        }
        self.failure
            .as_ref()
            .map_or(Ok(()), |failure| write!(f, " ({failure})"))
    }
}

/// What an index that is only read does not know: its writer is asked to take everything in, within
/// [`FRESHNESS_TIMEOUT`]; where there is none, the disk is compared, for at most `QUICK_CHECK`.
#[must_use]
pub fn quick_check(answers: &Answers) -> Staleness {
    if answers.workspace().is_repointed() {
        return Staleness {
            everything: true,
            failure: Some(REPOINTED.to_owned()),
            ..Staleness::default()
        };
    }
    if let Ok(granted) = ipc::sync(
        answers.data(),
        &ipc::SyncRequest::default(),
        FRESHNESS_TIMEOUT,
    ) {
        return Staleness {
            everything: granted.behind.is_some(),
            said: granted.behind,
            ..Staleness::default()
        };
    }
    let (reply, answer) = crossbeam_channel::bounded(1);
    let own = answers.clone();
    let look = move || reply.send(own.changed_files()).ok();
    if std::thread::Builder::new()
        .name("codeagent-look".to_owned())
        .spawn(look)
        .is_err()
    {
        return Staleness {
            everything: true,
            ..Staleness::default()
        };
    }
    match answer.recv_timeout(QUICK_CHECK) {
        Ok(Ok(changed)) => Staleness {
            files: changed
                .iter()
                .filter_map(|path| RepoPath::new(path).ok())
                .collect(),
            ..Staleness::default()
        },
        Ok(Err(error)) => Staleness {
            everything: true,
            failure: Some(error.to_string()),
            ..Staleness::default()
        },
        Err(_) => Staleness {
            everything: true,
            ..Staleness::default()
        },
    }
}

/// Keeps the index of one repository as its disk is, as long as it lives.
pub struct IndexService {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    engine: Arc<Engine>,
    progress: Box<dyn Fn(Progress) + Send + Sync>,
    state: Mutex<State>,
    /// The state is another one now.
    moved: Condvar,
    stop: AtomicBool,
    life: Arc<Lifetime>,
    making: EmbeddingWorker,
    /// Processes that wait for this one to end.
    guests: Mutex<(u64, BTreeMap<u64, IpcStream>)>,
}

#[derive(Default)]
struct State {
    /// `None`: changes have to be looked for.
    watcher: Option<Arc<Watcher>>,
    /// Why.
    trouble: Option<String>,
    /// What may have changed and is not looked at yet.
    pending: FsEvents,
    /// What is being looked at.
    working: Option<FsEvents>,
    /// How many files are known to have changed of those looked at.
    found: Option<usize>,
    /// Questions so far, and how many of them are answered by what is in the index.
    asked: u64,
    done: u64,
    /// Batches so far.
    batches: u64,
    /// Why the last batch failed.
    failure: Option<String>,
    /// How long the last look at everything took, and when it ended.
    look: Option<(Duration, Instant)>,
    /// The root is not there.
    is_gone: bool,
    /// The path of the root leads to another folder now.
    is_repointed: bool,
}

impl IndexService {
    /// Starts watching and takes in what has changed since the last time; `progress` hears of every
    /// batch.
    pub fn start(
        engine: Arc<Engine>,
        role: Role,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let watcher = Watcher::new(&engine.workspace(), Some(engine.data()))
            .map_err(|error| error.to_string());
        Self::over(engine, watcher, role, progress)
    }

    fn over(
        engine: Arc<Engine>,
        watcher: Result<Watcher, String>,
        role: Role,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let mut state = State {
            pending: FsEvents {
                everything: true,
                ..FsEvents::default()
            },
            ..State::default()
        };
        match watcher {
            Ok(watcher) => state.watcher = Some(Arc::new(watcher)),
            Err(trouble) => state.trouble = Some(trouble),
        }
        if let Some(trouble) = &state.trouble {
            tracing::warn!(
                "{trouble}; the repository is looked at every {} seconds instead",
                POLLING.as_secs()
            );
        }
        engine.set_watcher(state.watcher.clone());
        let shared = Arc::new(Shared {
            engine,
            progress: Box::new(progress),
            state: Mutex::new(state),
            moved: Condvar::new(),
            stop: AtomicBool::new(false),
            life: Arc::new(Lifetime::new(role)),
            making: EmbeddingWorker::default(),
            guests: Mutex::default(),
        });
        let door = start_listener(&shared)?;
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("codeagent-keeper".to_owned())
            .spawn(move || own.run())?;
        let mut threads: Vec<JoinHandle<()>> = door.into_iter().chain([thread]).collect();
        if !shared.engine.model().is_none() {
            let own = Arc::clone(&shared);
            threads.push(
                std::thread::Builder::new()
                    .name("codeagent-vectors".to_owned())
                    .spawn(move || own.make_vectors())?,
            );
        }
        Ok(Self {
            shared,
            threads: Mutex::new(threads),
        })
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.shared.engine
    }

    /// Whether the system tells of changes, and if not, why they have to be looked for.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.lock().trouble.clone()
    }

    /// Why symbols have no vectors of the model that is installed, or not all.
    #[must_use]
    pub fn vector_trouble(&self) -> Option<String> {
        self.shared.making.trouble()
    }

    /// Waits until everything that was changed before this call is in the index, for at most
    /// `limit` if there is one; says what is not.
    pub fn wait_until_fresh(&self, limit: Option<Duration>) -> Staleness {
        self.shared.wait_until_fresh(limit, false)
    }

    /// Waits until there is no more reason to keep the index; with `idle`, also until nobody has
    /// needed it for that long.
    #[must_use]
    pub fn wait_for_shutdown(&self, idle: Option<Duration>) -> ShutdownReason {
        self.shared
            .life
            .wait_for_shutdown(idle, || self.shared.has_guests())
    }

    /// Has [`Self::last`] return.
    pub fn request_shutdown(&self) {
        self.shared.life.request_shutdown();
    }

    /// Ends it; a batch under way is given up if the engine was told to stop.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.wake(&self.shared.lock());
        let is_closing = self.shared.disconnect_clients();
        let mut threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if !is_closing {
            // A door whose socket was removed hears nobody any more; it holds nothing and ends with
            // the process.
            threads.retain(|thread| thread.thread().name() != Some(LISTENER_THREAD));
        }
        // Whoever hears of progress may be the last to hold it.
        for thread in threads
            .into_iter()
            .filter(|thread| thread.thread().id() != std::thread::current().id())
        {
            if thread.join().is_err() {
                tracing::error!("a thread of the keeper of the index panicked");
            }
        }
        self.shared.engine.set_watcher(None);
        // What talks with guests lets go now, so that the engine is closed by who ends this, and
        // not by a thread that nobody waits for.
        let began = Instant::now();
        while Arc::strong_count(&self.shared) > 1 && began.elapsed() < LEAVING {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for IndexService {
    fn drop(&mut self) {
        self.stop();
    }
}

impl State {
    /// Takes what the system tells up to now.
    fn poll_events(&mut self) {
        if let Some(watcher) = &self.watcher {
            self.pending.add(watcher.take_events());
        }
    }

    /// Whether, without a watcher, it is time to look at everything.
    fn is_worth_a_look(&self) -> bool {
        self.watcher.is_none()
            && self
                .look
                .is_none_or(|(took, ended)| ended.elapsed() >= took * REST)
    }

    fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.working.is_none()
    }

    /// What is known to be missing.
    fn lag(&self) -> Staleness {
        let mut all = self.pending.clone();
        all.add(self.working.clone().unwrap_or_default());
        let found = self.found.filter(|_| all.everything);
        let trouble = self.trouble_now();
        Staleness {
            files: all.paths,
            found,
            everything: all.everything || trouble.everything,
            failure: trouble.failure,
            said: None,
        }
    }

    /// What is missing although all was looked at.
    fn trouble_now(&self) -> Staleness {
        let other = match (self.is_gone, self.is_repointed) {
            (true, _) => Some("the folder of the repository is gone"),
            (false, true) => Some(REPOINTED),
            (false, false) => None,
        };
        Staleness {
            everything: other.is_some(),
            failure: self.failure.clone().or(other.map(str::to_owned)),
            ..Staleness::default()
        }
    }
}

/// Lets other processes in. Without a door they read what is there.
fn start_listener(shared: &Arc<Shared>) -> std::io::Result<Option<JoinHandle<()>>> {
    let door = match IpcListener::open(shared.engine.data()) {
        Ok(door) => door,
        Err(error) => {
            tracing::warn!(%error, "other processes cannot reach this one");
            return Ok(None);
        }
    };
    let shared = Arc::downgrade(shared);
    let serve = move || ipc::serve(&door, &shared);
    std::thread::Builder::new()
        .name(LISTENER_THREAD.to_owned())
        .spawn(serve)
        .map(Some)
}

impl Shared {
    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Holds a conversation until this process ends; its number.
    fn add_client(&self, guest: IpcStream) -> u64 {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.0 += 1;
        let number = guests.0;
        if self.is_stopping() {
            guest.close();
        }
        guests.1.insert(number, guest);
        number
    }

    fn remove_client(&self, number: u64) {
        self.guests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .remove(&number);
        self.life.note_use();
    }

    fn has_guests(&self) -> bool {
        !self
            .guests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .is_empty()
    }

    /// Ends all conversations and the waiting for new ones; whether the latter was heard.
    fn disconnect_clients(&self) -> bool {
        let guests =
            std::mem::take(&mut self.guests.lock().unwrap_or_else(PoisonError::into_inner).1);
        guests.values().for_each(IpcStream::close);
        // One more who knocks: the door sees that it has to close.
        IpcStream::connect(self.engine.data(), Some(POLLING)).is_ok()
    }

    /// As [`IndexService::settle`]; with `everything`, all is compared.
    fn wait_until_fresh(&self, limit: Option<Duration>, everything: bool) -> Staleness {
        self.life.note_use();
        let began = Instant::now();
        let watcher = self.lock().watcher.clone();
        let is_told = watcher.is_none_or(|watcher| watcher.sync(DELIVERY));
        let limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
        let is_repointed = self.engine.workspace().is_repointed();
        let mut state = self.lock();
        state.is_repointed = is_repointed;
        state.poll_events();
        state.pending.everything |=
            everything || !is_told || state.is_worth_a_look() || self.engine.is_touched();
        if state.is_idle() {
            return state.lag();
        }
        state.asked += 1;
        let ticket = state.asked;
        self.wake(&state);
        let waits = |state: &mut State| state.done < ticket && !self.stop.load(Ordering::Relaxed);
        let state = match limit {
            Some(limit) => {
                self.moved
                    .wait_timeout_while(state, limit, waits)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            None => self
                .moved
                .wait_while(state, waits)
                .unwrap_or_else(PoisonError::into_inner),
        };
        if state.done < ticket {
            state.lag()
        } else {
            state.trouble_now()
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, state: &State) {
        if let Some(watcher) = &state.watcher {
            watcher.wake();
        }
        self.moved.notify_all();
    }

    fn run(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let mut state = self.lock();
            state.poll_events();
            if state.pending.is_empty() {
                state.done = state.asked;
                self.moved.notify_all();
                self.rest(state);
                continue;
            }
            if self.is_time(state) {
                self.index_pending();
            }
        }
        // Whoever waits need not wait any longer.
        self.moved.notify_all();
    }

    /// Waits for something to do.
    fn rest(&self, state: MutexGuard<'_, State>) {
        let retries = state.failure.is_some() || state.is_gone;
        let time = if state.is_gone { RETURNING } else { POLLING };
        let Some(watcher) = state.watcher.clone().filter(|_| !retries) else {
            let asked = state.asked;
            let waits =
                |state: &mut State| state.asked == asked && !self.stop.load(Ordering::Relaxed);
            let time = time.max(state.look.map_or(Duration::ZERO, |(took, _)| took * REST));
            let (mut state, waited) = self
                .moved
                .wait_timeout_while(state, time, waits)
                .unwrap_or_else(PoisonError::into_inner);
            if waited.timed_out() || retries {
                state.pending.everything = true;
            }
            return;
        };
        drop(state);
        // A call of `stop` may have come before the events were taken.
        if self.is_stopping() {
            return;
        }
        if !watcher.wait(Some(IDLE)) {
            self.engine.drop_caches();
            self.engine.model().close();
            codeagent_memory::give_back();
            watcher.wait(None);
        }
    }

    /// Waits until nothing more comes, unless somebody asks; false if it has to end.
    fn is_time(&self, state: MutexGuard<'_, State>) -> bool {
        let watcher = state.watcher.clone();
        let began = Instant::now();
        let mut state = state;
        while let Some(watcher) = watcher.as_ref().filter(|_| state.asked == state.done) {
            drop(state);
            let more = watcher.wait(Some(QUIET));
            state = self.lock();
            state.poll_events();
            if self.is_stopping() {
                return false;
            }
            if !more || began.elapsed() > STORM {
                break;
            }
        }
        true
    }

    /// Brings what is pending into the index.
    fn index_pending(&self) {
        let mut state = self.lock();
        state.poll_events();
        let hints = std::mem::take(&mut state.pending);
        let (asked, looks) = (state.asked, hints.everything);
        state.working = Some(hints.clone());
        state.found = None;
        drop(state);
        let began = Instant::now();
        let batch = if hints.everything {
            ChangeBatch::of_paths(hints.paths)
        } else {
            ChangeBatch::only(hints.paths)
        };
        let progress = |progress: Progress| {
            if progress.phase == Phase::Read && progress.done == 0 {
                self.lock().found = Some(progress.total);
            }
            (self.progress)(progress);
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.engine.process_batch(&batch, &progress)
        }));
        let is_gone = !self.engine.workspace().is_there();
        self.life.note_root(!is_gone);
        if matches!(&outcome, Ok(Ok(summary)) if !summary.unchanged) {
            self.life.note_use();
        }
        if let Ok(Ok(summary)) = &outcome {
            tracing::debug!("{}", summary.work());
        }
        let mut state = self.lock();
        state.working = None;
        state.is_gone = is_gone;
        state.failure = match outcome {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("indexing failed because of a defect in codeagent".to_owned()),
        };
        if let Some(failure) = &state.failure {
            tracing::warn!(failure, "the index could not be brought up to date");
        }
        if looks {
            state.look = Some((began.elapsed(), Instant::now()));
        }
        state.done = asked;
        state.batches += 1;
        self.fall_back_to_polling(&mut state);
        drop(state);
        self.moved.notify_all();
    }

    /// Looks for changes from now on if the system refuses to tell of them.
    fn fall_back_to_polling(&self, state: &mut State) {
        let Some(trouble) = state
            .watcher
            .as_ref()
            .and_then(|watcher| Some(watcher.failure()?.to_string()))
        else {
            return;
        };
        tracing::warn!(
            "{trouble}; the repository is looked at every {} seconds instead",
            POLLING.as_secs()
        );
        state.watcher = None;
        state.trouble = Some(trouble);
        self.engine.set_watcher(None);
    }
}

#[cfg(test)]
mod tests;
