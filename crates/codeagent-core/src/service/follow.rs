//! Following another process that writes the index: asking it to index changes, and taking over
//! when it ends.

use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use codeagent_workspace::RepoPath;

use crate::engine::{EngineError, ErrorKind, IndexReader};
use crate::service::ipc::{self, SyncReply, SyncRequest, WriterConnection};
use crate::service::staleness::{Staleness, quick_check};
use crate::service::status::ServiceFailure;
use crate::service::{FRESHNESS_TIMEOUT, IndexService, Inner, State, Task};

/// How long the writer may take to index named files.
const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

/// How often a reader tries to become the owner, and looks for a new index, while it cannot stay
/// connected to a writer.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

impl IndexService {
    /// Asks the process that writes the index to index these files, compared by their content.
    /// `None` if this process writes it.
    pub fn sync_via_writer(&self, paths: &[RepoPath]) -> Option<io::Result<SyncReply>> {
        let State::Reader(reader) = self.0.state() else {
            return None;
        };
        let request = SyncRequest {
            paths: paths.to_vec(),
            ..SyncRequest::default()
        };
        Some(ipc::sync(reader.data(), &request, SYNC_TIMEOUT))
    }

    /// Rebuilds an index that a query found damaged, in the background, or asks its writer to.
    pub fn rebuild_in_background(&self) {
        let inner = &self.0;
        let is_first = !std::mem::replace(&mut inner.lock().is_rebuilding, true);
        if is_first {
            inner.spawn(Task::Rebuild, |inner| {
                inner.rebuild();
                inner.lock().is_rebuilding = false;
            });
        }
    }
}

impl Inner {
    fn rebuild(&self) {
        let rebuilt = match self.state() {
            State::Owner(owner) => owner
                .engine()
                .rebuild("an answer could not be read", &|_| {})
                .map(drop)
                .map_err(|error| error.to_string()),
            State::Reader(reader) if reader.is_in_place() => {
                let request = SyncRequest {
                    rebuild: true,
                    ..SyncRequest::default()
                };
                ipc::sync(reader.data(), &request, FRESHNESS_TIMEOUT)
                    .map(drop)
                    .map_err(|error| error.to_string())
            }
            // The old database of an index that was replaced meanwhile may look damaged.
            State::Reader(_) => {
                self.enter(self.reader_state());
                Ok(())
            }
            _ => Ok(()),
        };

        if let Err(error) = rebuilt {
            tracing::warn!(error, "a damaged index could not be rebuilt");
        }
    }

    /// Checks the index that this process reads, and opens it again if it was replaced, possibly by
    /// the writer because of this check.
    pub(super) fn check_reader(&self, reader: &IndexReader) -> Staleness {
        if !reader.is_in_place() {
            self.enter(self.reader_state());
        }
        let staleness = quick_check(reader);
        if !reader.is_in_place() {
            self.enter(self.reader_state());
        }
        staleness
    }

    /// Serves what can be served without the right to write. Reports whether that is missing
    /// because another process has it.
    pub(super) fn become_reader(&self, error: EngineError) -> bool {
        let is_locked = error.kind() == ErrorKind::Locked;
        self.enter(if is_locked {
            self.reader_state()
        } else {
            State::Failed(ServiceFailure::open(error))
        });
        is_locked
    }

    fn reader_state(&self) -> State {
        let opened = IndexReader::open(self.workspace().root(), &self.options.home)
            .map(|reader| reader.with_model(self.options.model.clone()));
        match opened {
            Ok(reader) if reader.is_complete().unwrap_or(false) => State::Reader(reader),
            Ok(reader) => State::BuiltElsewhere(Some(reader)),
            Err(error) if matches!(error.kind(), ErrorKind::NotIndexed) => {
                State::BuiltElsewhere(None)
            }
            Err(error) => State::Failed(ServiceFailure::open(error)),
        }
    }

    /// Serves the index that is there until this process gets the right to write.
    pub(super) fn follow(self: &Arc<Self>) {
        while !self.is_cancelled() {
            // A first index must be noticed when it is complete.
            let is_first = matches!(self.state(), State::BuiltElsewhere(_));
            if (is_first || !self.stay_with_writer()) && self.is_stopping_within(RETRY_INTERVAL) {
                return;
            }

            // The index may be another file than a moment ago.
            match self.open_engine() {
                Ok(engine) => return self.become_owner(engine),
                Err(error) => {
                    if !self.become_reader(error) {
                        return;
                    }
                }
            }
        }
    }

    /// Stays connected to the process that writes the index until it ends. Reports false if it
    /// accepts no connections.
    fn stay_with_writer(&self) -> bool {
        let data = self.options.home.data_dir(self.workspace().root());
        let Some(writer) = data
            .ok()
            .and_then(|data| WriterConnection::open(&data).ok())
        else {
            return false;
        };
        let writer = Arc::new(writer);
        self.lock().writer = Some(Arc::clone(&writer));
        if !self.is_cancelled() {
            writer.wait();
        }
        self.lock().writer = None;
        true
    }

    fn is_stopping_within(&self, time: Duration) -> bool {
        let guard = self
            .changed
            .wait_timeout_while(self.lock(), time, |_| !self.is_cancelled())
            .unwrap_or_else(PoisonError::into_inner);
        drop(guard);
        self.is_cancelled()
    }
}
