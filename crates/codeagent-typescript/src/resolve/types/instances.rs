//! Instance types: the types created by a class or another constructable value, given its type
//! arguments.
//!
//! Limitations: inference of type arguments from the arguments of `new` is in `expressions`.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::value_owners::constructs;
use crate::resolve::types::signatures::Signature;

impl Checker<'_> {
    /// Returns an instance of a class, interface or enum; missing type arguments get their
    /// defaults.
    pub fn instance(&self, decl: DeclRef, args: &[Ty]) -> Ty {
        if self.is_external_global(decl) {
            let name = self.decl_name(decl);
            if let Some(known) = BuiltinType::of_name(self.spelling(name)) {
                return self.arena.built_in(known, args);
            }
        }

        let group = self.merged_symbol(decl);
        let class = group
            .iter()
            .copied()
            .find(|part| self.decl(*part).kind == DeclKind::Class);
        let first = group
            .iter()
            .copied()
            .find(|part| matches!(self.decl(*part).kind, DeclKind::Interface | DeclKind::Enum));
        let main = class.or(first).unwrap_or(decl);
        let args = self.complete_args(main, args);

        self.arena.instance(main, &args)
    }

    /// Completes or truncates type arguments to the number of parameters.
    pub fn complete_args(&self, decl: DeclRef, args: &[Ty]) -> Vec<Ty> {
        let params = self.type_params(decl);
        let mut complete: Vec<Ty> = args.iter().copied().take(params.len()).collect();
        for param in params.iter().skip(complete.len()) {
            let default = self.decl(*param).ty;
            let ty = self.type_of(param.file, default);
            let bindings = params
                .iter()
                .copied()
                .zip(complete.iter().copied())
                .collect();
            let mapper = self.arena.mapper(bindings);
            complete.push(self.substitute(ty, mapper));
        }
        complete
    }

    pub fn add_defaults(&self, params: &[DeclRef], bindings: &mut Vec<(DeclRef, Ty)>) {
        for &param in params {
            if bindings.iter().any(|binding| binding.0 == param) {
                continue;
            }

            let default = self.decl(param).ty;
            let ty = if default.is_none() {
                self.constraint(param)
            } else {
                self.type_of(param.file, default)
            };
            let mapper = self.arena.mapper(bindings.clone());
            let ty = self.substitute(ty, mapper);

            bindings.push((
                param,
                if self.get(ty) == Type::Param(param) {
                    Ty::UNKNOWN
                } else {
                    ty
                },
            ));
        }
    }

    /// Returns the instance type of a class value, without arguments to infer from.
    pub fn instance_of(&self, value: Ty, args: &[Ty]) -> Ty {
        match self.get(value) {
            Type::Static(class) => self.instance_of_class(class, args),
            Type::BuiltInValue(known) => self.arena.built_in(known, args),
            Type::Simple(Ty::EXTERNAL) => self.type_of_external(args),
            Type::Union(members) | Type::Intersection(members) => {
                let members = self.arena.list(members);
                let made: Vec<Ty> = members
                    .iter()
                    .map(|member| self.instance_of(*member, args))
                    .filter(|ty| !ty.is_opaque())
                    .collect();

                if matches!(self.get(value), Type::Union(_)) {
                    self.arena.union(&made)
                } else {
                    self.arena.intersection(&made)
                }
            }
            Type::Function(decl, _) if constructs(self.decl(decl)) => self.instance(decl, args),
            Type::Function(decl, mapper) if self.is_constructor_type(decl) => {
                let result = self.type_of_return(decl);
                self.substitute(result, mapper)
            }
            Type::Instance(..) | Type::Object(..) => self.instance_by_signature(value, args),
            Type::Param(_) | Type::Deferred(..) => {
                let bound = self.constructed_bound(value);
                self.instance_of(bound, args)
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the constructable type behind a type parameter or an open utility type.
    pub fn constructed_bound(&self, value: Ty) -> Ty {
        match self.get(value) {
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) {
                    Ty::UNKNOWN
                } else {
                    bound
                }
            }
            Type::Deferred(utility, of) => {
                let bound = self.deferred_bound(utility, of);
                if self.is_open(bound) {
                    Ty::UNKNOWN
                } else {
                    bound
                }
            }
            _ => value,
        }
    }

    fn instance_of_class(&self, class: DeclRef, args: &[Ty]) -> Ty {
        if self.decl(class).kind != DeclKind::Class {
            return Ty::UNKNOWN;
        }
        let params = self.type_params(class);
        let bindings = params.iter().copied().zip(args.iter().copied()).collect();
        self.bound_instance(class, &params, bindings)
    }

    /// Returns the instance type of a class with bound or default type arguments.
    pub fn bound_instance(
        &self,
        class: DeclRef,
        params: &[DeclRef],
        mut bindings: Vec<(DeclRef, Ty)>,
    ) -> Ty {
        self.add_defaults(params, &mut bindings);
        let types: Vec<Ty> = params
            .iter()
            .filter_map(|param| bindings.iter().find(|binding| binding.0 == *param))
            .map(|binding| binding.1)
            .collect();
        self.instance(class, &types)
    }

    fn instance_by_signature(&self, value: Ty, args: &[Ty]) -> Ty {
        let signatures = self.construct_signatures(value);
        let chosen = signatures
            .iter()
            .copied()
            .find(|signature| self.takes_type_args(*signature, args.len()));
        let Some(Signature::Declared(decl, mapper)) = chosen.or(signatures.first().copied()) else {
            return Ty::UNKNOWN;
        };
        let result = self.type_of_return(decl);
        let args = self.complete_args(decl, args);
        let own = self.bind(decl, &args);
        let result = self.substitute(result, own);
        self.substitute(result, mapper)
    }

    /// Reports whether a signature accepts this number of type arguments: at least one for each type
    /// parameter without a default.
    pub fn takes_type_args(&self, signature: Signature, count: usize) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        let params = self.type_params(decl);
        let is_required = |param: &&DeclRef| self.decl(**param).ty.is_none();
        (params.iter().filter(is_required).count()..=params.len()).contains(&count)
    }
}
