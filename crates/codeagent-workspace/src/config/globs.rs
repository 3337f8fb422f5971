//! Glob patterns in the settings: `src/**/*.ts`, `vendor`, `**/*.{spec,test}.ts`.
//!
//! A pattern is matched against the whole path from the root. `*` and `?` do not cross `/`; `**`
//! does. A pattern that matches a folder covers everything below it.
//!
//! Limitations: patterns are case-sensitive, even on case-insensitive file systems.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A compiled list of patterns.
#[derive(Clone, Debug)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Globs {}

impl Globs {
    /// Returns an empty list, which matches nothing.
    #[must_use]
    pub fn none() -> Self {
        Self {
            patterns: Vec::new(),
            set: GlobSet::empty(),
        }
    }

    /// Compiles patterns that `check` accepts. The error is a message for users.
    pub fn new(patterns: Vec<String>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();

        for pattern in &patterns {
            let folder = normal(pattern);
            for pattern in [folder.to_owned(), format!("{folder}/**")] {
                set.add(
                    GlobBuilder::new(&pattern)
                        .literal_separator(true)
                        .backslash_escape(false)
                        .build()
                        .map_err(|e| problem(&e))?,
                );
            }
        }

        Ok(Self {
            set: set.build().map_err(|error| problem(&error))?,
            patterns,
        })
    }

    /// Returns the patterns as written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Reports whether a pattern matches a path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

/// Checks a pattern; the error describes the problem.
pub fn check(pattern: &str) -> Result<(), String> {
    let complaint = if pattern.starts_with('/')
        || pattern
            .get(1..3)
            .is_some_and(|drive| matches!(drive, ":/" | ":\\"))
    {
        "it is absolute; patterns are relative to the root"
    } else if pattern.split('/').any(|segment| segment == "..") {
        "it is outside the repository"
    } else if pattern.contains('\\') {
        "it contains a backslash; separate folders with `/`"
    } else if pattern.starts_with('!') {
        "it starts with `!`; use `exclude` instead"
    } else if normal(pattern).is_empty() {
        "it is empty; `**` matches everything"
    } else {
        return Globs::new(vec![pattern.to_owned()]).map(drop);
    };

    Err(complaint.to_owned())
}

/// Removes a leading `./` and a trailing `/`.
fn normal(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_end_matches('/')
}

fn problem(error: &globset::Error) -> String {
    // The messages of other errors repeat the whole pattern as a regular expression.
    match error.kind() {
        globset::ErrorKind::Regex(_) => "it is too large or too deeply nested".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_paths_and_everything_below() {
        let cases = [
            ("**", "a/b.cs", true),
            ("src", "src/a/b.cs", true),
            ("./src/", "src/b.cs", true),
            ("src", "srcs/b.cs", false),
            ("*.cs", "a/b.cs", false),
            ("**/*.cs", "b.cs", true),
            ("src/*/b.cs", "src/x/y/b.cs", false),
            ("**/*.{spec,test}.ts", "web/a.test.ts", true),
            ("**/generated", "a/generated/x/b.cs", true),
            ("[ab].cs", "a.cs", true),
            ("src/**", "Src/a.cs", false),
        ];

        for (pattern, path, expected) in cases {
            check(pattern).unwrap();
            assert_eq!(
                Globs::new(vec![pattern.to_owned()]).unwrap().matches(path),
                expected,
                "{pattern} on {path}"
            );
        }

        assert!(!Globs::none().matches("a.cs"));
    }

    #[test]
    fn hostile_globs_are_refused_or_cheap() {
        for pattern in [
            "/etc/**",
            "C:/x",
            "../x",
            "a/../../b",
            "a\\b",
            "!a",
            "./",
            "[a",
            "{a",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }

        let nested = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        let wide = "{a,b}".repeat(200);
        let many = format!("{}z", "**/".repeat(340));

        for pattern in [nested.as_str(), &wide, &many] {
            if let Ok(globs) = Globs::new(vec![pattern.to_owned()]) {
                assert!(!globs.matches(&"a/".repeat(2000)));
            }
        }
    }
}
