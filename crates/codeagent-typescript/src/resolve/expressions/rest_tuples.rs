//! Parameters of a signature whose rest parameter has a written tuple type with a rest element:
//! `...args: [...Input[], (value: Value) => void]`.
//!
//! Limitations: only tuples that are written in the parameter itself, perhaps in an intersection.

use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::types::conditional_types::SpreadElement;
use crate::resolve::types::signatures::{Param, Signature};

impl Checker<'_> {
    /// Returns the parameter lists that some number of arguments must fit, all of them: one, or one
    /// for each tuple of an intersection.
    pub fn param_lists(&self, signature: Signature, args: usize) -> Vec<Vec<Param>> {
        let params = self.signature_params(signature);
        let fixed = params.len().saturating_sub(1);
        let lists: Vec<Vec<Param>> = self
            .rest_tuples(signature)
            .iter()
            .map(|tuple| {
                let elements = self.tuple_params(tuple, args.saturating_sub(fixed));
                params[..fixed].iter().copied().chain(elements).collect()
            })
            .collect();

        if lists.is_empty() {
            vec![params]
        } else {
            lists
        }
    }

    /// Returns the written tuples of a rest parameter.
    fn rest_tuples(&self, signature: Signature) -> Vec<SpreadElement> {
        let Signature::Declared(decl, mapper) = signature else {
            return Vec::new();
        };
        let is_rest = |param: &DeclRef| self.decl(*param).flags.has(DeclFlags::REST);
        let Some(last) = self.params(decl).last().copied().filter(is_rest) else {
            return Vec::new();
        };

        let (facts, ty) = (self.facts(last.file), self.decl(last).ty);
        match facts.type_expr(ty) {
            TypeExpr::Intersection(list) => facts
                .list(list)
                .iter()
                .filter_map(|part| self.rest_tuple_of(last.file, *part, mapper))
                .collect(),
            _ => self
                .rest_tuple_of(last.file, ty, mapper)
                .into_iter()
                .collect(),
        }
    }

    fn rest_tuple_of(&self, file: FileId, ty: TypeId, mapper: TypeMapper) -> Option<SpreadElement> {
        // `[...T]` is `T`.
        self.variadic(file, ty, mapper)
            .filter(|(elements, _)| elements.len() > 1)
    }

    /// Returns the parameters for a number of arguments, of which the rest element takes those that
    /// the other elements leave over.
    fn tuple_params(&self, (elements, rest): &SpreadElement, count: usize) -> Vec<Param> {
        let taken = count.saturating_sub(elements.len() - 1);
        let mapper = self.mapped_over(elements[*rest], taken);
        let substituted = |ty: &Ty| self.substitute(*ty, mapper);

        let middle = match self.get(substituted(&elements[*rest])) {
            Type::Tuple(elements) => self.arena.list(elements).to_vec(),
            _ => vec![self.type_of_element(elements[*rest]); taken],
        };
        let front = elements[..*rest].iter().map(substituted);
        let back = elements[*rest + 1..].iter().map(substituted);

        let param = |ty, optional| Param {
            ty,
            optional,
            rest: false,
        };
        // Only the elements behind a rest element cannot be optional.
        let front = front.chain(middle).map(|ty| param(ty, true));
        front.chain(back.map(|ty| param(ty, false))).collect()
    }

    /// For a rest element `{ [K in keyof T]: .. }`, binds `T` to a tuple of unknown types: one for
    /// each argument.
    fn mapped_over(&self, element: Ty, count: usize) -> TypeMapper {
        let keys = match self.get(element) {
            Type::Mapped(decl, mapper) => self
                .type_params(decl)
                .first()
                .map(|key| self.substitute(self.constraint(*key), mapper)),
            _ => None,
        };

        let Some(Type::KeyOf(object)) = keys.map(|keys| self.get(keys)) else {
            return TypeMapper::EMPTY;
        };

        match self.get(object) {
            Type::Param(param) => {
                let tuple = self.arena.tuple(&vec![Ty::UNKNOWN; count]);
                self.arena.mapper(vec![(param, tuple)])
            }
            _ => TypeMapper::EMPTY,
        }
    }
}
