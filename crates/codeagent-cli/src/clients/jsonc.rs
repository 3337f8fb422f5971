//! How is one key of a JSON file set or removed, and nothing else of the file changed? By
//! exchanging its text: comments, order, indentation and trailing commas of the rest stay as they
//! are.
//!
//! **Limits.** A text that is no JSON with comments is refused, never mended.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// Why a file is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsoncError {
    /// No JSON.
    #[error("not valid JSON (byte {0})")]
    Syntax(usize),
    /// Something else stands where an object should.
    #[error("the value that holds the servers is not an object")]
    NoObject,
}

/// Objects within each other; more are refused.
const DEEPEST: usize = 256;

/// The value under a path of keys.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, JsoncError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut object = Object::root(text)?;
    for (at, key) in path.iter().enumerate() {
        let Some(member) = object.find(key) else {
            return Ok(None);
        };
        let value = member.value.clone();
        if at + 1 == path.len() {
            return serde_json::from_str(&plain(&text[value.clone()]))
                .map(Some)
                .map_err(|_| JsoncError::Syntax(value.start));
        }
        object = Object::at(text, value.start)?;
    }
    Ok(None)
}

/// The text with a value under a path of keys; objects on the way are made.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, JsoncError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let mut object = Object::root(text)?;
    for (at, key) in path.iter().enumerate() {
        let rest = &path[at + 1..];
        let Some(member) = object.find(key) else {
            let value = rest.iter().rev().fold(
                value.clone(),
                |inner, key| serde_json::json!({ *key: inner }),
            );
            return Ok(object.with(text, key, &value));
        };
        let place = member.value.clone();
        if rest.is_empty() {
            return Ok(splice(
                text,
                place.clone(),
                &pretty(value, &indent_of_line(text, place.start), unit(text)),
            ));
        }
        object = Object::at(text, place.start)?;
    }
    Ok(text.to_owned())
}

/// The text without the value under a path of keys; `with_outer`: and without the object around it
/// if that is empty then. `None` if it is not there. Comments stay.
pub fn unset(text: &str, path: &[&str], with_outer: bool) -> Result<Option<String>, JsoncError> {
    let [outer @ .., key] = path else {
        return Ok(None);
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut object = Object::root(text)?;
    for key in outer {
        let Some(member) = object.find(key) else {
            return Ok(None);
        };
        object = Object::at(text, member.value.start)?;
    }
    let Some(at) = object.members.iter().position(|member| member.key == *key) else {
        return Ok(None);
    };
    let (member, inside) = (&object.members[at], &object.inside);
    let has_comma = member.end > member.value.end;
    // What is between the value and its comma, and what is said before and after.
    let remark = if has_comma {
        &text[member.value.end..member.end - 1]
    } else {
        ""
    };
    let is_alone = [
        &text[inside.start..member.begin],
        remark,
        &text[member.end..inside.end],
    ]
    .iter()
    .all(|text| text.trim().is_empty());
    if object.members.len() == 1 && is_alone && with_outer && !outer.is_empty() {
        return unset(text, outer, false);
    }
    let rest = format!("{}{}", remark.trim_end(), &text[member.end..]);
    let before = at.checked_sub(1).map(|before| &object.members[before]);
    let from = before.map_or(inside.start, |before| before.end);
    let said = text[from..member.begin].trim_end();
    let is_line_open = said.lines().last().is_some_and(|line| line.contains("//"));
    let ends_line = rest
        .trim_start_matches([' ', '\t'])
        .starts_with(['\r', '\n']);
    // What follows must not become a part of the comment before.
    let begin = if is_line_open && !ends_line {
        member.begin
    } else {
        from + said.len()
    };
    let mut rest = format!("{}{rest}", &text[..begin]);
    if let Some(before) = before.filter(|_| at + 1 == object.members.len() && !has_comma) {
        // The last one takes the comma before it along.
        rest = splice(&rest, before.end - 1..before.end, "");
    }
    let is_empty = object.members.len() == 1 && rest[inside.start..].trim_start().starts_with('}');
    Ok(Some(if is_empty {
        close(&rest, inside.start)
    } else {
        rest
    }))
}

/// After what is said on the rest of a line.
fn after_remark(text: &str, at: usize) -> usize {
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

fn splice(text: &str, place: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..place.start], &text[place.end..])
}

/// A value over several lines, all but the first with this indentation.
fn pretty(value: &Value, indent: &str, unit: &str) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
    // A value is always written.
    value.serialize(&mut serializer).ok();
    let text = String::from_utf8(bytes).unwrap_or_default();
    text.replace('\n', &format!("\n{indent}"))
}

fn indent_of_line(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..]
        .chars()
        .take_while(|c| *c == ' ' || *c == '\t')
        .collect()
}

struct Member {
    key: String,
    begin: usize,
    value: Range<usize>,
    /// After the comma, if there is one, else after the value.
    end: usize,
}

struct Object {
    members: Vec<Member>,
    /// Between the braces.
    inside: Range<usize>,
}

impl Object {
    fn root(text: &str) -> Result<Self, JsoncError> {
        let mut scanner = Scanner {
            text: text.as_bytes(),
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        };
        scanner.space()?;
        let begin = scanner.at;
        scanner.value()?;
        scanner.space()?;
        if scanner.at < text.len() {
            Err(JsoncError::Syntax(scanner.at))
        } else {
            Self::at(text, begin)
        }
    }

    /// The object that begins at a byte.
    fn at(text: &str, begin: usize) -> Result<Self, JsoncError> {
        let mut scanner = Scanner {
            text: text.as_bytes(),
            at: begin,
        };
        if scanner.peek() != Some(b'{') {
            return Err(JsoncError::NoObject);
        }
        scanner.at += 1;
        let mut members = Vec::new();
        loop {
            scanner.space()?;
            if scanner.peek() == Some(b'}') {
                return Ok(Self {
                    members,
                    inside: begin + 1..scanner.at,
                });
            }
            let first = scanner.at;
            scanner.string()?;
            let key = serde_json::from_str(&text[first..scanner.at])
                .map_err(|_| JsoncError::Syntax(first))?;
            scanner.space()?;
            scanner.expect(b':')?;
            scanner.space()?;
            let value = scanner.at;
            scanner.value()?;
            let value = value..scanner.at;
            let mut end = scanner.at;
            scanner.space()?;
            if scanner.peek() == Some(b',') {
                scanner.at += 1;
                end = scanner.at;
            } else if scanner.peek() != Some(b'}') {
                return Err(JsoncError::Syntax(scanner.at));
            }
            members.push(Member {
                key,
                begin: first,
                value,
                end,
            });
        }
    }

    fn find(&self, key: &str) -> Option<&Member> {
        // Of two of a name, readers take the last one.
        self.members.iter().rev().find(|member| member.key == key)
    }

    /// The text with a further member at the end.
    fn with(&self, text: &str, key: &str, value: &Value) -> String {
        let outer = indent_of_line(text, self.inside.start);
        let inner = match self.members.first() {
            Some(first) if text[self.inside.start..first.begin].contains('\n') => {
                indent_of_line(text, first.begin)
            }
            _ => format!("{outer}{}", unit(text)),
        };
        let member = format!(
            "\n{inner}{}: {}",
            Value::from(key),
            pretty(value, &inner, unit(text))
        );
        match self.members.last() {
            Some(last) => {
                let at = after_remark(text, last.end);
                if last.end > last.value.end {
                    splice(text, at..at, &format!("{member},"))
                } else {
                    splice(&splice(text, at..at, &member), last.end..last.end, ",")
                }
            }
            None if text[self.inside.clone()].trim().is_empty() => {
                splice(text, self.inside.clone(), &format!("{member}\n{outer}"))
            }
            None => {
                let at = self.inside.start + text[self.inside.clone()].trim_end().len();
                splice(text, at..at, &member)
            }
        }
    }
}

/// The indentation of one level, as the first indented line has it.
fn unit(text: &str) -> &str {
    let indented = text
        .lines()
        .find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

/// The text without comments and trailing commas.
fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    if json_strip_comments::strip(&mut plain).is_err() {
        text.to_owned()
    } else {
        plain
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsoncError> {
        if self.peek() != Some(byte) {
            return Err(JsoncError::Syntax(self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over space and comments.
    fn space(&mut self) -> Result<(), JsoncError> {
        loop {
            let rest = &self.text[self.at.min(self.text.len())..];
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            } else if rest.starts_with(b"//") {
                self.at += rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                let end = rest
                    .windows(2)
                    .skip(2)
                    .position(|pair| pair == b"*/")
                    .ok_or(JsoncError::Syntax(self.at))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<(), JsoncError> {
        let begin = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.at += 2,
                Some(b'\n') | None => return Err(JsoncError::Syntax(begin)),
                Some(_) => self.at += 1,
            }
        }
    }

    /// Passes over a value.
    fn value(&mut self) -> Result<(), JsoncError> {
        let mut open = Vec::new();
        loop {
            self.space()?;
            let begin = self.at;
            match self.peek() {
                Some(b'"') => self.string()?,
                Some(bracket @ (b'{' | b'[')) => {
                    open.push(bracket);
                    self.at += 1;
                }
                Some(bracket @ (b'}' | b']')) => {
                    if open.pop() != Some(if bracket == b'}' { b'{' } else { b'[' }) {
                        return Err(JsoncError::Syntax(begin));
                    }
                    self.at += 1;
                }
                Some(b',' | b':') if !open.is_empty() => self.at += 1,
                Some(byte) if byte.is_ascii_alphanumeric() || b"+-".contains(&byte) => {
                    while self
                        .peek()
                        .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
                    {
                        self.at += 1;
                    }
                }
                _ => return Err(JsoncError::Syntax(begin)),
            }
            if open.is_empty() {
                return Ok(());
            }
            if open.len() > DEEPEST {
                return Err(JsoncError::Syntax(begin));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: &[&str] = &["mcpServers", "codeagent"];

    /// Texts, and whether setting and unsetting gives the same bytes again.
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
    fn one_key_is_set_and_removed_and_the_rest_stays() {
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
    fn what_is_replaced_keeps_its_place() {
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
    fn what_is_no_json_is_left_alone() {
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
}
