//! The text of `tests/golden/mutants.txt`: how many mutants the rule tests notice, and the
//! survivors by name.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, ensure};

/// The outcome of a run.
pub struct MutantReport {
    /// All branches of the resolvers.
    pub branches: usize,
    /// Number of branches that `equivalent.txt` lists, which were not run.
    pub equivalents: usize,
    /// Number of rules that were switched off.
    pub rules: usize,
    /// Names of survivors that a test reaches; names of rules begin with `rule `.
    pub reached: Vec<String>,
    /// Names of survivors that no test reaches.
    pub unreached: Vec<String>,
    /// Seconds that the build and the runs took.
    pub seconds: (u64, u64),
}

impl MutantReport {
    fn survivors(&self) -> impl Iterator<Item = &String> {
        self.reached.iter().chain(&self.unreached)
    }

    fn surviving_rules(&self) -> usize {
        self.survivors()
            .filter(|name| name.starts_with("rule "))
            .count()
    }

    /// Returns the line with the score: noticed mutants per thousand run.
    pub fn score(&self) -> String {
        let run = self.rules + self.branches - self.equivalents;
        let thousandths = (run - self.survivors().count()) * 1000 / run.max(1);
        format!("score: {}.{:03}", thousandths / 1000, thousandths % 1000)
    }

    /// Compares the run with the recorded one.
    ///
    /// # Errors
    ///
    /// More mutants survive than recorded, or a rule survives that was noticed before.
    pub fn compare(&self, recorded: &str) -> anyhow::Result<()> {
        let line = recorded
            .lines()
            .find_map(|line| line.strip_prefix("survivors: "))
            .context("mutants.txt has no survivors")?;
        let before: usize = line.parse()?;
        let rules: BTreeSet<&str> = recorded
            .lines()
            .filter(|line| line.starts_with("rule "))
            .collect();
        let lost: Vec<&String> = self
            .survivors()
            .filter(|name| name.starts_with("rule ") && !rules.contains(name.as_str()))
            .collect();

        ensure!(lost.is_empty(), "no rule test notices any more: {lost:#?}");
        let survivors = self.survivors().count();
        ensure!(
            survivors <= before,
            "{survivors} mutants survive, recorded are {before}"
        );
        Ok(())
    }
}

impl fmt::Display for MutantReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rules, survivors) = (self.surviving_rules(), self.survivors().count());

        writeln!(
            f,
            "# Mutants of the resolvers that no rule test notices; written by `cargo xtask mutants`.\n"
        )?;

        writeln!(
            f,
            "rules switched off: {}, noticed {}",
            self.rules,
            self.rules - rules
        )?;
        writeln!(
            f,
            "branches: {}, equivalent {} (equivalent.txt)",
            self.branches, self.equivalents
        )?;

        writeln!(f, "survivors: {survivors}")?;
        writeln!(f, "{}", self.score())?;
        writeln!(
            f,
            "took {} s to build and {} s to run",
            self.seconds.0, self.seconds.1
        )?;

        writeln!(f, "\n# Reached and not noticed")?;
        self.reached
            .iter()
            .try_for_each(|name| writeln!(f, "{name}"))?;

        writeln!(f, "\n# Not reached")?;
        self.unreached
            .iter()
            .try_for_each(|name| writeln!(f, "{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(reached: &[&str], unreached: &[&str]) -> MutantReport {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        MutantReport {
            branches: 300,
            equivalents: 10,
            rules: 60,
            reached: names(reached),
            unreached: names(unreached),
            seconds: (90, 120),
        }
    }

    #[test]
    fn more_survivors_than_recorded_are_an_error() {
        let recorded = report(&["rule 1: a", "b"], &["c"]).to_string();
        assert!(
            recorded.contains("\nsurvivors: 3\nscore: 0.991\n"),
            "{recorded}"
        );
        assert!(report(&["rule 1: a"], &[]).compare(&recorded).is_ok());
        assert!(report(&["b", "c"], &["d"]).compare(&recorded).is_ok());
        assert!(report(&["b", "c"], &["d", "e"]).compare(&recorded).is_err());
    }

    #[test]
    fn a_rule_that_no_test_notices_any_more_is_an_error() {
        let recorded = report(&["rule 1: a", "b"], &[]).to_string();
        assert!(report(&["rule 2: a"], &[]).compare(&recorded).is_err());
        assert!(report(&[], &["rule 2: a"]).compare(&recorded).is_err());
    }
}
