//! Positions in the text of an imported file.

use scip::types::occurrence::{Typed_enclosing_range, Typed_range};
use scip::types::{Occurrence, PositionEncoding};

use crate::model::span::Position;

/// Maximum length of the type arguments between a name and its arguments.
const MAX_TYPE_ARGUMENTS: usize = 300;

/// First and last position, 0-based: line, character, line, character.
pub(super) type Range = [u32; 4];

/// Returns where the name of an occurrence is.
pub(super) fn range(occurrence: &Occurrence) -> Option<Range> {
    match &occurrence.typed_range {
        Some(Typed_range::SingleLineRange(range)) => {
            numbers(&[range.line, range.start_character, range.end_character])
        }
        Some(Typed_range::MultiLineRange(range)) => numbers(&[
            range.start_line,
            range.start_character,
            range.end_line,
            range.end_character,
        ]),
        _ => numbers(&occurrence.range),
    }
}

/// Returns the range of the whole declaration, if the index has it.
pub(super) fn enclosing_range(occurrence: &Occurrence) -> Option<Range> {
    match &occurrence.typed_enclosing_range {
        Some(Typed_enclosing_range::SingleLineEnclosingRange(range)) => {
            numbers(&[range.line, range.start_character, range.end_character])
        }
        Some(Typed_enclosing_range::MultiLineEnclosingRange(range)) => numbers(&[
            range.start_line,
            range.start_character,
            range.end_line,
            range.end_character,
        ]),
        _ => numbers(&occurrence.enclosing_range),
    }
}

fn numbers(range: &[i32]) -> Option<Range> {
    let at = |index: usize| u32::try_from(*range.get(index)?).ok();
    match range.len() {
        3 => Some([at(0)?, at(1)?, at(0)?, at(2)?]),
        4 => Some([at(0)?, at(1)?, at(2)?, at(3)?]),
        _ => None,
    }
}

/// A text with the offsets of its lines.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: PositionEncoding,
}

impl<'t> Lines<'t> {
    /// An index that does not name its encoding counts UTF-16 units, as indexers in JavaScript and
    /// on the JVM do.
    pub(super) fn new(text: &'t str, encoding: PositionEncoding) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self {
            text,
            starts,
            encoding,
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Converts a position; `None` if it is not in the text.
    pub(super) fn position(&self, line: u32, character: u32) -> Option<Position> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied();
        let whole = &self.text[start..end.unwrap_or(self.text.len())];

        let (mut left, mut offset, mut column) = (character as usize, 0, 1);
        for c in whole.chars() {
            if left == 0 {
                break;
            }
            left = left.checked_sub(match self.encoding {
                PositionEncoding::UTF8CodeUnitOffsetFromLineStart => c.len_utf8(),
                PositionEncoding::UTF32CodeUnitOffsetFromLineStart => 1,
                _ => c.len_utf16(),
            })?;
            offset += c.len_utf8();
            column += c.len_utf16() as u32;
        }
        (left == 0).then_some(Position {
            offset: (start + offset) as u32,
            line: line + 1,
            column,
        })
    }

    /// Returns the first and last position of a range.
    pub(super) fn ends(&self, range: Range) -> Option<(Position, Position)> {
        let [line, from, last, to] = range;
        let (start, end) = (self.position(line, from)?, self.position(last, to)?);
        (start.offset <= end.offset).then_some((start, end))
    }

    /// Returns the text between two positions.
    pub(super) fn between(&self, start: Position, end: Position) -> &'t str {
        &self.text[start.offset as usize..end.offset as usize]
    }

    /// Reports whether arguments follow a name: `(`, after type arguments if there are any, or the
    /// brackets of a macro.
    pub(super) fn is_called(&self, end: Position, is_macro: bool) -> bool {
        let mut rest = self.text[end.offset as usize..].trim_start();
        if is_macro && let Some(brackets) = rest.strip_prefix('!') {
            return brackets.trim_start().starts_with(['(', '[', '{']);
        }
        rest = rest.strip_prefix("::").unwrap_or(rest);
        if rest.starts_with(['<', '[']) {
            rest = after_type_arguments(rest).unwrap_or(rest);
        }
        rest.trim_start().starts_with('(')
    }

    /// Reports whether the word before a name is `new`.
    pub(super) fn follows_new(&self, start: Position) -> bool {
        let before = &self.text[..start.offset as usize];
        // The name may be qualified: `new a.B()`.
        let before = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_$.:".contains(c));
        let Some(rest) = before.trim_end().strip_suffix("new") else {
            return false;
        };
        before.len() > before.trim_end().len()
            && !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

/// Returns what follows balanced brackets at the begin of a text.
fn after_type_arguments(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut before = ' ';
    for (at, c) in text.char_indices().take(MAX_TYPE_ARGUMENTS) {
        match c {
            '<' | '[' | '(' => depth += 1,
            // `->` and `=>` close nothing.
            '>' if before == '-' || before == '=' => {}
            '>' | ']' | ')' => depth = depth.checked_sub(1)?,
            ';' | '{' => return None,
            // Two comparisons, not type arguments.
            '&' | '|' if before == c => return None,
            _ => {}
        }
        before = c;
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }

    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str, name: &str) -> (bool, bool) {
        let lines = Lines::new(text, PositionEncoding::UTF8CodeUnitOffsetFromLineStart);
        let at = text.find(name).unwrap() as u32;
        let (start, end) = lines.ends([0, at, 0, at + name.len() as u32]).unwrap();
        (lines.is_called(end, true), lines.follows_new(start))
    }

    #[test]
    fn a_call_is_seen_in_the_text_after_the_name() {
        for (text, name, expected) in [
            ("x.push(1)", "push", (true, false)),
            ("parse::<Vec<u8>>(s)", "parse", (true, false)),
            ("map [K, V] (x)", "map", (true, false)),
            ("f::<fn(u8) -> u8>(x)", "f", (true, false)),
            ("vec![1]", "vec", (true, false)),
            ("if x != (y)", "x", (false, false)),
            ("a < b && c > (d)", "a", (false, false)),
            ("let f = push;", "push", (false, false)),
            ("new a.B(c)", "B", (true, true)),
            ("renew B(c)", "B", (true, false)),
            ("newB(c)", "newB", (true, false)),
        ] {
            assert_eq!(call(text, name), expected, "{text}");
        }
    }

    #[test]
    fn columns_are_converted_from_each_encoding() {
        for (encoding, character) in [
            (PositionEncoding::UTF8CodeUnitOffsetFromLineStart, 7),
            (PositionEncoding::UTF16CodeUnitOffsetFromLineStart, 4),
            (PositionEncoding::UTF32CodeUnitOffsetFromLineStart, 3),
            (PositionEncoding::UnspecifiedPositionEncoding, 4),
        ] {
            let lines = Lines::new("a\n\u{1f600}\u{e9} x\n", encoding);
            let at = lines.position(1, character).unwrap();
            assert_eq!((at.offset, at.line, at.column), (9, 2, 5), "{encoding:?}");
        }
    }

    #[test]
    fn positions_outside_the_text_have_none() {
        let lines = Lines::new(
            "ab\n\u{1f600}",
            PositionEncoding::UTF8CodeUnitOffsetFromLineStart,
        );
        assert!(lines.position(0, 9).is_none() && lines.position(7, 0).is_none());
        assert!(lines.position(1, 2).is_none(), "inside a character");
        assert!(lines.ends([0, 2, 0, 1]).is_none());
        assert_eq!(numbers(&[1, -1, 2]), None);
        assert_eq!(numbers(&[1, 2]), None);
    }
}
