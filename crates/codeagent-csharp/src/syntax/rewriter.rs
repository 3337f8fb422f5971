//! A text that is rewritten at equal length: its tokens, queries on them, and the list of rewrites.
//!
//! Queries see the original and rewrites go to a copy, so no mask sees the output of another.

use crate::syntax::lexer::{Lexed, StringSegment, Token, TokenKind};

/// The reasons for rewrites that lowering distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteKind {
    /// Only for the grammar.
    Plain,
    /// `extension` of an extension block, written as a class.
    Extension,
    /// `(` of an assigned call, written as `[`.
    CallTarget,
    /// `()` of an assigned call, blanked; starts at the end of the name before it.
    EmptyCall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Byte offset.
    pub offset: usize,
    /// Number of changed bytes.
    pub len: usize,
    /// The reason.
    pub kind: RewriteKind,
}

/// The rewrites of one text, by offset.
#[derive(Debug, Default)]
pub struct Rewrites(Vec<Rewrite>);

impl Rewrites {
    /// Reports whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports whether a rewrite of this kind starts at a byte.
    pub fn at(&self, offset: usize, kind: RewriteKind) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let from = self.0.partition_point(|edit| edit.offset < offset);
        self.0[from..]
            .iter()
            .take_while(|edit| edit.offset == offset)
            .any(|edit| edit.kind == kind)
    }
}

/// Type arguments that were masked, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeArgumentList {
    /// The end of the name before them.
    pub name_end: usize,
    /// Offset of their `<`.
    pub start: usize,
    /// Offset past their `>`.
    pub end: usize,
}

/// The tokens of a text and a copy of it that is rewritten. Queries see the original.
pub struct Rewriter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The partner of each bracket; `usize::MAX` for other tokens.
    partners: Vec<usize>,
    bytes: Vec<u8>,
    rewrites: Vec<Rewrite>,
    type_arguments: Vec<TypeArgumentList>,
}

impl<'a> Rewriter<'a> {
    /// Creates a rewriter without rewrites.
    pub fn new(text: &'a str, lexed: &'a Lexed) -> Self {
        let tokens = &lexed.tokens;
        let mut partners = vec![usize::MAX; tokens.len()];
        let mut open = Vec::new();
        for (index, token) in tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.kind == TokenKind::Mark)
        {
            match text.as_bytes()[token.start] {
                b'(' | b'[' | b'{' => open.push(index),
                b')' | b']' | b'}' => {
                    if let Some(partner) = open.pop() {
                        partners[index] = partner;
                        partners[partner] = index;
                    }
                }
                _ => {}
            }
        }

        Self {
            text,
            tokens,
            partners,
            bytes: text.as_bytes().to_vec(),
            rewrites: Vec::new(),
            type_arguments: Vec::new(),
        }
    }

    pub fn tokens(&self) -> &'a [Token] {
        self.tokens
    }

    /// Returns the rewritten text, the rewrites by offset, and the type arguments that were
    /// blanked.
    pub fn finish(self) -> (String, Rewrites, Vec<TypeArgumentList>) {
        let Self {
            text,
            bytes,
            mut rewrites,
            type_arguments,
            ..
        } = self;
        rewrites.sort_by_key(|edit| edit.offset);
        assert_eq!(bytes.len(), text.len(), "repairs keep the length");
        (
            String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned()),
            Rewrites(rewrites),
            type_arguments,
        )
    }

    /// Returns the text of a token; empty past either end.
    pub fn word(&self, index: usize) -> &'a str {
        self.tokens
            .get(index)
            .map_or("", |token| &self.text[token.start..token.end])
    }

    /// Returns the text of the token before; empty if there is none.
    pub fn before(&self, index: usize) -> &'a str {
        index.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    /// Reports whether a token is an identifier or keyword.
    pub fn is_word(&self, index: usize) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Reports whether a token is one of these one-character marks.
    pub fn is_mark(&self, index: usize, marks: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| {
            token.kind == TokenKind::Mark
                && marks
                    .as_bytes()
                    .contains(&self.text.as_bytes()[token.start])
        })
    }

    /// Reports whether a token is missing, or is text of an interpolated string after an
    /// interpolation.
    pub fn ends_hole(&self, index: usize) -> bool {
        self.tokens.get(index).is_none_or(|token| {
            token.kind == TokenKind::Text
                && token.start > 0
                && self.text.as_bytes()[token.start - 1] == b'}'
        })
    }

    /// Reports whether a token is followed by the next without a gap.
    pub fn touches_next(&self, index: usize) -> bool {
        match (self.tokens.get(index), self.tokens.get(index + 1)) {
            (Some(token), Some(next)) => token.end == next.start,
            _ => false,
        }
    }

    /// Reports whether these two marks are at a token without a gap, such as `=` and `>`.
    pub fn is_pair(&self, index: usize, first: &str, second: &str) -> bool {
        self.is_mark(index, first) && self.is_mark(index + 1, second) && self.touches_next(index)
    }

    /// Returns the partner of a bracket.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.partners
            .get(index)
            .copied()
            .filter(|partner| *partner != usize::MAX)
    }

    /// Reports whether an assignment operator starts at a token.
    pub fn assigns(&self, index: usize) -> bool {
        let third = if self.touches_next(index) && self.touches_next(index + 1) {
            self.word(index + 2)
        } else {
            ""
        };

        let second = if self.touches_next(index) {
            self.word(index + 1)
        } else {
            ""
        };

        if !self.is_mark(index, "=+-*/%&|^?<>") {
            return false;
        }

        match self.word(index) {
            "=" => second != "=" && second != ">",
            "?" => second == "?" && third == "=",
            "<" => second == "<" && third == "=",
            ">" => {
                second == ">"
                    && (third == "="
                        || (third == ">"
                            && self.touches_next(index + 2)
                            && self.word(index + 3) == "="))
            }
            _ => second == "=",
        }
    }

    /// Blanks bytes, except newlines.
    pub fn blank_bytes(&mut self, start: usize, end: usize) {
        for byte in &mut self.bytes[start..end] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn note(&mut self, start: usize, end: usize, kind: RewriteKind) {
        self.rewrites.push(Rewrite {
            offset: start,
            len: end - start,
            kind,
        });
    }

    /// Blanks the tokens from `first` to `last`.
    pub fn blank(&mut self, first: usize, last: usize) {
        let (Some(start), Some(end)) = (self.token(first), self.token(last)) else {
            return;
        };
        self.blank_bytes(start.start, end.end);
        self.note(start.start, end.end, RewriteKind::Plain);
    }

    /// Returns the token before `first`, a name, and the tokens `first` and `last`.
    fn after_name(&self, first: usize, last: usize) -> Option<[Token; 3]> {
        Some([
            self.token(first.checked_sub(1)?)?,
            self.token(first)?,
            self.token(last)?,
        ])
    }

    /// Blanks the brackets from `first` to `last` after a name and records that they were a call.
    pub fn blank_call(&mut self, first: usize, last: usize) {
        let Some([name, start, end]) = self.after_name(first, last) else {
            return;
        };
        self.blank_bytes(start.start, end.end);
        self.note(name.end, end.end, RewriteKind::EmptyCall);
    }

    /// Blanks and records the type arguments from `first` to `last`.
    pub fn blank_type_list(&mut self, first: usize, last: usize) {
        let Some([name, start, end]) = self.after_name(first, last) else {
            return;
        };
        self.blank(first, last);
        self.type_arguments.push(TypeArgumentList {
            name_end: name.end,
            start: start.start,
            end: end.end,
        });
    }

    /// Overwrites the start of a token's text; the new text must not be longer.
    pub fn write(&mut self, index: usize, text: &str, kind: RewriteKind) {
        let Some(token) = self.token(index) else {
            return;
        };
        if let Some(place) = self.bytes.get_mut(token.start..token.start + text.len()) {
            place.copy_from_slice(text.as_bytes());
            self.note(token.start, token.start + text.len(), kind);
        }
    }

    /// Turns a contextual keyword into an ordinary name: its last letter becomes `_`.
    pub fn plain_name(&mut self, index: usize) {
        let Some(token) = self.token(index) else {
            return;
        };
        self.bytes[token.end - 1] = b'_';
        self.note(token.end - 1, token.end, RewriteKind::Plain);
    }

    /// Masks `""`, `{{` and `}}` in the text of an interpolated string.
    pub fn mask_segment(&mut self, segment: StringSegment) {
        let source = self.text.as_bytes();
        let mut at = segment.start;
        while at + 1 < segment.end {
            let doubled = source[at] == source[at + 1]
                && (matches!(source[at], b'{' | b'}') || (segment.verbatim && source[at] == b'"'));
            if doubled {
                self.bytes[at..at + 2].copy_from_slice(b"__");
                self.note(at, at + 2, RewriteKind::Plain);
            }
            at += if doubled || (source[at] == b'\\' && !segment.verbatim) {
                2
            } else {
                1
            };
        }
    }
}

/// Reports whether an operand starts after a keyword.
pub fn begins_operand(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "return",
        "in",
        "is",
        "as",
        "case",
        "throw",
        "await",
        "new",
        "ref",
        "out",
        "when",
        "and",
        "or",
        "not",
        "else",
        "do",
        "yield",
        "if",
        "while",
        "for",
        "foreach",
        "switch",
        "using",
        "lock",
        "fixed",
        "catch",
        "sizeof",
        "typeof",
        "default",
        "nameof",
        "checked",
        "unchecked",
        "stackalloc",
        "goto",
        "delegate",
        "var",
        "params",
        "this",
        "base",
    ];

    WORDS.contains(&word)
}
