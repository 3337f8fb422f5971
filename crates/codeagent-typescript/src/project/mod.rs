//! Project ownership: finds the tsconfig that owns a TypeScript or JavaScript file.
//!
//! Folders are searched from the file's own up to the root; in each, `tsconfig.json` comes before
//! its siblings, and a configuration that others extend comes last. Then configurations in other
//! folders that cover files outside their own are tried. A file that every configuration around it
//! excludes (often a test) still belongs to the nearest one whose `include` matches. A file that
//! none includes belongs to the nearest that lists its files one by one and so adds the rest
//! through imports.
//!
//! Limitations: imports are not followed. A configuration that a build tool passes by a name other
//! than `tsconfig*.json` is not found, unless another one extends it.

pub mod exports;
mod extends;
mod jsonc;
mod packages;
#[cfg(test)]
mod tests;
mod tsconfig;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::paths::{ancestors, file_name, folder_of, has_extension};
use codeagent_lang::project::{ProjectSet, ReadProjects};
use rustc_hash::FxHashMap;

use crate::project::tsconfig::{Config, Configs, Coverage};

/// The TypeScript projects of a repository: its tsconfig and jsconfig files, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeScriptProjects {
    /// All configurations that own files.
    pub projects: Vec<TypeScriptProject>,
    /// npm packages of the repository (workspaces), by path.
    pub packages: Vec<Package>,
    /// The tsconfigs that cover a TypeScript or JavaScript file, as indices into
    /// [`TypeScriptProjects::projects`]; files that none covers are left out.
    pub covered: BTreeMap<String, Arc<[u32]>>,
    /// Configurations by path, each the text of an equivalent one without `extends`.
    pub configs: Arc<BTreeMap<String, Arc<str>>>,
}

/// A tsconfig or jsconfig file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeScriptProject {
    /// Repo-relative path of the configuration file.
    pub path: String,
    /// `compilerOptions.allowJs`; always set for a jsconfig.
    pub allow_js: bool,
    /// Libraries whose declarations its files see: those of `compilerOptions.lib`, else the
    /// defaults of `target`.
    pub libraries: Vec<String>,
    /// `compilerOptions.customConditions`: additional conditions of `exports` that hold.
    pub custom_conditions: Vec<String>,
    /// `compilerOptions.types`: packages whose global declarations its files see without importing
    /// them; without the setting, those in `@types`.
    pub types: Option<Arc<[String]>>,
    /// `moduleResolution` is one of Node's modes, in which a file's format decides between the
    /// conditions `import` and `require`.
    pub has_node_formats: bool,
    /// Its output folders and their sources.
    pub outputs: Vec<OutputFolder>,
}

/// A compiler's output folder, and the folder of its sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputFolder {
    /// `outDir` or `declarationDir`, repo-relative.
    pub folder: String,
    /// `rootDir`, or a folder that may be its default.
    pub root: String,
}

impl TypeScriptProject {
    /// Reports whether its files see all `@types` packages around it.
    pub fn sees_all_types(&self) -> bool {
        let types = self.types.as_deref();
        types.is_none_or(|types| types.iter().any(|name| name == "*"))
    }

    /// Returns the modules that each name in `types` may mean; the first that is installed counts.
    pub fn types_modules(&self) -> impl Iterator<Item = [String; 2]> {
        let names = self.types.iter().flat_map(|names| names.iter());
        names.map(|name| {
            let unscoped = name
                .strip_prefix('@')
                .map(|name| name.replacen('/', "__", 1));
            let typed = unscoped.as_ref().unwrap_or(name);
            [format!("@types/{typed}"), name.clone()]
        })
    }

    /// The libraries visible to files that belong to no configuration.
    pub const DEFAULT_LIBRARIES: &[&str] = &[tsconfig::NEWEST];
}

/// A package.json of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Folder, repo-relative, empty for the root.
    pub folder: String,
    pub name: String,
    /// A workspace (package.json `workspaces`, pnpm-workspace.yaml, lerna.json) includes it, or it
    /// is the root of one.
    pub is_workspace_member: bool,
}

impl TypeScriptProjects {
    /// Returns the tsconfigs that cover a file; `None` if there is none.
    #[must_use]
    pub fn covering(&self, path: &str) -> Option<&[u32]> {
        self.covered.get(path).map(|all| &**all)
    }
}

impl ProjectSet for TypeScriptProjects {
    fn path(&self, index: u32) -> &str {
        &self.projects[index as usize].path
    }

    fn find(&self, path: &str) -> Option<u32> {
        let found = self
            .projects
            .binary_search_by(|project| project.path.as_str().cmp(path));
        found.ok().map(|index| index as u32)
    }

    fn may_own(&self, path: &str) -> bool {
        script_kind(path).is_some()
    }

    fn assign(&mut self, path: &str, index: u32) {
        self.covered.insert(path.to_owned(), Arc::from([index]));
    }

    fn only_adds(&self, path: &str, before: &dyn ProjectSet) -> bool {
        let Some(before) = (before as &dyn Any).downcast_ref::<Self>() else {
            return false;
        };
        let covered = self.covered.iter().filter(|(covered, _)| *covered != path);
        covered.eq(&before.covered)
            && self.projects == before.projects
            && self.packages == before.packages
            && self.configs == before.configs
    }
}

/// Reports whether the text of a file is needed, by its name in lower case.
pub(crate) fn is_project_file(name: &str) -> bool {
    packages::is_project_file(name)
        || name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Adds the texts of the files that configurations extend. `read` returns the text of a path,
/// `None` if there is no such file.
pub(crate) fn add_extended(
    texts: &mut BTreeMap<String, Arc<str>>,
    read: &mut dyn FnMut(&str) -> Option<Arc<str>>,
) {
    let (packages, _) = packages::read(texts);
    extends::add_extended(texts, &packages, read);
}

/// Reads all packages and configurations.
pub(crate) fn read(paths: &[String], texts: &BTreeMap<String, Arc<str>>) -> ReadProjects {
    let (packages, mut warnings) = packages::read(texts);
    let (configs, unreadable) = Configs::new(texts, &packages);
    warnings.extend(unreadable);
    let read: Vec<(&str, Config)> = configs
        .paths()
        .map(|path| (path, configs.read(path)))
        .collect();
    let project = |(path, config): &(&str, Config)| TypeScriptProject {
        path: (*path).to_owned(),
        allow_js: config.allow_js,
        libraries: config.libraries.clone(),
        custom_conditions: config.custom_conditions.clone(),
        types: config.types.clone(),
        has_node_formats: config.has_node_formats,
        outputs: config.outputs.clone(),
    };
    let mut set = TypeScriptProjects {
        projects: read.iter().map(project).collect(),
        packages: packages.clone(),
        covered: BTreeMap::new(),
        configs: Arc::new(configs.merged()),
    };

    let owners = Owners::new(&read);
    let mut owned = BTreeMap::new();
    let mut sets: FxHashMap<Vec<u32>, Arc<[u32]>> = FxHashMap::default();
    for path in paths {
        let Some(is_javascript) = script_kind(path) else {
            continue;
        };
        if let Some(owner) = owners.of(path, is_javascript) {
            owned.insert(path.clone(), owner);
        }
        let covering = owners.covering(path, is_javascript);
        if !covering.is_empty() {
            let shared = sets
                .entry(covering)
                .or_insert_with_key(|covering| Arc::from(covering.as_slice()));
            set.covered.insert(path.clone(), Arc::clone(shared));
        }
    }

    ReadProjects {
        set: Box::new(set),
        owners: owned,
        warnings,
    }
}

/// Returns `Some(true)` for JavaScript and `Some(false)` for TypeScript.
pub(crate) fn script_kind(path: &str) -> Option<bool> {
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
    /// The configurations that may cover files outside their folder, by path.
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

    /// Returns the configurations that cover a file, sorted.
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
