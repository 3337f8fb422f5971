//! Do many threads share few arenas?

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

/// glibc's arenas but the first lie at multiples of this (malloc(3), `HEAP_MAX_SIZE` on machines of
/// 64 bits).
const ARENA_BYTES: usize = 64 << 20;

#[test]
fn threads_share_two_arenas_a_core() {
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
