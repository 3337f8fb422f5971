//! Object and array literals: the members of an object, and the contextual type of its lambdas.
//!
//! `{ a: 1, b() {}, c, ...d }` is an `ObjectLiteral` whose scope declares `a`, `b`, `c` and,
//! without a name, the spread.
//!
//! Methods and properties that hold functions are nodes; all members are, if the literal is assigned
//! to `module.exports` or a prototype.
//!
//! Limitations: accessors are not nodes. An array has a declaration only if it passes on a context.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::lower::functions::FunctionHead;
use crate::lower::lowering::Lowering;
use crate::lower::signature_text::DeclText;
use crate::lower::state::ValuePlace;
use crate::syntax::syntax::{Child, Field, Kind};

/// An object literal being lowered.
#[derive(Clone, Copy)]
struct Object {
    decl: DeclId,
    inner: ScopeId,
    around: ScopeId,
    /// Whether all its members become nodes.
    shown: bool,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `{ .. }`.
    pub fn object(&mut self, child: Child<'tree>, place: ValuePlace) -> ExprId {
        let at = self.at(child);
        let added = self.script.prototype_arguments.remove(&child.start());
        let decl = self
            .b
            .declare(Sym::NONE, DeclKind::ObjectLiteral, DeclFlags::default(), at);
        let around = self.b.scope;
        let inner = self.b.open_scope(ScopeKind::Object, decl);

        self.b.scope = around;

        let literal = self.b.decl(decl);
        literal.inner = inner;
        literal.context = place.context;

        if let Some(of) = place.prototype.or(added) {
            self.script
                .prototypes
                .insert(decl, of.function.some().unwrap_or(of.class));
        }

        let object = Object {
            decl,
            inner,
            around,
            shown: place.shown,
        };

        for part in self.children(child).named() {
            self.object_part(part, object);
        }

        self.b.fresh_expr(Expr::Object(decl))
    }

    fn object_part(&mut self, part: Child<'tree>, object: Object) {
        match part.kind {
            Kind::Pair => self.pair(part, object),
            Kind::ShorthandPropertyIdentifier => {
                let name = self.sym(part);
                let property = self.object_member(part, name, DeclFlags::MEMBER, object);
                let value = self.name(part, Some(SiteKind::Read)).expr;
                self.b.decl(property).init = value;
            }
            Kind::MethodDefinition => self.object_method(part, object),
            Kind::SpreadElement => {
                let value = self.first_expr(part);
                let init = self.b.expr(Expr::Spread(value));
                let at = self.at(part);
                self.b.scope = object.inner;

                let spread = self
                    .b
                    .declare(Sym::NONE, DeclKind::Property, DeclFlags::MEMBER, at);
                self.b.scope = object.around;
                self.b.decl(spread).init = init;
            }
            _ => {}
        }
    }

    fn object_member(
        &mut self,
        key: Child<'tree>,
        name: Sym,
        flags: DeclFlags,
        object: Object,
    ) -> DeclId {
        let at = self.at(key);
        self.b.scope = object.inner;
        let property = self.b.declare(name, DeclKind::Property, flags, at);
        self.b.scope = object.around;
        self.b
            .site(SiteKind::Key, Subject::Key(object.decl, name), at);
        property
    }

    fn pair(&mut self, part: Child<'tree>, object: Object) {
        let children = self.children(part);
        let (Some(key), Some(value)) = (children.get(Field::Key), children.get(Field::Value))
        else {
            return;
        };

        self.computed_name(key);
        if key.kind == Kind::String {
            let text = self.unquoted(key);
            self.b.literal(text, key.start());
        }

        let (name, computed) = self.member_name(key);
        let property = self.object_member(key, name, DeclFlags::MEMBER | computed, object);
        let owner = self.b.owner;

        if object.shown {
            self.show_assigned(property, (part.start(), value.end()), key, value);
            self.b.owner = property;
        } else if self.written_function(value).is_some() {
            let looks = DeclText {
                start: part.start(),
                end: value.end(),
                name: Some(key),
                ..DeclText::default()
            };
            self.show_holder(property, Some(value), looks);
            self.b.owner = property;
        }

        let ty = self.documented_variable(part.start());
        let context = if ty.is_none() {
            Context::Property(object.decl, name)
        } else {
            Context::Typed(ty)
        };
        let init = self.expr_in(value, ValuePlace::documented(context, part.start()));
        if computed == DeclFlags::default() {
            let text = self.text(key);
            self.b
                .property_callback(text, init, (key.start(), value.end()));
        }
        let decl = self.b.decl(property);
        decl.init = init;
        decl.ty = ty;
        self.b.owner = owner;
    }

    fn object_method(&mut self, part: Child<'tree>, object: Object) {
        let children = self.children(part);
        let Some(key) = children.get(Field::Name) else {
            return;
        };

        self.computed_name(key);

        let (name, _) = self.member_name(key);
        let kind = match () {
            () if children.has(Kind::GetToken) => DeclKind::Getter,
            () if children.has(Kind::SetToken) => DeclKind::Setter,
            () => DeclKind::Method,
        };
        let at = self.at(key);

        self.b
            .site(SiteKind::Key, Subject::Key(object.decl, name), at);

        let this = self.this;
        self.b.scope = object.inner;

        let is_shown = object.shown || kind == DeclKind::Method;
        let start = is_shown.then_some(part.start());
        let head = FunctionHead {
            flags: DeclFlags::MEMBER,
            start,
            access: object.shown.then_some(Access::Public),
            ..FunctionHead::plain(kind, Context::Property(object.decl, name))
        };

        self.function(part, head);
        self.b.scope = object.around;
        self.this = this;
    }

    /// Lowers `[a, ...b]`.
    pub fn array(&mut self, child: Child<'tree>, context: Context) -> ExprId {
        let expr = self.b.fresh_expr(Expr::Unknown);
        let decl = if context == Context::None {
            DeclId::NONE
        } else {
            let at = self.at(child);
            let decl = self
                .b
                .declare(Sym::NONE, DeclKind::ObjectLiteral, DeclFlags::default(), at);
            self.b.decl(decl).context = context;
            decl
        };

        let context = if decl.is_none() {
            Context::None
        } else {
            Context::Element(expr)
        };
        let elements: Vec<_> = self
            .children(child)
            .named()
            .map(|element| self.expr(element, context))
            .collect();
        let list = self.b.facts.add_list(elements);

        self.b.facts.exprs[expr.index()] = Expr::Array(list, decl);

        expr
    }
}
