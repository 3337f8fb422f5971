//! What links ask of all files at once: names as numbers, declarations by scope and name, globals,
//! ambient modules, module targets.
//!
//! **Limits.** Wildcard ambient modules (`declare module "*.svg"`) are not looked up; an
//! augmentation of a module without declarations (`declare module "express"` in a module, the
//! package not installed) adds nothing.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codeagent_lang::dependencies::{DependencyKey, body_keys};
use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::{Name, Names};
use codeagent_lang::world::{DeclRef, FileId, World, WorldFile};
use codeagent_model::facts::*;
use codeagent_model::graph::Language;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::libraries::{is_in_binary, package_of};
use super::module_paths::{ModulePaths, PackageAnswers};
use super::programs::Programs;
use super::well_known::words;
use crate::stdlib::npm::Package;

/// What is known of one file beyond its facts. Empty for files of other languages.
#[derive(Default)]
pub struct FileIndex {
    names: Vec<Name>,
    /// Sorted by scope, name, declaration.
    declared: Vec<(ScopeId, Name, DeclId)>,
    /// The same by scope and declaration: how names are numbered says nothing.
    in_order: Vec<(Name, DeclId)>,
    /// Where those of each scope begin among them, and those of none.
    starts: Vec<u32>,
    /// The names in all scopes but the file's own.
    nested: NameFilter,
    /// Call, construct and index signatures and spreads by scope, sorted.
    signatures: Vec<(ScopeId, DeclId)>,
    /// Calls that are written with `new`, sorted.
    news: Vec<CallId>,
    /// What is expected of calls where they stand, sorted by call.
    expected: Vec<(CallId, Expected)>,
    /// Whether some guard narrows a member path.
    pub narrows_members: bool,
    /// Import clauses by local declaration, sorted.
    imports: Vec<(DeclId, ImportId)>,
    /// Named export clauses by scope and exported name, sorted.
    exports: Vec<(ScopeId, Name, ExportId)>,
    /// `export *` clauses.
    pub stars: Vec<ExportId>,
    /// The same in `declare module` blocks, by their scopes.
    pub stars_in: Vec<(ScopeId, ExportId)>,
    /// Modules of `export *` that export nothing but what they name themselves, with the position
    /// of the clause; sorted.
    plain_stars: Vec<(FileId, usize)>,
    /// Positions of the other `export *` clauses.
    other_stars: Vec<usize>,
    /// `export =` and `module.exports =` clauses.
    pub assigned: Vec<ExportId>,
    /// The same in `declare module` blocks, by their scopes.
    pub assigned_in: Vec<(ScopeId, ExportId)>,
    /// Scopes with export clauses of any kind, sorted.
    exporting: Vec<ScopeId>,
    /// `F.name = value` at the top of the file: `F`, the name, the value; sorted.
    expandos: Vec<(Name, Name, ExprId)>,
    /// What `export default` declares.
    pub defaults: Vec<DeclId>,
    /// Module specifiers and the files they mean, sorted.
    modules: Vec<(Sym, Option<FileId>)>,
    /// The questions what its bodies give.
    bodies: Vec<DependencyKey>,
}

impl FileIndex {
    /// Where what is declared in a scope stands.
    fn of_scope(&self, scope: ScopeId) -> Range<usize> {
        let start = |number: usize| {
            self.starts
                .get(number)
                .map_or(self.declared.len(), |start| *start as usize)
        };
        start(scope.0 as usize)..start((scope.0 as usize).saturating_add(1))
    }

    /// The names that the file exports itself, as the facts that it was made of say.
    pub fn exported<'f>(&'f self, facts: &'f Facts) -> impl Iterator<Item = Name> + 'f {
        let declared = self.declared[self.of_scope(ScopeId(0))]
            .iter()
            .filter(|entry| facts.decl(entry.2).flags.has(DeclFlags::EXPORT));
        let clauses = self.exports.iter().filter(|entry| entry.0 == ScopeId(0));
        declared
            .map(|entry| entry.1)
            .chain(clauses.map(|entry| entry.1))
    }

    /// The names in the file.
    pub fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.names.iter().copied()
    }

    /// The files that are imported.
    pub fn targets(&self) -> impl Iterator<Item = FileId> {
        self.modules.iter().filter_map(|entry| entry.1)
    }

    /// Takes over what is known of `export *` clauses, which are the same as before.
    pub fn keep_stars(&mut self, before: &Self) {
        self.plain_stars.clone_from(&before.plain_stars);
        self.other_stars.clone_from(&before.other_stars);
    }
}

/// A set of names that may also take in a name that it does not hold: a bit for each hash.
#[derive(Default)]
struct NameFilter(Vec<u64>);

impl NameFilter {
    fn of(names: impl ExactSizeIterator<Item = Name>) -> Self {
        let mut filter = Self(vec![0; (names.len() / 8).next_power_of_two()]);
        for name in names {
            let (word, bit) = filter.place(name);
            filter.0[word] |= bit;
        }
        filter
    }

    fn may_hold(&self, name: Name) -> bool {
        let (word, bit) = self.place(name);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn place(&self, name: Name) -> (usize, u64) {
        let hash = u64::from(name.0).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (
            (hash >> 6) as usize & self.0.len().wrapping_sub(1),
            1 << (hash & 63),
        )
    }
}

/// What gives the result of a call its expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// An annotation.
    Typed(TypeId),
    /// The parameter it is passed to.
    Argument(CallId, u16),
}

/// Tables over the interface parts of all files of the language.
pub struct Tables {
    pub(crate) names: Names,
    modules: ModulePaths,
    pub(crate) files: Vec<FileIndex>,
    pub(crate) globals: FxHashMap<Name, Vec<DeclRef>>,
    ambient: FxHashMap<Name, Vec<DeclRef>>,
    augmented: FxHashMap<FileId, Vec<DeclRef>>,
    /// Files that export a name themselves, in order.
    exporters: FxHashMap<Name, Vec<FileId>>,
    programs: Programs,
    /// The names before this one were there when the declarations of libraries were chosen, and
    /// these begin here.
    pub(super) asked: Name,
    pub(super) libraries: FileId,
    /// The packages of which something is declared there.
    pub(super) packages: Vec<&'static Package>,
}

impl Tables {
    /// Builds the tables over files in canonical order, `None` if cancelled. `modules`: those of
    /// tables over the same paths, projects and packages.
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
            augmented: FxHashMap::default(),
            exporters: FxHashMap::default(),
            programs: Programs::default(),
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
            let index = if is_typescript(&file.facts) {
                tables.index(file)
            } else {
                FileIndex::default()
            };
            tables.files.push(index);
            if is_typescript(&file.facts) {
                tables.add_world_wide(FileId(number as u32), &file.facts);
            }
        }
        tables.add_augmented_ambient(files);
        tables.index_stars(files);
        let targets = |file: FileId| {
            tables.files[file.0 as usize]
                .modules
                .iter()
                .filter_map(|entry| entry.1)
        };
        tables.programs =
            Programs::new(files, projects, |file| is_typescript(&file.facts), targets);
        Some(tables)
    }

    /// What was found out about module specifiers; nothing is known of them afterwards.
    #[must_use]
    pub fn take_modules(&mut self) -> ModulePaths {
        std::mem::take(&mut self.modules)
    }

    /// Adds to ambient modules the blocks of modules that augment them, behind what declares them.
    fn add_augmented_ambient(&mut self, files: &[WorldFile]) {
        if self.ambient.is_empty() {
            return;
        }
        for (number, file) in files
            .iter()
            .enumerate()
            .filter(|(_, file)| is_typescript(&file.facts) && file.facts.header.is_module)
        {
            let blocks = file
                .facts
                .decl_ids()
                .filter(|id| file.facts.decl(*id).kind == DeclKind::AmbientModule);
            for id in blocks {
                let place = DeclRef {
                    file: FileId(number as u32),
                    decl: id,
                };
                let name = self.name(place.file, file.facts.decl(id).name);
                if let Some(ambient) = self.ambient.get_mut(&name) {
                    ambient.push(place);
                }
            }
        }
    }

    /// Makes what [`Self::stars_with`] answers from.
    fn index_stars(&mut self, files: &[WorldFile]) {
        let with_stars: Vec<usize> = (0..files.len())
            .filter(|number| !self.files[*number].stars.is_empty())
            .collect();
        if with_stars.is_empty() {
            return;
        }
        for number in with_stars {
            let stars = std::mem::take(&mut self.files[number].stars);
            let file = FileId(number as u32);
            let target = |id: &ExportId| {
                let module = files[number].facts.exports[id.index()].module;
                self.target(file, module)
                    .filter(|_| !self.ambient.contains_key(&self.name(file, module)))
            };
            let is_plain = |module: &FileId| {
                let index = self.file(*module);
                index.stars.is_empty()
                    && index.assigned.is_empty()
                    && *module != file
                    && self.augmentations(*module).is_empty()
            };
            let plain = |id: &ExportId| target(id).filter(is_plain);
            let mut plain_stars: Vec<(FileId, usize)> = stars
                .iter()
                .enumerate()
                .filter_map(|(position, id)| Some((plain(id)?, position)))
                .collect();
            plain_stars.sort_unstable();
            let other_stars = (0..stars.len())
                .filter(|position| plain(&stars[*position]).is_none())
                .collect();
            self.files[number] = FileIndex {
                stars,
                plain_stars,
                other_stars,
                ..std::mem::take(&mut self.files[number])
            };
        }
        for (number, file) in files.iter().enumerate() {
            let index = &self.files[number];
            for name in index.exported(&file.facts) {
                let exporters = self.exporters.entry(name).or_default();
                if exporters.last() != Some(&FileId(number as u32)) {
                    exporters.push(FileId(number as u32));
                }
            }
        }
    }

    /// Takes in that a file exports other names than before.
    pub fn change_exports(
        &mut self,
        file: FileId,
        before: &FxHashSet<Name>,
        now: &FxHashSet<Name>,
    ) {
        // Nobody asks where there is no `export *`.
        if self.files.iter().all(|index| index.stars.is_empty()) {
            return;
        }
        for name in before.difference(now) {
            if let Some(exporters) = self.exporters.get_mut(name) {
                exporters.retain(|exporter| *exporter != file);
            }
        }
        for name in now.difference(before) {
            let exporters = self.exporters.entry(*name).or_default();
            if let Err(at) = exporters.binary_search(&file) {
                exporters.insert(at, file);
            }
        }
    }

    pub(crate) fn index(&mut self, file: &WorldFile) -> FileIndex {
        let facts = &*file.facts;
        let names: Vec<Name> = facts
            .names
            .iter()
            .map(|text| self.names.add(text))
            .collect();
        let name = |sym: Sym| names.get(sym.0 as usize).copied().unwrap_or(Name::NONE);
        let mut declared: Vec<_> = facts
            .decl_ids()
            .map(|id| (facts.decl(id), id))
            .filter(|(decl, _)| !decl.name.is_none())
            .map(|(decl, id)| (decl.scope, name(decl.name), id))
            .collect();
        declared.sort_unstable_by_key(|entry| (entry.0, entry.2));
        let in_order = declared.iter().map(|entry| (entry.1, entry.2)).collect();
        declared.sort_unstable();
        let start = |scope| declared.partition_point(|entry| entry.0 < ScopeId(scope)) as u32;
        let starts: Vec<u32> = (0..=facts.scopes.len() as u32).map(start).collect();
        let mut imports: Vec<_> = ids(&facts.imports, ImportId)
            .filter(|(import, _)| !import.decl.is_none())
            .map(|(import, id)| (import.decl, id))
            .collect();
        imports.sort_unstable();
        let top = starts
            .get(1)
            .map_or(declared.len(), |start| *start as usize);
        let nested = NameFilter::of(declared[top..].iter().map(|entry| entry.1));
        let mut index = FileIndex {
            declared,
            in_order,
            starts,
            nested,
            imports,
            signatures: signatures(facts),
            ..FileIndex::default()
        };
        index.news = facts
            .exprs
            .iter()
            .filter_map(|expr| {
                if let Expr::New(call) = expr {
                    Some(*call)
                } else {
                    None
                }
            })
            .collect();
        index.news.sort_unstable();
        index.expected = expected(facts);
        index.narrows_members = facts
            .guards
            .iter()
            .any(|guard| matches!(facts.expr(guard.subject), Expr::Member(..)));
        for (export, id) in ids(&facts.exports, ExportId) {
            match export.kind {
                ExportKind::Star if export.scope == ScopeId(0) => index.stars.push(id),
                ExportKind::Star => index.stars_in.push((export.scope, id)),
                ExportKind::Assign if export.scope == ScopeId(0) => index.assigned.push(id),
                ExportKind::Assign => index.assigned_in.push((export.scope, id)),
                _ => index.exports.push((export.scope, name(export.name), id)),
            }
        }
        index.exporting = facts.exports.iter().map(|export| export.scope).collect();
        index.exporting.sort_unstable();
        index.exporting.dedup();
        index.exports.sort_unstable();
        index.assigned_in.sort_unstable();
        index.stars_in.sort_unstable();
        index.expandos = expandos(facts, &name);
        index.defaults = facts
            .decl_ids()
            .filter(|id| is_default(facts, *id))
            .collect();
        index.modules = specifiers(facts)
            .into_iter()
            .map(|sym| (sym, self.modules.resolve(&file.path, facts.text(sym))))
            .collect();
        index.bodies = body_keys(&file.path, facts);
        index.names = names;
        index
    }

    fn add_world_wide(&mut self, file: FileId, facts: &Facts) {
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            let place = DeclRef { file, decl: id };
            let name = self.name(file, decl.name);
            if decl.kind == DeclKind::AmbientModule {
                match self
                    .target(file, decl.name)
                    .filter(|_| facts.header.is_module)
                {
                    Some(module) => self.augmented.entry(module).or_default().push(place),
                    None if !facts.header.is_module => {
                        let blocks = self.ambient.entry(name).or_default();
                        // What the repository or an installed package declares itself stands for
                        // all of the module.
                        if file < self.libraries
                            || blocks.iter().all(|block| block.file >= self.libraries)
                        {
                            blocks.push(place);
                        }
                    }
                    None => {}
                }
            } else if is_global(facts, decl) {
                self.globals.entry(name).or_default().push(place);
            }
        }
    }

    pub(crate) fn file(&self, file: FileId) -> &FileIndex {
        &self.files[file.0 as usize]
    }

    /// The name of a file's string.
    pub fn name(&self, file: FileId, sym: Sym) -> Name {
        self.file(file)
            .names
            .get(sym.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }

    /// The name spelled so, if any file has it; see [`words`].
    pub fn find(&self, text: &str) -> Name {
        self.names.get(text).unwrap_or(Name::NONE)
    }

    /// The key of what a body of a file gives.
    pub fn body_key(&self, file: FileId, number: usize) -> Option<DependencyKey> {
        self.file(file).bodies.get(number).copied()
    }

    /// Declarations of a name in one scope.
    pub fn declared(&self, file: FileId, scope: ScopeId, name: Name) -> &[(ScopeId, Name, DeclId)] {
        let index = self.file(file);
        if scope != ScopeId(0) && !index.nested.may_hold(name) {
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

    /// All declarations of one scope, in the order of the text.
    pub fn declared_in(&self, file: FileId, scope: ScopeId) -> &[(Name, DeclId)] {
        let index = self.file(file);
        &index.in_order[index.of_scope(scope)]
    }

    /// Call, construct and index signatures and spreads of one scope.
    pub fn signatures(&self, file: FileId, scope: ScopeId) -> &[(ScopeId, DeclId)] {
        let all = &self.file(file).signatures;
        let start = all.partition_point(|entry| entry.0 < scope);
        let end = all.partition_point(|entry| entry.0 <= scope);
        &all[start..end]
    }

    /// Whether a call is written with `new`.
    pub fn is_new(&self, file: FileId, call: CallId) -> bool {
        self.file(file).news.binary_search(&call).is_ok()
    }

    /// What is expected of the result of a call.
    pub fn expected(&self, file: FileId, call: CallId) -> Option<Expected> {
        let expected = &self.file(file).expected;
        let at = expected.binary_search_by_key(&call, |entry| entry.0).ok()?;
        Some(expected[at].1)
    }

    /// The import clause of a local declaration.
    pub fn import_of(&self, decl: DeclRef) -> Option<ImportId> {
        let imports = &self.file(decl.file).imports;
        let at = imports
            .binary_search_by_key(&decl.decl, |entry| entry.0)
            .ok()?;
        Some(imports[at].1)
    }

    /// Export clauses of a name in a scope.
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

    /// The modules of `export *` clauses of a file that export nothing but what they name
    /// themselves.
    pub fn plain_stars(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        self.file(file).plain_stars.iter().map(|star| star.0)
    }

    /// Those `export *` clauses of a file that may export a name, in their order.
    pub fn stars_with(&self, file: FileId, name: Name) -> SmallVec<[ExportId; 4]> {
        let FileIndex {
            stars,
            plain_stars,
            other_stars,
            ..
        } = self.file(file);
        let mut positions: SmallVec<[usize; 4]> = other_stars.iter().copied().collect();
        let exporters = self.exporters.get(&name).map_or(&[][..], Vec::as_slice);
        if exporters.len() < plain_stars.len() {
            for exporter in exporters {
                let from = plain_stars.partition_point(|star| star.0 < *exporter);
                positions.extend(
                    plain_stars[from..]
                        .iter()
                        .take_while(|star| star.0 == *exporter)
                        .map(|star| star.1),
                );
            }
        } else {
            positions.extend(
                plain_stars
                    .iter()
                    .filter(|star| exporters.binary_search(&star.0).is_ok())
                    .map(|star| star.1),
            );
        }
        positions.sort_unstable();
        positions
            .into_iter()
            .map(|position| stars[position])
            .collect()
    }

    /// The file a module specifier of a file means.
    pub fn target(&self, file: FileId, specifier: Sym) -> Option<FileId> {
        let modules = &self.file(file).modules;
        let at = modules
            .binary_search_by_key(&specifier, |entry| entry.0)
            .ok()?;
        modules[at].1
    }

    /// The value assigned to `holder.name` at the top of a file.
    pub fn expando(&self, file: FileId, holder: Name, name: Name) -> Option<ExprId> {
        let expandos = &self.file(file).expandos;
        let at = expandos.partition_point(|entry| (entry.0, entry.1) < (holder, name));
        expandos
            .get(at)
            .filter(|entry| entry.0 == holder && entry.1 == name)
            .map(|entry| entry.2)
    }

    pub(crate) fn globals(&self, name: Name) -> &[DeclRef] {
        self.globals.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether what a file declares for all counts in the file being linked.
    pub fn counts(&self, link: FileId, of: FileId) -> bool {
        self.programs.counts(link, of)
    }

    /// The programs that compile a file, and those as whose file it is linked: whoever keeps them
    /// can tell whether what the one declares for all, or what the other sees of that, may have
    /// changed.
    pub fn programs(
        &self,
        file: FileId,
    ) -> (impl Iterator<Item = &str>, impl Iterator<Item = &str>) {
        (self.programs.compiled(file), self.programs.seen_as(file))
    }

    /// The blocks that declare an ambient module, then those that add to it.
    pub fn ambient(&self, name: Name) -> &[DeclRef] {
        self.ambient.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether a file has export clauses at all.
    pub fn has_exports(&self, file: FileId) -> bool {
        !self.file(file).exports.is_empty()
    }

    /// Whether a scope has export clauses.
    pub fn has_exports_in(&self, file: FileId, scope: ScopeId) -> bool {
        self.file(file).exporting.binary_search(&scope).is_ok()
    }

    /// The `declare module` blocks that add to a file from elsewhere.
    pub fn augmentations(&self, file: FileId) -> &[DeclRef] {
        self.augmented.get(&file).map_or(&[], Vec::as_slice)
    }

    /// What each module specifier of a file means now, in a fixed order: whoever keeps the answers
    /// can tell which files must be linked again after paths or project files changed.
    pub fn module_targets(&self, file: FileId) -> impl Iterator<Item = (Sym, Option<FileId>)> + '_ {
        self.file(file).modules.iter().copied()
    }
}

pub fn is_typescript(facts: &Facts) -> bool {
    facts.header.dialect.language() == Language::TypeScript
}

fn ids<T, I>(values: &[T], id: impl Fn(u32) -> I) -> impl Iterator<Item = (&T, I)> {
    values
        .iter()
        .enumerate()
        .map(move |(index, value)| (value, id(index as u32)))
}

fn called(facts: &Facts, expr: ExprId) -> Option<CallId> {
    match facts.expr(expr) {
        Expr::Call(call) => Some(call),
        _ => None,
    }
}

fn expected(facts: &Facts) -> Vec<(CallId, Expected)> {
    let mut all = Vec::new();
    for decl in facts.decls.iter().filter(|decl| !decl.ty.is_none()) {
        if matches!(decl.kind, DeclKind::Variable | DeclKind::Property) {
            all.extend(called(facts, decl.init).map(|call| (call, Expected::Typed(decl.ty))));
        } else if !decl.flags.has(DeclFlags::ASYNC) && !decl.flags.has(DeclFlags::GENERATOR) {
            let returned = facts
                .list(decl.returns)
                .iter()
                .filter_map(|value| called(facts, *value));
            all.extend(returned.map(|call| (call, Expected::Typed(decl.ty))));
        }
    }
    for (call, id) in ids(&facts.calls, CallId) {
        for (index, arg) in facts
            .list(call.args)
            .iter()
            .enumerate()
            .take(usize::from(u16::MAX))
        {
            all.extend(
                called(facts, arg.value).map(|inner| (inner, Expected::Argument(id, index as u16))),
            );
        }
    }
    all.sort_unstable();
    all.dedup_by_key(|entry| entry.0);
    all
}

fn expandos(facts: &Facts, name: &impl Fn(Sym) -> Name) -> Vec<(Name, Name, ExprId)> {
    let mut all = Vec::new();
    for expr in &facts.exprs {
        let Expr::Assign(target, value) = *expr else {
            continue;
        };
        let Expr::Member(object, member) = facts.expr(target) else {
            continue;
        };
        let Expr::Name(holder, scope, _) = facts.expr(object) else {
            continue;
        };
        if matches!(
            facts.scope(scope).kind,
            ScopeKind::File | ScopeKind::Namespace
        ) {
            all.push((name(holder), name(member), value));
        }
    }
    all.sort_by_key(|entry| (entry.0, entry.1));
    all
}

fn signatures(facts: &Facts) -> Vec<(ScopeId, DeclId)> {
    let is_nameless = |decl: &Declaration| match decl.kind {
        DeclKind::CallSignature | DeclKind::ConstructSignature | DeclKind::IndexSignature => true,
        DeclKind::Property => decl.name.is_none(),
        _ => false,
    };
    let mut all: Vec<_> = facts
        .decl_ids()
        .filter(|id| is_nameless(facts.decl(*id)))
        .map(|id| (facts.decl(id).scope, id))
        .collect();
    all.sort_unstable();
    all
}

fn is_default(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    decl.scope == ScopeId(0) && decl.flags.has(DeclFlags::DEFAULT)
}

/// Whether a declaration is visible in every file.
pub fn is_global(facts: &Facts, decl: &Declaration) -> bool {
    if decl.name.is_none()
        || decl.flags.has(DeclFlags::MEMBER)
        || matches!(
            decl.kind,
            DeclKind::Parameter | DeclKind::Narrow | DeclKind::AmbientModule
        )
    {
        return false;
    }
    (decl.scope == ScopeId(0) && !facts.header.is_module)
        || facts.scope(decl.scope).kind == ScopeKind::Global
}

/// Where the module specifiers of a file lead and as whose file it is linked, as texts to compare.
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
    tables
        .programs(file)
        .1
        .chain(["|"])
        .chain(answers)
        .collect()
}

/// All module specifiers of a file, sorted.
pub fn specifiers(facts: &Facts) -> Vec<Sym> {
    let mut all: Vec<Sym> = facts
        .imports
        .iter()
        .map(|import| import.module)
        .chain(facts.exports.iter().map(|export| export.module))
        .collect();
    all.extend(facts.exprs.iter().filter_map(|expr| match expr {
        Expr::DynamicImport(sym) | Expr::Require(sym) => Some(*sym),
        _ => None,
    }));
    all.extend(facts.types.iter().filter_map(|ty| {
        if let TypeExpr::Import(sym, _) = ty {
            Some(*sym)
        } else {
            None
        }
    }));
    all.extend(
        facts
            .decls
            .iter()
            .filter(|decl| decl.kind == DeclKind::AmbientModule)
            .map(|decl| decl.name),
    );
    all.retain(|sym| !sym.is_none());
    all.sort_unstable();
    all.dedup();
    all
}
