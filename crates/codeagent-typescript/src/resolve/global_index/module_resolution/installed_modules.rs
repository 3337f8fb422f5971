//! Resolved specifiers of installed packages, found on disk by the code that builds the world.
//!
//! Limitations: one result per specifier and lookup folder, for every kind of import.

use std::sync::Arc;

use codeagent_lang::project::paths::ancestors;
use rustc_hash::{FxHashMap, FxHashSet};

/// Declaration files by importing folder and specifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageAnswers {
    /// Folders of the repository in which packages are installed.
    pub bases: FxHashSet<String>,
    /// By the nearest of these folders above the importing file, and the specifier.
    pub of_repository: FxHashMap<(String, String), Option<Arc<str>>>,
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

    /// Returns the file that a specifier resolves to in a folder of a package.
    #[must_use]
    pub fn in_package(&self, folder: &str, specifier: &str) -> Option<&Arc<str>> {
        self.of_packages
            .get(&(folder.to_owned(), specifier.to_owned()))?
            .as_ref()
    }
}

/// Reports whether a specifier may be the name of a package, or of a module in one.
#[must_use]
pub fn is_of_package(specifier: &str) -> bool {
    let first = specifier.chars().next();
    !specifier.contains(['\\', '\0', ':'])
        && first.is_some_and(|first| !matches!(first, '.' | '/' | '#'))
}
