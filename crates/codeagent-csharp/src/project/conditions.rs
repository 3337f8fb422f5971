//! MSBuild conditions: `'$(TargetFramework)' == 'net8.0' And !Exists('x.props')`.
//!
//! Evaluation is three-valued: an unknown function or item metadata makes a comparison unknown, and
//! an unknown condition is false.
//!
//! Limitations: nesting deeper than a fixed bound is unknown.

use std::cmp::Ordering;

use crate::project::functions;
use crate::project::properties::{PropertyScope, closing};

const MAX_DEPTH: u32 = 48;

/// Reports whether a condition holds; an empty one does.
pub(super) fn holds(condition: &str, scope: &PropertyScope<'_>) -> bool {
    let condition = condition.trim();
    if condition.is_empty() {
        return true;
    }
    let Some(tokens) = tokens(condition) else {
        return false;
    };
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        scope,
    };
    parser.either(0) == Some(true) && parser.at == tokens.len()
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum ConditionToken<'t> {
    Open,
    Close,
    Not,
    And,
    Or,
    Compare(&'static str),
    /// An operand without its quotes.
    Text(&'t str),
    /// `Exists(argument)`.
    Call(&'t str, &'t str),
}

fn tokens(text: &str) -> Option<Vec<ConditionToken<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (ConditionToken::Open, 1),
            ')' => (ConditionToken::Close, 1),
            '\'' | '"' | '`' => {
                let end = quoted_end(rest, first)?;
                (ConditionToken::Text(&rest[1..end]), end + 1)
            }
            '=' | '!' | '<' | '>' => operator(rest)?,
            _ => word(rest)?,
        };

        tokens.push(token);
        rest = rest[length..].trim_start();
    }

    Some(tokens)
}

/// Returns the quote that ends a text, skipping those inside `$(..)`.
fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        let rest = text.get(at..)?;
        if rest.starts_with(quote) {
            return Some(at);
        }
        if rest.starts_with("$(") {
            at += closing(&rest[1..])? + 2;
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
    None
}

fn operator(text: &str) -> Option<(ConditionToken<'_>, usize)> {
    for operator in ["==", "!=", "<=", ">=", "<", ">"] {
        if text.starts_with(operator) {
            return Some((ConditionToken::Compare(operator), operator.len()));
        }
    }
    text.starts_with('!').then_some((ConditionToken::Not, 1))
}

fn word(text: &str) -> Option<(ConditionToken<'_>, usize)> {
    if text.starts_with(['$', '@', '%']) && text[1..].starts_with('(') {
        let length = closing(&text[1..])? + 2;
        return Some((ConditionToken::Text(&text[..length]), length));
    }

    let end = text
        .find(|c: char| c.is_whitespace() || "()=!<>'".contains(c))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name.to_ascii_lowercase().as_str() {
        "" => None,
        "and" => Some((ConditionToken::And, end)),
        "or" => Some((ConditionToken::Or, end)),
        _ if rest.trim_start().starts_with('(') => {
            let open = text.len() - rest.trim_start().len();
            let close = open + closing(&text[open..])?;

            Some((
                ConditionToken::Call(
                    name,
                    text[open + 1..close].trim().trim_matches(['\'', '"', '`']),
                ),
                close + 1,
            ))
        }
        _ => Some((ConditionToken::Text(name), end)),
    }
}

struct Parser<'p, 't> {
    tokens: &'p [ConditionToken<'t>],
    at: usize,
    scope: &'p PropertyScope<'p>,
}

impl<'t> Parser<'_, 't> {
    fn accept(&mut self, token: ConditionToken<'_>) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|next| *next == token);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self, depth: u32) -> Option<bool> {
        let mut result = self.both(depth);
        while self.accept(ConditionToken::Or) {
            let other = self.both(depth);
            result = match (result, other) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        result
    }

    fn both(&mut self, depth: u32) -> Option<bool> {
        let mut result = self.not(depth);
        while self.accept(ConditionToken::And) {
            let other = self.not(depth);
            result = match (result, other) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        result
    }

    fn not(&mut self, depth: u32) -> Option<bool> {
        let mut negated = false;
        while self.accept(ConditionToken::Not) {
            negated = !negated;
        }
        self.primary(depth).map(|value| value != negated)
    }

    fn primary(&mut self, depth: u32) -> Option<bool> {
        if depth > MAX_DEPTH {
            self.at = self.tokens.len() + 1;
            return None;
        }

        if self.accept(ConditionToken::Open) {
            let value = self.either(depth + 1);
            if !self.accept(ConditionToken::Close) {
                self.at = self.tokens.len() + 1;
            }
            return value;
        }

        let token = self.tokens.get(self.at).copied()?;
        self.at += 1;
        match token {
            ConditionToken::Call(name, argument) => self.call(name, argument),
            ConditionToken::Text(left) => self.comparison(left),
            _ => None,
        }
    }

    fn call(&self, name: &str, argument: &str) -> Option<bool> {
        let argument = self.scope.expand(argument)?;
        match name.to_ascii_lowercase().as_str() {
            "exists" => Some(functions::exists(self.scope, &argument)),
            "hastrailingslash" => Some(argument.ends_with(['/', '\\'])),
            _ => None,
        }
    }

    fn comparison(&mut self, left: &'t str) -> Option<bool> {
        let left = self.scope.expand(left);
        let Some(ConditionToken::Compare(operator)) = self.tokens.get(self.at).copied() else {
            return truth(&left?);
        };
        let right = self.tokens.get(self.at + 1).copied();
        self.at += 2;
        let Some(ConditionToken::Text(right)) = right else {
            return None;
        };
        compare(&left?, operator, &self.scope.expand(right)?)
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" => Some(true),
        "false" | "off" | "no" | "" => Some(false),
        _ => None,
    }
}

fn compare(left: &str, operator: &str, right: &str) -> Option<bool> {
    let equal = left.eq_ignore_ascii_case(right)
        || matches!((number(left), number(right)), (Some(a), Some(b)) if a == b);
    match operator {
        "==" => Some(equal),
        "!=" => Some(!equal),
        _ => {
            let ordering = match (number(left), number(right)) {
                (Some(a), Some(b))
                    if left.matches('.').count() < 2 && right.matches('.').count() < 2 =>
                {
                    a.partial_cmp(&b)?
                }
                _ if left.starts_with(|c: char| c.is_ascii_digit() || c == 'v') => {
                    functions::compare_versions(left, right)
                }
                _ => return None,
            };

            Some(match operator {
                "<" => ordering == Ordering::Less,
                ">" => ordering == Ordering::Greater,
                "<=" => ordering != Ordering::Greater,
                _ => ordering != Ordering::Less,
            })
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .starts_with(|c: char| c.is_ascii_digit() || c == '-')
        .then(|| text.trim().parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::properties::Properties;
    use codeagent_lang::project::paths::PathIndex;

    fn check(condition: &str) -> bool {
        let mut properties = Properties::default();
        properties.set("TargetFramework", "net8.0");
        properties.set("Configuration", "Release");
        properties.set("Platform", "AnyCPU");
        properties.set("Version", "17.8.3");
        properties.set("Flag", "true");
        let files = PathIndex::new(["src/a.props"].into_iter());

        holds(
            condition,
            &PropertyScope {
                properties: &properties,
                items: None,
                files: &files,
                folder: "src",
            },
        )
    }

    #[test]
    fn conditions_that_hold() {
        for condition in [
            "",
            "'$(TargetFramework)' == 'net8.0'",
            " '$(Configuration)|$(Platform)' == 'release|AnyCPU' ",
            "$(Missing) == ''",
            "$(Flag)",
            "!false",
            "'$(X)' == '' and ('a' == 'b' or 'a' != 'b')",
            "Exists('a.props') And !Exists('b.props')",
            "Exists('$(Missing)../src')",
            "$([MSBuild]::IsTargetFrameworkCompatible('$(TargetFramework)', 'netstandard2.0'))",
            "!$(TargetFramework.StartsWith('net4'))",
            "$(TargetFramework.StartsWith('net8')) == 'true'",
            "'$(TargetFramework.Replace('net', ''))' == '8.0'",
            "'1.0' == '1'",
            "'$(Version)' >= '17.8'",
            "5 > 4",
            "true or $([Some.Type]::Unknown())",
            "HasTrailingSlash('a/')",
        ] {
            assert!(check(condition), "{condition}");
        }
    }

    #[test]
    fn conditions_that_do_not_hold() {
        for condition in [
            "'$(TargetFramework)' == 'net6.0'",
            "$(Missing)",
            "$([Some.Type]::Unknown())",
            "!$([Some.Type]::Unknown())",
            "'%(Filename)' != 'a'",
            "'a' == ",
            "('a' == 'a'",
            "'a' == 'a' 'b'",
            "'a",
            "== ==",
            "$(Flag) and",
            "Exists('')",
        ] {
            assert!(!check(condition), "{condition}");
        }

        assert!(!check(&format!(
            "{}true{}",
            "(".repeat(100_000),
            ")".repeat(100_000)
        )));

        assert!(check(&format!("{}true", "!".repeat(100_000))));
    }
}
