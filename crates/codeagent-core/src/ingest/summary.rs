//! Progress while a batch runs, and figures when it is done.

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
    /// Parsing texts and taking facts from them.
    Extract,
    /// Unpacking stored facts.
    Decode,
    /// Building the tables over all files and the list of nodes.
    World,
    /// Linking.
    Link,
    /// Packing and writing.
    Store,
}

impl Phase {
    /// Every phase with its word, in order.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("walk", Self::Walk),
        ("read", Self::Read),
        ("parse", Self::Extract),
        ("decode", Self::Decode),
        ("world", Self::World),
        ("link", Self::Link),
        ("store", Self::Store),
    ];

    /// The word of this phase.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// How far a phase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which.
    pub phase: Phase,
    /// Steps done.
    pub done: usize,
    /// Steps in all; 0 if not known.
    pub total: usize,
}

/// Processor time of a phase over all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhaseTime {
    /// Which.
    pub phase: Phase,
    /// How much.
    pub cpu: Duration,
}

/// A file that is not in the index as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct FileProblem {
    /// Which.
    pub path: String,
    /// Why.
    pub message: String,
}

/// The work of a batch and the contents of the index afterwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Whether the index was already as the repository is.
    pub unchanged: bool,
    /// Files that were new or had changed.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Texts that were parsed (facts of the others were stored).
    pub parsed: usize,
    /// Files that were linked.
    pub linked: usize,
    /// Per language; like `symbols` and `edges` filled by `Engine::index` only, because counting
    /// looks at everything.
    pub languages: Vec<LanguageCounts>,
    /// Nodes other than files.
    pub symbols: u64,
    /// Uses.
    pub edges: u64,
    /// Files that could not be read or parsed, and folders that could not be listed; sorted.
    pub problems: Vec<FileProblem>,
    /// Problems of project files that were left out; sorted.
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

    /// Indexed files.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.languages.iter().map(|counts| counts.files).sum()
    }

    /// Resolved calls of those that could have a target in the repository, in percent; `None`
    /// without such calls.
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

    /// What was done, in a line: files by what became of them, and processor time by phase in
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

    /// Processor time of all phases.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.phases.iter().map(|phase| phase.cpu).sum()
    }
}
