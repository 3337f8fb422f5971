use std::path::Path;
use std::process::Command;

use super::*;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    for setting in [
        "user.name=x",
        "user.email=x@x",
        "commit.gpgsign=false",
        "init.defaultBranch=main",
        "advice.detachedHead=false",
        "protocol.file.allow=always",
    ] {
        command.args(["-c", setting]);
    }
    command
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR");
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {printed}");
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn commit_all(root: &Path, message: &str) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// Creates three commits on `main`, the first tagged `v1`, and a branch `side` from the second.
fn history() -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("main");
    std::fs::create_dir(&root).unwrap();
    git(&root, &["init", "-q"]);
    write(&root, "a.ts", "first\n");
    write(&root, "app/b.ts", "b\n");
    write(&root, "gone.ts", "gone\n");
    commit_all(&root, "first");
    git(&root, &["tag", "-a", "v1", "-m", "tagged"]);
    write(&root, "a.ts", "second\n");
    commit_all(&root, "second");
    git(&root, &["branch", "side"]);
    std::fs::remove_file(root.join("gone.ts")).unwrap();
    write(&root, "app/new.ts", "new\n");
    commit_all(&root, "third");
    outer
}

fn open(root: &Path) -> Result<GitRepository, GitError> {
    Workspace::open(root).unwrap().git()
}

/// Returns the differences of a range as `+added`, `-removed` and `~changed` paths.
fn listed(root: &Path, range: &str) -> Vec<String> {
    let changes = open(root).unwrap().changes(range).unwrap();
    let line = |file: &ChangedFile| {
        let sign = match (file.old, file.new) {
            (None, _) => '+',
            (_, None) => '-',
            _ => '~',
        };
        format!("{sign}{}", file.path)
    };
    changes.files.iter().map(line).collect()
}

fn error(root: &Path, range: &str) -> String {
    let opened = open(root).and_then(|repository| repository.changes(range));
    opened.map(drop).unwrap_err().to_string()
}

#[test]
fn commits_and_the_working_tree_are_compared() {
    let outer = history();
    let root = outer.path().join("main");
    assert_eq!(listed(&root, "HEAD"), [""; 0]);
    assert_eq!(
        listed(&root, "v1..HEAD"),
        ["~a.ts", "+app/new.ts", "-gone.ts"]
    );
    assert_eq!(listed(&root, "HEAD~2..side"), ["~a.ts"]);
    assert_eq!(listed(&root, "v1"), ["~a.ts", "+app/new.ts", "-gone.ts"]);

    write(&root, "a.ts", "edited\n");
    write(&root, "untracked.ts", "");
    write(&root, ".gitignore", "ignored.ts\n");
    write(&root, "ignored.ts", "");
    std::fs::remove_file(root.join("app/b.ts")).unwrap();
    assert_eq!(
        listed(&root, "HEAD"),
        ["+.gitignore", "~a.ts", "-app/b.ts", "+untracked.ts"]
    );

    git(&root, &["gc", "-q"]);
    assert_eq!(
        listed(&root, "v1..HEAD"),
        ["~a.ts", "+app/new.ts", "-gone.ts"]
    );
}

#[test]
fn a_branch_is_compared_with_its_merge_base() {
    let outer = history();
    let root = outer.path().join("main");
    git(&root, &["checkout", "-q", "side"]);
    write(&root, "side.ts", "side\n");
    commit_all(&root, "on the side");
    assert_eq!(listed(&root, "main"), ["+side.ts"]);
    assert_eq!(listed(&root, "main...side"), ["+side.ts"]);
    assert_eq!(
        listed(&root, "main..side"),
        ["-app/new.ts", "+gone.ts", "+side.ts"]
    );

    let changes = open(&root).unwrap().changes("main").unwrap();
    assert!(changes.is_checked_out && changes.merge_base_of.is_some());
    let file = &changes.files[0];
    let text = open(&root).unwrap().text(&file.path, file.new.unwrap());
    assert_eq!(text.unwrap().as_deref(), Some("side\n"));
}

#[test]
fn content_that_differs_in_line_ends_only_is_the_same() {
    let outer = history();
    let root = outer.path().join("main");
    write(&root, "a.ts", "second\r\n");
    assert_eq!(listed(&root, "HEAD"), [""; 0]);
}

#[test]
fn a_root_below_the_top_sees_its_own_files() {
    let outer = history();
    assert_eq!(
        listed(&outer.path().join("main/app"), "v1..HEAD"),
        ["+new.ts"]
    );
    assert_eq!(listed(&outer.path().join("main/app"), "v1"), ["+new.ts"]);
}

#[test]
fn linked_work_trees_and_submodules_are_read() {
    let outer = history();
    let root = outer.path().join("main");
    git(&root, &["worktree", "add", "-q", "../linked", "side"]);
    write(&outer.path().join("linked"), "x.ts", "");
    assert_eq!(listed(&outer.path().join("linked"), "HEAD"), ["+x.ts"]);

    git(&root, &["submodule", "--quiet", "add", "./.", "sub"]);
    commit_all(&root, "with a submodule");
    assert_eq!(listed(&root, "HEAD~1..HEAD"), ["+.gitmodules"]);
    let changes = open(&root).unwrap().changes("HEAD~1..HEAD").unwrap();
    assert_eq!(changes.submodules, ["sub"]);
    write(&root.join("sub"), "x.ts", "");
    assert_eq!(listed(&root.join("sub"), "HEAD"), ["+x.ts"]);
}

#[test]
fn invalid_comparisons_are_reported() {
    let plain = tempfile::tempdir().unwrap();
    assert!(error(plain.path(), "HEAD").contains("not in a git repository"));

    let outer = history();
    let root = outer.path().join("main");
    assert!(error(&root, "nowhere").contains("no commit `nowhere`"));
    assert!(error(&root, "HEAD~9").contains("no commit `HEAD~9`"));
    for range in ["", "--output=x", "a..b..c", "a b"] {
        assert!(error(&root, range).contains("not a range"), "{range}");
    }
    for name in ["/etc/passwd", ".git/config", "config", "refs/heads/.x"] {
        assert!(error(&root, name).contains("no commit"), "{name}");
    }

    let url = format!("file://{}", root.display());
    git(outer.path(), &["clone", "-q", "--depth=1", &url, "shallow"]);
    let shallow = outer.path().join("shallow");
    assert_eq!(listed(&shallow, "HEAD"), [""; 0]);
    assert!(error(&shallow, "HEAD~1").contains("git fetch --unshallow"));

    git(outer.path(), &["clone", "-q", "--shared", "main", "shared"]);
    assert!(
        error(&outer.path().join("shared"), "HEAD").contains("uses objects of another repository")
    );

    git(outer.path(), &["init", "-q", "empty"]);
    assert!(error(&outer.path().join("empty"), "HEAD").contains("no commit `HEAD`"));
}

#[test]
fn a_damaged_object_is_an_error() {
    let outer = history();
    let root = outer.path().join("main");
    git(&root, &["gc", "-q"]);
    let pack = std::fs::read_dir(root.join(".git/objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "pack"))
        .unwrap();
    let whole = std::fs::read(&pack).unwrap();
    std::fs::remove_file(&pack).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        std::fs::write(&pack, bytes).unwrap();
        // A wrong answer or an error is acceptable here, a panic is not.
        let _ = open(&root).and_then(|repository| repository.changes("v1..HEAD"));
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_refused() {
    let outer = history();
    let root = outer.path().join("main");
    let hostile = outer.path().join("hostile");
    let fresh = || {
        let _ = std::fs::remove_dir_all(&hostile);
        git(
            outer.path(),
            &["clone", "-q", "--no-hardlinks", "main", "hostile"],
        );
    };
    let link = |target: &Path, at: &str| {
        let at = hostile.join(at);
        let _ = std::fs::remove_file(&at);
        let _ = std::fs::remove_dir_all(&at);
        std::os::unix::fs::symlink(target, at).unwrap();
    };

    fresh();
    link(&root.join(".git"), ".git");
    assert!(error(&hostile, "HEAD").contains("is a link"));

    fresh();
    std::fs::remove_dir_all(hostile.join(".git")).unwrap();
    write(
        &hostile,
        ".git",
        &format!("gitdir: {}\n", root.join(".git").display()),
    );
    assert!(error(&hostile, "HEAD").contains("belongs neither"));

    fresh();
    link(&root.join(".git/objects"), ".git/objects");
    assert!(error(&hostile, "HEAD").contains("no objects"));

    fresh();
    let pipe = |path: &str| {
        let status = Command::new("mkfifo").arg(hostile.join(path)).status();
        assert!(status.unwrap().success());
    };
    std::fs::create_dir_all(hostile.join(".git/objects/pack")).unwrap();
    pipe(".git/objects/pack/pack-1.idx");
    assert!(error(&hostile, "HEAD").contains("something other than plain files"));

    fresh();
    std::fs::remove_file(hostile.join(".git/HEAD")).unwrap();
    pipe(".git/HEAD");
    assert!(error(&hostile, "HEAD").contains("no commit"));
}

/// git itself runs these programs for `git diff` or `git status`.
#[cfg(unix)]
#[test]
fn no_program_of_the_repositorys_configuration_is_run() {
    use std::os::unix::fs::PermissionsExt;

    let outer = history();
    let root = outer.path().join("main");
    let ran = outer.path().join("ran");
    let script = outer.path().join("evil.sh");
    write(
        outer.path(),
        "evil.sh",
        &format!("#!/bin/sh\necho \"$0 $@\" >> {}\ncat\n", ran.display()),
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();

    let evil = script.display().to_string();
    let mut config = String::new();
    for (section, key) in [
        ("core", "fsmonitor"),
        ("core", "pager"),
        ("core", "sshCommand"),
        ("core", "editor"),
        ("diff", "external"),
        ("diff \"evil\"", "command"),
        ("diff \"evil\"", "textconv"),
        ("filter \"evil\"", "clean"),
        ("filter \"evil\"", "smudge"),
        ("filter \"evil\"", "process"),
        ("credential", "helper"),
        ("alias", "diff"),
        ("uploadpack", "packObjectsHook"),
        ("gpg", "program"),
    ] {
        config += &format!("[{section}]\n\t{key} = {evil}\n");
    }
    let path = root.join(".git/config");
    let before = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        format!(
            "{before}{config}[core]\n\thooksPath = {}\n",
            outer.path().display()
        ),
    )
    .unwrap();
    write(&root, ".gitattributes", "* diff=evil filter=evil\n");
    for hook in [
        "post-index-change",
        "post-checkout",
        "fsmonitor-watchman",
        "reference-transaction",
    ] {
        let hook = root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::copy(&script, &hook).unwrap();
    }
    write(&root, "a.ts", "edited\n");

    assert_eq!(listed(&root, "HEAD"), ["+.gitattributes", "~a.ts"]);
    assert_eq!(listed(&root, "v1..HEAD").len(), 3);
    assert!(!ran.exists(), "{:?}", std::fs::read_to_string(&ran));

    // The control: git does run programs for the same repository.
    let _ = Command::new("git")
        .args(["diff"])
        .current_dir(&root)
        .output();
    assert!(ran.exists(), "the attack does not work");
}
