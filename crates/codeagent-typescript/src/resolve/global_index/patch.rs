//! In-place update of the global index when only the bodies of a file changed.
//!
//! This is possible if the file's contributions to other files are unchanged except for the names
//! it exports: its global declarations, by name and in order, its imported files and its packages.
//! The updated index equals a rebuilt one except for the numbers of names, whose order nothing
//! depends on.
//!
//! Limitations: any other change is refused, and so is every file that declares ambient modules;
//! the caller rebuilds the index.

use codeagent_lang::LanguageIndex;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{FileId, FileShift, WorldFile};
use codeagent_model::facts::{DeclId, DeclKind, Facts};
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_index::{FileIndex, specifiers};
use super::indexed_file::IndexedFile;
use super::module_resolution::is_of_package;
use super::tables::{Tables, is_global};

/// Everything a file contributes to the index of other files, except the numbers of declarations.
#[derive(PartialEq)]
struct ExportSurface<'f> {
    is_module: bool,
    globals: Vec<&'f str>,
    stars: Vec<&'f str>,
    assigns: bool,
}

fn globals(facts: &Facts) -> impl Iterator<Item = DeclId> {
    facts
        .decl_ids()
        .filter(|id| is_global(facts, facts.decl(*id)))
}

fn outward<'f>(facts: &'f Facts, index: &FileIndex) -> Option<ExportSurface<'f>> {
    if facts
        .decls
        .iter()
        .any(|decl| decl.kind == DeclKind::AmbientModule)
    {
        return None;
    }

    let of_decl = |id: &DeclId| facts.text(facts.decl(*id).name);
    Some(ExportSurface {
        is_module: facts.header.is_module,
        globals: globals(facts).map(|id| of_decl(&id)).collect(),
        stars: index
            .stars
            .iter()
            .map(|id| facts.text(facts.exports[id.index()].module))
            .collect(),
        assigns: !index.assigned.is_empty(),
    })
}

impl LanguageIndex for Tables {
    fn replace(&mut self, file: FileId, old: &Facts, new: &WorldFile) -> bool {
        if packages(old) != packages(&new.facts) || self.leads_further(&new.facts) {
            return false;
        }

        let mut made = self.index(new);
        let before = self.file(file);
        let (Some(was), Some(is)) = (outward(old, before), outward(&new.facts, &made)) else {
            return false;
        };
        if was != is || targets(before) != targets(&made) {
            return false;
        }

        made.keep_stars(before);

        let (were, are) = (exported(old, before), exported(&new.facts, &made));
        self.change_exports(file, &were, &are);

        let name = |tables: &Self, id: DeclId| tables.name(file, old.decl(id).name);

        let mut renumbered: FxHashMap<Name, Vec<DeclId>> = FxHashMap::default();
        for (before, now) in globals(old).zip(globals(&new.facts)) {
            renumbered.entry(name(self, before)).or_default().push(now);
        }

        for (name, ids) in renumbered {
            let own = self
                .globals
                .get_mut(&name)
                .into_iter()
                .flatten()
                .filter(|position| position.file == file);
            own.zip(ids).for_each(|(position, id)| position.decl = id);
        }

        self.files[file.0 as usize] = made.into();
        self.add_augmenting(file, new);

        true
    }

    fn shift(&mut self, shift: FileShift, _file: &WorldFile, _projects: &ProjectModel) {
        shift.apply(&mut self.files, IndexedFile::default);
        self.renumber_files(shift);
    }
}

/// Returns the imports of a file that may need installed packages, in order.
fn packages(facts: &Facts) -> Vec<&str> {
    let mut texts: Vec<&str> = specifiers(facts)
        .into_iter()
        .map(|sym| facts.text(sym))
        .filter(|text| is_of_package(text))
        .collect();
    texts.sort_unstable();
    texts
}

/// Returns the names that a file itself exports.
fn exported(facts: &Facts, index: &FileIndex) -> FxHashSet<Name> {
    index.exported(facts).collect()
}

/// Returns the files that a file imports, in order.
fn targets(index: &FileIndex) -> Vec<FileId> {
    let mut targets: Vec<FileId> = index.targets().collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}
