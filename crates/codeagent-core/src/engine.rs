//! Opens, connects and closes the parts of an index, in this order: root, settings, data folder,
//! lock, database and writer, readers, pipeline.
//!
//! A single process owns an [`Engine`], which indexes and queries; any number of others query
//! through an [`IndexReader`]. An index that is found damaged, when it is opened or by a store
//! error, is rebuilt from the sources. Dropping an engine drains the writer, moves its log into the
//! database, closes the database and releases the lock.
//!
//! Limitations: queries see the last committed batch. The index service keeps the index up to date.

mod error;
mod index_reader;
mod integrity;
mod share;
mod verify;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codeagent_workspace::{
    DataDir, DataDirError, DataRoot, MAX_TOTAL_BYTES, RepoPath, Watcher, Workspace, WriterLock,
    root_mark,
};

use crate::embed::ModelHandle;
use crate::engine::integrity::IndexLock;
use crate::ingest::{
    ChangeBatch, IngestOptions, IngestPipeline, Overlay, Progress, Summary, WriterLiveness,
    WriterThread,
};
use crate::query::{TextFiles, Vectors};
use crate::store::{self, Canceller, Check, NodeVector, ROOT, Reader, StoreError};

pub use crate::engine::error::{EngineError, ErrorKind, query_kind, store_kind};
pub use crate::engine::index_reader::IndexReader;
pub use crate::engine::share::{PackedFact, PlainFact, SharedGraph, packed_fact};
pub use crate::languages::grammars;
pub use crate::store::{
    SCHEMA_VERSION, SharedVersions, may_be_facts, shared_versions, sqlite_differences,
    sqlite_version,
};

/// Number of reader connections, in addition to one per worker of the pipeline.
const READERS: u32 = 4;

/// Maximum number of rebuilds per engine because of damage. Damage after that comes from the
/// sources or a broken disk.
const MOST_RENEWALS: u32 = 3;

/// Maximum number of rebuilds per engine because another program changed the database. After that,
/// the program is assumed to go on, and the index is marked as damaged.
const MOST_TOUCHED: u32 = 50;

/// Options for opening an engine.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// Options for processing batches.
    pub ingest: IngestOptions,
    /// Whether to remove the existing index and start with an empty one.
    pub rebuild: bool,
    /// Whether to use default settings if those of the repository cannot be read.
    pub tolerate_config: bool,
    /// Location of all indexes.
    pub home: DataRoot,
    /// The embedding model.
    pub model: ModelHandle,
    /// The data folder whose imports are part of the index, if it is not the index's own.
    pub imports: Option<DataDir>,
}

/// The engine of one repository; holds the write lock. Fields are dropped in order, so the writer
/// ends before the lock is released.
pub struct Engine {
    /// `None` if cannot rebuild the damaged index.
    pipeline: Mutex<Option<IngestPipeline>>,
    read_side: Mutex<ReadSide>,
    workspace: Mutex<Workspace>,
    watcher: Mutex<Option<Arc<Watcher>>>,
    texts: TextFiles,
    overlay: Overlay,
    /// Whether a damaged index was discarded and the new one is not complete.
    is_rebuilding: AtomicBool,
    renewals: AtomicU32,
    rebuilt_as_touched: AtomicU32,
    /// Why the index was rebuilt.
    repair_notice: Mutex<Option<String>>,
    options: EngineOptions,
    index_lock: IndexLock,
}

/// Read access that works during a batch.
#[derive(Clone)]
struct ReadSide {
    liveness: WriterLiveness,
    reader: Reader,
    vectors: Arc<Vectors>,
}

impl Engine {
    /// Opens the repository at `root`. Creates the index if there is none, or if it is damaged or
    /// has another table layout.
    pub fn open(root: &Path, options: EngineOptions) -> Result<Self, EngineError> {
        let workspace = Workspace::open(root)?
            .with_packages(options.home.packages())
            .configured(options.tolerate_config)?;
        let data = options.home.data_dir(workspace.root())?;
        let lock = data.lock_writer()?;
        Self::open_locked(workspace, (data, lock), options)
    }

    /// Builds the index of the repository at `root` from scratch and then replaces the existing
    /// one. The old index stays intact until then, even if this process is killed.
    pub fn rebuilt(
        root: &Path,
        options: EngineOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Self, Summary), EngineError> {
        let workspace = Workspace::open(root)?
            .with_packages(options.home.packages())
            .configured(options.tolerate_config)?;
        let data = options.home.data_dir(workspace.root())?;
        let lock = data.lock_writer()?;
        let home = data.rebuilt()?.with_packages(options.home.packages());
        let beside = Self::open(
            root,
            EngineOptions {
                home,
                rebuild: true,
                imports: Some(data.clone()),
                ..options.clone()
            },
        )?;

        let fresh = beside.data().clone();
        let summary = beside
            .index(progress)
            .and_then(|summary| beside.close().map(|()| summary));
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                data.rebuilt()?;
                return Err(error);
            }
        };

        if let Err(error) = store::move_log(&data.database()?) {
            // If the old index is missing or unreadable, nothing is lost.
            tracing::debug!(%error, "cannot move the old index's log");
        }

        data.replace_database(&fresh)?;
        Ok((
            Self::open_locked(
                workspace,
                (data, lock),
                EngineOptions {
                    rebuild: false,
                    ..options
                },
            )?,
            summary,
        ))
    }

    fn open_locked(
        workspace: Workspace,
        (data, lock): (DataDir, WriterLock),
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let mut repair_notice = if options.rebuild {
            None
        } else {
            integrity::damage(&data)
        };

        let index_lock = IndexLock::new(data, lock).map_err(DataDirError::Io)?;
        if options.rebuild || repair_notice.is_some() {
            index_lock.data.remove_database()?;
        }

        let overlay = Overlay::default();
        let open = || open_pipeline(&index_lock, (&workspace, &overlay), &options);
        let (pipeline, read_side) = match open() {
            // The index is derived from the sources, so it can be replaced.
            Err(EngineError::Store(
                error @ (StoreError::OtherLayout | StoreError::OtherRoot | StoreError::Corrupt(_)),
            )) => {
                if let StoreError::Corrupt(reason) = error {
                    repair_notice = Some(reason);
                }
                index_lock.data.remove_database()?;
                open()
            }
            other => other,
        }?;

        Ok(Self {
            pipeline: Mutex::new(Some(pipeline)),
            read_side: Mutex::new(read_side),
            workspace: Mutex::new(workspace),
            watcher: Mutex::default(),
            texts: TextFiles::default(),
            overlay,
            is_rebuilding: AtomicBool::new(false),
            renewals: AtomicU32::new(0),
            rebuilt_as_touched: AtomicU32::new(0),
            repair_notice: Mutex::new(repair_notice),
            options,
            index_lock,
        })
    }

    /// Returns why the index is being rebuilt, if it was damaged. Each reason is returned once.
    pub fn take_repair_notice(&self) -> Option<String> {
        unpoisoned(&self.repair_notice).take()
    }

    /// Updates the index to match the files on disk.
    pub fn index(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<Summary, EngineError> {
        let summary = self.process_batch(&ChangeBatch::everything(), progress)?;
        let snapshot = self.read_side().reader.snapshot()?;
        let notes = store::metadata(&snapshot, store::PROJECT_NOTES)?.unwrap_or_default();
        let notes = notes.lines().map(str::to_owned).collect();
        Ok(Summary {
            notes,
            ..summary.with_counts(store::counts(&snapshot)?)
        })
    }

    /// Indexes a batch of changes with the current settings. Batches run one at a time. An index
    /// that the batch finds damaged is rebuilt.
    pub fn process_batch(
        &self,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, EngineError> {
        let mut pipeline = self.pipeline();
        if self.is_touched()
            && self.rebuilt_as_touched.fetch_add(1, Ordering::Relaxed) < MOST_TOUCHED
        {
            return self.rebuild_index(
                &mut pipeline,
                "another program changed its files",
                progress,
            );
        }

        // A root that was removed and created again is another folder.
        let workspace = self
            .workspace()
            .reopened()
            .with_packages(self.options.home.packages())
            .configured(self.options.tolerate_config)?;

        *unpoisoned(&self.workspace) = workspace.clone();
        if !batch.is_only_code() {
            self.texts.forget();
        }

        let done = match pipeline.as_mut() {
            Some(pipeline) => {
                pipeline.set_workspace(workspace);
                pipeline
                    .process_batch(batch, progress)
                    .map_err(EngineError::from)
            }
            None => Err(StoreError::Corrupt("it could not be rebuilt".to_owned()).into()),
        };

        match done {
            Err(EngineError::Store(StoreError::Corrupt(reason))) => {
                self.rebuild_after_corruption(&mut pipeline, &reason, progress)
            }
            Ok(summary) => {
                self.is_rebuilding.store(false, Ordering::Release);
                if !summary.unchanged && !batch.is_complete() {
                    self.evict_old_indexes();
                }
                Ok(summary)
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes old indexes to limit their total size. They are rebuilt when they are needed.
    fn evict_old_indexes(&self) {
        for removed in self.data().evict_old_indexes(MAX_TOTAL_BYTES) {
            tracing::info!(repository = %removed.root().display(), "its index was evicted: the total size exceeded the limit");
        }
    }

    /// Rebuilds the index because a query found it damaged (`reason`).
    pub fn rebuild(
        &self,
        reason: &str,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, EngineError> {
        self.rebuild_after_corruption(&mut self.pipeline(), reason, progress)
    }

    fn rebuild_after_corruption(
        &self,
        pipeline: &mut Option<IngestPipeline>,
        reason: &str,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, EngineError> {
        if self.renewals.fetch_add(1, Ordering::Relaxed) >= MOST_RENEWALS {
            return Err(StoreError::Corrupt(format!("{reason}, repeatedly")).into());
        }
        self.rebuild_index(pipeline, reason, progress)
    }

    fn rebuild_index(
        &self,
        pipeline: &mut Option<IngestPipeline>,
        reason: &str,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, EngineError> {
        tracing::warn!(reason, "the index is damaged; rebuilding it");
        *unpoisoned(&self.repair_notice) = Some(reason.to_owned());
        self.is_rebuilding.store(true, Ordering::Release);

        // Closes all writers of the old index.
        *pipeline = None;
        self.index_lock.data.remove_database()?;

        let (fresh, read_side) = open_pipeline(
            &self.index_lock,
            (&self.workspace(), &self.overlay),
            &self.options,
        )?;

        *unpoisoned(&self.read_side) = read_side;
        let fresh = pipeline.insert(fresh);
        fresh.set_watcher(unpoisoned(&self.watcher).clone());

        let summary = fresh.process_batch(&ChangeBatch::everything(), progress)?;
        self.is_rebuilding.store(false, Ordering::Release);
        Ok(summary)
    }

    /// Reports whether a damaged index was discarded and the new one is not complete yet.
    #[must_use]
    pub fn is_rebuilding(&self) -> bool {
        self.is_rebuilding.load(Ordering::Acquire)
    }

    /// Reports whether another program changed the open database; the next batch rebuilds the
    /// index.
    #[must_use]
    pub fn is_touched(&self) -> bool {
        self.index_lock.is_touched()
    }

    /// Makes later batches watch every folder they list.
    pub fn set_watcher(&self, watcher: Option<Arc<Watcher>>) {
        let mut pipeline = self.pipeline();
        self.texts.set_told(watcher.is_some());
        unpoisoned(&self.watcher).clone_from(&watcher);
        if let Some(pipeline) = pipeline.as_mut() {
            pipeline.set_watcher(watcher);
        }
    }

    /// Reports whether a path was recently removed from the index.
    #[must_use]
    pub fn has_removed(&self, path: &str) -> bool {
        self.pipeline()
            .as_ref()
            .is_some_and(|pipeline| pipeline.has_removed(path))
    }

    /// Indexes `text` in place of a file's content on disk, starting with the next batch that names
    /// the file; `None` restores the content.
    pub fn set_unsaved_text(&self, path: &RepoPath, text: Option<&str>) {
        self.overlay.set(path, text);
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Frees the state that would speed up the next edit.
    pub fn drop_caches(&self) {
        self.texts.forget();
        if let Some(pipeline) = self.pipeline().as_mut() {
            pipeline.drop_caches();
        }
    }

    /// Returns the folder of the index.
    #[must_use]
    pub fn data(&self) -> &DataDir {
        &self.index_lock.data
    }

    /// Reports whether the database file is still the one that was opened. If not, readers do not
    /// see writes, and the engine must be opened again.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.is_rebuilding() || self.data().database_mark() == self.index_lock.mark()
    }

    /// Reports whether the writer is alive; returns at once, even during a batch.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.read_side().liveness.is_alive()
    }

    /// Returns the embedding model.
    #[must_use]
    pub fn model(&self) -> &ModelHandle {
        &self.options.model
    }

    /// Writes vectors of a model between two batches. Vectors of other models are deleted.
    pub fn put_vectors(&self, model: &str, vectors: Vec<NodeVector>) -> Result<(), EngineError> {
        self.pipeline().as_ref().map_or(Ok(()), |pipeline| {
            Ok(pipeline.writer().put_vectors(model, vectors)?)
        })
    }

    /// Removes the vectors of texts that no symbol has.
    pub fn collect_vectors(&self, model: &str) -> Result<(), EngineError> {
        self.pipeline().as_ref().map_or(Ok(()), |pipeline| {
            Ok(pipeline.writer().collect_vectors(model)?)
        })
    }

    /// Returns a reader of the same index.
    #[must_use]
    pub fn reader(&self) -> IndexReader {
        let mark = self.index_lock.mark();
        let canceller = Canceller::default();
        let ReadSide {
            reader, vectors, ..
        } = self.read_side();
        let texts = self.texts.clone();
        IndexReader {
            reader,
            vectors,
            workspace: self.workspace(),
            data: self.data().clone(),
            mark,
            canceller,
            texts,
        }
    }

    /// Moves the log into the database, closes it and releases the lock.
    pub fn close(self) -> Result<(), EngineError> {
        Ok(self
            .pipeline()
            .as_ref()
            .map_or(Ok(()), IngestPipeline::checkpoint)?)
    }

    /// Returns the repository with the settings of the last batch.
    pub fn workspace(&self) -> Workspace {
        unpoisoned(&self.workspace).clone()
    }

    fn read_side(&self) -> ReadSide {
        unpoisoned(&self.read_side).clone()
    }

    fn pipeline(&self) -> MutexGuard<'_, Option<IngestPipeline>> {
        unpoisoned(&self.pipeline)
    }
}

/// Locks a mutex that may be poisoned. A panic leaves nothing half done, because the transaction of
/// its batch was rolled back.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a whole database and returns an error if its pages and rows are inconsistent.
pub fn check_database(path: &Path) -> Result<(), StoreError> {
    store::check(path, Check::Quick)
}

/// Opens the pipeline and the reader of a database.
fn open_pipeline(
    index_lock: &IndexLock,
    (workspace, overlay): (&Workspace, &Overlay),
    options: &EngineOptions,
) -> Result<(IngestPipeline, ReadSide), EngineError> {
    let writer = open_database(&index_lock.data, workspace.root())?;
    let liveness = writer.liveness();
    index_lock.guard_with(writer.guard());

    let ingest = options.ingest.clone();
    let workers = if ingest.threads == 0 {
        available_threads()
    } else {
        ingest.threads
    };

    let reader = Reader::open(&index_lock.data.database()?, READERS + workers as u32)?;
    let mut pipeline = IngestPipeline::new(workspace.clone(), reader.clone(), writer, ingest)?;
    pipeline.set_overlay(overlay.clone());
    if !options.rebuild {
        pipeline.share(index_lock.data.clone());
    }
    let imports = options.imports.as_ref().unwrap_or(&index_lock.data);
    pipeline.import_from(imports.clone());
    pipeline.share_packages(options.home.package_facts().ok());

    index_lock.note_database();
    let vectors = Arc::new(Vectors::new(options.model.clone()));

    Ok((
        pipeline,
        ReadSide {
            liveness,
            reader,
            vectors,
        },
    ))
}

/// Opens the database for writing; returns an error if it was built for another root.
fn open_database(data: &DataDir, root: &Path) -> Result<WriterThread, EngineError> {
    let database = data.writable_database()?;
    let writer = WriterThread::start(&database)?;
    check_root(&Reader::open(&database, 1)?, root)?;
    Ok(writer)
}

/// Checks that the index was built for this root. A copied or renamed data folder belongs to
/// another repository.
fn check_root(reader: &Reader, root: &Path) -> Result<(), StoreError> {
    match store::metadata(&reader.snapshot()?, ROOT)? {
        Some(made_of) if made_of != root_mark(root) => Err(StoreError::OtherRoot),
        _ => Ok(()),
    }
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests;
