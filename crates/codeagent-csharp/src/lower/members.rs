//! Members of types, and local functions, with a scope for parameters and body.
//!
//! `public T M<T>(T a) where T : C => a;` becomes a method with a type parameter, a parameter and
//! one returned expression.
//!
//! **Limits.** Accessors are scopes of their property, not declarations.

use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::declaration_syntax::{DetailOf, Parts};
use crate::lower::walk::{Func, Walker};
use crate::syntax::kinds::{Field, Kid, Kids, Kind, in_field, kind, of_kind};

/// A function-like declaration about to be made.
struct Callable<'r> {
    kind: DeclKind,
    name: Sym,
    at: Position,
    token: Node<'r>,
    access: Option<Access>,
}

impl<'t, 'r> Walker<'t, 'r> {
    /// A member of a type.
    pub fn member(&mut self, kid: Kid<'r>) {
        let node = kid.node;
        match kid.kind {
            Kind::FieldDeclaration | Kind::EventFieldDeclaration => self.fields(node, kid.kind),
            Kind::PropertyDeclaration | Kind::EventDeclaration | Kind::IndexerDeclaration => {
                self.property(node, kid.kind)
            }
            Kind::MethodDeclaration => self.method(node),
            Kind::ConstructorDeclaration => self.constructor(node),
            Kind::DestructorDeclaration => self.destructor(node),
            Kind::OperatorDeclaration | Kind::ConversionDeclaration => {
                self.operator(node, kid.kind)
            }
            _ => {}
        }
    }

    fn method(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let callable = Callable {
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
        let callable = Callable {
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
        let callable = Callable {
            kind: DeclKind::Finalizer,
            name: self.b.sym_owned(&text),
            at: self.b.at(name),
            token: name,
            access: Some(Access::Protected),
        };
        self.callable(&parts, callable);
    }

    /// `operator +`, `implicit operator T`. The name token is the operator, for conversions the
    /// word `operator`.
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
                .kids(node)
                .iter()
                .find(|kid| self.text(kid.node) == "operator")
                .map_or(ty, |kid| kid.node);
            (token, format!("{word} operator {ty_text}"))
        };

        let decl_kind = if kind == Kind::OperatorDeclaration {
            DeclKind::Operator
        } else {
            DeclKind::Conversion
        };

        let access = self.member_access(&parts);
        let callable = Callable {
            kind: decl_kind,
            name: self.b.sym_owned(&text),
            at: self.b.at(token),
            token,
            access,
        };

        self.callable(&parts, callable);
    }

    /// The operator as written: `operator +=` was read as `operator +`.
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

    /// `delegate R D<T>(A a);`
    pub fn delegate(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let access = self.member_access(&parts);
        let callable = Callable {
            kind: DeclKind::Delegate,
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access,
        };
        self.callable(&parts, callable);
    }

    /// A function inside a function; it has a detail because it can be a node.
    pub fn local_function(&mut self, node: Node<'r>) {
        let parts = self.parts(node);
        let Some(name) = parts.name else { return };
        let callable = Callable {
            kind: DeclKind::LocalFunction,
            name: self.name(name),
            at: self.b.at(name),
            token: name,
            access: None,
        };
        self.callable(&parts, callable);
    }

    fn callable(&mut self, parts: &Parts<'r>, callable: Callable<'r>) {
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
        let func = self.in_function(decl, |walk| {
            if let Some(initializer) = parts.initializer {
                walk.constructor_initializer(initializer);
            }
            if let Some(body) = parts.body {
                walk.body(body);
            }
        });

        self.finish_function(decl, func);
        self.restore(saved);
    }

    /// Records what a function-like declaration returns.
    pub fn finish_function(&mut self, decl: DeclId, func: Func) {
        let returns = self.b.facts.add_list(func.returns);
        let decl = self.b.decl(decl);
        decl.returns = returns;
        if func.generator {
            decl.flags.insert(DeclFlags::GENERATOR);
        }
    }

    fn explicit_interface(&mut self, node: Option<Node<'r>>) -> TypeId {
        let Some(node) = node else {
            return TypeId::NONE;
        };
        let kids = self.kids(node);
        kids.iter()
            .find(|kid| kid.kind != Kind::Token)
            .map_or(TypeId::NONE, |kid| self.ty(kid.node))
    }

    /// A block or `=> e`, hidden from other files; the current scope is the function's.
    pub fn body(&mut self, body: Node<'r>) {
        self.b.hide(body.start_byte(), body.end_byte());
        if kind(body) == Kind::Block {
            self.statements(body);
        } else if let Some(value) = self.kids(body).iter().find(|kid| kid.kind != Kind::Token) {
            let expr = self.expr(value.node, Context::Returned(self.func.decl));
            self.func.returns.push(expr);
        }
    }

    /// `: this(..)`, `: base(..)`
    fn constructor_initializer(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let word = kids
            .iter()
            .find(|kid| matches!(kid.kind, Kind::This | Kind::Base));
        let (Some(word), Some(arguments)) = (word, of_kind(&kids, Kind::ArgumentList)) else {
            return;
        };

        self.b.hide(arguments.start_byte(), arguments.end_byte());
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

    /// Declares parameters in the current scope and gives them to a declaration.
    pub fn params(&mut self, decl: DeclId, list: Node<'r>) {
        let kids = self.kids(list);
        let mut declared = Vec::with_capacity(kids.len());
        for kid in &kids {
            if kid.kind == Kind::Parameter {
                declared.extend(self.param(kid.node));
            }
        }
        declared.extend(self.params_array(&kids));
        let is_extension = declared
            .first()
            .is_some_and(|first| self.b.facts.decl(*first).flags.has(DeclFlags::EXTENSION));
        self.b.decl(decl).params = self.b.facts.add_list(declared);
        if is_extension {
            self.b.decl(decl).flags.insert(DeclFlags::EXTENSION);
        }
    }

    fn param(&mut self, node: Node<'r>) -> Option<DeclId> {
        let parts = self.kids(node);
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

    /// `params T[] x` has no node of its own: word, type and name are children of the list.
    fn params_array(&mut self, kids: &Kids<'r>) -> Option<DeclId> {
        let word = kids.iter().position(|kid| kid.kind == Kind::Params)?;
        let ty = kids[word..]
            .iter()
            .find(|kid| kid.field == Field::Type)
            .map_or(TypeId::NONE, |ty| self.param_type(ty.node));

        let name = kids[word..]
            .iter()
            .find(|kid| kid.field == Field::Name)?
            .node;

        for kid in kids[..word]
            .iter()
            .filter(|kid| kid.kind == Kind::AttributeList)
        {
            self.attribute_list(kid.node);
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

impl<'t, 'r> Walker<'t, 'r> {
    /// One declaration per declarator.
    fn fields(&mut self, node: Node<'r>, kind: Kind) {
        let parts = self.parts(node);
        let Some(variables) = parts.variables else {
            return;
        };

        let kids = self.kids(variables);
        let declarators: Vec<Node<'r>> = kids
            .iter()
            .filter(|kid| kid.kind == Kind::VariableDeclarator)
            .map(|kid| kid.node)
            .collect();
        let ty_node = in_field(&kids, Field::Type);

        let decl_kind = if kind == Kind::EventFieldDeclaration {
            DeclKind::Event
        } else {
            DeclKind::Field
        };

        let access = self.member_access(&parts);
        let mut ty = TypeId::NONE;
        let mut deprecated = false;
        for (index, declarator) in declarators.iter().enumerate() {
            let pieces = self.kids(*declarator);
            let Some(name) = in_field(&pieces, Field::Name) else {
                continue;
            };

            let sym = self.name(name);
            let at = self.b.at(name);
            let decl = self
                .b
                .declare(sym, decl_kind, parts.flags | DeclFlags::MEMBER, at);
            let outer = std::mem::replace(&mut self.b.owner, decl);

            if index == 0 {
                deprecated = self.attributes(&parts.attributes);
                ty = ty_node.map_or(TypeId::NONE, |node| self.ty(node));
            }

            self.b.decl(decl).ty = ty;
            let whole = if declarators.len() == 1 {
                node
            } else {
                *declarator
            };

            let detail = DetailOf {
                range: (whole.start_byte(), whole.end_byte()),
                ty: ty_node,
                deprecated,
                ..parts.detail(name, access)
            };

            self.add_detail(decl, &detail);
            self.field_value(decl, &pieces, ty);
            self.b.owner = outer;
        }
    }

    fn field_value(&mut self, decl: DeclId, pieces: &Kids<'r>, ty: TypeId) {
        for piece in pieces
            .iter()
            .skip(1)
            .filter(|piece| piece.kind != Kind::Equals)
        {
            if piece.kind == Kind::BracketedArguments {
                self.plain_arguments(piece.node);
            } else {
                self.initial_value(decl, piece.node, ty);
            }
        }
    }

    /// The initial value of a field or property, in a scope of its own. What a constant is decides
    /// where it converts to.
    fn initial_value(&mut self, decl: DeclId, value: Node<'r>, ty: TypeId) {
        if !self.b.facts.decl(decl).flags.has(DeclFlags::CONST) {
            self.b.hide(value.start_byte(), value.end_byte());
        }
        let init = self.in_block(|walk| walk.expr(value, Context::Typed(ty)));
        self.b.decl(decl).init = init;
    }

    /// A property, indexer or event with accessors.
    fn property(&mut self, node: Node<'r>, kind: Kind) {
        let parts = self.parts(node);
        let (token, sym) = match parts.name {
            Some(name) if kind != Kind::IndexerDeclaration => (name, self.name(name)),
            _ => {
                let kids = self.kids(node);
                let Some(this) = of_kind(&kids, Kind::This) else {
                    return;
                };
                (this, self.b.sym_owned("this[]"))
            }
        };

        let decl_kind = match kind {
            Kind::IndexerDeclaration => DeclKind::Indexer,
            Kind::EventDeclaration => DeclKind::Event,
            _ => DeclKind::Property,
        };

        let saved = self.save();
        let at = self.b.at(token);
        let decl = self
            .b
            .declare(sym, decl_kind, parts.flags | DeclFlags::MEMBER, at);
        self.b.owner = decl;
        let mut detail = parts.detail(token, self.member_access(&parts));
        detail.deprecated = self.attributes(&parts.attributes);
        detail.explicit = self.explicit_interface(parts.explicit);
        self.add_detail(decl, &detail);
        let ty = parts.ty.map_or(TypeId::NONE, |ty| self.ty(ty));
        self.b.decl(decl).ty = ty;
        if let Some(params) = parts.params {
            let scope = self.b.open_scope(ScopeKind::Function, decl);
            self.b.decl(decl).inner = scope;
            self.params(decl, params);
        }

        self.accessors(decl, &parts);
        if let Some(value) = parts.value {
            self.initial_value(decl, value, ty);
        }

        self.restore(saved);
    }

    /// The accessor bodies: `get` and `=>` return values of the property.
    fn accessors(&mut self, decl: DeclId, parts: &Parts<'r>) {
        let mut returns = Vec::new();
        if let Some(arrow) = parts.body {
            self.b.decl(decl).flags.insert(DeclFlags::HAS_BODY);
            returns.extend(self.accessor_body(decl, arrow, None).returns);
        }

        let kids = parts
            .accessors
            .map(|list| self.kids(list))
            .unwrap_or_default();

        for accessor in kids
            .iter()
            .filter(|kid| kid.kind == Kind::AccessorDeclaration)
        {
            let pieces = self.parts(accessor.node);
            self.attributes(&pieces.attributes);
            let Some(body) = pieces.body else { continue };

            self.b.decl(decl).flags.insert(DeclFlags::HAS_BODY);
            let is_get = pieces.name.is_none_or(|name| self.text(name) == "get");
            let func = self.accessor_body(decl, body, pieces.name.filter(|_| !is_get));
            if is_get {
                returns.extend(func.returns);
                if func.generator {
                    self.b.decl(decl).flags.insert(DeclFlags::GENERATOR);
                }
            }
        }

        self.b.decl(decl).returns = self.b.facts.add_list(returns);
    }

    /// One accessor; `setter` is its name token if it has a `value`.
    fn accessor_body(&mut self, decl: DeclId, body: Node<'r>, setter: Option<Node<'r>>) -> Func {
        let outer = self.b.scope;
        self.b.open_scope(ScopeKind::Function, decl);
        let ty = self.b.facts.decl(decl).ty;
        if let Some(setter) = setter {
            let sym = self.b.sym_owned("value");
            let at = self.b.at(setter);
            let value = self
                .b
                .declare(sym, DeclKind::Parameter, DeclFlags::default(), at);
            self.b.decl(value).ty = ty;
        }

        if self.uses_backing_field(body) {
            let sym = self.b.sym_owned("field");
            let at = self.b.at(body);
            let field = self
                .b
                .declare(sym, DeclKind::Variable, DeclFlags::default(), at);
            self.b.decl(field).ty = ty;
        }

        let func = self.in_function(decl, |walk| walk.body(body));
        self.b.scope = outer;
        func
    }

    /// The keyword `field`, unless the type has a field of that name.
    fn uses_backing_field(&mut self, body: Node<'r>) -> bool {
        let text = self.text(body);
        let is_word = |text: &str, at: usize| {
            let part = |byte: Option<&u8>| {
                byte.is_some_and(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@')
                })
            };
            !part(text.as_bytes().get(at.wrapping_sub(1)))
                && !part(text.as_bytes().get(at + 5).filter(|byte| **byte != b'.'))
        };
        let mentions = text.match_indices("field").any(|(at, _)| is_word(text, at));
        mentions && !self.has_member_field(body)
    }

    /// Whether the type around a body declares a field named `field`.
    fn has_member_field(&mut self, body: Node<'r>) -> bool {
        let mut outer = body.parent();
        while let Some(node) = outer {
            let kids = self.kids(node);
            let fields = kids.iter().filter(|kid| kid.kind == Kind::FieldDeclaration);
            let variables: Vec<Node<'r>> = fields
                .filter_map(|field| of_kind(&self.kids(field.node), Kind::VariableDeclaration))
                .collect();
            for variable in variables {
                let declarators = self.kids(variable);
                if declarators.iter().any(|kid| {
                    self.text(kid.node)
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()
                        == Some("field")
                }) {
                    return true;
                }
            }

            if kids.iter().any(|kid| kid.kind == Kind::PropertyDeclaration) {
                return false;
            }
            outer = node.parent();
        }

        false
    }
}
