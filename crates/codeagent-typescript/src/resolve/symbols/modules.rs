//! Modules: the module that a specifier resolves to, and the names that a module itself declares.
//!
//! Imports and export clauses are followed in `names`.
//!
//! Limitations: an undeclared external module is only known to be external.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::global_index::provided_keys::{AMBIENT, PIECES, WILDCARDS};
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::{Symbols, at};

/// The result of resolving a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedName {
    Nothing,
    External,
    /// Declarations, of values and types.
    Decls(DeclList),
    /// A module as a whole.
    Module(FileId),
    /// A `declare module` block as a whole.
    Ambient(DeclRef),
}

impl ResolvedName {
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    pub fn of(decls: DeclList) -> Self {
        if decls.is_empty() {
            Self::Nothing
        } else {
            Self::Decls(decls)
        }
    }
}

impl Symbols<'_> {
    /// Resolves a specifier to its module. An ambient module precedes paths and packages, unless it
    /// is a bundled one or has `*` in its name.
    pub fn resolve_module(&self, file: FileId, specifier: Sym) -> ResolvedName {
        let name = self.name(file, specifier);
        let is_relative = self.spelling(name).starts_with('.');
        // `#utils` is defined by the package itself.
        let is_inside = is_relative || self.spelling(name).starts_with('#');
        let target = self.tables.target(file, specifier);
        let precedes = |block: &DeclRef| target.is_none() || !self.tables.is_of_library(block.file);

        if !is_relative && let Some(block) = self.ambient(name).first().copied().filter(precedes) {
            return ResolvedName::Ambient(block);
        }

        if target.is_none()
            && let Some(block) = self.wildcard_module(name)
        {
            return ResolvedName::Ambient(block);
        }

        match target {
            Some(target) => ResolvedName::Module(target),
            None if is_inside => ResolvedName::Nothing,
            None => ResolvedName::External,
        }
    }

    /// Returns the first block of the ambient module with `*` in its name that a specifier matches. The module of
    /// `declare module "*";` stands for packages that are not installed, and tells nothing of them.
    fn wildcard_module(&self, specifier: Name) -> Option<DeclRef> {
        self.record_text_lookup(WILDCARDS, "");
        let module = self.tables.wildcard(self.spelling(specifier))?;
        let block = self.ambient(module).first().copied()?;
        let is_known = self.spelling(module) != "*" || self.declares_members(block);
        is_known.then_some(block)
    }

    /// Reports whether a block declares something in it.
    fn declares_members(&self, block: DeclRef) -> bool {
        let facts = self.facts(block.file);
        let inner = facts.decl(block.decl).inner;
        facts.decls.iter().any(|decl| decl.scope == inner)
    }

    pub fn is_module_outside(&self, module: &ResolvedName) -> bool {
        match module {
            ResolvedName::Module(file) => self.is_external_file(*file),
            ResolvedName::Ambient(block) => self.is_external_file(block.file),
            _ => false,
        }
    }

    /// Returns the exported declarations of a scope. In ambient blocks and declaration files
    /// without export clauses everything is exported.
    pub fn exported_declarations(&self, file: FileId, scope: ScopeId, name: Name) -> DeclList {
        let facts = self.facts(file);
        let all = scope != ScopeId(0);
        let entries = self.declarations(file, scope, name);
        let is_exported = |decl: &Declaration| {
            let flags = decl.flags;
            !flags.has(DeclFlags::MEMBER)
                && (all || flags.has(DeclFlags::EXPORT))
                && !flags.has(DeclFlags::DEFAULT)
        };
        entries
            .iter()
            .filter(|entry| is_exported(facts.decl(entry.2)))
            .map(|entry| at(file, entry.2))
            .collect()
    }

    /// Returns the `export default` declarations in a `declare module` block.
    pub fn lookup_default_of_block(&self, file: FileId, scope: ScopeId) -> DeclList {
        let facts = self.facts(file);
        let is_default = |decl: &Declaration| decl.flags.has(DeclFlags::DEFAULT);
        self.declared_in(file, scope)
            .iter()
            .filter(|entry| is_default(facts.decl(entry.1)))
            .map(|entry| at(file, entry.1))
            .collect()
    }

    pub fn lookup_augmented_export(&self, file: FileId, name: Name) -> ResolvedName {
        let mut decls = DeclList::new();
        for block in self.augmentations(file, name) {
            let inner = self.decl(block).inner;
            decls.extend(self.exported_declarations(block.file, inner, name));
        }
        ResolvedName::of(decls)
    }

    /// Returns the default import of a CommonJS module without a named `module.exports` value: the
    /// module itself.
    pub fn lookup_default_of_common_js(&self, module: &ResolvedName) -> ResolvedName {
        let ResolvedName::Module(file) = *module else {
            return ResolvedName::Nothing;
        };
        let facts = self.facts(file);
        let is_javascript = facts.header.dialect.is_javascript();
        let is_common_js = facts.exports.iter().any(|export| match export.kind {
            ExportKind::CommonJs => true,
            ExportKind::Assign => is_javascript,
            _ => false,
        });
        if is_common_js {
            module.clone()
        } else {
            ResolvedName::Nothing
        }
    }

    /// Records a dependency on the `export *` clauses of a file.
    pub fn record_stars(&self, file: FileId, name: Name) {
        self.record_lookup(PIECES, name);

        if !self.read_stars.insert(file, ()) {
            return;
        }

        // The result depends on all of them, including those that are skipped because they do not
        // export the name.
        self.tables
            .plain_stars(file)
            .for_each(|module| self.read(module));

        let facts = self.facts(file);

        for &id in &self.tables.file(file).stars {
            let name = self.name(file, facts.exports[id.index()].module);
            if !self.spelling(name).starts_with('.') {
                self.record_lookup(AMBIENT, name);
            }
        }
    }
}
