//! The conditions under which the steps of a flow run.

use std::ops::RangeInclusive;

use codeagent_lang::{Branch, BranchKind};
use rustc_hash::FxHashMap;

use super::{FlowWalk, Step};
use crate::languages::LANGUAGES;
use crate::model::graph::Dialect;
use crate::query::QueryError;
use crate::store::FileKey;

/// The branches of functions by file and first line, each read once.
pub(super) type FunctionBranches = FxHashMap<(FileKey, u32), Vec<Branch>>;

/// What stands in a text before any code that runs under a condition.
const CONDITIONS: [&str; 6] = ["&&", "+=", "?", "catch", "if", "switch"];

impl FlowWalk<'_, '_, '_> {
    /// Returns the line of a step and, if it runs under a condition, a word for that: `12 else:`. `lines` are
    /// those of its function.
    pub(super) fn label(
        &mut self,
        step: &Step,
        lines: &RangeInclusive<u32>,
    ) -> Result<String, QueryError> {
        let (file, (line, column)) = (step.site().0, step.position());
        let path = self.occurrences.path(file)?;
        let Some(text) = self.occurrences.sources.text(&path)? else {
            return Ok(line.to_string());
        };
        let at = match column {
            0 => text.end_of_line(line),
            _ => text.offset(line, column),
        };
        let start = text.offset(*lines.start(), 1);
        let before = text.whole().get(start..at).unwrap_or_default();
        let Some(dialect) = Dialect::of_path(&path) else {
            return Ok(line.to_string());
        };
        if !CONDITIONS.iter().any(|word| before.contains(word)) {
            return Ok(line.to_string());
        }
        let branches = self
            .branches
            .entry((file, *lines.start()))
            .or_insert_with(|| {
                let lines = *lines.start()..=line.max(*lines.end());
                LANGUAGES.branches(text.whole(), text.span_of_lines(lines), dialect)
            });

        // What surrounds the whole function does not count; an event and an error precede other conditions.
        let around = branches
            .iter()
            .filter(|branch| start <= branch.span.start && branch.span.contains(&at));
        let kinds: Vec<BranchKind> = around.map(|branch| branch.kind).collect();
        let first = [BranchKind::Event, BranchKind::Catch];
        let kind = first.iter().find(|kind| kinds.contains(kind));
        let kind = kind.or(kinds.last());
        Ok(kind.map_or_else(|| line.to_string(), |kind| format!("{line} {kind}:")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::text::source::Text;

    #[test]
    fn the_branches_of_a_function_are_those_in_its_file() {
        let typescript = "class Bin {\n  empty(full: boolean) {\n    if (full) drain(); else rest();\n  }\n}\nexport const go = (a: any) => {\n  a && run();\n};\n";
        let csharp = "namespace A;\nclass Bin {\n    void Empty(bool full) {\n        try { Drain(); } catch { Rest(); }\n    }\n    int Size(bool full) => full ? 1 : 0;\n}\n";
        for (text, dialect, lines) in [
            (typescript, Dialect::Ts, 2..=4),
            (typescript, Dialect::Ts, 6..=8),
            (csharp, Dialect::CSharp, 3..=5),
        ] {
            let within = Text::new(text.to_owned()).span_of_lines(lines);
            let whole = LANGUAGES.branches(text, 0..text.len(), dialect);
            let inside = |branch: &Branch| within.contains(&branch.span.start);
            let expected: Vec<Branch> = whole.into_iter().filter(inside).collect();
            assert!(!expected.is_empty());
            assert_eq!(LANGUAGES.branches(text, within.clone(), dialect), expected);
        }
    }
}
