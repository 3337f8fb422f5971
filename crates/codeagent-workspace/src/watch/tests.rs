//! What is told of changes, and what is not.

use std::path::Path;

use super::{Hints, Watcher};
use crate::Workspace;

/// A repository with a folder, watched as walks see it.
struct Place {
    folder: tempfile::TempDir,
    workspace: Workspace,
    watcher: Watcher,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::create_dir_all(folder.path().join("out")).unwrap();
        std::fs::write(folder.path().join(".gitignore"), "out/\n").unwrap();
        std::fs::write(folder.path().join("a/x.cs"), "").unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let watcher = Watcher::new(&workspace).unwrap();
        let place = Self { folder, workspace, watcher };
        place.cover();
        place.hints();
        place
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Covers until nothing is new.
    fn cover(&self) {
        while self.watcher.cover(&self.workspace.walk().folders) {}
    }

    fn hints(&self) -> Hints {
        self.watcher.hints()
    }

    fn paths(&self) -> Vec<String> {
        let hints = self.hints();
        assert!(!hints.everything);
        hints.paths.iter().map(ToString::to_string).collect()
    }
}

#[test]
fn a_file_that_is_written_is_named_at_once() {
    let place = Place::new();
    std::fs::write(place.root().join("a/x.cs"), "class A { }").unwrap();
    std::fs::write(place.root().join("y.cs"), "").unwrap();
    assert_eq!(place.paths(), ["a/x.cs", "y.cs"]);
    assert!(place.hints().is_empty());
    std::fs::rename(place.root().join("y.cs"), place.root().join("a/x.cs")).unwrap();
    assert_eq!(place.paths(), ["a/x.cs", "y.cs"]);
    std::fs::remove_file(place.root().join("a/x.cs")).unwrap();
    assert_eq!(place.paths(), ["a/x.cs"]);
}

#[test]
fn reading_and_what_is_ignored_tell_nothing() {
    let place = Place::new();
    std::fs::read(place.root().join("a/x.cs")).unwrap();
    assert!(!place.workspace.walk().is_short);
    std::fs::write(place.root().join("out/z.cs"), "").unwrap();
    assert!(place.hints().is_empty());
    assert!(!place.watcher.wait(Some(std::time::Duration::from_millis(1))));
}

#[test]
fn folders_that_come_go_or_move_mean_anything() {
    let place = Place::new();
    std::fs::create_dir_all(place.root().join("b/c/d")).unwrap();
    assert!(place.hints().everything);
    place.cover();
    std::fs::write(place.root().join("b/c/d/e.cs"), "").unwrap();
    assert_eq!(place.paths(), ["b/c/d/e.cs"]);
    std::fs::rename(place.root().join("b"), place.root().join("f")).unwrap();
    assert!(place.hints().everything);
    place.cover();
    std::fs::write(place.root().join("f/c/d/e.cs"), "1").unwrap();
    assert_eq!(place.paths(), ["f/c/d/e.cs"]);
    // Away and back between two looks: the folder is the same, and is watched.
    std::fs::rename(place.root().join("f"), place.root().join("g")).unwrap();
    std::fs::rename(place.root().join("g"), place.root().join("f")).unwrap();
    assert!(place.hints().everything);
    place.cover();
    std::fs::write(place.root().join("f/c/d/e.cs"), "12").unwrap();
    assert_eq!(place.paths(), ["f/c/d/e.cs"]);
    std::fs::remove_dir_all(place.root().join("f")).unwrap();
    assert!(place.hints().everything);
}

#[test]
fn what_is_ignored_is_asked_again_when_git_says_something_else() {
    let place = Place::new();
    std::fs::create_dir_all(place.root().join(".git/info")).unwrap();
    assert!(place.hints().everything);
    place.cover();
    place.hints();
    for name in ["index.lock", "info/other"] {
        std::fs::write(place.root().join(".git").join(name), "").unwrap();
        assert!(place.hints().is_empty(), "{name}");
    }
    for name in ["index", "info/exclude"] {
        std::fs::write(place.root().join(".git").join(name), "").unwrap();
        assert!(place.hints().everything, "{name}");
    }
}

#[test]
fn a_wait_ends_with_a_notice_or_when_it_is_woken() {
    let place = Place::new();
    place.watcher.wake();
    assert!(place.watcher.wait(None));
    place.hints();
    std::fs::write(place.root().join("y.cs"), "").unwrap();
    assert!(place.watcher.wait(None));
}

#[test]
fn a_queue_that_is_full_means_anything() {
    let place = Place::new();
    let longest: usize = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    // Two files in turn: what is told of one file twice is one notice.
    for number in 0..longest / 2 + 1 {
        std::fs::write(place.root().join(["a/x.cs", "a/y.cs"][number % 2]), "").unwrap();
    }
    assert!(place.hints().everything);
    std::fs::write(place.root().join("a/x.cs"), "1").unwrap();
    assert_eq!(place.paths(), ["a/x.cs"], "afterwards it is told as before");
}
