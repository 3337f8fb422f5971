//! Sends the progress of a call to its client.
//!
//! The tool stores its latest progress, and a task sends it whenever the client has read the
//! previous message. A slow client thus gets fewer messages and delays nothing.
//!
//! Limitations: only for calls with a `progressToken`.

use codeagent_core::{Phase, Progress};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The receiver of a tool's progress.
#[derive(Clone, Debug, Default)]
pub struct ProgressReporter(Option<watch::Sender<Option<Progress>>>);

impl ProgressReporter {
    /// Creates a reporter for a client, and the task that sends its reports. The task ends after
    /// the last report once the reporter is dropped.
    pub fn to(peer: Peer<RoleServer>, token: ProgressToken) -> (Self, JoinHandle<()>) {
        let (sender, reports) = watch::channel(None);
        (Self(Some(sender)), tokio::spawn(send(peer, token, reports)))
    }

    /// Stores a report, replacing one that was not sent yet.
    pub fn report(&self, progress: Progress) {
        if let Some(sender) = &self.0 {
            sender.send_replace(Some(progress));
        }
    }
}

async fn send(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut reports: watch::Receiver<Option<Progress>>,
) {
    let mut sent = 0.0;
    while reports.changed().await.is_ok() {
        let Some(progress) = *reports.borrow_and_update() else {
            continue;
        };
        let reached = reached(progress);
        // The protocol requires progress to increase with every message.
        if reached <= sent {
            continue;
        }

        sent = reached;
        let message = ProgressNotificationParam::new(token.clone(), reached);
        let message = message
            .with_total(Phase::NAMES.len() as f64)
            .with_message(shown(progress));
        if peer.notify_progress(message).await.is_err() {
            return;
        }
    }
}

/// Returns the number of completed phases plus the fraction of the current one.
fn reached(Progress { phase, done, total }: Progress) -> f64 {
    let part = if total == 0 {
        0.0
    } else {
        done.min(total) as f64 / total as f64
    };
    f64::from(phase as u8) + part
}

fn shown(progress: Progress) -> String {
    match progress {
        Progress {
            phase, total: 0, ..
        } => phase.as_str().to_owned(),
        Progress { phase, done, total } => format!("{} {done} of {total}", phase.as_str()),
    }
}
