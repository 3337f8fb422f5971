//! Candidate declaration files of a package, according to its package.json: `exports`,
//! `typesVersions`, `types`, `main`.
//!
//! Limitations: the conditions of `exports` are tried in one order (types, import, node, require,
//! default), whatever the form of the import. `typesVersions` are selected as by TypeScript 5.9.

use serde_json::Value;

/// The conditions of `exports` that may hold, those that name declarations first.
const CONDITIONS: [&str; 5] = ["types", "import", "node", "require", "default"];

/// The version that `typesVersions` are chosen for.
const VERSION: [u32; 3] = [5, 9, 0];

/// Deepest nesting of conditions that is followed.
const MAX_DEPTH: u32 = 8;

/// Most paths that one import may mean.
const MAX_PATHS: usize = 64;

/// The relevant fields of a package.json.
#[derive(Debug, Default)]
pub struct Manifest {
    entries: Vec<String>,
    exports: Option<Value>,
    versions: Vec<(String, Vec<String>)>,
}

impl Manifest {
    /// Reads one; of a text that is none, nothing counts.
    pub fn parse(text: &str) -> Self {
        let Ok(Value::Object(mut manifest)) =
            serde_json::from_str(text.trim_start_matches('\u{feff}'))
        else {
            return Self::default();
        };
        let entries = ["types", "typings", "main"]
            .iter()
            .filter_map(|field| Some(manifest.get(*field)?.as_str()?.to_owned()))
            .collect();
        let versions = manifest
            .get("typesVersions")
            .and_then(Value::as_object)
            .map(versions)
            .unwrap_or_default();
        Self {
            entries,
            exports: manifest.remove("exports"),
            versions,
        }
    }

    /// The paths, seen from the package's folder, that a subpath of the package may mean; without
    /// one the package itself.
    pub fn paths(&self, subpath: &str) -> Vec<String> {
        let mut paths = Vec::new();
        if let Some(exports) = &self.exports {
            exported(exports, subpath, &mut paths);
        }
        if subpath.is_empty() {
            for entry in &self.entries {
                self.versioned(entry.trim_start_matches("./"), &mut paths);
                paths.push(entry.clone());
            }
            self.versioned("index", &mut paths);
            paths.push("index".to_owned());
        } else {
            self.versioned(subpath, &mut paths);
            paths.push(subpath.to_owned());
        }
        paths.truncate(MAX_PATHS);
        paths
    }

    /// The replacements of a path by `typesVersions`.
    fn versioned(&self, path: &str, out: &mut Vec<String>) {
        for (pattern, dirs) in &self.versions {
            let Some(middle) = matched(pattern.trim_start_matches("./"), path) else {
                continue;
            };
            out.extend(dirs.iter().map(|place| place.replacen('*', middle, 1)));
            return;
        }
    }
}

/// The paths of the first version range that holds.
fn versions(ranges: &serde_json::Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let Some((_, Value::Object(chosen))) = ranges.iter().find(|(range, _)| range_matches(range))
    else {
        return Vec::new();
    };
    let strings = |value: &Value| {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|text| Some(text.as_str()?.to_owned()))
            .collect()
    };
    let mut patterns: Vec<(String, Vec<String>)> = chosen
        .iter()
        .map(|(pattern, dirs)| (pattern.clone(), strings(dirs)))
        .collect();
    // The longest beginning decides.
    patterns.sort_by_key(|(pattern, _)| {
        std::cmp::Reverse(pattern.split('*').next().map_or(0, str::len))
    });
    patterns
}

/// Reports whether a version range contains the TypeScript version that declarations are read for.
fn range_matches(range: &str) -> bool {
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

/// Matches a path against a pattern; returns what `*` matched, empty without one.
fn matched<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    match pattern.split_once('*') {
        None => (pattern == path).then_some(""),
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
    }
}

/// The paths that `exports` gives for a subpath.
fn exported(exports: &Value, subpath: &str, out: &mut Vec<String>) {
    let Some(subpaths) = exports
        .as_object()
        .filter(|map| map.keys().any(|key| key.starts_with('.')))
    else {
        if subpath.is_empty() {
            targets(exports, "", out, 0);
        }
        return;
    };
    let key = if subpath.is_empty() {
        ".".to_owned()
    } else {
        format!("./{subpath}")
    };
    if let Some(target) = subpaths.get(&key) {
        return targets(target, "", out, 0);
    }
    let patterns = subpaths.iter().filter(|(pattern, _)| pattern.contains('*'));
    let best =
        patterns.filter_map(|(pattern, target)| Some((pattern, matched(pattern, &key)?, target)));
    if let Some((_, middle, target)) =
        best.max_by_key(|(pattern, ..)| pattern.split('*').next().map_or(0, str::len))
    {
        targets(target, middle, out, 0);
    }
}

fn targets(target: &Value, middle: &str, out: &mut Vec<String>, depth: u32) {
    if depth >= MAX_DEPTH || out.len() >= MAX_PATHS {
        return;
    }
    match target {
        Value::String(path) => out.push(path.replace('*', middle)),
        Value::Array(all) => all
            .iter()
            .take(MAX_PATHS)
            .for_each(|inner| targets(inner, middle, out, depth + 1)),
        Value::Object(conditions) => {
            let versioned = conditions
                .iter()
                .filter(|(name, _)| name.strip_prefix("types@").is_some_and(range_matches))
                .map(|(_, inner)| inner);
            let named = CONDITIONS
                .iter()
                .filter_map(|condition| conditions.get(*condition));
            versioned
                .chain(named)
                .for_each(|inner| targets(inner, middle, out, depth + 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_exports_fields_locate_declarations() {
        let cases: &[(&str, &str, &[&str])] = &[
            (
                r#"{"types": "./a.d.ts", "main": "b.js"}"#,
                "",
                &["./a.d.ts", "b.js", "index"],
            ),
            (r#"{"typings": "a"}"#, "sub/x", &["sub/x"]),
            ("no manifest", "", &["index"]),
            (r#"{"exports": "./x.js"}"#, "", &["./x.js", "index"]),
            (
                r#"{"exports": {"require": "./r.cjs", "import": {"default": "./i.js", "types": "./t.d.ts"}}}"#,
                "",
                &["./t.d.ts", "./i.js", "./r.cjs", "index"],
            ),
            (
                r#"{"exports": {".": null, "./a": "./lib/a.js", "./b/*": "./lib/b/*.js", "./b/c*": ["./c/*.js"]}}"#,
                "b/cd",
                &["./c/d.js", "b/cd"],
            ),
            (
                r#"{"exports": {".": {"types@<4": "./old.d.ts", "types@>=5.0": "./new.d.ts"}}}"#,
                "",
                &["./new.d.ts", "index"],
            ),
            (
                r#"{"types": "index.d.ts", "typesVersions": {"<=4.9": {"*": ["ts4/*"]}, ">=5.0": {"*": ["ts5/*"]}}}"#,
                "",
                &["ts5/index.d.ts", "index.d.ts", "ts5/index", "index"],
            ),
            (
                r#"{"typesVersions": {"*": {"sub": ["./dist/sub.d.ts"]}}}"#,
                "sub",
                &["./dist/sub.d.ts", "sub"],
            ),
        ];
        for (manifest, subpath, expected) in cases {
            assert_eq!(
                Manifest::parse(manifest).paths(subpath),
                *expected,
                "{manifest} {subpath}"
            );
        }
    }

    #[test]
    fn version_ranges_match_versions() {
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
            assert_eq!(range_matches(range), expected, "{range}");
        }
    }

    #[test]
    fn a_hostile_manifest_costs_bounded_work() {
        let deep = format!(
            "{}\"./x.js\"{}",
            r#"{"import":"#.repeat(100),
            "}".repeat(100)
        );
        assert_eq!(
            Manifest::parse(&format!(r#"{{"exports": {deep}}}"#)).paths(""),
            ["index"]
        );
        let wide = format!("[{}]", vec!["\"./x.js\""; 10_000].join(","));
        assert_eq!(
            Manifest::parse(&format!(r#"{{"exports": [{wide}]}}"#))
                .paths("")
                .len(),
            MAX_PATHS
        );
    }
}
