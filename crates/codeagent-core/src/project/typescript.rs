//! Which tsconfig owns a TypeScript or JavaScript file.
//!
//! Folders are asked from the file's own up to the root, `tsconfig.json` before its siblings and
//! the one the others build on after them; then configurations elsewhere that reach out of their
//! folder. A file that every configuration around it excludes (tests, often) still belongs to the
//! nearest one whose `include` matches, and one that none includes to the nearest that names its
//! files one by one and so pulls in the rest through imports.
//!
//! **Limits.** Imports are not followed; a configuration that a build tool passes by another name
//! than `tsconfig*.json` is not seen, unless another one extends it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::project::paths::{ancestors, file_name, folder_of, has_extension};
use crate::project::tsconfig::{Config, Configs, Coverage};
use crate::project::{ProjectModel, ProjectRef, TypeScriptProject};

pub(super) use crate::project::tsconfig::add_extended;

/// Whether the text of a file is needed, by its name in lower case.
pub(super) fn is_project_file(name: &str) -> bool {
    name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Reads all configurations into the model; the packages are there already.
pub(super) fn read(model: &mut ProjectModel, paths: &[String], texts: &BTreeMap<String, Arc<str>>) {
    let (configs, warnings) = Configs::new(texts, &model.packages);
    let read: Vec<(&str, Config)> = configs
        .paths()
        .map(|path| (path, configs.read(path)))
        .collect();
    model.warnings.extend(warnings);
    model.configs = Arc::new(configs.merged());
    let project = |(path, config): &(&str, Config)| TypeScriptProject {
        path: (*path).to_owned(),
        allow_js: config.allow_js,
        libraries: config.libraries.clone(),
    };
    model.typescript = read.iter().map(project).collect();
    let owners = Owners::new(&read);
    let mut sets: FxHashMap<Vec<u32>, Arc<[u32]>> = FxHashMap::default();
    for path in paths {
        let Some(is_javascript) = script_kind(path) else {
            continue;
        };
        if let Some(owner) = owners.of(path, is_javascript) {
            model
                .owners
                .insert(path.clone(), ProjectRef::TypeScript(owner));
        }
        let covering = owners.covering(path, is_javascript);
        if !covering.is_empty() {
            let set = sets
                .entry(covering)
                .or_insert_with_key(|covering| Arc::from(covering.as_slice()));
            model.covered.insert(path.clone(), Arc::clone(set));
        }
    }
}

/// `Some(true)` for JavaScript, `Some(false)` for TypeScript.
pub(super) fn script_kind(path: &str) -> Option<bool> {
    let is = |extensions: &[&str]| {
        extensions
            .iter()
            .any(|extension| has_extension(path, extension))
    };
    if is(&[".ts", ".tsx", ".mts", ".cts"]) {
        Some(false)
    } else {
        is(&[".js", ".jsx", ".mjs", ".cjs"]).then_some(true)
    }
}

struct Owners<'c> {
    configs: &'c [(&'c str, Config)],
    by_folder: FxHashMap<&'c str, Vec<u32>>,
    /// Those that can cover files outside of their folder, by path.
    reaching_out: Vec<u32>,
}

impl<'c> Owners<'c> {
    fn new(configs: &'c [(&'c str, Config)]) -> Self {
        let mut by_folder: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let mut reaching_out = Vec::new();
        for ((path, config), index) in configs.iter().zip(0_u32..) {
            by_folder.entry(folder_of(path)).or_default().push(index);
            if config.reaches_out_of(folder_of(path)) {
                reaching_out.push(index);
            }
        }
        let place = |index: &u32| {
            let (path, config) = &configs[*index as usize];
            let name = file_name(path).to_ascii_lowercase();
            (
                name != "tsconfig.json",
                name.starts_with("jsconfig"),
                config.is_base,
                name.split('.').count(),
                name,
            )
        };
        by_folder
            .values_mut()
            .for_each(|siblings| siblings.sort_by_key(place));
        Self {
            configs,
            by_folder,
            reaching_out,
        }
    }

    /// All that cover a file, sorted.
    fn covering(&self, path: &str, is_javascript: bool) -> Vec<u32> {
        let lower = path.to_ascii_lowercase();
        let around = ancestors(folder_of(path))
            .filter_map(|folder| self.by_folder.get(folder))
            .flatten();
        let all = around.chain(&self.reaching_out).copied();
        let mut covering: Vec<u32> = all
            .filter(|index| {
                self.configs[*index as usize]
                    .1
                    .coverage(&lower, is_javascript)
                    == Coverage::Full
            })
            .collect();
        covering.sort_unstable();
        covering.dedup();
        covering
    }

    fn of(&self, path: &str, is_javascript: bool) -> Option<u32> {
        let lower = path.to_ascii_lowercase();
        let coverage = |index: u32| {
            self.configs[index as usize]
                .1
                .coverage(&lower, is_javascript)
        };
        let around = ancestors(folder_of(path))
            .filter_map(|folder| self.by_folder.get(folder))
            .flatten();
        let mut best = (Coverage::None, None);
        for &index in around {
            let coverage = coverage(index);
            if coverage == Coverage::Full {
                return Some(index);
            }
            if coverage > best.0 {
                best = (coverage, Some(index));
            }
        }
        let elsewhere = self
            .reaching_out
            .iter()
            .copied()
            .find(|index| coverage(*index) == Coverage::Full);
        elsewhere.or(best.1)
    }
}
