//! How does a thread step back behind what the user is doing?
//!
//! **Limits.** Linux only: elsewhere a process has one priority for all its threads, and those that
//! answer shall not wait.

/// How far: one that steps back gets a tenth of a processor that another wants.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// As far as it goes.
#[cfg(target_os = "linux")]
const LAST: i32 = 19;

/// Lets this thread run behind others from now on, if the system lets it. It cannot come back.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(STEPS).ok();
}

/// Lets this thread run when nobody else wants to, if the system lets it. It cannot come back.
pub fn lowest_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(LAST).ok();
}

/// How far this thread has stepped back.
#[must_use]
pub fn priority_steps() -> i32 {
    #[cfg(target_os = "linux")]
    return rustix::process::getpriority_process(None).unwrap_or(0);
    #[cfg(not(target_os = "linux"))]
    0
}
