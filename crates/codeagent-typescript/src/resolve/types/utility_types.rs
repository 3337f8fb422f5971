//! Utility types of the standard library: `Partial<T>`, `ReturnType<F>`, `Awaited<P>`.
//!
//! Those that only change modifiers or remove members are represented by the type itself, because a
//! member found through them is a member of that type.
//!
//! Limitations: `Exclude` and `Extract` remove only members that clearly are, or are not, assignable.

use std::rc::Rc;

use crate::resolve::arena::{Args, LITERAL_LIMIT, Ty, Type, Utility};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::types::signatures::Signature;

impl Utility {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "ReturnType" => Self::ReturnType,
            "InstanceType" => Self::InstanceType,
            "Parameters" => Self::Parameters,
            "ConstructorParameters" => Self::ConstructorParameters,
            "Awaited" => Self::Awaited,
            "Exclude" => Self::Exclude,
            "Extract" => Self::Extract,
            "Uppercase" => Self::Uppercase,
            "Lowercase" => Self::Lowercase,
            "Capitalize" => Self::Capitalize,
            "Uncapitalize" => Self::Uncapitalize,
            _ => return None,
        })
    }
}

impl Checker<'_> {
    /// Returns a utility type; `None` if the name is not one.
    pub fn known_alias(&self, name: &str, args: &[Ty]) -> Option<Ty> {
        let first = args.first().copied().unwrap_or(Ty::UNKNOWN);
        let second = args.get(1).copied().unwrap_or(Ty::UNKNOWN);
        Some(match name {
            "Partial" | "Required" | "Readonly" | "NonNullable" | "NoInfer"
            | "ThisParameterType" | "OmitThisParameter" => first,
            "Pick" => self.selected(first, second, true),
            "Omit" => self.selected(first, second, false),
            "Record" => self.arena.built_in(BuiltinType::Record, &[first, second]),
            "PropertyKey" => Ty::STRING,
            _ => match Utility::of_name(name)? {
                utility if utility.makes_texts() => self.utility(utility, &[first]),
                utility => self.utility(utility, &[first, second]),
            },
        })
    }

    /// Evaluates a utility type; deferred while its arguments have type parameters.
    pub fn utility(&self, utility: Utility, args: &[Ty]) -> Ty {
        let waits = match utility {
            Utility::Awaited => args
                .first()
                .is_some_and(|arg| self.is_generic_promise(*arg)),
            _ => args.iter().any(|arg| self.is_open(*arg)),
        };
        if waits {
            let args = self.arena.args(args);
            return self.arena.add(Type::Deferred(utility, args));
        }
        self.utility_now(utility, args)
    }

    /// Reports whether the result of `await` on a type is not known before it is instantiated.
    fn is_generic_promise(&self, ty: Ty) -> bool {
        self.is_generic(self.awaited(ty))
    }

    fn utility_now(&self, utility: Utility, args: &[Ty]) -> Ty {
        if utility.makes_texts() {
            return self.made_texts(utility, args);
        }
        let &[first, second] = args else {
            return Ty::UNKNOWN;
        };

        match utility {
            Utility::ReturnType => self.result_of(first),
            Utility::InstanceType => self.instance_of(first, &[]),
            Utility::Parameters => {
                let signature = self.signatures(first).last().copied();
                self.parameter_tuple(signature)
            }
            Utility::ConstructorParameters => {
                let signature = self.class_signatures(first).last().copied();
                self.parameter_tuple(signature)
            }
            Utility::Awaited => self.awaited(first),
            Utility::Exclude => self.filter_union(first, second, false),
            Utility::Extract => self.filter_union(first, second, true),
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the bound of a deferred utility type, from the constraints of its arguments.
    pub fn deferred_bound(&self, utility: Utility, args: Args) -> Ty {
        if utility.makes_texts() {
            return Ty::STRING;
        }
        let args = self.arena.list(args);
        let bounds: Vec<Ty> = args
            .iter()
            .map(|arg| match self.get(*arg) {
                Type::Param(param) => self.constraint(param),
                Type::Indexed(object, key) => self.indexed_constraint(object, key),
                _ => *arg,
            })
            .collect();

        if bounds.iter().any(|bound| self.is_open(*bound)) {
            Ty::UNKNOWN
        } else {
            self.utility_now(utility, &bounds)
        }
    }

    pub fn selected(&self, ty: Ty, names: Ty, keep: bool) -> Ty {
        let names = match self.get(names) {
            Type::KeyOf(_) if !self.is_open(names) => self
                .keys_of(names)
                .map_or(names, |keys| self.arena.union(&keys)),
            _ => names,
        };

        let literal = self
            .arena
            .members(names)
            .iter()
            .all(|name| matches!(self.get(*name), Type::Literal(..)));
        let waits = !keep && self.is_open(names);
        if (literal || waits) && !ty.is_opaque() {
            self.arena.add(Type::Selected(ty, names, keep))
        } else {
            ty
        }
    }

    fn parameter_tuple(&self, signature: Option<Signature>) -> Ty {
        let Some(signature) = signature else {
            return Ty::UNKNOWN;
        };
        let params = self.signature_params(signature);
        let types: Vec<Ty> = params.iter().map(|param| param.ty).collect();
        self.arena.tuple(&types)
    }

    fn filter_union(&self, union: Ty, by: Ty, keep: bool) -> Ty {
        let members = match self.get(union) {
            // All keys that are listed are strings.
            Type::KeyOf(_) if by == Ty::STRING => return union,
            Type::KeyOf(_) => match self.keys_of(union) {
                Some(keys) if keys.len() <= LITERAL_LIMIT => Rc::from(keys),
                _ => return union,
            },
            _ => self.arena.members(union),
        };

        let mut kept = Vec::new();
        for &member in members.iter() {
            match self.extends(member, by, &mut Vec::new()) {
                Some(is_subtype) if is_subtype != keep => {}
                _ => kept.push(member),
            }
        }
        if kept.is_empty() {
            Ty::NOTHING
        } else {
            self.arena.union(&kept)
        }
    }
}
