//! Value expressions: the [`Expr`] of a node, and the sites of the names in it.
//!
//! `a.b ?? c` is `Or(Member(Name a, b), Name c)` with sites for `a`, `b` and `c`.
//!
//! Limitations: operators have their built-in result type; only `+` keeps its operands.

use codeagent_model::facts::*;

use crate::lower::functions::FunctionHead;
use crate::lower::lowering::Lowering;
use crate::lower::patterns::Binding;
use crate::lower::state::{Test, TestNode, Value, ValuePlace};
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Children, Field, Kind};

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers an expression that is read.
    pub fn expr(&mut self, child: Child<'tree>, context: Context) -> ExprId {
        self.used(child, context, Some(SiteKind::Read)).expr
    }

    /// Lowers an expression that is read, in a place that may determine more than its context.
    pub fn expr_in(&mut self, child: Child<'tree>, place: ValuePlace) -> ExprId {
        self.value_in(child, place).expr
    }

    /// Lowers an expression in a place, with its test.
    pub fn value_in(&mut self, child: Child<'tree>, place: ValuePlace) -> Value {
        let otherwise = Value::of(ExprId::NONE);
        self.with_depth_limit(otherwise, |lowering| match child.kind {
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                Value::of(lowering.lambda(child, place))
            }
            Kind::Object => Value::of(lowering.object(child, place)),
            _ => lowering.lower_used(child, place.context, Some(SiteKind::Read)),
        })
    }

    /// Lowers an expression that is read, with its test.
    pub fn value(&mut self, child: Child<'tree>, context: Context) -> Value {
        self.used(child, context, Some(SiteKind::Read))
    }

    /// Lowers an expression with this usage; `None` if the caller adds the site of its last name.
    pub fn used(
        &mut self,
        child: Child<'tree>,
        context: Context,
        usage: Option<SiteKind>,
    ) -> Value {
        let otherwise = Value::of(ExprId::NONE);
        self.with_depth_limit(otherwise, |lowering| {
            lowering.lower_used(child, context, usage)
        })
    }

    fn lower_used(
        &mut self,
        child: Child<'tree>,
        context: Context,
        usage: Option<SiteKind>,
    ) -> Value {
        match child.kind {
            Kind::Identifier
            | Kind::ShorthandPropertyIdentifier
            | Kind::ShorthandPropertyIdentifierPattern => self.name(child, usage),
            Kind::MemberExpression
            | Kind::CallExpression
            | Kind::SubscriptExpression
            | Kind::NonNullExpression => self.chain(child, context, usage),
            Kind::BinaryExpression => self.binary(child, context),
            Kind::ParenthesizedExpression => self.parenthesized(child, context, usage),
            Kind::UnaryExpression => self.unary(child),
            Kind::AssignmentExpression => Value::of(self.assignment(child)),
            Kind::AugmentedAssignment => Value::of(self.augmented_assignment(child)),
            Kind::TernaryExpression => Value::of(self.ternary(child, context)),
            Kind::AsExpression | Kind::SatisfiesExpression | Kind::TypeAssertion => {
                self.cast(child, context)
            }
            Kind::SequenceExpression => self.sequence(child),
            _ => Value::of(self.plain(child, context)),
        }
    }

    /// Lowers a function that is a value.
    fn lambda(&mut self, child: Child<'tree>, place: ValuePlace) -> ExprId {
        let head = FunctionHead {
            documented: place.documented,
            receiver: place.receiver,
            ..FunctionHead::plain(DeclKind::Lambda, place.context)
        };
        let id = self.function(child, head);
        self.b.fresh_expr(Expr::Function(id))
    }

    /// Lowers expressions that are neither tests nor targets.
    fn plain(&mut self, child: Child<'tree>, context: Context) -> ExprId {
        match child.kind {
            Kind::This => self.this_value(child),
            Kind::Super => self.super_value(),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                self.lambda(child, ValuePlace::of(context))
            }
            Kind::Class => {
                let id = self.class_like(child, None, context);
                self.b.fresh_expr(Expr::Class(id))
            }

            Kind::Object => self.object(child, ValuePlace::of(context)),
            Kind::Array => self.array(child, context),
            Kind::NewExpression => self.new_expression(child),

            Kind::AwaitExpression => {
                let inner = self.first_expr(child);
                self.b.expr(Expr::Await(inner))
            }
            Kind::YieldExpression => self.yield_expression(child),
            Kind::SpreadElement => {
                let inner = self.first_expr(child);
                self.b.expr(Expr::Spread(inner))
            }
            Kind::UpdateExpression => {
                if let Some(argument) = self.children(child).get(Field::Argument) {
                    self.used(argument, Context::None, Some(SiteKind::ReadWrite));
                }
                self.b.expr(Expr::Known(KnownType::Number))
            }
            Kind::InstantiationExpression => self.instantiation(child),
            Kind::JsxElement | Kind::JsxSelfClosingElement => self.jsx(child),
            Kind::JsxExpression => self
                .children(child)
                .first()
                .map_or(ExprId::NONE, |inner| self.expr(inner, context)),
            _ => self.literal(child),
        }
    }

    /// Lowers `super`: the base class as a value where `this` is the class itself.
    fn super_value(&mut self) -> ExprId {
        let is_static =
            matches!(self.b.facts.expr(self.this), Expr::Class(class) if class == self.class);
        let base = if is_static { self.base_name() } else { None };
        base.unwrap_or_else(|| self.b.expr(Expr::Super(self.class)))
    }

    /// Returns the name of the base class, as a value.
    fn base_name(&mut self) -> Option<ExprId> {
        let facts = &self.b.facts;
        let base = facts
            .list(facts.decl(self.class).bases)
            .iter()
            .find(|base| base.clause == BaseClause::Extends)?;
        let TypeExpr::Name(segments, scope) = facts.type_expr(base.ty) else {
            return None;
        };

        let names: Vec<Sym> = facts
            .list(segments)
            .iter()
            .map(|segment| segment.name)
            .collect();
        let (first, others) = names.split_first()?;
        let at = base.at.offset;
        let first = self.b.expr(Expr::Name(*first, scope, at));

        Some(others.iter().fold(first, |object, name| {
            self.b.expr(Expr::Member(object, *name))
        }))
    }

    /// Returns `this`, with its position if that decides its narrowing.
    fn this_value(&mut self, child: Child<'tree>) -> ExprId {
        match self.b.facts.expr(self.this) {
            Expr::This(of) if self.narrowing.narrows_this => {
                let at = self.at(child).offset;
                self.b.fresh_expr(Expr::ThisAt(of, self.b.scope, at))
            }
            _ => self.this,
        }
    }

    /// Lowers a literal; lowers the parts of anything else for their sites.
    fn literal(&mut self, child: Child<'tree>) -> ExprId {
        let (kind, sym) = match child.kind {
            Kind::String => (LiteralKind::String, self.literal_text(child)),
            Kind::TemplateString if !self.has_substitutions(child) => {
                (LiteralKind::String, self.literal_text(child))
            }
            Kind::TemplateString => {
                let text = self.unquoted(child);
                self.b.literal(text, child.start());
                self.substitutions(child);
                (LiteralKind::String, Sym::NONE)
            }
            Kind::Number
                if self.text(child).ends_with('n') && !self.text(child).starts_with("0x") =>
            {
                (LiteralKind::BigInt, Sym::NONE)
            }
            Kind::Number => (LiteralKind::Number, self.sym(child)),
            Kind::True | Kind::False => (LiteralKind::Bool, self.sym(child)),
            Kind::Null => (LiteralKind::Null, Sym::NONE),
            Kind::Undefined => (LiteralKind::Undefined, Sym::NONE),
            Kind::Regex => (LiteralKind::Regex, Sym::NONE),
            _ => {
                for inner in self.children(child).named() {
                    self.statement(inner, None);
                }
                return self.b.expr(Expr::Unknown);
            }
        };

        self.b.expr(Expr::Literal(kind, sym))
    }

    fn literal_text(&mut self, child: Child<'tree>) -> Sym {
        let text = self.unquoted(child);
        self.b.string_literal(text, child.start())
    }

    fn has_substitutions(&mut self, template: Child<'tree>) -> bool {
        let parts = self.children(template);
        parts
            .named()
            .any(|part| part.kind == Kind::TemplateSubstitution)
    }

    /// Lowers the values of `${..}` in a template.
    pub fn substitutions(&mut self, template: Child<'tree>) -> Vec<ExprId> {
        let mut values = Vec::new();
        for part in self
            .children(template)
            .named()
            .filter(|part| part.kind == Kind::TemplateSubstitution)
        {
            values.push(self.first_expr(part));
        }
        values
    }

    /// Lowers the first child that is not a token, as read.
    pub fn first_expr(&mut self, child: Child<'tree>) -> ExprId {
        self.children(child)
            .first()
            .map_or(ExprId::NONE, |inner| self.expr(inner, Context::None))
    }

    pub fn name(&mut self, child: Child<'tree>, usage: Option<SiteKind>) -> Value {
        if self.was(EditKind::Import, child.start()) {
            return Value::of(self.dynamic_import(child));
        }
        let sym = self.sym(child);
        let at = self.at(child);
        let expr = self.b.fresh_expr(Expr::Name(sym, self.b.scope, at.offset));
        if let Some(kind) = usage {
            self.b.site(kind, Subject::Expr(expr), at);
        }
        Value {
            expr,
            test: Test::Truthy(expr),
        }
    }

    /// Lowers `import("m")`.
    fn dynamic_import(&mut self, child: Child<'tree>) -> ExprId {
        let module = self.import_specifier(child);
        self.module_expression(module, child)
    }

    /// Adds an expression for a module, with its site.
    pub fn module_expression(&mut self, module: Sym, at: Child<'tree>) -> ExprId {
        let expr = self.b.fresh_expr(Expr::DynamicImport(module));
        let at = self.at(at);
        self.b.site(SiteKind::Import, Subject::Expr(expr), at);
        expr
    }

    fn parenthesized(
        &mut self,
        child: Child<'tree>,
        context: Context,
        usage: Option<SiteKind>,
    ) -> Value {
        let Some(inner) = self.children(child).first() else {
            return Value::of(self.b.expr(Expr::Unknown));
        };

        let ty = self.documented_variable(child.start());
        if ty.is_none() {
            let expected = self.documented_expectation(child.start());
            return self.used(
                inner,
                if expected.is_none() {
                    context
                } else {
                    Context::Typed(expected)
                },
                usage,
            );
        }

        let value = self.used(inner, Context::Typed(ty), usage);
        Value {
            expr: self.b.expr(Expr::Cast(ty)),
            test: value.test,
        }
    }

    fn sequence(&mut self, child: Child<'tree>) -> Value {
        let mut last = Value::of(ExprId::NONE);
        for inner in self.children(child).named() {
            last = self.value(inner, Context::None);
        }
        last
    }

    fn unary(&mut self, child: Child<'tree>) -> Value {
        let children = self.children(child);
        let operand = children.get(Field::Argument).or_else(|| children.first());
        let inner = operand.map_or(Value::of(ExprId::NONE), |operand| {
            self.value(operand, Context::None)
        });
        self.unary_of(&children, inner)
    }

    /// Lowers a unary operator over its lowered operand.
    pub fn unary_of(&mut self, children: &Children<'tree>, inner: Value) -> Value {
        let operator = children
            .get(Field::Operator)
            .map_or(Kind::OtherToken, |operator| operator.kind);
        let (known, test) = match operator {
            Kind::BangToken => (KnownType::Bool, self.test(TestNode::Not(inner.test))),
            Kind::DeleteToken => (KnownType::Bool, Test::None),
            Kind::TypeofToken => (KnownType::String, Test::TypeOf(inner.expr)),
            Kind::VoidToken => {
                return Value::of(
                    self.b
                        .expr(Expr::Literal(LiteralKind::Undefined, Sym::NONE)),
                );
            }
            _ => (KnownType::Number, Test::None),
        };

        Value {
            expr: self.b.expr(Expr::Known(known)),
            test,
        }
    }

    /// Lowers `a + b + c`: descends the left operands in a loop, then combines them.
    fn binary(&mut self, child: Child<'tree>, context: Context) -> Value {
        let mut levels = Vec::new();
        let mut current = child;
        while current.kind == Kind::BinaryExpression {
            let children = self.children(current);
            let operator = children
                .get(Field::Operator)
                .map_or(Kind::OtherToken, |operator| operator.kind);
            levels.push((operator, children.get(Field::Right)));
            match children.get(Field::Left) {
                Some(left) => current = left,
                None => break,
            }
        }

        let innermost = levels.last().map_or(Kind::OtherToken, |level| level.0);
        let mut left = self.value(
            current,
            if chooses(innermost) {
                context
            } else {
                Context::None
            },
        );

        while let Some((operator, right)) = levels.pop() {
            let Some(right) = right else { continue };
            left = self.operation(left, operator, right, context);
        }

        left
    }

    fn operation(
        &mut self,
        left: Value,
        operator: Kind,
        right: Child<'tree>,
        context: Context,
    ) -> Value {
        let context = if chooses(operator) {
            context
        } else {
            Context::None
        };
        let right = match operator {
            Kind::AndAnd => {
                self.with_guard(left.test, true, |lowering| lowering.value(right, context))
            }
            Kind::OrOr => {
                self.with_guard(left.test, false, |lowering| lowering.value(right, context))
            }
            _ => self.value(right, context),
        };

        self.combined(left, operator, right)
    }

    /// Lowers a binary operator with its lowered operands.
    pub fn binary_of(&mut self, children: &Children<'tree>, right: Value) -> Value {
        let operator = children
            .get(Field::Operator)
            .map_or(Kind::OtherToken, |operator| operator.kind);
        let Some(left) = children.get(Field::Left) else {
            return right;
        };
        let left = self.value(left, Context::None);
        self.combined(left, operator, right)
    }

    fn combined(&mut self, left: Value, operator: Kind, right: Value) -> Value {
        let expr = match operator {
            Kind::AndAnd => Expr::And(left.expr, right.expr),
            Kind::OrOr | Kind::NullishToken => Expr::Or(left.expr, right.expr),
            Kind::Plus => Expr::Binary(Operator::Add, left.expr, right.expr),
            Kind::InstanceOf
            | Kind::In
            | Kind::LooseEqual
            | Kind::LooseNotEqual
            | Kind::StrictEqual
            | Kind::StrictNotEqual
            | Kind::Less
            | Kind::Greater
            | Kind::LessEqual
            | Kind::GreaterEqual => Expr::Known(KnownType::Bool),
            _ => Expr::Known(KnownType::Number),
        };

        let test = self.operation_test(left, operator, right);
        Value {
            expr: self.b.expr(expr),
            test,
        }
    }

    fn ternary(&mut self, child: Child<'tree>, context: Context) -> ExprId {
        let children = self.children(child);
        let test = children
            .get(Field::Condition)
            .map_or(Test::None, |condition| {
                self.value(condition, Context::None).test
            });

        let mut arm = |field, holds| match children.get(field) {
            Some(arm) => {
                self.with_guard(test, holds, |lowering| lowering.value(arm, context))
                    .expr
            }
            None => ExprId::NONE,
        };

        let (yes, no) = (
            arm(Field::Consequence, true),
            arm(Field::Alternative, false),
        );

        self.b.expr(Expr::Or(yes, no))
    }

    /// Lowers `e as T`, `<T>e`, `e satisfies T`, `e as const`.
    fn cast(&mut self, child: Child<'tree>, context: Context) -> Value {
        let children = self.children(child);
        let mut parts = children.named();

        let (value, ty) = if child.kind == Kind::TypeAssertion {
            let ty = parts.next();
            (parts.next(), ty)
        } else {
            (parts.next(), parts.next())
        };
        let Some(value) = value else {
            return Value::of(self.b.expr(Expr::Unknown));
        };

        let Some(ty) = ty.filter(|ty| ty.kind != Kind::ConstNode) else {
            let inner = self.value(value, context);
            return Value {
                expr: self.b.expr(Expr::Satisfies(inner.expr, TypeId::NONE)),
                test: inner.test,
            };
        };
        let ty = if ty.kind == Kind::TypeArguments {
            self.first_type(ty)
        } else {
            self.ty(ty)
        };
        let inner = self.value(value, Context::Typed(ty));
        let expr = if child.kind == Kind::SatisfiesExpression {
            Expr::Satisfies(inner.expr, ty)
        } else {
            Expr::Cast(ty)
        };

        Value {
            expr: self.b.expr(expr),
            test: inner.test,
        }
    }

    fn assignment(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let (Some(left), Some(right)) = (children.get(Field::Left), children.get(Field::Right))
        else {
            return self.b.expr(Expr::Unknown);
        };

        if matches!(left.kind, Kind::ObjectPattern | Kind::ArrayPattern) {
            let source = self.expr(right, Context::None);
            self.bind(left, source, Binding::assignment());
            return source;
        }

        if self.javascript && self.is_common_js_export(left) {
            self.b.facts.header.is_module = true;
        }

        let target = self.used(left, Context::None, Some(SiteKind::Write)).expr;
        let value = if self.javascript {
            self.javascript_assigned(target, left, right)
        } else {
            self.expr(right, Context::Assigned(target))
        };

        self.note_assignment(target, value, left);
        self.write(target, child.end());
        self.b.expr(Expr::Assign(target, value))
    }

    fn note_assignment(&mut self, target: ExprId, value: ExprId, left: Child<'tree>) {
        match self.b.facts.expr(target) {
            Expr::Name(..) => self.assigned.push((target, value, self.function)),
            Expr::Member(object, name) => {
                self.note_field_assignment(object, name, value);
                if self.javascript {
                    self.javascript_member(object, name, value, left);
                }
            }
            _ => {}
        }
    }

    fn augmented_assignment(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let (Some(left), Some(right)) = (children.get(Field::Left), children.get(Field::Right))
        else {
            return self.b.expr(Expr::Unknown);
        };

        let target = self
            .used(left, Context::None, Some(SiteKind::ReadWrite))
            .expr;
        let value = self.expr(right, Context::Assigned(target));
        self.write(target, child.end());

        let expr = match children.get(Field::Operator).map(|operator| operator.kind) {
            Some(Kind::NullishAssign | Kind::OrAssign) => Expr::Or(target, value),
            Some(Kind::AndAssign) => Expr::And(target, value),
            Some(Kind::PlusAssign) => Expr::Binary(Operator::Add, target, value),
            _ => Expr::Known(KnownType::Number),
        };

        self.b.expr(expr)
    }

    fn yield_expression(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let context = if self.function.is_none() {
            Context::None
        } else {
            Context::Returned(self.function)
        };

        let inner = children
            .first()
            .map_or(ExprId::NONE, |inner| self.expr(inner, context));
        if inner.is_none() {
            return self.b.expr(Expr::Yield(inner));
        }

        let (yielded, value) = if children.has(Kind::Star) {
            let element = self.b.expr(Expr::Iterate(inner, false));
            (element, Expr::Delegate(inner))
        } else {
            (inner, Expr::Yield(inner))
        };

        self.returns.push(yielded);
        self.b.expr(value)
    }

    /// Lowers `f<A>` without a call.
    fn instantiation(&mut self, child: Child<'tree>) -> ExprId {
        let children = self.children(child);
        let value = children.get(Field::Function).or_else(|| children.first());
        let inner = value.map_or(ExprId::NONE, |value| self.expr(value, Context::None));
        let args = self.type_arguments(children.get(Field::TypeArguments));
        self.b.expr(Expr::Generic(inner, args))
    }
}

/// Reports whether the result of a binary operator is one of its operands.
fn chooses(operator: Kind) -> bool {
    matches!(operator, Kind::AndAnd | Kind::OrOr | Kind::NullishToken)
}
