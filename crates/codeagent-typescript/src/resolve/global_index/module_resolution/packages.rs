//! Source files of the repository's own packages, by package name.
//!
//! A package.json lists published files (`"main": "dist/index.js"`), which do not exist in a
//! checkout. The source of one is found through the tsconfig that emits it (`outDir` to `rootDir`),
//! else by removing the output folders from the path and prefixing `src`. Of `exports`, targets
//! whose conditions hold for the importing file come first; the others are tried because theirs may
//! be the only existing source.
//!
//! Limitations: without a tsconfig the mapping follows convention, not the build scripts. An entry
//! point that a bundler generates from elsewhere is not found. `.mts` and `.cts` importers are
//! treated like the other files of their folder. Settings of pnpm in `.npmrc` are not read.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::paths::{self, ancestors, folder_of};
use codeagent_lang::world::FileId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{SourcePaths, join};
use crate::project::TypeScriptProjects;
use crate::project::exports::{Conditions, ModuleFormat, import_targets, targets};

struct PackageFolder {
    folder: String,
    manifest: Value,
}

/// The import settings in the tsconfigs of one folder.
#[derive(Default)]
struct ImportSettings {
    custom_conditions: Vec<String>,
    has_node_formats: bool,
}

/// The packages of the repository.
#[derive(Default)]
pub struct Packages {
    all: Vec<PackageFolder>,
    by_name: FxHashMap<String, usize>,
    by_folder: FxHashMap<String, usize>,
    /// Import settings, by the folder of the tsconfigs.
    settings: FxHashMap<String, ImportSettings>,
    /// The source folders of each output folder.
    outputs: FxHashMap<String, Vec<String>>,
    /// The folders of pnpm workspaces that link declared dependencies only.
    pnpm_workspaces: Vec<String>,
}

impl Packages {
    /// Reads the package.json texts. Of several packages with one name, the root of a workspace
    /// that is private counts last, then the one nearer to the root, then the first by path.
    pub fn read(texts: &BTreeMap<String, Arc<str>>, projects: &TypeScriptProjects) -> Self {
        let mut packages = Self::default();
        for (path, text) in texts {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            if file == "pnpm-workspace.yaml" && !links_all(text) {
                packages.pnpm_workspaces.push(folder.to_owned());
            }
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

        packages.all.sort_by_cached_key(|package| {
            let folder = &package.folder;
            (
                paths::is_packed(folder),
                package.is_private_root(texts),
                folder.matches('/').count(),
                folder.clone(),
            )
        });

        for (index, package) in packages.all.iter().enumerate() {
            packages.by_folder.insert(package.folder.clone(), index);
            if let Some(name) = package.manifest.get("name").and_then(Value::as_str) {
                packages.by_name.entry(name.to_owned()).or_insert(index);
            }
        }

        packages.read_configurations(projects);
        packages
    }

    fn read_configurations(&mut self, projects: &TypeScriptProjects) {
        for project in &projects.projects {
            let folder = folder_of(&project.path).to_owned();
            let settings = self.settings.entry(folder).or_default();
            settings.has_node_formats |= project.has_node_formats;
            settings
                .custom_conditions
                .extend(project.custom_conditions.iter().cloned());

            for output in &project.outputs {
                let roots = self.outputs.entry(output.folder.clone()).or_default();
                if !roots.contains(&output.root) {
                    roots.push(output.root.clone());
                }
            }
        }

        // A tsconfig that compiles a part of the sources may share the folder with that of them all.
        let folders: FxHashSet<&str> = projects
            .projects
            .iter()
            .map(|project| folder_of(&project.path))
            .collect();
        for roots in self.outputs.values_mut() {
            roots.sort_by_key(|root| {
                let is_project = folders.contains(root.as_str());
                (is_project, root.split('/').count())
            });
        }
    }

    /// Returns the file that `name` or `name/sub/path` resolves to in a folder.
    pub fn resolve(&self, from: &str, specifier: &str, paths: &SourcePaths) -> Option<FileId> {
        let (name, rest) = split_name(specifier);
        let package = &self.all[*self.by_name.get(name)?];

        let mut candidates = package.candidates(rest, self.conditions(from));
        if let Some(found) = self.first_source(package, &candidates, paths) {
            return Some(found);
        }

        candidates = package.candidates(rest, Conditions::All);
        self.first_source(package, &candidates, paths)
            .or_else(|| package.by_convention(rest, paths))
    }

    /// Returns the file that a specifier such as `#utils` resolves to by the `imports` of the nearest package.json
    /// around a folder.
    pub fn resolve_import(
        &self,
        from: &str,
        specifier: &str,
        paths: &SourcePaths,
    ) -> Option<FileId> {
        let nearest = ancestors(from).find_map(|around| self.by_folder.get(around))?;
        let package = &self.all[*nearest];
        let imports = package.manifest.get("imports")?;

        let candidates = import_targets(imports, specifier, self.conditions(from));
        if let Some(found) = self.first_source(package, &candidates, paths) {
            return Some(found);
        }

        let candidates = import_targets(imports, specifier, Conditions::All);
        self.first_source(package, &candidates, paths)
    }

    /// Returns the conditions of `exports` and `imports` that hold for the files of a folder.
    fn conditions(&self, folder: &str) -> Conditions<'_> {
        let settings = ancestors(folder).find_map(|around| self.settings.get(around));
        let has_node_formats = settings.is_some_and(|settings| settings.has_node_formats);

        let format = if has_node_formats && !self.is_of_modules(folder) {
            ModuleFormat::CommonJs
        } else {
            ModuleFormat::EcmaScript
        };
        Conditions::Of(
            format,
            settings.map_or(&[], |settings| &settings.custom_conditions),
        )
    }

    /// Reports whether the nearest package.json declares its `.js` and `.ts` files to be ECMAScript
    /// modules.
    fn is_of_modules(&self, folder: &str) -> bool {
        ancestors(folder)
            .find_map(|around| self.by_folder.get(around))
            .is_some_and(|package| {
                self.all[*package]
                    .manifest
                    .get("type")
                    .and_then(Value::as_str)
                    == Some("module")
            })
    }

    fn first_source(
        &self,
        package: &PackageFolder,
        published: &[String],
        paths: &SourcePaths,
    ) -> Option<FileId> {
        published
            .iter()
            .find_map(|published| self.source(package, published, paths))
    }

    /// Returns the source of a published path: the path itself, the source that a tsconfig compiles
    /// to it, or the path without its output folders.
    fn source(
        &self,
        package: &PackageFolder,
        published: &str,
        paths: &SourcePaths,
    ) -> Option<FileId> {
        package
            .at(published, paths)
            .or_else(|| self.compiled_from(&join(&package.folder, published)?, paths))
            .or_else(|| package.without_output_folders(published, paths))
    }

    /// Returns the source that a tsconfig compiles to a file of its output folder.
    fn compiled_from(&self, published: &str, paths: &SourcePaths) -> Option<FileId> {
        ancestors(folder_of(published)).find_map(|folder| {
            let rest = published.strip_prefix(folder)?.trim_start_matches('/');
            let source = as_script(rest);
            self.outputs
                .get(folder)?
                .iter()
                .find_map(|root| paths.file_or_index(&join(root, &source)?))
        })
    }

    /// Reports whether a specifier names a package of an interface pack.
    pub fn is_packed(&self, specifier: &str) -> bool {
        let found = self.by_name.get(split_name(specifier).0);
        found.is_some_and(|package| paths::is_packed(&self.all[*package].folder))
    }

    /// Reports whether a file imports the package it belongs to.
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

    /// Reports whether a file imports another package of its pnpm workspace on which no package
    /// around the file depends. pnpm links declared dependencies only; npm and Yarn link every
    /// member of a workspace into its root.
    pub fn is_unlinked(&self, from: &str, specifier: &str) -> bool {
        if self.is_of_itself(from, specifier) {
            return false;
        }

        let folder = folder_of(from);
        let is_of_pnpm =
            ancestors(folder).any(|around| self.pnpm_workspaces.iter().any(|root| root == around));
        let mut around = ancestors(folder)
            .filter_map(|around| self.by_folder.get(around))
            .map(|package| &self.all[*package]);
        let name = split_name(specifier).0;
        is_of_pnpm && !around.any(|package| package.depends_on(name))
    }

    /// Returns the entry point of a folder that has a package.json.
    pub fn entry_of_folder(&self, folder: &str, paths: &SourcePaths) -> Option<FileId> {
        let package = &self.all[*self.by_folder.get(folder)?];
        self.first_source(
            package,
            &package.candidates("", self.conditions(folder)),
            paths,
        )
    }
}

impl PackageFolder {
    /// Reports whether it is the private root of a workspace, which nothing imports by name.
    fn is_private_root(&self, texts: &BTreeMap<String, Arc<str>>) -> bool {
        let is_private = self.manifest.get("private").and_then(Value::as_bool) == Some(true);
        let has_file =
            |name: &str| join(&self.folder, name).is_some_and(|path| texts.contains_key(&path));
        is_private
            && (self.manifest.get("workspaces").is_some()
                || has_file("pnpm-workspace.yaml")
                || has_file("lerna.json"))
    }

    fn depends_on(&self, name: &str) -> bool {
        [
            "dependencies",
            "devDependencies",
            "peerDependencies",
            "optionalDependencies",
        ]
        .iter()
        .filter_map(|section| self.manifest.get(section))
        .any(|section| section.get(name).is_some())
    }

    /// Returns the published files that a subpath (empty for the package itself) may resolve to, as
    /// written.
    fn candidates(&self, subpath: &str, conditions: Conditions<'_>) -> Vec<String> {
        let field = |name: &str| Some(self.manifest.get(name)?.as_str()?.to_owned());

        let mut candidates = Vec::new();
        if subpath.is_empty() {
            candidates.extend(field("source"));
        }
        if let Some(exports) = self.manifest.get("exports") {
            candidates.extend(targets(exports, subpath, conditions));
        }
        if subpath.is_empty() {
            candidates.extend(
                ["types", "typings", "module", "main"]
                    .into_iter()
                    .filter_map(field),
            );
        }
        candidates
    }

    /// Returns the file of a subpath in a package that lists no file for it.
    fn by_convention(&self, subpath: &str, paths: &SourcePaths) -> Option<FileId> {
        if subpath.is_empty() {
            return [
                "src/index",
                "index",
                "src/main",
                "src/public-api",
                "lib/index",
            ]
            .iter()
            .find_map(|stem| self.at(stem, paths));
        }

        self.at(subpath, paths)
            .or_else(|| self.without_output_folders(subpath, paths))
            .or_else(|| self.at(&format!("src/{subpath}"), paths))
    }

    fn at(&self, relative: &str, paths: &SourcePaths) -> Option<FileId> {
        paths.file_or_index(&join(&self.folder, relative)?)
    }

    /// Returns the file at the path without its output folders, under `src` or not.
    fn without_output_folders(&self, published: &str, paths: &SourcePaths) -> Option<FileId> {
        let source = as_script(published);
        let mut rest = source.trim_start_matches("./");
        if let Some(found) = self.at(&format!("src/{rest}"), paths) {
            return Some(found);
        }

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

/// Reports whether a pnpm-workspace.yaml lets every file import every package, as npm does.
fn links_all(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.split(" #").next().unwrap_or_default();
        let setting = line
            .split_once(':')
            .map(|(name, value)| (name, value.trim()));
        matches!(
            setting,
            Some(("shamefullyHoist", "true") | ("nodeLinker", "hoisted"))
        )
    })
}

/// Returns the script beside a published declaration file, whose sources may have other extensions.
fn as_script(published: &str) -> String {
    for (declaration, script) in [(".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs")] {
        if let Some(stem) = published.strip_suffix(declaration) {
            return format!("{stem}{script}");
        }
    }
    published.to_owned()
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
