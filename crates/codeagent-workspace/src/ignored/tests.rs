use std::fs;

use super::*;

/// Replaces the escapes `\t`, `\r`, `\v`, `\f` and `\\`.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        out.push(match next {
            '\\' => match chars.next().unwrap() {
                't' => '\t',
                'r' => '\r',
                'v' => '\u{b}',
                'f' => '\u{c}',
                other => other,
            },
            other => other,
        });
    }
    out
}

#[test]
fn ignore_rules_match_git() {
    let mut lines = include_str!("cases.txt")
        .lines()
        .filter(|line| !line.starts_with("# "));
    let files: Vec<String> = lines.next().unwrap().split('\t').map(unescaped).collect();

    let mut wrong = Vec::new();

    for line in lines {
        let (rule, expected) = line.split_once('\t').unwrap();

        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(".gitignore"), unescaped(rule) + "\n").unwrap();
        let ignored = IgnoreRules {
            general: Vec::new(),
            ..IgnoreRules::new(root.path())
        };

        let differs = |(file, expected): &(&String, u8)| {
            ignored.ignores(&root.path().join(file), false) != (*expected == b'1')
        };
        // Windows allows no backslash in file names.
        let possible = |(file, _): &(&String, u8)| !cfg!(windows) || !file.contains('\\');

        let differ: Vec<_> = files
            .iter()
            .zip(expected.bytes())
            .filter(possible)
            .filter(differs)
            .map(|(file, _)| file)
            .collect();

        if !differ.is_empty() {
            wrong.push(format!(
                "{rule:?} read as {:?}: {differ:?}",
                translated(&unescaped(rule))
            ));
        }
    }

    assert!(
        wrong.is_empty(),
        "{} rules differ from git's reading:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn nearer_and_later_rules_win() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join(".git/info")).unwrap();
    fs::create_dir_all(root.path().join("a/b")).unwrap();
    fs::write(root.path().join(".git/info/exclude"), "*.tmp\n*.log\n").unwrap();

    fs::write(
        root.path().join(".gitignore"),
        "\u{feff}*.log\r\n!keep.log\r\nout/\n",
    )
    .unwrap();
    fs::write(root.path().join("a/.gitignore"), "keep.log\n!x.tmp\n").unwrap();

    let ignored = IgnoreRules {
        general: IgnoreRules::new(root.path())
            .general
            .into_iter()
            .take(1)
            .collect(),
        ..IgnoreRules::new(root.path())
    };

    for (path, is_folder, expected) in [
        ("x.tmp", false, true),
        ("keep.log", false, false),
        ("a/keep.log", false, true),
        ("a/b/keep.log", false, true),
        ("a/b/x.tmp", false, false),
        ("out", true, true),
        ("out", false, false),
        ("a/out/keep.cs", false, true),
    ] {
        assert_eq!(
            ignored.ignores(&root.path().join(path), is_folder),
            expected,
            "{path}"
        );
    }
}

#[test]
fn too_many_ignore_rules_are_reported_and_not_applied() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(".gitignore"), "a*b*c\n".repeat(50_000)).unwrap();
    let ignored = IgnoreRules::new(root.path());
    assert!(!ignored.ignores(&root.path().join("abc"), false));
    assert_eq!(
        ignored.skipped(),
        [".gitignore: not applied, because it has 300000 bytes of ignore rules, more than 262144"]
    );
}

#[test]
fn the_total_of_ignore_rules_is_bounded() {
    let root = tempfile::tempdir().unwrap();

    fs::write(root.path().join(".gitignore"), "/f0/x.cs\n").unwrap();
    for number in 0..50 {
        let folder = root.path().join(format!("f{number}"));
        fs::create_dir(&folder).unwrap();
        fs::write(
            folder.join(".gitignore"),
            "*.ts\n".to_owned() + &"a*b*c?d/**/e\n".repeat(16_000),
        )
        .unwrap();
        for name in ["x.cs", "y.ts"] {
            fs::write(folder.join(name), "x").unwrap();
        }
    }

    let walk = crate::Workspace::open(root.path()).unwrap().walk();
    assert_eq!(
        walk.skipped,
        ["more than 2097152 bytes of ignore rules; only those at the top are applied"]
    );

    let listed = |name: &str| {
        walk.entries
            .iter()
            .filter(|entry| entry.path.file_name() == name)
            .count()
    };

    assert_eq!(
        (listed("x.cs"), listed("y.ts")),
        (49, 50),
        "which rules hold does not depend on who came first"
    );
}

#[cfg(unix)]
#[test]
fn ignore_rules_are_read_from_regular_files_only() {
    let root = tempfile::tempdir().unwrap();
    let rules = root.path().join(".gitignore");
    fs::write(root.path().join("elsewhere"), "a.cs\n").unwrap();
    std::os::unix::fs::symlink("elsewhere", &rules).unwrap();

    assert!(!IgnoreRules::new(root.path()).ignores(&root.path().join("a.cs"), false));
    fs::remove_file(&rules).unwrap();

    assert!(
        std::process::Command::new("mkfifo")
            .arg(&rules)
            .status()
            .unwrap()
            .success()
    );

    assert!(
        !IgnoreRules::new(root.path()).ignores(&root.path().join("a.cs"), false),
        "a pipe is not waited for"
    );

    assert_eq!(read(&rules, 10), None);
    assert_eq!(read(&root.path().join("elsewhere"), 4), Some(Err(5)));
}

#[test]
fn tracked_files_are_not_ignored() {
    let root = tempfile::tempdir().unwrap();
    let work = crate::Workspace::open(root.path()).unwrap();

    fs::create_dir_all(root.path().join(".git")).unwrap();
    for path in [
        "app/App.csproj",
        "app/bin/Tool.cs",
        "app/bin/Made.cs",
        "gen/a.gen.cs",
        "gen/b.gen.cs",
        "lost/x.cs",
        "node_modules/m/i.js",
    ] {
        fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
        fs::write(root.path().join(path), "x").unwrap();
    }

    fs::write(
        root.path().join(".gitignore"),
        "*.gen.cs\n/app/bin/\nlost\nIcon\r\r\n",
    )
    .unwrap();

    let names = |work: &crate::Workspace| {
        work.walk()
            .entries
            .iter()
            .map(|entry| entry.path.to_string())
            .collect::<Vec<_>>()
    };

    assert_eq!(names(&work), [".gitignore", "app/App.csproj"]);

    let tracked = ["app/bin/Tool.cs", "gen/a.gen.cs", "node_modules/m/i.js"];
    fs::write(
        root.path().join(".git/index"),
        crate::git_index::tests::index(2, 20, &tracked),
    )
    .unwrap();

    assert_eq!(
        names(&work),
        [
            ".gitignore",
            "app/App.csproj",
            "app/bin/Tool.cs",
            "gen/a.gen.cs"
        ]
    );
}

#[test]
fn a_root_inside_an_ignored_folder_is_walked() {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join(".git")).unwrap();
    fs::create_dir_all(top.path().join("target/tmp/shop/out")).unwrap();
    fs::write(top.path().join(".gitignore"), "/target\nout\n").unwrap();

    for file in ["a.cs", "out/b.cs"] {
        fs::write(top.path().join("target/tmp/shop").join(file), "x").unwrap();
    }

    let work = crate::Workspace::open(top.path().join("target/tmp/shop")).unwrap();
    assert_eq!(
        work.walk()
            .entries
            .iter()
            .map(|entry| entry.path.to_string())
            .collect::<Vec<_>>(),
        ["a.cs"]
    );
}
