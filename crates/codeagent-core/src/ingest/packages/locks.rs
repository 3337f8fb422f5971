//! Lock files: the version that each package of a project was resolved to.
//!
//! Reads `package-lock.json` and `npm-shrinkwrap.json`, `pnpm-lock.yaml`, `yarn.lock` (versions 1
//! and later), `packages.lock.json` and `project.assets.json`.
//!
//! Limitations: `bun.lock` is not read. YAML is read line by line, as these tools write it.

use rustc_hash::FxHashMap;
use serde_json::Value;

/// Names of npm's lock files, in the order in which they are looked for.
pub const NPM_LOCKS: [&str; 4] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
];

/// A parsed lock file of an npm package manager.
#[derive(Debug)]
pub enum NpmLock {
    /// `package-lock.json`.
    Npm(Value),
    /// `pnpm-lock.yaml`: versions by folder of the importing package and name.
    Pnpm(FxHashMap<(String, String), String>),
    /// `yarn.lock`: versions by `name@range`.
    Yarn(FxHashMap<String, String>),
}

impl NpmLock {
    /// Parses a lock file by its name; `None` if it is not valid.
    pub fn parse(name: &str, text: &str) -> Option<Self> {
        match name {
            "pnpm-lock.yaml" => Some(Self::Pnpm(pnpm_versions(text))),
            "yarn.lock" => Some(Self::Yarn(yarn_versions(text))),
            _ => serde_json::from_str(text).ok().map(Self::Npm),
        }
    }

    /// Returns the version of a package for the project in `folder`, relative to the lock file
    /// (empty for its own folder).
    pub fn version(&self, folder: &str, name: &str, range: &str) -> Option<String> {
        match self {
            Self::Npm(lock) => npm_version(lock, folder, name),
            Self::Pnpm(versions) => {
                let importer = if folder.is_empty() { "." } else { folder };
                versions
                    .get(&(importer.to_owned(), name.to_owned()))
                    .cloned()
            }
            Self::Yarn(versions) => versions
                .get(&format!("{name}@{range}"))
                .or_else(|| versions.get(&format!("{name}@npm:{range}")))
                .cloned(),
        }
    }
}

/// Looks a package up as Node.js does, from the project's folder upwards.
fn npm_version(lock: &Value, folder: &str, name: &str) -> Option<String> {
    let version = |entry: &Value| Some(entry.get("version")?.as_str()?.to_owned());
    let Some(packages) = lock.get("packages") else {
        return version(lock.get("dependencies")?.get(name)?);
    };

    let mut folder = Some(folder);
    while let Some(here) = folder {
        let key = match here {
            "" => format!("node_modules/{name}"),
            here => format!("{here}/node_modules/{name}"),
        };
        if let Some(entry) = packages.get(&key) {
            return version(entry);
        }
        folder = match here {
            "" => None,
            here => Some(here.rsplit_once('/').map_or("", |(above, _)| above)),
        };
    }
    None
}

/// Reads the sections `importers` and, of a single package, `dependencies` and its like.
fn pnpm_versions(text: &str) -> FxHashMap<(String, String), String> {
    let mut versions = FxHashMap::default();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let content = line.trim_start();
        let Some((key, value)) = yaml_entry(content) else {
            continue;
        };
        let indent = line.len() - content.len();
        // The largest section, which comes after all that are read.
        if indent == 0 && key == "packages" {
            break;
        }

        open.retain(|(outer, _)| *outer < indent);
        open.push((indent, key.to_owned()));
        let path: Vec<&str> = open.iter().map(|(_, key)| key.as_str()).collect();
        let (importer, rest) = match path[..] {
            ["importers", importer, ref rest @ ..] => (importer, rest),
            ref rest => (".", rest),
        };
        let name = match rest {
            [section, name] | [section, name, "version"] if section.ends_with("ependencies") => {
                name
            }
            _ => continue,
        };
        if let Some(version) = pnpm_version(value) {
            versions.insert((importer.to_owned(), (*name).to_owned()), version);
        }
    }
    versions
}

/// Splits `key: value` and removes quotes.
fn yaml_entry(content: &str) -> Option<(&str, &str)> {
    let (key, value) = match content.strip_prefix('\'') {
        Some(quoted) => {
            let (key, rest) = quoted.split_once('\'')?;
            (key, rest.strip_prefix(':')?)
        }
        None => content.split_once(':')?,
    };
    Some((key, value.trim().trim_matches(['\'', '"'])))
}

/// Removes the versions of peers: `5.0.0(react@18.2.0)`, and `5.0.0_react@18.2.0` in older files.
fn pnpm_version(value: &str) -> Option<String> {
    let bare = value.split(['(', '_']).next().unwrap_or_default();
    bare.starts_with(|first: char| first.is_ascii_digit())
        .then(|| bare.to_owned())
}

fn yarn_versions(text: &str) -> FxHashMap<String, String> {
    let mut versions = FxHashMap::default();
    let mut keys: Vec<&str> = Vec::new();
    for line in text.lines() {
        let is_heading = !line.starts_with([' ', '#']) && line.ends_with(':');
        if is_heading {
            let heading = line.trim_end_matches(':').trim_matches('"');
            keys = heading
                .split(", ")
                .map(|key| key.trim_matches('"'))
                .collect();
        } else if let Some(value) = line.strip_prefix("  version") {
            let version = value.trim_start_matches(':').trim().trim_matches('"');
            for key in keys.drain(..) {
                versions.insert(key.to_owned(), version.to_owned());
            }
        }
    }

    versions
}

/// Returns the versions in a `packages.lock.json`, by id in lower case; of several frameworks the
/// last.
pub fn nuget_lock(text: &str) -> FxHashMap<String, String> {
    let lock: Value = serde_json::from_str(text).unwrap_or_default();
    let frameworks = lock.get("dependencies").and_then(Value::as_object);
    let packages = frameworks
        .into_iter()
        .flat_map(|frameworks| frameworks.values())
        .filter_map(Value::as_object)
        .flatten();
    packages
        .filter_map(|(id, package)| {
            let version = package.get("resolved")?.as_str()?;
            Some((id.to_ascii_lowercase(), version.to_owned()))
        })
        .collect()
}

/// Returns the versions in a `project.assets.json`, by id in lower case.
pub fn restored_versions(text: &str) -> FxHashMap<String, String> {
    let assets: Value = serde_json::from_str(text).unwrap_or_default();
    let libraries = assets.get("libraries").and_then(Value::as_object);
    libraries
        .into_iter()
        .flatten()
        .filter(|(_, library)| library.get("type").and_then(Value::as_str) == Some("package"))
        .filter_map(|(key, _)| {
            let (id, version) = key.split_once('/')?;
            Some((id.to_ascii_lowercase(), version.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(name: &str, text: &str, folder: &str, package: &str) -> Option<String> {
        NpmLock::parse(name, text)?.version(folder, package, "^7.0.0")
    }

    #[test]
    fn package_lock_is_searched_from_the_project_upwards() {
        let text = r#"{"packages": {
            "node_modules/rxjs": {"version": "7.8.1"},
            "packages/a/node_modules/rxjs": {"version": "6.0.0"}}}"#;
        for (folder, expected) in [("", "7.8.1"), ("packages/a", "6.0.0"), ("b", "7.8.1")] {
            let found = version("package-lock.json", text, folder, "rxjs");
            assert_eq!(found.as_deref(), Some(expected), "{folder}");
        }
        let old = r#"{"dependencies": {"rxjs": {"version": "5.1.0"}}}"#;
        let found = version("package-lock.json", old, "", "rxjs");
        assert_eq!(found.as_deref(), Some("5.1.0"));
        assert_eq!(version("package-lock.json", "{", "", "rxjs"), None);
    }

    #[test]
    fn pnpm_lock_has_versions_by_importer() {
        let text = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      '@a/b':\n        specifier: ^1.0.0\n        version: 1.2.0(react@18.0.0)\n\n  packages/a:\n    dependencies:\n      rxjs:\n        specifier: ^7.0.0\n        version: 7.8.1\n      own:\n        specifier: workspace:*\n        version: link:../own\n\npackages:\n";
        for (folder, package, expected) in [
            ("", "@a/b", Some("1.2.0")),
            ("packages/a", "rxjs", Some("7.8.1")),
            ("packages/a", "own", None),
            ("", "rxjs", None),
        ] {
            let found = version("pnpm-lock.yaml", text, folder, package);
            assert_eq!(found.as_deref(), expected, "{package}");
        }
        let old = "lockfileVersion: 5.3\ndependencies:\n  rxjs: 7.5.0_zone@1.0.0\n";
        let found = version("pnpm-lock.yaml", old, "", "rxjs");
        assert_eq!(found.as_deref(), Some("7.5.0"));
    }

    #[test]
    fn yarn_lock_has_versions_by_range() {
        let first = "# yarn lockfile v1\n\n\"rxjs@^6.0.0\", rxjs@^7.0.0:\n  version \"7.8.1\"\n  resolved \"x\"\n";
        let later = "__metadata:\n  version: 8\n\n\"rxjs@npm:^6.0.0, rxjs@npm:^7.0.0\":\n  version: 7.8.1\n  resolution: \"rxjs@npm:7.8.1\"\n";
        for text in [first, later] {
            let found = version("yarn.lock", text, "", "rxjs");
            assert_eq!(found.as_deref(), Some("7.8.1"), "{text}");
        }
    }

    #[test]
    fn nuget_files_have_versions_by_id() {
        let lock = r#"{"version": 1, "dependencies": {"net8.0": {
            "Dapper": {"type": "Direct", "requested": "[2.0.0, )", "resolved": "2.1.0"},
            "own": {"type": "Project"}}}}"#;
        let assets = r#"{"libraries": {"Dapper/2.1.0": {"type": "package"}, "Own/1.0.0": {"type": "project"}}}"#;
        for found in [nuget_lock(lock), restored_versions(assets)] {
            assert_eq!(found.get("dapper").map(String::as_str), Some("2.1.0"));
            assert_eq!(found.len(), 1);
        }
        assert!(nuget_lock("[]").is_empty() && restored_versions("").is_empty());
    }
}
