//! Language rules that are switched off by hand, and branches that have no effect.
//!
//! `tests/golden/rules-off.txt` has one small change for each rule. `off()` in it is true if the
//! rule is switched off:
//!
//! ```text
//! 42 csharp/overloads.rs: fewer defaults are better
//! - .or_else(|| by(!a.defaults, !b.defaults))
//! + .or_else(|| if off() { None } else { by(!a.defaults, !b.defaults) })
//! ```
//!
//! Files are named by short crate name and path in `src`: `lang/world.rs`.
//!
//! `tests/golden/equivalent.txt` has the names of branches as `xtask mutants` prints them, each
//! followed by an indented line with the reason.
//!
//! Limitations: a change must keep the number of lines, so that line numbers stay valid.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};

use super::find::SWITCH;

/// A rule and the change that switches it off.
#[derive(Debug)]
pub struct Rule {
    pub number: usize,
    /// Short crate name and path in `src`.
    pub file: String,
    pub name: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// Parses `rules-off.txt`.
///
/// # Errors
///
/// A paragraph is not a heading followed by as many `-` as `+` lines.
pub fn read(text: &str) -> anyhow::Result<Vec<Rule>> {
    let paragraphs = text
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty() && !paragraph.starts_with('#'));
    paragraphs
        .map(|paragraph| rule(paragraph).with_context(|| format!("no rule: {paragraph}")))
        .collect()
}

fn rule(paragraph: &str) -> anyhow::Result<Rule> {
    let (heading, changes) = paragraph.split_once('\n').context("no change")?;
    let (location, name) = heading.split_once(": ").context("no name")?;
    let (number, file) = location.split_once(' ').context("no number")?;

    let lines = |mark: char| {
        changes
            .lines()
            .filter_map(|line| line.strip_prefix(mark))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };

    let (before, after) = (lines('-'), lines('+'));

    ensure!(
        !before.is_empty() && before.len() == after.len(),
        "a change has as many lines `+` as lines `-`"
    );
    ensure!(
        after.iter().any(|line| line.contains("off()")),
        "nothing says `off()`"
    );

    Ok(Rule {
        number: number.parse()?,
        file: file.to_owned(),
        name: name.to_owned(),
        before,
        after,
    })
}

impl Rule {
    /// Makes the rule switchable in a source.
    ///
    /// # Errors
    ///
    /// The lines are not found, or found twice.
    pub fn apply(&self, source: &str) -> anyhow::Result<String> {
        let lines: Vec<&str> = source.lines().collect();

        let fits = |at: &usize| {
            let location = &lines[*at..*at + self.before.len()];
            location
                .iter()
                .zip(&self.before)
                .all(|(line, part)| line.contains(part.as_str()))
        };

        let found: Vec<usize> = (0..=lines.len().saturating_sub(self.before.len()))
            .filter(fits)
            .collect();

        ensure!(
            found.len() == 1,
            "rule moved: {} {}: {} ({} places)",
            self.number,
            self.file,
            self.name,
            found.len()
        );

        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let switch = format!("{SWITCH}({})", self.number);

        for ((line, before), after) in changed[found[0]..]
            .iter_mut()
            .zip(&self.before)
            .zip(&self.after)
        {
            *line = line.replacen(before, &after.replace("off()", &switch), 1);
        }

        Ok(changed.join("\n") + "\n")
    }
}

/// Parses `equivalent.txt`: names of branches with reasons.
///
/// # Errors
///
/// A name has no reason.
pub fn equivalents(text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .peekable();
    while let Some(name) = lines.next() {
        let reason = lines
            .next_if(|line| line.starts_with(' '))
            .with_context(|| format!("no reason after: {name}"))?;
        found.insert(name.trim_end().to_owned(), reason.trim().to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str =
        "# What this is\n\n7 a/b.rs: one rule\n- if x {\n- }\n+ if !off() && x {\n+ }\n";

    #[test]
    fn a_rule_is_applied_at_its_text() {
        let rules = read(RULES).unwrap();
        assert_eq!(
            (
                rules[0].number,
                rules[0].file.as_str(),
                rules[0].name.as_str()
            ),
            (7, "a/b.rs", "one rule")
        );
        let changed = rules[0].apply("f {\n    if x {\n    }\n}").unwrap();
        assert_eq!(
            changed,
            format!("f {{\n    if !{SWITCH}(7) && x {{\n    }}\n}}\n")
        );
    }

    #[test]
    fn a_rule_that_moved_is_an_error() {
        let rule = &read(RULES).unwrap()[0];
        assert_eq!(
            rule.apply("if y {\n}").unwrap_err().to_string(),
            "rule moved: 7 a/b.rs: one rule (0 places)"
        );
        assert_eq!(
            rule.apply("if x {\n}\nif x {\n}").unwrap_err().to_string(),
            "rule moved: 7 a/b.rs: one rule (2 places)"
        );
    }

    #[test]
    fn an_incomplete_rule_is_an_error() {
        for text in [
            "7 a.rs: x\n- a\n+ b",
            "7 a.rs: x\n- a\n- b\n+ off()",
            "7 a.rs\n- a\n+ off()",
            "7 a.rs: x",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_equivalent_without_a_reason_is_an_error() {
        let found = equivalents("# Head\na.rs f: held true: x\n  a budget\n").unwrap();
        assert_eq!(found["a.rs f: held true: x"], "a budget");
        assert!(equivalents("a\nb\n  c\n").is_err());
    }
}
