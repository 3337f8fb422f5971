//! Which functions of JavaScript make instances, what names them, and which members were assigned to what a value is.
//!
//! **Limits.** Members that other files assign to a value are not among those it has.

use super::names::{Decls, Place, Space};
use super::tables::Name;
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::world::DeclRef;

/// Whether a declaration is a function in JavaScript that makes instances.
pub(super) fn constructs(decl: &Declaration) -> bool {
    matches!(decl.kind, DeclKind::Function | DeclKind::Lambda) && decl.flags.has(DeclFlags::CONSTRUCTS)
}

impl Link<'_> {
    /// A class or function, or the variable or member that a function without a place of its own is the value of.
    pub(super) fn named_constructor(&mut self, decl: DeclRef) -> Decls {
        Decls::from_slice(&[self.value_holder(decl).unwrap_or(decl)])
    }

    /// A declaration, or the member that a function without a place of its own is the value of.
    pub(super) fn named_member(&mut self, decl: DeclRef) -> Decls {
        let holder = if self.decl(decl).kind == DeclKind::Lambda { self.value_holder(decl) } else { None };
        let member = holder.filter(|holder| self.decl(*holder).kind == DeclKind::Property);
        Decls::from_slice(&[member.unwrap_or(decl)])
    }

    /// The variable or member that a lambda or object literal is the value of.
    pub(super) fn value_holder(&mut self, value: DeclRef) -> Option<DeclRef> {
        let facts = self.facts(value.file);
        let declaration = facts.decl(value.decl);
        if !matches!(declaration.kind, DeclKind::Lambda | DeclKind::ObjectLiteral) || !declaration.detail.is_none() {
            return None;
        }
        let parent = declaration.parent.some()?;
        let mut held = facts.decl(parent).init;
        for _ in 0..8 {
            held = match facts.expr(held) {
                Expr::Assign(_, inner) | Expr::Or(_, inner) => inner,
                Expr::Function(own) | Expr::Object(own) => return (own == value.decl).then_some(at(value.file, parent)),
                _ => return None,
            };
        }
        None
    }

    /// What `F.name = value` of JavaScript gives the function or object `F`: the member, or what a plain name stands for.
    pub(super) fn assigned_to_value(&mut self, value: DeclRef, name: Name) -> Option<Decls> {
        let facts = self.facts(value.file);
        if !facts.header.dialect.is_javascript() {
            return None;
        }
        let holder = self.value_holder(value).unwrap_or(value);
        let own = self.tables.declared(value.file, ScopeId(0), name).iter().map(|entry| entry.2);
        let is_assigned = |decl: &Declaration| decl.kind == DeclKind::Property && decl.parent == holder.decl;
        let member = own.into_iter().find(|id| is_assigned(facts.decl(*id)))?;
        if let Expr::Name(sym, scope, offset) = facts.expr(facts.decl(member).init) {
            let name = self.name(value.file, sym);
            let named = self.lookup(Place { file: value.file, scope, offset }, name, Space::Value);
            if named.iter().any(|decl| matches!(self.decl(*decl).kind, DeclKind::Function | DeclKind::Class)) {
                return Some(named);
            }
        }
        Some(Decls::from_slice(&[at(value.file, member)]))
    }
}
