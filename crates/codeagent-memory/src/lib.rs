//! How is memory that was freed given back to the system?
//!
//! glibc keeps in its arenas what threads have freed, whatever the other allocators do: a server that had put down what it knew of 370,000 lines
//! still held 265 MB, and 84 after this. It is a crate by itself because it has the one unsafe call of the workspace.
//!
//! **Limits.** With other allocators than glibc's nothing is done; they give pages back by themselves.

/// Gives back the pages in which nothing is held any more. Takes milliseconds for each hundred megabytes that are freed.
#[allow(unsafe_code, reason = "the standard library has no such function")]
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes a number of bytes to keep, touches no memory that is in use, and may be called by any thread (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}
