//! HTTP for the object stores, by `ureq`, which speaks HTTP/1.1 and reads the usual variables of
//! proxies.
//!
//! A request blocks its thread. No operation of a store waits for another one: each store has a
//! runtime of its own, which runs one operation at a time.
//!
//! Limitations: of the options of `object_store`, only permission for unencrypted connections is
//! used.

use std::io::{self, ErrorKind, Read};
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Bytes, Frame};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, http};

/// Maximum time until a connection is established.
const CONNECT: Duration = Duration::from_secs(5);

/// Maximum time without any progress.
const SILENCE: Duration = Duration::from_secs(30);

/// Size of the parts in which content is received, in bytes.
const PART: usize = 64 << 10;

/// Makes the connections of a store.
#[derive(Debug)]
pub struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();

        // The store itself says what redirections and failures mean.
        let config = Agent::config_builder()
            .tls_config(tls)
            .https_only(allows_http.as_deref() != Some("true"))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("codeagent/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .timeout_per_write(Some(SILENCE))
            .build();

        Ok(HttpClient::new(Client(config.new_agent())))
    }
}

#[derive(Debug)]
struct Client(Agent);

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let request = http::Request::from_parts(parts, &*body);

        let response = self.0.run(request).map_err(failed)?;
        Ok(response.map(|body| {
            let frames = frames_of(body.into_reader());
            HttpResponseBody::new(StreamBody::new(stream::iter(frames)))
        }))
    }
}

/// Reads content in parts, when they are asked for.
fn frames_of(mut content: impl Read) -> impl Iterator<Item = Result<Frame<Bytes>, HttpError>> {
    iter::from_fn(move || {
        let mut part = vec![0; PART];
        match content.read(&mut part) {
            Ok(0) => None,
            Ok(length) => {
                part.truncate(length);
                Some(Ok(Frame::data(part.into())))
            }
            Err(error) => Some(Err(failed(error.into()))),
        }
    })
}

/// Returns the error of a request; its kind decides whether the store tries again.
fn failed(error: ureq::Error) -> HttpError {
    let kind = match &error {
        ureq::Error::Timeout(ureq::Timeout::Connect) => HttpErrorKind::Connect,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => HttpErrorKind::Connect,
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::Io(error) => kind_of(error),
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}

fn kind_of(error: &io::Error) -> HttpErrorKind {
    match error.kind() {
        ErrorKind::TimedOut => HttpErrorKind::Timeout,
        ErrorKind::ConnectionRefused
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable => HttpErrorKind::Connect,
        ErrorKind::ConnectionAborted
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}
