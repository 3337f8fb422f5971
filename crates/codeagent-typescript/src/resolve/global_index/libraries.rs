//! Selection of bundled library declarations for a world, and detection of edits that require more.
//!
//! A world gets the declarations that its names lead to, from the JavaScript libraries that its
//! programs see and from the packages that it imports; one file for each library and each package.
//!
//! Limitations: if `paths` or a package of the repository resolves an import, the bundled
//! declarations are present too, with lower priority.

use std::sync::Arc;

use codeagent_lang::FileFacts;
use codeagent_lang::project::{ProjectModel, paths};
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_model::facts::Facts;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_index::specifiers;
use super::module_resolution::PackageAnswers;
use super::programs::{library_of, selected_libraries};
use super::tables::{Tables, is_typescript};
use super::well_known::words;
use crate::stdlib::dts_bundle::{self, BundleSelection, SelectedBundle};
use crate::stdlib::javascript::{self, Libraries};
use crate::stdlib::npm::{self, BundledPackage, BundledPackages};

/// Returns the selected declarations as further files of a world. `files` are in the world's order.
/// The facts of equal texts are taken from the earlier files `known`.
pub fn library_files(
    files: &[WorldFile],
    projects: &ProjectModel,
    installed: &PackageAnswers,
    known: &[WorldFile],
) -> Vec<WorldFile> {
    let scripts = || files.iter().filter(|file| is_typescript(file));
    if scripts().next().is_none() {
        return Vec::new();
    }

    let words: Vec<String> = words().collect();
    let mut names: FxHashSet<&str> = words.iter().map(String::as_str).collect();
    for file in scripts() {
        match file.facts.outline() {
            Some(outline) => names.extend(outline.names()),
            None => names.extend(file.facts.names.iter()),
        }
    }

    let is_name = |name: &str| names.contains(name);
    let (libraries, packages) = (Libraries::get(), BundledPackages::get());
    let selected = selected_libraries(files, projects);
    let is_selected = |library| selected.has(library);
    let having = |module: &str| packages.find(module).map(|found| found.1.texts());

    let mut selection = BundleSelection::new(libraries.texts(), &is_name, &is_selected, &having);
    import_packages(&mut selection, files, installed);

    let sources = selection.finish();
    let texts = file_texts(&sources, is_name);
    bundled_files(texts, known)
}

/// Selects the bundled packages that the files import and that are not installed.
fn import_packages(
    selection: &mut BundleSelection<'_>,
    files: &[WorldFile],
    installed: &PackageAnswers,
) {
    let packages = BundledPackages::get();
    for file in files.iter().filter(|file| is_typescript(file)) {
        let folder = paths::folder_of(&file.path);
        // Installed packages that were read take precedence.
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
        let imported = module_specifiers(&file.facts);
        let modules = imported
            .into_iter()
            .filter_map(|specifier| packages.find(specifier))
            .map(|(module, _)| module);
        modules
            .filter(|module| !is_installed(module))
            .for_each(|module| selection.import(module));
    }
}

/// Returns the files of these paths and texts, with the facts of equal files in `known`.
fn bundled_files(texts: Vec<(String, String)>, known: &[WorldFile]) -> Vec<WorldFile> {
    let known: FxHashMap<&str, &WorldFile> = known
        .iter()
        .filter(|file| is_in_binary(file))
        .map(|file| (&*file.path, file))
        .collect();
    let file = |(path, text): (String, String)| {
        let hash = dts_bundle::hash(&text);
        let same = known.get(path.as_str());
        match same.filter(|file| file.facts.header.interface_hash == hash) {
            Some(file) => (*file).clone(),
            None => WorldFile {
                path: Arc::from(path),
                facts: dts_bundle::parse_declarations(&text).into(),
                external: true,
                package: None,
            },
        }
    };

    texts.into_par_iter().map(file).collect()
}

/// Returns the module specifiers of a file, without loading its facts.
fn module_specifiers(facts: &FileFacts) -> Vec<&str> {
    match facts.outline() {
        Some(outline) => outline.specifiers().collect(),
        None => {
            let syms = specifiers(facts).into_iter();
            syms.map(|sym| facts.text(sym)).collect()
        }
    }
}

/// Returns the path and text of each file of selected declarations.
fn file_texts(sources: &[SelectedBundle], is_name: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let packages = BundledPackages::get();

    let mut texts = Vec::new();
    for source in sources {
        let taken = source.taken(&is_name);
        match packages.having(source.texts) {
            Some(package) => texts.push((
                format!("{}{}", npm::PLACE, package.name),
                npm::blocks(source.texts, &taken),
            )),
            None => texts.extend(taken.into_iter().map(|(library, text)| {
                let name = source.texts.sections[library].name;
                (format!("{}{name}", javascript::PLACE), text)
            })),
        }
    }

    texts
}

impl Tables {
    /// Reports whether bundled declarations are loaded.
    pub fn has_libraries(&self) -> bool {
        self.libraries != FileId(u32::MAX)
    }

    /// Reports whether a file holds bundled declarations, reduced to the members that some file
    /// names.
    pub fn is_of_library(&self, file: FileId) -> bool {
        file >= self.libraries
    }

    /// Reports whether facts contain a new name that leads to bundled declarations. Imports are not
    /// checked.
    pub fn leads_further(&self, facts: &Facts) -> bool {
        let is_asked = |text: &str| self.names.get(text).is_some_and(|name| name < self.asked);
        let is_there = |text: &str| self.is_global_of_library(self.find(text));

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

/// Reports whether a file holds bundled declarations.
pub fn is_in_binary(file: &WorldFile) -> bool {
    library_of(file).is_some() || package_of(file).is_some()
}

/// Returns the bundled package whose declarations a file holds.
pub fn package_of(file: &WorldFile) -> Option<&'static BundledPackage> {
    file.path
        .strip_prefix(npm::PLACE)
        .filter(|_| file.external)
        .and_then(|name| BundledPackages::get().package(name))
}
