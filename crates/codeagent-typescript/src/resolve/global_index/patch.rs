//! In-place update of the global index for a changed or new file.
//!
//! This is possible if the file's contributions to other files are unchanged except for the names
//! it exports: its global declarations and ambient modules, by name and in order, and its
//! `export *`. Imports may change if all files stay in their programs and other files import the
//! same packages. A new file must have neither globals nor ambient modules, and no known specifier
//! may resolve to it. The updated index equals a rebuilt one except for the numbers of names, whose
//! order nothing depends on.
//!
//! Limitations: any other change is refused; the caller rebuilds the index.

use codeagent_lang::LanguageIndex;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{FileId, FileShift, WorldFile};
use codeagent_model::facts::{DeclId, DeclKind, Facts};
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_index::{FileIndex, referenced_libraries, specifiers};
use super::global_names::is_global;
use super::indexed_file::IndexedFile;
use super::module_resolution::is_of_package;
use super::tables::{Tables, is_typescript};

/// Everything a file contributes to the index of other files, except the numbers of declarations.
#[derive(PartialEq)]
struct ExportSurface<'f> {
    /// Whether all its declarations are global.
    is_script: bool,
    globals: Vec<&'f str>,
    /// The modules that it declares or augments.
    ambient: Vec<&'f str>,
    stars: Vec<&'f str>,
    assigns: bool,
}

fn globals(facts: &Facts) -> impl Iterator<Item = DeclId> {
    facts
        .decl_ids()
        .filter(|id| is_global(facts, facts.decl(*id)))
}

fn ambient(facts: &Facts) -> impl Iterator<Item = DeclId> {
    facts
        .decl_ids()
        .filter(|id| facts.decl(*id).kind == DeclKind::AmbientModule)
}

fn outward<'f>(facts: &'f Facts, index: &FileIndex) -> ExportSurface<'f> {
    let of_decl = |id: DeclId| facts.text(facts.decl(id).name);
    let globals: Vec<&str> = globals(facts).map(of_decl).collect();
    let ambient: Vec<&str> = ambient(facts).map(of_decl).collect();
    ExportSurface {
        is_script: !(facts.header.is_module || globals.is_empty() && ambient.is_empty()),
        globals,
        ambient,
        stars: index
            .stars
            .iter()
            .map(|id| facts.text(facts.exports[id.index()].module))
            .collect(),
        assigns: !index.assigned.is_empty(),
    }
}

impl LanguageIndex for Tables {
    fn replace(&mut self, file: FileId, old: &Facts, new: &WorldFile) -> bool {
        let added = self.added.take().filter(|added| added.0 == file);
        if added.is_some_and(|added| !added.1)
            || !self.knows_packages(file, old, &new.facts)
            || self.leads_further(&new.facts)
        {
            return false;
        }

        let mut made = self.index(new);
        let before = self.file(file);
        let (was, is) = (outward(old, before), outward(&new.facts, &made));
        let is_possible = match added {
            Some(_) => {
                let is_seen = !is.globals.is_empty() || !is.ambient.is_empty();
                !is_seen && (is.stars.is_empty() || self.has_stars())
            }
            None => was == is,
        };
        let (gained, lost) = (difference(&made, before), difference(before, &made));
        if !is_possible || !self.programs.stay(file, &gained, &lost) {
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

        self.renumber_ambient(file, old, &new.facts);
        self.files[file.0 as usize] = made.into();
        if added.is_some() {
            self.set_star_targets(file, &new.facts);
        }
        self.add_augmenting(file, new);
        self.add_asserting(file, new);

        true
    }

    fn shift(&mut self, shift: FileShift, file: &WorldFile, projects: &ProjectModel) {
        shift.apply(&mut self.files, IndexedFile::default);
        self.renumber_files(shift);
        self.added = None;
        match shift {
            _ if !is_typescript(file) => {}
            FileShift::Inserted(id) => {
                let is_added =
                    self.modules.add(&file.path, id) && self.programs.add(id, file, projects);
                self.added = Some((id, is_added));
            }
            FileShift::Removed(_) => self.modules.remove(&file.path),
        }
    }
}

impl Tables {
    /// Replaces the declarations of ambient modules, which are the same in both versions of a file.
    fn renumber_ambient(&mut self, file: FileId, old: &Facts, new: &Facts) {
        let numbers: FxHashMap<DeclId, DeclId> = ambient(old).zip(ambient(new)).collect();
        if numbers.is_empty() {
            return;
        }

        let blocks = self.ambient.values_mut().chain(self.augmented.values_mut());
        for block in blocks.flatten().filter(|block| block.file == file) {
            if let Some(number) = numbers.get(&block.decl) {
                block.decl = *number;
            }
        }
    }

    /// Reports whether two versions of a file reference the same libraries, and other files import
    /// each package that only one of them imports, so that the world has the same declarations.
    fn knows_packages(&self, file: FileId, old: &Facts, new: &Facts) -> bool {
        if referenced_libraries(old) != referenced_libraries(new) {
            return false;
        }

        let (before, now) = (packages(old), packages(new));
        if before == now {
            return true;
        }

        let is_in_one = |package: &&str| before.contains(package) != now.contains(package);
        let mut changed = before.iter().chain(&now).copied().filter(is_in_one);
        self.modules.has_one_base() && changed.all(|package| self.is_imported(package, file))
    }

    /// Reports whether a file of the repository other than `except` has a module specifier.
    fn is_imported(&self, specifier: &str, except: FileId) -> bool {
        let name = self.find(specifier);
        let is_other = |number: &usize| *number != except.0 as usize;
        let mut others = (0..self.modules.count()).filter(is_other);
        name != Name::NONE
            && others.any(|number| {
                let index = self.file(FileId(number as u32));
                let mut modules = index.modules.iter();
                modules.any(|(module, _)| index.names[module.index()] == name)
            })
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

/// Returns the files that one version of a file imports and the other does not.
fn difference(one: &FileIndex, other: &FileIndex) -> Vec<FileId> {
    let targets: FxHashSet<FileId> = other.targets().collect();
    one.targets()
        .filter(|target| !targets.contains(target))
        .collect()
}
