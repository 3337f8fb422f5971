//! Text search: matches, and hostile patterns and globs.

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Workspace;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("a.txt", "one\nTwo two\nthree\nfour\n"),
        ("b/c.txt", "two\n"),
        ("b/zero", "two\0two"),
        (".hidden", "two\n"),
        (".gitignore", "x\n"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(root.path()).unwrap();
    (root, workspace)
}

fn query(pattern: &str) -> TextQuery {
    TextQuery {
        pattern: pattern.to_owned(),
        keep: 10,
        line_bytes: 100,
        ..TextQuery::default()
    }
}

fn found(workspace: &Workspace, files: &Files, query: &TextQuery) -> Vec<String> {
    let hits = Ordered::new(100);
    workspace
        .search_text(files, query, |_, _| true, &|found| hits.take(found))
        .unwrap();
    let (files, _) = hits.finish();
    let result = files.iter().flat_map(|file| {
        file.hits.iter().map(|hit| {
            format!(
                "{}:{}:{}@{} {}",
                file.path, hit.line, hit.column, hit.offset, hit.text
            )
        })
    });
    result.collect()
}

#[test]
fn searches_respect_path_filters() {
    let (_root, workspace) = workspace();
    let all = Files::default();
    assert_eq!(
        found(&workspace, &all, &query("two")),
        ["a.txt:2:5@8 Two two", "b/c.txt:1:1@0 two"]
    );
    let hidden = Files {
        hidden: true,
        ..Files::default()
    };
    assert_eq!(
        found(&workspace, &hidden, &query("^two")).len(),
        2,
        "names with a dot, no binary file"
    );
    let binary = TextQuery {
        binary: Binary::Text,
        ..query("two")
    };
    assert_eq!(found(&workspace, &all, &binary).len(), 3);
    let below = Files {
        at: RepoPath::new("b").unwrap(),
        ..Files::default()
    };
    assert_eq!(
        found(&workspace, &below, &query("two")),
        ["b/c.txt:1:1@0 two"]
    );
    let smart = |pattern: &str| {
        found(
            &workspace,
            &all,
            &TextQuery {
                case: Case::Smart,
                ..query(pattern)
            },
        )
        .len()
    };
    assert_eq!((smart("tWo"), smart("two"), smart("Two")), (0, 2, 1));
    let inverted = TextQuery {
        invert: true,
        ..query("t")
    };
    assert_eq!(
        found(&workspace, &all, &inverted),
        ["a.txt:1:1@0 one", "a.txt:4:1@18 four"]
    );
    let lines = TextQuery {
        multi_line: true,
        ..query("one\nTwo")
    };
    assert_eq!(found(&workspace, &all, &lines).len(), 1);
}

#[test]
fn a_slow_perl_pattern_stops_at_the_deadline() {
    let (root, workspace) = workspace();
    fs::write(root.path().join("many.txt"), "a".repeat(200_000)).unwrap();
    // No single position exceeds the limit, but there are many.
    let slow = TextQuery {
        perl: true,
        deadline: Some(Instant::now() + Duration::from_millis(300)),
        ..query("a{0,900}a{0,900}[bc]")
    };
    let files = Files {
        at: RepoPath::new("many.txt").unwrap(),
        ..Files::default()
    };
    let stats = workspace
        .search_text(&files, &slow, |_, _| true, &|_| {})
        .unwrap();
    assert!(stats.timed_out);
}

#[test]
fn limits_do_not_change_perl_matches() {
    let (root, workspace) = workspace();
    // The first search of the line exceeds its limit; the second finds the match after it.
    fs::write(
        root.path().join("many.txt"),
        format!("{}b\n", "a".repeat(1_500)),
    )
    .unwrap();
    let files = Files {
        at: RepoPath::new("many.txt").unwrap(),
        ..Files::default()
    };
    let costly = TextQuery {
        perl: true,
        line_bytes: 1,
        ..query("a{0,200}a{0,200}b")
    };
    assert_eq!(
        found(&workspace, &files, &costly),
        ["many.txt:1:1101@1100 a"]
    );
}

#[test]
fn a_search_stops_at_its_deadline_with_partial_results() {
    let (_root, workspace) = workspace();
    let late = TextQuery {
        deadline: Some(Instant::now()),
        ..query("two")
    };
    let stats = workspace
        .search_text(&Files::default(), &late, |_, _| true, &|_| {})
        .unwrap();
    assert!(stats.timed_out);
    let cancelled = TextQuery {
        cancel: Arc::new(AtomicBool::new(true)),
        ..query("two")
    };
    let stats = workspace
        .search_text(&Files::default(), &cancelled, |_, _| true, &|_| {})
        .unwrap();
    assert!(stats.timed_out);
    let ordered = Ordered::new(2);
    for name in ["d", "b", "c", "a"] {
        let hits = vec![Hit::default(), Hit::default()];
        ordered.take(FileHits {
            path: RepoPath::new(name).unwrap(),
            hits,
            count: 5,
        });
    }
    let (files, total) = ordered.finish();
    assert_eq!((files.len(), files[0].path.as_str(), total), (1, "a", 20));
}

#[test]
fn searches_skip_what_ripgrep_skips() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for path in [
        "a.txt",
        "b.log",
        "keep.log",
        ".shown",
        ".hidden",
        "out/c.txt",
        "src/d.txt",
        "src/d.tmp",
        "src/deep/e.tmp",
        "src/own.md",
    ] {
        write(path, "two\n");
    }
    write(".gitignore", "*.log\n!keep.log\n!.shown\nout/\n");
    write("src/.gitignore", "*.tmp\n");
    write("src/.ignore", "!*.tmp\n/own.md\n");
    let workspace = Workspace::open(root.path()).unwrap();
    let names = |files: &Files| {
        let all = found(&workspace, files, &query("two"));
        all.iter()
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let rules = |at: &str| Files {
        respects_ignore: true,
        at: RepoPath::new(at).unwrap(),
        ..Files::default()
    };
    let without_git = [
        "a.txt",
        "b.log",
        "keep.log",
        "out/c.txt",
        "src/d.tmp",
        "src/d.txt",
        "src/deep/e.tmp",
    ];
    assert_eq!(
        names(&rules("")),
        without_git,
        "git's rules count in a work tree"
    );
    write(".git/HEAD", "ref");
    write(".git/info/exclude", "a.txt\n");
    assert_eq!(
        names(&rules("")),
        [
            ".shown",
            "keep.log",
            "src/d.tmp",
            "src/d.txt",
            "src/deep/e.tmp"
        ],
        ".ignore comes before git's"
    );
    assert_eq!(
        names(&rules("src/deep")),
        ["src/deep/e.tmp"],
        "rules of the folders above count"
    );
    assert_eq!(
        names(&rules("out")),
        ["out/c.txt"],
        "what is asked for is searched"
    );
    assert_eq!(names(&rules("b.log")), ["b.log"]);
    write("out/.gitignore", "*.tmp\n");
    write("out/f.tmp", "two\n");
    write(".ignore", "!out/\n");
    assert_eq!(
        names(&rules("")),
        [
            ".shown",
            "keep.log",
            "out/c.txt",
            "src/d.tmp",
            "src/d.txt",
            "src/deep/e.tmp"
        ],
        "and brings back what holds rules"
    );
    fs::remove_file(root.path().join(".ignore")).unwrap();
    let globs = Files {
        include: vec!["*.log".to_owned(), ".hidden".to_owned()],
        ..rules("")
    };
    assert_eq!(
        names(&globs),
        [".hidden", "b.log", "keep.log"],
        "a glob comes before all rules"
    );
    let except = Files {
        exclude: vec!["*.tmp".to_owned()],
        ..rules("")
    };
    assert_eq!(names(&except), [".shown", "keep.log", "src/d.txt"]);
    let typed = Files {
        file_type: Some("txt".to_owned()),
        ..rules("")
    };
    assert_eq!(names(&typed), ["src/d.txt"]);
    let hidden = Files {
        hidden: true,
        ..rules("")
    };
    assert!(names(&hidden).contains(&".hidden".to_owned()));
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read_as_ignore_rules() {
    let (root, workspace) = workspace();
    fs::create_dir_all(root.path().join(".git/info")).unwrap();
    for name in [".ignore", "b/.ignore", "b/.gitignore", ".git/info/exclude"] {
        let path = root.path().join(name);
        let status = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "mkfifo is part of every Unix"
        );
        let (done, result) = std::sync::mpsc::channel();
        let searching = workspace.clone();
        std::thread::spawn(move || {
            done.send(found(
                &searching,
                &Files {
                    respects_ignore: true,
                    ..Files::default()
                },
                &query("two"),
            ))
        });
        let found = result
            .recv_timeout(Duration::from_secs(20))
            .unwrap_or_else(|_| panic!("{name} is waited for"));
        assert_eq!(
            found,
            ["a.txt:2:5@8 Two two", "b/c.txt:1:1@0 two"],
            "{name}"
        );
        fs::remove_file(&path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_endless_line_costs_bounded_memory() {
    if std::env::var_os("CODEAGENT_TEST_MEMORY").is_none() {
        // A limit applies to all tests of a process.
        let script = "ulimit -v 1500000; exec \"$0\" --exact search::tests::an_endless_line_costs_bounded_memory";
        let mut command = std::process::Command::new("sh");
        command
            .args(["-c", script])
            .arg(std::env::current_exe().unwrap())
            .env("CODEAGENT_TEST_MEMORY", "1");
        let output = command.output().unwrap();
        let result = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        return assert!(
            output.status.success() && result.contains("1 passed"),
            "{result}"
        );
    }
    let (root, workspace) = workspace();
    fs::File::create(root.path().join("sparse"))
        .unwrap()
        .set_len(2 << 30)
        .unwrap();
    for multi_line in [false, true] {
        let query = TextQuery {
            binary: Binary::Text,
            multi_line,
            ..query("four")
        };
        assert_eq!(
            found(
                &workspace,
                &Files {
                    threads: 2,
                    ..Files::default()
                },
                &query
            ),
            ["a.txt:4:1@18 four"]
        );
    }
}

/// Generates patterns from parts, some of which are expensive.
fn pattern() -> impl Strategy<Value = String> {
    let parts = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "+",
        "?",
        "|",
        "^",
        "$",
        ".",
        "\\",
        "\\w{1000}",
        "{1000}",
        "(?i)",
        "(?<=",
        "\\1",
        "\\p{L}",
        "[[:alpha:]]",
        "a",
        "\n",
        "\0",
        "**",
        "/",
        "!",
        "..",
        "{a,b}",
        "\u{e4}",
    ];
    let part = prop_oneof![4 => prop::sample::select(parts.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// Returns the CPU time of this thread, or zero if the system does not report it.
fn worked() -> Duration {
    let result = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(
        result
            .split_whitespace()
            .next()
            .and_then(|nanos| nanos.parse().ok())
            .unwrap_or_default(),
    )
}

thread_local!(static FIXTURE: (tempfile::TempDir, Workspace) = workspace());

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_time: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern_is_accepted_or_refused(pattern in pattern(), multi_line: bool, is_literal: bool, whole_word: bool, perl: bool) {
        FIXTURE.with(|(_, workspace)| {
            let before = worked();
            let query = TextQuery { multi_line, is_literal, whole_word, perl, ..query(&pattern) };
            let count = Mutex::new(0);
            let searched = workspace.search_text(&Files::default(), &query, |_, _| true, &|found| *count.lock().unwrap() += found.count);
            let line = line_matcher(&query).map(|matches| matches("two"));
            // PCRE2 may find a pattern too expensive only when it is used.
            assert!(searched.is_ok() == line.is_ok() || perl && line.is_ok(), "{pattern:?}");
            let worked = worked() - before;
            assert!(worked < Duration::from_secs(if perl { 6 } else { 2 }), "{pattern:?} took {worked:?}");
        });
    }

    #[test]
    fn any_glob_is_accepted_or_refused(glob in pattern(), path in "[a-c/.]{0,12}") {
        if let Ok(matches) = path_glob(&glob) {
            matches(&path);
        }
        FIXTURE.with(|(_, workspace)| {
            let files = Files { include: vec![glob.clone()], exclude: vec![glob.clone()], ..Files::default() };
            workspace.search_text(&files, &query("two"), |_, _| true, &|_| {}).ok();
        });
    }
}

#[cfg(unix)]
#[test]
fn the_way_a_file_is_read_does_not_change_its_matches() {
    let root = tempfile::tempdir().unwrap();
    let line = "x".repeat(99) + "\n";
    let wide = [b"\xff\xfe".as_slice(), b"t\0w\0o\0"].concat();
    for (name, bytes) in [
        ("large", (line.repeat(12_000) + "two\n").into_bytes()),
        (
            "late-nul",
            format!("two\n{}\0\ntwo\n", line.repeat(2_000)).into(),
        ),
        ("marked", b"\xef\xbb\xbftwo\n".to_vec()),
        ("plain", b"one\ntwo".to_vec()),
        ("wide", wide),
    ] {
        fs::write(root.path().join(name), bytes).unwrap();
    }

    let workspace = Workspace::open(root.path()).unwrap();
    let hits = found(&workspace, &Files::default(), &query("^two"));
    let places: Vec<&str> = hits
        .iter()
        .filter_map(|hit| hit.split('@').next())
        .collect();
    assert_eq!(
        places,
        [
            "large:12001:1",
            "late-nul:1:1",
            "marked:1:1",
            "plain:2:1",
            "wide:1:1"
        ]
    );
}

#[test]
fn a_missing_root_is_an_error() {
    let (root, workspace) = workspace();
    // The workspace's handle still leads to the folder.
    let aside = tempfile::tempdir().unwrap();
    fs::rename(root.path(), aside.path().join("aside")).unwrap();
    let searched = workspace.search_text(&Files::default(), &query("two"), |_, _| true, &|_| {});
    assert!(matches!(
        searched,
        Err(SearchError::Path(ReadError::RootGone))
    ));
    assert!(matches!(
        workspace.list(&RepoPath::root()),
        Err(ReadError::RootGone)
    ));
    assert!(matches!(
        workspace.tree(&RepoPath::root(), 2),
        Err(ReadError::RootGone)
    ));
}
