//! Annotated repositories: the engine finds the edges that comments in
//! `tests/fixtures/<language>/<case>/` state.
//!
//! Each case is a small repository that compiles. To add a case, add a folder.
//!
//! Limitations: those of `rule_case.rs`.

use std::path::Path;

use codeagent_workspace::{EntryKind, RepoPath, Workspace};

use crate::rule_case::Case;

#[test]
fn csharp() {
    run("csharp");
}

#[test]
fn typescript() {
    run("typescript");
}

/// Runs all cases of a language, or the one that `FIXTURE` names, and reports all failures at once.
fn run(language: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures")
        .join(language);
    let cases = Workspace::open(&root)
        .unwrap()
        .list(&RepoPath::root())
        .unwrap();
    let wanted = std::env::var("FIXTURE").ok();
    let mut failures = Vec::new();
    let mut annotations = 0;
    for case in cases
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory)
    {
        let name = case.path.as_str();
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            let outcome = Case::load(&root.join(name)).check();
            annotations += outcome.annotations;
            failures.extend(
                outcome
                    .failures
                    .into_iter()
                    .map(|failure| format!("{language}/{name}/{failure}")),
            );
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        wanted.is_some() || annotations >= 40,
        "only {annotations} annotations found"
    );
}
