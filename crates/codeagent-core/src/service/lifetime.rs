//! Until when is an index kept? By a daemon until it is told to end, its repository is gone, or
//! nobody has needed it for a while.
//!
//! It is needed by whoever asks, by processes that stay in a conversation, and as long as files
//! change.
//!
//! **Limits.** Only a daemon asks: a server lives as long as its client, `codeagent watch` as long
//! as its terminal lets it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long a repository may be away: some tools remove a folder and make it again.
const AWAY: Duration = Duration::from_secs(5);

/// What a process that keeps an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The server of a client.
    Server,
    /// `codeagent watch`.
    Watch,
    /// `codeagent daemon`.
    Daemon,
}

/// Why a keeper ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownReason {
    /// It was told to.
    Told,
    /// The repository is not there any more.
    Gone,
    /// Nobody needed it.
    Unused,
}

/// How a process that keeps an index came to be, and what speaks for its going on.
pub(super) struct Lifetime {
    /// What it is.
    pub role: Role,
    /// Since when.
    pub began: SystemTime,
    now: Mutex<Now>,
    moved: Condvar,
}

struct Now {
    used: Instant,
    /// Since when the repository is not there.
    away: Option<Instant>,
    is_told: bool,
}

impl Role {
    const NAMES: [(&'static str, Self); 3] = [
        ("mcp", Self::Server),
        ("watch", Self::Watch),
        ("daemon", Self::Daemon),
    ];

    /// The command that such a process is.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, role)| *role == self)
            .map_or("mcp", |(name, _)| name)
    }

    /// What a command is.
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
        let now = Now {
            used: Instant::now(),
            away: None,
            is_told: false,
        };
        Self {
            role,
            began: SystemTime::now(),
            now: Mutex::new(now),
            moved: Condvar::new(),
        }
    }

    /// Somebody needs the index.
    pub fn note_use(&self) {
        self.lock().used = Instant::now();
    }

    /// Whether the repository is there.
    pub fn note_root(&self, is_there: bool) {
        let mut now = self.lock();
        now.away = if is_there {
            None
        } else {
            now.away.or_else(|| Some(Instant::now()))
        };
        drop(now);
        self.moved.notify_all();
    }

    pub fn request_shutdown(&self) {
        self.lock().is_told = true;
        self.moved.notify_all();
    }

    /// Waits for a reason to end.
    pub fn wait_for_shutdown(
        &self,
        idle: Option<Duration>,
        is_needed: impl Fn() -> bool,
    ) -> ShutdownReason {
        let mut now = self.lock();
        loop {
            if now.is_told {
                return ShutdownReason::Told;
            }
            let left_away = now.away.map(|since| AWAY.saturating_sub(since.elapsed()));
            let mut left_idle = idle.map(|idle| idle.saturating_sub(now.used.elapsed()));
            if left_away.is_some_and(|left| left.is_zero()) {
                return ShutdownReason::Gone;
            }
            if left_idle.is_some_and(|left| left.is_zero()) {
                if !is_needed() {
                    return ShutdownReason::Unused;
                }
                now.used = Instant::now();
                left_idle = idle;
            }
            now = match left_away.into_iter().chain(left_idle).min() {
                Some(left) => {
                    self.moved
                        .wait_timeout(now, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => self.moved.wait(now).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(50);

    #[test]
    fn a_daemon_ends_when_nobody_needs_it() {
        let life = Lifetime::new(Role::Daemon);
        let began = Instant::now();
        let asked = std::cell::Cell::new(0);
        let is_needed = || asked.replace(asked.get() + 1) < 2;
        assert_eq!(
            life.wait_for_shutdown(Some(MOMENT), is_needed),
            ShutdownReason::Unused
        );
        assert!(
            asked.get() == 3 && began.elapsed() >= MOMENT * 3,
            "who stays needs it for as long"
        );
    }

    #[test]
    fn a_daemon_ends_when_it_is_told_or_its_root_stays_away() {
        let life = Lifetime::new(Role::Daemon);
        life.note_root(false);
        life.note_root(true);
        assert_eq!(
            life.wait_for_shutdown(Some(MOMENT), || false),
            ShutdownReason::Unused,
            "it was away for a moment only"
        );
        life.note_root(false);
        let began = Instant::now();
        assert_eq!(life.wait_for_shutdown(None, || true), ShutdownReason::Gone);
        assert!(began.elapsed() >= AWAY - MOMENT);
        let life = Lifetime::new(Role::Daemon);
        std::thread::scope(|scope| {
            let told = scope.spawn(|| life.wait_for_shutdown(None, || true));
            life.request_shutdown();
            assert_eq!(told.join().unwrap(), ShutdownReason::Told);
        });
    }

    #[test]
    fn roles_have_names() {
        for role in [Role::Server, Role::Watch, Role::Daemon] {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
    }
}
