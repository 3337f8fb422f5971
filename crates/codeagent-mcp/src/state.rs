//! What do all calls share? The repository and, as soon as there is an index, the engine.
//!
//! A server answers at once: the engine is opened by a thread of its own, which also takes in what changed on disk since the last time. Until
//! a first index is complete, questions about symbols are answered with how far it is.
//!
//! If another process has the right to write, what it has written is served, and as soon as it is gone this one takes its place.
//!
//! **Limits.** One repository per server.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use codeagent_core::engine::{Answers, Engine, EngineError, EngineOptions, ErrorKind};
use codeagent_core::ingest::{IngestOptions, Progress};
use codeagent_core::query;
use codeagent_core::store::{self, StoreError};
use codeagent_workspace::{DataHome, OpenError, RepoPath, Workspace};

use crate::error::ToolError;
use crate::tools::management::StatusReport;

/// How long a question waits for an engine that is about to be ready: small repositories are indexed by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a server that reads asks whether it may write, and looks for a new index.
const SUCCESSION: Duration = Duration::from_secs(1);

/// Shared by all calls.
pub struct State {
    workspace: Workspace,
    home: DataHome,
    stage: Mutex<Stage>,
    /// The stage is another one now.
    moved: Condvar,
    cancel: Arc<AtomicBool>,
    starter: Mutex<Option<JoinHandle<()>>>,
    heir: Mutex<Option<JoinHandle<()>>>,
}

/// How far the engine is.
enum Stage {
    /// Nothing is open, nor will be.
    Closed,
    /// The engine is being opened.
    Opening,
    /// The first index is being made.
    Indexing(Arc<Engine>, Option<Progress>),
    /// The index is complete; perhaps what changed since the last time is being taken in.
    Ready(Arc<Engine>),
    /// Another process makes the first index.
    Elsewhere(Option<Answers>),
    /// Another process writes.
    ReadOnly(Answers),
    /// It cannot be opened.
    Failed(ToolError),
}

impl State {
    /// The state of a server over the repository at `root`, whose index lies at `home`, without an engine yet.
    pub fn open(root: &Path, home: DataHome) -> Result<Arc<Self>, OpenError> {
        Ok(Arc::new(Self {
            workspace: Workspace::open(root)?,
            home,
            stage: Mutex::new(Stage::Closed),
            moved: Condvar::new(),
            cancel: Arc::default(),
            starter: Mutex::default(),
            heir: Mutex::default(),
        }))
    }

    /// The state of who asks an index that is there and leaves it as it is.
    #[must_use]
    pub fn of_answers(answers: Answers) -> Self {
        Self {
            workspace: answers.workspace().clone(),
            home: DataHome::default(),
            stage: Mutex::new(Stage::ReadOnly(answers)),
            moved: Condvar::new(),
            cancel: Arc::default(),
            starter: Mutex::default(),
            heir: Mutex::default(),
        }
    }

    /// Opens the engine in the background and brings the index up to date.
    pub fn start(self: &Arc<Self>) {
        self.enter(Stage::Opening);
        self.spawn("codeagent-start", &self.starter, Self::prepare);
    }

    fn spawn(self: &Arc<Self>, name: &str, place: &Mutex<Option<JoinHandle<()>>>, work: fn(&Arc<Self>)) {
        let state = Arc::clone(self);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| work(&state))).is_err() {
                state.enter(Stage::Failed(ToolError::index("indexing failed because of a defect in codeagent; file tools work")));
            }
        });
        match thread {
            Ok(thread) => *lock(place) = Some(thread),
            Err(error) => self.enter(Stage::Failed(ToolError::unavailable(format!("no thread can be started: {error}")))),
        }
    }

    /// Waits until the engine is ready, or never will be, or another process has the index.
    pub fn wait(&self) {
        join(&self.starter);
    }

    /// Stops what is going on and gives the index back, complete up to the last batch.
    pub fn close(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        drop(lock(&self.stage));
        self.moved.notify_all();
        // The first starts the second.
        join(&self.starter);
        join(&self.heir);
        self.enter(Stage::Closed);
    }

    /// The repository.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// A path as a caller wrote it.
    pub fn path(&self, text: &str) -> Result<RepoPath, ToolError> {
        Ok(self.workspace.resolve(text)?)
    }

    /// What questions are put to.
    pub fn answers(&self) -> Result<Answers, ToolError> {
        match &*self.settled(Stage::is_under_way) {
            Stage::Ready(engine) => Ok(engine.answers()),
            Stage::ReadOnly(answers) => Ok(answers.clone()),
            other => Err(other.unavailable()),
        }
    }

    /// What changes are put to.
    pub fn engine(&self) -> Result<Arc<Engine>, ToolError> {
        match &*self.settled(Stage::is_under_way) {
            Stage::Ready(engine) => Ok(Arc::clone(engine)),
            other => Err(other.unavailable()),
        }
    }

    /// How the index is, what is going on with it, and what is odd about the settings.
    pub fn status(&self) -> Result<(StatusReport, Option<String>, Vec<String>), ToolError> {
        let (answers, healthy, remark) = match &*self.settled(|stage| matches!(stage, Stage::Opening)) {
            Stage::Ready(engine) => (engine.answers(), engine.is_healthy(), None),
            Stage::Indexing(engine, progress) => (engine.answers(), engine.is_healthy(), Some(shown(*progress))),
            Stage::ReadOnly(answers) => (answers.clone(), true, Some("another process writes this index".to_owned())),
            Stage::Elsewhere(Some(answers)) => (answers.clone(), true, Some("by another process, for the first time".to_owned())),
            other => return Err(other.unavailable()),
        };
        let status = query::status(&answers.snapshot()?)?;
        Ok((StatusReport::new(&status, healthy), remark, answers.workspace().config().remarks.clone()))
    }

    fn enter(&self, stage: Stage) {
        *lock(&self.stage) = stage;
        self.moved.notify_all();
    }

    /// The stage once it is no longer `passing`, or after a while.
    fn settled(&self, passing: fn(&Stage) -> bool) -> MutexGuard<'_, Stage> {
        let waited = self.moved.wait_timeout_while(lock(&self.stage), PATIENCE, |stage| passing(stage));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn prepare(self: &Arc<Self>) {
        if let Some(remark) = self.workspace.brought_index() {
            tracing::warn!("{remark}");
        }
        match self.open_engine() {
            Ok(engine) => self.bring_up_to_date(engine),
            Err(error) => {
                if self.make_do(error) {
                    self.spawn("codeagent-heir", &self.heir, |state| state.succeed());
                }
            }
        }
    }

    /// Waits for the right to write, and meanwhile serves the index that is there: it may be another file than a moment ago.
    fn succeed(&self) {
        while !self.is_closing_within(SUCCESSION) {
            match self.open_engine() {
                Ok(engine) => return self.bring_up_to_date(engine),
                Err(error) => {
                    if !self.make_do(error) {
                        return;
                    }
                }
            }
        }
    }

    fn is_closing_within(&self, time: Duration) -> bool {
        let is_open = |_: &mut Stage| !self.cancel.load(Ordering::Relaxed);
        drop(self.moved.wait_timeout_while(lock(&self.stage), time, is_open));
        self.cancel.load(Ordering::Relaxed)
    }

    fn open_engine(&self) -> Result<Engine, EngineError> {
        let ingest = IngestOptions { cancel: Arc::clone(&self.cancel), ..IngestOptions::default() };
        let options = EngineOptions { ingest, tolerate_config: true, home: self.home.clone(), ..EngineOptions::default() };
        Engine::open(self.workspace.root(), options)
    }

    fn bring_up_to_date(&self, engine: Engine) {
        let engine = Arc::new(engine);
        let is_complete = is_complete(&engine.answers()).unwrap_or(false);
        self.enter(if is_complete { Stage::Ready(Arc::clone(&engine)) } else { Stage::Indexing(Arc::clone(&engine), None) });
        let indexed = engine.index(&|progress| self.note(progress));
        self.enter(match indexed {
            Err(error) if !is_complete => Stage::Failed(error.into()),
            Err(error) => {
                tracing::warn!(%error, "the index could not be brought up to date");
                Stage::Ready(engine)
            }
            Ok(_) => Stage::Ready(engine),
        });
    }

    /// Serves what can be served without an engine; true if that is so because another process has it.
    fn make_do(&self, error: EngineError) -> bool {
        let is_locked = error.kind() == ErrorKind::Locked;
        self.enter(if is_locked { self.elsewhere() } else { Stage::Failed(error.into()) });
        is_locked
    }

    fn elsewhere(&self) -> Stage {
        match Answers::open(self.workspace.root(), &self.home) {
            Ok(answers) if is_complete(&answers).unwrap_or(false) => Stage::ReadOnly(answers),
            Ok(answers) => Stage::Elsewhere(Some(answers)),
            Err(error) if matches!(error.kind(), ErrorKind::NotIndexed) => Stage::Elsewhere(None),
            Err(error) => Stage::Failed(error.into()),
        }
    }

    fn note(&self, progress: Progress) {
        if let Stage::Indexing(_, noted) = &mut *lock(&self.stage) {
            *noted = Some(progress);
        }
    }
}

impl Stage {
    fn is_under_way(&self) -> bool {
        matches!(self, Self::Opening | Self::Indexing(..) | Self::Elsewhere(_))
    }

    /// Why there is no answer now, and what to do.
    fn unavailable(&self) -> ToolError {
        match self {
            Self::Failed(error) => error.clone(),
            Self::Indexing(_, progress) => ToolError::unavailable(format!(
                "the repository is being indexed for the first time ({}); ask again in some seconds, file tools work already",
                shown(*progress)
            )),
            Self::ReadOnly(_) => {
                ToolError::unavailable("another codeagent writes this index; call index_files there, or here once that one has ended")
            }
            Self::Elsewhere(_) => ToolError::unavailable(
                "another codeagent indexes the repository for the first time; ask again in some seconds, file tools work already",
            ),
            Self::Closed | Self::Opening | Self::Ready(_) => {
                ToolError::unavailable("the engine is being opened or closed; ask again in a moment")
            }
        }
    }
}

fn shown(progress: Option<Progress>) -> String {
    match progress {
        None => "starting".to_owned(),
        Some(Progress { phase, total: 0, .. }) => phase.as_str().to_owned(),
        Some(Progress { phase, done, total }) => format!("{} {done} of {total}", phase.as_str()),
    }
}

/// Whether a first index was ever finished.
fn is_complete(answers: &Answers) -> Result<bool, StoreError> {
    Ok(store::metadata(&answers.snapshot()?, store::SCANNED_AT)?.is_some())
}

fn join(thread: &Mutex<Option<JoinHandle<()>>>) {
    let thread = lock(thread).take();
    // A panic in there is caught in there.
    thread.map(JoinHandle::join).transpose().ok();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half changed under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
