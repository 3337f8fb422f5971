//! Does the command serve over HTTP safely? The token is kept from others and never told, and strangers are kept out.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "tests make the repository they ask about")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command.args(["mcp", "--root"]).arg(root).args(arguments);
    command.env("CODEAGENT_DATA_DIR", root.join("data")).env("CODEAGENT_LOG", "debug").env_remove("CODEAGENT_HTTP_TOKEN");
    command.stderr(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Everything that was said before this line and the line itself.
fn until(child: &mut Child, wanted: &str) -> (String, BufReader<std::process::ChildStderr>) {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(wanted) {
        assert_ne!(lines.read_line(&mut said).unwrap(), 0, "{said}");
    }
    (said, lines)
}

fn status(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\nContent-Type: \
         application/json\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

#[test]
fn the_token_is_in_a_file_of_the_owner_and_nowhere_else() {
    let root = tempfile::tempdir().unwrap();
    let mut child = command(root.path(), &["--http", "0"]).spawn().unwrap();
    let (said, mut rest) = until(&mut child, "listening at ");
    let port = said.split("http://127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
    let file = said.split("the token is in ").nth(1).unwrap().trim_end().to_owned();
    let token = std::fs::read_to_string(&file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(status(port, &token), "HTTP/1.1 200 OK");
    assert_eq!(status(port, "wrong"), "HTTP/1.1 401 Unauthorized");
    let arguments = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut log = String::new();
    rest.read_to_string(&mut log).unwrap();
    assert!(!token.is_empty() && ![said, log, String::from_utf8_lossy(&arguments).into_owned()].iter().any(|text| text.contains(&token)));
}

#[test]
fn a_server_that_strangers_could_reach_is_not_started() {
    let root = tempfile::tempdir().unwrap();
    let token = "a-secret-of-my-own-0123";
    for (arguments, environment, expected) in [
        (&["--http", "0.0.0.0:0"][..], "", "--allow-host"),
        (&["--http", "0.0.0.0:0", "--no-token", "--allow-host", "build.example"], "", "needs a token"),
        (&["--http", "0"], "short", "at least 16 characters"),
        (&["--http", "nonsense"], "", "an address is a port"),
        (&["--no-token"], "", "--http"),
    ] {
        let output = command(root.path(), arguments).env("CODEAGENT_HTTP_TOKEN", environment).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(expected) && !said.contains(token), "{arguments:?} {said}");
    }
}
