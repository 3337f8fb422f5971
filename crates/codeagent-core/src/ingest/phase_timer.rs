//! Processor time of each phase, summed over all threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::ingest::summary::{Phase, PhaseTime};

#[derive(Debug, Default)]
pub struct PhaseTimer {
    nanoseconds: [AtomicU64; Phase::NAMES.len()],
}

impl PhaseTimer {
    /// Runs `work` and charges this thread's time to `phase`.
    pub fn time<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = ThreadTime::now();
        let result = work();
        self.add(phase, start.elapsed());
        result
    }

    /// Adds time that was measured elsewhere.
    pub fn add(&self, phase: Phase, time: Duration) {
        self.nanoseconds[phase as usize].fetch_add(
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
    }

    /// Returns the sums, in the order of the phases.
    pub fn times(&self) -> Vec<PhaseTime> {
        let sums = self
            .nanoseconds
            .iter()
            .map(|sum| Duration::from_nanos(sum.load(Ordering::Relaxed)));
        Phase::NAMES
            .iter()
            .zip(sums)
            .map(|((_, phase), cpu)| PhaseTime { phase: *phase, cpu })
            .collect()
    }
}
