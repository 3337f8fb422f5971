//! Type expressions: `Map<string, A.B[]>`, `A | B`, `typeof x`, `T[K]`, `x is T`, `import("m").A`.
//!
//! Each segment of a type name is a site: `A` and `B` of `A.B`.
//!
//! Limitations: of template literal types only the sites are recorded; `unique symbol` is a
//! keyword.

use codeagent_model::facts::*;

use crate::lower::lowering::Lowering;
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Field, Kind};

impl<'t, 'tree> Lowering<'t, 'tree> {
    pub fn ty(&mut self, child: Child<'tree>) -> TypeId {
        self.part_of_alias(child, false)
    }

    /// Lowers a type node. `aliased`: it is the value of an alias or a part of it, so the members
    /// of its object types become nodes.
    pub fn part_of_alias(&mut self, child: Child<'tree>, aliased: bool) -> TypeId {
        self.with_depth_limit(TypeId::NONE, |lowering| lowering.lower_type(child, aliased))
    }

    fn lower_type(&mut self, child: Child<'tree>, aliased: bool) -> TypeId {
        match child.kind {
            Kind::TypeIdentifier
            | Kind::Identifier
            | Kind::NestedTypeIdentifier
            | Kind::NestedIdentifier
            | Kind::GenericType => match self.named_type(child) {
                Some((ty, last)) => {
                    self.last_segment_site(ty, last);
                    ty
                }
                None => self.unknown_type(child),
            },
            Kind::PredefinedType => {
                let sym = self.sym(child);
                self.b.type_expr(TypeExpr::Primitive(sym))
            }
            Kind::ArrayType => {
                let element = self.first_type(child);
                self.b.type_expr(TypeExpr::Array(element, 1))
            }
            Kind::UnionType => {
                let parts = self.flattened(child, aliased);
                self.b.type_expr(TypeExpr::Union(parts))
            }
            Kind::IntersectionType => {
                let parts = self.flattened(child, aliased);
                self.b.type_expr(TypeExpr::Intersection(parts))
            }

            Kind::FunctionType | Kind::ConstructorType => self.function_type(child),
            Kind::ObjectType => self.object_type(child, aliased),
            // The grammar reads `readonly A[] & B` as `readonly (A[] & B)`.
            Kind::ParenthesizedType | Kind::ReadonlyType => match self.children(child).first() {
                Some(inner) => self.part_of_alias(inner, aliased),
                None => self.b.type_expr(TypeExpr::Unknown),
            },
            Kind::ThisType | Kind::This => self.b.type_expr(TypeExpr::This),
            Kind::TupleType => self.tuple_type(child),
            Kind::LiteralType => self.literal_type(child),

            Kind::ConditionalType => self.conditional_type(child),
            Kind::TypePredicate => self.type_predicate(child, false),
            Kind::Asserts | Kind::AssertsAnnotation => self.asserts(child),
            Kind::TypeQuery => self.type_query(child),
            Kind::IndexTypeQuery => {
                let inner = self.first_type(child);
                self.b.type_expr(TypeExpr::KeyOf(inner))
            }
            Kind::LookupType => self.lookup_type(child),
            Kind::InferType => self.infer_type(child),
            Kind::TemplateLiteralType => self.template_type(child),
            Kind::MemberExpression | Kind::CallExpression => {
                let value = self.expr(child, Context::None);
                self.b.type_expr(TypeExpr::TypeOf(value))
            }

            // Annotations, `readonly`, `?` and `...` wrap one type.
            _ => self.first_type(child),
        }
    }

    /// Lowers the first child that is not a token.
    pub fn first_type(&mut self, child: Child<'tree>) -> TypeId {
        match self.children(child).first() {
            Some(inner) => self.ty(inner),
            None => self.b.type_expr(TypeExpr::Unknown),
        }
    }

    /// Lowers all parts for their sites.
    fn unknown_type(&mut self, child: Child<'tree>) -> TypeId {
        for inner in self.children(child).named() {
            self.ty(inner);
        }
        self.b.type_expr(TypeExpr::Unknown)
    }

    fn flattened(&mut self, child: Child<'tree>, aliased: bool) -> List<TypeId> {
        let mut nodes = Vec::new();

        let mut spine = child;
        loop {
            let mut parts: Vec<_> = self.children(spine).named().collect();
            if parts.first().is_some_and(|first| first.kind == child.kind) {
                spine = parts.remove(0);
                parts.reverse();
                nodes.extend(parts);
            } else {
                parts.reverse();
                nodes.extend(parts);
                break;
            }
        }

        let mut types = Vec::with_capacity(nodes.len());
        for node in nodes.into_iter().rev() {
            types.push(self.part_of_alias(node, aliased));
        }

        self.b.facts.add_list(types)
    }

    /// Lowers the types between `<` and `>`.
    pub fn type_arguments(&mut self, arguments: Option<Child<'tree>>) -> List<TypeId> {
        let Some(arguments) = arguments else {
            return List::default();
        };
        let types: Vec<_> = self
            .children(arguments)
            .named()
            .map(|child| self.ty(child))
            .collect();
        self.b.facts.add_list(types)
    }

    /// Lowers a possibly dotted and generic name; returns its last token, which has no site yet.
    pub fn named_type(&mut self, child: Child<'tree>) -> Option<(TypeId, Child<'tree>)> {
        let (name, arguments) = match child.kind {
            Kind::GenericType => {
                let children = self.children(child);
                (
                    children.get(Field::Name)?,
                    children.get(Field::TypeArguments),
                )
            }
            Kind::TypeIdentifier
            | Kind::Identifier
            | Kind::NestedTypeIdentifier
            | Kind::NestedIdentifier => (child, None),
            _ => return None,
        };

        let names = self.name_segments(name);
        let args = self.type_arguments(arguments);
        Some((self.type_name(&names, args), names[names.len() - 1]))
    }

    /// Adds a type name with sites for all segments but the last.
    pub fn type_name(&mut self, names: &[Child<'tree>], args: List<TypeId>) -> TypeId {
        let imported = self.was(EditKind::Import, names[0].start());
        let mut segments = Vec::with_capacity(names.len());
        let skipped = usize::from(imported);
        for (index, name) in names.iter().enumerate().skip(skipped) {
            let args = if index + 1 == names.len() {
                args
            } else {
                List::default()
            };
            segments.push(Segment {
                name: self.sym(*name),
                args,
            });
        }

        let list = self.b.facts.add_list(segments);
        let ty = if imported {
            let module = self.import_specifier(names[0]);
            TypeExpr::Import(module, list)
        } else {
            TypeExpr::Name(list, self.b.scope)
        };

        self.b.facts.types.push(ty);

        let id = TypeId(self.b.facts.types.len() as u32 - 1);

        for (index, name) in names[..names.len() - 1].iter().enumerate().skip(skipped) {
            let at = self.at(*name);
            self.b.site(
                self.type_use,
                Subject::Type(id, (index - skipped) as u16),
                at,
            );
        }

        id
    }

    /// Adds the site of the last segment of a type name.
    fn last_segment_site(&mut self, ty: TypeId, last: Child<'tree>) {
        let count = match self.b.facts.type_expr(ty) {
            TypeExpr::Name(segments, _) | TypeExpr::Import(_, segments) => segments.len(),
            _ => 0,
        };
        if count > 0 {
            let at = self.at(last);
            self.b
                .site(self.type_use, Subject::Type(ty, count as u16 - 1), at);
        }
    }

    /// Returns the module of a rewritten `import("m")`.
    pub fn import_specifier(&mut self, child: Child<'tree>) -> Sym {
        let text = self.text(child);
        let open = text.find(['"', '\'']).map_or(text.len(), |at| at + 1);
        let close = text.rfind(['"', '\'']).unwrap_or(open);
        let module = text.get(open..close).unwrap_or("");
        self.b.sym(module)
    }

    fn tuple_type(&mut self, child: Child<'tree>) -> TypeId {
        let mut elements = Vec::new();
        for part in self.children(child).named() {
            let mut element = Element {
                name: Sym::NONE,
                ty: TypeId::NONE,
                rest: false,
            };

            if matches!(part.kind, Kind::RequiredParameter | Kind::OptionalParameter) {
                let children = self.children(part);
                if let Some(name) = children
                    .get(Field::Name)
                    .or_else(|| children.get(Field::Pattern))
                {
                    element.rest = name.kind == Kind::RestPattern;
                    let name = if element.rest {
                        self.children(name).first().unwrap_or(name)
                    } else {
                        name
                    };
                    element.name = self.sym(name);
                }

                element.ty = children
                    .get(Field::Type)
                    .map_or(TypeId::NONE, |ty| self.ty(ty));
            } else {
                element.rest = part.kind == Kind::RestType;
                element.ty = self.ty(part);
            }

            if matches!(part.kind, Kind::OptionalParameter | Kind::OptionalType) {
                element.ty = self.b.type_expr(TypeExpr::Nullable(element.ty));
            }

            elements.push(element);
        }

        let elements = self.b.facts.add_list(elements);
        self.b.type_expr(TypeExpr::Tuple(elements))
    }

    fn literal_type(&mut self, child: Child<'tree>) -> TypeId {
        let Some(inner) = self.children(child).first() else {
            return self.b.type_expr(TypeExpr::Unknown);
        };
        let (kind, sym) = match inner.kind {
            Kind::String => (LiteralKind::String, self.string(inner)),
            Kind::True | Kind::False => (LiteralKind::Bool, self.sym(inner)),
            Kind::Null => (LiteralKind::Null, self.sym(inner)),
            Kind::Undefined => (LiteralKind::Undefined, self.sym(inner)),
            _ if self.text(inner).ends_with('n') => (LiteralKind::BigInt, self.sym(inner)),
            _ => (LiteralKind::Number, self.sym(inner)),
        };
        self.b.type_expr(TypeExpr::Literal(kind, sym))
    }

    /// Lowers the four parts, then the names that its `infer`s declare.
    fn conditional_type(&mut self, child: Child<'tree>) -> TypeId {
        self.scoped(ScopeKind::TypeParams, |lowering| {
            let children = lowering.children(child);
            let (scope, first) = (lowering.b.scope, lowering.b.facts.decls.len());

            let parts = [
                Field::Left,
                Field::Right,
                Field::Consequence,
                Field::Alternative,
            ];
            let mut types: Vec<_> = parts
                .into_iter()
                .map(|field| {
                    children
                        .get(field)
                        .map_or(TypeId::NONE, |part| lowering.ty(part))
                })
                .collect();
            let is_own =
                |decl: &Declaration| decl.scope == scope && decl.kind == DeclKind::TypeParam;
            let declared = (first..lowering.b.facts.decls.len())
                .filter(|id| is_own(&lowering.b.facts.decls[*id]));
            let own: Vec<_> = declared
                .map(|id| TypeExpr::Infer(DeclId(id as u32)))
                .collect();

            types.extend(own.into_iter().map(|infer| lowering.b.type_expr(infer)));

            let list = lowering.b.facts.add_list(types);
            lowering.b.type_expr(TypeExpr::Conditional(list))
        })
    }

    fn type_predicate(&mut self, child: Child<'tree>, asserts: bool) -> TypeId {
        let children = self.children(child);
        let name = children
            .get(Field::Name)
            .map_or(Sym::NONE, |name| self.sym(name));
        let ty = children
            .get(Field::Type)
            .map_or(TypeId::NONE, |ty| self.ty(ty));
        self.b.type_expr(TypeExpr::Predicate(name, ty, asserts))
    }

    fn asserts(&mut self, child: Child<'tree>) -> TypeId {
        let Some(inner) = self.children(child).first() else {
            return self.b.type_expr(TypeExpr::Unknown);
        };
        match inner.kind {
            Kind::Asserts => self.asserts(inner),
            Kind::TypePredicate => self.type_predicate(inner, true),
            _ => {
                let name = self.sym(inner);
                self.b
                    .type_expr(TypeExpr::Predicate(name, TypeId::NONE, true))
            }
        }
    }

    fn type_query(&mut self, child: Child<'tree>) -> TypeId {
        let value = match self.children(child).first() {
            Some(inner) => self.expr(inner, Context::None),
            None => ExprId::NONE,
        };
        if let Expr::DynamicImport(module) = self.b.facts.expr(value) {
            return self.b.type_expr(TypeExpr::Import(module, List::default()));
        }
        self.b.type_expr(TypeExpr::TypeOf(value))
    }

    /// Lowers `T[K]`; a literal key is a use of the member.
    fn lookup_type(&mut self, child: Child<'tree>) -> TypeId {
        let parts: Vec<_> = self.children(child).named().collect();
        let &[object, index] = &parts[..] else {
            return self.unknown_type(child);
        };
        let (of, key) = (self.ty(object), self.ty(index));
        let ty = self.b.type_expr(TypeExpr::Indexed(of, key));
        if let TypeExpr::Literal(LiteralKind::String, _) = self.b.facts.type_expr(key) {
            let at = self.at(index);
            self.b.site(SiteKind::TypeRef, Subject::Type(ty, 0), at);
        }
        ty
    }

    fn template_type(&mut self, child: Child<'tree>) -> TypeId {
        let mut parts = Vec::new();
        for part in self.children(child).named() {
            let text = self.text(part);
            let part = if text.starts_with("${") {
                self.ty(part)
            } else {
                let text = self.b.sym(text);
                self.b
                    .type_expr(TypeExpr::Literal(LiteralKind::String, text))
            };
            parts.push(part);
        }
        let parts = self.b.facts.add_list(parts);
        self.b.type_expr(TypeExpr::Template(parts))
    }

    fn infer_type(&mut self, child: Child<'tree>) -> TypeId {
        let children = self.children(child);
        let Some(name) = children.first() else {
            return self.b.type_expr(TypeExpr::Unknown);
        };

        let sym = self.sym(name);
        let at = self.at(name);
        let id = self
            .b
            .declare(sym, DeclKind::TypeParam, DeclFlags::default(), at);

        // The name is visible in the branches of the conditional type, however deep in function
        // types it is written.
        let mut scope = self.b.scope;
        while let Some(outer) = scope
            .some()
            .map(|id| self.b.facts.scope(id))
            .filter(|outer| !is_conditional(outer))
        {
            scope = outer.parent;
        }

        if !scope.is_none() {
            self.b.decl(id).scope = scope;
        }

        if let Some(constraint) = children.named().nth(1) {
            self.constrain(id, constraint);
        }

        self.b.type_expr(TypeExpr::Infer(id))
    }
}

/// Reports whether a scope is that of a conditional type: those of aliases and mapped types have
/// owners.
fn is_conditional(scope: &Scope) -> bool {
    scope.kind == ScopeKind::TypeParams && scope.owner.is_none()
}
