//! Status of the index: its size, and how much of the sources was parsed and resolved.

use crate::model::graph::NodeId;
use crate::query::{Embedding, QueryError, Vectors};
use crate::store::{self, Counts, SCHEMA_VERSION, Snapshot};

/// The state of the index.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct IndexStatus {
    /// Number of migrations the database has seen.
    pub schema_version: usize,
    /// Totals.
    pub counts: Counts,
    /// Files with sites on which a budget of the linker ended, by path, and how many.
    pub given_up: Vec<(String, u64)>,
    /// What makes the vectors that search and similarity rest on.
    pub embedding: Embedding,
    /// When the last batch that found a change began to compare the disk, nanoseconds since 1970.
    pub scanned_at_ns: Option<i64>,
}

/// How much of the code, markup and configuration of a repository is in an indexed language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCoverage {
    /// Bytes in an indexed language.
    pub covered_bytes: u64,
    /// Bytes in none.
    pub other_bytes: u64,
}

impl TextCoverage {
    /// The share in none; `None` if there is no text at all.
    #[must_use]
    pub fn other_percent(self) -> Option<f64> {
        store::percent(self.other_bytes, self.covered_bytes + self.other_bytes)
    }
}

/// The state of the index.
pub fn status(snapshot: &Snapshot, vectors: &Vectors) -> Result<IndexStatus, QueryError> {
    let time =
        |key| store::metadata(snapshot, key).map(|text| text.and_then(|text| text.parse().ok()));
    let scanned_at_ns = time(store::SCANNED_AT)?.max(time(store::BATCH_AT)?);
    Ok(IndexStatus {
        schema_version: SCHEMA_VERSION,
        counts: store::counts(snapshot)?,
        given_up: store::given_up_files(snapshot)?,
        embedding: vectors.embedding(snapshot)?,
        scanned_at_ns,
    })
}

/// How much is in the index.
pub fn counts(snapshot: &Snapshot) -> Result<Counts, QueryError> {
    Ok(store::counts(snapshot)?)
}

/// How many uses of a name have no target although one should exist somewhere: what an empty list
/// of callers may be missing.
pub fn unresolved_sites(snapshot: &Snapshot, name: &str) -> Result<u64, QueryError> {
    Ok(store::unresolved_with_name(snapshot, name)?)
}

/// How many places use a symbol; `contains` and `overrides` are no uses.
pub fn reference_count(snapshot: &Snapshot, id: NodeId) -> Result<u64, QueryError> {
    Ok(store::reference_count(snapshot, id)?)
}

/// The projects that own an indexed file.
pub fn project_ids(snapshot: &Snapshot) -> Result<Vec<String>, QueryError> {
    Ok(store::project_ids(snapshot)?)
}

/// The names with most unresolved uses.
pub fn most_unresolved(
    snapshot: &Snapshot,
    limit: usize,
) -> Result<Vec<(String, u64)>, QueryError> {
    Ok(store::unresolved_names(snapshot, limit)?)
}
