//! Repositories with very many files, deep folders or floods of ignore rules: answers stay bounded
//! and say what they leave out.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codeagent_files::Options;
use serde_json::{Value, json};

use crate::profiles::support::{Session, text_of, write_file};

/// Number of entries of the large folder, and of links in the other one.
const MANY: usize = 100_000;
/// Number of nested folders.
const DEEP: usize = 3_000;
/// Time after which a call counts as hanging; alone on a machine it takes a second or two.
const BOUND: Duration = Duration::from_secs(120);

/// Starts a session whose files are in memory, if possible: these tests are not about the disk.
async fn session(profile: &str) -> Session {
    let memory = Path::new("/dev/shm");
    let outer = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap();
    Session::below(
        outer,
        profile,
        Options::default(),
        &[("a.ts", "export class Order {}\n")],
    )
    .await
}

/// Creates nested folders, each named `name`; the paths of the lower ones exceed the system's
/// limit.
fn dig(root: &Path, name: &str, depth: usize) {
    let mut here = File::open(root).unwrap();
    for _ in 0..depth {
        let below = format!("/proc/self/fd/{}/{name}", here.as_raw_fd());
        std::fs::create_dir(&below).unwrap();
        here = File::open(&below).unwrap();
    }
}

/// A folder that is too deep to be removed in the usual way.
struct Deep(PathBuf);

impl Drop for Deep {
    fn drop(&mut self) {
        std::process::Command::new("rm")
            .arg("-rf")
            .arg(&self.0)
            .status()
            .ok();
    }
}

/// Returns calls of every tool that lists, walks or searches.
fn questions(path: &str) -> Vec<(&'static str, &'static str, Value)> {
    let local = |query: Value| json!({ "queries": [query] });
    vec![
        ("index", "list_directory", json!({ "path": path })),
        (
            "index",
            "get_directory_tree",
            json!({ "path": path, "depth": 10 }),
        ),
        (
            "assistant",
            "list_files",
            json!({ "directory": path, "max_depth": 10, "include_hidden": true }),
        ),
        ("assistant", "get_repo_overview", json!({ "max_depth": 5 })),
        ("assistant", "search_files", json!({ "pattern": "Order" })),
        (
            "workspace",
            "list_dir",
            json!({ "dir": path, "recursive": true, "maxEntries": 2_000 }),
        ),
        (
            "local",
            "local_ripgrep",
            local(json!({ "path": path, "pattern": "Order", "hidden": true })),
        ),
        (
            "local",
            "local_find_files",
            local(json!({ "path": path, "maxDepth": 10 })),
        ),
        (
            "local",
            "local_view_structure",
            local(json!({ "path": path, "depth": 5 })),
        ),
    ]
}

/// Calls all of them.
async fn all_answer(session: &Session, path: &str) {
    for (profile, tool, arguments) in questions(path) {
        let begun = Instant::now();
        let answer = session.beside(profile).await.word(tool, arguments).await;
        assert_eq!(answer, "ok", "{tool} {path}");
        assert!(
            begun.elapsed() < BOUND,
            "{tool} {path} takes {:?}",
            begun.elapsed()
        );
    }
}

#[tokio::test]
async fn a_folder_of_a_hundred_thousand_entries_is_truncated_and_counted() {
    let session = session("index").await;
    let many = session.root().join("many");
    std::fs::create_dir(&many).unwrap();
    for index in 0..MANY {
        File::create(many.join(format!("{index}"))).unwrap();
    }
    session.state.start();
    session.state.wait();
    all_answer(&session, "many").await;
    let tree = session
        .structured("get_directory_tree", json!({ "path": "many" }))
        .await;
    let shown = tree["children"].as_array().unwrap().len();
    assert!(
        tree["truncated"] == true && (1..=1_000).contains(&shown) && tree["more"] == MANY - shown,
        "{} more",
        tree["more"]
    );
    let page = session
        .structured("list_directory", json!({ "path": "many" }))
        .await;
    assert!(page["next_cursor"].is_string(), "the rest comes in pages");
    let listed = session
        .beside("assistant")
        .await
        .call("list_files", json!({ "directory": "many" }))
        .await
        .unwrap();
    let listed = listed.structured_content.unwrap();
    assert_eq!(
        (
            listed["files"].as_array().unwrap().len(),
            &listed["total_count"],
            &listed["truncated"]
        ),
        (500, &json!(MANY), &json!(true))
    );
    let listed = session
        .beside("workspace")
        .await
        .call("list_dir", json!({ "dir": "many" }))
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(
        (
            listed["data"]["entries"].as_array().unwrap().len(),
            &listed["data"]["truncated"]
        ),
        (500, &json!(true))
    );
    let view = json!({ "queries": [{ "path": "many" }] });
    assert!(
        text_of(
            &session
                .beside("local")
                .await
                .call("local_view_structure", view)
                .await
                .unwrap()
        )
        .contains("hasMore: true")
    );
    session.state.close();
}

#[tokio::test]
async fn a_hundred_thousand_links_are_listed_and_not_followed() {
    let session = session("index").await;
    let links = session.root().join("links");
    std::fs::create_dir(&links).unwrap();
    let targets = ["..", ".", "../a.ts", "nowhere.ts", "/etc", "../../outside"];
    for index in 0..MANY {
        symlink(
            targets[index % targets.len()],
            links.join(format!("{index}.ts")),
        )
        .unwrap();
    }
    session.state.start();
    session.state.wait();
    all_answer(&session, "links").await;
    assert_eq!(
        session.structured("get_status", json!({})).await["indexed_files"],
        1,
        "no link is indexed"
    );
    let found = session
        .structured("search_symbols", json!({ "query": "Order" }))
        .await;
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    session.outside_is_untouched();
    session.state.close();
}

#[tokio::test]
async fn three_thousand_nested_folders_are_listed_and_searched() {
    let session = session("index").await;
    let _deep = Deep(session.root());
    dig(&session.root(), "d", DEEP);
    write_file(&session.root(), "e/e/e/b.ts", "export class Basket {}\n");
    session.state.start();
    session.state.wait();
    for path in [".", "d/d/d"] {
        all_answer(&session, path).await;
    }
    for query in ["Order", "Basket"] {
        let found = session
            .structured("search_symbols", json!({ "query": query }))
            .await;
        assert_eq!(
            found["results"].as_array().unwrap().len(),
            1,
            "{query}: {found}"
        );
    }
    let workspace = session.beside("workspace").await;
    assert_eq!(
        workspace
            .word("read_file", json!({ "file": "d/".repeat(2_000) + "x" }))
            .await,
        "NOT_FOUND"
    );
    assert_eq!(
        workspace
            .word(
                "write_file",
                json!({ "file": "d/".repeat(1_900) + "x", "content": "x" })
            )
            .await,
        "ok"
    );
    assert_eq!(
        workspace
            .word("move_file", json!({ "from": "d/d", "to": "m" }))
            .await,
        "ok"
    );
    assert_eq!(
        workspace.word("delete_file", json!({ "path": "m" })).await,
        "DIRECTORY_NOT_EMPTY"
    );
    assert_eq!(
        workspace
            .word("delete_file", json!({ "path": "m", "recursive": true }))
            .await,
        "ok"
    );
    assert!(!session.root().join("m").exists() && session.root().join("d").exists());
    session.state.close();
}

/// Rules that are many, rules that are expensive to match, and rules in each of many folders.
#[tokio::test]
async fn floods_of_ignore_rules_are_bounded() {
    let ten_megabytes = "a*b*c?d/**/e\n".repeat(800_000);
    let stars = "**/**/**/*x\n".repeat(1_000);
    for (name, rules) in [
        (".gitignore", &ten_megabytes),
        (".ignore", &ten_megabytes),
        (".gitignore", &stars),
        (".ignore", &stars),
    ] {
        let session = session("index").await;
        std::fs::create_dir(session.root().join(".git")).unwrap();
        write_file(&session.root(), name, rules);
        write_file(&session.root(), "src/b.ts", "export class Basket {}\n");
        session.state.start();
        session.state.wait();
        all_answer(&session, ".").await;
        let found = session
            .structured("search_symbols", json!({ "query": "Basket" }))
            .await;
        assert_eq!(
            found["results"].as_array().unwrap().len(),
            1,
            "{name}: {found}"
        );
        session.state.close();
    }
    let session = session("local").await;
    std::fs::create_dir(session.root().join(".git")).unwrap();
    for index in 0..60 {
        write_file(
            &session.root(),
            &format!("f{index}/.gitignore"),
            &("*.log\n".to_owned() + &"a*b*c?d/**/e\n".repeat(16_000)),
        );
        write_file(&session.root(), &format!("f{index}/x.ts"), "Order\n");
    }
    let begun = Instant::now();
    let answer = session
        .call_text(
            "local_ripgrep",
            json!({ "queries": [{ "path": ".", "pattern": "Order" }] }),
        )
        .await;
    // A busy machine may exhaust the search's time first.
    assert!(
        answer.contains("totalFiles: 61") || answer.contains("the search timed out after 30 s"),
        "{answer:.500}"
    );
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
}

/// Links to folders that contain them, and a folder that is mounted again inside itself.
#[tokio::test]
async fn cyclic_links_between_folders_are_walked_once() {
    let session = session("index").await;
    let root = session.root();
    for folder in ["x/y", "p/q"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (target, link) in [
        ("..", "x/up"),
        (".", "x/here"),
        ("../../x", "x/y/x"),
        ("../p", "x/p"),
        ("../x", "p/x"),
        ("../../x/p", "p/q/p"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    write_file(&root, "x/y/c.ts", "export class Circle {}\n");
    session.state.start();
    session.state.wait();
    for path in [".", "x", "x/up/x/here/up", "x/p/x/p/x"] {
        all_answer(&session, path).await;
    }
    let found = session
        .structured("search_symbols", json!({ "query": "Circle" }))
        .await;
    assert_eq!(
        (
            found["results"].as_array().unwrap().len(),
            &found["results"][0]["file_path"]
        ),
        (1, &json!("x/y/c.ts")),
        "{found}"
    );
    session.state.close();
}
