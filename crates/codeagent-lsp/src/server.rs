//! The main loop: the protocol's states, notifications in their order, and requests for the pool.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codeagent_core::Canceller;
use codeagent_core::embed::ModelHandle;
use codeagent_core::service::ServiceOptions;
use codeagent_workspace::{DataRoot, check_found_root, find_root};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWorkspaceFolders, DidCloseTextDocument,
    DidOpenTextDocument, Exit, Initialized, Notification as _,
};
use lsp_types::request::{Initialize, Request as _, Shutdown};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, NumberOrString, Uri,
    WorkspaceFolder,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::{folders_of, has_symbol_trees, shows_progress};
use crate::document::Document;
use crate::folder::Folder;
use crate::pool::Pool;
use crate::positions::Encoding;
use crate::progress::Reporter;
use crate::requests::{self, RequestError};
use crate::transport::{Outgoing, Received, read_messages, write_messages};
use crate::uri::path_of;
use crate::view::View;

/// Interval of checks for unused copies of indexes.
const TICK: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// Location of all indexes.
    pub home: DataRoot,
    /// Number of indexing threads; 0 is one per processor.
    pub threads: usize,
    /// The embedding model, for symbol search.
    pub model: ModelHandle,
    /// The repository to serve whatever folders the client names.
    pub root: Option<PathBuf>,
    /// The folder to serve if the client names none.
    pub fallback: Option<PathBuf>,
}

/// Why a server could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Threads are not available.
    #[error("cannot start the server: {0}")]
    Start(#[from] io::Error),
    /// The client ended the connection without a shutdown.
    #[error("the client disconnected without shutting the server down")]
    HungUp,
}

/// Serves a client on standard input and output until it ends the session.
pub fn serve_stdio(options: ServerOptions) -> Result<(), ServeError> {
    serve(io::stdin(), io::stdout(), options)
}

/// Serves a client until it sends `exit` or its input ends.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    options: ServerOptions,
) -> Result<(), ServeError> {
    let (received, messages) = crossbeam_channel::unbounded();
    let (out, responses) = crossbeam_channel::unbounded();
    let thread = |name: &str| std::thread::Builder::new().name(format!("codeagent-lsp-{name}"));

    // Not joined: it may wait for input after the client's `exit`.
    thread("read").spawn(move || read_messages(BufReader::new(input), &received))?;
    let writer = thread("write").spawn(move || write_messages(output, &responses))?;

    let mut server = Server::new(options, out)?;
    let ended = server.run(&messages);
    server.close();
    drop(server);
    writer.join().ok();
    ended
}

/// How far the session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// The requests that have no response yet.
type Pending = Arc<Mutex<HashMap<RequestId, Canceller>>>;

struct Server {
    options: ServerOptions,
    phase: Phase,
    /// The folders that the client names.
    named: Vec<PathBuf>,
    view: View,
    pending: Pending,
    /// Cancels work that no request waits for.
    stopping: Canceller,
    /// Shows progress, if the client can.
    reporter: Option<Reporter>,
    out: Sender<Outgoing>,
    pool: Pool,
}

impl Server {
    fn new(options: ServerOptions, out: Sender<Outgoing>) -> io::Result<Self> {
        Ok(Self {
            options,
            phase: Phase::New,
            named: Vec::new(),
            view: View::default(),
            pending: Pending::default(),
            stopping: Canceller::default(),
            reporter: None,
            out,
            pool: Pool::start()?,
        })
    }

    fn run(&mut self, messages: &Receiver<Received>) -> Result<(), ServeError> {
        loop {
            match messages.recv_timeout(TICK) {
                Ok(Received::Message(Message::Request(request))) => self.request(request),
                Ok(Received::Message(Message::Notification(note)))
                    if note.method == Exit::METHOD =>
                {
                    return match self.phase {
                        Phase::ShutDown => Ok(()),
                        _ => Err(ServeError::HungUp),
                    };
                }
                Ok(Received::Message(Message::Notification(note))) => self.notification(note),
                Ok(Received::Message(Message::Response(response))) => {
                    if let Some(reporter) = &self.reporter {
                        reporter.answered(&response);
                    }
                }
                Ok(Received::Malformed { id, problem }) => self.refuse_malformed(id, &problem),

                Err(RecvTimeoutError::Timeout) => {
                    self.view
                        .folders
                        .iter()
                        .for_each(|folder| folder.remove_idle_copy());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ServeError::HungUp),
            }
        }
    }

    /// Cancels what is running.
    fn close(&mut self) {
        self.stopping.cancel();
        if let Some(reporter) = &self.reporter {
            reporter.stop();
        }
        for (_, canceller) in locked(&self.pending).drain() {
            canceller.cancel();
        }
    }

    fn request(&mut self, request: Request) {
        match (self.phase, request.method.as_str()) {
            (Phase::New, Initialize::METHOD) => self.initialize(request),
            (Phase::New, _) => self.refuse(
                request.id,
                ErrorCode::ServerNotInitialized,
                "the session begins with `initialize`",
            ),

            (Phase::Running, Initialize::METHOD) => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the session is initialized already",
            ),
            (Phase::Running, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                let ids: Vec<RequestId> = locked(&self.pending).keys().cloned().collect();
                ids.into_iter().for_each(|id| self.cancel(id));
                self.send(Response::new_ok(request.id, Value::Null));
            }
            (Phase::Running, _) => self.start(request),

            (Phase::ShutDown, _) => self.refuse(
                request.id,
                ErrorCode::InvalidRequest,
                "the session was shut down",
            ),
        }
    }

    fn initialize(&mut self, request: Request) {
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => {
                return self.refuse(request.id, ErrorCode::InvalidParams, &error.to_string());
            }
        };

        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        self.view.encoding = Encoding::negotiated(offered);
        self.view.has_symbol_trees = has_symbol_trees(&params);
        if shows_progress(&params) {
            self.reporter = Some(Reporter::new(self.out.clone(), self.stopping.clone()));
        }
        self.named = folders_of(&params);
        if self.named.is_empty() {
            self.named.extend(self.options.fallback.clone());
        }
        for folder in self.named.clone() {
            self.add_folder(&folder);
        }

        self.phase = Phase::Running;
        let result = json!({
            "capabilities": requests::capabilities(self.view.encoding),
            "serverInfo": { "name": "codeagent", "version": env!("CARGO_PKG_VERSION") },
        });
        self.send(Response::new_ok(request.id, result));
    }

    /// Serves the repository around a folder, unless it is served already.
    fn add_folder(&mut self, folder: &Path) {
        let root = self.root_of(folder);
        if self.options.root.is_none()
            && let Err(error) = check_found_root(&root)
        {
            return self.log(&error.to_string());
        }
        if self.view.folders.iter().any(|known| known.root() == root) {
            return;
        }

        let options = ServiceOptions {
            home: self.options.home.clone(),
            threads: self.options.threads,
            model: self.options.model.clone(),
            ..ServiceOptions::default()
        };
        match Folder::open(&root, options) {
            Ok(folder) => {
                let folder = Arc::new(folder);
                // Before the client's `initialized`, the server may not send requests.
                if self.phase == Phase::Running {
                    self.show_progress(&folder);
                }
                Arc::make_mut(&mut self.view.folders).push(folder);
            }
            Err(error) => self.log(&error.to_string()),
        }
    }

    fn show_progress(&self, folder: &Arc<Folder>) {
        if let Some(reporter) = &self.reporter
            && let Err(error) = reporter.watch(folder)
        {
            tracing::warn!(%error, "progress cannot be shown");
        }
    }

    /// Serves the folders that the client opened, and no longer those that it closed.
    fn change_folders(&mut self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders
                .iter()
                .filter_map(|each| path_of(&each.uri))
                .collect()
        };
        let (added, removed) = (paths(&params.event.added), paths(&params.event.removed));
        self.named.retain(|folder| !removed.contains(folder));
        self.named.extend(added.clone());

        // A repository may contain several folders, of which some are still open.
        let needed: Vec<PathBuf> = self
            .named
            .iter()
            .map(|folder| self.root_of(folder))
            .collect();
        let is_needed = |folder: &Arc<Folder>| needed.iter().any(|root| root == folder.root());
        let (kept, closed): (Vec<_>, Vec<_>) =
            self.view.folders.iter().cloned().partition(is_needed);
        self.view.folders = Arc::new(kept);

        // Closing an index takes a moment, and requests may still read it.
        self.pool.run(move || drop(closed));
        for folder in added {
            self.add_folder(&folder);
        }
    }

    /// Returns the root of the repository around a folder.
    fn root_of(&self, folder: &Path) -> PathBuf {
        match &self.options.root {
            Some(root) => root.clone(),
            None => find_root(folder, &self.options.home),
        }
    }

    fn notification(&mut self, note: Notification) {
        match note.method.as_str() {
            Cancel::METHOD => {
                if let Some(params) = parsed::<CancelParams>(note) {
                    self.cancel(match params.id {
                        NumberOrString::Number(id) => id.into(),
                        NumberOrString::String(id) => id.into(),
                    });
                }
            }
            _ if self.phase != Phase::Running => {}

            Initialized::METHOD => {
                for folder in self.view.folders.iter() {
                    self.show_progress(folder);
                }
            }

            DidOpenTextDocument::METHOD => {
                if let Some(params) = parsed::<DidOpenTextDocumentParams>(note) {
                    let document = Document::new(&params.text_document.text);
                    self.set_document(&params.text_document.uri, Some(document));
                    self.prepare_locals(&params.text_document.uri);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = parsed::<DidChangeTextDocumentParams>(note) {
                    self.change_document(&params);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = parsed::<DidCloseTextDocumentParams>(note) {
                    self.set_document(&params.text_document.uri, None);
                }
            }

            DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = parsed::<DidChangeWorkspaceFoldersParams>(note) {
                    self.change_folders(params);
                }
            }
            // Files are watched, so saving and other changes need no notification.
            _ => {}
        }
    }

    fn set_document(&mut self, uri: &Uri, document: Option<Document>) {
        let Some(path) = path_of(uri) else { return };
        let documents = Arc::make_mut(&mut self.view.documents);
        match document {
            Some(document) => documents.insert(path, Arc::new(document)),
            None => documents.remove(&path),
        };
    }

    /// Finds the locals of an opened document, before a request needs them.
    fn prepare_locals(&self, uri: &Uri) {
        let Some(path) = path_of(uri) else { return };
        let Some(document) = self.view.documents.get(&path).map(Arc::clone) else {
            return;
        };
        self.pool.run(move || {
            document.file().locals(&path.to_string_lossy());
        });
    }

    fn change_document(&mut self, params: &DidChangeTextDocumentParams) {
        let Some(path) = path_of(&params.text_document.uri) else {
            return;
        };
        let Some(document) = self.view.documents.get(&path) else {
            return;
        };
        let changed = document.changed(&params.content_changes, self.view.encoding);
        self.set_document(&params.text_document.uri, Some(changed));
        self.prepare_copy(&path);
    }

    /// Makes the copy of the index for the first unsaved text, before a request needs it.
    fn prepare_copy(&self, path: &Path) {
        let Some((folder, _)) = self.view.folder_of(path) else {
            return;
        };
        if !folder.needs_copy() {
            return;
        }
        let (documents, stopping) = (Arc::clone(&self.view.documents), self.stopping.clone());
        self.pool.run(move || {
            // A request will report the reason.
            if folder.needs_copy()
                && let Err(error) = folder.snapshot(&documents, &stopping)
            {
                tracing::debug!(%error, "unsaved text is not indexed yet");
            }
        });
    }

    /// Hands a request to the pool.
    fn start(&self, request: Request) {
        let Request { id, method, params } = request;
        let canceller = Canceller::default();
        if locked(&self.pending).contains_key(&id) {
            return self.refuse(
                id,
                ErrorCode::InvalidRequest,
                "a request with this id is running",
            );
        }
        locked(&self.pending).insert(id.clone(), canceller.clone());

        let (view, out, pending) = (
            self.view.clone(),
            self.out.clone(),
            Arc::clone(&self.pending),
        );
        self.pool.run(move || {
            let answer = || {
                if canceller.is_cancelled() {
                    return Err(RequestError::Cancelled);
                }
                requests::answer(&view, &canceller, &method, params)
            };
            let answered = catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
                tracing::error!(method, "a request failed because of a bug");
                let message = "the request failed because of a bug in codeagent";
                Err(RequestError::Failed(message.to_owned()))
            });

            // A cancelled request has its response already.
            if locked(&pending).remove(&id).is_some() {
                let response = match answered {
                    Ok(json) => Outgoing::Result { id, json },
                    Err(error) => error.into_failure(id).into(),
                };
                out.send(response).ok();
            }
        });
    }

    fn cancel(&self, id: RequestId) {
        let Some(canceller) = locked(&self.pending).remove(&id) else {
            return;
        };
        canceller.cancel();
        self.send(RequestError::Cancelled.into_failure(id));
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        self.send(Response::new_err(id, code as i32, message.to_owned()));
    }

    fn refuse_malformed(&self, id: Option<RequestId>, problem: &str) {
        tracing::warn!(problem, "a malformed message was skipped");
        match id {
            Some(id) => self.refuse(id, ErrorCode::InvalidRequest, problem),
            None => self.log(&format!("a malformed message was skipped: {problem}")),
        }
    }

    /// Shows a message in the client's log.
    fn log(&self, message: &str) {
        let params = json!({ "type": 2, "message": message });
        let note = Notification::new("window/logMessage".to_owned(), params);
        self.out.send(note.into()).ok();
    }

    fn send(&self, response: Response) {
        // Without a writer, the client is gone and the input ends too.
        self.out.send(response.into()).ok();
    }
}

/// Returns the parameters of a notification; a wrong one is skipped, as it has no response.
fn parsed<T: DeserializeOwned>(note: Notification) -> Option<T> {
    let method = note.method;
    serde_json::from_value(note.params)
        .inspect_err(|error| tracing::warn!(method, %error, "a notification was skipped"))
        .ok()
}

fn locked(pending: &Pending) -> MutexGuard<'_, HashMap<RequestId, Canceller>> {
    // Every change is one call, so the map is consistent even after a panic.
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}
