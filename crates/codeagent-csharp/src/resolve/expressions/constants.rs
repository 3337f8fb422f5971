//! Constant expressions of type `int`, and their conversions (C# standard §12.23, §10.2.11).
//!
//! `byte b = 1 + 2;` converts because the value fits.
//!
//! Limitations: literals, names of constants, and their sums, differences and products; of
//! constants of type `long`, literals.

use codeagent_model::facts::{DeclFlags, DeclKind, Expr, ExprId, Facts, LiteralKind, Operator};

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::simple_names::ScopePosition;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the type that an operand has beside another: a constant of type `int` or `long` beside
    /// a `uint` or `ulong` is converted to it if its value fits (standard §12.4.7, §12.18).
    pub(super) fn type_beside(&self, value: ExprId, ty: Ty, other: Ty) -> Ty {
        let wanted = self.strip_nullable(other);
        let is_unsigned = matches!(
            self.known(wanted),
            Some((Known::UInt32 | Known::UInt64 | Known::UIntPtr, _))
        );
        if is_unsigned && self.constant_converts(value, wanted) {
            wanted
        } else {
            ty
        }
    }

    pub(super) fn constant_converts(&self, value: ExprId, to: Ty) -> bool {
        if let Type::Nullable(of) = self.arena.get(to) {
            return self.constant_converts(value, of);
        }
        let Some(number) = self.constant(value, 0) else {
            return self.is_known(to, Known::UInt64) && self.is_long_literal(value);
        };

        if let Type::Named(tid, _) = self.arena.get(to)
            && self.tables.type_def(tid).kind == DeclKind::Enum
        {
            return number == 0;
        }

        match self.known(to).map(|(known, _)| known) {
            Some(Known::SByte) => (-128..=127).contains(&number),
            Some(Known::Byte) => (0..=255).contains(&number),
            Some(Known::Int16) => (-32_768..=32_767).contains(&number),
            Some(Known::UInt16) => (0..=65_535).contains(&number),
            Some(Known::UInt32 | Known::UInt64 | Known::UIntPtr) => number >= 0,
            _ => false,
        }
    }

    /// Reports whether an expression is a literal of type `long`. It has no sign, so it converts to
    /// `ulong`.
    fn is_long_literal(&self, value: ExprId) -> bool {
        match self.facts.expr(value) {
            Expr::Literal(LiteralKind::TypedNumber, text) => self.facts.text(text) == "long",
            Expr::Paren(inner) => self.is_long_literal(inner),
            _ => false,
        }
    }

    /// Returns the value of a constant expression of type `int` (standard §12.23).
    fn constant(&self, value: ExprId, depth: u32) -> Option<i64> {
        if depth > 8 {
            return None;
        }

        match self.facts.expr(value) {
            Expr::Name(name, scope, offset) => self.constant_of(
                self.lookup_value(self.own_name(name), ScopePosition { scope, offset }, false)
                    .candidates(),
                depth,
            ),
            Expr::Member(base, name) => self.constant_of(
                &self
                    .lookup_member_access(base, self.own_name(name))
                    .candidates,
                depth,
            ),
            _ => operation(self.facts, value, |part| self.constant(part, depth + 1)),
        }
    }

    /// Returns the value of an expression in the initializer of another file's constant. Of names,
    /// those of members of the constant's type are known.
    fn constant_elsewhere(&self, owner: &Candidate, value: ExprId, depth: u32) -> Option<i64> {
        if depth > 8 {
            return None;
        }

        let facts = self.facts(owner.decl.file);
        match facts.expr(value) {
            Expr::Name(name, ..) => {
                let name = self.name(owner.decl.file, name);
                self.constant_of(&self.lookup_members(owner.within, name), depth)
            }
            _ => operation(facts, value, |part| {
                self.constant_elsewhere(owner, part, depth + 1)
            }),
        }
    }

    fn constant_of(&self, candidates: &[Candidate], depth: u32) -> Option<i64> {
        let constant = candidates.first()?;
        let decl = self.decl(constant.decl);
        if !decl.flags.has(DeclFlags::CONST)
            || !self.is_known(self.type_of_candidate(constant), Known::Int32)
        {
            return None;
        }

        if self.is_external_file(constant.decl.file) {
            return self.library_constant(constant);
        }

        if constant.decl.file == self.file {
            return self.constant(decl.init, depth + 1);
        }
        self.constant_elsewhere(constant, decl.init, depth + 1)
    }

    /// Returns the value of a limit of `int`, which the language fixes (standard §8.3.6). The values
    /// of other library constants are not known.
    fn library_constant(&self, constant: &Candidate) -> Option<i64> {
        if !self.is_known(constant.within, Known::Int32) {
            return None;
        }
        let facts = self.facts(constant.decl.file);
        match facts.decl_name(constant.decl.decl) {
            "MaxValue" => Some(i64::from(i32::MAX)),
            "MinValue" => Some(i64::from(i32::MIN)),
            _ => None,
        }
    }
}

/// Returns the value of a literal or of an operation on constants.
fn operation(
    facts: &Facts,
    value: ExprId,
    constant: impl Fn(ExprId) -> Option<i64>,
) -> Option<i64> {
    match facts.expr(value) {
        Expr::Literal(LiteralKind::Number, text) => integer(facts.text(text)),
        Expr::Unary(Operator::Minus, inner) => constant(inner)?.checked_neg(),
        Expr::Paren(inner) => constant(inner),
        Expr::Binary(operator, left, right) => {
            let (a, b) = (constant(left)?, constant(right)?);
            match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the value of an integer literal without a suffix.
fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('_', "").to_ascii_lowercase();
    match digits.split_at_checked(2) {
        Some(("0x", hex)) => i64::from_str_radix(hex, 16).ok(),
        Some(("0b", bits)) => i64::from_str_radix(bits, 2).ok(),
        _ => digits.parse().ok(),
    }
}
