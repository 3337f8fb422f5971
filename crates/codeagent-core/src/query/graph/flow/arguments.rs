//! The arguments of a call that say most: strings and members of types, `("/carts")`, `(Protocol.Ssh, ..)`.
//!
//! Limitations: only the line of the call is read.

/// Maximum length of shown arguments, in bytes.
const MAX_BYTES: usize = 100;

/// Returns the arguments that a text begins with, if they contain a string or a member of a type. If they
/// continue on the next line, returns the first one.
pub(super) fn constants(text: &str) -> Option<String> {
    let inner = text.strip_prefix('(')?;
    let (mut depth, mut quote, mut first) = (1_usize, None, None);
    let mut is_escaped = false;
    for (at, c) in inner.char_indices() {
        let was_escaped = is_escaped;
        is_escaped = c == '\\' && !was_escaped;
        match (quote, c) {
            (Some(open), _) if c == open && !was_escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 1 => {
                first.get_or_insert(at);
            }
            _ => {}
        }
        if depth == 0 {
            return shown(&inner[..at], "");
        }
    }
    shown(&inner[..first?], ", ..")
}

fn shown(arguments: &str, rest: &str) -> Option<String> {
    let has_constant = arguments.contains(['"', '\'', '`']) || names_member(arguments);
    let is_short = arguments.len() <= MAX_BYTES && !arguments.contains("=>");
    (has_constant && is_short).then(|| format!("({arguments}{rest})"))
}

/// Reports whether a text names the member of a type: `Protocol.Ssh`.
fn names_member(text: &str) -> bool {
    text.match_indices('.').any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = text[..at].rsplit(|c| !is_word(c)).next();
        let is_type = before.is_some_and(|name| name.starts_with(char::is_uppercase));
        is_type && text[at + 1..].starts_with(char::is_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_for_their_constants() {
        for (text, expected) in [
            ("(\"a, (b\", c);", Some("(\"a, (b\", c)")),
            ("(`/a/${b}`, {", Some("(`/a/${b}`, ..)")),
            (r#"("a\" , b", {"#, Some(r#"("a\" , b", ..)"#)),
            ("(Kind.Vnc)", Some("(Kind.Vnc)")),
            ("(kind.Vnc)", None),
            ("(a, b)", None),
            ("({ a:", None),
            ("(() => f(\"a\"))", None),
            ("<T>(\"a\")", None),
        ] {
            assert_eq!(constants(text).as_deref(), expected, "{text}");
        }
    }
}
