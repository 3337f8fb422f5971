//! Whatever git does to the files, the index is that of a fresh start when a question has waited
//! for it.

use std::path::Path;
use std::process::Command;

use super::Place;

/// Runs git without what the user has set.
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

fn write(place: &Place, name: &str, version: usize) {
    place.write(
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
fn branches(place: &Place) {
    let root = place.root();
    git(&root, &["init", "-q"]);
    place.write(".gitignore", "out/\n");
    for number in 0..30 {
        write(place, &format!("d{}/C{number}.cs", number % 5), 0);
    }
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    git(&root, &["checkout", "-qb", "other"]);
    for number in 0..30 {
        match number % 3 {
            0 => write(place, &format!("d{}/C{number}.cs", number % 5), 1),
            1 => git(
                &root,
                &["rm", "-q", &format!("d{}/C{number}.cs", number % 5)],
            ),
            _ => write(place, &format!("new/er{number}/D{number}.cs"), 1),
        }
    }
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "two"]);
}

#[test]
fn whatever_git_does_is_known() {
    let place = Place::new();
    branches(&place);
    let root = place.root();
    let run = |arguments: &[&str]| {
        git(&root, arguments);
        place.files().len()
    };
    let other = place.files().len();
    let main = run(&["checkout", "-q", "main"]);
    assert_eq!((main, other), (31, 31));
    assert_eq!(run(&["checkout", "-q", "other"]), other);
    assert_eq!(run(&["checkout", "-q", "main"]), main);

    write(&place, "d0/C0.cs", 2);
    write(&place, "d0/Extra.cs", 2);
    assert_eq!(place.files().len(), main + 1);
    assert_eq!(run(&["stash", "-q", "--include-untracked"]), main);
    assert_eq!(run(&["stash", "pop", "-q"]), main + 1);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "three"]);
    // Both sides changed the same file.
    assert!(run(&["rebase", "-q", "--strategy-option=theirs", "other"]) > other);
    place.write("out/Made.cs", "class Made { }");
    write(&place, "loose/Loose.cs", 0);
    let before = place.files().len();
    assert_eq!(run(&["clean", "-qfdx"]), before - 1);

    // A work tree within the repository holds the same files once more, and so does a submodule
    // those of another one.
    let beside = place.folder.path().join("beside");
    git(place.folder.path(), &["clone", "-q", "root", "beside"]);
    let before = place.files().len();
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
fn a_shallow_clone_is_a_repository() {
    let place = Place::new();
    branches(&place);
    let bare = format!("file://{}", place.root().display());
    git(
        &place.root(),
        &["clone", "-q", "--depth", "1", &bare, "../clone"],
    );
    std::fs::rename(
        place.folder.path().join("clone"),
        place.root().join("clone"),
    )
    .unwrap();
    assert_eq!(place.files().len(), 31 * 2, "its files lie there twice");
    git(&place.root().join("clone"), &["fetch", "-q", "--unshallow"]);
    git(&place.root().join("clone"), &["checkout", "-q", "HEAD~1"]);
    place.files();
}
