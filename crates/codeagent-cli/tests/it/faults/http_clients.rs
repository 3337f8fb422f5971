//! Many HTTP clients, and clients that stop reading, stop sending or disappear: all others are
//! answered, and the server's memory stays bounded.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{ClassRepository, Running, TIMEOUT, is_admitted, number, wait_until};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
/// Maximum kilobytes that clients who do not read may cost.
const MOST_HELD: u64 = 50_000;

struct Listening {
    running: Running,
    port: u16,
}

impl Listening {
    fn start(place: &ClassRepository) -> Self {
        let mut command = place.command(&["mcp", "--http", "0", "--legacy-sse"]);
        let mut child = command
            .env("CODEAGENT_HTTP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reply = BufReader::new(child.stderr.take().unwrap());
        let (running, mut output) = (Running(child), String::new());
        while !output.contains("listening at ") {
            assert_ne!(reply.read_line(&mut output).unwrap(), 0, "{output}");
        }
        std::thread::spawn(move || reply.lines().for_each(drop));
        let port = output
            .split("http://127.0.0.1:")
            .nth(1)
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        Self { running, port }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        Client(BufReader::new(stream))
    }

    /// Queries until every class calls the method of a version.
    fn awaits(&self, version: usize, classes: usize) {
        wait_until("it is not known", || {
            self.connect().callers(version).0 == classes
        });
    }
}

/// A persistent connection.
struct Client(BufReader<TcpStream>);

/// Returns a request as it is sent.
fn request(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn call(id: usize, tool: &str, arguments: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } }).to_string()
}

impl Client {
    fn post(&mut self, path: &str, body: &str) -> (u16, String) {
        self.attempt(path, body).unwrap()
    }

    /// Posts to a server that may be gone.
    fn attempt(&mut self, path: &str, body: &str) -> io::Result<(u16, String)> {
        self.0.get_mut().write_all(request(path, body).as_bytes())?;
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::Error::new(
                    ErrorKind::UnexpectedEof,
                    format!("hung up after {head:?}"),
                ));
            }
            let field = line.to_lowercase();
            if let Some(output) = field.strip_prefix("content-length:") {
                length = output.trim().parse().unwrap();
            }
            head += &line;
            if line == "\r\n" {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        Ok((
            head.split(' ').nth(1).unwrap().parse().unwrap(),
            String::from_utf8(answer).unwrap(),
        ))
    }

    /// Returns the number of classes that call the method of a version (0 for an error), and the
    /// whole answer.
    fn callers(&mut self, version: usize) -> (usize, String) {
        let (status, text) = self.post(
            "/mcp",
            &call(
                1,
                "get_callers",
                json!({ "node_id": format!("Hub.Go{version}") }),
            ),
        );
        assert_eq!(status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        (
            answer["result"]["structuredContent"]["results"]
                .as_array()
                .map_or(0, Vec::len),
            text,
        )
    }

    /// Opens the event stream of a 2024-11-05 session; returns the address for its messages.
    fn stream(&mut self) -> String {
        let open = format!(
            "GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n"
        );
        self.0.get_mut().write_all(open.as_bytes()).unwrap();
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "no stream");
        }
        line.trim_end().trim_start_matches("data: ").to_owned()
    }

    /// Writes requests until the server stops reading; returns their number.
    fn fill(&mut self, request: &str) -> usize {
        let stream = self.0.get_mut();
        stream
            .set_write_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        (0..10_000)
            .take_while(|_| stream.write_all(request.as_bytes()).is_ok())
            .count()
    }
}

#[test]
fn fifty_http_clients_are_answered_during_edits() {
    let seconds = number("CODEAGENT_SOAK", 3) as u64;
    let place = ClassRepository::new(10);
    let server = Listening::start(&place);
    server.awaits(0, place.classes);
    let log = place.data().path().join("index.db-wal");
    let (over, asked, begun, written) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let (began, time) = (Instant::now(), Duration::from_secs(seconds));
    let (mut early, mut longest_log) = (0, 0);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                let mut client = server.connect();
                while !over.load(Ordering::Relaxed) && began.elapsed() < time + 2 * TIMEOUT {
                    let version = written.load(Ordering::Relaxed);
                    let (count, answer) = client.callers(version);
                    // The answer includes everything written before the query, or says that it does
                    // not.
                    let is_whole =
                        count == place.classes || begun.load(Ordering::Relaxed) != version;
                    assert!(is_whole || is_admitted(&answer), "{count}: {answer}");
                    assert!(
                        !answer.contains("locked") && !answer.contains("busy"),
                        "{answer}"
                    );
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for version in 1.. {
            begun.store(version, Ordering::Relaxed);
            place.write_all(version);
            written.store(version, Ordering::Relaxed);
            server.awaits(version, place.classes);
            longest_log = longest_log.max(log.metadata().map_or(0, |log| log.len()));
            if began.elapsed() < time / 3 || early == 0 {
                early = server.running.holds().0;
            } else if began.elapsed() > time {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    let last = server.running.holds().0;
    println!(
        "{} answers, {early} kB early, {last} kB at last, a log of {longest_log} bytes at most",
        asked.into_inner()
    );
    assert!(last < early + early / 4 + 20_000 && longest_log < 64 << 20);
    drop(server);
    place.stdout(&["index"]);
    place.is_as_fresh();
}

#[test]
fn http_clients_that_do_not_read_cost_little_and_block_nobody() {
    let place = ClassRepository::new(10);
    place.write(
        "notes.txt",
        &"a line that is read and read again\n".repeat(300),
    );
    let server = Listening::start(&place);
    server.awaits(0, place.classes);
    let before = server.running.holds().0;
    let ask = |id: usize| call(id, "read_file", json!({ "path": "notes.txt" }));
    // Consecutive requests whose responses are never read.
    let mut deaf: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    let taken: usize = deaf
        .iter_mut()
        .map(|client| client.fill(&request("/mcp", &ask(1))))
        .sum();
    // A body that never ends.
    let mut halves: Vec<Client> = (0..100).map(|_| server.connect()).collect();
    for half in &mut halves {
        half.0
            .get_mut()
            .write_all(
                request("/mcp", &ask(1))
                    .replace("Content-Length: ", "Content-Length: 9")
                    .as_bytes(),
            )
            .unwrap();
    }
    // An event stream that is never read, and calls to be answered over it.
    let mut stream = server.connect();
    let address = stream.stream();
    let mut asking = server.connect();
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client } });
    assert_eq!(asking.post(&address, &hello.to_string()).0, 202);
    assert_eq!(
        asking
            .post(
                &address,
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
            )
            .0,
        202
    );
    let refused = (0..10_000)
        .filter(|id| asking.post(&address, &ask(*id)).0 == 503)
        .count();
    // Calls whose answers fit into the system's buffers are accepted.
    assert!(
        refused > 5_000,
        "only {refused} of 10,000 questions were refused"
    );
    let began = Instant::now();
    place.write_all(1);
    server.awaits(1, place.classes);
    let (waited, after) = (began.elapsed(), server.running.holds().0);
    println!(
        "{before} kB, with {taken} questions written and {refused} refused {after} kB; an edit known after {waited:?}"
    );
    assert!(after < before + MOST_HELD, "{before} kB become {after}");
    // A client that has read its answers can call again.
    let mut reading = stream.0;
    reading
        .get_mut()
        .set_read_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let mut lines = String::new();
    let ended = reading.read_to_string(&mut lines).unwrap_err().kind();
    assert!(
        matches!(ended, ErrorKind::WouldBlock | ErrorKind::TimedOut)
            && lines.contains("read again"),
        "{ended} {lines}"
    );
    assert_eq!(asking.post(&address, &ask(1)).0, 202);
}

#[test]
fn stopping_a_server_tells_each_client_whether_its_write_happened() {
    let place = ClassRepository::new(2);
    let mut server = Listening::start(&place);
    server.awaits(0, place.classes);
    let content = "a line of a text\n".repeat(20_000);
    let written = AtomicUsize::new(0);
    let outcomes: Vec<(String, io::Result<(u16, String)>)> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|number| {
                let (mut client, content, written) = (server.connect(), &content, &written);
                scope.spawn(move || {
                    let mut outcomes = Vec::new();
                    while outcomes
                        .last()
                        .is_none_or(|(_, outcome): &(String, io::Result<_>)| outcome.is_ok())
                    {
                        let file = format!("text-{number}-{}.txt", outcomes.len());
                        let arguments = json!({ "path": file, "content": content });
                        let outcome =
                            client.attempt("/mcp/patch", &call(1, "write_file", arguments));
                        written.fetch_add(1, Ordering::Relaxed);
                        outcomes.push((file, outcome));
                    }
                    outcomes
                })
            })
            .collect();
        wait_until("they do not write", || {
            written.load(Ordering::Relaxed) >= 24
        });
        server.running.signal("-TERM");
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    assert_eq!(server.running.0.wait().unwrap().code(), Some(130));
    let (mut done, mut refused, mut unanswered) = (0, 0, 0);
    for (file, outcome) in &outcomes {
        let on_disk = std::fs::read_to_string(place.root().join(file)).ok();
        match outcome {
            Ok((200, answer)) => {
                assert!(
                    answer.contains("Wrote") && on_disk.as_deref() == Some(&content),
                    "{file}: {answer}"
                );
                done += 1;
            }
            Ok((status, answer)) => {
                assert!(
                    *status == 503 && on_disk.is_none(),
                    "{file}: {status} {answer}"
                );
                refused += 1;
            }
            Err(error) => {
                assert!(
                    on_disk.is_none(),
                    "{file} was written and nobody was told: {error}"
                );
                unanswered += 1;
            }
        }
    }
    println!("{done} written and told, {refused} refused, {unanswered} not taken in");
}

#[test]
fn ten_thousand_abandoned_sessions_leave_nothing_behind() {
    let place = ClassRepository::new(2);
    let server = Listening::start(&place);
    server.awaits(0, place.classes);
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client } })
    .to_string();
    let abandon = |sessions: usize| {
        let mut client = server.connect();
        for _ in 0..sessions {
            assert_eq!(client.post("/mcp", &hello).0, 200);
        }
        for _ in 0..sessions / 10 {
            let mut client = server.connect();
            // This waits for a free slot until the abandoned sessions are noticed.
            client.stream();
            client.0.get_mut().shutdown(Shutdown::Both).unwrap();
        }
        drop(client);
        server.awaits(0, place.classes);
        server.running.holds()
    };
    let (memory, files) = abandon(500);
    let (after_memory, after_files) = abandon(10_000);
    println!(
        "{memory} kB, {files} files; after 10,000 more {after_memory} kB, {after_files} files"
    );
    assert!(
        after_memory < memory + 20_000 && after_files < files + 80,
        "{memory} {files} become {after_memory} {after_files}"
    );
}
