//! Serves the page until the process is asked to stop.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use axum::routing::get;
use codeagent_core::service::ServiceOptions;
use codeagent_http::{Guard, Stop, Token, TokenError, TokenPlace};
use codeagent_workspace::OpenError;
use tokio::net::TcpListener;

use crate::repository::Repository;
use crate::{api, assets};

/// Options of the page.
#[derive(Clone, Debug, Default)]
pub struct ViewOptions {
    /// The repository.
    pub root: PathBuf,
    /// The port on the loopback address; 0 is any free one.
    pub port: u16,
    /// How the index is kept up to date.
    pub service: ServiceOptions,
}

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The root cannot be served.
    #[error(transparent)]
    Root(#[from] OpenError),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Threads are not available.
    #[error("cannot start the server: {0}")]
    Start(#[from] io::Error),
    /// The port cannot be used.
    #[error("cannot listen at {address}: {source}; pass another --port")]
    Listen {
        /// The address to listen at.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
}

/// Serves the page until `stopped` is ready. `announce` is called with its address once the server
/// answers.
pub fn serve<S: Future<Output = io::Result<()>>>(
    options: ViewOptions,
    stopped: impl FnOnce() -> S,
    announce: impl FnOnce(&str),
) -> Result<(), ServeError> {
    codeagent_http::disable_core_dumps();
    let token = Token::random()?;
    let repository = Arc::new(Repository::open(&options.root, options.service)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;

    let ended = runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listen = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        announce(&format!("http://{address}/{}/", token.reveal()));

        let prepared = Arc::clone(&repository);
        tokio::task::spawn_blocking(move || prepared.prepare());
        let stop = Stop::default();
        let routes = router(Arc::clone(&repository), token);
        let accepted = tokio::spawn(codeagent_http::accept(listener, routes, stop.clone()));
        stopped().await?;
        stop.cut();
        accepted.await.map_err(io::Error::other)?;
        Ok(())
    });

    repository.close();
    runtime.shutdown_background();
    ended
}

/// Returns the routes: everything is below the token, which the guard checks.
fn router(repository: Arc<Repository>, token: Token) -> Router {
    let guard = Guard::new(Vec::new(), Vec::new(), Some(token)).with_token_in(TokenPlace::Path);
    // The layer added last runs first; the headers come last.
    Router::new()
        .route("/{token}/", get(assets::index))
        .route("/{token}/app.js", get(assets::script))
        .route("/{token}/style.css", get(assets::style))
        .route("/{token}/api/{name}", get(answer))
        .with_state(repository)
        .layer(middleware::from_fn_with_state(
            Arc::new(guard),
            codeagent_http::admit,
        ))
        .layer(middleware::map_response(assets::with_headers))
}

async fn answer(State(repository): State<Arc<Repository>>, request: Request) -> Response {
    api::answer(repository, request.uri().clone()).await
}
