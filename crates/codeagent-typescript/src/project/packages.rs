//! The npm packages of the repository, and their membership in workspaces.
//!
//! Limitations: in pnpm-workspace.yaml only the list `packages` is read, in block or flow style.
//! package.json files without a name are ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::globs::Glob;
use codeagent_lang::project::paths::{file_name, folder_of, join};
use serde_json::Value;

use crate::project::{Package, jsonc};

/// Reads all packages, and returns the errors of unreadable ones.
pub(super) fn read(texts: &BTreeMap<String, Arc<str>>) -> (Vec<Package>, Vec<String>) {
    let (mut packages, mut warnings) = (Vec::new(), Vec::new());

    let mut workspaces = Vec::new();
    for (path, text) in texts {
        let patterns = match file_name(path) {
            "pnpm-workspace.yaml" => yaml_packages(text),
            "package.json" | "lerna.json" => match jsonc::parse(text) {
                Ok(value) => manifest(&mut packages, path, &value),
                Err(error) => {
                    warnings.push(format!("{path}: cannot be read, ignored: {error}"));
                    continue;
                }
            },
            _ => continue,
        };
        if !patterns.is_empty() {
            workspaces.push(Workspace::new(folder_of(path), &patterns));
        }
    }

    for package in &mut packages {
        package.is_workspace_member = workspaces
            .iter()
            .any(|workspace| workspace.has(&package.folder));
    }

    (packages, warnings)
}

/// Reports whether the text of a file is needed, by its name in lower case.
pub(super) fn is_project_file(name: &str) -> bool {
    matches!(name, "package.json" | "pnpm-workspace.yaml" | "lerna.json")
}

/// Adds the package of a manifest; returns its workspace patterns.
fn manifest(packages: &mut Vec<Package>, path: &str, value: &Value) -> Vec<String> {
    if file_name(path) == "lerna.json" {
        return value
            .get("packages")
            .map(jsonc::strings)
            .unwrap_or_default();
    }

    if let Some(name) = value
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
    {
        packages.push(Package {
            folder: folder_of(path).to_owned(),
            name: name.to_owned(),
            is_workspace_member: false,
        });
    }

    let workspaces = value.get("workspaces");
    workspaces
        .map(|list| jsonc::strings(list.get("packages").unwrap_or(list)))
        .unwrap_or_default()
}

struct Workspace {
    folder: String,
    included: Vec<Glob>,
    excluded: Vec<Glob>,
}

impl Workspace {
    fn new(folder: &str, patterns: &[String]) -> Self {
        // Patterns select manifests, as in npm and pnpm: `a/*/**` includes the folders below `a`.
        let glob = |pattern: &str| {
            join(folder, pattern).map(|pattern| Glob::new(&format!("{pattern}/package.json")))
        };
        let included = patterns
            .iter()
            .filter(|pattern| !pattern.starts_with('!'))
            .filter_map(|pattern| glob(pattern))
            .collect();
        let excluded = patterns
            .iter()
            .filter_map(|pattern| glob(pattern.strip_prefix('!')?))
            .collect();

        Self {
            folder: folder.to_owned(),
            included,
            excluded,
        }
    }

    fn has(&self, folder: &str) -> bool {
        let manifest = format!("{folder}/package.json");
        let is_matched = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(&manifest));
        folder == self.folder || is_matched(&self.included) && !is_matched(&self.excluded)
    }
}

/// Returns the list `packages` of a YAML mapping.
fn yaml_packages(text: &str) -> Vec<String> {
    let unquoted = |item: &str| item.trim().trim_matches(['\'', '"']).to_owned();
    let mut patterns = Vec::new();

    let mut is_inside = false;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        if let Some(rest) = line.strip_prefix("packages:") {
            is_inside = true;
            let flow = rest.trim().trim_start_matches('[').trim_end_matches(']');
            patterns.extend(
                flow.split(',')
                    .map(unquoted)
                    .filter(|item| !item.is_empty()),
            );
        } else if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| is_inside) {
            patterns.push(unquoted(item));
        } else if line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '-') {
            is_inside = false;
        }
    }

    patterns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_match_the_patterns_of_a_workspace() {
        let cases: [(&str, &str, &[&str]); 6] = [
            (
                "package.json",
                r#"{"name":"root","workspaces":["packages/*","!packages/b"]}"#,
                &["", "packages/a"],
            ),
            (
                "package.json",
                r#"{"name":"root","workspaces":{"packages":["./packages/**"]}}"#,
                &["", "packages/a", "packages/b", "packages/b/deep"],
            ),
            (
                "package.json",
                r#"{"name":"root","workspaces":["packages/*/**","!**/b/**"]}"#,
                &["", "packages/a"],
            ),
            (
                "pnpm-workspace.yaml",
                "# x\npackages:\n  - 'packages/a' # one\n  - \"tools\"\ncatalog:\n  - packages/b\n",
                &["packages/a"],
            ),
            (
                "pnpm-workspace.yaml",
                "packages: ['packages/b']\n",
                &["packages/b"],
            ),
            (
                "lerna.json",
                r#"{"packages":["packages/b"], /* c */}"#,
                &["packages/b"],
            ),
        ];

        for (path, text, expected) in cases {
            let mut texts = BTreeMap::new();
            for folder in ["packages/a", "packages/b", "packages/b/deep"] {
                texts.insert(
                    format!("{folder}/package.json"),
                    Arc::from(format!(r#"{{"name":"{folder}"}}"#)),
                );
            }
            texts.insert("loose/package.json".to_owned(), Arc::from("{}"));
            texts.insert("broken/package.json".to_owned(), Arc::from("{"));
            texts.insert(path.to_owned(), Arc::from(text));
            let (packages, warnings) = read(&texts);
            let members: Vec<&str> = packages
                .iter()
                .filter(|package| package.is_workspace_member)
                .map(|package| package.folder.as_str())
                .collect();
            let members: Vec<&str> = members
                .into_iter()
                .filter(|folder| !folder.is_empty() || path == "package.json")
                .collect();
            let mut members = members;
            members.sort_unstable();
            assert_eq!(members, expected, "{text}");
            assert_eq!(warnings.len(), 1, "{:?}", warnings);
        }
    }
}
