//! The file tools of the index profile, which need no index.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::tools::support::Session;

async fn session() -> Session {
    Session::over(&[
        ("src/a.cs", b"class A\r\n{\r\n}\r\n"),
        ("src/deep/er/b.ts", b"let b;"),
        ("bom.ts", b"\xef\xbb\xbflet \xff;\n"),
        ("empty.ts", b""),
        ("logo.png", b"\x89PNG\r\n\x1a\n"),
        (".gitignore", b"/out\n"),
        ("out/made.ts", b"made"),
        (".git/HEAD", b"ref"),
    ])
    .await
}

async fn check(tool: &str, arguments: Value, expected: Expect) {
    expected.assert_eq(&session().await.ask(tool, arguments).await);
}

#[tokio::test]
async fn list_directory_shows_one_level() {
    check(
        "list_directory",
        json!({ "path": "src/" }),
        expect![[
            r#"[{"name":"a.cs","type":"file","size":15},{"name":"deep","type":"directory"}]"#
        ]],
    )
    .await;
    check(
        "list_directory",
        json!({}),
        expect![[r#"[{"name":".gitignore","type":"file","size":5},{"name":"bom.ts","type":"file","size":10},{"name":"empty.ts","type":"file","size":0},{"name":"logo.png","type":"file","size":8},{"name":"src","type":"directory"}]"#]],
    )
    .await;
    check(
        "list_directory",
        json!({ "path": "src/a.cs" }),
        expect![[
            r#"error: {"error":{"code":"invalid_parameter","message":"src/a.cs is not a folder"}}"#
        ]],
    )
    .await;
    check(
        "list_directory",
        json!({ "path": ".git" }),
        expect![[r#"error: {"error":{"code":"not_found","message":".git does not exist"}}"#]],
    )
    .await;
    check(
        "list_directory",
        json!({ "path": "src/../.." }),
        expect![[r#"error: {"error":{"code":"path_escape","message":"\"src/../..\" is outside the repository"}}"#]],
    )
    .await;
}

#[tokio::test]
async fn read_file_shows_lines() {
    check(
        "read_file",
        json!({ "path": "src/a.cs" }),
        expect![[r#"{"content":"class A\r\n{\r\n}\r\n","total_lines":3,"truncated":false}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "src/a.cs", "line_start": 2, "line_end": 2 }),
        expect![[r#"{"content":"{\r\n","total_lines":3,"truncated":false}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "src/a.cs", "line_start": 4 }),
        expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`line_start` is 4, but src/a.cs has 3 lines"}}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "bom.ts" }),
        expect![[r#"
            {"content":"let �;\n","total_lines":1,"truncated":false}
            {"encoding_note":"the file is not valid UTF-8; invalid bytes are shown as �"}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "empty.ts" }),
        expect![[r#"{"content":"","total_lines":0,"truncated":false}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "out/made.ts" }),
        expect![[r#"{"content":"made","total_lines":1,"truncated":false}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "logo.png" }),
        expect![[
            r#"error: {"error":{"code":"binary_file","message":"logo.png is binary (image/png)"}}"#
        ]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "no.ts" }),
        expect![[r#"error: {"error":{"code":"not_found","message":"no.ts does not exist"}}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "src" }),
        expect![[r#"error: {"error":{"code":"invalid_parameter","message":"src is not a file"}}"#]],
    )
    .await;
    check(
        "read_file",
        json!({ "path": "/etc/passwd" }),
        expect![[r#"error: {"error":{"code":"path_escape","message":"\"/etc/passwd\" is outside the repository"}}"#]],
    )
    .await;
}

#[tokio::test]
async fn get_directory_tree_returns_nested_entries() {
    check(
        "get_directory_tree",
        json!({ "path": "src", "depth": 2 }),
        expect![[r#"{"name":"src","type":"directory","children":[{"name":"a.cs","type":"file"},{"name":"deep","type":"directory","children":[{"name":"er","type":"directory"}]}]}"#]],
    )
    .await;
    check(
        "get_directory_tree",
        json!({ "depth": 11 }),
        expect![[r#"error: {"error":{"code":"invalid_parameter","message":"`depth` must be a whole number from 1 to 10, got 11"}}"#]],
    )
    .await;
}

async fn over_empty(names: &[String]) -> Session {
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    Session::over(&files).await
}

#[tokio::test]
async fn truncated_directories_say_so() {
    let session = over_empty(
        &(0..1_500)
            .map(|index| format!("many/file{index:04}.ts"))
            .collect::<Vec<_>>(),
    )
    .await;
    let tree = session
        .structured("get_directory_tree", json!({ "path": "many" }))
        .await;
    let shown: Vec<&str> = tree["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| child["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        (shown.len(), shown[0], shown[999]),
        (1_000, "file0000.ts", "file0999.ts")
    );
    assert_eq!(
        (&tree["truncated"], &tree["more"]),
        (&json!(true), &json!(500))
    );
    let page = session
        .raw("list_directory", json!({ "path": "many" }))
        .await
        .structured_content
        .unwrap();
    let next = page["next_cursor"].as_str().unwrap();
    let second = session
        .raw("list_directory", json!({ "path": "many", "cursor": next }))
        .await
        .structured_content
        .unwrap();
    assert_ne!(page["results"][0], second["results"][0]);
}

#[tokio::test]
async fn a_thousand_entries_are_not_truncated() {
    let session = over_empty(
        &(0..1_000)
            .map(|index| format!("many/file{index:04}.ts"))
            .collect::<Vec<_>>(),
    )
    .await;
    let tree = session
        .structured("get_directory_tree", json!({ "path": "many" }))
        .await;
    assert_eq!(tree["children"].as_array().unwrap().len(), 1_000);
    assert_eq!(
        tree.as_object().unwrap().len(),
        3,
        "its name, its kind and what lies in it: nothing says that something was cut"
    );
}

#[tokio::test]
async fn a_tree_shows_each_level_before_the_next() {
    // The first directory alone would fill the answer.
    let mut names: Vec<String> = (0..1_000)
        .map(|index| format!("a/sub/a-file-with-a-rather-long-name{index:04}.ts"))
        .collect();
    names.extend((0..20).map(|index| format!("b{index:02}/sub/small.ts")));
    let session = over_empty(&names).await;
    let tree = session.structured("get_directory_tree", json!({})).await;
    let length = tree.to_string().chars().count();
    assert!((45_000..=48_000).contains(&length), "{length}");
    let top = tree["children"].as_array().unwrap();
    assert_eq!(top.len(), 21);
    let (cut, whole) = top.split_first().unwrap();
    let large = &cut["children"][0];
    let shown = large["children"].as_array().unwrap().len();
    assert_eq!(
        (&large["truncated"], &large["more"]),
        (&json!(true), &json!(1_000 - shown)),
        "{shown}"
    );
    for directory in whole {
        assert_eq!(
            directory["children"][0]["children"][0]["name"], "small.ts",
            "{directory}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_out_of_the_root_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "secret").unwrap();
    let session = Session::over(&[("src/a.ts", b"let a;")]).await;
    let link = |to: &std::path::Path, at: &str| {
        std::os::unix::fs::symlink(to, session.root.path().join(at)).unwrap()
    };
    link(outside.path(), "out");
    link(&outside.path().join("secret.txt"), "secret.txt");
    link(&session.root.path().join("src"), "inside");
    let listed = session.structured("list_directory", json!({})).await;
    let kinds: Vec<String> = listed["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| format!("{} {}", entry["name"], entry["type"]))
        .collect();
    assert!(kinds.contains(&r#""out" "file""#.to_owned()), "{kinds:?}");
    for entry in listed["results"].as_array().unwrap() {
        let leads_out = entry["name"] == "out" || entry["name"] == "secret.txt";
        assert_eq!(
            entry["size"].is_null(),
            leads_out || entry["type"] == "directory",
            "the size of a link is no size of a file: {entry}"
        );
    }
    assert!(
        !session
            .structured("get_directory_tree", json!({ "depth": 10 }))
            .await
            .to_string()
            .contains("secret.txt\",\"type\":\"directory")
    );
    for (tool, path) in [
        ("list_directory", "out"),
        ("read_file", "out/secret.txt"),
        ("read_file", "secret.txt"),
        ("get_directory_tree", "out"),
    ] {
        let answer = session.structured(tool, json!({ "path": path })).await;
        assert_eq!(
            answer["error"]["code"], "path_escape",
            "{tool} {path}: {answer}"
        );
    }
    let inside = session
        .structured("read_file", json!({ "path": "inside/a.ts" }))
        .await;
    assert_eq!(
        inside["content"], "let a;",
        "a link that stays inside is followed"
    );
}

#[tokio::test]
async fn read_file_is_truncated_at_its_limits() {
    let utf16: Vec<u8> = "\u{feff}let a;\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let session = Session::over(&[
        ("many.txt", "x\n".repeat(10_001).as_bytes()),
        (
            "wide.txt",
            format!("{}\n{}\n", "x".repeat(300_000), "y".repeat(300_000)).as_bytes(),
        ),
        ("one.txt", "\u{e4}".repeat(300_000).as_bytes()),
        ("utf16.ts", &utf16),
    ])
    .await;
    for (path, bytes, total_lines) in [
        ("many.txt", 20_000, 10_001),
        ("wide.txt", 300_001, 2),
        ("one.txt", 512_000, 1),
    ] {
        let answer = session
            .structured("read_file", json!({ "path": path }))
            .await;
        assert_eq!(answer["content"].as_str().unwrap().len(), bytes, "{path}");
        assert_eq!(
            (&answer["total_lines"], &answer["truncated"]),
            (&json!(total_lines), &json!(true)),
            "{path}"
        );
    }
    let rest = session
        .structured(
            "read_file",
            json!({ "path": "many.txt", "line_start": 10_001 }),
        )
        .await;
    assert_eq!(
        rest,
        json!({ "content": "x\n", "total_lines": 10_001, "truncated": false })
    );
    let part = session
        .structured(
            "read_file",
            json!({ "path": "many.txt", "line_start": 2, "line_end": 10_001 }),
        )
        .await;
    assert_eq!(
        part["truncated"], false,
        "ten thousand lines are not too many"
    );
    let backwards = session
        .structured(
            "read_file",
            json!({ "path": "many.txt", "line_start": 3, "line_end": 2 }),
        )
        .await;
    assert_eq!(backwards["error"]["code"], "invalid_parameter");
    let decoded = session
        .structured("read_file", json!({ "path": "utf16.ts" }))
        .await;
    assert_eq!(
        (&decoded["content"], &decoded["total_lines"]),
        (&json!("let a;\r\n"), &json!(1))
    );
}

#[tokio::test]
async fn get_directory_tree_returns_the_requested_depth() {
    let session = Session::over(&[
        ("a/b/c/d/e.ts", b"let e;"),
        (".gitignore", b"/out\n"),
        ("out/x.ts", b"x"),
    ])
    .await;
    let depth_of = |tree: &Value| {
        let (mut node, mut depth) = (tree.clone(), 0);
        while let Some(child) = node["children"]
            .as_array()
            .and_then(|children| children.iter().find(|child| child["type"] == "directory"))
        {
            node = child.clone();
            depth += 1;
        }
        depth
    };
    for (arguments, depth) in [
        (json!({}), 3),
        (json!({ "depth": 1 }), 1),
        (json!({ "depth": 10 }), 4),
        (json!({ "path": "a/b" }), 2),
    ] {
        let tree = session
            .structured("get_directory_tree", arguments.clone())
            .await;
        assert_eq!(depth_of(&tree), depth, "{arguments}: {tree}");
        assert!(!tree.to_string().contains("out"), "ignored: {tree}");
    }
    let two = [
        (json!({ "depth": 11 }), "invalid_parameter"),
        (json!({ "depth": 0 }), "invalid_parameter"),
    ];
    for (arguments, code) in two {
        let answer = session
            .structured("get_directory_tree", arguments.clone())
            .await;
        assert_eq!(answer["error"]["code"], code, "{arguments}: {answer}");
    }
}
