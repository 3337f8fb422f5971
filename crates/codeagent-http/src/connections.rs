//! HTTP connections: their number, their time limits, and graceful shutdown.
//!
//! A connection is closed when its headers do not arrive in time or when written data is not read.
//! If all slots are taken, a new connection replaces the oldest one that has not shown the token,
//! so unauthorized clients cannot lock out others.
//!
//! [`Stop::now`] lets running requests finish and accepts no new ones. After [`DRAIN`], or at
//! [`Stop::cut`], requests that still run are answered as interrupted.
//!
//! Limitations: for a client that has shown the token, only time limits apply: one that keeps
//! sending its headers just in time keeps its slot.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Sleep;

/// Maximum number of connections.
const CONNECTIONS: u32 = 512;
/// Time limit for a request's headers, and for waiting for the next request.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
/// Maximum bytes of a request's headers.
const MAX_HEADERS: usize = 64 << 10;
/// Time limit for a client to read written data.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// Time that running requests get to finish when the server is asked to stop.
pub const DRAIN: Duration = Duration::from_secs(5);
/// Time that interrupted requests get to say so.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// Pause before accepting again when the system is out of resources.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A callback for when running requests are interrupted.
type InterruptCallback = Box<dyn FnOnce() + Send>;

/// Progress of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
    /// Running requests finish; no new ones are accepted.
    Draining,
    /// Requests that still run are interrupted.
    Cut,
}

/// Stops the server.
#[derive(Clone)]
pub struct Stop {
    phase: watch::Sender<Phase>,
    ends: Arc<Mutex<Vec<InterruptCallback>>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            phase: watch::Sender::new(Phase::Running),
            ends: Arc::default(),
        }
    }
}

impl Stop {
    /// Accepts no new requests. Running ones may finish, for at most [`DRAIN`].
    pub fn now(&self) {
        self.advance(Phase::Draining);
    }

    /// Also interrupts the requests that still run.
    pub fn cut(&self) {
        self.advance(Phase::Cut);
        let ends = std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner));
        ends.into_iter().for_each(|end| end());
    }

    fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let is_later = *phase < to;
            *phase = to.max(*phase);
            is_later
        });
    }

    /// Reports whether the server was asked to stop.
    #[must_use]
    pub fn is_told(&self) -> bool {
        *self.phase.borrow() >= Phase::Draining
    }

    /// Waits until the server is asked to stop.
    pub async fn wait_for_stop(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits until running requests are interrupted.
    pub async fn is_cut(&self) {
        self.reached(Phase::Cut).await;
    }

    async fn reached(&self, wanted: Phase) {
        // Cannot fail, because `self` holds the sender.
        self.phase
            .subscribe()
            .wait_for(|phase| *phase >= wanted)
            .await
            .ok();
    }

    /// Registers a callback for when running requests are interrupted.
    pub fn on_interrupt(&self, end: impl FnOnce() + Send + 'static) {
        self.ends
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Box::new(end));
    }
}

/// Connections that have not shown the token, by arrival, with the signal that closes each.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<BTreeMap<u64, Arc<Notify>>>>);

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evict_oldest(&self) {
        if let Some((_, leave)) = self.lock().pop_first() {
            leave.notify_one();
        }
    }
}

/// The connection of a request, for the guard.
#[derive(Clone)]
pub struct Client(Arc<Connection>);

struct Connection {
    number: u64,
    strangers: Strangers,
    has_asked: AtomicBool,
    stop: Stop,
}

impl Client {
    /// Keeps the connection from being closed in favour of a newer one.
    pub fn has_shown_token(&self) {
        self.0.strangers.lock().remove(&self.0.number);
    }

    /// Waits until the server is asked to stop.
    pub async fn stopping(&self) {
        self.0.stop.wait_for_stop().await;
    }
}

/// Answers connections until asked to stop, then lets running requests finish.
pub async fn accept(listener: TcpListener, router: Router, stop: Stop) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let strangers = Strangers::default();

    let mut reply = pin!(stop.wait_for_stop());
    for number in 0.. {
        let next = async {
            let (stream, _) = listener.accept().await?;
            Ok::<_, io::Error>((stream, acquire_slot(&places, &strangers).await))
        };
        let next = tokio::select! {
            biased;
            () = &mut reply => break,
            next = next => next,
        };

        let (stream, place) = match next {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                // The system may be out of handles.
                strangers.evict_oldest();
                tokio::time::sleep(POLL_INTERVAL).await;
                continue;
            }
        };

        let connection = Connection {
            number,
            strangers: strangers.clone(),
            has_asked: AtomicBool::new(false),
            stop: stop.clone(),
        };

        let leave = Arc::<Notify>::default();
        strangers.lock().insert(number, Arc::clone(&leave));

        let (client, router, strangers) = (
            Client(Arc::new(connection)),
            router.clone(),
            strangers.clone(),
        );

        tokio::spawn(async move {
            tokio::select! {
                () = answer(stream, router, client) => {}
                () = leave.notified() => {}
            }
            strangers.lock().remove(&number);
            drop(place);
        });
    }

    drop(listener);
    tokio::select! {
        _ = places.acquire_many(CONNECTIONS) => return,
        () = stop.is_cut() => {}
        () = tokio::time::sleep(DRAIN) => stop.cut(),
    }
    tokio::time::timeout(END_PATIENCE, places.acquire_many(CONNECTIONS))
        .await
        .ok();
}

/// Returns a slot for a connection, evicting the oldest unauthorized one if needed.
async fn acquire_slot(
    places: &Arc<Semaphore>,
    strangers: &Strangers,
) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Some(place);
        }
        strangers.evict_oldest();
        if let Ok(place) =
            tokio::time::timeout(POLL_INTERVAL, Arc::clone(places).acquire_owned()).await
        {
            return place.ok();
        }
    }
}

async fn answer(stream: TcpStream, router: Router, client: Client) {
    stream.set_nodelay(true).ok();
    let service = TowerToHyperService::new(router);
    let of_requests = client.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        of_requests.0.has_asked.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(of_requests.clone());
        service.call(request)
    });

    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(MAX_HEADERS);

    let mut connection =
        pin!(server.serve_connection(TokioIo::new(TimedBody::new(stream)), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = client.stopping() => {
            if !client.0.has_asked.load(Ordering::Relaxed) {
                return;
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };

    if let Err(error) = ended {
        tracing::debug!(%error, "a connection failed");
    }
}

/// A stream whose writes fail if the peer does not read for a while.
struct TimedBody {
    stream: TcpStream,
    /// Timer that runs while a write waits.
    wait: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    fn new(stream: TcpStream) -> Self {
        Self { stream, wait: None }
    }

    /// Returns the outcome of a write, or an error if it waits for too long.
    fn with_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.wait = None;
            return outcome;
        }
        let wait = self
            .wait
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_PATIENCE)));
        ready!(wait.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimedBody {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimedBody {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.with_timeout(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.with_timeout(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
