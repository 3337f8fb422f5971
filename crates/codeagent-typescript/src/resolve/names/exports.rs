//! Exports: the declarations that a module exports under a name, to which its importers resolve.
//!
//! Chains of re-exports are followed to the declaration at their end. `export *` clauses are
//! searched in order; two different hits are ambiguous and yield nothing, and so does a cycle (as
//! in ECMAScript).
//!
//! Limitations: a search ends after 4,000 modules.

use std::hash::Hash;

use codeagent_lang::query::memo::MemoTable;
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use rustc_hash::FxHashSet;

use crate::resolve::checker::Checker;
use crate::resolve::queries::MAX_DEPTH;
use crate::resolve::symbols::at;
use crate::resolve::symbols::merging::MergedSymbol;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition};

/// The names and modules visited by a search: of files, and of `declare module` blocks.
pub type Visited = FxHashSet<(FileId, DeclId, Name)>;

impl Checker<'_> {
    pub fn lookup_export(&self, module: &ResolvedName, name: Name) -> ResolvedName {
        match module {
            ResolvedName::Module(file) => {
                self.memoized_export(&self.exports, (*file, name), || {
                    self.lookup_export_of_file(*file, name, &mut Visited::default())
                })
            }
            ResolvedName::Ambient(block) => {
                let first = self.blocks(*block).first().copied().unwrap_or(*block);
                self.memoized_export(&self.ambient_exports, (first, name), || {
                    self.lookup_export_of_ambient(first, name, &mut Visited::default())
                })
            }
            other => self.lookup_export_visiting(other, name, &mut Visited::default()),
        }
    }

    /// The memoized export; it is kept unless the budget of the site ended while it was looked up.
    fn memoized_export<K: Eq + Hash>(
        &self,
        table: &MemoTable<K, ResolvedName>,
        key: K,
        search: impl FnOnce() -> ResolvedName,
    ) -> ResolvedName {
        if let Some(known) = table.get(&key) {
            return known;
        }
        let found = search();
        if !self.stack.is_used_up() {
            table.insert(key, found.clone());
        }
        found
    }

    fn lookup_export_visiting(
        &self,
        module: &ResolvedName,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        match module {
            ResolvedName::Module(file) => self.lookup_export_of_file(*file, name, visited),
            ResolvedName::Ambient(block) => self.lookup_export_of_ambient(*block, name, visited),
            ResolvedName::External => ResolvedName::External,
            ResolvedName::Decls(decls) => self.lookup_namespace_member(decls, name),
            ResolvedName::Nothing => ResolvedName::Nothing,
        }
    }

    /// Like [`Self::lookup_export_visiting`], for following an import. The result is memoized
    /// unless it depends on an unfinished query or the depth limit may have cut off the search.
    pub fn lookup_imported(
        &self,
        module: &ResolvedName,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let ResolvedName::Module(file) = *module else {
            return self.lookup_export_visiting(module, name, visited);
        };
        if !visited.is_empty() {
            return self.lookup_export_of_file(file, name, visited);
        }
        if let Some(found) = self.exports.get(&(file, name)) {
            return found;
        }

        let found = self.lookup_export_of_file(file, name, visited);

        if self.stack.is_independent() && self.stack.depth() < MAX_DEPTH / 2 {
            self.exports.insert((file, name), found.clone());
        }

        found
    }

    fn lookup_export_of_file(
        &self,
        file: FileId,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        self.search_exports((file, DeclId::NONE, name), visited, |visited| {
            self.lookup_own_export(file, name, visited)
        })
    }

    /// Searches one level deeper; finds nothing in a cycle or beyond the limit.
    fn search_exports(
        &self,
        key: (FileId, DeclId, Name),
        visited: &mut Visited,
        search: impl FnOnce(&mut Visited) -> ResolvedName,
    ) -> ResolvedName {
        if visited.len() > 4000 || self.is_deepest() || !visited.insert(key) {
            return ResolvedName::Nothing;
        }
        self.with_depth(|| search(visited))
    }

    fn lookup_own_export(&self, file: FileId, name: Name, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(file);

        // A JavaScript comment may name the value of `import("m")` as a type.
        if self.spelling(name) == "export=" {
            return self.assigned_value(file);
        }

        let is_default = self.spelling(name) == "default";
        if is_default && !self.tables.file(file).defaults.is_empty() {
            let decls = self
                .tables
                .file(file)
                .defaults
                .iter()
                .map(|id| at(file, *id))
                .collect();
            return self.follow_all(decls, visited);
        }

        let declared: DeclList = self.exported_declarations(file, ScopeId(0), name);
        if facts.header.dialect.is_javascript() && !declared.is_empty() {
            return self.beside_documented(file, name, declared, visited);
        }
        if !declared.is_empty() {
            return self.follow_all(declared, visited);
        }
        let found = self.export_clause(file, ScopeId(0), name, visited);
        if !found.is_nothing() {
            return found;
        }
        let found = self.lookup_augmented_export(file, name);
        if !found.is_nothing() {
            return found;
        }

        if !self.tables.file(file).assigned.is_empty() {
            let found = self.lookup_assigned_export(file, name, is_default);
            let goes_on = facts.header.dialect.is_javascript()
                && matches!(found, ResolvedName::Nothing | ResolvedName::External);
            let more = if goes_on {
                self.lookup_star_export(file, name, visited)
            } else {
                ResolvedName::Nothing
            };
            return if more.is_nothing() { found } else { more };
        }

        if is_default || facts.exports.is_empty() {
            ResolvedName::Nothing
        } else {
            self.lookup_star_export(file, name, visited)
        }
    }

    pub fn export_clause(
        &self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let facts = self.facts(file);
        let clauses: Vec<ExportId> = self.tables.exported(file, scope, name).collect();
        for id in clauses {
            let export = &facts.exports[id.index()];
            let found = match export.kind {
                ExportKind::Local => {
                    let local = self.name(file, export.local);
                    let decls = self.value_and_type_decls(
                        LookupPosition {
                            file,
                            scope,
                            offset: u32::MAX,
                        },
                        local,
                    );
                    self.follow_all(decls, visited)
                }
                ExportKind::From => {
                    let module = self.resolve_module(file, export.module);
                    let local = self.name(file, export.local);
                    self.lookup_export_visiting(&module, local, visited)
                }
                ExportKind::StarAs => self.resolve_module(file, export.module),
                ExportKind::CommonJs => self.exported_value(file, id, visited),
                ExportKind::Star | ExportKind::Assign => ResolvedName::Nothing,
            };

            if !found.is_nothing() {
                return found;
            }
        }

        ResolvedName::Nothing
    }

    fn lookup_star_export(&self, file: FileId, name: Name, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(file);
        self.record_stars(file, name);
        let modules = self
            .tables
            .stars_with(file, name)
            .into_iter()
            .map(|id| (file, facts.exports[id.index()].module));
        self.lookup_export_of_stars(modules, name, visited)
    }

    fn lookup_export_of_stars(
        &self,
        stars: impl Iterator<Item = (FileId, Sym)>,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let mut first = ResolvedName::Nothing;

        let mut external = false;
        for (file, specifier) in stars {
            let module = self.resolve_module(file, specifier);
            match self.lookup_export_visiting(&module, name, visited) {
                ResolvedName::Nothing => {}
                ResolvedName::External => external = true,
                found if first.is_nothing() => first = found,
                found if found == first => {}
                _ => return ResolvedName::Nothing,
            }
        }

        if first.is_nothing() && external {
            ResolvedName::External
        } else {
            first
        }
    }

    /// Returns a name exported through `export = value`.
    pub fn lookup_assigned_export(
        &self,
        file: FileId,
        name: Name,
        is_default: bool,
    ) -> ResolvedName {
        let value = self.assigned_value(file);
        if is_default && !value.is_nothing() {
            return value;
        }

        if let ResolvedName::Decls(decls) = &value {
            let found = self.lookup_namespace_member(decls, name);
            if !found.is_nothing() {
                return found;
            }
            if let Some(member) = self.member_assigned_to(decls, name) {
                return ResolvedName::Decls(DeclList::from_slice(&[member]));
            }
        }

        match self.lookup_exported_member(file, name) {
            ResolvedName::Decls(decls) => self.behind_shorthand(decls),
            found => found,
        }
    }

    fn lookup_export_of_ambient(
        &self,
        block: DeclRef,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        self.search_exports((block.file, block.decl, name), visited, |visited| {
            self.lookup_export_of_blocks(block, name, visited)
        })
    }

    fn lookup_export_of_blocks(
        &self,
        block: DeclRef,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let blocks = self.blocks(block);
        let decls = self.declared_in_blocks(&blocks, name);
        if !decls.is_empty() {
            return self.follow_all(decls, visited);
        }

        for &block in blocks.iter() {
            let scope = self.decl(block).inner;
            let found = self.export_clause(block.file, scope, name, visited);
            if !found.is_nothing() {
                return found;
            }
            if self.spelling(name) == "default" {
                let defaults = self.lookup_default_of_block(block.file, scope);
                if !defaults.is_empty() {
                    return self.follow_all(defaults, visited);
                }
            }
        }

        match self.assigned_in_block(block) {
            found if matches!(self.spelling(name), "default" | "export=") => found,
            ResolvedName::Decls(decls) => self.lookup_namespace_member(&decls, name),
            _ => self.lookup_star_export_of_blocks(&blocks, name, visited),
        }
    }

    fn lookup_star_export_of_blocks(
        &self,
        blocks: &MergedSymbol,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let mut modules = Vec::new();
        for &block in blocks.iter() {
            let (facts, inner) = (self.facts(block.file), self.decl(block).inner);
            let stars = self
                .tables
                .file(block.file)
                .stars_in
                .iter()
                .filter(|star| star.0 == inner);
            modules.extend(stars.map(|star| (block.file, facts.exports[star.1.index()].module)));
        }

        self.lookup_export_of_stars(modules.into_iter(), name, visited)
    }

    /// Returns the exported declarations of a name in `declare module` blocks; without an export
    /// clause, all are exported.
    pub fn declared_in_blocks(&self, blocks: &MergedSymbol, name: Name) -> DeclList {
        let mut decls = self.block_entries(blocks, name);
        decls.retain(|decl| {
            let declaration = self.decl(*decl);
            let flags = declaration.flags;
            !flags.has(DeclFlags::MEMBER)
                && declaration.kind != DeclKind::Narrow
                && (flags.has(DeclFlags::EXPORT)
                    || !self.tables.has_exports_in(decl.file, declaration.scope))
        });
        decls
    }
}
