//! Records which branches each test reaches in a run without mutants.
//!
//! A unit is one case of a rule page, or any other test as a whole. Each unit runs once, in its own
//! process, and the instrumented branches append their numbers to a file. A mutant is then run only
//! with the units that reach it; one that no unit reaches survives.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::FIRST_BRANCH;
use super::check::{Program, workers};

/// The modules whose tests are run: prefixes of names in the program of a package. The rule pages
/// come first, because most mutants end there.
const MODULES: &[(&str, &str)] = &[
    ("codeagent-core", "rules::"),
    ("codeagent-lang", "query::"),
    ("codeagent-csharp", "resolve::"),
    ("codeagent-typescript", "resolve::"),
    ("codeagent-core", "nuget::"),
    ("codeagent-core", "packages::"),
    ("codeagent-core", "packs::"),
];

/// The tests of the rule pages, each case of which is a unit.
const RULE_TESTS: [&str; 2] = ["rules::csharp", "rules::typescript"];

/// Prefix of the tests of hostile input. They run for rules only, because they take more time than
/// all rule cases together and few branches depend on them.
const HOSTILE: &str = "::a_hostile_";

/// A unit of tests that can notice mutants.
#[derive(Clone, Debug)]
pub struct TestUnit {
    /// Index of its module in [`MODULES`].
    pub module: usize,
    /// Index of its program.
    pub program: usize,
    /// Name of the test.
    pub test: String,
    /// Page and heading, for a case of a rule page.
    pub case: Option<String>,
    /// Duration without a mutant.
    pub time: Duration,
    /// Number of branches that it reaches.
    breadth: usize,
}

/// The units, and which of them reach each branch.
pub struct Reach {
    units: Vec<TestUnit>,
    by_mutant: HashMap<usize, Vec<usize>>,
}

impl Reach {
    /// Runs every unit of the programs without a mutant. Files are written to `folder`.
    ///
    /// # Errors
    ///
    /// A test fails without a mutant.
    pub fn record(programs: &[Program], folder: &Path) -> anyhow::Result<Self> {
        let mut units = list_units(programs, folder)?;
        let next = AtomicUsize::new(0);
        let recorded = Mutex::new(Vec::new());

        workers(|| {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(at) else {
                    return Ok(());
                };
                let outcome = run_unit(&programs[unit.program], unit, folder, at)?;
                recorded
                    .lock()
                    .map_err(|_| anyhow::anyhow!("a worker panicked"))?
                    .push((at, outcome));
            }
        })?;

        let mut by_mutant: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, (time, numbers)) in recorded.into_inner().unwrap_or_default() {
            units[at].time = time;
            units[at].breadth = numbers.len();
            for number in numbers {
                by_mutant.entry(number).or_default().push(at);
            }
        }
        Ok(Self { units, by_mutant })
    }

    /// Returns the units that reach a mutant, grouped by test. Cases that reach few branches come
    /// first, because they are most likely to notice.
    pub fn units(&self, mutant: usize) -> Vec<&TestUnit> {
        let mut found: Vec<&TestUnit> = self
            .by_mutant
            .get(&mutant)
            .into_iter()
            .flatten()
            .map(|at| &self.units[*at])
            .filter(|unit| mutant < FIRST_BRANCH || !unit.test.contains(HOSTILE))
            .collect();

        let order = |unit: &TestUnit| {
            (
                unit.module,
                unit.case.is_none(),
                unit.test.clone(),
                unit.breadth,
            )
        };

        found.sort_by_cached_key(|unit| order(unit));
        found
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        self.units.len()
    }
}

fn list_units(programs: &[Program], folder: &Path) -> anyhow::Result<Vec<TestUnit>> {
    let mut units = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut add = |module: usize, test: &str, case: Option<String>| {
            units.push(TestUnit {
                module,
                program: number,
                test: test.to_owned(),
                case,
                time: Duration::ZERO,
                breadth: 0,
            });
        };

        for test in program.tests()? {
            let is_module = |(package, prefix): &(&str, &str)| {
                *package == program.package && test.starts_with(prefix)
            };
            let Some(module) = MODULES.iter().position(is_module) else {
                continue;
            };
            if !RULE_TESTS.contains(&test.as_str()) {
                add(module, &test, None);
                continue;
            }

            let list = folder.join(format!("{}.txt", test.replace("::", "-")));
            let environment = [("RULES_LIST", list.as_os_str())];
            let passed = program.run(&test, &environment, Duration::from_secs(60))?;
            ensure!(passed, "the cases of {test} cannot be listed");
            read(&list)?
                .lines()
                .for_each(|case| add(module, &test, Some(case.to_owned())));
        }
    }
    Ok(units)
}

/// Runs a unit and returns its time and the mutants it reaches.
fn run_unit(
    program: &Program,
    unit: &TestUnit,
    folder: &Path,
    at: usize,
) -> anyhow::Result<(Duration, Vec<usize>)> {
    let reached = folder.join(format!("{at}.reached"));
    let list = folder.join(format!("{at}.cases"));
    let mut environment: Vec<(&str, &OsStr)> = vec![("REACHED", reached.as_os_str())];
    if let Some(case) = &unit.case {
        fs::write(&list, format!("300\t{case}\n"))?;
        environment.push(("RULES_CASES", list.as_os_str()));
    }

    let start = Instant::now();
    let passed = program.run(&unit.test, &environment, Duration::from_secs(600))?;
    let time = start.elapsed();
    ensure!(
        passed,
        "{} fails without a mutant",
        unit.case.as_ref().unwrap_or(&unit.test)
    );

    let text = if reached.exists() {
        read(&reached)?
    } else {
        String::new()
    };
    let numbers = text.lines().map(str::parse).collect::<Result<_, _>>()?;
    Ok((time, numbers))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}
