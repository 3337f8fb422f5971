//! Implicit conversions (C# standard §10.2), and the better of two conversions (§12.6.4.4).
//!
//! Identity, numeric widening, references up the hierarchy with variance, boxing, nullable, tuples,
//! user-defined operators, lambdas, method groups, `null`, `default`, constants.
//!
//! **Limits.** A conversion that depends on an undeclared type is [`Conversion::Unknown`]; an
//! undeclared generic type is taken to be variant in all its arguments. Constants of type `int` are
//! literals, names of constants, and their sums, differences and products.

use codeagent_lang::DeclRef;
use codeagent_model::facts::{DeclFlags, DeclKind, Expr, ExprId, LiteralKind, Operator};

use crate::resolve::declared::published;
use crate::resolve::declared::tables::Tid;
use crate::resolve::declared::well_known::Known;
use crate::resolve::expressions::Checker;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::{Ty, TyList, Type};

/// Most elements of a collection expression that are looked at.
const MAX_ELEMENTS: usize = 16;

/// Whether a value converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conversion {
    /// It does not.
    No,
    /// Something outside the world decides.
    Unknown,
    /// Implicitly.
    Implicit,
    /// It has that type.
    Identity,
}

impl Conversion {
    fn at_most_implicit(self) -> Self {
        self.min(Self::Implicit)
    }
}

/// Which of two is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Neither,
    /// Something outside the world decides.
    Unknown,
}

impl Checker<'_> {
    /// Converts an expression of a type, where the expression itself may help (constants, lambdas).
    pub(super) fn convert_value(&self, value: ExprId, ty: Ty, to: Ty) -> Conversion {
        match self.arena.get(ty) {
            Type::Lambda(lambda) => match self.delegate_shape(to) {
                Some(shape) => self.lambda_converts(lambda, &shape),
                None => self.function_converts(to),
            },
            Type::MethodGroup(group) => match self.delegate_shape(to) {
                Some(shape) => self.method_group_converts(group, &shape),
                None => self.function_converts(to),
            },
            _ => {
                let plain = self.convert(ty, to);
                if plain == Conversion::No && self.constant_converts(value, to) {
                    Conversion::Implicit
                } else {
                    plain
                }
            }
        }
    }

    /// A lambda or method group given to something that is not a known delegate type.
    fn function_converts(&self, to: Ty) -> Conversion {
        match self.arena.get(to) {
            Type::Unknown | Type::Outside | Type::Dynamic | Type::External(..) => {
                Conversion::Unknown
            }
            _ if self.is_known(to, Known::Object)
                || self.is_known(to, Known::Delegate)
                || self.is_known(to, Known::MulticastDelegate) =>
            {
                Conversion::Implicit
            }
            _ => Conversion::No,
        }
    }

    fn constant_converts(&self, value: ExprId, to: Ty) -> bool {
        if let Type::Nullable(of) = self.arena.get(to) {
            return self.constant_converts(value, of);
        }
        let Some(number) = self.constant(value, 0) else {
            return false;
        };

        if let Type::Inst(tid, _) = self.arena.get(to)
            && self.tables.group(tid).kind == DeclKind::Enum
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

    /// The value of a constant expression of type `int` (standard §12.23).
    fn constant(&self, value: ExprId, depth: u32) -> Option<i64> {
        if depth > 8 {
            return None;
        }

        match self.facts.expr(value) {
            Expr::Literal(LiteralKind::Number, text) => integer(self.facts.text(text)),
            Expr::Unary(Operator::Minus, inner) => self.constant(inner, depth + 1)?.checked_neg(),
            Expr::Same(inner) => self.constant(inner, depth + 1),
            Expr::Binary(operator, left, right) => {
                let (a, b) = (
                    self.constant(left, depth + 1)?,
                    self.constant(right, depth + 1)?,
                );
                match operator {
                    Operator::Add => a.checked_add(b),
                    Operator::Subtract => a.checked_sub(b),
                    Operator::Multiply => a.checked_mul(b),
                    _ => None,
                }
            }
            Expr::Name(name, scope, offset) => self.constant_of(
                self.lookup_value(self.own_name(name), (scope, offset), false)
                    .candidates(),
                depth,
            ),
            Expr::Member(base, name) => self.constant_of(
                &self.member_access(base, self.own_name(name)).candidates,
                depth,
            ),
            _ => None,
        }
    }

    fn constant_of(&self, candidates: &[Candidate], depth: u32) -> Option<i64> {
        let constant = candidates.first()?;
        let decl = self.decl(constant.decl);
        if !decl.flags.has(DeclFlags::CONST)
            || !self.is_known(self.candidate_type(constant), Known::Int32)
        {
            return None;
        }
        if constant.decl.file == self.file {
            return self.constant(decl.init, depth + 1);
        }
        let facts = self.facts(constant.decl.file);
        match decl.init.some().map(|init| facts.expr(init)) {
            Some(Expr::Literal(LiteralKind::Number, text)) => integer(facts.text(text)),
            _ => None,
        }
    }

    /// Converts between types.
    pub(super) fn convert(&self, from: Ty, to: Ty) -> Conversion {
        self.convert_deep(from, to, 0)
    }

    fn convert_deep(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        if from == to {
            return if from.is_unknown() {
                Conversion::Unknown
            } else {
                Conversion::Identity
            };
        }

        if from == Ty::OUTSIDE {
            return self.outside_converts(to);
        }
        if from.is_unknown() || to.is_unknown() || from == Ty::DYNAMIC || depth > 8 {
            return Conversion::Unknown;
        }
        if self.is_span(from) && (to == Ty::DYNAMIC || self.is_reference(to)) {
            return Conversion::No;
        }
        if to == Ty::DYNAMIC || self.is_known(to, Known::Object) {
            return Conversion::Implicit;
        }

        match (self.arena.get(from), self.arena.get(to)) {
            (Type::Null, _) => self.null_converts(to, depth),
            (Type::Default, _) => Conversion::Implicit,
            (Type::TargetNew, _) => self.target_new_converts(to),
            (Type::Collection(values), _) => self.collection_converts(values, to),
            (Type::Lambda(_) | Type::MethodGroup(_), _) => self.function_converts(to),
            (Type::Qualifier(_) | Type::Namespace(_), _) => Conversion::Unknown,
            (Type::Nullable(a), Type::Nullable(b)) => {
                self.convert_deep(a, b, depth + 1).at_most_implicit()
            }
            (_, Type::Nullable(of)) => self.convert_deep(from, of, depth + 1).at_most_implicit(),
            (Type::Nullable(of), _) => self.nullable_converts(of, to, depth),
            (Type::Tuple(a, _), Type::Tuple(b, _)) if a.len() == b.len() => a
                .iter()
                .zip(b.iter())
                .map(|(x, y)| self.convert_deep(*x, *y, depth + 1))
                .min()
                .unwrap_or(Conversion::Identity),
            (Type::Array(a, x), Type::Array(b, y)) => self.array_converts((a, x), (b, y), depth),
            _ => self.convert_named(from, to, depth),
        }
    }

    /// A value from outside: it is of no type that the repository declares, unless such a type
    /// converts it.
    fn outside_converts(&self, to: Ty) -> Conversion {
        match self.arena.get(to) {
            Type::Inst(tid, _) if self.tables.group(tid).external => Conversion::Unknown,
            Type::Inst(..) => {
                let converts = |base: &Ty| match self.arena.get(*base) {
                    Type::Inst(tid, _) => !self.conversions_of(tid).is_empty(),
                    _ => false,
                };
                if self.supertypes(to).iter().any(converts) {
                    Conversion::Unknown
                } else {
                    Conversion::No
                }
            }
            Type::Array(of, _) | Type::Nullable(of) => self.outside_converts(of),
            _ => Conversion::Unknown,
        }
    }

    /// Whether it is a span, which is never boxed (standard §16.2.3).
    fn is_span(&self, ty: Ty) -> bool {
        matches!(self.known(ty), Some((Known::Span | Known::ReadOnlySpan, _)))
    }

    fn is_reference(&self, ty: Ty) -> bool {
        matches!(self.arena.get(ty), Type::Inst(..)) && self.is_value_type(ty) == Some(false)
    }

    fn null_converts(&self, to: Ty, depth: u32) -> Conversion {
        if matches!(self.arena.get(to), Type::Nullable(_)) {
            return Conversion::Implicit;
        }
        match self.is_value_type(to) {
            Some(true) => self.user_defined(Ty::NULL, to, depth),
            Some(false) => Conversion::Implicit,
            None => Conversion::Unknown,
        }
    }

    fn target_new_converts(&self, to: Ty) -> Conversion {
        if self
            .known(to)
            .is_some_and(|(known, _)| known.is_primitive_value() || known == Known::String)
            || self.is_interface(to) == Some(true)
        {
            return Conversion::No;
        }
        match self.arena.get(to) {
            Type::Array(..) | Type::Pointer(_) => Conversion::No,
            _ => Conversion::Implicit,
        }
    }

    /// A collection expression converts to a collection that its elements convert into.
    fn collection_converts(&self, collection: ExprId, to: Ty) -> Conversion {
        let whole = self.is_collection(to);
        let (Expr::Array(values, _), Some(element)) =
            (self.facts.expr(collection), self.element_of(to))
        else {
            return whole;
        };
        let values = self.facts.list(values).iter().take(MAX_ELEMENTS);
        values
            .map(|value| self.element_converts(*value, element))
            .fold(whole, Conversion::min)
    }

    fn element_converts(&self, value: ExprId, to: Ty) -> Conversion {
        match self.facts.expr(value) {
            Expr::Spread(inner) => self.convert(self.iterated(self.expr_type(inner), false), to),
            _ => self.convert_value(value, self.argument_type(value), to),
        }
    }

    /// Whether a collection expression can make such a value.
    fn is_collection(&self, to: Ty) -> Conversion {
        let known = self.known(to).map(|(known, _)| known);
        match self.arena.get(to) {
            Type::Array(_, rank) => {
                if rank == 1 {
                    Conversion::Implicit
                } else {
                    Conversion::No
                }
            }
            Type::Inst(tid, _) => match self.tables.group(tid).kind {
                _ if matches!(known, Some(Known::Span | Known::ReadOnlySpan)) => {
                    Conversion::Implicit
                }
                _ if known == Some(Known::String) => Conversion::No,
                DeclKind::Interface if known.is_some_and(Known::is_collection_interface) => {
                    Conversion::Implicit
                }
                DeclKind::Interface | DeclKind::Enum | DeclKind::Delegate => Conversion::No,
                _ if self
                    .as_instance_of(to, self.known_type(Known::Enumerable, &[]))
                    .is_some() =>
                {
                    Conversion::Implicit
                }
                _ if self.has_foreign_base(to) => Conversion::Unknown,
                _ => Conversion::No,
            },
            Type::Nullable(of) => self.is_collection(of),
            _ => Conversion::Unknown,
        }
    }

    fn nullable_converts(&self, of: Ty, to: Ty, depth: u32) -> Conversion {
        if self.is_value_type(of) != Some(true) {
            return self
                .convert_deep(of, to, depth + 1)
                .min(Conversion::Unknown);
        }
        match self.is_interface(to) {
            Some(true) => self.convert_deep(of, to, depth + 1),
            _ => self.user_defined(self.arena.add(Type::Nullable(of)), to, depth),
        }
    }

    /// Whether nothing demands references of a type parameter (standard §15.2.5).
    fn may_be_a_value(&self, param: Ty) -> bool {
        let demands_reference = |bound: &Ty| match (self.arena.get(*bound), self.known(*bound)) {
            (Type::Param(..), _) => self.param_is_value_type(*bound) == Some(false),
            (_, Some((Known::Object | Known::ValueType | Known::Enum, _))) => false,
            _ => self.is_interface(*bound) != Some(true),
        };
        !self.supertypes(param).iter().any(demands_reference)
    }

    fn array_converts(&self, from: (Ty, u8), to: (Ty, u8), depth: u32) -> Conversion {
        if from.1 != to.1 {
            return Conversion::No;
        }
        if self.is_value_type(from.0) == Some(true) || self.is_value_type(to.0) == Some(true) {
            return if from.0.is_unknown() || to.0.is_unknown() {
                Conversion::Unknown
            } else {
                Conversion::No
            };
        }
        if matches!(self.arena.get(from.0), Type::Param(..)) && self.may_be_a_value(from.0) {
            return Conversion::No;
        }
        self.convert_deep(from.0, to.0, depth + 1)
            .at_most_implicit()
    }

    fn convert_named(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        let (first, second) = (
            self.known(from).map(|(known, _)| known),
            self.known(to).map(|(known, _)| known),
        );

        if let (Some(first), Some(second)) = (first, second)
            && first.is_primitive_value()
            && second.is_primitive_value()
        {
            return if first.widens_to(second) {
                Conversion::Implicit
            } else {
                Conversion::No
            };
        }

        if let Some(conversion) = self.span_converts(from, to, depth) {
            return conversion;
        }

        if let Some(instance) = self.as_instance_of(from, to) {
            let conversion = self.arguments_convert(instance, to, depth);
            return if conversion == Conversion::No {
                self.other_instances_convert(from, instance, to, depth)
            } else {
                conversion
            };
        }

        let user = self.user_defined(from, to, depth);
        if user != Conversion::No {
            return user;
        }

        if self.certainly_unrelated(from, to) {
            Conversion::No
        } else {
            Conversion::Unknown
        }
    }

    /// An interface may be implemented for several type arguments.
    fn other_instances_convert(&self, from: Ty, instance: Ty, to: Ty, depth: u32) -> Conversion {
        let is_other = |base: &Ty| match (self.arena.get(*base), self.arena.get(to)) {
            (Type::Inst(a, _), Type::Inst(b, _)) => a == b && *base != instance,
            _ => false,
        };
        let supertypes = self.supertypes(from);
        if !self.spend(supertypes.len()) {
            return Conversion::Unknown;
        }
        let others = supertypes
            .iter()
            .copied()
            .filter(is_other)
            .map(|other| self.arguments_convert(other, to, depth));
        others.max().unwrap_or(Conversion::No)
    }

    /// Implicit span conversions (C# 14): of an array, a span or a string to a span of its
    /// elements; a read-only one is covariant.
    fn span_converts(&self, from: Ty, to: Ty, depth: u32) -> Option<Conversion> {
        let (wanted, into) = self
            .known(to)
            .filter(|(known, _)| matches!(known, Known::Span | Known::ReadOnlySpan))?;
        let read_only = wanted == Known::ReadOnlySpan;
        let element = match (self.arena.get(from), self.known(from)) {
            (Type::Array(element, 1), _) => element,
            (_, Some((Known::Span | Known::ReadOnlySpan, of))) if read_only => of[0],
            (_, Some((Known::String, _))) if read_only => self.known_type(Known::Char, &[]),
            _ => return None,
        };

        Some(match self.convert_deep(element, into[0], depth + 1) {
            Conversion::Identity => Conversion::Implicit,
            Conversion::Implicit if read_only && self.is_value_type(element) == Some(false) => {
                Conversion::Implicit
            }
            Conversion::Unknown => Conversion::Unknown,
            _ => Conversion::No,
        })
    }

    /// Type arguments of two instances of one definition.
    fn arguments_convert(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        if from == to {
            return Conversion::Implicit;
        }

        let (a, b) = match (self.arena.get(from), self.arena.get(to)) {
            (Type::Inst(_, a), Type::Inst(_, b)) | (Type::External(_, a), Type::External(_, b)) => {
                (a, b)
            }
            _ => return Conversion::Unknown,
        };

        let pairs = a.iter().zip(b.iter()).enumerate().map(|(index, (x, y))| {
            if x == y {
                return Conversion::Implicit;
            }
            if x.is_unknown() || y.is_unknown() {
                return Conversion::Unknown;
            }

            let there = self.convert_deep(*x, *y, depth + 1);
            if there == Conversion::Identity {
                return Conversion::Implicit;
            }

            let (out, into) = self.variance(to, index);
            if !(out || into)
                || self.is_value_type(*x) == Some(true)
                || self.is_value_type(*y) == Some(true)
            {
                return if there == Conversion::Unknown {
                    Conversion::Unknown
                } else {
                    Conversion::No
                };
            }

            let back = if into {
                self.convert_deep(*y, *x, depth + 1)
            } else {
                Conversion::No
            };

            if out {
                there.max(back).at_most_implicit()
            } else {
                back.at_most_implicit()
            }
        });

        pairs.min().unwrap_or(Conversion::Implicit)
    }

    /// Whether a type argument may be replaced by what it converts to (`out`), and by what converts
    /// to it (`in`).
    fn variance(&self, ty: Ty, index: usize) -> (bool, bool) {
        match self.arena.get(ty) {
            Type::Inst(tid, _) => {
                let group = self.group(tid);
                let facts = self.facts(group.parts[0].file);
                let params = facts.list(facts.decl(group.parts[0].decl).type_params);
                let own = index
                    .checked_sub(usize::from(group.outer_arity))
                    .and_then(|own| params.get(own));

                own.map_or((false, false), |param| {
                    let flags = facts.decl(*param).flags;
                    (flags.has(DeclFlags::OUT), flags.has(DeclFlags::IN))
                })
            }
            Type::External(..) => (true, true),
            _ => (false, false),
        }
    }

    /// Whether everything about both types is known, so that no relation can be hidden.
    fn certainly_unrelated(&self, from: Ty, to: Ty) -> bool {
        match (self.arena.get(from), self.arena.get(to)) {
            (
                Type::Inst(..) | Type::Array(..) | Type::Tuple(..) | Type::Object(_),
                Type::Inst(tid, _),
            ) => !self.tables.group(tid).external || !self.has_foreign_base(from),
            // An undeclared type may have an operator for a type of the library, not for one of the
            // repository.
            (Type::Inst(tid, _), Type::External(..)) if tid >= self.tables.library => false,
            (Type::Inst(..), Type::External(..)) if self.is_interface(to) != Some(true) => {
                !self.has_foreign_class(from)
            }
            (Type::Inst(..), Type::External(..)) => !self.has_foreign_base(from),
            (
                Type::Inst(..) | Type::External(..) | Type::Tuple(..),
                Type::Array(..) | Type::Tuple(..) | Type::Pointer(_) | Type::Param(..),
            ) => true,
            (Type::Array(..), Type::Param(..)) => true,
            (Type::External(..), Type::Inst(tid, _)) => !self.tables.group(tid).external,
            (Type::Param(..), Type::Inst(..)) => !self.has_foreign_base(from),
            _ => false,
        }
    }

    /// The conversion operators that a type declares itself.
    fn conversions_of(&self, tid: Tid) -> &[DeclRef] {
        let group = self.group(tid);
        self.ask_type(tid, published::CONVERSIONS, group.name);
        &group.conversions
    }

    /// `implicit operator` of either type.
    fn user_defined(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        if depth > 1 {
            return Conversion::No;
        }

        for side in [to, from].map(|side| self.strip_nullable(side)) {
            // Nothing above a value type converts.
            let all = if self.is_value_type(side) == Some(true) {
                TyList::from([side])
            } else {
                self.supertypes(side)
            };

            for base in all.iter() {
                let Type::Inst(tid, _) = self.arena.get(*base) else {
                    continue;
                };

                for conversion in self.conversions_of(tid) {
                    let facts = self.facts(conversion.file);
                    if !facts.decl_name(conversion.decl).starts_with("implicit") {
                        continue;
                    }

                    let signature = self.signature(*conversion);
                    let [param] = &*signature.params else {
                        continue;
                    };

                    let takes = self.standard(from, self.substitute(param.ty, *base), depth);
                    let gives = self.standard(self.substitute(signature.result, *base), to, depth);
                    if takes > Conversion::Unknown && gives > Conversion::Unknown {
                        return Conversion::Implicit;
                    }
                }
            }
        }

        Conversion::No
    }

    /// Converts between types without `implicit operator`.
    pub(super) fn convert_without_user(&self, from: Ty, to: Ty) -> Conversion {
        self.standard(from, to, 1)
    }

    fn standard(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        self.convert_deep(from, to, depth.max(1) + 1)
    }

    /// Which of two types the value converts to better (standard §12.6.4.5).
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
            Type::Unknown | Type::Outside | Type::Dynamic => return Better::Unknown,
            _ => {}
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

    /// Which of two types a collection expression converts to better (C# 12): a read-only span than
    /// a span, either than an array or an interface of arrays.
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

    /// Which of two types is the better conversion target.
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

/// The value of an integer literal without a suffix.
fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('_', "").to_ascii_lowercase();
    match digits.split_at_checked(2) {
        Some(("0x", hex)) => i64::from_str_radix(hex, 16).ok(),
        Some(("0b", bits)) => i64::from_str_radix(bits, 2).ok(),
        _ => digits.parse().ok(),
    }
}
