//! Lines for the terminal: keeps text, which may come from the repository, apart from our colours
//! until both are written.
//!
//! Names, paths and source lines can contain escape sequences and bidirectional controls that move
//! the cursor, set the window title or reorder text. Everything that is printed is therefore a
//! [`Line`], whose text is escaped before colours are added, so a terminal, a pipe and a file get
//! the same text.
//!
//! Limitations: text that merely looks like something else (homoglyphs, zero-width spaces) is
//! printed unchanged.

use std::fmt::Write;

const RESET: &str = "\u{1b}[0m";

/// One line: segments of text, each with its colour.
#[derive(Clone, Debug, Default)]
pub struct Line(Vec<(Style, String)>);

#[derive(Clone, Copy, Debug)]
enum Style {
    Plain,
    Place,
    Heading,
}

impl Line {
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with(Style::Plain, text)
    }

    /// Appends a location, in colour.
    #[must_use]
    pub fn place(self, text: impl Into<String>) -> Self {
        self.with(Style::Place, text)
    }

    /// Creates a line in bold.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::default().with(Style::Heading, text)
    }

    fn with(mut self, style: Style, text: impl Into<String>) -> Self {
        self.0.push((style, text.into()));
        self
    }

    /// Returns the escaped line with colours. Line breaks are escaped too.
    pub fn painted(&self) -> String {
        let pieces = self.0.iter().map(|(style, text)| {
            let text = escaped(text, |c| c == '\t');
            match style {
                Style::Plain => text,
                Style::Place => format!("\u{1b}[36m{text}{RESET}"),
                Style::Heading => format!("\u{1b}[1m{text}{RESET}"),
            }
        });
        pieces.collect()
    }
}

impl<T: Into<String>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::default().text(text)
    }
}

/// Returns the escaped text; line breaks stay.
pub fn paragraph(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// Escapes characters that JSON allows and terminals act on: DEL, C1 and bidirectional controls.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts_on_terminals(c) && c != '\n' {
            // All of them have four hexadecimal digits.
            write!(out, "\\u{:04x}", u32::from(c)).ok();
        } else {
            out.push(c);
        }
    }
    out
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts_on_terminals(c) && !stays(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Reports whether a terminal acts on a character instead of showing it.
pub fn acts_on_terminals(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_reaches_the_terminal_unescaped() {
        let hostile: String = (0..=0x2070)
            .filter_map(char::from_u32)
            .filter(|c| acts_on_terminals(*c))
            .collect();
        assert_eq!(hostile.chars().count(), 32 + 33 + 12);
        let line = Line::from(hostile.clone()).place(hostile.clone()).painted();
        let plain = line.replace("\u{1b}[36m", "").replace(RESET, "");
        assert!(
            plain.chars().all(|c| c == '\t' || !acts_on_terminals(c)),
            "{plain:?}"
        );
        assert!(
            plain.starts_with("\\u{0}\\u{1}")
                && plain.contains("\\u{1b}")
                && plain.contains("\\u{202e}"),
            "{plain}"
        );
        assert!(
            paragraph(&hostile)
                .chars()
                .all(|c| matches!(c, '\t' | '\n') || !acts_on_terminals(c))
        );
        let written = json(&serde_json::to_string_pretty(&[&hostile]).unwrap_or_default());
        assert!(
            written.chars().all(|c| c == '\n' || !acts_on_terminals(c)),
            "{written}"
        );
        assert_eq!(
            serde_json::from_str::<[String; 1]>(&written).ok(),
            Some([hostile])
        );
    }

    #[test]
    fn harmless_text_is_printed_unchanged() {
        for text in ["Größe 東京 🦀", "\tindented\tcode", "\\u{1b}"] {
            assert_eq!(Line::from(text).painted(), text);
            assert_eq!(paragraph(text), text);
        }
        assert_eq!(paragraph("a\nb"), "a\nb");
        assert_eq!(Line::from("a\nb").painted(), "a\\nb");
    }
}
