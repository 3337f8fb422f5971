//! Facts about a file as a whole, and about the parts of it that other files depend on separately.

use serde::{Deserialize, Serialize};

use super::DeclId;
use crate::graph::{Dialect, ParseStatus};

/// Facts about the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Grammar and rules it was read with.
    pub dialect: Dialect,
    /// Outcome of the parse.
    pub parse_status: ParseStatus,
    /// Bytes under outermost ERROR nodes plus one per MISSING node.
    pub error_bytes: u32,
    /// 1-based lines of the first errors, at most eight.
    pub error_lines: Vec<u32>,
    /// Number of lines.
    pub lines: u32,
    /// Length of the decoded text in bytes.
    pub bytes: u32,
    /// TypeScript: whether the file has a top-level import or export; otherwise it is a script
    /// whose declarations are global.
    pub is_module: bool,
    /// Hash of everything that the resolution of other files can depend on: the text without bodies
    /// that are invisible to them, and without [`Facts::bodies`](super::Facts::bodies). If it is
    /// unchanged, only files that depend on a changed body are resolved again.
    pub interface_hash: [u8; 16],
    /// Like `interface_hash`, without [`Facts::member_hashes`](super::Facts::member_hashes) and
    /// [`Facts::type_hashes`](super::Facts::type_hashes).
    pub frame_hash: [u8; 16],
}

impl Header {
    /// Returns the header of an empty file.
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

/// A body whose result type is inferred, so that only its callers depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The declaration of the body; never one nested in another such body.
    pub decl: DeclId,
    /// The declaration of the enclosing member, if any; see
    /// [`Facts::member_hashes`](super::Facts::member_hashes).
    pub member: DeclId,
    /// Hash of the body's text.
    pub hash: [u8; 8],
}

/// A declaration that other files depend on only by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberHash {
    /// The declaration; its span covers everything that belongs to it.
    pub decl: DeclId,
    /// Hash of its tokens that other files can see.
    pub hash: [u8; 8],
}
