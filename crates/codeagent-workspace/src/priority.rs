//! Lowers the priority of background threads.
//!
//! Limitations: Linux only. Elsewhere a process has one priority for all its threads, including
//! those that answer queries.

/// Nice value of [`lower_priority`]: gets about a tenth of a contended processor.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// The lowest priority.
#[cfg(target_os = "linux")]
const LAST: i32 = 19;

/// Lowers the priority of this thread, if the system allows it. The change is permanent.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(STEPS).ok();
}

/// Makes this thread run only when no other thread wants to, if the system allows it. The change is
/// permanent.
pub fn lowest_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(LAST).ok();
}

/// Returns how far this thread's priority was lowered.
#[must_use]
pub fn priority_steps() -> i32 {
    #[cfg(target_os = "linux")]
    return rustix::process::getpriority_process(None).unwrap_or(0);
    #[cfg(not(target_os = "linux"))]
    0
}
