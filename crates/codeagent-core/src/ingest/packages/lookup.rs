//! Resolves a module specifier to a declaration file: searches `node_modules` of the enclosing
//! folders, nearest first, and `@types` in each of them.
//!
//! Installers place a package in several folders. As for the compiler, folders whose package.json
//! has the same name and version, and the same versions of the packages that their user provides,
//! are one package: the folder that was found first.
//!
//! Limitations: `imports` of a package.json (`#name`) are not resolved. A link that leaves
//! `node_modules` resolves to a package of the repository or not at all.

use codeagent_lang::project::paths::{ancestors, file_name, folder_of};
use codeagent_typescript::resolve::is_of_package;
use rustc_hash::{FxHashMap, FxHashSet};

use super::disk::PackageFiles;

const FOLDER: &str = codeagent_workspace::NODE_MODULES;

/// The folder of `node_modules` with declarations of packages that have none.
const TYPES: &str = "@types";

/// Declaration file extensions, in lookup order.
const ENDINGS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];

/// The declaration extensions that correspond to an extension in a specifier.
const WRITTEN: [(&str, &[&str]); 4] = [
    (".js", &[".d.ts"]),
    (".jsx", &[".d.ts"]),
    (".mjs", &[".d.mts", ".d.ts"]),
    (".cjs", &[".d.cts", ".d.ts"]),
];

/// Maximum number of peer packages that tell the folders of a package apart.
const MAX_PEERS: usize = 64;

pub struct Lookup<'b> {
    /// Repository folders that contain package folders.
    pub bases: &'b FxHashSet<String>,
    pub disk: PackageFiles,
    /// Whether `exports` of a package.json hides its other fields, as in Node's modes.
    exports_decide: bool,
    /// The first folder of each package.
    firsts: FxHashMap<PackageId, String>,
    /// The folder that stands for each folder of a package.
    redirects: FxHashMap<String, String>,
}

/// Identity of a package in several folders: name, version, and the versions of its peers.
type PackageId = (String, String, Vec<(String, String)>);

impl<'b> Lookup<'b> {
    /// Creates a lookup without known packages.
    pub fn new(bases: &'b FxHashSet<String>, disk: PackageFiles, exports_decide: bool) -> Self {
        Self {
            bases,
            disk,
            exports_decide,
            firsts: FxHashMap::default(),
            redirects: FxHashMap::default(),
        }
    }

    /// Returns the declaration file of a bare specifier, looked up from folder `from` upward.
    pub fn package(&mut self, from: &str, specifier: &str) -> Option<String> {
        if !is_of_package(specifier) {
            return None;
        }

        let (name, subpath) = split_name(specifier)?;
        let typed = format!(
            "{TYPES}/{}",
            name.trim_start_matches('@').replacen('/', "__", 1)
        );
        let around: Vec<String> = ancestors(from).map(str::to_owned).collect();

        for folder in around {
            let Some(packages) = self.packages_in(&folder) else {
                continue;
            };
            match self.found(&packages, name) {
                LookupResult::Package(folder) => {
                    if let Some(file) = self.in_package(&folder, subpath) {
                        return Some(file);
                    }
                }
                LookupResult::Elsewhere => return None,
                LookupResult::Nothing => {}
            }

            if let LookupResult::Package(folder) = self.found(&packages, &typed)
                && let Some(file) = self.in_package(&folder, subpath)
            {
                return Some(file);
            }
        }

        None
    }

    /// Returns the declaration file of a specifier in a file of this package folder.
    pub fn in_folder(&mut self, folder: &str, specifier: &str) -> Option<String> {
        if specifier.starts_with('.') {
            self.declaration(folder, specifier, 0)
        } else {
            self.package(folder, specifier)
        }
    }

    /// Returns the `@types` packages in the package folders at and above a folder, sorted.
    pub fn types_packages(&mut self, from: &str) -> Vec<String> {
        let mut names = Vec::new();
        for folder in ancestors(from) {
            let packages = self.packages_in(folder);
            let types = packages.and_then(|packages| self.disk.entry(&packages, TYPES, false));
            let Some(listing) = types.and_then(|types| self.disk.folder(&types)) else {
                continue;
            };

            let shown = listing
                .names
                .iter()
                .filter(|(name, _)| !name.starts_with('.'));
            names.extend(shown.map(|(name, _)| format!("{TYPES}/{name}")));
        }

        names.sort_unstable();
        names.dedup();
        names
    }

    /// Reports whether the nearest TypeScript above a folder is version 6 or later, which sees no
    /// `@types` package that a tsconfig does not name.
    pub fn has_later_compiler(&mut self, from: &str) -> bool {
        for folder in ancestors(from) {
            if let Some(packages) = self.packages_in(folder)
                && let LookupResult::Package(compiler) = self.found(&packages, "typescript")
            {
                let manifest = self.disk.manifest(&compiler);
                let version = manifest.identity.as_ref().map(|(_, version)| version);
                let major = version.and_then(|version| version.split('.').next()?.parse().ok());
                return major.is_some_and(|major: u32| major >= 6);
            }
        }
        false
    }

    /// Returns the `node_modules` folder in a folder.
    fn packages_in(&mut self, folder: &str) -> Option<String> {
        if file_name(folder) == FOLDER {
            return None;
        }
        if folder.split('/').any(|segment| segment == FOLDER) {
            return self.disk.entry(folder, FOLDER, false);
        }
        if !self.bases.contains(folder) {
            return None;
        }
        let path = if folder.is_empty() {
            FOLDER.to_owned()
        } else {
            format!("{folder}/{FOLDER}")
        };
        self.disk.real(&path)
    }

    fn found(&mut self, packages: &str, name: &str) -> LookupResult {
        let (holder, last) = match name.split_once('/') {
            Some((scope, last)) => match self.disk.entry(packages, scope, false) {
                Some(holder) => (holder, last),
                None => return LookupResult::Nothing,
            },
            None => (packages.to_owned(), name),
        };

        let is_there = self
            .disk
            .folder(&holder)
            .is_some_and(|listing| listing.get(last).is_some());
        match self.disk.entry(&holder, last, false) {
            Some(folder) => LookupResult::Package(folder),
            None if is_there => LookupResult::Elsewhere,
            None => LookupResult::Nothing,
        }
    }

    /// Returns the declaration file of a package's subpath.
    fn in_package(&mut self, folder: &str, subpath: &str) -> Option<String> {
        let folder = self.redirected(folder);
        let manifest = self.disk.manifest(&folder);
        manifest
            .paths(subpath, self.exports_decide)
            .iter()
            .find_map(|path| self.declaration(&folder, path, 0))
    }

    /// Returns the folder of the same package that was found first.
    fn redirected(&mut self, folder: &str) -> String {
        if let Some(known) = self.redirects.get(folder) {
            return known.clone();
        }
        let first = match self.package_id(folder) {
            Some(id) => {
                let first = self.firsts.entry(id);
                first.or_insert_with(|| folder.to_owned()).clone()
            }
            None => folder.to_owned(),
        };
        self.redirects.insert(folder.to_owned(), first.clone());
        first
    }

    fn package_id(&mut self, folder: &str) -> Option<PackageId> {
        let manifest = self.disk.manifest(folder);
        let (name, version) = manifest.identity.clone()?;
        let packages = ancestors(folder).find(|around| file_name(around) == FOLDER);
        let packages = packages.map(str::to_owned)?;

        let mut peers = Vec::new();
        for peer in manifest.peers.iter().take(MAX_PEERS) {
            if let LookupResult::Package(peer_folder) = self.found(&packages, peer)
                && let Some((_, version)) = self.disk.manifest(&peer_folder).identity.clone()
            {
                peers.push((peer.clone(), version));
            }
        }

        Some((name, version, peers))
    }

    /// Resolves a path relative to a folder to a declaration file. The path may leave the folder
    /// but not `node_modules`.
    fn declaration(&mut self, folder: &str, path: &str, depth: u32) -> Option<String> {
        if path.starts_with('/') || path.contains(['\\', '\0']) {
            return None;
        }

        let mut segments: Vec<&str> = path
            .split('/')
            .filter(|segment| !matches!(*segment, "" | "."))
            .collect();
        let last = segments.pop_if(|last| *last != "..");

        let mut at = folder.to_owned();
        for segment in segments {
            at = match segment {
                ".." => folder_of(&at).to_owned(),
                inner => self.disk.entry(&at, inner, false)?,
            };
            if !at.split('/').any(|segment| segment == FOLDER) {
                return None;
            }
        }

        let Some(last) = last else {
            return self.of_folder(&at, depth);
        };
        if ENDINGS.iter().any(|ending| last.ends_with(ending)) {
            return self.disk.entry(&at, last, true);
        }

        for (written, endings) in WRITTEN {
            if let Some(stem) = last.strip_suffix(written)
                && let Some(file) = endings
                    .iter()
                    .find_map(|ending| self.disk.entry(&at, &format!("{stem}{ending}"), true))
            {
                return Some(file);
            }
        }

        let file = ENDINGS
            .iter()
            .find_map(|ending| self.disk.entry(&at, &format!("{last}{ending}"), true));
        file.or_else(|| {
            let inner = self.disk.entry(&at, last, false)?;
            self.of_folder(&inner, depth)
        })
    }

    /// Returns the main declaration file of a folder.
    fn of_folder(&mut self, folder: &str, depth: u32) -> Option<String> {
        if depth > 0 {
            return ENDINGS
                .iter()
                .find_map(|ending| self.disk.entry(folder, &format!("index{ending}"), true));
        }
        let manifest = self.disk.manifest(folder);
        manifest
            .paths("", false)
            .iter()
            .find_map(|path| self.declaration(folder, path, depth + 1))
    }
}

enum LookupResult {
    Package(String),
    /// Not in a package folder; possibly a package of the repository.
    Elsewhere,
    Nothing,
}

/// Splits a specifier into the package name and the path inside the package.
fn split_name(specifier: &str) -> Option<(&str, &str)> {
    let scope = if specifier.starts_with('@') {
        specifier.find('/')? + 1
    } else {
        0
    };
    let (name, subpath) = match specifier[scope..].find('/') {
        Some(at) => (&specifier[..scope + at], &specifier[scope + at + 1..]),
        None => (specifier, ""),
    };
    let is_name = |part: &str| !part.is_empty() && !part.starts_with('.') && part != FOLDER;
    (name.split('/').all(is_name)).then_some((name, subpath))
}
