//! Queries after edits. With an index service, a query reflects every edit before it. Without one,
//! every tool that shows locations names files that changed or vanished since they were indexed and
//! hides their source lines.

use serde_json::{Value, json};

use crate::tools::support::Session;

const LIBRARY: &str = "class Shelf\n{\n    public int Count() => 1;\n}\ninterface IDesk { }\n";
const USE: &str = "class Desk : IDesk\n{\n    int Ask(Shelf shelf) => shelf.Count();\n}\n";

async fn session() -> Session {
    Session::left_behind(&[
        ("src/Shelf.cs", LIBRARY.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
    ])
    .await
}

/// Returns a call of every tool that shows locations, each with one in `src/Desk.cs`.
fn questions() -> Vec<(&'static str, Value)> {
    vec![
        ("search_symbols", json!({ "query": "Ask" })),
        ("lookup_symbol", json!({ "qualified_name": "Desk.Ask" })),
        ("get_symbol", json!({ "node_id": "Desk.Ask" })),
        ("get_source_spans", json!({ "node_id": "Desk.Ask" })),
        ("get_file_outline", json!({ "path": "src/Desk.cs" })),
        ("get_callers", json!({ "node_id": "Shelf.Count" })),
        ("get_callees", json!({ "node_id": "Desk.Ask" })),
        ("get_references", json!({ "node_id": "Shelf" })),
        (
            "get_dependencies",
            json!({ "node_id": "Desk.Ask", "edge_type": "calls" }),
        ),
        ("get_dependents", json!({ "node_id": "Desk.Ask" })),
        ("get_implementations", json!({ "node_id": "IDesk" })),
    ]
}

/// Asserts that every tool names `src/Desk.cs` as stale, with `word` in its note.
async fn assert_stale(session: &Session, word: &str) {
    for (tool, question) in questions() {
        let answer = session.structured(tool, question).await;
        assert_eq!(
            answer["stale_files"],
            json!(["src/Desk.cs"]),
            "{tool}: {answer}"
        );
        if let Some(site) = answer["results"][0]["call_sites"].get(0) {
            assert_eq!(
                (site.get("text"), &site["stale"]),
                (None, &json!(true)),
                "{tool}: {answer}"
            );
        }
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains("index_files") && note.contains(word),
            "{tool}: {note}"
        );
        assert!(
            !answer.to_string().contains("shelf.Count"),
            "{tool} shows a line of a changed file: {answer}"
        );
    }
}

#[tokio::test]
async fn a_changed_file_is_named_by_every_tool() {
    let session = session().await;
    session.write("src/Desk.cs", &format!("// one line more\n{USE}"));
    assert_stale(&session, "changed").await;
    let site = &session
        .structured("get_callers", json!({ "node_id": "Shelf.Count" }))
        .await["results"][0]["call_sites"][0];
    assert_eq!(site, &json!({ "line": 3, "column": 35, "stale": true }));
}

#[tokio::test]
async fn the_next_query_sees_an_edit() {
    let session = Session::indexed(&[
        ("src/Shelf.cs", LIBRARY.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
    ])
    .await;
    assert_eq!(
        session.structured("get_status", json!({})).await["watcher_active"],
        true
    );
    for number in 1..10 {
        let asks = "shelf.Count() + ".repeat(number);
        session.write(
            "src/Desk.cs",
            &USE.replace("shelf.Count()", &format!("{asks}shelf.Count()")),
        );
        let callers = session
            .structured("get_callers", json!({ "node_id": "Shelf.Count" }))
            .await;
        let sites = callers["results"][0]["call_sites"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(
            (sites, callers.get("stale_files")),
            ((number + 1).min(3), None),
            "{callers}"
        );
    }
    session.write("src/deep/er/Chair.cs", &USE.replace("Desk", "Chair"));
    let callers = session
        .structured("get_callers", json!({ "node_id": "Shelf.Count" }))
        .await;
    assert!(
        callers.to_string().contains("src/deep/er/Chair.cs"),
        "{callers}"
    );
    std::fs::remove_file(session.root.path().join("src/Desk.cs")).unwrap();
    let callers = session
        .structured("get_callers", json!({ "node_id": "Shelf.Count" }))
        .await;
    assert!(!callers.to_string().contains("Desk.cs"), "{callers}");
}

#[tokio::test]
async fn a_removed_database_is_rebuilt() {
    let session = Session::indexed(&[
        ("src/Shelf.cs", LIBRARY.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
    ])
    .await;
    let folder = std::fs::read_dir(session.root.path().join(".codeagent"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        std::fs::remove_file(folder.join(name)).ok();
    }
    session.write("src/Desk.cs", &USE.replace("Ask", "Beg"));
    let callers = session
        .structured("get_callers", json!({ "node_id": "Shelf.Count" }))
        .await;
    assert!(callers.to_string().contains("Desk.Beg"), "{callers}");
}

/// Returns the inode number of the index file.
fn database(session: &Session) -> u64 {
    let folder = std::fs::read_dir(session.root.path().join(".codeagent"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::metadata(folder.join("index.db"))
        .map_or(0, |metadata| std::os::unix::fs::MetadataExt::ino(&metadata))
}

/// Calls until there is an answer: while an index is being rebuilt, the tool returns an error.
async fn asked_until_answered(peer: &crate::tools::support::Peer, ask: &Value) -> String {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let answer = peer.raw("get_callers", ask.clone()).await;
        let text = serde_json::to_string(&answer).unwrap();
        if answer.is_error != Some(true) || std::time::Instant::now() > until {
            return text;
        }
        assert!(
            text.contains("damaged") || text.contains(" again in "),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_damaged_index_is_rebuilt_for_all_servers() {
    let first = Session::indexed(&[
        ("src/Shelf.cs", LIBRARY.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
    ])
    .await;
    let second = first.another().await;
    let ask = json!({ "node_id": "Shelf.Count" });
    for heal in [&first.state, &second.state] {
        // A file that exists at the same time as the old one has a different inode number.
        let (before, kept) = (
            database(&first),
            second.structured("get_callers", ask.clone()).await,
        );
        assert!(kept.to_string().contains("Desk.Ask"), "{kept}");
        heal.rebuild_in_background();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while database(&first) == before && std::time::Instant::now() < until {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_ne!(database(&first), before, "it was made anew");
        assert!(
            asked_until_answered(&first, &ask)
                .await
                .contains("Desk.Ask")
        );
        assert!(
            asked_until_answered(&second, &ask)
                .await
                .contains("Desk.Ask")
        );
    }
    first.write("src/Desk.cs", &USE.replace("Ask", "Beg"));
    assert!(
        asked_until_answered(&second, &ask)
            .await
            .contains("Desk.Beg"),
        "edits are taken in as before"
    );
    second.close();
    first.close();
}

#[tokio::test]
async fn two_servers_see_edits_and_the_second_takes_over() {
    let first = Session::indexed(&[
        ("src/Shelf.cs", LIBRARY.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
    ])
    .await;
    let second = first.another().await;
    let ask = json!({ "node_id": "Shelf.Count" });
    for name in ["Beg", "Wish"] {
        first.write("src/Desk.cs", &USE.replace("Ask", name));
        let callers = second
            .structured("get_callers", ask.clone())
            .await
            .to_string();
        assert!(callers.contains(&format!("Desk.{name}")), "{callers}");
    }
    first.close();
    first.write("src/Desk.cs", &USE.replace("Ask", "Take"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let mut callers = String::new();
    while !callers.contains("Desk.Take") && std::time::Instant::now() < until {
        callers = second
            .structured("get_callers", ask.clone())
            .await
            .to_string();
    }
    assert!(callers.contains("Desk.Take"), "{callers}");
    second.close();
}

#[tokio::test]
async fn a_change_that_keeps_the_size_is_noticed() {
    let session = session().await;
    session.write("src/Desk.cs", &USE.replace("Ask", "Axk"));
    assert_stale(&session, "changed").await;
}

#[tokio::test]
async fn a_vanished_file_is_named_by_every_tool() {
    let session = session().await;
    std::fs::remove_file(session.root.path().join("src/Desk.cs")).unwrap();
    assert_stale(&session, "removed: src/Desk.cs").await;
}

#[tokio::test]
async fn a_file_rewritten_with_the_same_content_is_current() {
    let session = session().await;
    session.write("src/Desk.cs", USE);
    for (tool, question) in questions() {
        let answer = session.structured(tool, question).await;
        assert!(answer.get("stale_files").is_none(), "{tool}: {answer}");
    }
}

#[tokio::test]
async fn queries_about_a_file_without_symbols_say_why() {
    let long = format!("enum Keycode {{ A = {}1 }}\n", "1 + ".repeat(8000));
    let session = Session::indexed(&[
        ("src/Keycode.cs", long.as_bytes()),
        ("src/Desk.cs", USE.as_bytes()),
        ("src/Half.cs", b"class Half {\nint = ; }"),
    ])
    .await;
    let reason = "src/Keycode.cs could not be indexed, so none of its symbols are known: treated as generated: \
                  lines of more than";
    for (tool, question) in [
        ("get_file_outline", json!({ "path": "src/Keycode.cs" })),
        ("read_file", json!({ "path": "src/Keycode.cs" })),
        ("search_symbols", json!({ "query": "keycode" })),
        ("lookup_symbol", json!({ "qualified_name": "N.Keycode" })),
    ] {
        let note = session.structured(tool, question).await["note"].to_string();
        assert!(
            note.contains(reason) && !note.contains("declares nothing"),
            "{tool}: {note}"
        );
    }
    assert!(
        session
            .ask("get_callers", json!({ "node_id": "Keycode.A" }))
            .await
            .contains(reason)
    );
    let note = session
        .structured("get_file_outline", json!({ "path": "src/Half.cs" }))
        .await["note"]
        .to_string();
    assert!(
        note.contains("src/Half.cs was only partly parsed"),
        "{note}"
    );
    let status = session.structured("get_status", json!({})).await;
    assert!(
        !status.to_string().contains("src/"),
        "numbers only: {status}"
    );
    assert_eq!(status["quality"][0]["files_failed"], 1);
}
