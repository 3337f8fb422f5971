//! Implicit conversions (C# standard §10.2), and the better of two conversions (§12.6.4.4).
//!
//! Identity, numeric widening, references up the hierarchy with variance, boxing, nullable, tuples,
//! user-defined operators, lambdas, method groups, `null`, `default`, constants.
//!
//! Limitations: a conversion that depends on an undeclared type is [`Conversion::Unknown`]; an
//! undeclared generic type is taken to be variant in all its arguments. Constants of type `int` are
//! literals, names of constants, and their sums, differences and products.

use codeagent_model::facts::{DeclFlags, DeclKind, Expr, ExprId};

use crate::resolve::expressions::Checker;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::{Ty, Type};

/// Largest number of elements of a collection expression that are examined.
const MAX_ELEMENTS: usize = 16;

/// The conversion of a value to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conversion {
    No,
    /// An undeclared type decides.
    Unknown,
    Implicit,
    /// The value has that type.
    Identity,
}

impl Conversion {
    fn at_most_implicit(self) -> Self {
        self.min(Self::Implicit)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    First,
    Second,
    Neither,
    /// An undeclared type decides.
    Unknown,
}

impl Checker<'_> {
    /// Converts an expression of a type. The expression itself may convert where its type does not
    /// (constants, lambdas).
    pub(super) fn convert_value(&self, value: ExprId, ty: Ty, to: Ty) -> Conversion {
        match self.arena.get(ty) {
            Type::Lambda(lambda) => match self.delegate_shape(to) {
                Some(shape) => self.lambda_converts(lambda, &shape),
                None => self.function_converts(ty, to),
            },
            Type::MethodGroup(group) => match self.delegate_shape(to) {
                Some(shape) => self.method_group_converts(group, &shape),
                None => self.function_converts(ty, to),
            },

            _ => {
                if let Some(conversion) = self.tuple_converts(value, to) {
                    return conversion;
                }

                let plain = self.convert(ty, to);
                if plain == Conversion::No
                    && (self.constant_converts(value, to) || self.interpolated_converts(value, to))
                {
                    Conversion::Implicit
                } else {
                    plain
                }
            }
        }
    }

    /// Converts a tuple expression to a tuple type: each element converts as an expression (standard
    /// §10.2.13).
    fn tuple_converts(&self, value: ExprId, to: Ty) -> Option<Conversion> {
        let elements = match self.facts.expr(value) {
            Expr::Paren(inner) => return self.tuple_converts(inner, to),
            Expr::Tuple(elements) => self.facts.list(elements),
            _ => return None,
        };

        match self.arena.get(to) {
            Type::Nullable(of) => Some(self.tuple_converts(value, of)?.at_most_implicit()),
            Type::Tuple(wanted, _) if wanted.len() == elements.len() => elements
                .iter()
                .zip(wanted.iter())
                .map(|(element, wanted)| self.element_converts(element.value, *wanted))
                .min(),
            _ => None,
        }
    }

    pub(super) fn convert(&self, from: Ty, to: Ty) -> Conversion {
        self.convert_deep(from, to, 0)
    }

    pub(super) fn convert_deep(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        if from == to {
            return if from.is_unknown() {
                Conversion::Unknown
            } else {
                Conversion::Identity
            };
        }

        if from == Ty::EXTERNAL_VALUE {
            return self.external_value_converts(to);
        }
        if from.is_unknown() || to.is_unknown() || from == Ty::DYNAMIC || depth > 8 {
            return Conversion::Unknown;
        }
        if self.is_span(from) && (to == Ty::DYNAMIC || self.is_value_type(to) == Some(false)) {
            return Conversion::No;
        }
        let is_function = matches!(self.arena.get(from), Type::Lambda(_) | Type::MethodGroup(_));
        if to == Ty::DYNAMIC || self.is_known(to, Known::Object) && !is_function {
            return Conversion::Implicit;
        }

        match (self.arena.get(from), self.arena.get(to)) {
            (Type::Null, _) => self.null_converts(to, depth),
            (Type::Default, _) => Conversion::Implicit,
            (Type::TargetNew, _) => self.target_new_converts(to),
            (Type::Collection(values), _) => self.collection_converts(values, to),
            (Type::Lambda(_) | Type::MethodGroup(_), _) => self.function_converts(from, to),
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

    /// Converts an external value: to no repository type, unless that type declares a conversion
    /// from it.
    fn external_value_converts(&self, to: Ty) -> Conversion {
        match self.arena.get(to) {
            Type::Named(tid, _) if self.tables.type_def(tid).external => Conversion::Unknown,
            Type::Named(..) => {
                let converts = |base: &Ty| match self.arena.get(*base) {
                    Type::Named(tid, _) => !self.conversions_of(tid).is_empty(),
                    _ => false,
                };

                if self.supertypes(to).iter().any(converts) {
                    Conversion::Unknown
                } else {
                    Conversion::No
                }
            }
            Type::Array(of, _) | Type::Nullable(of) => self.external_value_converts(of),
            _ => Conversion::Unknown,
        }
    }

    /// Reports whether a type is a span, which is never boxed (standard §16.2.3).
    fn is_span(&self, ty: Ty) -> bool {
        matches!(self.known(ty), Some((Known::Span | Known::ReadOnlySpan, _)))
    }

    fn null_converts(&self, to: Ty, depth: u32) -> Conversion {
        if matches!(self.arena.get(to), Type::Nullable(_)) {
            return Conversion::Implicit;
        }
        match self.is_value_type(to) {
            Some(true) => self.resolve_user_defined(Ty::NULL, to, depth),
            Some(false) => Conversion::Implicit,
            None => Conversion::Unknown,
        }
    }

    /// Converts `new()` to any type, except those of which nothing can be created.
    fn target_new_converts(&self, to: Ty) -> Conversion {
        match self.arena.get(to) {
            Type::Array(..) | Type::Pointer(_) => Conversion::No,
            _ if self.is_interface(to) == Some(true) => Conversion::No,
            _ => Conversion::Implicit,
        }
    }

    /// Converts a collection expression: each element must convert to the element type.
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
            Expr::Spread(inner) => {
                self.convert(self.type_of_iterated(self.type_of_expr(inner), false), to)
            }
            _ => self.convert_value(value, self.type_of_argument(value), to),
        }
    }

    /// Reports whether a collection expression can create values of a type.
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
            Type::Named(tid, _) => match self.tables.type_def(tid).kind {
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
        let is_boxed = matches!(self.known(to), Some((Known::ValueType | Known::Enum, _)));
        match self.is_interface(to) {
            Some(true) => self.convert_deep(of, to, depth + 1),
            _ if is_boxed => self.convert_deep(of, to, depth + 1).at_most_implicit(),
            _ => self.resolve_user_defined(self.arena.add(Type::Nullable(of)), to, depth),
        }
    }

    /// Reports whether a type parameter may be a value type: no constraint makes it a reference
    /// type (standard §15.2.5).
    pub(super) fn may_be_a_value(&self, param: Ty) -> bool {
        let demands_reference = |bound: &Ty| match (self.arena.get(*bound), self.known(*bound)) {
            (Type::Param(..), _) => self.param_is_value_type(*bound) == Some(false),
            (_, Some((Known::Object | Known::ValueType | Known::Enum, _))) => false,
            _ => self.is_interface(*bound) != Some(true),
        };
        !self.supertypes(param).iter().any(demands_reference)
    }

    /// Converts an element type or type argument: user-defined conversions do not count (standard
    /// §10.2.8, §18.2.3.3).
    fn convert_part(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        self.convert_deep(from, to, depth.max(1) + 1)
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
        self.convert_part(from.0, to.0, depth).at_most_implicit()
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
        // Boxing of a type parameter with the constraint `struct`.
        if second == Some(Known::ValueType) && self.param_is_value_type(from) == Some(true) {
            return Conversion::Implicit;
        }

        let instance = self.as_instance_of(from, to);
        if let Some(instance) = instance {
            let conversion = match self.arguments_convert(instance, to, depth) {
                Conversion::No => self.other_instances_convert(from, to, depth),
                conversion => conversion,
            };
            if conversion != Conversion::No {
                return conversion;
            }
        }

        let user = self.resolve_user_defined(from, to, depth);
        if user != Conversion::No {
            return user;
        }

        if instance.is_some() || self.certainly_unrelated(from, to) {
            Conversion::No
        } else {
            Conversion::Unknown
        }
    }

    /// Tries all instances: a type may implement an interface for several type arguments.
    fn other_instances_convert(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        let is_instance = |base: &Ty| match (self.arena.get(*base), self.arena.get(to)) {
            (Type::Named(a, _), Type::Named(b, _)) => a == b,
            _ => false,
        };
        let supertypes = self.supertypes(from);
        if !self.spend(supertypes.len()) {
            return Conversion::Unknown;
        }
        let instances = supertypes
            .iter()
            .copied()
            .filter(is_instance)
            .map(|instance| self.arguments_convert(instance, to, depth));
        instances.max().unwrap_or(Conversion::No)
    }

    /// Applies the implicit span conversions (C# 14): from an array, a span or a string to a span
    /// of its elements; read-only spans are covariant.
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

    /// Converts the type arguments of two instances of one definition.
    fn arguments_convert(&self, from: Ty, to: Ty, depth: u32) -> Conversion {
        let (a, b) = match (self.arena.get(from), self.arena.get(to)) {
            (Type::Named(_, a), Type::Named(_, b))
            | (Type::External(_, a), Type::External(_, b)) => (a, b),
            _ => return Conversion::Unknown,
        };

        let pairs = a.iter().zip(b.iter()).enumerate().map(|(index, (x, y))| {
            if x == y {
                return Conversion::Implicit;
            }

            let there = self.convert_part(*x, *y, depth);
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
                self.convert_part(*y, *x, depth)
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

    /// Returns the variance of a type parameter: whether its argument may be replaced by a wider
    /// type (`out`) and by a narrower one (`in`).
    pub(super) fn variance(&self, ty: Ty, index: usize) -> (bool, bool) {
        match self.arena.get(ty) {
            Type::Named(tid, _) => {
                let group = self.type_def(tid);
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

    /// Reports whether everything about both types is known, so that no relation can be hidden.
    fn certainly_unrelated(&self, from: Ty, to: Ty) -> bool {
        match (self.arena.get(from), self.arena.get(to)) {
            (
                Type::Named(..) | Type::Array(..) | Type::Tuple(..) | Type::Object(_),
                Type::Named(tid, _),
            ) => !self.tables.type_def(tid).external || !self.has_foreign_base(from),

            // An undeclared type may have an operator for a library type, but not for a repository
            // type.
            (Type::Named(tid, _), Type::External(..)) if self.tables.is_framework(tid) => false,
            (Type::Named(..), Type::External(..)) if self.is_interface(to) != Some(true) => {
                !self.has_foreign_class(from)
            }
            (Type::Named(..), Type::External(..)) => !self.has_foreign_base(from),

            (
                Type::Named(..) | Type::External(..) | Type::Tuple(..),
                Type::Array(..) | Type::Tuple(..) | Type::Pointer(_) | Type::Param(..),
            ) => true,
            (Type::Array(..), Type::Param(..)) => true,

            (Type::External(..), Type::Named(tid, _)) => !self.tables.type_def(tid).external,
            (Type::Param(..), Type::Named(..)) => !self.has_foreign_base(from),
            _ => false,
        }
    }
}
