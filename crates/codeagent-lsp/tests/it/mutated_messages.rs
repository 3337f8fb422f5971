//! Mutated messages: the server answers or refuses them, and goes on.
//!
//! `MUTATIONS` sets their number.

use codeagent_testkit::random::Random;
use serde_json::{Value, json};

use crate::client::Client;

/// Number of mutated messages without `MUTATIONS`.
const MESSAGES: usize = 3_000;

/// Values that replace others.
fn replacements() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(4_294_967_295_u32),
        json!(1e300),
        json!(""),
        json!("file:///%00"),
        json!("file:///a%zz"),
        json!("\u{10400}"),
        json!([]),
        json!({}),
        json!([[[[]]]]),
        json!("x".repeat(5_000)),
    ]
}

fn messages(client: &Client) -> Vec<Value> {
    let document = json!({ "uri": client.uri("src/Shop.Services/OrderService.cs") });
    let at = json!({ "textDocument": document, "position": { "line": 5, "character": 30 }, "context": { "includeDeclaration": true } });
    let range =
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 1 } });
    let item = json!({ "name": "a", "kind": 5, "uri": client.uri("a.cs"), "range": range, "selectionRange": range, "data": "nuvozt4zgcc2r" });
    let request = |method: &str, params: &Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let notification = |method: &str, params: &Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });

    let positions = [
        "definition",
        "references",
        "implementation",
        "typeDefinition",
        "hover",
        "prepareCallHierarchy",
        "prepareTypeHierarchy",
        "documentSymbol",
    ];
    let items = [
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
        "typeHierarchy/supertypes",
        "typeHierarchy/subtypes",
    ];
    let opened = json!({ "textDocument": { "uri": document["uri"], "languageId": "csharp", "version": 1, "text": "class A { void M() { } }" } });
    let changed = json!({ "textDocument": { "uri": document["uri"], "version": 2 }, "contentChanges": [{ "range": range, "text": "x" }] });

    let mut all: Vec<Value> = positions
        .iter()
        .map(|method| request(&format!("textDocument/{method}"), &at))
        .collect();
    all.extend(
        items
            .iter()
            .map(|method| request(method, &json!({ "item": item }))),
    );
    all.extend([
        request("workspace/symbol", &json!({ "query": "Order" })),
        request("initialize", &json!({ "capabilities": {} })),
        notification("$/cancelRequest", &json!({ "id": 1 })),
        notification("textDocument/didOpen", &opened),
        notification("textDocument/didChange", &changed),
        notification(
            "textDocument/didClose",
            &json!({ "textDocument": document }),
        ),
        notification(
            "workspace/didChangeWorkspaceFolders",
            &json!({ "event": { "added": [], "removed": [] } }),
        ),
    ]);
    all
}

/// Replaces, removes or adds one value at a random depth.
fn mutate(value: &mut Value, random: &mut Random, others: &[Value]) {
    let stops = random.below(4) == 0;
    match value {
        Value::Object(map) if !map.is_empty() && !stops => {
            let key = map.keys().nth(random.below(map.len())).unwrap().clone();
            if random.below(8) == 0 {
                map.remove(&key);
            } else {
                mutate(&mut map[&key], random, others);
            }
        }
        Value::Array(list) if !list.is_empty() && !stops => {
            let at = random.below(list.len());
            mutate(&mut list[at], random, others);
        }
        other => *other = others[random.below(others.len())].clone(),
    }
}

/// Returns the bytes of a message, sometimes damaged, with the length of what is sent.
fn framed(message: &Value, random: &mut Random) -> Vec<u8> {
    let mut content = message.to_string().into_bytes();
    match random.below(10) {
        0 => {
            let at = random.below(content.len());
            content[at] = random.below(256) as u8;
        }
        1 => content.truncate(random.below(content.len())),
        _ => {}
    }
    let mut bytes = match random.below(40) {
        0 => b"Nonsense\r\n\r\n".to_vec(),
        1 => b"Content-Length: x\r\n\r\n".to_vec(),
        _ => Vec::new(),
    };
    bytes.extend(format!("Content-Length: {}\r\n\r\n", content.len()).into_bytes());
    bytes.extend(content);
    bytes
}

#[test]
fn mutated_messages_do_not_end_the_session() {
    let count = std::env::var("MUTATIONS").map_or(MESSAGES, |count| count.parse().unwrap());
    let mut client = Client::over_shop();
    let (messages, others) = (messages(&client), replacements());
    let mut random = Random(39);
    for sent in 0..count {
        let mut message = messages[random.below(messages.len())].clone();
        for _ in 0..random.below(3) {
            mutate(&mut message, &mut random, &others);
        }
        // These would end the session as they should.
        let method = message["method"].as_str().unwrap_or_default();
        if matches!(method, "shutdown" | "exit") {
            continue;
        }
        assert!(
            client.send_raw(&framed(&message, &mut random)),
            "after {sent}"
        );
        if sent % 100 == 0 {
            let found = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri("src/Shop.Services/IOrderService.cs") } }));
            assert!(found.is_array(), "after {sent}: {found}");
        }
    }
    client.end();
}
