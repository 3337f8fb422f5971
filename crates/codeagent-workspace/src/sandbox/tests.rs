//! The sandbox: reading, listing and changing files, and everything that is refused.

#[cfg(target_os = "linux")]
mod mounts;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;

use crate::read::ReadError;
use crate::sandbox::{ItemKind, Removed, SpecialFile, WalkControl, WriteError};
use crate::{RepoPath, Workspace};

/// Creates a root with a bit of everything, in a folder that also holds files that must not be
/// touched.
fn fixture() -> (tempfile::TempDir, Workspace) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("root");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir_all(outer.path().join("outside")).unwrap();
    fs::create_dir_all(root.join(".git")).unwrap();

    for (path, text) in [
        ("root/a.txt", "a"),
        ("root/src/b.txt", "b"),
        ("root/.git/HEAD", "ref"),
        ("outside/secret", "SECRET"),
    ] {
        fs::write(outer.path().join(path), text).unwrap();
    }

    symlink(outer.path().join("outside/secret"), root.join("to-secret")).unwrap();
    symlink(outer.path().join("outside"), root.join("to-outside")).unwrap();
    symlink("../outside/new", root.join("to-nowhere-outside")).unwrap();
    symlink("src/new", root.join("to-nowhere-inside")).unwrap();
    symlink(root.join("src"), root.join("to-src")).unwrap();
    symlink("../src/b.txt", root.join("src/to-b")).unwrap();
    symlink(".git", root.join("to-git")).unwrap();
    symlink("/proc/self/fd/0", root.join("to-proc")).unwrap();
    symlink("/proc/self/cwd/Cargo.toml", root.join("to-passwd")).unwrap();
    symlink("/dev/zero", root.join("to-zero")).unwrap();
    symlink("circle", root.join("circle")).unwrap();

    symlink("chain0", root.join("chain")).unwrap();
    for step in 0..45 {
        symlink(
            format!("chain{}", step + 1),
            root.join(format!("chain{step}")),
        )
        .unwrap();
    }

    fs::write(root.join("chain45"), "end").unwrap();
    symlink("short1", root.join("short0")).unwrap();
    symlink("a.txt", root.join("short1")).unwrap();

    let workspace = Workspace::open(&root).unwrap();
    (outer, workspace)
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn outside_is_untouched(outer: &tempfile::TempDir) {
    let names: Vec<_> = fs::read_dir(outer.path().join("outside"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["secret"]);
    assert_eq!(
        fs::read_to_string(outer.path().join("outside/secret")).unwrap(),
        "SECRET"
    );
}

fn word(result: Result<(), WriteError>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(WriteError::Path(ReadError::NotFound(_))) => "not found",
        Err(WriteError::Path(ReadError::Escapes(_))) => "escapes",
        Err(WriteError::Path(ReadError::NotAFile(_))) => "not a file",
        Err(WriteError::Path(ReadError::NotADirectory(_))) => "not a folder",
        Err(WriteError::Exists(_)) => "exists",
        Err(WriteError::NotEmpty(_)) => "not empty",
        Err(WriteError::Protected(_)) => "protected",
        Err(WriteError::Root) => "root",
        Err(WriteError::IntoItself(_)) => "into itself",
        Err(WriteError::OtherFileSystem(_)) => "other file system",
        Err(WriteError::Permission(_)) => "permission",
        Err(WriteError::Path(_)) => "other",
    }
}

#[test]
fn links_out_of_the_root_are_not_followed_by_the_sandbox() {
    let (outer, workspace) = fixture();

    for (text, expected) in [
        ("to-secret", "escapes"),
        ("to-outside/secret", "escapes"),
        ("to-nowhere-outside", "escapes"),
        ("to-nowhere-inside", "not found"),
        ("to-src/b.txt", "b"),
        ("to-src/to-b", "b"),
        ("src/to-b", "b"),
        ("to-git/HEAD", "not found"),
        ("to-proc", "escapes"),
        ("to-passwd", "escapes"),
        ("to-zero", "escapes"),
        ("circle", "not found"),
        ("chain", "not found"),
        ("short0", "a"),
        ("a.txt/b", "not found"),
    ] {
        let result = match workspace.read(&path(text)) {
            Ok(file) => file.text,
            Err(ReadError::Escapes(_)) => "escapes".to_owned(),
            Err(ReadError::NotFound(_)) => "not found".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(result, expected, "{text}");
    }

    assert_eq!(
        workspace.real_path(&path("to-src/to-b")).unwrap().as_str(),
        "src/b.txt"
    );
    outside_is_untouched(&outer);
}

#[cfg(target_os = "linux")]
#[test]
fn proc_file_descriptors_are_not_followed() {
    use std::os::fd::AsRawFd;
    let (_outer, workspace) = fixture();
    let handle = format!("/proc/self/fd/{}", workspace.handle().as_raw_fd());

    for (name, target) in [
        ("to-root", handle.clone()),
        ("to-file", format!("{handle}/a.txt")),
        ("to-task", handle.replace("self", "thread-self")),
    ] {
        symlink(&target, workspace.root().join(name)).unwrap();
        assert!(
            fs::metadata(&target).is_ok(),
            "{target} leads into the root"
        );
        for path in [path(name), path(name).join("a.txt").unwrap()] {
            assert!(
                matches!(workspace.stat(&path), Err(ReadError::Escapes(_))),
                "{path}"
            );
            assert_eq!(word(workspace.write_file(&path, b"x")), "escapes", "{path}");
        }
    }

    assert_eq!(
        fs::read_to_string(workspace.root().join("a.txt")).unwrap(),
        "a"
    );
}

#[test]
fn special_files_are_refused_without_blocking() {
    let (_outer, workspace) = fixture();

    let status = std::process::Command::new("mkfifo")
        .arg(workspace.root().join("pipe"))
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "mkfifo is part of every Unix"
    );

    let _socket = std::os::unix::net::UnixListener::bind(workspace.root().join("socket")).unwrap();
    symlink("pipe", workspace.root().join("to-pipe")).unwrap();

    let begun = std::time::Instant::now();
    for name in ["pipe", "socket", "to-pipe", "src"] {
        assert!(
            matches!(workspace.read(&path(name)), Err(ReadError::NotAFile(_))),
            "{name}"
        );
        assert_eq!(
            word(workspace.write_file(&path(name), b"x")),
            "not a file",
            "{name}"
        );
    }

    assert!(
        begun.elapsed().as_secs() < 5,
        "nothing waits for the other end of a pipe"
    );

    let (items, _) = workspace.items(&RepoPath::root()).unwrap();
    let kind = |name: &str| {
        items
            .iter()
            .find(|item| item.path.as_str() == name)
            .map(|item| item.kind)
    };

    assert_eq!(
        (kind("pipe"), kind("socket"), kind("circle")),
        (
            Some(ItemKind::Other(SpecialFile::Pipe)),
            Some(ItemKind::Other(SpecialFile::Socket)),
            Some(ItemKind::Link)
        )
    );

    assert_eq!(
        (kind("src"), kind("a.txt"), kind(".git")),
        (Some(ItemKind::Directory), Some(ItemKind::File), None)
    );
}

#[test]
fn files_are_written_inside_the_root_only() {
    let (outer, workspace) = fixture();
    for (text, expected) in [
        ("new/deep/file.txt", "done"),
        ("a.txt", "done"),
        ("to-src/c.txt", "done"),
        ("to-nowhere-inside", "done"),
        ("src/to-b", "done"),
        ("to-secret", "escapes"),
        ("to-outside/new", "escapes"),
        ("to-outside/new/deeper/file", "escapes"),
        ("to-nowhere-outside", "escapes"),
        (".git/hooks/post-commit", "protected"),
        ("to-git/config", "not found"),
        ("circle", "not found"),
        ("a.txt/b", "not a folder"),
        ("", "root"),
    ] {
        assert_eq!(
            word(workspace.write_file(&path(text), b"new")),
            expected,
            "{text}"
        );
    }

    let root = workspace.root();
    for written in [
        "new/deep/file.txt",
        "a.txt",
        "src/c.txt",
        "src/new",
        "src/b.txt",
    ] {
        assert_eq!(
            fs::read_to_string(root.join(written)).unwrap(),
            "new",
            "{written}"
        );
    }

    assert!(
        root.join("src/to-b").is_symlink() && root.join("to-nowhere-inside").is_symlink(),
        "a link stays a link"
    );
    assert!(!root.join(".git/hooks").exists());

    let mut left = Vec::new();
    workspace
        .descend(&RepoPath::root(), 9, &mut |item| {
            left.extend(
                item.path
                    .as_str()
                    .ends_with(".tmp")
                    .then(|| item.path.clone()),
            );
            WalkControl::Into
        })
        .unwrap();
    assert_eq!(left, [], "nothing temporary is left");

    outside_is_untouched(&outer);
}

#[test]
fn permissions_are_kept_and_respected() {
    let (_outer, workspace) = fixture();
    let file = workspace.root().join("a.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    workspace.write_file(&path("a.txt"), b"#!").unwrap();
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o7777,
        0o750
    );
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        word(workspace.write_file(&path("a.txt"), b"x")),
        "permission"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "#!");
}

#[test]
fn a_failed_write_keeps_the_old_content() {
    if !is_bounded(
        "ulimit -f 8; trap '' XFSZ",
        "a_failed_write_keeps_the_old_content",
    ) {
        return;
    }

    let (_outer, workspace) = fixture();
    assert_eq!(
        word(workspace.write_file(&path("a.txt"), &[b'x'; 100_000])),
        "other"
    );
    assert_eq!(
        word(workspace.write_file(&path("new.txt"), &[b'x'; 100_000])),
        "other"
    );
    assert_eq!(
        fs::read_to_string(workspace.root().join("a.txt")).unwrap(),
        "a"
    );

    let names: Vec<_> = fs::read_dir(workspace.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();

    assert!(
        names
            .iter()
            .all(|name| name != "new.txt" && !name.ends_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn a_reader_sees_the_old_or_the_new_content() {
    let (_outer, workspace) = fixture();

    let texts = ["x".repeat(100_000), "y".repeat(90_000)];
    workspace
        .write_file(&path("a.txt"), texts[0].as_bytes())
        .unwrap();

    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..50 {
                workspace
                    .write_file(&path("a.txt"), texts[round % 2].as_bytes())
                    .unwrap();
            }
        });

        while !writer.is_finished() {
            let text = workspace.read(&path("a.txt")).unwrap().text;
            assert!(texts.contains(&text), "a mixture of {} bytes", text.len());
        }
    });
}

#[test]
fn removals_stay_inside_the_root() {
    let (outer, workspace) = fixture();
    let remove = |text: &str, recursive| match workspace.remove(&path(text), recursive) {
        Ok(Removed::File) => "file",
        Ok(Removed::Directory) => "folder",
        Err(error) => word(Err(error)),
    };

    fs::create_dir(workspace.root().join("empty")).unwrap();
    fs::create_dir_all(workspace.root().join("full/inner")).unwrap();
    symlink(
        outer.path().join("outside"),
        workspace.root().join("full/inner/to-outside"),
    )
    .unwrap();

    for (text, recursive, expected) in [
        ("", true, "root"),
        ("nowhere", true, "not found"),
        (".git", true, "protected"),
        ("to-git/HEAD", false, "not found"),
        ("to-outside/secret", false, "escapes"),
        ("empty", false, "folder"),
        ("src", false, "not empty"),
        ("to-src/b.txt", false, "file"),
        ("to-outside", true, "file"),
        ("to-secret", false, "file"),
        ("circle", false, "file"),
        ("full", true, "folder"),
        ("src", true, "folder"),
    ] {
        assert_eq!(remove(text, recursive), expected, "{text}");
    }

    assert!(workspace.root().join(".git/HEAD").exists());
    outside_is_untouched(&outer);
}

#[test]
fn moves_stay_inside_the_root() {
    let (outer, workspace) = fixture();
    let rename =
        |from: &str, to: &str, overwrite| match workspace.rename(&path(from), &path(to), overwrite)
        {
            Ok(true) => "replaced",
            Ok(false) => "moved",
            Err(error) => word(Err(error)),
        };

    fs::write(workspace.root().join("c.txt"), "c").unwrap();

    for (from, to, overwrite, expected) in [
        ("", "x", false, "root"),
        ("a.txt", "", true, "exists"),
        ("nowhere", "x", false, "not found"),
        ("a.txt", "to-outside/a", true, "escapes"),
        ("a.txt", "to-secret", true, "escapes"),
        ("a.txt", "to-nowhere-outside", true, "escapes"),
        ("to-outside/secret", "stolen", true, "escapes"),
        ("a.txt", ".git/a", true, "protected"),
        (".git/HEAD", "head", true, "protected"),
        ("src", "src/deep/src", false, "into itself"),
        ("src", "src", false, "into itself"),
        ("src", "to-src/deep/x", false, "into itself"),
        ("a.txt", "c.txt", false, "exists"),
        ("a.txt", "src", true, "exists"),
        ("a.txt", "c.txt", true, "replaced"),
        ("c.txt", "C.txt", false, "moved"),
        ("C.txt", "new/deep/c.txt", false, "moved"),
        ("src", "sources", false, "moved"),
        ("to-secret", "still-a-link", false, "moved"),
    ] {
        assert_eq!(rename(from, to, overwrite), expected, "{from} to {to}");
    }

    assert_eq!(
        fs::read_to_string(workspace.root().join("new/deep/c.txt")).unwrap(),
        "a"
    );
    assert!(workspace.root().join("still-a-link").is_symlink());
    outside_is_untouched(&outer);
}

#[test]
fn folders_are_created_inside_the_root_only() {
    let (outer, workspace) = fixture();

    let create = |text: &str, parents| match workspace.create_folder(&path(text), parents) {
        Ok(true) => "made",
        Ok(false) => "was there",
        Err(error) => word(Err(error)),
    };

    for (text, parents, expected) in [
        ("", true, "was there"),
        ("src", false, "was there"),
        ("to-src", false, "was there"),
        ("x/y", false, "not found"),
        ("x/y", true, "made"),
        ("a.txt", true, "exists"),
        ("a.txt/x", true, "not a folder"),
        ("to-outside/x", true, "escapes"),
        ("to-nowhere-outside", true, "escapes"),
        (".git/x", true, "protected"),
    ] {
        assert_eq!(create(text, parents), expected, "{text}");
    }

    outside_is_untouched(&outer);
}

#[test]
fn five_hundred_nested_folders_are_handled() {
    let (_outer, workspace) = fixture();

    let deep = path(&["d"; 500].join("/"));
    workspace
        .write_file(&deep.join("file").unwrap(), b"x")
        .unwrap();
    assert_eq!(
        workspace.read(&deep.join("file").unwrap()).unwrap().text,
        "x"
    );

    let mut count = 0;
    workspace
        .descend(&path("d"), usize::MAX, &mut |_| {
            count += 1;
            WalkControl::Into
        })
        .unwrap();
    assert_eq!(count, 500);

    assert_eq!(
        workspace.remove(&path("d"), true).unwrap(),
        Removed::Directory
    );
}

/// Runs a test again in a process that a shell limits, because a limit applies to all tests of a
/// process. Returns true in that process.
fn is_bounded(limit: &str, test: &str) -> bool {
    if std::env::var_os("CODEAGENT_TEST_BOUNDED").is_some() {
        return true;
    }

    let script = format!("{limit}; exec \"$0\" --exact sandbox::tests::{test}");
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("CODEAGENT_TEST_BOUNDED", "1");

    let output = command.output().unwrap();
    let result = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();

    assert!(
        output.status.success() && result.contains("1 passed"),
        "{result}"
    );

    false
}

/// Creates nested folders; the paths of the lower ones exceed the system's limit.
fn dig(workspace: &Workspace, depth: usize) {
    let mut here = workspace
        .open_inside(&RepoPath::root(), crate::sandbox::LOOK)
        .unwrap();
    for _ in 0..depth {
        rustix::fs::mkdirat(&here, "d", rustix::fs::Mode::RWXU).unwrap();
        here = rustix::fs::openat(&here, "d", crate::sandbox::LOOK, rustix::fs::Mode::empty())
            .unwrap();
    }
    rustix::fs::mkdirat(&here, b"\xff".as_slice(), rustix::fs::Mode::RWXU).unwrap();
    rustix::fs::mkdirat(&here, b"\xff/\xfe".as_slice(), rustix::fs::Mode::RWXU).unwrap();
}

#[test]
fn three_thousand_nested_folders_need_few_handles() {
    if !is_bounded(
        "ulimit -n 64",
        "three_thousand_nested_folders_need_few_handles",
    ) {
        return;
    }

    let (outer, workspace) = fixture();
    dig(&workspace, 3_000);

    let mut count = 0;
    workspace
        .descend(&path("d"), usize::MAX, &mut |_| {
            count += 1;
            WalkControl::Into
        })
        .unwrap();

    assert!(count > 1_500, "as deep as paths go: {count}");
    let walk = workspace.walk();
    assert!(
        walk.entries
            .iter()
            .any(|entry| entry.path.as_str() == "a.txt")
            && !walk.is_short,
        "{:?}",
        walk.skipped
    );

    assert_eq!(
        word(workspace.remove(&path("d"), false).map(|_| ())),
        "not empty"
    );
    assert_eq!(
        workspace.remove(&path("d"), true).unwrap(),
        Removed::Directory
    );

    assert!(!workspace.root().join("d").exists() && workspace.root().join("a.txt").exists());
    outside_is_untouched(&outer);
}

/// Generates path segments that are often handled wrongly.
fn segment() -> impl Strategy<Value = String> {
    let known = [
        "..",
        ".",
        "",
        "/",
        "to-outside",
        "to-src",
        "src",
        "secret",
        "to-secret",
        "a.txt",
        "circle",
        "..\\",
        "~",
        "%2e%2e",
        "．．",
    ];

    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,6}"]
}

proptest! {
    #[test]
    fn random_writes_stay_inside_the_root(segments in prop::collection::vec(segment(), 0..8), absolute: bool, act in 0..4) {
        thread_local!(static FIXTURE: (tempfile::TempDir, Workspace) = fixture());
        FIXTURE.with(|(outer, workspace)| {
            let joined = segments.join("/");
            let text = if absolute { format!("{}/{joined}", workspace.root().display()) } else { joined };
            let Ok(path) = workspace.resolve(&text) else { return };
            let _ = match act {
                0 => workspace.write_file(&path, b"x").is_ok(),
                1 => workspace.create_folder(&path, true).is_ok(),
                2 => workspace.rename(&RepoPath::new("a.txt").unwrap(), &path, true).is_ok(),
                _ => workspace.stat(&path).is_ok(),
            };
            outside_is_untouched(outer);
            assert_ne!(workspace.read(&path).map(|file| file.text).unwrap_or_default(), "SECRET", "{text:?}");
        });
    }
}
