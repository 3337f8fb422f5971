//! Imports: follows import declarations and dotted names to their declarations.
//!
//! Limitations: an import cycle resolves to nothing.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef};
use codeagent_model::facts::*;
use rustc_hash::FxHashSet;

use super::exports::Visited;
use crate::resolve::checker::Checker;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::merging::MergedSymbol;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

impl Checker<'_> {
    /// Returns the declarations of a name as a value and as a type.
    pub fn value_and_type_decls(&self, position: LookupPosition, name: Name) -> DeclList {
        let mut found = self.lookup_name(position, name, Meaning::Value);
        for meaning in [Meaning::Type, Meaning::Namespace] {
            for decl in self.lookup_name(position, name, meaning) {
                if !found.contains(&decl) {
                    found.push(decl);
                }
            }
        }
        found
    }

    /// Returns the declarations of a name as a value. An import of types only (`import { type
    /// Response }`) does not hide the global value of that name.
    pub fn lookup_value(&self, position: LookupPosition, name: Name, meaning: Meaning) -> DeclList {
        let found = self.lookup_name(position, name, meaning);
        let [only] = found[..] else { return found };
        if self.decl(only).kind != DeclKind::Import {
            return found;
        }

        let is_type = |decl: &DeclRef| {
            matches!(
                self.decl(*decl).kind,
                DeclKind::Interface | DeclKind::TypeAlias
            )
        };
        match self.resolve_decls(found.clone()) {
            ResolvedName::Decls(imported) if imported.iter().all(is_type) => {
                self.lookup_global(name, Meaning::Value)
            }
            _ => found,
        }
    }

    /// Follows the imports among declarations to their targets.
    pub fn resolve_decls(&self, decls: DeclList) -> ResolvedName {
        self.follow_all(decls, &mut Visited::default())
    }

    pub fn follow_all(&self, decls: DeclList, visited: &mut Visited) -> ResolvedName {
        let Some(&first) = decls.first() else {
            return ResolvedName::Nothing;
        };

        let decl = self.decl(first);
        match decl.kind {
            DeclKind::Import => self.follow_beside(decls, visited),
            DeclKind::DefaultExport if decls.len() == 1 => {
                // Broken code may export itself.
                let init = decl.init;
                let value =
                    self.query_uncached(Query::Follow(first), ResolvedName::Nothing, || {
                        self.resolve_meaning(first.file.expr(init), visited)
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

    /// Follows an import and merges it with local declarations of its name, if there are any: a
    /// value, and the types or namespace of types merged with it.
    pub fn follow_beside(&self, decls: DeclList, visited: &mut Visited) -> ResolvedName {
        let (imports, local): (DeclList, DeclList) = decls
            .iter()
            .copied()
            .partition(|decl| self.decl(*decl).kind == DeclKind::Import);
        match self.resolve_import_decl(imports[0], visited) {
            ResolvedName::Decls(mut found) => {
                found.extend(local);
                ResolvedName::Decls(found)
            }
            found if local.is_empty() => found,
            ResolvedName::Nothing => ResolvedName::Decls(local),
            // A module has no declaration; the import represents it.
            _ => ResolvedName::Decls(decls),
        }
    }

    pub fn resolve_import_decl(&self, decl: DeclRef, visited: &mut Visited) -> ResolvedName {
        self.query_uncached(Query::Follow(decl), ResolvedName::Nothing, || {
            self.compute_follow(decl, visited)
        })
    }

    pub fn compute_follow(&self, decl: DeclRef, visited: &mut Visited) -> ResolvedName {
        let facts = self.facts(decl.file);
        let Some(id) = self.tables.import_of(decl) else {
            return self.resolve_meaning(decl.file.expr(facts.decl(decl.decl).init), visited);
        };

        let import = &facts.imports[id.index()];
        let module = self.resolve_module(decl.file, import.module);
        let is_outside = self.is_module_outside(&module);
        let empty = self.empty_module(&module);

        let found = match import.kind {
            ImportKind::Named => {
                let name = self.name(decl.file, import.name);
                self.lookup_imported(&module, name, visited)
            }
            ImportKind::Default => {
                let name = self.tables.find("default");
                let found = self.lookup_imported(&module, name, visited);
                if found.is_nothing() {
                    self.lookup_default_of_common_js(&module)
                } else {
                    found
                }
            }
            ImportKind::Namespace | ImportKind::Require => self.whole_module(module),
            _ => module,
        };

        match empty {
            _ if !found.is_nothing() => found,
            Some(block) => ResolvedName::Decls(DeclList::from_slice(&[block])),
            None if is_outside => ResolvedName::External,
            None => found,
        }
    }

    /// Returns the declaration of an ambient module that declares nothing, such as `declare module
    /// "m";`: every import from it is the module itself, of type `any`.
    fn empty_module(&self, module: &ResolvedName) -> Option<DeclRef> {
        let ResolvedName::Ambient(block) = *module else {
            return None;
        };
        let is_empty = |block: &DeclRef| {
            let inner = self.decl(*block).inner;
            let exports = &self.facts(block.file).exports;
            self.declared_in(block.file, inner).is_empty()
                && exports.iter().all(|export| export.scope != inner)
        };
        let blocks = self.ambient(self.decl_name(block));
        let is_own = !self.is_external_file(block.file);
        (is_own && blocks.iter().all(is_empty)).then_some(block)
    }

    /// Resolves a name or dotted path used as a value, without types.
    pub fn resolve_meaning(&self, expr: ExprRef, visited: &mut Visited) -> ResolvedName {
        let ExprRef { file, expr } = expr;
        let facts = self.facts(file);
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.name(file, sym);
                let decls = self.value_and_type_decls(
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
                let object = self.with_depth(|| self.resolve_meaning(file.expr(object), visited));
                let name = self.name(file, sym);
                self.lookup_member_of_found(&object, name)
            }
            Expr::Assign(_, inner) if !self.is_deepest() => {
                self.with_depth(|| self.resolve_meaning(file.expr(inner), visited))
            }
            Expr::Require(sym) if !self.is_deepest() => {
                self.with_depth(|| self.resolve_required(file, sym))
            }
            // A value written at `module.exports =` is declared there.
            Expr::Function(decl) | Expr::Class(decl) if !facts.decl(decl).detail.is_none() => {
                ResolvedName::Decls(DeclList::from_slice(&[at(file, decl)]))
            }
            _ => ResolvedName::Nothing,
        }
    }

    /// Returns a member of a resolved name: an export of a module, or a declaration of a namespace
    /// or enum.
    pub fn lookup_member_of_found(&self, found: &ResolvedName, name: Name) -> ResolvedName {
        match found {
            ResolvedName::Decls(decls) => self.lookup_namespace_member(decls, name),
            ResolvedName::Module(_) | ResolvedName::Ambient(_) | ResolvedName::External => {
                self.lookup_export(found, name)
            }
            ResolvedName::Nothing => ResolvedName::Nothing,
        }
    }

    pub fn lookup_namespace_member(&self, decls: &DeclList, name: Name) -> ResolvedName {
        let mut members = DeclList::new();
        let (mut import, mut asked) = (None, None);
        self.spend_list(decls.len());

        for &decl in decls {
            if self.decl(decl).kind == DeclKind::Import {
                import = Some(decl);
                continue;
            }

            let group = self.merged_symbol(decl);

            // The blocks of a namespace are one symbol; a name may have hundreds of them.
            if asked.replace(group.first().copied()) == Some(group.first().copied()) {
                continue;
            }

            for meaning in [Meaning::Value, Meaning::Type, Meaning::Namespace] {
                let more = self.block_members(&group, name, meaning);
                let known: FxHashSet<DeclRef> = members.iter().copied().collect();
                members.extend(more.into_iter().filter(|member| !known.contains(member)));
            }

            let is_value = |member: &DeclRef| Meaning::Value.holds(self.decl(*member).kind);
            if !members.iter().any(is_value) {
                match self.namespace_clause(&group, name) {
                    ResolvedName::Decls(more) if !members.is_empty() => {
                        members.extend(more.into_iter().filter(is_value));
                    }
                    found if !found.is_nothing() && members.is_empty() => return found,
                    _ => {}
                }
            }
        }

        match import {
            Some(import) if members.is_empty() => self.lookup_imported_member(import, name),
            _ => self.resolve_decls(members),
        }
    }

    /// Returns a member of an import that is merged with local declarations.
    pub fn lookup_imported_member(&self, import: DeclRef, name: Name) -> ResolvedName {
        match self.resolve_import_decl(import, &mut Visited::default()) {
            ResolvedName::Nothing | ResolvedName::External | ResolvedName::Decls(_) => {
                ResolvedName::Nothing
            }
            module => self.lookup_export(&module, name),
        }
    }

    /// Returns the target of an export clause in a namespace block.
    pub fn namespace_clause(&self, group: &MergedSymbol, name: Name) -> ResolvedName {
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
