//! The update thread: collects changes and hands them to the engine in batches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codeagent_workspace::FsEvents;

use crate::engine::EngineError;
use crate::ingest::{ChangeBatch, Phase, Progress, Summary};
use crate::service::owner::{OwnerState, POLL_PAUSE, SyncState};

/// Time without events after which changes are indexed, if no query waits.
const QUIET: Duration = Duration::from_millis(20);

/// Maximum time to wait for such a pause.
const STORM: Duration = Duration::from_secs(1);

/// Interval of comparing the repository without file system events, or after a failure.
pub const POLLING: Duration = Duration::from_secs(2);

/// Interval of checking whether a missing root is back.
const RETURNING: Duration = Duration::from_millis(500);

/// Time without a change after which memory is freed.
const IDLE: Duration = Duration::from_secs(300);

impl OwnerState {
    /// Indexes changes until this process stops.
    pub(super) fn run(&self) {
        while !self.is_stopping() {
            let mut state = self.lock();
            state.poll_events();
            if state.pending.is_empty() {
                state.answered = state.requested;
                self.changed.notify_all();
                self.wait_for_work(state);
            } else if self.wait_for_quiet(state) {
                self.index_pending();
            }
        }
        // Queries need not wait for a process that has stopped.
        self.changed.notify_all();
    }

    fn wait_for_work(&self, state: MutexGuard<'_, SyncState>) {
        let is_retry = state.failure.is_some() || state.is_root_gone;
        let Some(watcher) = state.watcher.clone().filter(|_| !is_retry) else {
            return self.wait_for_poll(state, is_retry);
        };
        drop(state);
        // `stop` may have been called before the events were collected.
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

    /// Waits for a query, or until everything must be compared again.
    fn wait_for_poll(&self, state: MutexGuard<'_, SyncState>, is_retry: bool) {
        let interval = if state.is_root_gone {
            RETURNING
        } else {
            POLLING
        };
        let pause = state
            .last_scan
            .map_or(Duration::ZERO, |(took, _)| took * POLL_PAUSE);
        let requested = state.requested;

        let (mut state, waited) = self
            .changed
            .wait_timeout_while(state, interval.max(pause), |state| {
                state.requested == requested && state.pending.is_empty() && !self.is_stopping()
            })
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() || is_retry {
            state.pending.everything = true;
        }
    }

    /// Waits until events pause or a query waits. Returns false if this process must stop.
    fn wait_for_quiet<'a>(&'a self, mut state: MutexGuard<'a, SyncState>) -> bool {
        let watcher = state.watcher.clone();
        let began = Instant::now();
        while let Some(watcher) = watcher
            .as_ref()
            .filter(|_| state.requested == state.answered)
        {
            drop(state);
            let has_more = watcher.wait(Some(QUIET));
            state = self.lock();
            state.poll_events();

            if self.is_stopping() {
                return false;
            }
            if !has_more || began.elapsed() > STORM {
                break;
            }
        }

        true
    }

    /// Indexes the pending changes.
    fn index_pending(&self) {
        let mut state = self.lock();
        state.poll_events();
        let events = std::mem::take(&mut state.pending);
        let (requested, is_scan) = (state.requested, events.everything);
        state.working = Some(events.clone());
        state.found = None;
        drop(state);

        let began = Instant::now();
        let failure = self.index(events);
        let is_root_gone = !self.engine.workspace().is_there();
        self.lifetime.note_root(!is_root_gone);

        let mut state = self.lock();
        state.working = None;
        state.is_root_gone = is_root_gone;
        state.failure = failure;
        if is_scan {
            state.last_scan = Some((began.elapsed(), Instant::now()));
        }
        state.answered = requested;
        state.batches += 1;
        self.fall_back_to_polling(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Indexes these changes; returns the error message on failure.
    fn index(&self, events: FsEvents) -> Option<String> {
        let batch = if events.everything {
            ChangeBatch::of_paths(events.paths)
        } else {
            ChangeBatch::only(events.paths)
        };
        let on_progress = |progress: Progress| {
            if progress.phase == Phase::Read && progress.done == 0 {
                self.lock().found = Some(progress.total);
            }
            (self.on_progress)(progress);
        };
        let outcome: Result<Result<Summary, EngineError>, _> =
            catch_unwind(AssertUnwindSafe(|| {
                self.engine.process_batch(&batch, &on_progress)
            }));

        let failure = match outcome {
            Ok(Ok(summary)) => {
                if !summary.unchanged {
                    self.lifetime.note_use();
                }
                tracing::debug!("{}", summary.work());
                return None;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "indexing failed because of a bug in codeagent".to_owned(),
        };
        tracing::warn!(failure, "cannot update the index");
        Some(failure)
    }

    /// Switches to polling if the watcher has failed.
    fn fall_back_to_polling(&self, state: &mut SyncState) {
        let failure = state
            .watcher
            .as_ref()
            .and_then(|watcher| Some(watcher.failure()?.to_string()));
        if let Some(trouble) = failure {
            state.poll_from_now_on(trouble);
            self.engine.set_watcher(None);
        }
    }
}
