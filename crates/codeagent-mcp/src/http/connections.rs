//! Connections: how many there are at a time, how slow they may be, and how they end.
//!
//! A connection is given up when its headers do not arrive or when nobody reads what is written.
//! When all places are taken, a new connection takes the place of the oldest one that has not shown
//! the token, so strangers cannot keep clients out.
//!
//! **Stopping.** [`Stop::now`] lets running requests finish and takes no new ones; after [`DRAIN`],
//! or at [`Stop::cut`], those that still run are told so.
//!
//! **Limits.** Time is the only judge of a client that has shown the token: one that sends its
//! headers just in time, again and again, keeps its place.

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

/// Connections at a time.
const CONNECTIONS: u32 = 512;
/// How long the headers of a request may take, and how long a connection may wait for the next one.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the headers of a request.
const MAX_HEADERS: usize = 64 << 10;
/// How long a client may leave unread what is written to it.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long running requests may take to finish once the server is told to stop.
pub const DRAIN: Duration = Duration::from_secs(5);
/// How long requests that were cut off may take to say so.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// How long accepting pauses when the system has no more to give.
const BREATH: Duration = Duration::from_millis(100);

/// What is done when running requests are cut off.
type End = Box<dyn FnOnce() + Send>;

/// How far stopping has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
    /// Running requests finish, no new ones are taken.
    Draining,
    /// Requests that still run are told that they are cut off.
    Cut,
}

/// Stops the server.
#[derive(Clone)]
pub struct Stop {
    phase: watch::Sender<Phase>,
    ends: Arc<Mutex<Vec<End>>>,
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
    /// Takes no new requests. Running ones may finish, for at most [`DRAIN`].
    pub fn now(&self) {
        self.advance(Phase::Draining);
    }

    /// Also cuts off the requests that still run.
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

    /// Reports whether the server was told to stop.
    #[must_use]
    pub fn is_told(&self) -> bool {
        *self.phase.borrow() >= Phase::Draining
    }

    /// Waits until the server is told to stop.
    pub async fn told(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits until running requests are cut off.
    pub async fn is_cut(&self) {
        self.reached(Phase::Cut).await;
    }

    async fn reached(&self, wanted: Phase) {
        // The sender is ours, so it is still there.
        self.phase
            .subscribe()
            .wait_for(|phase| *phase >= wanted)
            .await
            .ok();
    }

    /// Calls this too when running requests are cut off.
    pub(super) fn also(&self, end: impl FnOnce() + Send + 'static) {
        self.ends
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Box::new(end));
    }
}

/// Connections that have not shown the token, by the order of their arrival, with what tells them
/// to leave.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<BTreeMap<u64, Arc<Notify>>>>);

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connection that came first.
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

    /// Waits until the server is told to stop.
    pub async fn stopping(&self) {
        self.0.stop.told().await;
    }
}

/// Answers connections until told to stop, then lets running requests finish.
pub async fn accept(listener: TcpListener, router: Router, stop: Stop) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let strangers = Strangers::default();
    let mut told = pin!(stop.told());
    for number in 0.. {
        let next = async {
            let (stream, _) = listener.accept().await?;
            Ok::<_, io::Error>((stream, place(&places, &strangers).await))
        };
        let next = tokio::select! {
            biased;
            () = &mut told => break,
            next = next => next,
        };
        let (stream, place) = match next {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted");
                // The system may have no handle left for it.
                strangers.evict_oldest();
                tokio::time::sleep(BREATH).await;
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

/// A place for a connection, if need be that of a stranger.
async fn place(places: &Arc<Semaphore>, strangers: &Strangers) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(place) = Arc::clone(places).try_acquire_owned() {
            return Some(place);
        }
        strangers.evict_oldest();
        if let Ok(place) = tokio::time::timeout(BREATH, Arc::clone(places).acquire_owned()).await {
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
    let mut connection = pin!(server.serve_connection(TokioIo::new(Patient::new(stream)), service));
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
        tracing::debug!(%error, "a connection broke");
    }
}

/// A stream whose writes fail when nobody reads them for a while.
struct Patient {
    stream: TcpStream,
    /// Runs while a write waits.
    wait: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Self {
        Self { stream, wait: None }
    }

    /// The outcome of a write, or a failure if it waits for too long.
    fn patiently<T>(
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

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.patiently(context, outcome)
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
