//! The server over standard input and output, run as clients run it, with messages that no protocol
//! library would send.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::malformed_messages::malformed_messages;

/// Maximum silence of a server.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server process with its input and output.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    root: tempfile::TempDir,
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Server {
    /// Starts a server, without the handshake.
    fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("a.txt"),
            "one\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\nthree\n",
        )
        .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent-mcp"));
        command
            .arg(root.path())
            .env("CODEAGENT_DATA_DIR", root.path().join("data"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let (lines, answer) = channel();
        std::thread::spawn(move || {
            output
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| lines.send(line))
        });
        Self {
            child,
            input,
            output: answer,
            root,
        }
    }

    /// Starts a server and completes the handshake.
    fn ready() -> Self {
        let mut server = Self::start();
        server.say(HELLO.as_bytes());
        assert_eq!(server.next()["result"]["protocolVersion"], "2025-06-18");
        server.say(READY.as_bytes());
        server
    }

    fn say(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
        input.flush().unwrap();
    }

    /// Returns the next message; each line is one.
    fn next(&mut self) -> Value {
        let line = self
            .output
            .recv_timeout(TIMEOUT)
            .expect("the server says something");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Closes the input; returns the remaining output, whether the exit was successful, and the
    /// time it took.
    fn hang_up(mut self) -> (Vec<String>, bool, Duration) {
        drop(self.input.take());
        let begun = Instant::now();
        let well = self.child.wait().unwrap().success();
        (self.output.iter().collect(), well, begun.elapsed())
    }
}

fn call(id: usize, tool: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } }).to_string()
}

#[test]
fn every_line_gets_at_most_one_response() {
    let mut server = Server::ready();
    let ping = r#"{"jsonrpc":"2.0","id":"after","method":"ping"}"#;
    for (line, expected) in malformed_messages() {
        server.say(line.as_bytes());
        if let Some((code, id)) = expected {
            let answer = server.next();
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&json!(code), &id),
                "{line}: {answer}"
            );
            assert_eq!(answer["jsonrpc"], "2.0", "{line}");
        }
        server.say(format!("{ping}\r").as_bytes());
        assert_eq!(
            server.next(),
            json!({ "jsonrpc": "2.0", "id": "after", "result": {} }),
            "after {line}"
        );
    }
    server.say(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}");
    assert_eq!(server.next()["error"]["code"], -32700, "what is not UTF-8");
    let (rest, well, after) = server.hang_up();
    assert!(
        rest.is_empty() && well && after < Duration::from_secs(5),
        "{rest:?} {after:?}"
    );
}

#[test]
fn file_contents_never_become_protocol_lines() {
    let mut server = Server::ready();
    server.say(call(1, "read_file", &json!({ "path": "a.txt" })).as_bytes());
    let answer = server.next();
    let content = std::fs::read_to_string(server.root.path().join("a.txt")).unwrap();
    assert_eq!(
        (
            &answer["id"],
            &answer["result"]["structuredContent"]["content"]
        ),
        (&json!(1), &json!(content))
    );
    assert_eq!(server.hang_up().0, [""; 0]);
}

#[test]
fn two_thousand_calls_at_once_are_all_answered() {
    let mut server = Server::ready();
    let mut input = server.input.take().unwrap();
    let asking = std::thread::spawn(move || {
        for id in 1..=2_000 {
            let line = call(
                id,
                "read_file",
                &json!({ "path": "a.txt", "line_start": 1, "line_end": 1 }),
            ) + "\n";
            input.write_all(line.as_bytes()).unwrap();
        }
        // Concurrent calls with the same id are an error of the client and affect no other call. One of them that ends
        // may cancel the others.
        for _ in 0..3 {
            input
                .write_all((call(5_000, "list_directory", &json!({})) + "\n").as_bytes())
                .unwrap();
        }
        input
    });
    let mut answered: BTreeMap<u64, usize> = BTreeMap::new();
    let mut is_twin_answered = false;
    while answered.len() < 2_001 {
        let answer = server.next();
        let id = answer["id"].as_u64().unwrap();
        let has_result = answer["result"]["structuredContent"].is_object();
        let is_cancelled = answer["error"]["message"] == "the call was cancelled";
        assert!(has_result || id == 5_000 && is_cancelled, "{answer}");
        is_twin_answered |= has_result && id == 5_000;
        *answered.entry(id).or_default() += 1;
    }
    server.input = Some(asking.join().unwrap());
    assert!(
        (1..=2_000).all(|id| answered.get(&id) == Some(&1)) && (1..=3).contains(&answered[&5_000])
    );
    let (rest, well, _) = server.hang_up();
    assert!(
        well && rest.iter().all(|line| line.contains("\"id\":5000,")),
        "{rest:?}"
    );
    is_twin_answered |= rest.iter().any(|line| line.contains("structuredContent"));
    assert!(is_twin_answered, "{rest:?}");
}

#[test]
fn a_cancelled_call_is_not_answered_and_end_of_input_cancels_calls() {
    let mut server = Server::ready();
    for index in 0..2_000 {
        std::fs::write(server.root.path().join(format!("{index}.txt")), "x").unwrap();
    }
    for id in 1..=40 {
        server.say(call(id, "get_directory_tree", &json!({ "depth": 10 })).as_bytes());
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        server.say(cancelled.to_string().as_bytes());
    }
    server.say(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    let (rest, well, after) = server.hang_up();
    assert!(well && after < Duration::from_secs(6), "{after:?}");
    let answer: Vec<Value> = rest
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // A call that finished before the cancellation arrived is answered.
    assert!(
        answer
            .iter()
            .filter(|message| message["id"].is_number())
            .count()
            < 40,
        "none was cancelled"
    );
}

#[test]
fn the_first_message_selects_the_protocol_revision() {
    for (asked, offered) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
        ("' OR 1=1", "2025-11-25"),
    ] {
        let mut server = Server::start();
        server.say(HELLO.replace("2025-06-18", asked).as_bytes());
        assert_eq!(
            server.next()["result"]["protocolVersion"],
            offered,
            "{asked}"
        );
        assert!(server.hang_up().1);
    }
    // A call of the newest revision needs no handshake.
    let mut server = Server::start();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    let params = json!({ "name": "read_file", "arguments": { "path": "a.txt", "line_end": 1 }, "_meta": meta });
    server.say(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
            .to_string()
            .as_bytes(),
    );
    let answer = server.next();
    assert_eq!(
        answer["result"]["structuredContent"]["content"], "one\n",
        "{answer}"
    );
    assert!(server.hang_up().1);
}
