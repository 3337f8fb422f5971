//! The `patch` profile: each tool's contract, and hostile callers and repositories.

use codeagent_files::Options;
use serde_json::{Value, json};

use crate::profiles::support::Session;

const FILE: &str = "one\ntwo\nthree\n";

async fn session() -> Session {
    Session::of("patch", &[("f.txt", FILE), ("src/g.txt", "g")]).await
}

/// Returns the first word of an answer: the code of an error.
async fn word(session: &Session, tool: &str, arguments: Value) -> String {
    let result = session.call(tool, arguments).await.unwrap();
    let text = crate::profiles::support::text_of(&result);
    if result.is_error != Some(true) {
        return "done".to_owned();
    }
    let (code, message) = text.split_once(": ").unwrap();
    assert_eq!(
        result.structured_content.unwrap(),
        json!({ "error": { "code": code, "message": message } })
    );
    code.to_owned()
}

#[tokio::test]
async fn patch_apply_changes_a_file_completely_or_not_at_all() {
    let session = session().await;
    let path = session.at("f.txt");
    let apply = |patch: &str| json!({ "path": path, "patch": patch });
    let fenced = "```diff\n--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n```";
    assert_eq!(
        session.call_text("patch_apply", apply(fenced)).await,
        "Applied 1 hunks to f.txt"
    );
    assert_eq!(session.text("f.txt").unwrap(), "one\n2\nthree\n");
    for header in [
        "--- a/other\n+++ b/other",
        "--- a/f.txt\n+++ b/../../outside/secret",
        "--- /dev/null\n+++ b/src/g.txt",
    ] {
        let patch = format!("{header}\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n");
        assert_eq!(
            word(&session, "patch_apply", apply(&patch)).await,
            "PatchFailed",
            "{header} is another file"
        );
    }
    let two = "@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-drei\n+3\n";
    assert_eq!(
        word(&session, "patch_apply", apply(two)).await,
        "PatchFailed"
    );
    assert_eq!(
        session.text("f.txt").unwrap(),
        "one\n2\nthree\n",
        "all hunks or none"
    );
    for patch in [
        "",
        "nonsense",
        "@@ -1,9 +1 @@\n-one\n",
        "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
    ] {
        assert_eq!(
            word(&session, "patch_apply", apply(patch)).await,
            "PatchFailed",
            "{patch}"
        );
    }
    assert_eq!(
        word(
            &session,
            "patch_apply",
            json!({ "path": session.at("nowhere"), "patch": "@@ -1 +1 @@\n-a\n+b\n" })
        )
        .await,
        "NotFound"
    );
    assert_eq!(
        word(
            &session,
            "patch_apply",
            json!({ "path": "/etc/hostname", "patch": fenced })
        )
        .await,
        "OutsideRoot"
    );
    assert_eq!(
        word(&session, "patch_apply", json!({ "path": path })).await,
        "InvalidArguments"
    );
    let create = |name: &str| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert_eq!(
        word(
            &session,
            "patch_apply",
            json!({ "path": session.at("new/file"), "patch": create("new/file") })
        )
        .await,
        "done"
    );
    assert_eq!(
        word(&session, "patch_apply", apply(&create("f.txt"))).await,
        "done",
        "an existing file is overwritten"
    );
    assert_eq!(
        (
            session.text("new/file").unwrap(),
            session.text("f.txt").unwrap()
        ),
        ("a\nb\n".to_owned(), "a\nb\n".to_owned())
    );
    session.outside_is_untouched();
}

/// Returns five equal methods of six lines each, in a file of a hundred more lines.
fn methods() -> String {
    let method = "void M() {\n  if (x)\n    return;\n  y();\n}\n\n";
    method.repeat(5)
        + &(0..100)
            .map(|line| format!("// {line}\n"))
            .collect::<String>()
}

#[tokio::test]
async fn an_ambiguous_hunk_needs_an_exact_line_number() {
    let session = session().await;
    std::fs::write(session.root().join("m.cs"), methods()).unwrap();
    let apply = |patch: &str| json!({ "path": "m.cs", "patch": patch });
    let hunk = |line: usize| {
        format!("@@ -{line},3 +{line},3 @@\n   if (x)\n-    return;\n+    throw;\n   y();\n")
    };
    let answer = session.call_text("patch_apply", apply(&hunk(100))).await;
    let several = "PatchFailed: m.cs: the context of hunk 1 of 1 occurs several times, at lines 2, 8, 14, 20, 26; add lines of context, or \
                   state the exact line; the file was not changed";
    assert_eq!(answer, several);
    assert_eq!(
        session.call_text("patch_apply", apply(&hunk(9))).await,
        several,
        "one line off is not exactly"
    );
    assert_eq!(session.text("m.cs").unwrap(), methods());
    assert_eq!(
        session.call_text("patch_apply", apply(&hunk(14))).await,
        "Applied 1 hunks to m.cs"
    );
    let lines: Vec<String> = session
        .text("m.cs")
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        lines.iter().position(|line| line == "    throw;"),
        Some(14),
        "the third method"
    );
    assert_eq!(
        lines.iter().filter(|line| *line == "    return;").count(),
        4
    );
}

#[tokio::test]
async fn a_hunk_applies_up_to_a_hundred_lines_away_and_says_so() {
    let session = session().await;
    std::fs::write(session.root().join("m.cs"), methods()).unwrap();
    let hunk = |line: usize| json!({ "path": "m.cs", "patch": format!("@@ -{line} +{line} @@\n-// 99\n+// last\n") });
    let far = session.call_text("patch_apply", hunk(29)).await;
    let expected = "PatchFailed: m.cs: the context of hunk 1 of 1 is at line 130, more than 100 lines from line 29, where it should be; \
                    correct the line number; the file was not changed";
    assert_eq!(far, expected);
    assert_eq!(session.text("m.cs").unwrap(), methods());
    let answer = session.call_text("patch_apply", hunk(30)).await;
    assert_eq!(
        answer,
        "Applied 1 hunks to m.cs; hunk 1 was applied at line 130 instead of line 30"
    );
    // The offset of the previous hunk is taken into account.
    let two = "@@ -1,5 +1,6 @@\n+// more\n // 0\n // 1\n // 2\n // 3\n // 4\n@@ -6 +7 @@\n-// 98\n+// 97\n";
    let answer = session
        .call_text("patch_apply", json!({ "path": "m.cs", "patch": two }))
        .await;
    assert!(
        answer.ends_with(
            "hunk 1 was applied at line 31 instead of line 1; hunk 2 was applied at line 129 instead of line 6"
        ),
        "{answer}"
    );
}

#[tokio::test]
async fn patches_keep_the_line_ends_of_the_file() {
    let session = session().await;
    let crlf = "the patch has other line endings; the file's, CRLF, were kept";
    let both = "the patch has other line endings; the file's, LF and CRLF, were kept";
    let open = "the last line still has no line ending";
    for (before, patch, after, note) in [
        (
            "a\r\nb\r\nc\r\n",
            "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n",
            "a\r\nB\r\nB2\r\nc\r\n",
            crlf,
        ),
        (
            "a\r\nb\r\n",
            "@@ -1,2 +1,3 @@\n+x\n a\n b\n",
            "x\r\na\r\nb\r\n",
            crlf,
        ),
        ("a\r\nb\r\n", "@@ -1,0 +2 @@\n+x\n", "a\r\nx\r\nb\r\n", crlf),
        ("a\r\nb\r\n", "@@ -2 +2 @@\n-b\r\n+B\r\n", "a\r\nB\r\n", ""),
        ("a\r\nb\r\n", "@@ -2 +2 @@\n-b\r\n+B\n", "a\r\nB\n", ""),
        (
            "a\nb\n",
            "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n",
            "a\nB\n",
            "the patch has other line endings; the file's, LF, were kept",
        ),
        // Each line of a file with mixed line endings keeps its own.
        (
            "a\nb\r\nc\nd\r\n",
            "@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n+C\n d\n",
            "a\nB\r\nC\nd\r\n",
            crlf,
        ),
        (
            "a\nb\r\nc\n",
            "@@ -1,3 +1,3 @@\r\n a\r\n-b\n+B\n c\n",
            "a\nB\r\nc\n",
            both,
        ),
        ("a\nb", "@@ -2 +2 @@\n-b\n+B\n", "a\nB", open),
        ("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc", open),
        (
            "a\r\nb",
            "@@ -1,2 +1,3 @@\n a\n b\n+c\n",
            "a\r\nb\r\nc",
            crlf,
        ),
        ("a\nb", "@@ -2,0 +3 @@\n+c\n", "a\nb\nc", open),
        ("a\nb", "@@ -1 +1 @@\n-a\n+A\n", "A\nb", ""),
        (
            "a\nb",
            "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n",
            "a\nB\n",
            "",
        ),
        (
            "a\nb\n",
            "@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n",
            "a\nB",
            "",
        ),
    ] {
        std::fs::write(session.root().join("e"), before).unwrap();
        let answer = session
            .call_text("patch_apply", json!({ "path": "e", "patch": patch }))
            .await;
        let note = if note.is_empty() {
            String::new()
        } else {
            format!("; {note}")
        };
        assert_eq!(
            answer,
            format!("Applied 1 hunks to e{note}"),
            "{before:?} {patch:?}"
        );
        assert_eq!(session.text("e").unwrap(), after, "{before:?} {patch:?}");
    }
}

#[tokio::test]
async fn append_adds_to_existing_content() {
    let session = session().await;
    let append = |path: &str| json!({ "path": session.at(path), "content": "four" });
    assert_eq!(
        session.call_text("append", append("f.txt")).await,
        "Appended 4 bytes to f.txt"
    );
    assert_eq!(session.text("f.txt").unwrap(), "one\ntwo\nthree\nfour");
    assert_eq!(
        word(&session, "append", append("nowhere")).await,
        "NotFound"
    );
    assert_eq!(session.text("nowhere"), None, "no file is made");
    assert_eq!(
        word(&session, "append", append("../outside/secret")).await,
        "OutsideRoot"
    );
    session.outside_is_untouched();
}

#[tokio::test]
async fn write_file_creates_and_overwrites() {
    let session = session().await;
    let write = |path: &str| json!({ "path": session.at(path), "content": "x" });
    assert_eq!(
        session.call_text("write_file", write("a/b/c.txt")).await,
        "Wrote 1 bytes to a/b/c.txt"
    );
    assert_eq!(word(&session, "write_file", write("f.txt")).await, "done");
    assert_eq!(
        (
            session.text("a/b/c.txt").unwrap(),
            session.text("f.txt").unwrap()
        ),
        ("x".to_owned(), "x".to_owned())
    );
    assert_eq!(
        word(&session, "write_file", write("../x")).await,
        "OutsideRoot"
    );
    let protected = "OutsideRoot: .git/hooks/x belongs to git or codeagent; tools cannot change it";
    assert_eq!(
        session.call_text("write_file", write(".git/hooks/x")).await,
        protected
    );
    assert_eq!(
        session.call_text("write_file", write("src")).await,
        "NotFound: src is not a file"
    );
    assert_eq!(
        session.call_text("write_file", write("f.txt/x/y")).await,
        "NotFound: f.txt is not a folder"
    );
    let long = session
        .call_text(
            "write_file",
            json!({ "path": "n".repeat(256), "content": "x" }),
        )
        .await;
    assert_eq!(long, "InvalidArguments: the path is too long (256 bytes)");
    std::fs::set_permissions(
        session.root().join("f.txt"),
        std::os::unix::fs::PermissionsExt::from_mode(0o444),
    )
    .unwrap();
    assert_eq!(
        word(&session, "write_file", write("f.txt")).await,
        "PermissionDenied"
    );
    assert_eq!(
        word(
            &session,
            "write_file",
            json!({ "path": "relative/to/root", "content": "x" })
        )
        .await,
        "done"
    );
    assert_eq!(session.text("relative/to/root").unwrap(), "x");
    session.outside_is_untouched();
}

#[tokio::test]
async fn create_directory_creates_parents() {
    let session = session().await;
    assert_eq!(
        session
            .call_text("create_directory", json!({ "path": session.at("x/y/z") }))
            .await,
        "Created x/y/z"
    );
    assert!(session.root().join("x/y/z").is_dir());
    assert_eq!(
        session
            .call_text("create_directory", json!({ "path": session.at("x/y/z") }))
            .await,
        "x/y/z already exists"
    );
    assert_eq!(
        word(
            &session,
            "create_directory",
            json!({ "path": session.at("../x") })
        )
        .await,
        "OutsideRoot"
    );
    assert_eq!(
        session
            .call_text("create_directory", json!({ "path": "f.txt" }))
            .await,
        "NotFound: f.txt is not a folder"
    );
    assert_eq!(
        session
            .call_text("create_directory", json!({ "path": "f.txt/d" }))
            .await,
        "NotFound: f.txt is not a folder"
    );
    session.outside_is_untouched();
}

#[tokio::test]
async fn move_file_checks_both_ends() {
    let session = session().await;
    let go = |source: &str, destination: &str| json!({ "source": session.at(source), "destination": session.at(destination) });
    assert_eq!(
        word(&session, "move_file", go("f.txt", "../outside/f.txt")).await,
        "OutsideRoot"
    );
    assert_eq!(
        session.text("f.txt").unwrap(),
        FILE,
        "the source stays where it is"
    );
    assert_eq!(
        word(&session, "move_file", go("../outside/secret", "s")).await,
        "OutsideRoot"
    );
    assert_eq!(
        word(&session, "move_file", go("nowhere", "s")).await,
        "NotFound"
    );
    assert_eq!(
        session
            .call_text("move_file", go("f.txt", "new/f.txt"))
            .await,
        "Moved f.txt to new/f.txt"
    );
    assert_eq!(
        word(&session, "move_file", go("new/f.txt", "src/g.txt")).await,
        "done"
    );
    assert_eq!(session.text("src/g.txt").unwrap(), FILE);
    session.outside_is_untouched();
}

#[tokio::test]
async fn hostile_paths_are_refused_as_outside_the_root() {
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
    ] {
        for (tool, arguments) in [
            ("write_file", json!({ "path": path, "content": "x" })),
            ("append", json!({ "path": path, "content": "x" })),
            (
                "patch_apply",
                json!({ "path": path, "patch": "@@ -1 +1 @@\n-SECRET\n+x\n" }),
            ),
            ("create_directory", json!({ "path": path })),
            (
                "move_file",
                json!({ "source": "f.txt", "destination": path }),
            ),
        ] {
            assert_eq!(
                word(&session, tool, arguments).await,
                "OutsideRoot",
                "{tool} {path}"
            );
        }
    }
    assert_eq!(
        word(
            &session,
            "write_file",
            json!({ "path": "a\0b", "content": "x" })
        )
        .await,
        "InvalidArguments"
    );
    assert_eq!(
        word(
            &session,
            "write_file",
            json!({ "path": circle, "content": "x" })
        )
        .await,
        "NotFound"
    );
    assert_eq!(
        word(
            &session,
            "append",
            json!({ "path": "pipe", "content": "x" })
        )
        .await,
        "NotFound"
    );
    assert_eq!(
        word(
            &session,
            "write_file",
            json!({ "path": session.at(".git/config"), "content": "x" })
        )
        .await,
        "OutsideRoot"
    );
    assert_eq!(
        word(
            &session,
            "move_file",
            json!({ "source": session.at(""), "destination": "x" })
        )
        .await,
        "OutsideRoot",
        "the root"
    );
    session.outside_is_untouched();
}

#[tokio::test]
async fn a_read_only_server_says_so() {
    let session = Session::with(
        "patch",
        Options {
            read_only: true,
            ..Options::default()
        },
        &[("f.txt", FILE)],
    )
    .await;
    let names: Vec<_> = session
        .client
        .list_all_tools()
        .await
        .unwrap()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert!(
        [
            "patch_apply",
            "append",
            "write_file",
            "create_directory",
            "move_file"
        ]
        .iter()
        .all(|name| names.iter().any(|n| n == name))
    );
    for (tool, arguments) in [
        (
            "patch_apply",
            json!({ "path": "f.txt", "patch": "@@ -1 +1 @@\n-one\n+1\n" }),
        ),
        ("append", json!({ "path": "f.txt", "content": "x" })),
        ("write_file", json!({ "path": "f.txt", "content": "x" })),
        ("create_directory", json!({ "path": "d" })),
        (
            "move_file",
            json!({ "source": "f.txt", "destination": "g.txt" }),
        ),
    ] {
        assert_eq!(word(&session, tool, arguments).await, "ReadOnly", "{tool}");
    }
    assert_eq!(session.text("f.txt").unwrap(), FILE);
}
