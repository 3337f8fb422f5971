//! Does the source keep the house rules? Layers, file headers, file sizes, and which crate may name which library.
//!
//! **Limits.** Looks at lines, not at syntax: `use crate::{a, b}` would hide a layer and is therefore forbidden.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::Path;

use codeagent_workspace::{RepoPath, Workspace};

/// The layers of `codeagent-core` and what each may use, in reading order.
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("project", &["model"]),
    ("extract", &["model"]),
    ("resolve", &["model", "project"]),
    ("store", &["model"]),
    ("ingest", &["model", "project", "extract", "resolve", "store"]),
    ("query", &["model", "store"]),
    ("engine", &["model", "project", "extract", "resolve", "store", "ingest", "query"]),
];

/// Words and the only places in which they may stand.
const CONFINED: &[(&str, &[&str])] = &[
    ("rusqlite", &["crates/codeagent-core/src/store/"]),
    ("r2d2", &["crates/codeagent-core/src/store/"]),
    // The bench compares with a bare parse.
    ("tree_sitter", &["crates/codeagent-core/src/extract/", "benches/"]),
    ("std::fs", &["crates/codeagent-workspace/src/", "crates/xtask/src/"]),
    ("rmcp", &["crates/codeagent-mcp/"]),
    ("anyhow", &["crates/codeagent-cli/src/", "crates/xtask/src/"]),
];

/// Most lines of a file, tests excluded.
const MAX_LINES: usize = 600;

/// The crates and the crates of ours that each may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("codeagent-workspace", &[]),
    ("codeagent-testkit", &[]),
    ("codeagent-core", &["codeagent-workspace"]),
    ("codeagent-mcp", &["codeagent-core", "codeagent-workspace"]),
    ("codeagent-cli", &["codeagent-core", "codeagent-mcp", "codeagent-workspace"]),
    ("xtask", &[]),
];

struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The text without its tests.
    fn code(&self) -> &str {
        self.text.split("\n#[cfg(test)]").next().unwrap_or_default()
    }

    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs") || self.path.starts_with("tests/")
    }

    /// Lines of code with their numbers, comments left out.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code().lines().enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The layer of core it belongs to.
    fn layer(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("crates/codeagent-core/src/")?;
        inside.split(['/', '.']).next().filter(|layer| *layer != "lib")
    }
}

fn workspace() -> Workspace {
    Workspace::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn sources() -> Vec<Source> {
    let workspace = workspace();
    let entries = workspace.walk().entries;
    let rust = entries.iter().map(|entry| &entry.path).filter(|path| path.as_str().ends_with(".rs"));
    let sources: Vec<Source> = rust.map(|path| Source { path: path.to_string(), text: workspace.read(path).unwrap().text }).collect();
    assert!(sources.len() > 30, "only {} source files found", sources.len());
    sources
}

fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The layer named in `use crate::layer::..` or `crate::layer::..`.
fn used_layers(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
}

#[test]
fn imports_point_downwards() {
    let mut problems = Vec::new();
    for source in sources() {
        let Some(layer) = source.layer().filter(|_| !source.is_test()) else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            problems.push(format!("{}: `{layer}` is not in the table of layers", source.path));
            continue;
        };
        for (number, line) in source.lines() {
            let wrong = used_layers(line).filter(|used| *used != layer && !allowed.contains(used));
            problems.extend(wrong.map(|used| format!("{}:{number}: `{layer}` may not use `{used}`", source.path)));
        }
    }
    assert_none(problems);
}

#[test]
fn the_import_check_sees_through_its_disguises() {
    assert_eq!(used_layers("use crate::store::Writer;").collect::<Vec<_>>(), ["store"]);
    assert_eq!(used_layers("    let x = crate::query::f(crate::model::g());").collect::<Vec<_>>(), ["query", "model"]);
    assert_eq!(used_layers("use crate::{store, query};").collect::<Vec<_>>(), [""], "braces give an unknown layer, which fails");
}

#[test]
fn libraries_stay_where_they_belong() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for (word, places) in CONFINED {
            let elsewhere = !places.iter().any(|place| source.path.starts_with(place));
            let lines = source.lines().filter(|(_, line)| elsewhere && names_path(line, word));
            problems.extend(lines.map(|(number, _)| format!("{}:{number}: `{word}` belongs to {}", source.path, places.join(", "))));
        }
    }
    assert_none(problems);
}

/// Whether a line of code names a path that starts with `word`.
fn names_path(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"');
        !is_word(before) && !is_word(after)
    })
}

#[test]
fn files_say_what_they_answer_and_stay_small() {
    let mut problems = Vec::new();
    for source in sources().iter().filter(|source| !source.path.ends_with("/tests.rs")) {
        let lines = source.code().lines().count();
        if !source.text.starts_with("//! ") {
            problems.push(format!("{}: does not begin with a `//!` sentence", source.path));
        }
        if lines > MAX_LINES && !source.path.starts_with("tests/") && source.path != "crates/codeagent-core/src/model/facts.rs" {
            problems.push(format!("{}: {lines} lines, more than {MAX_LINES}", source.path));
        }
    }
    assert_none(problems);
}

#[test]
fn nothing_is_left_undone_or_switched_off() {
    let marks = [concat!("todo", "!("), concat!("unimple", "mented!("), concat!("#[ign", "ore"), concat!("TO", "DO"), concat!("FIX", "ME")];
    let sources = sources();
    let problems = sources.iter().flat_map(|source| {
        let lines = (1..).zip(source.text.lines()).filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        lines.map(|(number, line): (usize, &str)| format!("{}:{number}: {}", source.path, line.trim()))
    });
    assert_none(problems.collect());
}

#[test]
fn crates_depend_as_drawn() {
    let workspace = workspace();
    let mut problems = Vec::new();
    for (name, allowed) in CRATES {
        let path = RepoPath::new(&format!("crates/{name}/Cargo.toml")).unwrap();
        let manifest = workspace.read(&path).unwrap().text;
        let section = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let ours = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|word| word.starts_with("codeagent-"));
        problems.extend(ours.filter(|used| !allowed.contains(used)).map(|used| format!("{name} may not depend on {used}")));
    }
    let folders: BTreeSet<String> =
        workspace.list(&RepoPath::new("crates").unwrap()).unwrap().entries.iter().map(|e| e.path.file_name().to_owned()).collect();
    let known: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, known);
    assert_none(problems);
}

#[test]
fn no_machine_path_is_written_down() {
    let workspace = workspace();
    let mut problems = Vec::new();
    let homes = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")];
    for entry in workspace.walk().entries {
        let Ok(file) = workspace.read(&entry.path) else { continue };
        let lines = (1..).zip(file.text.lines()).filter(|(_, line)| homes.iter().any(|home| line.contains(home)));
        problems.extend(lines.map(|(number, line): (usize, &str)| format!("{}:{number}: {}", entry.path, line.trim())));
    }
    assert_none(problems);
}
