//! Line and column of keys and values in a JSON text. Both start at 1; columns count characters.
//!
//! Limitations: the text must be valid JSON. Only two levels are recorded: `projects` / pattern.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Number of levels that are recorded.
const LEVELS: usize = 2;

/// Line and column.
pub type Position = (usize, usize);

/// The positions in one text.
#[derive(Debug, Default)]
pub struct Positions {
    /// Path of keys or indices, offset of the key, offset of the value.
    entries: Vec<(Vec<String>, usize, usize)>,
}

impl Positions {
    /// Scans a text that the JSON parser has accepted.
    pub fn of(text: &str) -> Self {
        let mut positions = Self::default();
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        if let Some(value) = parsed.ok().and_then(|parsed| parsed.value) {
            positions.record(&value, &[]);
        }
        positions
    }

    /// Records the positions inside a value.
    fn record(&mut self, value: &Value<'_>, path: &[String]) {
        match value {
            Value::Object(object) => {
                for member in &object.properties {
                    let name = member.name.as_str().to_owned();
                    self.record_element(name, member.range.start, &member.value, path);
                }
            }
            Value::Array(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    self.record_element(index.to_string(), element.range().start, element, path);
                }
            }
            _ => {}
        }
    }

    fn record_element(&mut self, name: String, key: usize, value: &Value<'_>, path: &[String]) {
        let path = [path, &[name]].concat();
        self.entries.push((path.clone(), key, value.range().start));
        if path.len() < LEVELS {
            self.record(value, &path);
        }
    }

    /// Returns the position of the value at a path.
    pub fn value(&self, text: &str, path: &[&str]) -> Position {
        self.find(path)
            .map_or((1, 1), |(_, _, value)| position(text, *value))
    }

    /// Returns the position of the key at the end of a path.
    pub fn key(&self, text: &str, path: &[&str]) -> Position {
        self.find(path)
            .map_or((1, 1), |(_, key, _)| position(text, *key))
    }

    /// Returns the first duplicate key, with the position of its second occurrence.
    pub fn duplicate(&self, text: &str) -> Option<(&str, Position)> {
        let mut seen = std::collections::BTreeSet::new();
        let (path, key, _) = self.entries.iter().find(|(path, ..)| !seen.insert(path))?;
        Some((path.last()?, position(text, *key)))
    }

    fn find(&self, path: &[&str]) -> Option<&(Vec<String>, usize, usize)> {
        self.entries.iter().find(|(known, ..)| known == path)
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_found() {
        let text = "{\n  \"a\": [1,\n \"\\\"}\", {\"deep\": [[]]}],\n  \"p\\u00e4\": {\"x\": \"y\"}, \"é\":  true\n}";
        let positions = Positions::of(text);
        assert_eq!(positions.key(text, &["a"]), (2, 3));
        assert_eq!(positions.value(text, &["a", "1"]), (3, 2));
        assert_eq!(positions.key(text, &["pä", "x"]), (4, 15));
        assert_eq!(positions.value(text, &["pä", "x"]), (4, 20));
        assert_eq!(positions.value(text, &["é"]), (4, 32));
        assert!(positions.duplicate(text).is_none());
        assert_eq!(
            Positions::of(r#"{"a":1, "a":2}"#).duplicate(r#"{"a":1, "a":2}"#),
            Some(("a", (1, 9)))
        );
    }
}
