//! Mounted file systems inside the root: a full one, one that a file is moved to, a device in place
//! of a file.
//!
//! Limitations: Linux with user namespaces; elsewhere these tests only print that there are none.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::read::ReadError;
use crate::sandbox::{ItemKind, Removed, WalkControl, WriteError};
use crate::search::{Binary, Files, TextQuery};
use crate::{RepoPath, Workspace};

/// Environment variable with the folder of a test's mounts.
const FIXTURE: &str = "CODEAGENT_TEST_MOUNTS";

/// Returns a workspace in which `script` has mounted, in a separate process; `None` in the process
/// that starts it.
fn mounted(test: &str, script: &str) -> Option<Workspace> {
    if let Some(root) = std::env::var_os(FIXTURE) {
        return Some(Workspace::open(root).unwrap());
    }

    let namespace = ["--user", "--map-root-user", "--mount"];
    if !Command::new("unshare")
        .args(namespace)
        .arg("true")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        println!("no user may mount here: {test} was not run");
        return None;
    }

    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("repo");
    for folder in ["repo/src", "repo/disk", "outside"] {
        fs::create_dir_all(outer.path().join(folder)).unwrap();
    }

    for (path, text) in [
        ("repo/a.txt", "a"),
        ("repo/src/b.txt", "b"),
        ("repo/device", ""),
        ("repo/block", ""),
        ("outside/secret", "SECRET"),
    ] {
        fs::write(outer.path().join(path), text).unwrap();
    }

    let script = format!(
        "cd \"{}\" && {script} && exec \"$0\" --exact sandbox::tests::mounts::{test}",
        root.display()
    );

    let mut command = Command::new("unshare");
    command
        .args(namespace)
        .args(["sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(FIXTURE, &root);

    let output = command.output().unwrap();
    let result = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(
        output.status.success() && result.contains("1 passed"),
        "{result}"
    );

    assert_eq!(
        fs::read_to_string(outer.path().join("outside/secret")).unwrap(),
        "SECRET"
    );

    None
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[test]
fn moves_across_file_systems_are_refused() {
    let Some(workspace) = mounted(
        "moves_across_file_systems_are_refused",
        "mount -t tmpfs none disk && mkdir disk/d && echo x > disk/x",
    ) else {
        return;
    };

    let moved =
        |from: &str, to: &str, overwrite| workspace.rename(&path(from), &path(to), overwrite);
    for (from, to, overwrite) in [
        ("a.txt", "disk/a.txt", false),
        ("a.txt", "disk/x", true),
        ("src", "disk/src", false),
        ("disk/x", "x", false),
        ("disk/d", "d", true),
    ] {
        let result = moved(from, to, overwrite);
        assert!(
            matches!(&result, Err(WriteError::OtherFileSystem(at)) if at.as_str() == to),
            "{from} to {to}: {result:?}"
        );
    }

    assert!(matches!(
        moved("a.txt", "disk/d", true),
        Err(WriteError::Exists(_))
    ));
    assert!(
        !moved("disk/x", "disk/y", false).unwrap(),
        "within one there is nothing to it"
    );

    let text = |at: &str| workspace.read(&path(at)).map(|file| file.text).ok();
    assert_eq!(
        (
            text("a.txt").as_deref(),
            text("src/b.txt").as_deref(),
            text("disk/y").as_deref()
        ),
        (Some("a"), Some("b"), Some("x\n"))
    );

    // A mount point can be emptied but not removed.
    assert!(workspace.remove(&path("disk"), true).is_err());
    assert!(workspace.root().join("disk").is_dir());
}

#[test]
fn a_full_file_system_keeps_existing_content() {
    let Some(workspace) = mounted(
        "a_full_file_system_keeps_existing_content",
        "mount -t tmpfs -o size=64k,nr_inodes=12 none disk && echo x > disk/x",
    ) else {
        return;
    };

    let large = vec![b'y'; 100_000];
    for name in ["disk/x", "disk/new", "disk/deep/er/new"] {
        let result = workspace.write_file(&path(name), &large);
        assert!(
            matches!(&result, Err(WriteError::Path(ReadError::Io { .. }))),
            "{name}: {result:?}"
        );
    }

    assert_eq!(workspace.read(&path("disk/x")).unwrap().text, "x\n");
    let mut left = Vec::new();
    workspace
        .descend(&path("disk"), 9, &mut |item| {
            left.extend((item.kind == ItemKind::File).then(|| item.path.to_string()));
            WalkControl::Into
        })
        .unwrap();
    assert_eq!(left, ["disk/x"], "nothing temporary, nothing half");

    let created = (0..20)
        .map(|index| workspace.write_file(&path(&format!("disk/{index}")), b"1"))
        .filter(Result::is_err)
        .count();
    assert!((1..20).contains(&created), "it has no place for more names");

    assert!(workspace.create_folder(&path("disk/a/b/c"), true).is_err());
    assert_eq!(
        workspace.remove(&path("disk/x"), false).unwrap(),
        Removed::File
    );
}

#[test]
fn a_device_is_not_read_as_a_file() {
    let block = fs::read_dir("/dev")
        .unwrap()
        .filter_map(Result::ok)
        .find(|entry| entry.file_type().is_ok_and(|kind| kind.is_block_device()));

    let block = block.map_or_else(|| "/dev/null".into(), |entry| entry.path());
    let script = format!(
        "mount --bind /dev/zero device && mount --bind {} block",
        block.display()
    );

    let Some(workspace) = mounted("a_device_is_not_read_as_a_file", &script) else {
        return;
    };
    symlink("device", workspace.root().join("to-device")).unwrap();

    let begun = Instant::now();
    for name in ["device", "block", "to-device"] {
        // Without mapped users, some devices cannot be opened.
        let result = workspace.read(&path(name));
        let is_refused = matches!(&result, Err(ReadError::NotAFile(_)))
            || name == "block" && matches!(&result, Err(ReadError::Io { .. }));
        assert!(is_refused, "{name}: {result:?}");
        assert!(
            matches!(workspace.stat(&path(name)), Err(ReadError::NotAFile(_))),
            "{name}"
        );

        let result = workspace.write_file(&path(name), b"x");
        assert!(
            matches!(&result, Err(WriteError::Path(ReadError::NotAFile(_)))),
            "{name}: {result:?}"
        );
    }

    let walk = workspace.walk();
    assert_eq!(
        walk.entries
            .iter()
            .map(|entry| entry.path.as_str())
            .collect::<Vec<_>>(),
        ["a.txt", "src/b.txt"]
    );

    let (items, _) = workspace.items(&RepoPath::root()).unwrap();
    assert!(
        items
            .iter()
            .filter(|item| ["device", "block"].contains(&item.path.as_str()))
            .all(|item| matches!(item.kind, ItemKind::Other(_)))
    );

    let query = TextQuery {
        pattern: ".".to_owned(),
        binary: Binary::Text,
        ..TextQuery::default()
    };
    let stats = workspace
        .search_text(&Files::default(), &query, |_, _| true, &|_| {})
        .unwrap();
    assert_eq!(stats.files, 2, "devices are not searched");

    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn mounts_are_read_but_nothing_above_them() {
    // Only the root's owner can mount in it, so mounts inside the root count as intended.
    let Some(workspace) = mounted(
        "mounts_are_read_but_nothing_above_them",
        "mount --bind ../outside disk",
    ) else {
        return;
    };

    assert_eq!(workspace.read(&path("disk/secret")).unwrap().text, "SECRET");
    symlink("../../repo/a.txt", workspace.root().join("disk/up")).unwrap();
    symlink("../..", workspace.root().join("disk/far")).unwrap();
    assert_eq!(
        workspace.read(&path("disk/up")).map(|file| file.text).ok(),
        None
    );

    assert!(matches!(
        workspace.read(&path("disk/far/outside/secret")),
        Err(ReadError::Escapes(_))
    ));

    for name in ["up", "far"] {
        fs::remove_file(Path::new(workspace.root()).join("disk").join(name)).unwrap();
    }
}
