//! The index service: opens, builds, watches and shares the index of one repository.
//!
//! [`IndexService`] is the state machine of an index. A started service opens the index in the
//! background. If it gets the write lock, it becomes the owner: it builds the first index, watches
//! the repository (`owner`, `update`), indexes changes and answers other processes over a local
//! socket ([`ipc`]). If another process writes, it becomes a reader: it serves the index as it is,
//! asks the writer to index changes, and takes over when the writer ends (`follow`).
//!
//! ```text
//! Closed -> Opening -+-> Building -> Owner
//!                    |                 |  database removed or replaced: Opening
//!                    +-> BuiltElsewhere -> Reader
//!                    |     writer ended: Building or Owner
//!                    +-> Failed
//! ```
//!
//! Queries read their own writes: [`IndexService::wait_until_fresh`] waits until every change made
//! before the call is indexed, or returns what is missing.
//!
//! Limitations: without file system events, changes are noticed after up to [`POLLING`].

mod embedding;
mod follow;
pub mod ipc;
mod lifetime;
mod owner;
mod staleness;
mod status;
mod unsaved;
mod update;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use codeagent_workspace::{DataDir, DataRoot, OpenError, RepoPath, Watcher, Workspace};

use crate::embed::ModelHandle;
use crate::engine::{Engine, EngineError, EngineOptions, IndexReader};
use crate::ingest::{IngestOptions, Progress};
use crate::service::ipc::WriterConnection;
use crate::service::owner::{OnProgress, Owner};

pub use crate::service::embedding::{VectorProgress, embedded, vector_progress};
pub use crate::service::lifetime::{Role, ShutdownReason};
pub use crate::service::staleness::{Staleness, quick_check};
pub use crate::service::status::{
    Activity, ReadableStatus, ServiceFailure, ServiceStatus, Unavailable,
};
pub use crate::service::unsaved::{UnsavedError, UnsavedIndex};
pub use crate::service::update::POLLING;

/// Maximum time a query waits for changes made before it.
pub const FRESHNESS_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum time a query waits for an index that is being opened or built; enough to index a small
/// repository.
const OPENING_TIMEOUT: Duration = Duration::from_secs(2);

/// Options for opening and building an index.
#[derive(Clone, Debug, Default)]
pub struct ServiceOptions {
    /// Location of all indexes.
    pub home: DataRoot,
    /// Number of indexing threads; 0 means one per processor.
    pub threads: usize,
    /// The embedding model.
    pub model: ModelHandle,
    /// The data folder whose imports are part of the index, if it is not the index's own.
    pub imports: Option<DataDir>,
}

/// The index of one repository. Stops when dropped.
pub struct IndexService(Arc<Inner>);

/// State shared by a service and its threads.
struct Inner {
    role: Role,
    options: EngineOptions,
    on_progress: Option<OnProgress>,
    /// Set by [`IndexService::stop`].
    cancel: Arc<AtomicBool>,
    control: Mutex<Control>,
    /// Notified whenever `control` changes.
    changed: Condvar,
}

struct Control {
    workspace: Workspace,
    state: State,
    /// A reader's connection for noticing the end of the writer.
    writer: Option<Arc<WriterConnection>>,
    is_rebuilding: bool,
    threads: Vec<(Task, JoinHandle<()>)>,
}

/// Background threads of the service.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Open,
    Follow,
    Rebuild,
}

#[derive(Clone)]
enum State {
    /// The service was not started, or was stopped.
    Closed,
    /// The index is being opened.
    Opening,
    /// This process builds the first index.
    Building(Arc<Owner>, Option<Progress>),
    /// This process writes the index and keeps it up to date.
    Owner(Arc<Owner>),
    /// Another process builds the first index.
    BuiltElsewhere(Option<IndexReader>),
    /// Another process writes the index.
    Reader(IndexReader),
    /// The index cannot be opened or built.
    Failed(ServiceFailure),
}

impl State {
    /// Reports whether the index will become readable without further action.
    fn is_under_way(&self) -> bool {
        matches!(
            self,
            Self::Opening | Self::Building(..) | Self::BuiltElsewhere(_)
        )
    }

    fn is_opening(&self) -> bool {
        matches!(self, Self::Opening)
    }
}

impl IndexService {
    /// Creates the service of the repository at `root`. [`Self::start`] starts it.
    pub fn new(root: &Path, options: ServiceOptions) -> Result<Self, OpenError> {
        let cancel: Arc<AtomicBool> = Arc::default();
        let ingest = IngestOptions {
            threads: options.threads,
            cancel: Arc::clone(&cancel),
            in_background: true,
            ..IngestOptions::default()
        };

        let engine_options = EngineOptions {
            ingest,
            tolerate_config: true,
            home: options.home,
            model: options.model,
            imports: options.imports,
            ..EngineOptions::default()
        };

        Ok(Self(Arc::new(Inner {
            role: Role::Server,
            options: engine_options,
            on_progress: None,
            cancel,
            control: Mutex::new(Control::new(Workspace::open(root)?, State::Closed)),
            changed: Condvar::new(),
        })))
    }

    /// Creates a service for an open engine and keeps its index up to date. `on_progress` receives
    /// the progress of every batch.
    pub fn with_engine(
        engine: Arc<Engine>,
        role: Role,
        on_progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let watcher = watcher_of(&engine);
        Self::with_watcher(engine, watcher, role, Arc::new(on_progress))
    }

    fn with_watcher(
        engine: Arc<Engine>,
        watcher: Result<Watcher, String>,
        role: Role,
        on_progress: OnProgress,
    ) -> io::Result<Self> {
        let (workspace, options) = (engine.workspace(), engine.options().clone());
        let owner = Owner::start(engine, watcher, role, Arc::clone(&on_progress))?;
        let state = State::Owner(Arc::new(owner));

        Ok(Self(Arc::new(Inner {
            role,
            options,
            on_progress: Some(on_progress),
            cancel: Arc::default(),
            control: Mutex::new(Control::new(workspace, state)),
            changed: Condvar::new(),
        })))
    }

    /// Opens the index in the background and brings it up to date.
    pub fn start(&self) {
        self.0.enter(State::Opening);
        self.0.spawn(Task::Open, Inner::open);
    }

    /// Waits until the index is up to date, cannot be opened, or is written by another process.
    pub fn wait_until_open(&self) {
        self.0.join(|task| task == Task::Open);
    }

    /// Stops all work and closes the index, which contains every completed batch.
    pub fn stop(&self) {
        let inner = &self.0;
        inner.cancel.store(true, Ordering::Relaxed);
        let (state, writer) = {
            let control = inner.lock();
            (control.state.clone(), control.writer.clone())
        };

        inner.changed.notify_all();
        if let State::Owner(owner) | State::Building(owner, _) = &state {
            owner.stop();
        }

        if let Some(writer) = writer {
            writer.close();
        }

        inner.join(|_| true);
        inner.enter(State::Closed);
        if !matches!(state, State::Closed) {
            drop(state);
            codeagent_memory::give_back();
        }
    }

    /// Returns the repository.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        self.0.workspace()
    }

    /// Returns the reader of the index, once there is one.
    pub fn reader(&self) -> Result<IndexReader, Unavailable> {
        match self.0.state_after(State::is_under_way) {
            State::Owner(owner) if owner.engine().is_rebuilding() => Err(Unavailable::Rebuilding),
            State::Owner(owner) => Ok(owner.engine().reader()),
            State::Reader(reader) => Ok(reader),
            other => Err(Unavailable::of(&other)),
        }
    }

    /// Returns the engine, if this process writes the index.
    pub fn engine(&self) -> Result<Arc<Engine>, Unavailable> {
        match self.0.state_after(State::is_under_way) {
            State::Owner(owner) => Ok(Arc::clone(owner.engine())),
            other => Err(Unavailable::of(&other)),
        }
    }

    /// Waits until the index contains every change made before this call, for at most `limit`, and
    /// returns the changes it is missing. A reader waits for its writer, for [`FRESHNESS_TIMEOUT`].
    #[must_use]
    pub fn wait_until_fresh(&self, limit: Option<Duration>) -> Staleness {
        match self.0.state_after(State::is_under_way) {
            State::Reader(reader) => self.0.check_reader(&reader),
            State::Owner(owner) if !owner.engine().is_in_place() => {
                drop(owner);
                self.0.reopen();
                match self.0.state_after(State::is_under_way) {
                    State::Owner(owner) => owner.wait_until_fresh(limit),
                    _ => Staleness::default(),
                }
            }
            // No lock is held while this waits, because a batch reports its progress.
            State::Owner(owner) => owner.wait_until_fresh(limit),
            _ => Staleness::default(),
        }
    }

    /// Indexes `text` in place of a file's content on disk; `None` restores the content. Returns at
    /// once.
    pub fn set_unsaved_text(&self, path: RepoPath, text: Option<&str>) -> Result<(), Unavailable> {
        match self.0.state_after(State::is_under_way) {
            State::Owner(owner) => {
                owner.engine().set_unsaved_text(&path, text);
                owner.note_change(path);
                Ok(())
            }
            other => Err(Unavailable::of(&other)),
        }
    }

    /// Returns why file watching is unavailable, or `None` if it works or another process watches.
    #[must_use]
    pub fn watch_trouble(&self) -> Option<String> {
        self.0.owner()?.watch_trouble()
    }

    /// Returns why vectors of the installed model are missing, or `None` if none are.
    #[must_use]
    pub fn embedding_trouble(&self) -> Option<String> {
        self.0.owner()?.embedding_trouble()
    }

    /// Blocks until there is a reason to shut down; with `idle`, this includes not being used for
    /// that long.
    #[must_use]
    pub fn wait_for_shutdown(&self, idle: Option<Duration>) -> ShutdownReason {
        self.0.owner().map_or(ShutdownReason::Requested, |owner| {
            owner.wait_for_shutdown(idle)
        })
    }

    /// Makes [`Self::wait_for_shutdown`] return.
    pub fn request_shutdown(&self) {
        if let Some(owner) = self.0.owner() {
            owner.request_shutdown();
        }
    }
}

impl Drop for IndexService {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Control {
    fn new(workspace: Workspace, state: State) -> Self {
        Self {
            workspace,
            state,
            writer: None,
            is_rebuilding: false,
            threads: Vec::new(),
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Control> {
        // No panic leaves the state half changed under this lock.
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, state: State) {
        let before = std::mem::replace(&mut self.lock().state, state);
        self.changed.notify_all();
        // The old state is dropped without the lock, because a stopping owner may still report
        // progress.
        drop(before);
    }

    fn state(&self) -> State {
        self.lock().state.clone()
    }

    /// Returns the state once `is_passing` is false for it, or after [`OPENING_TIMEOUT`].
    fn state_after(&self, is_passing: fn(&State) -> bool) -> State {
        self.changed
            .wait_timeout_while(self.lock(), OPENING_TIMEOUT, |control| {
                is_passing(&control.state)
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
            .state
            .clone()
    }

    fn owner(&self) -> Option<Arc<Owner>> {
        match self.state() {
            State::Owner(owner) => Some(owner),
            _ => None,
        }
    }

    fn workspace(&self) -> Workspace {
        let mut control = self.lock();
        // A service outlives a root that is removed and created again.
        control.workspace = control.workspace.reopened();
        control.workspace.clone()
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Runs `work` on a thread that [`IndexService::stop`] joins.
    fn spawn(self: &Arc<Self>, task: Task, work: fn(&Arc<Self>)) {
        let inner = Arc::clone(self);
        let run = move || {
            if catch_unwind(AssertUnwindSafe(|| work(&inner))).is_err() {
                inner.enter(State::Failed(ServiceFailure::Defect));
            }
        };

        let mut control = self.lock();
        control.threads.retain(|(_, thread)| !thread.is_finished());

        let name = match task {
            Task::Open => "codeagent-start",
            Task::Follow => "codeagent-standby",
            Task::Rebuild => "codeagent-rebuild",
        };

        match std::thread::Builder::new().name(name.to_owned()).spawn(run) {
            Ok(thread) => control.threads.push((task, thread)),
            Err(error) => {
                drop(control);
                self.enter(State::Failed(ServiceFailure::Thread(error.to_string())));
            }
        }
    }

    /// Waits for the threads of these tasks, including those that they start.
    fn join(&self, is_selected: fn(Task) -> bool) {
        loop {
            let next = {
                let mut control = self.lock();
                let at = control
                    .threads
                    .iter()
                    .position(|(task, _)| is_selected(*task));
                at.map(|at| control.threads.remove(at).1)
            };
            let Some(thread) = next else { return };
            // Each thread catches its own panic.
            thread.join().ok();
        }
    }

    /// Opens the index, as its owner if possible, otherwise as a reader.
    fn open(self: &Arc<Self>) {
        if let Some(note) = self.workspace().bundled_index() {
            tracing::warn!("{note}");
        }
        match self.open_engine() {
            Ok(engine) => self.become_owner(engine),
            Err(error) => {
                if self.become_reader(error) {
                    self.spawn(Task::Follow, Self::follow);
                }
            }
        }
    }

    fn open_engine(&self) -> Result<Engine, EngineError> {
        Engine::open(self.workspace().root(), self.options.clone())
    }

    /// Watches the repository and brings the index up to date.
    fn become_owner(self: &Arc<Self>, engine: Engine) {
        let is_complete = engine.reader().is_complete().unwrap_or(false);
        let engine = Arc::new(engine);
        let watcher = watcher_of(&engine);
        let role = self.role;
        let owner = match Owner::start(engine, watcher, role, self.progress_receiver()) {
            Ok(owner) => Arc::new(owner),
            Err(error) => {
                return self.enter(State::Failed(ServiceFailure::Thread(error.to_string())));
            }
        };

        self.enter(if is_complete {
            State::Owner(Arc::clone(&owner))
        } else {
            State::Building(Arc::clone(&owner), None)
        });
        let staleness = owner.wait_until_fresh(None);
        match staleness.failure {
            Some(failure) if !is_complete => {
                self.enter(State::Failed(ServiceFailure::Indexing(failure)))
            }
            _ => self.enter(State::Owner(owner)),
        }
    }

    /// Returns a callback that records the progress of the first index and passes it on.
    fn progress_receiver(self: &Arc<Self>) -> OnProgress {
        let (inner, on_progress) = (Arc::downgrade(self), self.on_progress.clone());
        Arc::new(move |progress| {
            if let Some(inner) = inner.upgrade()
                && let State::Building(_, noted) = &mut inner.lock().state
            {
                *noted = Some(progress);
            }
            if let Some(on_progress) = &on_progress {
                on_progress(progress);
            }
        })
    }

    /// Opens the index again after its database was removed or replaced.
    fn reopen(self: &Arc<Self>) {
        let mut control = self.lock();
        let State::Owner(owner) = &control.state else {
            return;
        };
        let owner = Arc::clone(owner);
        if owner.engine().is_in_place() {
            return;
        }
        tracing::warn!("the database was removed or replaced; reopening it");
        control.state = State::Opening;
        drop(control);

        owner.stop();
        drop(owner);
        self.spawn(Task::Open, Self::open);
    }
}

fn watcher_of(engine: &Engine) -> Result<Watcher, String> {
    Watcher::new(&engine.workspace(), Some(engine.data())).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
