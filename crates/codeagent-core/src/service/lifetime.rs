//! Shutdown of a daemon: on request, when its repository is gone, or after an idle time (no query,
//! no connected client, no changed file).
//!
//! Limitations: used only by daemons. A server runs as long as its client, and `codeagent watch`
//! until it is interrupted.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Time for which a repository may be missing: some tools remove a folder and create it again.
const MOST_GONE: Duration = Duration::from_secs(5);

/// The role of a process that keeps an index up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An MCP server.
    Server,
    /// `codeagent watch`.
    Watch,
    /// `codeagent daemon`.
    Daemon,
}

/// Why a service ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownReason {
    /// Shutdown was requested.
    Requested,
    /// The repository no longer exists.
    RootGone,
    /// The service was idle for too long.
    Idle,
}

/// Role, start time and last use of a process that keeps an index up to date.
pub(super) struct Lifetime {
    pub role: Role,
    /// Start time.
    pub began: SystemTime,
    now: Mutex<LifetimeState>,
    changed: Condvar,
}

struct LifetimeState {
    last_use: Instant,
    /// Time since when the repository has been missing.
    gone_since: Option<Instant>,
    is_requested: bool,
}

impl Role {
    const NAMES: [(&'static str, Self); 3] = [
        ("mcp", Self::Server),
        ("watch", Self::Watch),
        ("daemon", Self::Daemon),
    ];

    /// Returns the name of the role's command.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, role)| *role == self)
            .map_or("mcp", |(name, _)| name)
    }

    /// Returns the role of a command name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, role)| *role)
    }
}

impl Lifetime {
    pub fn new(role: Role) -> Self {
        let now = LifetimeState {
            last_use: Instant::now(),
            gone_since: None,
            is_requested: false,
        };
        Self {
            role,
            began: SystemTime::now(),
            now: Mutex::new(now),
            changed: Condvar::new(),
        }
    }

    /// Records a use of the index.
    pub fn note_use(&self) {
        self.lock().last_use = Instant::now();
    }

    /// Records whether the repository exists.
    pub fn note_root(&self, is_there: bool) {
        let mut now = self.lock();
        now.gone_since = if is_there {
            None
        } else {
            now.gone_since.or_else(|| Some(Instant::now()))
        };
        drop(now);
        self.changed.notify_all();
    }

    pub fn request_shutdown(&self) {
        self.lock().is_requested = true;
        self.changed.notify_all();
    }

    /// Waits for a reason to end; with `idle`, this includes not being used for that long.
    pub fn wait_for_shutdown(
        &self,
        idle: Option<Duration>,
        is_needed: impl Fn() -> bool,
    ) -> ShutdownReason {
        let mut now = self.lock();
        loop {
            if now.is_requested {
                return ShutdownReason::Requested;
            }

            let until_gone = now
                .gone_since
                .map(|since| MOST_GONE.saturating_sub(since.elapsed()));
            let mut until_idle = idle.map(|idle| idle.saturating_sub(now.last_use.elapsed()));
            if until_gone.is_some_and(|left| left.is_zero()) {
                return ShutdownReason::RootGone;
            }

            if until_idle.is_some_and(|left| left.is_zero()) {
                if !is_needed() {
                    return ShutdownReason::Idle;
                }
                now.last_use = Instant::now();
                until_idle = idle;
            }

            now = match until_gone.into_iter().chain(until_idle).min() {
                Some(left) => {
                    self.changed
                        .wait_timeout(now, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => self
                    .changed
                    .wait(now)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, LifetimeState> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(50);

    #[test]
    fn an_idle_daemon_exits() {
        let life = Lifetime::new(Role::Daemon);
        let began = Instant::now();
        let asked = std::cell::Cell::new(0);
        let is_needed = || asked.replace(asked.get() + 1) < 2;
        assert_eq!(
            life.wait_for_shutdown(Some(MOMENT), is_needed),
            ShutdownReason::Idle
        );
        assert!(
            asked.get() == 3 && began.elapsed() >= MOMENT * 3,
            "who stays needs it for as long"
        );
    }

    #[test]
    fn a_daemon_exits_on_request_or_when_its_root_is_gone() {
        let life = Lifetime::new(Role::Daemon);
        life.note_root(false);
        life.note_root(true);
        assert_eq!(
            life.wait_for_shutdown(Some(MOMENT), || false),
            ShutdownReason::Idle,
            "it was away for a moment only"
        );
        life.note_root(false);

        let began = Instant::now();
        assert_eq!(
            life.wait_for_shutdown(None, || true),
            ShutdownReason::RootGone
        );
        assert!(began.elapsed() >= MOST_GONE - MOMENT);

        let life = Lifetime::new(Role::Daemon);
        std::thread::scope(|scope| {
            let reason = scope.spawn(|| life.wait_for_shutdown(None, || true));
            life.request_shutdown();
            assert_eq!(reason.join().unwrap(), ShutdownReason::Requested);
        });
    }

    #[test]
    fn roles_round_trip_through_names() {
        for role in [Role::Server, Role::Watch, Role::Daemon] {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
    }
}
