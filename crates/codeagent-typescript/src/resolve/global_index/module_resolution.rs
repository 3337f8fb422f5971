//! Module resolution: the file that `import .. from "specifier"` resolves to.
//!
//! Relative specifiers are joined and tried with TypeScript's extensions. Bare specifiers go
//! through the tsconfig of the importing file (`paths`, `baseUrl`) and then to the packages of the
//! repository itself, whose published entry points (`dist/index.js`) are mapped back to the sources
//! they are built from. Packages in `node_modules` were resolved earlier ([`PackageAnswers`]); they
//! precede a package of the repository with the same name, as in the compiler.
//!
//! Limitations: only the list of paths and the texts of package.json and tsconfig files are known:
//! no disk access, no links, no `rootDirs`. The results are cached, so a file can only be added if
//! no result depends on it; for other changes of the paths, a new value is needed.

mod installed_modules;
mod memory_fs;
mod packages;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use codeagent_lang::project::{ProjectModel, paths};
use codeagent_lang::world::{FileId, WorldFile};
use oxc_resolver::{ResolveOptions, ResolverGeneric, TsconfigDiscovery};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::project::TypeScriptProjects;
use crate::project::exports::wildcard;
pub use installed_modules::{PackageAnswers, VisibleTypes, is_of_package};
use memory_fs::{MOUNT, MemoryFs};
use packages::Packages;

/// Extensions in the order TypeScript prefers them.
const EXTENSIONS: [&str; 10] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".js", ".jsx", ".mjs", ".cjs",
];

/// The source extensions that a written extension may stand for.
const WRITTEN: [(&str, &[&str]); 7] = [
    (".d.ts", &[".ts", ".tsx", ".d.ts"]),
    (".d.mts", &[".mts", ".d.mts"]),
    (".d.cts", &[".cts", ".d.cts"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".d.ts", ".jsx"]),
    (".mjs", &[".mts", ".d.mts", ".mjs", ".ts"]),
    (".cjs", &[".cts", ".d.cts", ".cjs", ".ts"]),
];

/// Stems of files that specifiers without these words may resolve to.
const ENTRIES: [&str; 4] = ["", "index", "main", "public-api"];

/// The files that can be imported, by path.
#[derive(Debug, Default)]
pub struct SourcePaths {
    by_path: FxHashMap<Arc<str>, FileId>,
}

impl SourcePaths {
    fn exact(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Returns the source file for a path without extension, or with that of a build output.
    fn file(&self, path: &str) -> Option<FileId> {
        if is_declaration(path)
            && let Some(file) = self.exact(path)
        {
            return Some(file);
        }

        // `a.js` names `a.ts` and `a.d.ts` before `a.js` itself.
        for (written, sources) in WRITTEN {
            if let Some(stem) = path.strip_suffix(written) {
                let found = sources
                    .iter()
                    .find_map(|extension| self.exact(&format!("{stem}{extension}")));
                if found.is_some() {
                    return found;
                }
            }
        }
        if let Some(file) = self.exact(path) {
            return Some(file);
        }

        EXTENSIONS
            .iter()
            .find_map(|extension| self.exact(&format!("{path}{extension}")))
    }

    fn index(&self, folder: &str) -> Option<FileId> {
        let stem = if folder.is_empty() {
            "index".to_owned()
        } else {
            format!("{folder}/index")
        };
        EXTENSIONS
            .iter()
            .find_map(|extension| self.exact(&format!("{stem}{extension}")))
    }

    fn file_or_index(&self, path: &str) -> Option<FileId> {
        self.file(path).or_else(|| self.index(path))
    }
}

/// Resolves module specifiers for one world.
#[derive(Default)]
pub struct ModulePaths {
    paths: SourcePaths,
    packages: Packages,
    installed: Arc<PackageAnswers>,
    /// The declaration files of installed packages.
    external: FxHashMap<Arc<str>, FileId>,
    file_system: MemoryFs,
    with_tsconfig: ResolverGeneric<MemoryFs>,
    without_tsconfig: ResolverGeneric<MemoryFs>,
    /// Prefixes that some tsconfig maps; specifiers with other prefixes are not mapped.
    mapped: Prefixes,
    /// First path segments, if some tsconfig has a `baseUrl`.
    base_segments: FxHashSet<String>,
    answers: FxHashMap<(String, String), Option<FileId>>,
}

impl ModulePaths {
    /// Creates a resolver over the files of a world in canonical order.
    #[must_use]
    pub fn new(
        files: &[WorldFile],
        projects: &ProjectModel,
        installed: &Arc<PackageAnswers>,
    ) -> Self {
        let numbered =
            |(index, file): (usize, &WorldFile)| (Arc::clone(&file.path), FileId(index as u32));
        let (external, own): (Vec<_>, Vec<_>) = files
            .iter()
            .enumerate()
            .partition(|(_, file)| file.external);
        let by_path = own.into_iter().map(numbered).collect();
        let repository = || files.iter().filter(|file| !file.external);
        let file_system = MemoryFs::new(repository().map(|file| &file.path), projects);
        let typescript = projects.of::<TypeScriptProjects>();
        let packages = Packages::read(&projects.sources, typescript);
        let without = ResolveOptions {
            tsconfig: None,
            ..options()
        };
        let configs = &typescript.configs;
        let mapped = Prefixes::of(configs);
        let based = configs.values().any(|text| text.contains("\"baseUrl\""));
        let base_segments = if based {
            path_segments(repository())
        } else {
            FxHashSet::default()
        };

        Self {
            paths: SourcePaths { by_path },
            packages,
            installed: Arc::clone(installed),
            external: external.into_iter().map(numbered).collect(),
            with_tsconfig: ResolverGeneric::new_with_file_system(file_system.clone(), options()),
            without_tsconfig: ResolverGeneric::new_with_file_system(file_system.clone(), without),
            file_system,
            mapped,
            base_segments,
            answers: FxHashMap::default(),
        }
    }

    /// Returns the file that `specifier` resolves to in the file `from`; `None` if it is not
    /// declared or does not exist.
    pub fn resolve(&mut self, from: &str, specifier: &str) -> Option<FileId> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let key = (folder.to_owned(), specifier.to_owned());
        if let Some(&answer) = self.answers.get(&key) {
            return answer;
        }

        let answer = if self.external.contains_key(from) {
            self.installed
                .in_package(folder, specifier)
                .and_then(|path| self.external.get(path).copied())
        } else if is_relative(specifier) {
            self.relative(folder, specifier)
        } else {
            self.bare(from, specifier)
        };

        self.answers.insert(key, answer);

        answer
    }

    /// Adds a file of the repository, in a folder with other files. Returns false, with nothing
    /// changed, if a specifier that was resolved before may now have another target.
    pub fn add(&mut self, path: &Arc<str>, file: FileId) -> bool {
        let stem = stem(path);
        let is_entry = ENTRIES.contains(&stem) || self.file_system.mentions(stem);
        let is_based = !self.base_segments.is_empty();
        let is_new_segment = is_based && self.base_segments.insert(stem.to_owned());
        self.paths.by_path.insert(Arc::clone(path), file);

        let is_same = |((folder, specifier), answer): (&(String, String), &Option<FileId>)| {
            if !is_entry && !specifier.contains(stem) {
                return true;
            }
            let is_of_package = || {
                let key = (folder.clone(), specifier.clone());
                self.installed.of_packages.contains_key(&key)
            };
            if is_relative(specifier) {
                self.relative(folder, specifier) == *answer || is_of_package()
            } else if self.may_be_mapped(specifier) {
                is_of_package()
            } else {
                self.bare(&format!("{folder}/"), specifier) == *answer || is_of_package()
            }
        };
        if self.answers.iter().all(is_same) {
            self.file_system.add(path);
            self.clear_caches();
            return true;
        }

        self.paths.by_path.remove(path);
        if is_new_segment {
            self.base_segments.remove(stem);
        }
        false
    }

    /// Removes a file that was added and that only its own specifiers were resolved to.
    pub fn remove(&mut self, path: &str) {
        if let Some(file) = self.paths.by_path.remove(path) {
            self.answers.retain(|_, answer| *answer != Some(file));
            self.file_system.remove(path);
            self.clear_caches();
        }
    }

    fn clear_caches(&self) {
        self.with_tsconfig.clear_cache();
        self.without_tsconfig.clear_cache();
    }

    /// Returns the number of files of the repository.
    pub fn count(&self) -> usize {
        self.paths.by_path.len()
    }

    /// Reports whether all files of the repository find the same installed packages.
    pub fn has_one_base(&self) -> bool {
        let bases = &self.installed.bases;
        bases.is_empty() || bases.len() == 1 && bases.contains("")
    }

    /// Replaces the numbers of all files.
    pub fn renumber_files(&mut self, number: &impl Fn(&mut FileId)) {
        let paths = self.paths.by_path.values_mut();
        paths.chain(self.external.values_mut()).for_each(number);
        self.answers.values_mut().flatten().for_each(number);
    }

    fn relative(&self, folder: &str, specifier: &str) -> Option<FileId> {
        let path = join(folder, specifier)?;
        let folder_only = specifier.ends_with('/')
            || specifier == "."
            || specifier == ".."
            || specifier.ends_with("/..")
            || specifier.ends_with("/.");
        if !folder_only && let Some(file) = self.paths.file(&path) {
            return Some(file);
        }
        self.packages
            .entry_of_folder(&path, &self.paths)
            .or_else(|| self.paths.index(&path))
    }

    fn bare(&self, from: &str, specifier: &str) -> Option<FileId> {
        let folder = paths::folder_of(from);
        // `paths` of the tsconfig precede the `imports` of the package.
        if specifier.starts_with('#')
            && !self.mapped.begin(specifier)
            && let Some(file) = self.packages.resolve_import(folder, specifier, &self.paths)
        {
            return Some(file);
        }

        if self.may_be_mapped(specifier)
            && let Some(file) = self.through_resolver(from, specifier)
        {
            return Some(file);
        }

        let in_packages = self.in_packages(from, specifier);
        if in_packages.is_none() && self.mapped.are_of_nearest(from, specifier) {
            return self.through_outer_configs(from, specifier);
        }
        in_packages
    }

    fn in_packages(&self, from: &str, specifier: &str) -> Option<FileId> {
        if self.packages.is_packed(specifier) {
            return self
                .packages
                .resolve(paths::folder_of(from), specifier, &self.paths);
        }
        if !self.packages.is_of_itself(from, specifier)
            && let Some(path) = self
                .installed
                .in_repository(paths::folder_of(from), specifier)
            && let Some(file) = self.external.get(path)
        {
            return Some(*file);
        }

        if self.packages.is_unlinked(from, specifier) {
            return None;
        }
        self.packages
            .resolve(paths::folder_of(from), specifier, &self.paths)
    }

    /// Reports whether a tsconfig maps a specifier to a place in the repository, so that it is no
    /// package.
    pub fn is_alias(&self, specifier: &str) -> bool {
        let mut patterns = self.mapped.into_repository.iter();
        patterns.any(|pattern| wildcard(pattern, specifier).is_some())
    }

    fn may_be_mapped(&self, specifier: &str) -> bool {
        let first = specifier.split('/').next().unwrap_or(specifier);
        specifier.starts_with('#')
            || self.base_segments.contains(first)
            || self.mapped.begin(specifier)
    }

    /// Resolves a specifier that the nearest tsconfig maps to a file that is not built, as the
    /// folders around it see it: there, `paths` may name the sources.
    fn through_outer_configs(&self, from: &str, specifier: &str) -> Option<FileId> {
        let mut folders = paths::ancestors(paths::folder_of(from));
        folders.find_map(|folder| {
            let beside = format!("{folder}/_.ts");
            self.through_resolver(beside.trim_start_matches('/'), specifier)
        })
    }

    fn through_resolver(&self, from: &str, specifier: &str) -> Option<FileId> {
        let file = format!("{MOUNT}/{from}");
        let path = Path::new(&file);
        let resolved = self
            .with_tsconfig
            .resolve_file(path, specifier)
            .or_else(|_| self.without_tsconfig.resolve_file(path, specifier))
            .ok()?;
        let found = resolved.path().to_str()?.replace('\\', "/");
        self.paths
            .exact(found.strip_prefix(MOUNT)?.trim_start_matches('/'))
    }
}

fn options() -> ResolveOptions {
    let strings = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<String>>()
    };

    ResolveOptions {
        tsconfig: Some(TsconfigDiscovery::Auto),
        extensions: strings(&EXTENSIONS),
        extension_alias: WRITTEN
            .iter()
            .map(|(written, sources)| ((*written).to_owned(), strings(sources)))
            .collect(),
        condition_names: strings(&["types", "import", "module", "node", "require", "default"]),
        main_fields: strings(&["types", "typings", "module", "main"]),
        symlinks: false,
        builtin_modules: false,
        ..ResolveOptions::default()
    }
}

fn is_relative(specifier: &str) -> bool {
    specifier == "."
        || specifier == ".."
        || specifier.starts_with("./")
        || specifier.starts_with("../")
}

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|extension| path.ends_with(extension))
}

/// Joins a folder and a relative path; `None` if it leaves the root.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    paths::follow(&mut segments, relative)?;
    Some(segments.join("/"))
}

/// The prefixes of all patterns in `compilerOptions.paths`, up to their `*`.
#[derive(Debug, Default)]
struct Prefixes {
    all: FxHashSet<String>,
    longest: usize,
    /// The patterns with targets outside `node_modules`, without the pattern of all specifiers.
    into_repository: BTreeSet<String>,
    /// These patterns, by the folder of the tsconfig; every folder of a tsconfig is a key.
    by_folder: FxHashMap<String, Vec<String>>,
}

impl Prefixes {
    fn of(configs: &BTreeMap<String, Arc<str>>) -> Self {
        let mut prefixes = Self::default();
        for (path, text) in configs {
            let folder = paths::folder_of(path).to_owned();
            let of_folder = prefixes.by_folder.entry(folder).or_default();
            if !text.contains("\"paths\"") {
                continue;
            }
            let Ok(config) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            let Some(paths) = config
                .pointer("/compilerOptions/paths")
                .and_then(Value::as_object)
            else {
                continue;
            };

            for (pattern, targets) in paths
                .iter()
                .filter(|(pattern, _)| !pattern.is_empty() && !pattern.starts_with('.'))
            {
                let mut targets = targets.as_array().into_iter().flatten();
                let is_installed = |target: &Value| {
                    let target = target.as_str().unwrap_or_default();
                    target.split('/').any(|segment| segment == "node_modules")
                };
                if pattern != "*" && !targets.any(is_installed) {
                    of_folder.push(pattern.clone());
                    prefixes.into_repository.insert(pattern.clone());
                }
                let prefix = pattern.split('*').next().unwrap_or(pattern);
                prefixes.longest = prefixes.longest.max(prefix.len());
                prefixes.all.insert(prefix.to_owned());
            }
        }

        prefixes
    }

    /// Reports whether a tsconfig in the nearest folder with one maps a specifier.
    fn are_of_nearest(&self, from: &str, specifier: &str) -> bool {
        let mut folders = paths::ancestors(paths::folder_of(from));
        let nearest = folders.find_map(|folder| self.by_folder.get(folder));
        let mut patterns = nearest.into_iter().flatten();
        patterns.any(|pattern| wildcard(pattern, specifier).is_some())
    }

    /// Reports whether a specifier starts with one of them.
    fn begin(&self, specifier: &str) -> bool {
        let ends = 0..=specifier.len().min(self.longest);
        ends.filter_map(|end| specifier.get(..end))
            .any(|prefix| self.all.contains(prefix))
    }
}

/// Returns a path's file name up to its first point.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn path_segments<'f>(files: impl Iterator<Item = &'f WorldFile>) -> FxHashSet<String> {
    let mut segments = FxHashSet::default();
    for file in files {
        for segment in file.path.split('/') {
            let stem = segment.split('.').next().unwrap_or(segment);
            if !segments.contains(stem) {
                segments.insert(stem.to_owned());
            }
        }
    }
    segments
}

#[cfg(test)]
mod tests;
