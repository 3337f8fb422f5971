//! Masks that start at a word: contextual keywords used as names, and declarations that the grammar
//! lacks.
//!
//! `where T : allows ref struct` becomes `where T : notnull          `.
//!
//! Limitations: see [`crate::syntax::repair`].

use crate::syntax::rewriter::{RewriteKind, Rewriter, begins_operand};

/// Largest number of tokens of a lambda's parameter list that are searched for its `=>`.
const MAX_PARAMETERS: usize = 64;

/// Applies the masks that start at the word at `index`.
pub fn mask(code: &mut Rewriter<'_>, index: usize) {
    let next = code.word(index + 1);
    match code.word(index) {
        "async" if is_name_before(code, index + 1, ",;).=?:&|!]}+-^{") => {
            code.write(index, "asynk", RewriteKind::Plain)
        }
        "await" if is_name_before(code, index + 1, ",;).=?:") => {
            code.write(index, "awayt", RewriteKind::Plain)
        }
        "or" | "and" if is_name_before(code, index + 1, ",;).=?:]}+*/%!&|") => {
            code.plain_name(index)
        }
        "required" | "partial" if code.is_mark(index + 1, ".[") || code.assigns(index + 1) => {
            code.plain_name(index)
        }
        "_" if is_range_variable(code, index) => code.write(index, "i", RewriteKind::Plain),
        "with" if code.assigns(index + 1) => code.plain_name(index),
        "nint" | "nuint" if is_native_name(code, index) => code.plain_name(index),
        "field" | "method" | "param" | "property" | "type" | "typevar"
            if code.before(index) == "[" && next != ":" =>
        {
            code.plain_name(index)
        }
        "allows" if next == "ref" && code.word(index + 2) == "struct" => {
            code.blank(index, index + 2);
            code.write(index, "notnull", RewriteKind::Plain);
        }
        "ref" if next == "partial" && code.word(index + 2) == "struct" => ref_partial(code, index),
        "scoped" if next == "params" => code.blank(index, index),
        "unsafe" | "extern" if next == "~" => destructor(code, index),
        "extension" if matches!(next, "(" | "<") => extension(code, index),
        "operator" => compound_operator(code, index),
        _ => {}
    }

    if matches!(code.word(index), "ref" | "out" | "in" | "scoped") {
        lambda_modifier(code, index);
    }
}

/// Reports whether a word is a name: the next token is one of these marks, the end of an
/// interpolation, or a word that follows an operand.
fn is_name_before(code: &Rewriter<'_>, next: usize, marks: &str) -> bool {
    let ends_operand = matches!(code.word(next), "is" | "switch" | "in") && marks.contains('&');
    code.is_mark(next, marks) || ends_operand || code.ends_hole(next)
}

/// Reports whether `nint` is a variable: `nint = 1`, `(nint.A`, `return nint;`.
fn is_native_name(code: &Rewriter<'_>, index: usize) -> bool {
    code.assigns(index + 1)
        || (code.is_mark(index + 1, ";.=")
            && matches!(code.before(index), "(" | "," | "=" | "return"))
}

/// Reports whether `_` is a name that the grammar takes for a discard: `from _ in x`, `join T _ in
/// x`, `let _ = x`, `into _`.
fn is_range_variable(code: &Rewriter<'_>, index: usize) -> bool {
    const WORDS: [&str; 2] = ["from", "join"];
    match code.word(index + 1) {
        "in" => {
            WORDS.contains(&code.before(index))
                || (index > 1 && WORDS.contains(&code.before(index - 1)))
        }
        "=" => code.before(index) == "let",
        _ => code.before(index) == "into",
    }
}

/// Swaps `ref partial struct` into the order that the grammar knows: `partial ref struct`.
fn ref_partial(code: &mut Rewriter<'_>, index: usize) {
    let (Some(first), Some(second)) = (code.token(index), code.token(index + 1)) else {
        return;
    };
    if second.start == first.end + 1 {
        code.write(index, "partial ref", RewriteKind::Plain);
    }
}

/// Masks `unsafe ~C() { }`.
fn destructor(code: &mut Rewriter<'_>, index: usize) {
    let shape =
        code.is_word(index + 2) && code.word(index + 3) == "(" && code.word(index + 4) == ")";
    if shape && matches!(code.word(index + 5), "{" | "=" | ";") {
        code.blank(index, index);
    }
}

/// Masks `extension<T>(R r) { }` as `class ex_<T>(R r) { }`, or if the receiver has no name as
/// `class ex_<T>:R  { }`.
fn extension(code: &mut Rewriter<'_>, index: usize) {
    if !matches!(code.before(index), "{" | "}" | ";" | "]") {
        return;
    }

    let mut open = index + 1;
    if code.word(open) == "<" {
        let mut depth = 0;
        while code.token(open).is_some() {
            match code.word(open) {
                "<" => depth += 1,
                ">" => depth -= 1,
                ";" | "{" => return,
                _ => {}
            }

            open += 1;
            if depth == 0 {
                break;
            }
        }
    }

    let Some(close) = code.partner(open).filter(|_| code.word(open) == "(") else {
        return;
    };
    if !matches!(code.word(close + 1), "{" | "where") {
        return;
    }

    code.write(index, "class ex_", RewriteKind::Extension);
    let named = close > open + 2
        && code.is_word(close - 1)
        && (code.is_word(close - 2) || code.is_mark(close - 2, ">]?*)"));
    if !named {
        code.write(open, ":", RewriteKind::Plain);
        code.blank(close, close);
    }
}

/// Masks `operator +=` as `operator +`.
fn compound_operator(code: &mut Rewriter<'_>, index: usize) {
    let first = if code.word(index + 1) == "checked" {
        index + 2
    } else {
        index + 1
    };
    let mut open = first;
    while code.is_mark(open, "+-*/%&|^<>=!~") {
        open += 1;
    }
    let is_compound = open > first + 1 && code.word(open) == "(" && code.word(open - 1) == "=";
    let is_comparison = open == first + 2 && code.is_mark(first, "=!<>");
    if is_compound && !is_comparison {
        code.blank(open - 1, open - 1);
    }
}

/// Blanks the modifier of a lambda parameter without a type, `(ref x, out y) => 1`, and one that
/// the grammar takes for an argument's, `F((out T x) => 1)`.
fn lambda_modifier(code: &mut Rewriter<'_>, index: usize) {
    if !matches!(code.before(index), "(" | ",") || !code.is_word(index + 1) {
        return;
    }

    let bare = matches!(code.word(index + 2), "," | ")");
    if !bare && code.word(index) != "out" {
        return;
    }
    let Some(close) = closing(code, index).filter(|close| code.is_pair(close + 1, "=", ">")) else {
        return;
    };

    if bare
        || code
            .partner(close)
            .is_some_and(|open| !is_declared(code, open))
    {
        code.blank(index, index);
    }
}

/// Returns the `)` of the parameter list that contains a token.
fn closing(code: &Rewriter<'_>, index: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in index..index + MAX_PARAMETERS {
        match code.word(at) {
            "" => return None,
            "(" => depth += 1,
            ")" if depth == 0 => return Some(at),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Reports whether the parameters after a `(` are those of a method: its name or type parameters
/// come before.
fn is_declared(code: &Rewriter<'_>, open: usize) -> bool {
    let before = code.before(open);
    let is_arrow = open > 1 && code.is_pair(open - 2, "=", ">");
    before == ">" && !is_arrow || open > 0 && code.is_word(open - 1) && !begins_operand(before)
}
