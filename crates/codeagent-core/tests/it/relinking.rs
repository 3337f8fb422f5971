//! Invalidation: how many files an edit causes to be resolved again.
//!
//! Each page in `tests/relinking/<language>.md` covers the dependencies of a resolution. The cases
//! have the form of `rules.rs`. A block whose info string ends with `wakes n` is an edit: its text
//! replaces the file at that path, `n` other files are resolved again, and the index then equals a
//! fresh one. The index also equals a fresh one after the edit is reverted.
//!
//! Limitations: files that are resolved again without need show only in the number.

use std::path::Path;

use codeagent_workspace::{RepoPath, Workspace};

use crate::index_pair::IndexPair;
use crate::rules::{add_project, blocks};

/// Runs all cases of a language, or those that `RULE` names, and returns all failures.
pub fn failures(language: &str, project: &str) -> Vec<String> {
    let pages =
        Workspace::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/relinking"))
            .unwrap();
    let page = pages
        .read(&RepoPath::new(&format!("{language}.md")).unwrap())
        .unwrap()
        .text;
    let wanted = std::env::var("RULE").ok();
    let mut failures = Vec::new();
    for (heading, blocks) in blocks(&page) {
        if wanted
            .as_deref()
            .is_some_and(|wanted| !heading.contains(wanted))
        {
            continue;
        }
        let (edits, files): (Vec<_>, Vec<_>) = blocks
            .into_iter()
            .partition(|block| block.rest.starts_with("wakes"));
        let mut texts = files
            .into_iter()
            .map(|block| (block.path, block.text))
            .collect();
        add_project(&mut texts, project);
        let twice = IndexPair::new(true);
        texts
            .iter()
            .for_each(|(path, text)| twice.apply(path, Some(text.as_bytes())));
        twice.index();
        if edits.is_empty() {
            failures.push(format!("{heading}: no edit"));
        }
        for edit in edits {
            let stated: usize = edit
                .rest
                .trim_start_matches("wakes")
                .trim()
                .parse()
                .unwrap();
            twice.apply(&edit.path, Some(edit.text.as_bytes()));
            let woken = twice.index_only([&edit.path]).linked - 1;
            let difference = twice.difference(1);
            if woken != stated || !difference.is_empty() {
                failures.push(format!(
                    "{heading}: `{}` wakes {woken}, not {stated} {}",
                    edit.path,
                    difference.join("\n")
                ));
            }
            twice.apply(
                &edit.path,
                texts.get(&edit.path).map(|text| text.as_bytes()),
            );
            twice.index_only([&edit.path]);
            let difference = twice.difference(1);
            if !difference.is_empty() {
                failures.push(format!(
                    "{heading}: `{}` taken back: {}",
                    edit.path,
                    difference.join("\n")
                ));
            }
        }
    }
    failures
}
