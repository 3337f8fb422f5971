//! Conversions of interpolated strings (C# standard §12.8.3, C# 10) to types other than `string`.
//!
//! `$"{a}"` converts to `FormattableString`, `IFormattable`, and to an interpolated string handler.
//!
//! Limitations: a type with `AppendLiteral` and `AppendFormatted` counts as a handler; its
//! attribute and its constructors are not checked.

use codeagent_model::facts::{Expr, ExprId, LiteralKind, Sym};

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::Better;
use crate::resolve::global_index::well_known::{self, Known};
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the literal's text: `NONE` if the interpolated string has holes.
    fn interpolated(&self, value: ExprId) -> Option<Sym> {
        match self.facts.expr(value.some()?) {
            Expr::Literal(LiteralKind::Interpolated, text) => Some(text),
            Expr::Paren(inner) => self.interpolated(inner),
            _ => None,
        }
    }

    /// Reports whether a value is an interpolated string that converts to a type that is not
    /// `string`.
    pub(super) fn interpolated_converts(&self, value: ExprId, to: Ty) -> bool {
        self.interpolated(value).is_some()
            && (self.is_known(to, Known::FormattableString)
                || self.is_known(to, Known::Formattable)
                || self.is_string_handler(to))
    }

    /// Returns the better target of an interpolated string with holes: a handler is better than
    /// other types.
    pub(super) fn better_string_handler(
        &self,
        value: ExprId,
        first: Ty,
        second: Ty,
    ) -> Option<Better> {
        if !self.interpolated(value)?.is_none() {
            return None;
        }

        match (
            self.is_string_handler(first),
            self.is_string_handler(second),
        ) {
            (true, false) => Some(Better::First),
            (false, true) => Some(Better::Second),
            _ => None,
        }
    }

    fn is_string_handler(&self, ty: Ty) -> bool {
        let has = |name| !self.lookup_members(ty, name).is_empty();
        matches!(self.arena.get(ty), Type::Named(..))
            && has(well_known::APPEND_LITERAL)
            && has(well_known::APPEND_FORMATTED)
    }
}
