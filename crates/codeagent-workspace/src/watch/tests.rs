//! Tests of the watcher: the events that reach the caller.

use std::path::Path;
use std::time::Duration;

use super::{FsEvents, WatchError, Watcher};
use crate::{DataHome, Workspace};

/// Longer than any machine takes to report an event.
const LONG: Duration = Duration::from_secs(60);

/// A repository with a folder, watched as walks see it.
struct Place {
    _folder: tempfile::TempDir,
    workspace: Workspace,
    watcher: Watcher,
    _home: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::create_dir_all(folder.path().join("out")).unwrap();
        std::fs::write(folder.path().join(".gitignore"), "out/\n").unwrap();
        std::fs::write(folder.path().join("a/x.cs"), "").unwrap();

        let workspace = Workspace::open(folder.path()).unwrap();
        let data = DataHome::at(home.path())
            .data_dir(workspace.root())
            .unwrap();

        let watcher = Watcher::new(&workspace, Some(&data)).unwrap();
        let place = Self {
            _folder: folder,
            workspace,
            watcher,
            _home: home,
        };

        place.watch_dirs();
        place.take_events();

        place
    }

    fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Covers until nothing is new.
    fn watch_dirs(&self) {
        while self.watcher.watch_dirs(&self.workspace.walk().folders) {}
    }

    fn take_events(&self) -> FsEvents {
        assert!(self.watcher.sync(LONG));
        self.watcher.take_events()
    }

    fn paths(&self) -> Vec<String> {
        let hints = self.take_events();
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
    assert!(place.take_events().is_empty());
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
    assert!(place.take_events().is_empty());
    assert!(
        !place.watcher.wait(Some(Duration::from_millis(1))),
        "barriers are no events"
    );
}

#[test]
fn a_barrier_lets_every_change_before_it_arrive() {
    let place = Place::new();
    for round in 0..50 {
        let names: Vec<String> = (0..40)
            .map(|number| format!("a/{round:02}-{number:02}.cs"))
            .collect();
        names
            .iter()
            .for_each(|name| std::fs::write(place.root().join(name), "").unwrap());
        assert_eq!(place.paths(), names);
    }
}

#[test]
fn barriers_of_several_threads_do_not_release_each_other() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..50 {
                    let name = format!("a/{thread}-{number}.cs");
                    std::fs::write(place.root().join(&name), "").unwrap();
                    assert!(place.watcher.sync(LONG));
                    // Another thread may have taken it.
                }
            });
        }
    });
    assert_eq!(place.paths().len(), 200);
}

#[test]
fn a_watcher_whose_thread_ends_says_so() {
    let place = Place::new();
    assert!(place.watcher.failure().is_none());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| place.watcher.wait(Some(LONG)));
        // Its thread ends, and with it what receives events.
        drop(place.watcher.backend.lock().unwrap().take());
        assert!(waiting.join().unwrap(), "a wait ends");
    });
    assert!(matches!(place.watcher.failure(), Some(WatchError::Ended)));
    assert!(!place.watcher.sync(Duration::ZERO));
    assert!(place.watcher.take_events().everything);
}

#[cfg(unix)]
#[test]
fn a_data_folder_that_cannot_be_written_has_no_barrier() {
    let place = Place::new();
    std::fs::remove_dir_all(place._home.path()).unwrap();
    assert!(!place.watcher.sync(LONG));
}

#[cfg(unix)]
#[test]
fn other_rights_of_files_and_folders_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let set = |name: &str, mode| {
        std::fs::set_permissions(place.root().join(name), PermissionsExt::from_mode(mode)).unwrap()
    };
    set("a/x.cs", 0o600);
    assert_eq!(place.paths(), ["a/x.cs"]);
    set("a", 0o700);
    assert!(place.take_events().everything);
    place.watch_dirs();
    std::fs::write(place.root().join("a/x.cs"), "1").unwrap();
    assert_eq!(place.paths(), ["a/x.cs"], "it is still watched");
}

#[test]
fn folders_that_come_go_or_move_mean_anything() {
    let place = Place::new();

    std::fs::create_dir_all(place.root().join("b/c/d")).unwrap();
    assert!(place.take_events().everything);
    place.watch_dirs();

    std::fs::write(place.root().join("b/c/d/e.cs"), "").unwrap();
    assert_eq!(place.paths(), ["b/c/d/e.cs"]);

    std::fs::rename(place.root().join("b"), place.root().join("f")).unwrap();
    assert!(place.take_events().everything);
    place.watch_dirs();

    std::fs::write(place.root().join("f/c/d/e.cs"), "1").unwrap();
    assert_eq!(place.paths(), ["f/c/d/e.cs"]);

    // Away and back between two looks: the folder is the same, and is watched.
    std::fs::rename(place.root().join("f"), place.root().join("g")).unwrap();
    std::fs::rename(place.root().join("g"), place.root().join("f")).unwrap();
    assert!(place.take_events().everything);
    place.watch_dirs();

    std::fs::write(place.root().join("f/c/d/e.cs"), "12").unwrap();
    assert_eq!(place.paths(), ["f/c/d/e.cs"]);

    std::fs::remove_dir_all(place.root().join("f")).unwrap();
    assert!(place.take_events().everything);
}

#[test]
fn what_is_ignored_is_asked_again_when_git_says_something_else() {
    let place = Place::new();
    std::fs::create_dir_all(place.root().join(".git/info")).unwrap();
    assert!(place.take_events().everything);
    place.watch_dirs();
    place.take_events();
    for name in ["index.lock", "info/other"] {
        std::fs::write(place.root().join(".git").join(name), "").unwrap();
        assert!(place.take_events().is_empty(), "{name}");
    }
    for name in ["index", "info/exclude"] {
        std::fs::write(place.root().join(".git").join(name), "").unwrap();
        assert!(place.take_events().everything, "{name}");
    }
}

#[test]
fn a_wait_ends_with_a_notice_or_when_it_is_woken() {
    let place = Place::new();
    place.watcher.wake();
    assert!(place.watcher.wait(None));
    assert!(place.take_events().is_empty());
    std::fs::write(place.root().join("y.cs"), "").unwrap();
    assert!(place.watcher.wait(None));
}

#[cfg(target_os = "linux")]
#[test]
fn a_queue_that_is_full_means_anything() {
    let place = Place::new();

    // Events are taken at once, so the queue fills up only while this holds their thread.
    let events = place.watcher.shared.lock();
    let longest: usize = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap()
        .trim()
        .parse()
        .unwrap();

    // Two files in turn: what is told of one file twice is one notice.
    for number in 0..longest {
        std::fs::write(place.root().join(["a/x.cs", "a/y.cs"][number % 2]), "").unwrap();
    }

    drop(events);
    assert!(place.take_events().everything);
    place.take_events();

    std::fs::write(place.root().join("a/x.cs"), "1").unwrap();
    assert_eq!(place.paths(), ["a/x.cs"], "afterwards it is told as before");
}
