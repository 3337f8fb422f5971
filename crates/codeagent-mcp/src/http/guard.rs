//! Who may ask over HTTP, and how much at a time? Requests for a name that is not ours, from web pages and without the secret are refused
//! before anything of them is read.
//!
//! A web page can make its name lead to this machine (DNS rebinding), so the `Host` must be one of ours; what a browser sends carries an
//! `Origin`, which must be one that was allowed.
//!
//! **Limits.** The scheme of the secret is written `Bearer`, in this case only.

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

use crate::http::Token;

/// Longest body of a request.
pub const MAX_BODY: usize = 4 << 20;
/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(30);
/// Requests that are worked on at a time; others wait.
const REQUESTS: usize = 64;
/// Bytes of requests that have arrived and are not yet answered; of others no more is read.
const ROOM: usize = 64 << 20;
/// The names of the own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who is let in.
pub struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<Token>,
    turns: Semaphore,
    room: Semaphore,
}

impl Guard {
    /// Lets in who addresses the own machine or one of `hosts`, is no web page but one of `origins`, and shows the token.
    pub fn new(hosts: Vec<String>, origins: Vec<String>, token: Option<Token>) -> Self {
        let hosts = LOOPBACK.into_iter().map(str::to_owned).chain(hosts).collect();
        Self { hosts, origins, token, turns: Semaphore::new(REQUESTS), room: Semaphore::new(ROOM) }
    }

    /// Why a request is not let in.
    fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        if !self.is_ours(uri, headers) {
            return Some((StatusCode::FORBIDDEN, "this server is not addressed by this name; see --allow-host").into_response());
        }
        if !self.is_allowed_origin(headers) {
            return Some((StatusCode::FORBIDDEN, "web pages of this origin may not ask; see --allow-origin").into_response());
        }
        if !self.is_trusted(headers) {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            return Some((StatusCode::UNAUTHORIZED, challenge, "send the server's token: Authorization: Bearer TOKEN").into_response());
        }
        None
    }

    fn is_ours(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(host) = single(headers, header::HOST).and_then(|host| host.to_str().ok()) else { return false };
        // A request line may name a host of its own.
        let named = uri.authority().map(Authority::as_str);
        std::iter::once(host).chain(named).all(|host| self.is_host(host))
    }

    fn is_host(&self, text: &str) -> bool {
        let Ok(authority) = text.parse::<Authority>() else { return false };
        // The host of `user@host` is none of ours: nobody needs to write that.
        let is = |host: &String| host.eq_ignore_ascii_case(text) || host.eq_ignore_ascii_case(authority.host());
        !text.contains('@') && self.hosts.iter().any(is)
    }

    fn is_allowed_origin(&self, headers: &HeaderMap) -> bool {
        // A page of this very address would be ours; under another name or port it is not.
        let own = single(headers, header::HOST).and_then(|host| host.to_str().ok()).map(|host| format!("http://{host}"));
        let allowed = || self.origins.iter().chain(&own);
        let is_allowed = |value: &HeaderValue| allowed().any(|origin| value.as_bytes().eq_ignore_ascii_case(origin.as_bytes()));
        headers.get_all(header::ORIGIN).iter().all(is_allowed)
    }

    fn is_trusted(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let shown = single(headers, header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        shown.is_some_and(|shown| token.is(shown))
    }

    /// All of a body, and the room that it takes; or why not.
    async fn whole(&self, mut body: Body) -> Result<(Bytes, Option<SemaphorePermit<'_>>), (StatusCode, &'static str)> {
        let (mut bytes, mut room) = (Vec::new(), None::<SemaphorePermit>);
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| (StatusCode::BAD_REQUEST, "the request broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            let count = u32::try_from(data.len()).ok().filter(|_| bytes.len() + data.len() <= MAX_BODY);
            let count = count.ok_or((StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 4 MiB"))?;
            let place = self.room.acquire_many(count).await.map_err(|_| (StatusCode::SERVICE_UNAVAILABLE, "the server ends"))?;
            match &mut room {
                Some(room) => room.merge(place),
                None => room = Some(place),
            }
            bytes.extend_from_slice(&data);
        }
        Ok((bytes.into(), room))
    }
}

/// The value of a header that is there once.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Lets a request in or refuses it. A turn is taken for what has arrived: who sends half a request keeps nobody waiting.
pub async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if let Some(refusal) = guard.refusal(request.uri(), request.headers()) {
        return refusal;
    }
    let (parts, body) = request.into_parts();
    let (bytes, _room) = match tokio::time::timeout(BODY_PATIENCE, guard.whole(body)).await {
        Ok(Ok(arrived)) => arrived,
        Ok(Err(refusal)) => return refusal.into_response(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time").into_response(),
    };
    match guard.turns.acquire().await {
        Ok(_turn) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
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
        guard.refusal(&uri.parse().unwrap(), &map).map_or(200, |refusal| refusal.status().as_u16())
    }

    fn guard(hosts: &[&str], origins: &[&str]) -> Guard {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Guard::new(owned(hosts), owned(origins), Some(Token::new(TOKEN).unwrap()))
    }

    #[test]
    fn only_our_own_names_are_answered() {
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
            assert_eq!(answer(&guard, "/mcp", &[("host", host), ("authorization", &bearer)]), expected, "{host}");
        }
        assert_eq!(answer(&guard, "/mcp", &[("authorization", &bearer)]), 403, "no host");
        assert_eq!(answer(&guard, "/mcp", &[("host", "localhost"), ("host", "evil.com"), ("authorization", &bearer)]), 403);
        assert_eq!(answer(&guard, "http://evil.com/mcp", &[("host", "localhost"), ("authorization", &bearer)]), 403);
        assert_eq!(answer(&guard, "http://localhost/mcp", &[("host", "localhost"), ("authorization", &bearer)]), 200);
    }

    #[test]
    fn web_pages_are_refused_but_for_those_allowed() {
        let guard = guard(&[], &["http://localhost:5173"]);
        let bearer = format!("Bearer {TOKEN}");
        for (origin, expected) in [
            ("http://localhost:5173", 200),
            ("http://localhost:5174", 403),
            ("http://localhost", 200),
            ("https://localhost", 403),
            ("http://127.0.0.1", 403),
            ("http://evil.com", 403),
            ("null", 403),
            ("", 403),
            ("vscode-webview://x", 403),
        ] {
            let headers = [("host", "localhost"), ("authorization", bearer.as_str()), ("origin", origin)];
            assert_eq!(answer(&guard, "/mcp", &headers), expected, "{origin}");
        }
        let two = [("host", "localhost"), ("authorization", &bearer), ("origin", "http://localhost:5173"), ("origin", "http://evil.com")];
        assert_eq!(answer(&guard, "/mcp", &two), 403);
    }

    #[test]
    fn the_token_is_shown_once_and_right() {
        let guard = guard(&[], &[]);
        let longer = format!("{TOKEN}0");
        for (shown, expected) in [
            (&[][..], 401),
            (&[format!("Bearer {TOKEN}")], 200),
            (&[format!("bearer {TOKEN}")], 401),
            (&[format!("Bearer  {TOKEN}")], 401),
            (&[format!("Bearer {longer}")], 401),
            (&[format!("Bearer {}", &TOKEN[1..])], 401),
            (&["Bearer ".to_owned()], 401),
            (&["Bearer".to_owned()], 401),
            (&[TOKEN.to_owned()], 401),
            (&[format!("Basic {TOKEN}")], 401),
            (&[format!("Bearer {TOKEN}"), format!("Bearer {TOKEN}")], 401),
        ] {
            let headers: Vec<_> = shown.iter().map(|value| ("authorization", value.as_str())).chain([("host", "localhost")]).collect();
            assert_eq!(answer(&guard, "/mcp", &headers), expected, "{shown:?}");
        }
        assert_eq!(answer(&guard, &format!("/mcp?token={TOKEN}&access_token={TOKEN}"), &[("host", "localhost")]), 401);
    }
}
