//! Patterns and query clauses: the tested types and values, and the names they declare.
//!
//! `x is A { B: var b } a` declares `b` as `Member(a value of A, B)` and `a` of type `A`.
//!
//! Limitations: in `x is A` without a designation, `A` may name a constant or a type: it is lowered
//! as a value, and the resolver decides. Elements of list patterns have the iteration type of the
//! value, `..` what a range of it yields.

use codeagent_model::facts::*;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Child, Children, Field, Kind, in_field, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers a pattern tested against `subject`; declares designations in the current scope.
    pub fn pattern(&mut self, node: Node<'r>, subject: ExprId) {
        self.with_depth_limit(|lowering| lowering.pattern_inner(node, subject));
    }

    fn pattern_inner(&mut self, node: Node<'r>, subject: ExprId) {
        let children = self.children(node);
        match kind(node) {
            Kind::ConstantPattern if children.len() == 1 => {
                self.constant_pattern(children[0], subject)
            }
            Kind::ConstantPattern | Kind::RelationalPattern => {
                for child in children.iter().filter(|child| child.kind != Kind::Token) {
                    self.expr(child.node, Context::None);
                }
            }

            Kind::TypePattern => {
                if let Some(ty) = in_field(&children, Field::Type) {
                    self.ty(ty);
                }
            }
            Kind::DeclarationPattern => {
                let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
                self.designation(&children, ty, subject);
            }
            Kind::VarPattern => self.designation(&children, TypeId::NONE, subject),

            Kind::RecursivePattern => self.recursive_pattern(&children, subject),
            Kind::ListPattern => self.list_pattern(&children, subject),
            Kind::AndPattern | Kind::OrPattern => self.pattern_alternatives(node, subject),
            Kind::NegatedPattern | Kind::ParenthesizedPattern => {
                for child in children.iter().filter(|child| child.kind.is_pattern()) {
                    self.pattern(child.node, subject);
                }
            }
            Kind::Discard => {}
            _ => {
                self.expr(node, Context::None);
            }
        }
    }

    /// Lowers a constant, or a tuple or call that can only be a deconstruction: `(1, var w)`,
    /// `Point(1, var z)`.
    fn constant_pattern(&mut self, child: Child<'r>, subject: ExprId) {
        let children = self.children(child.node);
        match child.kind {
            Kind::TupleExpression => self.tuple_elements(&children, subject),
            Kind::Invocation
                if children
                    .first()
                    .is_some_and(|callee| self.is_type_name(*callee)) =>
            {
                let (Some(name), Some(arguments)) =
                    (children.first(), of_kind(&children, Kind::ArgumentList))
                else {
                    return;
                };

                self.positional_call(name.node, arguments);
            }
            _ => {
                self.expr(child.node, Context::None);
            }
        }
    }

    /// Lowers the pattern `Point(1, var z)`, parsed as a call.
    fn positional_call(&mut self, name: Node<'r>, arguments: Node<'r>) {
        let ty = self.type_of_expression(name);
        let value = self.b.expr(Expr::Cast(ty));
        let elements = self.children(arguments);
        self.tuple_elements(&elements, value);
    }

    /// Lowers `value is Point(1, var z)` parsed as a call of `value is Point`.
    pub(super) fn positional_test(&mut self, test: Node<'r>, call: Node<'r>) -> Option<ExprId> {
        if kind(test) != Kind::IsPattern || kind(call) != Kind::Invocation {
            return None;
        }

        let children = self.children(test);
        let subject =
            in_field(&children, Field::Left).or(in_field(&children, Field::Expression))?;
        let pattern = of_kind(&children, Kind::ConstantPattern)?;
        let name = *self.children(pattern).first()?;
        let arguments = of_kind(&self.children(call), Kind::ArgumentList)?;
        if !self.is_type_name(name) {
            return None;
        }

        self.expr(subject, Context::None);
        self.positional_call(name.node, arguments);
        Some(self.b.expr(Expr::Known(KnownType::Bool)))
    }

    /// Reports whether the callee of what looks like a call in a pattern can be a type; `nameof`
    /// and chains with `?.` are values.
    fn is_type_name(&self, callee: Child<'r>) -> bool {
        matches!(
            callee.kind,
            Kind::Identifier | Kind::GenericName | Kind::QualifiedName | Kind::MemberAccess
        ) && !self.text(callee.node).contains(['?', '('])
            && self.text(callee.node) != "nameof"
    }

    /// Lowers elements of a deconstruction that were parsed as arguments.
    fn tuple_elements(&mut self, arguments: &Children<'r>, value: ExprId) {
        for (index, argument) in arguments
            .iter()
            .filter(|child| child.kind == Kind::Argument)
            .enumerate()
        {
            let element = self.b.expr(Expr::Element(value, index as u16));
            let Some(part) = self.children(argument.node).last().copied() else {
                continue;
            };

            match part.kind {
                Kind::DeclarationExpression => {
                    if let Some(variable) = self.declaration_expression(part.node) {
                        self.b.decl(variable).init = element;
                    }
                }
                Kind::Identifier if self.text(part.node) == "_" => {}
                _ => {
                    self.with_depth_limit(|lowering| lowering.constant_pattern(part, element));
                }
            }
        }
    }

    /// Lowers `a or b or c`, in a loop along the left side.
    fn pattern_alternatives(&mut self, node: Node<'r>, subject: ExprId) {
        let mut rights = Vec::new();
        let mut left = node;
        while matches!(kind(left), Kind::AndPattern | Kind::OrPattern) {
            let children = self.children(left);
            rights.extend(in_field(&children, Field::Right));
            match in_field(&children, Field::Left) {
                Some(inner) => left = inner,
                None => break,
            }
        }
        self.pattern(left, subject);
        for right in rights.into_iter().rev() {
            self.pattern(right, subject);
        }
    }

    fn designation(&mut self, children: &Children<'r>, ty: TypeId, value: ExprId) {
        if let Some(name) = in_field(children, Field::Name) {
            self.variable(name, ty, value);
        } else if let Some(list) =
            of_kind(children, Kind::Designations).or(of_kind(children, Kind::TuplePattern))
        {
            self.designations(list, value);
        }
    }

    /// Declares `(a, _, (b, c))` as elements of a deconstructed value.
    pub fn designations(&mut self, list: Node<'r>, value: ExprId) {
        let elements = self.children(list);
        for (index, child) in elements.iter().enumerate() {
            let element = self.b.expr(Expr::Element(value, index as u16));
            match child.kind {
                Kind::Identifier if self.text(child.node) != "_" => {
                    self.variable(child.node, TypeId::NONE, element);
                }
                Kind::Designations | Kind::TuplePattern => {
                    self.with_depth_limit(|lowering| lowering.designations(child.node, element));
                }
                _ => {}
            }
        }
    }

    fn recursive_pattern(&mut self, children: &Children<'r>, subject: ExprId) {
        let ty = in_field(children, Field::Type).map(|ty| self.ty(ty));
        let value = match ty {
            Some(ty) => self.b.expr(Expr::Cast(ty)),
            None => self.b.expr(Expr::NonNull(subject)),
        };

        for child in children {
            match child.kind {
                Kind::PositionalClause => self.positional(child.node, value),
                Kind::PropertyClause => self.properties(child.node, value),
                _ if child.kind.is_pattern() && child.field == Field::None => {
                    self.pattern(child.node, subject)
                }
                _ => {}
            }
        }

        self.designation(children, ty.unwrap_or_default(), value);
    }

    fn positional(&mut self, clause: Node<'r>, value: ExprId) {
        for (index, child) in self.children(clause).iter().enumerate() {
            let element = self.b.expr(Expr::Element(value, index as u16));
            if let Some(pattern) = self.children(child.node).last() {
                self.pattern(pattern.node, element);
            }
        }
    }

    fn properties(&mut self, clause: Node<'r>, value: ExprId) {
        for child in self.children(clause) {
            let parts = self.children(child.node);
            let Some(pattern) = parts.last() else {
                continue;
            };
            let member = match parts.first() {
                Some(path) if parts.len() > 1 => self.property_path(path.node, value),
                _ => ExprId::NONE,
            };
            self.pattern(pattern.node, member);
        }
    }

    /// Lowers `A.B` in `{ A.B: 1 }` as members of the value.
    fn property_path(&mut self, path: Node<'r>, value: ExprId) -> ExprId {
        let mut names = Vec::new();
        let mut rest = path;
        while kind(rest) == Kind::MemberAccess {
            let children = self.children(rest);
            names.extend(in_field(&children, Field::Name));
            match in_field(&children, Field::Expression) {
                Some(inner) => rest = inner,
                None => break,
            }
        }

        names.push(rest);
        let mut member = value;
        for name in names.into_iter().rev() {
            let sym = self.name(name);
            let at = self.b.at(name);
            member = self.b.expr(Expr::Member(member, sym));
            self.use_site(SiteKind::Read, member, at);
        }

        member
    }

    /// Returns the value that `..` matches: the subject indexed by a range.
    fn slice(&mut self, subject: ExprId) -> ExprId {
        let call = self.b.begin_call(subject, List::default());
        let range = self.b.expr(Expr::Unary(Operator::Range, ExprId::NONE));
        self.b.finish_call(
            call,
            vec![Arg {
                name: Sym::NONE,
                mode: ArgMode::Value,
                value: range,
            }],
        );
        self.b.fresh_expr(Expr::Index(call))
    }

    fn list_pattern(&mut self, children: &Children<'r>, subject: ExprId) {
        let element = self.b.expr(Expr::Iterate(subject, false));
        for child in children.iter().filter(|child| child.kind.is_pattern()) {
            // The repair blanks `..`, so only the text still has it.
            let before = self.b.text.get(..child.node.start_byte());
            let is_slice = before.is_some_and(|text| text.trim_end().ends_with(".."));
            let value = if is_slice {
                self.slice(subject)
            } else {
                element
            };
            self.pattern(child.node, value);
        }
        self.designation(children, TypeId::NONE, subject);
    }
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers `from x in xs .. select e`.
    pub fn query(&mut self, node: Node<'r>) -> ExprId {
        self.in_block(|lowering| {
            let mut last = ExprId::NONE;
            let mut into = None;
            for child in lowering.children(node) {
                match (into, child.kind) {
                    (Some(()), Kind::Identifier) => {
                        lowering.variable(child.node, TypeId::NONE, last);
                        into = None;
                    }
                    (_, Kind::SelectClause | Kind::GroupClause) => {
                        last = lowering.query_result(child)
                    }
                    (_, Kind::Token) => into = Some(()),
                    _ => lowering.query_clause(child),
                }
            }

            lowering.b.expr(Expr::Query(last))
        })
    }

    /// Returns the element that a `select` or `group` yields; a group is itself a sequence.
    fn query_result(&mut self, clause: Child<'r>) -> ExprId {
        let values = self.clause_values(clause.node);
        let value = values.first().copied().unwrap_or_default();
        if clause.kind == Kind::GroupClause {
            self.b.expr(Expr::Query(value))
        } else {
            value
        }
    }

    fn clause_values(&mut self, clause: Node<'r>) -> Vec<ExprId> {
        let children = self.children(clause);
        let children = children.iter().filter(|child| {
            child.kind != Kind::Token && child.kind != Kind::In && child.kind != Kind::Equals
        });
        children
            .map(|child| self.expr(child.node, Context::None))
            .collect()
    }

    fn query_clause(&mut self, clause: Child<'r>) {
        match clause.kind {
            Kind::FromClause | Kind::JoinClause => self.range_clause(clause.node),
            Kind::LetClause => {
                let children = self.children(clause.node);
                let Some(name) = of_kind(&children, Kind::Identifier) else {
                    return;
                };

                let variable = self.variable(name, TypeId::NONE, ExprId::NONE);
                if let Some(value) = children.last().filter(|value| value.node != name) {
                    let init = self.expr(value.node, Context::None);
                    self.b.decl(variable).init = init;
                }
            }
            _ => {
                self.clause_values(clause.node);
            }
        }
    }

    /// Lowers `from T x in xs` or `join T y in ys on a equals b into g`.
    fn range_clause(&mut self, clause: Node<'r>) {
        let children = self.children(clause);
        let Some(word) = children.iter().position(|child| child.kind == Kind::In) else {
            return;
        };

        let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let Some(name) = word.checked_sub(1).and_then(|index| children.get(index)) else {
            return;
        };

        let variable = self.variable(name.node, ty, ExprId::NONE);
        let mut rest = children
            .iter()
            .skip(word + 1)
            .filter(|child| child.kind != Kind::Token);

        let source = rest
            .next()
            .map_or(ExprId::NONE, |source| self.expr(source.node, Context::None));
        let element = self.b.expr(Expr::Iterate(source, false));
        self.b.decl(variable).init = element;
        for child in rest {
            if child.kind == Kind::JoinInto {
                if let Some(name) = of_kind(&self.children(child.node), Kind::Identifier) {
                    let group = self.b.expr(Expr::Query(element));
                    self.variable(name, TypeId::NONE, group);
                }
            } else {
                self.expr(child.node, Context::None);
            }
        }
    }
}
