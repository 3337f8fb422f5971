//! Patterns and query clauses: what they test, and the names they declare.
//!
//! `x is A { B: var b } a` declares `b` as `Member(a value of A, B)` and `a` of type `A`.
//!
//! **Limits.** In `x is A` without a designation, `A` may name a constant or a type: it is lowered
//! as a value, and the resolver decides. Elements of list patterns have the iteration type of the
//! value.

use codeagent_model::facts::*;
use tree_sitter::Node;

use crate::lower::walk::Walker;
use crate::syntax::kinds::{Field, Kid, Kids, Kind, in_field, kind, of_kind};

impl<'t, 'r> Walker<'t, 'r> {
    /// A pattern tested against `subject`; designations are declared in the current scope.
    pub fn pattern(&mut self, node: Node<'r>, subject: ExprId) {
        self.nested(|walk| walk.pattern_inner(node, subject));
    }

    fn pattern_inner(&mut self, node: Node<'r>, subject: ExprId) {
        let kids = self.kids(node);
        match kind(node) {
            Kind::ConstantPattern if kids.len() == 1 => self.constant_pattern(kids[0], subject),
            Kind::ConstantPattern | Kind::RelationalPattern => {
                for kid in kids.iter().filter(|kid| kid.kind != Kind::Token) {
                    self.expr(kid.node, Context::None);
                }
            }
            Kind::TypePattern => {
                if let Some(ty) = in_field(&kids, Field::Type) {
                    self.ty(ty);
                }
            }
            Kind::DeclarationPattern => {
                let ty = in_field(&kids, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
                self.designation(&kids, ty, subject);
            }
            Kind::VarPattern => self.designation(&kids, TypeId::NONE, subject),
            Kind::RecursivePattern => self.recursive_pattern(&kids, subject),
            Kind::ListPattern => self.list_pattern(&kids, subject),
            Kind::AndPattern | Kind::OrPattern => self.pattern_alternatives(node, subject),
            Kind::NegatedPattern | Kind::ParenthesizedPattern => {
                for kid in kids.iter().filter(|kid| kid.kind.is_pattern()) {
                    self.pattern(kid.node, subject);
                }
            }
            Kind::Discard => {}
            _ => {
                self.expr(node, Context::None);
            }
        }
    }

    /// A value, unless it is a tuple or call that can only be a deconstruction: `(1, var w)`,
    /// `Point(1, var z)`.
    fn constant_pattern(&mut self, kid: Kid<'r>, subject: ExprId) {
        let kids = self.kids(kid.node);
        match kid.kind {
            Kind::TupleExpression => self.tuple_elements(&kids, subject),
            Kind::Invocation
                if kids
                    .first()
                    .is_some_and(|callee| self.is_type_name(*callee)) =>
            {
                let (Some(name), Some(arguments)) =
                    (kids.first(), of_kind(&kids, Kind::ArgumentList))
                else {
                    return;
                };
                let ty = self.type_of_expression(name.node);
                let value = self.b.expr(Expr::Cast(ty));
                let elements = self.kids(arguments);
                self.tuple_elements(&elements, value);
            }
            _ => {
                self.expr(kid.node, Context::None);
            }
        }
    }

    /// Whether what a pattern seems to call can be a type; `nameof` and chains with `?.` are
    /// values.
    fn is_type_name(&self, callee: Kid<'r>) -> bool {
        matches!(
            callee.kind,
            Kind::Identifier | Kind::GenericName | Kind::QualifiedName | Kind::MemberAccess
        ) && !self.text(callee.node).contains(['?', '('])
            && self.text(callee.node) != "nameof"
    }

    /// Elements of a deconstruction that arrived as arguments.
    fn tuple_elements(&mut self, arguments: &Kids<'r>, value: ExprId) {
        for (index, argument) in arguments
            .iter()
            .filter(|kid| kid.kind == Kind::Argument)
            .enumerate()
        {
            let element = self.b.expr(Expr::Element(value, index as u16));
            let Some(part) = self.kids(argument.node).last().copied() else {
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
                    self.nested(|walk| walk.constant_pattern(part, element));
                }
            }
        }
    }

    /// `a or b or c`: a loop along the left side.
    fn pattern_alternatives(&mut self, node: Node<'r>, subject: ExprId) {
        let mut rights = Vec::new();
        let mut left = node;
        while matches!(kind(left), Kind::AndPattern | Kind::OrPattern) {
            let kids = self.kids(left);
            rights.extend(in_field(&kids, Field::Right));
            match in_field(&kids, Field::Left) {
                Some(inner) => left = inner,
                None => break,
            }
        }
        self.pattern(left, subject);
        for right in rights.into_iter().rev() {
            self.pattern(right, subject);
        }
    }

    fn designation(&mut self, kids: &Kids<'r>, ty: TypeId, value: ExprId) {
        if let Some(name) = in_field(kids, Field::Name) {
            self.variable(name, ty, value);
        } else if let Some(list) =
            of_kind(kids, Kind::Designations).or(of_kind(kids, Kind::TuplePattern))
        {
            self.designations(list, value);
        }
    }

    /// `(a, _, (b, c))`: elements of a deconstructed value.
    pub fn designations(&mut self, list: Node<'r>, value: ExprId) {
        let elements = self.kids(list);
        for (index, kid) in elements.iter().enumerate() {
            let element = self.b.expr(Expr::Element(value, index as u16));
            match kid.kind {
                Kind::Identifier if self.text(kid.node) != "_" => {
                    self.variable(kid.node, TypeId::NONE, element);
                }
                Kind::Designations | Kind::TuplePattern => {
                    self.nested(|walk| walk.designations(kid.node, element));
                }
                _ => {}
            }
        }
    }

    fn recursive_pattern(&mut self, kids: &Kids<'r>, subject: ExprId) {
        let ty = in_field(kids, Field::Type).map(|ty| self.ty(ty));
        let value = match ty {
            Some(ty) => self.b.expr(Expr::Cast(ty)),
            None => self.b.expr(Expr::NonNull(subject)),
        };

        for kid in kids {
            match kid.kind {
                Kind::PositionalClause => self.positional(kid.node, value),
                Kind::PropertyClause => self.properties(kid.node, value),
                _ if kid.kind.is_pattern() && kid.field == Field::None => {
                    self.pattern(kid.node, subject)
                }
                _ => {}
            }
        }

        self.designation(kids, ty.unwrap_or_default(), value);
    }

    fn positional(&mut self, clause: Node<'r>, value: ExprId) {
        for (index, kid) in self.kids(clause).iter().enumerate() {
            let element = self.b.expr(Expr::Element(value, index as u16));
            if let Some(pattern) = self.kids(kid.node).last() {
                self.pattern(pattern.node, element);
            }
        }
    }

    fn properties(&mut self, clause: Node<'r>, value: ExprId) {
        for kid in self.kids(clause) {
            let parts = self.kids(kid.node);
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

    /// `A.B` in `{ A.B: 1 }`: members of the value.
    fn property_path(&mut self, path: Node<'r>, value: ExprId) -> ExprId {
        let mut names = Vec::new();
        let mut rest = path;
        while kind(rest) == Kind::MemberAccess {
            let kids = self.kids(rest);
            names.extend(in_field(&kids, Field::Name));
            match in_field(&kids, Field::Expression) {
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

    fn list_pattern(&mut self, kids: &Kids<'r>, subject: ExprId) {
        let element = self.b.expr(Expr::Iterate(subject, false));
        for kid in kids.iter().filter(|kid| kid.kind.is_pattern()) {
            self.pattern(kid.node, element);
        }
        self.designation(kids, TypeId::NONE, subject);
    }
}

impl<'t, 'r> Walker<'t, 'r> {
    /// `from x in xs .. select e`
    pub fn query(&mut self, node: Node<'r>) -> ExprId {
        self.in_block(|walk| {
            let mut last = ExprId::NONE;
            let mut into = None;
            for kid in walk.kids(node) {
                match (into, kid.kind) {
                    (Some(()), Kind::Identifier) => {
                        walk.variable(kid.node, TypeId::NONE, last);
                        into = None;
                    }
                    (_, Kind::SelectClause | Kind::GroupClause) => last = walk.query_result(kid),
                    (_, Kind::Token) => into = Some(()),
                    _ => walk.query_clause(kid),
                }
            }

            walk.b.expr(Expr::Query(last))
        })
    }

    /// The element a `select` or `group` gives; a group is a sequence itself.
    fn query_result(&mut self, clause: Kid<'r>) -> ExprId {
        let values = self.clause_values(clause.node);
        let value = values.first().copied().unwrap_or_default();
        if clause.kind == Kind::GroupClause {
            self.b.expr(Expr::Query(value))
        } else {
            value
        }
    }

    fn clause_values(&mut self, clause: Node<'r>) -> Vec<ExprId> {
        let kids = self.kids(clause);
        let kids = kids.iter().filter(|kid| {
            kid.kind != Kind::Token && kid.kind != Kind::In && kid.kind != Kind::Equals
        });
        kids.map(|kid| self.expr(kid.node, Context::None)).collect()
    }

    fn query_clause(&mut self, clause: Kid<'r>) {
        match clause.kind {
            Kind::FromClause | Kind::JoinClause => self.range_clause(clause.node),
            Kind::LetClause => {
                let kids = self.kids(clause.node);
                let Some(name) = of_kind(&kids, Kind::Identifier) else {
                    return;
                };

                let variable = self.variable(name, TypeId::NONE, ExprId::NONE);
                if let Some(value) = kids.last().filter(|value| value.node != name) {
                    let init = self.expr(value.node, Context::None);
                    self.b.decl(variable).init = init;
                }
            }
            _ => {
                self.clause_values(clause.node);
            }
        }
    }

    /// `from T x in xs`, `join T y in ys on a equals b into g`
    fn range_clause(&mut self, clause: Node<'r>) {
        let kids = self.kids(clause);
        let Some(word) = kids.iter().position(|kid| kid.kind == Kind::In) else {
            return;
        };

        let ty = in_field(&kids, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let Some(name) = word.checked_sub(1).and_then(|index| kids.get(index)) else {
            return;
        };

        let variable = self.variable(name.node, ty, ExprId::NONE);
        let mut rest = kids
            .iter()
            .skip(word + 1)
            .filter(|kid| kid.kind != Kind::Token);

        let source = rest
            .next()
            .map_or(ExprId::NONE, |source| self.expr(source.node, Context::None));
        let element = self.b.expr(Expr::Iterate(source, false));
        self.b.decl(variable).init = element;
        for kid in rest {
            if kid.kind == Kind::JoinInto {
                if let Some(name) = of_kind(&self.kids(kid.node), Kind::Identifier) {
                    let group = self.b.expr(Expr::Query(element));
                    self.variable(name, TypeId::NONE, group);
                }
            } else {
                self.expr(kid.node, Context::None);
            }
        }
    }
}
