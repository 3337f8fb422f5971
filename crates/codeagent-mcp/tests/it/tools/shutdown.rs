//! Graceful shutdown over HTTP: running calls finish or are told that they were interrupted.

use std::sync::Arc;

use codeagent_mcp::http::{HttpOptions, Sessions, Stop, accept, endpoint, guarded};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ProgressNotificationParam,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A server whose only tool ends when the test says so.
#[derive(Clone, Default)]
struct Slow {
    begun: Arc<Notify>,
    go: Arc<Notify>,
}

impl ServerHandler for Slow {
    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            context
                .peer
                .notify_progress(ProgressNotificationParam::new(token, 1.0))
                .await
                .ok();
        }
        self.begun.notify_one();
        self.go.notified().await;
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }
}

/// Starts a call of it; returns the connection, what ends the tool, and what stops the server.
async fn slow_call(
    with_progress: bool,
) -> (TcpStream, Arc<Notify>, Stop, tokio::task::JoinHandle<()>) {
    let slow = Slow::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let options = HttpOptions {
        address,
        hosts: Vec::new(),
        origins: Vec::new(),
        token: None,
        legacy_sse: false,
    };
    let stop = Stop::default();
    let routes = guarded(
        endpoint("/mcp", slow.clone(), Sessions::none(), &stop),
        options,
    );
    let serving = tokio::spawn(accept(listener, routes, stop.clone()));
    let mut call = TcpStream::connect(address).await.unwrap();
    let meta = if with_progress {
        json!({ "progressToken": 1 })
    } else {
        json!({})
    };
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": { "name": "x", "arguments": {}, "_meta": meta } });
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    call.write_all(format!("{head}{body}").as_bytes())
        .await
        .unwrap();
    slow.begun.notified().await;
    (call, slow.go, stop, serving)
}

async fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_running_call_finishes_when_the_server_stops() {
    for with_progress in [false, true] {
        let (call, go, stop, serving) = slow_call(with_progress).await;
        let address = call.peer_addr().unwrap();
        // This connection has sent no complete request, so the server does not wait for it.
        let mut silent = TcpStream::connect(address).await.unwrap();
        silent.write_all(b"POST /mcp HT").await.unwrap();
        stop.now();
        let mut reply = Vec::new();
        silent.read_to_end(&mut reply).await.ok();
        assert!(reply.is_empty(), "{reply:?}");
        go.notify_one();
        let answer = rest(call).await;
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.contains("done"),
            "{answer}"
        );
        serving.await.unwrap();
        assert!(
            TcpStream::connect(address).await.is_err(),
            "nobody listens any more"
        );
    }
}

#[tokio::test]
async fn an_interrupted_call_is_reported() {
    for with_progress in [false, true] {
        let (call, _go, stop, serving) = slow_call(with_progress).await;
        stop.now();
        stop.cut();
        let answer = rest(call).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(
            answer.contains(r#""id":5"#)
                && answer.contains("-32603")
                && answer.contains("shut down"),
            "{answer}"
        );
        serving.await.unwrap();
    }
}
