//! Globs of project files: `**/*.cs`, `src/**/*`, `packages/*`.
//!
//! MSBuild, tsconfig and npm agree on `**` (any number of folders), `*` and `?` (within one
//! segment); everything else stands for itself. `fast-glob` does the matching. It has more special
//! characters, so a pattern is escaped for it: `[x]`, `{a}` and `!` are ordinary text here, and `?`
//! is a character, not a byte.
//!
//! Limitations: braces and character classes are not supported. MSBuild and tsconfig have none, and
//! workspaces rarely use them.

use std::borrow::Cow;

use fast_glob::glob_match;

/// A compiled pattern, matched without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    pattern: Vec<u8>,
    folder: String,
    /// The pattern contains `?`.
    counts_characters: bool,
}

impl Glob {
    /// Compiles a repo-relative pattern with `/` between segments.
    pub fn new(pattern: &str) -> Self {
        let lower = pattern.to_ascii_lowercase();
        let segments: Vec<&str> = lower
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .collect();

        let fixed = segments
            .iter()
            .take(segments.len().saturating_sub(1))
            .take_while(|segment| !is_glob(segment))
            .count();

        let counts_characters = lower.contains('?');
        let escaped: Vec<String> = segments.iter().copied().map(escape).collect();
        Self {
            pattern: encode(&escaped.join("/"), counts_characters).into_owned(),
            folder: segments[..fixed].join("/"),
            counts_characters,
        }
    }

    /// Returns the folder above the first wildcard, which contains everything that matches.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Reports whether a repo-relative path matches.
    pub fn matches(&self, path: &str) -> bool {
        self.matches_lower(&path.to_ascii_lowercase())
    }

    /// Like [`Glob::matches`], for a path that is already in lower case.
    pub fn matches_lower(&self, path: &str) -> bool {
        glob_match(&self.pattern, encode(path, self.counts_characters))
    }
}

/// Reports whether a text contains wildcards.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Writes a segment of a pattern in the syntax of `fast-glob`.
fn escape(segment: &str) -> String {
    if segment == "**" {
        return segment.to_owned();
    }

    let mut escaped = String::with_capacity(segment.len());
    for c in segment.chars() {
        // Inside a segment, `**` means the same as `*`.
        if c == '*' && escaped.ends_with('*') {
            continue;
        }
        if matches!(c, '[' | ']' | '{' | '}' | '!' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Encodes a text for `fast-glob`, where `?` matches one byte: if characters count, each becomes
/// one byte. Characters with the same lowest seven bits then compare equal, which hardly matters:
/// `?` is rare, and paths would have to differ in such a character only.
fn encode(text: &str, counts_characters: bool) -> Cow<'_, [u8]> {
    if !counts_characters || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let byte = |c: char| {
        if c.is_ascii() {
            c as u8
        } else {
            0x80 | c as u8
        }
    };
    Cow::Owned(text.chars().map(byte).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths() {
        let cases = [
            ("**/*.cs", "a.cs", true),
            ("**/*.cs", "x/y/a.CS", true),
            ("src/**/*.cs", "src/a.cs", true),
            ("src/**/*.cs", "srcs/a.cs", false),
            ("src/*.cs", "src/x/a.cs", false),
            ("src/**", "src/x/a.cs", true),
            ("src/**/obj/**", "src/a/obj/b/c.cs", true),
            ("packages/*", "packages/a/b", false),
            ("a?c*.ts", "abcd.ts", true),
            ("a?c*.ts", "abd.ts", false),
            ("**/test/**/*.cs", "a/test/b/test/c.cs", true),
            ("a/b.cs", "a/b.cs", true),
            ("**/.*/**", "x/.git/y.cs", true),
            ("[x]/{a}.cs", "[x]/{a}.cs", true),
            ("[x]/*.cs", "x/a.cs", false),
            ("!a/*.cs", "!a/b.cs", true),
            ("a?c.cs", "a\u{e4}c.cs", true),
            ("\u{20ac}?*.cs", "\u{20ac}\u{e4}c.cs", true),
            ("??.cs", "\u{e4}.cs", false),
            ("src/?.cs", "src//.cs", false),
            ("src/**", "src", false),
            ("**/.*/**", ".hidden.cs", false),
            ("**", "a/b", true),
            ("**/**/a.cs", "a.cs", true),
            ("**.cs", "x/a.cs", false),
            ("x**y/*.cs", "xay/a.cs", true),
            ("x**y/*.cs", "xa/by/a.cs", false),
            ("./src//*.cs", "src/a.cs", true),
            ("src/[a-c].cs", "src/b.cs", false),
            ("{a,b}/*.cs", "a/x.cs", false),
            ("{a,b}/*.cs", "{a,b}/x.cs", true),
            ("a!/\\x*.cs", "a!/\\x1.cs", true),
            ("**/a*b/c.cs", "ab/ab/c.cs", true),
        ];

        for (pattern, path, expected) in cases {
            assert_eq!(
                Glob::new(pattern).matches(path),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn hostile_patterns_are_matched_quickly() {
        let pattern = "*a".repeat(2_000);
        assert!(!Glob::new(&pattern).matches(&"a".repeat(1_000)));
        assert!(!Glob::new(&"**/a/".repeat(500)).matches(&"a/".repeat(400)));
    }

    #[test]
    fn a_glob_has_a_literal_folder() {
        assert_eq!(Glob::new("src/app/**/*.cs").folder(), "src/app");
        assert_eq!(Glob::new("src/A.cs").folder(), "src");
        assert_eq!(Glob::new("*.cs").folder(), "");
    }
}
