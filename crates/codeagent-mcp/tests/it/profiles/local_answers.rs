//! Fields and errors of the `local` profile's answers, and its parameters that change an answer
//! little or not at all.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::profiles::support::Session;

const TEXT: &str = "alpha\nbeta Alpha\ngamma\n";

/// The fields of a query's answer, by tool; `[]` follows a list's name.
pub const FIELDS: &[(&str, &str)] = &[
    (
        "local_ripgrep",
        "status errorCode path searchEngine files files[].path files[].matchCount files[].modified files[].matches files[].matches[].value \
         files[].matches[].location files[].matches[].location.charOffset files[].matches[].location.charLength files[].matches[].line \
         files[].matches[].column files[].pagination files[].pagination.currentPage files[].pagination.totalPages \
         files[].pagination.matchesPerPage files[].pagination.totalMatches files[].pagination.hasMore totalMatches totalFiles pagination \
         pagination.currentPage pagination.totalPages pagination.filesPerPage pagination.totalFiles pagination.hasMore stats stats.matchCount \
         stats.filesMatched stats.filesSearched stats.bytesSearched stats.searchTime warnings hints researchGoal reasoning",
    ),
    (
        "local_view_structure",
        "status errorCode path structuredOutput totalFiles totalDirectories totalSize pagination pagination.currentPage pagination.totalPages \
         pagination.entriesPerPage pagination.totalEntries pagination.hasMore charPagination charPagination.charOffset \
         charPagination.charLength charPagination.totalChars charPagination.hasMore hints researchGoal reasoning",
    ),
    (
        "local_find_files",
        "status errorCode path files files[].path files[].type files[].size files[].permissions files[].modified totalFiles pagination \
         pagination.currentPage pagination.totalPages pagination.filesPerPage pagination.totalFiles pagination.hasMore charPagination \
         charPagination.charOffset charPagination.charLength charPagination.totalChars charPagination.hasMore hints researchGoal reasoning",
    ),
    (
        "local_fetch_content",
        "status errorCode path content contentLength isPartial totalLines pagination pagination.charOffset pagination.charLength \
         pagination.totalChars pagination.hasMore hints researchGoal reasoning",
    ),
];

/// The errors of a query's answer, by tool, except internal errors, time-outs and length limits,
/// which no query causes.
pub const ERRORS: &[(&str, &str)] = &[
    (
        "local_ripgrep",
        "pathValidationFailed fileAccessFailed queryExecutionFailed outputTooLarge",
    ),
    (
        "local_view_structure",
        "pathValidationFailed fileAccessFailed queryExecutionFailed",
    ),
    (
        "local_find_files",
        "pathValidationFailed fileAccessFailed queryExecutionFailed",
    ),
    (
        "local_fetch_content",
        "pathValidationFailed fileAccessFailed fileReadFailed fileTooLarge noMatches patternTooBroad paginationRequired queryExecutionFailed",
    ),
];

async fn session() -> Session {
    Session::of(
        "local",
        &[
            ("a.txt", TEXT),
            ("b/c.ts", "let alpha;\n"),
            ("bytes", "\0\0"),
            ("wide.txt", "\u{e9}\n"),
        ],
    )
    .await
}

async fn ask(session: &Session, tool: &str, query: Value) -> String {
    session.call_text(tool, json!({ "queries": [query] })).await
}

/// Returns the paths of all fields of an answer.
fn fields(told: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in told.lines() {
        let mut text = line.trim_start();
        let mut indent = line.len() - text.len();
        open.retain(|(at, _)| *at < indent);
        while let Some(item) = text.strip_prefix("- ") {
            let list = open
                .last()
                .map_or(String::new(), |(_, path)| format!("{path}[]"));
            open.push((indent, list));
            (text, indent) = (item, indent + 2);
        }
        let Some((name, _)) = text
            .split_once(':')
            .filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphabetic()))
        else {
            continue;
        };
        let path = open
            .last()
            .map_or(name.to_owned(), |(_, above)| format!("{above}.{name}"));
        found.extend(path.strip_prefix("results[].data.").map(str::to_owned));
        open.push((indent, path));
    }
    found
}

#[tokio::test]
async fn answers_have_exactly_the_documented_fields() {
    let session = session().await;
    std::fs::write(session.root().join("many.txt"), "alpha\n".repeat(11)).unwrap();
    let why = |mut query: Value| {
        query["researchGoal"] = json!("to know");
        query["reasoning"] = json!("it says so");
        query
    };
    for (tool, fields_of_tool) in FIELDS {
        let queries = match *tool {
            "local_ripgrep" => vec![
                json!({ "pattern": "alpha", "path": ".", "showFileLastModified": true, "mmap": true }),
                json!({ "pattern": "(", "path": "." }),
            ],
            "local_view_structure" => vec![
                json!({ "path": "." }),
                json!({ "path": ".", "charLength": 5 }),
                json!({ "path": "nowhere" }),
            ],
            "local_find_files" => vec![
                json!({ "path": ".", "details": true, "showFileLastModified": true }),
                json!({ "path": ".", "charLength": 5 }),
                json!({ "path": "nowhere" }),
            ],
            _ => vec![
                json!({ "path": "a.txt", "charLength": 5 }),
                json!({ "path": "nowhere" }),
            ],
        };
        let mut found = BTreeSet::new();
        for query in queries {
            found.extend(fields(&ask(&session, tool, why(query)).await));
        }
        let output: BTreeSet<String> = fields_of_tool
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(found, output, "{tool}");
    }
}

#[tokio::test]
async fn every_documented_error_occurs() {
    let session = session().await;
    let root = session.root();
    for index in 0..51 {
        std::fs::write(root.join(format!("many{index}.txt")), "n\n".repeat(1_000)).unwrap();
    }
    std::fs::write(root.join("large.txt"), "x\n".repeat(60_000)).unwrap();
    std::fs::write(root.join("long.txt"), "line of text\n".repeat(1_000)).unwrap();
    let mut seen = BTreeSet::new();
    for (tool, query, code) in [
        (
            "local_ripgrep",
            json!({ "pattern": "x", "path": "../outside" }),
            "pathValidationFailed",
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "x", "path": "nowhere" }),
            "fileAccessFailed",
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "(", "path": "." }),
            "queryExecutionFailed",
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "^n$", "path": "." }),
            "outputTooLarge",
        ),
        (
            "local_view_structure",
            json!({ "path": "/etc" }),
            "pathValidationFailed",
        ),
        (
            "local_view_structure",
            json!({ "path": "a.txt" }),
            "fileAccessFailed",
        ),
        (
            "local_view_structure",
            json!({ "path": ".", "pattern": "{*" }),
            "queryExecutionFailed",
        ),
        (
            "local_find_files",
            json!({ "path": ".git" }),
            "pathValidationFailed",
        ),
        (
            "local_find_files",
            json!({ "path": "a.txt" }),
            "fileAccessFailed",
        ),
        (
            "local_find_files",
            json!({ "path": ".", "names": ["{"] }),
            "queryExecutionFailed",
        ),
        (
            "local_fetch_content",
            json!({ "path": "../outside/secret" }),
            "pathValidationFailed",
        ),
        (
            "local_fetch_content",
            json!({ "path": "b" }),
            "fileAccessFailed",
        ),
        (
            "local_fetch_content",
            json!({ "path": "bytes" }),
            "fileReadFailed",
        ),
        (
            "local_fetch_content",
            json!({ "path": "large.txt" }),
            "fileTooLarge",
        ),
        (
            "local_fetch_content",
            json!({ "path": "a.txt", "matchString": "delta" }),
            "noMatches",
        ),
        (
            "local_fetch_content",
            json!({ "path": "long.txt", "matchString": "text" }),
            "patternTooBroad",
        ),
        (
            "local_fetch_content",
            json!({ "path": "long.txt", "fullContent": true }),
            "paginationRequired",
        ),
        (
            "local_fetch_content",
            json!({ "path": "a.txt", "matchString": "[", "matchStringIsRegex": true }),
            "queryExecutionFailed",
        ),
    ] {
        let told = ask(&session, tool, query.clone()).await;
        assert!(
            told.contains(&format!("errorCode: \"{code}\"")) && told.contains("hints:"),
            "{tool} {query}: {told:.500}"
        );
        seen.insert((tool, code));
    }
    let output = ERRORS
        .iter()
        .flat_map(|(tool, codes)| codes.split_whitespace().map(move |code| (*tool, code)));
    assert_eq!(seen, output.collect());
}

#[tokio::test]
async fn goals_and_reasons_are_echoed() {
    let session = session().await;
    for (tool, query) in [
        ("local_ripgrep", json!({ "pattern": "alpha", "path": "." })),
        ("local_view_structure", json!({ "path": "." })),
        ("local_find_files", json!({ "path": "." })),
        ("local_fetch_content", json!({ "path": "a.txt" })),
    ] {
        assert!(
            !ask(&session, tool, query.clone())
                .await
                .contains("reasoning")
        );
        let mut query = query;
        query["researchGoal"] = json!("goal: \"x\"");
        query["reasoning"] = json!("reason");
        let told = ask(&session, tool, query).await;
        assert!(
            told.contains("researchGoal: \"goal: \\\"x\\\"\"")
                && told.contains("reasoning: \"reason\""),
            "{told}"
        );
    }
}

#[tokio::test]
async fn each_parameter_changes_the_answer_as_documented() {
    let session = session().await;
    for (tool, query, parts) in [
        (
            "local_ripgrep",
            json!({ "pattern": "alpha", "path": "a.txt" }),
            &["totalMatches: 2", "column: 6", "filesSearched: 1"][..],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "alpha", "path": "a.txt", "smartCase": false }),
            &["totalMatches: 1"],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "beta", "path": ".", "beforeContext": 1 }),
            &["value: \"alpha\\nbeta Alpha\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "beta", "path": ".", "afterContext": 1 }),
            &["value: \"beta Alpha\\ngamma\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "gamma", "path": ".", "column": true }),
            &["column: 1"],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "beta.*gamma", "path": ".", "multiline": true }),
            &["status: \"empty\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "beta.*gamma", "path": ".", "multiline": true, "multilineDotall": true }),
            &["totalMatches: 1"],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "^\\w$", "path": "wide.txt" }),
            &["totalMatches: 1"],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "^\\w$", "path": "wide.txt", "noUnicode": true }),
            &["status: \"empty\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "gamma", "path": ".", "type": "ts" }),
            &["status: \"empty\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "alpha", "path": ".", "mode": "paginated" }),
            &["totalFiles: 2"],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "beta", "path": ".", "mode": "detailed" }),
            &["value: \"alpha\\nbeta Alpha\\ngamma\""],
        ),
        (
            "local_ripgrep",
            json!({ "pattern": "alpha", "path": ".", "filesPerPage": 1 }),
            &["totalPages: 2", "path: \"a.txt\""],
        ),
        (
            "local_view_structure",
            json!({ "path": ".", "pattern": "a.txt", "showFileLastModified": true }),
            &["a.txt (23B) .txt 20"],
        ),
        (
            "local_find_files",
            json!({ "path": ".", "regex": "^b/c\\.ts$", "regexType": "posix-extended" }),
            &["path: \"b/c.ts\"", "totalFiles: 1"],
        ),
    ] {
        let told = ask(&session, tool, query.clone()).await;
        assert!(
            parts.iter().all(|part| told.contains(part)),
            "{query}: {told}"
        );
    }
    let bare = ask(
        &session,
        "local_ripgrep",
        json!({ "pattern": "alpha", "path": ".", "includeStats": false }),
    )
    .await;
    assert!(!bare.contains("stats:"), "{bare}");
}

#[tokio::test]
async fn formatting_parameters_change_the_format() {
    let session = session().await;
    let told = async |query: Value| {
        let mut query = query;
        query["pattern"] = "alpha".into();
        query["path"] = "a.txt".into();
        ask(&session, "local_ripgrep", query).await
    };
    let usual = told(json!({})).await;
    assert!(
        usual.contains("matchCount: 2\n              matches") || usual.contains("matchCount"),
        "{usual}"
    );
    let bare = told(json!({ "includeDistribution": false, "includeStats": false })).await;
    assert!(
        !bare.contains("matchCount") && bare.contains("totalMatches: 2"),
        "{bare}"
    );
    let without = told(json!({ "column": false })).await;
    assert!(
        usual.contains("column: 6") && !without.contains("column:"),
        "{without}"
    );
    let vim = told(json!({ "vimgrepFormat": true, "contextLines": 1 })).await;
    assert!(vim.contains("value: \"a.txt:2:6:beta Alpha\""), "{vim}");
    let debug = told(json!({ "debug": true, "threads": 1, "hidden": true })).await;
    let output = "debug: engine regex, threads 1, case Smart, ignore files yes, hidden files yes, links followed no; 1 files of 23 bytes in ";
    assert!(debug.contains(output), "{debug}");
    assert!(
        told(json!({ "debug": true, "perlRegex": true }))
            .await
            .contains("debug: engine pcre2")
    );
    let same = |told: String| {
        told.lines()
            .filter(|line| !line.contains("searchTime"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(same(told(json!({ "threads": 1 })).await), same(usual));
}
