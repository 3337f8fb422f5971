//! What the grammar gets wrong is masked before the parse: equal length, newlines in place, and a list of what was changed.
//!
//! `F(async);` is parsed as `F(asynk);`. Names and texts are always taken from the original.
//!
//! **Limits.** A mask decides by tokens, without a tree.

use crate::extract::csharp::conditions::Symbols;
use crate::extract::csharp::lexer::{self, Lexed};

/// Why a piece of text was changed, where the walk must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Only so that the grammar reads it.
    Plain,
    /// `extension` of an extension block, written as a class.
    Extension,
    /// `(` of a call that is assigned to, written as `[`.
    CallTarget,
    /// `()` of a call that is assigned to, blanked; it follows the name at this offset.
    EmptyCall,
}

/// One change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte offset.
    pub offset: usize,
    /// Bytes changed.
    pub len: usize,
    /// Why.
    pub kind: EditKind,
}

/// The changes of one text, by offset.
#[derive(Debug, Default)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a change of this kind begins at a byte.
    pub fn at(&self, offset: usize, kind: EditKind) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let from = self.0.partition_point(|edit| edit.offset < offset);
        self.0[from..].iter().take_while(|edit| edit.offset == offset).any(|edit| edit.kind == kind)
    }
}

/// A text ready for the parser.
pub struct Repaired {
    /// The text, as long as the original.
    pub text: String,
    /// What was changed.
    pub edits: Edits,
    /// More than 256 `<` are open at once somewhere.
    pub too_deep: bool,
    /// There are `#if`s.
    pub conditional: bool,
}

/// Repairs a text under the symbols of a project.
pub fn repair<'a>(text: &'a str, symbols: &mut Symbols<'a>) -> Repaired {
    let lexed = lexer::lex(text, symbols);
    let mut mask = Mask { bytes: text.as_bytes().to_vec(), edits: Vec::new() };
    for (start, end) in &lexed.blanks {
        mask.blank(*start, *end);
    }
    let too_deep = open_angles(text, &lexed) > 256;
    let mut edits = mask.edits;
    edits.sort_by_key(|edit| edit.offset);
    let text = String::from_utf8(mask.bytes).unwrap_or_else(|_| text.to_owned());
    Repaired { text, edits: Edits(edits), too_deep, conditional: lexed.conditional }
}

/// The greatest number of `<` open at once.
fn open_angles(text: &str, lexed: &Lexed) -> usize {
    let (mut depth, mut most) = (0usize, 0);
    for token in &lexed.tokens {
        match text.as_bytes()[token.start] {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b';' | b'{' | b'}' => depth = 0,
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

/// The text being changed.
struct Mask {
    bytes: Vec<u8>,
    edits: Vec<Edit>,
}

impl Mask {
    fn blank(&mut self, start: usize, end: usize) {
        for byte in &mut self.bytes[start..end] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}
