//! What does a search find, and what patterns and globs does it survive?

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in
        [("a.txt", "one\nTwo two\nthree\nfour\n"), ("b/c.txt", "two\n"), ("b/nul", "two\0two"), (".hidden", "two\n"), (".gitignore", "x\n")]
    {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(root.path()).unwrap();
    (root, workspace)
}

fn query(pattern: &str) -> TextQuery {
    TextQuery { pattern: pattern.to_owned(), keep: 10, line_bytes: 100, ..TextQuery::default() }
}

fn found(workspace: &Workspace, files: &Files, query: &TextQuery) -> Vec<String> {
    let hits = Ordered::new(100);
    workspace.search_text(files, query, |_, _| true, &|found| hits.take(found)).unwrap();
    let (files, _) = hits.finish();
    let told = files
        .iter()
        .flat_map(|file| file.hits.iter().map(|hit| format!("{}:{}:{}@{} {}", file.path, hit.line, hit.column, hit.offset, hit.text)));
    told.collect()
}

#[test]
fn lines_are_found_in_files_that_are_asked_for() {
    let (_root, workspace) = workspace();
    let all = Files::default();
    assert_eq!(found(&workspace, &all, &query("two")), ["a.txt:2:5@8 Two two", "b/c.txt:1:1@0 two"]);
    let hidden = Files { hidden: true, ..Files::default() };
    assert_eq!(found(&workspace, &hidden, &query("^two")).len(), 2, "names with a dot, no binary file");
    let binary = TextQuery { binary: Binary::Text, ..query("two") };
    assert_eq!(found(&workspace, &all, &binary).len(), 3);
    let below = Files { at: RepoPath::new("b").unwrap(), ..Files::default() };
    assert_eq!(found(&workspace, &below, &query("two")), ["b/c.txt:1:1@0 two"]);
    let smart = |pattern: &str| found(&workspace, &all, &TextQuery { case: Case::Smart, ..query(pattern) }).len();
    assert_eq!((smart("tWo"), smart("two"), smart("Two")), (0, 2, 1));
    let inverted = TextQuery { invert: true, ..query("t") };
    assert_eq!(found(&workspace, &all, &inverted), ["a.txt:1:1@0 one", "a.txt:4:1@18 four"]);
    let lines = TextQuery { multi_line: true, ..query("one\nTwo") };
    assert_eq!(found(&workspace, &all, &lines).len(), 1);
}

#[test]
fn a_search_ends_at_its_deadline_and_keeps_what_is_wanted() {
    let (_root, workspace) = workspace();
    let late = TextQuery { deadline: Some(Instant::now()), ..query("two") };
    let stats = workspace.search_text(&Files::default(), &late, |_, _| true, &|_| {}).unwrap();
    assert!(stats.timed_out);
    let cancelled = TextQuery { cancel: Arc::new(AtomicBool::new(true)), ..query("two") };
    let stats = workspace.search_text(&Files::default(), &cancelled, |_, _| true, &|_| {}).unwrap();
    assert!(stats.timed_out);
    let ordered = Ordered::new(2);
    for name in ["d", "b", "c", "a"] {
        let hits = vec![Hit::default(), Hit::default()];
        ordered.take(FileHits { path: RepoPath::new(name).unwrap(), hits, count: 5 });
    }
    let (files, total) = ordered.finish();
    assert_eq!((files.len(), files[0].path.as_str(), total), (1, "a", 20));
}

/// Pieces of patterns, among them those that cost or mean much.
fn pattern() -> impl Strategy<Value = String> {
    let pieces = [
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
    let piece = prop_oneof![4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// How long this thread was on a processor, which the load of the machine does not change; nothing where the system does not say.
fn worked() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
}

thread_local!(static PLACE: (tempfile::TempDir, Workspace) = workspace());

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_time: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn no_pattern_is_too_odd(pattern in pattern(), multi_line: bool, is_literal: bool, whole_word: bool) {
        PLACE.with(|(_, workspace)| {
            let before = worked();
            let query = TextQuery { multi_line, is_literal, whole_word, ..query(&pattern) };
            let count = Mutex::new(0);
            let searched = workspace.search_text(&Files::default(), &query, |_, _| true, &|found| *count.lock().unwrap() += found.count);
            let line = line_matcher(&query).map(|matches| matches("two"));
            assert_eq!(searched.is_ok(), line.is_ok(), "{pattern:?}");
            let worked = worked() - before;
            assert!(worked < Duration::from_secs(2), "{pattern:?} took {worked:?}");
        });
    }

    #[test]
    fn no_glob_is_too_odd(glob in pattern(), path in "[a-c/.]{0,12}") {
        if let Ok(matches) = path_glob(&glob) {
            matches(&path);
        }
        PLACE.with(|(_, workspace)| {
            let files = Files { include: vec![glob.clone()], exclude: vec![glob.clone()], ..Files::default() };
            workspace.search_text(&files, &query("two"), |_, _| true, &|_| {}).ok();
        });
    }
}
