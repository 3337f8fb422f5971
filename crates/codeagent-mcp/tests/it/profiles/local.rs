//! The `local` profile: its recorded contract, one to five queries with partial failure, pages,
//! minification, hints, limits and secrets.

use codeagent_files::local::is_secret;
use codeagent_workspace::RepoPath;
use rmcp::model::GetPromptRequestParams;
use serde_json::{Value, json};

use crate::profiles::support::{Session, text_of};

const SERVICE: &str = "import { Db } from './db';\n\n/** Users. */\nexport class UserService {\n  // keeps them\n  find(id: string) {\n    return Db.find(id);\n  }\n}\n";

async fn session() -> Session {
    let files = [
        ("src/service.ts", SERVICE),
        (
            "src/db.ts",
            "export const Db = { find(id: string) { return id; } };\n",
        ),
        ("src/deep/er/x.js", "const a = 1;\n"),
        ("README.md", "# UserService\n"),
        ("data.json", "{\n  \"a\": 1\n}\n"),
        (".env", "SECRET=1\n"),
        (".hidden.ts", "UserService\n"),
        ("keys/id_rsa", "SECRET\n"),
        ("keys/server.pem", "SECRET\n"),
        ("empty.txt", ""),
    ];
    Session::of("local", &files).await
}

/// Returns the text of one query's answer.
async fn ask(session: &Session, tool: &str, query: Value) -> String {
    session.call_text(tool, json!({ "queries": [query] })).await
}

/// Asserts that the text contains every line, in any order.
fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            text.lines()
                .any(|found| found.trim_start().trim_start_matches("- ") == *line),
            "{line} is not in\n{text}"
        );
    }
}

#[tokio::test]
async fn tools_and_prompts_are_those_of_the_contract() {
    let session = session().await;
    let contract: Value = serde_json::from_str(include_str!(
        "../../../../codeagent-files/src/local/contract.json"
    ))
    .unwrap();
    let tools = session.client.list_all_tools().await.unwrap();
    let recorded = contract["tools"].as_array().unwrap();
    assert_eq!((tools.len(), recorded.len()), (4, 4));
    for (tool, recorded) in tools.iter().zip(recorded) {
        let served = json!({ "name": tool.name, "description": tool.description, "inputSchema": *tool.input_schema });
        assert_eq!(&served, recorded);
    }
    let answer = session.client.peer_info().unwrap();
    assert_eq!(
        answer.server_info.as_ref().unwrap().name,
        "local-explorer-mcp"
    );
    let capabilities =
        json!({ "tools": { "listChanged": true }, "prompts": { "listChanged": true } });
    assert_eq!(
        serde_json::to_value(&answer.capabilities).unwrap(),
        capabilities
    );
    let parameters: Vec<usize> = recorded
        .iter()
        .map(|tool| {
            tool["inputSchema"]["properties"]["queries"]["items"]["properties"]
                .as_object()
                .unwrap()
                .len()
        })
        .collect();
    assert_eq!(parameters, [52, 22, 30, 11]);
    let prompts = session.client.list_all_prompts().await.unwrap();
    assert_eq!(serde_json::to_value(&prompts).unwrap(), contract["prompts"]);
    for prompt in &prompts {
        let answer = session
            .client
            .get_prompt(GetPromptRequestParams::new(prompt.name.clone()))
            .await
            .unwrap();
        assert!(
            answer.messages[0]
                .content
                .as_text()
                .unwrap()
                .text
                .contains("local_"),
            "{}",
            prompt.name
        );
    }
    assert!(
        session
            .client
            .get_prompt(GetPromptRequestParams::new("nothing"))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_failing_query_does_not_affect_the_others() {
    let session = session().await;
    let queries = json!([
        { "path": "README.md", "researchGoal": "goal", "reasoning": "reason" },
        { "path": "nowhere" },
        { "path": "../outside/secret" },
        { "path": "empty.txt" },
        { "path": "src" },
    ]);
    let result = session
        .call("local_fetch_content", json!({ "queries": queries }))
        .await
        .unwrap();
    assert_ne!(result.is_error, Some(true));
    let text = text_of(&result);
    let statuses: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  - status: "))
        .collect();
    assert_eq!(
        statuses,
        [
            "\"hasResults\"",
            "\"error\"",
            "\"error\"",
            "\"empty\"",
            "\"error\""
        ],
        "{text}"
    );
    says(
        &text,
        &[
            "researchGoal: \"goal\"",
            "reasoning: \"reason\"",
            "errorCode: \"fileAccessFailed\"",
            "errorCode: \"pathValidationFailed\"",
        ],
    );
    assert!(!text.contains("SECRET"));
}

#[tokio::test]
async fn one_to_five_queries_are_accepted_and_checked() {
    let session = session().await;
    let query = json!({ "path": ".", "pattern": "x" });
    for (arguments, wrong) in [
        (json!({}), "`arguments.queries` is missing"),
        (
            json!({ "queries": [] }),
            "`arguments.queries` takes 1 to 5 items, got 0",
        ),
        (
            json!({ "queries": vec![&query; 6] }),
            "`arguments.queries` takes 1 to 5 items, got 6",
        ),
        (
            json!({ "queries": [{ "path": "." }] }),
            "`arguments.queries[0].pattern` is missing",
        ),
        (
            json!({ "queries": [{ "path": ".", "pattern": "" }] }),
            "`arguments.queries[0].pattern` must be a non-empty string, got \"\"",
        ),
        (
            json!({ "queries": [{ "path": ".", "pattern": "x", "filesPerPage": 21 }] }),
            "`arguments.queries[0].filesPerPage` must be from 1 to 20, got 21",
        ),
        (
            json!({ "queries": [{ "path": ".", "pattern": "x", "mode": "fast" }] }),
            "`arguments.queries[0].mode` must be one of discovery, paginated, detailed, got \"fast\"",
        ),
        (
            json!({ "queries": [{ "path": ".", "pattern": "x", "color": true }] }),
            "`arguments.queries[0]` has no field `color`",
        ),
        (
            json!({ "queries": [{ "path": ".", "pattern": "x", "hidden": 1 }] }),
            "`arguments.queries[0].hidden` must be true or false, got 1",
        ),
        (
            json!({ "queries": query, "more": 1 }),
            "`arguments` has no field `more`",
        ),
    ] {
        let result = session
            .call("local_ripgrep", arguments.clone())
            .await
            .unwrap();
        assert_eq!(
            (result.is_error, text_of(&result)),
            (Some(true), format!("Input validation error: {wrong}")),
            "{arguments}"
        );
    }
    assert!(
        ask(
            &session,
            "local_ripgrep",
            json!({ "path": ".", "pattern": "x", "type": null })
        )
        .await
        .contains("status"),
        "null is absent"
    );
}

#[tokio::test]
async fn local_ripgrep_finds_matches() {
    let session = session().await;
    let text = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "UserService", "path": "." }),
    )
    .await;
    says(
        &text,
        &[
            "status: \"hasResults\"",
            "searchEngine: \"rg\"",
            "path: \"README.md\"",
            "path: \"src/service.ts\"",
            "value: \"export class UserService {\"",
            "charOffset: 55",
            "charLength: 11",
            "line: 4",
            "column: 14",
            "totalMatches: 2",
            "totalFiles: 2",
            "currentPage: 1",
            "totalPages: 1",
            "filesPerPage: 10",
            "hasMore: false",
            "\"Total: 2 matches across 2 files\"",
            "matchCount: 2",
            "filesSearched: 6",
        ],
    );
    let search = async |query: Value| ask(&session, "local_ripgrep", query).await;
    let hidden = search(json!({ "pattern": "UserService", "path": ".", "hidden": true })).await;
    says(&hidden, &["totalFiles: 3", "path: \".hidden.ts\""]);
    let secret =
        search(json!({ "pattern": "SECRET", "path": ".", "hidden": true, "noIgnore": true })).await;
    says(&secret, &["status: \"empty\"", "\"No matches\""]);
    assert!(
        !search(json!({ "pattern": "SECRET", "path": "keys" }))
            .await
            .contains("hasResults")
    );
    says(
        &search(json!({ "pattern": "userservice", "path": "." })).await,
        &["totalFiles: 2"],
    );
    says(
        &search(json!({ "pattern": "userservice", "path": ".", "caseSensitive": true })).await,
        &["status: \"empty\""],
    );
    says(
        &search(json!({ "pattern": "USERservice", "path": "." })).await,
        &["status: \"empty\""],
    );
    says(
        &search(json!({ "pattern": "USERservice", "path": ".", "caseInsensitive": true })).await,
        &["totalFiles: 2"],
    );
    says(
        &search(json!({ "pattern": "Db.find(", "path": ".", "fixedString": true })).await,
        &["totalFiles: 1"],
    );
    says(
        &search(json!({ "pattern": "fin", "path": ".", "wholeWord": true })).await,
        &["status: \"empty\""],
    );
    says(
        &search(json!({ "pattern": "const a = 1;", "path": ".", "lineRegexp": true })).await,
        &["totalFiles: 1"],
    );
    says(
        &search(json!({ "pattern": ".", "path": "src/db.ts", "invertMatch": true })).await,
        &["status: \"empty\""],
    );
    says(
        &search(json!({ "pattern": "find", "path": ".", "type": "js" })).await,
        &["status: \"empty\""],
    );
    says(
        &search(
            json!({ "pattern": "find", "path": ".", "include": ["*.ts"], "exclude": ["db.*"] }),
        )
        .await,
        &["totalFiles: 1"],
    );
    says(
        &search(json!({ "pattern": "const", "path": ".", "excludeDir": ["deep"] })).await,
        &["totalFiles: 1", "path: \"src/db.ts\""],
    );
    let listed = search(json!({ "pattern": "find", "path": ".", "mode": "discovery" })).await;
    says(&listed, &["totalFiles: 2", "totalMatches: 3"]);
    assert!(!listed.contains("value:"));
    let without =
        search(json!({ "pattern": "find", "path": "src", "filesWithoutMatch": true })).await;
    says(&without, &["totalFiles: 1", "path: \"src/deep/er/x.js\""]);
    says(
        &search(json!({ "pattern": "d", "path": "src/db.ts", "countMatches": true })).await,
        &["matchCount: 4", "totalMatches: 4"],
    );
    says(
        &search(json!({ "pattern": "d", "path": "src/db.ts", "count": true })).await,
        &["matchCount: 1"],
    );
    let around =
        search(json!({ "pattern": "class UserService", "path": "src", "contextLines": 1 })).await;
    says(
        &around,
        &["value: \"/** Users. */\\nexport class UserService {\\n  // keeps them\""],
    );
    let cut = search(json!({ "pattern": "class UserService", "path": "src", "matchContentLength": 6, "lineNumbers": false })).await;
    says(&cut, &["value: \"export...\""]);
    assert!(!cut.contains("line: "));
    let lines = search(
        json!({ "pattern": "find\\(id: string\\) \\{\\n.*Db", "path": "src", "multiline": true }),
    )
    .await;
    says(&lines, &["totalFiles: 1"]);
    for wrong in [
        json!({ "pattern": "(", "path": "." }),
        json!({ "pattern": "(?<=a)b", "path": "." }),
        json!({ "pattern": "(\\w{1000}){1000}", "path": "." }),
        json!({ "pattern": "a", "path": ".", "type": "nothing" }),
        json!({ "pattern": "a", "path": ".", "include": ["{"] }),
        json!({ "pattern": "a", "path": ".", "encoding": "nothing" }),
        json!({ "pattern": "a", "path": ".", "filesOnly": true, "passthru": true }),
    ] {
        says(
            &search(wrong.clone()).await,
            &["status: \"error\"", "errorCode: \"queryExecutionFailed\""],
        );
    }
}

#[tokio::test]
async fn perl_patterns_support_lookaround_and_backreferences() {
    let session = session().await;
    std::fs::write(
        session.root().join("words.txt"),
        "alpha alph alpha\nfunction beta\nab\n\u{e4}\u{e4}\nBeta beta\n",
    )
    .unwrap();
    for (pattern, more, line, value) in [
        ("(?<=function )beta", json!({}), 2, "function beta"),
        ("(a)lph\\1(?= alph )", json!({}), 1, "alpha alph alpha"),
        ("(?<twice>\\w)\\k<twice>$", json!({}), 4, "\u{e4}\u{e4}"),
        ("^a(?!l)", json!({}), 3, "ab"),
        (
            "beta(?! )",
            json!({ "wholeWord": true, "caseSensitive": true }),
            2,
            "function beta",
        ),
        ("\\p{Lu}eta", json!({}), 5, "Beta beta"),
        ("(?>a+)b", json!({ "lineRegexp": true }), 3, "ab"),
        ("ab\\K\\n(?=\u{e4})", json!({ "multiline": true }), 3, "ab"),
    ] {
        let mut query = json!({ "pattern": pattern, "path": "words.txt", "perlRegex": true });
        query
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let text = ask(&session, "local_ripgrep", query).await;
        says(
            &text,
            &[
                "status: \"hasResults\"",
                &format!("line: {line}"),
                &format!("value: \"{value}\""),
            ],
        );
        assert!(!text.contains("perlRegex"), "{text}");
    }
    let lookahead = json!({ "pattern": "ab\\n(?=\u{e4})", "path": "words.txt", "perlRegex": true, "multiline": true });
    says(
        &ask(&session, "local_ripgrep", lookahead).await,
        &["charOffset: 31", "charLength: 3"],
    );
    let smart = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "(?<=function )BETA", "path": ".", "perlRegex": true }),
    )
    .await;
    says(&smart, &["status: \"empty\""]);
    let wrong = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "ab(", "path": ".", "perlRegex": true }),
    )
    .await;
    says(&wrong, &["errorCode: \"queryExecutionFailed\""]);
    assert!(
        wrong.contains("at offset 3: missing closing parenthesis"),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_perl_pattern_that_backtracks_too_much_fails_soon() {
    let session = session().await;
    std::fs::write(session.root().join("many.txt"), "a".repeat(50_000)).unwrap();
    for pattern in [
        "(a+)+[bc]",
        "(a|aa)+[bc]",
        "a*a*a*a*[bc]",
        "(.*)(.*)(.*)(.*)[bc]",
        "(?:a?){50}a{50}[bc]",
    ] {
        let begun = std::time::Instant::now();
        let text = ask(
            &session,
            "local_ripgrep",
            json!({ "pattern": pattern, "path": ".", "perlRegex": true }),
        )
        .await;
        says(&text, &["errorCode: \"queryExecutionFailed\""]);
        assert!(
            text.contains("too much backtracking (in many.txt)"),
            "{pattern}: {text}"
        );
        // A second or two; more if other tests use the processors.
        assert!(
            begun.elapsed().as_secs() < 60,
            "{pattern} takes {:?}",
            begun.elapsed()
        );
    }
    let text = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "(a+)+$", "path": "many.txt", "perlRegex": true, "filesOnly": true }),
    )
    .await;
    says(&text, &["totalFiles: 1"]);
}

#[tokio::test]
async fn links_are_followed_on_request_and_only_inside_the_root() {
    let session = session().await;
    let link = |target: &str, at: &str| {
        std::os::unix::fs::symlink(target, session.root().join(at)).unwrap()
    };
    let write = |path: &str| {
        let path = session.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "needle\n").unwrap();
    };
    for path in [
        "shared/a.ts",
        "shared/deep/b.ts",
        "shared/.env",
        "app/own.ts",
        "ignored/i.ts",
        "other/c.md",
    ] {
        write(path);
    }
    std::fs::write(session.root().join(".ignore"), "/ignored\n").unwrap();
    link("../shared", "app/shared");
    link("..", "app/cycle");
    link("shared", "app/again");
    link("../other/c.md", "app/c.md");
    link("../../outside", "app/out");
    link("../keys", "app/keys");
    link("../.env", "app/innocent");
    link("../.git", "app/git");
    link("../ignored", "app/ignored");
    let found = async |query: Value| {
        let mut query = query;
        query["pattern"] = "needle|SECRET".into();
        let text = ask(&session, "local_ripgrep", query).await;
        let paths = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- path: "));
        paths
            .map(|path| path.trim_matches('"').to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(json!({ "path": "app" })).await, ["app/own.ts"]);
    // Each file is listed once, by whichever path leads to it; files in `..` by the first such
    // link.
    let all = found(json!({ "path": "app", "followSymlinks": true, "filesPerPage": 20 })).await;
    assert_eq!(
        all,
        [
            "app/again/a.ts",
            "app/again/deep/b.ts",
            "app/c.md",
            "app/own.ts"
        ],
        "{all:?}"
    );
    let globbed =
        found(json!({ "path": "app", "followSymlinks": true, "include": ["*.md"] })).await;
    assert_eq!(globbed, ["app/c.md"]);
    let whole = found(json!({ "path": ".", "followSymlinks": true, "filesPerPage": 20 })).await;
    assert_eq!(
        whole,
        [
            "app/own.ts",
            "other/c.md",
            "shared/a.ts",
            "shared/deep/b.ts"
        ],
        "no file twice"
    );
    let unruled = found(json!({ "path": "app", "followSymlinks": true, "noIgnore": true, "hidden": true, "filesPerPage": 20 })).await;
    assert!(
        unruled.contains(&"app/ignored/i.ts".to_owned())
            || unruled.contains(&"app/cycle/ignored/i.ts".to_owned()),
        "{unruled:?}"
    );
    assert!(
        unruled.iter().all(|path| !path.contains("keys")
            && !path.contains("env")
            && !path.contains("innocent")),
        "{unruled:?}"
    );
}

#[tokio::test]
async fn options_without_effect_are_reported() {
    let session = session().await;
    for (option, reason) in [
        ("jsonOutput", "all answers have the same format"),
        ("passthru", "use local_fetch_content for whole files"),
        ("mmap", "files are always read through handles"),
        (
            "noMessages",
            "files that cannot be read are always skipped silently",
        ),
    ] {
        let mut query = json!({ "pattern": "UserService", "path": "." });
        query[option] = true.into();
        says(
            &ask(&session, "local_ripgrep", query).await,
            &[&format!("\"{option} has no effect: {reason}\"")],
        );
    }
    let usual = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "UserService", "path": "." }),
    )
    .await;
    assert!(!usual.contains("warnings"), "{usual}");
}

#[tokio::test]
async fn local_ripgrep_results_are_paged() {
    let session = session().await;
    for index in 0..25 {
        std::fs::write(
            session.root().join(format!("many{index:02}.txt")),
            "needle\n".repeat(12),
        )
        .unwrap();
    }
    let search = async |query: Value| ask(&session, "local_ripgrep", query).await;
    let first = search(json!({ "pattern": "needle", "path": "." })).await;
    says(
        &first,
        &[
            "totalPages: 3",
            "hasMore: true",
            "\"Next: filePageNumber=2\"",
            "totalMatches: 300",
            "matchesPerPage: 10",
            "path: \"many00.txt\"",
        ],
    );
    assert_eq!(first.matches("path: \"many").count(), 10);
    let last = search(
        json!({ "pattern": "needle", "path": ".", "filePageNumber": 3, "matchesPerPage": 1 }),
    )
    .await;
    says(&last, &["path: \"many24.txt\"", "\"Final page\""]);
    assert_eq!(last.matches("value: ").count(), 5);
    let bounded = search(json!({ "pattern": "needle", "path": ".", "maxFiles": 3, "maxMatchesPerFile": 2, "filesPerPage": 20 })).await;
    says(&bounded, &["totalFiles: 3"]);
    assert_eq!(bounded.matches("value: ").count(), 6);
    let reversed =
        search(json!({ "pattern": "needle", "path": ".", "sortReverse": true, "filesPerPage": 1 }))
            .await;
    says(&reversed, &["path: \"many24.txt\""]);
    let dated = search(json!({ "pattern": "needle", "path": ".", "sort": "modified", "showFileLastModified": true })).await;
    assert!(dated.contains("modified: \"20"));
}

#[tokio::test]
async fn local_view_structure_lists_folders() {
    let session = session().await;
    let view = async |query: Value| ask(&session, "local_view_structure", query).await;
    let text = view(json!({ "path": ".", "sortBy": "name" })).await;
    let listing = "structuredOutput: \"[FILE] README.md (14B) .md\\n[FILE] data.json (13B) .json\\n[FILE] empty.txt (0B) .txt\\n[DIR]  keys/\\n[DIR]  src/\"";
    says(
        &text,
        &[
            "status: \"hasResults\"",
            listing,
            "totalFiles: 3",
            "totalDirectories: 2",
            "totalSize: 27",
            "entriesPerPage: 20",
            "totalEntries: 5",
        ],
    );
    assert!(
        view(json!({ "path": ".", "hidden": true }))
            .await
            .contains(".hidden.ts")
            && !view(json!({ "path": ".", "hidden": true }))
                .await
                .contains(".env")
    );
    let keys = view(json!({ "path": "keys" })).await;
    says(&keys, &["status: \"empty\""]);
    let deep = view(json!({ "path": "src", "recursive": true, "sortBy": "name" })).await;
    assert!(
        deep.contains("[DIR]  deep/\\n  [DIR]  deep/er/\\n    [FILE] deep/er/x.js (13B) .js"),
        "{deep}"
    );
    assert!(
        !view(json!({ "path": "src", "depth": 2 }))
            .await
            .contains("x.js")
    );
    let only = async |query: Value| view(query).await.matches('[').count();
    assert_eq!(
        only(json!({ "path": ".", "directoriesOnly": true })).await,
        2
    );
    assert_eq!(only(json!({ "path": ".", "filesOnly": true })).await, 3);
    assert_eq!(only(json!({ "path": ".", "pattern": "*.MD" })).await, 1);
    assert_eq!(only(json!({ "path": ".", "pattern": "a" })).await, 1);
    assert_eq!(only(json!({ "path": ".", "extension": "md" })).await, 1);
    assert_eq!(
        only(json!({ "path": ".", "extensions": ["md", ".json"] })).await,
        2
    );
    assert_eq!(only(json!({ "path": ".", "limit": 2 })).await, 2);
    let page =
        view(json!({ "path": ".", "sortBy": "size", "reverse": true, "entriesPerPage": 2, "entryPageNumber": 3, "summary": false })).await;
    says(
        &page,
        &[
            "structuredOutput: \"[FILE] README.md (14B) .md\"",
            "\"Page 3/3 (showing 1 of 5)\"",
        ],
    );
    assert!(!page.contains("totalSize"));
    let part =
        view(json!({ "path": ".", "sortBy": "name", "charOffset": 7, "charLength": 9 })).await;
    says(&part, &["structuredOutput: \"README.md\""]);
    let details = view(
        json!({ "path": ".", "pattern": "README.md", "details": true, "humanReadable": false }),
    )
    .await;
    assert!(
        details.contains("README.md (14) .md 6") && details.contains("Z\""),
        "{details}"
    );
    for (query, code) in [
        (json!({ "path": "nowhere" }), "fileAccessFailed"),
        (json!({ "path": "README.md" }), "fileAccessFailed"),
        (json!({ "path": "../" }), "pathValidationFailed"),
        (json!({ "path": ".git" }), "pathValidationFailed"),
    ] {
        says(
            &view(query).await,
            &["status: \"error\"", &format!("errorCode: \"{code}\"")],
        );
    }
}

#[tokio::test]
async fn local_find_files_filters_by_name_size_time_and_type() {
    let session = session().await;
    let found = async |query: Value| {
        let text = ask(&session, "local_find_files", query).await;
        let paths = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- path: "));
        let mut paths: Vec<String> = paths
            .map(|path| path.trim_matches('"').to_owned())
            .collect();
        // The results are ordered by time, which these files share.
        paths.sort();
        paths
    };
    assert_eq!(
        found(json!({ "path": ".", "name": "*.ts" })).await,
        [".hidden.ts", "src/db.ts", "src/service.ts"]
    );
    assert_eq!(
        found(json!({ "path": ".", "iname": "readme*" })).await,
        ["README.md"]
    );
    assert_eq!(
        found(json!({ "path": ".", "names": ["*.md", "*.json"] })).await,
        ["README.md", "data.json"]
    );
    assert_eq!(
        found(json!({ "path": ".", "pathPattern": "src/**", "type": "d" })).await,
        ["src/deep", "src/deep/er"]
    );
    assert_eq!(
        found(json!({ "path": ".", "regex": "d.*\\.ts$" })).await,
        [".hidden.ts", "src/db.ts"]
    );
    assert_eq!(
        found(json!({ "path": ".", "empty": true, "type": "f" })).await,
        ["empty.txt"]
    );
    assert_eq!(
        found(json!({ "path": ".", "sizeGreater": "100", "type": "f" })).await,
        ["src/service.ts"]
    );
    assert_eq!(
        found(json!({ "path": ".", "sizeLess": "1", "type": "f" })).await,
        ["empty.txt"]
    );
    assert_eq!(
        found(json!({ "path": ".", "modifiedBefore": "1d" })).await,
        [""; 0]
    );
    assert_eq!(found(json!({ "path": ".", "modifiedWithin": "1h", "accessedWithin": "1d", "maxDepth": 1, "type": "f" })).await.len(), 4);
    assert_eq!(
        found(json!({ "path": ".", "minDepth": 3, "excludeDir": ["nothing"] })).await,
        ["src/deep/er", "src/deep/er/x.js"]
    );
    assert_eq!(
        found(json!({ "path": "src", "excludeDir": ["deep"] })).await,
        ["src/db.ts", "src/service.ts"]
    );
    std::fs::set_permissions(
        session.root().join("data.json"),
        std::os::unix::fs::PermissionsExt::from_mode(0o751),
    )
    .unwrap();
    assert_eq!(
        found(json!({ "path": ".", "permissions": "751", "executable": true, "readable": true, "writable": true })).await,
        ["data.json"]
    );
    assert!(
        found(json!({ "path": ".", "maxDepth": 10 }))
            .await
            .iter()
            .all(|path| !is_secret(&RepoPath::new(path).unwrap()))
    );
    let text = ask(
        &session,
        "local_find_files",
        json!({ "path": ".", "name": "data.json", "details": true, "showFileLastModified": true }),
    )
    .await;
    says(
        &text,
        &[
            "type: \"file\"",
            "size: 13",
            "permissions: \"751\"",
            "totalFiles: 1",
            "\"Sorted by modification time, newest first\"",
        ],
    );
    let newest = std::fs::File::options()
        .write(true)
        .open(session.root().join("src/db.ts"))
        .unwrap();
    newest
        .set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(60))
        .unwrap();
    let first = ask(
        &session,
        "local_find_files",
        json!({ "path": ".", "type": "f", "filesPerPage": 1 }),
    )
    .await;
    says(
        &first,
        &[
            "path: \"src/db.ts\"",
            "\"Sorted by modification time, newest first\"",
        ],
    );
    let page = ask(
        &session,
        "local_find_files",
        json!({ "path": ".", "filesPerPage": 2, "filePageNumber": 2, "limit": 3 }),
    )
    .await;
    says(&page, &["totalFiles: 3", "\"Page 2/2 (showing 1 of 3)\""]);
    let part = ask(
        &session,
        "local_find_files",
        json!({ "path": ".", "name": "data.json", "charOffset": 0, "charLength": 9 }),
    )
    .await;
    says(&part, &["files: \"{\\\"path\\\":\\\"\"", "charLength: 9"]);
    for (query, code) in [
        (json!({ "path": ".", "name": "{" }), "queryExecutionFailed"),
        (json!({ "path": ".", "regex": "(" }), "queryExecutionFailed"),
        (
            json!({ "path": ".", "modifiedWithin": "soon" }),
            "queryExecutionFailed",
        ),
        (
            json!({ "path": ".", "sizeGreater": "big" }),
            "queryExecutionFailed",
        ),
        (
            json!({ "path": ".", "permissions": "rwx" }),
            "queryExecutionFailed",
        ),
        (json!({ "path": "nowhere" }), "fileAccessFailed"),
        (json!({ "path": "/etc" }), "pathValidationFailed"),
    ] {
        says(
            &ask(&session, "local_find_files", query).await,
            &["status: \"error\"", &format!("errorCode: \"{code}\"")],
        );
    }
}

#[tokio::test]
async fn local_fetch_content_reads_sections() {
    let session = session().await;
    let fetch = async |query: Value| ask(&session, "local_fetch_content", query).await;
    let small = fetch(json!({ "path": "src/service.ts" })).await;
    let minified = "content: \"import { Db } from './db';\\nexport class UserService {\\nfind(id: string) {\\nreturn Db.find(id);\\n}\\n}\"";
    says(
        &small,
        &[
            "status: \"hasResults\"",
            minified,
            "isPartial: false",
            "totalLines: 9",
        ],
    );
    says(
        &small,
        &["\"Minified: minified=false shows indentation, blank lines and comments\""],
    );
    let whole =
        fetch(json!({ "path": "src/service.ts", "minified": false, "fullContent": true })).await;
    says(
        &whole,
        &[
            &format!("content: {}", Value::from(SERVICE)),
            &format!("contentLength: {}", SERVICE.len()),
        ],
    );
    let section =
        fetch(json!({ "path": "src/service.ts", "matchString": "DB.FIND", "matchStringContextLines": 1, "minified": false })).await;
    says(
        &section,
        &[
            "content: \"  find(id: string) {\\n    return Db.find(id);\\n  }\"",
            "isPartial: true",
        ],
    );
    let apart = fetch(json!({ "path": "src/service.ts", "matchString": "import|^}", "matchStringIsRegex": true, "matchStringContextLines": 1, "minified": false })).await;
    assert!(apart.contains("... [5 lines omitted] ..."), "{apart}");
    let none = fetch(json!({ "path": "src/service.ts", "matchString": "db.find", "matchStringCaseSensitive": true })).await;
    says(
        &none,
        &[
            "status: \"empty\"",
            "errorCode: \"noMatches\"",
            "\"Try matchStringCaseSensitive=false\"",
        ],
    );
    let part = fetch(json!({ "path": "README.md", "charOffset": 2, "charLength": 4 })).await;
    says(&part, &["isPartial: true"]);
    let comment = fetch(json!({ "path": "src/service.ts", "matchString": "keeps them", "matchStringContextLines": 1 })).await;
    assert!(
        comment.contains("// keeps them"),
        "a comment that was asked for is shown: {comment}"
    );
    says(
        &part,
        &[
            "content: \"User\"",
            "charOffset: 2",
            "totalChars: 13",
            "hasMore: true",
            "\"Next: charOffset=6 (of 13 bytes)\"",
        ],
    );
    says(
        &fetch(json!({ "path": "data.json" })).await,
        &["content: \"{\\\"a\\\":1}\""],
    );
    let root = session.root();
    std::fs::write(root.join("large.txt"), "x\n".repeat(60_000)).unwrap();
    std::fs::write(root.join("long.txt"), "line of text\n".repeat(1_000)).unwrap();
    std::fs::write(root.join("image.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    for (query, code) in [
        (json!({ "path": "large.txt" }), "fileTooLarge"),
        (json!({ "path": "long.txt" }), "paginationRequired"),
        (
            json!({ "path": "long.txt", "matchString": "text" }),
            "patternTooBroad",
        ),
        (json!({ "path": "image.png" }), "fileReadFailed"),
        (
            json!({ "path": "long.txt", "matchString": "(", "matchStringIsRegex": true }),
            "queryExecutionFailed",
        ),
        (json!({ "path": "src" }), "fileAccessFailed"),
        (json!({ "path": ".env" }), "pathValidationFailed"),
        (json!({ "path": "keys/id_rsa" }), "pathValidationFailed"),
        (json!({ "path": "keys/server.pem" }), "pathValidationFailed"),
        (json!({ "path": ".git/config" }), "pathValidationFailed"),
    ] {
        says(
            &fetch(query.clone()).await,
            &["status: \"error\"", &format!("errorCode: \"{code}\"")],
        );
    }
    says(
        &fetch(json!({ "path": "large.txt", "charLength": 10_000 })).await,
        &["contentLength: 10000"],
    );
}

#[tokio::test]
async fn an_answer_has_at_most_25_000_tokens() {
    let session = session().await;
    std::fs::write(session.root().join("wide.txt"), "\u{4}\"".repeat(20_000)).unwrap();
    let query = json!({ "path": "wide.txt", "charLength": 10_000, "minified": false });
    let result = session
        .call("local_fetch_content", json!({ "queries": vec![query; 5] }))
        .await
        .unwrap();
    assert_eq!(result.is_error, Some(true));
    says(&text_of(&result), &["errorCode: \"responseTooLarge\""]);
}

#[tokio::test]
async fn hostile_paths_are_refused() {
    let session = session().await;
    session.plant();
    std::os::unix::fs::symlink(".env", session.root().join("innocent.txt")).unwrap();
    for path in [
        "../outside/secret",
        "/etc/passwd",
        "//etc",
        "to-secret",
        "to-outside/secret",
        "to-nowhere",
        "to-proc",
        "to-zero",
        "a\0b",
        "innocent.txt",
    ] {
        let answer = session
            .call_text(
                "local_fetch_content",
                json!({ "queries": [{ "path": path }] }),
            )
            .await;
        says(&answer, &["errorCode: \"pathValidationFailed\""]);
    }
    for tool in ["local_view_structure", "local_find_files"] {
        let answer = session
            .call_text(tool, json!({ "queries": [{ "path": "to-outside" }] }))
            .await;
        says(&answer, &["errorCode: \"pathValidationFailed\""]);
    }
    let search = json!({ "pattern": "SECRET", "path": ".", "followSymlinks": true, "hidden": true, "noIgnore": true, "binaryFiles": "text" });
    assert!(
        session
            .call_text("local_ripgrep", json!({ "queries": [search] }))
            .await
            .contains("status: \"empty\"")
    );
    says(
        &session
            .call_text(
                "local_fetch_content",
                json!({ "queries": [{ "path": "pipe" }] }),
            )
            .await,
        &["errorCode: \"fileAccessFailed\""],
    );
    let inside = session
        .call_text(
            "local_fetch_content",
            json!({ "queries": [{ "path": session.at("README.md") }] }),
        )
        .await;
    says(&inside, &["status: \"hasResults\"", "path: \"README.md\""]);
}

#[test]
fn secrets_are_recognised_by_name() {
    for (path, secret) in [
        (".env", true),
        ("a/.env.production", true),
        ("a/.env.example", false),
        (".ssh/config", true),
        ("deploy/server.key", true),
        ("ID_RSA", true),
        ("id_rsa.pub", false),
        (".aws/credentials", true),
        ("src/environment.ts", false),
        ("src/keyboard.ts", false),
        (".gitignore", false),
        ("sub/.git/config", true),
    ] {
        assert_eq!(is_secret(&RepoPath::new(path).unwrap()), secret, "{path}");
    }
}
