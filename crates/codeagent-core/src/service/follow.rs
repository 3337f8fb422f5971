//! Follows another process that writes the index: asks it to index changes, and takes over when it
//! ends.

use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use codeagent_workspace::RepoPath;

use crate::engine::{EngineError, ErrorKind, IndexReader};
use crate::service::ipc::{self, SyncReply, SyncRequest, WriterConnection};
use crate::service::staleness::{Staleness, quick_check};
use crate::service::status::ServiceFailure;
use crate::service::{FRESHNESS_TIMEOUT, IndexService, Inner, State, Task};

/// Maximum time for the writer to index named files.
const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval at which a reader without a connection to a writer tries to take over and looks for a
/// new index.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

impl IndexService {
    /// Asks the process that writes the index to index these files, compared by content. Returns
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

    /// Rebuilds a damaged index in the background, or asks its writer to. Called if a query finds
    /// damage.
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
                .rebuild("cannot read an answer", &|_| {})
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
            // The index was replaced meanwhile; only the old database looked damaged.
            State::Reader(_) => {
                self.enter(self.reader_state());
                Ok(())
            }
            _ => Ok(()),
        };

        if let Err(error) = rebuilt {
            tracing::warn!(error, "cannot rebuild the damaged index");
        }
    }

    /// Checks the index that this process reads. If it was replaced, possibly by the writer because
    /// of this check, it is opened again.
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

    /// Serves the existing index read-only. Reports whether another process holds the write lock.
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

    /// Serves the existing index until this process gets the write lock.
    pub(super) fn follow(self: &Arc<Self>) {
        while !self.is_cancelled() {
            // Without a complete index there may be no writer to wait for, so this polls.
            let is_first = matches!(self.state(), State::BuiltElsewhere(_));
            if (is_first || !self.stay_with_writer()) && self.is_stopping_within(RETRY_INTERVAL) {
                return;
            }

            // The index may have been replaced.
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

    /// Waits on a connection until the writer ends. Returns false if it accepts no connections.
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
