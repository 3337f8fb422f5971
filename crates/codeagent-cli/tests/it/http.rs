//! Serving over HTTP: the token stays private, and unauthorized clients are refused.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command.args(["mcp", "--root"]).arg(root).args(arguments);
    command
        .env("CODEAGENT_DATA_DIR", root.join("data"))
        .env("CODEAGENT_LOG", "debug")
        .env_remove("CODEAGENT_HTTP_TOKEN");
    command.stderr(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Reads until a line contains `wanted`; returns everything read.
fn until(child: &mut Child, wanted: &str) -> (String, BufReader<std::process::ChildStderr>) {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut printed = String::new();
    while !printed.contains(wanted) {
        assert_ne!(lines.read_line(&mut printed).unwrap(), 0, "{printed}");
    }
    (printed, lines)
}

fn status(port: u16, token: &str) -> String {
    post(port, token, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        .lines()
        .next()
        .unwrap()
        .to_owned()
}

/// Posts a message and returns the whole response.
fn post(port: u16, token: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\nContent-Type: \
         application/json\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_token_is_only_in_a_file_private_to_its_owner() {
    let root = tempfile::tempdir().unwrap();
    let mut child = command(root.path(), &["--http", "0"]).spawn().unwrap();
    let (printed, mut rest) = until(&mut child, "listening at ");
    let port = printed
        .split("http://127.0.0.1:")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let file = printed
        .split("the token is in ")
        .nth(1)
        .unwrap()
        .trim_end()
        .to_owned();
    let token = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(status(port, &token), "HTTP/1.1 200 OK");
    assert_eq!(status(port, "wrong"), "HTTP/1.1 401 Unauthorized");
    let call = |tool: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
        );
        post(port, &token, &body)
    };
    let answers = [
        call("get_status"),
        call("read_file"),
        call("no_such"),
        post(port, &token, "{"),
        post(port, "wrong", "{"),
    ];
    assert!(
        answers[0].contains("healthy") && !answers.iter().any(|answer| answer.contains(&token)),
        "{answers:?}"
    );
    let arguments = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
    // No core dump with the token is written if the process crashes. Only Linux shows the limit.
    let limits =
        std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap_or_default();
    let images = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    assert!(
        images.is_none_or(|line| line.split_whitespace().filter(|word| *word == "0").count() == 2),
        "{images:?}"
    );
    Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut log = String::new();
    rest.read_to_string(&mut log).unwrap();
    assert!(
        !token.is_empty()
            && ![
                printed,
                log,
                String::from_utf8_lossy(&arguments).into_owned()
            ]
            .iter()
            .any(|text| text.contains(&token))
    );
}

/// Returns the peak memory of a process in megabytes, or 0 if the system does not report it.
fn most_memory(child: &Child) -> u64 {
    let reply = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let most = reply
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or_default();
    most.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<u64>()
        .unwrap_or_default()
        >> 10
}

/// Returns how long a connection lives that slowly sends its headers byte by byte.
fn dripping(port: u16) -> Duration {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    stream.write_all(b"POST /mcp HTTP/1.1\r\nX-Slow: ").unwrap();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        let is_closed = match stream.read(&mut [0; 1_024]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        };
        if is_closed || stream.write_all(b"x").is_err() {
            break;
        }
    }
    begun.elapsed()
}

#[test]
fn a_thousand_silent_connections_are_closed() {
    if std::env::var_os("CODEAGENT_TEST_HANDLES").is_none() {
        // The connections exceed the usual limit of open files.
        let script = "ulimit -n 4096 || true; exec \"$0\" --exact http::a_thousand_silent_connections_are_closed";
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .arg(std::env::current_exe().unwrap())
            .env("CODEAGENT_TEST_HANDLES", "1");
        let output = command.output().unwrap();
        let reply = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        return assert!(
            output.status.success() && reply.contains("1 passed"),
            "{reply}"
        );
    }
    let root = tempfile::tempdir().unwrap();
    let mut child = command(root.path(), &["--http", "0"]).spawn().unwrap();
    let (printed, rest) = until(&mut child, "listening at ");
    std::thread::spawn(move || rest.lines().for_each(drop));
    let port = printed
        .split("http://127.0.0.1:")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let token =
        std::fs::read_to_string(printed.split("the token is in ").nth(1).unwrap().trim_end())
            .unwrap();
    let drips = std::thread::spawn(move || dripping(port));
    let mut silent: Vec<TcpStream> = (0..1_000)
        .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    for stream in silent.iter_mut().step_by(3) {
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nHost: local")
            .unwrap();
    }
    let begun = Instant::now();
    assert_eq!(
        status(port, &token),
        "HTTP/1.1 200 OK",
        "a client takes the place of a stranger"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "sooner than a stranger is given up: {:?}",
        begun.elapsed()
    );
    let lived = drips.join().unwrap();
    assert!(
        lived < Duration::from_secs(30),
        "a connection that drips lives for {lived:?}"
    );
    assert!(most_memory(&child) < 200, "{} MB", most_memory(&child));
    Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn an_unprotected_server_on_an_open_address_is_not_started() {
    let root = tempfile::tempdir().unwrap();
    let token = "a-secret-of-my-own-0123";
    for (arguments, environment, expected) in [
        (&["--http", "0.0.0.0:0"][..], "", "--allow-host"),
        (
            &[
                "--http",
                "0.0.0.0:0",
                "--no-token",
                "--allow-host",
                "build.example",
            ],
            "",
            "needs a token",
        ),
        (&["--http", "0"], "short", "at least 16 visible"),
        (&["--http", "nonsense"], "", "expected a port"),
        (&["--no-token"], "", "--http"),
    ] {
        let output = command(root.path(), arguments)
            .env("CODEAGENT_HTTP_TOKEN", environment)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2)
                && printed.contains(expected)
                && !printed.contains(token),
            "{arguments:?} {printed}"
        );
    }
}
