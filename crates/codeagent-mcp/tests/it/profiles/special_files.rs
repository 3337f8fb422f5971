//! Pipes, sockets, devices and folders given where a file is expected, and files that are never
//! completely written: each is answered at once.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use codeagent_files::{Options, Profile, ToolSet};
use codeagent_mcp::state::State;
use codeagent_workspace::DataRoot;
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use crate::profiles::support::{Session, client, text_of, word};

/// Average time that an answer may take.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Returns calls by which each profile reads a file, and the error code for something else.
fn readers(path: &str) -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let local = |query: Value| json!({ "queries": [query] });
    vec![
        (
            "index",
            "read_file",
            json!({ "path": path }),
            "invalid_parameter",
        ),
        (
            "index",
            "get_file_outline",
            json!({ "path": path }),
            "invalid_parameter",
        ),
        (
            "index",
            "index_files",
            json!({ "paths": [path] }),
            "invalid_parameter",
        ),
        (
            "assistant",
            "read_file",
            json!({ "path": path }),
            "invalid_arguments",
        ),
        (
            "assistant",
            "read_file",
            json!({ "path": path, "encoding": "base64" }),
            "invalid_arguments",
        ),
        (
            "patch",
            "append",
            json!({ "path": path, "content": "x" }),
            "NotFound",
        ),
        (
            "patch",
            "patch_apply",
            json!({ "path": path, "patch": "@@ -1 +1 @@\n-a\n+b\n" }),
            "NotFound",
        ),
        (
            "patch",
            "write_file",
            json!({ "path": path, "content": "x" }),
            "NotFound",
        ),
        (
            "workspace",
            "read_file",
            json!({ "file": path }),
            "NOT_FILE",
        ),
        (
            "workspace",
            "edit_file",
            json!({ "file": path, "find": "a", "replace": "b" }),
            "NOT_FILE",
        ),
        (
            "workspace",
            "write_file",
            json!({ "file": path, "content": "x" }),
            "NOT_FILE",
        ),
        (
            "local",
            "local_fetch_content",
            local(json!({ "path": path })),
            "fileAccessFailed",
        ),
    ]
}

fn mkfifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "mkfifo is part of every Unix"
    );
}

#[tokio::test]
async fn every_tool_refuses_special_files_at_once() {
    let session = Session::of(
        "index",
        &[
            ("a.ts", "export const a = 1;\n"),
            ("folder.ts/b.txt", "no code\n"),
        ],
    )
    .await;
    let root = session.root();
    mkfifo(&root.join("pipe.ts"));
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket.ts")).unwrap();
    symlink("pipe.ts", root.join("to-pipe.ts")).unwrap();
    session.state.start();
    session.state.wait();
    let mut calls = 0;
    let mut spent = Duration::ZERO;
    for (profile, ..) in readers("").into_iter().filter(|(_, tool, ..)| {
        tool.contains("read") || tool.contains("append") || tool.contains("fetch")
    }) {
        let beside = session.beside(profile).await;
        for path in ["pipe.ts", "socket.ts", "folder.ts", "to-pipe.ts"] {
            for (_, tool, arguments, expected) in readers(path)
                .into_iter()
                .filter(|(known, ..)| *known == profile)
            {
                let begun = Instant::now();
                assert_eq!(
                    beside.word(tool, arguments).await,
                    expected,
                    "{profile} {tool} {path}"
                );
                (calls, spent) = (calls + 1, spent + begun.elapsed());
            }
        }
    }
    assert!(spent < AT_ONCE * calls, "{calls} calls take {spent:?}");
    // Tools that walk folders skip them.
    let found = session
        .structured("search_symbols", json!({ "query": "a" }))
        .await;
    assert!(
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["file_path"] == "a.ts"),
        "{found}"
    );
    assert_eq!(
        session.structured("get_status", json!({})).await["indexed_files"],
        1
    );
    for (profile, tool, arguments) in [
        ("assistant", "search_files", json!({ "pattern": "export" })),
        ("assistant", "list_files", json!({})),
        ("assistant", "get_repo_overview", json!({})),
        ("workspace", "list_dir", json!({ "recursive": true })),
        (
            "local",
            "local_ripgrep",
            json!({ "queries": [{ "path": ".", "pattern": "export", "binaryFiles": "text" }] }),
        ),
        (
            "local",
            "local_find_files",
            json!({ "queries": [{ "path": ".", "details": true }] }),
        ),
        (
            "local",
            "local_view_structure",
            json!({ "queries": [{ "path": ".", "details": true }] }),
        ),
    ] {
        let begun = Instant::now();
        assert_eq!(
            session.beside(profile).await.word(tool, arguments).await,
            "ok",
            "{tool}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "{tool} takes {:?}",
            begun.elapsed()
        );
    }
    session.state.close();
}

/// Uses the device folder as a repository; nothing is written there.
#[tokio::test]
async fn devices_are_refused_at_once() {
    let data = tempfile::tempdir().unwrap();
    let state = State::open(Path::new("/dev"), DataRoot::at(data.path())).unwrap();
    let mut devices = vec![
        "zero".to_owned(),
        "null".to_owned(),
        "random".to_owned(),
        "tty".to_owned(),
    ];
    let blocks = std::fs::read_dir("/dev").unwrap().filter_map(Result::ok);
    let is_block = |entry: &std::fs::DirEntry| {
        entry
            .file_type()
            .is_ok_and(|kind| std::os::unix::fs::FileTypeExt::is_block_device(&kind))
    };
    devices.extend(
        blocks
            .filter(is_block)
            .filter_map(|entry| entry.file_name().into_string().ok())
            .take(1),
    );
    for profile in ["index", "assistant", "workspace", "local"] {
        let client = client(
            &state,
            ToolSet::new(Profile::of(profile).unwrap(), Options::default()),
        )
        .await;
        for device in devices
            .iter()
            .filter(|name| Path::new("/dev").join(name).exists())
        {
            let reads = |tool: &&str| tool.contains("read_file") || tool.contains("fetch");
            for (_, tool, arguments, expected) in readers(device)
                .into_iter()
                .filter(|(known, tool, ..)| *known == profile && reads(tool))
            {
                let Value::Object(arguments) = arguments else {
                    continue;
                };
                let begun = Instant::now();
                let answer = word(
                    client
                        .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
                        .await,
                );
                // Opening another user's terminal may be forbidden.
                assert!(
                    answer == expected || device == "tty" && answer != "ok",
                    "{profile} {tool} {device}: {answer}"
                );
                assert!(
                    begun.elapsed() < Duration::from_secs(2),
                    "{profile} {tool} {device} takes {:?}",
                    begun.elapsed()
                );
            }
        }
    }
}

#[tokio::test]
async fn ignore_files_that_are_not_regular_files_are_skipped() {
    for name in [
        ".gitignore",
        ".ignore",
        "src/.gitignore",
        "src/.ignore",
        ".git/info/exclude",
    ] {
        for target in [
            None,
            Some("/dev/zero"),
            Some("/proc/self/fd/0"),
            Some("../outside/secret"),
            Some("folder"),
        ] {
            let session = Session::of(
                "local",
                &[
                    ("src/a.ts", "needle\n"),
                    (".git/HEAD", "ref"),
                    (".git/info/x", ""),
                    ("folder/x", ""),
                ],
            )
            .await;
            let path = session.root().join(name);
            match target {
                None => mkfifo(&path),
                Some(target) => symlink(target, &path).unwrap(),
            }
            let query = json!({ "queries": [{ "path": ".", "pattern": "needle" }] });
            let asked = tokio::time::timeout(
                Duration::from_secs(20),
                session.call("local_ripgrep", query),
            );
            let answer = text_of(
                &asked
                    .await
                    .unwrap_or_else(|_| panic!("{name} {target:?} hangs"))
                    .unwrap(),
            );
            assert!(
                answer.contains("path: \"src/a.ts\""),
                "{name} {target:?}: {answer}"
            );
        }
    }
}
