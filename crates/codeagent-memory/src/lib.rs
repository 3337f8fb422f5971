//! Keeps the memory of long-running processes small. A separate crate, because it contains the only
//! unsafe calls of the workspace.
//!
//! glibc does not return freed memory to the system: a server that had dropped the state of 370,000
//! lines still held 265 MB, and 84 MB after [`give_back`]. It also creates eight arenas per core,
//! which fragment when threads replace long-lived data: after 1,600 edits that server held 224 MB,
//! and 169 MB with [`few_arenas`].
//!
//! Limitations: does nothing with allocators other than glibc's, which return pages on their own.

/// Number of arenas per core. With a single one, a thread that is interrupted while it allocates
/// blocks others.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS_A_CORE: usize = 2;

/// Makes threads share arenas. Call it at the start of the program, because threads keep their
/// arenas.
///
/// An arena reserves 64 MB of addresses, and twice that while it is made. If the addresses of the
/// process are limited (`ulimit -v`), all threads share one.
#[allow(unsafe_code, reason = "the standard library has no such function")]
pub fn few_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let arenas = match are_addresses_limited() {
            true => 1,
            false => libc::c_int::try_from(ARENAS_A_CORE * cores).unwrap_or(libc::c_int::MAX),
        };
        // SAFETY: `mallopt` takes two numbers and may be called at any time (mallopt(3)); if it
        // fails, nothing changes.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, arenas);
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the standard library has no such function")]
fn are_addresses_limited() -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `getrlimit` writes to the struct that it is given, and may be called at any time
    // (getrlimit(2)); if it fails, the struct stays as it is.
    unsafe {
        libc::getrlimit(libc::RLIMIT_AS, &raw mut limit);
    }
    limit.rlim_cur != libc::RLIM_INFINITY
}

/// Returns unused pages to the system. Takes milliseconds per hundred megabytes freed.
#[allow(unsafe_code, reason = "the standard library has no such function")]
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes the number of bytes to keep, touches no memory in use, and may be
    // called by any thread (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}
