//! Parts of object types: call, construct and index signatures, mapped types; also function types,
//! which have the same form.
//!
//! `{ (x: A): B; new (): C; [k: string]: D }`, `{ [K in keyof T]: T[K] }`.
//!
//! Limitations: these declarations have no names and never become nodes; members of object types
//! do. A constructor type's `FunctionType` is named `new`.

use codeagent_model::facts::*;

use crate::lower::classes::MemberOf;
use crate::lower::lowering::Lowering;
use crate::syntax::syntax::{Child, Children, Field, Kind};

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `(x: A): B` or `new (x: A): B` as a member.
    pub fn call_signature(&mut self, child: Child<'tree>, kind: DeclKind) {
        let at = self.at(child);
        let id = self.b.declare(Sym::NONE, kind, DeclFlags::MEMBER, at);
        let children = self.children(child);
        self.signature_scope(&children, id);
    }

    /// Lowers `(x: A) => B` or `new (x: A) => B`.
    pub fn function_type(&mut self, child: Child<'tree>) -> TypeId {
        let children = self.children(child);
        let construct = child.kind == Kind::ConstructorType;
        let name = if construct {
            self.b.sym_owned("new")
        } else {
            Sym::NONE
        };
        let flags = if children.has(Kind::AbstractToken) {
            DeclFlags::ABSTRACT
        } else {
            DeclFlags::default()
        };
        let at = self.at(child);
        let id = self.b.declare(name, DeclKind::FunctionType, flags, at);

        self.signature_scope(&children, id);
        self.b.type_expr(TypeExpr::Function(id))
    }

    fn signature_scope(&mut self, children: &Children<'tree>, id: DeclId) {
        let saved = self.save();
        let uses = self.type_use;
        let inner = self.b.open_scope(ScopeKind::Function, id);
        self.b.decl(id).inner = inner;
        self.type_parameters(children, id);
        self.type_use = uses;
        self.signature_parts(children, id);
        self.restore(saved);
    }

    fn signature_parts(&mut self, children: &Children<'tree>, id: DeclId) {
        if let Some(list) = children.get(Field::Parameters) {
            let params = self.parameters(list, id);
            self.b.decl(id).params = self.b.facts.add_list(params);
        }
        if let Some(ty) = children
            .get(Field::ReturnType)
            .or_else(|| children.get(Field::Type))
        {
            let ty = self.ty(ty);
            self.b.decl(id).ty = ty;
        }
    }

    /// Lowers `[k: string]: T`.
    pub fn index_signature(&mut self, child: Child<'tree>) {
        let children = self.children(child);

        let mut flags = DeclFlags::MEMBER;
        if children.has(Kind::ReadonlyToken) {
            flags.insert(DeclFlags::READONLY);
        }

        let at = self.at(child);
        let id = self
            .b
            .declare(Sym::NONE, DeclKind::IndexSignature, flags, at);
        let saved = self.save();
        let inner = self.b.open_scope(ScopeKind::Function, id);

        self.b.decl(id).inner = inner;

        if let Some(name) = children.get(Field::Name) {
            let sym = self.sym(name);
            let at = self.at(name);
            let param = self
                .b
                .declare(sym, DeclKind::Parameter, DeclFlags::default(), at);
            let ty = children
                .get(Field::IndexType)
                .map_or(TypeId::NONE, |ty| self.ty(ty));
            self.b.decl(param).ty = ty;
            self.b.decl(id).params = self.b.facts.add_list([param]);
        }

        if let Some(ty) = children.get(Field::Type) {
            let ty = self.ty(ty);
            self.b.decl(id).ty = ty;
        }

        self.restore(saved);
    }

    /// Lowers `{ .. }` as a type; its members become nodes under the enclosing declaration.
    /// `aliased`: it is part of an alias.
    pub fn object_type(&mut self, child: Child<'tree>, aliased: bool) -> TypeId {
        let children = self.children(child);
        if let Some(signature) = children.find(Kind::IndexSignature) {
            let inner = self.children(signature);
            if let Some(clause) = inner.find(Kind::MappedTypeClause) {
                return self.mapped_type(child, clause, inner.get(Field::Type));
            }
        }

        let at = self.at(child);
        let flags = if aliased {
            DeclFlags::PARTIAL
        } else {
            DeclFlags::default()
        };
        let id = self.b.declare(Sym::NONE, DeclKind::ObjectType, flags, at);
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::Object, id);

        self.b.decl(id).inner = inner;

        let owner = self.b.owner;
        self.members(
            child,
            MemberOf {
                decl: id,
                shown: true,
                class: false,
            },
        );

        self.b.owner = owner;
        self.b.scope = scope;
        self.b.type_expr(TypeExpr::Object(id))
    }

    fn mapped_type(
        &mut self,
        child: Child<'tree>,
        clause: Child<'tree>,
        value: Option<Child<'tree>>,
    ) -> TypeId {
        let at = self.at(child);
        let id = self
            .b
            .declare(Sym::NONE, DeclKind::MappedType, DeclFlags::default(), at);
        let scope = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::TypeParams, id);

        self.b.decl(id).inner = inner;

        let parts = self.children(clause);
        if let Some(name) = parts.get(Field::Name) {
            let sym = self.sym(name);
            let at = self.at(name);
            let key = self
                .b
                .declare(sym, DeclKind::TypeParam, DeclFlags::default(), at);
            if let Some(constraint) = parts.get(Field::Type) {
                self.constrain(key, constraint);
            }
            self.b.decl(id).type_params = self.b.facts.add_list([key]);
        }

        if let Some(alias) = parts.get(Field::Alias) {
            self.constrain(id, alias);
        }

        if let Some(value) = value {
            // The modifiers `?`, `+?` and `-?` are part of the annotation.
            if self.text(value).starts_with(['?', '+']) {
                self.b.decl(id).flags.insert(DeclFlags::OPTIONAL);
            }
            let ty = self.ty(value);
            self.b.decl(id).ty = ty;
        }

        self.b.scope = scope;
        self.b.type_expr(TypeExpr::Mapped(id))
    }
}
