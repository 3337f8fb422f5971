//! Variables, enums, type aliases, namespaces and ambient modules.
//!
//! `export const { a, b } = f()` declares two module-level variables with details; the same inside
//! a function declares two locals without. A local that is initialised with a function has details.
//!
//! Limitations: a `var` in a block at the top level is a local of the file, not a node.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::patterns::Binding;
use crate::lower::signature_text::DeclText;
use crate::lower::state::{Test, Value, ValuePlace};
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// Largest number of segments of a dotted name; the lookup of each repeats that of all before it.
const MAX_SEGMENTS: usize = 100;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `const a = 1, { b } = c;`.
    pub fn variables(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let outer = self.outer(child, outer);

        let mut flags = outer.flags;
        if children.has(Kind::ConstToken) || self.was(EditKind::Using, child.start()) {
            flags.insert(DeclFlags::CONST);
        } else if children.has(Kind::LetToken) {
            flags.insert(DeclFlags::LET);
        } else {
            flags.insert(DeclFlags::HOISTED);
        }

        let scope = if flags.has(DeclFlags::HOISTED) {
            self.hoisting_scope()
        } else {
            self.b.scope
        };
        let shown = self.at_module_level().then_some(outer);
        let binding = Binding {
            flags: Some(flags),
            scope: Some(scope),
            shown,
        };
        let alone = children
            .named()
            .filter(|kid| kid.kind == Kind::VariableDeclarator)
            .count()
            == 1;

        for declarator in children
            .named()
            .filter(|kid| kid.kind == Kind::VariableDeclarator)
        {
            self.variable(declarator, binding, (alone, outer));
        }
    }

    /// Returns the scope a `var` belongs to.
    fn hoisting_scope(&self) -> ScopeId {
        let mut scope = self.b.scope;
        while let Some(parent) = self.b.facts.scope(scope).parent.some() {
            if self.b.facts.scope(scope).kind != ScopeKind::Block {
                break;
            }
            scope = parent;
        }
        scope
    }

    /// Lowers a declarator with a pattern in place of a name.
    fn destructured_variable(
        &mut self,
        pattern: Child<'tree>,
        children: &Children<'tree>,
        binding: Binding,
    ) {
        let ty = children
            .get(Field::Type)
            .map_or(TypeId::NONE, |ty| self.ty(ty));
        let context = if ty.is_none() {
            Context::None
        } else {
            Context::Typed(ty)
        };

        let value = children.get(Field::Value);
        let source = value.map_or(ExprId::NONE, |value| self.expr(value, context));
        let source = if ty.is_none() {
            source
        } else {
            self.b.expr(Expr::Cast(ty))
        };

        self.bind(pattern, source, binding);
    }

    /// Lowers one declarator; `place` says whether it is the only one of its statement, and holds
    /// the statement. A local that holds a function is a node.
    fn variable(
        &mut self,
        child: Child<'tree>,
        binding: Binding,
        place: (bool, EnclosingStatement),
    ) {
        let (alone, outer) = place;
        let children = self.children(child);
        let Some(name) = children.get(Field::Name) else {
            return;
        };
        let value = children.get(Field::Value);
        if self.javascript && self.required(name, value, binding) {
            return;
        }

        if !matches!(name.kind, Kind::Identifier | Kind::Undefined) {
            self.destructured_variable(name, &children, binding);
            return;
        }

        let sym = self.sym(name);
        let at = self.at(name);

        let id = self.b.declare(
            sym,
            DeclKind::Variable,
            binding.flags.unwrap_or_default(),
            at,
        );

        if let Some(scope) = binding.scope {
            self.b.decl(id).scope = scope;
        }

        let is_shown = binding.shown.is_some()
            || value.is_some_and(|value| self.written_function(value).is_some());

        if is_shown {
            self.show_variable(id, child, &children, (alone, outer));
        }

        let owner = self.b.owner;

        if is_shown {
            self.b.owner = id;
        }

        self.variable_value(id, &children, outer.start);
        self.b.owner = owner;
    }

    /// Adds the detail of a variable that is a node.
    fn show_variable(
        &mut self,
        id: DeclId,
        child: Child<'tree>,
        children: &Children<'tree>,
        (alone, outer): (bool, EnclosingStatement),
    ) {
        let (start, end) = if alone {
            (outer.start, outer.end)
        } else {
            (child.start(), child.end())
        };
        let looks = DeclText {
            start,
            end,
            name: children.get(Field::Name),
            ty: children.get(Field::Type),
            documented_at: Some(outer.start),
            ..DeclText::default()
        };
        self.show_holder(id, children.get(Field::Value), looks);
    }

    /// Lowers the type and the value of a variable in a statement that begins at `start`.
    fn variable_value(&mut self, id: DeclId, children: &Children<'tree>, start: usize) {
        let ty = children.get(Field::Type).map(|ty| self.ty(ty));
        let ty = ty.unwrap_or_else(|| self.documented_variable(start));
        let expected = if ty.is_none() {
            self.document_held(id, start)
        } else {
            ty
        };
        let context = if expected.is_none() {
            Context::None
        } else {
            Context::Typed(expected)
        };

        let held = match children.get(Field::Value) {
            Some(value) => {
                let place = ValuePlace::documented(context, start);
                self.initialiser(id, value, place, ty)
            }
            None => Value::of(ExprId::NONE),
        };
        let init = held.expr;
        self.hold(id, init);
        let condition = if ty.is_none() { held.test } else { Test::None };
        self.note_condition(id, condition);

        let decl = self.b.decl(id);
        decl.ty = ty;
        decl.init = init;
    }

    /// Lowers the initialiser of a variable; in JavaScript, it may be exported as well.
    fn initialiser(
        &mut self,
        variable: DeclId,
        value: Child<'tree>,
        place: ValuePlace,
        ty: TypeId,
    ) -> Value {
        if !self.javascript || !ty.is_none() {
            return self.value_in(value, place);
        }
        let Some(init) = self.also_exported(value) else {
            return self.value_in(value, place);
        };

        if let Expr::Object(value) | Expr::Function(value) = self.b.facts.expr(init) {
            self.b.decl(value).parent = variable;
        }
        Value::of(init)
    }

    /// Lowers `enum E { A = 1, B }`.
    pub fn enum_declaration(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let outer = self.outer(child, outer);
        let flags = if children.has(Kind::ConstToken) {
            outer.flags | DeclFlags::CONST
        } else {
            outer.flags
        };

        let Some(id) = self.declare_named(
            &children,
            DeclKind::Enum,
            EnclosingStatement { flags, ..outer },
        ) else {
            return;
        };

        let saved = self.save();
        self.b.owner = id;

        let inner = self.b.open_scope(ScopeKind::Enum, id);
        self.b.decl(id).inner = inner;

        if let Some(body) = children.get(Field::Body) {
            for member in self.children(body).named() {
                self.enum_member(member);
            }
        }

        self.restore(saved);
    }

    fn enum_member(&mut self, child: Child<'tree>) {
        let children = if child.kind == Kind::EnumAssignment {
            Some(self.children(child))
        } else {
            None
        };
        let name = children
            .as_ref()
            .and_then(|children| children.get(Field::Name))
            .unwrap_or(child);

        if child.kind == Kind::Error {
            return;
        }

        let (sym, computed) = self.member_name(name);
        let at = self.at(name);
        let id = self
            .b
            .declare(sym, DeclKind::EnumMember, DeclFlags::STATIC | computed, at);

        let looks = DeclText {
            start: child.start(),
            end: child.end(),
            name: Some(name),
            access: Some(Access::Public),
            ..DeclText::default()
        };

        self.show(id, looks);

        if let Some(value) = children.and_then(|children| children.get(Field::Value)) {
            let owner = std::mem::replace(&mut self.b.owner, id);
            let init = self.expr(value, Context::None);
            self.b.decl(id).init = init;
            self.b.owner = owner;
        }
    }

    /// Lowers `type A<T> = ..`.
    pub fn type_alias(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let outer = self.outer(child, outer);
        let Some(id) = self.declare_named(&children, DeclKind::TypeAlias, outer) else {
            return;
        };

        let saved = self.save();
        self.b.owner = id;

        let inner = self.b.open_scope(ScopeKind::TypeParams, id);
        self.b.decl(id).inner = inner;
        self.type_parameters(&children, id);

        if let Some(value) = children.get(Field::Value) {
            let ty = self.part_of_alias(value, true);
            self.b.decl(id).ty = ty;
        }

        self.restore(saved);
    }

    /// Declares a node by its name field and adds its detail.
    pub fn declare_named(
        &mut self,
        children: &Children<'tree>,
        kind: DeclKind,
        outer: EnclosingStatement,
    ) -> Option<DeclId> {
        let name = children.get(Field::Name)?;
        let sym = self.sym(name);
        let at = self.at(name);
        let id = self.b.declare(sym, kind, outer.flags, at);

        self.show(
            id,
            DeclText {
                start: outer.start,
                end: outer.end,
                name: Some(name),
                ..DeclText::default()
            },
        );

        Some(id)
    }

    /// Lowers `namespace A.B { }`, `declare module "m" { }`.
    pub fn namespace(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let outer = self.outer(child, outer);

        let Some(name) = children.get(Field::Name) else {
            return;
        };

        let body = children.get(Field::Body);

        if name.kind == Kind::String {
            self.module_body(DeclKind::AmbientModule, name, outer, body);
            return;
        }

        let saved = self.save();
        let mut names = self.name_segments(name);
        let Some(last) = names.pop() else { return };

        let mut part = outer;
        for segment in names {
            self.open_namespace(DeclKind::Namespace, segment, part);
            part.flags.insert(DeclFlags::EXPORT);
        }

        self.module_body(DeclKind::Namespace, last, part, body);
        self.restore(saved);
    }

    /// Declares a namespace, and makes it the current owner and its scope the current scope.
    fn open_namespace(&mut self, kind: DeclKind, name: Child<'tree>, outer: EnclosingStatement) {
        let sym = self.string(name);
        let at = self.at(name);
        let id = self.b.declare(sym, kind, outer.flags, at);
        self.show(
            id,
            DeclText {
                start: outer.start,
                end: outer.end,
                name: Some(name),
                ..DeclText::default()
            },
        );
        self.b.owner = id;
        let inner = self.b.open_scope(ScopeKind::Namespace, id);
        self.b.decl(id).inner = inner;
    }

    fn module_body(
        &mut self,
        kind: DeclKind,
        name: Child<'tree>,
        outer: EnclosingStatement,
        body: Option<Child<'tree>>,
    ) {
        let saved = self.save();
        let ambient = self.ambient;

        if outer.flags.has(DeclFlags::AMBIENT) {
            self.ambient.insert(DeclFlags::AMBIENT);
        }

        self.open_namespace(kind, name, outer);

        if let Some(body) = body {
            self.block_statements(body);
        }

        self.ambient = ambient;
        self.restore(saved);
    }

    /// Returns the name tokens of `a.b.c`, in order.
    pub fn name_segments(&mut self, mut name: Child<'tree>) -> Vec<Child<'tree>> {
        let mut segments = Vec::new();
        loop {
            let (left, right) = match name.kind {
                Kind::NestedIdentifier | Kind::MemberExpression => {
                    (Field::Receiver, Field::Property)
                }
                Kind::NestedTypeIdentifier => (Field::Module, Field::Name),
                _ => break,
            };
            let children = self.children(name);
            segments.extend(children.get(right));
            match children.get(left) {
                Some(inner) => name = inner,
                None => break,
            }
        }

        segments.push(name);
        segments.reverse();
        segments.truncate(MAX_SEGMENTS);

        segments
    }

    /// Lowers `declare ..`.
    pub fn ambient_declaration(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let mut outer = self.outer(child, outer);
        outer.flags.insert(DeclFlags::AMBIENT);

        if !children.has(Kind::Global) {
            for inner in children.named() {
                self.statement(inner, Some(outer));
            }
            return;
        }

        self.global_block(&children);
    }

    /// Lowers `global { .. }`.
    pub fn global_block(&mut self, children: &Children<'tree>) {
        let ambient = self.ambient;
        self.ambient.insert(DeclFlags::AMBIENT | DeclFlags::GLOBAL);

        if let Some(block) = children.find(Kind::StatementBlock) {
            self.scoped(ScopeKind::Global, |lowering| {
                lowering.block_statements(block)
            });
        }

        self.ambient = ambient;
    }
}
