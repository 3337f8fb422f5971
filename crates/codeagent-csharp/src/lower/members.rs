//! Members of types, and local functions, with a scope for parameters and body.
//!
//! `public T M<T>(T a) where T : C => a;` becomes a method with a type parameter, a parameter and
//! one returned expression.
//!
//! Limitations: accessors are scopes of their property, not declarations.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::declaration_syntax::DeclSyntax;
use crate::lower::is_attribute_class;
use crate::lower::lowering::{FunctionContext, Lowering};
use crate::syntax::syntax_kind::{Child, Children, Field, Kind, in_field, kind, of_kind};

/// The syntax of a function-like declaration.
struct CallableSyntax<'r> {
    kind: DeclKind,
    name: Sym,
    at: Position,
    token: Node<'r>,
    access: Option<Access>,
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers a member of a type.
    pub fn member(&mut self, child: Child<'r>) {
        let node = child.node;
        match child.kind {
            Kind::FieldDeclaration | Kind::EventFieldDeclaration => self.fields(node, child.kind),
            Kind::PropertyDeclaration | Kind::EventDeclaration | Kind::IndexerDeclaration => {
                self.property(node, child.kind)
            }
            Kind::MethodDeclaration => self.method(node),
            Kind::ConstructorDeclaration => self.constructor(node),
            Kind::DestructorDeclaration => self.destructor(node),
            Kind::OperatorDeclaration | Kind::ConversionDeclaration => {
                self.operator(node, child.kind)
            }
            _ => {}
        }
    }

    fn method(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let callable = CallableSyntax {
            kind: DeclKind::Method,
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access: self.member_access(&parts),
        };
        self.callable(&parts, callable);
    }

    fn constructor(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };

        let is_static = parts.flags.has(DeclFlags::STATIC);
        let callable = CallableSyntax {
            kind: if is_static {
                DeclKind::StaticConstructor
            } else {
                DeclKind::Constructor
            },
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access: if is_static {
                Some(Access::Private)
            } else {
                self.member_access(&parts)
            },
        };

        self.callable(&parts, callable);
    }

    fn destructor(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let text = format!("~{}", self.text(name));
        let callable = CallableSyntax {
            kind: DeclKind::Finalizer,
            name: self.b.sym_owned(&text),
            at: self.b.at(name),
            token: name,
            access: Some(Access::Protected),
        };
        self.callable(&parts, callable);
    }

    /// Lowers `operator +` or `implicit operator T`. The name token is the operator, or for
    /// conversions the word `operator`.
    fn operator(&mut self, node: Node<'r>, kind: Kind) {
        let parts = self.parts(node);
        let (token, text) = if kind == Kind::OperatorDeclaration {
            let Some(token) = parts.operator else { return };
            (
                token,
                format!("operator {}", self.operator_text(token, parts.params)),
            )
        } else {
            let Some(ty) = parts.ty else { return };

            let word = if self.count_tokens(node, "implicit") > 0 {
                "implicit"
            } else {
                "explicit"
            };

            let ty_text: String = self.text(ty).split_whitespace().collect();
            let token = self
                .children(node)
                .iter()
                .find(|child| self.text(child.node) == "operator")
                .map_or(ty, |child| child.node);
            (token, format!("{word} operator {ty_text}"))
        };

        let decl_kind = if kind == Kind::OperatorDeclaration {
            DeclKind::Operator
        } else {
            DeclKind::Conversion
        };

        let access = self.member_access(&parts);
        let callable = CallableSyntax {
            kind: decl_kind,
            name: self.b.sym_owned(&text),
            at: self.b.at(token),
            token,
            access,
        };

        self.callable(&parts, callable);
    }

    /// Returns the operator as written: `operator +=` was parsed as `operator +`.
    fn operator_text(&self, token: Node<'r>, params: Option<Node<'r>>) -> &'t str {
        let end = params.map_or(token.end_byte(), |params| params.start_byte());
        let text = self
            .b
            .text
            .get(token.start_byte()..end)
            .unwrap_or_default()
            .trim();
        if text.len() <= 4 {
            text
        } else {
            self.text(token)
        }
    }

    /// Lowers `delegate R D<T>(A a);`.
    pub fn delegate(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let access = self.member_access(&parts);
        let callable = CallableSyntax {
            kind: DeclKind::Delegate,
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access,
        };
        self.callable(&parts, callable);
    }

    /// Lowers a function inside a function. It has a detail, because it can be a node.
    pub fn local_function(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let callable = CallableSyntax {
            kind: DeclKind::LocalFunction,
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access: None,
        };
        self.callable(&parts, callable);
    }

    fn callable(&mut self, parts: &DeclSyntax<'r>, callable: CallableSyntax<'r>) {
        let saved = self.save();
        let mut flags = parts.flags;
        if callable.kind != DeclKind::LocalFunction && self.ty_decl.some().is_some() {
            flags.insert(DeclFlags::MEMBER);
        }

        if parts.body.is_some() {
            flags.insert(DeclFlags::HAS_BODY);
        }

        let decl = self
            .b
            .declare(callable.name, callable.kind, flags, callable.at);
        self.b.owner = decl;
        let mut detail = parts.detail(callable.token, callable.access);
        detail.deprecated = self.attributes(&parts.attributes);
        if callable.kind == DeclKind::Conversion {
            detail.name = (0, 0);
        }

        detail.explicit = self.explicit_interface(parts.explicit);
        self.add_detail(decl, &detail);
        let scope = self.b.open_scope(ScopeKind::Function, decl);
        self.b.decl(decl).inner = scope;
        self.type_params(decl, parts);
        if let Some(ty) = parts.ty {
            let ty = self.ty(ty);
            self.b.decl(decl).ty = ty;
        }

        if let Some(params) = parts.params {
            self.params(decl, params);
        }

        self.constraints(decl, parts);
        let func = self.in_function(decl, |lowering| {
            if let Some(initializer) = parts.initializer {
                lowering.constructor_initializer(initializer);
            }
            if let Some(body) = parts.body {
                lowering.body(body);
            }
        });

        self.finish_function(decl, func);
        self.restore(saved);
    }

    /// Records the returned values of a function-like declaration.
    pub fn finish_function(&mut self, decl: DeclId, func: FunctionContext) {
        let returns = self.b.facts.add_list(func.returns);
        let decl = self.b.decl(decl);
        decl.returns = returns;
        if func.generator {
            decl.flags.insert(DeclFlags::GENERATOR);
        }
    }

    pub(super) fn explicit_interface(&mut self, node: Option<Node<'r>>) -> TypeId {
        let Some(node) = node else {
            return TypeId::NONE;
        };
        let children = self.children(node);
        children
            .iter()
            .find(|child| child.kind != Kind::Token)
            .map_or(TypeId::NONE, |child| self.ty(child.node))
    }

    /// Hides a body or value from other files, but not in attribute classes, whose constants are the
    /// routes of other files.
    pub(super) fn hide_value(&mut self, node: Node<'r>) {
        let class = self.ty_decl.some();
        if !class.is_some_and(|class| is_attribute_class(self.b.facts.decl_name(class))) {
            self.b
                .exclude_from_interface(node.start_byte(), node.end_byte());
        }
    }

    /// Lowers a block or `=> e`, invisible to other files; the current scope is the function's.
    pub fn body(&mut self, body: Node<'r>) {
        self.hide_value(body);
        if kind(body) == Kind::Block {
            self.statements(body);
        } else if let Some(value) = self
            .children(body)
            .iter()
            .find(|child| child.kind != Kind::Token)
        {
            let expr = self.expr(value.node, Context::Returned(self.func.decl));
            self.func.returns.push(expr);
        }
    }

    /// Lowers `: this(..)` or `: base(..)`.
    fn constructor_initializer(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let word = children
            .iter()
            .find(|child| matches!(child.kind, Kind::This | Kind::Base));
        let (Some(word), Some(arguments)) = (word, of_kind(&children, Kind::ArgumentList)) else {
            return;
        };

        self.hide_value(arguments);
        let call = self.b.begin_call(ExprId::NONE, List::default());
        self.arguments(call, arguments);
        let site = if word.kind == Kind::This {
            SiteKind::ThisInit
        } else {
            SiteKind::BaseInit
        };

        let at = self.b.at(word.node);
        self.b
            .site(site, Subject::Construct(TypeId::NONE, call), at);
    }

    /// Declares parameters in the current scope and adds them to a declaration.
    pub fn params(&mut self, decl: DeclId, list: Node<'r>) {
        let children = self.children(list);
        let mut declared = Vec::with_capacity(children.len());
        for child in &children {
            if child.kind == Kind::Parameter {
                declared.extend(self.param(child.node));
            }
        }
        declared.extend(self.params_array(&children));
        let is_extension = declared
            .first()
            .is_some_and(|first| self.b.facts.decl(*first).flags.has(DeclFlags::EXTENSION));
        self.b.decl(decl).params = self.b.facts.add_list(declared);
        if is_extension {
            self.b.decl(decl).flags.insert(DeclFlags::EXTENSION);
        }
    }

    fn param(&mut self, node: Node<'r>) -> Option<DeclId> {
        let parts = self.children(node);
        let mut flags = DeclFlags::default();
        let mut default = None;
        let mut after_equals = false;
        for part in &parts {
            match part.kind {
                Kind::AttributeList => {
                    self.attribute_list(part.node);
                }
                Kind::Modifier => flags.insert(match self.text(part.node) {
                    "this" => DeclFlags::EXTENSION,
                    "ref" => DeclFlags::REF,
                    "out" => DeclFlags::OUT,
                    "in" | "readonly" => DeclFlags::IN,
                    _ => DeclFlags::default(),
                }),
                Kind::Equals => after_equals = true,
                _ if after_equals => default = Some(part.node),
                _ => {}
            }
        }

        if flags.has(DeclFlags::REF | DeclFlags::IN) {
            flags = DeclFlags(flags.0 & !DeclFlags::REF.0);
        }
        let ty = in_field(&parts, Field::Type).map_or(TypeId::NONE, |ty| self.param_type(ty));

        if default.is_some() {
            flags.insert(DeclFlags::OPTIONAL);
        }

        let name = in_field(&parts, Field::Name)?;
        let sym = self.name(name);
        let at = self.b.at(name);
        let param = self.b.declare(sym, DeclKind::Parameter, flags, at);
        self.b.decl(param).ty = ty;
        if let Some(default) = default {
            let context = if ty.is_none() {
                Context::None
            } else {
                Context::Typed(ty)
            };
            let init = self.expr(default, context);
            self.b.decl(param).init = init;
        }

        Some(param)
    }

    /// Declares `params T[] x`, which has no node of its own: keyword, type and name are children
    /// of the list.
    fn params_array(&mut self, children: &Children<'r>) -> Option<DeclId> {
        let word = children
            .iter()
            .position(|child| child.kind == Kind::Params)?;
        let ty = children[word..]
            .iter()
            .find(|child| child.field == Field::Type)
            .map_or(TypeId::NONE, |ty| self.param_type(ty.node));

        let name = children[word..]
            .iter()
            .find(|child| child.field == Field::Name)?
            .node;

        for child in children[..word]
            .iter()
            .filter(|child| child.kind == Kind::AttributeList)
        {
            self.attribute_list(child.node);
        }

        let sym = self.name(name);
        let at = self.b.at(name);
        let param = self
            .b
            .declare(sym, DeclKind::Parameter, DeclFlags::REST, at);
        self.b.decl(param).ty = ty;
        Some(param)
    }

    fn param_type(&mut self, node: Node<'r>) -> TypeId {
        let outer = std::mem::replace(&mut self.type_site, SiteKind::ParameterType);
        let ty = self.ty(node);
        self.type_site = outer;
        ty
    }
}
