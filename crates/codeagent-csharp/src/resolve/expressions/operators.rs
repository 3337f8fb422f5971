//! Operators: the user-defined operator that `a + b` calls, and the type of an operator expression
//! (C# standard §12.4).
//!
//! Limitations: for built-in operators, only numeric promotion, string concatenation, comparisons,
//! and lifted and enum forms by their operands.

use codeagent_model::facts::{DeclFlags, DeclKind, Expr, ExprId, Operator};

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the user-defined operator that a binary expression calls, if any, and the type of
    /// the expression.
    pub fn resolve_binary(
        &self,
        operator: Operator,
        left: ExprId,
        right: ExprId,
    ) -> (Option<OverloadResult>, Ty) {
        let (a, b) = (self.type_of_expr(left), self.type_of_expr(right));
        let args = [
            Argument {
                value: left,
                ..Argument::of_type(a)
            },
            Argument {
                value: right,
                ..Argument::of_type(b)
            },
        ];

        if let Some(chosen) = self.resolve_user_operator(operator, &args) {
            let result = self.result_of(&chosen.best);
            return (Some(chosen), result);
        }

        let (a, b) = (self.type_beside(left, a, b), self.type_beside(right, b, a));
        (None, self.built_in_binary(operator, a, b))
    }

    /// Returns the user-defined operator that `left op= right` calls (C# 14): an instance operator
    /// of the left side precedes the binary one.
    pub fn resolve_compound(&self, value: ExprId) -> Option<OverloadResult> {
        let Expr::Binary(operator, left, right) = self.facts.expr(value) else {
            return None;
        };
        let argument = Argument {
            value: right,
            ..Argument::of_type(self.type_of_expr(right))
        };
        let name = format!("operator {}=", token(operator)?);
        self.resolve_instance_operator(&name, self.type_of_expr(left), &[argument])
            .or_else(|| self.resolve_binary(operator, left, right).0)
    }

    /// Resolves an operator that changes its left side, which is no static member.
    fn resolve_instance_operator(
        &self,
        name: &str,
        target: Ty,
        args: &[Argument],
    ) -> Option<OverloadResult> {
        if !matches!(self.arena.get(target), Type::Named(..) | Type::Param(..)) {
            return None;
        }
        let candidates: Vec<Candidate> = self
            .lookup_members(target, self.tables.names.get(name)?)
            .iter()
            .copied()
            .filter(|candidate| !self.decl(candidate.decl).flags.has(DeclFlags::STATIC))
            .collect();

        self.resolve_overload(&candidates, args, self.arena.no_types())
            .filter(|chosen| chosen.applicable)
    }

    /// Returns the user-defined operator that a unary expression calls, if any, and the type of the
    /// expression.
    pub fn resolve_unary(&self, operator: Operator, inner: ExprId) -> (Option<OverloadResult>, Ty) {
        let ty = self.type_of_expr(inner);
        let args = [Argument {
            value: inner,
            ..Argument::of_type(ty)
        }];

        if matches!(operator, Operator::Increment | Operator::Decrement)
            && let Some(name) = token(operator).map(|token| format!("operator {token}"))
            && let Some(chosen) = self.resolve_instance_operator(&name, ty, &[])
        {
            return (Some(chosen), ty);
        }

        if let Some(chosen) = self.resolve_user_operator(operator, &args) {
            let result = self.result_of(&chosen.best);
            return (Some(chosen), result);
        }

        let result = match operator {
            Operator::Not => self.known_type(Known::Boolean, &[]),
            Operator::FromEnd => self.known_type(Known::Index, &[]),
            Operator::Range => self.known_type(Known::Range, &[]),
            Operator::Dereference => match self.arena.get(ty) {
                Type::Pointer(of) => of,
                _ => Ty::UNKNOWN,
            },
            Operator::AddressOf => self.arena.add(Type::Pointer(ty)),
            Operator::Plus | Operator::Minus | Operator::Complement => self.promote(ty),
            _ => ty,
        };

        (None, result)
    }

    fn resolve_user_operator(
        &self,
        operator: Operator,
        args: &[Argument],
    ) -> Option<OverloadResult> {
        let name = self
            .tables
            .names
            .get(&format!("operator {}", token(operator)?))?;

        let mut candidates: Vec<Candidate> = Vec::new();
        for arg in args {
            let ty = self.strip_nullable(arg.ty);
            if matches!(self.arena.get(ty), Type::Named(..) | Type::Param(..)) {
                for candidate in self.lookup_members(ty, name).iter() {
                    if !candidates.contains(candidate) {
                        candidates.push(*candidate);
                    }
                }
            }
        }

        if !self.spend(candidates.len() * candidates.len() / 8) {
            return None;
        }

        let lifted: Vec<Argument> = args
            .iter()
            .map(|arg| Argument {
                ty: self.strip_nullable(arg.ty),
                ..*arg
            })
            .collect();

        self.resolve_overload(&candidates, &lifted, self.arena.no_types())
            .filter(|chosen| chosen.applicable)
            .or_else(|| self.resolve_extension_operator(name, &lifted))
    }

    fn built_in_binary(&self, operator: Operator, a: Ty, b: Ty) -> Ty {
        use Operator::{
            Equal, Greater, GreaterEqual, Less, LessEqual, LogicalAnd, LogicalOr, NotEqual, Range,
        };
        if matches!(
            operator,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | LogicalAnd | LogicalOr
        ) {
            return self.known_type(Known::Boolean, &[]);
        }

        if operator == Range {
            return self.known_type(Known::Range, &[]);
        }

        if operator == Operator::Add
            && (self.is_known(a, Known::String) || self.is_known(b, Known::String))
        {
            return self.known_type(Known::String, &[]);
        }

        let lifted = matches!(self.arena.get(a), Type::Nullable(_))
            || matches!(self.arena.get(b), Type::Nullable(_));
        let (x, y) = (self.strip_nullable(a), self.strip_nullable(b));
        let plain = match operator {
            Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightUnsigned => {
                self.promote(x)
            }
            _ => self.promote_pair(x, y),
        };

        if lifted && !plain.is_unknown() {
            self.nullable(plain)
        } else {
            plain
        }
    }

    fn promote(&self, ty: Ty) -> Ty {
        match self.known(ty) {
            Some((Known::SByte | Known::Byte | Known::Int16 | Known::UInt16 | Known::Char, _)) => {
                self.known_type(Known::Int32, &[])
            }
            _ => ty,
        }
    }

    /// Returns the wider of two numeric types, unless both are promoted to `int`: a `byte` and a
    /// `uint` make a `uint`.
    fn wider(&self, a: Ty, b: Ty) -> Option<Ty> {
        let wins = |from: Ty, to: Ty| match (self.known(from), self.known(to)) {
            (Some((small, _)), Some((large, _))) => {
                self.promote(to) == to && small.widens_to(large)
            }
            _ => false,
        };
        if wins(a, b) {
            Some(b)
        } else {
            wins(b, a).then_some(a)
        }
    }

    fn is_enum(&self, ty: Ty) -> bool {
        matches!(self.arena.get(ty), Type::Named(tid, _) if self.tables.type_def(tid).kind == DeclKind::Enum)
    }

    fn promote_pair(&self, a: Ty, b: Ty) -> Ty {
        let (x, y) = (self.promote(a), self.promote(b));
        match (
            self.known(x).map(|(known, _)| known),
            self.known(y).map(|(known, _)| known),
        ) {
            (Some(first), Some(second)) if first.is_numeric() && second.is_numeric() => {
                if let Some(wider) = self.wider(a, b) {
                    wider
                } else if first == second {
                    x
                } else if first == Known::UInt64 || second == Known::UInt64 {
                    // The other operand must be a constant that fits (standard §12.4.7.3).
                    self.known_type(Known::UInt64, &[])
                } else {
                    self.known_type(Known::Int64, &[])
                }
            }

            _ if a == b => a,
            _ if self.is_enum(a) => a,
            _ if self.is_enum(b) => b,

            _ if self.is_delegate(a) == Some(true) => a,
            _ => Ty::UNKNOWN,
        }
    }
}

fn token(operator: Operator) -> Option<&'static str> {
    Some(match operator {
        Operator::Add | Operator::Plus => "+",
        Operator::Subtract | Operator::Minus => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",

        Operator::And | Operator::LogicalAnd => "&",
        Operator::Or | Operator::LogicalOr => "|",
        Operator::Xor => "^",

        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
        Operator::ShiftRightUnsigned => ">>>",

        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::Greater => ">",
        Operator::LessEqual => "<=",
        Operator::GreaterEqual => ">=",

        Operator::Not => "!",
        Operator::Complement => "~",
        Operator::Increment => "++",
        Operator::Decrement => "--",

        Operator::Power
        | Operator::FromEnd
        | Operator::Range
        | Operator::Dereference
        | Operator::AddressOf => return None,
    })
}
