//! `extends` of a tsconfig: the files that it may mean, in the repository and in installed packages.
//!
//! A name that is no path is that of a package of the repository, or it is looked up in the
//! `node_modules` of the folders around the configuration, nearest first, as
//! <https://www.typescriptlang.org/tsconfig/#extends> specifies.
//!
//! Limitations: `tsconfig`, `main` and `exports` of a package.json are not read; a package named
//! without a file means its `tsconfig.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::project::paths::{ancestors, folder_of, has_extension, is_below, join};
use serde_json::Value;

use crate::project::tsconfig::is_json_config;
use crate::project::{Package, jsonc};

/// Largest number of paths that are tried.
const MOST_TRIED: usize = 10_000;
const NODE_MODULES: &str = "node_modules";

/// Adds the texts of the files that configurations extend. `read` returns the text of a path,
/// `None` if there is no such file.
pub(super) fn add_extended(
    texts: &mut BTreeMap<String, Arc<str>>,
    packages: &[Package],
    read: &mut dyn FnMut(&str) -> Option<Arc<str>>,
) {
    let mut queue: Vec<String> = texts
        .keys()
        .rev()
        .filter(|path| is_json_config(path))
        .cloned()
        .collect();

    let mut tried = BTreeSet::new();
    while let Some(path) = queue.pop() {
        let Some(text) = texts.get(&path).filter(|text| text.contains("\"extends\"")) else {
            continue;
        };
        let Ok(value) = jsonc::parse(text) else {
            continue;
        };
        for base in bases_of(&value, &path, packages) {
            for candidate in base {
                if texts.contains_key(&candidate) {
                    break;
                }
                if tried.len() >= MOST_TRIED
                    || !is_readable(&candidate)
                    || !tried.insert(candidate.clone())
                {
                    continue;
                }
                if let Some(text) = read(&candidate) {
                    texts.insert(candidate.clone(), text);
                    queue.push(candidate);
                    break;
                }
            }
        }
    }
}

/// Returns the candidate paths of each name in `extends`; the first that exists counts.
pub(super) fn bases_of(value: &Value, path: &str, packages: &[Package]) -> Vec<Vec<String>> {
    let names = value.get("extends").map(jsonc::strings).unwrap_or_default();
    names
        .iter()
        .map(|name| candidates(folder_of(path), name, packages))
        .collect()
}

/// Reports whether a file is in an installed package.
pub(super) fn is_of_package(path: &str) -> bool {
    path.split('/').any(|segment| segment == NODE_MODULES)
}

/// Reports whether a file may be read because a configuration extends it.
fn is_readable(path: &str) -> bool {
    has_extension(path, ".json")
        && !path
            .split('/')
            .any(|segment| matches!(segment, ".git" | ".codeagent"))
}

fn candidates(folder: &str, name: &str, packages: &[Package]) -> Vec<String> {
    if name.starts_with('.') {
        return join(folder, name).map(files_at).unwrap_or_default();
    }
    if name.starts_with('/') {
        return Vec::new();
    }

    let own = packages
        .iter()
        .filter(|package| is_below(name, &package.name) || name == package.name)
        .max_by_key(|package| package.name.len());
    let own = own.and_then(|package| {
        let inside = name[package.name.len()..].trim_start_matches('/');
        join(&package.folder, inside)
    });

    let installed = ancestors(folder)
        .filter(|around| !around.ends_with(NODE_MODULES))
        .filter_map(|around| join(around, &format!("{NODE_MODULES}/{name}")))
        .flat_map(files_at);
    own.into_iter()
        .flat_map(files_at)
        .chain(installed)
        .collect()
}

/// Returns the files that a path may mean.
fn files_at(path: String) -> Vec<String> {
    if has_extension(&path, ".json") {
        return vec![path];
    }
    let inside = format!("{path}/tsconfig.json");
    let inside = inside.trim_start_matches('/').to_owned();
    vec![format!("{path}.json"), inside]
}
