//! Status of the index: its size, and how much of the sources was parsed and resolved.

use crate::model::graph::NodeId;
use crate::query::{Embedding, QueryError, Vectors};
use crate::store::{self, Counts, SCHEMA_VERSION, Snapshot};

/// The state of the index.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct IndexStatus {
    /// Number of migrations that the database has run.
    pub schema_version: usize,
    /// Totals of the index.
    pub counts: Counts,
    /// Files with sites whose query budget was exceeded, by path, with the number of these sites.
    pub budget_exceeded: Vec<(String, u64)>,
    /// The vectors used for search and similarity.
    pub embedding: Embedding,
    /// Start of the last batch that found a change, in nanoseconds since 1970.
    pub scanned_at_ns: Option<i64>,
}

/// The share of a repository's code, markup and configuration that is in an indexed language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCoverage {
    /// Bytes in indexed languages.
    pub covered_bytes: u64,
    /// Bytes in other languages.
    pub other_bytes: u64,
}

impl TextCoverage {
    /// Returns the percentage in other languages; `None` if there is no text at all.
    #[must_use]
    pub fn other_percent(self) -> Option<f64> {
        store::percent(self.other_bytes, self.covered_bytes + self.other_bytes)
    }
}

/// Returns the state of the index.
pub fn status(snapshot: &Snapshot, vectors: &Vectors) -> Result<IndexStatus, QueryError> {
    let time =
        |key| store::metadata(snapshot, key).map(|text| text.and_then(|text| text.parse().ok()));
    let scanned_at_ns = time(store::SCANNED_AT)?.max(time(store::BATCH_AT)?);
    Ok(IndexStatus {
        schema_version: SCHEMA_VERSION,
        counts: store::counts(snapshot)?,
        budget_exceeded: store::given_up_files(snapshot)?,
        embedding: vectors.embedding(snapshot)?,
        scanned_at_ns,
    })
}

/// Returns a text that changes with every change of the index.
pub fn generation(snapshot: &Snapshot) -> Result<String, QueryError> {
    Ok(store::metadata(snapshot, store::GENERATION)?.unwrap_or_default())
}

/// Returns the totals of the index.
pub fn counts(snapshot: &Snapshot) -> Result<Counts, QueryError> {
    Ok(store::counts(snapshot)?)
}

/// Returns the number of uses of a name that could not be resolved. A list of callers may lack
/// them.
pub fn unresolved_sites(snapshot: &Snapshot, name: &str) -> Result<u64, QueryError> {
    Ok(store::unresolved_with_name(snapshot, name)?)
}

/// Returns the number of uses of a symbol, except `contains` and `overrides`.
pub fn reference_count(snapshot: &Snapshot, id: NodeId) -> Result<u64, QueryError> {
    Ok(store::reference_count(snapshot, id)?)
}

/// Returns the ids of the projects that own an indexed file.
pub fn project_ids(snapshot: &Snapshot) -> Result<Vec<String>, QueryError> {
    Ok(store::project_ids(snapshot)?)
}

/// Returns the names with the most unresolved uses.
pub fn most_unresolved(
    snapshot: &Snapshot,
    limit: usize,
) -> Result<Vec<(String, u64)>, QueryError> {
    Ok(store::unresolved_names(snapshot, limit)?)
}
