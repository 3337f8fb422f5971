//! Resource limits of this process (`ulimit`), checked so that exceeding them is a readable error.
//!
//! Limitations: a failed allocation aborts the process, in Rust and in tree-sitter. Below
//! [`LEAST_ADDRESSES`] no work starts; above it, a large repository may still need more.

/// Minimum address space for building or serving an index, in bytes. With less, indexing small
/// repositories aborted (at 90 to 150 MB, at 256 MB on a busy machine).
const LEAST_ADDRESSES: u64 = 320 << 20;

/// The address space limit is too low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address space of this process is limited to {} MB; codeagent needs at least {} MB (see `ulimit -v`)", .0 >> 20, LEAST_ADDRESSES >> 20)]
pub struct TooFewAddresses(u64);

/// Returns an error if the address space is too small for an index.
pub fn check_addresses() -> Result<(), TooFewAddresses> {
    #[cfg(unix)]
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::As).current
        && most < LEAST_ADDRESSES
    {
        return Err(TooFewAddresses(most));
    }
    Ok(())
}

/// Makes a write beyond the file size limit (`ulimit -f`) an error instead of ending the process.
/// Unlike an ignored signal, a handler is not inherited by child processes.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    // If this fails, exceeding the limit still ends the process.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}
