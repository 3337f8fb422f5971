//! The `assistant` profile: each tool's contract, and hostile callers and repositories.

use codeagent_files::error::{ErrorKind, FileToolError};
use codeagent_files::{Options, ProtocolEra, assistant};
use serde_json::{Value, json};

use crate::profiles::support::Session;

async fn session() -> Session {
    let files = [
        ("README.md", "# Shop\n"),
        (
            "src/index.ts",
            "import { App } from './app';\n\nexport function main() {\n  return new App();\n}\n",
        ),
        ("src/utils/helpers.ts", "export const Helper = 1;\n"),
        ("src/deep/er/still/x.ts", "x"),
        (".hidden/secret.ts", "main"),
        ("node_modules/p/index.js", "function main() {}"),
        ("dist/main.js", "function main() {}"),
        ("build/main.js", "function main() {}"),
        ("src/app.min.js", "function main() {}"),
        ("src/app.min.css", "main"),
        ("package-lock.json", "main"),
        ("yarn.lock", "main"),
        ("src/app.js.map", "main"),
        ("coverage/index.html", "<html>"),
    ];
    Session::of("assistant", &files).await
}

/// Returns the code of an error after checking that its number matches.
fn word(answer: &Value) -> String {
    let Some(error) = answer.get("error") else {
        return "ok".to_owned();
    };
    let word = error["data"]["error_code"].as_str().unwrap();
    assert_eq!(error["code"], assistant::number(word));
    word.to_owned()
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn list_files_shows_levels() {
    let session = session().await;
    let all = session.json("list_files", json!({})).await;
    let expected = [
        "README.md",
        "build",
        "build/main.js",
        "coverage",
        "coverage/index.html",
        "dist",
        "dist/main.js",
        "node_modules",
        "node_modules/p",
        "node_modules/p/index.js",
        "package-lock.json",
        "src",
        "src/app.js.map",
        "src/app.min.css",
        "src/app.min.js",
        "src/deep",
        "src/deep/er",
        "src/index.ts",
        "src/utils",
        "src/utils/helpers.ts",
        "yarn.lock",
    ];
    assert_eq!(
        (paths(&all), &all["total_count"], &all["truncated"]),
        (expected.to_vec(), &json!(21), &json!(false))
    );
    let (file, folder) = (&all["files"][0], &all["files"][1]);
    assert_eq!(
        (&file["type"], &file["size"], folder),
        (
            &json!("file"),
            &json!(7),
            &json!({ "path": "build", "type": "directory" })
        )
    );
    let modified = file["modified_at"].as_str().unwrap();
    assert!(
        modified.len() == 24 && modified.ends_with('Z') && modified.starts_with("20"),
        "{modified}"
    );
    let some = session
        .json(
            "list_files",
            json!({ "directory": "src", "pattern": "*.ts", "max_depth": 2 }),
        )
        .await;
    assert_eq!(paths(&some), ["src/index.ts", "src/utils/helpers.ts"]);
    let some = session
        .json(
            "list_files",
            json!({ "pattern": "src/**/*.ts", "max_depth": 10 }),
        )
        .await;
    assert_eq!(
        paths(&some),
        [
            "src/deep/er/still/x.ts",
            "src/index.ts",
            "src/utils/helpers.ts"
        ]
    );
    let hidden = session
        .json(
            "list_files",
            json!({ "include_hidden": true, "max_depth": 1 }),
        )
        .await;
    assert!(paths(&hidden).contains(&".hidden"));
    for (arguments, expected) in [
        (json!({ "directory": "nowhere" }), "directory_not_found"),
        (json!({ "directory": "README.md" }), "directory_not_found"),
        (json!({ "directory": "../" }), "access_denied"),
        (json!({ "pattern": "[" }), "invalid_pattern"),
        (json!({ "max_depth": 0 }), "invalid_arguments"),
        (json!({ "max_depth": 11 }), "invalid_arguments"),
        (json!({ "include_hidden": "no" }), "invalid_arguments"),
        (json!({ "dir": "." }), "invalid_arguments"),
    ] {
        assert_eq!(
            word(&session.json("list_files", arguments.clone()).await),
            expected,
            "{arguments}"
        );
    }
    for index in 0..501 {
        std::fs::write(session.root().join(format!("coverage/{index}")), "").unwrap();
    }
    let many = session
        .json("list_files", json!({ "directory": "coverage" }))
        .await;
    assert_eq!(
        (paths(&many).len(), &many["total_count"], &many["truncated"]),
        (500, &json!(502), &json!(true))
    );
}

#[tokio::test]
async fn read_file_returns_text_or_bytes() {
    let session = session().await;
    let answer = session
        .json("read_file", json!({ "path": "README.md" }))
        .await;
    let modified = answer["modified_at"].clone();
    let expected = json!({
        "path": "README.md", "content": "# Shop\n", "size": 7, "modified_at": modified, "encoding": "utf-8", "truncated": false,
    });
    assert_eq!(answer, expected);
    let root = session.root();
    std::fs::write(root.join("logo.PNG"), b"\x89PNG").unwrap();
    std::fs::write(root.join("nul.txt"), b"a\0b").unwrap();
    std::fs::write(root.join("wide.txt"), "\u{e4}".repeat(10)).unwrap();
    std::fs::write(root.join("exact"), "x".repeat(1_048_576)).unwrap();
    std::fs::write(root.join("large"), "x".repeat(1_048_577)).unwrap();
    let image = session
        .json(
            "read_file",
            json!({ "path": "logo.PNG", "encoding": "base64" }),
        )
        .await;
    assert_eq!(
        (&image["content"], &image["encoding"], &image["size"]),
        (&json!("iVBORw=="), &json!("base64"), &json!(4))
    );
    let cut = session
        .json("read_file", json!({ "path": "wide.txt", "max_bytes": 5 }))
        .await;
    assert_eq!(
        (&cut["content"], &cut["truncated"], &cut["size"]),
        (&json!("\u{e4}\u{e4}"), &json!(true), &json!(20))
    );
    let whole = session.json("read_file", json!({ "path": "exact" })).await;
    assert_eq!(
        (
            whole["content"].as_str().unwrap().len(),
            &whole["truncated"]
        ),
        (100_000, &json!(true)),
        "the default of max_bytes"
    );
    for (arguments, expected) in [
        (json!({ "path": "logo.PNG" }), "binary_file"),
        (json!({ "path": "nul.txt" }), "binary_file"),
        (json!({ "path": "nul.txt", "encoding": "base64" }), "ok"),
        (json!({ "path": "large" }), "file_too_large"),
        (json!({ "path": "src/missing.ts" }), "file_not_found"),
        (json!({ "path": "missing.png" }), "file_not_found"),
        (json!({ "path": "src" }), "invalid_arguments"),
        (json!({ "path": "../x" }), "access_denied"),
        (json!({}), "invalid_arguments"),
        (
            json!({ "path": "README.md", "encoding": "latin1" }),
            "invalid_arguments",
        ),
        (
            json!({ "path": "README.md", "max_bytes": 0 }),
            "invalid_arguments",
        ),
    ] {
        assert_eq!(
            word(&session.json("read_file", arguments.clone()).await),
            expected,
            "{arguments}"
        );
    }
    let missing = session
        .json("read_file", json!({ "path": "src/missing.ts" }))
        .await;
    assert_eq!(
        missing["error"]["data"],
        json!({ "error_code": "file_not_found", "path": "src/missing.ts" })
    );
}

#[tokio::test]
async fn every_blocked_extension_is_binary() {
    let session = session().await;
    let blocked = ".png .jpg .jpeg .gif .ico .webp .bmp .zip .tar .gz .bz2 .7z .rar .exe .dll .so .dylib .wasm .pyc .class .o .obj .woff .woff2 .ttf \
                   .otf .eot .mp3 .mp4 .wav .avi .mov .sqlite .db .pdf";
    for extension in blocked.split_whitespace() {
        let name = format!("x{extension}");
        std::fs::write(session.root().join(&name), "text").unwrap();
        assert_eq!(
            word(&session.json("read_file", json!({ "path": name })).await),
            "binary_file",
            "{name}"
        );
        assert_eq!(
            session
                .json("read_file", json!({ "path": name, "encoding": "base64" }))
                .await["content"],
            "dGV4dA=="
        );
    }
}

#[tokio::test]
async fn search_files_finds_lines_with_context() {
    let session = session().await;
    let answer = session
        .json("search_files", json!({ "pattern": "MAIN()" }))
        .await;
    let expected = json!([{
        "path": "src/index.ts",
        "line_number": 3,
        "line_content": "export function main() {",
        "context": { "before": ["import { App } from './app';", ""], "after": ["  return new App();", "}"] },
    }]);
    assert_eq!(
        (
            &answer["matches"],
            &answer["total_matches"],
            &answer["truncated"]
        ),
        (&expected, &json!(1), &json!(false))
    );
    assert_eq!(
        answer["files_searched"], 6,
        "node_modules, dist, build, minified files, maps and locks are left out"
    );
    assert!(answer["duration_ms"].is_u64());
    let found = async |arguments: Value| {
        session.json("search_files", arguments).await["total_matches"].as_u64()
    };
    assert_eq!(
        found(json!({ "pattern": "MAIN()", "case_sensitive": true })).await,
        Some(0)
    );
    assert_eq!(
        found(json!({ "pattern": "function\\s+\\w+", "is_regex": true, "glob": "**/*.ts" })).await,
        Some(1)
    );
    assert_eq!(
        found(json!({ "pattern": "main", "glob": "src/**/*.ts", "max_results": 20 })).await,
        Some(1)
    );
    assert_eq!(
        found(json!({ "pattern": "main", "glob": "*.md" })).await,
        Some(0)
    );
    let bare = session
        .json(
            "search_files",
            json!({ "pattern": "new App", "context_lines": 0 }),
        )
        .await;
    assert_eq!(
        bare["matches"][0]["context"],
        json!({ "before": [], "after": [] })
    );
    std::fs::write(session.root().join("many.txt"), "hit\n".repeat(150)).unwrap();
    let many = session
        .json("search_files", json!({ "pattern": "hit" }))
        .await;
    let shown = |answer: &Value| answer["matches"].as_array().unwrap().len();
    assert_eq!(
        (shown(&many), &many["total_matches"], &many["truncated"]),
        (50, &json!(150), &json!(true))
    );
    let more = session
        .json(
            "search_files",
            json!({ "pattern": "hit", "max_results": 1000 }),
        )
        .await;
    assert_eq!(
        shown(&more),
        100,
        "MAX_SEARCH_RESULTS is 100 unless the environment says otherwise"
    );
    assert_eq!(
        (
            &many["note"],
            more["note"]
                .as_str()
                .unwrap()
                .contains("at most 100 (MAX_SEARCH_RESULTS)")
        ),
        (&Value::Null, true)
    );
    assert_eq!(
        more["matches"][1]["context"],
        json!({ "before": ["hit"], "after": ["hit", "hit"] }),
        "a match is context of the next"
    );
    for (arguments, expected) in [
        (
            json!({ "pattern": "(", "is_regex": true }),
            "invalid_pattern",
        ),
        (json!({ "pattern": "(" }), "ok"),
        (
            json!({ "pattern": "(?<=a)b", "is_regex": true }),
            "invalid_pattern",
        ),
        (
            json!({ "pattern": "(a)\\1", "is_regex": true }),
            "invalid_pattern",
        ),
        (
            json!({ "pattern": "(\\w{1000}){1000}", "is_regex": true }),
            "invalid_pattern",
        ),
        (
            json!({ "pattern": "(".repeat(300) + &")".repeat(300), "is_regex": true }),
            "invalid_pattern",
        ),
        (json!({ "pattern": "a", "glob": "{" }), "invalid_pattern"),
        (json!({ "pattern": "" }), "invalid_arguments"),
        (json!({}), "invalid_arguments"),
        (
            json!({ "pattern": "a", "max_results": 0 }),
            "invalid_arguments",
        ),
        (
            json!({ "pattern": "a", "max_results": 1001 }),
            "invalid_arguments",
        ),
        (
            json!({ "pattern": "a", "context_lines": 11 }),
            "invalid_arguments",
        ),
    ] {
        assert_eq!(
            word(&session.json("search_files", arguments.clone()).await),
            expected,
            "{arguments:.100}"
        );
    }
}

#[tokio::test]
async fn a_search_that_times_out_says_so() {
    let limits = assistant::Limits {
        search_ms: 0,
        ..assistant::Limits::default()
    };
    let session = Session::with(
        "assistant",
        Options {
            limits,
            ..Options::default()
        },
        &[("a.txt", "a")],
    )
    .await;
    assert_eq!(
        word(
            &session
                .json("search_files", json!({ "pattern": "a" }))
                .await
        ),
        "search_timeout"
    );
}

#[tokio::test]
async fn the_environment_sets_limits() {
    let set = |name: &str| {
        Some(match name {
            "MAX_FILE_SIZE_BYTES" => "2".to_owned(),
            "MAX_SEARCH_RESULTS" => "1".to_owned(),
            _ => "soon".to_owned(),
        })
    };
    let (limits, wrong) = assistant::Limits::of(set);
    assert_eq!(
        limits,
        assistant::Limits {
            file_bytes: 2,
            search_ms: 30_000,
            results: 1,
            within: Some("soon".into())
        }
    );
    assert_eq!(
        wrong,
        [r#"SEARCH_TIMEOUT_MS is "soon", which is not a positive whole number; using 30000"#]
    );
    for value in ["-5", "0", "1.5", "1e3", "99999999999999999999"] {
        let (limits, wrong) =
            assistant::Limits::of(|name| (name == "MAX_FILE_SIZE_BYTES").then(|| value.to_owned()));
        assert!(
            limits == assistant::Limits::default() && wrong.len() == 1 && wrong[0].contains(value),
            "{wrong:?}"
        );
    }
    assert_eq!(
        assistant::Limits::of(|_| Some(" ".to_owned())).1,
        Vec::<String>::new()
    );
    let limits = assistant::Limits {
        within: None,
        ..limits
    };
    let session = Session::with(
        "assistant",
        Options {
            limits,
            ..Options::default()
        },
        &[("a", "aa"), ("b", "aaa")],
    )
    .await;
    assert_eq!(
        word(&session.json("read_file", json!({ "path": "a" })).await),
        "ok"
    );
    assert_eq!(
        word(&session.json("read_file", json!({ "path": "b" })).await),
        "file_too_large"
    );
    assert_eq!(
        session
            .json("search_files", json!({ "pattern": "a" }))
            .await["matches"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn only_a_repository_in_the_allowed_folder_is_read() {
    let outer = tempfile::tempdir().unwrap();
    for (within, expected) in [
        (outer.path().join("nowhere"), "access_denied"),
        (outer.path().to_owned(), "access_denied"),
        ("/".into(), "ok"),
    ] {
        let (limits, _) = assistant::Limits::of(|name| {
            (name == "ALLOWED_REPO_ROOT").then(|| within.display().to_string())
        });
        let session = Session::with(
            "assistant",
            Options {
                limits,
                ..Options::default()
            },
            &[("a", "aa")],
        )
        .await;
        assert_eq!(
            word(&session.json("read_file", json!({ "path": "a" })).await),
            expected,
            "{within:?}"
        );
        assert_eq!(
            word(&session.json("get_repo_overview", json!({})).await),
            expected,
            "{within:?}"
        );
    }
}

#[tokio::test]
async fn a_hostile_pattern_does_not_hang() {
    let session = Session::of("assistant", &[("a.txt", &"a".repeat(50_000))]).await;
    let begun = std::time::Instant::now();
    for pattern in ["(a+)+$b", "(x+x+)+y", "(a|a)*c", "(.*){30}z"] {
        let answer = session
            .json(
                "search_files",
                json!({ "pattern": pattern, "is_regex": true }),
            )
            .await;
        assert!(["ok", "invalid_pattern"].contains(&word(&answer).as_str()));
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn get_repo_overview_shows_structure_and_counts() {
    let session = session().await;
    let answer = session.json("get_repo_overview", json!({})).await;
    let hidden = json!({ "name": ".hidden", "type": "directory", "children": [{ "name": "secret.ts", "type": "file", "size": 4 }] });
    assert_eq!(
        (
            &answer["root"],
            &answer["structure"]["name"],
            &answer["structure"]["type"]
        ),
        (&json!("repo"), &json!("repo"), &json!("directory"))
    );
    let children = answer["structure"]["children"].as_array().unwrap();
    let names: Vec<_> = children
        .iter()
        .map(|child| child["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            ".hidden",
            "README.md",
            "package-lock.json",
            "src",
            "yarn.lock"
        ],
        "nine folders are left out"
    );
    assert_eq!(
        (&children[0], &children[1]),
        (
            &hidden,
            &json!({ "name": "README.md", "type": "file", "size": 7 })
        )
    );
    assert_eq!(
        children[3]["children"][3],
        json!({ "name": "deep", "type": "directory" }),
        "two levels"
    );
    let stats = &answer["stats"];
    assert_eq!(
        (&stats["total_files"], &stats["total_directories"]),
        (&json!(10), &json!(6))
    );
    assert_eq!(
        stats["languages"][0],
        json!({ "extension": ".ts", "count": 4, "bytes": 107 })
    );
    let languages: u64 = stats["languages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(stats["total_size"], languages);
    let bare = session
        .json(
            "get_repo_overview",
            json!({ "include_stats": false, "max_depth": 1 }),
        )
        .await;
    assert!(
        bare.get("stats").is_none() && bare["structure"]["children"][0].get("children").is_none()
    );
    for index in 0..20 {
        std::fs::write(session.root().join(format!("x.e{index}")), "x").unwrap();
    }
    let many = session
        .json("get_repo_overview", json!({ "max_depth": 5 }))
        .await;
    assert_eq!(many["stats"]["languages"].as_array().unwrap().len(), 15);
    for depth in [0, 6] {
        assert_eq!(
            word(
                &session
                    .json("get_repo_overview", json!({ "max_depth": depth }))
                    .await
            ),
            "invalid_arguments"
        );
    }
}

#[tokio::test]
async fn hostile_paths_are_denied() {
    let session = session().await;
    session.plant();
    let beside = format!("{}-evil/secret", session.root().display());
    for (path, expected) in [
        ("../x", "access_denied"),
        ("src/../../outside/secret", "access_denied"),
        ("src/../README.md", "access_denied"),
        ("/etc/passwd", "access_denied"),
        (&beside, "access_denied"),
        ("to-secret", "access_denied"),
        ("to-outside/secret", "access_denied"),
        ("to-nowhere", "access_denied"),
        ("to-proc", "access_denied"),
        ("to-zero", "access_denied"),
        ("circle", "file_not_found"),
        ("pipe", "invalid_arguments"),
        ("a\0b", "invalid_arguments"),
        (".git/config", "file_not_found"),
        ("%2e%2e%2fx", "file_not_found"),
        (&session.at("README.md"), "ok"),
        ("./src//index.ts", "ok"),
    ] {
        assert_eq!(
            word(&session.json("read_file", json!({ "path": path })).await),
            expected,
            "{path}"
        );
    }
    assert_eq!(
        word(
            &session
                .json("list_files", json!({ "directory": "to-outside" }))
                .await
        ),
        "access_denied"
    );
    assert_eq!(
        session
            .json(
                "search_files",
                json!({ "pattern": "SECRET", "case_sensitive": true })
            )
            .await["total_matches"],
        0
    );
    let listed = session.json("list_files", json!({ "max_depth": 1 })).await;
    let link = listed["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["path"] == "to-outside")
        .unwrap();
    assert_eq!(
        link["type"], "file",
        "a link that leads out is listed, never followed"
    );
    session.outside_is_untouched();
}

#[test]
fn errors_have_the_form_of_the_protocol_revision() {
    let failure = || {
        FileToolError::new(ErrorKind::NoFile, "File not found: src/missing.ts")
            .about("src/missing.ts")
    };
    let data = json!({ "error_code": "file_not_found", "path": "src/missing.ts" });
    let legacy = assistant::render(Err(failure()), ProtocolEra::Legacy).unwrap_err();
    assert_eq!(
        (legacy.code.0, legacy.message.as_ref(), legacy.data),
        (-32001, "File not found: src/missing.ts", Some(data.clone()))
    );
    let modern = assistant::render(Err(failure()), ProtocolEra::Modern).unwrap();
    assert_eq!(modern.is_error, Some(true));
    assert_eq!(
        modern.structured_content,
        Some(json!({ "code": -32001, "message": "File not found: src/missing.ts", "data": data }))
    );
    for (kind, word, number) in [
        (ErrorKind::NoFile, "file_not_found", -32001),
        (ErrorKind::NoFolder, "directory_not_found", -32001),
        (ErrorKind::Outside, "access_denied", -32002),
        (ErrorKind::TooLarge, "file_too_large", -32003),
        (ErrorKind::Binary, "binary_file", -32004),
        (ErrorKind::BadPattern, "invalid_pattern", -32005),
        (ErrorKind::TimedOut, "search_timeout", -32006),
        (ErrorKind::BadArguments, "invalid_arguments", -32602),
        (ErrorKind::Internal, "internal_error", -32603),
    ] {
        assert_eq!(
            (assistant::code(kind), assistant::number(word)),
            (word, number)
        );
    }
}
