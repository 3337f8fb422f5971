//! Starts and stops servers.
//!
//! A server over standard input and output runs until the client closes its input or its parent
//! process exits, whoever else holds the input open. A server over HTTP runs until the process gets
//! a signal. Both finish writing before they exit.
//!
//! Limitations: tested on Linux. On Windows only Ctrl-C and the end of input stop a server. The
//! parent's exit is noticed within `ORPHANED`.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use codeagent_files::ToolSet;
use codeagent_workspace::{DataRoot, OpenError};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::net::TcpListener;

use crate::backpressure::BoundedSender;
use crate::call::ListFormat;
use crate::http::{self, ExposureError, HttpOptions, Stop};
use crate::repositories::{Repositories, ServerRoot};
use crate::roots::Opening;
use crate::server::Server;
use crate::state::Indexing;
use crate::transport::Lines;
pub use codeagent_http::stop_signal;

/// Default log filter: errors, except the protocol library's, which reports a client's
/// disconnection as an error.
pub const LOGGED: &str = "error,rmcp=off";

/// Time that a tool with effects gets to finish when the server stops.
const FINISHING: Duration = Duration::from_secs(10);

/// Interval of checks for the parent process.
#[cfg(unix)]
const ORPHANED: Duration = Duration::from_secs(2);

/// Why a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownCause {
    /// The client disconnected.
    HungUp,
    /// The process got a signal.
    Stopped,
}

/// Why a server could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The root cannot be served.
    #[error(transparent)]
    Root(#[from] OpenError),
    /// Threads or standard streams are not available.
    #[error("cannot start the server: {0}")]
    Start(#[from] io::Error),
    /// The options would expose the server.
    #[error(transparent)]
    Exposed(#[from] ExposureError),
    /// The server cannot listen at the address.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address to listen at.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The client did not speak the protocol.
    #[error("the client did not open a session: {0}")]
    Handshake(String),
}

/// Serves tools over repositories on standard input and output.
pub fn serve_stdio(
    place: &ServerRoot,
    tools: ToolSet,
    indexing: Indexing,
    lists: ListFormat,
) -> Result<ShutdownCause, ServeError> {
    let opening = Opening {
        home: DataRoot::default(),
        indexing,
        is_indexed: tools.needs_index(),
    };
    let repositories = match place {
        ServerRoot::Named(folders) => Repositories::named(folders, &opening)?,
        ServerRoot::Around(folder) => Repositories::searching(folder.clone(), opening),
    };

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(serve_session(
        Server::about(Arc::clone(&repositories), tools).with_lists(lists),
    ));
    repositories.close();

    // A thread may still be blocked on standard input; do not wait for it.
    runtime.shutdown_background();
    ended
}

/// Serves the repositories at these folders over HTTP until the process gets a signal. `announce` is
/// called with the address once the server answers.
pub fn serve_http(
    folders: &[PathBuf],
    tools: ToolSet,
    options: HttpOptions,
    indexing: Indexing,
    lists: ListFormat,
    announce: impl FnOnce(SocketAddr),
) -> Result<ShutdownCause, ServeError> {
    options.check()?;
    if options.token.is_none() && !tools.profile.asks_index() {
        return Err(ExposureError::Files.into());
    }

    codeagent_http::disable_core_dumps();
    let offered = http::offered(&tools, &options);
    let opening = Opening {
        home: DataRoot::default(),
        indexing,
        is_indexed: offered.iter().any(|(_, tools)| tools.needs_index()),
    };
    let repositories = Repositories::named(folders, &opening)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let address = options.address;
        let listen = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;

        announce(listener.local_addr().map_err(listen)?);

        let stop = Stop::default();
        let server = Server::about(Arc::clone(&repositories), tools).with_lists(lists);
        let accepted = tokio::spawn(http::accept(
            listener,
            http::router(server.clone(), options, &stop),
            stop.clone(),
        ));

        let stopped = stop_signal().await;
        stop.now();

        let finished = async {
            accepted.await.map_err(io::Error::other)?;
            finish(&server).await;
            Ok(stopped.map(|()| ShutdownCause::Stopped)?)
        };

        let mut finished = pin!(finished);
        tokio::select! {
            ended = &mut finished => ended,
            // After a second signal, clients are not waited for.
            _ = stop_signal() => {
                stop.cut();
                finished.await
            }
        }
    });

    repositories.close();
    runtime.shutdown_background();
    ended
}

/// Waits for tools with effects to finish.
async fn finish(server: &Server) {
    if tokio::time::timeout(FINISHING, server.wait_for_changes())
        .await
        .is_err()
    {
        tracing::warn!("a tool that changes files did not finish");
    }
}

async fn serve_session(server: Server) -> Result<ShutdownCause, ServeError> {
    let session = async {
        let lines = BoundedSender::new(Lines::new(tokio::io::stdin(), tokio::io::stdout()));
        let service = match server.clone().serve(lines).await {
            Ok(service) => service,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(ShutdownCause::HungUp),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        service.waiting().await.map_err(io::Error::from)?;
        Ok(ShutdownCause::HungUp)
    };

    // A client that signals its server often disconnects at the same moment: the signal wins.
    let ended = tokio::select! {
        biased;
        stopped = stop_signal() => stopped.map(|()| ShutdownCause::Stopped).map_err(ServeError::from),
        () = orphaned() => Ok(ShutdownCause::HungUp),
        ended = session => ended,
    };

    finish(&server).await;
    ended
}

/// Waits until the parent process has exited.
#[cfg(unix)]
async fn orphaned() {
    let parent = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == parent {
        tokio::time::sleep(ORPHANED).await;
    }
}

/// Never returns: this system does not report the parent's exit.
#[cfg(not(unix))]
async fn orphaned() {
    std::future::pending().await
}
