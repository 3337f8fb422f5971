//! Replaces text regardless of line endings.
//!
//! `\n` in the search text also matches `\r\n`, and each line of the replacement gets the line
//! ending that it replaces. If either text contains `\r`, line endings are significant: the search
//! text is matched exactly if possible, and the replacement is written unchanged.

use crate::line_ends::{LineEnd, split};

/// A text, the search text and the replacement.
pub struct Edit<'a> {
    content: &'a str,
    replace: &'a str,
    /// Byte ranges of the matches.
    found: Vec<(usize, usize)>,
    /// Whether the replacement is written with its own line endings.
    is_verbatim: bool,
}

impl<'a> Edit<'a> {
    /// Finds the search text.
    pub fn new(content: &'a str, find: &str, replace: &'a str) -> Self {
        let edit = |found, is_verbatim| Self {
            content,
            replace,
            found,
            is_verbatim,
        };
        if !find.contains('\r') {
            return edit(matches(content, find), replace.contains('\r'));
        }

        let exact: Vec<_> = content
            .match_indices(find)
            .map(|(at, found)| (at, at + found.len()))
            .collect();
        if exact.is_empty() {
            edit(matches(content, &find.replace("\r\n", "\n")), false)
        } else {
            edit(exact, true)
        }
    }

    /// Returns the number of matches.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns the text after this number of replacements, with a note if line endings were kept.
    /// Returns `None` if the text would exceed `most` bytes.
    pub fn replaced(
        &self,
        replacements: usize,
        most: usize,
    ) -> Option<(String, Option<&'static str>)> {
        let (mut text, mut done, mut kept) =
            (String::with_capacity(self.content.len()), 0, Vec::new());
        let all = line_ends(self.content);

        let mut ends = &all[..];
        for (start, end) in self.found.iter().copied().take(replacements) {
            text.push_str(&self.content[done..start]);
            done = end;
            if text.len() + self.replace.len() > most {
                return None;
            }
            if self.is_verbatim {
                text.push_str(self.replace);
                continue;
            }

            ends = &ends[ends.partition_point(|(at, _)| *at < start)..];
            let (replaced, after) = ends.split_at(ends.partition_point(|(at, _)| *at < end));
            ends = after;

            let around = replaced
                .last()
                .or(after.first())
                .or(all.last())
                .map(|(_, end)| *end);

            self.push_with_ends(replaced, around, &mut text, &mut kept);
        }

        text.push_str(&self.content[done..]);
        let note = match (kept.contains(&LineEnd::Lf), kept.contains(&LineEnd::CrLf)) {
            (true, true) => Some("the file's line endings, LF and CRLF, were kept"),
            (true, false) => Some("the file's line endings, LF, were kept"),
            (false, true) => Some("the file's line endings, CRLF, were kept"),
            (false, false) => None,
        };

        (text.len() <= most).then_some((text, note))
    }

    /// Appends the replacement with the line endings of the replaced text; further lines get the
    /// line end of the surrounding lines.
    fn push_with_ends(
        &self,
        replaced: &[(usize, LineEnd)],
        around: Option<LineEnd>,
        text: &mut String,
        kept: &mut Vec<LineEnd>,
    ) {
        let mut replaced = replaced.iter().map(|(_, end)| *end);
        for line in self.replace.split_inclusive('\n') {
            let (bare, own) = split(line.as_bytes());
            text.push_str(&line[..bare.len()]);
            if own == LineEnd::Open {
                continue;
            }

            let written = replaced.next().or(around).unwrap_or(own);
            if written.differs_from(own) && !kept.contains(&written) {
                kept.push(written);
            }
            text.push_str(written.as_str());
        }
    }
}

/// Returns the line endings of a text with their offsets.
fn line_ends(text: &str) -> Vec<(usize, LineEnd)> {
    text.match_indices('\n')
        .map(|(at, _)| {
            (
                at,
                if text[..at].ends_with('\r') {
                    LineEnd::CrLf
                } else {
                    LineEnd::Lf
                },
            )
        })
        .collect()
}

/// Finds the search text, treating `\r\n` as `\n`.
fn matches(content: &str, find: &str) -> Vec<(usize, usize)> {
    let flat = content.replace("\r\n", "\n");
    // Offsets in the normalized text at which a `\r` was dropped.
    let mut dropped = content
        .match_indices("\r\n")
        .enumerate()
        .map(|(before, (at, _))| at - before)
        .peekable();

    let mut count = 0;
    let mut in_content = |at: usize| {
        while dropped.next_if(|dropped| *dropped < at).is_some() {
            count += 1;
        }
        at + count
    };

    flat.match_indices(find)
        .map(|(at, found)| (in_content(at), in_content(at + found.len())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_the_file_are_kept() {
        let kept = |ends: &'static str| Some(ends);
        let crlf = kept("the file's line endings, CRLF, were kept");

        for (content, find, replace, expected, note) in [
            ("a\nb\nc", "a\nb", "x\ny", "x\ny\nc", None),
            ("a\r\nb\r\nc", "a\nb", "x\ny", "x\r\ny\r\nc", crlf),
            (
                "a\r\nb\r\nc",
                "a\nb\n",
                "x\ny\nz\n",
                "x\r\ny\r\nz\r\nc",
                crlf,
            ),
            ("a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n", crlf),
            ("a\r\nb", "b", "x\ny", "a\r\nx\r\ny", crlf),
            ("a\r\nb\nc\r\n", "a\nb\nc", "x\ny\nz", "x\r\ny\nz\r\n", crlf),
            ("a\nb\r\nc", "b\nc", "x\ny", "a\nx\r\ny", crlf),
            (
                "a\nb",
                "a\r\nb",
                "x\r\ny",
                "x\ny",
                kept("the file's line endings, LF, were kept"),
            ),
            ("a\r\nb", "\r\n", "\n", "a\nb", None),
            ("a\nb\r\nc", "\n", "\r\n", "a\r\nb\r\nc", None),
            ("a\r\n\r\nb", "\n", "", "ab", None),
            ("ab", "b", "x\ny", "ax\ny", None),
            (
                "\u{e4}\r\n\u{e4}\r\nb",
                "\u{e4}\nb",
                "x",
                "\u{e4}\r\nx",
                None,
            ),
            ("a\rb", "a\rb", "x", "x", None),
        ] {
            let edit = Edit::new(content, find, replace);
            let (text, actual_note) = edit.replaced(edit.count(), 100).unwrap();
            assert_eq!(
                (text.as_str(), actual_note),
                (expected, note),
                "{content:?} {find:?} {replace:?}"
            );
        }

        assert_eq!(Edit::new("a\rb", "a\nb", "x").count(), 0);
        assert_eq!(Edit::new("a\nb", "a\rb", "x").count(), 0);
        assert!(Edit::new("aaaa", "a", "bbb").replaced(4, 11).is_none());
    }
}
