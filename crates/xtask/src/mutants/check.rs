//! Do the rule tests notice a mutant?
//!
//! **Limits.** A mutant that takes ten times as long as the tests take without one counts as noticed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::ensure;

/// The rule tests as a program.
pub struct Tests {
    program: PathBuf,
    folder: PathBuf,
    limit: Duration,
}

impl Tests {
    /// Runs the tests without a mutant, which takes as long as they take.
    ///
    /// # Errors
    ///
    /// They fail.
    pub fn new(program: PathBuf, root: &Path) -> anyhow::Result<Self> {
        let mut tests = Self { program, folder: root.join("target/mutants/crates/codeagent-core"), limit: Duration::from_secs(600) };
        let start = Instant::now();
        ensure!(!tests.notice(0, None)?, "the rule tests fail without a mutant");
        tests.limit = start.elapsed() * 10 + Duration::from_secs(2);
        Ok(tests)
    }

    /// The mutants that the tests do not notice; each comes with the one test that can, if there is only one. Each
    /// is told as soon as it is known.
    ///
    /// # Errors
    ///
    /// The tests cannot be started.
    pub fn survivors(&self, mutants: &[(usize, Option<&str>)], told: &(dyn Fn(usize) + Sync)) -> anyhow::Result<Vec<usize>> {
        let next = AtomicUsize::new(0);
        let survived = Mutex::new(Vec::new());
        let work = || -> anyhow::Result<()> {
            while let Some(&(mutant, test)) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !self.notice(mutant, test)? {
                    told(mutant);
                    survived.lock().unwrap_or_else(PoisonError::into_inner).push(mutant);
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })?;
        let mut survived = survived.into_inner().unwrap_or_else(PoisonError::into_inner);
        survived.sort_unstable();
        Ok(survived)
    }

    /// Whether the tests fail, or do not end, with a mutant.
    fn notice(&self, mutant: usize, test: Option<&str>) -> anyhow::Result<bool> {
        let mut child = Command::new(&self.program)
            .args(test)
            .env("MUTANT", mutant.to_string())
            .env("RUST_BACKTRACE", "0")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(!status.success());
            }
            if start.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}
