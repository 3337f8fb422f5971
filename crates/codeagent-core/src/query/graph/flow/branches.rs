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
        // The first line may be that of a callback itself.
        let inner = before.split_once('\n').map_or("", |(_, inner)| inner);
        let line_label = match callback_key(inner).filter(|_| dialect != Dialect::CSharp) {
            Some(key) => format!("{line} {key}:"),
            None => line.to_string(),
        };
        if !CONDITIONS.iter().any(|word| before.contains(word)) {
            return Ok(line_label);
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
        Ok(match kind {
            Some(kind) => format!("{line_label} {kind}:"),
            None => line_label,
        })
    }
}

/// Returns the key of the object literal whose callback the end of a text is in: `onSave` behind `useSave({ onSave: () =>
/// {`. Such code runs later.
fn callback_key(before: &str) -> Option<&str> {
    let mut depth = 0_usize;
    // Whether something else follows on the level of brackets that is read.
    let mut is_separated = false;

    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' | '[' | '{' => {
                if let Some(key) = key_of_arrow(&before[..at]) {
                    return Some(key);
                }
                is_separated = false;
            }
            ',' | ';' if depth == 0 => is_separated = true,
            // The body of an arrow function may have no braces.
            '>' if depth == 0 && !is_separated && before[..at].ends_with('=') => {
                if let Some(key) = key_of_arrow(&before[..=at]) {
                    return Some(key);
                }
            }
            _ => {}
        }
    }

    None
}

/// Returns the key at the end of a text that gives a property an arrow function: `onSave` of `onSave: async (cart) =>`.
fn key_of_arrow(text: &str) -> Option<&str> {
    let head = text.trim_end().strip_suffix("=>")?;
    let line = head.rsplit('\n').next()?;
    let (key, parameters) = line.split_once(": ")?;
    let key = key.rsplit(['{', ',', ' ', '(']).next()?;
    let is_name = key.chars().all(|c| c.is_alphanumeric() || c == '_');
    let parameters = parameters.trim_start_matches("async ");
    (is_name && !key.is_empty() && parameters.starts_with('(')).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::text::source::Text;

    #[test]
    fn a_callback_of_an_object_literal_has_its_key() {
        for (before, expected) in [
            (
                "useSave({\n  onSave: async (cart) => {\n    await ",
                Some("onSave"),
            ),
            ("useSave({ load: () => ", Some("load")),
            ("useSave({ load: () => find(), key: ", None),
            ("useSave({\n  onSave: () => {},\n});\n", None),
            ("carts.map((cart: Cart) => {\n  ", None),
            ("const save = () => {\n  ", None),
        ] {
            assert_eq!(callback_key(before), expected, "{before}");
        }
    }

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
