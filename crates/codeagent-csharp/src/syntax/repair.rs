//! Repairs: masks constructs that the grammar gets wrong before the parse, at equal length, with
//! newlines in place, and records the changes.
//!
//! `F(async);` is parsed as `F(asynk);`. Names and texts are always taken from the original.
//!
//! Limitations: masks are chosen by tokens, without a tree.

use codeagent_lang::lower::limits::AngleDepth;

use crate::syntax::conditions::DefinedSymbols;
use crate::syntax::lexer::{self, TokenKind};
use crate::syntax::rewriter::{Rewriter, Rewrites, TypeArgumentList};
use crate::syntax::{keyword_masks, punctuation_masks};

/// Largest number of open `<` of type arguments; with more, the parser's memory grows
/// quadratically.
const MAX_ANGLES: usize = 256;

/// A repaired text.
pub struct Repaired {
    /// The text, as long as the original.
    pub text: String,
    pub rewrites: Rewrites,
    /// Type arguments that were blanked, by offset.
    pub type_arguments: Vec<TypeArgumentList>,
    /// Somewhere more `<` are open at once than the parser can handle.
    pub too_deep: bool,
    /// The text contains `#if`.
    pub conditional: bool,
    /// Byte ranges of inactive code, one per line.
    pub inactive: Vec<(usize, usize)>,
}

/// Repairs a text under the symbols of a project.
pub fn repair<'a>(text: &'a str, symbols: &mut DefinedSymbols<'a>) -> Repaired {
    let lexed = lexer::lex(text, symbols);
    let mut code = Rewriter::new(text, &lexed);
    for (start, end) in &lexed.blanks {
        code.blank_bytes(*start, *end);
    }

    for segment in &lexed.segments {
        code.mask_segment(*segment);
    }

    for index in 0..lexed.tokens.len() {
        match lexed.tokens[index].kind {
            TokenKind::Word => keyword_masks::mask(&mut code, index),
            TokenKind::Mark => punctuation_masks::mask(&mut code, index),
            _ => {}
        }
    }

    let too_deep = open_angles(&code) > MAX_ANGLES;
    let (repaired, rewrites, type_arguments) = code.finish();

    let is_code = |(start, _): &(usize, usize)| text.as_bytes()[*start] != b'#';
    let mut inactive = lexed.blanks;
    inactive.retain(is_code);

    Repaired {
        text: repaired,
        rewrites,
        type_arguments,
        too_deep,
        conditional: lexed.conditional,
        inactive,
    }
}

/// Returns the greatest number of `<` open at once that may each start type arguments: after a
/// name, and before nothing that a type argument list cannot contain.
fn open_angles(code: &Rewriter<'_>) -> usize {
    let mut angles = AngleDepth::default();
    for (index, token) in code.tokens().iter().enumerate() {
        match token.kind {
            TokenKind::Word => {}
            TokenKind::Number | TokenKind::Text => angles.reset(),
            TokenKind::Mark => match code.word(index).as_bytes()[0] {
                b'<' if code.touches_next(index) && code.is_mark(index + 1, "<=") => angles.reset(),
                b'<' if index > 0 && code.is_word(index - 1) => angles.open(),
                b'>' => angles.close(),
                b'(' | b'[' => angles.enter(),
                b')' | b']' => angles.leave(),
                b',' | b'.' | b'?' | b'*' | b':' => {}
                _ => angles.reset(),
            },
        }
    }

    angles.most()
}

#[cfg(test)]
mod tests;
