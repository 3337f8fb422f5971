//! Long lists are paged, and the first page of a very long list is as fast as that of a short one.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::tools::support::Session;

/// Starts a session with a method that has `count` callers in a hundred files.
async fn callers(count: usize) -> Session {
    let mut files = vec![(
        "src/Target.cs".to_owned(),
        "public static class Target { public static void Hit() { } }".to_owned(),
    )];
    for file in 0..100 {
        let mut text = format!("class C{file:02}\n{{\n");
        for method in 0..count / 100 {
            writeln!(text, "    void M{method}() => Target.Hit();").unwrap();
        }
        files.push((format!("src/C{file:02}.cs"), text + "}\n"));
    }
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_bytes()))
        .collect();
    Session::indexed(&files).await
}

/// Returns all pages of a list, after checking each page's length.
async fn pages(session: &Session, tool: &str, question: Value) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    let mut asked = question.clone();
    loop {
        let answer = session.structured(tool, asked.clone()).await;
        assert!(
            answer.to_string().chars().count() <= 10_000,
            "{tool}: {} characters",
            answer.to_string().chars().count()
        );
        rows.extend(answer["results"].as_array().unwrap().iter().cloned());
        let Some(cursor) = answer.get("next_cursor") else {
            assert!(
                answer.get("total").is_none_or(|total| *total == rows.len()),
                "{tool}: {} rows",
                rows.len()
            );
            return rows;
        };
        asked["cursor"] = cursor.clone();
    }
}

#[tokio::test]
async fn pages_combine_to_the_whole_list() {
    let session = callers(300).await;
    for (tool, question, count) in [
        ("get_callers", json!({ "node_id": "Target.Hit" }), 300),
        ("get_references", json!({ "node_id": "Target.Hit" }), 300),
        ("get_dependents", json!({ "node_id": "Target.Hit" }), 301),
        ("lookup_symbol", json!({ "qualified_name": "M1" }), 100),
        ("list_directory", json!({ "path": "src" }), 101),
    ] {
        let rows = pages(&session, tool, question).await;
        assert_eq!(rows.len(), count, "{tool}");
        let names: Vec<&str> = rows
            .iter()
            .map(|row| {
                row["qualified_name"]
                    .as_str()
                    .or(row["name"].as_str())
                    .unwrap()
            })
            .collect();
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), count, "{tool} repeats rows");
    }
    let rows = pages(&session, "get_callers", json!({ "node_id": "Target.Hit" })).await;
    let places: Vec<(&str, u64)> = rows
        .iter()
        .map(|row| {
            (
                row["file_path"].as_str().unwrap(),
                row["call_sites"][0]["line"].as_u64().unwrap(),
            )
        })
        .collect();
    assert!(places.is_sorted(), "by path and line");
}

/// Lists that [`pages_combine_to_the_whole_list`] has no long example of.
#[tokio::test]
async fn every_kind_of_list_is_paged() {
    let (mut targets, mut calls, mut doors) = (String::new(), String::new(), String::new());
    for number in 0..300 {
        writeln!(targets, "    public static void Hit{number}() {{ }}").unwrap();
        writeln!(calls, "        Target.Hit{number}();").unwrap();
        writeln!(doors, "class Door{number} : IDoor {{ }}").unwrap();
        writeln!(doors, "partial class Hall {{ }}").unwrap();
    }
    let files = [
        (
            "src/Target.cs",
            format!("static class Target\n{{\n{targets}}}\n"),
        ),
        (
            "src/Use.cs",
            format!("class Use\n{{\n    void Run()\n    {{\n{calls}    }}\n}}\n"),
        ),
        ("src/Doors.cs", format!("interface IDoor {{ }}\n{doors}")),
    ];
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    let session = Session::indexed(&files).await;

    for (tool, question, count) in [
        ("get_callees", json!({ "node_id": "Use.Run" }), 300),
        (
            "get_dependencies",
            json!({ "node_id": "Use.Run", "edge_type": "calls" }),
            300,
        ),
        ("get_implementations", json!({ "node_id": "IDoor" }), 300),
        ("get_source_spans", json!({ "node_id": "Hall" }), 300),
        ("get_file_outline", json!({ "path": "src/Target.cs" }), 301),
    ] {
        let first = session.structured(tool, question.clone()).await;
        assert!(first["next_cursor"].is_string(), "{tool}: {first}");
        assert_eq!(first["total"], count, "{tool}");
        if !matches!(tool, "get_source_spans" | "get_file_outline") {
            assert_eq!(first["folders"], json!(["src: 300"]), "{tool}");
        }
        assert_eq!(pages(&session, tool, question).await.len(), count, "{tool}");
    }
}

#[tokio::test]
async fn a_cursor_is_valid_for_its_own_query_only() {
    let session = callers(300).await;
    let first = session
        .structured("get_callers", json!({ "node_id": "Target.Hit" }))
        .await;
    let cursor = &first["next_cursor"];
    assert_eq!(first["total"], 300);
    for (tool, question) in [
        (
            "get_references",
            json!({ "node_id": "Target.Hit", "cursor": cursor }),
        ),
        (
            "get_callers",
            json!({ "node_id": "C00.M1", "cursor": cursor }),
        ),
        (
            "get_callers",
            json!({ "node_id": "Target.Hit", "cursor": "c9" }),
        ),
    ] {
        let error = &session.structured(tool, question).await["error"];
        assert_eq!(error["code"], "invalid_parameter");
        assert!(
            error["message"].as_str().unwrap().contains("`cursor`"),
            "{error}"
        );
    }
    // The list grows before the cursor's position: nothing is shown twice.
    session.write("src/A.cs", "class A { void M() => Target.Hit(); }");
    session
        .structured("index_files", json!({ "paths": ["src/A.cs"] }))
        .await;
    let second = session
        .structured(
            "get_callers",
            json!({ "node_id": "Target.Hit", "cursor": cursor }),
        )
        .await;
    let last = first["results"].as_array().unwrap().last().unwrap();
    assert!(
        second["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["node_id"] != last["node_id"])
    );
    assert_eq!(second["total"], 301);
}

#[tokio::test]
async fn a_page_of_ten_thousand_callers_is_fast() {
    let session = callers(10_000).await;
    for tool in ["get_callers", "get_references", "get_dependents"] {
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            let answer = session
                .structured(tool, json!({ "node_id": "Target.Hit" }))
                .await;
            best = best.min(start.elapsed());
            assert_eq!(answer["folders"], json!(["src: 10000"]), "{tool}");
            assert!(
                answer["total"].as_u64().unwrap() >= 10_000
                    && answer["results"].as_array().unwrap().len() < 50,
                "{tool}"
            );
        }
        // An optimized build takes a few milliseconds; looking up all callers takes seconds here.
        assert!(best < Duration::from_millis(250), "{tool}: {best:?}");
    }
    let many: String = (0..300)
        .map(|number| format!("class Door{number} : IDoor {{ }}\n"))
        .collect();
    let session = Session::indexed(&[(
        "src/doors.cs",
        format!("interface IDoor {{ }}\n{many}").as_bytes(),
    )])
    .await;
    let doors = session
        .structured("get_implementations", json!({ "node_id": "IDoor" }))
        .await;
    assert_eq!(doors["folders"], json!(["src: 300"]), "{doors}");
}
