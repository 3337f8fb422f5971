//! Does a path match a pattern of a project file: `**/*.cs`, `src/**/*`, `packages/*`.
//!
//! MSBuild, tsconfig and npm agree on `**` (any number of folders), `*` and `?` (within one
//! segment); everything else stands for itself.
//!
//! Crates for patterns read more into them: `[x]`, `{a}` and `!` are parts of names here, and `?`
//! is a character, not a byte.
//!
//! **Limits.** No braces and no character classes: project files that use them in workspaces are
//! rare, MSBuild and tsconfig have none.

/// A compiled pattern. Case does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    segments: Vec<String>,
    folder: String,
}

impl Glob {
    /// Compiles a repo-relative pattern with `/` between segments.
    pub fn new(pattern: &str) -> Self {
        let mut segments: Vec<String> = Vec::new();
        for segment in pattern
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
        {
            if segment != "**" || segments.last().is_none_or(|last| last != "**") {
                segments.push(segment.to_ascii_lowercase());
            }
        }
        let fixed = segments
            .iter()
            .take(segments.len().saturating_sub(1))
            .take_while(|segment| !is_glob(segment))
            .count();
        let folder = segments[..fixed].join("/");
        Self { segments, folder }
    }

    /// The folder above the first wildcard: everything that matches lies below it.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Whether a repo-relative path matches.
    pub fn matches(&self, path: &str) -> bool {
        self.matches_lower(&path.to_ascii_lowercase())
    }

    /// As [`Glob::matches`], for a path that is in lower case already.
    pub fn matches_lower(&self, path: &str) -> bool {
        let rest = if self.folder.is_empty() {
            path
        } else {
            match path
                .strip_prefix(self.folder.as_str())
                .and_then(|rest| rest.strip_prefix('/'))
            {
                Some(rest) => rest,
                None => return false,
            }
        };
        let skip = if self.folder.is_empty() {
            0
        } else {
            self.folder.split('/').count()
        };
        let parts: Vec<&str> = rest.split('/').collect();
        matches_sequence(
            &self.segments[skip..],
            &parts,
            |segment| segment == "**",
            |segment, part| matches_segment(segment, part),
        )
    }
}

/// Whether a text has wildcards.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn matches_segment(pattern: &str, text: &str) -> bool {
    if !is_glob(pattern) {
        return pattern == text;
    }
    if let Some(ending) = pattern.strip_prefix('*').filter(|ending| !is_glob(ending)) {
        return text.ends_with(ending);
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_sequence(
        &pattern,
        &text,
        |symbol| *symbol == '*',
        |symbol, c| *symbol == '?' || symbol == c,
    )
}

/// Matches with one kind of wildcard for "any number of elements": only the last one met needs to
/// be tried again, so the cost is at most the product of the two lengths.
fn matches_sequence<P, T>(
    pattern: &[P],
    text: &[T],
    is_many: impl Fn(&P) -> bool,
    matches_one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && is_many(&pattern[p]) {
            retry = Some((p, t));
            p += 1;
        } else if p < pattern.len() && matches_one(&pattern[p], &text[t]) {
            p += 1;
            t += 1;
        } else if let Some((many, from)) = retry {
            retry = Some((many, from + 1));
            p = many + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_many)
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
    fn hostile_patterns_end() {
        let pattern = "*a".repeat(2_000);
        assert!(!Glob::new(&pattern).matches(&"a".repeat(1_000)));
        assert!(!Glob::new(&"**/a/".repeat(500)).matches(&"a/".repeat(400)));
    }

    #[test]
    fn the_folder_is_fixed() {
        assert_eq!(Glob::new("src/app/**/*.cs").folder(), "src/app");
        assert_eq!(Glob::new("src/A.cs").folder(), "src");
        assert_eq!(Glob::new("*.cs").folder(), "");
    }
}
