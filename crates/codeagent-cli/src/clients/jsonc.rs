//! Sets or removes one key of a JSON file with comments and keeps every other byte.
//!
//! The parser reports the positions of keys, values and commas, and an edit replaces a range of the
//! text: comments, order, indentation, line endings and trailing commas elsewhere stay. The edits
//! of `jsonc_parser::cst` are not used because they reformat: they break an object on one line into
//! several, drop blank lines at its ends, and remove the comments on a removed member's line.
//!
//! Limitations: a text that is not JSON with comments is refused, never repaired.

use std::ops::Range;

use jsonc_parser::ast::{self, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// JSON with comments and trailing commas, and no other extension.
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

/// Why a file is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsoncError {
    /// The text is not JSON with comments. Both count from 1, the column in characters.
    #[error("invalid JSONC at line {line}, column {column}")]
    Syntax { line: usize, column: usize },
    /// A value that should be an object is something else.
    #[error("the key that should hold the servers is not an object")]
    NoObject,
}

impl From<ParseError> for JsoncError {
    fn from(error: ParseError) -> Self {
        Self::Syntax {
            line: error.line_display(),
            column: error.column_display(),
        }
    }
}

/// Returns the value under a path of keys.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, JsoncError> {
    let [outer @ .., key] = path else {
        return Ok(None);
    };
    if text.trim().is_empty() {
        return Ok(None);
    }

    let document = Document::parse(split_mark(text).1)?;
    let member = document.object(outer)?.and_then(|object| find(object, key));
    match member {
        Some(member) => {
            let value = &document.text[range_of(&member.value)];
            Ok(Some(parse_to_serde_value(value, &OPTIONS)?))
        }
        None => Ok(None),
    }
}

/// Returns the text with a value under a path of keys; missing objects on the way are created.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, JsoncError> {
    let (mark, text) = split_mark(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let document = Document::parse(text)?;

    let mut object = &document.root;
    for (at, key) in path.iter().enumerate() {
        let rest = &path[at + 1..];
        let Some(member) = find(object, key) else {
            let value = rest.iter().rev().fold(
                value.clone(),
                |inner, key| serde_json::json!({ *key: inner }),
            );
            return Ok(format!("{mark}{}", document.with(object, key, &value)));
        };
        if rest.is_empty() {
            let range = range_of(&member.value);
            let value = pretty(value, &indent_of_line(text, range.start), text);
            return Ok(format!("{mark}{}", splice(text, range, &value)));
        }
        object = as_object(&member.value)?;
    }
    Ok(format!("{mark}{text}"))
}

/// Returns the text without the value under a path of keys, or `None` if there is no such value.
/// `with_outer` also removes the object around it if that becomes empty. Comments stay.
pub fn unset(text: &str, path: &[&str], with_outer: bool) -> Result<Option<String>, JsoncError> {
    let [outer @ .., key] = path else {
        return Ok(None);
    };
    if text.trim().is_empty() {
        return Ok(None);
    }

    let (mark, text) = split_mark(text);
    let document = Document::parse(text)?;
    let Some(object) = document.object(outer)? else {
        return Ok(None);
    };
    let named = |member: &ObjectProp<'_>| member.name.as_str() == *key;
    let Some(at) = object.properties.iter().rposition(named) else {
        return Ok(None);
    };

    let rest = if with_outer && !outer.is_empty() && document.holds_nothing_else(object) {
        unset(text, outer, false)?
    } else {
        Some(document.without(object, at))
    };
    Ok(rest.map(|rest| format!("{mark}{rest}")))
}

/// Splits a byte order mark off a text.
fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { 3 } else { 0 })
}

/// A parsed text whose value is an object.
struct Document<'a> {
    text: &'a str,
    root: ast::Object<'a>,
    /// All tokens except comments.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    fn parse(text: &'a str) -> Result<Self, JsoncError> {
        let collected = CollectOptions {
            tokens: true,
            ..CollectOptions::default()
        };
        let parsed = parse_to_ast(text, &collected, &OPTIONS)?;
        let tokens = parsed.tokens.unwrap_or_default();

        // The parser accepts strings that continue on the next line.
        let is_broken = |token: &&TokenAndRange<'_>| {
            matches!(token.token, Token::String(_)) && text[range_of(*token)].contains('\n')
        };
        if let Some(token) = tokens.iter().find(is_broken) {
            return Err(syntax_error(text, token.range.start));
        }

        match parsed.value {
            Some(ast::Value::Object(root)) => Ok(Self { text, root, tokens }),
            Some(_) => Err(JsoncError::NoObject),
            None => Err(syntax_error(text, text.len())),
        }
    }

    /// Returns the object under a path of keys.
    fn object(&self, path: &[&str]) -> Result<Option<&ast::Object<'a>>, JsoncError> {
        let mut object = &self.root;
        for key in path {
            let Some(member) = find(object, key) else {
                return Ok(None);
            };
            object = as_object(&member.value)?;
        }
        Ok(Some(object))
    }

    /// Returns the end of a member's comma, or `None` if none follows it.
    fn comma(&self, member: &ObjectProp<'_>) -> Option<usize> {
        let end = member.range.end;
        let next = self.tokens.partition_point(|token| token.range.start < end);
        let next = self.tokens.get(next)?;
        matches!(next.token, Token::Comma).then_some(next.range.end)
    }

    /// Reports whether an object has one member and no comment.
    fn holds_nothing_else(&self, object: &ast::Object<'_>) -> bool {
        let [member] = object.properties.as_slice() else {
            return false;
        };
        let inside = inside(object);
        let end = self.comma(member).unwrap_or(member.range.end);
        // Without its comma, what is between the two is a comment or space.
        let between = self.text[member.range.end..end].trim_end_matches(',');
        [
            &self.text[inside.start..member.range.start],
            between,
            &self.text[end..inside.end],
        ]
        .iter()
        .all(|text| text.trim().is_empty())
    }

    /// Returns the text without one member of an object.
    fn without(&self, object: &ast::Object<'_>, at: usize) -> String {
        let (text, inside) = (self.text, inside(object));
        let member = &object.properties[at];
        let before = at.checked_sub(1).map(|before| &object.properties[before]);
        let comma = self.comma(member);

        // A comment between the value and its comma stays.
        let comment = comma.map_or("", |comma| &text[member.range.end..comma - 1]);
        let end = comma.unwrap_or(member.range.end);
        let rest = format!("{}{}", comment.trim_end(), &text[end..]);

        let from = before.map_or(inside.start, |before| {
            self.comma(before).unwrap_or(before.range.end)
        });
        let kept = text[from..member.range.start].trim_end();
        let in_line_comment = kept.lines().last().is_some_and(|line| line.contains("//"));
        let ends_line = rest
            .trim_start_matches([' ', '\t'])
            .starts_with(['\r', '\n']);
        // The rest must not become part of a line comment.
        let begin = if in_line_comment && !ends_line {
            member.range.start
        } else {
            from + kept.len()
        };

        let mut result = format!("{}{rest}", &text[..begin]);
        // Removing the last member also removes the comma before it.
        if let (Some(before), None) = (before, comma)
            && let Some(comma) = self.comma(before)
        {
            result.replace_range(comma - 1..comma, "");
        }
        let is_empty =
            object.properties.len() == 1 && result[inside.start..].trim_start().starts_with('}');
        if is_empty {
            close(&result, inside.start)
        } else {
            result
        }
    }

    /// Returns the text with another member at the end of an object.
    fn with(&self, object: &ast::Object<'_>, key: &str, value: &Value) -> String {
        let (text, inside) = (self.text, inside(object));
        let newline = newline(text);
        let outer = indent_of_line(text, inside.start);
        let inner = match object.properties.first() {
            Some(first) if text[inside.start..first.range.start].contains('\n') => {
                indent_of_line(text, first.range.start)
            }
            _ => format!("{outer}{}", unit(text)),
        };
        let value = pretty(value, &inner, text);
        let member = format!("{newline}{inner}{}: {value}", Value::from(key));

        let Some(last) = object.properties.last() else {
            let space = &text[inside.clone()];
            if space.trim().is_empty() {
                return splice(text, inside, &format!("{member}{newline}{outer}"));
            }
            let at = inside.start + space.trim_end().len();
            return splice(text, at..at, &member);
        };
        if let Some(comma) = self.comma(last) {
            let at = after_line_comment(text, comma);
            return splice(text, at..at, &format!("{member},"));
        }
        let end = last.range.end;
        let at = after_line_comment(text, end);
        splice(&splice(text, at..at, &member), end..end, ",")
    }
}

/// Finds the member with a key; of two with the same key, readers use the last one.
fn find<'o, 'a>(object: &'o ast::Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    let mut members = object.properties.iter().rev();
    members.find(|member| member.name.as_str() == key)
}

fn as_object<'o, 'a>(value: &'o ast::Value<'a>) -> Result<&'o ast::Object<'a>, JsoncError> {
    match value {
        ast::Value::Object(object) => Ok(object),
        _ => Err(JsoncError::NoObject),
    }
}

fn range_of(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

/// Returns the range between an object's braces.
fn inside(object: &ast::Object<'_>) -> Range<usize> {
    object.range.start + 1..object.range.end - 1
}

fn syntax_error(text: &str, at: usize) -> JsoncError {
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    JsoncError::Syntax {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
    }
}

/// Returns the end of a line comment that follows on the same line, or `at` if there is none.
fn after_line_comment(text: &str, at: usize) -> usize {
    let line = text[at..].split('\n').next().unwrap_or_default();
    if line.trim_start().starts_with("//") {
        at + line.trim_end().len()
    } else {
        at
    }
}

/// Removes the space up to the end of an empty object.
fn close(text: &str, inside: usize) -> String {
    let space = text[inside..].len() - text[inside..].trim_start().len();
    splice(text, inside..inside + space, "")
}

fn splice(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// Formats a value over several lines with the line endings and indentation unit of `text`;
/// `indent` precedes all lines but the first.
fn pretty(value: &Value, indent: &str, text: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit(text).as_bytes());
    // Writing to memory does not fail.
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
        .ok();
    let lines = String::from_utf8(bytes).unwrap_or_default();
    lines.replace('\n', &format!("{}{indent}", newline(text)))
}

fn indent_of_line(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..]
        .chars()
        .take_while(|c| *c == ' ' || *c == '\t')
        .collect()
}

/// Returns the line ending of a text's first line.
fn newline(text: &str) -> &'static str {
    let first = text.split_once('\n').map(|(line, _)| line);
    if first.is_some_and(|line| line.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

/// Returns the indentation of one level, taken from the first indented line.
fn unit(text: &str) -> &str {
    let indented = text
        .lines()
        .find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: &[&str] = &["mcpServers", "codeagent"];

    /// Texts, and whether setting and unsetting a key restores the same bytes.
    const TEXTS: &[(&str, bool)] = &[
        ("{\n  \"a\": 1\n}\n", true),
        (
            "{\n    \"a\": 1, // one\n    /* servers */ \"mcpServers\": {\n        \"x\": { \"command\": \"x\" } // x\n    }\n}",
            true,
        ),
        (
            "// head\n{\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t},\n\t\"b\": [1, 2,],\n}\n",
            true,
        ),
        ("{\"a\":1}", true),
        ("{ \"mcpServers\": { /* none yet */ } }", true),
        (
            "{\"url\": \"http://x/*\", \"n\": -1.5e3, \"t\": true}",
            true,
        ),
        ("{}", true),
        ("{ // c\n}\n", true),
        ("{\n  // one\n  /* two */\n}\n", true),
        ("\u{feff}{\r\n  \"a\": \"\\\"}\"\r\n}\r\n", true),
        ("", false),
        ("{\n  \"mcpServers\": {}\n}\n", false),
    ];

    #[test]
    fn setting_and_removing_a_key_keeps_the_rest() {
        let value = json!({ "command": "/bin/codeagent", "args": ["mcp"] });
        for (text, round_trip) in TEXTS {
            let with = set(text, PATH, &value).unwrap();
            assert_eq!(get(&with, PATH).unwrap(), Some(value.clone()), "{with}");
            assert_eq!(
                with.matches("//").count() + with.matches("/*").count(),
                text.matches("//").count() + text.matches("/*").count()
            );
            assert_eq!(set(&with, PATH, &value).unwrap(), with, "twice is once");

            let before = get(text, &["a"]).unwrap_or_default();
            assert_eq!(get(&with, &["a"]).unwrap(), before, "{with}");

            let without = unset(&with, PATH, true).unwrap().unwrap();
            assert_eq!(get(&without, PATH).unwrap(), None);
            if *round_trip {
                assert_eq!(&without, text, "after {with}");
            }
            assert_eq!(unset(&without, PATH, true).unwrap(), None);
        }
    }

    #[test]
    fn a_replaced_value_stays_in_its_position() {
        let text = "{ \"mcpServers\": { \"codeagent\": { \"command\": \"old\" }, \"z\": 1 } }";
        let with = set(text, PATH, &json!(2)).unwrap();
        assert_eq!(with, "{ \"mcpServers\": { \"codeagent\": 2, \"z\": 1 } }");
        assert_eq!(
            unset(&with, PATH, true).unwrap().unwrap(),
            "{ \"mcpServers\": { \"z\": 1 } }"
        );

        let last = "{\n  \"mcpServers\": {\n    \"z\": 1,\n    \"codeagent\": 2 // ours\n  }\n}\n";
        assert_eq!(
            unset(last, PATH, true).unwrap().unwrap(),
            "{\n  \"mcpServers\": {\n    \"z\": 1 // ours\n  }\n}\n"
        );

        let commented = "{ \"mcpServers\": {\n  // ours\n  \"codeagent\": {/* x */ \"a\": [1,],},\n  // theirs\n  \"z\": 1 } }";
        assert_eq!(get(commented, PATH).unwrap(), Some(json!({ "a": [1] })));
        assert_eq!(
            unset(commented, PATH, true).unwrap().unwrap(),
            "{ \"mcpServers\": {\n  // ours\n  // theirs\n  \"z\": 1 } }"
        );

        let crowded = "{ \"mcpServers\": { // keep\n \"codeagent\": 1, \"z\": 2 } }";
        assert_eq!(
            unset(crowded, PATH, true).unwrap().unwrap(),
            "{ \"mcpServers\": { // keep\n  \"z\": 2 } }"
        );

        let empty = "{ \"mcpServers\": { \"codeagent\": 1 } }";
        assert_eq!(
            unset(empty, PATH, false).unwrap().unwrap(),
            "{ \"mcpServers\": {} }"
        );
        assert_eq!(unset(empty, PATH, true).unwrap().unwrap(), "{}");

        let before_comma =
            "{ \"mcpServers\": { \"z\": 2 /* two */, \"codeagent\": 1 /* ours */ } }";
        assert_eq!(
            unset(before_comma, PATH, true).unwrap().unwrap(),
            "{ \"mcpServers\": { \"z\": 2 /* two */ /* ours */ } }"
        );
    }

    #[test]
    fn invalid_json_is_left_unchanged() {
        for text in [
            "{",
            "{]",
            "[",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\": 1 \"b\": 2}",
            "{} {}",
            "{\"a\": \"x\n\"}",
            "/* {}",
            "{'a': 1}",
            "{\"a\": \\}",
        ] {
            assert!(set(text, PATH, &json!(1)).is_err(), "{text}");
            assert!(unset(text, PATH, true).is_err(), "{text}");
        }

        for text in ["[]", "1", "{\"mcpServers\": []}", "{\"mcpServers\": null}"] {
            assert_eq!(
                set(text, PATH, &json!(1)),
                Err(JsoncError::NoObject),
                "{text}"
            );
        }

        assert!(set(&"{\"a\":".repeat(100_000), PATH, &json!(1)).is_err());
    }

    #[test]
    fn inserted_lines_have_the_line_ends_of_the_file() {
        let text = "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}\r\n\t}\r\n}\r\n";
        assert_eq!(
            set(text, PATH, &json!({ "command": "c" })).unwrap(),
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {},\r\n\t\t\"codeagent\": {\r\n\t\t\t\"command\": \"c\"\r\n\t\t}\r\n\t}\r\n}\r\n"
        );
        let open = "{\n  \"mcpServers\": {\n\n    \"x\": 1 /* one */,\n\n  },\n}\n";
        assert_eq!(
            set(open, PATH, &json!(2)).unwrap(),
            "{\n  \"mcpServers\": {\n\n    \"x\": 1 /* one */,\n    \"codeagent\": 2,\n\n  },\n}\n"
        );
    }

    #[test]
    fn errors_have_a_line_and_a_column() {
        for (text, place) in [
            ("{\n  \"\u{e4}\": oops\n}", "line 2, column 8"),
            ("\u{feff}{\"a\": 1,\r\n \"b\": \"x\n\"}", "line 2, column 7"),
            ("// nothing\n", "line 2, column 1"),
        ] {
            let error = set(text, PATH, &json!(1)).unwrap_err();
            assert_eq!(error.to_string(), format!("invalid JSONC at {place}"));
        }
    }
}
