//! The status of an index: how complete it is and how much could be resolved.

use codeagent_core::model::graph::Language;
use codeagent_core::query::{IndexStatus, TextCoverage};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::rows::words;

/// The status of an index.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusReport {
    /// The database is open and its writer alive.
    pub healthy: bool,
    /// Number of migrations applied to the database.
    pub schema_version: usize,
    /// Files in the index.
    pub indexed_files: u64,
    /// Symbols in the index, files not counted.
    pub indexed_symbols: u64,
    /// Languages in the index: `csharp`, `typescript`.
    pub languages: Vec<&'static str>,
    /// Whether changes on disk are noticed automatically.
    pub watcher_active: bool,
    /// Time of the last comparison with the disk, in UTC; null if there was none.
    #[schemars(schema_with = "text_or_null")]
    pub last_batch_at: Option<String>,
    /// Model of the vectors used by search and find_similar: an embedding model, or `lexhash-384`,
    /// which compares words and letters, not meaning; null without an index.
    #[schemars(schema_with = "text_or_null")]
    pub embedding_model: Option<String>,
    /// Number of symbols with a vector of that model.
    pub embeddings_count: u64,
    /// Edges in the index.
    pub edges: u64,
    /// Figures by language.
    pub quality: Vec<LanguageQuality>,
    /// Share of the bytes of code, markup and configuration in languages that are not indexed; uses
    /// in them are not in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_of_no_language_percent: Option<f64>,
}

/// How much of one language could be parsed and resolved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LanguageQuality {
    /// Name of the language.
    #[schemars(extend("enum" = words(Language::NAMES)))]
    pub language: &'static str,
    /// Files.
    pub files: u64,
    /// Lines.
    pub lines: u64,
    /// Files with parse errors.
    pub files_with_errors: u64,
    /// Files that could not be read or parsed.
    pub files_failed: u64,
    /// Share of bytes in parse errors.
    pub error_percent: f64,
    /// Share of calls with a target, among calls not known to be external (an external receiver, or
    /// a name of nothing callable in the repository); absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_resolved_percent: Option<f64>,
    /// Uses left without a target because their resolution exceeded the budget.
    pub sites_given_up: u64,
}

/// Describes a string or null in a way that strict clients accept, unlike a list of types.
fn text_or_null(_generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })
}

impl StatusReport {
    /// Makes the report of an index.
    #[must_use]
    pub fn new(status: &IndexStatus, healthy: bool) -> Self {
        let counts = &status.counts;
        let quality = counts.languages.iter().map(|counts| LanguageQuality {
            language: counts.language.as_str(),
            files: counts.files,
            lines: counts.lines,
            files_with_errors: counts.partial,
            files_failed: counts.failed,
            error_percent: counts.error_percent(),
            calls_resolved_percent: counts.resolved_percent(),
            sites_given_up: counts.budget_exceeded,
        });

        Self {
            healthy,
            schema_version: status.schema_version,
            indexed_files: counts.read_files(),
            indexed_symbols: counts.symbols,
            languages: counts
                .languages
                .iter()
                .map(|counts| counts.language.as_str())
                .collect(),
            watcher_active: false,
            last_batch_at: status.scanned_at_ns.and_then(timestamp),
            embedding_model: Some(status.embedding.model.clone()).filter(|model| !model.is_empty()),
            embeddings_count: status.embedding.count,
            edges: counts.edges,
            quality: quality.collect(),
            text_of_no_language_percent: None,
        }
    }

    /// Adds the share of text in other languages.
    #[must_use]
    pub fn with_coverage(self, coverage: TextCoverage) -> Self {
        Self {
            text_of_no_language_percent: coverage.other_percent(),
            ..self
        }
    }
}

/// Writes a time since 1970, in UTC.
#[must_use]
pub fn timestamp(nanoseconds: i64) -> Option<String> {
    let second = jiff::Timestamp::from_second(nanoseconds.div_euclid(1_000_000_000)).ok()?;
    Some(second.to_string())
}
