//! Names that a file exports as a CommonJS module: `exports.total = ..`, `module.exports = { total, add: sum }`.
//!
//! Limitations: they are read from lines, so a string or comment with such a text counts.

use codeagent_core::model::graph::{Dialect, Language};
use codeagent_core::query::Occurrences;

use crate::answers::AnswerError;

/// Returns the exported names of a file with their lines, each once.
pub(super) fn exports(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
) -> Result<Vec<(u32, String)>, AnswerError> {
    let dialect = Dialect::of_path(path);
    if dialect.is_none_or(|dialect| dialect.language() != Language::TypeScript) {
        return Ok(Vec::new());
    }
    let lines = occurrences.sources.lines(path, 1, u32::MAX)?;
    Ok(names(&lines.unwrap_or_default()))
}

fn names(lines: &[String]) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut depth = 0_usize;
    for (number, line) in (1..).zip(lines) {
        let mut named: Vec<&str> = Vec::new();
        if let Some(object) = line.strip_prefix("module.exports = {") {
            named.extend(keys(object, &mut 1));
            depth = depth_after(object, 1);
        } else if depth > 0 {
            named.extend(keys(line, &mut depth.clone()));
            depth = depth_after(line, depth);
        } else {
            named.extend(assigned(line));
        }
        for name in named {
            if found.iter().all(|(_, known)| known != name) {
                found.push((number, name.to_owned()));
            }
        }
    }
    found
}

/// Returns the name that a line exports: `total` of `exports.total = 1`.
fn assigned(line: &str) -> Option<&str> {
    let line = line.strip_prefix("module.").unwrap_or(line);
    let (name, value) = line.strip_prefix("exports.")?.split_once('=')?;
    let name = name.trim();
    let is_value = !value.starts_with(['=', '>']);
    (is_value && !name.is_empty() && name.chars().all(is_of_name)).then_some(name)
}

/// Returns the keys of an object literal in a part of its text that begins at a depth of brackets.
fn keys<'l>(text: &'l str, depth: &mut usize) -> Vec<&'l str> {
    let mut names = Vec::new();
    let mut is_key = *depth == 1;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => *depth += 1,
            '}' | ')' | ']' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = matches!(c, ',' | ':' | '}' | '(');
        if ends && is_key {
            names.extend(name_of(&text[start..at]));
        }
        if ends {
            is_key = c == ',' && *depth == 1;
            start = at + 1;
        }
        if *depth == 0 {
            return names;
        }
    }
    if is_key {
        names.extend(name_of(&text[start..]));
    }
    names
}

fn name_of(text: &str) -> Option<&str> {
    let name = text.trim().trim_start_matches("async ").trim();
    let is_name = !name.is_empty() && name.chars().all(is_of_name);
    is_name.then_some(name)
}

fn depth_after(text: &str, before: usize) -> usize {
    text.chars().fold(before, |depth, c| match c {
        '{' | '(' | '[' if depth > 0 => depth + 1,
        '}' | ')' | ']' => depth.saturating_sub(1),
        _ => depth,
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_of_common_js_are_read_from_assignments() {
        for (text, expected) in [
            (
                "exports.total = 1;\nmodule.exports.add = () => {};",
                &["total", "add"][..],
            ),
            (
                "module.exports = { one, two: three(4, 5), six };",
                &["one", "two", "six"],
            ),
            (
                "module.exports = {\n  one,\n  two: {\n    inner: 1,\n  },\n  async three() {\n    call(a, b);\n  },\n};\nconst x = { y };",
                &["one", "two", "three"],
            ),
            ("if (exports.total == 1) {}", &[]),
            ("  exports.total = 1;", &[]),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let found: Vec<String> = names(&lines).into_iter().map(|(_, name)| name).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
