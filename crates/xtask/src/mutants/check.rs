//! Runs the tests that reach a mutant.
//!
//! A mutant is noticed if a test fails, crashes, needs more than [`MEMORY_KB`], or takes more than
//! ten times its usual time.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::reach::{Reach, TestUnit};

/// Maximum address space of a test in KiB, so that an unbounded mutant does not exhaust the
/// machine.
const MEMORY_KB: u64 = 8 << 20;

/// Wall-clock limit of a test as a multiple of its CPU time limit, for busy machines.
const WALL: u32 = 50;

/// Time allowed beyond ten times a test's usual time.
const SLACK: Duration = Duration::from_secs(2);

/// A test program.
pub struct Program {
    /// The package whose tests it holds.
    pub package: &'static str,
    path: PathBuf,
    /// Its working directory.
    folder: PathBuf,
}

impl Program {
    /// Creates a program that runs in `folder`.
    pub fn new(package: &'static str, path: PathBuf, folder: PathBuf) -> Self {
        Self {
            package,
            path,
            folder,
        }
    }

    /// Returns the names of its tests.
    ///
    /// # Errors
    ///
    /// It cannot be started, or lists none.
    pub fn tests(&self) -> anyhow::Result<Vec<String>> {
        let output = Command::new(&self.path)
            .args(["--list", "--format", "terse"])
            .current_dir(&self.folder)
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let tests: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect();
        ensure!(!tests.is_empty(), "{} lists no tests", self.path.display());
        Ok(tests)
    }

    /// Reports whether a test passes within the limit of processor time.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn run(
        &self,
        test: &str,
        environment: &[(&str, &OsStr)],
        limit: Duration,
    ) -> anyhow::Result<bool> {
        let mut child = Command::new("sh")
            .args([
                "-c",
                &format!(
                    "ulimit -v {MEMORY_KB}; ulimit -t {}; exec \"$@\"",
                    limit.as_secs() + 1
                ),
                "sh",
            ])
            .arg(&self.path)
            .args(["--exact", test])
            .envs(environment.iter().copied())
            .env("RUST_BACKTRACE", "0")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();

        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            // A test that uses no CPU time never reaches the CPU time limit.
            if start.elapsed() > limit * WALL {
                child.kill()?;
                child.wait()?;
                return Ok(false);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The result of running a set of mutants.
#[derive(Default)]
pub struct Survivors {
    /// Mutants that a test reaches and none notices.
    pub reached: Vec<usize>,
    /// Mutants that no test reaches.
    pub unreached: Vec<usize>,
}

/// Runs the mutants, calling `report` with each survivor as soon as it is known. Case lists are
/// written to `folder`.
///
/// # Errors
///
/// A test cannot be started.
pub fn survivors(
    programs: &[Program],
    reach: &Reach,
    mutants: &[usize],
    folder: &Path,
    report: &(dyn Fn(usize) + Sync),
) -> anyhow::Result<Survivors> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Survivors::default());

    workers(|| {
        while let Some(&mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
            let units = reach.units(mutant);
            if notices(programs, &units, mutant, folder)? {
                continue;
            }
            report(mutant);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let list = if units.is_empty() {
                &mut found.unreached
            } else {
                &mut found.reached
            };
            list.push(mutant);
        }
        Ok(())
    })?;

    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.reached.sort_unstable();
    found.unreached.sort_unstable();
    Ok(found)
}

/// Runs the same work on every processor.
///
/// # Errors
///
/// The first error of a worker.
pub fn workers(work: impl Fn() -> anyhow::Result<()> + Sync) -> anyhow::Result<()> {
    thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(&work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

/// Reports whether a unit notices the mutant. Cases of one test share a process.
fn notices(
    programs: &[Program],
    units: &[&TestUnit],
    mutant: usize,
    folder: &Path,
) -> anyhow::Result<bool> {
    let number = mutant.to_string();
    let list = folder.join(format!("{mutant}.cases"));
    let is_together = |a: &&TestUnit, b: &&TestUnit| (a.program, &a.test) == (b.program, &b.test);

    for group in units.chunk_by(is_together) {
        let limit: Duration = group.iter().map(|unit| time_limit(unit)).sum();
        let mut environment = vec![("MUTANT", OsStr::new(&number))];
        if group[0].case.is_some() {
            fs::write(&list, case_list(group)).with_context(|| list.display().to_string())?;
            environment.push(("RULES_CASES", list.as_os_str()));
        }
        let program = &programs[group[0].program];
        if !program.run(&group[0].test, &environment, limit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the lines of `RULES_CASES`, the list of cases that the rule tests read.
fn case_list(units: &[&TestUnit]) -> String {
    let mut list = String::new();
    for unit in units {
        let case = unit.case.as_deref().unwrap_or_default();
        writeln!(list, "{}\t{case}", time_limit(unit).as_secs_f64()).ok();
    }
    list
}

fn time_limit(unit: &TestUnit) -> Duration {
    unit.time * 10 + SLACK
}
