//! Lowers the priority of background threads.
//!
//! Limitations: Linux only. Elsewhere a process has one priority for all its threads, including
//! those that answer queries.

/// A thread at this priority gets a tenth of a processor that another one wants.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// The lowest priority.
#[cfg(target_os = "linux")]
const LAST: i32 = 19;

/// Lowers the priority of this thread, if the system allows it. It cannot be raised again.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(STEPS).ok();
}

/// Lets this thread run only when no other wants to, if the system allows it. Cannot be undone.
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
