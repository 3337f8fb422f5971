//! Better conversions from expressions (C# standard §12.6.4.4 to §12.6.4.7).
//!
//! `F(int)` is better than `F(long)` for `F(1)`: identity is better than widening.
//!
//! Limitations: where an unknown type decides, the result is [`Better::Unknown`].

use codeagent_model::facts::ExprId;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the type to which a value converts better (standard §12.6.4.5).
    pub(super) fn better_conversion(&self, value: ExprId, ty: Ty, first: Ty, second: Ty) -> Better {
        if first == second {
            return Better::Neither;
        }
        if first.is_unknown() || second.is_unknown() {
            return Better::Unknown;
        }

        match self.arena.get(ty) {
            Type::Lambda(lambda) => return self.better_lambda(lambda, first, second),
            Type::Collection(_) => return self.better_collection_target(first, second),
            Type::Unknown | Type::ExternalValue | Type::Dynamic => return Better::Unknown,
            _ => {}
        }

        if let Some(better) = self.better_string_handler(value, first, second) {
            return better;
        }

        match (
            self.convert_value(value, ty, first),
            self.convert_value(value, ty, second),
        ) {
            (Conversion::Identity, Conversion::Identity) => {}
            (Conversion::Identity, _) => return Better::First,
            (_, Conversion::Identity) => return Better::Second,
            _ => {}
        }

        self.better_target(first, second)
    }

    /// Returns the better of two target types for a collection expression (C# 12): a read-only span
    /// is better than a span, and either is better than an array or an interface of arrays.
    fn better_collection_target(&self, first: Ty, second: Ty) -> Better {
        let rank = |ty: Ty| match (self.arena.get(ty), self.known(ty)) {
            (_, Some((Known::ReadOnlySpan, of))) => Some((0, of[0])),
            (_, Some((Known::Span, of))) => Some((1, of[0])),
            (Type::Array(of, 1), _) => Some((2, of)),
            (_, Some((known, of))) if known.is_collection_interface() => Some((2, of[0])),
            _ => None,
        };

        match (rank(first), rank(second)) {
            (Some((a, x)), Some((b, y))) if a != b => match a < b {
                _ if x != y => Better::Neither,
                true => Better::First,
                false => Better::Second,
            },
            (Some((0 | 1, _)), None) | (None, Some((0 | 1, _))) => Better::Neither,
            _ => self.better_target(first, second),
        }
    }

    /// Returns the better of two conversion targets (standard §12.6.4.7).
    pub(super) fn better_target(&self, first: Ty, second: Ty) -> Better {
        match (self.convert(first, second), self.convert(second, first)) {
            (Conversion::Implicit, Conversion::No | Conversion::Unknown) => return Better::First,
            (Conversion::No | Conversion::Unknown, Conversion::Implicit) => return Better::Second,
            (Conversion::Unknown, _) | (_, Conversion::Unknown) => return Better::Unknown,
            _ => {}
        }

        let (first, second) = (self.strip_nullable(first), self.strip_nullable(second));
        let (Some((a, x)), Some((b, y))) = (self.known(first), self.known(second)) else {
            return Better::Neither;
        };
        if a.is_task_of() && a == b {
            return self.better_target(x[0], y[0]);
        }
        if a.beats_unsigned(b) {
            return Better::First;
        }
        if b.beats_unsigned(a) {
            Better::Second
        } else {
            Better::Neither
        }
    }
}
