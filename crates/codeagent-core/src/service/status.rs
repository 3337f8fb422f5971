//! The state of the service and its index, as data; front ends turn it into text.

use std::sync::Arc;

use crate::engine::{EngineError, IndexReader};
use crate::ingest::Progress;
use crate::service::embedding::{VectorProgress, vector_progress};
use crate::service::ipc;
use crate::service::owner::Owner;
use crate::service::staleness::{Staleness, quick_check};
use crate::service::{FRESHNESS_TIMEOUT, IndexService, State};

/// Why the index cannot be used at the moment.
#[derive(Clone, Debug)]
pub enum Unavailable {
    /// The service was not started, or was stopped.
    Closed,
    /// The index is being opened.
    Opening,
    /// The first index is being built.
    Building(Option<Progress>),
    /// Another process builds the first index.
    BuiltElsewhere,
    /// Another process holds the write lock.
    WrittenElsewhere,
    /// The index was damaged and is being rebuilt.
    Rebuilding,
    /// The index cannot be opened or built.
    Failed(ServiceFailure),
}

/// Why the index cannot be opened or built.
#[derive(Clone, Debug)]
pub enum ServiceFailure {
    /// The engine cannot be opened.
    Open(Arc<EngineError>),
    /// Building the first index failed.
    Indexing(String),
    /// A thread could not be started.
    Thread(String),
    /// A background thread panicked.
    Defect,
}

/// Whether the index can be read.
#[derive(Clone)]
pub enum ServiceStatus {
    /// The index can be read.
    Readable(Box<ReadableStatus>),
    /// The index cannot be read at the moment.
    Unreadable(Unavailable),
}

/// State of a readable index.
#[derive(Clone)]
pub struct ReadableStatus {
    /// The index's reader.
    pub answers: IndexReader,
    /// Whether the writing process still processes batches, as far as known.
    pub is_healthy: bool,
    /// Whether a process keeps the index up to date.
    pub is_watched: bool,
    /// The current activity.
    pub activity: Activity,
    /// Why the repository is polled, if it is.
    pub watch_trouble: Option<String>,
}

/// The current activity on a readable index.
#[derive(Clone, Debug)]
pub enum Activity {
    /// Changes are indexed as they are made. Holds the changes not indexed yet.
    UpToDate(Staleness),
    /// The first index is being built.
    Building(Option<Progress>),
    /// Another process builds the first index.
    BuiltElsewhere,
}

impl Unavailable {
    pub(super) fn of(state: &State) -> Self {
        match state {
            State::Closed => Self::Closed,
            State::Opening | State::Owner(_) => Self::Opening,
            State::Building(_, progress) => Self::Building(*progress),
            State::BuiltElsewhere(_) => Self::BuiltElsewhere,
            State::Reader(_) => Self::WrittenElsewhere,
            State::Failed(failure) => Self::Failed(failure.clone()),
        }
    }
}

impl ServiceFailure {
    pub(super) fn open(error: EngineError) -> Self {
        Self::Open(Arc::new(error))
    }
}

impl IndexService {
    /// Returns the status, after waiting for changes for at most [`FRESHNESS_TIMEOUT`].
    #[must_use]
    pub fn status(&self) -> ServiceStatus {
        match self.0.state_after(State::is_opening) {
            State::Owner(owner) => {
                let staleness = owner.wait_until_fresh(Some(FRESHNESS_TIMEOUT));
                if owner.engine().is_rebuilding() {
                    return ServiceStatus::Unreadable(Unavailable::Rebuilding);
                }

                owned(&owner, Activity::UpToDate(staleness))
            }
            State::Building(owner, progress) => owned(&owner, Activity::Building(progress)),
            State::Reader(answers) => {
                let activity = Activity::UpToDate(quick_check(&answers));
                let is_watched = ipc::writer_info(answers.data()).is_ok();
                followed(answers, is_watched, activity)
            }
            State::BuiltElsewhere(Some(answers)) => {
                followed(answers, false, Activity::BuiltElsewhere)
            }
            State::BuiltElsewhere(None) => ServiceStatus::Unreadable(Unavailable::Opening),
            other => ServiceStatus::Unreadable(Unavailable::of(&other)),
        }
    }

    /// Returns why the index cannot be read yet; `None` if it can. Waits for nothing.
    #[must_use]
    pub fn unavailable(&self) -> Option<Unavailable> {
        match self.0.state() {
            State::Owner(owner) if owner.engine().is_rebuilding() => Some(Unavailable::Rebuilding),
            State::Owner(_) | State::Reader(_) => None,
            other => Some(Unavailable::of(&other)),
        }
    }

    /// Returns the progress of computing vectors, if the index has vectors of a model.
    #[must_use]
    pub fn vector_progress(&self, answers: &IndexReader) -> Option<VectorProgress> {
        vector_progress(&answers.snapshot().ok()?).ok()?
    }
}

fn owned(owner: &Owner, activity: Activity) -> ServiceStatus {
    let watch_trouble = match activity {
        Activity::UpToDate(_) => owner.watch_trouble(),
        _ => None,
    };
    ServiceStatus::Readable(Box::new(ReadableStatus {
        answers: owner.engine().reader(),
        is_healthy: owner.engine().is_healthy(),
        is_watched: true,
        activity,
        watch_trouble,
    }))
}

fn followed(answers: IndexReader, is_watched: bool, activity: Activity) -> ServiceStatus {
    ServiceStatus::Readable(Box::new(ReadableStatus {
        answers,
        is_healthy: true,
        is_watched,
        activity,
        watch_trouble: None,
    }))
}
