//! Preprocessor conditions: evaluates `#if` under a project's symbols.
//!
//! `#if NET8_0_OR_GREATER && !DEBUG`
//!
//! Limitations: an expression nested more than 64 deep is false.

use std::collections::BTreeMap;

const MAX_DEPTH: u32 = 64;

/// The symbols that are defined at the current position, while a text is read from top to bottom.
pub struct DefinedSymbols<'a> {
    defines: &'a [String],
    /// The text's own `#define` (`true`) and `#undef`.
    own: BTreeMap<&'a str, bool>,
    /// Treats undefined symbols as true.
    optimistic: bool,
}

impl<'a> DefinedSymbols<'a> {
    /// Returns the symbols of a project; `optimistic` treats unknown ones as true.
    pub fn new(defines: &'a [String], optimistic: bool) -> Self {
        Self {
            defines,
            own: BTreeMap::new(),
            optimistic,
        }
    }

    /// Applies `#define X` or `#undef X`.
    pub fn set(&mut self, name: &'a str, defined: bool) {
        self.own.insert(name, defined);
    }

    fn is_defined(&self, name: &str) -> bool {
        if let Some(defined) = self.own.get(name) {
            return *defined;
        }
        self.defines.iter().any(|define| define == name)
            || (self.optimistic && !is_known_false(name))
    }

    /// Returns the value of a condition.
    pub fn holds(&self, condition: &str) -> bool {
        Evaluation {
            symbols: self,
            tokens: tokens(condition),
            next: 0,
            depth: 0,
        }
        .or()
    }
}

/// Reports whether a symbol is off by default: older frameworks and debugging.
fn is_known_false(name: &str) -> bool {
    matches!(name, "DEBUG" | "NETFRAMEWORK")
        || name.starts_with("NETSTANDARD")
        || name.starts_with("NET4")
}

/// Returns the truth values of the symbols that a text mentions in conditions, such as `A=1;B=0`.
pub fn mentioned(text: &str, defines: &[String]) -> String {
    let mut values = BTreeMap::new();
    let symbols = DefinedSymbols::new(defines, false);
    for line in text.split('\n') {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            continue;
        };

        let directive = directive.trim_start();
        let Some(condition) = directive
            .strip_prefix("if")
            .or_else(|| directive.strip_prefix("elif"))
        else {
            continue;
        };
        for token in tokens(condition) {
            if is_word(token) && !matches!(token, "true" | "false") {
                values.insert(token, symbols.is_defined(token));
            }
        }
    }

    let pairs: Vec<String> = values
        .into_iter()
        .map(|(name, value)| format!("{name}={}", u8::from(value)))
        .collect();
    pairs.join(";")
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first == '_' || first.is_alphanumeric())
}

fn tokens(condition: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = condition.trim_start();
    while !rest.is_empty() && !rest.starts_with("//") {
        let word = rest
            .find(|next: char| next != '_' && !next.is_alphanumeric())
            .unwrap_or(rest.len());
        let len = match rest.get(..2) {
            _ if word > 0 => word,
            Some("&&" | "||" | "==" | "!=") => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        found.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    found
}

struct Evaluation<'a> {
    symbols: &'a DefinedSymbols<'a>,
    tokens: Vec<&'a str>,
    next: usize,
    depth: u32,
}

impl Evaluation<'_> {
    fn accept(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.next) == Some(&token);
        self.next += usize::from(found);
        found
    }

    fn or(&mut self) -> bool {
        let mut value = self.and();
        while self.accept("||") {
            value |= self.and();
        }
        value
    }

    fn and(&mut self) -> bool {
        let mut value = self.equality();
        while self.accept("&&") {
            value &= self.equality();
        }
        value
    }

    fn equality(&mut self) -> bool {
        let mut value = self.unary();
        loop {
            if self.accept("==") {
                value = value == self.unary();
            } else if self.accept("!=") {
                value = value != self.unary();
            } else {
                return value;
            }
        }
    }

    fn unary(&mut self) -> bool {
        let mut negated = false;
        while self.accept("!") {
            negated = !negated;
        }
        negated != self.primary()
    }

    fn primary(&mut self) -> bool {
        if self.accept("(") {
            if self.depth >= MAX_DEPTH {
                self.next = self.tokens.len();
                return false;
            }

            self.depth += 1;
            let value = self.or();
            self.accept(")");
            self.depth -= 1;
            return value;
        }

        let Some(token) = self.tokens.get(self.next) else {
            return false;
        };

        self.next += 1;
        match *token {
            "true" => true,
            "false" => false,
            name => is_word(name) && self.symbols.is_defined(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_follow_precedence() {
        let defines = ["A".to_owned(), "B".to_owned()];
        let symbols = DefinedSymbols::new(&defines, false);
        let table = [
            ("A", true),
            ("C", false),
            ("!C", true),
            ("A && C || B", true),
            ("A && (C || !B)", false),
            ("A == B", true),
            ("A != C // x", true),
            ("(C)", false),
            ("true", true),
            ("", false),
            ("!!A", true),
        ];

        for (condition, value) in table {
            assert_eq!(symbols.holds(condition), value, "{condition}");
        }

        assert!(!symbols.holds(&"(".repeat(100_000)));
    }

    #[test]
    fn only_mentioned_symbols_count() {
        let defines = ["A".to_owned(), "Z".to_owned()];
        assert_eq!(
            mentioned("#if A && !B\n#elif (C)\n#endif\n#if true", &defines),
            "A=1;B=0;C=0"
        );
        assert_eq!(mentioned("class A { }", &defines), "");
    }
}
