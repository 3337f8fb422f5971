//! State shared by the steps of one batch: threads, time, progress and the known files.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::scan::KnownFiles;
use crate::ingest::source::SourceReader;
use crate::ingest::{IngestError, Phase, Progress, Summary};

/// Stack of a worker, for the deepest nesting that extractors and resolvers admit.
const STACK_BYTES: usize = 16 << 20;

/// State shared by all steps of one batch.
pub struct BatchContext<'a> {
    pub threads: Arc<ThreadPool>,
    pub timer: PhaseTimer,
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Gives the texts.
    pub sources: SourceReader,
    /// The files as the index knows them.
    pub known: KnownFiles,
    /// When the batch began, nanoseconds since 1970.
    pub began_at: i64,
    started: Instant,
}

impl<'a> BatchContext<'a> {
    /// Begins a batch.
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

    /// Runs `work` on the workers and counts the time of the first of them.
    pub fn install<T: Send>(&self, phase: Phase, work: impl FnOnce() -> T + Send) -> T {
        self.threads.install(|| self.timer.time(phase, work))
    }

    /// Reports that a phase begins.
    pub fn begin(&self, phase: Phase, total: usize) {
        (self.progress)(Progress {
            phase,
            done: 0,
            total,
        });
    }

    /// Adds the times to the summary.
    pub fn finish(&self, mut summary: Summary) -> Summary {
        summary.problems.sort();
        summary.phases = self.timer.times();
        summary.elapsed = self.started.elapsed();
        summary
    }
}

/// Starts workers; 0: one per processor.
pub fn worker_threads(threads: usize) -> Result<ThreadPool, IngestError> {
    build(thread_pool(threads).thread_name(|index| format!("codeagent-worker-{index}")))
}

/// Describes workers with a stack of [`STACK_BYTES`].
pub fn thread_pool(threads: usize) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
}

/// Starts workers.
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
