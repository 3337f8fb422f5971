//! What do all calls share? The repository and, as soon as there is an index, the engine.
//!
//! A server answers at once: the engine is opened by a thread of its own, which also takes in what changed on disk since the last time. Until
//! a first index is complete, questions about symbols are answered with how far it is.
//!
//! **Limits.** One repository per server. If another process holds the right to write, its index is served, and not brought up to date.

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
use codeagent_workspace::{OpenError, RepoPath, Workspace};

use crate::error::ToolError;
use crate::tools::management::StatusReport;

/// How long a question waits for an engine that is about to be ready: small repositories are indexed by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Shared by all calls.
pub struct State {
    workspace: Workspace,
    stage: Mutex<Stage>,
    /// The stage is another one now.
    moved: Condvar,
    cancel: Arc<AtomicBool>,
    starter: Mutex<Option<JoinHandle<()>>>,
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
    /// Another process writes.
    ReadOnly(Answers),
    /// It cannot be opened.
    Failed(ToolError),
}

impl State {
    /// The state of a server over the repository at `root`, without an engine yet.
    pub fn open(root: &Path) -> Result<Arc<Self>, OpenError> {
        Ok(Arc::new(Self {
            workspace: Workspace::open(root)?,
            stage: Mutex::new(Stage::Closed),
            moved: Condvar::new(),
            cancel: Arc::default(),
            starter: Mutex::default(),
        }))
    }

    /// Opens the engine in the background and brings the index up to date.
    pub fn start(self: &Arc<Self>) {
        self.enter(Stage::Opening);
        let state = Arc::clone(self);
        let starter = std::thread::Builder::new().name("codeagent-start".to_owned()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| state.prepare())).is_err() {
                state.enter(Stage::Failed(ToolError::index("indexing failed because of a defect in codeagent; file tools work")));
            }
        });
        match starter {
            Ok(starter) => *lock(&self.starter) = Some(starter),
            Err(error) => self.enter(Stage::Failed(ToolError::unavailable(format!("no thread can be started: {error}")))),
        }
    }

    /// Waits until the engine is ready, or never will be.
    pub fn wait(&self) {
        let starter = lock(&self.starter).take();
        // A panic in there is caught in there.
        starter.map(JoinHandle::join).transpose().ok();
    }

    /// Stops what is going on and gives the index back, complete up to the last batch.
    pub fn close(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.wait();
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
            Stage::Ready(engine) => (engine.answers(), true, None),
            Stage::Indexing(engine, progress) => (engine.answers(), true, Some(shown(*progress))),
            Stage::ReadOnly(answers) => (answers.clone(), true, Some("another process brings this index up to date".to_owned())),
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

    fn prepare(&self) {
        let ingest = IngestOptions { cancel: Arc::clone(&self.cancel), ..IngestOptions::default() };
        let options = EngineOptions { ingest, tolerate_config: true, ..EngineOptions::default() };
        let engine = match Engine::open(self.workspace.root(), options) {
            Ok(engine) => Arc::new(engine),
            Err(error) => {
                self.enter(self.without_engine(error));
                return;
            }
        };
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

    /// An engine cannot be had; perhaps another process has it.
    fn without_engine(&self, error: EngineError) -> Stage {
        if error.kind() == ErrorKind::Locked
            && let Ok(answers) = Answers::open(self.workspace.root())
        {
            return Stage::ReadOnly(answers);
        }
        Stage::Failed(error.into())
    }

    fn note(&self, progress: Progress) {
        if let Stage::Indexing(_, noted) = &mut *lock(&self.stage) {
            *noted = Some(progress);
        }
    }
}

impl Stage {
    fn is_under_way(&self) -> bool {
        matches!(self, Self::Opening | Self::Indexing(..))
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
                ToolError::unavailable("another process holds the right to write this index and brings it up to date itself")
            }
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half changed under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
