//! Contextual types: the type expected of a lambda, object or array literal by its parameter,
//! annotation, enclosing property or `return`.
//!
//! Limitations: the expected result of a call counts only for type parameters that no argument
//! determines.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::expressions::inference::Inference;
use crate::resolve::global_index::file_index::ContextKind;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::types::signatures::{Signature, Signatures};

/// The type of a parameter, the type parameters in scope, and their bindings.
type BoundArgument = (Ty, Vec<DeclRef>, Vec<(DeclRef, Ty)>);

impl Checker<'_> {
    /// Returns the type of parameter `index` of a lambda, from its context.
    pub fn context_param(&self, lambda: DeclRef, index: usize) -> Ty {
        let context = self.infer_context(lambda);
        if context == Ty::EXTERNAL {
            return Ty::EXTERNAL;
        }
        let Some(signature) = self.signatures(context).first().copied() else {
            return Ty::UNKNOWN;
        };
        let params = self.signature_params(signature);
        let Some(param) = params
            .get(index)
            .or(params.last().filter(|param| param.rest))
        else {
            return Ty::UNKNOWN;
        };

        let own = self.params(lambda);
        let is_rest = own
            .get(index)
            .is_some_and(|own| self.decl(*own).flags.has(DeclFlags::REST));
        let ty = self.with_receiver(lambda, param.ty);
        if is_rest { self.arena.array(ty) } else { ty }
    }

    /// Returns the type of the `this` parameter that the context of a function declares.
    pub fn contextual_this(&self, function: DeclRef) -> Option<Ty> {
        let context = self.infer_context(function);
        let Signature::Declared(expected, mapper) = *self.signatures(context).first()? else {
            return None;
        };

        let written = self.type_of_decl(self.this_parameter(expected)?);
        let ty = self.substitute(written, mapper);
        (!ty.is_opaque()).then_some(ty)
    }

    /// Returns the `this` parameter that a function declares.
    pub fn this_parameter(&self, function: DeclRef) -> Option<DeclRef> {
        let name = self.tables.find("this");
        let inner = self.decl(function).inner;
        self.tables
            .declared(function.file, inner, name)
            .iter()
            .map(|entry| at(function.file, entry.2))
            .find(|decl| self.decl(*decl).kind == DeclKind::Parameter)
    }

    /// Replaces `this` in a callback's parameter by the receiver of the call.
    fn with_receiver(&self, lambda: DeclRef, ty: Ty) -> Ty {
        let facts = self.facts(lambda.file);
        let Context::Argument(call, _) = facts.decl(lambda.decl).context else {
            return ty;
        };
        let Some(call) = facts.calls.get(call.0 as usize) else {
            return ty;
        };
        match facts.expr(call.callee) {
            Expr::Member(object, _) => {
                let receiver = self.type_of_expr(lambda.file.expr(object));
                self.with_this(ty, receiver)
            }
            _ => ty,
        }
    }

    /// Infers type arguments from the expected result of a call.
    pub fn bind_by_result(
        &self,
        decl: DeclRef,
        site: CallSite,
        params: &[DeclRef],
        bindings: &mut Vec<(DeclRef, Ty)>,
    ) {
        if params
            .iter()
            .all(|param| bindings.iter().any(|binding| binding.0 == *param))
        {
            return;
        }

        let expected = match self.tables.expected(site.file, site.call) {
            None => return,
            Some(ContextKind::Typed(ty)) => self.type_of(site.file, ty),
            Some(ContextKind::Argument(call, index)) => {
                self.memoized(Query::Expected(site.file, site.call), || {
                    self.infer_expected_argument(
                        CallSite {
                            file: site.file,
                            call,
                        },
                        usize::from(index),
                    )
                })
            }
        };

        if expected.is_opaque() {
            return;
        }

        let result = self.type_of_return(decl);
        let mut inference = Inference::new(params, false);
        self.infer_from_types(result, expected, &mut inference, 0);

        for (param, ty) in inference.finish() {
            if !self.is_open(ty) && !bindings.iter().any(|binding| binding.0 == param) {
                bindings.push((param, ty));
            }
        }
    }

    /// Returns the type expected of a lambda, object literal or array literal.
    pub fn infer_context(&self, decl: DeclRef) -> Ty {
        self.memoized(Query::Context(decl), || self.compute_context(decl))
    }

    fn compute_context(&self, decl: DeclRef) -> Ty {
        let file = decl.file;

        match self.decl(decl).context {
            Context::None => Ty::UNKNOWN,
            Context::Argument(call, index) => {
                self.infer_argument_context(CallSite { file, call }, usize::from(index))
            }
            Context::Typed(ty) => self.type_of(file, ty),
            Context::Assigned(expr) => self.type_of_expr(file.expr(expr)),
            Context::Property(object, sym) => {
                let object = self.infer_context(at(file, object));
                let name = self.name(file, sym);
                self.type_of_member(object, name)
            }
            Context::Returned(function) => self.infer_returned_context(at(file, function)),
            Context::Element(array) => {
                let facts = self.facts(file);
                match facts.expr(array) {
                    Expr::Array(elements, standing) if !standing.is_none() => {
                        let context = self.infer_context(at(file, standing));
                        let is_it = |element: &ExprId| match facts.expr(*element) {
                            Expr::Function(id) | Expr::Object(id) | Expr::Array(_, id) => {
                                id == decl.decl
                            }
                            _ => false,
                        };
                        let index = facts.list(elements).iter().position(is_it);
                        self.element_at(context, index)
                    }
                    _ => Ty::UNKNOWN,
                }
            }
            Context::Attribute(component, sym) => {
                self.type_of_attribute(file.expr(component), self.name(file, sym))
            }
        }
    }

    fn infer_argument_context(&self, site: CallSite, index: usize) -> Ty {
        match self.signature_at(site) {
            Ok(signature @ Signature::Declared(..)) => {
                let Some((ty, params, mut bindings)) = self.bound_argument(signature, site, index)
                else {
                    return Ty::UNKNOWN;
                };

                self.add_defaults(&params, &mut bindings);
                let bound = self.arena.mapper(bindings);

                match self.rest_element(signature, index, bound) {
                    Some(element) => element,
                    None => self.substitute(ty, bound),
                }
            }
            Ok(Signature::BuiltIn(..)) => Ty::UNKNOWN,
            Err(ty) => ty,
        }
    }

    /// Returns the expected type of an argument; unbound type parameters of the call stay open.
    fn infer_expected_argument(&self, site: CallSite, index: usize) -> Ty {
        let Ok(signature @ Signature::Declared(..)) = self.signature_at(site) else {
            return Ty::UNKNOWN;
        };
        let Some((ty, _, bindings)) = self.bound_argument(signature, site, index) else {
            return Ty::UNKNOWN;
        };
        let bound = self.arena.mapper(bindings);
        self.substitute(ty, bound)
    }

    /// Returns the signature of a call, or the contextual type without one: an undeclared external
    /// function may pass values of the repository to a callback, but a library constructor does
    /// not.
    fn signature_at(&self, site: CallSite) -> Result<Signature, Ty> {
        let facts = self.facts(site.file);
        let Some(call) = facts.calls.get(site.call.0 as usize) else {
            return Err(Ty::UNKNOWN);
        };

        let signatures = if let Expr::Super(class) = facts.expr(call.callee) {
            self.base_constructors(at(site.file, class.some().ok_or(Ty::UNKNOWN)?))
        } else {
            let callee = self.type_of_expr(site.file.expr(call.callee));
            if matches!(self.get(callee), Type::BuiltInValue(_)) {
                return Err(Ty::EXTERNAL);
            }
            if self.tables.is_new(site.file, site.call) {
                self.class_signatures(callee)
            } else {
                self.signatures(callee)
            }
        };

        self.resolve_overload(&signatures, site).ok_or(Ty::UNKNOWN)
    }

    /// Returns the type of parameter `index`, the type parameters in scope, and their bindings from
    /// the arguments that are not lambdas.
    fn bound_argument(
        &self,
        signature: Signature,
        site: CallSite,
        index: usize,
    ) -> Option<BoundArgument> {
        let Signature::Declared(decl, _) = signature else {
            return None;
        };

        let params = self.signature_params(signature);
        let param = *params
            .get(index)
            .or(params.last().filter(|param| param.rest))?;

        let mut type_params = self.type_params(decl);
        if self.decl(decl).kind == DeclKind::Constructor
            && let Some(class) = self.class_of(decl)
        {
            type_params.extend(self.type_params(class));
        }

        let written = self.call_type_args(site);
        let mut bindings: Vec<(DeclRef, Ty)> = type_params.iter().copied().zip(written).collect();
        if bindings.is_empty() && !type_params.is_empty() {
            bindings = self.infer_type_args(signature, site, Inference::new(&type_params, false));
            // A bare `T` is no contextual type; its constraint is.
            if let Type::Param(own) = self.get(param.ty) {
                bindings.retain(|binding| binding.0 != own);
            }
            self.bind_by_result(decl, site, &type_params, &mut bindings);
        }

        Some((param.ty, type_params, bindings))
    }

    /// Returns the type of argument `index` in `...rest: T`, where `T` is bound to a tuple.
    fn rest_element(&self, signature: Signature, index: usize, bound: TypeMapper) -> Option<Ty> {
        let Signature::Declared(decl, _) = signature else {
            return None;
        };
        let params = self.params(decl);
        let last = *params.last()?;
        if !self.decl(last).flags.has(DeclFlags::REST) || index + 1 < params.len() {
            return None;
        }

        let Type::Param(rest) = self.get(self.type_of_decl(last)) else {
            return None;
        };
        let tuple = self.arena.bound(bound, rest)?;
        matches!(self.get(tuple), Type::Tuple(_))
            .then(|| self.element_at(tuple, Some(index + 1 - params.len())))
    }

    fn base_constructors(&self, class: DeclRef) -> Signatures {
        match self.static_base(class) {
            Some(base) => self.class_signatures(base),
            None => Signatures::new(),
        }
    }

    fn infer_returned_context(&self, function: DeclRef) -> Ty {
        let declaration = self.decl(function);
        let ty = if declaration.ty.is_none() {
            let context = self.infer_context(function);
            match self.signatures(context).first().copied() {
                Some(signature) => self.signature_result(signature),
                None => Ty::UNKNOWN,
            }
        } else {
            self.type_of(function.file, declaration.ty)
        };

        if declaration.flags.has(DeclFlags::GENERATOR) {
            self.type_of_element(ty)
        } else if declaration.flags.has(DeclFlags::ASYNC) {
            self.awaited(ty)
        } else {
            ty
        }
    }
}
