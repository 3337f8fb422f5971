//! Candidate declaration files of a package, from its package.json: `exports`, `typesVersions`,
//! `types`, `main`.
//!
//! Limitations: the conditions of `exports` are tried for ECMAScript modules, then for CommonJS,
//! whatever the importing file is; `customConditions` is ignored.

use std::fmt;

use codeagent_typescript::project::exports::{
    Conditions, MAX_PATHS, ModuleFormat, is_in_range, targets, wildcard,
};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The fields that are read.
const FIELDS: [&str; 8] = [
    "types",
    "typings",
    "main",
    "typesVersions",
    "exports",
    "name",
    "version",
    "peerDependencies",
];

#[derive(Debug, Default)]
pub struct Manifest {
    entries: Vec<String>,
    exports: Option<Value>,
    versions: Vec<(String, Vec<String>)>,
    /// Its `name` and `version`, if it has both.
    pub identity: Option<(String, String)>,
    /// The packages that its user provides.
    pub peers: Vec<String>,
}

impl Manifest {
    /// Parses a package.json; invalid JSON gives an empty manifest.
    pub fn parse(text: &str) -> Self {
        let Ok(Fields(mut manifest)) = serde_json::from_str(text.trim_start_matches('\u{feff}'))
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
        let text = |field: &str| Some(manifest.get(field)?.as_str()?.to_owned());
        let identity = text("name").zip(text("version"));
        let peers = manifest
            .get("peerDependencies")
            .and_then(Value::as_object)
            .map(|peers| peers.keys().cloned().collect())
            .unwrap_or_default();
        Self {
            entries,
            exports: manifest.remove("exports"),
            versions,
            identity,
            peers,
        }
    }

    /// Returns the candidate paths for a subpath, relative to the package folder. The empty subpath
    /// stands for the package itself. If `exports_decide`, no other field is tried beside `exports`.
    pub fn paths(&self, subpath: &str, exports_decide: bool) -> Vec<String> {
        let mut paths = Vec::new();
        if let Some(exports) = &self.exports {
            for format in [ModuleFormat::EcmaScript, ModuleFormat::CommonJs] {
                for target in targets(exports, subpath, Conditions::Of(format, &[])) {
                    if !paths.contains(&target) {
                        paths.push(target);
                    }
                }
            }
        }

        let is_decided = exports_decide && self.exports.is_some();
        if is_decided {
            // The other fields are for tools that do not read `exports`.
        } else if subpath.is_empty() {
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

    /// Appends the replacements of a path by `typesVersions`.
    fn versioned(&self, path: &str, out: &mut Vec<String>) {
        for (pattern, dirs) in &self.versions {
            let Some(middle) = wildcard(pattern.trim_start_matches("./"), path) else {
                continue;
            };
            out.extend(dirs.iter().map(|place| place.replacen('*', middle, 1)));
            return;
        }
    }
}

/// The fields of a package.json that are used; the values of the others are skipped.
struct Fields(serde_json::Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = serde_json::Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if FIELDS.contains(&key.as_str()) {
                fields.insert(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Fields(fields))
    }
}

/// Returns the patterns of the first `typesVersions` range that matches.
fn versions(ranges: &serde_json::Map<String, Value>) -> Vec<(String, Vec<String>)> {
    let Some((_, Value::Object(chosen))) = ranges.iter().find(|(range, _)| is_in_range(range))
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
    // The pattern with the longest prefix wins.
    patterns.sort_by_key(|(pattern, _)| {
        std::cmp::Reverse(pattern.split('*').next().map_or(0, str::len))
    });
    patterns
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
                &["./i.js", "./t.d.ts", "./r.cjs", "index"],
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
                Manifest::parse(manifest).paths(subpath, false),
                *expected,
                "{manifest} {subpath}"
            );
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
            Manifest::parse(&format!(r#"{{"exports": {deep}}}"#)).paths("", false),
            ["index"]
        );

        let paths: Vec<String> = (0..10_000)
            .map(|number| format!("\"./{number}.js\""))
            .collect();
        let wide = format!("[{}]", paths.join(","));
        assert_eq!(
            Manifest::parse(&format!(r#"{{"exports": [{wide}]}}"#))
                .paths("", false)
                .len(),
            MAX_PATHS
        );
    }
}
