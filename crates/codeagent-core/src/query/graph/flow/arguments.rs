//! The arguments of a call that say most: strings and members of types, `("/carts")`, `(Protocol.Ssh, ..)`.
//!
//! Limitations: only the line of the call is read, and the next one of an object literal.

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

/// Returns the first property of an object literal that a text begins with and that continues on the next
/// line, if it is a string or a member of a type: `({ name: "close", .. })`.
pub(super) fn first_property(text: &str, next_line: &str) -> Option<String> {
    let property = next_line.trim().strip_suffix(',')?;
    let (name, value) = property.split_once(": ")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_value = value.starts_with(['"', '\'', '`']) || names_member(value);
    let is_shown = text.trim_end() == "({" && is_name && is_value && property.len() <= MAX_BYTES;
    is_shown.then(|| format!("({{ {property}, .. }})"))
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
    fn the_first_property_of_an_object_is_shown_for_its_constant() {
        for (text, next, expected) in [
            ("({", "  name: 'a.b',", Some("({ name: 'a.b', .. })")),
            ("({", "event: Kind.Vnc,", Some("({ event: Kind.Vnc, .. })")),
            ("({", "name: 'a.b'", None),
            ("({", "name: a.b,", None),
            ("(a, {", "name: 'a.b',", None),
        ] {
            assert_eq!(first_property(text, next).as_deref(), expected, "{next}");
        }
    }

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
