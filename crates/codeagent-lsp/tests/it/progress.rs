//! Progress of a first index in a client that shows it.

use lsp_server::{Message, Response};
use serde_json::{Value, json};

use crate::client::Client;

/// Number of files, so many that the index takes longer than the server waits before it reports.
const FILES: usize = 2_000;

fn large() -> Client {
    Client::uninitialized(|root| {
        for number in 0..FILES {
            let text: String = (0..20)
                .map(|inner| format!("export function f{number}x{inner}() {{}}\n"))
                .collect();
            codeagent_testkit::files::write_file(root, &format!("src/{number}.ts"), &text);
        }
    })
}

/// Returns the server's messages until the index can be read, and answers requests for a display.
fn messages(client: &mut Client) -> Vec<(String, Value)> {
    let mut seen = Vec::new();
    loop {
        let (method, params) = match client.next() {
            Message::Request(request) => {
                client.send(Response::new_ok(request.id, Value::Null).into());
                (request.method, request.params)
            }
            Message::Notification(note) => (note.method, note.params),
            Message::Response(_) => continue,
        };
        let is_last = params["value"]["kind"] == "end";
        seen.push((method, params));
        if is_last {
            return seen;
        }
    }
}

#[test]
fn the_first_index_shows_its_progress() {
    let mut client = large();
    client.initialize(json!({ "window": { "workDoneProgress": true } }));
    let seen = messages(&mut client);

    assert_eq!(seen[0].0, "window/workDoneProgress/create");
    let token = &seen[0].1["token"];
    assert!(token.is_string());
    let begin = &seen[1].1;
    assert_eq!(begin["value"]["kind"], "begin");
    assert_eq!(begin["value"]["title"], "Indexing repository");
    for (method, params) in &seen[1..] {
        assert_eq!((method.as_str(), &params["token"]), ("$/progress", token));
    }

    let found = client.ask("workspace/symbol", json!({ "query": "f1999" }));
    assert!(!found.as_array().unwrap().is_empty());
    client.end();
}

#[test]
fn clients_that_do_not_show_progress_are_not_asked() {
    let mut client = Client::over(&[("a.ts", "export function first() {}\n")]);
    let id = client.start("workspace/symbol", json!({ "query": "first" }));
    loop {
        match client.next() {
            Message::Response(response) if response.id == id => break,
            Message::Response(_) => {}
            other => panic!("{other:?}"),
        }
    }
    client.end();
}
