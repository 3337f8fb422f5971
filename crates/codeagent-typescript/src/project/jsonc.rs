//! JSON with comments, as TypeScript's tools read it: comments, a comma after the last element and
//! a byte order mark are allowed.
//!
//! Limitations: any other error makes the whole file unreadable, as does nesting deeper than 512
//! levels.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

/// The extensions of JSON that TypeScript's tools accept.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The position of a syntax error; line and column count from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSONC at line {line}, column {column}")]
pub(super) struct JsoncError {
    line: usize,
    column: usize,
}

pub(super) fn parse(text: &str) -> Result<Value, JsoncError> {
    let text = text.trim_start_matches('\u{feff}');
    match parse_to_serde_value::<Option<Value>>(text, &OPTIONS) {
        Ok(Some(value)) => Ok(value),
        // The text is empty, or `null`.
        Ok(None) => Err(JsoncError { line: 1, column: 1 }),
        Err(error) => Err(JsoncError {
            line: error.line_display(),
            column: error.column_display(),
        }),
    }
}

/// Returns the strings of an array, or the one string.
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
    fn comments_and_trailing_commas_are_allowed() {
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
            (
                r#"{"a": "\ud83d\ude00\u00e4\/", "b": [-1.5e3, 18446744073709551615]}"#,
                "{\"a\":\"\u{1f600}\u{e4}/\",\"b\":[-1500.0,18446744073709551615]}",
            ),
            (r#"{"z": 1, "a": 2, "z": 3}"#, r#"{"z":3,"a":2}"#),
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
            "null",
            "{'a': 1}",
            "{a: 1}",
            "[1 2]",
            "[0x1]",
            "[+1]",
            "[.5]",
            "[NaN]",
            "# comment\n{}",
            r#"["\x41"]"#,
            "{} {}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }

        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&format!("{}1{}", "[".repeat(512), "]".repeat(512))).is_ok());
    }

    #[test]
    fn errors_have_a_line_and_a_column() {
        let error = parse("{\r\n  \"\u{e4}\": 1, // x\r\n  \"\u{e4}\": oops\r\n}").unwrap_err();
        assert_eq!(error.to_string(), "invalid JSONC at line 3, column 8");
    }
}
