//! Many threads share few allocator arenas.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

/// Alignment of glibc's arenas except the first (malloc(3), `HEAP_MAX_SIZE` on 64-bit machines).
const ARENA_BYTES: usize = 64 << 20;

#[test]
fn threads_share_two_arenas_per_core() {
    codeagent_memory::few_arenas();
    let cores = thread::available_parallelism().unwrap().get();
    let threads = 16 * cores;
    let all_hold = Barrier::new(threads);
    let hold = || {
        let held = vec![1_u8; 1_000];
        all_hold.wait();
        held.as_ptr().addr() / ARENA_BYTES
    };
    let arenas: BTreeSet<usize> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(hold)).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        arenas.len() <= 2 * cores,
        "{} arenas on {cores} cores",
        arenas.len()
    );
}
