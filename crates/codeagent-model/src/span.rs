//! Positions and spans in the decoded original text of a file.
//!
//! Lines are 1-based. Columns are 1-based and count UTF-16 code units, as editors and the Language
//! Server Protocol do; a byte order mark is not part of the text and a tab counts as one.

use serde::{Deserialize, Serialize};

/// A position in a file: the start of a name token.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Position {
    /// Byte offset in the decoded text.
    pub offset: u32,
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
}

/// A half-open byte range with the position of its start and its last line (inclusive).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// Where the range starts.
    pub start: Position,
    /// Byte offset just past the range.
    pub end_offset: u32,
    /// 1-based line of the last byte.
    pub end_line: u32,
}
