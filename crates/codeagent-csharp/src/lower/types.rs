//! Type syntax: type expressions, and a site for every name in them.
//!
//! `A.B<int>[]` becomes `Array(Name([A, B<int>]))` with sites at `A` and `B`.
//!
//! Limitations: function pointers are `Unknown`; the types in them still have sites.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Field, Kind, in_field, kind};

/// Largest number of segments of a dotted name; the lookup of each repeats that of all before it.
const MAX_SEGMENTS: usize = 100;

/// Selects the segments of a dotted type name that get a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sites {
    All,
    /// All but the last, which has a site of another kind.
    Qualifiers,
    /// Only names in type arguments.
    None,
}

/// A type and the position of its last name token.
#[derive(Clone, Copy, Debug)]
pub struct NamedType {
    pub ty: TypeId,
    /// Position of its last name token.
    pub at: Position,
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers a type; `NONE` for `var`.
    pub fn ty(&mut self, node: Node<'r>) -> TypeId {
        self.with_depth_limit(|lowering| lowering.type_inner(node))
            .unwrap_or_default()
    }

    fn type_inner(&mut self, node: Node<'r>) -> TypeId {
        match kind(node) {
            Kind::ImplicitType => TypeId::NONE,
            Kind::PredefinedType => {
                let word = self.name(node);
                self.b.type_expr(TypeExpr::Primitive(word))
            }
            Kind::Identifier
            | Kind::GenericName
            | Kind::QualifiedName
            | Kind::AliasQualifiedName => self.named_type(node, Sites::All).ty,

            Kind::ArrayType => self.array_type(node),
            Kind::NullableType => self.wrapped(node, TypeExpr::Nullable),
            Kind::PointerType => self.wrapped(node, TypeExpr::Pointer),
            Kind::RefType => self.wrapped(node, TypeExpr::ByRef),
            Kind::ScopedType => self.inner_type(node),
            Kind::TupleType => self.tuple_type(node),

            _ => {
                for child in self.children(node) {
                    if child.field == Field::Type || child.field == Field::Returns {
                        self.ty(child.node);
                    } else if child.kind == Kind::Other {
                        self.type_inner_nested(child.node);
                    }
                }
                self.b.type_expr(TypeExpr::Unknown)
            }
        }
    }

    fn type_inner_nested(&mut self, node: Node<'r>) {
        self.with_depth_limit(|lowering| lowering.type_inner(node));
    }

    fn inner_type(&mut self, node: Node<'r>) -> TypeId {
        let children = self.children(node);
        in_field(&children, Field::Type).map_or(TypeId::NONE, |inner| self.ty(inner))
    }

    fn wrapped(&mut self, node: Node<'r>, wrap: impl FnOnce(TypeId) -> TypeExpr) -> TypeId {
        match self.inner_type(node) {
            TypeId::NONE => TypeId::NONE,
            inner => self.b.type_expr(wrap(inner)),
        }
    }

    /// Lowers an array type. `int[][,]` is a one-dimensional array of two-dimensional arrays: the
    /// ranks nest in reading order.
    fn array_type(&mut self, node: Node<'r>) -> TypeId {
        let mut ranks: SmallVec<[u8; 2]> = SmallVec::new();
        let mut inner = node;
        while kind(inner) == Kind::ArrayType {
            let children = self.children(inner);
            if let Some(rank) = in_field(&children, Field::Rank) {
                ranks.push(self.count_tokens(rank, ",").min(30) as u8 + 1);
                for size in self.children(rank) {
                    self.expr(size.node, Context::None);
                }
            }

            match in_field(&children, Field::Type) {
                Some(element) => inner = element,
                None => break,
            }
        }

        let mut ty = if kind(inner) == Kind::ArrayType {
            TypeId::NONE
        } else {
            self.ty(inner)
        };

        for rank in ranks {
            ty = self.b.type_expr(TypeExpr::Array(ty, rank));
        }

        ty
    }

    fn tuple_type(&mut self, node: Node<'r>) -> TypeId {
        let mut elements: SmallVec<[Element; 4]> = SmallVec::new();
        for child in self.children(node) {
            if child.kind == Kind::TupleElement {
                let parts = self.children(child.node);
                let ty = in_field(&parts, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
                let name = in_field(&parts, Field::Name).map_or(Sym::NONE, |name| self.name(name));
                elements.push(Element {
                    name,
                    ty,
                    rest: false,
                });
            }
        }
        let elements = self.b.facts.add_list(elements);
        self.b.type_expr(TypeExpr::Tuple(elements))
    }

    /// Lowers a dotted name.
    pub fn named_type(&mut self, node: Node<'r>, sites: Sites) -> NamedType {
        if kind(node) == Kind::Identifier && self.blanked_type_list(node).is_none() {
            return self.bare_type(node, sites);
        }

        let mut tokens: SmallVec<[Node<'r>; 4]> = SmallVec::new();
        let mut segments: SmallVec<[Segment; 4]> = SmallVec::new();
        for (name, args, is_alias) in self.segments(node) {
            let args = args.map_or(List::default(), |args| self.type_args(args));

            let sym = if is_alias {
                self.alias_name(name)
            } else {
                self.name(name)
            };

            segments.push(Segment { name: sym, args });
            tokens.push(name);
        }

        let count = segments.len();
        let segments = self.b.facts.add_list(segments);
        let scope = self.b.scope;
        let ty = self.b.type_expr(TypeExpr::Name(segments, scope));
        for (index, token) in tokens.iter().enumerate() {
            if sites == Sites::All || (sites == Sites::Qualifiers && index + 1 < count) {
                let at = self.b.at(*token);
                self.b
                    .site(self.type_site, Subject::Type(ty, index as u16), at);
            }
        }

        let at = self.b.at(tokens.last().copied().unwrap_or(node));
        NamedType { ty, at }
    }

    fn bare_type(&mut self, node: Node<'r>, sites: Sites) -> NamedType {
        let at = self.b.at(node);
        let name = self.name(node);
        let ty = if self.text(node) == "dynamic" {
            self.b.type_expr(TypeExpr::Primitive(name))
        } else {
            self.simple_named_type(name)
        };
        if sites == Sites::All {
            self.b.site(self.type_site, Subject::Type(ty, 0), at);
        }
        NamedType { ty, at }
    }

    fn alias_name(&mut self, name: Node<'r>) -> Sym {
        let text = format!("{}::", self.text(name));
        self.b.sym_owned(&text)
    }

    /// Returns the segments of a dotted name from left to right: name token, type arguments, and
    /// whether it is the alias before `::`.
    pub fn segments(
        &mut self,
        node: Node<'r>,
    ) -> SmallVec<[(Node<'r>, Option<Node<'r>>, bool); 4]> {
        let mut found = SmallVec::new();
        let mut rest = Some(node);
        while let Some(node) = rest.take() {
            match kind(node) {
                Kind::QualifiedName | Kind::MemberAccess => {
                    let children = self.children(node);
                    if let Some(name) = in_field(&children, Field::Name) {
                        found.push(self.segment(name));
                    }
                    rest = in_field(&children, Field::Qualifier)
                        .or(in_field(&children, Field::Expression));
                }
                Kind::AliasQualifiedName => {
                    let children = self.children(node);
                    if let Some(name) = in_field(&children, Field::Name) {
                        found.push(self.segment(name));
                    }
                    if let Some(alias) = in_field(&children, Field::Alias) {
                        found.push((alias, None, true));
                    }
                }
                Kind::Identifier | Kind::GenericName => found.push(self.segment(node)),
                _ => {}
            }
        }

        found.reverse();
        found.truncate(MAX_SEGMENTS);
        found
    }

    fn segment(&mut self, node: Node<'r>) -> (Node<'r>, Option<Node<'r>>, bool) {
        let (name, args) = self.simple_name(node);
        (name, args, false)
    }

    /// Returns the name token and the type arguments of an identifier or generic name.
    pub fn simple_name(&mut self, node: Node<'r>) -> (Node<'r>, Option<Node<'r>>) {
        if kind(node) != Kind::GenericName {
            return (node, self.blanked_type_list(node));
        }
        let children = self.children(node);
        (
            children.first().map_or(node, |name| name.node),
            children.get(1).map(|args| args.node),
        )
    }

    /// Lowers written type arguments; `<,>` yields a `NONE` per parameter.
    pub fn type_args(&mut self, node: Node<'r>) -> List<TypeId> {
        let children = self.children(node);
        let mut args: SmallVec<[TypeId; 4]> = SmallVec::new();
        for child in children.iter().filter(|child| child.node.is_named()) {
            args.push(self.ty(child.node));
        }
        if args.is_empty() {
            let parameters = self.count_tokens(node, ",") + 1;
            args = std::iter::repeat_n(TypeId::NONE, parameters).collect();
        }
        self.b.facts.add_list(args)
    }

    /// Lowers a type that the grammar parsed as an expression: `a.M<U>(x)` parsed as comparisons.
    pub fn type_of_expression(&mut self, node: Node<'r>) -> TypeId {
        match kind(node) {
            Kind::MemberAccess => self.named_type(node, Sites::All).ty,
            Kind::TupleExpression => {
                for child in self.children(node) {
                    self.expr(child.node, Context::None);
                }
                self.b.type_expr(TypeExpr::Unknown)
            }
            _ => self.ty(node),
        }
    }
}
