//! Thread priorities, so that background work yields to the user's.
//!
//! **Limits.** Linux only: elsewhere a process has one priority for all its threads, and those that
//! answer queries must not wait.

/// Lowered threads get a tenth of a contended processor.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// The lowest priority.
#[cfg(target_os = "linux")]
const LAST: i32 = 19;

/// Lowers this thread's priority, if the system permits. This cannot be undone.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(STEPS).ok();
}

/// Makes this thread run only when the processor is idle, if the system permits. This cannot be
/// undone.
pub fn lowest_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(LAST).ok();
}

/// Returns by how much this thread's priority was lowered.
#[must_use]
pub fn priority_steps() -> i32 {
    #[cfg(target_os = "linux")]
    return rustix::process::getpriority_process(None).unwrap_or(0);
    #[cfg(not(target_os = "linux"))]
    0
}
