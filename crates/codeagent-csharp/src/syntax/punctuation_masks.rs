//! Masks that start at a bracket or operator: assignments that the grammar rejects, pointers, list
//! patterns.
//!
//! `a?.b = c` becomes `a .b = c`, `F(x) = 3` becomes `F[x] = 3`.
//!
//! Limitations: see [`crate::syntax::repair`].

use crate::syntax::rewriter::{RewriteKind, Rewriter, begins_operand};
use crate::syntax::type_arguments;

/// Largest number of steps of a chain, or tokens of a list pattern, that are examined.
const MAX_STEPS: usize = 100;

/// Applies the masks that start at the mark at `index`.
pub fn mask(code: &mut Rewriter<'_>, index: usize) {
    match code.word(index) {
        "?" => conditional_assignment(code, index),
        "!" => forgiven_target(code, index),
        ")" => call_target(code, index),
        "*" => dereference(code, index),
        "<" => type_arguments::mask(code, index),
        "[" => {
            list_pattern(code, index);
            attribute_target(code, index);
        }
        _ => {}
    }
}

/// Masks the `?` of an assigned chain: `a?.b[0].c = d`, `a?[i] = d`.
fn conditional_assignment(code: &mut Rewriter<'_>, index: usize) {
    if !code.touches_next(index) {
        return;
    }

    if code.word(index + 1) == "." && code.is_word(index + 2) {
        let end = chain_end(code, index + 3);
        if code.assigns(end) {
            code.blank(index, index);
        }
    } else if let Some(close) = code
        .partner(index + 1)
        .filter(|_| code.word(index + 1) == "[")
    {
        let before = code.before(index);
        let is_operand = matches!(before, ")" | "]")
            || (index > 0 && code.is_word(index - 1) && !begins_operand(before));
        if is_operand && code.assigns(close + 1) {
            code.blank(index, index);
        }
    }
}

/// Returns the token after the steps of a postfix chain.
fn chain_end(code: &Rewriter<'_>, mut at: usize) -> usize {
    for _ in 0..MAX_STEPS {
        at = match code.word(at) {
            "[" | "(" => match code.partner(at).filter(|close| *close > at) {
                Some(close) => close + 1,
                None => return at,
            },
            "." => at + 2,
            "?" if code.word(at + 1) == "." => at + 3,
            "!" if code.word(at + 1) != "=" => at + 1,
            _ => return at,
        };
    }
    at
}

/// Masks the `!` of an assigned name: `k! = 1`.
fn forgiven_target(code: &mut Rewriter<'_>, index: usize) {
    let is_operand =
        index > 0 && (code.is_word(index - 1) || matches!(code.before(index), ")" | "]"));
    if is_operand
        && code.word(index + 1) == "="
        && !code.touches_next(index)
        && code.assigns(index + 1)
    {
        code.blank(index, index);
    }
}

/// Masks the brackets of an assigned call: `M(x) = 3`, `G<T>() ??= y`.
fn call_target(code: &mut Rewriter<'_>, index: usize) {
    let Some(open) = code
        .partner(index)
        .filter(|open| *open > 0 && code.assigns(index + 1))
    else {
        return;
    };
    let callee = code.before(open);
    let named = code.is_word(open - 1) && !begins_operand(callee);
    let before = if open > 1 { code.word(open - 2) } else { "" };
    let is_type = matches!(before, "new" | "case" | "is" | "var" | "or" | "and" | "not");
    let is_call = if code.word(index + 1) == "?" {
        named
    } else {
        (named || callee == ">") && !is_type && callee != "__refvalue"
    };

    if !is_call {
        return;
    }

    if open + 1 == index {
        code.blank_call(open, index);
    } else {
        code.write(open, "[", RewriteKind::CallTarget);
        code.write(index, "]", RewriteKind::Plain);
    }
}

/// Masks a unary `*` before a cast, `&`, `++` or brackets.
fn dereference(code: &mut Rewriter<'_>, index: usize) {
    let before = code.before(index);
    let begins = before.is_empty()
        || code.is_mark(index - 1, "=(,[{};?:!&|+-<>~*%/")
        || matches!(
            before,
            "return" | "ref" | "in" | "out" | "is" | "case" | "else" | "throw"
        );

    let begins = begins
        || (before == ")" && is_surely_a_cast(code, index - 1))
        || (is_surely_dereferenced(code, index) && follows_operator(code, index));
    let comment = (before == "/" && code.touches_next(index - 1))
        || (code.word(index + 1) == "/" && code.touches_next(index));
    let may_end_a_type =
        matches!(before, ">" | "*" | "?" | "]") && !is_surely_dereferenced(code, index);
    if !begins || comment || may_end_a_type || follows_a_step(code, index) {
        return;
    }

    let next = code.word(index + 1);
    match next {
        "(" => dereferenced_brackets(code, index),
        "&" | "*" => code.blank(index, index + 1),
        "+" | "-" if code.word(index + 2) == next => code.blank(index, index + 2),
        _ if code.is_word(index + 1) => dereferenced_name(code, index),
        _ => {}
    }
}

/// Reports whether brackets contain a type and cannot contain a value: `(float)`, `(T*)`.
fn is_surely_a_cast(code: &Rewriter<'_>, close: usize) -> bool {
    let Some(open) = code.partner(close) else {
        return false;
    };
    let is_operand = matches!(
        code.before(open),
        "sizeof" | "typeof" | "default" | "nameof"
    );
    let last = code.before(close);
    let is_type = matches!(last, "*" | "?")
        || (last == "]" && code.before(close - 1) == "[")
        || (open + 2 == close && is_keyword_type(last));
    is_type && !is_operand
}

/// Reports whether the text after a `*` cannot be the right operand of a product: an address, or
/// brackets that contain a pointer type.
fn is_surely_dereferenced(code: &Rewriter<'_>, star: usize) -> bool {
    match code.word(star + 1) {
        "&" => true,
        "(" => code
            .partner(star + 1)
            .is_some_and(|close| code.before(close) == "*"),
        _ => false,
    }
}

/// Reports whether an operand starts at `index`: after an operator, an arrow, or a query keyword.
fn follows_operator(code: &Rewriter<'_>, index: usize) -> bool {
    const WORDS: &[&str] = &[
        "await", "by", "equals", "group", "on", "orderby", "select", "where", "yield",
    ];
    index > 0 && (code.is_mark(index - 1, "^.") || WORDS.contains(&code.before(index)))
}

fn is_keyword_type(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "bool", "byte", "char", "decimal", "double", "float", "int", "long", "object", "sbyte",
        "short", "string", "uint", "ulong", "ushort", "nint", "nuint",
    ];
    WORDS.contains(&word)
}

/// Reports whether a `*` follows `n++`, and so multiplies.
fn follows_a_step(code: &Rewriter<'_>, index: usize) -> bool {
    let Some(operand) = index.checked_sub(3) else {
        return false;
    };
    is_step(code, operand + 1)
        && (code.is_mark(operand, ")]")
            || (code.is_word(operand) && !begins_operand(code.word(operand))))
}

/// Masks `*p.q++ = 1`.
fn dereferenced_name(code: &mut Rewriter<'_>, index: usize) {
    let mut at = index + 2;
    while code.word(at) == "." {
        at += 2;
    }
    if is_step(code, at) {
        code.blank(index, index);
        if code.assigns(at + 2) {
            code.blank(at, at + 1);
        }
    }
}

fn is_step(code: &Rewriter<'_>, at: usize) -> bool {
    code.is_pair(at, "+", "+") || code.is_pair(at, "-", "-")
}

/// Masks `*(int*)p = 1` and `*(p + 1) = 2`.
fn dereferenced_brackets(code: &mut Rewriter<'_>, index: usize) {
    let Some(close) = code.partner(index + 1) else {
        return;
    };

    code.blank(index, index);
    if code.before(close) != "*" {
        return indexed_target(code, index, index + 1);
    }

    let operand = close + 1;
    let next = code.word(operand);
    if next != "(" && next != "&" && !code.is_word(operand) {
        return;
    }

    code.blank(index + 1, close);
    match next {
        "&" => code.blank(operand, operand),
        "(" => indexed_target(code, index, operand),
        _ if is_step(code, operand + 1) && code.assigns(operand + 3) => {
            code.blank(operand + 1, operand + 2)
        }
        _ => {}
    }
}

/// Masks `*(p + 1) = v` as `_[p + 1] = v`.
fn indexed_target(code: &mut Rewriter<'_>, star: usize, open: usize) {
    if let Some(close) = code.partner(open).filter(|close| code.assigns(*close + 1)) {
        code.write(star, "_", RewriteKind::Plain);
        code.write(open, "[", RewriteKind::Plain);
        code.write(close, "]", RewriteKind::Plain);
    }
}

/// Masks `[..]`, `[] when` and `.. var r` in list patterns.
fn list_pattern(code: &mut Rewriter<'_>, index: usize) {
    let Some(close) = code.partner(index) else {
        return;
    };

    let before = code.before(index);
    let after = code.word(close + 1);
    let may_be = matches!(
        before,
        "is" | "or" | "and" | "not" | "case" | "{" | "," | ":" | "("
    );

    let named = before == ":" && index > 1 && code.is_word(index - 2) && matches!(after, "}" | ",");
    // `[..] all =>`, `[..] all when`
    let is_designated = code.is_word(close + 1)
        && (code.is_pair(close + 2, "=", ">") || code.word(close + 2) == "when");
    let is_pattern = matches!(after, "when" | "or" | "and")
        || code.is_pair(close + 1, "=", ">")
        || is_designated
        || matches!(before, "is" | "not" | "or" | "and" | "case")
        || named
        || (before == ":" && after == ")");

    if !may_be || !is_pattern {
        return;
    }

    slices(code, index, close);
    if after == "when" {
        let (open_mark, close_mark) = if close == index + 1 {
            ("{", "}")
        } else {
            ("(", ")")
        };
        code.write(index, open_mark, RewriteKind::Plain);
        code.write(close, close_mark, RewriteKind::Plain);
    }
}

/// Blanks `..` before a sub-pattern; alone at the start it becomes `_`.
fn slices(code: &mut Rewriter<'_>, open: usize, close: usize) {
    let mut depth = 0usize;
    for at in (open + 1..close).take(MAX_STEPS) {
        match code.word(at) {
            "[" | "(" | "{" => depth += 1,
            "]" | ")" | "}" => depth = depth.saturating_sub(1),
            "." if depth == 0
                && code.is_pair(at, ".", ".")
                && at + 2 != close
                && !matches!(code.word(at + 2), "," | "]") =>
            {
                code.blank(at, at + 1);
            }
            _ => {}
        }
    }

    let first =
        code.is_pair(open + 1, ".", ".") && (close == open + 3 || code.word(open + 3) == ",");
    if first {
        code.blank(open + 1, open + 2);
        code.write(open + 1, "_", RewriteKind::Plain);
    }
}

/// Masks an attribute target that the grammar lacks: `[set: A]`.
fn attribute_target(code: &mut Rewriter<'_>, index: usize) {
    const KNOWN: &[&str] = &[
        "field", "event", "method", "param", "property", "return", "type", "typevar", "assembly",
        "module",
    ];
    let target =
        code.is_word(index + 1) && code.word(index + 2) == ":" && code.word(index + 3) != ":";
    let begins = matches!(code.before(index), "{" | "}" | ";" | "]" | ",");
    if target && begins && !KNOWN.contains(&code.word(index + 1)) {
        code.blank(index + 1, index + 2);
    }
}
