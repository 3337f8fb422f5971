//! Staleness: which changes on disk an answer does not include.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::engine::IndexReader;
use crate::service::FRESHNESS_TIMEOUT;
use crate::service::ipc::{self, SyncRequest};

/// Failure reported if the root's path is a link that now leads to another folder.
pub(super) const REPOINTED: &str =
    "the repository's path now leads to another folder; restart codeagent to index that folder";

/// Maximum number of file names sent to another process.
const MAX_SENT: usize = 100;

/// The changes on disk that an index does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Staleness {
    /// Paths of files that changed.
    pub files: BTreeSet<String>,
    /// Number of files known to have changed, if it may exceed the length of `files`.
    pub found: Option<usize>,
    /// Whether any other file may have changed.
    pub everything: bool,
    /// Why the index cannot be brought up to date.
    pub failure: Option<String>,
}

impl Staleness {
    /// Reports whether the index contains every change made before the query.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.files.is_empty() && !self.everything && self.failure.is_none()
    }

    /// Returns a staleness that says that any file may have changed.
    pub(super) fn unknown() -> Self {
        Self {
            everything: true,
            ..Self::default()
        }
    }

    /// Drops the file names if there are too many for a message.
    pub(super) fn abridged(self) -> Self {
        if self.files.len() <= MAX_SENT {
            return self;
        }
        Self {
            found: Some(self.found.unwrap_or(self.files.len())),
            everything: true,
            files: BTreeSet::new(),
            ..self
        }
    }

    /// Returns a staleness for an index that cannot be brought up to date.
    pub(super) fn failed(failure: impl Into<String>) -> Self {
        Self {
            failure: Some(failure.into()),
            ..Self::unknown()
        }
    }
}

/// Checks an index that this process only reads. Asks its writer to index every change, within
/// [`FRESHNESS_TIMEOUT`]; without a writer, compares the disk within the same time.
#[must_use]
pub fn quick_check(reader: &IndexReader) -> Staleness {
    if reader.workspace().is_repointed() {
        return Staleness::failed(REPOINTED);
    }

    let everything = SyncRequest::default();
    if let Ok(reply) = ipc::sync(reader.data(), &everything, FRESHNESS_TIMEOUT) {
        reader.texts().set_state(reply.texts.as_deref());
        return reply.staleness;
    }

    reader.texts().set_state(None);
    compare_disk(reader)
}

/// Compares every file with the index, on a thread that is abandoned if it takes too long.
fn compare_disk(reader: &IndexReader) -> Staleness {
    let (reply, answer) = crossbeam_channel::bounded(1);
    let reader = reader.clone();
    let compare = move || reply.send(reader.changed_files()).ok();
    let thread = std::thread::Builder::new()
        .name("codeagent-look".to_owned())
        .spawn(compare);
    if thread.is_err() {
        return Staleness::unknown();
    }

    match answer.recv_timeout(FRESHNESS_TIMEOUT) {
        Ok(Ok(changed)) => Staleness {
            files: changed.into_iter().collect(),
            ..Staleness::default()
        },
        Ok(Err(error)) => Staleness::failed(error.to_string()),
        Err(_) => Staleness::unknown(),
    }
}
