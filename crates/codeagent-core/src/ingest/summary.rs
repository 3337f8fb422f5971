//! Progress of a batch, and its figures afterwards.

use std::time::Duration;

use crate::model::graph::Language;
use crate::store::{Counts, LanguageCounts};

/// Steps of a batch, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Listing files and comparing sizes and times.
    Walk,
    /// Reading and hashing files.
    Read,
    /// Parsing texts and lowering them to facts.
    Extract,
    /// Decoding stored facts.
    Decode,
    /// Building the tables over all files, and the nodes.
    World,
    /// Resolving files.
    Link,
    /// Encoding and writing rows.
    Store,
}

impl Phase {
    /// Every phase with its name, in order.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("walk", Self::Walk),
        ("read", Self::Read),
        ("parse", Self::Extract),
        ("decode", Self::Decode),
        ("world", Self::World),
        ("link", Self::Link),
        ("store", Self::Store),
    ];

    /// Returns the name of the phase.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The progress of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Completed steps.
    pub done: usize,
    /// Total steps; 0 if unknown.
    pub total: usize,
}

/// Processor time of a phase, summed over all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhaseTime {
    /// The phase.
    pub phase: Phase,
    /// Its processor time.
    pub cpu: Duration,
}

/// A file that could not be indexed completely.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct FileProblem {
    /// Path of the file.
    pub path: String,
    /// Why it could not be indexed completely.
    pub message: String,
}

/// The work of a batch and the contents of the index afterwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Whether the index was already up to date.
    pub unchanged: bool,
    /// Number of new or changed files.
    pub changed: usize,
    /// Number of removed files.
    pub removed: usize,
    /// Number of texts parsed; the facts of the others were stored.
    pub parsed: usize,
    /// Number of files resolved.
    pub linked: usize,
    /// Counts per language. Like `symbols` and `edges`, set only by `Engine::index`, because
    /// counting reads the whole index.
    pub languages: Vec<LanguageCounts>,
    /// Number of nodes other than files.
    pub symbols: u64,
    /// Number of edges.
    pub edges: u64,
    /// Files that could not be read or parsed, and folders that could not be listed; sorted.
    pub problems: Vec<FileProblem>,
    /// Problems in project files; sorted.
    pub notes: Vec<String>,
    /// Processor time by phase.
    pub phases: Vec<PhaseTime>,
    /// Wall time.
    pub elapsed: Duration,
}

impl Summary {
    /// Adds the counts of the index.
    #[must_use]
    pub fn with_counts(self, counts: Counts) -> Self {
        Self {
            symbols: counts.symbols,
            edges: counts.edges,
            languages: counts.languages,
            ..self
        }
    }

    /// Returns the number of indexed files.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.languages.iter().map(|counts| counts.files).sum()
    }

    /// Returns the percentage of calls that are resolved, not counting external calls; `None` if
    /// there are none.
    #[must_use]
    pub fn resolved_percent(&self, language: Option<Language>) -> Option<f64> {
        let counted = self
            .languages
            .iter()
            .filter(|counts| language.is_none_or(|language| counts.language == language));
        let (resolved, inside) = counted.fold((0, 0), |(resolved, inside), c| {
            (
                resolved + c.calls_resolved,
                inside + c.calls.saturating_sub(c.calls_external),
            )
        });
        (inside > 0).then(|| resolved as f64 * 100.0 / inside as f64)
    }

    /// Describes the work in one line: numbers of files, and processor time by phase in
    /// milliseconds.
    #[must_use]
    pub fn work(&self) -> String {
        let phases: Vec<String> = self
            .phases
            .iter()
            .map(|phase| {
                format!(
                    "{} {:.1}",
                    phase.phase.as_str(),
                    phase.cpu.as_secs_f64() * 1e3
                )
            })
            .collect();

        let Self {
            changed,
            removed,
            parsed,
            linked,
            ..
        } = self;

        format!(
            "{changed} files changed, {removed} removed, {parsed} parsed, {linked} linked; cpu ms: {}",
            phases.join(", ")
        )
    }

    /// Returns the processor time of all phases.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.phases.iter().map(|phase| phase.cpu).sum()
    }
}
