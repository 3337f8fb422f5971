//! The repository that a server serves: a named folder, or the one that the client works in.
//!
//! A server without a named folder answers `initialize` at once and then requests the client's
//! roots (`roots/list`). If the client does not answer, the server uses the folder it was started
//! in. Either way it serves the git work tree around the folder, as commands do. Tools report an
//! error until a folder is known, or if none is suitable.
//!
//! Limitations: one repository at a time: of several roots, the first in a git work tree. Revision
//! 2026-07-28 has no `roots/list`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codeagent_core::model::graph::Dialect;
use codeagent_workspace::{
    DataRoot, RootError, Workspace, check_found_root, find_root, has_source, is_work_tree,
    path_of_file_uri,
};
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::{Mutex, watch};

use crate::state::{Indexing, State};

/// Time limit for the client to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for which a call waits for the repository.
const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// The folder of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerRoot {
    /// A named folder.
    Named(PathBuf),
    /// The folder that the client names, or else this one; its git work tree is served.
    Around(PathBuf),
}

/// The repository's state, or why there is none.
type StateResult = Result<Arc<State>, String>;

/// The repository of a server, shared by all its sessions.
pub struct Repository {
    /// How to find the repository, unless it is known from the start.
    search: Option<RootSearch>,
    found: watch::Sender<Option<StateResult>>,
    /// Held during a search.
    seeking: Mutex<()>,
    is_closed: AtomicBool,
}

struct RootSearch {
    start: PathBuf,
    home: DataRoot,
    indexing: Indexing,
    is_indexed: bool,
}

impl Repository {
    /// Creates a repository that is known.
    #[must_use]
    pub fn known(state: Arc<State>) -> Arc<Self> {
        Arc::new(Self::new(None, Some(Ok(state))))
    }

    /// Creates a repository that is searched for when a client has connected. `is_indexed` says
    /// whether to keep an index of it.
    #[must_use]
    pub fn searching(
        start: PathBuf,
        home: DataRoot,
        indexing: Indexing,
        is_indexed: bool,
    ) -> Arc<Self> {
        Arc::new(Self::new(
            Some(RootSearch {
                start,
                home,
                indexing,
                is_indexed,
            }),
            None,
        ))
    }

    fn new(search: Option<RootSearch>, found: Option<StateResult>) -> Self {
        Self {
            search,
            found: watch::Sender::new(found),
            seeking: Mutex::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Searches in the background, even if a repository is known: the client's roots have changed.
    pub fn seek(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repository = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repository.seeking.lock().await;
            repository.find_root(&peer).await;
        });
    }

    /// Returns the state once it is known, or why there is none.
    pub async fn state(self: &Arc<Self>, peer: &Peer<RoleServer>) -> StateResult {
        let mut found = self.found.subscribe();
        let known = found.borrow_and_update().clone();
        match known {
            Some(Ok(state)) => return Ok(state),
            // A client may call before it says that it is ready.
            None => self.seek_once(peer.clone()),
            // A repository may have been created since the last search.
            Some(Err(_)) => self.seek(peer.clone()),
        }

        tokio::time::timeout(CALL_PATIENCE, found.changed())
            .await
            .ok();
        let now = found.borrow().clone();
        now.unwrap_or_else(|| {
            Err("the client has not named its root yet; try again in a moment".to_owned())
        })
    }

    /// Searches in the background, unless that was done before: calls may arrive before the client
    /// says that it is ready, but its roots are requested only once.
    pub fn seek_once(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repository = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repository.seeking.lock().await;
            if repository.found.borrow().is_none() {
                repository.find_root(&peer).await;
            }
        });
    }

    async fn find_root(self: &Arc<Self>, peer: &Peer<RoleServer>) {
        if self.search.is_none() {
            return;
        }
        let roots = roots(peer).await;
        let repository = Arc::clone(self);
        // Blocking, because it reads folders and closes the old index.
        tokio::task::spawn_blocking(move || repository.take(&roots))
            .await
            .ok();
    }

    /// Serves the repository that follows from the roots.
    fn take(&self, roots: &[PathBuf]) {
        let Some(search) = &self.search else { return };
        let before = self.found.borrow().clone().and_then(Result::ok);
        let chosen =
            chosen(roots, &search.start, &search.home).map_err(|reason| reason.to_string());
        let opened =
            chosen.and_then(|folder| Workspace::open(folder).map_err(|error| error.to_string()));
        let is_same = |workspace: &Workspace| {
            before
                .as_ref()
                .is_some_and(|state| state.workspace().root() == workspace.root())
        };

        if opened.as_ref().is_ok_and(is_same) {
            return;
        }

        self.found.send_replace(Some(
            opened.and_then(|workspace| search.open(workspace.root())),
        ));
        if let Some(before) = before {
            before.close();
        }

        if self.is_closed.load(Ordering::Acquire) {
            self.close();
        }
    }

    /// Closes the index.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let found = self.found.borrow().clone();
        if let Some(Ok(state)) = found {
            state.close();
        }
    }
}

impl RootSearch {
    fn open(&self, folder: &Path) -> StateResult {
        let state = State::with_indexing(folder, self.home.clone(), self.indexing.clone())
            .map_err(|error| error.to_string())?;
        if self.is_indexed {
            state.start();
        }
        Ok(state)
    }
}

/// Checks a folder that was not named explicitly: it must be a git work tree or contain sources,
/// and be neither a home folder nor the whole file system.
pub fn check(folder: &Path) -> Result<(), RootError> {
    check_found_root(folder)?;
    if is_work_tree(folder) {
        Ok(())
    } else {
        has_source(folder, |path| Dialect::of_path(path).is_some())
    }
}

/// Returns the folder to serve. A folder that the client names need not contain sources yet.
fn chosen(roots: &[PathBuf], start: &Path, home: &DataRoot) -> Result<PathBuf, RootError> {
    if roots.is_empty() {
        let root = find_root(start, home);
        return check(&root).map(|()| root);
    }

    let found: Vec<PathBuf> = roots.iter().map(|root| find_root(root, home)).collect();
    let suitable: Vec<&PathBuf> = found
        .iter()
        .filter(|root| check_found_root(root).is_ok())
        .collect();
    if suitable.len() > 1 {
        tracing::warn!(
            roots = suitable.len(),
            "the client has several roots; serving the first git work tree"
        );
    }

    match suitable
        .iter()
        .find(|root| is_work_tree(root))
        .or(suitable.first())
    {
        Some(root) => Ok((*root).clone()),
        None => check_found_root(&found[0]).map(|()| found[0].clone()),
    }
}

/// Requests the client's roots.
async fn roots(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    let Some(client) = peer.peer_info() else {
        return Vec::new();
    };
    if client.capabilities.roots.is_none()
        || client.protocol_version >= ProtocolVersion::V_2026_07_28
    {
        return Vec::new();
    }

    #[expect(deprecated, reason = "the revisions that clients speak today have it")]
    let asked = async {
        peer.list_roots().await.map(|named| {
            named
                .roots
                .into_iter()
                .map(|root| root.uri)
                .collect::<Vec<_>>()
        })
    };

    match tokio::time::timeout(ROOTS_TIMEOUT, asked).await {
        Ok(Ok(uris)) => uris
            .iter()
            .filter_map(|uri| path_of_file_uri(uri))
            .collect(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client did not list its roots");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("the client did not list its roots in time");
            Vec::new()
        }
    }
}
