//! Positions: the protocol's, and those of the index.
//!
//! The protocol counts lines from 0, and characters in UTF-16 code units or, if negotiated, in
//! bytes. The index counts lines from 1, and columns from 1 in UTF-16 code units.
//!
//! Limitations: only `\n` ends a line, as in the index; a lone `\r` does not.

use std::sync::Arc;

use lsp_types::{Position, PositionEncodingKind, Range};

/// The unit in which the client counts characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-16 code units.
    #[default]
    Utf16,
    /// Bytes of UTF-8.
    Utf8,
}

impl Encoding {
    /// Chooses from the client's encodings: UTF-16 if it has that, because the index counts so.
    pub fn negotiated(offered: Option<&[PositionEncodingKind]>) -> Self {
        let has = |kind| offered.is_some_and(|offered| offered.contains(&kind));
        let prefers_utf8 = has(PositionEncodingKind::UTF8) && !has(PositionEncodingKind::UTF16);
        if prefers_utf8 {
            Self::Utf8
        } else {
            Self::Utf16
        }
    }

    /// Returns the protocol's name of this encoding.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Self::Utf16 => c.len_utf16(),
            Self::Utf8 => c.len_utf8(),
        }
    }

    pub fn length_of(self, text: &str) -> usize {
        match self {
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf8 => text.len(),
        }
    }

    /// Returns the byte offset of a character in a line; its end if the line is shorter.
    fn offset_in(self, line: &str, character: usize) -> usize {
        let mut passed = 0;
        for (offset, c) in line.char_indices() {
            if passed >= character {
                return offset;
            }
            passed += self.length(c);
        }
        line.len()
    }
}

/// A text with the offsets of its lines.
#[derive(Clone, Debug)]
pub struct Lines {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: Arc<str>) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the line with an index from 0, without its end; empty if there is none.
    pub fn line(&self, index: usize) -> &str {
        let Some(start) = self.starts.get(index) else {
            return "";
        };
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| next - 1);
        self.text[*start..end].trim_end_matches('\r')
    }

    /// Returns the byte offset of a position; a position past its line's end is that end.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let index = position.line as usize;
        let Some(start) = self.starts.get(index) else {
            return self.text.len();
        };
        start + encoding.offset_in(self.line(index), position.character as usize)
    }

    /// Returns the position of a byte offset.
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(self.text.len());
        let index = self.starts.partition_point(|start| *start <= offset) - 1;
        let line = self.line(index);
        let mut inside = (offset - self.starts[index]).min(line.len());
        while !line.is_char_boundary(inside) {
            inside -= 1;
        }
        Position::new(index as u32, encoding.length_of(&line[..inside]) as u32)
    }

    /// Reports whether the name at a position is that of a member, as `b` in `a.b`.
    pub fn is_after_dot(&self, position: Position, encoding: Encoding) -> bool {
        let line = self.line(position.line as usize);
        let before = &line[..encoding.offset_in(line, position.character as usize)];
        let before = before.trim_end_matches(is_name_part).trim_end();
        before.ends_with('.') && !before.ends_with("..")
    }

    /// Returns the 0-based byte offset in its line of the index's 1-based UTF-16 column.
    fn start_of(&self, line: u32, column: u32) -> (&str, usize) {
        let text = self.line(line.saturating_sub(1) as usize);
        let before = column.saturating_sub(1) as usize;
        (text, Encoding::Utf16.offset_in(text, before))
    }

    /// Returns the range of the token at the index's line and column.
    pub fn token(&self, line: u32, column: u32, encoding: Encoding) -> Range {
        let (text, start) = self.start_of(line, column);
        let end = start + token_length(&text[start..]);
        let at = |offset: usize| {
            let character = encoding.length_of(&text[..offset]) as u32;
            Position::new(line.saturating_sub(1), character)
        };
        Range::new(at(start), at(end))
    }
}

/// Returns the length in bytes of the token that a text starts with: a name, a string literal, or
/// one character.
fn token_length(text: &str) -> usize {
    let Some(first) = text.chars().next() else {
        return 0;
    };
    let after = &text[first.len_utf8()..];
    match first {
        '"' | '\'' | '`' => match after.find(first) {
            Some(end) => end + 2,
            None => text.len(),
        },
        // `@class`, `#field` and `~Type` are names.
        '@' | '#' | '~' => first.len_utf8() + name_length(after),
        _ => name_length(text).max(first.len_utf8()),
    }
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !is_name_part(c)).unwrap_or(text.len())
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_positions_are_inverse_in_both_encodings() {
        let text = "a\r\nb𐐀c é\n\nend";
        let lines = Lines::new(Arc::from(text));
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            for (offset, c) in text.char_indices().filter(|(_, c)| *c != '\n') {
                let position = lines.position(offset, encoding);
                assert_eq!(
                    lines.offset(position, encoding),
                    offset,
                    "{c:?} {encoding:?}"
                );
            }
        }
    }

    #[test]
    fn positions_past_the_end_are_clamped() {
        let lines = Lines::new(Arc::from("ab\ncd"));
        let offset =
            |line, character| lines.offset(Position::new(line, character), Encoding::Utf16);
        assert_eq!((offset(0, 99), offset(99, 0), offset(1, 1)), (2, 5, 4));
    }

    #[test]
    fn a_character_outside_the_basic_plane_has_two_utf16_units() {
        let lines = Lines::new(Arc::from("𐐀name;"));
        let range = |encoding| lines.token(1, 3, encoding);

        assert_eq!(
            (
                range(Encoding::Utf16).start.character,
                range(Encoding::Utf16).end.character
            ),
            (2, 6)
        );

        assert_eq!(
            (
                range(Encoding::Utf8).start.character,
                range(Encoding::Utf8).end.character
            ),
            (4, 8)
        );
    }

    #[test]
    fn tokens_are_names_strings_and_single_characters() {
        for (text, length) in [
            ("name(", 4),
            ("@class x", 6),
            ("#field = 1", 6),
            ("'./a' ;", 5),
            ("\"open", 5),
            ("+ b", 1),
            ("$el.x", 3),
            ("", 0),
            ("é", 2),
        ] {
            assert_eq!(token_length(text), length, "{text}");
        }
    }

    #[test]
    fn utf16_is_preferred_because_the_index_counts_so() {
        use PositionEncodingKind as Kind;
        assert_eq!(Encoding::negotiated(None), Encoding::Utf16);
        assert_eq!(Encoding::negotiated(Some(&[Kind::UTF8])), Encoding::Utf8);
        assert_eq!(
            Encoding::negotiated(Some(&[Kind::UTF8, Kind::UTF16])),
            Encoding::Utf16
        );
    }
}
