//! Cross-origin resource sharing: the headers with which a browser lets a web page of an allowed
//! origin use the server.
//!
//! The guard has already refused every other origin. A response names exactly the requesting
//! origin, never `*`.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Request headers that clients of the protocol send and browsers ask permission for.
const ALLOWED_HEADERS: &str = "Authorization, Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID";
const ALLOWED_METHODS: &str = "GET, POST, DELETE, OPTIONS";
/// Response headers that a page may read.
const EXPOSED_HEADERS: &str = "Mcp-Session-Id, WWW-Authenticate, Retry-After";
/// Seconds for which a browser may cache a preflight.
const MAX_AGE: &str = "600";

/// Reports whether a request is a browser's preflight.
pub fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    let asks = headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    request.method() == Method::OPTIONS && asks
}

/// Answers a preflight of an allowed origin.
pub fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Lets pages of this origin, if there is one, read the response.
pub fn readable_by(origin: Option<HeaderValue>, mut response: Response) -> Response {
    if let Some(origin) = origin {
        let headers: &mut HeaderMap = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED_HEADERS),
        );
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}
