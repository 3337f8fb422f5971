//! What does a call or `new` give: the signatures of the callee, the one that fits the arguments, its result.
//!
//! **Limits.** Overloads are told apart by number of arguments and by plain mismatches of argument types; the first that fits wins.

use smallvec::SmallVec;

use super::constructors::constructs;
use super::inference::Inference;
use super::names::Decls;
use super::packages::PACKAGE_FUNCTIONS;
use super::sites::Outcome;
use super::types::{Args, Env, Ty, Type};
use super::well_known::{Known, ROWS};
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::world::{DeclRef, FileId};

/// Something that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// A declaration and the bindings of outer type parameters.
    Declared(DeclRef, Env),
    /// A function type without a declaration.
    Plain(Args, Ty),
    /// A method of a built-in type.
    BuiltIn(u16, Ty),
    /// A function of a package.
    Package(u16),
}

/// Signatures of one callee.
pub type Signatures = SmallVec<[Signature; 2]>;

/// A parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its type; of a rest parameter that of one argument.
    pub ty: Ty,
    /// Whether an argument may be missing.
    pub optional: bool,
    /// Whether it takes all further arguments.
    pub rest: bool,
}

/// A call in a file, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The file.
    pub file: FileId,
    /// The call.
    pub call: CallId,
}

impl Link<'_> {
    pub(super) fn call_args(&mut self, site: CallSite) -> Vec<Arg> {
        let facts = self.facts(site.file);
        facts.calls.get(site.call.0 as usize).map_or(Vec::new(), |call| facts.list(call.args).to_vec())
    }

    pub(super) fn call_type_args(&mut self, site: CallSite) -> Vec<Ty> {
        let facts = self.facts(site.file);
        let Some(call) = facts.calls.get(site.call.0 as usize) else { return Vec::new() };
        self.types_of(site.file, call.type_args)
    }

    /// The type of `f(..)`.
    pub(super) fn call_type(&mut self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let callee = facts.calls[call.index()].callee;
        if let Expr::Super(_) = facts.expr(callee) {
            return Ty::NOTHING;
        }
        let callee_type = self.expr_type(file, callee);
        let result = self.call_result(callee_type, CallSite { file, call });
        match facts.expr(callee) {
            Expr::Member(object, _) => {
                let receiver = match facts.expr(object) {
                    Expr::Super(_) => Ty::THIS,
                    _ => self.expr_type(file, object),
                };
                self.substitute_this(result, receiver)
            }
            _ => result,
        }
    }

    fn call_result(&mut self, callee: Ty, site: CallSite) -> Ty {
        match self.get(callee) {
            Type::Simple(Ty::EXTERNAL) => {
                let args = self.call_type_args(site);
                return self.outside_type(&args);
            }
            Type::BuiltInValue(known) => return self.conversion(known),
            Type::Union(members) => {
                let members = self.arena.list(members);
                let results: Vec<Ty> = members.iter().map(|member| self.call_result(*member, site)).collect();
                return self.arena.union(&results);
            }
            _ => {}
        }
        let signatures = self.signatures(callee);
        let Some(signature) = self.choose(&signatures, site) else { return Ty::UNKNOWN };
        self.result(signature, site)
    }

    /// `String(x)`, `Number(x)` and the like.
    fn conversion(&mut self, known: Known) -> Ty {
        match known {
            Known::Text => Ty::STRING,
            Known::Number => Ty::NUMBER,
            Known::Boolean => Ty::BOOLEAN,
            Known::Array => self.arena.array(Ty::UNKNOWN),
            _ => Ty::EXTERNAL,
        }
    }

    /// What a signature gives for the arguments of a site.
    fn result(&mut self, signature: Signature, site: CallSite) -> Ty {
        match signature {
            Signature::Declared(decl, env) => {
                let result = self.return_type(decl);
                let params = self.type_params(decl);
                if params.is_empty() {
                    return self.substitute(result, env);
                }
                let bindings = self.call_bindings(decl, env, site, &params);
                let own = self.arena.env(bindings);
                let result = self.substitute(result, own);
                self.substitute(result, env)
            }
            Signature::Plain(_, result) => result,
            Signature::BuiltIn(row, receiver) => self.shape(&ROWS[usize::from(row)].out, receiver, site),
            Signature::Package(row) => self.shape(&PACKAGE_FUNCTIONS[usize::from(row)].out, Ty::UNKNOWN, site),
        }
    }

    /// A type in terms of a signature's own type parameters, as it is at a site.
    pub(super) fn bound_at(&mut self, signature: Signature, site: CallSite, ty: Ty) -> Ty {
        let Signature::Declared(decl, env) = signature else { return ty };
        let params = self.type_params(decl);
        if params.is_empty() {
            return ty;
        }
        let bindings = self.call_bindings(decl, env, site, &params);
        let own = self.arena.env(bindings);
        self.substitute(ty, own)
    }

    /// Bindings of a signature's own type parameters at a site: written, inferred, by default, by constraint.
    fn call_bindings(&mut self, decl: DeclRef, env: Env, site: CallSite, params: &[DeclRef]) -> Vec<(DeclRef, Ty)> {
        let written = self.call_type_args(site);
        let mut bindings: Vec<(DeclRef, Ty)> = params.iter().copied().zip(written).collect();
        if bindings.is_empty() {
            bindings = self.infer(Signature::Declared(decl, env), site, Inference::new(params, true));
            self.bind_by_result(decl, site, params, &mut bindings);
        }
        self.add_defaults(params, &mut bindings);
        bindings
    }

    pub(super) fn add_defaults(&mut self, params: &[DeclRef], bindings: &mut Vec<(DeclRef, Ty)>) {
        for &param in params {
            if bindings.iter().any(|binding| binding.0 == param) {
                continue;
            }
            let default = self.decl(param).ty;
            let ty = if default.is_none() { self.constraint(param) } else { self.type_of(param.file, default) };
            let env = self.arena.env(bindings.clone());
            let ty = self.substitute(ty, env);
            bindings.push((param, if self.get(ty) == Type::Param(param) { Ty::UNKNOWN } else { ty }));
        }
    }

    /// The type of `new C(..)`.
    pub(super) fn new_type(&mut self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let callee = self.expr_type(file, facts.calls[call.index()].callee);
        let site = CallSite { file, call };
        let args = self.call_type_args(site);
        self.construct(callee, &args, Some(site))
    }

    /// An instance of a class value, without arguments to infer from.
    pub(super) fn instance_of(&mut self, value: Ty, args: &[Ty]) -> Ty {
        self.construct(value, args, None)
    }

    fn construct(&mut self, value: Ty, args: &[Ty], site: Option<CallSite>) -> Ty {
        match self.get(value) {
            Type::Static(class) => self.construct_class(class, args, site),
            Type::BuiltInValue(Known::Map | Known::Set | Known::Array | Known::Promise | Known::WeakRef) => {
                self.construct_built_in(value, args, site)
            }
            Type::BuiltInValue(known) => self.arena.built_in(known, args),
            Type::BuiltIn(Known::ClassOf, made) => self.arena.list(made).first().copied().unwrap_or(Ty::UNKNOWN),
            Type::Simple(Ty::EXTERNAL) => self.outside_type(args),
            Type::Union(members) | Type::Intersection(members) => {
                let members = self.arena.list(members);
                let made: Vec<Ty> = members.iter().map(|member| self.construct(*member, args, site)).filter(|ty| !ty.is_opaque()).collect();
                if matches!(self.get(value), Type::Union(_)) { self.arena.union(&made) } else { self.arena.intersection(&made) }
            }
            Type::Function(decl, _) if constructs(self.decl(decl)) => self.instance(decl, args),
            Type::Function(decl, env) if self.is_constructor_type(decl) => {
                let result = self.return_type(decl);
                self.substitute(result, env)
            }
            Type::Instance(..) | Type::Object(..) => self.construct_by_signature(value, args, site),
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) { Ty::UNKNOWN } else { self.construct(bound, args, site) }
            }
            Type::Deferred(utility, of) => {
                let bound = self.deferred_bound(utility, of);
                if self.is_open(bound) { Ty::UNKNOWN } else { self.construct(bound, args, site) }
            }
            _ => Ty::UNKNOWN,
        }
    }

    fn construct_class(&mut self, class: DeclRef, args: &[Ty], site: Option<CallSite>) -> Ty {
        if self.decl(class).kind != DeclKind::Class {
            return Ty::UNKNOWN;
        }
        let params = self.type_params(class);
        if args.len() >= params.len() {
            return self.instance(class, args);
        }
        let mut bindings: Vec<(DeclRef, Ty)> = params.iter().copied().zip(args.iter().copied()).collect();
        if let (Some(site), true) = (site, args.is_empty()) {
            let signatures: Signatures =
                self.constructors(class).into_iter().map(|decl| Signature::Declared(decl, self.inherited_env(class, decl))).collect();
            if let Some(signature) = self.choose(&signatures, site) {
                bindings = self.infer(signature, site, Inference::new(&params, true));
            }
        }
        self.add_defaults(&params, &mut bindings);
        let types: Vec<Ty> =
            params.iter().filter_map(|param| bindings.iter().find(|binding| binding.0 == *param)).map(|binding| binding.1).collect();
        self.instance(class, &types)
    }

    /// The constructors of a class or of the nearest base class that declares some.
    pub(super) fn constructors(&mut self, class: DeclRef) -> Decls {
        let name = self.tables.find("constructor");
        let mut class = class;
        for _ in 0..12 {
            let inner = self.decl(class).inner;
            let mut own = self.own_members(class, inner, name, false);
            own.retain(|decl| self.decl(*decl).kind == DeclKind::Constructor);
            if !own.is_empty() {
                return own;
            }
            match self.static_base(class).map(|base| self.get(base)) {
                Some(Type::Static(base)) => class = base,
                _ => break,
            }
        }
        Decls::new()
    }

    /// What the type parameters of the class that declares a constructor are in a class that inherits it.
    fn inherited_env(&mut self, class: DeclRef, constructor: DeclRef) -> Env {
        let Some(declaring) = self.class_of(constructor).filter(|declaring| *declaring != class) else { return Env::EMPTY };
        let own = self.own_instance(class);
        let Some(args) = self.as_instance_of(own, declaring, 0) else { return Env::EMPTY };
        let types = self.arena.list(args);
        self.bind(declaring, &types)
    }

    fn construct_built_in(&mut self, value: Ty, args: &[Ty], site: Option<CallSite>) -> Ty {
        let Type::BuiltInValue(known) = self.get(value) else { return Ty::UNKNOWN };
        if !args.is_empty() {
            return self.arena.built_in(known, args);
        }
        let first = site.and_then(|site| self.call_args(site).first().map(|arg| (site.file, arg.value)));
        let given = first.map_or(Ty::UNKNOWN, |(file, value)| self.expr_type(file, value));
        let element = if known == Known::WeakRef { given } else { self.element_type(given) };
        match (known, self.get(element)) {
            (Known::Map, Type::Tuple(pair)) => self.arena.add(Type::BuiltIn(known, pair)),
            (Known::Map, _) => self.arena.built_in(known, &[Ty::UNKNOWN, Ty::UNKNOWN]),
            (Known::Array | Known::Promise, _) => self.arena.built_in(known, &[Ty::UNKNOWN]),
            _ => self.arena.built_in(known, &[element]),
        }
    }

    fn construct_by_signature(&mut self, value: Ty, args: &[Ty], site: Option<CallSite>) -> Ty {
        let signatures = self.construct_signatures(value);
        let chosen = match site {
            Some(site) => self.choose(&signatures, site),
            None => {
                signatures.iter().copied().find(|signature| self.takes_type_args(*signature, args.len())).or(signatures.first().copied())
            }
        };
        match (chosen, site) {
            (Some(Signature::Declared(decl, env)), None) => {
                let result = self.return_type(decl);
                let args = self.complete_args(decl, args);
                let own = self.bind(decl, &args);
                let result = self.substitute(result, own);
                self.substitute(result, env)
            }
            (Some(signature), Some(site)) => self.result(signature, site),
            _ => Ty::UNKNOWN,
        }
    }

    fn takes_type_args(&mut self, signature: Signature, count: usize) -> bool {
        matches!(signature, Signature::Declared(decl, _) if self.decl(decl).type_params.len() == count)
    }

    /// `new (..): T` members of a type.
    pub(super) fn construct_signatures(&mut self, ty: Ty) -> Signatures {
        self.member_signatures(ty, DeclKind::ConstructSignature, 0)
    }

    /// What `new` names where it calls a constructor: a class, or a value that holds one.
    pub(super) fn constructed(&mut self, site: Site, called: &Decls) -> Option<Decls> {
        let facts = self.facts(self.file);
        let Subject::Expr(expr) = site.subject else { return None };
        let Expr::New(call) = facts.expr(expr) else { return None };
        match self.value_outcome(facts.calls[call.index()].callee) {
            Outcome::Decls(named) if named != *called => Some(named),
            _ => None,
        }
    }

    /// Whether a local is called through a signature that the repository writes.
    pub(super) fn may_hold_a_function(&mut self, callee: ExprId) -> bool {
        match self.facts(self.file).expr(callee) {
            Expr::Name(..) => {}
            Expr::Same(inner) | Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => return self.may_hold_a_function(inner),
            _ => return false,
        }
        let ty = self.expr_type(self.file, callee);
        self.signatures(ty).into_iter().any(|signature| self.is_written_signature(signature))
    }

    /// Whether the repository writes a signature without a body as a member of a type.
    fn is_written_signature(&mut self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else { return false };
        !self.is_external(decl) && self.decl(decl).kind == DeclKind::CallSignature
    }

    /// What can be called on a type.
    pub(super) fn signatures(&mut self, ty: Ty) -> Signatures {
        self.signatures_in(ty, 0)
    }

    fn signatures_in(&mut self, ty: Ty, level: u32) -> Signatures {
        if level > 8 {
            return Signatures::new();
        }
        match self.get(ty) {
            Type::Function(decl, _) if self.is_constructor_type(decl) => Signatures::new(),
            Type::Function(decl, env) => self.overloads(decl).into_iter().map(|overload| Signature::Declared(overload, env)).collect(),
            Type::Signature(params, result) => Signatures::from_slice(&[Signature::Plain(params, result)]),
            Type::BuiltInMethod(row, receiver) => Signatures::from_slice(&[Signature::BuiltIn(row, receiver)]),
            Type::BuiltIn(Known::Signal, args) => {
                let held = self.arena.list(args).first().copied().unwrap_or(Ty::UNKNOWN);
                Signatures::from_slice(&[Signature::Plain(Args::NONE, held)])
            }
            Type::BuiltIn(Known::Component, args) => Signatures::from_slice(&[Signature::Plain(args, Ty::EXTERNAL)]),
            Type::PackageFunction(row) => Signatures::from_slice(&[Signature::Package(row)]),
            Type::Instance(..) | Type::Object(..) => self.member_signatures(ty, DeclKind::CallSignature, level),
            Type::Union(args) | Type::Intersection(args) => {
                let members = self.arena.list(args);
                members.iter().map(|member| self.signatures_in(*member, level + 1)).find(|found| !found.is_empty()).unwrap_or_default()
            }
            Type::Param(param) => {
                let bound = self.constraint(param);
                if bound == ty { Signatures::new() } else { self.signatures_in(bound, level + 1) }
            }
            Type::Deferred(utility, args) => {
                let bound = self.deferred_bound(utility, args);
                self.signatures_in(bound, level + 1)
            }
            _ => Signatures::new(),
        }
    }

    /// Whether a function type is written `new (..) => T`.
    pub(super) fn is_constructor_type(&mut self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        facts.decl(decl.decl).kind == DeclKind::FunctionType && facts.decl_name(decl.decl) == "new"
    }

    /// The declared overloads of a function; its implementation only if there are none.
    fn overloads(&mut self, decl: DeclRef) -> Decls {
        if !matches!(self.decl(decl).kind, DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method) {
            return Decls::from_slice(&[decl]);
        }
        let mut group: Decls = self.group(decl).iter().copied().collect();
        group.retain(|other| matches!(self.decl(*other).kind, DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method));
        if group.len() > 1 {
            let bodiless: Decls = group.iter().copied().filter(|other| !self.decl(*other).flags.has(DeclFlags::HAS_BODY)).collect();
            if !bodiless.is_empty() {
                return bodiless;
            }
        }
        if group.is_empty() { Decls::from_slice(&[decl]) } else { group }
    }

    fn member_signatures(&mut self, ty: Ty, kind: DeclKind, level: u32) -> Signatures {
        let (decl, args, env) = match self.get(ty) {
            Type::Instance(decl, args) => (decl, args, None),
            Type::Object(decl, env) => (decl, Args::NONE, Some(env)),
            _ if kind == DeclKind::CallSignature => return self.signatures_in(ty, level + 1),
            _ => return Signatures::new(),
        };
        let types = self.arena.list(args);
        let group = self.group(decl);
        let mut found = Signatures::new();
        for &part in group.iter() {
            let env = env.unwrap_or_else(|| self.bind(part, &types));
            found.extend(self.nameless_members(part, kind).into_iter().map(|signature| Signature::Declared(signature, env)));
        }
        if !found.is_empty() || level > 8 {
            return found;
        }
        for &part in group.iter() {
            for index in 0..self.decl(part).bases.len() {
                let base = self.base_type(part, index);
                let env = env.unwrap_or_else(|| self.bind(part, &types));
                let base = self.substitute(base, env);
                let inherited = self.member_signatures(base, kind, level + 1);
                if !inherited.is_empty() {
                    return inherited;
                }
            }
        }
        found
    }

    /// The parameters of a signature, outer type parameters filled in.
    pub(super) fn signature_params(&mut self, signature: Signature) -> Vec<Param> {
        match signature {
            Signature::Declared(decl, env) => self.params(decl).into_iter().map(|param| self.declared_param(param, env)).collect(),
            Signature::Plain(params, _) => {
                self.arena.list(params).iter().map(|ty| Param { ty: *ty, optional: true, rest: false }).collect()
            }
            Signature::BuiltIn(..) | Signature::Package(_) => Vec::new(),
        }
    }

    fn declared_param(&mut self, param: DeclRef, env: Env) -> Param {
        let flags = self.decl(param).flags;
        let ty = self.decl_type(param);
        let rest = flags.has(DeclFlags::REST);
        let ty = self.substitute(ty, env);
        let ty = if rest { self.element_type(ty) } else { ty };
        Param { ty, optional: flags.has(DeclFlags::OPTIONAL), rest }
    }

    /// What a signature gives, outer type parameters filled in.
    pub(super) fn signature_result(&mut self, signature: Signature) -> Ty {
        match signature {
            Signature::Declared(decl, env) => {
                let result = self.return_type(decl);
                self.substitute(result, env)
            }
            Signature::Plain(_, result) => result,
            Signature::BuiltIn(..) | Signature::Package(_) => Ty::UNKNOWN,
        }
    }

    /// The first signature that takes the arguments; if none does, the one with the fewest mismatches.
    pub(super) fn choose(&mut self, signatures: &[Signature], site: CallSite) -> Option<Signature> {
        self.spend_list(signatures.len());
        if signatures.len() <= 1 {
            return signatures.first().copied();
        }
        let args = self.call_args(site);
        let type_args = self.call_type_args(site).len();
        let mut best: Option<(u32, Signature)> = None;
        for &signature in signatures {
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
        best.map(|(_, signature)| signature).or(signatures.first().copied())
    }

    pub(super) fn mismatches(&mut self, signature: Signature, file: FileId, args: &[Arg]) -> u32 {
        let params = self.signature_params(signature);
        let spread = args.iter().any(|arg| arg.mode == ArgMode::Spread);
        let required = params.iter().filter(|param| !param.optional && !param.rest).count();
        let has_rest = params.last().is_some_and(|param| param.rest);
        let mut count = 0;
        if !spread && (args.len() < required || (args.len() > params.len() && !has_rest)) {
            count += 10;
        }
        for (index, arg) in args.iter().enumerate() {
            if arg.mode == ArgMode::Spread {
                break;
            }
            let Some(param) = params.get(index).or(params.last().filter(|param| param.rest)) else { break };
            count += u32::from(self.rejects(param.ty, file, arg.value));
        }
        count
    }

    pub(super) fn rejects(&mut self, param: Ty, file: FileId, value: ExprId) -> bool {
        let facts = self.facts(file);
        match facts.expr(value) {
            Expr::Function(lambda) => {
                let callable = self
                    .arena
                    .members(param)
                    .iter()
                    .any(|ty| ty.is_opaque() || matches!(self.get(*ty), Type::Param(_)) || !self.signatures(*ty).is_empty());
                !callable || self.takes_fewer_params(param, at(file, lambda))
            }
            Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _) => false,
            _ => {
                let given = self.expr_type(file, value);
                self.extends(given, param, &mut Vec::new()) == Some(false)
            }
        }
    }

    /// Whether a lambda wants more parameters than a callback type gives.
    fn takes_fewer_params(&mut self, callback: Ty, lambda: DeclRef) -> bool {
        let signatures = self.signatures(callback);
        let wanted = self.params(lambda).len();
        !signatures.is_empty()
            && signatures.iter().all(|signature| {
                let params = self.signature_params(*signature);
                params.len() < wanted && !params.last().is_some_and(|param| param.rest)
            })
    }
}
