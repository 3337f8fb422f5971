//! The watcher: the events that reach the caller.

use std::path::Path;
use std::time::Duration;

use super::{FsEvents, WatchError, Watcher};
use crate::{DataRoot, Workspace};

/// Longer than any machine takes to report an event.
const LONG: Duration = Duration::from_secs(60);

/// A repository with one folder, watched like the folders of a walk.
struct Fixture {
    _folder: tempfile::TempDir,
    workspace: Workspace,
    watcher: Watcher,
    _home: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::create_dir_all(folder.path().join("out")).unwrap();
        std::fs::write(folder.path().join(".gitignore"), "out/\n").unwrap();
        std::fs::write(folder.path().join("a/x.cs"), "").unwrap();

        let workspace = Workspace::open(folder.path()).unwrap();
        let data = DataRoot::at(home.path())
            .data_dir(workspace.root())
            .unwrap();

        let watcher = Watcher::new(&workspace, Some(&data)).unwrap();
        let fixture = Self {
            _folder: folder,
            workspace,
            watcher,
            _home: home,
        };

        fixture.watch_dirs();
        fixture.take_events();

        fixture
    }

    fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Watches folders until a walk finds no new ones.
    fn watch_dirs(&self) {
        while self.watcher.watch_dirs(&self.workspace.walk().folders) {}
    }

    fn take_events(&self) -> FsEvents {
        assert!(self.watcher.sync(LONG));
        self.watcher.take_events()
    }

    /// Reports whether a rescan is requested, and waits for the events that follow the one that
    /// requests it, which ends [`Watcher::sync`] early.
    fn takes_rescan(&self) -> bool {
        let is_rescan = self.take_events().everything;
        while self.take_events().everything {}
        is_rescan
    }

    fn paths(&self) -> Vec<String> {
        let events = self.take_events();
        assert!(!events.everything);
        events.paths.iter().map(ToString::to_string).collect()
    }
}

#[test]
fn a_written_file_is_reported() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root().join("a/x.cs"), "class A { }").unwrap();
    std::fs::write(fixture.root().join("y.cs"), "").unwrap();
    assert_eq!(fixture.paths(), ["a/x.cs", "y.cs"]);
    assert!(fixture.take_events().is_empty());
    std::fs::rename(fixture.root().join("y.cs"), fixture.root().join("a/x.cs")).unwrap();
    assert_eq!(fixture.paths(), ["a/x.cs", "y.cs"]);
    std::fs::remove_file(fixture.root().join("a/x.cs")).unwrap();
    assert_eq!(fixture.paths(), ["a/x.cs"]);
}

#[test]
fn reads_and_ignored_files_cause_no_events() {
    let fixture = Fixture::new();
    std::fs::read(fixture.root().join("a/x.cs")).unwrap();
    assert!(!fixture.workspace.walk().is_short);
    std::fs::write(fixture.root().join("out/z.cs"), "").unwrap();
    assert!(fixture.take_events().is_empty());
    assert!(
        !fixture.watcher.wait(Some(Duration::from_millis(1))),
        "barriers are no events"
    );
}

#[test]
fn a_barrier_arrives_after_earlier_changes() {
    let fixture = Fixture::new();
    for round in 0..50 {
        let names: Vec<String> = (0..40)
            .map(|number| format!("a/{round:02}-{number:02}.cs"))
            .collect();
        names
            .iter()
            .for_each(|name| std::fs::write(fixture.root().join(name), "").unwrap());
        assert_eq!(fixture.paths(), names);
    }
}

#[test]
fn barriers_of_several_threads_do_not_release_each_other() {
    let fixture = Fixture::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let fixture = &fixture;
            scope.spawn(move || {
                for number in 0..50 {
                    let name = format!("a/{thread}-{number}.cs");
                    std::fs::write(fixture.root().join(&name), "").unwrap();
                    assert!(fixture.watcher.sync(LONG));
                    // Another thread may have received the event.
                }
            });
        }
    });
    assert_eq!(fixture.paths().len(), 200);
}

#[test]
fn a_watcher_whose_thread_ends_reports_it() {
    let fixture = Fixture::new();
    assert!(fixture.watcher.failure().is_none());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| fixture.watcher.wait(Some(LONG)));
        // This ends the watcher's thread, which receives the events.
        drop(fixture.watcher.backend.lock().unwrap().take());
        assert!(waiting.join().unwrap(), "a wait ends");
    });
    assert!(matches!(fixture.watcher.failure(), Some(WatchError::Ended)));
    assert!(!fixture.watcher.sync(Duration::ZERO));
    assert!(fixture.watcher.take_events().everything);
}

#[cfg(unix)]
#[test]
fn a_read_only_data_folder_has_no_barrier() {
    let fixture = Fixture::new();
    std::fs::remove_dir_all(fixture._home.path()).unwrap();
    assert!(!fixture.watcher.sync(LONG));
}

#[cfg(unix)]
#[test]
fn permission_changes_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let set = |name: &str, mode| {
        std::fs::set_permissions(fixture.root().join(name), PermissionsExt::from_mode(mode))
            .unwrap()
    };
    set("a/x.cs", 0o600);
    assert_eq!(fixture.paths(), ["a/x.cs"]);
    set("a", 0o700);
    assert!(fixture.takes_rescan());
    fixture.watch_dirs();
    std::fs::write(fixture.root().join("a/x.cs"), "1").unwrap();
    assert_eq!(fixture.paths(), ["a/x.cs"], "it is still watched");
}

#[test]
fn new_removed_and_moved_folders_request_a_rescan() {
    let fixture = Fixture::new();

    std::fs::create_dir_all(fixture.root().join("b/c/d")).unwrap();
    assert!(fixture.takes_rescan());
    fixture.watch_dirs();

    std::fs::write(fixture.root().join("b/c/d/e.cs"), "").unwrap();
    assert_eq!(fixture.paths(), ["b/c/d/e.cs"]);

    std::fs::rename(fixture.root().join("b"), fixture.root().join("f")).unwrap();
    assert!(fixture.takes_rescan());
    fixture.watch_dirs();

    std::fs::write(fixture.root().join("f/c/d/e.cs"), "1").unwrap();
    assert_eq!(fixture.paths(), ["f/c/d/e.cs"]);

    // Moved away and back between two walks: the folder is the same, and is watched.
    std::fs::rename(fixture.root().join("f"), fixture.root().join("g")).unwrap();
    std::fs::rename(fixture.root().join("g"), fixture.root().join("f")).unwrap();
    assert!(fixture.takes_rescan());
    fixture.watch_dirs();

    std::fs::write(fixture.root().join("f/c/d/e.cs"), "12").unwrap();
    assert_eq!(fixture.paths(), ["f/c/d/e.cs"]);

    std::fs::remove_dir_all(fixture.root().join("f")).unwrap();
    assert!(fixture.takes_rescan());
}

#[test]
fn ignore_decisions_are_renewed_when_git_rules_change() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.root().join(".git/info")).unwrap();
    assert!(fixture.takes_rescan());
    fixture.watch_dirs();
    fixture.take_events();
    for name in ["index.lock", "info/other"] {
        std::fs::write(fixture.root().join(".git").join(name), "").unwrap();
        assert!(fixture.take_events().is_empty(), "{name}");
    }
    for name in ["index", "info/exclude"] {
        std::fs::write(fixture.root().join(".git").join(name), "").unwrap();
        assert!(fixture.takes_rescan(), "{name}");
    }
}

#[test]
fn a_wait_ends_on_an_event_or_a_wake() {
    let fixture = Fixture::new();
    fixture.watcher.wake();
    assert!(fixture.watcher.wait(None));
    assert!(fixture.take_events().is_empty());
    std::fs::write(fixture.root().join("y.cs"), "").unwrap();
    assert!(fixture.watcher.wait(None));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_event_queue_requests_a_rescan() {
    let fixture = Fixture::new();

    // The thread takes events at once, so the queue fills up only while the thread is blocked by
    // this lock.
    let events = fixture.watcher.shared.lock();
    let longest: usize = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap()
        .trim()
        .parse()
        .unwrap();

    // Two files in turn, because repeated events of one file are merged.
    for number in 0..longest {
        std::fs::write(fixture.root().join(["a/x.cs", "a/y.cs"][number % 2]), "").unwrap();
    }

    drop(events);
    assert!(fixture.takes_rescan());

    std::fs::write(fixture.root().join("a/x.cs"), "1").unwrap();
    assert_eq!(
        fixture.paths(),
        ["a/x.cs"],
        "afterwards it is told as before"
    );
}
