//! Signals that stop a server, and the exclusion of its memory from core dumps.

use std::io;

/// Disables core dumps, which would contain the token.
#[cfg(unix)]
pub fn disable_core_dumps() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    if let Err(error) = setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    ) {
        tracing::warn!(%error, "cannot disable core dumps");
    }
}

/// Does nothing: this system has no core dumps.
#[cfg(not(unix))]
pub fn disable_core_dumps() {}

/// Waits for a signal to stop.
#[cfg(unix)]
pub async fn stop_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut hang_up) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::hangup())?,
    );
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
        _ = hang_up.recv() => Ok(()),
    }
}

/// Waits for a signal to stop.
#[cfg(not(unix))]
pub async fn stop_signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
