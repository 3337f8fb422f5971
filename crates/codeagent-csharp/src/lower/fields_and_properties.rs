//! Fields, events, properties and indexers.
//!
//! `int P { get; } = f();` becomes a property whose `init` is the call.
//!
//! Limitations: accessors are scopes of their property, not declarations.

use codeagent_model::facts::*;
use tree_sitter::Node;

use crate::lower::declaration_syntax::{DeclSyntax, DetailSyntax};
use crate::lower::lowering::{FunctionContext, Lowering};
use crate::syntax::syntax_kind::{Children, Field, Kind, in_field, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Declares each declarator of a field or event.
    pub(super) fn fields(&mut self, node: Node<'r>, kind: Kind) {
        let parts = self.parts(node);
        let Some(variables) = parts.variables else {
            return;
        };

        let children = self.children(variables);
        let declarators: Vec<Node<'r>> = children
            .iter()
            .filter(|child| child.kind == Kind::VariableDeclarator)
            .map(|child| child.node)
            .collect();
        let ty_node = in_field(&children, Field::Type);

        let decl_kind = if kind == Kind::EventFieldDeclaration {
            DeclKind::Event
        } else {
            DeclKind::Field
        };

        let access = self.member_access(&parts);
        let mut ty = TypeId::NONE;
        let mut deprecated = false;
        for (index, declarator) in declarators.iter().enumerate() {
            let nodes = self.children(*declarator);
            let Some(name) = in_field(&nodes, Field::Name) else {
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

            let detail = DetailSyntax {
                range: (whole.start_byte(), whole.end_byte()),
                ty: ty_node,
                deprecated,
                ..parts.detail(name, access)
            };

            self.add_detail(decl, &detail);
            self.field_value(decl, &nodes, ty);
            self.b.owner = outer;
        }
    }

    fn field_value(&mut self, decl: DeclId, nodes: &Children<'r>, ty: TypeId) {
        for item in nodes
            .iter()
            .skip(1)
            .filter(|item| item.kind != Kind::Equals)
        {
            if item.kind == Kind::BracketedArguments {
                self.plain_arguments(item.node);
            } else {
                self.initial_value(decl, item.node, ty);
            }
        }
    }

    /// Lowers the initial value of a field or property, in a scope of its own. Other files see the
    /// value of a constant, because it decides to which types the constant converts.
    fn initial_value(&mut self, decl: DeclId, value: Node<'r>, ty: TypeId) {
        if !self.b.facts.decl(decl).flags.has(DeclFlags::CONST) {
            self.hide_value(value);
        }
        let init = self.in_block(|lowering| lowering.expr(value, Context::Typed(ty)));
        self.b.decl(decl).init = init;
    }

    /// Lowers a property, indexer or event with accessors.
    pub(super) fn property(&mut self, node: Node<'r>, kind: Kind) {
        let parts = self.parts(node);
        let (token, sym) = match parts.name {
            Some(name) if kind != Kind::IndexerDeclaration => (name, self.name(name)),
            _ => {
                let children = self.children(node);
                let Some(this) = of_kind(&children, Kind::This) else {
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
        if decl_kind != DeclKind::Event {
            detail.accessors = self.written_accessors(&parts);
        }
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

    /// Returns the accessors that a property or indexer declares.
    fn written_accessors(&mut self, parts: &DeclSyntax<'r>) -> Accessors {
        let mut written = Accessors::default();
        written.set(Accessors::GET, parts.body.is_some());
        let children = parts
            .accessors
            .map(|list| self.children(list))
            .unwrap_or_default();

        for accessor in &children {
            let parts = self.parts(accessor.node);
            let kind = match parts.name.map(|name| self.text(name)) {
                Some("get") => Accessors::GET,
                Some("set") => Accessors::SET,
                Some("init") => Accessors::INIT,
                _ => continue,
            };
            written.set(kind, true);
            if let Some(access) = parts.access {
                written.set_own_access(access, kind == Accessors::GET);
            }
        }
        written
    }

    /// Lowers the accessor bodies; `get` and `=>` return values of the property.
    fn accessors(&mut self, decl: DeclId, parts: &DeclSyntax<'r>) {
        let mut returns = Vec::new();
        if let Some(arrow) = parts.body {
            self.b.decl(decl).flags.insert(DeclFlags::HAS_BODY);
            returns.extend(self.accessor_body(decl, arrow, None).returns);
        }

        let children = parts
            .accessors
            .map(|list| self.children(list))
            .unwrap_or_default();

        for accessor in children
            .iter()
            .filter(|child| child.kind == Kind::AccessorDeclaration)
        {
            let nodes = self.parts(accessor.node);
            self.attributes(&nodes.attributes);
            let Some(body) = nodes.body else { continue };

            self.b.decl(decl).flags.insert(DeclFlags::HAS_BODY);
            let is_get = nodes.name.is_none_or(|name| self.text(name) == "get");
            let func = self.accessor_body(decl, body, nodes.name.filter(|_| !is_get));
            if is_get {
                returns.extend(func.returns);
                if func.generator {
                    self.b.decl(decl).flags.insert(DeclFlags::GENERATOR);
                }
            }
        }

        self.b.decl(decl).returns = self.b.facts.add_list(returns);
    }

    /// Lowers one accessor; `setter` is its name token if it has a `value`.
    fn accessor_body(
        &mut self,
        decl: DeclId,
        body: Node<'r>,
        setter: Option<Node<'r>>,
    ) -> FunctionContext {
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

        let func = self.in_function(decl, |lowering| lowering.body(body));
        self.b.scope = outer;
        func
    }

    /// Reports whether `field` in a body is the keyword: the type has no field of that name.
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

    /// Reports whether the enclosing type declares a field named `field`.
    fn has_member_field(&mut self, body: Node<'r>) -> bool {
        let mut outer = body.parent();
        while let Some(node) = outer {
            let children = self.children(node);
            let fields = children
                .iter()
                .filter(|child| child.kind == Kind::FieldDeclaration);
            let variables: Vec<Node<'r>> = fields
                .filter_map(|field| of_kind(&self.children(field.node), Kind::VariableDeclaration))
                .collect();
            for variable in variables {
                let declarators = self.children(variable);
                if declarators.iter().any(|child| {
                    self.text(child.node)
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()
                        == Some("field")
                }) {
                    return true;
                }
            }

            if children
                .iter()
                .any(|child| child.kind == Kind::PropertyDeclaration)
            {
                return false;
            }
            outer = node.parent();
        }

        false
    }
}
