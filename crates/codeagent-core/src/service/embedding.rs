//! The embedding thread: makes the vectors that symbols lack, behind everything else.
//!
//! It works while nothing is being indexed, writes the vectors of a few texts at a time and starts
//! from what the index says is missing, so an interruption (a batch, the end of the process, a
//! crash) costs only what was not written. A known text is not embedded again.
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

/// Symbols that are looked at together, so that texts alike in length can go through a model
/// together.
const PAGE: usize = 512;

/// Vectors per write, and so the most that a crash loses.
const WRITTEN: usize = 64;

/// Texts between two looks at whether something more urgent waits, as many as go through a model
/// together.
const MANY: usize = 16;

/// The same once nearly all vectors are there: then questions are put to the model too, and wait
/// for what it is at, which takes a thread that stepped back long where others work.
const FEW: usize = 2;

/// How far the vectors of a model are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorProgress {
    /// The model.
    pub model: String,
    /// Symbols with a vector.
    pub done: u64,
    /// Symbols.
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
    /// Nothing is missing.
    Complete,
    /// Something more urgent came.
    Paused,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum EmbeddingFailure {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Model(#[from] EmbedError),
}

/// How far the vectors of the model are whose vectors the index has; `None` if it has none.
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

/// The vectors of symbols, all in one batch; those that are known are not made again.
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
    /// Makes vectors as long as this process keeps the index.
    pub(super) fn make_vectors(&self) {
        lowest_priority();
        let mut seen = None;
        while let Some(batches) = self.calm(seen) {
            let run = catch_unwind(AssertUnwindSafe(|| self.run_vectors()));
            // After a failure the next batch is waited for: nothing else makes a difference.
            seen = Some(batches);
            match run {
                Ok(Ok(RunOutcome::Complete)) => self.note_embedding(None),
                Ok(Ok(RunOutcome::Paused)) => seen = None,
                Ok(Err(trouble)) => {
                    tracing::warn!(%trouble, "no symbol vectors are computed");
                    self.note_embedding(Some(trouble.to_string()));
                }
                Err(_) => {
                    self.note_embedding(Some("it failed because of a bug in codeagent".to_owned()))
                }
            }
        }
    }

    /// Keeps why vectors are missing.
    fn note_embedding(&self, trouble: Option<String>) {
        self.lock().embedding_trouble = trouble;
    }

    /// Waits until nothing is pending and a batch ended that was not seen; how many have ended.
    /// `None` at the end of the process.
    fn calm(&self, seen: Option<u64>) -> Option<u64> {
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

    /// Whether there is something more urgent.
    fn is_pressed(&self) -> bool {
        self.is_stopping() || !self.lock().is_idle()
    }

    fn run_vectors(&self) -> Result<RunOutcome, EmbeddingFailure> {
        let Some(model) = self.engine.model().model()? else {
            return Ok(RunOutcome::Complete);
        };
        let before = store::metadata(&self.engine.reader().snapshot()?, EMBEDDING_MODEL)?;
        if before.as_deref() != Some(model.name()) {
            // Those of another model go.
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

    /// The vectors of symbols, of as many as there is time for.
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
