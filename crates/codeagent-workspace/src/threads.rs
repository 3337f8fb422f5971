//! Parallel directory walks that do not fail for lack of threads.
//!
//! `ignore` panics if it cannot start one of its threads, and the started ones then wait forever.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

use ignore::{DirEntry, Error, WalkBuilder, WalkState};

/// Default maximum of threads in `ignore`.
const MOST: usize = 12;

/// Visits entries on one thread; `Break` ends the walk on all threads.
pub(crate) type Visitor<'s> =
    Box<dyn FnMut(Result<DirEntry, Error>) -> ControlFlow<()> + Send + 's>;

/// Walks with one visitor per thread (0: one per processor), or on this thread alone if not enough
/// threads can be started.
pub(crate) fn walk<'s>(
    builder: &mut WalkBuilder,
    threads: usize,
    mut visitor: impl FnMut() -> Visitor<'s>,
) {
    let threads = match threads {
        0 => thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MOST),
        asked => asked,
    };

    if threads > 1 && can_start(threads) {
        builder.threads(threads).build_parallel().run(|| {
            let mut visit = visitor();
            Box::new(move |entry| {
                if visit(entry).is_break() {
                    WalkState::Quit
                } else {
                    WalkState::Continue
                }
            })
        });
    } else {
        // The reason for the end does not matter.
        let _ = builder.build().try_for_each(visitor());
    }
}

/// Reports whether the system can start this many threads. The next threads reuse their stacks.
fn can_start(threads: usize) -> bool {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
        let started: Vec<_> = (0..threads)
            .map_while(|_| Builder::new().spawn_scoped(scope, wait).ok())
            .collect();
        drop(closed);
        let count = started.len();
        // The scope waits for the end of their work, not for their exit.
        started.into_iter().for_each(|thread| drop(thread.join()));
        count == threads
    })
}
