//! Opens, wires and closes everything, in this order: root, settings, data folder, lock, database and writer, readers, pipeline.
//!
//! [`Engine`] indexes and answers and is alone in that; [`Answers`] only answers, beside any number of others. Dropping an engine drains the
//! writer, moves its log into the database, closes it and gives the lock back.
//!
//! **Limits.** Answers see what the last committed batch wrote; who sees to it that this is how the disk is, is `watch`.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codeagent_workspace::{ConfigError, DataDir, DataDirError, DataHome, OpenError, Watcher, Workspace, WriterLock, root_mark};

use crate::ingest::{self, ChangeBatch, IngestError, IngestOptions, IngestPipeline, Progress, Pulse, Summary, WriterThread};
use crate::store::{self, ROOT, Reader, Snapshot, StoreError};

/// Connections that answer at the same time, beside one for each worker of the pipeline.
const READERS: u32 = 4;

/// Why the engine cannot be opened or cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The root cannot be served.
    #[error(transparent)]
    Root(#[from] OpenError),
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No data folder, or another process writes.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A batch failed.
    #[error(transparent)]
    Ingest(IngestError),
}

/// What a caller can do about an [`EngineError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Correct the arguments or the settings.
    Usage,
    /// Run `codeagent index`.
    NotIndexed,
    /// Wait for the other process.
    Locked,
    /// Build the index anew.
    Corrupt,
    /// Nothing: it was asked to stop.
    Interrupted,
    /// Something else.
    Other,
}

impl EngineError {
    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Root(_) | Self::Config(_) => ErrorKind::Usage,
            Self::Data(DataDirError::Locked) => ErrorKind::Locked,
            Self::Ingest(IngestError::Interrupted) => ErrorKind::Interrupted,
            Self::Store(error) | Self::Ingest(IngestError::Store(error)) => store_kind(error),
            Self::Data(_) | Self::Ingest(_) => ErrorKind::Other,
        }
    }
}

/// What a caller can do about an error of the store.
#[must_use]
pub fn store_kind(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NotIndexed | StoreError::Older { .. } | StoreError::OtherLayout | StoreError::OtherRoot => ErrorKind::NotIndexed,
        StoreError::Busy => ErrorKind::Locked,
        StoreError::Corrupt(_) | StoreError::Newer { .. } | StoreError::Foreign(_) => ErrorKind::Corrupt,
        _ => ErrorKind::Other,
    }
}

impl From<IngestError> for EngineError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Store(error) => Self::Store(error),
            other => Self::Ingest(other),
        }
    }
}

/// How an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// How batches are processed.
    pub ingest: IngestOptions,
    /// Remove what is there and start with an empty index.
    pub rebuild: bool,
    /// Use default settings if those of the repository cannot be read.
    pub tolerate_config: bool,
    /// Where indexes lie.
    pub home: DataHome,
}

/// The engine of one repository, with the right to write. Fields are dropped in order: the writer before the lock.
pub struct Engine {
    pipeline: Mutex<IngestPipeline>,
    pulse: Pulse,
    reader: Reader,
    workspace: Mutex<Workspace>,
    tolerate_config: bool,
    data: DataDir,
    /// The database file that was opened.
    mark: Option<(u64, u64)>,
    _lock: WriterLock,
}

impl Engine {
    /// Opens the repository at `root` and makes its index if there is none, or one whose tables are laid out in another way.
    pub fn open(root: &Path, options: EngineOptions) -> Result<Self, EngineError> {
        let tolerate_config = options.tolerate_config;
        let workspace = Workspace::open(root)?.configured(tolerate_config)?;
        let data = options.home.data_dir(workspace.root())?;
        let lock = data.lock_writer()?;
        if options.rebuild {
            data.remove_database()?;
        }
        let writer = match open_database(&data, workspace.root()) {
            // All of it is derived from the sources.
            Err(EngineError::Store(StoreError::OtherLayout | StoreError::OtherRoot)) => {
                data.remove_database()?;
                open_database(&data, workspace.root())
            }
            other => other,
        }?;
        let database = data.database()?;
        let pulse = writer.pulse();
        let workers = if options.ingest.threads == 0 { available_threads() } else { options.ingest.threads };
        let reader = Reader::open(&database, READERS + workers as u32)?;
        let pipeline = IngestPipeline::new(workspace.clone(), reader.clone(), writer, options.ingest)?;
        let mark = data.database_mark();
        let (pipeline, workspace) = (Mutex::new(pipeline), Mutex::new(workspace));
        Ok(Self { pipeline, pulse, reader, workspace, tolerate_config, data, mark, _lock: lock })
    }

    /// Brings the index to what is on disk now.
    pub fn index(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<Summary, EngineError> {
        let summary = self.process_batch(&ChangeBatch::everything(), progress)?;
        let snapshot = self.reader.snapshot()?;
        let remarks = store::metadata(&snapshot, store::PROJECT_REMARKS)?.unwrap_or_default();
        let remarks = remarks.lines().map(str::to_owned).collect();
        Ok(Summary { remarks, ..summary.with_counts(store::counts(&snapshot)?) })
    }

    /// Takes a batch of changes in, under the settings as they are now; one at a time, others wait.
    pub fn process_batch(&self, batch: &ChangeBatch, progress: &(dyn Fn(Progress) + Sync)) -> Result<Summary, EngineError> {
        let mut pipeline = self.pipeline();
        let known = self.workspace();
        // A root that was removed and made again is another folder.
        let opened = Workspace::open(known.root()).ok().filter(|opened| opened.root() == known.root());
        let workspace = opened.unwrap_or(known).configured(self.tolerate_config)?;
        *unpoisoned(&self.workspace) = workspace.clone();
        pipeline.set_workspace(workspace);
        Ok(pipeline.process_batch(batch, progress)?)
    }

    /// Has every folder that a batch lists watched from now on.
    pub fn set_watcher(&self, watcher: Option<Arc<Watcher>>) {
        self.pipeline().set_watcher(watcher);
    }

    /// Whether a path was taken out of the index lately.
    #[must_use]
    pub fn has_removed(&self, path: &str) -> bool {
        self.pipeline().has_removed(path)
    }

    /// Frees the memory of what the next edit would go on with.
    pub fn put_down(&self) {
        self.pipeline().put_down();
    }

    /// The folder of the index.
    #[must_use]
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Whether the database is the one that was opened; if not, nobody sees what is written, and the engine must be opened again.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.data.database_mark() == self.mark
    }

    /// Whether the writer takes batches; answered at once, also during a batch.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.pulse.is_alive()
    }

    /// Answers from the same index.
    #[must_use]
    pub fn answers(&self) -> Answers {
        Answers { reader: self.reader.clone(), workspace: self.workspace(), data: self.data.clone(), mark: self.mark }
    }

    /// Moves the log into the database, closes it and gives the lock back.
    pub fn close(self) -> Result<(), EngineError> {
        Ok(self.pipeline().checkpoint()?)
    }

    /// The repository with the settings of the last batch.
    pub fn workspace(&self) -> Workspace {
        unpoisoned(&self.workspace).clone()
    }

    fn pipeline(&self) -> MutexGuard<'_, IngestPipeline> {
        unpoisoned(&self.pipeline)
    }
}

/// A batch that panicked has left nothing half done: its transaction was rolled back.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An index that is only read. Cheap to clone.
#[derive(Clone)]
pub struct Answers {
    reader: Reader,
    workspace: Workspace,
    data: DataDir,
    mark: Option<(u64, u64)>,
}

impl Answers {
    /// Opens the index of the repository at `root`, if it lies at `home`, without the right to write.
    pub fn open(root: &Path, home: &DataHome) -> Result<Self, EngineError> {
        let workspace = Workspace::open(root)?.configured(true)?;
        let data = home.data_dir(workspace.root())?;
        let mark = data.database_mark();
        let reader = Reader::open(&data.database()?, READERS)?;
        check_root(&reader, workspace.root())?;
        Ok(Self { reader, workspace, data, mark })
    }

    /// The present generation, for one answer.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.reader.snapshot()
    }

    /// The repository.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The folder of the index.
    #[must_use]
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Whether the database is still the one that was opened.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.data.database_mark() == self.mark
    }

    /// The files whose content is not as it was indexed, new and removed ones among them, by path.
    pub fn changed_files(&self) -> Result<Vec<String>, EngineError> {
        Ok(ingest::inspect::changed(&self.workspace, &self.snapshot()?)?)
    }
}

/// Opens the database for writing; what another root's index left there is refused.
fn open_database(data: &DataDir, root: &Path) -> Result<WriterThread, EngineError> {
    let database = data.writable_database()?;
    let writer = WriterThread::start(&database)?;
    check_root(&Reader::open(&database, 1)?, root)?;
    Ok(writer)
}

/// An index counts for the root it was made of: a copied or renamed data folder is another repository's.
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
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A repository of one class and a place for its index.
    struct Place {
        root: tempfile::TempDir,
        home: tempfile::TempDir,
    }

    #[allow(clippy::disallowed_methods, reason = "changes files as others would")]
    impl Place {
        fn new(class: &str) -> Self {
            let place = Self { root: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
            std::fs::write(place.root.path().join("a.cs"), format!("class {class} {{ }}")).unwrap();
            place
        }

        fn home(&self) -> DataHome {
            DataHome::at(self.home.path())
        }

        fn index(&self) -> u64 {
            let engine = Engine::open(self.root.path(), EngineOptions { home: self.home(), ..EngineOptions::default() }).unwrap();
            assert!(engine.is_healthy());
            let files = engine.index(&|_| {}).unwrap().files();
            engine.close().unwrap();
            files
        }

        fn answers(&self) -> Result<Answers, ErrorKind> {
            Answers::open(self.root.path(), &self.home()).map_err(|error| error.kind())
        }

        fn names(&self) -> Vec<String> {
            let snapshot = self.answers().unwrap().snapshot().unwrap();
            let nodes = crate::query::get_outline(&snapshot, crate::query::derive_file_id(&snapshot, "a.cs").unwrap()).unwrap();
            nodes.into_iter().map(|node| node.name).collect()
        }

        fn database(&self) -> PathBuf {
            self.home().data_dir(&self.root.path().canonicalize().unwrap()).unwrap().database().unwrap()
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "changes the database file as another version would")]
    fn an_index_of_another_layout_is_made_anew() {
        let place = Place::new("A");
        assert_eq!(place.index(), 1);
        let path = place.database();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(6).position(|window| window == b"layout").unwrap();
        bytes[at..at + 6].copy_from_slice(b"layoux");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(place.answers().err(), Some(ErrorKind::NotIndexed));
        assert_eq!(place.index(), 1);
        place.answers().unwrap().snapshot().unwrap();
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "does what a hostile repository does")]
    fn an_index_that_a_repository_brings_is_not_believed() {
        let (forged, place) = (Place::new("Forged"), Place::new("Honest"));
        forged.index();
        let folder = place.root.path().join(".codeagent");
        std::fs::create_dir(&folder).unwrap();
        std::fs::copy(forged.database(), folder.join("index.db")).unwrap();
        assert_eq!(place.answers().err(), Some(ErrorKind::NotIndexed), "it is not read");
        place.index();
        assert_eq!(place.names(), ["Honest"]);
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["index.db"], "nothing is written there");
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "copies an index to where another root's belongs")]
    fn an_index_counts_for_one_root() {
        let (other, place) = (Place::new("Other"), Place::new("Own"));
        other.index();
        place.index();
        std::fs::copy(other.database(), place.database()).unwrap();
        assert_eq!(place.answers().err(), Some(ErrorKind::NotIndexed));
        place.index();
        assert_eq!(place.names(), ["Own"]);
    }
}
