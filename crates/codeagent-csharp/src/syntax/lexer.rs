//! Tokens of a C# text, as detailed as the repairs need: code, strings, comments, and inactive
//! `#if` branches.
//!
//! `$"a {f("}")} b"` is text, then the tokens of the interpolation, then text.
//!
//! Limitations: numbers and operators are not validated; operators are single characters.

use crate::syntax::conditions::DefinedSymbols;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    Number,
    /// A string, a character or a segment of an interpolated string.
    Text,
    /// One character of an operator or bracket.
    Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// Byte offset of its first byte.
    pub start: usize,
    /// Byte offset past its last byte.
    pub end: usize,
}

/// A literal segment of a non-raw interpolated string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringSegment {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset past the last byte.
    pub end: usize,
    /// Part of `$@".."`, in which `""` is a quote.
    pub verbatim: bool,
}

/// The result of the lexer.
#[derive(Debug, Default)]
pub struct Lexed {
    /// Tokens of active code in order.
    pub tokens: Vec<Token>,
    /// Directive lines and inactive text.
    pub blanks: Vec<(usize, usize)>,
    /// Literal segments of interpolated strings.
    pub segments: Vec<StringSegment>,
    /// The text contains `#if`.
    pub conditional: bool,
}

/// An interpolated string inside an interpolation.
struct Interpolation {
    form: StringForm,
    depth: u32,
}

#[derive(Clone, Copy)]
struct StringForm {
    verbatim: bool,
    /// Number of `$`.
    dollars: usize,
    /// Number of quotes of a raw string; 0 if it is not raw.
    raw: usize,
}

struct Branch {
    active: bool,
    taken: bool,
}

struct Lexer<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_start: bool,
    symbols: &'s mut DefinedSymbols<'a>,
    branches: Vec<Branch>,
    inactive: usize,
    interpolations: Vec<Interpolation>,
    out: Lexed,
}

/// Splits a text into tokens under the given symbols.
pub fn lex<'a>(text: &'a str, symbols: &mut DefinedSymbols<'a>) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line_start: true,
        symbols,
        branches: Vec::new(),
        inactive: 0,
        interpolations: Vec::new(),
        out: Lexed::default(),
    };
    lexer.out.tokens.reserve(text.len() / 5);
    lexer.run();
    lexer.out
}

fn is_word_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

impl<'a> Lexer<'a, '_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn line_end(&self) -> usize {
        self.bytes[self.at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.bytes.len(), |len| self.at + len)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.at = self.at.min(self.bytes.len());
        self.out.tokens.push(Token {
            kind,
            start,
            end: self.at,
        });
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];

            if byte == b'\n' || byte == b'\r' {
                self.line_start = true;
                self.at += 1;
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == b'#' && self.line_start && self.interpolations.is_empty() {
                self.directive();
            } else if self.inactive > 0 {
                let end = self.line_end();
                self.out.blanks.push((self.at, end));
                self.at = end;
            } else {
                self.line_start = false;
                self.token(byte);
            }
        }
    }

    fn directive(&mut self) {
        let end = self.line_end();
        self.out.blanks.push((self.at, end));
        let line = self.text[self.at + 1..end].trim();
        self.at = end;
        let len = line
            .find(|next: char| !next.is_ascii_alphabetic())
            .unwrap_or(line.len());

        let (word, rest) = line.split_at(len);
        let active = self.inactive == 0;

        match word {
            "if" => {
                self.out.conditional = true;
                let holds = active && self.symbols.holds(rest);
                self.branches.push(Branch {
                    active: holds,
                    taken: holds,
                });
                self.inactive += usize::from(!holds);
            }
            "elif" | "else" => self.alternative(word, rest),
            "endif" => {
                let closed = self.branches.pop();
                self.inactive -= usize::from(closed.is_some_and(|branch| !branch.active));
            }
            "define" | "undef" if active => {
                if let Some(name) = rest.split_whitespace().next() {
                    self.symbols.set(name, word == "define");
                }
            }
            _ => {}
        }
    }

    fn alternative(&mut self, word: &str, condition: &str) {
        let Some(branch) = self.branches.last_mut() else {
            return;
        };
        let outer_inactive = self.inactive - usize::from(!branch.active);
        let holds = outer_inactive == 0 && (word == "else" || self.symbols.holds(condition));
        branch.active = holds && !branch.taken;
        branch.taken |= holds;
        self.inactive = outer_inactive + usize::from(!branch.active);
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;

        match byte {
            b'/' if self.peek(1) == b'/' && self.interpolations.is_empty() => {
                self.at = self.line_end()
            }
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' | b'$' | b'@' if self.string() => {}
            b'@' if is_word_byte(self.peek(1)) => {
                self.at += 1;
                self.word(start, TokenKind::Word);
            }
            b'\'' => self.character(),
            b'0'..=b'9' => self.number(),
            _ if is_word_byte(byte) => self.word(start, TokenKind::Word),
            _ => self.mark(byte),
        }
    }

    /// Skips a character, or a backslash and the one after it.
    fn skip_escaped(&mut self) {
        self.at += if self.peek(0) == b'\\' { 2 } else { 1 };
        while !self.text.is_char_boundary(self.at.min(self.text.len())) {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        self.at = self
            .text
            .get(self.at + 2..)
            .and_then(|rest| rest.find("*/"))
            .map_or(self.bytes.len(), |len| self.at + len + 4);
    }

    fn word(&mut self, start: usize, kind: TokenKind) {
        while is_word_byte(self.peek(0)) {
            self.at += 1;
        }
        self.push(kind, start);
    }

    fn number(&mut self) {
        let start = self.at;
        while is_word_byte(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit())
        {
            self.at += 1;
        }
        self.push(TokenKind::Number, start);
    }

    fn character(&mut self) {
        let start = self.at;
        self.at += 1;
        while !matches!(self.peek(0), b'\'' | b'\n') && self.at < self.bytes.len() {
            self.skip_escaped();
        }
        self.at += usize::from(self.peek(0) == b'\'');
        self.push(TokenKind::Text, start);
    }

    /// Reads a bracket or operator; at the end of an interpolation, continues with the string's
    /// text.
    fn mark(&mut self, byte: u8) {
        let start = self.at;
        if let Some(interpolation) = self.interpolations.last_mut() {
            match byte {
                b'(' | b'[' | b'{' => interpolation.depth += 1,
                b'}' if interpolation.depth == 0 => return self.close_hole(),
                b')' | b']' | b'}' => interpolation.depth = interpolation.depth.saturating_sub(1),
                b':' if interpolation.depth == 0
                    && self.peek(1) != b':'
                    && (start == 0 || self.bytes[start - 1] != b':') =>
                {
                    return self.format_clause();
                }
                _ => {}
            }
        }

        self.at += 1;
        self.push(TokenKind::Mark, start);
    }

    fn format_clause(&mut self) {
        let start = self.at;
        while !matches!(self.peek(0), b'}' | b'"' | b'\n') && self.at < self.bytes.len() {
            self.at += 1;
        }
        self.push(TokenKind::Text, start);
        if self.peek(0) != b'}' {
            self.close_hole();
        }
    }

    fn close_hole(&mut self) {
        let Some(interpolation) = self.interpolations.pop() else {
            return;
        };
        let braces = if interpolation.form.raw > 0 {
            interpolation.form.dollars
        } else {
            1
        };
        for _ in 0..braces {
            self.at += usize::from(self.peek(0) == b'}');
        }
        self.interpolated_text(interpolation.form);
    }

    /// Reads a string of any form at the current offset; returns `false` if there is none.
    fn string(&mut self) -> bool {
        let start = self.at;
        let mut form = StringForm {
            verbatim: false,
            dollars: 0,
            raw: 0,
        };

        let mut at = start;
        while let Some(byte @ (b'$' | b'@')) = self.bytes.get(at).copied() {
            form.dollars += usize::from(byte == b'$');
            form.verbatim |= byte == b'@';
            at += 1;
        }

        let quotes = self.bytes[at..]
            .iter()
            .take_while(|byte| **byte == b'"')
            .count();

        if quotes == 0 {
            return false;
        }

        if quotes >= 3 && !form.verbatim {
            form.raw = quotes;
            self.at = at + quotes;
        } else {
            self.at = at + 1;
        }

        if form.dollars > 0 {
            self.push(TokenKind::Text, start);
            self.interpolated_text(form);
        } else {
            self.plain_text(form);
            self.push(TokenKind::Text, start);
        }

        true
    }

    fn plain_text(&mut self, form: StringForm) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'"' if form.raw > 0 => {
                    if self.closes_raw(form) {
                        return;
                    }
                }
                b'"' if form.verbatim && self.peek(1) == b'"' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }

                b'\\' if !form.verbatim && form.raw == 0 => self.skip_escaped(),
                b'\n' if !form.verbatim && form.raw == 0 => return,
                _ => self.at += 1,
            }
        }
    }

    /// Skips a run of quotes; reports whether it ends the raw string.
    fn closes_raw(&mut self, form: StringForm) -> bool {
        let run = self.bytes[self.at..]
            .iter()
            .take_while(|byte| **byte == b'"')
            .count();
        self.at += run;
        run >= form.raw
    }

    /// Reads text of an interpolated string up to its end or next interpolation.
    fn interpolated_text(&mut self, form: StringForm) {
        let start = self.at;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'"' if form.raw > 0 => {
                    if self.closes_raw(form) {
                        return self.push(TokenKind::Text, start);
                    }
                }
                b'"' if form.verbatim && self.peek(1) == b'"' => self.at += 2,
                b'"' => return self.end_text(form, start),
                b'\\' if !form.verbatim && form.raw == 0 => self.skip_escaped(),
                b'\n' if !form.verbatim && form.raw == 0 => {
                    return self.push(TokenKind::Text, start);
                }
                b'{' => {
                    let run = self.bytes[self.at..]
                        .iter()
                        .take_while(|byte| **byte == b'{')
                        .count();

                    let opens = if form.raw > 0 {
                        run >= form.dollars
                    } else {
                        run % 2 == 1
                    };

                    self.at += run;
                    if opens {
                        self.push_segment(form, start, self.at - 1);
                        self.push(TokenKind::Text, start);
                        return self.interpolations.push(Interpolation { form, depth: 0 });
                    }
                }
                _ => self.at += 1,
            }
        }

        self.push(TokenKind::Text, start);
    }

    fn end_text(&mut self, form: StringForm, start: usize) {
        self.push_segment(form, start, self.at);
        self.at += 1;
        self.push(TokenKind::Text, start);
    }

    fn push_segment(&mut self, form: StringForm, start: usize, end: usize) {
        if form.raw == 0 {
            self.out.segments.push(StringSegment {
                start,
                end,
                verbatim: form.verbatim,
            });
        }
    }
}
