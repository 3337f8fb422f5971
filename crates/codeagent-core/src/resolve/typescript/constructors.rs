//! What does `new` or `super()` call: a constructor, a class, a function of JavaScript that makes instances; what names such a function, and
//! which members were assigned to it.
//!
//! **Limits.** Members that other files assign to a value are not among those it has.

use super::names::{Decls, Place, Space};
use super::sites::Outcome;
use super::types::{Ty, Type};
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::kernel::names::Name;
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
        let own = self.declarations(value.file, ScopeId(0), name);
        self.spend_list(own.len());
        let own = own.iter().map(|entry| entry.2);
        let is_assigned = |decl: &Declaration| decl.kind == DeclKind::Property && decl.parent == holder.decl;
        let Some(member) = own.into_iter().find(|id| is_assigned(facts.decl(*id))) else { return self.beside_whole(holder, name) };
        if let Expr::Name(sym, scope, offset) = facts.expr(facts.decl(member).init) {
            let name = self.name(value.file, sym);
            let named = self.lookup(Place { file: value.file, scope, offset }, name, Space::Value);
            if named.iter().any(|decl| matches!(self.decl(*decl).kind, DeclKind::Function | DeclKind::Class)) {
                return Some(named);
            }
        }
        Some(Decls::from_slice(&[at(value.file, member)]))
    }

    /// `super()`: the constructor of the class that is extended.
    pub(super) fn super_outcome(&mut self, class: DeclId) -> Outcome {
        let Some(class) = class.some() else { return Outcome::Unknown };
        let class = at(self.file, class);
        match self.static_base(class) {
            None => Outcome::Unknown,
            Some(base) => self.class_outcome(base),
        }
    }

    fn class_outcome(&mut self, value: Ty) -> Outcome {
        match self.get(value) {
            Type::Static(class) => {
                let constructors = self.constructors(class);
                Outcome::Decls(if constructors.is_empty() { Decls::from_slice(&[class]) } else { constructors })
            }
            Type::Function(function, _) if constructs(self.decl(function)) => Outcome::Decls(self.named_constructor(function)),
            Type::Simple(Ty::EXTERNAL) | Type::BuiltInValue(_) => Outcome::Outside,
            Type::Simple(_) => Outcome::Unknown,
            _ => Outcome::Outside,
        }
    }

    /// `new X()`: the constructor if `X` is a class that declares one.
    pub(super) fn constructor_outcome(&mut self, callee: ExprId, outcome: Outcome) -> Outcome {
        let Outcome::Decls(decls) = &outcome else {
            let ty = self.expr_type(self.file, callee);
            return if let Type::Static(_) = self.get(ty) { self.class_outcome(ty) } else { outcome };
        };
        let Some(class) = decls.iter().copied().find(|decl| self.decl(*decl).kind == DeclKind::Class) else {
            let gives = |decl: &DeclRef| matches!(self.world.decl(*decl).kind, DeclKind::Property | DeclKind::Getter);
            if !decls.iter().all(gives) {
                return outcome;
            }
            // A class expression has the place of the member that holds it, its constructor one of its own.
            let ty = self.expr_type(self.file, callee);
            let Type::Static(_) = self.get(ty) else { return outcome };
            let is_held = |link: &mut Self, class: DeclRef| {
                let parent = link.decl(class).parent;
                link.decl(class).kind == DeclKind::Class && decls.contains(&at(class.file, parent))
            };
            return match self.class_outcome(ty) {
                Outcome::Decls(made) if !made.iter().any(|decl| self.is_node(*decl)) || made.iter().any(|decl| is_held(self, *decl)) => {
                    outcome
                }
                class => class,
            };
        };
        let name = self.tables.find("constructor");
        let inner = self.decl(class).inner;
        let mut own = self.own_members(class, inner, name, false);
        own.retain(|decl| self.decl(*decl).kind == DeclKind::Constructor);
        Outcome::Decls(if own.is_empty() { Decls::from_slice(&[class]) } else { own })
    }
}
