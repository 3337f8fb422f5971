//! Puts a source snippet on one line: removes layout, comments and the comma before a closing
//! bracket, and keeps quoted text as written.
//!
//! Limitations: for display, not for parsing. Quotes are matched naively, so a quote inside a
//! regular expression or a verbatim string may preserve the layout after it.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::CharIndices;

/// Returns the text on one line; borrowed if it already is.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_tidy = !text.contains(['\n', '\r', '\t'])
        && !text.contains("  ")
        && !text.contains("//")
        && !text.contains("/*");
    if is_tidy {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(fold(text))
    }
}

/// The white space and comments between two tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whitespace {
    Nothing,
    Blank,
    Break,
}

fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = Whitespace::Nothing;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = &text[at..];
        if c.is_whitespace() {
            gap = gap.max(if c == '\n' {
                Whitespace::Break
            } else {
                Whitespace::Blank
            });
        } else if after.starts_with("//") {
            skip_to(&mut chars, at + after.find('\n').unwrap_or(after.len()));
            gap = Whitespace::Break;
        } else if let Some(comment) = after.strip_prefix("/*") {
            skip_to(
                &mut chars,
                at + comment.find("*/").map_or(after.len(), |end| end + 4),
            );
            gap = Whitespace::Break;
        } else {
            bridge(&mut out, gap, c);
            gap = Whitespace::Nothing;
            let end = if matches!(c, '"' | '\'' | '`') {
                at + quoted_len(after, c)
            } else {
                at + c.len_utf8()
            };
            out.push_str(&text[at..end]);
            skip_to(&mut chars, end);
        }
    }

    out
}

/// Appends what is needed between the text so far and `next`.
fn bridge(out: &mut String, gap: Whitespace, next: char) {
    let closes = matches!(next, ')' | ']' | '>');
    if gap == Whitespace::Break && closes && out.ends_with(',') {
        out.pop();
    }
    let hugs = gap == Whitespace::Break
        && (closes || matches!(next, ',' | '.') || out.ends_with(['(', '[', '<']));
    if gap != Whitespace::Nothing && !hugs && !out.is_empty() {
        out.push(' ');
    }
}

fn skip_to(chars: &mut Peekable<CharIndices<'_>>, end: usize) {
    while chars.next_if(|(at, _)| *at < end).is_some() {}
}

/// Returns the length of a quoted text that starts with `quote`; that of the quote alone if it is
/// not closed.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    quote.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapsing_removes_whitespace_and_comments() {
        for (text, expected) in [
            ("(int a, string b)", "(int a, string b)"),
            (
                "(\n  element: TElement,\n  options?: {\n    a?: boolean;\n  },\n)",
                "(element: TElement, options?: { a?: boolean; })",
            ),
            ("(a: A, /** why */ b = 1, // more\n c)", "(a: A, b = 1, c)"),
            ("Map<\n  string,\n  A\n>", "Map<string, A>"),
            ("(a = \"x  /* y */\",  b)", "(a = \"x  /* y */\", b)"),
            ("(a = it's  // open\n)", "(a = it's)"),
            ("(a /* open", "(a"),
            ("a  <  b", "a < b"),
        ] {
            assert_eq!(one_line(text), expected);
        }
    }
}
