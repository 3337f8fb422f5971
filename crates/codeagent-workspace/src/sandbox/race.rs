//! Races: nothing leaks while a folder is rapidly exchanged for a link that leads out.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

use crate::read::ReadError;
use crate::sandbox::{WalkControl, WriteError};
use crate::{RepoPath, Workspace};

const ROUNDS: usize = 60_000;

/// Runs a closure on a root with a folder `d` and a link `l` to an outside folder, which are
/// exchanged continuously.
fn while_they_change_places(act: impl Fn(&Workspace, &RepoPath, usize)) {
    // Uses memory where possible, because the disk is not what is tested.
    let memory = Path::new("/dev/shm");
    let outer = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap();

    let (root, secret) = (outer.path().join("root"), outer.path().join("secret"));
    for folder in [&root.join("d"), &secret] {
        fs::create_dir_all(folder).unwrap();
    }

    fs::write(root.join("d/file"), "inside").unwrap();
    for name in ["file", "only-outside", "n0", "n1"] {
        fs::write(secret.join(name), "SECRET").unwrap();
    }

    std::os::unix::fs::symlink(&secret, root.join("l")).unwrap();
    let workspace = Workspace::open(&root).unwrap();
    let stop = AtomicBool::new(false);

    std::thread::scope(|scope| {
        let flips = scope.spawn(|| {
            let mut flips = 0_usize;
            while !stop.load(Ordering::Relaxed) {
                renameat_with(
                    CWD,
                    root.join("d"),
                    CWD,
                    root.join("l"),
                    RenameFlags::EXCHANGE,
                )
                .unwrap();
                flips += 1;
            }
            flips
        });

        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for round in 0..ROUNDS {
                act(&workspace, &RepoPath::new("d").unwrap(), round);
            }
        }));

        stop.store(true, Ordering::Relaxed);
        assert!(
            flips.join().unwrap() > 1_000,
            "they changed places too seldom"
        );
        ended.unwrap();
    });

    let mut left: Vec<_> = fs::read_dir(&secret)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();

    assert_eq!(
        left,
        ["file", "n0", "n1", "only-outside"],
        "something was made or removed outside"
    );

    for name in left {
        assert_eq!(
            fs::read_to_string(secret.join(&name)).unwrap(),
            "SECRET",
            "{name} was written outside"
        );
    }
}

#[test]
fn racing_reads_never_leave_the_root() {
    let (inside, refused) = (
        std::sync::atomic::AtomicUsize::new(0),
        std::sync::atomic::AtomicUsize::new(0),
    );

    while_they_change_places(|workspace, folder, round| {
        match workspace.read(&folder.join("file").unwrap()) {
            Ok(file) => {
                assert_eq!(file.text, "inside");
                inside.fetch_add(1, Ordering::Relaxed);
            }
            Err(ReadError::Escapes(_)) => _ = refused.fetch_add(1, Ordering::Relaxed),
            // The folder became a link during a step.
            Err(ReadError::NotFound(_)) => {}
            Err(error) => panic!("{error}"),
        }

        assert!(
            workspace
                .stat(&folder.join("only-outside").unwrap())
                .is_err()
        );

        if round % 16 == 0 {
            let mut seen = Vec::new();
            let listed = workspace.descend(folder, 2, &mut |item| {
                seen.push(item.path.file_name().to_owned());
                WalkControl::Into
            });
            assert!(listed.is_err() || seen == ["file"], "{seen:?}");
        }
    });

    let seen = (inside.into_inner(), refused.into_inner());
    assert!(seen.0 > 0 && seen.1 > 0, "the race was not run: {seen:?}");
}

/// Reads a path while `act` changes its parents.
fn while_something_changes(
    root: &Path,
    read: &str,
    act: impl Fn() + Send + Sync,
) -> Vec<Result<String, ReadError>> {
    let workspace = Workspace::open(root).unwrap();
    let (path, stop) = (RepoPath::new(read).unwrap(), AtomicBool::new(false));

    std::thread::scope(|scope| {
        let changes = scope.spawn(|| {
            let mut changes = 0_usize;
            while !stop.load(Ordering::Relaxed) {
                act();
                changes += 1;
            }
            changes
        });

        let seen = (0..ROUNDS / 4)
            .map(|_| workspace.read(&path).map(|file| file.text))
            .collect();

        stop.store(true, Ordering::Relaxed);
        assert!(changes.join().unwrap() > 1_000, "it changed too seldom");
        seen
    })
}

#[test]
fn a_pipe_behind_a_link_does_not_block() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    fs::write(path("file"), "inside").unwrap();

    mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    std::os::unix::fs::symlink("file", path("link")).unwrap();
    let exchange =
        || renameat_with(CWD, path("file"), CWD, path("pipe"), RenameFlags::EXCHANGE).unwrap();

    let seen = while_something_changes(root.path(), "link", exchange);
    let is_right = |result: &Result<String, ReadError>| match result {
        Ok(text) => text == "inside",
        Err(error) => matches!(error, ReadError::NotAFile(_)),
    };

    assert!(
        seen.iter().all(is_right),
        "{:?}",
        seen.iter().find(|result| !is_right(result))
    );

    assert!(
        seen.iter().any(Result::is_ok) && seen.iter().any(Result::is_err),
        "the race was not run"
    );
}

#[test]
fn git_settings_are_not_read_through_a_replaced_folder() {
    let root = tempfile::tempdir().unwrap();

    let path = |name: &str| root.path().join(name);
    for (folder, text) in [("d", "inside"), (".git", "SECRET")] {
        fs::create_dir(path(folder)).unwrap();
        fs::write(path(folder).join("config"), text).unwrap();
    }
    std::os::unix::fs::symlink(".git", path("l")).unwrap();
    let exchange = || renameat_with(CWD, path("d"), CWD, path("l"), RenameFlags::EXCHANGE).unwrap();

    let seen = while_something_changes(root.path(), "d/config", exchange);
    assert!(
        seen.iter()
            .all(|result| result.as_ref().map_or(true, |text| text == "inside")),
        "what git keeps was read"
    );

    assert!(
        seen.iter().any(Result::is_ok) && seen.iter().any(Result::is_err),
        "the race was not run"
    );
}

#[test]
fn racing_writes_never_leave_the_root() {
    let (inside, refused) = (
        std::sync::atomic::AtomicUsize::new(0),
        std::sync::atomic::AtomicUsize::new(0),
    );

    while_they_change_places(|workspace, folder, round| {
        let path = |name: &str| folder.join(name).unwrap();
        let outcome = match round % 6 {
            0 => workspace.write_file(&path("file"), b"written"),
            1 => workspace.write_file(&path("n0"), b"written"),
            2 => workspace
                .create_folder(&path("made/deep"), true)
                .map(|_| ()),
            3 => workspace.rename(&path("n0"), &path("n1"), true).map(|_| ()),
            4 => workspace.remove(&path("made"), true).map(|_| ()),
            _ => workspace.remove(&path("n1"), false).map(|_| ()),
        };

        match outcome {
            Ok(()) => _ = inside.fetch_add(1, Ordering::Relaxed),
            Err(WriteError::Path(ReadError::Escapes(_))) => {
                _ = refused.fetch_add(1, Ordering::Relaxed)
            }
            // An earlier step has failed, so the path is missing.
            Err(WriteError::Path(ReadError::NotFound(_) | ReadError::NotADirectory(_))) => {}
            Err(error) => panic!("{error}"),
        }
    });

    let seen = (inside.into_inner(), refused.into_inner());
    assert!(seen.0 > 0 && seen.1 > 0, "the race was not run: {seen:?}");
}
