//! The `patch` profile: what its contract says of each tool, and what hostile callers and repositories try.

use codeagent_mcp::profiles::Options;
use serde_json::{Value, json};

use crate::support::Session;

const FILE: &str = "one\ntwo\nthree\n";

async fn session() -> Session {
    Session::of("patch", &[("f.txt", FILE), ("src/g.txt", "g")]).await
}

/// The first word of an answer: the code of an error.
async fn word(session: &Session, tool: &str, arguments: Value) -> String {
    let result = session.call(tool, arguments).await.unwrap();
    let text = crate::support::text_of(&result);
    if result.is_error != Some(true) {
        return "done".to_owned();
    }
    let (code, message) = text.split_once(": ").unwrap();
    assert_eq!(result.structured_content.unwrap(), json!({ "error": { "code": code, "message": message } }));
    code.to_owned()
}

#[tokio::test]
async fn patch_apply_changes_a_file_or_leaves_it() {
    let session = session().await;
    let path = session.at("f.txt");
    let apply = |patch: &str| json!({ "path": path, "patch": patch });
    let fenced = "```diff\n--- a/other\n+++ b/../../outside/secret\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n```";
    assert_eq!(session.told("patch_apply", apply(fenced)).await, "Applied 1 hunks to f.txt");
    assert_eq!(session.text("f.txt").unwrap(), "one\n2\nthree\n", "the path in the header is not looked at");
    let two = "@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-drei\n+3\n";
    assert_eq!(word(&session, "patch_apply", apply(two)).await, "PatchFailed");
    assert_eq!(session.text("f.txt").unwrap(), "one\n2\nthree\n", "all hunks or none");
    for patch in ["", "nonsense", "@@ -1,9 +1 @@\n-one\n", "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"] {
        assert_eq!(word(&session, "patch_apply", apply(patch)).await, "PatchFailed", "{patch}");
    }
    assert_eq!(word(&session, "patch_apply", json!({ "path": session.at("nowhere"), "patch": "@@ -1 +1 @@\n-a\n+b\n" })).await, "NotFound");
    assert_eq!(word(&session, "patch_apply", json!({ "path": "/etc/hostname", "patch": fenced })).await, "OutsideRoot");
    assert_eq!(word(&session, "patch_apply", json!({ "path": path })).await, "InvalidArguments");
    let create = "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    assert_eq!(word(&session, "patch_apply", json!({ "path": session.at("new/file"), "patch": create })).await, "done");
    assert_eq!(word(&session, "patch_apply", apply(create)).await, "done", "an existing file is overwritten");
    assert_eq!((session.text("new/file").unwrap(), session.text("f.txt").unwrap()), ("a\nb\n".to_owned(), "a\nb\n".to_owned()));
    session.outside_is_untouched();
}

#[tokio::test]
async fn append_adds_to_what_is_there() {
    let session = session().await;
    let append = |path: &str| json!({ "path": session.at(path), "content": "four" });
    assert_eq!(session.told("append", append("f.txt")).await, "Appended 4 bytes to f.txt");
    assert_eq!(session.text("f.txt").unwrap(), "one\ntwo\nthree\nfour");
    assert_eq!(word(&session, "append", append("nowhere")).await, "NotFound");
    assert_eq!(session.text("nowhere"), None, "no file is made");
    assert_eq!(word(&session, "append", append("../outside/secret")).await, "OutsideRoot");
    session.outside_is_untouched();
}

#[tokio::test]
async fn write_file_makes_and_overwrites() {
    let session = session().await;
    let write = |path: &str| json!({ "path": session.at(path), "content": "x" });
    assert_eq!(session.told("write_file", write("a/b/c.txt")).await, "Wrote 1 bytes to a/b/c.txt");
    assert_eq!(word(&session, "write_file", write("f.txt")).await, "done");
    assert_eq!((session.text("a/b/c.txt").unwrap(), session.text("f.txt").unwrap()), ("x".to_owned(), "x".to_owned()));
    assert_eq!(word(&session, "write_file", write("../x")).await, "OutsideRoot");
    std::fs::set_permissions(session.root().join("f.txt"), std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    assert_eq!(word(&session, "write_file", write("f.txt")).await, "PermissionDenied");
    assert_eq!(word(&session, "write_file", json!({ "path": "relative/to/root", "content": "x" })).await, "done");
    assert_eq!(session.text("relative/to/root").unwrap(), "x");
    session.outside_is_untouched();
}

#[tokio::test]
async fn create_directory_makes_those_on_the_way() {
    let session = session().await;
    assert_eq!(session.told("create_directory", json!({ "path": session.at("x/y/z") })).await, "Created x/y/z");
    assert!(session.root().join("x/y/z").is_dir());
    assert_eq!(session.told("create_directory", json!({ "path": session.at("x/y/z") })).await, "x/y/z was there");
    assert_eq!(word(&session, "create_directory", json!({ "path": session.at("../x") })).await, "OutsideRoot");
    session.outside_is_untouched();
}

#[tokio::test]
async fn move_file_checks_both_ends() {
    let session = session().await;
    let go = |source: &str, destination: &str| json!({ "source": session.at(source), "destination": session.at(destination) });
    assert_eq!(word(&session, "move_file", go("f.txt", "../outside/f.txt")).await, "OutsideRoot");
    assert_eq!(session.text("f.txt").unwrap(), FILE, "the source stays where it is");
    assert_eq!(word(&session, "move_file", go("../outside/secret", "s")).await, "OutsideRoot");
    assert_eq!(word(&session, "move_file", go("nowhere", "s")).await, "NotFound");
    assert_eq!(session.told("move_file", go("f.txt", "new/f.txt")).await, "Moved f.txt to new/f.txt");
    assert_eq!(word(&session, "move_file", go("new/f.txt", "src/g.txt")).await, "done");
    assert_eq!(session.text("src/g.txt").unwrap(), FILE);
    session.outside_is_untouched();
}

#[tokio::test]
async fn hostile_paths_are_outside() {
    let session = session().await;
    session.plant();
    let beside = session.root().display().to_string() + "-evil/secret";
    let (deep, circle) = (session.at("src/../../outside/secret"), session.at("circle"));
    for path in [
        "../outside/secret",
        "/etc/passwd",
        "//etc/passwd",
        &beside,
        &deep,
        "to-secret",
        "to-outside/secret",
        "to-nowhere",
        "to-proc",
        "to-zero",
        "a\0b",
    ] {
        for (tool, arguments) in [
            ("write_file", json!({ "path": path, "content": "x" })),
            ("append", json!({ "path": path, "content": "x" })),
            ("patch_apply", json!({ "path": path, "patch": "@@ -1 +1 @@\n-SECRET\n+x\n" })),
            ("create_directory", json!({ "path": path })),
            ("move_file", json!({ "source": "f.txt", "destination": path })),
        ] {
            assert_eq!(word(&session, tool, arguments).await, "OutsideRoot", "{tool} {path}");
        }
    }
    assert_eq!(word(&session, "write_file", json!({ "path": circle, "content": "x" })).await, "NotFound");
    assert_eq!(word(&session, "append", json!({ "path": "pipe", "content": "x" })).await, "NotFound");
    assert_eq!(word(&session, "write_file", json!({ "path": session.at(".git/config"), "content": "x" })).await, "OutsideRoot");
    assert_eq!(word(&session, "move_file", json!({ "source": session.at(""), "destination": "x" })).await, "OutsideRoot", "the root");
    session.outside_is_untouched();
}

#[tokio::test]
async fn a_read_only_server_says_so() {
    let session = Session::with("patch", Options { read_only: true, ..Options::default() }, &[("f.txt", FILE)]).await;
    let names: Vec<_> = session.client.list_all_tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect();
    assert!(["patch_apply", "append", "write_file", "create_directory", "move_file"].iter().all(|name| names.iter().any(|n| n == name)));
    for (tool, arguments) in [
        ("patch_apply", json!({ "path": "f.txt", "patch": "@@ -1 +1 @@\n-one\n+1\n" })),
        ("append", json!({ "path": "f.txt", "content": "x" })),
        ("write_file", json!({ "path": "f.txt", "content": "x" })),
        ("create_directory", json!({ "path": "d" })),
        ("move_file", json!({ "source": "f.txt", "destination": "g.txt" })),
    ] {
        assert_eq!(word(&session, tool, arguments).await, "ReadOnly", "{tool}");
    }
    assert_eq!(session.text("f.txt").unwrap(), FILE);
}
