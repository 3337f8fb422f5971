//! Element types: the types that iterating, awaiting, indexing or deconstructing a value yields.
//!
//! Patterns come first (`GetEnumerator().Current`, `GetAwaiter().GetResult()`, `Deconstruct`), then
//! the interfaces, and extension methods last.
//!
//! Limitations: nothing is known of undeclared types.

use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclKind, Expr, ExprId};
use rustc_hash::FxHashMap;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::global_index::well_known::{self, Known};
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the iteration type of a `foreach` over a value.
    pub(super) fn type_of_iterated(&self, ty: Ty, is_async: bool) -> Ty {
        // The iteration type of an array is its element type, not that of its enumerator (standard
        // §13.9.5.2).
        if let (Type::Array(element, _), false) = (self.arena.get(ty), is_async) {
            return element;
        }
        let pattern = if is_async {
            well_known::GET_ASYNC_ENUMERATOR
        } else {
            well_known::GET_ENUMERATOR
        };

        let own = self
            .result_without_arguments(ty, pattern)
            .and_then(|enumerator| self.current_of(enumerator));
        own.or_else(|| self.element_of(ty))
            .or_else(|| self.current_of(self.extension_result(ty, pattern)?))
            .unwrap_or(Ty::UNKNOWN)
    }

    /// Returns the type of `Current` of an enumerator.
    fn current_of(&self, enumerator: Ty) -> Option<Ty> {
        self.lookup_members(enumerator, well_known::CURRENT)
            .first()
            .map(|current| self.type_of_candidate(current))
    }

    /// Returns the result of the extension method with this name that takes only the receiver.
    fn extension_result(&self, receiver: Ty, name: Name) -> Option<Ty> {
        let chosen = self.resolve_extension(receiver, name, &[], self.arena.no_types())?;
        Some(self.result_of(&chosen.best))
    }

    /// Returns the element type of an array or sequence, by its type and interfaces.
    pub(super) fn element_of(&self, ty: Ty) -> Option<Ty> {
        match self.arena.get(ty) {
            Type::Array(element, _) => return Some(element),
            Type::Collection(collection) => return Some(self.collection_element(collection)),
            Type::Nullable(of) => return self.element_of(of),
            _ => {}
        }

        let supertypes = self.supertypes(ty);
        let instance = |wanted: &[Known]| {
            let (_, args) = supertypes
                .iter()
                .filter_map(|base| self.known(*base))
                .find(|(known, _)| wanted.contains(known))?;
            args.first().copied()
        };

        instance(&[Known::EnumerableOf])
            .or_else(|| instance(&[Known::AsyncEnumerable, Known::Span, Known::ReadOnlySpan]))
    }

    /// Returns the result of the method with this name that takes no arguments.
    fn result_without_arguments(&self, ty: Ty, name: Name) -> Option<Ty> {
        let found = self.lookup_members(ty, name);
        let method = found.iter().find(|candidate| {
            is_method(self.decl(candidate.decl).kind)
                && self
                    .signature(candidate.decl)
                    .params
                    .iter()
                    .all(|param| param.flags.has(DeclFlags::OPTIONAL))
        })?;
        Some(self.infer_method_result(method))
    }

    fn infer_method_result(&self, method: &Candidate) -> Ty {
        self.substitute(self.signature(method.decl).result, method.within)
    }

    /// Returns the type of an `await`.
    pub(super) fn type_of_awaited(&self, ty: Ty) -> Ty {
        let awaiter = self.result_without_arguments(ty, well_known::GET_AWAITER);
        if let Some(awaiter) =
            awaiter.or_else(|| self.extension_result(ty, well_known::GET_AWAITER))
        {
            return self
                .result_without_arguments(awaiter, well_known::GET_RESULT)
                .unwrap_or(Ty::UNKNOWN);
        }
        if ty == Ty::DYNAMIC { ty } else { Ty::UNKNOWN }
    }

    /// Returns the type of element `index` of a deconstructed value.
    pub(super) fn type_of_deconstructed(&self, value: ExprId, index: usize) -> Ty {
        let ty = self.type_of_expr(value);
        match self.arena.get(ty) {
            Type::Tuple(elements, _) => elements.get(index).copied().unwrap_or(Ty::UNKNOWN),
            _ => self
                .resolve_deconstruct_method(ty, (index, self.count_of_elements(value)))
                .or_else(|| self.resolve_deconstruct_extension(ty, index))
                .unwrap_or(Ty::UNKNOWN),
        }
    }

    /// Returns the number of elements into which a value is split.
    fn count_of_elements(&self, value: ExprId) -> usize {
        let counts = self.deconstructed.get_or_init(|| {
            let mut counts: FxHashMap<ExprId, usize> = FxHashMap::default();
            for expr in &self.facts.exprs {
                if let Expr::Element(value, index) = *expr {
                    let count = counts.entry(value).or_default();
                    *count = (*count).max(usize::from(index) + 1);
                }
            }
            counts
        });
        counts.get(&value).copied().unwrap_or(0)
    }

    /// Returns the type that the `Deconstruct` with this number of parameters gives an element.
    fn resolve_deconstruct_method(&self, ty: Ty, (index, count): (usize, usize)) -> Option<Ty> {
        let methods = self.lookup_members(ty, well_known::DECONSTRUCT);
        let method = methods
            .iter()
            .find(|method| self.signature(method.decl).params.len() == count)?;
        let param = self.signature(method.decl).params.get(index)?.ty;
        Some(self.substitute(param, method.within))
    }

    fn resolve_deconstruct_extension(&self, ty: Ty, index: usize) -> Option<Ty> {
        let method = self.extension_member(ty, well_known::DECONSTRUCT, DeclKind::Method)?;
        let signature = self.signature(method.decl);
        let receiver = (signature.params.first()?.ty, Argument::of_type(ty));
        let inferred = self.infer_type_args(&signature.type_params, &[receiver]);
        Some(self.replace_params(
            signature.params.get(index + 1)?.ty,
            &signature.type_params,
            &inferred,
        ))
    }

    /// Returns the element type of an array or a pointer.
    pub(super) fn indexed(&self, ty: Ty) -> Ty {
        match self.arena.get(ty) {
            Type::Array(element, _) | Type::Pointer(element) => element,
            Type::Nullable(of) => self.indexed(of),
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the type of `value[a..b]` where no indexer takes a range: for arrays and strings
    /// their own type, else the result of `Slice`.
    pub(super) fn sliced(&self, ty: Ty, args: &[Argument]) -> Option<Ty> {
        let [range] = args else { return None };
        if !self.is_known(range.ty, Known::Range) {
            return None;
        }
        if matches!(self.arena.get(ty), Type::Array(..)) || self.is_known(ty, Known::String) {
            return Some(ty);
        }
        let found = self.lookup_members(ty, well_known::SLICE);
        let slice = found
            .iter()
            .find(|method| self.signature(method.decl).params.len() == 2)?;
        Some(self.infer_method_result(slice))
    }
}
