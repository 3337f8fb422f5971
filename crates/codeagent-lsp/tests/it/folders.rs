//! Workspace folders and position encodings.

use codeagent_workspace::file_uri;
use serde_json::json;

use crate::client::Client;

#[test]
fn folders_can_be_added_and_removed() {
    let mut client = Client::over(&[("a.ts", "export function first() {}\n")]);
    let other = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(other.path()).unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    codeagent_testkit::files::write_file(&root, "b.ts", "export function second() {}\nsecond()\n");
    let uri = file_uri(&root.join("b.ts")).unwrap();
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 2 } });

    assert!(client.ask("textDocument/definition", at.clone()).is_null());

    let folder = json!([{ "uri": file_uri(&root).unwrap(), "name": "other" }]);
    let change = |added, removed| json!({ "event": { "added": added, "removed": removed } });
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(folder.clone(), json!([])),
    );
    let found = client.ask("textDocument/definition", at.clone());
    assert_eq!(found[0]["range"]["start"]["character"], 16);
    let found = client.ask("workspace/symbol", json!({ "query": "second" }));
    assert_eq!(found.as_array().unwrap().len(), 1);
    let found = client.ask_at("definition", "a.ts", (0, 18));
    assert_eq!(client.places(&found), ["a.ts:0:16-21"]);

    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(json!([]), folder),
    );
    assert!(client.ask("textDocument/definition", at).is_null());
    client.end();
}

#[test]
fn positions_count_what_was_negotiated() {
    let text = "/* 𐐀é */ export function name() {}\n/* 𐐀é */ name()\n";
    for (encodings, encoding, at, place) in [
        (json!(null), "utf-16", (1, 11), "a.ts:0:26-30"),
        (json!(["utf-8"]), "utf-8", (1, 14), "a.ts:0:29-33"),
        (
            json!(["utf-8", "utf-16"]),
            "utf-16",
            (1, 11),
            "a.ts:0:26-30",
        ),
    ] {
        let mut client = Client::uninitialized(|root| {
            codeagent_testkit::files::write_file(root, "a.ts", text);
        });
        client.initialize(json!({ "general": { "positionEncodings": encodings } }));
        assert_eq!(client.capabilities["positionEncoding"], encoding);
        let found = client.ask_at("definition", "a.ts", at);
        assert_eq!(client.places(&found), [place], "{encodings}");
        client.end();
    }
}
