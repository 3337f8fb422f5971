//! Where does the next page of a list begin? A cursor holds the number of rows shown, the question
//! they answer and the last of them, so that it is refused by another question, and finds its place
//! again if rows were added or removed before it.
//!
//! **Limits.** A cursor whose last row is gone is refused. Nothing in it is secret or signed: it
//! can be forged, to no use.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::{NEXT_CURSOR, TOTAL};

/// Most characters of the rows of a page; with what is added to it, a page stays below 10,000.
const PAGE_CHARACTERS: usize = 9_000;

/// A list of which only the rows of one page are made.
pub struct Rows<F> {
    /// How many there are.
    pub count: usize,
    /// What tells a row from the others.
    pub key: F,
}

/// The page of a list that the arguments ask for. `row` may leave out rows that turn out not to
/// exist.
pub fn page<K: Hash, T: Serialize>(
    arguments: &Arguments,
    rows: Rows<impl Fn(usize) -> K>,
    row: impl FnMut(usize) -> Result<Option<T>, ToolError>,
) -> Result<Answer, ToolError> {
    page_beside(arguments, 0, rows, row)
}

/// The same beside so many characters of other facts.
pub fn page_beside<K: Hash, T: Serialize>(
    arguments: &Arguments,
    beside: usize,
    rows: Rows<impl Fn(usize) -> K>,
    mut row: impl FnMut(usize) -> Result<Option<T>, ToolError>,
) -> Result<Answer, ToolError> {
    let room = if arguments.is_whole() {
        usize::MAX
    } else {
        PAGE_CHARACTERS.saturating_sub(beside)
    };
    let start = match arguments.text("cursor").filter(|text| !text.is_empty()) {
        None => 0,
        Some(text) => Cursor::parse(text, arguments)?.start(&rows)?,
    };
    let mut page = Vec::new();
    let (mut characters, mut next) = (0, start);
    while next < rows.count {
        if let Some(row) = row(next)? {
            let row = serde_json::to_value(row).map_err(ToolError::unwritable)?;
            characters += row.to_string().chars().count() + 1;
            if characters > room && !page.is_empty() {
                break;
            }
            page.push(row);
        }
        next += 1;
    }
    let mut answer = Answer::new(Value::Array(page))?;
    if next < rows.count {
        let cursor = Cursor {
            shown: next as u32,
            question: half(arguments.question()),
            last: half(hash(&(rows.key)(next - 1))),
        };
        answer.add(&NEXT_CURSOR, cursor.to_text());
    }
    if start > 0 || next < rows.count {
        answer.add(&TOTAL, rows.count);
    }
    Ok(answer)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    shown: u32,
    question: u32,
    last: u32,
}

impl Cursor {
    fn to_text(self) -> String {
        format!("c{:08x}{:08x}{:08x}", self.shown, self.question, self.last)
    }

    fn parse(text: &str, arguments: &Arguments) -> Result<Self, ToolError> {
        let digits = text.strip_prefix('c').filter(|digits| {
            digits.len() == 24 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let part = |at: usize| {
            digits.and_then(|digits| u32::from_str_radix(digits.get(at..at + 8)?, 16).ok())
        };
        let (Some(shown), Some(question), Some(last)) = (part(0), part(8), part(16)) else {
            return Err(ToolError::invalid(
                "`cursor` must be a `next_cursor` of an earlier answer; leave it out for the first page",
            ));
        };
        if question != half(arguments.question()) {
            return Err(ToolError::invalid(
                "`cursor` belongs to another question; ask with the same arguments, or leave it out",
            ));
        }
        Ok(Self {
            shown,
            question,
            last,
        })
    }

    /// The first row after the last one shown.
    fn start<K: Hash>(self, rows: &Rows<impl Fn(usize) -> K>) -> Result<usize, ToolError> {
        let is_last = |index: &usize| half(hash(&(rows.key)(*index))) == self.last;
        let expected = (self.shown as usize)
            .checked_sub(1)
            .filter(|index| *index < rows.count);
        let last = expected
            .filter(is_last)
            .or_else(|| (0..rows.count).find(is_last));
        last.map(|index| index + 1).ok_or_else(|| {
            ToolError::invalid("`cursor` stands at a row that is gone: the repository has changed since; leave it out to start again")
        })
    }
}

fn half(hash: u64) -> u32 {
    hash as u32
}

/// The same in every process.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Kind, Parameter};
    use serde_json::json;

    const PARAMETERS: &[Parameter] = &[
        Parameter::optional("of", Kind::Text, ""),
        Parameter::optional("cursor", Kind::Text, ""),
    ];

    fn ask(rows: &[u32], of: &str, cursor: Option<&str>) -> Result<Answer, ToolError> {
        let Value::Object(sent) = json!({ "of": of, "cursor": cursor }) else {
            panic!("not an object")
        };
        let arguments = Arguments::check("list", PARAMETERS, sent)?;
        page(
            &arguments,
            Rows {
                count: rows.len(),
                key: |index| rows[index],
            },
            |index| Ok(Some(format!("{:0996}", rows[index]))),
        )
    }

    fn numbers(answer: &Answer) -> Vec<u32> {
        answer
            .value
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_str().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn pages_follow_each_other() {
        let rows: Vec<u32> = (0..20).collect();
        let first = ask(&rows, "x", None).unwrap();
        assert_eq!(numbers(&first), (0..9).collect::<Vec<_>>());
        let cursor = first.added["next_cursor"].as_str().unwrap();
        let second = ask(&rows, "x", Some(cursor)).unwrap();
        assert_eq!(numbers(&second), (9..18).collect::<Vec<_>>());
        let last = ask(&rows, "x", second.added["next_cursor"].as_str()).unwrap();
        assert_eq!(numbers(&last), [18, 19]);
        assert_eq!(Value::Object(last.added), json!({ "total": 20 }));
    }

    #[test]
    fn a_page_is_made_of_its_rows_alone() {
        let mut made = 0;
        let arguments = Arguments::check("list", PARAMETERS, serde_json::Map::new()).unwrap();
        let rows = Rows {
            count: 1_000_000,
            key: |index| index,
        };
        let answer = page(&arguments, rows, |_| {
            made += 1;
            Ok(Some("x".repeat(500)))
        });
        assert_eq!(
            (answer.unwrap().value.as_array().unwrap().len(), made),
            (17, 18)
        );
        let long = page(
            &arguments,
            Rows {
                count: 2,
                key: |index| index,
            },
            |_| Ok(Some("y".repeat(20_000))),
        )
        .unwrap();
        assert_eq!(long.value.as_array().unwrap().len(), 1, "one row at least");
    }

    #[test]
    fn a_cursor_finds_its_place_again() {
        let rows: Vec<u32> = (0..20).collect();
        let cursor = ask(&rows, "x", None).unwrap().added["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        let grown: Vec<u32> = (100..103).chain(0..20).collect();
        assert_eq!(numbers(&ask(&grown, "x", Some(&cursor)).unwrap())[0], 9);
        let shrunk: Vec<u32> = (5..20).collect();
        assert_eq!(numbers(&ask(&shrunk, "x", Some(&cursor)).unwrap())[0], 9);
        let gone: Vec<u32> = (0..8).collect();
        assert!(
            ask(&gone, "x", Some(&cursor))
                .unwrap_err()
                .message
                .contains("gone")
        );
    }

    #[test]
    fn a_cursor_is_checked() {
        let rows: Vec<u32> = (0..20).collect();
        let cursor = ask(&rows, "x", None).unwrap().added["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(
            ask(&rows, "x", Some("")),
            ask(&rows, "x", None),
            "nothing is the first page"
        );
        assert!(
            ask(&rows, "y", Some(&cursor))
                .unwrap_err()
                .message
                .contains("another question")
        );
        for wrong in [
            "9",
            "c9",
            "c00000000000000000000000g",
            &cursor[1..],
            &format!("{cursor}0"),
            "c\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}",
        ] {
            assert!(
                ask(&rows, "x", Some(wrong))
                    .unwrap_err()
                    .message
                    .contains("`cursor` must be"),
                "{wrong}"
            );
        }
    }
}
