use std::fs;

use proptest::prelude::*;

use super::*;

/// Creates a repository with a bit of everything, in a folder that also holds files that must not
/// be seen.
fn repository() -> (tempfile::TempDir, Workspace) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("repo");

    for (path, text) in [
        ("../secret.txt", "secret"),
        (".git/HEAD", "ref"),
        (".git/info/exclude", "excluded.ts\n"),
        (".codeagent/config.json", "{}"),
        (".github/workflow.yml", "on: push"),
        (".gitignore", "/out\n*.log\n"),
        ("a.cs", "class A {}\n"),
        ("excluded.ts", "x"),
        ("note.log", "x"),
        ("out/generated.cs", "x"),
        ("node_modules/p/index.js", "x"),
        ("src/.gitignore", "!keep.log\nlocal/\n"),
        ("src/keep.log", "x"),
        ("src/local/a.ts", "x"),
        ("src/b.ts", "let b"),
        ("api/api.csproj", "<Project/>"),
        ("api/Program.cs", "x"),
        ("api/bin/Debug/x.cs", "x"),
        ("api/obj/x.cs", "x"),
        ("tools/bin/run.ts", "x"),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    let workspace = Workspace::open(&root).unwrap();
    (outer, workspace)
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn names(walk: &Walk) -> Vec<&str> {
    walk.entries
        .iter()
        .map(|entry| entry.path.as_str())
        .collect()
}

#[test]
fn a_walk_lists_what_git_lists_without_build_output() {
    let (_outer, workspace) = repository();
    let walk = workspace.walk();

    let expected = [
        ".github/workflow.yml",
        ".gitignore",
        "a.cs",
        "api/Program.cs",
        "api/api.csproj",
        "src/.gitignore",
        "src/b.ts",
        "src/keep.log",
        "tools/bin/run.ts",
    ];
    assert_eq!(names(&walk), expected);

    let a = &walk.entries[2];
    assert_eq!((a.size, a.kind), (11, EntryKind::File));
    assert!(a.stamp.changed_ns > 1_500_000_000_000_000_000);
    assert_eq!(walk.skipped, Vec::<String>::new());
}

#[test]
fn a_walk_notes_named_files_that_it_leaves_out() {
    let (_outer, workspace) = repository();
    let walk = workspace.walk_noting(&["note.log", "keep.log", "a.ts", "x.cs"]);
    assert_eq!(names(&walk), names(&workspace.walk()));
    // Not below folders that are left out.
    assert_eq!(walk.left_out, [path("note.log")]);
    assert_eq!(workspace.walk().left_out, []);
}

#[test]
fn ignore_files_above_a_root_without_git_are_not_read() {
    let outer = tempfile::tempdir().unwrap();
    fs::create_dir(outer.path().join("repo")).unwrap();
    fs::write(outer.path().join(".gitignore"), "*.cs\n").unwrap();
    fs::write(outer.path().join("repo/a.cs"), "x").unwrap();
    assert_eq!(
        names(&Workspace::open(outer.path().join("repo")).unwrap().walk()),
        ["a.cs"]
    );
    fs::create_dir(outer.path().join(".git")).unwrap();
    assert_eq!(
        names(&Workspace::open(outer.path().join("repo")).unwrap().walk()),
        [""; 0]
    );
}

#[test]
fn list_and_tree_show_folders() {
    let (_outer, workspace) = repository();

    assert_eq!(
        names(&workspace.list(&RepoPath::root()).unwrap()),
        [".github", ".gitignore", "a.cs", "api", "src", "tools"]
    );
    assert_eq!(
        names(&workspace.list(&path("src")).unwrap()),
        ["src/.gitignore", "src/b.ts", "src/keep.log"]
    );
    assert_eq!(
        names(&workspace.tree(&path("tools"), 2).unwrap()),
        ["tools/bin", "tools/bin/run.ts"]
    );

    assert!(matches!(
        workspace.list(&path("a.cs")),
        Err(ReadError::NotADirectory(_))
    ));
    assert!(matches!(
        workspace.list(&path(".git")),
        Err(ReadError::NotFound(_))
    ));
    assert!(matches!(
        workspace.list(&path("nowhere")),
        Err(ReadError::NotFound(_))
    ));
}

#[test]
fn read_returns_text_hash_and_flags() {
    let (_outer, workspace) = repository();

    fs::write(
        workspace.root().join("bom.cs"),
        b"\xef\xbb\xbfclass B\xff {}",
    )
    .unwrap();

    let file = workspace.read(&path("bom.cs")).unwrap();
    assert_eq!(file.text, "class B\u{fffd} {}");
    assert_eq!(
        (file.encoding, file.lossy, file.size),
        (Encoding::Utf8Bom, true, 14)
    );
    assert_eq!(file.hash, blake3::hash(b"\xef\xbb\xbfclass B\xff {}"));

    fs::write(workspace.root().join("x.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    assert!(matches!(
        workspace.read(&path("x.png")),
        Err(ReadError::Binary {
            mime: "image/png",
            ..
        })
    ));

    assert!(matches!(
        workspace.read_up_to(&path("a.cs"), 10),
        Err(ReadError::TooLarge {
            size: 11,
            limit: 10,
            ..
        })
    ));
    assert!(workspace.read_up_to(&path("a.cs"), 11).is_ok());

    assert!(matches!(
        workspace.read(&path("src")),
        Err(ReadError::NotAFile(_))
    ));
    assert_eq!(
        workspace.read(&path("out/generated.cs")).unwrap().text,
        "x",
        "an ignored file may be named"
    );
}

#[test]
fn average_line_bytes_detects_one_line_files() {
    let (_outer, workspace) = repository();
    fs::write(workspace.root().join("m.js"), "x".repeat(40_000)).unwrap();
    assert_eq!(
        workspace.read(&path("m.js")).unwrap().average_line_bytes(),
        40_000
    );
    assert_eq!(
        workspace.read(&path("a.cs")).unwrap().average_line_bytes(),
        11
    );
}

#[test]
fn hostile_paths_are_refused_with_a_reason() {
    let (_outer, workspace) = repository();
    let long_path = "a/".repeat(3000);
    let long_name = "a".repeat(300);
    let above = format!("{}/../secret.txt", workspace.root().display());
    let beside = format!("{}-evil/a.cs", workspace.root().display());

    let table: &[(&str, &str)] = &[
        ("../secret.txt", "escapes"),
        ("src/../../secret.txt", "escapes"),
        ("..", "escapes"),
        ("/etc/passwd", "escapes"),
        (&above, "escapes"),
        (&beside, "escapes"),
        ("a\0b", "nul"),
        ("/etc\0/passwd", "nul"),
        (&long_path, "too long"),
        (&long_name, "too long"),
        (".git/HEAD", "not found"),
        ("./.git/HEAD", "not found"),
        ("src/../.GIT/HEAD", "not found"),
        (".codeagent/config.json", "not found"),
        ("a.cs/b", "not found"),
        ("src", "not a file"),
        ("a.cs", "read"),
        ("./src//b.ts", "read"),
        ("src/../a.cs", "read"),
        (
            "api/..\\a.cs",
            if cfg!(windows) {
                "separator"
            } else {
                "not found"
            },
        ),
    ];

    for (text, expected) in table {
        assert_eq!(outcome(&workspace, text), *expected, "{text:.80}");
    }

    let inside = format!("{}/src/b.ts", workspace.root().display());
    assert_eq!(outcome(&workspace, &inside), "read");
}

fn outcome(workspace: &Workspace, text: &str) -> &'static str {
    let path = match workspace.resolve(text) {
        Ok(path) => path,
        Err(PathError::Escapes(_) | PathError::Absolute(_)) => return "escapes",
        Err(PathError::Nul) => return "nul",
        Err(PathError::TooLong(_)) => return "too long",
        Err(PathError::Separator(_)) => return "separator",
        Err(PathError::NotNormal(_) | PathError::NotUtf8) => return "malformed",
    };
    match workspace.read(&path) {
        Ok(_) => "read",
        Err(ReadError::NotFound(_)) => "not found",
        Err(ReadError::Escapes(_)) => "escapes",
        Err(ReadError::NotAFile(_)) => "not a file",
        Err(_) => "other",
    }
}

#[test]
fn a_repo_path_must_be_in_normal_form() {
    for text in ["a//b", "a/", "./a", "a/./b"] {
        assert!(
            matches!(RepoPath::new(text), Err(PathError::NotNormal(_))),
            "{text}"
        );
    }
    assert!(matches!(
        RepoPath::new("a/../b"),
        Err(PathError::Escapes(_))
    ));
    assert!(matches!(RepoPath::new("/a"), Err(PathError::Absolute(_))));
    assert_eq!(path("a/b/c").parent().unwrap().as_str(), "a/b");
    assert_eq!(path("a/b").join("../c.ts").unwrap().as_str(), "a/c.ts");
    assert!(path("a").join("../../c").is_err());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_inside_the_root_only() {
        let (outer, workspace) = repository();
        let root = workspace.root();

        symlink(outer.path().join("secret.txt"), root.join("out.txt")).unwrap();
        symlink(outer.path(), root.join("up")).unwrap();
        symlink(root.join("a.cs"), root.join("inside.cs")).unwrap();
        symlink(root.join("src"), root.join("sources")).unwrap();
        symlink(root.join(".git"), root.join("dotgit")).unwrap();
        symlink("circle", root.join("circle")).unwrap();

        for (text, expected) in [
            ("out.txt", "escapes"),
            ("up/secret.txt", "escapes"),
            ("up", "escapes"),
            ("inside.cs", "read"),
            ("sources/b.ts", "read"),
            ("dotgit/HEAD", "not found"),
            ("circle", "not found"),
        ] {
            assert_eq!(outcome(&workspace, text), expected, "{text}");
        }

        let walk = workspace.walk();
        assert!(
            !names(&walk).iter().any(|name| [
                "out.txt",
                "inside.cs",
                "up/secret.txt",
                "sources/b.ts"
            ]
            .contains(name)),
            "{walk:?}"
        );

        let listing = workspace.list(&RepoPath::root()).unwrap();
        let kind = |name: &str| {
            listing
                .entries
                .iter()
                .find(|entry| entry.path.as_str() == name)
                .map(|entry| entry.kind)
        };

        assert_eq!(kind("up"), Some(EntryKind::File));
        assert_eq!(kind("sources"), Some(EntryKind::Directory));
        assert_eq!(kind("inside.cs"), Some(EntryKind::File));
        assert!(matches!(
            workspace.list(&path("up")),
            Err(ReadError::Escapes(_))
        ));
    }

    #[test]
    fn a_walk_notes_named_links_that_it_leaves_out() {
        let (_outer, workspace) = repository();
        std::os::unix::fs::symlink("a.cs", workspace.root().join("b.cs")).unwrap();
        assert_eq!(workspace.walk_noting(&["b.cs"]).left_out, [path("b.cs")]);
    }

    #[test]
    fn sockets_are_skipped_and_not_opened() {
        let (_outer, workspace) = repository();
        let _socket =
            std::os::unix::net::UnixListener::bind(workspace.root().join("s.cs")).unwrap();
        assert!(!names(&workspace.walk()).contains(&"s.cs"));
        assert_eq!(outcome(&workspace, "s.cs"), "not a file");
    }

    #[test]
    fn pipes_do_not_block() {
        let (_outer, workspace) = repository();
        let status = std::process::Command::new("mkfifo")
            .arg(workspace.root().join("p.cs"))
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "mkfifo is part of every Unix"
        );
        assert!(!names(&workspace.walk()).contains(&"p.cs"));
        assert_eq!(outcome(&workspace, "p.cs"), "not a file");
    }

    #[test]
    fn names_that_are_not_utf8_are_reported() {
        use std::os::unix::ffi::OsStrExt;
        let (_outer, workspace) = repository();
        fs::write(
            workspace
                .root()
                .join(std::path::Path::new(std::ffi::OsStr::from_bytes(
                    b"\xff.cs",
                ))),
            "x",
        )
        .unwrap();
        assert_eq!(workspace.walk().skipped.len(), 1);
    }
}

fn hostile_segment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("/".to_owned()),
        Just("up".to_owned()),
        Just("src".to_owned()),
        Just("secret.txt".to_owned()),
        Just("a.cs".to_owned()),
        Just("\\..".to_owned()),
        Just("~".to_owned()),
        Just("C:".to_owned()),
        ".{0,6}",
    ]
}

proptest! {
    #[test]
    fn random_reads_stay_inside_the_root(segments in prop::collection::vec(hostile_segment(), 0..8), absolute: bool) {
        thread_local!(static REPOSITORY: (tempfile::TempDir, Workspace) = {
            let (outer, workspace) = repository();
            #[cfg(unix)]
            std::os::unix::fs::symlink(outer.path(), workspace.root().join("up")).unwrap();
            (outer, workspace)
        });
        REPOSITORY.with(|(_, workspace)| {

            let joined = segments.join("/");
            let text = if absolute { format!("{}/{joined}", workspace.root().display()) } else { joined };
            let Ok(path) = workspace.resolve(&text) else { return };
            assert!(path.segments().all(|segment| !matches!(segment, "" | "." | "..")), "{path:?}");
            assert_eq!(RepoPath::new(path.as_str()).as_ref(), Ok(&path));

            if let Ok(real) = workspace.real_path(&path) {
                assert!(!workspace.root().join(real.as_str()).is_symlink(), "{text:?}");
            }
            if let Ok(file) = workspace.read(&path) {
                assert_ne!(file.text, "secret", "{text:?}");
            }
        });
    }
}
