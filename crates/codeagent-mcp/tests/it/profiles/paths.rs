//! Gives every hostile path to every path parameter of every tool, and checks that nothing outside
//! the root is changed or revealed.

use codeagent_files::{ExecPolicy, Launcher, Options};
use serde_json::{Value, json};

use crate::profiles::support::{Session, text_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Reads the path.
    Reads,
    /// Lists the path.
    Lists,
    /// Creates a file or folder at the path.
    Makes,
    /// Removes what is at the path; a link itself, not its target.
    Takes,
}

use Use::{Lists, Makes, Reads, Takes};

/// A tool, its path parameter, the use of the path, and the other arguments.
type PathCase = (&'static str, &'static str, Use, Value);

fn places(profile: &str) -> Vec<PathCase> {
    let patch = "@@ -1 +1 @@\n-SECRET\n+x\n";
    match profile {
        "index" => vec![
            ("list_directory", "path", Lists, json!({})),
            ("get_directory_tree", "path", Lists, json!({})),
            ("read_file", "path", Reads, json!({})),
            ("get_file_outline", "path", Reads, json!({})),
            ("index_files", "paths", Reads, json!({})),
        ],
        "assistant" => vec![
            ("list_files", "directory", Lists, json!({})),
            ("read_file", "path", Reads, json!({})),
            ("read_file", "path", Reads, json!({ "encoding": "base64" })),
        ],
        "patch" => vec![
            ("append", "path", Reads, json!({ "content": "x" })),
            ("patch_apply", "path", Reads, json!({ "patch": patch })),
            (
                "patch_apply",
                "path",
                Makes,
                json!({ "patch": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n" }),
            ),
            ("write_file", "path", Makes, json!({ "content": "x" })),
            ("create_directory", "path", Makes, json!({})),
            (
                "move_file",
                "destination",
                Makes,
                json!({ "source": "b.txt" }),
            ),
            (
                "move_file",
                "source",
                Takes,
                json!({ "destination": "stolen" }),
            ),
        ],
        "workspace" => vec![
            ("list_dir", "dir", Lists, json!({})),
            (
                "run_command",
                "cwd",
                Lists,
                json!({ "command": "python3", "args": ["--version"] }),
            ),
            ("read_file", "file", Reads, json!({})),
            (
                "edit_file",
                "file",
                Reads,
                json!({ "find": "SECRET", "replace": "x" }),
            ),
            ("write_file", "file", Makes, json!({ "content": "x" })),
            ("mkdir", "dir", Makes, json!({})),
            (
                "move_file",
                "to",
                Makes,
                json!({ "from": "b.txt", "overwrite": true }),
            ),
            ("move_file", "from", Takes, json!({ "to": "stolen" })),
            ("delete_file", "path", Takes, json!({ "recursive": true })),
        ],
        _ => vec![
            ("local_view_structure", "path", Lists, json!({})),
            ("local_find_files", "path", Lists, json!({})),
            (
                "local_ripgrep",
                "path",
                Reads,
                json!({ "pattern": "SECRET|root:" }),
            ),
            ("local_fetch_content", "path", Reads, json!({})),
        ],
    }
}

/// The profiles with their error codes for a path outside the root and for an invalid path.
const PROFILES: [(&str, &str, &str); 5] = [
    ("index", "path_escape", "invalid_parameter"),
    ("assistant", "access_denied", "invalid_arguments"),
    ("patch", "OutsideRoot", "InvalidArguments"),
    ("workspace", "INVALID_PATH", "INVALID_PATH"),
    ("local", "pathValidationFailed", "pathValidationFailed"),
];

/// Returns the call's arguments with a path.
fn with(profile: &str, (_, parameter, _, rest): &PathCase, path: &str) -> Value {
    let mut arguments = rest.clone();
    arguments[*parameter] = if *parameter == "paths" {
        json!([path])
    } else {
        json!(path)
    };
    if profile == "local" {
        json!({ "queries": [arguments] })
    } else {
        arguments
    }
}

async fn session(profile: &str) -> Session {
    let exec = ExecPolicy::Jail(Launcher::of(env!("CARGO_BIN_EXE_codeagent-mcp").into()).unwrap());
    let files = [
        ("src/a.ts", "export const a = 1;\n"),
        ("b.txt", "b"),
        (".env", "KEY=1"),
        (".gitignore", "/ignored.ts\n"),
        ("ignored.ts", "x"),
    ];
    let session = Session::with(
        profile,
        Options {
            exec,
            ..Options::default()
        },
        &files,
    )
    .await;
    session.plant();
    for folder in [".git", ".codeagent"] {
        std::fs::create_dir(session.root().join(folder)).unwrap();
        std::fs::write(session.root().join(folder).join("config"), "HIDDEN").unwrap();
    }
    if profile == "index" {
        session.state.start();
        session.state.wait();
    }
    session
}

/// Calls a tool with a path and returns the result code; asserts that no secret is revealed.
async fn result_code(session: &Session, profile: &str, place: &PathCase, path: &str) -> String {
    let arguments = with(profile, place, path);
    let answer = session.call(place.0, arguments.clone()).await;
    let reply = match &answer {
        Ok(result) => {
            text_of(result)
                + &result
                    .structured_content
                    .clone()
                    .unwrap_or_default()
                    .to_string()
        }
        Err(error) => error.to_string(),
    };
    // The pattern of a search may be echoed, but not what it finds.
    let reply = reply.replace("SECRET|root:", "");
    assert!(
        !reply.contains("SECRET") && !reply.contains("root:x:") && !reply.contains("HIDDEN"),
        "{} {path}: {reply:.300}",
        place.0
    );
    crate::profiles::support::word(answer)
}

#[tokio::test]
async fn no_path_parameter_leads_outside_the_root() {
    for (profile, outside, _) in PROFILES {
        let session = session(profile).await;
        let beside = format!("{}-evil/secret", session.root().display());
        let above = session.at("src/../../outside/secret");
        let lexical = [
            "../x",
            "a/../../x",
            "..",
            "a/..//../..",
            "src/../../outside/secret",
            "/etc/passwd",
            "//etc/passwd",
            "/",
            &beside,
            &above,
        ];
        let links = [
            "to-secret",
            "to-outside",
            "to-nowhere",
            "to-proc",
            "to-zero",
            "to-root",
            "to-environment",
            "to-handle",
            "to-input",
        ];
        let through = [
            "to-outside/secret",
            "to-outside/new",
            "to-outside/new/deeper",
            "src/../to-outside/secret",
        ];
        for place in places(profile) {
            for path in lexical.into_iter().chain(through) {
                assert_eq!(
                    result_code(&session, profile, &place, path).await,
                    outside,
                    "{profile} {place:?} {path}"
                );
            }
            // Tools that remove a link do not follow it.
            for path in links.into_iter().filter(|_| place.2 != Takes) {
                assert_eq!(
                    result_code(&session, profile, &place, path).await,
                    outside,
                    "{profile} {place:?} {path}"
                );
            }
            for path in [".git/config", ".codeagent/config"] {
                let reply = result_code(&session, profile, &place, path).await;
                assert_ne!(reply, "ok", "{profile} {place:?} {path}");
            }
        }
        session.outside_is_untouched();
        for folder in [".git", ".codeagent"] {
            assert_eq!(
                session.text(&format!("{folder}/config")).as_deref(),
                Some("HIDDEN")
            );
        }
        assert_eq!(
            session.text("b.txt").as_deref(),
            Some("b"),
            "the source of a refused move stays"
        );
        session.state.close();
    }
}

#[tokio::test]
async fn every_path_parameter_refuses_invalid_paths() {
    let (long, deep) = ("n".repeat(256), "d/".repeat(2_048) + "x");
    assert_eq!(deep.len(), 4_097);
    for (profile, _, invalid) in PROFILES {
        let session = session(profile).await;
        for place in places(profile) {
            for path in ["a\0b", "\0", "src/a.ts\0.png", &long, &deep] {
                assert_eq!(
                    result_code(&session, profile, &place, path).await,
                    invalid,
                    "{profile} {place:?} {path:.20?}"
                );
            }
        }
        session.outside_is_untouched();
        session.state.close();
    }
}

/// Returns the error code for a path that does not exist.
fn missing(profile: &str, place: &PathCase) -> &'static str {
    match (profile, place.2) {
        ("index", _) => "not_found",
        ("assistant", Lists) => "directory_not_found",
        ("assistant", _) => "file_not_found",
        ("patch", _) => "NotFound",
        ("workspace", _) => "NOT_FOUND",
        _ => "fileAccessFailed",
    }
}

#[tokio::test]
async fn shell_and_foreign_path_syntax_is_taken_literally() {
    let literal = [
        "%2e%2e%2fsecret",
        "%2e%2e",
        "\u{ff0e}\u{ff0e}\u{ff0f}secret",
        "..%00",
        "..%c0%af",
        "....//secret",
        "~",
        "~/x",
        "$HOME",
        "${HOME}/x",
        "*",
        "src/*",
        "{a,b}",
        "`id`",
        "a\nb",
        "a\rb",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{fffd}.ts",
    ];
    // `workspace` refuses paths that are absolute on any system; for the others they are names.
    let foreign = [
        "C:\\x",
        "c:/x",
        "\\\\server\\s",
        "\\\\?\\x",
        "file:///etc/passwd",
    ];
    for (profile, outside, _) in PROFILES {
        let session = session(profile).await;
        for place in places(profile)
            .into_iter()
            .filter(|place| matches!(place.2, Reads | Lists))
        {
            for path in literal {
                assert_eq!(
                    result_code(&session, profile, &place, path).await,
                    missing(profile, &place),
                    "{profile} {place:?} {path:?}"
                );
            }
            for path in foreign {
                let expected = if profile == "workspace" {
                    outside
                } else {
                    missing(profile, &place)
                };
                assert_eq!(
                    result_code(&session, profile, &place, path).await,
                    expected,
                    "{profile} {place:?} {path:?}"
                );
            }
        }
        session.outside_is_untouched();
        session.state.close();
    }
}

#[tokio::test]
async fn each_profile_accepts_the_path_forms_of_its_contract() {
    let absolute = |session: &Session| session.at("src/a.ts");
    for (profile, tool, parameter, inside, root_as_file, from_root) in [
        (
            "index",
            "read_file",
            "path",
            "ok",
            "invalid_parameter",
            "ok",
        ),
        (
            "assistant",
            "read_file",
            "path",
            "access_denied",
            "invalid_arguments",
            "ok",
        ),
        ("patch", "append", "path", "ok", "NotFound", "ok"),
        (
            "workspace",
            "read_file",
            "file",
            "INVALID_PATH",
            "NOT_FILE",
            "INVALID_PATH",
        ),
        (
            "local",
            "local_fetch_content",
            "path",
            "ok",
            "fileAccessFailed",
            "ok",
        ),
    ] {
        let session = session(profile).await;
        let rest = if tool == "append" {
            json!({ "content": "" })
        } else {
            json!({})
        };
        let place = (tool, parameter, Reads, rest);
        let from = absolute(&session);
        for (path, expected) in [
            ("src/a.ts", "ok"),
            ("./src//a.ts", "ok"),
            ("src/./a.ts", "ok"),
            ("src/a.ts/", "ok"),
            ("ignored.ts", "ok"),
            ("src/../src/a.ts", inside),
            (from.as_str(), from_root),
            (".", root_as_file),
            ("./", root_as_file),
            ("src", root_as_file),
            (
                ".env",
                if profile == "local" {
                    "pathValidationFailed"
                } else {
                    "ok"
                },
            ),
        ] {
            assert_eq!(
                result_code(&session, profile, &place, path).await,
                expected,
                "{profile} {path}"
            );
        }
        let empty = if profile == "local" {
            "invalid"
        } else {
            root_as_file
        };
        assert_eq!(
            result_code(&session, profile, &place, "").await,
            empty,
            "{profile}"
        );
        session.state.close();
    }
    for (profile, tool, parameter) in [
        ("index", "list_directory", "path"),
        ("index", "get_directory_tree", "path"),
        ("assistant", "list_files", "directory"),
        ("workspace", "list_dir", "dir"),
        ("local", "local_view_structure", "path"),
        ("local", "local_find_files", "path"),
    ] {
        let session = session(profile).await;
        let place = (tool, parameter, Lists, json!({}));
        for path in ["", ".", "./", ".//", "src/", "src//", "./src/."]
            .into_iter()
            .filter(|path| profile != "local" || !path.is_empty())
        {
            assert_eq!(
                result_code(&session, profile, &place, path).await,
                "ok",
                "{profile} {tool} {path:?}"
            );
        }
        session.state.close();
    }
}
