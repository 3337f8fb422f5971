//! The protocol's states, errors and cancellation.

use serde_json::{Value, json};

use crate::client::Client;

const NOT_INITIALIZED: i32 = -32002;
const INVALID_REQUEST: i32 = -32600;
const NO_METHOD: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const CANCELLED: i32 = -32800;

#[test]
fn the_session_begins_with_initialize_and_ends_with_shutdown() {
    let mut client = Client::uninitialized(codeagent_testkit::files::copy_shop);
    let search = json!({ "query": "Order" });
    assert_eq!(
        client.error("workspace/symbol", search.clone()),
        NOT_INITIALIZED
    );
    assert_eq!(client.error("initialize", json!(7)), INVALID_PARAMS);
    client.initialize(json!({}));
    assert_eq!(
        client.error("initialize", json!({ "capabilities": {} })),
        INVALID_REQUEST
    );

    client.ask("shutdown", Value::Null);
    assert_eq!(client.error("workspace/symbol", search), INVALID_REQUEST);
    client.notify("exit", Value::Null);
    assert!(client.hang_up().is_ok());
}

#[test]
fn a_client_that_hangs_up_without_shutdown_is_an_error() {
    let mut client = Client::over_shop();
    assert!(client.hang_up().is_err());
}

#[test]
fn unknown_methods_and_wrong_parameters_are_errors() {
    let mut client = Client::over_shop();
    assert_eq!(client.error("textDocument/rename", json!({})), NO_METHOD);
    assert_eq!(
        client.error("textDocument/hover", json!({ "position": 1 })),
        INVALID_PARAMS
    );
    let item = json!({
        "name": "x", "kind": 5, "uri": client.uri("a.cs"), "data": "nonsense",
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
        "selectionRange": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
    });
    assert_eq!(
        client.error("typeHierarchy/subtypes", json!({ "item": item })),
        INVALID_PARAMS
    );
    client.end();
}

#[test]
fn only_capabilities_that_exist_are_announced() {
    let mut client = Client::over_shop();
    let capabilities = client.capabilities.clone();
    let provided: Vec<&str> = capabilities
        .as_object()
        .unwrap()
        .keys()
        .filter_map(|key| key.strip_suffix("Provider"))
        .collect();
    assert_eq!(
        provided,
        [
            "definition",
            "references",
            "implementation",
            "typeDefinition",
            "documentHighlight",
            "documentSymbol",
            "workspaceSymbol",
            "hover",
            "callHierarchy",
            "typeHierarchy"
        ]
    );

    // A file outside of every folder, and a URI of another scheme, have no answer.
    for uri in ["file:///nowhere/a.cs", "untitled:Untitled-1"] {
        let at =
            json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } });
        assert!(client.ask("textDocument/hover", at).is_null(), "{uri}");
    }
    client.end();
}

#[test]
fn a_cancelled_request_has_an_error_and_later_ones_answers() {
    let mut client = Client::over_shop();
    // The first requests wait for the index.
    let id = client.start("workspace/symbol", json!({ "query": "Order" }));
    client.notify("$/cancelRequest", json!({ "id": 2 }));
    let response = client.response(&id);
    let code = response.error.map(|error| error.code);
    assert!(
        code.is_none_or(|code| code == CANCELLED),
        "it was done before, or cancelled: {code:?}"
    );

    client.notify("$/cancelRequest", json!({ "id": "unknown" }));
    let found = client.ask("workspace/symbol", json!({ "query": "Order" }));
    assert!(!found.as_array().unwrap().is_empty());
    client.end();
}

#[test]
fn a_request_sees_every_change_made_before_it() {
    let mut client = Client::over(&[("a.ts", "export function before() {}\n")]);
    for round in 0..5 {
        let text = format!(
            "{}export function round{round}() {{}}\n",
            "\n".repeat(round)
        );
        std::fs::write(client.root.join("a.ts"), text).unwrap();
        let found = client.ask_at("definition", "a.ts", (round as u32, 18));
        assert_eq!(
            client.places(&found),
            [format!("a.ts:{round}:16-22")],
            "{round}"
        );
    }
    client.end();
}
