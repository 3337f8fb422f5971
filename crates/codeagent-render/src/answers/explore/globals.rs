//! Assignments of a script to the global object: `window.shop = { open }`.

use codeagent_core::model::graph::{Dialect, Language};
use codeagent_core::query::Occurrences;

use super::member::numbered;
use crate::answers::AnswerError;

/// Names of the global object.
const GLOBAL_OBJECTS: [&str; 4] = ["globalThis.", "window.", "self.", "global."];

/// Maximum number of assignments, and of lines of each.
const MAX_ASSIGNMENTS: usize = 8;
const MAX_LINES: usize = 24;

/// Returns the lines of the assignments to the global object in a file, with their numbers.
pub(super) fn assignments(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
) -> Result<Vec<String>, AnswerError> {
    let language = Dialect::of_path(path).map(Dialect::language);
    if language != Some(Language::TypeScript) {
        return Ok(Vec::new());
    }

    let lines = occurrences.sources.lines(path, 1, u32::MAX)?;
    let lines = lines.unwrap_or_default();
    let starts = (0..lines.len()).filter(|at| assigns_global(&lines[*at]));

    let mut shown = Vec::new();
    for start in starts.take(MAX_ASSIGNMENTS) {
        let rest = &lines[start..(start + MAX_LINES).min(lines.len())];
        let assignment = &rest[..closed_length(rest)];
        shown.extend(numbered(assignment, start as u32 + 1));
    }

    Ok(shown)
}

/// Reports whether a line assigns a property of the global object.
fn assigns_global(line: &str) -> bool {
    let mut objects = GLOBAL_OBJECTS.iter();
    let property = objects.find_map(|object| line.trim().strip_prefix(object));
    let target = property.and_then(|property| property.split_once('='));
    target.is_some_and(|(name, value)| {
        let name = name.trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        // What browsers know does something instead.
        let is_known = name == "location" || name.starts_with("on");
        !name.is_empty() && name.chars().all(is_name) && !is_known && !value.starts_with('=')
    })
}

/// Returns the number of lines up to that where the brackets of the first are closed.
fn closed_length(lines: &[String]) -> usize {
    let mut depth = 0_i32;
    for (at, line) in lines.iter().enumerate() {
        for c in line.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_ends_where_its_brackets_are_closed() {
        let text = "window.shop = {\n  open: open,\n};\nf();";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(closed_length(&lines), 3);
        for (line, expected) in [
            ("  window.shop = {", true),
            ("globalThis.shop=1;", true),
            ("window.shop == 1", false),
            ("window.location = '/shop';", false),
            ("window.onload = f;", false),
            ("window.shop.open = 1", false),
            ("shop = window.shop;", false),
        ] {
            assert_eq!(assigns_global(line), expected, "{line}");
        }
    }
}
