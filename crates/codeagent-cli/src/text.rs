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
pub struct Line(Vec<Segment>);

/// A segment of text with its colour and the address that it links to.
#[derive(Clone, Debug)]
struct Segment {
    style: Style,
    text: String,
    address: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Style {
    Plain,
    Path,
    Number,
    Heading,
}

impl Line {
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with(Style::Plain, text, None)
    }

    /// Appends a path, in colour, that links to an address.
    #[must_use]
    pub fn path(self, text: impl Into<String>, address: Option<String>) -> Self {
        self.with(Style::Path, text, address)
    }

    /// Appends a line number, in colour, that links to an address.
    #[must_use]
    pub fn number(self, text: impl Into<String>, address: Option<String>) -> Self {
        self.with(Style::Number, text, address)
    }

    /// Appends a location, `path:12`, in colour.
    #[must_use]
    pub fn location(self, text: &str) -> Self {
        let is_number = |c: char| c.is_ascii_digit() || c == ':';
        let path = text.trim_end_matches(is_number);
        let number = text[path.len()..].trim_start_matches(':');
        let line = self.path(path, None);
        if number.is_empty() {
            return line.text(&text[path.len()..]);
        }
        line.text(":").number(number, None)
    }

    /// Appends text in bold.
    #[must_use]
    pub fn bold(self, text: impl Into<String>) -> Self {
        self.with(Style::Heading, text, None)
    }

    /// Creates a line in bold.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::default().bold(text)
    }

    fn with(mut self, style: Style, text: impl Into<String>, address: Option<String>) -> Self {
        self.0.push(Segment {
            style,
            text: text.into(),
            address,
        });
        self
    }

    /// Returns the escaped line with colours. Line breaks are escaped too.
    pub fn painted(&self) -> String {
        self.0.iter().map(Segment::painted).collect()
    }
}

impl Segment {
    fn painted(&self) -> String {
        let text = escaped(&self.text, |c| c == '\t');
        let text = match self.style {
            Style::Plain => return text,
            Style::Path => format!("\u{1b}[35m{text}{RESET}"),
            Style::Number => format!("\u{1b}[32m{text}{RESET}"),
            Style::Heading => format!("\u{1b}[1m{text}{RESET}"),
        };
        match &self.address {
            Some(address) => {
                let address = escaped(address, |_| false);
                format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
            }
            None => text,
        }
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

        let line = Line::from(hostile.clone()).location(&hostile).painted();
        let plain = line.replace("\u{1b}[35m", "").replace(RESET, "");
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
    fn locations_have_a_colour_for_the_path_and_one_for_the_line() {
        assert_eq!(
            Line::default().location("a.cs:12:3").painted(),
            "\u{1b}[35ma.cs\u{1b}[0m:\u{1b}[32m12:3\u{1b}[0m"
        );
        assert_eq!(
            Line::default()
                .path("a.cs", Some("file:///a.cs".to_owned()))
                .painted(),
            "\u{1b}]8;;file:///a.cs\u{1b}\\\u{1b}[35ma.cs\u{1b}[0m\u{1b}]8;;\u{1b}\\"
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
