//! Limits that a shell or a service manager sets on this process (`ulimit`), so that hitting one is
//! an error in words.
//!
//! **Limits.** An allocation that fails ends the process (Rust and tree-sitter abort). Below
//! [`LEAST_ADDRESSES`] nothing is begun; above it a large repository may still need more than there
//! is.

/// Fewest bytes of addresses with which an index is made or kept. Below, small repositories already
/// ended in an abort (90 to 150 MB).
const LEAST_ADDRESSES: u64 = 256 << 20;

/// The process may use too few addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address space of this process is limited to {} MB; codeagent needs at least {} MB (see `ulimit -v`)", .0 >> 20, LEAST_ADDRESSES >> 20)]
pub struct TooFewAddresses(u64);

/// Checks that an index can be made or kept at all.
pub fn check_addresses() -> Result<(), TooFewAddresses> {
    #[cfg(unix)]
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::As).current
        && most < LEAST_ADDRESSES
    {
        return Err(TooFewAddresses(most));
    }
    Ok(())
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) fail instead of ending the process. A
/// handler, unlike an ignored signal, does not pass to the commands that this process starts.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    // Without it only that limit would end the process.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}
