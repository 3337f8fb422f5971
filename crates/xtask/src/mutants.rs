//! Which rules of the linkers can be switched off without a rule test noticing?
//!
//! All branches of `resolve` become switchable in one build; the tests then run once for each mutant, which takes a fraction of a second.
//! (cargo-mutants builds anew for each, see `docs/ARCHITECTURE.md`.) Counted are the rules of `tests/golden/rules-off.txt` and a sample of
//! the branches: those whose names, hashed with the seed, come first, so that a change elsewhere leaves the sample as it is.
//!
//! Rules of packages lie outside of `resolve`: which project gets which. `tests/nuget.rs` holds them.
//!
//! **Limits.** Of the branches only `tests/rules` is asked: what the fixtures alone hold counts as not held.

mod build;
mod check;
mod find;
mod report;
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use self::check::{Tests, Trial};
use self::find::Branch;
use self::report::MutantReport;
use self::rules::Rule;

const SEED: &str = "a net under the resolver";

/// Branches in the sample.
const DRAWN: usize = 200;

/// Mutants with lower numbers are rules.
const FIRST_BRANCH: usize = 1000;

/// Switches the rules of the linkers off, one by one, and runs the rule tests on each.
#[derive(clap::Args)]
pub struct Options {
    /// Compare with tests/golden/mutants.txt instead of writing it.
    #[arg(long)]
    check: bool,
    /// Run the mutants of all branches and print those that survive.
    #[arg(long, conflicts_with = "check")]
    all: bool,
    /// The same for the files whose paths end so.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["check", "all"])]
    file: Vec<String>,
}

/// A branch with what names it.
pub struct Mutant {
    /// Relative to `resolve`.
    pub file: String,
    pub branch: Branch,
    /// File, function, operator and text; the second of a name has a number.
    pub name: String,
}

impl Mutant {
    /// Its name with no folder of the file but the first.
    fn drawn_as(&self) -> String {
        let rest = &self.name[self.file.len()..];
        match (self.file.split_once('/'), self.file.rsplit_once('/')) {
            (Some((language, _)), Some((_, file))) => format!("{language}/{file}{rest}"),
            _ => self.name.clone(),
        }
    }
}

/// Everything that can be switched.
struct Mutants {
    rules: Vec<Rule>,
    /// Number `FIRST_BRANCH` and on.
    branches: Vec<Mutant>,
    /// Names of branches that make no difference, with reasons.
    equivalents: BTreeMap<String, String>,
    /// The texts in which they can be switched, see [`build::place`].
    texts: BTreeMap<String, String>,
}

/// Makes the mutants, runs the tests on the chosen ones and reports.
///
/// # Errors
///
/// A rule is no longer where it was, the tests fail without a mutant, or the score is lower than recorded.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let golden = root.join("tests/golden");
    let mutants = Mutants::find(&root, &golden)?;
    let start = Instant::now();
    let tests = Tests::new(build::build(&root, &mutants.texts)?, &root)?;
    let built = start.elapsed().as_secs();
    println!("built in {built} s");
    let start = Instant::now();
    if options.all || !options.file.is_empty() {
        let is_wanted = |file: &str| options.all || options.file.iter().any(|end| file.ends_with(end.as_str()) || end.ends_with(file));
        let chosen: Vec<usize> = mutants.numbers(is_wanted);
        ensure!(!chosen.is_empty(), "no such file in {}", build::RESOLVE);
        let survived = tests.survivors(&mutants.trials(&chosen), &|number| mutants.print(number))?;
        println!("{} of {} survive, {:.0} s", survived.len(), chosen.len(), start.elapsed().as_secs_f64());
        return Ok(());
    }
    let drawn = mutants.draw();
    let chosen: Vec<usize> = mutants.rules.iter().map(|rule| rule.number).chain(drawn.iter().copied()).collect();
    let survived = tests.survivors(&mutants.trials(&chosen), &|number| mutants.print(number))?;
    let seconds = (built, start.elapsed().as_secs());
    println!("{} mutants in {} s", chosen.len(), seconds.1);
    let report = mutants.report(&drawn, &survived, seconds);
    println!("{}", report.score());
    let path = golden.join("mutants.txt");
    if options.check {
        return report.compare(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    }
    Ok(fs::write(path, report.to_string())?)
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
        for rule in rules.iter().filter(|rule| rule.file.starts_with("src/")) {
            if !texts.contains_key(&rule.file) {
                texts.insert(rule.file.clone(), fs::read_to_string(root.join(build::place(&rule.file)))?);
            }
        }
        for rule in &rules {
            let text = texts.get_mut(&rule.file).with_context(|| format!("rule moved: {} {}", rule.number, rule.file))?;
            *text = rule.apply(text)?;
        }
        let mut branches: Vec<Mutant> = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (file, text) in texts.iter_mut().filter(|(file, _)| !file.starts_with("src/")) {
            let found = find::branches(text).with_context(|| file.clone())?;
            *text = find::instrumented(text, &found, FIRST_BRANCH + branches.len());
            branches.extend(found.into_iter().map(|branch| {
                let text = if branch.text.is_empty() { String::new() } else { format!(": {}", branch.text) };
                let name = format!("{file} {}: {}{text}", branch.function, branch.operator.name());
                let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
                let name = if *times > 1 { format!("{name} #{times}") } else { name };
                Mutant { file: file.clone(), branch, name }
            }));
        }
        for name in equivalents.keys() {
            ensure!(branches.iter().any(|mutant| mutant.name == *name), "no such branch any more, take it out of equivalent.txt: {name}");
        }
        Ok(Self { rules, branches, equivalents, texts })
    }

    /// The numbers of all mutants in the wanted files that may make a difference.
    fn numbers(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let rules = self.rules.iter().filter(|rule| is_wanted(&rule.file)).map(|rule| rule.number);
        let branches = self.counted().filter(|(_, mutant)| is_wanted(&mutant.file)).map(|(number, _)| number);
        rules.chain(branches).collect()
    }

    /// Mutants with the rule test that is named like the language they belong to; those that belong to both without.
    fn trials(&self, numbers: &[usize]) -> Vec<Trial<'_>> {
        let trial = |&number: &usize| {
            let rule = self.rules.iter().find(|rule| rule.number == number);
            let file = rule.map_or_else(|| &self.branches[number - FIRST_BRANCH].file, |rule| &rule.file);
            let pages = file.split('/').next().filter(|folder| matches!(*folder, "csharp" | "typescript"));
            Trial { number, pages }
        };
        numbers.iter().map(trial).collect()
    }

    /// The branches that may make a difference, with their numbers.
    fn counted(&self) -> impl Iterator<Item = (usize, &Mutant)> {
        (FIRST_BRANCH..).zip(&self.branches).filter(|(_, mutant)| !self.equivalents.contains_key(&mutant.name))
    }

    /// The sample. On which floor of its language a file stands plays no part: moving it draws no other branches.
    fn draw(&self) -> Vec<usize> {
        let mut hashed: Vec<([u8; 32], usize)> = self
            .counted()
            .map(|(number, mutant)| (*blake3::hash(format!("{SEED}\n{}", mutant.drawn_as()).as_bytes()).as_bytes(), number))
            .collect();
        hashed.sort_unstable();
        let mut drawn: Vec<usize> = hashed.into_iter().take(DRAWN).map(|(_, number)| number).collect();
        drawn.sort_unstable();
        drawn
    }

    /// Prints a survivor with its place and its number: the program that `build` made runs it where the environment says `MUTANT=number`.
    fn print(&self, number: usize) {
        match self.rules.iter().find(|rule| rule.number == number) {
            Some(rule) => println!("survived {number}: rule {number}: {}: {}", rule.file, rule.name),
            None => {
                let mutant = &self.branches[number - FIRST_BRANCH];
                println!("survived {number}: {}/{}:{}: {}", build::RESOLVE, mutant.file, mutant.branch.line, mutant.name);
            }
        }
    }

    fn report(&self, drawn: &[usize], survived: &[usize], seconds: (u64, u64)) -> MutantReport {
        let name = |number: &usize| match self.rules.iter().find(|rule| rule.number == *number) {
            Some(rule) => format!("rule {number}: {}: {}", rule.file, rule.name),
            None => self.branches[*number - FIRST_BRANCH].name.clone(),
        };
        MutantReport {
            branches: self.branches.len(),
            equivalents: self.equivalents.clone(),
            rules: self.rules.len(),
            drawn: drawn.len(),
            survivors: survived.iter().map(name).collect(),
            seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_every_equivalent_is_where_it_says() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutants = Mutants::find(&root, &root.join("tests/golden")).unwrap();
        let numbers: std::collections::BTreeSet<usize> = mutants.rules.iter().map(|rule| rule.number).collect();
        assert_eq!(numbers.len(), mutants.rules.len(), "two rules have one number");
        assert!(numbers.iter().all(|number| (1..FIRST_BRANCH).contains(number)));
        assert_eq!(mutants.draw().len(), DRAWN);
    }
}
