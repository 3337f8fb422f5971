//! A server exits with its client, with its parent process, or on a signal; all commands work while
//! it runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use super::Shop;

/// Starts a server as a client does, and completes the handshake.
pub fn serve(shop: &Shop) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command
        .arg("mcp")
        .arg("--root")
        .arg(shop.root.path())
        .env("CODEAGENT_DATA_DIR", shop.home());
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    server.stdout = Some(greet(&mut server).into_inner());
    server
}

fn greet(server: &mut std::process::Child) -> BufReader<std::process::ChildStdout> {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    writeln!(server.stdin.as_mut().unwrap(), "{hello}").unwrap();
    let (mut answer, mut output) = (String::new(), BufReader::new(server.stdout.take().unwrap()));
    output.read_line(&mut answer).unwrap();
    assert!(answer.contains(r#""name":"codeagent""#), "{answer}");
    output
}

/// Returns the answer of a command, asked again while it says that it lacks changes: a server on a busy
/// machine may index them later than an answer waits.
fn fresh_stdout(shop: &Shop, arguments: &[&str]) -> String {
    loop {
        let output = shop.run(arguments);
        let notes = String::from_utf8_lossy(&output.stderr);
        if !notes.contains("in the index yet") && !notes.contains("may be behind") {
            return String::from_utf8(output.stdout).unwrap();
        }
    }
}

#[test]
fn a_server_exits_with_its_client_and_releases_the_lock() {
    let shop = Shop::new();
    let mut server = serve(&shop);
    drop(server.stdin.take());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    shop.data().lock_writer().unwrap();
}

#[cfg(unix)]
#[test]
fn commands_work_and_see_edits_while_a_server_runs() {
    let shop = Shop::indexed();
    let mut server = serve(&shop);
    while !shop.stdout(&["status"]).contains("watched by process ") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let path = shop.root.path().join("src/Shop.Services/Extra.cs");
    std::fs::write(
        &path,
        "class Extra { void Go(Shop.Services.PriceCalculator prices) => prices.Price(null); }",
    )
    .unwrap();
    let callers = || fresh_stdout(&shop, &["callers", "PriceCalculator.Price"]);
    assert!(callers().contains("Extra.Go"));
    std::fs::remove_file(path).unwrap();
    let printed = shop.stdout(&["index"]);
    assert!(printed.contains("by the process that watches"), "{printed}");
    assert!(!callers().contains("Extra.Go"));
    drop(server.stdin.take());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_server_exits_on_a_termination_signal() {
    let shop = Shop::indexed();
    for signal in ["-TERM", "-INT", "-HUP"] {
        let mut server = serve(&shop);
        // Waiting for a process closes its input; this server must exit without that.
        let _input = server.stdin.take();
        assert!(
            Command::new("kill")
                .arg(signal)
                .arg(server.id().to_string())
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(server.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(shop.run(&["status"]).status.code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_server_exits_with_its_parent_even_if_its_input_stays_open() {
    let shop = Shop::indexed();
    let mut command = Command::new("sh");
    // The shell starts the server with its own input and stays alive.
    command
        .args([
            "-c",
            "exec 3<&0; \"$0\" \"$@\" <&3 3<&- & wait",
            env!("CARGO_BIN_EXE_codeagent"),
            "mcp",
            "--root",
        ])
        .arg(shop.root.path());
    let mut parent = command
        .env("CODEAGENT_DATA_DIR", shop.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = greet(&mut parent);
    let _input = parent.stdin.take();
    parent.kill().unwrap();
    parent.wait().unwrap();
    let mut rest = String::new();
    // The server's exit closes its output.
    output.read_to_string(&mut rest).unwrap();
    shop.data().lock_writer().unwrap();
}
