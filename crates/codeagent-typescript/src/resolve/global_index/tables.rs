//! The global index: names as numbers, declarations by scope and name, globals, ambient modules,
//! module targets.
//!
//! Limitations: an augmentation of a module without declarations (`declare module "express"` in a
//! module while the package is not installed) adds nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codeagent_lang::dependencies::DependencyKey;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::{Name, Names};
use codeagent_lang::world::{DeclRef, FileId, FileShift, World, WorldFile};
use codeagent_model::facts::*;
use codeagent_model::graph::Language;
use rustc_hash::FxHashMap;

use super::file_index::{ContextKind, FileIndex};
use super::indexed_file::IndexedFile;
use super::libraries::{is_in_binary, package_of};
use super::module_resolution::{ModulePaths, PackageAnswers};
use super::programs::Programs;
use super::well_known::words;
use crate::project::TypeScriptProject;
use crate::stdlib::npm::BundledPackage;

/// The global index of the language.
pub struct Tables {
    pub(crate) names: Names,
    pub(super) modules: ModulePaths,
    pub(super) files: Vec<IndexedFile>,
    pub(crate) globals: FxHashMap<Name, Vec<DeclRef>>,
    pub(super) ambient: FxHashMap<Name, Vec<DeclRef>>,
    /// The names of ambient modules with `*`, in order.
    pub(super) wildcards: Vec<Name>,
    pub(super) augmented: FxHashMap<FileId, Vec<DeclRef>>,
    /// The interfaces of the repository that may add members to types of absent packages, in order.
    augmenting: Vec<DeclRef>,
    /// The names of assertion functions and their files, in order.
    pub(super) asserting: Vec<(Name, FileId)>,
    /// The files that export a name themselves, in order.
    pub(super) exporters: FxHashMap<Name, Vec<FileId>>,
    pub(super) programs: Programs,
    /// A new file until its facts are there, and whether it could be added.
    pub(super) added: Option<(FileId, bool)>,
    /// The first name that was added after the library declarations were selected.
    pub(super) asked: Name,
    /// The first file of library declarations.
    pub(super) libraries: FileId,
    /// The packages with bundled declarations in the world.
    pub(super) packages: Vec<&'static BundledPackage>,
}

impl Tables {
    /// Builds the index over files in canonical order; `None` if cancelled. `modules` may come from
    /// an index over the same paths, projects and packages.
    #[must_use]
    pub fn build(
        files: &[WorldFile],
        projects: &ProjectModel,
        (modules, installed): (Option<ModulePaths>, &Arc<PackageAnswers>),
        cancel: &AtomicBool,
    ) -> Option<Self> {
        let mut tables = Self {
            modules: modules.unwrap_or_else(|| ModulePaths::new(files, projects, installed)),
            names: Names::default(),
            files: Vec::with_capacity(files.len()),
            globals: FxHashMap::default(),
            ambient: FxHashMap::default(),
            wildcards: Vec::new(),
            augmented: FxHashMap::default(),
            augmenting: Vec::new(),
            asserting: Vec::new(),
            exporters: FxHashMap::default(),
            programs: Programs::default(),
            added: None,
            asked: Name::NONE,
            libraries: FileId(u32::MAX),
            packages: files.iter().filter_map(package_of).collect(),
        };

        words().for_each(|word| {
            tables.names.add(&word);
        });

        for (number, file) in files.iter().enumerate() {
            (!cancel.load(Ordering::Relaxed)).then_some(())?;
            if tables.asked == Name::NONE && is_in_binary(file) {
                tables.asked = Name(tables.names.count());
                tables.libraries = FileId(number as u32);
            }
            if !is_typescript(file) {
                tables.files.push(IndexedFile::default());
                continue;
            }
            let index = match file.facts.outline() {
                Some(outline) => {
                    IndexedFile::outlined(file, outline, &mut tables.names, &mut tables.modules)
                }
                None => tables.index(file).into(),
            };
            tables.files.push(index);

            let id = FileId(number as u32);
            match file.facts.outline() {
                Some(outline) => tables.add_outlined_globals(id, outline),
                None => {
                    tables.add_globals(id, &file.facts);
                    tables.add_augmenting(id, file);
                    tables.add_asserting(id, file);
                }
            }
        }

        tables.add_augmented_ambient(files);
        tables.index_stars(files);

        let targets = |file: FileId| tables.files[file.0 as usize].targets();
        let types = |folder: &str, project: Option<&TypeScriptProject>| {
            tables.modules.types_of(folder, project)
        };
        tables.programs = Programs::new(files, projects, is_typescript, targets, types);

        Some(tables)
    }

    /// Replaces the numbers of all files.
    pub(super) fn renumber_files(&mut self, shift: FileShift) {
        let number = |file: &mut FileId| *file = shift.renumber(*file);
        self.modules.renumber_files(&number);
        self.files
            .iter_mut()
            .for_each(|file| file.renumber_files(&number));

        let by_name = self.globals.values_mut().chain(self.ambient.values_mut());
        by_name
            .chain(self.augmented.values_mut())
            .flatten()
            .chain(&mut self.augmenting)
            .for_each(|of| number(&mut of.file));
        self.exporters.values_mut().flatten().for_each(number);
        self.asserting.iter_mut().for_each(|of| number(&mut of.1));
        self.augmented = std::mem::take(&mut self.augmented)
            .into_iter()
            .map(|(file, blocks)| (shift.renumber(file), blocks))
            .collect();
        if self.libraries != FileId(u32::MAX) {
            number(&mut self.libraries);
        }
        self.programs.shift(shift);
    }

    /// Takes the resolved module specifiers, leaving none.
    #[must_use]
    pub fn take_modules(&mut self) -> ModulePaths {
        std::mem::take(&mut self.modules)
    }

    pub(super) fn index(&mut self, file: &WorldFile) -> FileIndex {
        let (names, modules) = (&mut self.names, &mut self.modules);
        let resolve = |specifier: &str| modules.resolve(&file.path, specifier);
        let mut index = FileIndex::new(file, |text| names.add(text), resolve);
        index.unresolved_aliases = index
            .modules
            .iter()
            .filter(|(sym, target)| target.is_none() && modules.is_alias(file.facts.text(*sym)))
            .map(|(sym, _)| *sym)
            .collect();
        index
    }

    /// Adds the interfaces with which a file augments types, in the place of those it had.
    pub(super) fn add_augmenting(&mut self, file: FileId, now: &WorldFile) {
        if now.external {
            return;
        }
        self.augmenting.retain(|of| of.file != file);
        let own = augmenting(&now.facts).map(|decl| DeclRef { file, decl });
        self.augmenting.extend(own);
        self.augmenting.sort_unstable();
    }

    /// The interfaces of the repository that may add members to types of absent packages.
    pub fn augmenting(&self) -> &[DeclRef] {
        &self.augmenting
    }

    pub(crate) fn file(&self, file: FileId) -> &FileIndex {
        self.files[file.0 as usize].get(&self.names)
    }

    /// Returns the name of a file's string.
    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.file(file).name(sym)
    }

    /// Returns the name with this spelling if any file contains it; see `words`.
    pub fn find(&self, text: &str) -> Name {
        self.names.get(text).unwrap_or(Name::NONE)
    }

    /// Returns the key of the result type of a file's body.
    pub fn body_key(&self, file: FileId, number: usize) -> Option<DependencyKey> {
        self.file(file).bodies.get(number).copied()
    }

    /// Returns the declarations of a name in one scope.
    pub fn declared(&self, file: FileId, scope: ScopeId, name: Name) -> &[(ScopeId, Name, DeclId)] {
        let index = self.file(file);
        if scope != ScopeId(0) && !index.nested.may_contain(name) {
            return &[];
        }
        let all = &index.declared[index.of_scope(scope)];
        let start = all.partition_point(|entry| entry.1 < name);
        let len = all[start..]
            .iter()
            .take_while(|entry| entry.1 == name)
            .count();
        &all[start..start + len]
    }

    /// Returns all declarations of one scope, in source order.
    pub fn declared_in(&self, file: FileId, scope: ScopeId) -> &[(Name, DeclId)] {
        let index = self.file(file);
        &index.in_order[index.of_scope(scope)]
    }

    /// Returns the call, construct and index signatures and spreads of one scope.
    pub fn signatures(&self, file: FileId, scope: ScopeId) -> &[(ScopeId, DeclId)] {
        let all = &self.file(file).signatures;
        let start = all.partition_point(|entry| entry.0 < scope);
        let end = all.partition_point(|entry| entry.0 <= scope);
        &all[start..end]
    }

    /// Reports whether a call is a `new` expression.
    pub fn is_new(&self, file: FileId, call: CallId) -> bool {
        self.file(file).news.binary_search(&call).is_ok()
    }

    /// Returns the attributes of a JSX element as a call of its component.
    pub fn element(&self, file: FileId, component: ExprId) -> Option<CallId> {
        let elements = &self.file(file).elements;
        let at = elements
            .binary_search_by_key(&component, |entry| entry.0)
            .ok()?;
        Some(elements[at].1)
    }

    /// Returns the source of a call's expected type.
    pub fn expected(&self, file: FileId, call: CallId) -> Option<ContextKind> {
        let expected = &self.file(file).expected;
        let at = expected.binary_search_by_key(&call, |entry| entry.0).ok()?;
        Some(expected[at].1)
    }

    /// Returns the import clause of a local declaration.
    pub fn import_of(&self, decl: DeclRef) -> Option<ImportId> {
        let imports = &self.file(decl.file).imports;
        let at = imports
            .binary_search_by_key(&decl.decl, |entry| entry.0)
            .ok()?;
        Some(imports[at].1)
    }

    /// Returns the export clauses of a name in a scope.
    pub fn exported(
        &self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> impl Iterator<Item = ExportId> + '_ {
        let all = &self.file(file).exports;
        let start = all.partition_point(|entry| (entry.0, entry.1) < (scope, name));
        all[start..]
            .iter()
            .take_while(move |entry| entry.0 == scope && entry.1 == name)
            .map(|entry| entry.2)
    }

    /// Returns the target of a module specifier.
    pub fn target(&self, file: FileId, specifier: Sym) -> Option<FileId> {
        let modules = &self.file(file).modules;
        let at = modules
            .binary_search_by_key(&specifier, |entry| entry.0)
            .ok()?;
        modules[at].1
    }

    /// Returns the value assigned to `holder.name` at the top level of a file.
    pub fn expando(&self, file: FileId, holder: Name, name: Name) -> Option<ExprId> {
        let expandos = &self.file(file).expandos;
        let at = expandos.partition_point(|entry| (entry.0, entry.1) < (holder, name));
        expandos
            .get(at)
            .filter(|entry| entry.0 == holder && entry.1 == name)
            .map(|entry| entry.2)
    }

    /// Reports whether the global declarations of `of` are visible in the file being resolved.
    pub fn counts(&self, link: FileId, of: FileId) -> bool {
        self.programs.counts(link, of)
    }

    /// Returns the programs that compile a file, and those in which it is resolved. If neither
    /// changed, the same global declarations are visible as before.
    pub fn programs(
        &self,
        file: FileId,
    ) -> (impl Iterator<Item = &str>, impl Iterator<Item = &str>) {
        (self.programs.compiled(file), self.programs.seen_as(file))
    }

    /// Reports whether a file has any export clauses.
    pub fn has_exports(&self, file: FileId) -> bool {
        !self.file(file).exports.is_empty()
    }

    /// Reports whether a scope has export clauses.
    pub fn has_exports_in(&self, file: FileId, scope: ScopeId) -> bool {
        self.file(file).exporting.binary_search(&scope).is_ok()
    }

    /// Returns the `declare module` blocks in other files that augment a file.
    pub fn augmentations(&self, file: FileId) -> &[DeclRef] {
        self.augmented.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the target of each module specifier of a file, in a fixed order, so that two lists
    /// can be compared after paths or project files changed.
    pub fn module_targets(&self, file: FileId) -> impl Iterator<Item = (Sym, Option<FileId>)> + '_ {
        self.file(file).modules.iter().copied()
    }
}

pub fn is_typescript(file: &WorldFile) -> bool {
    file.facts.dialect().language() == Language::TypeScript
}

/// Returns the interfaces that a module declares in `declare global` and in `declare module` of a
/// package.
pub fn augmenting(facts: &Facts) -> impl Iterator<Item = DeclId> {
    let augments = facts.header.is_module
        && (facts
            .scopes
            .iter()
            .any(|scope| scope.kind == ScopeKind::Global)
            || facts
                .decls
                .iter()
                .any(|decl| decl.kind == DeclKind::AmbientModule));
    let decls = augments.then(|| facts.decl_ids());
    decls.into_iter().flatten().filter(|id| {
        let decl = facts.decl(*id);
        decl.kind == DeclKind::Interface && is_in_augmentation(facts, decl.scope)
    })
}

fn is_in_augmentation(facts: &Facts, mut scope: ScopeId) -> bool {
    while let Some(id) = scope.some() {
        let Scope {
            kind,
            owner,
            parent,
        } = *facts.scope(id);

        let module = owner
            .some()
            .filter(|owner| facts.decl(*owner).kind == DeclKind::AmbientModule);
        if let Some(module) = module {
            return !facts.decl_name(module).starts_with('.');
        }
        if kind == ScopeKind::Global {
            return true;
        }

        scope = parent;
    }

    false
}

/// Returns the targets of a file's module specifiers and the programs it belongs to, as strings to
/// compare.
pub fn module_answers(file: FileId, world: &World) -> Vec<&str> {
    let facts = world.facts(file);
    let tables: &Tables = world.index();

    let mut answers: Vec<(&str, &str)> = tables
        .module_targets(file)
        .map(|(specifier, target)| {
            (
                facts.text(specifier),
                target.map_or("", |target| &*world.file(target).path),
            )
        })
        .collect();
    answers.sort_unstable();

    let answers = answers
        .into_iter()
        .flat_map(|(specifier, target)| [specifier, target]);
    let aliases = tables.file(file).unresolved_aliases.iter();
    tables
        .programs(file)
        .1
        .chain(["|"])
        .chain(answers)
        .chain(["|"])
        .chain(aliases.map(|alias| facts.text(*alias)))
        .collect()
}
