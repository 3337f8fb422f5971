//! The owner of an index: watches the repository, indexes changes and serves other processes.
//!
//! The update thread (see `update`) collects file system events, waits until they pause and hands
//! them to the engine. A query calls [`OwnerState::wait_until_fresh`]. It waits for the events of
//! all changes made before the call ([`Watcher::sync`]), then, for a limited time, until the engine
//! has indexed them. Without file system events, the repository is polled.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use codeagent_workspace::{FsEvents, IpcListener, IpcStream, RepoPath, Watcher};

use crate::engine::Engine;
use crate::ingest::Progress;
use crate::service::ipc;
use crate::service::lifetime::{Lifetime, Role, ShutdownReason};
use crate::service::staleness::{REPOINTED, Staleness};
use crate::service::update::POLLING;

/// Maximum time for events to arrive; after that, everything is compared.
const DELIVERY: Duration = Duration::from_secs(1);

/// Pause between full scans when polling, as a multiple of the scan's duration.
pub(super) const POLL_PAUSE: u32 = 20;

/// Name of the thread that accepts connections.
const LISTENER_THREAD: &str = "codeagent-ipc";

/// Maximum time that [`Owner::stop`] waits for clients to disconnect.
const LEAVING: Duration = Duration::from_secs(1);

/// Receives the progress of every batch.
pub(super) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// An engine and the threads that keep its index up to date. Stops when dropped.
pub(super) struct Owner(Arc<OwnerState>);

/// State shared by the threads of an [`Owner`].
pub(super) struct OwnerState {
    pub(super) engine: Arc<Engine>,
    pub(super) lifetime: Arc<Lifetime>,
    pub(super) on_progress: OnProgress,
    stop: AtomicBool,
    state: Mutex<SyncState>,
    /// Notified whenever `state` changes.
    pub(super) changed: Condvar,
}

/// How far the index lags behind the disk.
#[derive(Default)]
pub(super) struct SyncState {
    /// The watcher, or `None` when polling.
    pub(super) watcher: Option<Arc<Watcher>>,
    /// Why the repository is polled.
    pub(super) watch_trouble: Option<String>,
    /// Changes waiting to be indexed.
    pub(super) pending: FsEvents,
    /// Changes being indexed.
    pub(super) working: Option<FsEvents>,
    /// Number of files found changed so far by the running comparison.
    pub(super) found: Option<usize>,
    /// Number of queries that have waited so far. `answered` counts those that can proceed.
    pub(super) requested: u64,
    pub(super) answered: u64,
    /// Number of batches so far.
    pub(super) batches: u64,
    /// Why the last batch failed.
    pub(super) failure: Option<String>,
    /// Duration and end of the last full scan.
    pub(super) last_scan: Option<(Duration, Instant)>,
    /// Whether the root no longer exists.
    pub(super) is_root_gone: bool,
    /// Whether the root's path now leads to another folder.
    is_repointed: bool,
    /// Why vectors of the model are missing.
    pub(super) embedding_trouble: Option<String>,
    /// Clients that stay connected to notice this process's end.
    clients: BTreeMap<u64, IpcStream>,
    last_client: u64,
    threads: Vec<JoinHandle<()>>,
}

impl Owner {
    /// Starts watching, and indexes the changes made since the index was written.
    pub(super) fn start(
        engine: Arc<Engine>,
        watcher: Result<Watcher, String>,
        role: Role,
        on_progress: OnProgress,
    ) -> io::Result<Self> {
        let state = SyncState::new(watcher);
        engine.set_watcher(state.watcher.clone());
        let owner = Self(Arc::new(OwnerState {
            engine,
            lifetime: Arc::new(Lifetime::new(role)),
            on_progress,
            stop: AtomicBool::new(false),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }));

        owner.start_listener()?;
        owner.spawn("codeagent-update", |shared| shared.run())?;
        if !owner.0.engine.model().is_none() {
            owner.spawn("codeagent-vectors", |shared| shared.make_vectors())?;
        }
        Ok(owner)
    }

    fn spawn(&self, name: &str, work: fn(&OwnerState)) -> io::Result<()> {
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&shared))?;
        self.0.lock().threads.push(thread);
        Ok(())
    }

    /// Accepts connections of other processes. If this fails, they read the index as it is.
    fn start_listener(&self) -> io::Result<()> {
        let listener = match IpcListener::open(self.0.engine.data()) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections from other processes");
                return Ok(());
            }
        };
        let shared = Arc::downgrade(&self.0);
        let thread = std::thread::Builder::new()
            .name(LISTENER_THREAD.to_owned())
            .spawn(move || ipc::serve(&listener, &shared))?;
        self.0.lock().threads.push(thread);
        Ok(())
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.0.engine
    }

    /// Returns why file watching is unavailable, or `None` if it works.
    pub(super) fn watch_trouble(&self) -> Option<String> {
        self.0.lock().watch_trouble.clone()
    }

    /// Returns why vectors of the installed model are missing, or `None` if none are.
    pub(super) fn embedding_trouble(&self) -> Option<String> {
        self.0.lock().embedding_trouble.clone()
    }

    /// See [`OwnerState::wait_until_fresh`].
    pub(super) fn wait_until_fresh(&self, limit: Option<Duration>) -> Staleness {
        self.0.wait_until_fresh(limit, false)
    }

    /// Marks a file as changed.
    pub(super) fn note_change(&self, path: RepoPath) {
        let mut state = self.0.lock();
        state.pending.paths.insert(path);
        self.0.wake(&state);
    }

    /// Blocks until there is a reason to shut down; with `idle`, this includes not being used for
    /// that long.
    pub(super) fn wait_for_shutdown(&self, idle: Option<Duration>) -> ShutdownReason {
        let has_clients = || !self.0.lock().clients.is_empty();
        self.0.lifetime.wait_for_shutdown(idle, has_clients)
    }

    pub(super) fn request_shutdown(&self) {
        self.0.lifetime.request_shutdown();
    }

    /// Stops the threads. The running batch is completed, unless it was cancelled.
    pub(super) fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
        self.0.wake(&self.0.lock());
        let is_listener_woken = self.0.disconnect_clients();

        let mut threads = std::mem::take(&mut self.0.lock().threads);
        if !is_listener_woken {
            // Its socket was removed, so it cannot be woken. It holds no resources and ends with
            // the process.
            threads.retain(|thread| thread.thread().name() != Some(LISTENER_THREAD));
        }
        // On the update thread, the progress callback may drop the last reference to this owner.
        let this_thread = std::thread::current().id();
        for thread in threads {
            if thread.thread().id() != this_thread && thread.join().is_err() {
                tracing::error!("a thread of the index service panicked");
            }
        }
        self.0.engine.set_watcher(None);

        // Wait for the client threads to drop their references, so that the caller closes the
        // engine rather than a detached thread.
        let began = Instant::now();
        while Arc::strong_count(&self.0) > 1 && began.elapsed() < LEAVING {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.stop();
    }
}

impl SyncState {
    fn new(watcher: Result<Watcher, String>) -> Self {
        let pending = FsEvents {
            everything: true,
            ..FsEvents::default()
        };
        let mut state = Self {
            pending,
            ..Self::default()
        };
        match watcher {
            Ok(watcher) => state.watcher = Some(Arc::new(watcher)),
            Err(trouble) => state.poll_from_now_on(trouble),
        }
        state
    }

    pub(super) fn poll_from_now_on(&mut self, trouble: String) {
        tracing::warn!(
            "{trouble}; polling the repository every {} seconds instead",
            POLLING.as_secs()
        );
        self.watcher = None;
        self.watch_trouble = Some(trouble);
    }

    /// Collects the events that have arrived.
    pub(super) fn poll_events(&mut self) {
        if let Some(watcher) = &self.watcher {
            self.pending.add(watcher.take_events());
        }
    }

    /// When polling, reports whether it is time to compare everything.
    fn is_poll_due(&self) -> bool {
        self.watcher.is_none()
            && self
                .last_scan
                .is_none_or(|(took, ended)| ended.elapsed() >= took * POLL_PAUSE)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.working.is_none()
    }

    /// Returns the changes that the index is known to lack.
    fn staleness(&self) -> Staleness {
        let mut missing = self.pending.clone();
        missing.add(self.working.clone().unwrap_or_default());
        let unfixable = self.unfixable();
        Staleness {
            found: self.found.filter(|_| missing.everything),
            files: missing.paths.iter().map(RepoPath::to_string).collect(),
            everything: missing.everything || unfixable.everything,
            ..unfixable
        }
    }

    /// Returns the changes that the index lacks even after a full comparison.
    fn unfixable(&self) -> Staleness {
        let other = match (self.is_root_gone, self.is_repointed) {
            (true, _) => Some("the repository's folder no longer exists"),
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

impl OwnerState {
    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SyncState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wake(&self, state: &SyncState) {
        if let Some(watcher) = &state.watcher {
            watcher.wake();
        }
        self.changed.notify_all();
    }

    /// Waits until the index contains every change made before this call, for at most `limit`, and
    /// returns the changes it is missing. With `everything`, every file is compared.
    pub(super) fn wait_until_fresh(&self, limit: Option<Duration>, everything: bool) -> Staleness {
        self.lifetime.note_use();
        let began = Instant::now();
        let watcher = self.lock().watcher.clone();
        let has_all_events = watcher.is_none_or(|watcher| watcher.sync(DELIVERY));
        let limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
        let is_repointed = self.engine.workspace().is_repointed();

        let mut state = self.lock();
        state.is_repointed = is_repointed;
        state.poll_events();
        state.pending.everything |=
            everything || !has_all_events || state.is_poll_due() || self.engine.is_touched();
        if state.is_idle() {
            return state.staleness();
        }

        state.requested += 1;
        let ticket = state.requested;
        self.wake(&state);
        let state = self.wait_while(state, limit, |state| {
            state.answered < ticket && !self.is_stopping()
        });
        if state.answered < ticket {
            state.staleness()
        } else {
            state.unfixable()
        }
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, SyncState>,
        limit: Option<Duration>,
        mut condition: impl FnMut(&SyncState) -> bool,
    ) -> MutexGuard<'a, SyncState> {
        let condition = |state: &mut SyncState| condition(state);

        match limit {
            Some(limit) => {
                self.changed
                    .wait_timeout_while(state, limit, condition)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            None => self
                .changed
                .wait_while(state, condition)
                .unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Adds a client connection that is closed when this process stops; returns its number.
    pub(super) fn add_client(&self, client: IpcStream) -> u64 {
        let mut state = self.lock();
        state.last_client += 1;
        let number = state.last_client;
        if self.is_stopping() {
            client.close();
        }
        state.clients.insert(number, client);
        number
    }

    pub(super) fn remove_client(&self, number: u64) {
        self.lock().clients.remove(&number);
        self.lifetime.note_use();
    }

    /// Closes all connections and wakes the listener, which then ends. Returns whether it was
    /// woken.
    fn disconnect_clients(&self) -> bool {
        let clients = std::mem::take(&mut self.lock().clients);
        clients.values().for_each(IpcStream::close);
        IpcStream::connect(self.engine.data(), Some(POLLING)).is_ok()
    }
}
