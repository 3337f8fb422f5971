//! Members that JavaScript declares by assignment: `this.x = e` in a class or constructor function;
//! `X.y = e` at the top level of a file that declares `X`; `X.prototype.m = e` wherever `X` is
//! visible.
//!
//! Limitations: `X` must stand before the assignment and be a class, a function, or a variable or
//! member that holds one of these or an object. Computed names declare nothing.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::lower::lowering::Lowering;
use crate::lower::signature_text::DeclText;
use crate::lower::state::MemberOwner;
use crate::syntax::syntax::{Child, Kind};

/// Largest number of aliases that are followed to a value.
const MAX_ALIASES: usize = 8;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Declares the property of `this.x = e`, once per class or constructor function.
    pub fn javascript_member(
        &mut self,
        object: ExprId,
        name: Sym,
        value: ExprId,
        left: Child<'tree>,
    ) {
        let (Expr::This(class) | Expr::ThisAt(class, ..)) = self.b.facts.expr(object) else {
            return;
        };
        if class.is_none() {
            return;
        }

        let kind = self.b.decl(class).kind;
        let owner = match kind {
            DeclKind::Class if class == self.class => class,
            DeclKind::Function => class,
            DeclKind::Lambda => self.holder_of(class),
            _ => return,
        };

        if kind != DeclKind::Class {
            self.b.decl(class).flags.insert(DeclFlags::CONSTRUCTS);
        }

        let inner = self.b.decl(class).inner;
        let is_empty = matches!(
            self.b.facts.expr(value),
            Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _)
        );

        if !self.script.class_members.insert((inner, name)) {
            if !is_empty && let Some(field) = self.script.empty_fields.remove(&(inner, name)) {
                self.b.decl(field).init = value;
            }
            return;
        }

        let at = self.name_position(left);
        let ty = self.documented_variable(left.start());
        let around = (self.b.scope, self.b.owner);
        (self.b.scope, self.b.owner) = (inner, owner);

        let id = self
            .b
            .declare(name, DeclKind::Property, DeclFlags::MEMBER, at);
        let decl = self.b.decl(id);
        decl.init = value;
        decl.ty = ty;

        if is_empty && ty.is_none() {
            self.script.empty_fields.insert((inner, name), id);
        }

        let access = Some(Access::Public);

        if kind == DeclKind::Class || self.is_shown(owner) {
            self.show(
                id,
                DeclText {
                    start: left.start(),
                    end: left.end(),
                    access,
                    ..DeclText::default()
                },
            );
        }

        (self.b.scope, self.b.owner) = around;
    }

    /// Returns the variable or member that holds a function.
    fn holder_of(&mut self, function: DeclId) -> DeclId {
        let &mut Declaration {
            parent, context, ..
        } = self.b.decl(function);
        let holds = context == Context::None && !parent.is_none();
        let holds = holds
            && matches!(
                self.b.decl(parent).kind,
                DeclKind::Variable | DeclKind::Property
            );
        if holds { parent } else { DeclId::NONE }
    }

    fn is_shown(&mut self, owner: DeclId) -> bool {
        !owner.is_none() && !self.b.decl(owner).detail.is_none()
    }

    /// Returns the member that `X.y = e` or `X.prototype.m = e` declares, before `e` is lowered.
    pub fn assigned_member(&mut self, left: Child<'tree>, right: Child<'tree>) -> Option<DeclId> {
        if left.kind != Kind::MemberExpression {
            return None;
        }
        let path = self.name_segments(left);
        let (name, above) = path.split_last()?;
        if matches!(self.text(*name), "prototype" | "__proto__") {
            return None;
        }
        match self.without_prototype(above) {
            Some(above) => {
                let holder = self.holder(above)?;
                self.instance_member(holder, *name, right, Some(left.start()))
            }
            None => self.static_member(above, *name, left, right),
        }
    }

    /// Returns `X` for the path `X.prototype`.
    pub fn without_prototype<'p>(&self, path: &'p [Child<'tree>]) -> Option<&'p [Child<'tree>]> {
        let (last, above) = path.split_last()?;
        (!above.is_empty() && self.text(*last) == "prototype").then_some(above)
    }

    /// Declares an instance member on a prototype; it becomes a node if its start is given.
    pub fn instance_member(
        &mut self,
        holder: MemberOwner,
        name: Child<'tree>,
        right: Child<'tree>,
        start: Option<usize>,
    ) -> Option<DeclId> {
        let made = holder.made()?;
        let inner = self.b.decl(made).inner;
        let sym = self.string(name);

        if holder.class.is_none() {
            self.constructs(holder);
        }

        if inner.is_none() || !self.script.class_members.insert((inner, sym)) {
            return None;
        }

        let at = self.at(name);
        let around = (self.b.scope, self.b.owner);
        (self.b.scope, self.b.owner) = (inner, holder.decl);

        let id = self
            .b
            .declare(sym, DeclKind::Property, DeclFlags::MEMBER, at);

        if let Some(start) = start.filter(|_| self.is_shown(holder.decl)) {
            self.show_assigned(id, (start, right.end()), name, right);
        }

        (self.b.scope, self.b.owner) = around;

        Some(id)
    }

    /// Declares a member of the class, function or object itself.
    fn static_member(
        &mut self,
        above: &[Child<'tree>],
        name: Child<'tree>,
        left: Child<'tree>,
        right: Child<'tree>,
    ) -> Option<DeclId> {
        if !self.at_module_level() {
            return None;
        }

        let MemberOwner {
            decl,
            class,
            function,
        } = self.holder(above)?;

        if self.b.decl(decl).scope != ScopeId(0) || !self.is_shown(decl) {
            return None;
        }
        let sym = self.sym(name);
        if self.script.assigned_members.contains_key(&(decl, sym)) {
            return None;
        }

        let at = self.at(name);
        let around = (self.b.scope, self.b.owner);
        self.b.owner = decl;

        let mut flags = DeclFlags::MEMBER;
        if !function.is_none() {
            flags.insert(DeclFlags::STATIC);
        }

        if let Some(class) = class.some() {
            let inner = self.b.decl(class).inner;
            if !self.script.class_members.insert((inner, sym)) {
                self.b.owner = around.1;
                return None;
            }
            self.b.scope = inner;
            flags.insert(DeclFlags::STATIC);
        }

        let id = self.b.declare(sym, DeclKind::Property, flags, at);
        self.script.assigned_members.insert((decl, sym), id);
        self.show_assigned(id, (left.start(), right.end()), name, right);
        (self.b.scope, self.b.owner) = around;

        Some(id)
    }

    /// Marks a constructor function.
    pub fn constructs(&mut self, holder: MemberOwner) {
        for decl in [holder.function, holder.decl] {
            self.b.decl(decl).flags.insert(DeclFlags::CONSTRUCTS);
        }
    }

    /// Sets a member's signature from the value that is assigned to it.
    pub fn show_assigned(
        &mut self,
        id: DeclId,
        (start, end): (usize, usize),
        name: Child<'tree>,
        right: Child<'tree>,
    ) {
        let looks = DeclText {
            start,
            end,
            name: Some(name),
            access: Some(Access::Public),
            ..DeclText::default()
        };
        self.show_holder(id, Some(right), looks);
    }

    /// Returns the owner that a path of names leads to, if members can be assigned to it: a visible
    /// name or `exports`, and members assigned to it.
    pub fn holder(&mut self, path: &[Child<'tree>]) -> Option<MemberOwner> {
        let texts: Vec<_> = path.iter().map(|segment| self.text(*segment)).collect();
        let (mut decl, rest) = match texts[..] {
            ["exports"] | ["module", "exports"] => {
                let whole = self.b.sym_owned("export=");
                (
                    *self.script.assigned_members.get(&(DeclId::NONE, whole))?,
                    0..0,
                )
            }
            ["module", "exports", ..] => (DeclId::NONE, 2..path.len()),
            ["exports", ..] => (DeclId::NONE, 1..path.len()),
            [_, ..] if path[0].kind == Kind::Identifier => {
                let decl = self.visible(path[0])?;
                let exports_literal = path.len() > 1 && self.holds_exports(decl);
                (
                    if exports_literal { DeclId::NONE } else { decl },
                    1..path.len(),
                )
            }
            _ => return None,
        };

        for segment in &path[rest] {
            let sym = self.sym(*segment);
            let holder = if decl.is_none() {
                decl
            } else {
                self.held(decl)?.decl
            };
            decl = *self.script.assigned_members.get(&(holder, sym))?;
        }

        self.held(decl)
    }

    /// Returns the owner for a declaration, following aliases.
    fn held(&mut self, decl: DeclId) -> Option<MemberOwner> {
        let (mut decl, mut value) = (decl, self.b.decl(decl).init);

        for _ in 0..MAX_ALIASES {
            let (class, function) = match (self.b.decl(decl).kind, self.b.facts.expr(value)) {
                (DeclKind::Class, _) => (decl, DeclId::NONE),
                (DeclKind::Function | DeclKind::Lambda, _) => (DeclId::NONE, decl),
                (DeclKind::Variable | DeclKind::Property, Expr::Function(function)) => {
                    (DeclId::NONE, function)
                }
                (DeclKind::Variable | DeclKind::Property, Expr::Class(class)) => {
                    (class, DeclId::NONE)
                }
                (DeclKind::Variable | DeclKind::Property, Expr::Object(_)) => {
                    (DeclId::NONE, DeclId::NONE)
                }
                // `var A = exports.A = function () {}`, `var n = n || {}`
                (_, Expr::Assign(_, inner) | Expr::Or(_, inner)) => {
                    value = inner;
                    continue;
                }
                (_, Expr::Name(sym, scope, _)) => {
                    decl = self.visible_name(scope, sym)?;
                    value = self.b.decl(decl).init;
                    continue;
                }
                _ => return None,
            };
            return Some(MemberOwner {
                decl,
                class,
                function,
            });
        }

        None
    }

    /// Returns the meaning of a name at the current position, among the declarations so far.
    pub fn visible(&mut self, name: Child<'tree>) -> Option<DeclId> {
        let name = self.sym(name);
        self.visible_name(self.b.scope, name)
    }

    /// Returns the meaning of a name in a scope, among the declarations so far.
    fn visible_name(&mut self, scope: ScopeId, name: Sym) -> Option<DeclId> {
        for number in self.script.holders_scanned..self.b.facts.decls.len() {
            let decl = &self.b.facts.decls[number];
            let is_named = matches!(
                decl.kind,
                DeclKind::Class
                    | DeclKind::Function
                    | DeclKind::Lambda
                    | DeclKind::Variable
                    | DeclKind::Parameter
                    | DeclKind::Import
            );

            if is_named && !decl.flags.has(DeclFlags::MEMBER) && !decl.name.is_none() {
                self.script
                    .holders
                    .entry((decl.scope, decl.name))
                    .or_insert(DeclId(number as u32));
            }
        }

        self.script.holders_scanned = self.b.facts.decls.len();

        let mut scope = scope;
        while let Some(id) = scope.some() {
            if let Some(decl) = self.script.holders.get(&(id, name)) {
                return Some(*decl);
            }
            scope = self.b.facts.scope(id).parent;
        }

        None
    }
}
