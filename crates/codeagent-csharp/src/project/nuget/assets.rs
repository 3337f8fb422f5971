//! `project.assets.json`: the assemblies that the last restore of a project resolved.
//!
//! Limitations: the package folder itself is not read from the file, only paths below it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::project::nuget::{Version, is_same_framework};

/// An assembly that a project is compiled against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedAssembly {
    /// Version of the package.
    pub version: Option<Version>,
    /// Path in a package folder.
    pub path: String,
}

/// The result of a restore.
#[derive(Debug, Deserialize)]
pub struct Assets {
    #[serde(default)]
    targets: BTreeMap<String, BTreeMap<String, AssetsTarget>>,
    #[serde(default)]
    libraries: BTreeMap<String, AssetsLibrary>,
}

#[derive(Debug, Deserialize)]
struct AssetsTarget {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    compile: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct AssetsLibrary {
    path: Option<String>,
}

impl Assets {
    /// Parses the file; `None` if it is not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
    }

    /// Returns the package assemblies for a framework; `None` if the project was not restored for
    /// it.
    #[must_use]
    pub fn assemblies(&self, framework: &str) -> Option<Vec<ResolvedAssembly>> {
        let plain: Vec<_> = self
            .targets
            .iter()
            .filter(|(name, _)| !name.contains('/'))
            .collect();

        let target = match plain[..] {
            [(_, only)] if framework.is_empty() => only,
            _ => {
                plain
                    .into_iter()
                    .find(|(name, _)| is_same_framework(name, framework))?
                    .1
            }
        };

        let mut found = Vec::new();
        for (key, entry) in target.iter().filter(|(_, entry)| entry.kind == "package") {
            let Some(folder) = self
                .libraries
                .get(key)
                .and_then(|library| library.path.as_deref())
            else {
                continue;
            };
            let version = key
                .split_once('/')
                .and_then(|(_, version)| Version::parse(version));
            let assemblies = entry.compile.keys().filter(|path| path.ends_with(".dll"));
            found.extend(assemblies.map(|path| ResolvedAssembly {
                version: version.clone(),
                path: format!("{folder}/{path}"),
            }));
        }

        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"version": 3, "targets": {
        "net8.0": {
            "Lib/1.2.0": {"type": "package", "dependencies": {"Other": "1.0.0"}, "compile": {"lib/net6.0/Lib.dll": {"related": ".xml"}}},
            "Tool/1.0.0": {"type": "package", "compile": {"lib/net6.0/_._": {}}},
            "App/1.0.0": {"type": "project", "compile": {"bin/placeholder/App.dll": {}}}
        },
        "net8.0/linux-x64": {"Lib/1.2.0": {"type": "package", "compile": {"lib/net8.0/Lib.dll": {}}}}},
        "libraries": {"Lib/1.2.0": {"sha512": "x", "type": "package", "path": "lib/1.2.0", "files": ["a"]}, "Tool/1.0.0": {"path": "tool/1.0.0"}}}"#;

    #[test]
    fn packages_are_found_and_projects_are_not() {
        let assets = Assets::parse(TEXT).expect("it is one");
        let found = assets.assemblies("net8.0").expect("it was restored");
        assert_eq!(
            found,
            [ResolvedAssembly {
                version: Version::parse("1.2.0"),
                path: "lib/1.2.0/lib/net6.0/Lib.dll".to_owned()
            }]
        );
        assert_eq!(assets.assemblies("").map(|found| found.len()), Some(1));
        assert_eq!(assets.assemblies("net9.0"), None);
    }

    #[test]
    fn other_texts_are_not_assets() {
        let deep = format!("{}{}", r#"{"targets":"#.repeat(10_000), "}".repeat(10_000));
        for text in ["", "3", r#"{"targets": 1}"#, &deep] {
            assert!(
                Assets::parse(text).is_none(),
                "{}",
                text.get(..40).unwrap_or(text)
            );
        }
        assert_eq!(
            Assets::parse("{}").and_then(|assets| assets.assemblies("net8.0")),
            None
        );
    }
}
