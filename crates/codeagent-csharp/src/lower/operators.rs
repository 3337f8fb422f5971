//! Unary and binary operators, and type tests.
//!
//! A binary expression is split into operands and operators and rebuilt by precedence. This does
//! not recurse, and it corrects trees in which `?.` was bound too loosely.
//!
//! Limitations: `&&` and `||` are `bool`; user-defined ones are ignored.

use codeagent_model::facts::*;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::access_chains::Steps;
use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Field, Kind, in_field, kind};

/// A part of a flat operator expression.
#[allow(
    clippy::large_enum_variant,
    reason = "trees are nearly all of the parts"
)]
enum OperatorPart<'t, 'r> {
    Tree(Node<'r>, Steps<'r>),
    Operator(&'t str, Node<'r>),
    Type(Node<'r>, Node<'r>),
    Pattern(Node<'r>),
}

/// Operands, and the operators that wait for their right operand.
#[derive(Default)]
struct Stack<'t, 'r> {
    values: Vec<ExprId>,
    operators: Vec<(&'t str, Node<'r>)>,
}

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers an operand followed by the steps of a chain (last one first).
    pub fn operand(&mut self, node: Node<'r>, steps: &[Node<'r>]) -> ExprId {
        if steps.is_empty() {
            return self.expr(node, Context::None);
        }

        self.with_depth_limit(|lowering| match kind(node) {
            Kind::Binary | Kind::IsExpression | Kind::AsExpression | Kind::IsPattern => {
                lowering.operators(node, steps, Context::None)
            }
            Kind::Prefix => lowering.prefix(node, steps),
            Kind::Await => lowering.await_expression(node, steps),
            Kind::Cast if lowering.split_cast(node).is_some() => {
                lowering.operators(node, steps, Context::None)
            }
            Kind::Cast => lowering.cast(node, steps),
            Kind::RangeExpression => lowering.range(node, steps),
            found if found.is_postfix() => lowering.chain(node, steps, SiteKind::Read),
            _ => lowering.steps(node, steps, SiteKind::Read),
        })
        .unwrap_or_default()
    }

    /// Lowers binary operators and type tests.
    pub fn operators(&mut self, node: Node<'r>, steps: &[Node<'r>], context: Context) -> ExprId {
        let mut todo: Vec<OperatorPart<'t, 'r>> =
            vec![OperatorPart::Tree(node, steps.iter().copied().collect())];
        let mut stack = Stack::default();
        while let Some(part) = todo.pop() {
            match part {
                OperatorPart::Tree(node, steps) => {
                    self.operator_tree(node, steps, &mut todo, (&mut stack, context))
                }
                OperatorPart::Operator(text, token) => {
                    self.reduce(&mut stack, precedence(text));
                    stack.operators.push((text, token));
                }
                OperatorPart::Type(token, ty) => {
                    self.reduce(&mut stack, RELATIONAL);
                    self.type_test(&mut stack, token, ty);
                }
                OperatorPart::Pattern(pattern) => {
                    self.reduce(&mut stack, RELATIONAL);
                    let subject = stack.values.pop().unwrap_or_default();
                    match kind(pattern) {
                        Kind::Identifier => drop(self.expr_used(pattern, &[], SiteKind::Test)),
                        _ => self.pattern(pattern, subject),
                    }

                    let test = self.b.expr(Expr::Known(KnownType::Bool));
                    stack.values.push(test);
                }
            }
        }

        self.reduce(&mut stack, 0);
        stack.values.pop().unwrap_or_default()
    }

    fn operator_tree(
        &mut self,
        node: Node<'r>,
        steps: Steps<'r>,
        todo: &mut Vec<OperatorPart<'t, 'r>>,
        (stack, context): (&mut Stack<'t, 'r>, Context),
    ) {
        let found = kind(node);
        if found.is_postfix() {
            let (bottom, steps) = self.chain_steps(node, &steps);
            let hangs_below = steps
                .last()
                .is_some_and(|step| kind(*step) == Kind::ConditionalAccess);
            if hangs_below && kind(bottom).is_operator() {
                todo.push(OperatorPart::Tree(bottom, steps));
                return;
            }
        }

        if found == Kind::Cast
            && let Some((left, token, right)) = self.split_cast(node)
        {
            todo.push(OperatorPart::Tree(right, steps));
            todo.push(OperatorPart::Operator(token.0, token.1));
            todo.push(OperatorPart::Tree(left, Steps::new()));
            return;
        }

        if !found.is_operator() {
            let value = if steps.is_empty() {
                self.expr(node, self.operand_context(stack, context))
            } else {
                self.operand(node, &steps)
            };
            stack.values.push(value);
            return;
        }

        self.operator_node(node, steps, todo);
    }

    /// Splits an operator node: pushes its operands and operators to `todo`, the last one first.
    fn operator_node(
        &mut self,
        node: Node<'r>,
        steps: Steps<'r>,
        todo: &mut Vec<OperatorPart<'t, 'r>>,
    ) {
        let children = self.children(node);
        let left = in_field(&children, Field::Left).or(in_field(&children, Field::Expression));

        match kind(node) {
            Kind::Binary => {
                let (Some(token), Some(right)) = (
                    in_field(&children, Field::Operator),
                    in_field(&children, Field::Right),
                ) else {
                    return;
                };

                if let Some(callee) = self.generic_call(node, left, token, right) {
                    let (_, mut tail) = self.chain_steps(right, &steps);
                    tail.push(node);
                    todo.push(OperatorPart::Tree(callee, tail));
                    return;
                }

                todo.push(OperatorPart::Tree(right, steps));
                todo.push(OperatorPart::Operator(self.text(token), token));
            }
            Kind::IsPattern => {
                let Some(pattern) = children.iter().find(|child| child.kind.is_pattern()) else {
                    return;
                };

                let (tested, rest) = self.tested(pattern.node);
                for (token, right) in rest {
                    todo.push(OperatorPart::Tree(right, Steps::new()));
                    todo.push(OperatorPart::Operator(self.text(token), token));
                }
                todo.push(OperatorPart::Pattern(tested));
            }
            _ => {
                let (Some(token), Some(ty)) = (
                    in_field(&children, Field::Operator),
                    in_field(&children, Field::Right),
                ) else {
                    return;
                };
                todo.push(OperatorPart::Type(token, ty));
            }
        }

        todo.extend(left.map(|left| OperatorPart::Tree(left, Steps::new())));
    }

    /// Splits the pattern of `value is Name && more`, which the grammar extends to the end: returns
    /// `Name` and the operators and operands after it, last first. Returns any other pattern
    /// unchanged.
    fn tested(&mut self, pattern: Node<'r>) -> (Node<'r>, Vec<(Node<'r>, Node<'r>)>) {
        let mut rest = Vec::new();
        let mut current = match (kind(pattern), &*self.children(pattern)) {
            (Kind::ConstantPattern, [only]) => only.node,
            _ => return (pattern, rest),
        };

        while kind(current) == Kind::Binary {
            let children = self.children(current);
            let (Some(left), Some(token), Some(right)) = (
                in_field(&children, Field::Left),
                in_field(&children, Field::Operator),
                in_field(&children, Field::Right),
            ) else {
                return (pattern, Vec::new());
            };

            // Arithmetic operators are part of a constant pattern.
            if !matches!(
                self.text(token),
                "&&" | "||" | "==" | "!=" | "&" | "|" | "^" | "??"
            ) {
                return (pattern, Vec::new());
            }

            rest.push((token, right));
            current = left;
        }

        if kind(current) == Kind::Identifier {
            (current, rest)
        } else {
            (pattern, Vec::new())
        }
    }

    /// Returns the context of the next operand: to the right of `??`, that of the whole expression
    /// or, if it has none, the left side.
    fn operand_context(&self, stack: &Stack<'t, 'r>, context: Context) -> Context {
        match (stack.operators.last(), stack.values.last()) {
            (Some(("??", _)), Some(left)) if context == Context::None => Context::Assigned(*left),
            (Some(("??", _)), _) => context,
            _ => Context::None,
        }
    }

    /// Lowers `a.M<U>(x)` parsed as `(a.M < U) > (x)`; returns the callee.
    fn generic_call(
        &mut self,
        node: Node<'r>,
        left: Option<Node<'r>>,
        token: Node<'r>,
        right: Node<'r>,
    ) -> Option<Node<'r>> {
        let left = left.filter(|left| kind(*left) == Kind::Binary)?;
        let (arguments, _) = self.chain_steps(right, &[]);
        let is_call = matches!(kind(arguments), Kind::Parenthesized | Kind::TupleExpression)
            && self.text(token) == ">"
            && token.end_byte() == arguments.start_byte();
        if !is_call || node.has_error() {
            return None;
        }

        let inner = self.children(left);
        let less = in_field(&inner, Field::Operator).filter(|token| self.text(*token) == "<");
        less.and(in_field(&inner, Field::Left))
    }

    fn type_test(&mut self, stack: &mut Stack<'t, 'r>, token: Node<'r>, ty: Node<'r>) {
        stack.values.pop();
        let is_cast = self.text(token) == "as";
        let ty = self.ty(ty);
        let test = if is_cast {
            Expr::Cast(ty)
        } else {
            Expr::Known(KnownType::Bool)
        };
        let value = self.b.expr(test);
        stack.values.push(value);
    }

    /// Applies the waiting operators that bind at least as tightly as `level`.
    fn reduce(&mut self, stack: &mut Stack<'t, 'r>, level: u8) {
        while let Some(&(text, token)) = stack.operators.last() {
            let top = precedence(text);
            if top < level || (top == level && level == COALESCE) {
                return;
            }
            stack.operators.pop();
            let right = stack.values.pop().unwrap_or_default();
            let left = stack.values.pop().unwrap_or_default();
            let value = self.binary((text, token), left, right);
            stack.values.push(value);
        }
    }

    /// Returns the value of `left ?? right` (§12.15): either is its value, the first one without
    /// its `?`.
    pub(super) fn coalesce(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let present = self.b.expr(Expr::NonNull(left));
        self.b.expr(Expr::Or(present, right))
    }

    /// Returns the value of `left op right`, with a site if the operator may be overloaded.
    fn binary(&mut self, (text, token): (&str, Node<'r>), left: ExprId, right: ExprId) -> ExprId {
        let operator = match text {
            "??" => return self.coalesce(left, right),
            "&&" | "||" => return self.b.expr(Expr::Known(KnownType::Bool)),
            text => binary_operator(text),
        };
        let Some(operator) = operator else {
            return self.b.expr(Expr::Unknown);
        };
        self.overloadable(operator, (left, right), token)
    }

    /// Lowers `left op= right`, with a site of the whole assignment.
    pub(super) fn compound(
        &mut self,
        operator: Operator,
        (left, right): (ExprId, ExprId),
        token: Node<'r>,
    ) -> ExprId {
        let value = self.b.expr(Expr::Binary(operator, left, right));
        let expr = self.b.expr(Expr::Assign(left, value));
        let at = self.b.at(token);
        self.use_site(SiteKind::Operator, expr, at);
        expr
    }

    fn overloadable(
        &mut self,
        operator: Operator,
        (left, right): (ExprId, ExprId),
        token: Node<'r>,
    ) -> ExprId {
        let expr = self.b.expr(Expr::Binary(operator, left, right));
        let is_literal =
            |id: ExprId| matches!(self.b.facts.expr(id), Expr::Literal(..) | Expr::Known(_));
        if !(is_literal(left) && is_literal(right)) {
            let at = self.b.at(token);
            self.use_site(SiteKind::Operator, expr, at);
        }
        expr
    }

    /// Returns the value of a unary operator, with a site.
    pub fn unary(&mut self, operator: Operator, operand: ExprId, token: Node<'r>) -> ExprId {
        let expr = self.b.expr(Expr::Unary(operator, operand));
        let built_in = matches!(
            operator,
            Operator::AddressOf | Operator::Dereference | Operator::FromEnd
        );
        if !built_in
            && !matches!(
                self.b.facts.expr(operand),
                Expr::Literal(..) | Expr::Known(_)
            )
        {
            let at = self.b.at(token);
            self.use_site(SiteKind::Operator, expr, at);
        }
        expr
    }

    /// Lowers `-x`, `!x`, `++x`, `*p`, `&x`, `^1`. Recursive: the depth limit bounds runs of them.
    pub fn prefix(&mut self, node: Node<'r>, steps: &[Node<'r>]) -> ExprId {
        let children = self.children(node);
        let (Some(token), Some(operand)) = (children.first(), children.get(1)) else {
            return self.b.expr(Expr::Unknown);
        };
        let Some(operator) = prefix_operator(self.text(token.node)) else {
            return self.operand(operand.node, steps);
        };
        let value = if matches!(operator, Operator::Increment | Operator::Decrement) {
            self.expr_used(operand.node, steps, SiteKind::ReadWrite)
        } else {
            self.operand(operand.node, steps)
        };
        self.unary(operator, value, token.node)
    }

    /// Lowers `await e`.
    pub fn await_expression(&mut self, node: Node<'r>, steps: &[Node<'r>]) -> ExprId {
        let children = self.children(node);
        let Some(inner) = children.iter().find(|child| child.kind != Kind::AwaitWord) else {
            return self.b.expr(Expr::Unknown);
        };
        let value = self.operand(inner.node, steps);
        self.b.expr(Expr::Await(value))
    }

    /// Lowers `(T)e`.
    pub fn cast(&mut self, node: Node<'r>, steps: &[Node<'r>]) -> ExprId {
        let children = self.children(node);
        let (Some(ty), Some(value)) = (
            in_field(&children, Field::Type),
            in_field(&children, Field::Value),
        ) else {
            return self.b.expr(Expr::Unknown);
        };
        let ty = self.ty(ty);
        if steps.is_empty() {
            self.expr(value, Context::Typed(ty));
        } else {
            self.operand(value, steps);
        }
        self.b.expr(Expr::Cast(ty))
    }

    /// Splits `(a) - b` and `(a) && b`, which are parsed as casts of `-b` and `&&b`, into left
    /// side, operator and right side. With a keyword type it is a cast.
    pub fn split_cast(
        &mut self,
        node: Node<'r>,
    ) -> Option<(Node<'r>, (&'t str, Node<'r>), Node<'r>)> {
        let children = self.children(node);
        let left = in_field(&children, Field::Type)
            .filter(|ty| matches!(kind(*ty), Kind::Identifier | Kind::QualifiedName))?;
        let value =
            in_field(&children, Field::Value).filter(|value| kind(*value) == Kind::Prefix)?;
        let parts = self.children(value);
        let (token, operand) = (parts.first()?.node, parts.get(1)?.node);

        match self.text(token) {
            text @ ("+" | "-" | "*") => Some((left, (text, token), operand)),
            "&" if kind(operand) == Kind::Prefix
                && operand.start_byte() == token.end_byte()
                && self.text(operand).starts_with('&') =>
            {
                let inner = self.children(operand);
                Some((left, ("&&", token), inner.get(1)?.node))
            }
            text @ "&" => Some((left, (text, token), operand)),
            _ => None,
        }
    }

    /// Lowers `F(a * b)`, which is parsed as the declaration of a pointer named `b`.
    pub fn product(&mut self, declaration: Node<'r>) -> Option<ExprId> {
        let children = self.children(declaration);
        let pointer =
            in_field(&children, Field::Type).filter(|ty| kind(*ty) == Kind::PointerType)?;
        let right = in_field(&children, Field::Name)?;
        let parts = self.children(pointer);
        let left = in_field(&parts, Field::Type)?;
        let token = parts.iter().find(|part| part.kind == Kind::Token)?.node;
        let left = self.expr(left, Context::None);
        let right = self.expr(right, Context::None);
        Some(self.binary(("*", token), left, right))
    }

    /// Lowers `a..b`.
    pub fn range(&mut self, node: Node<'r>, steps: &[Node<'r>]) -> ExprId {
        let children = self.children(node);
        let bounds: SmallVec<[Node<'r>; 2]> = children
            .iter()
            .filter(|child| child.kind != Kind::DotDot)
            .map(|child| child.node)
            .collect();

        let mut values = [ExprId::NONE; 2];
        for (index, bound) in bounds.iter().take(2).enumerate() {
            let steps = if index + 1 == bounds.len() {
                steps
            } else {
                &[]
            };
            values[index] = self.operand(*bound, steps);
        }

        self.b
            .expr(Expr::Binary(Operator::Range, values[0], values[1]))
    }
}

const COALESCE: u8 = 1;
const RELATIONAL: u8 = 8;

fn precedence(operator: &str) -> u8 {
    match operator {
        "??" => COALESCE,
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | ">" | "<=" | ">=" => RELATIONAL,
        "<<" | ">>" | ">>>" => 9,
        "+" | "-" => 10,
        _ => 11,
    }
}

pub(super) fn binary_operator(text: &str) -> Option<Operator> {
    Some(match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,

        "&" => Operator::And,
        "|" => Operator::Or,
        "^" => Operator::Xor,

        "<<" => Operator::ShiftLeft,
        ">>" => Operator::ShiftRight,
        ">>>" => Operator::ShiftRightUnsigned,

        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        ">" => Operator::Greater,
        "<=" => Operator::LessEqual,
        ">=" => Operator::GreaterEqual,
        _ => return None,
    })
}

fn prefix_operator(text: &str) -> Option<Operator> {
    Some(match text {
        "+" => Operator::Plus,
        "-" => Operator::Minus,
        "!" => Operator::Not,
        "~" => Operator::Complement,
        "++" => Operator::Increment,
        "--" => Operator::Decrement,
        "*" => Operator::Dereference,
        "&" => Operator::AddressOf,
        "^" => Operator::FromEnd,
        _ => return None,
    })
}
