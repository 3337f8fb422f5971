//! An index of the repository as an editor shows it: unsaved texts in place of files.
//!
//! [`UnsavedIndex`] is a copy of the repository's index that only this process uses. Unsaved texts
//! go through the same incremental path as saved edits, so its answers are those of an index of the
//! saved files, and all its positions are right. Other processes read the repository's own index,
//! which never contains unsaved text.
//!
//! The copy follows the files on disk with its own watcher. It is removed when dropped.
//!
//! Limitations: a file that was never saved is not indexed. The copy needs as much disk space as
//! the index, and its first update loads the facts of all files into memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use codeagent_workspace::{DataRoot, RepoPath, ScratchRoot};

use crate::engine::{EngineError, IndexReader};
use crate::service::{IndexService, ServiceFailure, ServiceOptions, Unavailable};
use crate::store::{self, Canceller, StoreError};

/// Time between two checks for cancellation.
const SLICE: Duration = Duration::from_millis(100);

/// Why unsaved texts are not indexed.
#[derive(Debug, thiserror::Error)]
pub enum UnsavedError {
    /// The index cannot be copied.
    #[error("unsaved text cannot be indexed: {0}")]
    Copy(#[from] EngineError),
    /// The copy cannot be opened.
    #[error("unsaved text cannot be indexed: the copy of the index cannot be opened")]
    Open(ServiceFailure),
    /// The copy cannot be updated.
    #[error("unsaved text cannot be indexed: {0}")]
    Update(String),
    /// The texts are still being indexed.
    #[error("unsaved text is still being indexed; try again in a moment")]
    TimedOut,
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
}

/// A copy of an index in which unsaved texts replace files.
pub struct UnsavedIndex {
    // Fields are dropped in order: the index is closed before its folder is removed.
    service: IndexService,
    texts: BTreeMap<RepoPath, Arc<str>>,
    _folder: ScratchRoot,
}

impl UnsavedIndex {
    /// Copies an index and opens the copy in the background. `home` is the location of all indexes.
    pub fn copy_of(
        reader: &IndexReader,
        home: &DataRoot,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let folder = reader.data().scratch()?;
        let private = folder.data_root().with_packages(home.packages());
        let root = reader.workspace().root();

        let data = private.data_dir(root)?;
        let lock = data.lock_writer()?;
        store::copy_database(&reader.snapshot()?, &data.writable_database()?)?;
        // The marker spares the copy's first opening a check of the whole database.
        data.mark_new()
            .map_err(codeagent_workspace::DataDirError::Io)?;
        drop(lock);

        let options = ServiceOptions {
            home: private,
            threads,
            imports: Some(reader.data().clone()),
            ..ServiceOptions::default()
        };
        let service = IndexService::new(root, options)?;
        service.start();
        Ok(Self {
            service,
            texts: BTreeMap::new(),
            _folder: folder,
        })
    }

    /// Replaces the unsaved texts and waits until the copy contains them, and every change that was
    /// made on disk before this call.
    pub fn update(
        &mut self,
        texts: &BTreeMap<RepoPath, Arc<str>>,
        limit: Duration,
        canceller: &Canceller,
    ) -> Result<IndexReader, UnsavedError> {
        let end = Instant::now() + limit;
        self.wait_until_open(end, canceller)?;
        self.set(texts)?;

        loop {
            let staleness = self.service.wait_until_fresh(Some(SLICE));
            if let Some(failure) = staleness.failure {
                return Err(UnsavedError::Update(failure));
            }
            if staleness.is_none() {
                break;
            }
            check(end, canceller)?;
        }

        let engine = self.service.engine().map_err(unavailable)?;
        Ok(engine.reader().cancelled_by(canceller.clone()))
    }

    fn wait_until_open(&self, end: Instant, canceller: &Canceller) -> Result<(), UnsavedError> {
        loop {
            match self.service.engine() {
                Ok(_) => return Ok(()),
                Err(Unavailable::Failed(failure)) => return Err(UnsavedError::Open(failure)),
                Err(_) => check(end, canceller)?,
            }
        }
    }

    /// Passes the texts that differ from those of the last call to the indexer.
    fn set(&mut self, texts: &BTreeMap<RepoPath, Arc<str>>) -> Result<(), UnsavedError> {
        let gone: Vec<RepoPath> = self
            .texts
            .keys()
            .filter(|path| !texts.contains_key(*path))
            .cloned()
            .collect();
        for path in gone {
            self.service
                .set_unsaved_text(path.clone(), None)
                .map_err(unavailable)?;
            self.texts.remove(&path);
        }

        for (path, text) in texts {
            if self.texts.get(path) == Some(text) {
                continue;
            }
            self.service
                .set_unsaved_text(path.clone(), Some(text))
                .map_err(unavailable)?;
            self.texts.insert(path.clone(), Arc::clone(text));
        }
        Ok(())
    }
}

fn check(end: Instant, canceller: &Canceller) -> Result<(), UnsavedError> {
    if canceller.is_cancelled() {
        return Err(UnsavedError::Cancelled);
    }
    if Instant::now() > end {
        return Err(UnsavedError::TimedOut);
    }
    Ok(())
}

fn unavailable(reason: Unavailable) -> UnsavedError {
    match reason {
        Unavailable::Failed(failure) => UnsavedError::Open(failure),
        _ => UnsavedError::TimedOut,
    }
}

impl From<StoreError> for UnsavedError {
    fn from(error: StoreError) -> Self {
        Self::Copy(error.into())
    }
}
