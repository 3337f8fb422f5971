//! The repository that a server serves: a folder that was named, or the one that the client works
//! in.
//!
//! A server without a named folder answers `initialize` at once and then asks the client for its
//! roots (`roots/list`). Without an answer it takes the folder it was started in. Either way the
//! git work tree around the folder is served, as the commands do. Until a folder is known, and
//! where none is suitable, tools say so.
//!
//! **Limits.** One repository at a time: of several roots the first that is a git work tree.
//! Revision 2026-07-28 has no `roots/list`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codeagent_core::model::graph::Dialect;
use codeagent_workspace::{
    DataRoot, RootError, Workspace, check_found_root, find_root, has_source, is_work_tree,
};
use percent_encoding::percent_decode_str;
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::{Mutex, watch};

use crate::state::{Indexing, State};

/// How long the client may take to name its roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(10);
/// How long a call waits for the repository.
const CALL_PATIENCE: Duration = Duration::from_secs(2);

/// Which folder a server is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This one.
    Named(PathBuf),
    /// The one that the client names, else the one around this folder.
    Around(PathBuf),
}

/// The state of the repository, or why there is none.
type Found = Result<Arc<State>, String>;

/// Shared by all sessions of a server.
pub struct Repository {
    /// How it is sought; nothing if it is known from the start.
    search: Option<Search>,
    found: watch::Sender<Option<Found>>,
    /// Held while it is sought.
    seeking: Mutex<()>,
    is_closed: AtomicBool,
}

struct Search {
    start: PathBuf,
    home: DataRoot,
    indexing: Indexing,
    is_indexed: bool,
}

impl Repository {
    /// One that is known.
    #[must_use]
    pub fn known(state: Arc<State>) -> Arc<Self> {
        Arc::new(Self::new(None, Some(Ok(state))))
    }

    /// One that is sought when a client has connected. `is_indexed` tells whether its index is
    /// kept.
    #[must_use]
    pub fn sought(
        start: PathBuf,
        home: DataRoot,
        indexing: Indexing,
        is_indexed: bool,
    ) -> Arc<Self> {
        Arc::new(Self::new(
            Some(Search {
                start,
                home,
                indexing,
                is_indexed,
            }),
            None,
        ))
    }

    fn new(search: Option<Search>, found: Option<Found>) -> Self {
        Self {
            search,
            found: watch::Sender::new(found),
            seeking: Mutex::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Seeks it in the background, whatever was found before: the client has other roots now.
    pub fn seek(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repository = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repository.seeking.lock().await;
            repository.settle(&peer).await;
        });
    }

    /// Its state, once it is known, or why a call has none.
    pub async fn state(self: &Arc<Self>, peer: &Peer<RoleServer>) -> Found {
        let mut found = self.found.subscribe();
        let known = found.borrow_and_update().clone();
        match known {
            Some(Ok(state)) => return Ok(state),
            // A client need not say that it is ready before it calls.
            None => self.seek_once(peer.clone()),
            // A repository may have been made there since.
            Some(Err(_)) => self.seek(peer.clone()),
        }
        tokio::time::timeout(CALL_PATIENCE, found.changed())
            .await
            .ok();
        let now = found.borrow().clone();
        now.unwrap_or_else(|| {
            Err("the client has not named its folder yet; ask again in a moment".to_owned())
        })
    }

    /// Seeks it in the background unless it was sought before. A call may come before the client
    /// says that it is ready; the client is asked once all the same.
    pub fn seek_once(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let repository = Arc::clone(self);
        tokio::spawn(async move {
            let _one = repository.seeking.lock().await;
            if repository.found.borrow().is_none() {
                repository.settle(&peer).await;
            }
        });
    }

    async fn settle(self: &Arc<Self>, peer: &Peer<RoleServer>) {
        if self.search.is_none() {
            return;
        }
        let roots = roots(peer).await;
        let repository = Arc::clone(self);
        // Folders are looked through and the old index is closed.
        tokio::task::spawn_blocking(move || repository.take(&roots))
            .await
            .ok();
    }

    /// Serves the folder that follows from the roots.
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

    /// Gives the index back.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let found = self.found.borrow().clone();
        if let Some(Ok(state)) = found {
            state.close();
        }
    }
}

impl Search {
    fn open(&self, folder: &Path) -> Found {
        let state = State::with_indexing(folder, self.home.clone(), self.indexing.clone())
            .map_err(|error| error.to_string())?;
        if self.is_indexed {
            state.start();
        }
        Ok(state)
    }
}

/// Checks a folder that nobody named: it must be a git work tree or hold sources, and be neither a
/// home folder nor the whole file system.
pub fn check(folder: &Path) -> Result<(), RootError> {
    check_found_root(folder)?;
    if is_work_tree(folder) {
        Ok(())
    } else {
        has_source(folder, |path| Dialect::of_path(path).is_some())
    }
}

/// The folder to serve. What a client names need not hold sources yet.
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
            "the client names several folders; the first git work tree is served"
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

/// The folders that a client says it works in.
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
    match tokio::time::timeout(ROOTS_PATIENCE, asked).await {
        Ok(Ok(uris)) => uris.iter().filter_map(|uri| folder_of(uri)).collect(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client does not name its roots");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("the client does not name its roots in time");
            Vec::new()
        }
    }
}

/// The folder of a `file:` URI.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file://"))
        .and(uri.get(7..))?;
    let path = rest
        .strip_prefix("localhost")
        .filter(|path| path.starts_with('/'))
        .unwrap_or(rest);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decoded(path)?;
    let path = if cfg!(windows) {
        decoded.trim_start_matches('/').to_owned()
    } else {
        decoded
    };
    let path = PathBuf::from(path);
    path.is_absolute().then_some(path)
}

/// Decodes the path of a URI, `None` if an escape is malformed or the result is not a path.
fn percent_decoded(text: &str) -> Option<String> {
    let is_escape = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    // The decoder keeps malformed escapes as they are.
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    let path = percent_decode_str(text).decode_utf8().ok()?;
    (!path.contains('\0')).then(|| path.into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn file_uris_become_folders() {
        for (uri, expected) in [
            ("file:///srv/me/a", Some("/srv/me/a")),
            ("FILE:///srv/me/a%20b%C3%A9", Some("/srv/me/a b\u{e9}")),
            ("file://localhost/srv", Some("/srv")),
            ("file:///a?x#y", Some("/a")),
            ("file:///a%23b", Some("/a#b")),
            ("file://server/share", None),
            ("file:relative", None),
            ("file:///a%00b", None),
            ("file:///a%zz", None),
            ("file:///a%4", None),
            ("file:///a%+4", None),
            ("file:///a%FF", None),
            ("https://example.com/a", None),
            ("vscode-remote://ssh/a", None),
            ("", None),
            ("file:/\u{e9}\u{e9}", None),
        ] {
            assert_eq!(folder_of(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
}
