//! What an answer may be missing, because the index is behind the files.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use codeagent_workspace::RepoPath;

use crate::engine::Answers;
use crate::service::FRESHNESS_TIMEOUT;
use crate::service::ipc::{self, SyncRequest};

/// How long a reader without a writer compares the disk before it answers.
const QUICK_CHECK: Duration = Duration::from_millis(200);

/// The failure reported if the path of the root is a link that now leads to another folder.
pub(super) const REPOINTED: &str =
    "the repository's path leads to another folder now; restart codeagent to index that one";

/// How many file names a message lists.
const NAMED: usize = 5;

/// The changes on disk that an index does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Staleness {
    /// Files that changed.
    pub files: BTreeSet<RepoPath>,
    /// The number of files known to have changed, where it may exceed that of `files`.
    pub found: Option<usize>,
    /// Any file may have changed.
    pub everything: bool,
    /// Why the index cannot be brought up to date.
    pub failure: Option<String>,
    /// The message of the process that writes the index, which stands for all of this.
    pub said: Option<String>,
}

impl Staleness {
    /// Reports whether the index contains every change made before it was asked.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.files.is_empty() && !self.everything && self.failure.is_none()
    }

    /// Any file may have changed.
    pub(super) fn unknown() -> Self {
        Self {
            everything: true,
            ..Self::default()
        }
    }

    /// Any file may have changed, because the index cannot be brought up to date.
    pub(super) fn failed(failure: impl Into<String>) -> Self {
        Self {
            failure: Some(failure.into()),
            ..Self::unknown()
        }
    }
}

impl fmt::Display for Staleness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(said) = &self.said {
            return f.write_str(said);
        }

        let more = if self.files.len() > NAMED {
            format!(" and {} more", self.files.len() - NAMED)
        } else {
            String::new()
        };
        let names: Vec<&str> = self
            .files
            .iter()
            .take(NAMED)
            .map(RepoPath::as_str)
            .collect();
        let names = names.join(", ");

        match (self.found, self.everything) {
            (Some(0) | None, true) => f.write_str(
                "could not check all files for changes in time; some may not be in the index yet",
            )?,
            (Some(found), true) => {
                write!(f, "{found} files have changed and are not in the index yet")?
            }
            (_, false) if names.is_empty() => f.write_str("the index may be behind the files")?,
            (_, false) if self.files.len() == 1 => {
                write!(f, "1 file has changed and is not in the index yet: {names}")?
            }
            (_, false) => write!(
                f,
                "{} files have changed and are not in the index yet: {names}{more}",
                self.files.len()
            )?,
        }
        self.failure
            .as_ref()
            .map_or(Ok(()), |failure| write!(f, " ({failure})"))
    }
}

/// Checks an index that this process only reads: asks its writer to index every change, within
/// [`FRESHNESS_TIMEOUT`], or compares the disk for at most `QUICK_CHECK` if there is no writer.
#[must_use]
pub fn quick_check(answers: &Answers) -> Staleness {
    if answers.workspace().is_repointed() {
        return Staleness::failed(REPOINTED);
    }

    let everything = SyncRequest::default();
    if let Ok(reply) = ipc::sync(answers.data(), &everything, FRESHNESS_TIMEOUT) {
        return Staleness {
            everything: reply.behind.is_some(),
            said: reply.behind,
            ..Staleness::default()
        };
    }

    compare_disk(answers)
}

/// Compares every file with the index, on a thread that is abandoned if it takes too long.
fn compare_disk(answers: &Answers) -> Staleness {
    let (reply, answer) = crossbeam_channel::bounded(1);
    let answers = answers.clone();
    let compare = move || reply.send(answers.changed_files()).ok();
    let thread = std::thread::Builder::new()
        .name("codeagent-look".to_owned())
        .spawn(compare);
    if thread.is_err() {
        return Staleness::unknown();
    }

    match answer.recv_timeout(QUICK_CHECK) {
        Ok(Ok(changed)) => Staleness {
            files: changed
                .iter()
                .filter_map(|path| RepoPath::new(path).ok())
                .collect(),
            ..Staleness::default()
        },
        Ok(Err(error)) => Staleness::failed(error.to_string()),
        Err(_) => Staleness::unknown(),
    }
}
