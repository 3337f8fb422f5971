//! Classes and interfaces: their base lists and members, decorators included.
//!
//! `class A<T> extends B<T> implements C { #x = 1; static m() {} }`.
//!
//! Limitations: in a static member `this` is `Class(A)`: the class as a value.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::lower::functions::FunctionHead;
use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::signature_text::DeclText;
use crate::lower::state::ValuePlace;
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// The owner of the members of a body.
#[derive(Clone, Copy)]
pub struct MemberOf {
    /// The class, interface or object type.
    pub decl: DeclId,
    /// Its members become nodes.
    pub shown: bool,
    /// A class: members may be static, and it may have constructors.
    pub class: bool,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Declares a class under its name, `default`, or no name.
    fn declare_class(
        &mut self,
        child: Child<'tree>,
        children: &Children<'tree>,
        mut flags: DeclFlags,
    ) -> DeclId {
        if children.has(Kind::AbstractToken) {
            flags.insert(DeclFlags::ABSTRACT);
        }

        let name = children.get(Field::Name);
        let sym = match name {
            Some(name) => self.sym(name),
            None if flags.has(DeclFlags::DEFAULT) => self.b.sym_owned("default"),
            None => Sym::NONE,
        };
        let at = self.at(name.unwrap_or(child));
        self.b.declare(sym, DeclKind::Class, flags, at)
    }

    /// Lowers a class declaration or, if `outer` is `None`, a class expression.
    pub fn class_like(
        &mut self,
        child: Child<'tree>,
        outer: Option<EnclosingStatement>,
        context: Context,
    ) -> DeclId {
        let children = self.children(child);
        let expression = child.kind == Kind::Class && outer.is_none();
        let around = self.outer(child, outer);

        let name = children.get(Field::Name);
        let id = self.declare_class(child, &children, around.flags);
        let sym = self.b.decl(id).name;
        self.b.decl(id).context = context;

        let shown =
            !expression || name.is_some() && (!self.function.is_none() || self.is_renamed(sym));
        let saved = self.save();

        if shown {
            self.show(
                id,
                DeclText {
                    start: around.start,
                    end: around.end,
                    name,
                    ..DeclText::default()
                },
            );
        }

        let mut decorators = std::mem::take(&mut self.decorators);
        decorators.extend(children.iter().filter(|kid| kid.kind == Kind::Decorator));
        self.decorate(if shown { id } else { self.b.owner }, decorators);

        if shown {
            self.b.owner = id;
        }

        let inner = self.b.open_scope(ScopeKind::Type, id);
        let decl = self.b.decl(id);
        decl.inner = inner;

        if expression && name.is_some() {
            // The name of a class expression is visible only inside it.
            decl.scope = inner;
        }

        self.class = id;
        self.function = DeclId::NONE;
        self.class_contents(id, &children, around.start);
        self.restore(saved);

        id
    }

    /// Lowers the type parameters, bases and members of a class whose statement begins at `start`.
    fn class_contents(&mut self, id: DeclId, children: &Children<'tree>, start: usize) {
        self.type_parameters(children, id);
        self.heritage(children, id);

        if self.javascript {
            self.document_class(id, start);
        }

        if let Some(body) = children.get(Field::Body) {
            self.members(
                body,
                MemberOf {
                    decl: id,
                    shown: true,
                    class: true,
                },
            );
        }
    }

    /// Reports whether a class expression is the value of a member with another name: `A.Part =
    /// class PartOfA {}` in JavaScript.
    fn is_renamed(&mut self, name: Sym) -> bool {
        let owner = self.b.owner;
        self.javascript && !owner.is_none() && {
            let owner = self.b.decl(owner);
            owner.kind == DeclKind::Property && owner.name != name
        }
    }

    /// Lowers `interface A extends B { }`.
    pub fn interface(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let children = self.children(child);
        let outer = self.outer(child, outer);
        let Some(id) = self.declare_named(&children, DeclKind::Interface, outer) else {
            return;
        };

        let saved = self.save();
        self.b.owner = id;

        let inner = self.b.open_scope(ScopeKind::Type, id);
        self.b.decl(id).inner = inner;
        self.this = self.b.expr(Expr::This(id));
        self.type_parameters(&children, id);
        self.heritage(&children, id);

        if let Some(body) = children.get(Field::Body) {
            self.members(
                body,
                MemberOf {
                    decl: id,
                    shown: true,
                    class: false,
                },
            );
        }

        self.restore(saved);
    }

    fn heritage(&mut self, children: &Children<'tree>, id: DeclId) {
        let mut bases = Vec::new();
        for child in children.named() {
            match child.kind {
                Kind::ClassHeritage => {
                    for clause in self.children(child).named() {
                        self.heritage_clause(clause, id, &mut bases);
                    }
                }
                Kind::ExtendsTypeClause | Kind::ExtendsClause | Kind::ImplementsClause => {
                    self.heritage_clause(child, id, &mut bases)
                }
                _ => {}
            }
        }
        self.b.decl(id).bases = self.b.facts.add_list(bases);
    }

    fn heritage_clause(&mut self, clause: Child<'tree>, id: DeclId, bases: &mut Vec<Base>) {
        let children = self.children(clause);

        if clause.kind == Kind::ExtendsClause {
            if let Some(value) = children.get(Field::Value) {
                let base = self.base_class(value, children.get(Field::TypeArguments));
                self.add_base(base, id, bases);
            }
            return;
        }

        let clause = if clause.kind == Kind::ImplementsClause {
            BaseClause::Implements
        } else {
            BaseClause::Extends
        };

        for child in children.named() {
            let (ty, at) = match self.named_type(child) {
                Some((ty, last)) => (ty, self.at(last)),
                None => (self.ty(child), self.at(child)),
            };
            self.add_base(Base { clause, ty, at }, id, bases);
        }
    }

    /// Adds an entry to a base list.
    pub fn add_base(&mut self, base: Base, id: DeclId, bases: &mut Vec<Base>) {
        self.b.site(
            SiteKind::Base,
            Subject::Base(id, bases.len() as u16),
            base.at,
        );
        bases.push(base);
    }

    /// Returns the base of a class: a plain name is a type name, anything else an expression.
    fn base_class(&mut self, value: Child<'tree>, arguments: Option<Child<'tree>>) -> Base {
        let args = self.type_arguments(arguments);
        let value = self.uncast(value);

        // A qualifier in JavaScript is a value.
        let named = value.kind == Kind::Identifier
            || value.kind == Kind::MemberExpression && !self.javascript;
        let plain = named && {
            let first = self.name_segments(value)[0];
            first.kind == Kind::Identifier
        };
        if !plain {
            let expr = self.used(value, Context::None, None).expr;
            let ty = self.b.type_expr(TypeExpr::Heritage(expr, args));
            return Base {
                clause: BaseClause::Extends,
                ty,
                at: self.name_position(value),
            };
        }

        let names = self.name_segments(value);
        let last = names[names.len() - 1];
        let ty = self.type_name(&names, args);
        Base {
            clause: BaseClause::Extends,
            ty,
            at: self.at(last),
        }
    }

    /// Lowers the members of a class, interface or object type.
    pub fn members(&mut self, body: Child<'tree>, of: MemberOf) {
        let mut decorators = Vec::new();
        for child in self.children(body).named() {
            if child.kind == Kind::Decorator {
                decorators.push(child);
            } else {
                let pending = std::mem::take(&mut decorators);
                self.with_depth_limit((), |lowering| lowering.member(child, of, pending));
            }
        }
    }

    fn member(&mut self, child: Child<'tree>, of: MemberOf, decorators: Vec<Child<'tree>>) {
        let this = self.this;

        match child.kind {
            Kind::MethodDefinition | Kind::MethodSignature | Kind::AbstractMethodSignature => {
                self.method(child, of, decorators)
            }
            Kind::PublicFieldDefinition | Kind::PropertySignature => {
                self.property(child, of, decorators)
            }
            Kind::ClassStaticBlock => {
                self.this = self.b.fresh_expr(Expr::Class(of.decl));
                if let Some(body) = self.children(child).get(Field::Body) {
                    self.scoped(ScopeKind::Block, |lowering| lowering.block_statements(body));
                }
            }
            Kind::CallSignature => self.call_signature(child, DeclKind::CallSignature),
            Kind::ConstructSignature => self.call_signature(child, DeclKind::ConstructSignature),
            Kind::IndexSignature if self.is_static_index(child) => {}
            Kind::IndexSignature => self.index_signature(child),
            Kind::Error => self.members(child, of),
            _ => {}
        }

        self.this = this;
    }

    /// Reports whether `static` before an index signature was blanked.
    fn is_static_index(&self, child: Child<'tree>) -> bool {
        let before = self.b.text.get(..child.start()).unwrap_or("").trim_end();
        before.ends_with("static") && self.was(EditKind::StaticIndex, before.len() - 6)
    }

    /// Returns the modifiers of a member.
    fn modifiers(&self, children: &Children<'tree>) -> DeclFlags {
        let mut flags = DeclFlags::MEMBER;
        for kid in children.iter() {
            flags.insert(match kid.kind {
                Kind::StaticToken => DeclFlags::STATIC,
                Kind::ReadonlyToken => DeclFlags::READONLY,
                Kind::AbstractToken => DeclFlags::ABSTRACT,
                Kind::OverrideModifier => DeclFlags::OVERRIDE,
                Kind::DeclareToken => DeclFlags::AMBIENT,
                Kind::Question => DeclFlags::OPTIONAL,
                _ => DeclFlags::default(),
            });
        }
        flags
    }

    /// Returns the accessibility of a member.
    pub fn access(&self, children: &Children<'tree>) -> Access {
        let private_name = children
            .get(Field::Name)
            .is_some_and(|name| name.kind == Kind::PrivatePropertyIdentifier);
        match children
            .find(Kind::AccessibilityModifier)
            .map(|modifier| self.parsed_text(modifier))
        {
            Some(b"private") => Access::Private,
            Some(b"protected") => Access::Protected,
            _ if private_name => Access::Private,
            _ => Access::Public,
        }
    }

    fn method(&mut self, child: Child<'tree>, of: MemberOf, decorators: Vec<Child<'tree>>) {
        let children = self.children(child);
        let Some(name) = children.get(Field::Name) else {
            return;
        };

        self.computed_name(name);

        let flags = self.modifiers(&children) | self.ambient;
        let kind = match () {
            () if of.class
                && !flags.has(DeclFlags::STATIC)
                && self.unquoted(name) == "constructor" =>
            {
                DeclKind::Constructor
            }
            () if children.has(Kind::GetToken) => DeclKind::Getter,
            () if children.has(Kind::SetToken) => DeclKind::Setter,
            () => DeclKind::Method,
        };

        self.member_this(of, flags);

        let start = decorators
            .first()
            .map_or(child.start(), |first| first.start());
        let access = Some(self.access(&children));

        let head = FunctionHead {
            flags,
            start: of.shown.then_some(start),
            access,
            ..FunctionHead::plain(kind, Context::None)
        };
        let id = self.function(child, head);
        self.decorate(if of.shown { id } else { self.b.owner }, decorators);
    }

    fn member_this(&mut self, of: MemberOf, flags: DeclFlags) {
        let this = if of.class && flags.has(DeclFlags::STATIC) {
            Expr::Class(of.decl)
        } else {
            Expr::This(of.decl)
        };
        self.this = self.b.expr(this);
    }

    fn property(&mut self, child: Child<'tree>, of: MemberOf, mut decorators: Vec<Child<'tree>>) {
        let children = self.children(child);
        let Some(name) = children.get(Field::Name) else {
            return;
        };

        self.computed_name(name);

        let (sym, computed) = self.member_name(name);
        let flags = self.modifiers(&children) | computed | self.ambient;
        let at = self.at(name);
        let id = self.b.declare(sym, DeclKind::Property, flags, at);

        if self.javascript {
            self.script.class_members.insert((self.b.scope, sym));
        }

        let owner = self.b.owner;
        decorators.extend(children.iter().filter(|kid| kid.kind == Kind::Decorator));

        if of.shown {
            let start = decorators
                .first()
                .map_or(child.start(), |first| first.start());
            let access = Some(self.access(&children));
            let looks = DeclText {
                start,
                end: child.end(),
                name: Some(name),
                ty: children.get(Field::Type),
                access,
                ..DeclText::default()
            };
            self.show_holder(id, children.get(Field::Value), looks);
            self.b.owner = id;
        }

        self.decorate(self.b.owner, decorators);
        self.member_this(of, flags);

        let ty = match children.get(Field::Type) {
            Some(ty) => self.ty(ty),
            None => self.documented_variable(child.start()),
        };

        self.b.decl(id).ty = ty;

        if let Some(value) = children.get(Field::Value) {
            let context = if ty.is_none() {
                Context::None
            } else {
                Context::Typed(ty)
            };
            let function = std::mem::replace(&mut self.function, DeclId::NONE);
            let init = self.expr_in(value, ValuePlace::documented(context, child.start()));
            self.function = function;
            self.b.decl(id).init = init;
        } else if of.class && ty.is_none() {
            self.untyped_fields.add(self.b.scope, sym, id);
        }

        self.b.owner = owner;
    }
}
