//! Freed memory returns to the system even where the allocator would keep it.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use codeagent_memory::give_back;

/// Returns the resident memory of the process in kilobytes.
#[allow(
    clippy::disallowed_methods,
    reason = "the kernel is asked, not the repository"
)]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn freed_memory_below_live_memory_leaves_the_process() {
    let mut held: Vec<Vec<u8>> = Vec::new();
    for _ in 0..64 {
        let freed: Vec<Vec<u8>> = (0..1_000).map(|_| vec![1; 1_000]).collect();
        held.push(vec![1; 1_000]);
        drop(freed);
    }
    let kept: Vec<Vec<u8>> = (0..64_000).map(|_| vec![1; 1_000]).collect();
    held.push(vec![1; 1_000]);
    let before = resident();
    drop(kept);
    let freed = resident();
    give_back();
    let after = resident();
    assert!(
        freed > before - 10_000,
        "the allocator gives back by itself: {before} {freed}"
    );
    assert!(after < before - 50_000, "{before} {freed} {after}");
    drop(held);
}
