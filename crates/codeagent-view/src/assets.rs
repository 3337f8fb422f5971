//! The files of the page, and the headers of every response.

use axum::body::Bytes;
use axum::http::header::{self, HeaderName};
use axum::response::{IntoResponse, Response};

/// What the page may load and do: nothing but its own script, style and answers.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

const INDEX: &[u8] = include_bytes!("../page/index.html");
const SCRIPT: &[u8] = include_bytes!("../page/app.js");
const STYLE: &[u8] = include_bytes!("../page/style.css");

/// Headers of every response. Nothing is stored, because the index changes with every edit.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Returns the page.
pub async fn index() -> Response {
    file(INDEX, "text/html; charset=utf-8")
}

/// Returns the page's script.
pub async fn script() -> Response {
    file(SCRIPT, "text/javascript; charset=utf-8")
}

/// Returns the page's style.
pub async fn style() -> Response {
    file(STYLE, "text/css; charset=utf-8")
}

/// Returns the text of the page's style, for the report.
pub fn style_text() -> &'static str {
    include_str!("../page/style.css")
}

fn file(content: &'static [u8], media_type: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, media_type)];
    (headers, Bytes::from_static(content)).into_response()
}

/// Adds the headers of every response.
pub async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let value = header::HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}
