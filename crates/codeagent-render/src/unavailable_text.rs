//! The wording of why an index cannot be used at the moment.

use codeagent_core::Progress;
use codeagent_core::service::{ServiceFailure, Unavailable};

/// Says why the index cannot be used, and what to do.
#[must_use]
pub fn unavailable_text(reason: &Unavailable) -> String {
    match reason {
        Unavailable::Building(progress) => format!(
            "the repository is being indexed for the first time ({}); try again in a few seconds",
            building_text(*progress)
        ),
        Unavailable::WrittenElsewhere => {
            "another codeagent process is writing this index; try again in a moment".to_owned()
        }
        Unavailable::BuiltElsewhere => {
            "another codeagent process is indexing the repository for the first time; try again in a few seconds".to_owned()
        }
        Unavailable::Rebuilding => {
            "the index was damaged and is being rebuilt; try again in a few seconds".to_owned()
        }
        Unavailable::Closed | Unavailable::Opening => {
            "the index is being opened or closed; try again in a moment".to_owned()
        }
        Unavailable::Failed(failure) => failure_text(failure),
    }
}

/// Formats the progress of an index that is being built.
pub fn building_text(progress: Option<Progress>) -> String {
    match progress {
        None => "starting".to_owned(),
        Some(Progress {
            phase, total: 0, ..
        }) => phase.as_str().to_owned(),
        Some(Progress { phase, done, total }) => format!("{} {done} of {total}", phase.as_str()),
    }
}

fn failure_text(failure: &ServiceFailure) -> String {
    match failure {
        ServiceFailure::Open(error) => error.to_string(),
        ServiceFailure::Indexing(reason) => reason.clone(),
        ServiceFailure::Thread(reason) => format!("no thread can be started: {reason}"),
        ServiceFailure::Defect => "indexing failed because of a bug in codeagent".to_owned(),
    }
}
