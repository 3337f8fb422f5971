//! Reads JSON as TypeScript's tools do: comments, commas after the last element and a byte order mark are allowed.
//!
//! **Limits.** What else is wrong makes the file unreadable as a whole; nesting is limited by serde_json (128 levels).

use serde_json::Value;

/// The value of a text.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain(text)))
}

/// The strings of an array, or the one string.
pub(super) fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The text without comments and without commas before a closing bracket.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            string_length(rest)
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            out.push(' ');
            continue;
        } else {
            first.len_utf8()
        };
        if matches!(first, '}' | ']') {
            let kept = out.trim_end();
            if let Some(kept) = kept.strip_suffix(',') {
                out.truncate(kept.len());
            }
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The length of the string literal a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_no_matter() {
        let cases = [
            ("{\"a\": 1, // x\n}", "{\"a\":1}"),
            ("\u{feff}{/* \"b\": 2, */ \"a\": [1, 2, ], }", "{\"a\":[1,2]}"),
            (r#"{"a": "// no */ , ] \" /* x"}"#, r#"{"a":"// no */ , ] \" /* x"}"#),
            ("[\"**/*\", /* c */ ]", "[\"**/*\"]"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "{", "{\"a", "/*", "{\"a\": \"\\"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
