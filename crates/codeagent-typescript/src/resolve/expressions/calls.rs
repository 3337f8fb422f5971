//! Overload resolution, and the results of calls and `new`.
//!
//! Limitations: overloads are distinguished by the number of arguments and by clear mismatches of
//! argument types. The first signature that fits is chosen.

use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::expressions::inference::Inference;
use crate::resolve::expressions::spread_arguments::GivenArg;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::types::signatures::{Param, Signature, Signatures};
use crate::resolve::types::written_types::Nothing;

/// A call in a file, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    pub file: FileId,
    pub call: CallId,
}

impl Checker<'_> {
    pub fn call_args(&self, site: CallSite) -> Vec<Arg> {
        let facts = self.facts(site.file);
        facts
            .calls
            .get(site.call.0 as usize)
            .map_or(Vec::new(), |call| facts.list(call.args).to_vec())
    }

    pub fn call_type_args(&self, site: CallSite) -> Vec<Ty> {
        let facts = self.facts(site.file);
        let Some(call) = facts.calls.get(site.call.0 as usize) else {
            return Vec::new();
        };
        self.types_of(site.file, call.type_args)
    }

    /// Returns the type of `f(..)`.
    pub fn type_of_call(&self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let callee = facts.calls[call.index()].callee;
        if let Expr::Super(_) = facts.expr(callee) {
            return Ty::NOTHING;
        }

        let callee_type = self.type_of_expr(file.expr(callee));
        let result = self.call_result(callee_type, CallSite { file, call });

        match facts.expr(callee) {
            Expr::Member(object, _) => {
                let receiver = match facts.expr(object) {
                    Expr::Super(class) if !class.is_none() => self.own_instance(at(file, class)),
                    _ => self.type_of_expr(file.expr(object)),
                };
                // A static method of an external base may return an instance of the class it is
                // called on (`Document.build()`).
                if callee_type == Ty::EXTERNAL && self.is_own_class(receiver) {
                    return Ty::UNKNOWN;
                }
                self.with_this(result, receiver)
            }
            _ => result,
        }
    }

    /// Returns the class of the repository that is named as the first argument of a call: a call of
    /// something absent probably returns an instance (`injector.get(Store)`).
    pub fn class_argument(&self, site: CallSite) -> Option<DeclRef> {
        let file = site.file;
        let first = *self.call_args(site).first()?;
        let ResolvedName::Decls(decls) = self.resolve_bare_name(file.expr(first.value)) else {
            return None;
        };

        let class = decls.first().copied()?;
        let is_own = !self.is_external_file(class.file) && self.decl(class).kind == DeclKind::Class;
        is_own.then_some(class)
    }

    /// Reports whether a type is the value of a class in the repository.
    fn is_own_class(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Static(decl) if !self.is_external_file(decl.file) && self.decl(decl).kind == DeclKind::Class)
    }

    fn call_result(&self, callee: Ty, site: CallSite) -> Ty {
        match self.get(callee) {
            Type::Simple(Ty::EXTERNAL) => {
                if self.class_argument(site).is_some() {
                    return Ty::FOREIGN_GENERIC;
                }
                let args = self.call_type_args(site);
                return self.type_of_external(&args);
            }
            Type::BuiltInValue(_) => return Ty::EXTERNAL,
            Type::Union(members) => {
                let members = self.arena.list(members);
                let results: Vec<Ty> = members
                    .iter()
                    .map(|member| self.call_result(*member, site))
                    .collect();
                return self.arena.union(&results);
            }
            _ => {}
        }

        let signatures = self.signatures(callee);
        let Some(signature) = self.resolve_overload(&signatures, site) else {
            return Ty::UNKNOWN;
        };

        self.result(signature, site)
    }

    /// Returns the result of a signature for the arguments of a call.
    fn result(&self, signature: Signature, site: CallSite) -> Ty {
        match signature {
            Signature::Declared(decl, mapper) => {
                let result = self.type_of_return(decl);
                let params = self.type_params(decl);
                if params.is_empty() {
                    return self.substitute(result, mapper);
                }
                let bindings = self.call_bindings(decl, mapper, site, &params);
                let own = self.arena.mapper(bindings);
                let result = self.substitute(result, own);
                self.substitute(result, mapper)
            }
            Signature::BuiltIn(row, receiver) => self.given(row, receiver),
        }
    }

    /// Instantiates a type that mentions a signature's own type parameters at a call.
    pub fn bound_at(&self, signature: Signature, site: CallSite, ty: Ty) -> Ty {
        let Signature::Declared(decl, mapper) = signature else {
            return ty;
        };
        let params = self.type_params(decl);
        if params.is_empty() {
            return ty;
        }
        let bindings = self.call_bindings(decl, mapper, site, &params);
        let own = self.arena.mapper(bindings);
        self.substitute(ty, own)
    }

    /// Returns the type arguments of a signature at a call: explicit, inferred, default, or the
    /// constraint.
    fn call_bindings(
        &self,
        decl: DeclRef,
        mapper: TypeMapper,
        site: CallSite,
        params: &[DeclRef],
    ) -> Vec<(DeclRef, Ty)> {
        let written = self.call_type_args(site);
        let mut bindings: Vec<(DeclRef, Ty)> = params.iter().copied().zip(written).collect();
        if bindings.is_empty() {
            bindings = self.infer_type_args(
                Signature::Declared(decl, mapper),
                site,
                Inference::new(params, true),
            );
            self.bind_by_result(decl, site, params, &mut bindings);
        }

        self.add_defaults(params, &mut bindings);

        bindings
    }

    /// Returns the type of `new C(..)`.
    pub fn type_of_new(&self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let callee = self.type_of_expr(file.expr(facts.calls[call.index()].callee));
        let site = CallSite { file, call };
        let args = self.call_type_args(site);
        self.construct(callee, &args, site)
    }

    fn construct(&self, value: Ty, args: &[Ty], site: CallSite) -> Ty {
        match self.get(value) {
            Type::Static(class) if args.is_empty() && self.decl(class).kind == DeclKind::Class => {
                self.construct_class(class, site)
            }
            Type::Union(members) | Type::Intersection(members) => {
                let members = self.arena.list(members);
                let made: Vec<Ty> = members
                    .iter()
                    .map(|member| self.construct(*member, args, site))
                    .filter(|ty| !ty.is_opaque())
                    .collect();

                if matches!(self.get(value), Type::Union(_)) {
                    self.arena.union(&made)
                } else {
                    self.arena.intersection(&made)
                }
            }
            Type::Instance(..) | Type::Object(..) => {
                let signatures = self.construct_signatures(value);
                self.resolve_overload(&signatures, site)
                    .map_or(Ty::UNKNOWN, |signature| self.result(signature, site))
            }
            Type::Param(_) | Type::Deferred(..) => {
                let bound = self.constructed_bound(value);
                self.construct(bound, args, site)
            }
            _ => self.instance_of(value, args),
        }
    }

    /// Returns the instance type of a class, with type arguments inferred from the constructor's
    /// arguments.
    fn construct_class(&self, class: DeclRef, site: CallSite) -> Ty {
        let params = self.type_params(class);
        if params.is_empty() {
            return self.instance(class, &[]);
        }
        let signatures: Signatures = self
            .constructors(class)
            .into_iter()
            .map(|decl| Signature::Declared(decl, self.inherited_env(class, decl)))
            .collect();
        let bindings = match self.resolve_overload(&signatures, site) {
            Some(signature) => self.infer_type_args(signature, site, Inference::new(&params, true)),
            None => Vec::new(),
        };
        self.bound_instance(class, &params, bindings)
    }

    /// Returns the type arguments, in a class that inherits a constructor, of the class that
    /// declares it.
    fn inherited_env(&self, class: DeclRef, constructor: DeclRef) -> TypeMapper {
        let Some(declaring) = self
            .class_of(constructor)
            .filter(|declaring| *declaring != class)
        else {
            return TypeMapper::EMPTY;
        };
        let own = self.own_instance(class);
        let Some(args) = self.as_instance_of(own, declaring, 0) else {
            return TypeMapper::EMPTY;
        };
        let types = self.arena.list(args);
        self.bind(declaring, &types)
    }

    /// Returns the first signature that accepts the arguments; if none does, the one with the
    /// fewest mismatches.
    pub fn resolve_overload(&self, signatures: &[Signature], site: CallSite) -> Option<Signature> {
        self.spend_list(signatures.len());

        if signatures.len() <= 1 {
            return signatures.first().copied();
        }

        let args = self.call_args(site);
        let type_args = self.call_type_args(site).len();

        let mut best: Option<(u32, Signature)> = None;
        let (literal, others): (Signatures, Signatures) = signatures
            .iter()
            .copied()
            .partition(|signature| self.has_literal_param(*signature));
        for signature in literal.into_iter().chain(others) {
            if type_args > 0 && !self.takes_type_args(signature, type_args) {
                continue;
            }
            let mismatches = self.mismatches(signature, site.file, &args);
            if mismatches == 0 {
                return Some(signature);
            }
            if best.is_none_or(|(fewest, _)| mismatches < fewest) {
                best = Some((mismatches, signature));
            }
        }

        best.map(|(_, signature)| signature)
            .or(signatures.first().copied())
    }

    /// Reports whether a parameter is written as a literal type. Such signatures are tried first.
    fn has_literal_param(&self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        let facts = self.facts(decl.file);
        let params = facts.list(facts.decl(decl.decl).params);
        params
            .iter()
            .any(|param| match facts.type_expr(facts.decl(*param).ty) {
                TypeExpr::Literal(..) => true,
                TypeExpr::Primitive(word) => matches!(facts.text(word), "null" | "true" | "false"),
                _ => false,
            })
    }

    pub fn mismatches(&self, signature: Signature, file: FileId, args: &[Arg]) -> u32 {
        let lists = self.param_lists(signature, args.len());
        let given = self.given_args(file, args);
        let refused = self.refused_nothings(signature, &given);
        let counts = lists
            .iter()
            .map(|params| self.mismatches_of(params, &given));
        refused + counts.max().unwrap_or_default()
    }

    fn mismatches_of(&self, params: &[Param], given: &[GivenArg]) -> u32 {
        let spread = given
            .iter()
            .position(|arg| matches!(arg, GivenArg::Elements(_)));
        let required = params
            .iter()
            .filter(|param| !param.optional && !param.rest)
            .count();
        let has_rest = params.last().is_some_and(|param| param.rest);
        let is_miscounted = match spread {
            None => given.len() < required || given.len() > params.len() && !has_rest,
            // The number of elements of a list is unknown.
            Some(at) => {
                let is_known = !matches!(given[at], GivenArg::Elements(Ty::UNKNOWN));
                is_known && (at < required || at >= params.len() && !has_rest)
            }
        };

        let mut count = if is_miscounted { 10 } else { 0 };
        for (index, arg) in given.iter().enumerate() {
            let Some(param) = params
                .get(index)
                .or(params.last().filter(|param| param.rest))
            else {
                break;
            };
            count += u32::from(match *arg {
                GivenArg::Value(value) => self.rejects(param.ty, value),
                GivenArg::Element(ty, _) | GivenArg::Elements(ty) => {
                    self.extends(ty, param.ty, &mut Vec::new()) == Some(false)
                }
            });
            // A value of unknown type may be a tuple of any length.
            if matches!(arg, GivenArg::Elements(Ty::UNKNOWN)) {
                break;
            }
        }

        count
    }

    /// Counts the arguments that are `null` or `undefined`, or optional elements, for parameters
    /// whose written types exclude them.
    fn refused_nothings(&self, signature: Signature, given: &[GivenArg]) -> u32 {
        let Signature::Declared(decl, _) = signature else {
            return 0;
        };

        let mut params = None;
        let mut count = 0;
        for (index, arg) in given.iter().enumerate() {
            if matches!(arg, GivenArg::Elements(Ty::UNKNOWN)) {
                break;
            }
            let Some(nothing) = self.given_nothing(*arg) else {
                continue;
            };

            let params = params.get_or_insert_with(|| self.params(decl));
            let is_rest = |param: &&DeclRef| self.decl(**param).flags.has(DeclFlags::REST);
            let Some(&param) = params.get(index).or(params.last().filter(is_rest)) else {
                break;
            };
            count += u32::from(self.refuses(param, nothing));
        }

        count
    }

    /// Returns `null` or `undefined` for an argument that is or may be one of them.
    fn given_nothing(&self, arg: GivenArg) -> Option<Nothing> {
        match arg {
            GivenArg::Value(ExprRef { file, expr }) => match self.facts(file).expr(expr) {
                Expr::Literal(LiteralKind::Null, _) => Some(Nothing::Null),
                Expr::Literal(LiteralKind::Undefined, _) => Some(Nothing::Undefined),
                _ => None,
            },
            GivenArg::Element(_, is_optional) => is_optional.then_some(Nothing::Undefined),
            GivenArg::Elements(_) => None,
        }
    }

    fn refuses(&self, param: DeclRef, nothing: Nothing) -> bool {
        let declaration = self.decl(param);
        let flags = declaration.flags;
        if nothing == Nothing::Undefined && flags.has(DeclFlags::OPTIONAL) {
            return false;
        }

        let written = match self.facts(param.file).type_expr(declaration.ty) {
            TypeExpr::Array(element, _) if flags.has(DeclFlags::REST) => element,
            _ if flags.has(DeclFlags::REST) => TypeId::NONE,
            _ => declaration.ty,
        };
        self.excludes(nothing, (param.file, written), 0)
    }
}
