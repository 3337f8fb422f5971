//! How many connections are there, how slow may they be, and how do they end? Each of them is given up when its headers do not arrive or
//! when nobody reads what is written; further ones wait outside.
//!
//! **Limits.** Time is the only judge: a client that sends its headers just in time, again and again, keeps its place.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::Sleep;

/// Connections at a time.
const CONNECTIONS: u32 = 512;
/// How long the headers of a request may take, and how long a connection may wait for the next one.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the headers of a request.
const MAX_HEADERS: usize = 64 << 10;
/// How long a client may leave unread what is written to it.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long the end waits for requests that are being answered.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// How long accepting pauses when the system has no more to give.
const BREATH: Duration = Duration::from_millis(100);

/// What is done at the end.
type End = Box<dyn FnOnce() + Send>;

/// Ends all that is going on.
#[derive(Clone)]
pub struct Stop {
    told: watch::Sender<bool>,
    ends: Arc<Mutex<Vec<End>>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { told: watch::Sender::new(false), ends: Arc::default() }
    }
}

impl Stop {
    /// Ends everything.
    pub fn now(&self) {
        self.told.send_replace(true);
        let ends = std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner));
        ends.into_iter().for_each(|end| end());
    }

    /// Waits until the end.
    pub async fn told(&self) {
        // The sender is ours, so it is still there.
        self.told.subscribe().wait_for(|told| *told).await.ok();
    }

    /// Also ends this.
    pub(super) fn also(&self, end: impl FnOnce() + Send + 'static) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(end));
    }
}

/// Answers connections until told to stop, then lets those end that are being answered.
pub async fn accept(listener: TcpListener, router: Router, stop: Stop) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let mut told = pin!(stop.told());
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            biased;
            () = &mut told => break,
            next = next => next,
        };
        match (place, accepted) {
            (Ok(place), Ok((stream, _))) => {
                let (router, stop) = (router.clone(), stop.clone());
                tokio::spawn(async move {
                    answer(stream, router, stop).await;
                    drop(place);
                });
            }
            (_, Err(error)) => {
                tracing::warn!(%error, "no connection can be accepted");
                tokio::time::sleep(BREATH).await;
            }
            (Err(_), _) => break,
        }
    }
    tokio::time::timeout(END_PATIENCE, places.acquire_many(CONNECTIONS)).await.ok();
}

async fn answer(stream: TcpStream, router: Router, stop: Stop) {
    stream.set_nodelay(true).ok();
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADER_PATIENCE).max_buf_size(MAX_HEADERS);
    let mut connection = pin!(server.serve_connection(TokioIo::new(Patient::new(stream)), TowerToHyperService::new(router)));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.told() => {
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
    fn patiently<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.wait = None;
            return outcome;
        }
        let wait = self.wait.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_PATIENCE)));
        ready!(wait.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(context, outcome)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, parts: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
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
