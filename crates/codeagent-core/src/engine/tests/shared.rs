//! Worktrees of one repository share facts, and nothing else of an index.

use std::path::{Path, PathBuf};

use super::*;
use crate::ingest::Summary;

/// A repository `main` with a linked worktree `second`, and one data root for both indexes.
struct Trees(tempfile::TempDir);

#[allow(clippy::disallowed_methods, reason = "changes files as others would")]
impl Trees {
    fn new() -> Self {
        let trees = Self(tempfile::tempdir().unwrap());
        trees.write("main/.git/worktrees/second/commondir", "../..\n");
        trees.write(
            "second/.git",
            &format!(
                "gitdir: {}\n",
                trees.root("main/.git/worktrees/second").display()
            ),
        );

        for tree in ["main", "second"] {
            trees.write(
                &format!("{tree}/a.cs"),
                "class A { void M() { new B().N(); } }",
            );
            trees.write(&format!("{tree}/b.cs"), "class B { internal void N() { } }");
        }

        trees
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn root(&self, tree: &str) -> PathBuf {
        self.0.path().join(tree)
    }

    fn open(&self, tree: &str, rebuild: bool) -> Engine {
        let home = DataRoot::at(self.root("home"));
        Engine::open(
            &self.root(tree),
            EngineOptions {
                home,
                rebuild,
                ..EngineOptions::default()
            },
        )
        .unwrap()
    }

    /// Indexes a tree; returns the summary and whether the index equals a fresh one.
    fn index(&self, tree: &str, rebuild: bool) -> (Summary, bool) {
        let engine = self.open(tree, rebuild);
        let summary = engine.index(&|_| {}).unwrap();
        let is_right = engine.verify(&|_| {}).unwrap() == 0;
        engine.close().unwrap();
        (summary, is_right)
    }

    fn database(&self, tree: &str) -> PathBuf {
        let root: &Path = &self.root(tree).canonicalize().unwrap();
        DataRoot::at(self.root("home"))
            .data_dir(root)
            .unwrap()
            .database()
            .unwrap()
    }
}

#[test]
fn a_second_worktree_parses_only_new_texts() {
    let trees = Trees::new();
    let (first, is_right) = trees.index("main", false);
    assert!(is_right && (first.changed, first.parsed) == (2, 2));
    trees.write("second/c.cs", "class C { B b; }");

    let (second, is_right) = trees.index("second", false);
    assert!(is_right && (second.changed, second.parsed) == (3, 1));
    // The facts are copied: the first index may be removed.
    std::fs::remove_file(trees.database("main")).unwrap();
    trees.write("second/c.cs", "class C { A a; }");

    let (third, is_right) = trees.index("second", false);
    assert!(is_right && third.parsed == 1);
    assert_eq!(
        trees.index("second", true).0.parsed,
        3,
        "a rebuild parses the texts"
    );
}

#[test]
fn a_second_worktree_reuses_facts_of_an_open_index() {
    let trees = Trees::new();
    let (first, second) = (trees.open("main", false), trees.open("second", false));
    assert_eq!(first.index(&|_| {}).unwrap().parsed, 2);
    assert_eq!(second.index(&|_| {}).unwrap().parsed, 0);
    trees.write("main/b.cs", "class B { internal int N() => 1; }");
    trees.write("second/b.cs", "class B { internal int N() => 1; }");
    assert_eq!(second.index(&|_| {}).unwrap().parsed, 1);
    assert_eq!(first.index(&|_| {}).unwrap().parsed, 0);
    assert_eq!(
        first.verify(&|_| {}).unwrap() + second.verify(&|_| {}).unwrap(),
        0
    );
}

#[test]
#[allow(clippy::disallowed_methods, reason = "damages a file")]
fn a_damaged_index_of_another_worktree_is_not_used() {
    let trees = Trees::new();
    trees.index("main", false);
    let mut bytes = std::fs::read(trees.database("main")).unwrap();
    bytes.iter_mut().skip(4096).for_each(|byte| *byte ^= 0x5a);
    std::fs::write(trees.database("main"), bytes).unwrap();
    let (second, is_right) = trees.index("second", false);
    assert!(is_right && second.parsed == 2);
}
