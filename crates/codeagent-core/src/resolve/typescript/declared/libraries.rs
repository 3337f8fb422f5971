//! Which declarations of JavaScript's libraries does a world get?
//!
//! Those that the names in its files lead to, of the libraries that its programs see; one file for each library.

use rustc_hash::FxHashSet;

use super::programs::selected_libraries;
use super::tables::is_typescript;
use super::well_known::words;
use crate::library::javascript::Libraries;
use crate::project::ProjectModel;
use crate::resolve::world::WorldFile;

/// The declarations as files of a world, beside the files it has.
pub fn declared(files: &[WorldFile], projects: &ProjectModel) -> Vec<WorldFile> {
    let scripts = || files.iter().filter(|file| is_typescript(&file.facts));
    if scripts().next().is_none() {
        return Vec::new();
    }
    let words: Vec<String> = words().collect();
    let mut names: FxHashSet<&str> = words.iter().map(String::as_str).collect();
    names.extend(scripts().flat_map(|file| file.facts.names.iter()));
    let needed = Libraries::get().needed(selected_libraries(projects), |name| names.contains(name));
    needed.into_iter().map(|(path, facts)| WorldFile { path, facts, external: true }).collect()
}
