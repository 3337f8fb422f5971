//! The state shared by all calls about one repository: its files and its index service.
//!
//! A server answers at once, while the service opens the index in the background. Queries about
//! symbols wait briefly for it, and return its progress as an error until the first index is
//! complete.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codeagent_core::Progress;
use codeagent_core::embed::ModelHandle;
use codeagent_core::engine::{Engine, IndexReader};
use codeagent_core::query::{self, IndexStatus, QueryError};
use codeagent_core::service::{
    Activity, FRESHNESS_TIMEOUT, IndexService, ServiceFailure, ServiceOptions, ServiceStatus,
    Staleness, Unavailable,
};
use codeagent_render::{StatusReport, staleness_text};
use codeagent_workspace::{DataRoot, OpenError, RepoPath, Workspace};

use crate::arguments::Arguments;
use crate::error::ToolError;

/// Indexing options of a server.
#[derive(Clone, Debug, Default)]
pub struct Indexing {
    /// Number of indexing threads; 0 is one per processor.
    pub threads: usize,
    /// The embedding model.
    pub model: ModelHandle,
    /// Time after which an unused repository of several is closed, if not the default; never if
    /// zero.
    pub idle: Option<Duration>,
}

/// The note for results without vectors because the model cannot be used.
pub const MODEL_BROKEN: &str = "the installed model cannot be used, so only words and letters are \
                                compared; see `codeagent model status`";

/// The state shared by all calls.
pub struct State {
    index: IndexService,
}

impl State {
    /// Creates the state of a server over the repository at `root`, with indexes in `home`, without
    /// opening the index.
    pub fn open(root: &Path, home: DataRoot) -> Result<Arc<Self>, OpenError> {
        Self::with_indexing(root, home, Indexing::default())
    }

    /// Like [`Self::open`], with the caller's settings.
    pub fn with_indexing(
        root: &Path,
        home: DataRoot,
        indexing: Indexing,
    ) -> Result<Arc<Self>, OpenError> {
        let Indexing { threads, model, .. } = indexing;
        let options = ServiceOptions {
            home,
            threads,
            model,
            ..ServiceOptions::default()
        };
        let index = IndexService::new(root, options)?;
        Ok(Arc::new(Self { index }))
    }

    /// Opens the index in the background and brings it up to date.
    pub fn start(&self) {
        self.index.start();
    }

    /// Waits until the index is up to date or cannot be opened, or another process writes it.
    pub fn wait(&self) {
        self.index.wait_until_open();
    }

    /// Stops everything in progress and closes the index, complete up to the last batch.
    pub fn close(&self) {
        self.index.stop();
    }

    /// Returns the repository's files.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        self.index.workspace()
    }

    /// Parses a path of the repository as a caller wrote it.
    pub fn path(&self, text: &str) -> Result<RepoPath, ToolError> {
        Ok(self.workspace().resolve(text)?)
    }

    /// Returns a reader of the index.
    pub fn answers(&self) -> Result<IndexReader, ToolError> {
        Ok(self.index.reader()?)
    }

    /// Returns a reader of the index for one call, which may be cancelled.
    pub fn answers_for(&self, arguments: &Arguments) -> Result<IndexReader, ToolError> {
        Ok(self.answers()?.cancelled_by(arguments.canceller().clone()))
    }

    /// Returns the engine, if this process writes the index.
    pub fn engine(&self) -> Result<Arc<Engine>, ToolError> {
        Ok(self.index.engine()?)
    }

    /// Waits until the index contains every change made before this call, for at most
    /// [`FRESHNESS_TIMEOUT`], and returns what it is missing.
    #[must_use]
    pub fn wait_until_fresh(&self) -> Staleness {
        self.index.wait_until_fresh(Some(FRESHNESS_TIMEOUT))
    }

    /// Rebuilds an index that a query found damaged, in the background.
    pub fn rebuild_in_background(&self) {
        self.index.rebuild_in_background();
    }

    /// Has the process that writes the index update these files, compared by content. Returns
    /// `None` if this process writes it.
    pub fn sync_via_writer(&self, paths: &[RepoPath]) -> Option<Result<(), ToolError>> {
        let reply = self.index.sync_via_writer(paths)?;
        Some(match reply {
            Ok(reply) if reply.staleness.is_none() => Ok(()),
            Ok(reply) => Err(ToolError::index(staleness_text(&reply.staleness))),
            Err(error) => Err(ToolError::unavailable(format!(
                "the codeagent process that writes this index does not answer ({error}); try again"
            ))),
        })
    }

    /// Returns the status of the index, its current activity, and problems of the settings.
    pub fn status(&self) -> Result<(StatusReport, Option<String>, Vec<String>), ToolError> {
        let readable = match self.index.status() {
            ServiceStatus::Unreadable(reason) => return Ok(unhealthy(reason_of_status(&reason))),
            ServiceStatus::Readable(readable) => *readable,
        };
        let answers = readable.answers;
        let Ok(status) = answers
            .snapshot()
            .map_err(QueryError::from)
            .and_then(|snapshot| query::status(&snapshot, answers.vectors()))
        else {
            return Ok(unhealthy(
                "the index cannot be read; query a symbol to see why",
            ));
        };

        let polling = readable
            .watch_trouble
            .map(|trouble| format!("{trouble}; polling the files instead"));
        let notes = [
            activity_note(&readable.activity),
            polling,
            self.vectors_note(&answers),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        let report = StatusReport {
            watcher_active: readable.is_watched,
            ..StatusReport::new(&status, readable.is_healthy)
        };
        let report = report.with_coverage(answers.coverage(&status.counts));
        Ok((
            report,
            (!notes.is_empty()).then(|| notes.join("; ")),
            answers.workspace().config().notes.clone(),
        ))
    }

    /// Returns the progress of embedding, or that the model cannot be used. The reason contains
    /// paths of the machine, so only the command reports it.
    fn vectors_note(&self, answers: &IndexReader) -> Option<String> {
        if self.index.embedding_trouble().is_some() || answers.vectors().is_model_broken() {
            return Some(MODEL_BROKEN.to_owned());
        }
        let progress = self.index.vector_progress(answers)?;
        (progress.done < progress.total).then(|| progress.to_string())
    }
}

fn unhealthy(note: &str) -> (StatusReport, Option<String>, Vec<String>) {
    let report = StatusReport::new(&IndexStatus::default(), false);
    (report, Some(note.to_owned()), Vec::new())
}

fn activity_note(activity: &Activity) -> Option<String> {
    match activity {
        Activity::UpToDate(staleness) if staleness.is_none() => None,
        Activity::UpToDate(staleness) => Some(staleness_text(staleness)),
        Activity::Building(progress) => Some(progress_text(*progress)),
        Activity::BuiltElsewhere => {
            Some("another process is indexing the repository for the first time".to_owned())
        }
    }
}

/// Returns why there is no index. Details may contain paths of the machine, which only queries
/// about symbols return.
fn reason_of_status(reason: &Unavailable) -> &'static str {
    match reason {
        Unavailable::Closed => "the engine is closed",
        Unavailable::Rebuilding => "the index was damaged and is being rebuilt",
        Unavailable::Failed(_) => "the index cannot be opened; query a symbol to see why",
        Unavailable::Opening
        | Unavailable::Building(_)
        | Unavailable::BuiltElsewhere
        | Unavailable::WrittenElsewhere => "the index is being opened; try again in a moment",
    }
}

fn progress_text(progress: Option<Progress>) -> String {
    match progress {
        None => "starting".to_owned(),
        Some(Progress {
            phase, total: 0, ..
        }) => phase.as_str().to_owned(),
        Some(Progress { phase, done, total }) => format!("{} {done} of {total}", phase.as_str()),
    }
}

impl From<Unavailable> for ToolError {
    fn from(reason: Unavailable) -> Self {
        match reason {
            Unavailable::Failed(failure) => failure.into(),
            Unavailable::Building(progress) => Self::unavailable(format!(
                "the repository is being indexed for the first time ({}); try again in a few seconds; file tools already work",
                progress_text(progress)
            )),
            Unavailable::WrittenElsewhere => Self::unavailable(
                "another codeagent process is writing this index; try again in a moment",
            ),
            Unavailable::BuiltElsewhere => Self::unavailable(
                "another codeagent process is indexing the repository for the first time; try again in a few seconds; file tools already work",
            ),
            Unavailable::Rebuilding => Self::unavailable(
                "the index was damaged and is being rebuilt; try again in a few seconds; file tools already work",
            ),
            Unavailable::Closed | Unavailable::Opening => {
                Self::unavailable("the engine is starting or stopping; try again in a moment")
            }
        }
    }
}

impl From<ServiceFailure> for ToolError {
    fn from(failure: ServiceFailure) -> Self {
        match failure {
            ServiceFailure::Open(error) => (&*error).into(),
            ServiceFailure::Indexing(reason) => Self::index(reason),
            ServiceFailure::Thread(reason) => {
                Self::unavailable(format!("cannot start a thread: {reason}"))
            }
            ServiceFailure::Defect => {
                Self::index("indexing failed because of a bug in codeagent; file tools still work")
            }
        }
    }
}
