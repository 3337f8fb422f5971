//! Do the rule tests notice a mutant?
//!
//! The rule pages are asked first, and of what they let through the tests of packages.
//!
//! **Limits.** A mutant that takes ten times as long as the tests take without one, or more than [`MEMORY_KB`], counts as noticed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::ensure;

/// A mutant, and who may notice it.
pub struct Trial<'m> {
    /// Its number.
    pub number: usize,
    /// The one of the rule pages' tests that can, if there is only one.
    pub pages: Option<&'m str>,
}

/// What a mutant may take of addresses: one without a bound must not take the machine.
const MEMORY_KB: u64 = 8 << 20;

/// The rule tests as programs.
pub struct Tests {
    programs: Vec<PathBuf>,
    folder: PathBuf,
    limit: Duration,
}

impl Tests {
    /// Runs the tests without a mutant, which takes as long as they take.
    ///
    /// # Errors
    ///
    /// They fail.
    pub fn new(programs: Vec<PathBuf>, root: &Path) -> anyhow::Result<Self> {
        let mut tests = Self { programs, folder: root.join("target/mutants/crates/codeagent-core"), limit: Duration::from_secs(600) };
        let start = Instant::now();
        ensure!(!tests.notice(&Trial { number: 0, pages: None })?, "the rule tests fail without a mutant");
        tests.limit = start.elapsed() * 10 + Duration::from_secs(2);
        Ok(tests)
    }

    /// The mutants that the tests do not notice. Each is told as soon as it is known.
    ///
    /// # Errors
    ///
    /// The tests cannot be started.
    pub fn survivors(&self, mutants: &[Trial<'_>], told: &(dyn Fn(usize) + Sync)) -> anyhow::Result<Vec<usize>> {
        let next = AtomicUsize::new(0);
        let survived = Mutex::new(Vec::new());
        let work = || -> anyhow::Result<()> {
            while let Some(trial) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !self.notice(trial)? {
                    told(trial.number);
                    survived.lock().unwrap_or_else(PoisonError::into_inner).push(trial.number);
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
    fn notice(&self, trial: &Trial<'_>) -> anyhow::Result<bool> {
        for (at, program) in self.programs.iter().enumerate() {
            if self.fails(program, trial.number, trial.pages.filter(|_| at == 0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fails(&self, program: &Path, number: usize, test: Option<&str>) -> anyhow::Result<bool> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {MEMORY_KB}; exec \"$@\""), "sh"])
            .arg(program)
            .args(test)
            .env("MUTANT", number.to_string())
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
