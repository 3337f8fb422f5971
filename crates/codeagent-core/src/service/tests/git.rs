//! After any git operation, a query sees the index of a fresh start.

use std::path::Path;
use std::process::Command;

use super::Fixture;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args([
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@x",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "protocol.file.allow=always",
    ]);
    command
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "advice.detachedHead=false",
        ])
        .args(arguments)
        .current_dir(folder);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR");

    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn write(fixture: &Fixture, name: &str, version: usize) {
    fixture.write(
        name,
        &format!(
            "class {} {{ void M{version}(A a) => a.M(); }}",
            name.rsplit_once('/')
                .map_or(name, |(_, end)| end)
                .replace(".cs", "")
        ),
    );
}

/// A repository with two branches that differ in files of several folders.
fn branches(fixture: &Fixture) {
    let root = fixture.root();
    git(&root, &["init", "-q"]);
    fixture.write(".gitignore", "out/\n");
    for number in 0..30 {
        write(fixture, &format!("d{}/C{number}.cs", number % 5), 0);
    }

    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    git(&root, &["checkout", "-qb", "other"]);

    for number in 0..30 {
        match number % 3 {
            0 => write(fixture, &format!("d{}/C{number}.cs", number % 5), 1),
            1 => git(
                &root,
                &["rm", "-q", &format!("d{}/C{number}.cs", number % 5)],
            ),
            _ => write(fixture, &format!("new/er{number}/D{number}.cs"), 1),
        }
    }

    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "two"]);
}

#[test]
fn git_operations_are_noticed() {
    let fixture = Fixture::new();
    branches(&fixture);
    let root = fixture.root();
    let run = |arguments: &[&str]| {
        git(&root, arguments);
        fixture.files().len()
    };
    let other = fixture.files().len();
    let main = run(&["checkout", "-q", "main"]);
    assert_eq!((main, other), (31, 31));
    assert_eq!(run(&["checkout", "-q", "other"]), other);
    assert_eq!(run(&["checkout", "-q", "main"]), main);

    write(&fixture, "d0/C0.cs", 2);
    write(&fixture, "d0/Extra.cs", 2);
    assert_eq!(fixture.files().len(), main + 1);
    assert_eq!(run(&["stash", "-q", "--include-untracked"]), main);
    assert_eq!(run(&["stash", "pop", "-q"]), main + 1);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "three"]);
    // Both branches changed the same file.
    assert!(run(&["rebase", "-q", "--strategy-option=theirs", "other"]) > other);
    fixture.write("out/Made.cs", "class Made { }");
    write(&fixture, "loose/Loose.cs", 0);
    let before = fixture.files().len();
    assert_eq!(run(&["clean", "-qfdx"]), before - 1);

    // A work tree inside the repository contains the same files again, and so does a submodule.
    let beside = fixture.folder.path().join("beside");
    git(fixture.folder.path(), &["clone", "-q", "root", "beside"]);
    let before = fixture.files().len();
    assert_eq!(
        run(&["worktree", "add", "-q", "tree", "main~1"]),
        before + other + 1 - 1
    );
    assert_eq!(run(&["worktree", "remove", "--force", "tree"]), before);
    assert_eq!(
        run(&[
            "submodule",
            "--quiet",
            "add",
            beside.to_str().unwrap(),
            "sub"
        ]),
        before * 2
    );
    assert_eq!(
        run(&["submodule", "--quiet", "deinit", "--force", "sub"]),
        before
    );
    git(&root, &["reset", "-q", "--hard"]);

    assert!(run(&["sparse-checkout", "set", "d1"]) < before);
    assert_eq!(run(&["sparse-checkout", "disable"]), before);
}

#[test]
fn a_shallow_clone_is_indexed() {
    let fixture = Fixture::new();
    branches(&fixture);

    let bare = format!("file://{}", fixture.root().display());
    git(
        &fixture.root(),
        &["clone", "-q", "--depth", "1", &bare, "../clone"],
    );
    std::fs::rename(
        fixture.folder.path().join("clone"),
        fixture.root().join("clone"),
    )
    .unwrap();
    assert_eq!(fixture.files().len(), 31 * 2, "its files lie there twice");
    git(
        &fixture.root().join("clone"),
        &["fetch", "-q", "--unshallow"],
    );
    git(&fixture.root().join("clone"), &["checkout", "-q", "HEAD~1"]);
    fixture.files();
}
