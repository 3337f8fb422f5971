//! The response to a call that the server's shutdown interrupts.
//!
//! It is a JSON-RPC error with status 200, not an HTTP failure: the call has begun and may have
//! changed files, so clients must not repeat it automatically.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use rmcp::ErrorData;
use rmcp::model::RequestId;

use crate::http::Stop;
use crate::transport::Outgoing;

const MESSAGE: &str = "the server shut down before this call finished; it may have changed files, \
                       so check them before you repeat it";

fn message(id: RequestId) -> Vec<u8> {
    serde_json::to_vec(&Outgoing::error(
        ErrorData::internal_error(MESSAGE, None),
        Some(id),
    ))
    .unwrap_or_default()
}

/// Returns the response to a call that has sent nothing yet.
pub fn answer(id: RequestId) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], message(id)).into_response()
}

/// Wraps an event stream so that an interruption ends it with that error.
pub fn watched(response: Response, id: RequestId, stop: Stop) -> Response {
    let is_stream = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if !is_stream {
        return response;
    }

    let last = [b"data: ".as_slice(), &message(id), b"\n\n"].concat();
    let cut = Box::pin(async move { stop.is_cut().await });
    response.map(|events| {
        Body::new(Watched {
            events,
            cut,
            last: Some(last.into()),
            is_over: false,
        })
    })
}

struct Watched {
    events: Body,
    cut: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The last event; taken when the stream is interrupted.
    last: Option<Bytes>,
    is_over: bool,
}

impl hyper::body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        if self.cut.as_mut().poll(context).is_ready() {
            self.is_over = true;
            return Poll::Ready(self.last.take().map(|last| Ok(Frame::data(last))));
        }
        let frame = ready!(Pin::new(&mut self.events).poll_frame(context));
        self.is_over = frame.is_none();
        Poll::Ready(frame)
    }
}
