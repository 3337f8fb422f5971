//! The repositories of a server: named folders, or those that the client works in.
//!
//! A server without a named folder answers `initialize` at once and then requests the client's
//! roots (`roots/list`). If the client does not answer, the server uses the folder it was started
//! in, or the indexed repositories in it. Either way it serves the git work trees around the
//! folders, as commands do. Tools report an error until a folder is known, or if none is suitable.
//!
//! Limitations: revision 2026-07-28 has no `roots/list`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codeagent_core::model::graph::Dialect;
use codeagent_workspace::{
    DataRoot, OpenError, RootError, check_found_root, find_root, find_roots, has_source,
    is_work_tree, path_of_file_uri,
};
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::{Mutex, watch};

use crate::roots::{Opening, Roots, resolved};
use crate::state::State;

/// Time limit for the client to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for which a call waits for the repositories.
const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// The folders of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerRoot {
    /// Named folders, at least one.
    Named(Vec<PathBuf>),
    /// The folders that the client names, or else this one; their git work trees are served.
    Around(PathBuf),
}

/// The repositories, or why there are none.
type RootsResult = Result<Arc<Roots>, String>;

/// The repositories of a server, shared by all its sessions.
pub struct Repositories {
    /// How to find the repositories, unless they are known from the start.
    search: Option<RootSearch>,
    found: watch::Sender<Option<RootsResult>>,
    /// Held during a search.
    seeking: Mutex<()>,
    is_closed: AtomicBool,
}

struct RootSearch {
    start: PathBuf,
    opening: Opening,
}

impl Repositories {
    /// Creates one repository that is open.
    #[must_use]
    pub fn known(state: Arc<State>) -> Arc<Self> {
        Arc::new(Self::new(None, Some(Ok(Roots::of(state)))))
    }

    /// Creates the repositories at these folders.
    pub fn named(folders: &[PathBuf], opening: &Opening) -> Result<Arc<Self>, OpenError> {
        let folders = folders.iter().map(|folder| resolved(folder));
        let mut folders: Vec<PathBuf> = folders.collect::<Result<_, _>>()?;
        keep_first(&mut folders);
        let roots = Roots::over(folders, opening, None);
        Ok(Arc::new(Self::new(None, Some(roots))))
    }

    /// Creates repositories that are searched for when a client has connected.
    #[must_use]
    pub fn searching(start: PathBuf, opening: Opening) -> Arc<Self> {
        Arc::new(Self::new(Some(RootSearch { start, opening }), None))
    }

    fn new(search: Option<RootSearch>, found: Option<RootsResult>) -> Self {
        Self {
            search,
            found: watch::Sender::new(found),
            seeking: Mutex::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Searches in the background, even if repositories are known: the client's roots have changed.
    pub fn seek(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repositories = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repositories.seeking.lock().await;
            repositories.find_roots(&peer).await;
        });
    }

    /// Returns the repositories once they are known, or why there are none.
    pub async fn roots(self: &Arc<Self>, peer: &Peer<RoleServer>) -> RootsResult {
        let mut found = self.found.subscribe();
        let known = found.borrow_and_update().clone();
        match known {
            Some(Ok(roots)) => return Ok(roots),
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

    /// Returns the repositories if they are known.
    #[must_use]
    pub fn known_roots(&self) -> Option<Arc<Roots>> {
        self.found.borrow().clone().and_then(Result::ok)
    }

    /// Searches in the background, unless that was done before: calls may arrive before the client
    /// says that it is ready, but its roots are requested only once.
    pub fn seek_once(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repositories = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repositories.seeking.lock().await;
            if repositories.found.borrow().is_none() {
                repositories.find_roots(&peer).await;
            }
        });
    }

    async fn find_roots(self: &Arc<Self>, peer: &Peer<RoleServer>) {
        if self.search.is_none() {
            return;
        }
        let roots = roots(peer).await;
        let repositories = Arc::clone(self);
        // Blocking, because it reads folders and closes old indexes.
        tokio::task::spawn_blocking(move || repositories.take(&roots))
            .await
            .ok();
    }

    /// Serves the repositories that follow from the client's roots.
    fn take(&self, roots: &[PathBuf]) {
        let Some(search) = &self.search else { return };
        let before = self.known_roots();
        let folders = chosen(roots, &search.start, &search.opening.home);
        if let (Ok(folders), Some(before)) = (&folders, &before)
            && before.are_at(folders)
        {
            return;
        }

        let found =
            folders.and_then(|folders| Roots::over(folders, &search.opening, before.as_deref()));
        self.found.send_replace(Some(found.clone()));
        if let Some(before) = before {
            before.end_except(found.ok().as_deref());
        }

        if self.is_closed.load(Ordering::Acquire) {
            self.close();
        }
    }

    /// Closes the indexes.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        if let Some(roots) = self.known_roots() {
            roots.end_except(None);
        }
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

/// Returns the resolved folders to serve, each once. A folder that the client names need not contain
/// sources yet.
fn chosen(roots: &[PathBuf], start: &Path, home: &DataRoot) -> Result<Vec<PathBuf>, String> {
    let folders = suitable(roots, start, home).map_err(|error| error.to_string())?;
    let folders = folders.iter().map(|folder| resolved(folder));
    let mut folders: Vec<PathBuf> = folders
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    keep_first(&mut folders);
    Ok(folders)
}

fn suitable(roots: &[PathBuf], start: &Path, home: &DataRoot) -> Result<Vec<PathBuf>, RootError> {
    if roots.is_empty() {
        let found = find_roots(start, home);
        if let [root] = found.as_slice() {
            check(root)?;
        }
        return Ok(found);
    }

    let found = roots.iter().map(|root| find_root(root, home));
    let (suitable, refused): (Vec<PathBuf>, Vec<PathBuf>) =
        found.partition(|root| check_found_root(root).is_ok());
    match refused.first() {
        Some(root) if suitable.is_empty() => check_found_root(root).map(|()| suitable),
        _ => Ok(suitable),
    }
}

/// Removes all but the first of equal folders.
fn keep_first(folders: &mut Vec<PathBuf>) {
    let mut seen = std::collections::BTreeSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
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
