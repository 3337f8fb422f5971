//! Polling for effects of other processes and threads.

use std::time::{Duration, Instant};

/// Time limit, long enough for a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until a condition holds.
///
/// # Panics
/// With `what`, if the condition does not hold within [`TIMEOUT`].
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    until(what, || holds().then_some(()));
}

/// Retries until `attempt` returns a value.
///
/// # Panics
/// With `what`, if there is no value within [`TIMEOUT`].
pub fn until<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(value) = attempt() {
            return value;
        }
        assert!(began.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
