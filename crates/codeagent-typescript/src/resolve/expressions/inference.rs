//! Type argument inference for calls.
//!
//! Limitations: the first argument that determines a type parameter decides it; constraints are
//! ignored.

use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use rustc_hash::FxHashSet;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper, Utility};
use crate::resolve::checker::Checker;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::at;
use crate::resolve::types::signatures::Signature;

const MAX_NESTING: u32 = 6;

/// The options and state of an inference.
pub struct Inference<'a> {
    params: &'a [DeclRef],
    found: Vec<(DeclRef, Ty)>,
    /// Uses the results of lambdas too; not while their own parameters are being typed.
    lambdas: bool,
    /// The declarations whose members are being compared: of the parameter's and the argument's type.
    within: Vec<(DeclRef, Option<DeclRef>)>,
    /// The pairs of types whose members were compared.
    compared: FxHashSet<(Ty, Ty)>,
}

impl<'a> Inference<'a> {
    /// Starts an inference of these type parameters.
    pub fn new(params: &'a [DeclRef], lambdas: bool) -> Self {
        Self {
            params,
            found: Vec::new(),
            lambdas,
            within: Vec::new(),
            compared: FxHashSet::default(),
        }
    }

    /// Reports whether the members of two types need not be compared: they were, or both types nest
    /// in themselves, as in `interface List<T> { tail: List<T[]> }`.
    fn is_repeated(&self, types: (Ty, Ty), (wanted, given): (DeclRef, Option<DeclRef>)) -> bool {
        let nests = given.is_some()
            && self.within.iter().any(|(decl, _)| *decl == wanted)
            && self.within.iter().any(|(_, decl)| *decl == given);
        nests || self.compared.contains(&types)
    }

    pub fn finish(self) -> Vec<(DeclRef, Ty)> {
        self.found
    }
}

impl Checker<'_> {
    /// Returns the bindings of type parameters from the arguments of a call.
    pub fn infer_type_args(
        &self,
        signature: Signature,
        site: CallSite,
        mut inference: Inference<'_>,
    ) -> Vec<(DeclRef, Ty)> {
        let args = self.call_args(site);
        let params = self.signature_params(signature);
        self.infer_from_receiver(signature, site, &mut inference);
        let rest = self.inferred_rest(signature, &args, &inference);
        let has_lambda = rest.is_some_and(|(_, position)| {
            args[position..]
                .iter()
                .any(|arg| self.is_untyped_lambda_expr(site.file, arg.value))
        });
        if let Some((param, position)) = rest.filter(|_| !has_lambda) {
            let tuple = self.rest_tuple(site.file, &args[position..]);
            inference.found.push((param, tuple));
        }

        for pass in [false, true] {
            if pass && !inference.lambdas {
                break;
            }
            for (index, arg) in args.iter().enumerate() {
                let is_lambda = self.is_untyped_lambda_expr(site.file, arg.value);
                let Some(param) = params
                    .get(index)
                    .or(params.last().filter(|param| param.rest))
                else {
                    break;
                };
                if is_lambda != pass {
                    continue;
                }

                let given = self.type_of_argument(site.file, *arg);
                self.infer_from_types(param.ty, given, &mut inference, 0);
            }
        }

        // The other arguments may type the lambdas among the rest, so they come first.
        if let Some((param, position)) = rest.filter(|_| has_lambda && inference.lambdas)
            && !inference.found.iter().any(|binding| binding.0 == param)
        {
            let tuple = self.rest_tuple(site.file, &args[position..]);
            inference.found.push((param, tuple));
        }

        inference.found
    }

    /// Reports whether a value is a lambda without written types, or an array literal of such
    /// lambdas.
    pub(super) fn is_untyped_lambda_expr(&self, file: FileId, value: ExprId) -> bool {
        let facts = self.facts(file);
        match facts.expr(value) {
            Expr::Array(elements, _) => {
                let elements = facts.list(elements);
                let is_lambda = |element: &ExprId| self.is_untyped_lambda_expr(file, *element);
                !elements.is_empty() && elements.iter().all(is_lambda)
            }
            Expr::Function(lambda) => {
                self.is_untyped_lambda(Signature::Declared(at(file, lambda), TypeMapper::EMPTY))
            }
            _ => false,
        }
    }

    /// Infers `T` in `make<T>(this: new () => T): T` from the receiver of the call.
    fn infer_from_receiver(
        &self,
        signature: Signature,
        site: CallSite,
        inference: &mut Inference<'_>,
    ) {
        let Signature::Declared(decl, _) = signature else {
            return;
        };
        let Some(this) = self.this_parameter(decl) else {
            return;
        };

        let facts = self.facts(site.file);
        let callee = facts.calls[site.call.index()].callee;
        if let Expr::Member(object, _) = facts.expr(callee) {
            let receiver = self.type_of_expr(site.file.expr(object));
            let wanted = self.type_of_decl(this);
            self.infer_from_types(wanted, receiver, inference, 0);
        }
    }

    /// Returns `T` in `...rest: T`, and the index of its first argument.
    fn inferred_rest(
        &self,
        signature: Signature,
        args: &[Arg],
        inference: &Inference<'_>,
    ) -> Option<(DeclRef, usize)> {
        let Signature::Declared(decl, _) = signature else {
            return None;
        };

        let params = self.params(decl);
        let last = *params.last()?;
        if !self.decl(last).flags.has(DeclFlags::REST) {
            return None;
        }
        let ty = self.type_of_decl(last);
        let Type::Param(param) = self.get(ty) else {
            return None;
        };

        let position = args.len().min(params.len() - 1);
        let is_spread = |arg: &Arg| arg.mode == ArgMode::Spread;
        // A list that is the only rest argument gives its own type.
        let is_known = !args.iter().any(is_spread)
            || args.len() == params.len() && !args[..position].iter().any(is_spread);
        (is_known && inference.params.contains(&param)).then_some((param, position))
    }

    /// Returns the tuple of the arguments for a rest parameter, or the list that is spread there.
    fn rest_tuple(&self, file: FileId, args: &[Arg]) -> Ty {
        if let [only] = args
            && only.mode == ArgMode::Spread
        {
            return self.type_of_expr(file.expr(only.value));
        }
        let types: Vec<Ty> = args
            .iter()
            .take(12)
            .map(|arg| self.type_of_expr(file.expr(arg.value)))
            .collect();
        let types: Vec<Ty> = types.into_iter().map(|ty| self.arena.widen(ty)).collect();
        self.arena.tuple(&types)
    }

    fn type_of_argument(&self, file: FileId, arg: Arg) -> Ty {
        let ty = self.type_of_expr(file.expr(arg.value));
        if arg.mode == ArgMode::Spread {
            self.type_of_element(ty)
        } else {
            ty
        }
    }

    /// Infers type arguments that turn `param` into `given`.
    pub fn infer_from_types(
        &self,
        param: Ty,
        given: Ty,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        let (param, given) = (self.arena.unselected(param), self.arena.unselected(given));
        if nesting > MAX_NESTING || given == Ty::UNKNOWN || param == given {
            return;
        }

        match (self.get(param), self.get(given)) {
            (Type::Param(decl), _) => self.bind_param(decl, given, inference),
            (Type::Deferred(Utility::Template, parts), Type::Literal(_, text)) => {
                let taken = self.taken_by_parts(text, parts).unwrap_or_default();
                for (part, text) in taken {
                    self.infer_from_types(part, text, inference, nesting + 1);
                }
            }
            (Type::Union(args), _) => self.infer_from_union(args, given, inference, nesting),
            // As in tsc, from both branches: the condition is not known yet.
            (Type::Conditional(file, ty, mapper), _) => {
                for branch in self.branches(file, ty, mapper).into_iter().flatten() {
                    self.infer_from_types(branch, given, inference, nesting + 1);
                }
            }
            (Type::Intersection(args), _) => {
                let members = self.arena.list(args);
                let is_inferred = |ty: Ty| matches!(self.get(ty), Type::Param(decl) if inference.params.contains(&decl));

                // It is unknown which member belongs to which type parameter.
                let are_several = members
                    .iter()
                    .filter(|member| is_inferred(**member))
                    .count()
                    > 1;
                let answer: Vec<Ty> = members
                    .iter()
                    .copied()
                    .filter(|member| !are_several || !is_inferred(*member))
                    .collect();
                for member in answer {
                    self.infer_from_types(member, given, inference, nesting + 1);
                }
            }
            (_, Type::Union(args)) => {
                for &member in self.arena.list(args).iter() {
                    self.infer_from_types(param, member, inference, nesting + 1);
                }
            }
            (Type::Instance(decl, args), Type::Instance(..)) => {
                if let Some(found) = self.as_instance_of(given, decl, 0) {
                    self.infer_from_lists(args, found, inference, nesting);
                } else {
                    self.infer_from_structure(param, given, inference, nesting);
                }
            }
            (Type::BuiltIn(BuiltinType::Iterable | BuiltinType::AsyncIterable, args), _) => {
                let element = self.type_of_element(given);
                if let Some(&wanted) = self.arena.list(args).first() {
                    self.infer_from_types(wanted, element, inference, nesting + 1);
                }
            }
            (Type::BuiltIn(BuiltinType::Array, args), Type::Tuple(_)) => {
                let element = self.type_of_element(given);
                if let Some(&wanted) = self.arena.list(args).first() {
                    self.infer_from_types(wanted, element, inference, nesting + 1);
                }
            }
            (Type::BuiltIn(BuiltinType::Record, args), _)
                if !matches!(self.get(given), Type::BuiltIn(BuiltinType::Record, _)) =>
            {
                let values = self.property_types(given);
                if let Some(&wanted) = self.arena.list(args).get(1) {
                    self.infer_from_types(wanted, values, inference, nesting + 1);
                }
            }
            (Type::BuiltIn(wanted, args), Type::BuiltIn(found, given)) if found.is_a(wanted) => {
                self.infer_from_lists(args, given, inference, nesting)
            }
            (Type::Tuple(args), Type::Tuple(given)) => {
                self.infer_from_lists(args, given, inference, nesting)
            }
            (Type::Function(decl, wanted), Type::Function(other, found))
            | (Type::Object(decl, wanted), Type::Object(other, found))
                if decl == other =>
            {
                self.infer_from_mappers(wanted, found, inference, nesting)
            }
            (Type::Function(..), _) => self.infer_from_functions(param, given, inference, nesting),
            (Type::Object(..) | Type::Instance(..), _) => {
                self.infer_from_structure(param, given, inference, nesting)
            }
            _ => {}
        }
    }

    fn bind_param(&self, decl: DeclRef, given: Ty, inference: &mut Inference<'_>) {
        if !inference.params.contains(&decl)
            || inference.found.iter().any(|binding| binding.0 == decl)
        {
            return;
        }
        let keeps_literal = self.wants_literal(decl);
        let ty = if keeps_literal {
            given
        } else {
            self.arena.widen(given)
        };
        inference.found.push((decl, ty));
    }

    /// Reports whether a parameter is constrained to strings or keys, so that literal types are
    /// preserved.
    fn wants_literal(&self, param: DeclRef) -> bool {
        let is_literal = |ty: &Ty| {
            matches!(
                self.get(*ty),
                Type::KeyOf(_) | Type::Literal(..) | Type::Simple(Ty::STRING)
            )
        };
        let bound = self.constraint(param);
        let members = self.arena.members(bound);
        members.iter().any(|ty| match self.get(*ty) {
            Type::Intersection(parts) => self.arena.list(parts).iter().any(is_literal),
            _ => is_literal(ty),
        })
    }

    fn infer_from_union(&self, args: Args, given: Ty, inference: &mut Inference<'_>, nesting: u32) {
        let members = self.arena.list(args);
        let (bare, others): (Vec<Ty>, Vec<Ty>) = members
            .iter()
            .partition(|member| matches!(self.get(**member), Type::Param(_)));
        for member in others {
            self.infer_from_types(member, given, inference, nesting + 1);
        }

        let taken: Vec<Ty> = members.to_vec();

        for member in bare {
            let rest: Vec<Ty> = self
                .arena
                .members(given)
                .iter()
                .copied()
                .filter(|ty| !taken.contains(ty))
                .collect();
            let rest = self.arena.union(&rest);
            self.infer_from_types(member, rest, inference, nesting + 1);
        }
    }

    fn infer_from_lists(
        &self,
        params: Args,
        given: Args,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        let params = self.arena.list(params);
        let given = self.arena.list(given);
        for (param, given) in params.iter().zip(given.iter()) {
            self.infer_from_types(*param, *given, inference, nesting + 1);
        }
    }

    /// Infers from two instantiations of one type: from type argument to type argument.
    fn infer_from_mappers(
        &self,
        wanted: TypeMapper,
        found: TypeMapper,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        for (param, wanted) in self.arena.bindings(wanted).iter() {
            if let Some(found) = self.arena.bound(found, *param) {
                self.infer_from_types(*wanted, found, inference, nesting + 1);
            }
        }
    }

    /// Infers from members and from call and construct signatures: `interface F<P> { (props: P):
    /// void; new (): P }`. Does nothing without such signatures.
    fn infer_from_structure(
        &self,
        param: Ty,
        given: Ty,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        self.infer_from_members(param, given, inference, nesting);
        self.infer_from_functions(param, given, inference, nesting);
        self.infer_from_class(param, given, inference, nesting);
    }

    /// Infers from a class to a constructor type.
    fn infer_from_class(&self, param: Ty, given: Ty, inference: &mut Inference<'_>, nesting: u32) {
        let wanted = self.instance_of(param, &[]);
        let made = self.instance_of(given, &[]);
        self.infer_from_types(wanted, made, inference, nesting + 1);
    }

    fn infer_from_functions(
        &self,
        param: Ty,
        given: Ty,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        if matches!(self.get(param), Type::Function(decl, _) if self.is_constructor_type(decl)) {
            self.infer_from_class(param, given, inference, nesting);
            return;
        }

        let Some(wanted) = self.signatures(param).first().copied() else {
            return;
        };
        let Some(found) = self.signatures(given).last().copied() else {
            return;
        };
        if !inference.lambdas && self.is_untyped_lambda(found) {
            return;
        }
        let found = self.in_context_of(found, wanted, inference, nesting);

        if !self.is_untyped_lambda(found) {
            let wanted_params = self.signature_params(wanted);
            let found_params = self.signature_params(found);
            for (a, b) in wanted_params.iter().zip(&found_params) {
                self.infer_from_types(a.ty, b.ty, inference, nesting + 1);
            }
        }

        let result = self.signature_result(wanted);
        let given = self.signature_result(found);
        self.infer_from_predicate(wanted, found, inference, nesting);
        self.infer_from_types(result, given, inference, nesting + 1);
    }

    /// Instantiates a generic function that is passed as an argument: its type parameters are
    /// inferred from the parameters that the callee will pass to it.
    fn in_context_of(
        &self,
        found: Signature,
        wanted: Signature,
        inference: &Inference<'_>,
        nesting: u32,
    ) -> Signature {
        let Signature::Declared(decl, mapper) = found else {
            return found;
        };
        let own = self.type_params(decl);
        if own.is_empty() {
            return found;
        }

        // What is not inferred yet tells nothing about the function.
        let mut known = inference.found.clone();
        let is_known = |param: &DeclRef| inference.found.iter().any(|binding| binding.0 == *param);
        let unknown = inference.params.iter().filter(|param| !is_known(param));
        known.extend(unknown.map(|param| (*param, Ty::UNKNOWN)));
        let known = self.arena.mapper(known);

        let passed = self.signature_params(wanted);
        let mut of_function = Inference::new(&own, inference.lambdas);
        for (param, passed) in self.signature_params(found).iter().zip(&passed) {
            let passed = self.substitute(passed.ty, known);
            self.infer_from_types(param.ty, passed, &mut of_function, nesting + 1);
        }

        let mut bindings = of_function.found;
        bindings.extend(self.arena.bindings(mapper).iter().copied());
        Signature::Declared(decl, self.arena.mapper(bindings))
    }

    /// Infers from `x is Foo` to `x is T`.
    fn infer_from_predicate(
        &self,
        wanted: Signature,
        found: Signature,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        if let (Some(wanted), Some(found)) = (self.predicate_of(wanted), self.predicate_of(found)) {
            self.infer_from_types(wanted, found, inference, nesting + 1);
        }
    }

    /// Reports whether a signature is a lambda with contextually typed parameters.
    fn is_untyped_lambda(&self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        if !matches!(self.decl(decl).kind, DeclKind::Lambda | DeclKind::Method) {
            return false;
        }
        self.params(decl)
            .iter()
            .any(|param| self.decl(*param).ty.is_none())
    }

    fn infer_from_members(
        &self,
        param: Ty,
        given: Ty,
        inference: &mut Inference<'_>,
        nesting: u32,
    ) {
        let (decl, mapper) = match self.get(param) {
            Type::Object(decl, mapper) => (decl, mapper),
            Type::Instance(decl, args) if args != Args::NONE => {
                let types = self.arena.list(args);
                (decl, self.bind(decl, &types))
            }
            _ => return,
        };
        let inner = self.decl(decl).inner;
        let declared = (decl, self.declaration_of(given));
        if inner.is_none()
            || matches!(self.get(given), Type::Simple(_) | Type::Literal(..))
            || inference.is_repeated((param, given), declared)
        {
            return;
        }
        inference.compared.insert((param, given));
        inference.within.push(declared);

        for &(name, id) in self.declared_in(decl.file, inner).iter().take(24) {
            let member = at(decl.file, id);
            if !self.decl(member).flags.has(DeclFlags::MEMBER) {
                continue;
            }
            let found = self.type_of_member(given, name);
            if found == Ty::UNKNOWN {
                continue;
            }
            let wanted = self.type_of_decl(member);
            let wanted = self.substitute(wanted, mapper);
            self.infer_from_types(wanted, found, inference, nesting + 1);
        }

        if let Some(wanted) = self.index_signature(&[decl], &[]) {
            let wanted = self.substitute(wanted, mapper);
            let found = self.property_types(given);
            self.infer_from_types(wanted, found, inference, nesting + 1);
        }
        inference.within.pop();
    }

    /// Returns the declaration of a class, interface or object type.
    fn declaration_of(&self, ty: Ty) -> Option<DeclRef> {
        match self.get(ty) {
            Type::Instance(decl, _) | Type::Object(decl, _) | Type::Static(decl) => Some(decl),
            _ => None,
        }
    }
}
