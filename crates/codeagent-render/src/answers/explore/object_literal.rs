//! Keys of object literals, told from those of patterns by what follows the closing bracket.
//!
//! Limitations: brackets in strings and comments count; a literal of more than [`MAX_LINES`] lines
//! behind a key without a value is taken for a pattern.

/// Maximum number of lines behind a key that are read.
pub(super) const MAX_LINES: u32 = 60;

/// Reports whether a line may have a name as the key of an object literal: `{ total: 1 }`, `total,`.
pub(super) fn may_be_key(line: &str, name: &str) -> bool {
    rests(line, name).next().is_some()
}

/// Reports whether the first of some lines has a name as the key of an object literal.
pub(super) fn is_key(lines: &[String], name: &str) -> bool {
    let Some((first, others)) = lines.split_first() else {
        return false;
    };
    rests(first, name).any(|rest| !is_in_pattern(rest, others))
}

/// Returns the index of the line with the bracket that opens the object literal around a key on the last of some lines.
pub(super) fn opening(lines: &[String], key: &str) -> Option<usize> {
    let (last, above) = lines.split_last()?;
    let before = &last[..last.find(key)?];
    let mut depth = 0_usize;

    for at in (0..lines.len()).rev() {
        let line = above.get(at).map_or(before, String::as_str);
        for c in line.chars().rev() {
            match c {
                '}' | ']' | ')' => depth += 1,
                '{' | '[' | '(' if depth > 0 => depth -= 1,
                '{' => return Some(at),
                '[' | '(' => return None,
                _ => {}
            }
        }
    }

    None
}

/// Returns the keys of the object literal that the first of some lines opens, each with the index of its line. Only those
/// at the beginning of a line.
pub(super) fn keys(lines: &[String]) -> Vec<(usize, &str)> {
    let mut keys = Vec::new();
    let mut depth = 0_usize;

    for (at, line) in lines.iter().enumerate() {
        if depth == 1 && at > 0 {
            let name = line.trim_start().trim_start_matches(['"', '\'']);
            let end = name.find(|c: char| !c.is_alphanumeric() && !"_$-.".contains(c));
            let (name, rest) = name.split_at(end.unwrap_or(name.len()));
            let rest = rest.trim_start_matches(['"', '\'']);
            if !name.is_empty() && rest.starts_with([':', ',', '(']) {
                keys.push((at, name));
            }
        }

        for c in line.chars() {
            match c {
                '{' | '[' | '(' => depth += 1,
                '}' | ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }

        if depth == 0 {
            break;
        }
    }

    keys
}

/// Reports whether a name is the key of an object literal, from what precedes and follows it on its
/// line and from the next lines.
pub(super) fn is_key_between(before: &str, after: &str, others: &[String]) -> bool {
    rest_of_key(before, after).is_some_and(|rest| !is_in_pattern(rest, others))
}

/// Returns what follows a name on a line, where it may be a key.
fn rests<'l>(line: &'l str, name: &str) -> impl Iterator<Item = &'l str> {
    line.match_indices(name)
        .filter_map(|(at, name)| rest_of_key(&line[..at], &line[at + name.len()..]))
}

/// Returns what follows a name that may be a key, without its closing quote.
fn rest_of_key<'l>(before: &str, after: &'l str) -> Option<&'l str> {
    let quote = before
        .chars()
        .next_back()
        .filter(|c| matches!(c, '"' | '\''));
    let (before, after) = match quote {
        Some(quote) => (before.strip_suffix(quote)?, after.strip_prefix(quote)?),
        None => (before, after),
    };

    let is_first = before.trim().is_empty() || before.trim_end().ends_with(['{', ',']);
    let after = after.trim_start();
    let is_last = after.is_empty() || after.starts_with([':', ',', '}']);
    (is_first && is_last).then_some(after)
}

/// Reports whether a key belongs to a pattern: `const { total } = cart`, `({ total }) => total`.
fn is_in_pattern(rest: &str, others: &[String]) -> bool {
    let mut text = rest.to_owned();
    for line in others {
        text.push('\n');
        text.push_str(line);
    }

    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth > 0 => depth -= 1,
            '}' | ']' | ')' => {
                let next = &text[at + 1..];
                if let Some(is_pattern) = ends_pattern(c, next) {
                    return is_pattern;
                }
            }
            ';' if depth == 0 => return false,
            _ => {}
        }
    }
    // The value of a key is not a pattern's, unless it is a name.
    !rest.starts_with(':')
}

/// Reports whether a closing bracket ends a pattern; `None` if an outer bracket decides.
fn ends_pattern(bracket: char, next: &str) -> Option<bool> {
    if bracket == '}' && next.starts_with(':') {
        return Some(true);
    }

    let next = next.trim_start();
    let is_assigned = next.starts_with('=') && !next.starts_with("==");
    let is_head = bracket == ')' && next.starts_with(['{', ':']);
    if is_assigned || is_head || next.starts_with("of ") {
        return Some(true);
    }
    let is_inner = next.starts_with([',', '}', ']', ')']);
    (bracket == ')' || !is_inner).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_at_the_outer_level_are_found() {
        let text = "const jobs = {\n  expire: {\n    after: 1,\n  },\n  \"clean-up\": run(\n    sweep: 2,\n  ),\n  stop,\n};\nother: 1";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(keys(&lines), [(1, "expire"), (4, "clean-up"), (7, "stop")]);
    }

    #[test]
    fn the_line_that_opens_a_literal_is_found() {
        for (text, expected) in [
            ("push({ total: 1 });", Some(0)),
            ("push({\n  tax: { vat: 1 },\n  total: 1,", Some(0)),
            ("push([\n  {\n    total: 1,", Some(1)),
            ("total: 1", None),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(opening(&lines, "total"), expected, "{text}");
        }
    }

    #[test]
    fn keys_of_literals_are_told_from_patterns() {
        for (text, expected) in [
            ("const cart = { total: 1 };", true),
            ("show({ total: 1 });", true),
            ("show({ total });", true),
            ("show({ ...cart, \"total\": 1 }, 2)", true),
            ("return c ? { total: 1 } : { total: 2 };", true),
            ("const carts: Cart[] = [{ total: 1 }];", true),
            ("map(cart => ({ ...cart, total: 1 }))", true),
            ("total: 1,\n}, {", true),
            ("total,\n});", true),
            ("total: {\n  net: 1,\n},", true),
            ("const { total } = cart;", false),
            ("const { total: sum } = cart;", false),
            ("total: sum,\n} = cart;", false),
            ("({ total }) => total", false),
            ("({ total }, index) => total", false),
            ("function show({ total }: Cart) {", false),
            ("function show({ total }) {", false),
            ("for (const { total } of carts) {", false),
            ("cart.total, 1", false),
            ("total = 1", false),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let found = may_be_key(&lines[0], "total") && is_key(&lines, "total");
            assert_eq!(found, expected, "{text}");
        }
    }
}
