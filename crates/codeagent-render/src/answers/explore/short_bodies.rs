//! Short bodies beside declarations, so that what each override returns is seen at once.

use codeagent_core::query::{Occurrence, Occurrences};

use crate::answers::AnswerError;

/// Maximum number of lines of a short body, with its braces.
const MAX_LINES: u32 = 6;

/// Maximum length of a declaration with its body, in bytes.
const MAX_BYTES: usize = 160;

/// Maximum number of declarations that get their bodies.
const MAX_ROWS: usize = 60;

/// Adds the bodies to the lines of functions and properties that have short ones.
pub(super) fn add(
    occurrences: &mut Occurrences<'_, '_>,
    rows: &mut [Occurrence],
) -> Result<(), AnswerError> {
    for row in rows.iter_mut().take(MAX_ROWS) {
        let last = row.line + MAX_LINES;
        let lines = occurrences.sources.lines(&row.path, row.line, last)?;
        let whole = joined(&lines.unwrap_or_default());
        row.source = whole.or_else(|| row.source.take());
    }
    Ok(())
}

/// Returns a declaration in one line; `None` if it has no body there that is short.
fn joined(lines: &[String]) -> Option<String> {
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut has_body = false;

    for line in lines {
        let line = line.trim();
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }

        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
        has_body |= text.contains('{') || text.contains("=>");
        if text.len() > MAX_BYTES || !has_body && text.ends_with(';') {
            return None;
        }

        let is_whole = depth == 0 && (text.ends_with('}') || text.ends_with(';'));
        if has_body && is_whole {
            return Some(text);
        }
    }

    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_bodies_are_joined_to_one_line() {
        for (lines, expected) in [
            (
                "override Kind Get()\n{\n    return Kind.Root;\n}\nvoid Next() { }",
                Some("override Kind Get() { return Kind.Root; }"),
            ),
            ("int A => 1;\nint B => 2;", Some("int A => 1;")),
            (
                "override Kind Get() =>\n    Kind.Root;",
                Some("override Kind Get() => Kind.Root;"),
            ),
            ("abstract Kind Get();", None),
            ("Kind Get()\n{\nif (x)\n{\n}\nreturn 1;", None),
            ("}\nvoid A() {", None),
        ] {
            let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
            assert_eq!(joined(&lines).as_deref(), expected);
        }
    }
}
