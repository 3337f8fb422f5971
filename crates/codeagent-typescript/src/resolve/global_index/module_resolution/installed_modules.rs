//! Resolved specifiers of installed packages, found on disk by the code that builds the world.
//!
//! Limitations: one result per specifier and lookup folder, for every kind of import.

use std::sync::Arc;

use codeagent_lang::project::paths::ancestors;
use codeagent_lang::world::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ModulePaths;
use crate::project::TypeScriptProject;

/// The `@types` packages that a tsconfig sees without naming them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleTypes {
    /// Their specifiers, sorted.
    pub packages: Vec<String>,
    /// Whether a tsconfig without `types` sees them, as up to TypeScript 5; else only with `*`.
    pub by_default: bool,
}

/// Declaration files by importing folder and specifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageAnswers {
    /// Folders of the repository in which packages are installed.
    pub bases: FxHashSet<String>,
    /// By the nearest of these folders above the importing file, and the specifier.
    pub of_repository: FxHashMap<(String, String), Option<Arc<str>>>,
    /// By the nearest of these folders above a tsconfig that may see all `@types` packages.
    pub visible_types: FxHashMap<String, VisibleTypes>,
    /// By the folder of the importing declaration file, and the specifier, including relative ones.
    pub of_packages: FxHashMap<(String, String), Option<Arc<str>>>,
}

impl PackageAnswers {
    /// Returns the nearest folder with packages at or above a folder of the repository.
    #[must_use]
    pub fn base_of<'f>(&self, folder: &'f str) -> Option<&'f str> {
        ancestors(folder).find(|around| self.bases.contains(*around))
    }

    /// Returns the declarations that a bare specifier resolves to in a folder of the repository.
    #[must_use]
    pub fn in_repository(&self, folder: &str, specifier: &str) -> Option<&Arc<str>> {
        let key = (self.base_of(folder)?.to_owned(), specifier.to_owned());
        self.of_repository.get(&key)?.as_ref()
    }

    /// Returns the `@types` packages that a tsconfig in a folder sees without naming them. `is_asked`
    /// if it says so (`*`).
    #[must_use]
    pub fn types_seen(&self, folder: &str, is_asked: bool) -> &[String] {
        self.base_of(folder)
            .and_then(|base| self.visible_types.get(base))
            .filter(|visible| visible.by_default || is_asked)
            .map_or(&[], |visible| &visible.packages)
    }

    /// Returns the file that a specifier resolves to in a folder of a package.
    #[must_use]
    pub fn in_package(&self, folder: &str, specifier: &str) -> Option<&Arc<str>> {
        self.of_packages
            .get(&(folder.to_owned(), specifier.to_owned()))?
            .as_ref()
    }
}

impl ModulePaths {
    /// Returns the files of the packages that a tsconfig lists in `types`, or of those that it, or
    /// the files of a folder without one, see without naming them.
    pub fn types_of(&self, folder: &str, project: Option<&TypeScriptProject>) -> Vec<FileId> {
        let file = format!("{folder}/_.ts");
        let of_module = |name: &String| self.in_packages(file.trim_start_matches('/'), name);
        match project {
            Some(project) if !project.sees_all_types() => {
                let modules = project.types_modules();
                let found = modules.filter_map(|names| names.iter().find_map(of_module));
                found.collect()
            }
            _ => {
                let is_asked = project.is_some_and(|project| project.types.is_some());
                let seen = self.installed.types_seen(folder, is_asked);
                seen.iter().filter_map(of_module).collect()
            }
        }
    }
}

/// Reports whether a specifier may be the name of a package, or of a module in one.
#[must_use]
pub fn is_of_package(specifier: &str) -> bool {
    let first = specifier.chars().next();
    !specifier.contains(['\\', '\0', ':'])
        && first.is_some_and(|first| !matches!(first, '.' | '/' | '#'))
}
