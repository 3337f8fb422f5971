//! Assignability of functions, constructors and classes to function types and construct signatures.
//!
//! Limitations: parameters are rejected if they fit in neither direction, which is the rule for
//! methods. Of a function without annotations, only the number of required parameters is compared.
//! The first of several wanted signatures counts.

use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::types::assignability::Inferred;
use crate::resolve::types::signatures::{Param, Signature, Signatures};

/// Returns the type of a parameter; behind the others, that of the rest parameter's elements.
fn at_or_rest(params: &[Param], at: usize) -> Option<Ty> {
    let rest = params.last().filter(|last| last.rest);
    params.get(at).or(rest).map(|param| param.ty)
}

impl Checker<'_> {
    /// Compares a function with a function type, or a class or constructor type with a constructor
    /// type.
    pub fn function_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if matches!(self.get(sup), Type::Function(decl, _) if self.is_constructor_type(decl)) {
            return match self.get(sub) {
                Type::Static(_) => self.constructor_extends(sub, sup, inferred),
                Type::Function(decl, _) if self.is_constructor_type(decl) => {
                    self.constructor_extends(sub, sup, inferred)
                }
                Type::Function(..) => Some(false),
                _ if self.construct_signatures(sub).is_empty() => Some(false),
                _ => self.constructor_extends(sub, sup, inferred),
            };
        }

        let signatures = self.signatures(sub);
        let Some(found) = signatures.last().copied() else {
            return Some(false);
        };

        let wanted = self.signatures(sup).first().copied()?;

        if signatures
            .iter()
            .all(|signature| self.demands_more(*signature, wanted))
        {
            return Some(false);
        }

        self.collect_rest(wanted, found, inferred);

        let others = &signatures[..signatures.len() - 1];
        let is_refused = self.is_refused(found, wanted, inferred)
            && others
                .iter()
                .all(|found| self.is_refused(*found, wanted, &mut Vec::new()));
        Some(!is_refused)
    }

    /// Reports whether a parameter, the result or the type predicate of a signature is certainly
    /// not what another one requires; infers type parameters of that one.
    fn is_refused(&self, found: Signature, wanted: Signature, inferred: &mut Inferred) -> bool {
        let (wanted_params, found_params) =
            (self.signature_params(wanted), self.signature_params(found));
        let mut is_other = false;
        for at in 0..wanted_params.len().max(found_params.len()) {
            let (Some(wanted), Some(found)) = (
                at_or_rest(&wanted_params, at),
                at_or_rest(&found_params, at),
            ) else {
                break;
            };
            is_other |= self.nested_extends(found, wanted, inferred) == Some(false)
                && found != Ty::NOTHING
                && wanted != Ty::NOTHING
                && self.nested_extends(wanted, found, &mut Vec::new()) == Some(false);
        }

        let (given, result) = (self.signature_result(found), self.signature_result(wanted));
        let is_other_result = self.nested_extends(given, result, inferred) == Some(false)
            && (given != Ty::NOTHING || self.returns_void(found))
            && result != Ty::NOTHING;

        let is_predicate = |signature| self.named_predicate(signature).is_some();
        (is_other && self.has_written_params(found))
            || (self.has_written_result(found)
                && (is_other_result || is_predicate(wanted) && !is_predicate(found)))
    }

    /// Reports whether the types of all parameters are written, not those of the context.
    fn has_written_params(&self, signature: Signature) -> bool {
        match signature {
            Signature::Declared(decl, _) => {
                let mut params = self.params(decl).into_iter();
                params.all(|param| !self.decl(param).ty.is_none())
            }
            Signature::BuiltIn(..) => false,
        }
    }

    fn has_written_result(&self, signature: Signature) -> bool {
        matches!(signature, Signature::Declared(decl, _) if !self.decl(decl).ty.is_none())
    }

    /// Reports whether the written result is `void`, not `never`, which is assignable to everything.
    fn returns_void(&self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        let facts = self.facts(decl.file);
        let written = facts.type_expr(facts.decl(decl.decl).ty);
        matches!(written, TypeExpr::Primitive(word) if facts.text(word) == "void")
    }

    /// Infers `P` in `(..., ...rest: P) => R`: the tuple of the remaining parameters.
    fn collect_rest(&self, wanted: Signature, found: Signature, inferred: &mut Inferred) {
        let Signature::Declared(decl, mapper) = wanted else {
            return;
        };
        let params = self.params(decl);
        let Some(&last) = params
            .last()
            .filter(|last| self.decl(**last).flags.has(DeclFlags::REST))
        else {
            return;
        };

        let rest = self.type_of_decl(last);
        let rest = self.substitute(rest, mapper);
        if let Type::Param(param) = self.get(rest) {
            let given: Vec<Ty> = self
                .signature_params(found)
                .iter()
                .skip(params.len() - 1)
                .map(|param| param.ty)
                .collect();
            let given = self.arena.tuple(&given);
            let _ = self.extends_param(given, param, inferred);
        }
    }

    pub fn constructor_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if self.is_constructed_otherwise(sub, sup) {
            return Some(false);
        }
        let wanted = self.instance_of(sup, &[]);
        let made = self.instance_of(sub, &[]);
        self.nested_extends(made, wanted, inferred)
    }

    /// Reports whether a class or constructor type is abstract and `sup` is not, or has no
    /// signature that accepts the arguments of `sup`.
    fn is_constructed_otherwise(&self, sub: Ty, sup: Ty) -> bool {
        if self.is_abstract(sub) && !self.is_abstract(sup) {
            return true;
        }
        let Some(wanted) = self.constructor_signatures(sup).first().copied() else {
            return false;
        };
        let found = self.constructor_signatures(sub);
        !found.is_empty()
            && found
                .iter()
                .all(|found| self.demands_more(*found, wanted) || self.takes_others(*found, wanted))
    }

    fn is_abstract(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Static(decl) | Type::Function(decl, _) => {
                self.decl(decl).flags.has(DeclFlags::ABSTRACT)
            }
            _ => false,
        }
    }

    /// Returns the signatures that `new` can call, without implementations of overloads.
    fn constructor_signatures(&self, ty: Ty) -> Signatures {
        if let Type::Function(decl, mapper) = self.get(ty) {
            return Signatures::from_slice(&[Signature::Declared(decl, mapper)]);
        }
        let mut found = self.class_signatures(ty);
        if found.len() > 1 {
            found.retain(|signature| match *signature {
                Signature::Declared(decl, _) => !self.decl(decl).flags.has(DeclFlags::HAS_BODY),
                _ => true,
            });
        }
        found
    }

    /// Reports whether a signature requires more arguments than `wanted` passes. JavaScript
    /// functions require none, and an argument of type `void` may be missing.
    fn demands_more(&self, found: Signature, wanted: Signature) -> bool {
        let (Signature::Declared(decl, _), Signature::Declared(..)) = (found, wanted) else {
            return false;
        };
        if self.facts(decl.file).header.dialect.is_javascript() {
            return false;
        }
        let given = self.signature_params(wanted);
        if given.last().is_some_and(|param| param.rest) {
            return false;
        }
        let required = self
            .signature_params(found)
            .iter()
            .rposition(|param| !param.optional && !param.rest && param.ty != Ty::NOTHING);
        required.is_some_and(|last| last >= given.len())
    }

    /// Reports whether a parameter is assignable in neither direction.
    fn takes_others(&self, found: Signature, wanted: Signature) -> bool {
        let (found, wanted) = (self.signature_params(found), self.signature_params(wanted));
        found.iter().zip(&wanted).any(|(found, wanted)| {
            let rejects =
                |sub: Ty, sup: Ty| self.nested_extends(sub, sup, &mut Vec::new()) == Some(false);
            rejects(wanted.ty, found.ty) && rejects(found.ty, wanted.ty)
        })
    }
}
