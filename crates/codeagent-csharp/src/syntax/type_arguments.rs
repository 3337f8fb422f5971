//! Type arguments that the grammar takes for comparisons: after a cast, before an operand of a
//! cast, in `foreach`, before an initializer, in patterns, and of tuples. They are masked and parsed
//! in a separate text.
//!
//! `(object)a.M<T>(1)` is parsed as `(object)a.M   (1)`; separately, `class a:M<T>;` is parsed,
//! with `<T>` at its original offset.
//!
//! Limitations: lists of more than 100 tokens are left unchanged.

use crate::syntax::rewriter::{Rewriter, TypeArgumentList, begins_operand};

/// Largest number of tokens of a list, or steps of a chain, that are examined.
const MAX_STEPS: usize = 100;

/// Start of the text in which the lists are parsed.
const PREFIX: &str = "class a:";

/// Masks the list that starts with the `<` at `index`, if the grammar would misread it.
pub fn mask(code: &mut Rewriter<'_>, index: usize) {
    if index == 0 || !code.is_word(index - 1) {
        return;
    }
    let Some((close, has_tuple)) = list_end(code, index) else {
        return;
    };

    let next = code.word(close + 1);
    let is_misread = match next {
        "(" => {
            has_tuple
                || precedes_cast(code, (index - 1, close + 1))
                || follows_cast(code, index - 1)
        }
        "." => follows_cast(code, index - 1),
        "{" => {
            follows_cast(code, index - 1)
                || is_created(code, index - 1)
                    && (has_tuple || has_comma(code, index, close) && is_in_braces(code, index - 1))
        }
        "[" => has_tuple && is_created(code, index - 1),
        _ if code.is_word(close + 1) && code.word(close + 2) == "in" => {
            is_foreach_type(code, index - 1)
        }
        _ if code.is_word(close + 1) => has_tuple && is_tested(code, index - 1, close + 1),
        _ => false,
    };

    if is_misread {
        code.blank_type_list(index, close);
    }
}

/// Reports whether the name before the list is the type in `new A.B<T> { .. }`.
fn is_created(code: &Rewriter<'_>, name: usize) -> bool {
    code.before(name_start(code, name)) == "new"
}

/// Reports whether the innermost brackets around a token are braces: in an initializer,
/// `P = new A<B, C> { .. }` could be two elements, `P = new A < B` and `C > { .. }`.
fn is_in_braces(code: &Rewriter<'_>, token: usize) -> bool {
    let mut at = token;
    for _ in 0..MAX_STEPS {
        match code.before(at) {
            "" | "(" | "[" | ";" => return false,
            "{" => return true,
            ")" | "]" | "}" => match code.partner(at - 1) {
                Some(open) if open < at => at = open,
                _ => return false,
            },
            _ => at -= 1,
        }
    }
    true
}

/// Reports whether the name before the list is a type in a pattern with a designation: `is A<T> x`,
/// `case A<T> x:`, `A<T> x => ..`.
fn is_tested(code: &Rewriter<'_>, name: usize, designation: usize) -> bool {
    match code.before(name_start(code, name)) {
        "is" | "case" | "not" | "and" | "or" => true,
        "{" | "," => {
            code.is_pair(designation + 1, "=", ">") || code.word(designation + 1) == "when"
        }
        _ => false,
    }
}

/// Returns the first token of the qualified name that ends at `name`.
fn name_start(code: &Rewriter<'_>, name: usize) -> usize {
    let mut at = name;
    loop {
        match code.before(at) {
            "." if at > 1 => at -= 2,
            ":" if at > 2 && code.before(at - 1) == ":" => at -= 3,
            _ => return at,
        }
    }
}

/// Reports whether the name before the list is the type in `foreach (ref A.B<T> x in ..)`.
fn is_foreach_type(code: &Rewriter<'_>, name: usize) -> bool {
    let mut at = name_start(code, name);
    while matches!(code.before(at), "ref" | "readonly" | "scoped") {
        at -= 1;
    }
    code.before(at) == "(" && code.before(at - 1) == "foreach"
}

/// Reports whether the brackets at `open` could be parsed as a cast of the text after them:
/// `F<T>(a) + b`, `F<T>(a)[0]`, `orderby F<T>(a) descending`.
fn precedes_cast(code: &Rewriter<'_>, (name, open): (usize, usize)) -> bool {
    const WORDS: &[&str] = &[
        "ascending",
        "by",
        "descending",
        "equals",
        "group",
        "into",
        "is",
        "on",
        "orderby",
        "select",
    ];

    let Some(close) = code.partner(open) else {
        return false;
    };

    // Excludes the declaration `void F<T>(T a) where T : B`.
    let in_query = code.word(close + 1) == "where"
        && matches!(
            code.before(name),
            "in" | "equals" | "by" | "on" | "orderby" | "=" | "where"
        );

    in_query
        || code.is_mark(close + 1, "+-*&^[")
        || code.is_pair(close + 1, ".", ".")
        || WORDS.contains(&code.word(close + 1))
}

/// Returns the token that closes a type argument list (ECMA-334, 6.2.5), and whether the list
/// contains a tuple.
fn list_end(code: &Rewriter<'_>, open: usize) -> Option<(usize, bool)> {
    let mut depth = 0_usize;
    let mut has_tuple = false;
    for at in open..open + MAX_STEPS {
        match code.word(at) {
            "<" if at == open || code.is_word(at - 1) => depth += 1,
            ">" => {
                depth -= 1;
                if depth == 0 {
                    return Some((at, has_tuple));
                }
            }
            "(" if is_tuple(code, at)? => has_tuple = true,
            ")" | "[" | "]" | "," | "." | "?" | "*" | ":" => {}
            _ if code.is_word(at) => {}
            _ => return None,
        }
    }

    None
}

/// Reports whether brackets contain a comma at their own level.
fn is_tuple(code: &Rewriter<'_>, open: usize) -> Option<bool> {
    let close = code
        .partner(open)
        .filter(|close| *close > open && *close < open + MAX_STEPS)?;
    Some(has_comma(code, open, close))
}

fn has_comma(code: &Rewriter<'_>, open: usize, close: usize) -> bool {
    let mut at = open + 1;
    while at < close {
        match code.word(at) {
            "," => return true,
            "(" | "[" => at = code.partner(at).filter(|end| *end > at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    false
}

/// Reports whether the chain whose last name is at `name` follows a cast: `(T)new A`,
/// `(T)a.b(c).M`.
fn follows_cast(code: &Rewriter<'_>, name: usize) -> bool {
    let mut at = name;
    for _ in 0..MAX_STEPS {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };

        match code.word(before) {
            ")" => return is_cast(code, before),
            "new" => at = before,
            "." => match operand_start(code, before) {
                Some(start) => at = start,
                None => return false,
            },
            _ => return false,
        }
    }

    false
}

/// Returns the index at which the operand before a `.` starts.
fn operand_start(code: &Rewriter<'_>, dot: usize) -> Option<usize> {
    let mut at = dot.checked_sub(1)?;
    for _ in 0..MAX_STEPS {
        match code.word(at) {
            ")" | "]" => {
                let open = code.partner(at).filter(|open| *open > 0)?;
                if !(code.is_word(open - 1) || code.is_mark(open - 1, ")]>")) {
                    return Some(open);
                }
                at = open - 1;
            }
            "?" | "!" => at = at.checked_sub(1)?,
            ">" => at = list_start(code, at)?.checked_sub(1)?,
            _ if code.is_word(at) => return Some(at),
            _ => return None,
        }
    }

    None
}

fn list_start(code: &Rewriter<'_>, close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (close.saturating_sub(MAX_STEPS)..=close).rev() {
        match code.word(at) {
            ">" => depth += 1,
            "<" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Reports whether the brackets that end at `close` may be a cast, unlike those in the declaration
/// `(A a, B b) F<T>(C c)`.
fn is_cast(code: &Rewriter<'_>, close: usize) -> bool {
    let Some(open) = code.partner(close) else {
        return false;
    };

    let before = code.before(open);
    let is_statement = matches!(
        before,
        "if" | "while"
            | "for"
            | "foreach"
            | "using"
            | "lock"
            | "fixed"
            | "switch"
            | "catch"
            | "when"
    );

    let is_called = open > 0 && code.is_word(open - 1) && !begins_operand(before);
    let declares = matches!(before, "" | ";" | "{" | "}" | "]") && has_comma(code, open, close);
    !(is_statement || is_called || declares)
}

/// Returns the text in which the lists are parsed, as long as the original; `None` if there is no
/// room for it.
pub fn text_of(original: &str, lists: &[TypeArgumentList]) -> Option<String> {
    let (first, last) = (lists.first()?, lists.last()?);
    if first.name_end <= PREFIX.len() || last.end >= original.len() {
        return None;
    }
    let mut text = vec![b' '; original.len()];
    text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
    for list in lists {
        text[list.start - 1] = b'a';
        text[list.start..list.end].copy_from_slice(&original.as_bytes()[list.start..list.end]);
        text[list.end] = b',';
    }
    text[last.end] = b'{';
    String::from_utf8(text).ok()
}
