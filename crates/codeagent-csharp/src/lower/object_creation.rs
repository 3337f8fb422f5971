//! Object and array creation, initializers, collection expressions, `with`, anonymous objects.
//!
//! `new A { B = { C = 1 } }` becomes a `New`, an object literal declaration whose `init` is that
//! `New`, and another one whose `init` is `Member(new, B)`.
//!
//! Each element of `new A { 1, { 2, 3 } }` is a call of `Add` whose site is the element's first
//! token.
//!
//! Limitations: the calls that a collection expression implies have no sites.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::lower::types::Sites;
use crate::syntax::syntax_kind::{Child, Children, Field, Kind, in_field, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Declares a stand-in for an object: it has the context that gives the object its type, or (as
    /// `init`) the object itself.
    fn object_literal(&mut self, context: Context, at: Position) -> DeclId {
        let decl = self
            .b
            .declare(Sym::NONE, DeclKind::ObjectLiteral, DeclFlags::default(), at);
        self.b.decl(decl).context = context;
        decl
    }

    /// Lowers `new C(..) { .. }`.
    pub fn object_creation(&mut self, node: Node<'r>) -> ExprId {
        let children = self.children(node);
        let Some(type_node) = in_field(&children, Field::Type) else {
            return self.b.expr(Expr::Unknown);
        };

        let (ty, at) = match kind(type_node) {
            Kind::Identifier
            | Kind::GenericName
            | Kind::QualifiedName
            | Kind::AliasQualifiedName => {
                let named = self.named_type(type_node, Sites::All);
                (named.ty, named.at)
            }
            _ => (self.ty(type_node), self.b.at(node)),
        };

        let callee = self.b.expr(Expr::TypeValue(ty));
        let call = self.b.begin_call(callee, List::default());
        let expr = self.b.fresh_expr(Expr::New(call));
        self.use_site(SiteKind::New, expr, at);
        self.creation_parts(call, expr, &children);
        expr
    }

    /// Lowers `new(..) { .. }`.
    pub fn implicit_creation(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let children = self.children(node);
        let at = self.b.at(node);
        let decl = self.object_literal(context, at);
        let call = self.b.begin_call(ExprId::NONE, List::default());
        let expr = self.b.fresh_expr(Expr::NewTarget(call, decl));
        self.b.decl(decl).init = expr;
        self.use_site(SiteKind::New, expr, at);
        self.creation_parts(call, expr, &children);
        expr
    }

    /// Lowers the arguments and the initialiser of a creation.
    fn creation_parts(&mut self, call: CallId, expr: ExprId, children: &Children<'r>) {
        if let Some(arguments) = of_kind(children, Kind::ArgumentList) {
            self.arguments(call, arguments);
        }
        if let Some(initializer) = of_kind(children, Kind::Initializer) {
            self.initializer(expr, initializer);
        }
    }

    /// Lowers `{ A = 1, B = { .. }, ["k"] = 2 }` or `{ 1, 2 }` after a creation or a member's name.
    fn initializer(&mut self, object: ExprId, node: Node<'r>) {
        let at = self.b.at(node);
        let decl = self.object_literal(Context::None, at);
        self.b.decl(decl).init = object;
        for child in self.children(node) {
            self.with_depth_limit(|lowering| lowering.initializer_element(decl, object, child));
        }
    }

    fn initializer_element(&mut self, decl: DeclId, object: ExprId, child: Child<'r>) {
        if child.kind != Kind::Assignment {
            self.add_call(object, child);
            return;
        }

        let parts = self.children(child.node);
        let (Some(left), Some(right)) = (
            in_field(&parts, Field::Left),
            in_field(&parts, Field::Right),
        ) else {
            return;
        };

        let member = self.initializer_target(decl, object, left);
        if kind(right) == Kind::Initializer {
            self.initializer(member, right);
        } else {
            self.expr(right, Context::Assigned(member));
        }
    }

    /// Lowers an element of a collection initialiser: `Add` is called with it, or with each
    /// expression of `{ a, b }`.
    fn add_call(&mut self, object: ExprId, element: Child<'r>) {
        let name = self.b.sym_owned("Add");
        let callee = self.b.expr(Expr::Member(object, name));
        let call = self.b.begin_call(callee, List::default());
        let expr = self.b.fresh_expr(Expr::Call(call));
        let at = self.b.at(element.node);
        self.use_site(SiteKind::Call, expr, at);
        let values = if element.kind == Kind::Initializer {
            self.children(element.node)
        } else {
            Children::from_elem(element, 1)
        };

        let mut args = Vec::new();
        for value in &values {
            let context = Context::Argument(call, args.len() as u16);
            args.push(Arg {
                name: Sym::NONE,
                mode: ArgMode::Value,
                value: self.expr(value.node, context),
            });
        }

        self.b.finish_call(call, args);
    }

    fn initializer_target(&mut self, decl: DeclId, object: ExprId, left: Node<'r>) -> ExprId {
        if kind(left) == Kind::Identifier {
            return self.key(decl, object, left);
        }
        if !matches!(kind(left), Kind::ElementBinding | Kind::BracketedArguments) {
            return self.expr_used(left, &[], SiteKind::Write);
        }
        let call = self.b.begin_call(object, List::default());
        let expr = self.b.fresh_expr(Expr::Index(call));
        self.arguments(call, left);
        let at = self.b.at(left);
        self.use_site(SiteKind::Index, expr, at);
        expr
    }

    fn key(&mut self, decl: DeclId, object: ExprId, name: Node<'r>) -> ExprId {
        let sym = self.name(name);
        let at = self.b.at(name);
        self.b.site(SiteKind::Key, Subject::Key(decl, sym), at);
        self.b.expr(Expr::Member(object, sym))
    }

    /// Lowers `r with { A = 1 }`.
    pub fn with_expression(&mut self, node: Node<'r>) -> ExprId {
        let children = self.children(node);
        let object = children
            .first()
            .map_or(ExprId::NONE, |object| self.expr(object.node, Context::None));
        let copy = self.b.expr(Expr::Paren(object));
        let at = self.b.at(node);
        let decl = self.object_literal(Context::None, at);
        self.b.decl(decl).init = copy;
        for child in children
            .iter()
            .filter(|child| child.kind == Kind::WithInitializer)
        {
            let parts = self.children(child.node);
            if let (Some(name), Some(value)) = (parts.first(), parts.get(2)) {
                let member = self.key(decl, copy, name.node);
                if value.kind == Kind::Initializer {
                    self.initializer(member, value.node);
                } else {
                    self.expr(value.node, Context::Assigned(member));
                }
            }
        }

        copy
    }

    /// Lowers `new { A = 1, b.C }` to an object with members of its own.
    pub fn anonymous_object(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let at = self.b.at(node);
        let decl = self.object_literal(context, at);
        let outer = self.b.scope;
        let scope = self.b.open_scope(ScopeKind::Object, decl);
        self.b.decl(decl).inner = scope;
        let children = self.children(node);
        let mut index = 0;
        while let Some(child) = children.get(index) {
            let named = child.kind == Kind::Identifier
                && children
                    .get(index + 1)
                    .is_some_and(|next| next.kind == Kind::Equals);

            let value = if named {
                children.get(index + 2)
            } else {
                Some(child)
            };

            index += if named { 3 } else { 1 };
            if let Some(value) = value.filter(|value| value.kind != Kind::Token) {
                self.anonymous_member(child.node, value.node, named);
            }
        }

        self.b.scope = outer;
        self.b.fresh_expr(Expr::Object(decl))
    }

    fn anonymous_member(&mut self, name: Node<'r>, value: Node<'r>, named: bool) {
        let token = if named {
            Some(name)
        } else {
            self.last_name(value)
        };

        let member = token.map(|token| {
            let sym = self.name(token);
            let at = self.b.at(token);
            self.b
                .declare(sym, DeclKind::Property, DeclFlags::MEMBER, at)
        });

        let outer = self.b.scope;
        self.b.scope = self.b.facts.scope(outer).parent;
        let init = self.expr(value, Context::None);
        self.b.scope = outer;
        if let Some(member) = member {
            self.b.decl(member).init = init;
        }
    }

    /// Returns the name that an unnamed member of an anonymous object takes from its value.
    fn last_name(&mut self, value: Node<'r>) -> Option<Node<'r>> {
        match kind(value) {
            Kind::Identifier => Some(value),
            Kind::MemberAccess => in_field(&self.children(value), Field::Name),
            Kind::ConditionalAccess => {
                let binding = of_kind(&self.children(value), Kind::MemberBinding)?;
                in_field(&self.children(binding), Field::Name)
            }
            _ => None,
        }
    }

    /// Lowers `new T[n] { .. }`.
    pub fn array_creation(&mut self, node: Node<'r>) -> ExprId {
        let ty = self.created_array(node);
        self.b.expr(Expr::Cast(ty))
    }

    /// Lowers `stackalloc T[n]`: as an argument or a part of another expression it is a `Span<T>`.
    pub fn stack_allocation(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let ty = self.created_array(node);
        let element = match self.b.facts.type_expr(ty) {
            TypeExpr::Array(element, _) if matches!(context, Context::Argument(..)) => element,
            _ => return self.b.expr(Expr::Cast(ty)),
        };
        let span = self.system_type(&["global::", "System", "Span"], &[element]);
        self.b.expr(Expr::Cast(span))
    }

    fn created_array(&mut self, node: Node<'r>) -> TypeId {
        let children = self.children(node);
        let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let element = match self.b.facts.type_expr(ty) {
            TypeExpr::Array(element, _) => Context::Typed(element),
            _ => Context::None,
        };
        if let Some(initializer) = of_kind(&children, Kind::Initializer) {
            self.array_elements(initializer, element);
        }
        ty
    }

    fn array_elements(&mut self, initializer: Node<'r>, context: Context) {
        for child in self.children(initializer) {
            if child.kind == Kind::Initializer {
                self.with_depth_limit(|lowering| lowering.array_elements(child.node, context));
            } else {
                self.expr(child.node, context);
            }
        }
    }

    /// Lowers `new[] { .. }`, or `{ .. }` as the value of an array.
    pub fn array_literal(&mut self, node: Node<'r>, context: Context, decl: DeclId) -> ExprId {
        let list = if kind(node) == Kind::Initializer {
            Some(node)
        } else {
            of_kind(&self.children(node), Kind::Initializer)
        };

        let decl = if decl.is_none() && kind(node) == Kind::Initializer {
            let at = self.b.at(node);
            self.object_literal(context, at)
        } else {
            decl
        };

        let array = self.b.fresh_expr(Expr::Unknown);
        let elements = list.map(|list| self.children(list)).unwrap_or_default();
        let elements: Vec<ExprId> = elements
            .iter()
            .map(|child| self.expr(child.node, Context::Element(array)))
            .collect();

        let elements = self.b.facts.add_list(elements);
        self.b.facts.exprs[array.index()] = Expr::Array(elements, decl);
        array
    }

    /// Lowers `[a, ..b]`.
    pub fn collection(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let at = self.b.at(node);
        let decl = self.object_literal(context, at);
        let array = self.b.fresh_expr(Expr::Unknown);
        let mut elements = Vec::new();
        for child in self.children(node) {
            for part in self.children(child.node) {
                elements.push(self.collection_element(array, part));
            }
        }
        let elements = self.b.facts.add_list(elements);
        self.b.facts.exprs[array.index()] = Expr::Array(elements, decl);
        array
    }

    fn collection_element(&mut self, array: ExprId, part: Child<'r>) -> ExprId {
        let children = self.children(part.node);
        let Some(value) = children.iter().find(|child| child.kind != Kind::DotDot) else {
            return self.expr(part.node, Context::Element(array));
        };
        match part.kind {
            Kind::SpreadElement => {
                let value = self.expr(value.node, Context::None);
                self.b.expr(Expr::Spread(value))
            }
            Kind::ExpressionElement => self.expr(value.node, Context::Element(array)),
            _ => self.expr(part.node, Context::Element(array)),
        }
    }
}
