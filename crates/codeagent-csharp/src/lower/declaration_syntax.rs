//! The parts that all declaration nodes share (attributes, modifiers, name, type, parameters,
//! body), and the `Detail` built from them.
//!
//! Limitations: the default access follows from the container (interface, class, top level). An
//! explicit implementation is private, as in the compiler.

use std::borrow::Cow;

use codeagent_lang::lower::collapse_whitespace::one_line;
use codeagent_model::facts::*;
use codeagent_model::graph::Access;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::doc_and_signature;
use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Field, Kind};

/// The parts of one declaration node.
pub struct DeclSyntax<'r> {
    pub node: Node<'r>,
    pub attributes: SmallVec<[Node<'r>; 2]>,
    pub flags: DeclFlags,
    pub access: Option<Access>,
    pub name: Option<Node<'r>>,
    /// Declared or return type.
    pub ty: Option<Node<'r>>,
    pub type_params: Option<Node<'r>>,
    pub params: Option<Node<'r>>,
    /// `where` clauses.
    pub constraints: SmallVec<[Node<'r>; 2]>,
    pub bases: Option<Node<'r>>,
    /// `I.` of an explicit implementation.
    pub explicit: Option<Node<'r>>,
    /// `: base(..)`.
    pub initializer: Option<Node<'r>>,
    pub accessors: Option<Node<'r>>,
    /// Block, `=> e` or member list.
    pub body: Option<Node<'r>>,
    pub value: Option<Node<'r>>,
    pub operator: Option<Node<'r>>,
    /// Declarators.
    pub variables: Option<Node<'r>>,
}

/// The syntax from which the `Detail` of a declaration is built.
pub struct DetailSyntax<'r> {
    /// Byte range of the declaration.
    pub range: (usize, usize),
    /// Byte range of its name.
    pub name: (usize, usize),
    pub access: Option<Access>,
    pub params: Option<Node<'r>>,
    pub ty: Option<Node<'r>>,
    /// The interface of an explicit implementation.
    pub explicit: TypeId,
    pub deprecated: bool,
    pub accessors: Accessors,
}

impl<'r> DeclSyntax<'r> {
    /// Returns the detail of a declaration with this name token.
    pub fn detail(&self, name: Node<'_>, access: Option<Access>) -> DetailSyntax<'r> {
        DetailSyntax {
            range: (self.node.start_byte(), self.node.end_byte()),
            name: (name.start_byte(), name.end_byte()),
            access,
            params: self.params,
            ty: self.ty,
            explicit: TypeId::NONE,
            deprecated: false,
            accessors: Accessors::default(),
        }
    }
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Splits a declaration node into its parts.
    pub fn parts(&mut self, node: Node<'r>) -> DeclSyntax<'r> {
        let mut parts = DeclSyntax {
            node,
            attributes: SmallVec::new(),
            flags: DeclFlags::default(),
            access: None,
            name: None,
            ty: None,
            type_params: None,
            params: None,
            constraints: SmallVec::new(),
            bases: None,
            explicit: None,
            initializer: None,
            accessors: None,
            body: None,
            value: None,
            operator: None,
            variables: None,
        };
        for child in self.children(node) {
            match child.kind {
                Kind::AttributeList => parts.attributes.push(child.node),
                Kind::Modifier => self.modifier(&mut parts, child.node),
                Kind::TypeParameterList => parts.type_params = Some(child.node),
                Kind::ParameterList | Kind::BracketedParameterList => {
                    parts.params = Some(child.node)
                }
                Kind::Constraints => parts.constraints.push(child.node),
                Kind::BaseList => parts.bases = Some(child.node),
                Kind::ExplicitInterface => parts.explicit = Some(child.node),
                Kind::ConstructorInitializer => parts.initializer = Some(child.node),
                Kind::AccessorList => parts.accessors = Some(child.node),
                Kind::DeclarationList | Kind::EnumMembers | Kind::Block | Kind::ArrowClause => {
                    parts.body = Some(child.node)
                }
                Kind::VariableDeclaration => parts.variables = Some(child.node),
                _ => match child.field {
                    Field::Name => parts.name = Some(child.node),
                    Field::Type | Field::Returns => parts.ty = Some(child.node),
                    Field::Operator => parts.operator = Some(child.node),
                    Field::Value => parts.value = Some(child.node),
                    _ => {}
                },
            }
        }

        parts
    }

    fn modifier(&self, parts: &mut DeclSyntax<'r>, node: Node<'r>) {
        let flag = match self.text(node) {
            "static" => DeclFlags::STATIC,
            "abstract" => DeclFlags::ABSTRACT,
            "virtual" => DeclFlags::VIRTUAL,
            "override" => DeclFlags::OVERRIDE,
            "sealed" => DeclFlags::SEALED,
            "async" => DeclFlags::ASYNC,
            "readonly" => DeclFlags::READONLY,
            "const" => DeclFlags::CONST | DeclFlags::STATIC,
            "partial" => DeclFlags::PARTIAL,
            "new" => DeclFlags::HIDES,
            "extern" => DeclFlags::EXTERN,
            "required" => DeclFlags::REQUIRED,
            word => {
                parts.access = match (word, parts.access) {
                    ("public", _) => Some(Access::Public),
                    ("file", _) => Some(Access::File),
                    ("protected", Some(Access::Internal))
                    | ("internal", Some(Access::Protected)) => Some(Access::ProtectedInternal),
                    ("protected", Some(Access::Private)) | ("private", Some(Access::Protected)) => {
                        Some(Access::PrivateProtected)
                    }
                    ("protected", _) => Some(Access::Protected),
                    ("internal", _) => Some(Access::Internal),
                    ("private", _) => Some(Access::Private),
                    (_, access) => access,
                };

                return;
            }
        };

        parts.flags.insert(flag);
    }

    /// Returns the accessibility of a member, or its default where none is written.
    pub fn member_access(&self, parts: &DeclSyntax<'r>) -> Option<Access> {
        if parts.explicit.is_some() {
            return Some(Access::Private);
        }
        parts.access.or_else(|| {
            let container = self.ty_decl.some().map(|decl| self.b.facts.decl(decl).kind);
            Some(match container {
                Some(DeclKind::Interface | DeclKind::Enum) => Access::Public,
                Some(_) => Access::Private,
                None => Access::Internal,
            })
        })
    }

    /// Sets the detail of a declaration.
    pub fn add_detail(&mut self, decl: DeclId, of: &DetailSyntax<'r>) {
        let text = self.b.text;
        let parameters = of.params.map_or(Sym::NONE, |node| self.folded(node));
        let type_text = of.ty.map_or(Sym::NONE, |node| self.folded(node));
        let doc = doc_and_signature::doc_above(text, of.range.0)
            .map_or(Sym::NONE, |doc| self.b.sym_owned(&doc));
        let detail = Detail {
            span: self.b.span(of.range.0, of.range.1),
            access: of.access,
            parameters,
            type_text,
            doc,
            deprecated: of.deprecated,
            accessors: of.accessors,
            explicit_interface: of.explicit,
            body_hash: self.stripped.hash(text, of.range, of.name),
        };

        self.b.set_detail(decl, detail);
    }

    /// Returns the text of a node on one line.
    fn folded(&mut self, node: Node<'r>) -> Sym {
        match one_line(self.text(node)) {
            Cow::Borrowed(text) => self.b.sym(text),
            Cow::Owned(text) => self.b.sym_owned(&text),
        }
    }
}
