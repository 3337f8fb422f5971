//! JSON as TypeScript's tools read it: comments, trailing commas and a byte order mark are allowed.
//!
//! **Limits.** Any other error makes the whole file unreadable. Nesting is limited by serde_json to
//! 128 levels. `# ..` is accepted as a comment.

use serde_json::Value;

/// Parses a text.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|error| {
        let mut plain = text.to_owned();
        if json_strip_comments::strip(&mut plain).is_err() {
            return Err(error);
        }
        serde_json::from_str(&plain)
    })
}

/// The strings of an array, or the one string.
pub(super) fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_no_matter() {
        let cases = [
            ("{\"a\": 1, // x\n}", "{\"a\":1}"),
            (
                "\u{feff}{/* \"b\": 2, */ \"a\": [1, 2, ], }",
                "{\"a\":[1,2]}",
            ),
            (
                r#"{"a": "// no */ , ] \" /* x"}"#,
                r#"{"a":"// no */ , ] \" /* x"}"#,
            ),
            ("[\"**/*\", /* c */ ]", "[\"**/*\"]"),
        ];

        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
        }

        for text in [
            "",
            "{",
            "{\"a",
            "/*",
            "{\"a\": \"\\",
            "{\"a\": 1 / }",
            "[1,,]",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }

        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
