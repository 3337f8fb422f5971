//! The HTTP+SSE transport of protocol revision 2024-11-05.
//!
//! `GET /sse` opens an event stream, whose first event names the address for messages; responses
//! come over the stream. If a client does not read its stream, its further messages are refused
//! once enough are waiting: they are neither kept nor do they block others.
//!
//! Limitations: a session lasts as long as its stream, and the number of sessions is small.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::body::Frame;
use rmcp::ServiceExt;
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::backpressure::BoundedSender;
use codeagent_http::MAX_BODY;

use crate::http::{Stop, is_json, message, refused};
use crate::server::Server;
use crate::transport::{Incoming, Outgoing};

/// Maximum number of sessions.
const SESSIONS: usize = 64;
/// Maximum waiting messages of a session.
const QUEUE: usize = 64;
/// Maximum total bytes of waiting messages of all sessions; any single message fits.
const WAITING: usize = MAX_BODY;
/// Maximum unwritten events of a session.
const EVENTS: usize = 16;
/// Interval of keep-alive comments on a stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// The open sessions and their message channels.
#[derive(Clone)]
struct SseSessions {
    server: Server,
    stop: Stop,
    open: Arc<Mutex<HashMap<String, mpsc::Sender<Waiting>>>>,
    room: Arc<Semaphore>,
}

/// A message and its memory reservation, held until the message is processed.
type Waiting = (Incoming, OwnedSemaphorePermit);

/// Returns the routes of the two endpoints.
pub fn router(server: Server, stop: &Stop) -> Router {
    let sessions = SseSessions {
        server,
        stop: stop.clone(),
        open: Arc::default(),
        room: Arc::new(Semaphore::new(WAITING)),
    };
    Router::new()
        .route("/sse", get(open))
        .route("/messages", post(take))
        .with_state(sessions)
}

impl SseSessions {
    /// Opens a session; returns `None` if there are too many.
    fn add(&self, messages: mpsc::Sender<Waiting>) -> Option<Session> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        (open.len() < SESSIONS).then(|| open.insert(id.clone(), messages))?;
        Some(Session {
            sessions: self.clone(),
            id,
        })
    }

    /// Reserves memory for a waiting message; returns `None` if there is none left.
    fn room_for(&self, bytes: &[u8]) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(bytes.len()).ok()?;
        Arc::clone(&self.room).try_acquire_many_owned(count).ok()
    }

    fn find(&self, id: &str) -> Option<mpsc::Sender<Waiting>> {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }
}

/// A session, closed when dropped.
struct Session {
    sessions: SseSessions,
    id: String,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.sessions
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}

async fn open(State(sessions): State<SseSessions>) -> Response {
    let (messages, incoming) = mpsc::channel(QUEUE);
    let Some(session) = sessions.add(messages) else {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many sessions; close one",
        )
            .into_response();
    };

    let (outgoing, events) = mpsc::channel(EVENTS);
    outgoing
        .try_send(event(
            "endpoint",
            &format!("/messages?session_id={}", session.id),
        ))
        .ok();

    let stop = session.sessions.stop.clone();
    tokio::spawn(serve(
        session,
        Events {
            incoming,
            outgoing,
            stop,
        },
    ));

    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::new(EventBody(events))).into_response()
}

async fn serve(session: Session, events: Events) {
    let (outgoing, stop) = (events.outgoing.clone(), session.sessions.stop.clone());
    let conversation = async {
        if let Ok(service) = session
            .sessions
            .server
            .clone()
            .serve(BoundedSender::new(events))
            .await
        {
            service.waiting().await.ok();
        }
    };

    let signs_of_life = async {
        while outgoing
            .send(Bytes::from_static(b": still here\n\n"))
            .await
            .is_ok()
        {
            tokio::time::sleep(SIGN_OF_LIFE).await;
        }
    };

    tokio::select! {
        () = conversation => {}
        () = signs_of_life => {}
        () = stop.is_cut() => {}
    }
}

/// Accepts a message for a session.
async fn take(State(sessions): State<SseSessions>, request: Request) -> Response {
    if !is_json(request.headers()) {
        return (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "expected Content-Type: application/json",
        )
            .into_response();
    }

    let id = request
        .uri()
        .query()
        .and_then(|query| query.strip_prefix("session_id="))
        .unwrap_or_default();

    if sessions.stop.is_told() {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is shutting down",
        )
            .into_response();
    }

    let Some(messages) = sessions.find(id) else {
        return (
            StatusCode::NOT_FOUND,
            "unknown session; open one with GET /sse",
        )
            .into_response();
    };
    let Ok(bytes) = to_bytes(request.into_body(), MAX_BODY).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };

    match message(&bytes) {
        Ok(None) => StatusCode::ACCEPTED.into_response(),
        // Does not wait for space: a waiting request would block others.
        Ok(Some(message)) => match sessions.room_for(&bytes) {
            None => full(),
            Some(room) => match messages.try_send((message, room)) {
                Ok(()) => StatusCode::ACCEPTED.into_response(),
                Err(TrySendError::Full(_)) => full(),
                Err(TrySendError::Closed(_)) => {
                    (StatusCode::NOT_FOUND, "the session has ended").into_response()
                }
            },
        },
        Err(refusal) => refused(*refusal),
    }
}

fn full() -> Response {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "too many pending messages; read the answers first",
    )
        .into_response()
}

fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// The transport of a session.
struct Events {
    incoming: mpsc::Receiver<Waiting>,
    outgoing: mpsc::Sender<Bytes>,
    stop: Stop,
}

impl Transport<RoleServer> for Events {
    type Error = io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let event = event("message", &serde_json::to_string(&message)?);
            outgoing
                .send(event)
                .await
                .map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        tokio::select! {
            () = self.outgoing.closed() => None,
            // Messages that were read before are still answered.
            () = self.stop.wait_for_stop() => None,
            waiting = self.incoming.recv() => waiting.map(|(message, _)| message),
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Events as the body of a response.
struct EventBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
