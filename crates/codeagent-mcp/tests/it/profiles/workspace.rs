//! The `workspace` profile: every manual test of its contract, its limits, and hostile callers and
//! repositories.

use codeagent_core::query;
use codeagent_files::Options;
use serde_json::{Value, json};

use crate::profiles::support::Session;

async fn session() -> Session {
    Session::of(
        "workspace",
        &[
            ("notes.txt", "hello"),
            ("a.txt", "old x"),
            ("b.txt", "b"),
            ("tmp/a.txt", "t"),
            ("big.txt", &"x".repeat(100)),
        ],
    )
    .await
}

/// Returns `ok`, or the code of the error.
fn word(answer: &Value) -> String {
    match answer["ok"].as_bool() {
        Some(true) => "ok".to_owned(),
        _ => answer["error"]["code"].as_str().unwrap().to_owned(),
    }
}

async fn words(session: &Session, cases: &[(&str, Value, &str)]) {
    for (tool, arguments, expected) in cases {
        let answer = session.json(tool, arguments.clone()).await;
        assert_eq!(
            word(&answer),
            *expected,
            "{tool} {arguments:.200}: {answer:.300}"
        );
        assert!(
            answer["ok"] == true
                || answer["error"]["details"].is_object() && answer["error"]["message"].is_string()
        );
    }
    session.outside_is_untouched();
}

#[tokio::test]
async fn list_dir_manual_tests() {
    let session = session().await;
    let all = session
        .json("list_dir", json!({ "dir": ".", "recursive": false }))
        .await;
    let entry =
        |path: &str, kind: &str, size: u64| json!({ "path": path, "type": kind, "size": size });
    let expected = [
        entry("a.txt", "file", 5),
        entry("b.txt", "file", 1),
        entry("big.txt", "file", 100),
        entry("notes.txt", "file", 5),
        entry("tmp", "dir", 0),
    ];
    assert_eq!(
        all,
        json!({ "ok": true, "data": { "dir": ".", "entries": expected, "truncated": false } })
    );
    assert_eq!(
        session.json("list_dir", json!({})).await,
        all,
        "the defaults"
    );
    assert_eq!(
        session
            .json("list_dir", json!({ "dir": "workspace/workspace" }))
            .await,
        all
    );
    words(
        &session,
        &[
            ("list_dir", json!({ "dir": "../" }), "INVALID_PATH"),
            ("list_dir", json!({ "dir": "nowhere" }), "NOT_FOUND"),
            ("list_dir", json!({ "dir": "a.txt" }), "NOT_DIRECTORY"),
            ("list_dir", json!({ "maxEntries": 0 }), "VALIDATION_ERROR"),
            ("list_dir", json!({ "maxEntries": 2000 }), "ok"),
            (
                "list_dir",
                json!({ "maxEntries": 2001 }),
                "VALIDATION_ERROR",
            ),
            (
                "list_dir",
                json!({ "recursive": "yes" }),
                "VALIDATION_ERROR",
            ),
            ("list_dir", json!({ "folder": "." }), "VALIDATION_ERROR"),
        ],
    )
    .await;
    let deep = session.json("list_dir", json!({ "recursive": true })).await;
    assert_eq!(
        deep["data"]["entries"].as_array().unwrap().last().unwrap(),
        &entry("tmp/a.txt", "file", 1)
    );
    let cut = session
        .json("list_dir", json!({ "recursive": true, "maxEntries": 2 }))
        .await;
    assert_eq!(
        (
            cut["data"]["entries"].as_array().unwrap().len(),
            &cut["data"]["truncated"]
        ),
        (2, &json!(true))
    );
    let exact = session.json("list_dir", json!({ "maxEntries": 5 })).await;
    assert_eq!(exact["data"]["truncated"], false);
}

#[tokio::test]
async fn read_file_returns_text_up_to_its_limit() {
    let session = session().await;
    let answer = session
        .json("read_file", json!({ "file": "notes.txt" }))
        .await;
    assert_eq!(
        answer,
        json!({ "ok": true, "data": { "file": "notes.txt", "content": "hello", "bytes": 5 } })
    );
    std::fs::write(session.root().join("latin"), b"\xe9").unwrap();
    std::fs::write(session.root().join("exact"), "\u{feff}a\r\nb").unwrap();
    std::fs::write(session.root().join("at"), "x".repeat(262_144)).unwrap();
    std::fs::write(session.root().join("over"), "x".repeat(262_145)).unwrap();
    words(
        &session,
        &[
            (
                "read_file",
                json!({ "file": "/etc/passwd" }),
                "INVALID_PATH",
            ),
            (
                "read_file",
                json!({ "file": "big.txt", "maxBytes": 16 }),
                "FILE_TOO_LARGE",
            ),
            (
                "read_file",
                json!({ "file": "big.txt", "maxBytes": 100 }),
                "ok",
            ),
            ("read_file", json!({ "file": "at" }), "ok"),
            ("read_file", json!({ "file": "over" }), "FILE_TOO_LARGE"),
            (
                "read_file",
                json!({ "file": "over", "maxBytes": 1_048_576 }),
                "ok",
            ),
            (
                "read_file",
                json!({ "file": "over", "maxBytes": 1_048_577 }),
                "VALIDATION_ERROR",
            ),
            (
                "read_file",
                json!({ "file": "over", "maxBytes": 0 }),
                "VALIDATION_ERROR",
            ),
            ("read_file", json!({ "file": "nowhere" }), "NOT_FOUND"),
            ("read_file", json!({ "file": "tmp" }), "NOT_FILE"),
            ("read_file", json!({ "file": "." }), "NOT_FILE"),
            ("read_file", json!({ "file": "latin" }), "VALIDATION_ERROR"),
            ("read_file", json!({}), "VALIDATION_ERROR"),
        ],
    )
    .await;
    assert_eq!(
        session.json("read_file", json!({ "file": "exact" })).await["data"]["content"],
        "\u{feff}a\r\nb",
        "byte for byte"
    );
}

#[tokio::test]
async fn edit_file_manual_tests() {
    let session = session().await;
    let edit =
        |find: &str, replace: &str| json!({ "file": "a.txt", "find": find, "replace": replace });
    let answer = session.json("edit_file", edit("old", "new")).await;
    assert_eq!(
        answer,
        json!({ "ok": true, "data": { "file": "a.txt", "replacements": 1 } })
    );
    assert_eq!(session.text("a.txt").unwrap(), "new x");
    std::fs::write(session.root().join("aaa"), "aaa").unwrap();
    std::fs::write(session.root().join("long"), "x".repeat(1_048_577)).unwrap();
    std::fs::write(session.root().join("half"), "x".repeat(600_000)).unwrap();
    words(
        &session,
        &[
            ("edit_file", edit("missing", "x"), "PATTERN_NOT_FOUND"),
            ("edit_file", json!({ "file": "a.txt", "find": "x", "replace": "y", "expectedOccurrences": 2 }), "EDIT_CONFLICT"),
            ("edit_file", json!({ "file": "a.txt", "find": "x", "replace": "y", "expectedOccurrences": 0 }), "VALIDATION_ERROR"),
            ("edit_file", json!({ "file": "a.txt", "find": "x", "replace": "y", "expectedOccurrences": 1_000_001 }), "VALIDATION_ERROR"),
            ("edit_file", edit("", "x"), "VALIDATION_ERROR"),
            ("edit_file", json!({ "file": "../a", "find": "a", "replace": "b" }), "INVALID_PATH"),
            ("edit_file", json!({ "file": "nowhere", "find": "a", "replace": "b" }), "NOT_FOUND"),
            ("edit_file", json!({ "file": "long", "find": "x", "replace": "y" }), "FILE_TOO_LARGE"),
            ("edit_file", json!({ "file": "half", "find": "x", "replace": "yy", "replaceAll": true }), "FILE_TOO_LARGE"),
        ],
    )
    .await;
    assert_eq!(
        session.text("a.txt").unwrap(),
        "new x",
        "a refused edit changes nothing"
    );
    let first = session
        .json(
            "edit_file",
            json!({ "file": "aaa", "find": "a", "replace": "b" }),
        )
        .await;
    let note = "`find` occurs 3 times; only the first was replaced";
    assert_eq!(
        first["data"],
        json!({ "file": "aaa", "replacements": 1, "note": note })
    );
    let counted = json!({ "file": "aaa", "find": "a", "replace": "c", "expectedOccurrences": 2 });
    assert_eq!(
        session.json("edit_file", counted).await["data"],
        json!({ "file": "aaa", "replacements": 2 })
    );
    assert_eq!(
        session.text("aaa").unwrap(),
        "bcc",
        "what was counted is replaced"
    );
    std::fs::write(session.root().join("aaa"), "aaa").unwrap();
    let all = session
        .json(
            "edit_file",
            json!({ "file": "aaa", "find": "aa", "replace": "$1", "replaceAll": true }),
        )
        .await;
    assert_eq!(
        (&all["data"]["replacements"], session.text("aaa").unwrap()),
        (&json!(1), "$1a".to_owned()),
        "non-overlapping, literal"
    );
}

#[tokio::test]
async fn edit_file_keeps_the_line_ends_of_the_file() {
    let session = session().await;
    let crlf = "the file's line endings, CRLF, were kept";
    for (before, find, replace, after, note) in [
        (
            "a\r\nb\r\nc\r\n",
            "a\nb\n",
            "x\ny\nz\n",
            "x\r\ny\r\nz\r\nc\r\n",
            json!(crlf),
        ),
        (
            "a\r\nb\nc\r\n",
            "a\nb\nc",
            "x\ny\nz",
            "x\r\ny\nz\r\n",
            json!(crlf),
        ),
        ("a\r\nb", "b", "x\ny", "a\r\nx\r\ny", json!(crlf)),
        ("a\nb", "a\nb", "x\ny", "x\ny", Value::Null),
        ("a\r\nb", "\r\n", "\n", "a\nb", Value::Null),
    ] {
        std::fs::write(session.root().join("e"), before).unwrap();
        let answer = session
            .json(
                "edit_file",
                json!({ "file": "e", "find": find, "replace": replace }),
            )
            .await;
        assert_eq!(
            (word(&answer).as_str(), &answer["data"]["note"]),
            ("ok", &note),
            "{before:?} {find:?}"
        );
        assert_eq!(session.text("e").unwrap(), after, "{before:?} {find:?}");
    }
}

#[tokio::test]
async fn write_file_manual_tests() {
    let session = session().await;
    let answer = session
        .json(
            "write_file",
            json!({ "file": "src/index.html", "content": "<h1>Hi</h1>" }),
        )
        .await;
    assert_eq!(
        answer,
        json!({ "ok": true, "data": { "file": "src/index.html", "bytesWritten": 11 } })
    );
    assert_eq!(session.text("src/index.html").unwrap(), "<h1>Hi</h1>");
    words(
        &session,
        &[
            (
                "write_file",
                json!({ "file": "../x.txt", "content": "x" }),
                "INVALID_PATH",
            ),
            (
                "write_file",
                json!({ "file": "full", "content": "x".repeat(1_048_576) }),
                "ok",
            ),
            (
                "write_file",
                json!({ "file": "more", "content": "x".repeat(1_048_577) }),
                "FILE_TOO_LARGE",
            ),
            ("write_file", json!({ "file": "a.txt" }), "VALIDATION_ERROR"),
            (
                "write_file",
                json!({ "file": ".", "content": "x" }),
                "INVALID_PATH",
            ),
            (
                "write_file",
                json!({ "file": "tmp", "content": "x" }),
                "NOT_FILE",
            ),
            (
                "write_file",
                json!({ "file": ".git/hooks/x", "content": "x" }),
                "INVALID_PATH",
            ),
            (
                "write_file",
                json!({ "file": "n".repeat(255), "content": "x" }),
                "ok",
            ),
            (
                "write_file",
                json!({ "file": "n".repeat(256), "content": "x" }),
                "INVALID_PATH",
            ),
        ],
    )
    .await;
    assert_eq!(session.text("more"), None);
}

#[tokio::test]
async fn delete_file_manual_tests() {
    let session = session().await;
    words(
        &session,
        &[
            (
                "delete_file",
                json!({ "path": "tmp", "recursive": false }),
                "DIRECTORY_NOT_EMPTY",
            ),
            (
                "delete_file",
                json!({ "path": "workspace/../secret" }),
                "INVALID_PATH",
            ),
            ("delete_file", json!({ "path": "nowhere" }), "NOT_FOUND"),
            (
                "delete_file",
                json!({ "path": ".", "recursive": true }),
                "INVALID_PATH",
            ),
            (
                "delete_file",
                json!({ "path": "workspace", "recursive": true }),
                "INVALID_PATH",
            ),
            (
                "delete_file",
                json!({ "path": "" , "recursive": true }),
                "INVALID_PATH",
            ),
            ("delete_file", json!({ "path": 1 }), "VALIDATION_ERROR"),
        ],
    )
    .await;
    let file = session
        .json("delete_file", json!({ "path": "tmp/a.txt" }))
        .await;
    assert_eq!(
        file,
        json!({ "ok": true, "data": { "path": "tmp/a.txt", "deletedType": "file" } })
    );
    assert_eq!(
        session.json("delete_file", json!({ "path": "tmp" })).await["data"]["deletedType"],
        "dir",
        "an empty directory"
    );
    assert!(session.root().is_dir());
}

#[tokio::test]
async fn move_file_manual_tests() {
    let session = session().await;
    words(
        &session,
        &[
            (
                "move_file",
                json!({ "from": "a.txt", "to": "b.txt", "overwrite": false }),
                "ALREADY_EXISTS",
            ),
            (
                "move_file",
                json!({ "from": "a.txt", "to": "b.txt" }),
                "ALREADY_EXISTS",
            ),
            (
                "move_file",
                json!({ "from": "/tmp/a", "to": "x" }),
                "INVALID_PATH",
            ),
            (
                "move_file",
                json!({ "from": "a.txt", "to": "../x" }),
                "INVALID_PATH",
            ),
            (
                "move_file",
                json!({ "from": "nowhere", "to": "x" }),
                "NOT_FOUND",
            ),
            (
                "move_file",
                json!({ "from": "tmp", "to": "tmp/inner" }),
                "VALIDATION_ERROR",
            ),
            (
                "move_file",
                json!({ "from": "a.txt", "to": "tmp", "overwrite": true }),
                "ALREADY_EXISTS",
            ),
            (
                "move_file",
                json!({ "from": ".", "to": "x" }),
                "INVALID_PATH",
            ),
        ],
    )
    .await;
    let moved = session
        .json(
            "move_file",
            json!({ "from": "a.txt", "to": "archive/a.txt" }),
        )
        .await;
    assert_eq!(
        moved,
        json!({ "ok": true, "data": { "from": "a.txt", "to": "archive/a.txt", "overwritten": false } })
    );
    let replaced = session
        .json(
            "move_file",
            json!({ "from": "archive/a.txt", "to": "b.txt", "overwrite": true }),
        )
        .await;
    assert_eq!(
        (
            &replaced["data"]["overwritten"],
            session.text("b.txt").unwrap()
        ),
        (&json!(true), "old x".to_owned())
    );
}

#[tokio::test]
async fn mkdir_manual_tests() {
    let session = session().await;
    let made = session
        .json(
            "mkdir",
            json!({ "dir": "src/components", "recursive": true }),
        )
        .await;
    assert_eq!(
        made,
        json!({ "ok": true, "data": { "dir": "src/components", "created": true } })
    );
    assert_eq!(
        session
            .json("mkdir", json!({ "dir": "src/components" }))
            .await["data"]["created"],
        false
    );
    words(
        &session,
        &[
            ("mkdir", json!({ "dir": "../outside" }), "INVALID_PATH"),
            (
                "mkdir",
                json!({ "dir": "x/y/z", "recursive": false }),
                "NOT_FOUND",
            ),
            ("mkdir", json!({ "dir": "x/y/z" }), "ok"),
            ("mkdir", json!({ "dir": "a.txt" }), "ALREADY_EXISTS"),
            (
                "mkdir",
                json!({ "dir": "d", "recursive": 1 }),
                "VALIDATION_ERROR",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn hostile_paths_are_refused() {
    let session = session().await;
    session.plant();
    let long = "a/".repeat(3_000);
    for path in [
        "../x",
        "a/../../x",
        "..",
        "a/..//../..",
        "tmp/../a.txt",
        "/etc/passwd",
        "//etc/passwd",
        "\\\\server\\s",
        "C:\\x",
        "c:/x",
        "file:///etc/passwd",
        "a\0b",
        &long,
        "tmp\\..\\..\\x",
        "to-secret",
        "to-outside/secret",
        "to-proc",
        "to-zero",
        "workspace/../../x",
        &session.at("a.txt"),
        &session.at("../repo-evil/secret"),
    ] {
        words(
            &session,
            &[
                ("read_file", json!({ "file": path }), "INVALID_PATH"),
                (
                    "write_file",
                    json!({ "file": path, "content": "x" }),
                    "INVALID_PATH",
                ),
                (
                    "edit_file",
                    json!({ "file": path, "find": "SECRET", "replace": "x" }),
                    "INVALID_PATH",
                ),
                (
                    "move_file",
                    json!({ "from": "b.txt", "to": path, "overwrite": true }),
                    "INVALID_PATH",
                ),
            ],
        )
        .await;
    }
    words(
        &session,
        &[
            (
                "write_file",
                json!({ "file": "to-nowhere", "content": "x" }),
                "INVALID_PATH",
            ),
            ("mkdir", json!({ "dir": "to-nowhere" }), "INVALID_PATH"),
            ("list_dir", json!({ "dir": "to-outside" }), "INVALID_PATH"),
            (
                "delete_file",
                json!({ "path": "to-outside/secret" }),
                "INVALID_PATH",
            ),
            (
                "move_file",
                json!({ "from": "to-outside/secret", "to": "s" }),
                "INVALID_PATH",
            ),
            ("read_file", json!({ "file": "pipe" }), "NOT_FILE"),
            (
                "write_file",
                json!({ "file": "pipe", "content": "x" }),
                "NOT_FILE",
            ),
            ("read_file", json!({ "file": "circle" }), "NOT_FOUND"),
            (
                "read_file",
                json!({ "file": "%2e%2e%2fsecret" }),
                "NOT_FOUND",
            ),
            ("read_file", json!({ "file": "．．／secret" }), "NOT_FOUND"),
            ("read_file", json!({ "file": "....//secret" }), "NOT_FOUND"),
            ("read_file", json!({ "file": "~" }), "NOT_FOUND"),
            ("read_file", json!({ "file": "$HOME" }), "NOT_FOUND"),
            ("read_file", json!({ "file": "*" }), "NOT_FOUND"),
            ("read_file", json!({ "file": ".git/config" }), "NOT_FOUND"),
            (
                "read_file",
                json!({ "file": "./workspace//tmp/a.txt/" }),
                "ok",
            ),
            (
                "delete_file",
                json!({ "path": "to-outside", "recursive": true }),
                "ok",
            ),
        ],
    )
    .await;
    let listed = session.json("list_dir", json!({})).await;
    let entries = listed["data"]["entries"].as_array().unwrap();
    let link = entries
        .iter()
        .find(|entry| entry["path"] == "to-secret")
        .unwrap();
    assert_eq!(link["type"], "symlink");
    assert_ne!(link["size"], 6, "the size is that of the link");
}

#[tokio::test]
async fn a_read_only_workspace_hides_writing_tools() {
    let session = Session::with(
        "workspace",
        Options {
            read_only: true,
            ..Options::default()
        },
        &[("a.txt", "a")],
    )
    .await;
    let tools = session.client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool.name.as_ref())
        .filter(|name| *name != "run_command")
        .collect();
    assert_eq!(names, ["list_dir", "read_file"]);
    let refused = session
        .json("write_file", json!({ "file": "a.txt", "content": "b" }))
        .await;
    assert_eq!(refused["error"]["code"], -32602, "a tool that is not there");
    assert_eq!(session.text("a.txt").unwrap(), "a");
}

#[tokio::test]
async fn concurrent_writes_leave_one_complete_content() {
    let session = session().await;
    let contents: Vec<String> = (0..50)
        .map(|index| format!("{index}").repeat(10_000))
        .collect();
    let calls = contents.iter().map(|content| {
        session.json(
            "write_file",
            json!({ "file": "shared", "content": content }),
        )
    });
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        calls.retain_mut(|call| match call.as_mut().poll(context) {
            std::task::Poll::Ready(answer) => {
                done.push(answer);
                false
            }
            std::task::Poll::Pending => true,
        });
        if calls.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    assert!(done.iter().all(|answer| answer["ok"] == true));
    assert!(contents.contains(&session.text("shared").unwrap()));
}

#[tokio::test]
async fn written_files_are_indexed_when_the_call_returns() {
    let session = Session::of("workspace", &[("a.ts", "export function first() {}\n")]).await;
    session.state.start();
    session.state.wait();
    let names = || {
        let snapshot = session.state.answers().unwrap().snapshot().unwrap();
        let files = ["a.ts", "b.ts"]
            .into_iter()
            .filter_map(|path| query::derive_file_id(&snapshot, path).ok());
        let nodes = files.flat_map(|file| query::get_outline(&snapshot, file).unwrap());
        nodes.map(|node| node.name).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["first"]);
    session
        .json(
            "write_file",
            json!({ "file": "b.ts", "content": "export function second() {}\n" }),
        )
        .await;
    assert_eq!(names(), ["first", "second"]);
    session
        .json(
            "edit_file",
            json!({ "file": "b.ts", "find": "second", "replace": "third" }),
        )
        .await;
    assert_eq!(names(), ["first", "third"]);
    session.json("delete_file", json!({ "path": "a.ts" })).await;
    assert_eq!(names(), ["third"]);
    session
        .json("move_file", json!({ "from": "b.ts", "to": "b.txt" }))
        .await;
    assert_eq!(names(), [""; 0]);
    session.state.close();
}

#[tokio::test]
async fn a_folder_named_workspace_is_not_the_root() {
    let session = Session::of(
        "workspace",
        &[
            ("src/a.ts", "a"),
            ("workspace/src/junk.ts", "junk"),
            ("workspace/workspace/x", "x"),
        ],
    )
    .await;
    let listed = session
        .json("list_dir", json!({ "dir": "workspace" }))
        .await;
    assert_eq!(listed["data"]["dir"], "workspace");
    assert_eq!(listed["data"]["entries"][0]["path"], "workspace/src");
    assert_eq!(
        session
            .json("read_file", json!({ "file": "workspace/workspace/x" }))
            .await["data"]["content"],
        "x"
    );
    let words: &[(&str, Value, &str)] = &[
        (
            "write_file",
            json!({ "file": "workspace/new", "content": "x" }),
            "ok",
        ),
        (
            "edit_file",
            json!({ "file": "workspace/new", "find": "x", "replace": "y" }),
            "ok",
        ),
        (
            "move_file",
            json!({ "from": "workspace/new", "to": "workspace/newer" }),
            "ok",
        ),
        ("mkdir", json!({ "dir": "workspace/made" }), "ok"),
        (
            "read_file",
            json!({ "file": "workspace/src/a.ts" }),
            "NOT_FOUND",
        ),
        (
            "delete_file",
            json!({ "path": "./workspace//src", "recursive": true }),
            "ok",
        ),
    ];
    self::words(&session, words).await;
    assert_eq!(session.text("workspace/newer").as_deref(), Some("y"));
    assert_eq!(
        session.text("src/a.ts").as_deref(),
        Some("a"),
        "the folder of the same name at the root stays"
    );
    assert!(
        !session.root().join("workspace/src").exists()
            && session.root().join("workspace/made").is_dir()
    );
    // Anything with the name: a file, or a link whose target is missing.
    for link in [false, true] {
        let session = session_with_a_file().await;
        if link {
            std::fs::remove_file(session.root().join("workspace")).unwrap();
            std::os::unix::fs::symlink("nowhere", session.root().join("workspace")).unwrap();
        }
        self::words(
            &session,
            &[("delete_file", json!({ "path": "workspace" }), "ok")],
        )
        .await;
        assert!(
            session.root().join("workspace").symlink_metadata().is_err()
                && session.text("a.txt").is_some()
        );
        assert_eq!(
            session
                .json("read_file", json!({ "file": "workspace/a.txt" }))
                .await["data"]["file"],
            "a.txt",
            "nothing is called so now"
        );
    }
}

async fn session_with_a_file() -> Session {
    Session::of("workspace", &[("a.txt", "a"), ("workspace", "w")]).await
}
