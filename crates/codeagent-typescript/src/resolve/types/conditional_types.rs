//! Conditional types: `T extends U ? X : Y`.
//!
//! A test is deferred while its types have type parameters that decide it. If it stays undecided, the
//! type is known only where both branches are the same declaration, or one is `never`.
//!
//! Limitations: the parts of a template literal type are not compared if one of them is `string`.

use std::rc::Rc;

use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::scopes::Meaning;
use crate::resolve::types::assignability::Inferred;

/// The element types of a tuple and the index of its rest element.
pub type SpreadElement = (Vec<Ty>, usize);

/// The test of a conditional type.
struct ConditionalTest<'f> {
    file: FileId,
    /// The bound as written.
    written: TypeId,
    /// The types that the bound infers.
    own: &'f [TypeId],
    /// The elements of a bound that is a tuple with a rest element.
    elements: Option<SpreadElement>,
    bound: Ty,
    /// The bound is a template literal type, whose parts are not compared.
    is_template: bool,
}

impl Checker<'_> {
    /// Evaluates `check extends bound ? yes : no` under bindings of type parameters.
    pub fn type_of_conditional(&self, file: FileId, ty: TypeId, mapper: TypeMapper) -> Ty {
        let facts = self.facts(file);
        let TypeExpr::Conditional(parts) = facts.type_expr(ty) else {
            return Ty::UNKNOWN;
        };
        let &[check, bound, yes, no, ref own @ ..] = facts.list(parts) else {
            return Ty::UNKNOWN;
        };

        if let Some((are_declared, mut inferred)) = self.test_of_globals(file, check, bound) {
            let branch = if are_declared { yes } else { no };
            inferred.extend(self.arena.bindings(mapper).iter().copied());
            return self.substitute(self.type_of(file, branch), self.arena.mapper(inferred));
        }

        let deferred = self.arena.add(Type::Conditional(file, ty, mapper));
        self.memoized(Query::Conditional(deferred), || {
            let declared = self.type_of(file, check);
            let check = self.substitute(declared, mapper);
            if self.is_open(check) {
                return deferred;
            }

            let test = self.conditional_test(file, bound, own, mapper);
            if self.waits_for(check, test.bound, own.is_empty()) {
                return deferred;
            }

            // Only a bare type parameter distributes over a union.
            let (param, members) = match self.get(declared) {
                Type::Param(param) => (Some(param), self.arena.members(check)),
                _ => (None, Rc::from([check])),
            };

            let mut results = Vec::new();
            for &member in members.iter() {
                let (fits, mut inferred) = self.test_member(&test, member);
                inferred.extend(param.map(|param| (param, member)));
                inferred.extend(self.arena.bindings(mapper).iter().copied());
                let inner = self.arena.mapper(inferred);

                results.push(match fits {
                    Some(true) => self.substitute(self.type_of(file, yes), inner),
                    Some(false) => self.substitute(self.type_of(file, no), inner),
                    None => self.either_branch(file, (yes, no), inner),
                });
            }

            self.arena.union(&results)
        })
    }

    /// Evaluates the bound of a test that infers the types `own`.
    fn conditional_test<'f>(
        &self,
        file: FileId,
        written: TypeId,
        own: &'f [TypeId],
        mapper: TypeMapper,
    ) -> ConditionalTest<'f> {
        let elements = self.variadic(file, written, mapper);
        let bound = self.type_of(file, written);
        let bound = self.substitute(bound, mapper);
        let is_template = has_template(self.facts(file), written)
            && !matches!(
                self.get(bound),
                Type::Deferred(..) | Type::Literal(..) | Type::Union(_)
            );

        ConditionalTest {
            file,
            written,
            own,
            elements,
            bound,
            is_template,
        }
    }

    /// Tests a type; returns whether it fits, if that is known, and the inferred types.
    fn test_member(&self, test: &ConditionalTest<'_>, member: Ty) -> (Option<bool>, Inferred) {
        let &ConditionalTest {
            file,
            written,
            own,
            ref elements,
            bound,
            is_template,
        } = test;
        let mut inferred = Vec::new();
        let fits = match (self.get(member), elements) {
            _ if self.lacks_object(member, file, written) => Some(false),
            (Type::Tuple(given), Some(wanted)) => self.tuple_extends(given, wanted, &mut inferred),
            _ => self.extends(member, bound, &mut inferred),
        };
        // The parts of a template are not compared.
        let fits = fits.filter(|fits| !(is_template && *fits));
        if is_template {
            let facts = self.facts(file);
            let parts = own.iter().filter_map(|ty| match facts.type_expr(*ty) {
                TypeExpr::Infer(decl) => Some((at(file, decl), Ty::UNKNOWN)),
                _ => None,
            });
            inferred.extend(parts);
        }

        (fits, inferred)
    }

    /// Tests `typeof globalThis extends { onmessage: any; URL: infer T }`, by which declarations of a
    /// runtime step back behind those of a browser: each name must be declared by another file.
    /// Returns whether they are, and what they infer; `None` for other tests.
    fn test_of_globals(
        &self,
        file: FileId,
        check: TypeId,
        bound: TypeId,
    ) -> Option<(bool, Vec<(DeclRef, Ty)>)> {
        let facts = self.facts(file);
        let TypeExpr::TypeOf(named) = facts.type_expr(check) else {
            return None;
        };
        let (Expr::Name(global, ..), TypeExpr::Object(object)) =
            (facts.expr(named), facts.type_expr(bound))
        else {
            return None;
        };
        if facts.text(global) != "globalThis" {
            return None;
        }

        let (object, inner) = (at(file, object), facts.decl(object).inner);
        let names = self.key_names(self.type_of(file, bound))?;
        let mut inferred = Vec::new();
        for name in names {
            let declared = self.lookup_global(name, Meaning::Value);
            let Some(other) = declared.iter().find(|decl| decl.file != file) else {
                return Some((false, Vec::new()));
            };
            for member in self.own_members(object, inner, name, false) {
                if let TypeExpr::Infer(param) = facts.type_expr(self.decl(member).ty) {
                    inferred.push((at(file, param), self.type_of_decl(*other)));
                }
            }
        }
        Some((true, inferred))
    }

    /// Reports whether a type has something primitive where a written type has `object`, itself or as
    /// an element: `[string]` and `[object]`.
    fn lacks_object(&self, ty: Ty, file: FileId, written: TypeId) -> bool {
        let facts = self.facts(file);

        match (facts.type_expr(written), self.get(ty)) {
            (TypeExpr::Primitive(word), _) if facts.text(word) == "object" => {
                let members = self.arena.members(ty);
                members.iter().any(|member| match self.get(*member) {
                    Type::Literal(..) => true,
                    Type::Simple(simple) => simple.is_primitive() || simple == Ty::NOTHING,
                    _ => false,
                })
            }
            (TypeExpr::Tuple(wanted), Type::Tuple(given)) => {
                let (wanted, given) = (facts.list(wanted), self.arena.list(given));
                wanted.len() == given.len()
                    && wanted.iter().zip(given.iter()).any(|(wanted, given)| {
                        !wanted.rest && self.lacks_object(*given, file, wanted.ty)
                    })
            }
            _ => false,
        }
    }

    /// Returns the elements of a written tuple type with one rest element, and the index of that
    /// element.
    pub fn variadic(&self, file: FileId, ty: TypeId, mapper: TypeMapper) -> Option<SpreadElement> {
        let facts = self.facts(file);
        let TypeExpr::Tuple(elements) = facts.type_expr(ty) else {
            return None;
        };

        let elements = facts.list(elements);
        let rest = elements.iter().position(|element| element.rest)?;
        if elements[rest + 1..].iter().any(|element| element.rest) {
            return None;
        }

        let types: Vec<Ty> = elements
            .iter()
            .map(|element| self.type_of(file, element.ty))
            .collect();

        Some((
            types
                .into_iter()
                .map(|ty| self.substitute(ty, mapper))
                .collect(),
            rest,
        ))
    }

    /// Reports whether a test cannot be made yet, because the bound has type parameters:
    /// `void extends T`, `{} extends T`, `"a" extends keyof T`, `["a"] extends [keyof T]`.
    fn waits_for(&self, check: Ty, bound: Ty, infers_nothing: bool) -> bool {
        match (self.get(check), self.get(bound)) {
            (Type::Simple(Ty::NOTHING) | Type::Object(..), Type::Param(_)) => infers_nothing,
            (_, Type::KeyOf(_)) => self.is_open(bound),
            (Type::Tuple(given), Type::Tuple(wanted)) => {
                let (given, wanted) = (self.arena.list(given), self.arena.list(wanted));
                given.len() == wanted.len()
                    && given
                        .iter()
                        .zip(wanted.iter())
                        .any(|(given, wanted)| self.waits_for(*given, *wanted, infers_nothing))
            }
            _ => false,
        }
    }

    /// Returns, for an undecided test, the branch that is not `never`, or both if they are
    /// instances of one declaration.
    fn either_branch(&self, file: FileId, (yes, no): (TypeId, TypeId), mapper: TypeMapper) -> Ty {
        let (yes, no) = (self.type_of(file, yes), self.type_of(file, no));
        match (yes, no) {
            (Ty::NOTHING, other) | (other, Ty::NOTHING) => return self.substitute(other, mapper),
            (a, b) if a == b => return self.substitute(a, mapper),
            _ => {}
        }

        let may_agree = |ty: Ty| {
            matches!(
                self.get(ty),
                Type::Instance(..) | Type::Intersection(_) | Type::Conditional(..)
            )
        };
        if !may_agree(yes) || !may_agree(no) {
            return Ty::UNKNOWN;
        }

        let (yes, no) = (self.substitute(yes, mapper), self.substitute(no, mapper));
        match self.arena.members(no).first() {
            Some(&first) if self.instantiates(yes, first) && self.instantiates(no, first) => {
                self.arena.union(&[yes, no])
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// Reports whether a type, or each member of a union, differs from another only in its type
    /// arguments.
    fn instantiates(&self, ty: Ty, other: Ty) -> bool {
        match (self.get(ty), self.get(other)) {
            (Type::Union(members), _) => {
                let members = self.arena.list(members);
                members
                    .iter()
                    .all(|member| self.instantiates(*member, other))
            }
            (Type::Instance(a, _), Type::Instance(b, _))
            | (Type::Object(a, _), Type::Object(b, _)) => a == b,
            (Type::BuiltIn(a, _), Type::BuiltIn(b, _)) => a == b,
            (Type::Intersection(a), Type::Intersection(b)) => {
                let (a, b) = (self.arena.list(a), self.arena.list(b));
                let mut pairs = a.iter().zip(b.iter());
                a.len() == b.len() && pairs.all(|(a, b)| self.instantiates(*a, *b))
            }
            _ => false,
        }
    }
}

/// Reports whether a type is a template literal type, or a tuple with one.
fn has_template(facts: &Facts, ty: TypeId) -> bool {
    match facts.type_expr(ty) {
        TypeExpr::Template(_) => true,
        TypeExpr::Tuple(elements) => facts
            .list(elements)
            .iter()
            .any(|element| has_template(facts, element.ty)),
        _ => false,
    }
}
