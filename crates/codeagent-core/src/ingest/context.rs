//! State shared by the steps of one batch: threads, timing, progress and the known files.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::scan::KnownFiles;
use crate::ingest::source::SourceReader;
use crate::ingest::{IngestError, Phase, Progress, Summary};

/// Stack size of a worker; enough for the deepest nesting that extractors and resolvers admit.
const STACK_BYTES: usize = 16 << 20;

pub struct BatchContext<'a> {
    pub threads: Arc<ThreadPool>,
    pub timer: PhaseTimer,
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Reads source texts.
    pub sources: SourceReader,
    /// The files as the index has them.
    pub known: KnownFiles,
    /// Start of the batch, in nanoseconds since 1970.
    pub began_at: i64,
    started: Instant,
}

impl<'a> BatchContext<'a> {
    pub fn new(
        threads: Arc<ThreadPool>,
        progress: &'a (dyn Fn(Progress) + Sync),
        sources: SourceReader,
        known: KnownFiles,
    ) -> Self {
        Self {
            threads,
            timer: PhaseTimer::default(),
            progress,
            sources,
            known,
            began_at: now_ns(),
            started: Instant::now(),
        }
    }

    /// Runs `work` on the worker pool and charges the time of its first thread to `phase`.
    pub fn install<T: Send>(&self, phase: Phase, work: impl FnOnce() -> T + Send) -> T {
        self.threads.install(|| self.timer.time(phase, work))
    }

    /// Reports the start of a phase.
    pub fn begin(&self, phase: Phase, total: usize) {
        (self.progress)(Progress {
            phase,
            done: 0,
            total,
        });
    }

    /// Adds the phase times to the summary.
    pub fn finish(&self, mut summary: Summary) -> Summary {
        summary.problems.sort();
        summary.phases = self.timer.times();
        summary.elapsed = self.started.elapsed();
        summary
    }
}

/// Starts worker threads; 0 means one per processor.
pub fn worker_threads(threads: usize) -> Result<ThreadPool, IngestError> {
    build(thread_pool(threads).thread_name(|index| format!("codeagent-worker-{index}")))
}

/// Returns a builder for workers with a stack of [`STACK_BYTES`].
pub fn thread_pool(threads: usize) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
}

pub fn build(threads: ThreadPoolBuilder) -> Result<ThreadPool, IngestError> {
    threads
        .build()
        .map_err(|error| IngestError::Threads(error.to_string()))
}

fn now_ns() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
        })
}
