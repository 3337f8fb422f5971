//! Resolved specifiers of installed packages, found on disk by the code that builds the world.
//!
//! Limitations: one result per specifier and lookup folder, whichever kind of import asks.

use std::sync::Arc;

use codeagent_lang::project::paths::ancestors;
use rustc_hash::{FxHashMap, FxHashSet};

/// Declaration files by importing folder and specifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageAnswers {
    /// Folders of the repository in which packages are installed.
    pub bases: FxHashSet<String>,
    /// By the nearest of these around the importing file, and the specifier.
    pub of_repository: FxHashMap<(String, String), Option<Arc<str>>>,
    /// By the folder of the importing declaration file, and the specifier, including relative ones.
    pub of_packages: FxHashMap<(String, String), Option<Arc<str>>>,
}

impl PackageAnswers {
    /// The nearest folder with packages around a folder of the repository.
    #[must_use]
    pub fn base_of<'f>(&self, folder: &'f str) -> Option<&'f str> {
        if self.bases.is_empty() {
            None
        } else {
            ancestors(folder).find(|around| self.bases.contains(*around))
        }
    }

    /// The declarations that a bare specifier means in a folder of the repository.
    #[must_use]
    pub fn in_repository(&self, folder: &str, specifier: &str) -> Option<&Arc<str>> {
        let key = (self.base_of(folder)?.to_owned(), specifier.to_owned());
        self.of_repository.get(&key)?.as_ref()
    }

    /// The file that a specifier means in a folder of a package.
    #[must_use]
    pub fn in_package(&self, folder: &str, specifier: &str) -> Option<&Arc<str>> {
        self.of_packages
            .get(&(folder.to_owned(), specifier.to_owned()))?
            .as_ref()
    }
}

/// Whether a specifier may be the name of a package, or of something in one.
#[must_use]
pub fn is_of_package(specifier: &str) -> bool {
    let first = specifier.chars().next();
    !specifier.contains(['\\', '\0', ':'])
        && first.is_some_and(|first| !matches!(first, '.' | '/' | '#'))
}
