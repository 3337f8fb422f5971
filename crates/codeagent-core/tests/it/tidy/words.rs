//! Banned words: the former private vocabulary of this project, each with the reason.
//!
//! Limitations: finds words, not bad sentences. Parts of the tree that still use them are excepted
//! by path.

use super::{assert_none, workspace};

/// Words that must not occur in comments, messages, identifiers or documentation.
const BANNED: &[(&str, &str)] = &[
    ("afresh", "say `from scratch` or `fresh`"),
    ("anew", "say `again` or `rebuild`"),
    ("bears", "a name is declared, a thing has a name"),
    ("borne", "a name is declared"),
    ("humps", "camel-case words"),
    ("keeper", "the index service, or the writer"),
    ("knock", "clients connect"),
    ("mend", "fix"),
    ("remark", "a note"),
    ("remarks", "notes"),
];

const CHECKED: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "docs/",
    "crates/codeagent-core/src/embed/",
    "crates/codeagent-core/src/engine",
    "crates/codeagent-core/src/ingest/",
    "crates/codeagent-core/src/service/",
    "crates/codeagent-core/src/store/",
    "crates/codeagent-embed/src/",
    "crates/codeagent-externals/src/",
    "crates/codeagent-files/src/",
    "crates/codeagent-memory/src/",
    "crates/codeagent-testkit/src/",
    "crates/codeagent-workspace/src/",
    "crates/xtask/src/",
];

/// Files that may use them: generated pages, and names that other versions know (a key of table
/// `metadata`, words of the socket's protocol).
const EXCEPTED: &[&str] = &[
    "docs/reference/",
    "crates/codeagent-core/src/store/mod.rs",
    "crates/codeagent-core/src/service/ipc.rs",
];

#[test]
fn banned_words_are_not_used() {
    let workspace = workspace();
    let mut problems = Vec::new();

    for entry in workspace.walk().entries {
        let path = entry.path.as_str();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
        if !starts(CHECKED) || starts(EXCEPTED) {
            continue;
        }
        if let Ok(file) = workspace.read(&entry.path) {
            problems.extend(banned(&file.text).map(|problem| format!("{path}:{problem}")));
        }
    }

    assert_none(&problems);
}

/// Finds the banned words of a text, with their line and the reason.
fn banned(text: &str) -> impl Iterator<Item = String> {
    (1..).zip(text.lines()).flat_map(|(number, line)| {
        line.split(|letter: char| !letter.is_alphabetic())
            .filter_map(move |word| {
                let (word, reason) = BANNED
                    .iter()
                    .find(|(banned, _)| word.eq_ignore_ascii_case(banned))?;
                Some(format!("{number}: `{word}`: {reason}"))
            })
    })
}

#[test]
fn a_banned_word_is_found_in_prose_and_identifiers() {
    let found = |text| banned(text).count();
    assert_eq!(found("// It is made anew."), 1);
    assert_eq!(found("fn is_borne() { keeper() }"), 2);
    assert_eq!(found("fn bearing() { amend(renewed) }"), 0);
}
