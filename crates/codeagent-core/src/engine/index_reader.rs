//! Read access to an index, alongside other readers and one writer.

use std::path::Path;
use std::sync::Arc;

use codeagent_workspace::{DataDir, DataRoot, Workspace};

use crate::embed::ModelHandle;
use crate::engine::{EngineError, READERS, check_root, integrity};
use crate::ingest;
use crate::query::{Counts, Searched, Sources, TextCoverage, TextFiles, Vectors};
use crate::store::{self, Canceller, Reader, Snapshot, StoreError};

/// Read-only access to an index. Cheap to clone.
#[derive(Clone)]
pub struct IndexReader {
    pub(super) reader: Reader,
    pub(super) vectors: Arc<Vectors>,
    pub(super) workspace: Workspace,
    pub(super) data: DataDir,
    pub(super) mark: Option<(u64, u64)>,
    pub(super) canceller: Canceller,
    pub(super) texts: TextFiles,
}

impl IndexReader {
    /// Opens the index of the repository at `root` for reading, if it exists at `home`.
    pub fn open(root: &Path, home: &DataRoot) -> Result<Self, EngineError> {
        let workspace = Workspace::open(root)?
            .with_packages(home.packages())
            .configured(true)?;
        let data = home.data_dir(workspace.root())?;
        integrity::check(&data)?;

        let mark = data.database_mark();
        let reader = Reader::open(&data.database()?, READERS)?;
        check_root(&reader, workspace.root())?;

        let (vectors, canceller, texts) =
            (Arc::default(), Canceller::default(), TextFiles::default());
        Ok(Self {
            reader,
            vectors,
            workspace,
            data,
            mark,
            canceller,
            texts,
        })
    }

    /// Lets `canceller` cancel the calls of this reader.
    #[must_use]
    pub fn cancelled_by(self, canceller: Canceller) -> Self {
        Self { canceller, ..self }
    }

    /// Sets the model that embeds queries.
    #[must_use]
    pub fn with_model(self, model: ModelHandle) -> Self {
        Self {
            vectors: Arc::new(Vectors::new(model)),
            ..self
        }
    }

    /// Returns a snapshot of the current generation, for one answer.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.reader.snapshot_for(&self.canceller)
    }

    /// Returns the vectors used for similarity.
    #[must_use]
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Returns what a query in natural language searches.
    #[must_use]
    pub fn searched(&self) -> Searched<'_> {
        Searched {
            vectors: Some(&self.vectors),
            workspace: Some(&self.workspace),
        }
    }

    /// Returns the repository.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns the sources of a snapshot, with the text files that are not indexed.
    #[must_use]
    pub fn sources<'a>(&'a self, snapshot: &'a Snapshot) -> Sources<'a> {
        Sources::new(snapshot, &self.workspace).with_texts(&self.texts)
    }

    /// Returns the repository's text files that are not indexed.
    #[must_use]
    pub fn texts(&self) -> &TextFiles {
        &self.texts
    }

    /// Returns the share of the repository's text that is in an indexed language, given the counts
    /// of the index.
    #[must_use]
    pub fn coverage(&self, counts: &Counts) -> TextCoverage {
        let covered_bytes = counts.languages.iter().map(|counts| counts.bytes).sum();
        TextCoverage {
            covered_bytes,
            other_bytes: self.texts.listing(&self.workspace).0.other,
        }
    }

    /// Reports whether the first index was completed.
    pub fn is_complete(&self) -> Result<bool, StoreError> {
        Ok(store::metadata(&self.snapshot()?, store::SCANNED_AT)?.is_some())
    }

    /// Returns the folder of the index.
    #[must_use]
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Reports whether the database is still the file that was opened.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.data.database_mark() == self.mark
    }

    /// Returns the files that differ from the index, including new and removed ones, by path.
    pub fn changed_files(&self) -> Result<Vec<String>, EngineError> {
        Ok(ingest::inspect::changed(
            &self.workspace,
            &self.snapshot()?,
        )?)
    }
}
