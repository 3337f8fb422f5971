//! Memory of a server whose client sends calls and does not read the answers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum memory that such a client may cost, in megabytes.
const MEGABYTES: u64 = 50;

const QUESTIONS: usize = 400;

fn request(id: usize, method: &str, parameters: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{parameters}}}\n")
}

fn start(root: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command
        .args(["mcp", "--root"])
        .arg(root)
        .env("CODEAGENT_DATA_DIR", root.join(".codeagent"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the peak memory of a process once it stops growing.
fn most_memory(child: &Child) -> u64 {
    let mut last = (0, Instant::now());
    while last.1.elapsed() < Duration::from_millis(700) {
        let (_, megabytes) = super::figures(child).unwrap();
        if megabytes > last.0 {
            last = (megabytes, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    last.0
}

#[test]
fn a_client_that_does_not_read_costs_bounded_memory() {
    let root = tempfile::tempdir().unwrap();
    // As long as an answer may be.
    std::fs::write(
        root.path().join("a.cs"),
        "// \u{e9} a line of a file that is long\n".repeat(9900),
    )
    .unwrap();
    let mut server = start(root.path());
    let (mut input, mut output) = (
        server.stdin.take().unwrap(),
        BufReader::new(server.stdout.take().unwrap()),
    );
    let opening = request(
        0,
        "initialize",
        "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}",
    );
    input.write_all(opening.as_bytes()).unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    input
        .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
        .unwrap();
    let before = most_memory(&server);
    let asking = std::thread::spawn(move || {
        for id in 1..=QUESTIONS {
            let call = request(
                id,
                "tools/call",
                "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a.cs\"}}",
            );
            input.write_all(call.as_bytes()).unwrap();
        }
        input
    });
    let after = most_memory(&server);
    println!("{before} MB, with {QUESTIONS} questions whose answers are not read {after} MB");
    assert!(after <= before + MEGABYTES, "{before} MB become {after}");
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < QUESTIONS {
        line.clear();
        assert!(
            output.read_line(&mut line).unwrap() > 0,
            "{} are answered",
            answered.len()
        );
        assert!(line.len() > 300_000, "{}", &line[..line.len().min(300)]);
        let id = line
            .split("\"id\":")
            .nth(1)
            .unwrap()
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap();
        answered.insert(id.parse::<usize>().unwrap());
    }
    drop(asking.join().unwrap());
    assert!(server.wait().unwrap().success());
}
