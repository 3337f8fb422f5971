//! `exports` and `imports` of a package.json: the files that a subpath of the package, or a specifier such as `#utils`
//! in it, may resolve to.
//!
//! As in Node's "Package entry points" and TypeScript's "exports conditions": a subpath is found by
//! its key, else by the pattern with the longest text before its `*`; conditions that hold apply in
//! the order in which they are written. TypeScript tries the next target if one does not exist, so
//! all targets are returned.
//!
//! Limitations: `null` only yields no target; it does not exclude the files of the fields `types`
//! and `main`. Nesting deeper than eight levels and more than 64 targets are ignored.

use serde_json::Value;

/// The version of TypeScript for which `types@RANGE` and `typesVersions` are chosen.
const VERSION: [u32; 3] = [5, 9, 0];

const MAX_DEPTH: u32 = 8;

/// Largest number of targets of one subpath.
pub const MAX_PATHS: usize = 64;

/// How a file is loaded, which decides between the conditions `import` and `require`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleFormat {
    /// Loaded by `import`.
    EcmaScript,
    /// Loaded by `require`, to which an `import` in such a file is compiled.
    CommonJs,
}

/// The conditions that hold for an importing file.
#[derive(Clone, Copy, Debug)]
pub enum Conditions<'c> {
    /// Those of TypeScript, and the `customConditions` of the file's tsconfig.
    Of(ModuleFormat, &'c [String]),
    /// All conditions, for a package whose targets are not built.
    All,
}

impl Conditions<'_> {
    fn hold(&self, name: &str) -> bool {
        let Self::Of(format, custom) = self else {
            return true;
        };

        match name {
            "types" | "node" | "default" => true,
            "import" => *format == ModuleFormat::EcmaScript,
            "require" => *format == ModuleFormat::CommonJs,
            _ => match name.strip_prefix("types@") {
                Some(range) => is_in_range(range),
                None => custom.iter().any(|condition| condition == name),
            },
        }
    }
}

/// Returns the targets of a subpath (empty for the package itself) as written, in the order in
/// which they are tried.
#[must_use]
pub fn targets(exports: &Value, subpath: &str, conditions: Conditions<'_>) -> Vec<String> {
    let mut found = Vec::new();

    let has_subpaths =
        |map: &serde_json::Map<String, Value>| map.keys().any(|key| key.starts_with('.'));
    let Some(subpaths) = exports.as_object().filter(|map| has_subpaths(map)) else {
        if subpath.is_empty() {
            add_targets(exports, "", conditions, &mut found, 0);
        }
        return found;
    };

    let key = if subpath.is_empty() {
        ".".to_owned()
    } else {
        format!("./{subpath}")
    };
    targets_of_key(subpaths, &key, conditions)
}

/// Returns the files of the package to which one of its `imports` leads (`#utils`), as written, in the order in which
/// they are tried. Node's "Subpath imports".
#[must_use]
pub fn import_targets(imports: &Value, specifier: &str, conditions: Conditions<'_>) -> Vec<String> {
    let map = imports.as_object();
    let mut found = map.map_or_else(Vec::new, |map| targets_of_key(map, specifier, conditions));
    // Other targets are packages.
    found.retain(|target| target.starts_with("./"));
    found
}

/// Returns the targets of a key, or else of the pattern with the longest text before its `*`.
fn targets_of_key(
    map: &serde_json::Map<String, Value>,
    key: &str,
    conditions: Conditions<'_>,
) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(target) = map.get(key) {
        add_targets(target, "", conditions, &mut found, 0);
        return found;
    }

    let best = map
        .iter()
        .filter(|(pattern, _)| pattern.contains('*'))
        .filter_map(|(pattern, target)| Some((pattern, wildcard(pattern, key)?, target)))
        .max_by_key(|(pattern, ..)| pattern.split('*').next().map_or(0, str::len));
    if let Some((_, middle, target)) = best {
        add_targets(target, middle, conditions, &mut found, 0);
    }

    found
}

fn add_targets(
    target: &Value,
    middle: &str,
    conditions: Conditions<'_>,
    out: &mut Vec<String>,
    depth: u32,
) {
    if depth >= MAX_DEPTH || out.len() >= MAX_PATHS {
        return;
    }

    match target {
        Value::String(path) => out.push(path.replace('*', middle)),
        Value::Array(all) => all
            .iter()
            .take(MAX_PATHS)
            .for_each(|inner| add_targets(inner, middle, conditions, out, depth + 1)),
        Value::Object(map) => map
            .iter()
            .filter(|(name, _)| conditions.hold(name))
            .for_each(|(_, inner)| add_targets(inner, middle, conditions, out, depth + 1)),
        _ => {}
    }
}

/// Returns the part of a path that the `*` of a pattern matches; `None` for a pattern without one.
#[must_use]
pub fn wildcard<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    match pattern.split_once('*') {
        None => (pattern == path).then_some(""),
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
    }
}

/// Reports whether a range of versions contains the assumed version of TypeScript.
#[must_use]
pub fn is_in_range(range: &str) -> bool {
    range
        .split("||")
        .any(|all| all.split_whitespace().all(compares))
}

fn compares(comparator: &str) -> bool {
    let digits = comparator.trim_start_matches(['<', '>', '=', '^', '~', 'v']);
    let sign = &comparator[..comparator.len() - digits.len()];

    let mut version = [0; 3];
    let mut known = 0;
    for (place, part) in version.iter_mut().zip(digits.split(['.', '-'])) {
        let Ok(number) = part.parse() else { break };
        *place = number;
        known += 1;
    }

    match sign.trim_end_matches('v') {
        ">=" => VERSION >= version,
        ">" => VERSION[..known] > version[..known],
        "<=" => VERSION[..known] <= version[..known],
        "<" => VERSION < version,
        "^" => VERSION >= version && VERSION[0] == version[0],
        "~" => VERSION >= version && VERSION[..2] == version[..2],
        _ => VERSION[..known] == version[..known],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exports: &str, subpath: &str, conditions: Conditions<'_>, expected: &[&str]) {
        let value: Value = serde_json::from_str(exports).unwrap();
        assert_eq!(
            targets(&value, subpath, conditions),
            expected,
            "{exports} {subpath}"
        );
    }

    #[test]
    fn active_conditions_are_tried_in_their_order() {
        let import = Conditions::Of(ModuleFormat::EcmaScript, &[]);
        let require = Conditions::Of(ModuleFormat::CommonJs, &[]);
        let custom = ["@x/source".to_owned()];

        let cases: &[(&str, &str, Conditions<'_>, &[&str])] = &[
            (r#""./x.js""#, "", import, &["./x.js"]),
            (
                r#"{"react-server": "./s.js", "browser": "./b.js", "default": "./d.js"}"#,
                "",
                import,
                &["./d.js"],
            ),
            (
                r#"{"require": "./r.js", "import": {"default": "./i.js", "types": "./t.d.ts"}}"#,
                "",
                import,
                &["./i.js", "./t.d.ts"],
            ),
            (
                r#"{"import": "./i.js", "require": {"types": "./r.d.cts"}}"#,
                "",
                require,
                &["./r.d.cts"],
            ),
            (
                r#"{"node": "./n.js", "import": "./i.js"}"#,
                "",
                import,
                &["./n.js", "./i.js"],
            ),
            (
                r#"{".": {"@x/source": "./s.ts", "types": "./t.d.ts"}}"#,
                "",
                import,
                &["./t.d.ts"],
            ),
            (
                r#"{".": {"@x/source": "./s.ts", "types": "./t.d.ts"}}"#,
                "",
                Conditions::Of(ModuleFormat::EcmaScript, &custom),
                &["./s.ts", "./t.d.ts"],
            ),
            (
                r#"{".": {"worker": "./w.js", "types": "./t.d.ts"}}"#,
                "",
                Conditions::All,
                &["./w.js", "./t.d.ts"],
            ),
            (
                r#"{".": {"types@<4": "./old.d.ts", "types@>=5.0": "./new.d.ts"}}"#,
                "",
                import,
                &["./new.d.ts"],
            ),
            (
                r#"{".": null, "./a": "./lib/a.js", "./b/*": "./lib/b/*.js", "./b/c*": ["./c/*.js"]}"#,
                "b/cd",
                import,
                &["./c/d.js"],
            ),
            (r#"{".": null}"#, "", import, &[]),
            (r#"{"import": "./x.js"}"#, "sub", import, &[]),
        ];

        for (exports, subpath, conditions, expected) in cases {
            check(exports, subpath, *conditions, expected);
        }
    }

    #[test]
    fn version_ranges_match_the_compiler_version() {
        for (range, expected) in [
            ("*", true),
            (">=4.2", true),
            ("<5.9", false),
            ("<=5.9", true),
            (">5.9", false),
            (">=3.1 <6", true),
            ("4.x || 5.x", true),
            ("^5.1", true),
            ("~5.8", false),
            ("<4.0.0-0", false),
            ("5.9", true),
            ("nonsense", true),
        ] {
            assert_eq!(is_in_range(range), expected, "{range}");
        }
    }
}
