//! Source files of the repository's own packages, by package name.
//!
//! A package.json names published files (`"main": "dist/index.js"`), which do not exist in a
//! checkout. The source is found by removing the output folders from the path and prefixing `src`.
//!
//! **Limits.** The mapping follows convention, not the build scripts. An entry point that a bundler
//! generates from elsewhere is not found.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::world::FileId;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{SourcePaths, join};

struct PackageFolder {
    folder: String,
    manifest: Value,
}

/// The packages of the repository.
#[derive(Default)]
pub struct Packages {
    all: Vec<PackageFolder>,
    by_name: FxHashMap<String, usize>,
    by_folder: FxHashMap<String, usize>,
}

impl Packages {
    /// Reads the package.json texts. Of two packages with one name, the one nearer to the root
    /// counts, then the first by path.
    pub fn read(texts: &BTreeMap<String, Arc<str>>) -> Self {
        let mut packages = Self::default();
        for (path, text) in texts {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            if file != "package.json" || folder.split('/').any(|segment| segment == "node_modules")
            {
                continue;
            }
            let Ok(manifest) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            packages.all.push(PackageFolder {
                folder: folder.to_owned(),
                manifest,
            });
        }

        packages.all.sort_by(|a, b| {
            (a.folder.matches('/').count(), &a.folder)
                .cmp(&(b.folder.matches('/').count(), &b.folder))
        });

        for (index, package) in packages.all.iter().enumerate() {
            packages.by_folder.insert(package.folder.clone(), index);
            if let Some(name) = package.manifest.get("name").and_then(Value::as_str) {
                packages.by_name.entry(name.to_owned()).or_insert(index);
            }
        }

        packages
    }

    /// The file of `name` or `name/sub/path`.
    pub fn resolve(&self, specifier: &str, paths: &SourcePaths) -> Option<FileId> {
        let (name, rest) = split_name(specifier);
        let package = &self.all[*self.by_name.get(name)?];
        if rest.is_empty() {
            package.entry(paths)
        } else {
            package.subpath(rest, paths)
        }
    }

    /// Whether a file imports the package it belongs to.
    pub fn is_of_itself(&self, from: &str, specifier: &str) -> bool {
        let Some(&package) = self.by_name.get(split_name(specifier).0) else {
            return false;
        };
        let own = &self.all[package].folder;
        own.is_empty()
            || from
                .strip_prefix(own.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// The entry point of a folder that has a package.json.
    pub fn entry_of_folder(&self, folder: &str, paths: &SourcePaths) -> Option<FileId> {
        let package = &self.all[*self.by_folder.get(folder)?];
        package
            .written_entries()
            .iter()
            .find_map(|entry| package.source(entry, paths))
    }
}

impl PackageFolder {
    fn entry(&self, paths: &SourcePaths) -> Option<FileId> {
        let written = self.written_entries();
        let found = written.iter().find_map(|entry| self.source(entry, paths));
        found.or_else(|| {
            [
                "src/index",
                "index",
                "src/main",
                "src/public-api",
                "lib/index",
            ]
            .iter()
            .find_map(|stem| self.at(stem, paths))
        })
    }

    fn subpath(&self, rest: &str, paths: &SourcePaths) -> Option<FileId> {
        let mut leaves = Vec::new();
        if let Some(exports) = self.manifest.get("exports") {
            exported(exports, rest, &mut leaves);
        }
        let found = leaves.iter().find_map(|leaf| self.source(leaf, paths));
        found
            .or_else(|| self.source(rest, paths))
            .or_else(|| self.at(&format!("src/{rest}"), paths))
    }

    /// Entry points as written, those that name sources or types first.
    fn written_entries(&self) -> Vec<String> {
        let mut entries = Vec::new();
        let field = |name: &str| {
            self.manifest
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };

        entries.extend(field("source"));

        match self.manifest.get("exports") {
            Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => {
                if let Some(root) = map.get(".") {
                    leaves(root, &mut entries, 0);
                }
            }
            Some(exports) => leaves(exports, &mut entries, 0),
            None => {}
        }

        entries.extend(
            ["types", "typings", "module", "main"]
                .iter()
                .filter_map(|name| field(name)),
        );

        entries
    }

    fn at(&self, relative: &str, paths: &SourcePaths) -> Option<FileId> {
        paths.file_or_index(&join(&self.folder, relative)?)
    }

    /// The source of a published path: the path itself, or the path without its output folders,
    /// under `src` or not.
    fn source(&self, published: &str, paths: &SourcePaths) -> Option<FileId> {
        if let Some(file) = self.at(published, paths) {
            return Some(file);
        }

        let mut rest = published.trim_start_matches("./");
        for _ in 0..4 {
            let (folder, tail) = rest.split_once('/')?;
            if folder == ".." {
                return None;
            }
            let found = self
                .at(&format!("src/{tail}"), paths)
                .or_else(|| self.at(tail, paths));
            if found.is_some() {
                return found;
            }
            rest = tail;
        }

        None
    }
}

fn split_name(specifier: &str) -> (&str, &str) {
    let skip = if specifier.starts_with('@') {
        specifier.find('/').map_or(specifier.len(), |at| at + 1)
    } else {
        0
    };
    match specifier[skip..].find('/') {
        Some(at) => (&specifier[..skip + at], &specifier[skip + at + 1..]),
        None => (specifier, ""),
    }
}

/// The paths that `exports` gives for a subpath, `*` filled in.
fn exported(exports: &Value, rest: &str, out: &mut Vec<String>) {
    let Value::Object(map) = exports else { return };
    if let Some(value) = map.get(&format!("./{rest}")) {
        leaves(value, out, 0);
        return;
    }

    for (key, value) in map {
        let Some((before, after)) = key.trim_start_matches("./").split_once('*') else {
            continue;
        };
        if let Some(middle) = rest
            .strip_prefix(before)
            .and_then(|tail| tail.strip_suffix(after))
        {
            let mut patterns = Vec::new();
            leaves(value, &mut patterns, 0);
            out.extend(patterns.iter().map(|pattern| pattern.replace('*', middle)));
        }
    }
}

fn leaves(value: &Value, out: &mut Vec<String>, depth: u32) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Object(map) if depth < 8 => {
            map.values().for_each(|inner| leaves(inner, out, depth + 1))
        }
        Value::Array(list) if depth < 8 => {
            list.iter().for_each(|inner| leaves(inner, out, depth + 1))
        }
        _ => {}
    }
}
