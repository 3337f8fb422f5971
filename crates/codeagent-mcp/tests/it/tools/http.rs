//! The server over HTTP: clients of every revision, unauthorized clients, and malformed requests.

use std::sync::Arc;
use std::time::Duration;

use codeagent_files::{ExecPolicy, Options, Profile, ToolSet};
use codeagent_mcp::http::{HttpOptions, Stop, Token, accept, router};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::State;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::malformed_messages::malformed_messages;
use crate::tools::support::home;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const MODERN: &str = "2026-07-28";

struct Http {
    port: u16,
    stop: Stop,
    state: Arc<State>,
    root: tempfile::TempDir,
}

/// An HTTP response: status, head in lower case, body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        // An event stream holds one message here.
        let text = self
            .body
            .lines()
            .find_map(|line| line.strip_prefix("data: "))
            .unwrap_or(&self.body);
        serde_json::from_str(text)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }
}

impl Http {
    async fn start(token: Option<&str>) -> Self {
        Self::offering(token, Options::default()).await
    }

    async fn offering(token: Option<&str>, options: Options) -> Self {
        Self::allowing(token, options, &[]).await
    }

    async fn allowing(token: Option<&str>, options: Options, origins: &[&str]) -> Self {
        let tools = ToolSet::new(Profile::Index, options);
        let root = tempfile::tempdir().unwrap();
        std::fs::write(
            root.path().join("a.ts"),
            "export function f() {}\nexport const x = f();\n",
        )
        .unwrap();
        let state = State::open(root.path(), home(root.path())).unwrap();
        state.start();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let token = token.map(|token| Token::new(token).unwrap());
        let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
        let options = HttpOptions {
            address,
            hosts: Vec::new(),
            origins,
            token,
            legacy_sse: true,
        };
        let stop = Stop::default();
        tokio::spawn(accept(
            listener,
            router(Server::of(Arc::clone(&state), tools), options, &stop),
            stop.clone(),
        ));
        Self {
            port: address.port(),
            stop,
            state,
            root,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// Sends raw bytes and reads until the server closes.
    async fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect().await;
        // The server does not read a request to its end if it refuses it early.
        stream.write_all(request).await.ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        let head = head.to_lowercase();
        let body = if head.contains("transfer-encoding: chunked") {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Answer { status, head, body }
    }

    /// Posts a body with additional headers.
    async fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        let usual = [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", "Bearer 0123456789abcdef0123456789abcdef"),
        ];
        let is_given = |name: &str| {
            headers
                .iter()
                .any(|(given, _)| given.eq_ignore_ascii_case(name))
        };
        for (name, value) in usual
            .iter()
            .filter(|(name, _)| !is_given(name))
            .chain(headers)
            .filter(|(_, value)| *value != "-")
        {
            request += &format!("{name}: {value}\r\n");
        }
        self.raw(format!("{request}\r\n{body}").as_bytes()).await
    }

    /// Sends a request of a revision without a handshake.
    async fn modern(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> Answer {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut all = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        all.retain(|(name, _)| !headers.iter().any(|(given, _)| given == name));
        all.extend(headers);
        self.post("/mcp", &all, &body.to_string()).await
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.stop.now();
        self.state.close();
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        whole += &rest[..size.min(rest.len())];
        body = rest.get(size + 2..).unwrap_or("");
    }
    whole
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[tokio::test]
async fn every_protocol_revision_is_supported() {
    let http = Http::start(Some(TOKEN)).await;
    for revision in ["2025-06-18", "2025-11-25"] {
        let open = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
        let opened = http.post("/mcp", &[], &open.to_string()).await;
        assert_eq!(
            (opened.status, &opened.json()["result"]["protocolVersion"]),
            (200, &json!(revision))
        );
        assert!(
            !opened.head.contains("mcp-session-id"),
            "nothing is left behind"
        );
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(
            http.post("/mcp", &[("MCP-Protocol-Version", revision)], ready)
                .await
                .status,
            202
        );
        let listed = http
            .post("/mcp", &[("MCP-Protocol-Version", revision)], LIST)
            .await
            .json();
        assert_eq!(
            listed["result"]["tools"].as_array().unwrap().len(),
            codeagent_mcp::tools::all().count()
        );
    }
    let discovered = http.modern("server/discover", json!({}), &[]).await;
    assert_eq!(discovered.status, 200);
    let versions = discovered.json()["result"]["supportedVersions"]
        .as_array()
        .unwrap()
        .clone();
    assert!(versions.contains(&json!(MODERN)), "{versions:?}");
    let call = json!({ "name": "get_callers", "arguments": { "node_id": "f" } });
    let called = http
        .modern("tools/call", call, &[("Mcp-Name", "get_callers")])
        .await;
    assert!(
        called.json()["result"]["structuredContent"]["results"].is_array(),
        "{}",
        called.body
    );
}

#[cfg(unix)]
#[tokio::test]
async fn every_profile_has_its_own_endpoint() {
    let exec = ExecPolicy::Refused("there is no jail".to_owned());
    for (options, patch_tools, workspace_tools, code) in [
        (Options::default(), 5, 7, "done"),
        (
            Options {
                exec: exec.clone(),
                ..Options::default()
            },
            6,
            8,
            "done",
        ),
        (
            Options {
                read_only: true,
                exec,
                ..Options::default()
            },
            6,
            3,
            "ReadOnly",
        ),
    ] {
        let http = Http::offering(Some(TOKEN), options).await;
        let call = |name: &str, arguments: Value| {
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } }).to_string()
        };
        let headers = [("MCP-Protocol-Version", "2025-11-25")];
        for (path, name, tools) in [
            ("/mcp", "codeagent", codeagent_mcp::tools::all().count()),
            ("/mcp/assistant", "codeagent-assistant", 4),
            ("/mcp/patch", "codeagent-patch", patch_tools),
            ("/mcp/workspace", "codeagent-workspace", workspace_tools),
            ("/mcp/local", "local-explorer-mcp", 4),
        ] {
            let open = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
            assert_eq!(
                http.post(path, &[], &open.to_string()).await.json()["result"]["serverInfo"]["name"],
                name
            );
            let listed = http.post(path, &headers, LIST).await.json();
            assert_eq!(
                listed["result"]["tools"].as_array().unwrap().len(),
                tools,
                "{path}"
            );
            assert_eq!(
                http.post(path, &[("Authorization", "-")], LIST)
                    .await
                    .status,
                401,
                "{path}"
            );
            assert_eq!(
                http.post(path, &[("Origin", "http://evil.com")], LIST)
                    .await
                    .status,
                403,
                "{path}"
            );
        }
        let foreign = http
            .post(
                "/mcp",
                &headers,
                &call("write_file", json!({ "path": "x", "content": "x" })),
            )
            .await
            .json();
        assert_eq!(
            foreign["error"]["code"], -32602,
            "tools of other profiles are not there"
        );
        let wrote = http
            .post(
                "/mcp/patch",
                &headers,
                &call("write_file", json!({ "path": "b.ts", "content": "let b;" })),
            )
            .await
            .json();
        let reply = wrote["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            reply.starts_with(if code == "done" { "Wrote" } else { code }),
            "{reply}"
        );
        assert_eq!(http.root.path().join("b.ts").exists(), code == "done");
        let ran = http
            .post(
                "/mcp/patch",
                &headers,
                &call("shell_exec", json!({ "command": "cat" })),
            )
            .await
            .json();
        let refused = ran["result"]["content"][0]["text"].as_str();
        let off = "CommandNotAllowed: commands are not allowed; start the server with --allow-exec";
        assert_eq!(
            refused,
            Some(if patch_tools == 6 {
                "CommandNotAllowed: there is no jail"
            } else {
                off
            })
        );
        assert_eq!(http.post("/mcp/index", &headers, LIST).await.status, 404);
    }
    let http = Http::start(None).await;
    assert_eq!(http.post("/mcp", &[], LIST).await.status, 200);
    for path in [
        "/mcp/assistant",
        "/mcp/patch",
        "/mcp/workspace",
        "/mcp/local",
    ] {
        assert_eq!(
            http.post(path, &[], LIST).await.status,
            404,
            "files are for who shows a token"
        );
    }
}

#[tokio::test]
async fn progress_precedes_the_answer_and_only_grows() {
    let http = Http::start(Some(TOKEN)).await;
    http.state.wait();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "index_files", "arguments": { "paths": ["a.ts"] }, "_meta": { "progressToken": "p" } } });
    // The watcher may index the change before the call does; then there is no progress to report.
    for attempt in 0..50 {
        std::fs::write(
            http.root.path().join("a.ts"),
            format!("export function changed{attempt}() {{}}\n"),
        )
        .unwrap();
        let answer = http
            .post(
                "/mcp",
                &[("MCP-Protocol-Version", "2025-11-25")],
                &call.to_string(),
            )
            .await;
        if !answer.head.contains("text/event-stream") {
            assert_eq!(
                answer.json()["result"]["structuredContent"]["indexed"],
                1,
                "{}",
                answer.body
            );
            continue;
        }
        let events: Vec<Value> = answer
            .body
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        let (last, reports) = events.split_last().unwrap();
        assert_eq!(
            last["result"]["structuredContent"]["indexed"], 1,
            "{}",
            answer.body
        );
        assert!(
            !reports.is_empty()
                && reports
                    .iter()
                    .all(|report| report["params"]["progressToken"] == "p"),
            "{}",
            answer.body
        );
        let reached: Vec<f64> = reports
            .iter()
            .map(|report| report["params"]["progress"].as_f64().unwrap())
            .collect();
        assert!(
            reached.windows(2).all(|pair| pair[0] < pair[1]),
            "{reached:?}"
        );
        return;
    }
    panic!("no call reported its progress");
}

#[tokio::test]
async fn headers_required_by_revision_2026_07_28_are_checked() {
    let http = Http::start(Some(TOKEN)).await;
    let call = || json!({ "name": "get_status", "arguments": {} });
    for (headers, status, code) in [
        (&[("Mcp-Name", "get_status")][..], 200, Value::Null),
        (&[("Mcp-Name", "read_file")], 400, json!(-32020)),
        (&[], 400, json!(-32020)),
        (
            &[("Mcp-Name", "get_status"), ("Mcp-Method", "tools/list")],
            400,
            json!(-32020),
        ),
        (
            &[
                ("Mcp-Name", "get_status"),
                ("MCP-Protocol-Version", "2025-11-25"),
            ],
            400,
            json!(-32020),
        ),
        (
            &[("Mcp-Name", "get_status"), ("Mcp-Name", "read_file")],
            400,
            json!(-32020),
        ),
        (
            &[("Mcp-Name", "read_file"), ("Mcp-Name", "get_status")],
            400,
            json!(-32020),
        ),
        (
            &[
                ("Mcp-Name", "get_status"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Method", "tools/list"),
            ],
            400,
            json!(-32020),
        ),
    ] {
        let answer = http.modern("tools/call", call(), headers).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]["code"]),
            (status, &code),
            "{headers:?} {}",
            answer.body
        );
    }
    let unknown = http.modern("no/such", json!({}), &[]).await;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["code"]),
        (404, &json!(-32601))
    );
    for request in ["GET", "DELETE", "PUT"] {
        let text = format!(
            "{request} /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(http.raw(text.as_bytes()).await.status, 405, "{request}");
    }
}

#[tokio::test]
async fn unauthorized_requests_are_refused() {
    let http = Http::start(Some(TOKEN)).await;
    let wrong = TOKEN.replace('0', "1");
    let bearer = "Bearer 0123456789abcdef0123456789abcdef";
    let [huge, doubled] = [
        format!("Bearer {}", "x".repeat(1 << 20)),
        format!("Bearer {TOKEN}, Bearer {TOKEN}"),
    ];
    for (headers, path, status) in [
        (&[][..], "/mcp", 200),
        (&[("Host", "evil.com")], "/mcp", 403),
        (&[("Host", "localhost.evil.com")], "/mcp", 403),
        (&[("Host", "127.0.0.1.nip.io:7345")], "/mcp", 403),
        (&[("Host", "0.0.0.0")], "/mcp", 403),
        (&[("Origin", "http://evil.com")], "/mcp", 403),
        (&[("Origin", "null")], "/mcp", 403),
        (&[("Origin", "http://localhost:5173")], "/mcp", 403),
        (&[("Origin", "vscode-webview://x")], "/mcp", 403),
        (&[("Content-Type", "text/plain")], "/mcp", 415),
        (
            &[("Content-Type", "application/x-www-form-urlencoded")],
            "/mcp",
            415,
        ),
        (&[("Content-Type", "multipart/form-data")], "/mcp", 415),
        (&[("Content-Type", "-")], "/mcp", 415),
        (&[("Accept", "-")], "/mcp", 406),
        (&[("Authorization", "-")], "/mcp", 401),
        (&[("Authorization", "-")], "/sse", 401),
        (&[("Authorization", "-")], "/messages", 401),
        (&[("Authorization", "-")], "/elsewhere", 401),
        (&[("Authorization", wrong.as_str())], "/mcp", 401),
        (
            &[("Authorization", "bearer 0123456789abcdef0123456789abcdef")],
            "/mcp",
            200,
        ),
        (
            &[("Authorization", bearer), ("Authorization", bearer)],
            "/mcp",
            401,
        ),
        (&[("Authorization", doubled.as_str())], "/mcp", 401),
        (
            &[("Authorization", "-"), ("X-Token", TOKEN)],
            "/mcp?token=0123456789abcdef0123456789abcdef",
            401,
        ),
        (&[("Authorization", huge.as_str())], "/mcp", 431),
        (&[], "/elsewhere", 404),
    ] {
        let answer = http.post(path, headers, PING).await;
        let shown: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name, &value[..value.len().min(40)]))
            .collect();
        assert_eq!(answer.status, status, "{path} {shown:?} {}", answer.body);
        assert_eq!(
            status == 401,
            answer.head.contains("www-authenticate: bearer"),
            "{path} {shown:?}"
        );
        assert!(
            !answer.head.contains("access-control") && !answer.body.contains(TOKEN),
            "{path} {shown:?}"
        );
    }
    let preflight = "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.com\r\nAccess-Control-Request-Method: POST\r\n\
                     Connection: close\r\n\r\n";
    let answer = http.raw(preflight.as_bytes()).await;
    assert!(
        answer.status == 403 && !answer.head.contains("access-control"),
        "{}",
        answer.head
    );
}

#[tokio::test]
async fn a_web_page_of_an_allowed_origin_can_use_the_server() {
    let page = "https://tool.example:8443";
    let http = Http::allowing(Some(TOKEN), Options::default(), &[page]).await;
    let own = format!("http://localhost:{}", http.port);
    let host = format!("127.0.0.1:{}", http.port);
    let preflight = async |origin: &str, host: &str| {
        let text = format!(
            "OPTIONS /mcp HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: authorization,content-type,mcp-protocol-version\r\nConnection: close\r\n\r\n"
        );
        http.raw(text.as_bytes()).await
    };
    for origin in [page, own.as_str()] {
        let allowed = format!("access-control-allow-origin: {origin}\r\n");
        let asked = preflight(origin, &host).await;
        assert_eq!(
            (asked.status, asked.body.as_str()),
            (204, ""),
            "{}",
            asked.head
        );
        let reply = asked
            .head
            .lines()
            .find(|line| line.starts_with("access-control-allow-headers: "))
            .unwrap();
        for header in [
            "authorization",
            "content-type",
            "mcp-session-id",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
        ] {
            assert!(reply.contains(header), "{header}: {reply}");
        }
        assert!(
            asked
                .head
                .contains("access-control-allow-methods: get, post"),
            "{}",
            asked.head
        );
        let bare = [("Origin", origin), ("Host", host.as_str())];
        let refused = [
            ("Origin", origin),
            ("Host", host.as_str()),
            ("Authorization", "-"),
        ];
        for (headers, path, status) in [
            (&bare[..], "/mcp", 200),
            (&refused[..], "/mcp", 401),
            (&bare[..], "/elsewhere", 404),
        ] {
            let answer = http.post(path, headers, PING).await;
            assert_eq!(answer.status, status, "{path} {}", answer.body);
            let head = format!("{}\r\n", answer.head);
            assert!(
                head.contains(&allowed) && head.contains("vary: origin\r\n"),
                "{head}"
            );
            assert!(
                head.contains("access-control-expose-headers: mcp-session-id"),
                "{head}"
            );
        }
    }
    for origin in [
        "https://tool.example",
        "https://tool.example:8443.evil.com",
        "https://evil.com",
        "null",
    ] {
        let asked = preflight(origin, &host).await;
        assert!(
            asked.status == 403 && !asked.head.contains("access-control"),
            "{origin} {}",
            asked.head
        );
    }
    let rebound = preflight(page, "evil.com").await;
    assert!(rebound.status == 403, "{}", rebound.head);
    // Anything other than a preflight needs the token.
    let options = format!(
        "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {page}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(http.raw(options.as_bytes()).await.status, 401);
}

/// Returns the head of a request with this content length.
fn head(length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn half_sent_large_bodies_block_nobody() {
    let http = Http::start(Some(TOKEN)).await;
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(1 << 20)
    );
    assert_eq!(http.post("/mcp", &[], &large).await.status, 200);
    let mut halves = Vec::new();
    for _ in 0..16 {
        let mut half = http.connect().await;
        half.write_all(head(4 << 20).as_bytes()).await.unwrap();
        half.write_all(&vec![b' '; 1 << 20]).await.unwrap();
        halves.push(half);
    }
    // Each request takes its share of memory as soon as it is read; the refusal of one more shows
    // that all have.
    let full = async {
        loop {
            let answer = http.post("/mcp", &[], &large).await;
            if answer.status != 200 {
                return answer;
            }
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(20), full)
        .await
        .unwrap();
    assert!(
        refused.status == 503 && refused.head.contains("retry-after: "),
        "{} {}",
        refused.status,
        refused.head
    );
    for body in [LIST, PING, &format!("{PING}{}", " ".repeat(60_000))] {
        let answered = tokio::time::timeout(Duration::from_secs(5), http.post("/mcp", &[], body))
            .await
            .unwrap();
        assert_eq!(answered.status, 200, "a small request needs no room");
    }
    drop(halves);
    let again = async { while http.post("/mcp", &[], &large).await.status != 200 {} };
    tokio::time::timeout(Duration::from_secs(20), again)
        .await
        .expect("room comes back");
}

#[tokio::test]
async fn an_announced_oversized_body_is_refused_before_it_arrives() {
    let http = Http::start(Some(TOKEN)).await;
    for length in [(4 << 20) + 1, 5_000_000_000, usize::MAX >> 1] {
        let answer =
            tokio::time::timeout(Duration::from_secs(10), http.raw(head(length).as_bytes()))
                .await
                .unwrap();
        assert_eq!(answer.status, 413, "{length}");
    }
}

#[tokio::test]
async fn many_large_bodies_are_answered_or_asked_to_retry() {
    let http = Arc::new(Http::start(Some(TOKEN)).await);
    let large = Arc::new(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(3_900_000)
    ));
    let clients: Vec<_> = (0..32)
        .map(|_| {
            let (http, large) = (Arc::clone(&http), Arc::clone(&large));
            tokio::spawn(async move { http.post("/mcp", &[], &large).await.status })
        })
        .collect();
    let small = tokio::time::timeout(Duration::from_secs(20), http.post("/mcp", &[], PING))
        .await
        .unwrap();
    assert_eq!(small.status, 200);
    let mut answered = 0;
    for client in clients {
        match client.await.unwrap() {
            200 => answered += 1,
            // A client that is still sending may not see the refusal.
            status => assert!(matches!(status, 503 | 0), "{status}"),
        }
    }
    println!("{answered} of 32 large bodies answered");
    assert!(answered >= 16, "{answered}");
}

/// Reads what the server still sends before it closes.
async fn answered(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok();
    answer
}

#[tokio::test]
async fn an_incomplete_request_does_not_delay_shutdown() {
    let http = Http::start(Some(TOKEN)).await;
    let mut half = http.connect().await;
    half.write_all(format!("{}half", head(99)).as_bytes())
        .await
        .unwrap();
    // An answered request shows that the server has accepted the connection.
    assert_eq!(http.post("/mcp", &[], PING).await.status, 200);
    http.stop.now();
    let answer = tokio::time::timeout(Duration::from_secs(20), answered(half))
        .await
        .unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.contains("shutting down")
            || answer.is_empty(),
        "{answer}"
    );
}

#[tokio::test]
async fn malformed_messages_are_answered_as_over_standard_input() {
    let http = Http::start(None).await;
    let big = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(4 << 20)
    );
    for (line, expected) in malformed_messages() {
        let answer = http
            .post("/mcp", &[("MCP-Protocol-Version", "2025-06-18")], &line)
            .await;
        let Some((code, id)) = expected else {
            // A response that no request waits for may be refused, because the server sends no
            // requests.
            let is_refusable = line.contains("result") || line.trim().is_empty();
            assert!(
                answer.status == 202 && answer.body.is_empty()
                    || is_refusable && answer.status == 400,
                "{line}: {}",
                answer.body
            );
            continue;
        };
        let error = answer.json();
        assert_eq!(
            (&error["error"]["code"], &error["id"]),
            (&json!(code), &id),
            "{line}: {error}"
        );
        assert_eq!(
            answer.status,
            if matches!(code, -32700 | -32600) {
                400
            } else {
                200
            },
            "{line}: {error}"
        );
    }
    let empty = http
        .post("/mcp", &[("MCP-Protocol-Version", "2025-06-18")], "")
        .await;
    assert_eq!(
        (empty.status, &empty.json()["error"]["code"]),
        (400, &json!(-32600))
    );
    assert_eq!(http.post("/mcp", &[], &big).await.status, 413);
    assert_eq!(http.post("/mcp", &[], PING).await.status, 200, "it goes on");
}

#[tokio::test]
async fn a_stalled_client_does_not_block_others() {
    let http = Http::start(Some(TOKEN)).await;
    let mut silent = Vec::new();
    for _ in 0..100 {
        let mut stream = http.connect().await;
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nHost: local")
            .await
            .unwrap();
        let mut half = http.connect().await;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 99\r\n\r\nhalf"
        );
        half.write_all(head.as_bytes()).await.unwrap();
        silent.extend([stream, half]);
    }
    let answered = tokio::time::timeout(Duration::from_secs(5), http.post("/mcp", &[], LIST))
        .await
        .unwrap();
    assert_eq!(answered.status, 200);
}

#[tokio::test]
async fn the_endpoints_of_2024_11_05_answer_over_their_stream() {
    let http = Http::start(Some(TOKEN)).await;
    let mut stream = BufReader::new(http.connect().await);
    let open = format!(
        "GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n"
    );
    stream.write_all(open.as_bytes()).await.unwrap();
    let address = data(&mut stream, "event: endpoint").await;
    assert!(address.starts_with("/messages?session_id="), "{address}");
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    assert_eq!(
        http.post(&address, &[], &hello.to_string()).await.status,
        202
    );
    let opened: Value = serde_json::from_str(&data(&mut stream, "event: message").await).unwrap();
    assert_eq!(opened["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(
        http.post(
            &address,
            &[],
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        )
        .await
        .status,
        202
    );
    assert_eq!(http.post(&address, &[], LIST).await.status, 202);
    let listed: Value = serde_json::from_str(&data(&mut stream, "event: message").await).unwrap();
    assert_eq!(
        listed["result"]["tools"].as_array().unwrap().len(),
        codeagent_mcp::tools::all().count()
    );
    assert_eq!(
        http.post("/messages?session_id=none", &[], LIST)
            .await
            .status,
        404
    );
    drop(stream);
    let gone = async {
        while http.post(&address, &[], LIST).await.status != 404 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .expect("a session ends with its stream");
}

#[tokio::test]
async fn sessions_of_2024_11_05_are_few_and_end_with_their_streams() {
    let http = Http::start(Some(TOKEN)).await;
    let request = format!(
        "GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n"
    );
    let open = async || {
        let mut stream = BufReader::new(http.connect().await);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        (line.split(' ').nth(1).unwrap().to_owned(), stream)
    };
    let mut streams = Vec::new();
    for _ in 0..64 {
        let (status, stream) = open().await;
        assert_eq!(status, "200");
        streams.push(stream);
    }
    for _ in 0..10 {
        assert_eq!(open().await.0, "503", "there are enough");
    }
    streams.clear();
    let again = async {
        while streams.len() < 64 {
            let (status, stream) = open().await;
            if status == "200" {
                streams.push(stream)
            } else {
                tokio::time::sleep(Duration::from_millis(100)).await
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), again)
        .await
        .expect("what is abandoned makes room");
}

/// Returns the data of the next event of a kind.
async fn data(stream: &mut BufReader<TcpStream>, event: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(
            stream.read_line(&mut line).await.unwrap(),
            0,
            "the stream ended"
        );
        if line.trim_end() == event {
            line.clear();
            stream.read_line(&mut line).await.unwrap();
            return line.trim_end().strip_prefix("data: ").unwrap().to_owned();
        }
    }
}
