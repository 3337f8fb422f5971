//! Keeps the memory of long-running processes small. A separate crate, because it has the only
//! unsafe calls of the workspace.
//!
//! glibc does not return freed memory to the system: a server that had dropped the state of 370,000
//! lines still held 265 MB, and 84 MB after [`give_back`]. It also creates eight arenas per core,
//! and long-lived data that threads replace fragments them: after 1,600 edits that server held 224
//! MB, and 169 MB with [`few_arenas`].
//!
//! Limitations: does nothing with allocators other than glibc's, which return pages on their own.

/// Arenas for each thread that can run at a time. With one, threads that are interrupted while they
/// allocate have others wait.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS_A_CORE: usize = 2;

/// Has threads share arenas. For the beginning of a program: what has an arena keeps it.
#[allow(unsafe_code, reason = "the standard library has no such function")]
pub fn few_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let arenas = libc::c_int::try_from(ARENAS_A_CORE * cores).unwrap_or(libc::c_int::MAX);
        // SAFETY: `mallopt` takes two numbers and may be called at any time (mallopt(3)); what it
        // refuses stays as it was.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, arenas);
        }
    }
}

/// Gives back the pages in which nothing is held any more. Takes milliseconds for each hundred
/// megabytes that are freed.
#[allow(unsafe_code, reason = "the standard library has no such function")]
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes a number of bytes to keep, touches no memory that is in use, and
    // may be called by any thread (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}
