//! Programs: the files in which global declarations and ambient modules are visible.
//!
//! A program is a tsconfig: the files it covers and everything they import. Files that no tsconfig
//! covers form one program per package, so that scripts and fixtures see each other and are
//! invisible to other files.
//!
//! Limitations: `typeRoots` is not read. A program that a build tool assembles differently is not
//! known.

use std::collections::VecDeque;

use codeagent_lang::project::{ProjectModel, paths};
use codeagent_lang::query::interner::Interner;
use codeagent_lang::world::{FileId, FileShift, WorldFile};
use codeagent_model::graph::Language;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_index::referenced_libraries;
use crate::lower::referenced_library;
use crate::project::{TypeScriptProject, TypeScriptProjects};
use crate::stdlib::javascript::{self, Libraries, Selection};

/// A set of programs: an index into [`Programs::sets`].
type Set = u32;

/// The programs of all files.
#[derive(Default)]
pub struct Programs {
    names: Vec<String>,
    sets: Interner<Box<[u64]>>,
    /// The programs that each file belongs to without being imported.
    alone: Vec<Set>,
    /// The programs that compile each file.
    compiled: Vec<Set>,
    /// The programs in which each file is resolved: those that cover it, if any do.
    seen_as: Vec<Set>,
}

impl Programs {
    /// Computes the programs. `targets` are the files that a file imports, `types` those whose globals
    /// a tsconfig, or a folder without one, adds by `types`; `is_script` excludes files of other
    /// languages.
    pub fn new<I>(
        files: &[WorldFile],
        model: &ProjectModel,
        is_script: impl Fn(&WorldFile) -> bool,
        targets: impl Fn(FileId) -> I,
        types: impl Fn(&str, Option<&TypeScriptProject>) -> Vec<FileId>,
    ) -> Self
    where
        I: Iterator<Item = FileId>,
    {
        let projects = model.of::<TypeScriptProjects>();
        let mut loose = LooseFiles::new(projects);

        let mut seeds: Vec<Vec<u32>> = files
            .iter()
            .map(|file| {
                if is_script(file) {
                    seeds(file, projects, &mut loose)
                } else {
                    Vec::new()
                }
            })
            .collect();

        for (program, name) in loose.names.iter().enumerate() {
            let project = projects.projects.get(program);
            let folder = match project {
                Some(project) => paths::folder_of(&project.path),
                None => name.trim_end_matches('/'),
            };
            for file in types(folder, project) {
                seeds[file.0 as usize].push(program as u32);
            }
        }

        // One extra program that contains only libraries: a library that no program selects would
        // otherwise be visible everywhere.
        let words = (loose.names.len() + 1).div_ceil(64);
        let mut sets: Vec<Box<[u64]>> = seeds.iter().map(|seeds| set_of(seeds, words)).collect();
        let mut interner = Interner::default();
        let alone = sets.iter().map(|set| interner.add(set.clone())).collect();
        spread(&mut sets, &targets);

        let mut names = loose.names;
        let mut selected = selections(projects, names.len());
        add_references(files, &sets, &mut selected, &mut names);
        set_libraries(files, &mut sets, &selected, words);

        let mut programs = Self {
            names,
            sets: interner,
            alone,
            ..Self::default()
        };

        for (number, file) in files.iter().enumerate() {
            let compiled = programs.sets.add(sets[number].clone());
            programs.compiled.push(compiled);

            let seen_as = match projects.covering(&file.path) {
                Some(covering) => set_of(covering, words),
                None => with_owner(sets[number].clone(), file, model),
            };
            let seen_as = programs.sets.add(seen_as);
            programs.seen_as.push(seen_as);
        }

        programs
    }

    /// Inserts or removes a file that no program compiles.
    pub fn shift(&mut self, shift: FileShift) {
        let words = self
            .compiled
            .first()
            .map_or(1, |set| self.sets.get(*set).len());
        let none = self.sets.add(set_of(&[], words));
        for list in [&mut self.alone, &mut self.compiled, &mut self.seen_as] {
            shift.apply(list, || none);
        }
    }

    /// Assigns a file that no other one imports to its programs. Returns false, with nothing
    /// changed, if it is the first file of one.
    pub fn add(&mut self, id: FileId, file: &WorldFile, model: &ProjectModel) -> bool {
        let projects = model.of::<TypeScriptProjects>();
        let words = (self.names.len() + 1).div_ceil(64);
        let covering = projects.covering(&file.path);
        let own = match covering {
            Some(covering) => Some(set_of(covering, words)),
            None => self
                .loose(&file.path, projects)
                .map(|own| set_of(&[own], words)),
        };
        let Some(own) = own else {
            return false;
        };

        let seen_as = match covering {
            Some(_) => own.clone(),
            None => with_owner(own.clone(), file, model),
        };
        let (own, seen_as) = (self.sets.add(own), self.sets.add(seen_as));
        let at = id.0 as usize;
        (self.alone[at], self.compiled[at], self.seen_as[at]) = (own, own, seen_as);
        true
    }

    /// Returns the program of the files around one that no tsconfig covers.
    fn loose(&self, path: &str, projects: &TypeScriptProjects) -> Option<u32> {
        let is_package = |folder: &&str| {
            let mut packages = projects.packages.iter();
            packages.any(|package| package.folder == *folder)
        };
        let around = paths::ancestors(paths::folder_of(path)).find(is_package);
        let name = loose_name(around.unwrap_or(""));
        let first = projects.projects.len();
        let at = self.names[first..]
            .iter()
            .position(|known| path_of(known) == name)?;
        Some((first + at) as u32)
    }

    /// Reports whether all files stay in the same programs if a file gains and loses imports.
    pub fn stay(&self, file: FileId, gained: &[FileId], lost: &[FileId]) -> bool {
        let compiled = |file: &FileId| self.sets.get(self.compiled[file.0 as usize]);
        let own = compiled(&file);
        let has_own = |other: &FileId| {
            let mut words = own.iter().zip(compiled(other).iter());
            words.all(|(own, other)| own & !other == 0)
        };
        let is_alone =
            |other: &FileId| self.alone[other.0 as usize] == self.compiled[other.0 as usize];
        gained.iter().all(has_own) && lost.iter().all(is_alone)
    }

    /// Reports whether the global declarations of `of` are visible in `file`.
    pub fn counts(&self, file: FileId, of: FileId) -> bool {
        let (seen_as, compiled) = (self.seen_as[file.0 as usize], self.compiled[of.0 as usize]);
        file == of || seen_as == compiled || {
            let (a, b) = (self.sets.get(seen_as), self.sets.get(compiled));
            a.iter().zip(b.iter()).any(|(a, b)| a & b != 0) || b.iter().all(|word| *word == 0)
        }
    }

    /// Returns the names of the programs that compile a file.
    pub fn compiled(&self, file: FileId) -> impl Iterator<Item = &str> {
        self.names_in(self.compiled[file.0 as usize])
    }

    /// Returns the names of the programs in which a file is resolved.
    pub fn seen_as(&self, file: FileId) -> impl Iterator<Item = &str> {
        self.names_in(self.seen_as[file.0 as usize])
    }

    fn names_in(&self, set: Set) -> impl Iterator<Item = &str> {
        let set = self.sets.get(set);
        self.names
            .iter()
            .enumerate()
            .filter(move |(at, _)| set[at / 64] >> (at % 64) & 1 == 1)
            .map(|(_, name)| name.as_str())
    }
}

/// Returns the bundled library whose declarations a file holds.
pub fn library_of(file: &WorldFile) -> Option<usize> {
    file.path
        .strip_prefix(javascript::PLACE)
        .filter(|_| file.external)
        .and_then(|name| Libraries::get().find(name))
}

/// Adds the libraries that files reference to those of the programs that compile them, and to the
/// programs' names.
fn add_references(
    files: &[WorldFile],
    sets: &[Box<[u64]>],
    selected: &mut [Selection],
    names: &mut [String],
) {
    for (file, set) in files.iter().zip(sets) {
        let Some(references) = references_of(file) else {
            continue;
        };

        for (at, (program, name)) in selected.iter_mut().zip(&mut *names).enumerate() {
            let is_compiling = set[at / 64] >> (at % 64) & 1 == 1;
            if is_compiling && program.with(references) != *program {
                *program = program.with(references);
                *name = format!("{}\n{program:?}", path_of(name));
            }
        }
    }
}

/// Assigns each library file the programs that select it. `words` is the length of a set.
fn set_libraries(
    files: &[WorldFile],
    sets: &mut [Box<[u64]>],
    selected: &[Selection],
    words: usize,
) {
    // A repository without scripts needs no libraries.
    if files.iter().all(|file| library_of(file).is_none()) {
        return;
    }

    for (file, set) in files.iter().zip(sets) {
        let Some(library) = library_of(file) else {
            continue;
        };
        let selecting = (0..)
            .zip(selected)
            .filter(|(_, selected)| selected.has(library))
            .map(|(program, _)| program);
        let selecting: Vec<u32> = selecting.chain([selected.len() as u32]).collect();
        *set = set_of(&selecting, words);
    }
}

/// Adds the program of a file's owner to a set.
fn with_owner(mut set: Box<[u64]>, file: &WorldFile, model: &ProjectModel) -> Box<[u64]> {
    let owner = model.owners.get(&*file.path);
    if let Some(owner) = owner.filter(|it| it.language == Language::TypeScript) {
        set[owner.index as usize / 64] |= 1 << (owner.index % 64);
    }
    set
}

/// Returns the libraries that each program sees.
fn selections(projects: &TypeScriptProjects, programs: usize) -> Vec<Selection> {
    let of_project = |project: &TypeScriptProject| {
        Libraries::get().select(project.libraries.iter().map(String::as_str))
    };
    let loose = Libraries::get().select(TypeScriptProject::DEFAULT_LIBRARIES.iter().copied());
    projects
        .projects
        .iter()
        .map(of_project)
        .chain(std::iter::repeat(loose))
        .take(programs)
        .collect()
}

/// Returns the libraries that a file adds to its programs; `None` if it references none.
fn references_of(file: &WorldFile) -> Option<Selection> {
    let names = match file.facts.outline() {
        Some(outline) => outline
            .specifiers()
            .filter_map(referenced_library)
            .collect(),
        None => referenced_libraries(&file.facts),
    };
    (!names.is_empty()).then(|| Libraries::get().select(names))
}

/// Returns the libraries that some program of a repository sees.
pub fn selected_libraries(files: &[WorldFile], projects: &ProjectModel) -> Selection {
    let projects = projects.of::<TypeScriptProjects>();
    selections(projects, projects.projects.len() + 1)
        .into_iter()
        .chain(files.iter().filter_map(references_of))
        .fold(Selection::default(), Selection::with)
}

/// Returns the name of a program without the libraries that its files reference.
fn path_of(name: &str) -> &str {
    name.split_once('\n').map_or(name, |(path, _)| path)
}

/// Returns the name of the program of a package's files that no tsconfig covers.
fn loose_name(folder: &str) -> String {
    format!("{folder}/")
}

/// The programs of files that no tsconfig covers: one for each package.
struct LooseFiles<'p> {
    names: Vec<String>,
    ids: FxHashMap<&'p str, u32>,
    packages: FxHashSet<&'p str>,
}

impl<'p> LooseFiles<'p> {
    fn new(projects: &'p TypeScriptProjects) -> Self {
        Self {
            // Programs with different libraries are distinct.
            names: projects
                .projects
                .iter()
                .map(|project| format!("{} {}", project.path, project.libraries.join(" ")))
                .collect(),
            ids: FxHashMap::default(),
            packages: projects
                .packages
                .iter()
                .map(|package| package.folder.as_str())
                .collect(),
        }
    }

    /// Returns the program of the nearest package around a file, else of the whole repository.
    fn of(&mut self, path: &str) -> u32 {
        let around = paths::ancestors(paths::folder_of(path))
            .find_map(|folder| self.packages.get(folder).copied());
        let folder = around.unwrap_or("");
        *self.ids.entry(folder).or_insert_with(|| {
            self.names.push(loose_name(folder));
            self.names.len() as u32 - 1
        })
    }
}

/// Returns the programs that a file belongs to without being imported.
fn seeds(file: &WorldFile, projects: &TypeScriptProjects, loose: &mut LooseFiles<'_>) -> Vec<u32> {
    match projects.covering(&file.path) {
        _ if file.external => Vec::new(),
        Some(covering) => covering.to_vec(),
        None => vec![loose.of(&file.path)],
    }
}

fn set_of(members: &[u32], words: usize) -> Box<[u64]> {
    let mut set = vec![0; words].into_boxed_slice();
    for member in members {
        set[*member as usize / 64] |= 1 << (member % 64);
    }
    set
}

/// Adds the members of one set to another; returns whether it grew.
fn add_all(set: &mut [u64], added: &[u64]) -> bool {
    let mut grew = false;
    for (word, added) in set.iter_mut().zip(added) {
        grew |= added & !*word != 0;
        *word |= added;
    }
    grew
}

/// Adds each file's programs to the files it imports.
fn spread<I: Iterator<Item = FileId>>(sets: &mut [Box<[u64]>], targets: &impl Fn(FileId) -> I) {
    let mut waiting: VecDeque<usize> = (0..sets.len()).collect();

    let mut is_waiting = vec![true; sets.len()];
    while let Some(file) = waiting.pop_front() {
        is_waiting[file] = false;
        let from = sets[file].clone();
        for target in targets(FileId(file as u32)) {
            let target = target.0 as usize;
            let grew = add_all(&mut sets[target], &from);
            if grew && !std::mem::replace(&mut is_waiting[target], true) {
                waiting.push_back(target);
            }
        }
    }
}
