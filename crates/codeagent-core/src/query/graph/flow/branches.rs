//! The conditions under which the steps of a flow run.

use codeagent_lang::{Branch, BranchKind};
use rustc_hash::FxHashMap;

use super::{FlowWalk, Step};
use crate::languages::LANGUAGES;
use crate::model::graph::Dialect;
use crate::query::QueryError;
use crate::store::FileKey;

/// The branches of files, read once for each file.
pub(super) type FileBranches = FxHashMap<FileKey, Vec<Branch>>;

impl FlowWalk<'_, '_, '_> {
    /// Returns the line of a step and, if it runs under a condition, a word for that: `12 else:`. `first` is
    /// the first line of its function.
    pub(super) fn label(&mut self, step: &Step, first: u32) -> Result<String, QueryError> {
        let (file, (line, column)) = (step.site().0, step.position());
        let path = self.occurrences.path(file)?;
        let Some(text) = self.occurrences.sources.text(&path)? else {
            return Ok(line.to_string());
        };
        let at = match column {
            0 => text.end_of_line(line),
            _ => text.offset(line, column),
        };
        let start = text.offset(first, 1);
        let branches = self.branches.entry(file).or_insert_with(|| {
            let dialect = Dialect::of_path(&path);
            dialect.map_or_else(Vec::new, |dialect| {
                LANGUAGES.branches(text.whole(), dialect)
            })
        });

        // What surrounds the whole function does not count; an error precedes other conditions.
        let around = branches
            .iter()
            .filter(|branch| start <= branch.span.start && branch.span.contains(&at));
        let kinds: Vec<BranchKind> = around.map(|branch| branch.kind).collect();
        let is_catch = |kind: &&BranchKind| **kind == BranchKind::Catch;
        let kind = kinds.iter().find(is_catch).or(kinds.last());
        Ok(kind.map_or_else(|| line.to_string(), |kind| format!("{line} {kind}:")))
    }
}
