//! Walks on several threads, if the system has as many left.
//!
//! `ignore` panics where it cannot start one of its threads, and those that it did start wait for
//! the missing one for ever.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

use ignore::{DirEntry, Error, WalkBuilder, WalkState};

/// What `ignore` takes when it may choose.
const MOST: usize = 12;

/// What a thread does with what it comes to; a break ends the walk of all threads.
pub(crate) type Visitor<'s> =
    Box<dyn FnMut(Result<DirEntry, Error>) -> ControlFlow<()> + Send + 's>;

/// Walks with a visitor for each of so many threads (0: one for each processor), or with one on
/// this thread if there are not as many.
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
        // Whatever it is that ended it.
        let _ = builder.build().try_for_each(visitor());
    }
}

/// Whether the system starts so many threads at a time. Once they have ended, their stacks are kept
/// for those that come next.
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
        // The scope would wait for what they do, not for their end.
        started.into_iter().for_each(|thread| drop(thread.join()));
        count == threads
    })
}
