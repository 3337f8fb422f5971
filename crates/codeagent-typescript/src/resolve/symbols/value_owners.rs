//! Value owners: the variable or member that holds an unnamed function, class or object, and the
//! members assigned through it.
//!
//! Limitations: the first of several `module.exports =` counts.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::{Symbols, at};

/// Reports whether a declaration is a constructor function in JavaScript.
pub fn constructs(decl: &Declaration) -> bool {
    matches!(decl.kind, DeclKind::Function | DeclKind::Lambda)
        && decl.flags.has(DeclFlags::CONSTRUCTS)
}

impl Symbols<'_> {
    /// Returns the class or function itself, or the variable or member that holds an unnamed
    /// function.
    pub fn named_constructor(&self, decl: DeclRef) -> DeclList {
        DeclList::from_slice(&[self.value_holder(decl).unwrap_or(decl)])
    }

    /// Returns the declaration itself, or the member that holds an unnamed function.
    pub fn named_member(&self, decl: DeclRef) -> DeclList {
        let member = self
            .value_holder(decl)
            .filter(|holder| self.decl(*holder).kind == DeclKind::Property);
        DeclList::from_slice(&[member.unwrap_or(decl)])
    }

    /// Returns the variable or member that holds a lambda or object literal.
    pub fn value_holder(&self, value: DeclRef) -> Option<DeclRef> {
        let facts = self.facts(value.file);
        let declaration = facts.decl(value.decl);
        if !matches!(declaration.kind, DeclKind::Lambda | DeclKind::ObjectLiteral)
            || !declaration.detail.is_none()
        {
            return None;
        }

        let parent = declaration.parent.some()?;
        let mut held = facts.decl(parent).init;
        for _ in 0..8 {
            held = match facts.expr(held) {
                Expr::Assign(_, inner) | Expr::Or(_, inner) => inner,
                Expr::Function(own) | Expr::Object(own) => {
                    return (own == value.decl).then_some(at(value.file, parent));
                }
                _ => return None,
            };
        }

        None
    }

    pub fn assigned_expr(&self, file: FileId) -> Option<ExprId> {
        let facts = self.facts(file);
        let id = self.tables.file(file).assigned.first()?;
        Some(facts.exports[id.index()].value)
    }

    pub fn holder_among(&self, decls: &DeclList) -> Option<DeclRef> {
        decls.iter().copied().find(|decl| {
            matches!(
                self.decl(*decl).kind,
                DeclKind::Variable | DeclKind::Function | DeclKind::Class
            )
        })
    }

    /// Returns the member of the function or object `F` that `F.name = e` declares in JavaScript.
    pub fn member_assigned_to(&self, decls: &DeclList, name: Name) -> Option<DeclRef> {
        let holder = self.holder_among(decls)?;
        self.assigned_to(holder, name)
    }

    /// Returns the member of a function, object or class that a top-level assignment declares.
    pub fn assigned_to(&self, holder: DeclRef, name: Name) -> Option<DeclRef> {
        let facts = self.facts(holder.file);
        let own = self.declarations(holder.file, ScopeId(0), name);
        self.spend_list(own.len());
        own.iter()
            .map(|entry| entry.2)
            .find(|id| facts.decl(*id).parent == holder.decl)
            .map(|id| at(holder.file, id))
    }
}
