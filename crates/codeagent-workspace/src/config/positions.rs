//! Positions of keys and values in a JSON text: line and column, both from 1, columns in
//! characters.
//!
//! **Limits.** The text must be valid JSON; only the two upper levels are recorded: `projects` /
//! pattern.

/// Levels that are recorded.
const LEVELS: usize = 2;

/// Line and column.
pub type Position = (usize, usize);

/// The recorded positions of one text.
#[derive(Debug, Default)]
pub struct Positions {
    /// Path of keys or indices, offset of the key, offset of the value.
    places: Vec<(Vec<String>, usize, usize)>,
}

impl Positions {
    /// Scans a text that the JSON parser has accepted.
    pub fn of(text: &str) -> Self {
        let mut scanner = Scanner {
            text,
            at: 0,
            path: Vec::new(),
            positions: Self::default(),
        };
        scanner.value();
        scanner.positions
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

    /// Returns a key that occurs twice, with its second position.
    pub fn duplicate(&self, text: &str) -> Option<(&str, Position)> {
        let mut seen = std::collections::BTreeSet::new();
        let (path, key, _) = self.places.iter().find(|(path, ..)| !seen.insert(path))?;
        Some((path.last()?, position(text, *key)))
    }

    fn find(&self, path: &[&str]) -> Option<&(Vec<String>, usize, usize)> {
        self.places.iter().find(|(known, ..)| known == path)
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    path: Vec<String>,
    positions: Positions,
}

impl Scanner<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Recursion is bounded, because the parser accepts at most 128 levels.
    fn value(&mut self) {
        match self.peek() {
            Some(b'{') => self.elements(true),
            Some(b'[') => self.elements(false),
            Some(b'"') => drop(self.string()),
            _ => {
                let rest = &self.text.as_bytes()[self.at..];
                self.at += rest
                    .iter()
                    .take_while(|byte| !matches!(byte, b',' | b']' | b'}'))
                    .count();
            }
        }
    }

    fn elements(&mut self, named: bool) {
        self.at += 1;

        for index in 0_usize.. {
            if matches!(self.peek(), None | Some(b'}' | b']')) {
                break;
            }

            let key = self.at;
            let name = if named {
                self.string()
            } else {
                index.to_string()
            };
            if named {
                self.peek();
                self.at += 1;
            }

            self.peek();
            self.path.push(name);
            if self.path.len() <= LEVELS {
                self.positions
                    .places
                    .push((self.path.clone(), key, self.at));
            }

            self.value();
            self.path.pop();
            if self.peek() == Some(b',') {
                self.at += 1;
            }
        }

        self.at += 1;
    }

    fn string(&mut self) -> String {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while bytes.get(self.at).is_some_and(|byte| *byte != b'"') {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at).unwrap_or_default()).unwrap_or_default()
    }
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
