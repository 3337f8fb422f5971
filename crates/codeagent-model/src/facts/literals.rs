//! String literals that name something, names in code excluded by `#if`, and calls that take an
//! anonymous callback.

use serde::{Deserialize, Serialize};

use super::{Sym, relative};

/// A string literal that reads as a name: a route, an event, a key or a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringLiteral {
    /// The text between the quotes, as written.
    pub text: Sym,
    /// The line it starts on.
    #[serde(with = "relative::line")]
    pub line: u32,
}

/// A name in code excluded by `#if`, which is not lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InactiveName {
    /// The name, which may be a keyword too.
    pub name: Sym,
    /// 1-based line.
    #[serde(with = "relative::line")]
    pub line: u32,
}

/// A call with an anonymous function and a string among its arguments, such as
/// `router.post("documents.archive", auth(), async (ctx) => { .. })`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Callback {
    /// First line: that of the called name.
    #[serde(with = "relative::line")]
    pub start: u32,
    /// Last line: that of the closing parenthesis.
    #[serde(with = "relative::line")]
    pub end: u32,
    /// The called name and the first string: `router.post "documents.archive"`.
    pub label: String,
}

/// Longest text that reads as a name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Longest text of a path that reads as a name, in bytes. The placeholders of nested routes are
/// long.
const MAX_PATH_BYTES: usize = 160;

/// Reports whether a string literal reads as a name: one word of at least three characters, of
/// which one is a letter. Routes with placeholders count, prose, numbers and colours do not.
#[must_use]
pub fn reads_as_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_path = text.starts_with('/') || text.contains('/') && text.contains('{');
    let most = if is_path {
        MAX_PATH_BYTES
    } else {
        MAX_NAME_BYTES
    };
    if !(3..=most).contains(&bytes.len()) || bytes[0].is_ascii_digit() {
        return false;
    }

    let mut letters = 0;
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => letters += 1,
            b'0'..=b'9'
            | b'_'
            | b'-'
            | b'.'
            | b':'
            | b'/'
            | b'@'
            | b'#'
            | b'$'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'*'
            | b'?'
            | b'='
            | b'&'
            | b'+'
            | b'~'
            | b'('
            | b')'
            | b'|' => {}
            _ => return false,
        }
    }

    letters > 1 && !is_color(bytes)
}

fn is_color(bytes: &[u8]) -> bool {
    bytes[0] == b'#' && bytes[1..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns the normalized form of a name, which is the same for all of its spellings: lower case,
/// no slashes at the ends, `*` for each placeholder of a route. `/Users/:id`, `users/{id:int}` and
/// `users/${user.id}` have the same key.
#[must_use]
pub fn literal_key(text: &str) -> String {
    let text = text.trim_matches('/');
    let mut key = String::with_capacity(text.len());
    let mut rest = text;
    let mut at_segment = true;

    while let Some(next) = rest.chars().next() {
        let placeholder = match next {
            '$' if rest.starts_with("${") => closing(rest),
            '{' => closing(rest),
            ':' if at_segment && text.contains('/') => Some(parameter_end(rest)),
            _ => None,
        };

        at_segment = next == '/';
        match placeholder {
            Some(end) => {
                key.push('*');
                rest = &rest[end..];
            }
            None => {
                key.extend(next.to_lowercase());
                rest = &rest[next.len_utf8()..];
            }
        }
    }

    key
}

/// Returns the text under which an [`InactiveName`] is stored beside the literals. No literal that
/// reads as a name contains a space.
#[must_use]
pub fn inactive_key(name: &str) -> String {
    format!("#if {name}")
}

/// Returns the index past a parameter of a route: `:name`, `:name?`, `:name(\d+)`.
fn parameter_end(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = text[1..]
        .find(|c| !is_name(c))
        .map_or(text.len(), |end| end + 1);
    let pattern = match text[name..].starts_with('(') {
        true => text[name..]
            .find(')')
            .map_or(text.len(), |end| name + end + 1),
        false => name,
    };
    pattern + usize::from(text[pattern..].starts_with(['?', '*', '+']))
}

/// Returns the index past the first closing brace.
fn closing(text: &str) -> Option<usize> {
    text.find('}').map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_with_letters_reads_as_a_name() {
        for name in [
            "documents.archive",
            "/api/users/${id}",
            "api/[controller]/{id:int?}",
            "REDIS_URL",
            "Logging:Level",
            "click",
        ] {
            assert!(reads_as_name(name), "{name}");
        }

        for other in [
            "", "id", "a b", "10px", "#ffcc00", "---", "x=1,2", "it's", "naïve", "1.2.3",
        ] {
            assert!(!reads_as_name(other), "{other}");
        }
    }

    #[test]
    fn route_placeholders_compare_equal() {
        for route in [
            "/Users/:id/posts",
            "users/{id:int}/posts/",
            "/users/:id(\\d+)/posts",
            "users/${user.id}/posts",
        ] {
            assert_eq!(literal_key(route), "users/*/posts", "{route}");
        }
        assert_eq!(literal_key("Logging:Level"), "logging:level");
        assert_eq!(literal_key("/documents.archive"), "documents.archive");
        assert_eq!(literal_key("{"), "{");
    }
}
