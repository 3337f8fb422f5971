//! How many mutants did the rule tests notice, and is that fewer than before? The text of `tests/golden/mutants.txt`.
//!
//! **Limits.** Scores are compared in thousandths.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context as _, ensure};

/// The outcome of a run.
pub struct MutantReport {
    /// All branches of `resolve`.
    pub branches: usize,
    /// Those that make no difference, with reasons.
    pub equivalents: BTreeMap<String, String>,
    /// Rules that were switched off.
    pub rules: usize,
    /// Branches that were.
    pub drawn: usize,
    /// The names of what was not noticed; those of rules begin with `rule `.
    pub survivors: Vec<String>,
    /// Seconds that the build and the mutants took.
    pub seconds: (u64, u64),
}

impl MutantReport {
    fn surviving_rules(&self) -> usize {
        self.survivors.iter().filter(|name| name.starts_with("rule ")).count()
    }

    fn thousandths(&self) -> usize {
        let all = self.rules + self.drawn;
        (all - self.survivors.len()) * 1000 / all.max(1)
    }

    /// The line with the score.
    pub fn score(&self) -> String {
        let thousandths = self.thousandths();
        format!("score: {}.{:03}", thousandths / 1000, thousandths % 1000)
    }

    /// Holds the run against the recorded one.
    ///
    /// # Errors
    ///
    /// The score is lower, or a rule survives that did not.
    pub fn compare(&self, recorded: &str) -> anyhow::Result<()> {
        let score = recorded.lines().find(|line| line.starts_with("score: ")).context("mutants.txt has no score")?;
        let before: BTreeSet<&str> = recorded.lines().filter(|line| line.starts_with("rule ")).collect();
        let lost: Vec<&String> =
            self.survivors.iter().filter(|name| name.starts_with("rule ") && !before.contains(name.as_str())).collect();
        ensure!(lost.is_empty(), "no rule test notices any more: {lost:#?}");
        ensure!(*self.score() >= *score, "{}, recorded is {score}", self.score());
        Ok(())
    }
}

impl fmt::Display for MutantReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rules, survivors) = (self.surviving_rules(), self.survivors.len());
        writeln!(f, "# What the rule tests notice of the linkers' rules; written by `cargo run -p xtask -- mutants`.\n")?;
        writeln!(f, "rules switched off: {}, noticed {}", self.rules, self.rules - rules)?;
        writeln!(f, "branches: {}, of which {} make no difference", self.branches, self.equivalents.len())?;
        writeln!(f, "drawn with the seed {:?}: {}, noticed {}", super::SEED, self.drawn, self.drawn + rules - survivors)?;
        writeln!(f, "{}", self.score())?;
        writeln!(f, "took {} s to build and {} s to run", self.seconds.0, self.seconds.1)?;
        writeln!(f, "\n# Not noticed")?;
        self.survivors.iter().try_for_each(|name| writeln!(f, "{name}"))?;
        writeln!(f, "\n# No difference: see equivalent.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(survivors: &[&str]) -> MutantReport {
        let survivors = survivors.iter().map(|name| (*name).to_owned()).collect();
        MutantReport { branches: 300, equivalents: BTreeMap::new(), rules: 60, drawn: 200, survivors, seconds: (90, 120) }
    }

    #[test]
    fn the_score_may_rise_but_not_fall() {
        let recorded = report(&["rule 1: a", "b"]).to_string();
        assert!(recorded.contains("\nscore: 0.992\n"), "{recorded}");
        assert!(report(&["rule 1: a"]).compare(&recorded).is_ok());
        assert!(report(&["b", "c"]).compare(&recorded).is_ok());
        assert!(report(&["b", "c", "d"]).compare(&recorded).is_err());
    }

    #[test]
    fn a_rule_that_was_noticed_has_to_be() {
        let recorded = report(&["rule 1: a", "b"]).to_string();
        assert!(report(&["rule 2: a"]).compare(&recorded).is_err());
    }
}
