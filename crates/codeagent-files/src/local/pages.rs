//! Paging: pages of entries, and parts of a text by bytes.
//!
//! Limitations: a part of a text starts and ends between characters, so it may be up to three bytes
//! longer than requested.

use serde_json::{Value, json};

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Page number, from 1.
    pub number: usize,
    /// Number of entries per page.
    pub size: usize,
    /// Total number of entries.
    pub total: usize,
}

impl Page {
    /// Returns the number of pages.
    pub fn pages(self) -> usize {
        self.total.div_ceil(self.size.max(1))
    }

    /// Reports whether there is a next page.
    pub fn has_more(self) -> bool {
        self.number < self.pages()
    }

    /// Returns the entries of this page.
    pub fn of<T>(self, items: &[T]) -> &[T] {
        let start = self
            .number
            .saturating_sub(1)
            .saturating_mul(self.size)
            .min(items.len());
        &items[start..start.saturating_add(self.size).min(items.len())]
    }

    /// Returns the page's JSON form. `what` is `Files` or `Entries`.
    pub fn to_json(self, what: &str) -> Value {
        let mut row = json!({ "currentPage": self.number, "totalPages": self.pages() });
        row[format!("{}PerPage", what.to_lowercase())] = self.size.into();
        row[format!("total{what}")] = self.total.into();
        row["hasMore"] = self.has_more().into();
        row
    }

    /// Returns hints with the arguments of the next page.
    pub fn hints(self, shown: usize, parameter: &str) -> Vec<String> {
        let next = if self.has_more() {
            format!("Next: {parameter}={}", self.number + 1)
        } else {
            "Final page".to_owned()
        };
        vec![
            format!(
                "Page {}/{} (showing {shown} of {})",
                self.number,
                self.pages().max(1),
                self.total
            ),
            next,
        ]
    }
}

/// A part of a text.
pub struct Part<'t> {
    pub text: &'t str,
    /// Offset of the part, in bytes.
    offset: usize,
    /// Length of the whole text, in bytes.
    total: usize,
}

/// Returns the part of a text at a byte offset, up to a length.
pub fn part(text: &str, offset: Option<usize>, length: Option<usize>) -> Part<'_> {
    let boundary = |mut at: usize| {
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
        at.min(text.len())
    };
    let start = boundary(offset.unwrap_or_default());
    let end = boundary(length.map_or(text.len(), |length| start.saturating_add(length)));
    Part {
        text: &text[start..end],
        offset: start,
        total: text.len(),
    }
}

impl Part<'_> {
    /// Returns the part's JSON form.
    pub fn to_json(&self) -> Value {
        let end = self.offset + self.text.len();
        json!({ "charOffset": self.offset, "charLength": self.text.len(), "totalChars": self.total, "hasMore": end < self.total })
    }

    /// Returns a hint with the arguments of the next part.
    pub fn hint(&self) -> String {
        let end = self.offset + self.text.len();
        if end < self.total {
            format!("Next: charOffset={end} (of {} bytes)", self.total)
        } else {
            "End of the text".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_parts_are_cut_at_the_right_place() {
        let page = Page {
            number: 2,
            size: 2,
            total: 3,
        };

        assert_eq!(
            (page.pages(), page.has_more(), page.of(&[1, 2, 3])),
            (2, false, &[3][..])
        );
        assert_eq!(Page { number: 9, ..page }.of(&[1, 2, 3]), &[0; 0]);
        assert_eq!(
            part("a\u{e4}b", Some(2), Some(1)).text,
            "b",
            "a character is not cut in two"
        );
        assert_eq!(part("abc", Some(1), None).text, "bc");
        assert_eq!(part("abc", Some(9), Some(usize::MAX)).text, "");
        assert_eq!(
            part("abcdef", Some(0), Some(2)).hint(),
            "Next: charOffset=2 (of 6 bytes)"
        );
    }
}
