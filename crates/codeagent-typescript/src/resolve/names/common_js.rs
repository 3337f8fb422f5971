//! Exports of a CommonJS module: `module.exports = e`, `exports.a = e`, and members assigned to the
//! exported value.
//!
//! `require` of a module with `module.exports = e` is `e`; of any other, the module itself.
//!
//! Limitations: the first of several `module.exports =` counts. Members that other files assign to
//! a value are not among its members.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::checker::Checker;
use crate::resolve::names::exports::Visited;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

impl Checker<'_> {
    /// Returns the value of `require("m")`.
    pub fn resolve_required(&self, file: FileId, specifier: Sym) -> ResolvedName {
        let module = self.resolve_module(file, specifier);
        self.whole_module(module)
    }

    /// Returns the value that a module exports as a whole, if it has a name or declaration; else
    /// the module.
    pub fn whole_module(&self, module: ResolvedName) -> ResolvedName {
        let value = match module {
            ResolvedName::Module(file) => self.assigned_value(file),
            ResolvedName::Ambient(block) => self.assigned_in_block(block),
            _ => return module,
        };
        if value.is_nothing() { module } else { value }
    }

    /// Returns the target of `export =` in a file.
    pub fn assigned_value(&self, file: FileId) -> ResolvedName {
        match self.assigned_expr(file) {
            Some(value) => self.resolve_meaning(file.expr(value), &mut Visited::default()),
            None => ResolvedName::Nothing,
        }
    }

    /// Returns the target of `export =` in the blocks of an ambient module.
    pub fn assigned_in_block(&self, block: DeclRef) -> ResolvedName {
        // A block sees the exports of its module, which may be the current query.
        self.query_uncached(Query::Follow(block), ResolvedName::Nothing, || {
            self.assigned_in_blocks(block)
        })
    }

    fn assigned_in_blocks(&self, block: DeclRef) -> ResolvedName {
        for &block in self.blocks(block).iter() {
            let facts = self.facts(block.file);
            let scope = facts.decl(block.decl).inner;
            let assigned = &self.tables.file(block.file).assigned_in;
            let first = assigned.partition_point(|entry| entry.0 < scope);
            if let Some(&(_, id)) = assigned.get(first).filter(|entry| entry.0 == scope) {
                return self.resolve_meaning(
                    block.file.expr(facts.exports[id.index()].value),
                    &mut Visited::default(),
                );
            }
        }
        ResolvedName::Nothing
    }

    /// Returns the named export of a JavaScript file that also exports a function or class as a
    /// whole.
    pub fn beside_whole(&self, whole: DeclRef, name: Name) -> Option<DeclList> {
        let ResolvedName::Decls(named) =
            self.export_clause(whole.file, ScopeId(0), name, &mut Visited::default())
        else {
            return None;
        };
        matches!(self.assigned_value(whole.file), ResolvedName::Decls(decls) if decls.contains(&whole))
            .then_some(named)
    }

    /// Returns the exported declarations of a name in a JavaScript file. Besides a type declared in
    /// a comment, a value may be exported.
    pub fn beside_documented(
        &self,
        file: FileId,
        name: Name,
        declared: DeclList,
        visited: &mut Visited,
    ) -> ResolvedName {
        let mut found = self.export_clause(file, ScopeId(0), name, visited);
        if found.is_nothing() {
            found = self.lookup_assigned_export(file, name, false);
        }

        match found {
            ResolvedName::Nothing => ResolvedName::Decls(declared),
            ResolvedName::Decls(mut decls) => {
                decls.extend(declared);
                ResolvedName::Decls(decls)
            }
            found => found,
        }
    }

    /// Returns the target of `exports.a = e`: the member it declares, else the declaration that `e`
    /// names.
    pub fn exported_value(
        &self,
        file: FileId,
        export: ExportId,
        visited: &mut Visited,
    ) -> ResolvedName {
        let facts = self.facts(file);
        let export = &facts.exports[export.index()];
        let name = self.name(file, export.name);
        let is_given = |decl: &Declaration| {
            decl.kind == DeclKind::Property && decl.flags.has(DeclFlags::EXPORT)
        };

        let own = self
            .declarations(file, ScopeId(0), name)
            .iter()
            .map(|entry| entry.2);

        let decls: DeclList = own
            .filter(|id| is_given(facts.decl(*id)))
            .map(|id| at(file, id))
            .collect();

        if decls.is_empty() {
            self.resolve_meaning(file.expr(export.value), visited)
        } else {
            ResolvedName::Decls(decls)
        }
    }

    /// Follows the shorthand `{ f }` in an exported object to `f`.
    pub fn behind_shorthand(&self, decls: DeclList) -> ResolvedName {
        let [decl] = decls[..] else {
            return ResolvedName::Decls(decls);
        };
        match self.resolve_shorthand_member(decl) {
            Some(found) if !found.is_nothing() => found,
            _ => ResolvedName::Decls(decls),
        }
    }

    /// Returns the declaration that the shorthand `{ f }` names.
    pub fn resolve_shorthand_member(&self, decl: DeclRef) -> Option<ResolvedName> {
        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let Expr::Name(sym, scope, offset) = facts.expr(declaration.init) else {
            return None;
        };
        if offset != declaration.at.offset {
            return None;
        }

        let name = self.name(decl.file, sym);
        let named = self.lookup_name(
            LookupPosition {
                file: decl.file,
                scope,
                offset,
            },
            name,
            Meaning::Value,
        );

        Some(self.resolve_decls(named))
    }

    /// Reports whether an expression is `exports` or `module.exports` of its file.
    pub fn is_own_exports(&self, expr: ExprRef) -> bool {
        let ExprRef { file, expr } = expr;
        let facts = self.facts(file);
        if !facts.header.dialect.is_javascript() {
            return false;
        }
        let (word, named) = match facts.expr(expr) {
            Expr::Member(object, sym) if facts.text(sym) == "exports" => ("module", object),
            _ => ("exports", expr),
        };
        let Expr::Name(sym, scope, offset) = facts.expr(named) else {
            return false;
        };

        let name = self.name(file, sym);
        facts.text(sym) == word
            && self
                .lookup_name(
                    LookupPosition {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Meaning::Value,
                )
                .is_empty()
    }

    /// Returns the declarations behind a name or path that members may have been assigned to.
    pub fn named_holders(&self, object: ExprRef) -> Option<DeclList> {
        match self.resolve_meaning(object, &mut Visited::default()) {
            ResolvedName::Decls(decls) => Some(decls),
            _ => None,
        }
    }

    /// Returns the target of `F.name`, where JavaScript assigns `F.name = value`: the member, or
    /// the declaration that a plain name refers to.
    pub fn assigned_to_value(&self, value: DeclRef, name: Name) -> Option<DeclList> {
        let facts = self.facts(value.file);
        if !facts.header.dialect.is_javascript() {
            return None;
        }
        let holder = self.value_holder(value).unwrap_or(value);
        let Some(member) = self.assigned_to(holder, name) else {
            return self.beside_whole(holder, name);
        };

        if let Expr::Name(sym, scope, offset) = facts.expr(facts.decl(member.decl).init) {
            let name = self.name(value.file, sym);
            let named = self.lookup_name(
                LookupPosition {
                    file: value.file,
                    scope,
                    offset,
                },
                name,
                Meaning::Value,
            );

            if named
                .iter()
                .any(|decl| matches!(self.decl(*decl).kind, DeclKind::Function | DeclKind::Class))
            {
                return Some(named);
            }
        }

        Some(DeclList::from_slice(&[member]))
    }

    /// Returns the value of `F.name = value` where `object` names the function or variable `F`.
    pub fn lookup_expando(&self, object: ExprRef, name: Name) -> Option<ExprRef> {
        let named = self.named_holders(object)?;
        let holder = self.holder_among(&named)?;
        let own = self.decl_name(holder);
        let value = self.tables.expando(holder.file, own, name)?;
        Some(holder.file.expr(value))
    }
}
