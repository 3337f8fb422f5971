//! The repository of a page: its index, and what is kept between two answers.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_core::query::{self, FileUses, QueryError, Snapshot};
use codeagent_core::service::{FRESHNESS_TIMEOUT, IndexService, ServiceOptions};
use codeagent_core::{Canceller, IndexReader};
use codeagent_render::{staleness_text, unavailable_text};
use codeagent_workspace::OpenError;

use crate::api::ApiError;

/// A repository with its index.
pub struct Repository {
    service: IndexService,
    /// The files and their uses of the generation last asked for: reading them takes seconds in a
    /// large repository.
    files: Mutex<Option<(String, Arc<FileUses>)>>,
}

/// What one answer reads.
pub struct Reading {
    pub reader: IndexReader,
    pub snapshot: Snapshot,
    /// What the index lacks at the moment.
    pub stale: Option<String>,
}

impl Repository {
    /// Opens the repository at `root` and starts to bring its index up to date.
    pub fn open(root: &Path, options: ServiceOptions) -> Result<Self, OpenError> {
        let service = IndexService::new(root, options)?;
        service.start();
        Ok(Self {
            service,
            files: Mutex::default(),
        })
    }

    /// Returns the name of the repository's folder.
    pub fn name(&self) -> String {
        let workspace = self.service.workspace();
        let name = workspace.root().file_name();
        name.map_or_else(|| "repository".into(), |name| name.to_string_lossy().into())
    }

    /// Returns a snapshot with every change made before this call.
    pub fn read(&self, canceller: &Canceller) -> Result<Reading, ApiError> {
        let staleness = self.service.wait_until_fresh(Some(FRESHNESS_TIMEOUT));
        let reader = self
            .service
            .reader()
            .map_err(|reason| ApiError::NotReady(unavailable_text(&reason)))?
            .cancelled_by(canceller.clone());
        let snapshot = reader.snapshot()?;
        Ok(Reading {
            reader,
            snapshot,
            stale: (!staleness.is_none()).then(|| staleness_text(&staleness)),
        })
    }

    /// Reads what the pages about folders show, before they are asked for. Without an index, they
    /// read it themselves.
    pub fn prepare(&self) {
        if let Ok(reading) = self.read(&Canceller::default()) {
            self.files(&reading.snapshot).ok();
        }
    }

    /// Returns the files and the uses between them. Waits for another answer that reads them.
    pub fn files(&self, snapshot: &Snapshot) -> Result<Arc<FileUses>, QueryError> {
        let generation = query::generation(snapshot)?;
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, files)) = known.as_ref().filter(|(of, _)| *of == generation) {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(query::file_uses(snapshot)?);
        *known = Some((generation, Arc::clone(&files)));
        Ok(files)
    }

    /// Rebuilds an index that a query found damaged, in the background.
    pub fn rebuild(&self) {
        self.service.rebuild_in_background();
    }

    /// Stops all work on the index.
    pub fn close(&self) {
        self.service.stop();
    }
}
