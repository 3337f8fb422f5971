//! Name lookup: the declarations of `x` as a value or `X` as a type at a position, and of dotted
//! type names.
//!
//! Scopes are searched from the inside out. A class or named function expression sees its own name;
//! a namespace or enum sees the declarations of its other blocks. Globals of scripts and `declare
//! global` come last.
//!
//! Limitations: no temporal dead zone. Members of an enclosing object never count as names.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::checker::Checker;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

/// Flags of the declarations of a namespace block that its other blocks can see.
const SEEN_OUTSIDE: u32 = DeclFlags::EXPORT.0 | DeclFlags::AMBIENT.0;

impl Checker<'_> {
    /// Resolves an expression that is a bare name used as a value, through imports; returns `Nothing`
    /// for other expressions.
    pub fn resolve_bare_name(&self, value: ExprRef) -> ResolvedName {
        let ExprRef { file, expr } = value;
        let Expr::Name(sym, scope, offset) = self.facts(file).expr(expr) else {
            return ResolvedName::Nothing;
        };
        let position = LookupPosition {
            file,
            scope,
            offset,
        };
        self.resolve_decls(self.lookup_name(position, self.name(file, sym), Meaning::Value))
    }

    /// Returns the declarations of a name, without following imports.
    pub fn lookup_name(&self, position: LookupPosition, name: Name, meaning: Meaning) -> DeclList {
        if name == Name::NONE {
            return DeclList::new();
        }

        let facts = self.facts(position.file);
        let mut scope = position.scope;
        while let Some(id) = scope.some() {
            let found = self.in_scope(
                LookupPosition {
                    scope: id,
                    ..position
                },
                name,
                meaning,
            );

            if !found.is_empty() {
                return found;
            }

            let region = facts.scope(id);
            if let Some(owner) = region.owner.some() {
                let found =
                    self.through_owner(at(position.file, owner), region.kind, name, meaning);
                if !found.is_empty() {
                    return found;
                }
            }

            scope = region.parent;
        }

        self.lookup_global(name, meaning)
    }

    /// Returns the names that the owner of a scope adds to it: its own name, or the declarations of
    /// its other blocks.
    fn through_owner(
        &self,
        owner: DeclRef,
        kind: ScopeKind,
        name: Name,
        meaning: Meaning,
    ) -> DeclList {
        let decl = self.decl(owner);

        match kind {
            ScopeKind::Type | ScopeKind::Function => {
                let is_own = match decl.kind {
                    DeclKind::Class => true,
                    DeclKind::Function | DeclKind::Lambda => {
                        matches!(meaning, Meaning::Value | Meaning::Narrowed)
                    }
                    _ => false,
                };
                if is_own && self.name(owner.file, decl.name) == name {
                    return DeclList::from_slice(&[owner]);
                }
                DeclList::new()
            }
            ScopeKind::Namespace if decl.kind == DeclKind::AmbientModule => {
                self.through_ambient(owner, name, meaning)
            }
            ScopeKind::Namespace | ScopeKind::Enum => {
                let group = self.merged_symbol(owner);
                if group.len() == 1 {
                    return DeclList::new();
                }
                let mut found = self.block_members(&group, name, meaning);
                // Unexported declarations of another block are not visible.
                let is_seen = |decl: &Declaration| {
                    decl.flags.0 & SEEN_OUTSIDE != 0 || decl.kind == DeclKind::EnumMember
                };
                found.retain(|other| is_seen(self.decl(*other)));
                found
            }
            _ => DeclList::new(),
        }
    }

    /// Returns names visible in a `declare module` block: the exports of the module it augments,
    /// and the declarations of the other blocks. Names from export clauses (`export { a }`) are not
    /// visible.
    fn through_ambient(&self, block: DeclRef, name: Name, meaning: Meaning) -> DeclList {
        let facts = self.facts(block.file);
        let module = self.decl_name(block);
        let is_ambient = !self.ambient(module).is_empty() && self.is_visible(block);
        let target = self
            .tables
            .target(block.file, facts.decl(block.decl).name)
            .filter(|_| facts.header.is_module && !is_ambient);

        let found = match target {
            Some(module) => self.lookup_export(&ResolvedName::Module(module), name),
            None => {
                let blocks = self.blocks(block);
                ResolvedName::of(self.declared_in_blocks(&blocks, name))
            }
        };

        match found {
            ResolvedName::Decls(decls) => decls
                .into_iter()
                .filter(|decl| meaning.holds(self.decl(*decl).kind))
                .collect(),
            _ => DeclList::new(),
        }
    }

    /// Resolves segment `index` of a dotted type name.
    pub fn resolve_type_name(
        &self,
        file: FileId,
        segments: &[Segment],
        scope: ScopeId,
        index: usize,
    ) -> ResolvedName {
        let Some(first) = segments.first() else {
            return ResolvedName::Nothing;
        };

        let position = LookupPosition {
            file,
            scope,
            offset: u32::MAX,
        };
        let name = self.name(file, first.name);
        let meaning = if segments.len() == 1 {
            Meaning::Type
        } else {
            Meaning::Namespace
        };
        let decls = self.lookup_name(position, name, meaning);
        let mut found = if decls.is_empty() && segments.len() > 1 {
            ResolvedName::External
        } else {
            self.resolve_decls(decls)
        };

        for segment in segments.iter().skip(1).take(index) {
            let name = self.name(file, segment.name);
            found = self.lookup_member_of_found(&found, name);
        }

        found
    }
}
