//! Parsing of parameter lists, shared by the languages: brackets, spaces and defaults.

/// Splits a text at separators outside brackets; an empty text has no parts.
#[must_use]
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut before) = (Vec::new(), 0, 0_usize, ' ');

    for (at, c) in text.char_indices() {
        match c {
            _ if c == separator && depth == 0 && !(c == '=' && text[at..].starts_with("=>")) => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            '(' | '<' | '[' | '{' => depth += 1,
            // The `>` of an arrow closes no bracket.
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '>' if before != '=' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
    }

    if from > 0 || !text.trim().is_empty() {
        parts.push(&text[from..]);
    }
    parts
}

/// Removes white space from a text.
#[must_use]
pub fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Removes the default value of a parameter.
pub fn without_default(parameter: &str) -> &str {
    split_outside(parameter, '=')
        .first()
        .copied()
        .unwrap_or_default()
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_outside_brackets() {
        assert_eq!(
            split_outside("Dictionary<string, int> map, (int, int) pair", ','),
            ["Dictionary<string, int> map", " (int, int) pair"]
        );
        assert_eq!(
            split_outside("f: (a: A, b: B) => void, c", ','),
            ["f: (a: A, b: B) => void", " c"]
        );
        assert_eq!(split_outside("", ','), Vec::<&str>::new());
    }
}
