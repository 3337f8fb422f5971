//! What is said of a file as a whole, and of the parts of it that others see one by one.

use serde::{Deserialize, Serialize};

use super::DeclId;
use crate::graph::{Dialect, ParseStatus};

/// About the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Grammar and rules it was read with.
    pub dialect: Dialect,
    /// How the parse went.
    pub parse_status: ParseStatus,
    /// Bytes under outermost ERROR nodes plus one per MISSING node.
    pub error_bytes: u32,
    /// 1-based lines of the first errors, at most eight.
    pub error_lines: Vec<u32>,
    /// Number of lines.
    pub lines: u32,
    /// Length of the decoded text in bytes.
    pub bytes: u32,
    /// TypeScript: the file has a top-level import or export (otherwise it is a script whose
    /// declarations are global).
    pub is_module: bool,
    /// A hash of everything another file's links can depend on: the text without the bodies whose
    /// content cannot be seen from outside, and without [`Facts::bodies`](super::Facts::bodies).
    /// Equal hashes mean that no other file has to be linked again but those that asked about a
    /// body that changed.
    pub interface_hash: [u8; 16],
    /// The same without [`Facts::pieces`](super::Facts::pieces).
    pub frame_hash: [u8; 16],
}

impl Header {
    /// That of a file that says nothing.
    #[must_use]
    pub fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            parse_status: ParseStatus::Full,
            error_bytes: 0,
            error_lines: Vec::new(),
            lines: 0,
            bytes: 0,
            is_module: false,
            interface_hash: [0; 16],
            frame_hash: [0; 16],
        }
    }
}

/// A body whose result type is not declared: what it gives is seen by who asks for it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Whose body; not one that lies in another such body.
    pub decl: DeclId,
    /// The declaration of the piece that it lies in, if it lies in one; see
    /// [`Facts::pieces`](super::Facts::pieces).
    pub piece: DeclId,
    /// A hash of its text.
    pub hash: [u8; 8],
}

/// A declaration that is seen by who asks for its name, and by nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Which; its span is all that belongs to it.
    pub decl: DeclId,
    /// A hash of what others see of it.
    pub hash: [u8; 8],
}
