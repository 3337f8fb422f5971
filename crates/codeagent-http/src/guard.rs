//! Refuses HTTP requests for foreign hosts, from web pages, and without the token, before anything
//! of them is read.
//!
//! A web page can make its name lead to this machine (DNS rebinding), so the `Host` must be one of
//! ours. Browsers send an `Origin`, which must be an allowed one.
//!
//! A body is read only when there is memory for it. Small bodies need no reservation, because the
//! number of connections bounds them. A larger one reserves its whole length before its first byte
//! is read, so incomplete requests never block each other.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::connections::Client;
use crate::{Token, cors};

/// Maximum length of a body.
pub const MAX_BODY: usize = 4 << 20;
/// Maximum body length without a reservation: one for each connection takes 32 MiB.
const SMALL_BODY: usize = 64 << 10;
/// Time limit for receiving a body.
const BODY_PATIENCE: Duration = Duration::from_secs(30);
/// Maximum requests processed at the same time; others wait.
const REQUESTS: usize = 64;
/// Maximum total bytes of larger bodies that are being read or answered.
const ROOM: usize = 64 << 20;
/// Time that a larger body waits for its reservation; nothing is held for it meanwhile.
const ROOM_PATIENCE: Duration = Duration::from_secs(2);
/// Seconds after which a refused client should retry.
const RETRY_AFTER: &str = "2";
/// Host names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Where a request carries the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPlace {
    /// In the header `Authorization: Bearer TOKEN`.
    Header,
    /// In the first segment of the path, as a browser can send no header with an address.
    Path,
}

/// The rules for accepting requests.
pub struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<Token>,
    place: TokenPlace,
    turns: Semaphore,
    room: Semaphore,
}

impl Guard {
    /// Accepts requests that address this machine or one of `hosts`, have no `Origin` or an allowed
    /// one, and carry the token in their header.
    #[must_use]
    pub fn new(hosts: Vec<String>, origins: Vec<String>, token: Option<Token>) -> Self {
        let hosts = LOOPBACK
            .into_iter()
            .map(str::to_owned)
            .chain(hosts)
            .collect();
        Self {
            hosts,
            origins,
            token,
            place: TokenPlace::Header,
            turns: Semaphore::new(REQUESTS),
            room: Semaphore::new(ROOM),
        }
    }

    /// Expects the token at another place.
    #[must_use]
    pub fn with_token_in(self, place: TokenPlace) -> Self {
        Self { place, ..self }
    }

    /// Returns the response to a refused request. A preflight needs no token: browsers never send
    /// one with it.
    fn refusal(&self, uri: &Uri, headers: &HeaderMap, is_preflight: bool) -> Option<Response> {
        if !self.is_ours(uri, headers) {
            return Some(
                (StatusCode::FORBIDDEN, "host not allowed; see --allow-host").into_response(),
            );
        }

        if !self.is_allowed_origin(headers) {
            return Some(
                (
                    StatusCode::FORBIDDEN,
                    "origin not allowed; see --allow-origin",
                )
                    .into_response(),
            );
        }

        if is_preflight || self.is_trusted(uri, headers) {
            return None;
        }
        Some(match self.place {
            TokenPlace::Header => (
                StatusCode::UNAUTHORIZED,
                [(header::WWW_AUTHENTICATE, "Bearer")],
                "missing or wrong token; send Authorization: Bearer TOKEN",
            )
                .into_response(),
            TokenPlace::Path => (
                StatusCode::UNAUTHORIZED,
                "missing or wrong token; open the address that the server printed when it started",
            )
                .into_response(),
        })
    }

    fn is_ours(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(host) = single(headers, header::HOST).and_then(|host| host.to_str().ok()) else {
            return false;
        };
        // The request line may name a host too.
        let named = uri.authority().map(Authority::as_str);
        std::iter::once(host)
            .chain(named)
            .all(|host| self.is_host(host))
    }

    fn is_host(&self, text: &str) -> bool {
        let Ok(authority) = text.parse::<Authority>() else {
            return false;
        };
        // `user@host` is refused: no client needs that form.
        let is = |host: &String| {
            host.eq_ignore_ascii_case(text) || host.eq_ignore_ascii_case(authority.host())
        };
        !text.contains('@') && self.hosts.iter().any(is)
    }

    fn is_allowed_origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            let is_listed = self
                .origins
                .iter()
                .any(|listed| origin.as_bytes().eq_ignore_ascii_case(listed.as_bytes()));
            is_listed || is_own_origin(origin, headers)
        })
    }

    fn is_trusted(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        if self.place == TokenPlace::Path {
            let first = uri.path().split('/').nth(1);
            return first.is_some_and(|shown| token.is(shown.as_bytes()));
        }
        let Some(shown) = single(headers, header::AUTHORIZATION).map(HeaderValue::as_bytes) else {
            return false;
        };
        let Some((scheme, shown)) = shown.split_at_checked(b"Bearer ".len()) else {
            return false;
        };
        scheme.eq_ignore_ascii_case(b"Bearer ") && token.is(shown)
    }

    /// Reads a whole body. Returns it with its reservation, if it is not small.
    async fn whole(&self, mut body: Body) -> Result<(Bytes, Option<SemaphorePermit<'_>>), Unread> {
        // The exact length if there is a `Content-Length`, otherwise 0.
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        let mut room = if announced > SMALL_BODY {
            Some(self.room_for(announced).await?)
        } else {
            None
        };

        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let Ok(data) = frame.map_err(|_| Unread::BrokenOff)?.into_data() else {
                continue;
            };
            let length = bytes.len() + data.len();
            if length > SMALL_BODY && room.is_none() {
                room = Some(self.room_for(length.max(MAX_BODY)).await?);
            }
            if length > MAX_BODY {
                return Err(Unread::TooLarge);
            }
            bytes.extend_from_slice(&data);
        }

        Ok((bytes.into(), room))
    }

    /// Reserves room for a body of this length.
    async fn room_for(&self, length: usize) -> Result<SemaphorePermit<'_>, Unread> {
        let length = u32::try_from(length)
            .ok()
            .filter(|_| length <= MAX_BODY)
            .ok_or(Unread::TooLarge)?;
        let waiting = tokio::time::timeout(ROOM_PATIENCE, self.room.acquire_many(length)).await;
        waiting.ok().and_then(Result::ok).ok_or(Unread::NoRoom)
    }

    /// Reads an accepted request and answers it.
    async fn answer(&self, request: Request, next: Next) -> Response {
        let client = request.extensions().get::<Client>().cloned();
        if let Some(client) = &client {
            client.has_shown_token();
        }

        let ending = async {
            match &client {
                Some(client) => client.stopping().await,
                None => std::future::pending().await,
            }
        };

        let (parts, body) = request.into_parts();
        let read = tokio::select! {
            biased;
            read = tokio::time::timeout(BODY_PATIENCE, self.whole(body)) => read.unwrap_or(Err(Unread::Late)),
            () = ending => Err(Unread::Ending),
        };

        let (bytes, _room) = match read {
            Ok(arrived) => arrived,
            Err(unread) => return unread.into_response(),
        };
        match self.turns.acquire().await {
            Ok(_turn) => {
                next.run(Request::from_parts(parts, Body::from(bytes)))
                    .await
            }
            Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }
}

/// Why an accepted request is not answered.
enum Unread {
    TooLarge,
    NoRoom,
    BrokenOff,
    Late,
    Ending,
}

impl IntoResponse for Unread {
    fn into_response(self) -> Response {
        let busy = |reason| {
            (
                StatusCode::SERVICE_UNAVAILABLE,
                [(header::RETRY_AFTER, RETRY_AFTER)],
                reason,
            )
                .into_response()
        };

        match self {
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "the request is larger than 4 MiB",
            )
                .into_response(),
            Self::NoRoom => busy("too many large requests are being read; try again in a moment"),
            Self::BrokenOff => (StatusCode::BAD_REQUEST, "the request was cut off").into_response(),
            Self::Late => (
                StatusCode::REQUEST_TIMEOUT,
                "timed out while reading the request",
            )
                .into_response(),
            Self::Ending => busy("the server is shutting down; the request was not started"),
        }
    }
}

/// Reports whether an origin is this server: a loopback name with the port of the request.
fn is_own_origin(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let authority = |text: &str| {
        text.parse::<Authority>()
            .ok()
            .filter(|_| !text.contains('@'))
    };

    let own = single(headers, header::HOST)
        .and_then(|host| host.to_str().ok())
        .and_then(authority);
    let from = origin.to_str().ok().and_then(|origin| {
        origin
            .to_ascii_lowercase()
            .strip_prefix("http://")
            .and_then(authority)
    });
    let (Some(own), Some(from)) = (own, from) else {
        return false;
    };

    let is_loopback = |authority: &Authority| {
        LOOPBACK
            .iter()
            .any(|name| authority.host().eq_ignore_ascii_case(name))
    };

    own == from || is_loopback(&own) && is_loopback(&from) && own.port_u16() == from.port_u16()
}

/// Returns the value of a header that occurs exactly once.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Accepts or refuses a request. It counts as running only when it has arrived completely, so
/// incomplete requests block nobody.
pub async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let is_preflight = cors::is_preflight(&request);
    let refusal = guard.refusal(request.uri(), request.headers(), is_preflight);
    let origin = single(request.headers(), header::ORIGIN)
        .filter(|_| guard.is_allowed_origin(request.headers()))
        .cloned();
    let response = match refusal {
        Some(refusal) => refusal,
        None if is_preflight => cors::preflight(),
        None => guard.answer(request, next).await,
    };
    cors::readable_by(origin, response)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn answer(guard: &Guard, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
        guard
            .refusal(&uri.parse().unwrap(), &map, false)
            .map_or(200, |refusal| refusal.status().as_u16())
    }

    fn guard(hosts: &[&str], origins: &[&str]) -> Guard {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Guard::new(
            owned(hosts),
            owned(origins),
            Some(Token::new(TOKEN).unwrap()),
        )
    }

    #[test]
    fn only_allowed_host_names_are_accepted() {
        let guard = guard(&["build.example", "other.example:8443"], &[]);
        let bearer = format!("Bearer {TOKEN}");
        for (host, expected) in [
            ("localhost", 200),
            ("LOCALHOST:7345", 200),
            ("127.0.0.1:80", 200),
            ("[::1]:7345", 200),
            ("build.example:1234", 200),
            ("other.example:8443", 200),
            ("other.example", 403),
            ("other.example:80", 403),
            ("evil.com", 403),
            ("localhost.evil.com", 403),
            ("127.0.0.1.nip.io:7345", 403),
            ("0.0.0.0", 403),
            ("localhost.", 403),
            ("localhost@evil.com", 403),
            ("evil.com@localhost", 403),
            ("::1", 403),
            ("", 403),
            ("a b", 403),
        ] {
            assert_eq!(
                answer(
                    &guard,
                    "/mcp",
                    &[("host", host), ("authorization", &bearer)]
                ),
                expected,
                "{host}"
            );
        }

        assert_eq!(
            answer(&guard, "/mcp", &[("authorization", &bearer)]),
            403,
            "no host"
        );
        assert_eq!(
            answer(
                &guard,
                "/mcp",
                &[
                    ("host", "localhost"),
                    ("host", "evil.com"),
                    ("authorization", &bearer)
                ]
            ),
            403
        );
        assert_eq!(
            answer(
                &guard,
                "http://evil.com/mcp",
                &[("host", "localhost"), ("authorization", &bearer)]
            ),
            403
        );
        assert_eq!(
            answer(
                &guard,
                "http://localhost/mcp",
                &[("host", "localhost"), ("authorization", &bearer)]
            ),
            200
        );
    }

    #[test]
    fn only_allowed_web_origins_are_accepted() {
        let guard = guard(&[], &["http://localhost:5173"]);
        let bearer = format!("Bearer {TOKEN}");
        for (origin, expected) in [
            ("http://localhost:5173", 200),
            ("http://localhost:5174", 403),
            ("http://localhost", 200),
            ("http://localhost:80", 403),
            ("https://localhost", 403),
            ("http://localhost.evil.com", 403),
            ("http://localhost@evil.com", 403),
            ("http://evil.com@localhost", 403),
            ("http://127.0.0.1", 200),
            ("HTTP://LocalHost", 200),
            ("http://[::1]", 200),
            ("http://127.0.0.1:7345", 403),
            ("http://evil.com", 403),
            ("null", 403),
            ("", 403),
            ("vscode-webview://x", 403),
        ] {
            let headers = [
                ("host", "localhost"),
                ("authorization", bearer.as_str()),
                ("origin", origin),
            ];
            assert_eq!(answer(&guard, "/mcp", &headers), expected, "{origin}");
        }

        for (host, origin, expected) in [
            ("127.0.0.1:7345", "http://localhost:7345", 200),
            ("localhost:7345", "http://[::1]:7345", 200),
            ("127.0.0.1:7345", "http://localhost:7346", 403),
            ("127.0.0.1:7345", "http://localhost", 403),
        ] {
            let headers = [
                ("host", host),
                ("authorization", bearer.as_str()),
                ("origin", origin),
            ];

            assert_eq!(
                answer(&guard, "/mcp", &headers),
                expected,
                "{host} {origin}"
            );
        }

        let two = [
            ("host", "localhost"),
            ("authorization", &bearer),
            ("origin", "http://localhost:5173"),
            ("origin", "http://evil.com"),
        ];

        assert_eq!(answer(&guard, "/mcp", &two), 403);
    }

    #[test]
    fn exactly_one_correct_token_is_required() {
        let guard = guard(&[], &[]);
        let longer = format!("{TOKEN}0");
        for (shown, expected) in [
            (&[][..], 401),
            (&[format!("Bearer {TOKEN}")], 200),
            (&[format!("bearer {TOKEN}")], 200),
            (&[format!("BEARER {TOKEN}")], 200),
            (&[format!("Bearer\t{TOKEN}")], 401),
            (&[format!("bear\u{e9}r {TOKEN}")], 401),
            (&[format!("Bearer  {TOKEN}")], 401),
            (&[format!("Bearer {longer}")], 401),
            (&[format!("Bearer {}", &TOKEN[1..])], 401),
            (&["Bearer ".to_owned()], 401),
            (&["Bearer".to_owned()], 401),
            (&[TOKEN.to_owned()], 401),
            (&[format!("Basic {TOKEN}")], 401),
            (&[format!("Bearer {TOKEN}"), format!("Bearer {TOKEN}")], 401),
        ] {
            let headers: Vec<_> = shown
                .iter()
                .map(|value| ("authorization", value.as_str()))
                .chain([("host", "localhost")])
                .collect();
            assert_eq!(answer(&guard, "/mcp", &headers), expected, "{shown:?}");
        }

        assert_eq!(
            answer(
                &guard,
                &format!("/mcp?token={TOKEN}&access_token={TOKEN}"),
                &[("host", "localhost")]
            ),
            401
        );
    }
    #[test]
    fn the_token_may_be_expected_in_the_path() {
        let guard = guard(&[], &[]).with_token_in(TokenPlace::Path);

        for (path, expected) in [
            (format!("/{TOKEN}/"), 200),
            (format!("/{TOKEN}/api/search?q=a"), 200),
            (format!("/{TOKEN}"), 200),
            (format!("/{}/", &TOKEN[1..]), 401),
            (format!("/{TOKEN}0/"), 401),
            (format!("/api/{TOKEN}/"), 401),
            (format!("//{TOKEN}/"), 401),
            (format!("/?token={TOKEN}"), 401),
            ("/".to_owned(), 401),
        ] {
            let headers = [("host", "localhost")];
            assert_eq!(answer(&guard, &path, &headers), expected, "{path}");
        }

        let bearer = format!("Bearer {TOKEN}");
        let headers = [("host", "localhost"), ("authorization", &bearer)];
        assert_eq!(answer(&guard, "/", &headers), 401, "in the other place");
    }
}
