//! The embedding thread: computes missing model vectors in the background.
//!
//! It runs while nothing is being indexed and writes a few vectors at a time. Each run starts from
//! the vectors that the index lacks, so an interruption (a batch, the end of the process, a crash)
//! loses only unwritten vectors. Texts with a stored vector are not embedded again.
//!
//! Limitations: only on Linux can the thread lower its priority.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use codeagent_workspace::lowest_priority;

use crate::embed::{EmbedError, Embedder};
use crate::engine::EngineError;
use crate::service::owner::{OwnerState, SyncState};
use crate::store::{self, EMBEDDING_MODEL, NodeVector, Pending, StoreError};

/// Number of symbols sorted together, so that texts of similar length go through a model together.
const PAGE: usize = 512;

/// Number of vectors per write, and the most that a crash loses.
const WRITTEN: usize = 64;

/// Number of texts embedded together. In between, the thread checks for more urgent work.
const MANY: usize = 16;

/// Like [`MANY`], once nearly all vectors exist. Queries then use the model too and wait for the
/// current group, which can take a thread of low priority long.
const FEW: usize = 2;

/// Progress of computing a model's vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorProgress {
    /// Name of the model.
    pub model: String,
    /// Number of symbols with a vector.
    pub done: u64,
    /// Total number of symbols.
    pub total: u64,
}

impl fmt::Display for VectorProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} symbols have a vector ({})",
            self.done, self.total, self.model
        )
    }
}

/// How a run ended.
#[derive(PartialEq, Eq)]
enum RunOutcome {
    /// No vectors are missing.
    Complete,
    /// More urgent work is waiting.
    Paused,
}

#[derive(Debug, thiserror::Error)]
enum EmbeddingFailure {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Model(#[from] EmbedError),
}

/// Returns the progress of the model whose vectors the index has; `None` if it has none.
pub fn vector_progress(snapshot: &store::Snapshot) -> Result<Option<VectorProgress>, StoreError> {
    let Some(model) = store::metadata(snapshot, EMBEDDING_MODEL)? else {
        return Ok(None);
    };
    let (done, total) = (
        store::model_vector_count(snapshot)?,
        store::counts(snapshot)?.symbols,
    );
    Ok(Some(VectorProgress { model, done, total }))
}

/// Returns the vectors of symbols, embedding the unknown texts in one call.
pub fn embedded(model: &dyn Embedder, few: &[Pending]) -> Result<Vec<NodeVector>, EmbedError> {
    let unknown: Vec<&str> = few
        .iter()
        .filter(|pending| !pending.is_known)
        .map(|pending| pending.text.as_str())
        .collect();

    let mut made = if unknown.is_empty() {
        Vec::new()
    } else {
        model.embed(&unknown)?
    }
    .into_iter();

    let mut vector = |pending: &Pending| NodeVector {
        node: pending.node,
        text_hash: pending.text_hash,
        vector: if pending.is_known {
            None
        } else {
            made.next().map(Box::new)
        },
    };

    Ok(few.iter().map(&mut vector).collect())
}

impl OwnerState {
    /// Computes missing vectors until this process stops.
    pub(super) fn make_vectors(&self) {
        lowest_priority();
        let mut seen = None;
        while let Some(batches) = self.wait_until_idle(seen) {
            let run = catch_unwind(AssertUnwindSafe(|| self.run_vectors()));
            // After a failure, only a new batch can make a difference.
            seen = Some(batches);

            match run {
                Ok(Ok(RunOutcome::Complete)) => self.note_embedding(None),
                Ok(Ok(RunOutcome::Paused)) => seen = None,
                Ok(Err(trouble)) => {
                    tracing::warn!(%trouble, "no symbol vectors are computed");
                    self.note_embedding(Some(trouble.to_string()));
                }
                Err(_) => {
                    self.note_embedding(Some("failed because of a bug in codeagent".to_owned()))
                }
            }
        }
    }

    /// Records why vectors are missing.
    fn note_embedding(&self, trouble: Option<String>) {
        self.lock().embedding_trouble = trouble;
    }

    /// Waits until nothing is pending and a batch other than number `seen` has ended. Returns the
    /// number of batches so far, or `None` if this process stops.
    fn wait_until_idle(&self, seen: Option<u64>) -> Option<u64> {
        let waits = |state: &mut SyncState| {
            !self.is_stopping()
                && (!state.is_idle() || state.batches == 0 || Some(state.batches) == seen)
        };
        let state = self
            .changed
            .wait_while(self.lock(), waits)
            .unwrap_or_else(PoisonError::into_inner);
        (!self.is_stopping()).then_some(state.batches)
    }

    /// Reports whether more urgent work is waiting.
    fn is_pressed(&self) -> bool {
        self.is_stopping() || !self.lock().is_idle()
    }

    fn run_vectors(&self) -> Result<RunOutcome, EmbeddingFailure> {
        let Some(model) = self.engine.model().model()? else {
            return Ok(RunOutcome::Complete);
        };
        let before = store::metadata(&self.engine.reader().snapshot()?, EMBEDDING_MODEL)?;
        if before.as_deref() != Some(model.name()) {
            // This deletes the vectors of other models.
            self.engine.put_vectors(model.name(), Vec::new())?;
        }

        let mut after = None;
        let mut made = 0;
        loop {
            let mut page = store::pending_vectors(&self.engine.reader().snapshot()?, after, PAGE)?;
            let Some(last) = page.last().map(|pending| pending.node) else {
                break;
            };

            page.sort_by_key(|pending| (!pending.is_known, pending.text.len()));
            let together = if page.len() == PAGE { MANY } else { FEW };

            for part in page.chunks(WRITTEN) {
                let (vectors, run) = self.vectors(&*model, part, together)?;
                made += vectors.len();
                self.engine.put_vectors(model.name(), vectors)?;
                if run == RunOutcome::Paused {
                    return Ok(RunOutcome::Paused);
                }
            }

            after = Some(last);
        }

        if made > 0 {
            self.engine.collect_vectors(model.name())?;
            tracing::info!(model = model.name(), made, "symbol vectors are complete");
        }

        Ok(RunOutcome::Complete)
    }

    /// Computes the vectors of these symbols until more urgent work is waiting.
    fn vectors(
        &self,
        model: &dyn Embedder,
        part: &[Pending],
        together: usize,
    ) -> Result<(Vec<NodeVector>, RunOutcome), EmbeddingFailure> {
        let mut vectors = Vec::with_capacity(part.len());
        for few in part.chunks(together) {
            if self.is_pressed() {
                return Ok((vectors, RunOutcome::Paused));
            }
            vectors.extend(embedded(model, few)?);
        }
        Ok((vectors, RunOutcome::Complete))
    }
}
