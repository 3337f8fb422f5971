//! What do the utility types of the standard library give: `Partial<T>`, `ReturnType<F>`, `Awaited<P>`.
//!
//! Those that only change modifiers or drop members are the type itself, because a member found through them is the member of that type.
//!
//! **Limits.** `Exclude` and `Extract` only sift unions whose members are plainly assignable.

use super::Link;
use super::calls::Signature;
use super::types::{Ty, Type};
use super::well_known::Known;

impl Link<'_> {
    /// A utility type, `None` if the name is not one.
    pub(super) fn known_alias(&mut self, name: &str, args: &[Ty]) -> Option<Ty> {
        let first = args.first().copied().unwrap_or(Ty::UNKNOWN);
        let second = args.get(1).copied().unwrap_or(Ty::UNKNOWN);
        Some(match name {
            "Partial" | "Required" | "Readonly" | "NonNullable" | "NoInfer" | "ThisParameterType" | "OmitThisParameter" => first,
            "Pick" => self.selected(first, second, true),
            "Omit" => self.selected(first, second, false),
            "Awaited" => self.awaited(first),
            "Record" => self.arena.built_in(Known::Record, &[first, second]),
            "ReturnType" => self.result_of(first),
            "InstanceType" => self.instance_of(first, &[]),
            "Parameters" => {
                let signatures = self.signatures(first);
                self.parameter_tuple(&signatures)
            }
            "ConstructorParameters" => {
                let signatures = self.class_signatures(first);
                self.parameter_tuple(&signatures)
            }
            "Exclude" => self.sift(first, second, false),
            "Extract" => self.sift(first, second, true),
            "Uppercase" | "Lowercase" | "Capitalize" | "Uncapitalize" | "PropertyKey" => Ty::STRING,
            _ => return None,
        })
    }

    fn selected(&mut self, ty: Ty, names: Ty, keep: bool) -> Ty {
        let literal = self.arena.members(names).iter().all(|name| matches!(self.get(*name), Type::Literal(..)));
        if literal && !ty.is_opaque() { self.arena.add(Type::Selected(ty, names, keep)) } else { ty }
    }

    /// The type in a `Pick` or `Omit`, or the type itself.
    pub(super) fn unselected(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::Selected(inner, ..) => inner,
            _ => ty,
        }
    }

    /// What a call of a function gives when nothing is known of its arguments.
    pub(super) fn result_of(&mut self, function: Ty) -> Ty {
        match self.signatures(function).last().copied() {
            Some(signature) => self.signature_result(signature),
            None if function == Ty::EXTERNAL => Ty::EXTERNAL,
            None => Ty::UNKNOWN,
        }
    }

    fn parameter_tuple(&mut self, signatures: &[Signature]) -> Ty {
        let Some(signature) = signatures.last().copied() else { return Ty::UNKNOWN };
        let params = self.signature_params(signature);
        let types: Vec<Ty> = params.iter().map(|param| param.ty).collect();
        self.arena.tuple(&types)
    }

    fn sift(&mut self, union: Ty, by: Ty, keep: bool) -> Ty {
        if !matches!(self.get(union), Type::Union(_)) {
            return union;
        }
        let mut kept = Vec::new();
        for &member in self.arena.members(union).iter() {
            match self.extends(member, by, &mut Vec::new()) {
                Some(is_subtype) if is_subtype != keep => {}
                _ => kept.push(member),
            }
        }
        self.arena.union(&kept)
    }
}
