//! Tests by a description of what they test: `which tests cover renaming a folder?`
//!
//! A test is a function in a file of tests, or a callback with a title there (`it "renames .."`). It
//! matches if its name with that of its class, or its title with its path, has all words of the description,
//! apart from their endings; if none has, most of them, also in its path.
//!
//! Limitations: English endings, and no synonyms.

use std::collections::BTreeMap;

use crate::model::graph::Node;
use crate::query::lookup::target::{is_common, name_words};
use crate::query::{QueryError, derive_file_id, get_outline};
use crate::store::{self, Snapshot};

/// Maximum number of tests.
const MAX_TESTS: usize = 100;

/// Number of words of a description from which some of them may be missing.
const MIN_WORDS: usize = 3;

/// Maximum number of tests with a word; with more, it is common and counts only in paths.
const MAX_WITH_WORD: usize = 400;

/// Maximum number of tests that have only some of the words.
const MAX_WITH_SOME: usize = 20;

/// Share of the weight of the best test that others with one word less have; rare words weigh more.
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
    /// The number of such tests, of which these are the best.
    pub total: usize,
    /// If no test has all words: the most that one has, and the number of the words.
    pub most_of: Option<(usize, usize)>,
    /// Other tests of classes whose names have a word of the description, and of files most of whose tests match.
    pub beside: Vec<DescribedTest>,
}

/// Returns the tests that have the words of a description in their names or titles; none for a description of
/// fewer than `fewest` words.
pub fn described_tests(
    snapshot: &Snapshot,
    words: &[String],
    fewest: usize,
) -> Result<DescribedTests, QueryError> {
    let mut stems: Vec<&str> = words
        .iter()
        .filter(|word| !is_common(word) && !VERBS.contains(&word.as_str()))
        .map(|word| stem(word))
        .collect();
    stems.sort_unstable();
    stems.dedup();
    if stems.is_empty() || stems.len() < fewest {
        return Ok(DescribedTests::default());
    }

    let tests = with_all(snapshot, &stems, MAX_TESTS)?;
    if !tests.is_empty() || stems.len() < MIN_WORDS {
        return Ok(DescribedTests {
            total: tests.len(),
            beside: beside(snapshot, &tests, &stems)?,
            tests,
            most_of: None,
        });
    }
    with_most(snapshot, &stems)
}

/// Returns the tests with the most of some words in their names, titles or paths, at least two, and those with one
/// less if these are rare.
fn with_most(snapshot: &Snapshot, stems: &[&str]) -> Result<DescribedTests, QueryError> {
    let mut named: BTreeMap<DescribedTest, Vec<usize>> = BTreeMap::new();
    let mut weights = Vec::with_capacity(stems.len());
    for (at, stem) in stems.iter().enumerate() {
        let tests = with_all(snapshot, &[stem], MAX_WITH_WORD)?;
        weights.push((2.0 * MAX_WITH_WORD as f64 / tests.len().max(1) as f64).ln());
        if tests.len() >= MAX_WITH_WORD {
            continue;
        }
        for test in tests {
            named.entry(test).or_default().push(at);
        }
    }

    let mut scored: Vec<(usize, f64, DescribedTest)> = Vec::new();
    for (test, words) in named {
        let path = test.path.to_lowercase();
        let has = |at: &usize| words.contains(at) || path.contains(stems[*at]);
        let all: Vec<usize> = (0..stems.len()).filter(has).collect();
        if all.len() > 1 {
            let weight = all.iter().map(|at| weights[*at]).sum();
            scored.push((all.len(), weight, test));
        }
    }

    let most = scored.iter().map(|(count, ..)| *count).max().unwrap_or(0);
    let those_with_most = scored.iter().filter(|(count, ..)| *count == most);
    let best = those_with_most
        .map(|(_, weight, _)| *weight)
        .fold(0.0, f64::max);
    let is_near = |count: usize, weight: f64| count + 1 == most && weight >= MIN_SHARE * best;
    scored.retain(|(count, weight, _)| *count == most || is_near(*count, *weight));
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let total = scored.len();
    scored.truncate(MAX_WITH_SOME);
    let mut tests: Vec<DescribedTest> = scored.into_iter().map(|(.., test)| test).collect();
    tests.sort_unstable();
    Ok(DescribedTests {
        most_of: Some((most, stems.len())).filter(|_| !tests.is_empty()),
        total,
        beside: beside(snapshot, &tests, stems)?,
        tests,
    })
}

/// Returns the other tests of the classes of some tests whose names have a word of a description. Like them, they begin
/// with a word for tests: `should_..`.
fn beside(
    snapshot: &Snapshot,
    tests: &[DescribedTest],
    stems: &[&str],
) -> Result<Vec<DescribedTest>, QueryError> {
    let mut found = Vec::new();
    let mut paths: Vec<&str> = tests.iter().map(|test| test.path.as_str()).collect();
    paths.dedup();
    for path in paths {
        found.extend(titled_beside(snapshot, tests, path)?);
        let nodes = get_outline(snapshot, derive_file_id(snapshot, path)?)?;
        let line = |node: &Node| node.spans.first().map_or(0, |span| span.name_line);
        let is_named = |node: &Node| {
            let mut named = tests.iter();
            named.any(|test| test.path == path && test.line == line(node))
        };
        let is_about = |node: &&Node| {
            let name = node.name.to_lowercase();
            node.node_type.is_type() && stems.iter().any(|stem| name.contains(stem))
        };
        for class in nodes.iter().filter(is_about) {
            let methods = nodes.iter().filter(|node| node.parent == Some(class.id));
            let (named, mut others): (Vec<&Node>, Vec<&Node>) =
                methods.partition(|node| is_named(node));
            let starts: Vec<String> = named.iter().filter_map(|node| first_word(node)).collect();
            others.retain(|node| first_word(node).is_some_and(|word| starts.contains(&word)));
            found.extend(others.into_iter().map(|node| DescribedTest {
                path: path.to_owned(),
                line: line(node),
            }));
        }
    }
    found.truncate(MAX_TESTS);
    Ok(found)
}

/// Returns the other tests with titles in a file, if most of its tests are among some.
fn titled_beside(
    snapshot: &Snapshot,
    tests: &[DescribedTest],
    path: &str,
) -> Result<Vec<DescribedTest>, QueryError> {
    let mut lines = store::titled_tests_of(snapshot, path)?;
    let all = lines.len();
    let is_named = |line: &u32| {
        let mut named = tests.iter();
        named.any(|test| test.path == path && test.line == *line)
    };
    lines.retain(|line| !is_named(line));
    if 2 * lines.len() >= all {
        lines.clear();
    }
    let test = |line| DescribedTest {
        path: path.to_owned(),
        line,
    };
    Ok(lines.into_iter().map(test).collect())
}

fn first_word(node: &Node) -> Option<String> {
    name_words(&node.name).into_iter().next()
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
