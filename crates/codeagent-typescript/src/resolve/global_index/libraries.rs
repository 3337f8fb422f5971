//! Selection of bundled library declarations for a world, and detection of edits that need more of
//! them.
//!
//! A world gets the declarations that its names lead to, from the JavaScript libraries that its
//! programs see and from the packages that it imports; one file for each library and each package.
//!
//! **Limits.** If `paths` or a package of the repository answers an import, the bundled
//! declarations are present too, with lower priority.

use std::sync::Arc;

use codeagent_lang::project::{ProjectModel, paths};
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_model::facts::Facts;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::file_index::specifiers;
use super::module_resolution::PackageAnswers;
use super::programs::{library_of, selected_libraries};
use super::tables::{Tables, is_typescript};
use super::well_known::words;
use crate::stdlib::dts_bundle::{self, BundleSelection};
use crate::stdlib::javascript::{self, Libraries};
use crate::stdlib::npm::{self, Package, Packages};

/// The declarations as files of a world, beside the files it has, which are in the world's order.
pub fn declared(
    files: &[WorldFile],
    projects: &ProjectModel,
    installed: &PackageAnswers,
) -> Vec<WorldFile> {
    let scripts = || files.iter().filter(|file| is_typescript(&file.facts));
    if scripts().next().is_none() {
        return Vec::new();
    }

    let words: Vec<String> = words().collect();
    let mut names: FxHashSet<&str> = words.iter().map(String::as_str).collect();
    names.extend(scripts().flat_map(|file| file.facts.names.iter()));

    let is_name = |name: &str| names.contains(name);
    let (libraries, packages) = (Libraries::get(), Packages::get());
    let selected = selected_libraries(projects);
    let is_selected = |library| selected.has(library);
    let having = |module: &str| packages.find(module).map(|found| found.1.texts());

    let mut taking = BundleSelection::new(libraries.texts(), &is_name, &is_selected, &having);
    for file in scripts() {
        let folder = paths::folder_of(&file.path);
        // What is installed and was read answers for itself.
        let is_read = |path: &Arc<str>| {
            files
                .binary_search_by(|file| (file.external, &file.path).cmp(&(true, path)))
                .is_ok()
        };
        let is_installed = |specifier: &str| {
            let found = if file.external {
                installed.in_package(folder, specifier)
            } else {
                installed.in_repository(folder, specifier)
            };
            found.is_some_and(is_read)
        };
        let imported = specifiers(&file.facts)
            .into_iter()
            .map(|sym| file.facts.text(sym));
        let modules = imported
            .filter_map(|specifier| packages.find(specifier))
            .map(|(module, _)| module);
        modules
            .filter(|module| !is_installed(module))
            .for_each(|module| taking.import(module));
    }

    let sources = taking.finish();

    let mut texts: Vec<(String, String)> = Vec::new();
    for source in &sources {
        let taken = source.taken(is_name);
        match packages.having(source.texts) {
            Some(package) => texts.push((
                format!("{}{}", npm::PLACE, package.name),
                npm::blocks(source.texts, &taken),
            )),
            None => texts.extend(taken.into_iter().map(|(library, text)| {
                (
                    format!(
                        "{}{}",
                        javascript::PLACE,
                        source.texts.sections[library].name
                    ),
                    text,
                )
            })),
        }
    }

    let file = |(path, text): (String, String)| WorldFile {
        path: Arc::from(path),
        facts: dts_bundle::declared(&text),
        external: true,
    };

    texts.into_par_iter().map(file).collect()
}

impl Tables {
    /// Whether something in the binary is declared.
    pub fn has_libraries(&self) -> bool {
        self.libraries != FileId(u32::MAX)
    }

    /// Whether a file holds declarations that lie in the binary, of which only members are there
    /// that some file names.
    pub fn is_of_library(&self, file: FileId) -> bool {
        file >= self.libraries
    }

    /// Whether facts have a name that leads to declarations in the binary and that nobody had when
    /// they were chosen. What facts import is not asked.
    pub fn leads_further(&self, facts: &Facts) -> bool {
        let is_asked = |text: &str| self.names.get(text).is_some_and(|name| name < self.asked);
        let is_there = |text: &str| {
            self.globals(self.find(text))
                .last()
                .is_some_and(|decl| self.is_of_library(decl.file))
        };

        let leads = |text: &str| {
            let mut texts = self
                .packages
                .iter()
                .map(|package| package.texts())
                .chain([Libraries::get().texts()]);
            texts.any(|texts| texts.leads_further(text, is_there))
        };

        facts
            .names
            .iter()
            .any(|text| !is_asked(text) && leads(text))
    }
}

/// Whether a file holds declarations that lie in the binary.
pub fn is_in_binary(file: &WorldFile) -> bool {
    library_of(file).is_some() || package_of(file).is_some()
}

/// The package in the binary whose declarations a file holds.
pub fn package_of(file: &WorldFile) -> Option<&'static Package> {
    file.path
        .strip_prefix(npm::PLACE)
        .filter(|_| file.external)
        .and_then(|name| Packages::get().package(name))
}
