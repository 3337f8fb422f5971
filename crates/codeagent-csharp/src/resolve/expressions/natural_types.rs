//! Natural types of lambdas and method groups (C# 10), used where no delegate type is expected.
//!
//! `var make = (int x) => new Cat(x);` makes `make(1)` a `Cat`.
//!
//! Limitations: no delegate type is constructed, only its parameters and result.

use std::rc::Rc;

use codeagent_model::facts::DeclFlags;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::members::is_method;
use crate::resolve::types::signatures::DelegateShape;
use crate::resolve::types::{Ty, TyList, Type};

impl Checker<'_> {
    /// Returns the parameters and the result of a value that can be called: a delegate, or a lambda
    /// or method group with a natural type.
    pub(super) fn callable_shape(&self, ty: Ty) -> Option<DelegateShape> {
        match self.arena.get(ty) {
            Type::Lambda(_) | Type::MethodGroup(_) => self.natural_shape(ty),
            _ => self.delegate_shape(ty),
        }
    }

    /// Returns the parameters and the result of a natural type. A lambda has one if it writes the
    /// types of its parameters, a method group if it is one method.
    fn natural_shape(&self, ty: Ty) -> Option<DelegateShape> {
        match self.arena.get(ty) {
            Type::Lambda(lambda) => {
                let decl = self.facts.decl(lambda);
                let params: Vec<_> = self.facts.list(decl.params).to_vec();
                if params
                    .iter()
                    .any(|param| self.facts.decl(*param).ty.is_none())
                {
                    return None;
                }

                let types: TyList = self.explicit_params(lambda).into();
                let result = if decl.ty.is_none() {
                    self.infer_lambda_result(lambda, &types)
                        .unwrap_or_else(|| self.known_type(Known::Void, &[]))
                } else {
                    self.type_of(self.file, decl.ty)
                };
                let flags = params.iter().map(|param| self.facts.decl(*param).flags);
                Some(DelegateShape {
                    params: types,
                    flags: flags.collect(),
                    result,
                })
            }
            Type::MethodGroup(group) => {
                let candidates = self.group_candidates(group);
                let [method] = &candidates[..] else {
                    return None;
                };
                let signature = self.signature(method.decl);
                if !is_method(self.decl(method.decl).kind) || !signature.type_params.is_empty() {
                    return None;
                }

                let substituted = |ty: Ty| self.substitute(ty, method.within);
                let flags: Rc<[DeclFlags]> =
                    signature.params.iter().map(|param| param.flags).collect();
                Some(DelegateShape {
                    params: signature
                        .params
                        .iter()
                        .map(|param| substituted(param.ty))
                        .collect(),
                    flags,
                    result: substituted(signature.result),
                })
            }
            _ => None,
        }
    }

    /// Converts a lambda or method group to a type that is not a known delegate type: to `Delegate`,
    /// its bases and interfaces, or to an expression tree, if it has a natural type.
    pub(super) fn function_converts(&self, function: Ty, to: Ty) -> Conversion {
        match self.arena.get(to) {
            Type::Unknown | Type::ExternalValue | Type::Dynamic | Type::External(..) => {
                return Conversion::Unknown;
            }
            _ => {}
        }

        let delegate = self.known_type(Known::MulticastDelegate, &[]);
        let tree = self.known_type(Known::LambdaExpression, &[]);
        let is_lambda = matches!(self.arena.get(function), Type::Lambda(_));
        let is_base = |of: Ty| self.convert_without_user(of, to) > Conversion::Unknown;
        if !(is_base(delegate) || is_lambda && is_base(tree)) {
            return Conversion::No;
        }

        if self.may_have_natural_type(function) {
            Conversion::Implicit
        } else {
            Conversion::No
        }
    }

    /// Reports whether a function can have a natural type; of several methods, none has.
    fn may_have_natural_type(&self, function: Ty) -> bool {
        match self.arena.get(function) {
            Type::Lambda(lambda) => {
                let params = self.facts.list(self.facts.decl(lambda).params);
                params
                    .iter()
                    .all(|param| !self.facts.decl(*param).ty.is_none())
            }
            Type::MethodGroup(group) => self.group_candidates(group).len() < 2,
            _ => true,
        }
    }
}
