//! Members that JavaScript declares by assigning to them: `this.x = e` in a class; `X.y = e` and `X.prototype.m = e` at the top of a file
//! that declares `X`.
//!
//! **Limits.** `X` is a class, a function, or a variable that holds one of these or an object, and stands before the assignment. Computed
//! names declare nothing.

use crate::extract::typescript::details::Looks;
use crate::extract::typescript::syntax::{Child, Field, Kind};
use crate::extract::typescript::walker::Walker;
use crate::model::facts::*;
use crate::model::graph::Access;

/// What a member is assigned to.
#[derive(Clone, Copy)]
struct Holder {
    /// The class, function or variable.
    decl: DeclId,
    /// The class whose members these become; `NONE` for a function or object.
    class: DeclId,
}

impl<'t, 'tree> Walker<'t, 'tree> {
    /// `this.x = e` in a class declares a property, once.
    pub fn javascript_member(&mut self, object: ExprId, name: Sym, value: ExprId, left: Child<'tree>) {
        let (Expr::This(class) | Expr::ThisAt(class, ..)) = self.b.facts.expr(object) else { return };
        if class.is_none() || class != self.class || self.b.decl(class).kind != DeclKind::Class {
            return;
        }
        let inner = self.b.decl(class).inner;
        let is_empty = matches!(self.b.facts.expr(value), Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _));
        if !self.class_members.insert((inner, name)) {
            if !is_empty && let Some(field) = self.empty_fields.remove(&(inner, name)) {
                self.b.decl(field).init = value;
            }
            return;
        }
        let at = self.name_position(left);
        let ty = self.documented_variable(left.start());
        let (scope, owner) = (self.b.scope, self.b.owner);
        (self.b.scope, self.b.owner) = (inner, class);
        let id = self.b.declare(name, DeclKind::Property, DeclFlags::MEMBER, at);
        let decl = self.b.decl(id);
        decl.init = value;
        decl.ty = ty;
        if is_empty && ty.is_none() {
            self.empty_fields.insert((inner, name), id);
        }
        let access = Some(Access::Public);
        self.show(id, Looks { start: left.start(), end: left.end(), access, ..Looks::default() });
        (self.b.scope, self.b.owner) = (scope, owner);
    }

    /// The member that `X.y = e` or `X.prototype.m = e` declares, before `e` is walked.
    pub fn assigned_member(&mut self, left: Child<'tree>, right: Child<'tree>) -> Option<DeclId> {
        if left.kind != Kind::MemberExpression || !self.at_module_level() {
            return None;
        }
        let path = self.name_segments(left);
        let (holder, is_static) = match path[..] {
            [holder, _] => (holder, true),
            [holder, prototype, _] if self.text(prototype) == "prototype" => (holder, false),
            _ => return None,
        };
        let name = path[path.len() - 1];
        if holder.kind != Kind::Identifier || self.text(name) == "prototype" {
            return None;
        }
        let holder = self.sym(holder);
        let Holder { decl, class } = self.holder(holder)?;
        if class.is_none() && !is_static {
            return None;
        }
        let sym = self.sym(name);
        if !self.assigned_members.insert((decl, sym, is_static)) {
            return None;
        }
        let at = self.at(name);
        let (scope, owner) = (self.b.scope, self.b.owner);
        self.b.owner = decl;
        let mut flags = DeclFlags::MEMBER;
        if let Some(class) = class.some() {
            let inner = self.b.decl(class).inner;
            if !self.class_members.insert((inner, sym)) {
                self.b.owner = owner;
                return None;
            }
            self.b.scope = inner;
            if is_static {
                flags.insert(DeclFlags::STATIC);
            }
        }
        let id = self.b.declare(sym, DeclKind::Property, flags, at);
        self.show_assigned(id, left, name, right);
        (self.b.scope, self.b.owner) = (scope, owner);
        Some(id)
    }

    /// A member shows the parameters of the function it holds.
    pub fn show_assigned(&mut self, id: DeclId, left: Child<'tree>, name: Child<'tree>, right: Child<'tree>) {
        let mut looks = Looks { start: left.start(), end: right.end(), name: Some(name), access: Some(Access::Public), ..Looks::default() };
        if matches!(right.kind, Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction) {
            let inner = self.children(right);
            looks.parameters = inner.get(Field::Parameters).or_else(|| inner.get(Field::Parameter));
        }
        self.show(id, looks);
    }

    /// What is declared at the top under a name so far, if members can be assigned to it.
    fn holder(&mut self, name: Sym) -> Option<Holder> {
        for number in self.looked_for_holders..self.b.facts.decls.len() {
            let decl = &self.b.facts.decls[number];
            let holds = matches!(decl.kind, DeclKind::Class | DeclKind::Function | DeclKind::Variable);
            if holds && decl.scope == ScopeId(0) && !decl.flags.has(DeclFlags::MEMBER) && !decl.detail.is_none() {
                self.holders.entry(decl.name).or_insert(DeclId(number as u32));
            }
        }
        self.looked_for_holders = self.b.facts.decls.len();
        let decl = *self.holders.get(&name)?;
        let declaration = self.b.facts.decl(decl);
        let class = match (declaration.kind, self.b.facts.expr(declaration.init)) {
            (DeclKind::Class, _) => decl,
            (DeclKind::Function, _) | (DeclKind::Variable, Expr::Function(_) | Expr::Object(_)) => DeclId::NONE,
            (DeclKind::Variable, Expr::Class(class)) => class,
            _ => return None,
        };
        Some(Holder { decl, class })
    }
}
