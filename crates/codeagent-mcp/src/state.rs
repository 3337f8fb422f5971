//! What do all calls share? The repository and, as soon as there is an index, the engine.
//!
//! A server answers at once: the engine is opened by a thread of its own, and a keeper takes in
//! what changed on disk since the last time and what changes from then on. Until a first index is
//! complete, questions about symbols are answered with how far it is; later ones wait until the
//! changes made before them are in the index, and past [`FRESHNESS_TIMEOUT`] say what is not.
//!
//! If another process has the right to write, it is asked to take changes in and what it has
//! written is served; as soon as it is gone this one takes its place. A database that was removed
//! or replaced is noticed by the next question, and opened again.
//!
//! **Limits.** One repository per server.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use codeagent_core::embed::Source;
use codeagent_core::engine::{Answers, Engine, EngineError, EngineOptions, ErrorKind};
use codeagent_core::query::{self, IndexStatus};
use codeagent_core::service::ipc::{SyncRequest, WriterConnection, sync, writer_info};
use codeagent_core::service::{
    FRESHNESS_TIMEOUT, IndexService, Role, Staleness, quick_check, vector_progress,
};
use codeagent_core::{IngestOptions, Progress};
use codeagent_workspace::{DataHome, OpenError, RepoPath, Workspace};

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::tools::management::StatusReport;

/// How long a question waits for an engine that is about to be ready: small repositories are
/// indexed by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long another process may take to index named files.
const ELSEWHERE: Duration = Duration::from_secs(60);

/// How often a server that reads asks whether it may write, and looks for a new index.
const STANDBY_INTERVAL: Duration = Duration::from_millis(250);

/// How a server indexes.
#[derive(Clone, Debug, Default)]
pub struct Indexing {
    /// Threads that index; 0: one for each processor.
    pub threads: usize,
    /// What makes vectors that know meanings.
    pub model: Source,
}

/// Said where a model should have made vectors.
pub const MODEL_BROKEN: &str = "the model that is installed cannot be used, so words and letters are compared; `codeagent model status` says why";

/// Shared by all calls.
pub struct State {
    me: Weak<State>,
    workspace: Mutex<Workspace>,
    home: DataHome,
    indexing: Indexing,
    stage: Mutex<Stage>,
    /// The stage is another one now.
    moved: Condvar,
    cancel: Arc<AtomicBool>,
    starter: Mutex<Option<JoinHandle<()>>>,
    standby: Mutex<Option<JoinHandle<()>>>,
    healer: Mutex<Option<JoinHandle<()>>>,
    is_healing: AtomicBool,
    /// With the process that has the right to write.
    visit: Mutex<Option<Arc<WriterConnection>>>,
}

/// How far the engine is.
enum Stage {
    /// Nothing is open, nor will be.
    Closed,
    /// The engine is being opened.
    Opening,
    /// The first index is being made.
    Indexing(Arc<IndexService>, Option<Progress>),
    /// The index is complete; perhaps what changed since the last time is being taken in.
    Ready(Arc<IndexService>),
    /// Another process makes the first index.
    Elsewhere(Option<Answers>),
    /// Another process writes.
    ReadOnly(Answers),
    /// It cannot be opened.
    Failed(ToolError),
}

impl State {
    /// The state of a server over the repository at `root`, whose index lies at `home`, without an
    /// engine yet.
    pub fn open(root: &Path, home: DataHome) -> Result<Arc<Self>, OpenError> {
        Self::with_indexing(root, home, Indexing::default())
    }

    /// The same, indexed in a way that the caller chooses.
    pub fn with_indexing(
        root: &Path,
        home: DataHome,
        indexing: Indexing,
    ) -> Result<Arc<Self>, OpenError> {
        let workspace = Workspace::open(root)?;
        Ok(Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            workspace: Mutex::new(workspace),
            home,
            indexing,
            stage: Mutex::new(Stage::Closed),
            moved: Condvar::new(),
            cancel: Arc::default(),
            starter: Mutex::default(),
            standby: Mutex::default(),
            healer: Mutex::default(),
            is_healing: AtomicBool::new(false),
            visit: Mutex::default(),
        }))
    }

    /// The state of who asks an index that is there and leaves it as it is.
    #[must_use]
    pub fn of_answers(answers: Answers) -> Self {
        Self {
            me: Weak::new(),
            workspace: Mutex::new(answers.workspace().clone()),
            home: DataHome::default(),
            indexing: Indexing::default(),
            stage: Mutex::new(Stage::ReadOnly(answers)),
            moved: Condvar::new(),
            cancel: Arc::default(),
            starter: Mutex::default(),
            standby: Mutex::default(),
            healer: Mutex::default(),
            is_healing: AtomicBool::new(false),
            visit: Mutex::default(),
        }
    }

    /// Opens the engine in the background and brings the index up to date.
    pub fn start(self: &Arc<Self>) {
        self.enter(Stage::Opening);
        self.spawn("codeagent-start", &self.starter, Self::prepare);
    }

    fn spawn(
        self: &Arc<Self>,
        name: &str,
        place: &Mutex<Option<JoinHandle<()>>>,
        work: fn(&Arc<Self>),
    ) {
        let state = Arc::clone(self);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                if catch_unwind(AssertUnwindSafe(|| work(&state))).is_err() {
                    state.enter(Stage::Failed(ToolError::index(
                        "indexing failed because of a defect in codeagent; file tools work",
                    )));
                }
            });
        match thread {
            Ok(thread) => *lock(place) = Some(thread),
            Err(error) => self.enter(Stage::Failed(ToolError::unavailable(format!(
                "no thread can be started: {error}"
            )))),
        }
    }

    /// Waits until the engine is ready, or never will be, or another process has the index.
    pub fn wait(&self) {
        join(&self.starter);
    }

    /// Stops what is going on and gives the index back, complete up to the last batch.
    pub fn close(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        let keeper = match &*lock(&self.stage) {
            Stage::Ready(keeper) | Stage::Indexing(keeper, _) => Some(Arc::clone(keeper)),
            _ => None,
        };
        self.moved.notify_all();
        if let Some(keeper) = keeper {
            keeper.stop();
        }
        if let Some(visit) = &*lock(&self.visit) {
            visit.end();
        }
        // The first starts the second.
        join(&self.starter);
        join(&self.standby);
        join(&self.healer);
        self.enter(Stage::Closed);
    }

    /// The repository.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        let mut workspace = lock(&self.workspace);
        // A server outlives a root that is removed and made again.
        *workspace = workspace.renewed();
        workspace.clone()
    }

    /// A path as a caller wrote it.
    pub fn path(&self, text: &str) -> Result<RepoPath, ToolError> {
        Ok(self.workspace().resolve(text)?)
    }

    /// What questions are put to.
    pub fn answers(&self) -> Result<Answers, ToolError> {
        match &*self.stage_after(Stage::is_under_way) {
            Stage::Ready(keeper) if keeper.engine().is_rebuilding() => Err(being_renewed()),
            Stage::Ready(keeper) => Ok(keeper.engine().answers()),
            Stage::ReadOnly(answers) => Ok(answers.clone()),
            other => Err(other.unavailable()),
        }
    }

    /// What the questions of one call are put to.
    pub fn answers_for(&self, arguments: &Arguments) -> Result<Answers, ToolError> {
        Ok(self.answers()?.cancelled_by(arguments.canceller().clone()))
    }

    /// What changes are put to.
    pub fn engine(&self) -> Result<Arc<Engine>, ToolError> {
        match &*self.stage_after(Stage::is_under_way) {
            Stage::Ready(keeper) => Ok(Arc::clone(keeper.engine())),
            other => Err(other.unavailable()),
        }
    }

    /// Waits until the index is as the disk is now, for at most [`FRESHNESS_TIMEOUT`]; says what is not in
    /// it.
    #[must_use]
    pub fn wait_until_fresh(&self) -> Staleness {
        drop(self.stage_after(Stage::is_under_way));
        if let Some(answers) = self.read_only() {
            if !answers.is_in_place() {
                self.enter(self.elsewhere());
            }
            let lag = quick_check(&answers);
            // The process that writes it may have found it damaged when it was asked.
            if !answers.is_in_place() {
                self.enter(self.elsewhere());
            }
            return lag;
        }
        if self
            .keeper()
            .is_some_and(|keeper| !keeper.engine().is_in_place())
        {
            self.open_again();
            drop(self.stage_after(Stage::is_under_way));
        }
        // Nothing is locked while one waits: a batch tells how far it is.
        self.keeper().map_or_else(Staleness::default, |keeper| {
            keeper.wait_until_fresh(Some(FRESHNESS_TIMEOUT))
        })
    }

    /// What keeps the index, if this process does.
    fn keeper(&self) -> Option<Arc<IndexService>> {
        match &*lock(&self.stage) {
            Stage::Ready(keeper) => Some(Arc::clone(keeper)),
            _ => None,
        }
    }

    /// What is read, if another process keeps the index.
    fn read_only(&self) -> Option<Answers> {
        match &*lock(&self.stage) {
            Stage::ReadOnly(answers) => Some(answers.clone()),
            _ => None,
        }
    }

    /// Opens the engine again: somebody has removed or replaced the database.
    fn open_again(&self) {
        let Some(state) = self.me.upgrade() else {
            return;
        };
        let mut stage = lock(&self.stage);
        let Stage::Ready(keeper) = &*stage else {
            return;
        };
        let keeper = Arc::clone(keeper);
        if keeper.engine().is_in_place() {
            return;
        }
        tracing::warn!("the database was removed or replaced; it is opened again");
        *stage = Stage::Opening;
        drop(stage);
        keeper.stop();
        drop(keeper);
        state.spawn("codeagent-start", &self.starter, Self::prepare);
    }

    /// Has an index made anew that an answer showed to be damaged, in the background, by whoever
    /// writes it.
    pub fn rebuild_in_background(&self) {
        let Some(state) = self.me.upgrade() else {
            return;
        };
        if !self.is_healing.swap(true, Ordering::AcqRel) {
            join(&self.healer);
            state.spawn("codeagent-healer", &self.healer, |state| {
                state.rebuild_index();
                state.is_healing.store(false, Ordering::Release);
            });
        }
    }

    fn rebuild_index(&self) {
        let healed = match (self.keeper(), self.read_only()) {
            (Some(keeper), _) => keeper
                .engine()
                .rebuild("an answer could not be read", &|_| {})
                .map(drop)
                .map_err(|error| error.to_string()),
            // One that was replaced meanwhile may look damaged to who still reads the old one.
            (None, Some(answers)) if answers.is_in_place() => {
                let wish = SyncRequest {
                    anew: true,
                    ..SyncRequest::default()
                };
                sync(answers.data(), &wish, FRESHNESS_TIMEOUT)
                    .map(drop)
                    .map_err(|error| error.to_string())
            }
            (None, Some(_)) => {
                self.enter(self.elsewhere());
                Ok(())
            }
            (None, None) => Ok(()),
        };
        if let Err(error) = healed {
            tracing::warn!(error, "a damaged index could not be made anew");
        }
    }

    /// Has changes taken in by whoever writes; paths are compared by their content. `None` if this
    /// process does so itself.
    pub fn sync_via_writer(&self, paths: &[RepoPath]) -> Option<Result<(), ToolError>> {
        let answers = self.read_only()?;
        let wish = SyncRequest {
            paths: paths.to_vec(),
            ..SyncRequest::default()
        };
        Some(match sync(answers.data(), &wish, ELSEWHERE) {
            Ok(granted) => granted
                .behind
                .map_or(Ok(()), |behind| Err(ToolError::index(behind))),
            Err(error) => Err(ToolError::unavailable(format!(
                "another codeagent writes this index and does not answer ({error}); ask again"
            ))),
        })
    }

    /// How the index is, what is going on with it, and what is odd about the settings.
    pub fn status(&self) -> Result<(StatusReport, Option<String>, Vec<String>), ToolError> {
        let is_ready = matches!(
            &*self.stage_after(|stage| matches!(stage, Stage::Opening)),
            Stage::Ready(_)
        );
        let behind = if is_ready {
            self.keeper().and_then(|keeper| behind(&keeper))
        } else {
            None
        };
        let elsewhere = self.read_only().map(|answers| kept_elsewhere(&answers));
        let keeper =
            |keeper: &IndexService| (keeper.engine().answers(), keeper.engine().is_healthy());
        let ((answers, healthy), remark, watched) = match &*self
            .stage_after(|stage| matches!(stage, Stage::Opening))
        {
            Stage::Ready(kept) if kept.engine().is_rebuilding() => {
                return Ok(self.unhealthy("the index was damaged and is being rebuilt"));
            }
            Stage::Ready(kept) => (keeper(kept), behind, true),
            Stage::Indexing(kept, progress) => (keeper(kept), Some(shown(*progress)), true),
            Stage::ReadOnly(answers) => {
                let (behind, watched) = elsewhere.unwrap_or_default();
                ((answers.clone(), true), behind, watched)
            }
            Stage::Elsewhere(Some(answers)) => (
                (answers.clone(), true),
                Some("by another process, for the first time".to_owned()),
                false,
            ),
            // What is wrong may name places of the machine: those who ask about symbols are told.
            Stage::Failed(_) => {
                return Ok(self
                    .unhealthy("the index cannot be opened; a question about a symbol says why"));
            }
            Stage::Closed => return Ok(self.unhealthy("the engine is closed")),
            Stage::Opening | Stage::Elsewhere(None) => {
                return Ok(self.unhealthy("the index is being opened; ask again in a moment"));
            }
        };
        let Ok(status) = answers
            .snapshot()
            .map_err(query::QueryError::from)
            .and_then(|snapshot| query::status(&snapshot, answers.vectors()))
        else {
            return Ok(
                self.unhealthy("the index cannot be read; a question about a symbol says why")
            );
        };
        let remark = match (remark, self.making_vectors(&answers)) {
            (Some(remark), Some(making)) => Some(format!("{remark}; {making}")),
            (remark, making) => remark.or(making),
        };
        let report = StatusReport {
            watcher_active: watched,
            ..StatusReport::new(&status, healthy)
        };
        let report = report.with_coverage(answers.coverage(&status.counts));
        Ok((report, remark, answers.workspace().config().remarks.clone()))
    }

    /// How far the vectors of a model are while they are made, or that it cannot be used. Why names
    /// places of the machine, so the command says it.
    fn making_vectors(&self, answers: &Answers) -> Option<String> {
        if self
            .keeper()
            .is_some_and(|keeper| keeper.vector_trouble().is_some())
            || answers.vectors().is_model_broken()
        {
            return Some(MODEL_BROKEN.to_owned());
        }
        let progress = vector_progress(&answers.snapshot().ok()?).ok()??;
        (progress.done < progress.total).then(|| progress.to_string())
    }

    fn unhealthy(&self, remark: &str) -> (StatusReport, Option<String>, Vec<String>) {
        (
            StatusReport::new(&IndexStatus::default(), false),
            Some(remark.to_owned()),
            Vec::new(),
        )
    }

    fn enter(&self, stage: Stage) {
        let before = std::mem::replace(&mut *lock(&self.stage), stage);
        self.moved.notify_all();
        // A keeper that ends may still want to tell how far it is.
        drop(before);
    }

    /// The stage once it is no longer `passing`, or after a while.
    fn stage_after(&self, passing: fn(&Stage) -> bool) -> MutexGuard<'_, Stage> {
        let waited = self
            .moved
            .wait_timeout_while(lock(&self.stage), PATIENCE, |stage| passing(stage));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn prepare(self: &Arc<Self>) {
        if let Some(remark) = self.workspace().brought_index() {
            tracing::warn!("{remark}");
        }
        match self.open_engine() {
            Ok(engine) => self.bring_up_to_date(engine),
            Err(error) => {
                if self.degrade(error) {
                    self.spawn("codeagent-standby", &self.standby, |state| state.stand_by());
                }
            }
        }
    }

    /// Waits for the right to write, and meanwhile serves the index that is there: it may be
    /// another file than a moment ago.
    fn stand_by(self: &Arc<Self>) {
        while !self.is_closing_within(Duration::ZERO) {
            // A first index has to be noticed when it is complete.
            let is_first = matches!(&*lock(&self.stage), Stage::Elsewhere(_));
            if (is_first || !self.stay_with_writer()) && self.is_closing_within(STANDBY_INTERVAL) {
                return;
            }
            match self.open_engine() {
                Ok(engine) => {
                    self.bring_up_to_date(engine);
                    return;
                }
                Err(error) => {
                    if !self.degrade(error) {
                        return;
                    }
                }
            }
        }
    }

    /// Stays with the process that writes until it ends; false if it lets nobody in.
    fn stay_with_writer(&self) -> bool {
        let data = self.home.data_dir(self.workspace().root());
        let Some(visit) = data
            .ok()
            .and_then(|data| WriterConnection::begin(&data).ok())
        else {
            return false;
        };
        let visit = Arc::new(visit);
        *lock(&self.visit) = Some(Arc::clone(&visit));
        if !self.cancel.load(Ordering::Relaxed) {
            visit.wait();
        }
        *lock(&self.visit) = None;
        true
    }

    fn is_closing_within(&self, time: Duration) -> bool {
        let is_open = |_: &mut Stage| !self.cancel.load(Ordering::Relaxed);
        drop(
            self.moved
                .wait_timeout_while(lock(&self.stage), time, is_open),
        );
        self.cancel.load(Ordering::Relaxed)
    }

    fn open_engine(&self) -> Result<Engine, EngineError> {
        let ingest = IngestOptions {
            threads: self.indexing.threads,
            cancel: Arc::clone(&self.cancel),
            in_background: true,
            ..IngestOptions::default()
        };
        let (home, model) = (self.home.clone(), self.indexing.model.clone());
        let options = EngineOptions {
            ingest,
            tolerate_config: true,
            home,
            model,
            ..EngineOptions::default()
        };
        Engine::open(self.workspace().root(), options)
    }

    fn bring_up_to_date(self: &Arc<Self>, engine: Engine) {
        let is_complete = engine.answers().is_complete().unwrap_or(false);
        let state = Arc::downgrade(self);
        let progress = move |progress| {
            state
                .upgrade()
                .iter()
                .for_each(|state| state.note(progress))
        };
        let keeper = match IndexService::start(Arc::new(engine), Role::Server, progress) {
            Ok(keeper) => Arc::new(keeper),
            Err(error) => {
                return self.enter(Stage::Failed(ToolError::unavailable(format!(
                    "no thread can be started: {error}"
                ))));
            }
        };
        self.enter(if is_complete {
            Stage::Ready(Arc::clone(&keeper))
        } else {
            Stage::Indexing(Arc::clone(&keeper), None)
        });
        let lag = keeper.wait_until_fresh(None);
        match lag.failure {
            Some(failure) if !is_complete => self.enter(Stage::Failed(ToolError::index(failure))),
            _ => self.enter(Stage::Ready(keeper)),
        }
    }

    /// Serves what can be served without an engine; true if that is so because another process has
    /// it.
    fn degrade(&self, error: EngineError) -> bool {
        let is_locked = error.kind() == ErrorKind::Locked;
        self.enter(if is_locked {
            self.elsewhere()
        } else {
            Stage::Failed(error.into())
        });
        is_locked
    }

    fn elsewhere(&self) -> Stage {
        match Answers::open(self.workspace().root(), &self.home)
            .map(|answers| answers.with_model(self.indexing.model.clone()))
        {
            Ok(answers) if answers.is_complete().unwrap_or(false) => Stage::ReadOnly(answers),
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
        matches!(
            self,
            Self::Opening | Self::Indexing(..) | Self::Elsewhere(_)
        )
    }

    /// Why there is no answer now, and what to do.
    fn unavailable(&self) -> ToolError {
        match self {
            Self::Failed(error) => error.clone(),
            Self::Indexing(_, progress) => ToolError::unavailable(format!(
                "the repository is being indexed for the first time ({}); try again in a few seconds; file tools already work",
                shown(*progress)
            )),
            Self::ReadOnly(_) => ToolError::unavailable(
                "another codeagent process is writing this index; try again in a moment",
            ),
            Self::Elsewhere(_) => ToolError::unavailable(
                "another codeagent process is indexing the repository for the first time; try again in a few seconds; file tools already work",
            ),
            Self::Closed | Self::Opening | Self::Ready(_) => {
                ToolError::unavailable("the engine is starting or stopping; try again in a moment")
            }
        }
    }
}

/// What has changed and is not in the index yet, if something has.
fn behind(keeper: &IndexService) -> Option<String> {
    let lag = keeper.wait_until_fresh(Some(FRESHNESS_TIMEOUT));
    let trouble = keeper
        .trouble()
        .map(|trouble| format!("{trouble}; files are polled instead"));
    let texts: Vec<String> = (!lag.is_none())
        .then(|| lag.to_string())
        .into_iter()
        .chain(trouble)
        .collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// What an index that another process keeps does not hold yet, and whether that process watches the
/// files.
fn kept_elsewhere(answers: &Answers) -> (Option<String>, bool) {
    let lag = quick_check(answers);
    (
        (!lag.is_none()).then(|| lag.to_string()),
        writer_info(answers.data()).is_ok(),
    )
}

fn shown(progress: Option<Progress>) -> String {
    match progress {
        None => "starting".to_owned(),
        Some(Progress {
            phase, total: 0, ..
        }) => phase.as_str().to_owned(),
        Some(Progress { phase, done, total }) => format!("{} {done} of {total}", phase.as_str()),
    }
}

/// Said while a damaged index is made anew.
fn being_renewed() -> ToolError {
    ToolError::unavailable(
        "the index was damaged and is being rebuilt; try again in a few seconds; file tools already work",
    )
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
