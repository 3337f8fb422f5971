//! Tests by a description of what they test: `which tests cover renaming a folder?`
//!
//! A test is a function in a file of tests, or a callback with a title there (`it "renames .."`). It
//! matches if its name with that of its class, or its title with its path, has all words of the description,
//! apart from their endings; if none has, all but one.
//!
//! Limitations: English endings, and no synonyms.

use crate::query::QueryError;
use crate::query::target::is_common;
use crate::store::{self, Snapshot};

/// Maximum number of tests.
const MAX_TESTS: usize = 100;

/// Number of words of a description from which one of them may be missing.
const MIN_WORDS: usize = 3;

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

/// Returns the tests that have the words of a description in their names or titles, by place; none for a
/// description of fewer than `fewest` words.
pub fn described_tests(
    snapshot: &Snapshot,
    words: &[String],
    fewest: usize,
) -> Result<Vec<DescribedTest>, QueryError> {
    let stems: Vec<&str> = words
        .iter()
        .filter(|word| !is_common(word) && !VERBS.contains(&word.as_str()))
        .map(|word| stem(word))
        .collect();
    if stems.is_empty() || stems.len() < fewest {
        return Ok(Vec::new());
    }

    let found = with_all(snapshot, &stems)?;
    if !found.is_empty() || stems.len() < MIN_WORDS {
        return Ok(found);
    }
    // One word may be another than the test's.
    let mut found = Vec::new();
    for without in 0..stems.len() {
        let mut others = stems.clone();
        others.remove(without);
        found.extend(with_all(snapshot, &others)?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the tests whose names or titles have words with all of these beginnings.
fn with_all(snapshot: &Snapshot, stems: &[&str]) -> Result<Vec<DescribedTest>, QueryError> {
    let mut found = Vec::new();
    for node in store::tests_with_beginnings(snapshot, stems, MAX_TESTS)? {
        found.extend(node.spans.first().map(|span| DescribedTest {
            path: span.path.clone(),
            line: span.name_line,
        }));
    }
    for (path, line) in store::tests_titled(snapshot, stems, MAX_TESTS)? {
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
