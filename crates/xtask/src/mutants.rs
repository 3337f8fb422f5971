//! Mutation testing of the resolvers: switches every branch off, one at a time, and runs the tests
//! that reach it.
//!
//! One build makes all branches of the resolvers switchable (cargo-mutants would compile the crate
//! once per branch, see `docs/ARCHITECTURE.md`). One run without mutants records which branches
//! each rule case or unit test of a resolver reaches ([`reach`]); each mutant then runs only those
//! that reach it, up to the first failure. `tests/golden/mutants.txt` lists the survivors, whose
//! number may only fall. Every rule of `tests/golden/rules-off.txt` must be noticed.
//!
//! Limitations: a mutant that only the fixtures or golden repositories notice counts as a survivor.

mod build;
mod check;
mod find;
mod reach;
mod report;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use self::check::Survivors;
use self::find::Branch;
use self::reach::Reach;
use self::report::MutantReport;
use self::rules::Rule;

/// Number of the first branch; smaller numbers are rules.
const FIRST_BRANCH: usize = 1000;

/// Switches every branch of the resolvers off, one by one, and runs the rule tests on each.
#[derive(clap::Args)]
pub struct Options {
    /// Compare with tests/golden/mutants.txt instead of writing it.
    #[arg(long)]
    check: bool,
    /// Run only the mutants of files whose paths end so, and print the survivors.
    #[arg(long, value_name = "PATH", conflicts_with = "check")]
    file: Vec<String>,
}

pub struct Mutant {
    /// Short name of its crate and path in `src`.
    pub file: String,
    pub branch: Branch,
    /// File, function, operator and text; repeated names are numbered.
    pub name: String,
}

/// All switchable branches and rules.
struct Mutants {
    rules: Vec<Rule>,
    /// Numbered from `FIRST_BRANCH`.
    branches: Vec<Mutant>,
    /// Names of branches without effect, with reasons.
    equivalents: BTreeMap<String, String>,
    /// The instrumented sources, by file; see [`build::source_path`].
    texts: BTreeMap<String, String>,
}

/// Creates the mutants, runs the tests on the chosen ones and reports.
///
/// # Errors
///
/// A rule is no longer where it was recorded, the tests fail without a mutant, or more mutants
/// survive than recorded.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()?;
    let golden = root.join("tests/golden");
    let mutants = Mutants::find(&root, &golden)?;
    let is_wanted = |file: &str| {
        options.file.is_empty()
            || options
                .file
                .iter()
                .any(|end| file.ends_with(end.as_str()) || end.ends_with(file))
    };
    let chosen: Vec<usize> = mutants.numbers(is_wanted);
    ensure!(!chosen.is_empty(), "no such file of a resolver");

    let start = Instant::now();
    let programs = build::build(&root, &mutants.texts)?;
    let built = start.elapsed().as_secs();
    println!("built in {built} s");

    let start = Instant::now();
    let scratch = root.join("target/mutants-run");
    if scratch.exists() {
        fs::remove_dir_all(&scratch)?;
    }
    fs::create_dir_all(&scratch)?;
    fs::write(scratch.join("mutants.txt"), mutants.list())?;
    let reach = Reach::record(&programs, &scratch)?;
    println!(
        "{} cases and tests recorded in {} s",
        reach.len(),
        start.elapsed().as_secs()
    );

    let survivors = check::survivors(&programs, &reach, &chosen, &scratch, &|number| {
        mutants.print(number)
    })?;
    let seconds = (built, start.elapsed().as_secs());
    let survived = survivors.reached.len() + survivors.unreached.len();
    println!("{survived} of {} survive, {} s", chosen.len(), seconds.1);
    if !options.file.is_empty() {
        return Ok(());
    }

    let report = mutants.report(&survivors, seconds);
    println!("{}", report.score());
    let path = golden.join("mutants.txt");
    if options.check {
        return report
            .compare(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    }
    Ok(fs::write(path, report.to_string())?)
}

/// Names a branch by file, function, operator and text; repeated names are numbered.
fn unique_name(file: &str, branch: &Branch, seen: &mut BTreeMap<String, usize>) -> String {
    let text = if branch.text.is_empty() {
        String::new()
    } else {
        format!(": {}", branch.text)
    };
    let name = format!(
        "{file} {}: {}{text}",
        branch.function,
        branch.operator.name()
    );

    let times = seen
        .entry(name.clone())
        .and_modify(|times| *times += 1)
        .or_insert(1);

    if *times > 1 {
        format!("{name} #{times}")
    } else {
        name
    }
}

impl Mutants {
    fn find(root: &Path, golden: &Path) -> anyhow::Result<Self> {
        let read = |name: &str| -> anyhow::Result<String> {
            let path: PathBuf = golden.join(name);
            fs::read_to_string(&path).with_context(|| path.display().to_string())
        };

        let rules = rules::read(&read("rules-off.txt")?)?;
        let equivalents = rules::equivalents(&read("equivalent.txt")?)?;
        let mut texts = build::sources(root)?;
        let resolvers: BTreeSet<String> = texts.keys().cloned().collect();
        for rule in &rules {
            if !texts.contains_key(&rule.file) {
                texts.insert(
                    rule.file.clone(),
                    fs::read_to_string(root.join(build::source_path(&rule.file)))?,
                );
            }
        }

        for rule in &rules {
            let text = texts
                .get_mut(&rule.file)
                .with_context(|| format!("rule moved: {} {}", rule.number, rule.file))?;
            *text = rule.apply(text)?;
        }

        let mut branches: Vec<Mutant> = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (file, text) in texts
            .iter_mut()
            .filter(|(file, _)| resolvers.contains(*file))
        {
            let found = find::branches(text).with_context(|| file.clone())?;
            *text = find::instrumented(text, &found, FIRST_BRANCH + branches.len());

            branches.extend(found.into_iter().map(|branch| Mutant {
                file: file.clone(),
                name: unique_name(file, &branch, &mut seen),
                branch,
            }));
        }

        let gone: Vec<&String> = equivalents
            .keys()
            .filter(|name| !branches.iter().any(|mutant| mutant.name == **name))
            .collect();
        ensure!(
            gone.is_empty(),
            "no such branches; remove them from equivalent.txt: {gone:#?}"
        );

        Ok(Self {
            rules,
            branches,
            equivalents,
            texts,
        })
    }

    /// Returns the numbers of all mutants in the wanted files, without those that have no effect.
    fn numbers(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let rules = self
            .rules
            .iter()
            .filter(|rule| is_wanted(&rule.file))
            .map(|rule| rule.number);
        let branches = self
            .counted()
            .filter(|(_, mutant)| is_wanted(&mutant.file))
            .map(|(number, _)| number);
        rules.chain(branches).collect()
    }

    /// Iterates over the branches and their numbers, without those that have no effect.
    fn counted(&self) -> impl Iterator<Item = (usize, &Mutant)> {
        (FIRST_BRANCH..)
            .zip(&self.branches)
            .filter(|(_, mutant)| !self.equivalents.contains_key(&mutant.name))
    }

    /// Lists the branches by number, with their locations.
    fn list(&self) -> String {
        let line = |(number, mutant): (usize, &Mutant)| {
            let (place, line) = (build::source_path(&mutant.file), mutant.branch.line);
            format!("{number}\t{}:{line}\t{}\n", place.display(), mutant.name)
        };
        self.counted().map(line).collect()
    }

    /// Prints a survivor with its location and number: `MUTANT=number` selects it in the built
    /// program.
    fn print(&self, number: usize) {
        match self.rules.iter().find(|rule| rule.number == number) {
            Some(rule) => println!(
                "survived {number}: rule {number}: {}: {}",
                rule.file, rule.name
            ),
            None => {
                let mutant = &self.branches[number - FIRST_BRANCH];
                println!(
                    "survived {number}: {}:{}: {}",
                    build::source_path(&mutant.file).display(),
                    mutant.branch.line,
                    mutant.name
                );
            }
        }
    }

    fn report(&self, survivors: &Survivors, seconds: (u64, u64)) -> MutantReport {
        let name = |number: &usize| match self.rules.iter().find(|rule| rule.number == *number) {
            Some(rule) => format!("rule {number}: {}: {}", rule.file, rule.name),
            None => self.branches[*number - FIRST_BRANCH].name.clone(),
        };
        MutantReport {
            branches: self.branches.len(),
            equivalents: self.equivalents.len(),
            rules: self.rules.len(),
            reached: survivors.reached.iter().map(name).collect(),
            unreached: survivors.unreached.iter().map(name).collect(),
            seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_equivalent_matches_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutants = Mutants::find(&root, &root.join("tests/golden")).unwrap();
        let numbers: std::collections::BTreeSet<usize> =
            mutants.rules.iter().map(|rule| rule.number).collect();
        assert_eq!(
            numbers.len(),
            mutants.rules.len(),
            "two rules have one number"
        );
        assert!(
            numbers
                .iter()
                .all(|number| (1..FIRST_BRANCH).contains(number))
        );
    }
}
