//! A repository that the editor works in: its index, and a copy with unsaved texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codeagent_core::service::{
    FRESHNESS_TIMEOUT, IndexService, ServiceOptions, Unavailable, UnsavedError, UnsavedIndex,
};
use codeagent_core::{Canceller, Dialect, IndexReader, Snapshot};
use codeagent_render::{staleness_text, unavailable_text};
use codeagent_workspace::{DataRoot, OpenError, RepoPath, Workspace};

use crate::document::Documents;
use crate::requests::RequestError;
use crate::text_cache::TextCache;

/// Maximum time for which a request waits until unsaved texts are indexed. The first one loads the
/// facts of the whole repository.
const UNSAVED_TIMEOUT: Duration = Duration::from_secs(60);

/// Time after which an unused copy of the index is removed.
const IDLE: Duration = Duration::from_secs(300);

/// A repository with its index.
pub struct Folder {
    /// The root as the client spells it; locations are below it.
    root: PathBuf,
    service: IndexService,
    home: DataRoot,
    threads: usize,
    texts: TextCache,
    unsaved: Mutex<Unsaved>,
}

#[derive(Default)]
struct Unsaved {
    index: Option<UnsavedIndex>,
    used: Option<Instant>,
}

impl Folder {
    /// Opens the repository at `root` and starts to bring its index up to date.
    pub fn open(root: &Path, options: ServiceOptions) -> Result<Self, OpenError> {
        let (home, threads) = (options.home.clone(), options.threads);
        let service = IndexService::new(root, options)?;
        service.start();
        Ok(Self {
            root: root.to_owned(),
            service,
            home,
            threads,
            texts: TextCache::default(),
            unsaved: Mutex::default(),
        })
    }

    /// Returns the root as the client spells it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the repository on disk.
    pub fn workspace(&self) -> Workspace {
        self.service.workspace()
    }

    /// Returns the texts of the files on disk.
    pub fn texts(&self) -> &TextCache {
        &self.texts
    }

    /// Returns the path of a file below the root.
    pub fn relative(&self, path: &Path) -> Option<RepoPath> {
        self.relative_in(&self.workspace(), path)
    }

    fn relative_in(&self, workspace: &Workspace, path: &Path) -> Option<RepoPath> {
        let inside = path
            .strip_prefix(&self.root)
            .or_else(|_| path.strip_prefix(workspace.root()))
            .ok()?;
        workspace.resolve(inside.to_str()?).ok()
    }

    /// Returns a reader and a snapshot that contain every change made before the request: those on
    /// disk, and the open documents.
    pub fn snapshot(
        &self,
        documents: &Documents,
        canceller: &Canceller,
    ) -> Result<(IndexReader, Snapshot), RequestError> {
        let texts = self.unsaved_texts(documents);
        if texts.is_empty() {
            return self.saved_snapshot(canceller);
        }

        // The snapshot is taken under the lock, because another request may have other texts.
        let mut unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        unsaved.used = Some(Instant::now());
        let index = match &mut unsaved.index {
            Some(index) => index,
            none => {
                let (reader, _) = self.saved_snapshot(canceller)?;
                none.insert(UnsavedIndex::copy_of(&reader, &self.home, self.threads)?)
            }
        };

        let updated = index.update(&texts, UNSAVED_TIMEOUT, canceller);
        if let Err(UnsavedError::Open(_) | UnsavedError::Copy(_)) = updated {
            // The next request tries again with a new copy.
            unsaved.index = None;
        }
        let reader = updated?;
        let snapshot = reader.snapshot()?;
        Ok((reader, snapshot))
    }

    fn saved_snapshot(
        &self,
        canceller: &Canceller,
    ) -> Result<(IndexReader, Snapshot), RequestError> {
        let staleness = self.service.wait_until_fresh(Some(FRESHNESS_TIMEOUT));
        if !staleness.is_none() {
            tracing::warn!(missing = staleness_text(&staleness), "the index is behind");
        }

        let reader = self
            .service
            .reader()
            .map_err(|reason| RequestError::Failed(unavailable_text(&reason)))?
            .cancelled_by(canceller.clone());
        let snapshot = reader.snapshot()?;
        Ok((reader, snapshot))
    }

    /// Returns the documents of this repository whose texts differ from their files.
    fn unsaved_texts(&self, documents: &Documents) -> BTreeMap<RepoPath, Arc<str>> {
        let workspace = self.workspace();
        documents
            .iter()
            .filter_map(|(path, document)| Some((self.relative_in(&workspace, path)?, document)))
            .filter(|(path, _)| Dialect::of_path(path.as_str()).is_some())
            .filter(|(path, document)| document.differs(&workspace, path))
            .map(|(path, document)| (path, Arc::clone(document.text())))
            .collect()
    }

    /// Reports whether there is no copy with unsaved texts yet, and nobody makes one.
    pub fn needs_copy(&self) -> bool {
        self.unsaved
            .try_lock()
            .is_ok_and(|unsaved| unsaved.index.is_none())
    }

    /// Returns why the index cannot be read yet; `None` if it can.
    pub fn unavailable(&self) -> Option<Unavailable> {
        self.service.unavailable()
    }

    /// Removes a copy that was not used for a while.
    pub fn remove_idle_copy(&self) {
        if let Ok(mut unsaved) = self.unsaved.try_lock()
            && unsaved.used.is_some_and(|used| used.elapsed() > IDLE)
        {
            *unsaved = Unsaved::default();
        }
    }

    /// Rebuilds an index that a query found damaged, in the background.
    pub fn rebuild(&self) {
        self.service.rebuild_in_background();
    }
}
