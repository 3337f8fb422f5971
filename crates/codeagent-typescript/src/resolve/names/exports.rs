//! Exports and imports: what a module exports under a name, and what an import therefore means.
//!
//! Chains of re-exports are followed to the declaration at their end. `export *` clauses are
//! searched in order; two different hits are ambiguous and give nothing, and so does a cycle (as in
//! ECMAScript).
//!
//! **Limits.** A search ends after 4,000 modules.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use rustc_hash::FxHashSet;

use crate::resolve::checker::Checker;
use crate::resolve::queries::{MAX_DEPTH, Query};
use crate::resolve::symbols::at;
use crate::resolve::symbols::merging::MergedSymbol;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

/// Which names of which modules were looked at: of files, and of `declare module` blocks.
pub type Visited = FxHashSet<(FileId, DeclId, Name)>;

impl Checker<'_> {
    /// What a module exports under a name.
    pub fn export(&mut self, module: &ResolvedName, name: Name) -> ResolvedName {
        match module {
            ResolvedName::Module(file) => {
                if let Some(found) = self.exports.get(&(*file, name)) {
                    return found.clone();
                }
                let found = self.export_of_file(*file, name, &mut Visited::default());
                self.exports.insert((*file, name), found.clone());
                found
            }
            ResolvedName::Ambient(block) => {
                let first = self.blocks(*block).first().copied().unwrap_or(*block);
                if let Some(found) = self.ambient_exports.get(&(first, name)) {
                    return found.clone();
                }

                let found = self.export_of_ambient(first, name, &mut Visited::default());
                self.ambient_exports.insert((first, name), found.clone());

                found
            }
            other => self.export_visiting(other, name, &mut Visited::default()),
        }
    }

    fn export_visiting(
        &mut self,
        module: &ResolvedName,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        match module {
            ResolvedName::Module(file) => self.export_of_file(*file, name, visited),
            ResolvedName::Ambient(block) => self.export_of_ambient(*block, name, visited),
            ResolvedName::External => ResolvedName::External,
            ResolvedName::Decls(decls) => self.namespace_member(decls, name),
            ResolvedName::Nothing => ResolvedName::Nothing,
        }
    }

    /// As [`Self::export_visiting`], for an import that is followed: what was found is remembered,
    /// unless it met an open question or stood so deep that the search may have been cut off.
    fn imported(
        &mut self,
        module: &ResolvedName,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let ResolvedName::Module(file) = *module else {
            return self.export_visiting(module, name, visited);
        };
        if !visited.is_empty() {
            return self.export_of_file(file, name, visited);
        }
        if let Some(found) = self.exports.get(&(file, name)) {
            return found.clone();
        }

        let found = self.export_of_file(file, name, visited);

        if self.evaluation.has_met_nothing() && self.evaluation.depth() < MAX_DEPTH / 2 {
            self.exports.insert((file, name), found.clone());
        }

        found
    }

    fn export_of_file(&mut self, file: FileId, name: Name, visited: &mut Visited) -> ResolvedName {
        self.searched((file, DeclId::NONE, name), visited, |checker, visited| {
            checker.own_export(file, name, visited)
        })
    }

    /// What a search finds, one level down; nothing in a cycle and after too many.
    fn searched(
        &mut self,
        key: (FileId, DeclId, Name),
        visited: &mut Visited,
        search: impl FnOnce(&mut Self, &mut Visited) -> ResolvedName,
    ) -> ResolvedName {
        if visited.len() > 4000 || self.is_deepest() || !visited.insert(key) {
            return ResolvedName::Nothing;
        }
        self.with_depth(|checker| search(checker, visited))
    }

    fn own_export(&mut self, file: FileId, name: Name, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(file);

        // As a comment in JavaScript names what `import("m")` gives as a type.
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
        let found = self.augmented_export(file, name);
        if !found.is_nothing() {
            return found;
        }

        if !self.tables.file(file).assigned.is_empty() {
            let found = self.assigned_export(file, name, is_default);
            let goes_on = facts.header.dialect.is_javascript()
                && matches!(found, ResolvedName::Nothing | ResolvedName::External);
            let more = if goes_on {
                self.star_export(file, name, visited)
            } else {
                ResolvedName::Nothing
            };
            return if more.is_nothing() { found } else { more };
        }

        if is_default || facts.exports.is_empty() {
            ResolvedName::Nothing
        } else {
            self.star_export(file, name, visited)
        }
    }

    pub fn export_clause(
        &mut self,
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
                    let decls = self.both_spaces(
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
                    let module = self.module(file, export.module);
                    let local = self.name(file, export.local);
                    self.export_visiting(&module, local, visited)
                }
                ExportKind::StarAs => self.module(file, export.module),
                ExportKind::CommonJs => self.given_out(file, id, visited),
                ExportKind::Star | ExportKind::Assign => ResolvedName::Nothing,
            };
            if !found.is_nothing() {
                return found;
            }
        }

        ResolvedName::Nothing
    }

    fn star_export(&mut self, file: FileId, name: Name, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(file);
        self.ask_stars(file, name);
        let modules = self
            .tables
            .stars_with(file, name)
            .into_iter()
            .map(|id| (file, facts.exports[id.index()].module));
        self.export_of_stars(modules, name, visited)
    }

    fn export_of_stars(
        &mut self,
        stars: impl Iterator<Item = (FileId, Sym)>,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        let mut first = ResolvedName::Nothing;

        let mut outside = false;
        for (file, specifier) in stars {
            let module = self.module(file, specifier);
            match self.export_visiting(&module, name, visited) {
                ResolvedName::Nothing => {}
                ResolvedName::External => outside = true,
                found if first.is_nothing() => first = found,
                found if found == first => {}
                _ => return ResolvedName::Nothing,
            }
        }

        if first.is_nothing() && outside {
            ResolvedName::External
        } else {
            first
        }
    }

    /// A name exported through `export = value`.
    pub fn assigned_export(&mut self, file: FileId, name: Name, is_default: bool) -> ResolvedName {
        let value = self.assigned_value(file);
        if is_default && !value.is_nothing() {
            return value;
        }

        if let ResolvedName::Decls(decls) = &value {
            let found = self.namespace_member(decls, name);
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

    fn export_of_ambient(
        &mut self,
        block: DeclRef,
        name: Name,
        visited: &mut Visited,
    ) -> ResolvedName {
        self.searched(
            (block.file, block.decl, name),
            visited,
            |checker, visited| checker.export_of_blocks(block, name, visited),
        )
    }

    fn export_of_blocks(
        &mut self,
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
                let defaults = self.default_of_block(block.file, scope);
                if !defaults.is_empty() {
                    return self.follow_all(defaults, visited);
                }
            }
        }

        match self.assigned_in_block(block) {
            found if matches!(self.spelling(name), "default" | "export=") => found,
            ResolvedName::Decls(decls) => self.namespace_member(&decls, name),
            _ => self.star_export_of_blocks(&blocks, name, visited),
        }
    }

    fn star_export_of_blocks(
        &mut self,
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

        self.export_of_stars(modules.into_iter(), name, visited)
    }

    /// What `declare module` blocks declare under a name and export: all if they have no export
    /// clause.
    pub fn declared_in_blocks(&mut self, blocks: &MergedSymbol, name: Name) -> DeclList {
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

    /// What is declared under a name as a value and as a type together.
    fn both_spaces(&mut self, position: LookupPosition, name: Name) -> DeclList {
        let mut found = self.lookup(position, name, Meaning::Value);
        for meaning in [Meaning::Type, Meaning::Namespace] {
            for decl in self.lookup(position, name, meaning) {
                if !found.contains(&decl) {
                    found.push(decl);
                }
            }
        }
        found
    }

    /// Declarations with imports among them replaced by what they import.
    pub fn resolve_decls(&mut self, decls: DeclList) -> ResolvedName {
        self.follow_all(decls, &mut Visited::default())
    }

    pub fn follow_all(&mut self, decls: DeclList, visited: &mut Visited) -> ResolvedName {
        let Some(&first) = decls.first() else {
            return ResolvedName::Nothing;
        };

        let decl = self.decl(first);
        match decl.kind {
            DeclKind::Import if decls.len() == 1 => self.follow(first, visited),
            DeclKind::Import => self.follow_beside(decls, visited),
            DeclKind::DefaultExport if decls.len() == 1 => {
                // Broken code may export itself.
                let init = decl.init;
                let value =
                    self.query_uncached(Query::Follow(first), ResolvedName::Nothing, |checker| {
                        checker.meaning_of(first.file, init, visited)
                    });
                if value.is_nothing() {
                    ResolvedName::Decls(decls)
                } else {
                    value
                }
            }
            _ => ResolvedName::Decls(decls),
        }
    }

    /// An import beside what is declared here under its name: a value, and the types or the
    /// namespace of types that join it.
    fn follow_beside(&mut self, decls: DeclList, visited: &mut Visited) -> ResolvedName {
        let (imports, local): (DeclList, DeclList) = decls
            .iter()
            .copied()
            .partition(|decl| self.decl(*decl).kind == DeclKind::Import);
        match self.follow(imports[0], visited) {
            ResolvedName::Decls(mut found) => {
                found.extend(local);
                ResolvedName::Decls(found)
            }
            found if local.is_empty() => found,
            ResolvedName::Nothing => ResolvedName::Decls(local),
            // A module is no declaration: the import stands for it.
            _ => ResolvedName::Decls(decls),
        }
    }

    fn follow(&mut self, decl: DeclRef, visited: &mut Visited) -> ResolvedName {
        self.query_uncached(Query::Follow(decl), ResolvedName::Nothing, |checker| {
            checker.follow_unguarded(decl, visited)
        })
    }

    fn follow_unguarded(&mut self, decl: DeclRef, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(decl.file);
        let Some(id) = self.tables.import_of(decl) else {
            return self.meaning_of(decl.file, facts.decl(decl.decl).init, visited);
        };

        let import = &facts.imports[id.index()];
        let module = self.module(decl.file, import.module);
        let is_outside = self.is_module_outside(&module);

        let found = match import.kind {
            ImportKind::Named => {
                let name = self.name(decl.file, import.name);
                self.imported(&module, name, visited)
            }
            ImportKind::Default => {
                let name = self.tables.find("default");
                let found = self.imported(&module, name, visited);
                if found.is_nothing() {
                    self.default_of_common_js(&module)
                } else {
                    found
                }
            }
            ImportKind::Namespace | ImportKind::Require => self.whole_module(module),
            _ => module,
        };

        if found.is_nothing() && is_outside {
            ResolvedName::External
        } else {
            found
        }
    }

    /// What a name or dotted path used as a value means, without looking at types.
    pub fn meaning_of(
        &mut self,
        file: FileId,
        expr: ExprId,
        visited: &mut Visited,
    ) -> ResolvedName {
        let facts = self.facts(file);
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.name(file, sym);
                let decls = self.both_spaces(
                    LookupPosition {
                        file,
                        scope,
                        offset,
                    },
                    name,
                );

                self.follow_all(decls, visited)
            }
            Expr::Member(object, sym) if !self.is_deepest() => {
                let object = self.with_depth(|checker| checker.meaning_of(file, object, visited));
                let name = self.name(file, sym);
                self.found_member(&object, name)
            }
            Expr::Same(inner) | Expr::Assign(_, inner) if !self.is_deepest() => {
                self.with_depth(|checker| checker.meaning_of(file, inner, visited))
            }
            Expr::Require(sym) if !self.is_deepest() => {
                self.with_depth(|checker| checker.required(file, sym))
            }
            // What is written at `module.exports =` is declared there.
            Expr::Function(decl) | Expr::Class(decl) if !facts.decl(decl).detail.is_none() => {
                ResolvedName::Decls(DeclList::from_slice(&[at(file, decl)]))
            }
            _ => ResolvedName::Nothing,
        }
    }

    /// `name` inside what was found: an export of a module, a declaration of a namespace or enum.
    pub fn found_member(&mut self, found: &ResolvedName, name: Name) -> ResolvedName {
        match found {
            ResolvedName::Decls(decls) => self.namespace_member(decls, name),
            ResolvedName::Module(_) | ResolvedName::Ambient(_) | ResolvedName::External => {
                self.export(found, name)
            }
            ResolvedName::Nothing => ResolvedName::Nothing,
        }
    }

    fn namespace_member(&mut self, decls: &DeclList, name: Name) -> ResolvedName {
        let mut members = DeclList::new();
        let (mut import, mut asked) = (None, None);
        self.spend_list(decls.len());

        for &decl in decls {
            if self.decl(decl).kind == DeclKind::Import {
                import = Some(decl);
                continue;
            }
            let group = self.merged_symbol(decl);
            // The blocks of a namespace are one group, and a name may mean hundreds.
            if asked.replace(group.first().copied()) == Some(group.first().copied()) {
                continue;
            }
            for meaning in [Meaning::Value, Meaning::Type, Meaning::Namespace] {
                let more = self.block_members(&group, name, meaning);
                let known: FxHashSet<DeclRef> = members.iter().copied().collect();
                members.extend(more.into_iter().filter(|member| !known.contains(member)));
            }
            if members.is_empty() {
                let found = self.namespace_clause(&group, name);
                if !found.is_nothing() {
                    return found;
                }
            }
        }

        match import {
            Some(import) if members.is_empty() => self.imported_member(import, name),
            _ if members.is_empty() => ResolvedName::Nothing,
            _ => self.resolve_decls(members),
        }
    }

    /// A member of what an import that joins local declarations brings.
    fn imported_member(&mut self, import: DeclRef, name: Name) -> ResolvedName {
        match self.follow(import, &mut Visited::default()) {
            ResolvedName::Nothing | ResolvedName::External | ResolvedName::Decls(_) => {
                ResolvedName::Nothing
            }
            module => self.export(&module, name),
        }
    }

    /// What an export clause in a block of a namespace exports under a name.
    fn namespace_clause(&mut self, group: &MergedSymbol, name: Name) -> ResolvedName {
        for &part in group.iter() {
            let declaration = self.decl(part);
            if declaration.kind == DeclKind::Namespace
                && self.tables.has_exports(part.file)
                && let found @ (ResolvedName::Decls(_) | ResolvedName::Module(_)) =
                    self.export_clause(part.file, declaration.inner, name, &mut Visited::default())
            {
                return found;
            }
        }
        ResolvedName::Nothing
    }
}
