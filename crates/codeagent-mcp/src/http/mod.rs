//! The server over HTTP.
//!
//! `/mcp` speaks the Streamable HTTP transport of the revisions 2025-06-18, 2025-11-25 and
//! 2026-07-28. The two endpoints of 2024-11-05 (`legacy_sse`) are optional. Every other profile has
//! its own endpoint, such as `/mcp/patch`, which is a separate server to clients.
//!
//! A request passes `codeagent-http` (limits, authorization), this module (message syntax) and then
//! the library's transport, which handles the revisions. The server keeps no state between
//! two requests, not even in older revisions, so there are no sessions to leak.
//!
//! Limitations: HTTP/1.1 without TLS; a proxy has to add TLS for access from other machines.
//! Without sessions, a client of an older revision cancels by closing the connection, not by a
//! notification, and there is no stream of unrequested messages.

mod cut_off;
mod legacy_sse;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use codeagent_files::{Profile, ToolSet};
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};

pub use codeagent_http::{DRAIN, Stop, Token, TokenError, accept, token_rights};
use codeagent_http::{Guard, MAX_BODY};

use crate::server::Server;
use crate::transport::{Incoming, Outgoing, Refusal, parse};

/// Path of the endpoint.
pub const ENDPOINT: &str = "/mcp";

/// The address of a server and who may use it.
#[derive(Debug)]
pub struct HttpOptions {
    /// Listening address; port 0 is any free one.
    pub address: SocketAddr,
    /// Additional host names by which clients may address it: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Origins of web pages that may send requests, as `scheme://host:port`.
    pub origins: Vec<String>,
    /// The token that a client must show; without one, anyone who reaches the address may send
    /// requests.
    pub token: Option<Token>,
    /// Whether to serve the endpoints of 2024-11-05 too.
    pub legacy_sse: bool,
}

/// An unsafe combination of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExposureError {
    /// Other machines could send requests without a token.
    #[error("an address that other machines can reach needs a token; remove --no-token")]
    Token,
    /// Other programs of this machine could change files.
    #[error("a profile that reads and changes files needs a token; remove --no-token")]
    Files,
    /// Web pages could pose as the server's own.
    #[error("an address that other machines can reach needs its host name; pass --allow-host NAME")]
    Hosts,
}

impl HttpOptions {
    /// Reports whether the options are safe.
    pub fn check(&self) -> Result<(), ExposureError> {
        if self.address.ip().is_loopback() {
            Ok(())
        } else if self.token.is_none() {
            Err(ExposureError::Token)
        } else if self.hosts.is_empty() {
            Err(ExposureError::Hosts)
        } else {
            Ok(())
        }
    }
}

/// Returns all routes of a server.
pub fn router(server: Server, options: HttpOptions, stop: &Stop) -> Router {
    let mut router = Router::new();
    for (path, tools) in offered(server.tools(), &options) {
        router = router.merge(endpoint(&path, server.with(tools), Sessions::none(), stop));
    }
    if options.legacy_sse {
        router = router.merge(legacy_sse::router(server, stop));
    }
    guarded(router, options)
}

/// Wraps routes with authorization and limits.
pub fn guarded(router: Router, options: HttpOptions) -> Router {
    let guard = Arc::new(Guard::new(options.hosts, options.origins, options.token));
    // The layer added last runs first.
    router.layer(middleware::from_fn_with_state(guard, codeagent_http::admit))
}

/// Returns the tools at each path: the server's own at [`ENDPOINT`], and if there is a token, each
/// file-tool profile at a path of its own.
#[must_use]
pub fn offered(tools: &ToolSet, options: &HttpOptions) -> Vec<(String, ToolSet)> {
    let others = Profile::NAMES
        .into_iter()
        .filter(|(_, profile)| !profile.asks_index() && options.token.is_some());
    let others =
        others.map(|(name, profile)| (format!("{ENDPOINT}/{name}"), tools.of_profile(profile)));
    std::iter::once((ENDPOINT.to_owned(), tools.clone()))
        .chain(others)
        .collect()
}

/// Sessions between requests, in revisions before 2026-07-28. Our own servers keep none. A server
/// that sends requests to its clients while a tool runs needs them, such as the fixture of the
/// conformance suite (`tests/it/conformance`).
pub struct Sessions<M> {
    manager: Arc<M>,
    are_kept: bool,
}

impl Sessions<NeverSessionManager> {
    /// Keeps no sessions.
    #[must_use]
    pub fn none() -> Self {
        Self {
            manager: Arc::default(),
            are_kept: false,
        }
    }
}

impl<M: SessionManager> Sessions<M> {
    /// Keeps sessions in this manager.
    pub fn kept(manager: M) -> Self {
        Self {
            manager: Arc::new(manager),
            are_kept: true,
        }
    }
}

/// Serves one server at a path. A response is JSON, or an event stream if notifications precede it.
pub fn endpoint<S: ServerHandler + Clone, M: SessionManager>(
    path: &str,
    server: S,
    sessions: Sessions<M>,
    stop: &Stop,
) -> Router {
    let mut config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins();
    config.legacy_session_mode = sessions.are_kept;
    config.json_response = true;
    config.max_request_body_bytes = MAX_BODY;

    let streams = config.cancellation_token.clone();
    stop.on_interrupt(move || streams.cancel());

    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions.manager, config);
    Router::new()
        .route_service(path, service)
        .layer(middleware::from_fn_with_state(stop.clone(), read))
}

/// Answers malformed messages with their `id`, and interrupted calls; the library does neither.
async fn read(State(stop): State<Stop>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }

    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_BODY).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };

    let id = match message(&bytes) {
        Ok(Some(JsonRpcMessage::Request(request))) => request.id,
        Ok(Some(_)) => {
            return next
                .run(Request::from_parts(parts, Body::from(bytes)))
                .await;
        }
        Ok(None) => return StatusCode::ACCEPTED.into_response(),
        Err(refusal) => return refused(*refusal),
    };

    tokio::select! {
        biased;
        () = stop.is_cut() => cut_off::answer(id),
        response = next.run(Request::from_parts(parts, Body::from(bytes))) => cut_off::watched(response, id, stop.clone()),
    }
}

/// Parses the message in a body, which must not be empty.
fn message(body: &[u8]) -> Result<Option<Incoming>, Refusal> {
    if body.trim_ascii().is_empty() {
        let error =
            ErrorData::invalid_request("the body is empty; send one JSON-RPC message", None);
        return Err(Box::new((error, None)));
    }
    parse(body)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn refused((error, id): (ErrorData, Option<RequestId>)) -> Response {
    let body = serde_json::to_vec(&Outgoing::error(error, id)).unwrap_or_default();
    (
        StatusCode::BAD_REQUEST,
        [(header::CONTENT_TYPE, "application/json")],
        Bytes::from(body),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_needs_a_token_and_a_host_name() {
        let options = |address: &str, hosts: &[&str], token: bool| HttpOptions {
            address: address.parse().unwrap(),
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            origins: Vec::new(),
            token: token.then(|| Token::new("0123456789abcdef").unwrap()),
            legacy_sse: false,
        };

        for (address, hosts, token, expected) in [
            ("127.0.0.1:0", &[][..], false, Ok(())),
            ("[::1]:0", &[], false, Ok(())),
            ("0.0.0.0:0", &[], true, Err(ExposureError::Hosts)),
            (
                "0.0.0.0:0",
                &["build.example"],
                false,
                Err(ExposureError::Token),
            ),
            ("[::]:0", &["build.example"], true, Ok(())),
            ("192.168.1.5:0", &[], false, Err(ExposureError::Token)),
        ] {
            assert_eq!(
                options(address, hosts, token).check(),
                expected,
                "{address} {hosts:?} {token}"
            );
        }
    }
}
