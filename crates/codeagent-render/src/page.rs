//! Pages of lists, cut to a character budget.
//!
//! A cursor contains the number of rows shown, a hash of the request and a hash of the last row. It
//! is therefore refused for another request, and finds its row if rows were added or removed before
//! it.
//!
//! A secondary list, such as the uses that could not be resolved, is paged in the same way; its
//! cursors begin with [`BESIDE`].
//!
//! Limitations: a cursor whose last row is gone is refused. Cursors are not signed; forging one
//! gains nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

/// Maximum characters of a page's rows; with the extra fields, a page stays below 10,000.
const MAX_CHARACTERS: usize = 9_000;

/// Prefix of the cursors of the secondary list.
const BESIDE: char = 'u';

/// The page of a list to create.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The cursor that the previous page returned; `None` for the first page.
    cursor: Option<&'a str>,
    /// Identifies the request, which is the same for all pages of a list.
    request: u64,
    /// Maximum characters of rows; `None` puts all rows on one page.
    budget: Option<usize>,
}

impl<'a> Page<'a> {
    /// All rows on one page.
    pub const WHOLE: Self = Self {
        cursor: None,
        request: 0,
        budget: None,
    };

    /// A page of a list; an empty cursor selects the first one.
    #[must_use]
    pub fn at(cursor: Option<&'a str>, request: u64) -> Self {
        Self {
            cursor: cursor.filter(|cursor| !cursor.is_empty()),
            request,
            budget: Some(MAX_CHARACTERS),
        }
    }

    /// Reports whether this is the first page.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.cursor.is_none()
    }

    /// Returns the page of the secondary list, if the cursor belongs to that.
    pub(crate) fn beside(&self) -> Option<Self> {
        let cursor = self.cursor?.strip_prefix(BESIDE)?;
        Some(Self {
            cursor: Some(cursor),
            ..self.beside_rows()
        })
    }

    /// Returns a cursor for what follows the first `shown` entries of the secondary list.
    pub(crate) fn beside_after<K: Hash>(
        &self,
        list: &Rows<impl Fn(usize) -> K>,
        shown: usize,
    ) -> Option<String> {
        let cursor = self.beside_rows().after(list, shown);
        let cursor = self.budget.and(cursor)?;
        Some(Self::beside_cursor(&cursor))
    }

    /// Turns a cursor of the secondary list into one that a request for rows accepts.
    pub(crate) fn beside_cursor(cursor: &str) -> String {
        format!("{BESIDE}{cursor}")
    }

    /// The first page of the secondary list, which is a request of its own.
    fn beside_rows(&self) -> Self {
        Self {
            cursor: None,
            request: !self.request,
            budget: self.budget,
        }
    }

    /// Returns a cursor for what follows the first `shown` rows, if there is anything.
    fn after<K: Hash>(&self, list: &Rows<impl Fn(usize) -> K>, shown: usize) -> Option<String> {
        let last = shown.checked_sub(1).filter(|_| shown < list.count)?;
        let cursor = Cursor {
            shown: shown as u32,
            request: half(self.request),
            last: half(hash(&(list.key)(last))),
        };
        Some(cursor.to_text())
    }
}

/// A list of which only one page's rows are created.
pub struct Rows<F> {
    /// Number of rows.
    pub count: usize,
    /// Returns the identity of the row at an index.
    pub key: F,
}

/// The rows of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct PagedRows<T> {
    /// The rows on this page.
    pub rows: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
    /// The number of rows on all pages, if there are several pages.
    pub total: Option<usize>,
}

/// A cursor that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// It was not returned by any page.
    #[error(
        "invalid `cursor`; pass the `next_cursor` of an earlier answer, or omit it for the first page"
    )]
    Malformed,
    /// It belongs to another request.
    #[error("`cursor` belongs to a call with other arguments; pass the same arguments, or omit it")]
    OtherRequest,
    /// Its row is gone.
    #[error(
        "`cursor` points at a row that no longer exists because the repository changed; omit it to \
         start again"
    )]
    Gone,
}

/// Creates the rows of a page, which leaves `reserved` characters of its budget to other fields.
/// `row` returns `None` for rows that do not exist after all.
pub fn paged<K: Hash, T: Serialize, E: From<CursorError>>(
    page: &Page<'_>,
    reserved: usize,
    list: &Rows<impl Fn(usize) -> K>,
    mut row: impl FnMut(usize) -> Result<Option<T>, E>,
) -> Result<PagedRows<T>, E> {
    let start = match page.cursor {
        None => 0,
        Some(text) => Cursor::parse(text, page.request)?.start(list)?,
    };
    let budget = page.budget.map(|budget| budget.saturating_sub(reserved));

    let (mut rows, mut characters, mut next) = (Vec::new(), 0, start);
    while next < list.count {
        if let Some(row) = row(next)? {
            if let Some(budget) = budget {
                characters += characters_of(&row) + 1;
                if characters > budget && !rows.is_empty() {
                    break;
                }
            }
            rows.push(row);
        }
        next += 1;
    }

    let next_cursor = page.after(list, next);
    Ok(PagedRows {
        rows,
        total: (start > 0 || next_cursor.is_some()).then_some(list.count),
        next_cursor,
    })
}

/// Returns the number of characters of a row as JSON.
fn characters_of(row: &impl Serialize) -> usize {
    serde_json::to_string(row).map_or(0, |json| json.chars().count())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    shown: u32,
    request: u32,
    last: u32,
}

impl Cursor {
    fn to_text(self) -> String {
        format!("c{:08x}{:08x}{:08x}", self.shown, self.request, self.last)
    }

    fn parse(text: &str, request: u64) -> Result<Self, CursorError> {
        let digits = text.strip_prefix('c').filter(|digits| {
            digits.len() == 24 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let part = |at: usize| {
            digits.and_then(|digits| u32::from_str_radix(digits.get(at..at + 8)?, 16).ok())
        };
        let (Some(shown), Some(of), Some(last)) = (part(0), part(8), part(16)) else {
            return Err(CursorError::Malformed);
        };
        if of != half(request) {
            return Err(CursorError::OtherRequest);
        }

        Ok(Self {
            shown,
            request: of,
            last,
        })
    }

    /// Finds the first row after the last one shown.
    fn start<K: Hash>(self, list: &Rows<impl Fn(usize) -> K>) -> Result<usize, CursorError> {
        let is_last = |index: &usize| half(hash(&(list.key)(*index))) == self.last;
        let expected = (self.shown as usize)
            .checked_sub(1)
            .filter(|index| *index < list.count);
        let last = expected
            .filter(is_last)
            .or_else(|| (0..list.count).find(is_last));
        last.map(|index| index + 1).ok_or(CursorError::Gone)
    }
}

fn half(hash: u64) -> u32 {
    hash as u32
}

/// Hashes a value, equally in every process.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(
        rows: &[u32],
        request: u64,
        cursor: Option<&str>,
    ) -> Result<PagedRows<String>, CursorError> {
        let list = Rows {
            count: rows.len(),
            key: |index: usize| rows[index],
        };
        paged(&Page::at(cursor, request), 0, &list, |index| {
            Ok(Some(format!("{:0996}", rows[index])))
        })
    }

    fn numbers(page: &PagedRows<String>) -> Vec<u32> {
        page.rows.iter().map(|row| row.parse().unwrap()).collect()
    }

    #[test]
    fn pages_follow_each_other() {
        let rows: Vec<u32> = (0..20).collect();
        let first = ask(&rows, 1, None).unwrap();
        assert_eq!(numbers(&first), (0..9).collect::<Vec<_>>());
        let second = ask(&rows, 1, first.next_cursor.as_deref()).unwrap();
        assert_eq!(numbers(&second), (9..18).collect::<Vec<_>>());
        let last = ask(&rows, 1, second.next_cursor.as_deref()).unwrap();
        assert_eq!(numbers(&last), [18, 19]);
        assert_eq!((last.next_cursor, last.total), (None, Some(20)));
    }

    #[test]
    fn only_the_rows_of_the_page_are_computed() {
        let mut made = 0;
        let list = Rows {
            count: 1_000_000,
            key: |index: usize| index,
        };
        let page = paged::<_, _, CursorError>(&Page::at(None, 1), 0, &list, |_| {
            made += 1;
            Ok(Some("x".repeat(500)))
        });
        assert_eq!((page.unwrap().rows.len(), made), (17, 18));
    }

    #[test]
    fn a_page_has_at_least_one_row_and_an_unpaged_list_all() {
        let list = Rows {
            count: 2,
            key: |index: usize| index,
        };
        for (page, expected) in [(Page::at(None, 1), 1), (Page::WHOLE, 2)] {
            let rows =
                paged::<_, _, CursorError>(&page, 0, &list, |_| Ok(Some("y".repeat(20_000))));
            assert_eq!(rows.unwrap().rows.len(), expected);
        }
    }

    #[test]
    fn a_cursor_finds_its_row_after_changes() {
        let rows: Vec<u32> = (0..20).collect();
        let cursor = ask(&rows, 1, None).unwrap().next_cursor;
        let grown: Vec<u32> = (100..103).chain(0..20).collect();
        assert_eq!(numbers(&ask(&grown, 1, cursor.as_deref()).unwrap())[0], 9);
        let shrunk: Vec<u32> = (5..20).collect();
        assert_eq!(numbers(&ask(&shrunk, 1, cursor.as_deref()).unwrap())[0], 9);
        let gone: Vec<u32> = (0..8).collect();
        assert_eq!(ask(&gone, 1, cursor.as_deref()), Err(CursorError::Gone));
    }

    #[test]
    fn invalid_cursors_are_refused() {
        let rows: Vec<u32> = (0..20).collect();
        let cursor = ask(&rows, 1, None).unwrap().next_cursor.unwrap();
        assert_eq!(ask(&rows, 1, Some("")), ask(&rows, 1, None));
        assert_eq!(ask(&rows, 2, Some(&cursor)), Err(CursorError::OtherRequest));

        for wrong in [
            "9",
            "c9",
            "c00000000000000000000000g",
            &cursor[1..],
            &format!("{cursor}0"),
            "c\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}",
        ] {
            assert_eq!(
                ask(&rows, 1, Some(wrong)),
                Err(CursorError::Malformed),
                "{wrong}"
            );
        }
    }
}
