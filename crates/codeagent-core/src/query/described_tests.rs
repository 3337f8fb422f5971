//! Tests by a description of what they test: `which tests cover renaming a folder?`
//!
//! A test is a function in a file of tests, or a callback with a title there (`it "renames .."`). It
//! matches if its name with that of its class, or its title with its path, has all words of the description,
//! apart from their endings; if none has, all but one; if none has, those words that are rarest among tests.
//!
//! Limitations: English endings, and no synonyms.

use std::collections::BTreeMap;

use crate::query::QueryError;
use crate::query::target::is_common;
use crate::store::{self, Snapshot};

/// Maximum number of tests.
const MAX_TESTS: usize = 100;

/// Number of words of a description from which one of them may be missing.
const MIN_WORDS: usize = 3;

/// Maximum number of tests with a word; with more, it is common.
const MAX_WITH_WORD: usize = 400;

/// Maximum number of tests that have only some of the words.
const MAX_WITH_SOME: usize = 20;

/// Share of the weight of the best test that others have.
const MIN_SHARE: f64 = 0.6;

/// Minimum length of a word without its ending.
const MIN_STEM: usize = 3;

/// Verbs that say of a test that it tests.
const VERBS: [&str; 6] = ["assert", "check", "checks", "ensure", "verifies", "verify"];

/// Endings of English words, longest first.
const ENDINGS: [&str; 6] = ["ings", "ing", "ies", "ed", "es", "s"];

/// A test that matches a description.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DescribedTest {
    /// Repo-relative path.
    pub path: String,
    /// Line, 1-based.
    pub line: u32,
}

/// Tests that match a description.
#[derive(Clone, Debug, Default)]
pub struct DescribedTests {
    /// The tests, by place.
    pub tests: Vec<DescribedTest>,
    /// Whether they have only some of the words.
    pub has_some: bool,
}

/// Returns the tests that have the words of a description in their names or titles; none for a description of
/// fewer than `fewest` words.
pub fn described_tests(
    snapshot: &Snapshot,
    words: &[String],
    fewest: usize,
) -> Result<DescribedTests, QueryError> {
    let stems: Vec<&str> = words
        .iter()
        .filter(|word| !is_common(word) && !VERBS.contains(&word.as_str()))
        .map(|word| stem(word))
        .collect();
    if stems.is_empty() || stems.len() < fewest {
        return Ok(DescribedTests::default());
    }

    let mut tests = with_all(snapshot, &stems, MAX_TESTS)?;
    if !tests.is_empty() || stems.len() < MIN_WORDS {
        return Ok(DescribedTests {
            tests,
            has_some: false,
        });
    }
    // One word may be another than the test's.
    for without in 0..stems.len() {
        let mut others = stems.clone();
        others.remove(without);
        tests.extend(with_all(snapshot, &others, MAX_TESTS)?);
    }
    tests.sort_unstable();
    tests.dedup();
    if tests.is_empty() {
        tests = with_rarest(snapshot, &stems)?;
    }
    Ok(DescribedTests {
        tests,
        has_some: true,
    })
}

/// Returns the tests with the rarest of some words, at least two of them.
fn with_rarest(snapshot: &Snapshot, stems: &[&str]) -> Result<Vec<DescribedTest>, QueryError> {
    let mut scores: BTreeMap<DescribedTest, (usize, f64)> = BTreeMap::new();
    for stem in stems {
        let tests = with_all(snapshot, &[stem], MAX_WITH_WORD)?;
        let weight = (2.0 * MAX_WITH_WORD as f64 / tests.len().max(1) as f64).ln();
        for test in tests {
            let score = scores.entry(test).or_default();
            *score = (score.0 + 1, score.1 + weight);
        }
    }

    scores.retain(|_, (words, _)| *words > 1);
    let best = scores
        .values()
        .map(|(_, weight)| *weight)
        .fold(0.0, f64::max);
    scores.retain(|_, (_, weight)| *weight >= MIN_SHARE * best);
    Ok(scores.into_keys().take(MAX_WITH_SOME).collect())
}

/// Returns the tests whose names or titles have words with all of these beginnings.
fn with_all(
    snapshot: &Snapshot,
    stems: &[&str],
    limit: usize,
) -> Result<Vec<DescribedTest>, QueryError> {
    let mut found = Vec::new();
    for node in store::tests_with_beginnings(snapshot, stems, limit)? {
        found.extend(node.spans.first().map(|span| DescribedTest {
            path: span.path.clone(),
            line: span.name_line,
        }));
    }
    for (path, line) in store::tests_titled(snapshot, stems, limit)? {
        found.push(DescribedTest { path, line });
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Removes the ending of a word: `renam` of `renaming`.
fn stem(word: &str) -> &str {
    let mut stems = ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    stems.find(|stem| stem.len() >= MIN_STEM).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_the_beginnings_of_other_forms() {
        for (word, expected) in [
            ("renaming", "renam"),
            ("folders", "folder"),
            ("copies", "cop"),
            ("deleted", "delet"),
            ("sing", "sing"),
            ("url", "url"),
        ] {
            assert_eq!(stem(word), expected);
        }
    }
}
