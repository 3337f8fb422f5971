//! Narrowed types: the type of a name after `x instanceof C`, `isFoo(x)`, `x.kind === "a"` or `"a"
//! in x`.
//!
//! Limitations: the guard that applies is found by `symbols/narrowing_scopes`. A union member is
//! kept unless it clearly fails the test.

use codeagent_lang::{ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};
use crate::resolve::types::members::MemberLookup;

impl Checker<'_> {
    /// Returns the type of a guard's subject where the guard holds.
    pub fn type_of_guarded(&self, file: FileId, guard: u32) -> Ty {
        let facts = self.facts(file);
        let Some(guard) = facts.guards.get(guard as usize).copied() else {
            return Ty::UNKNOWN;
        };
        if let GuardTest::Assigned(_) | GuardTest::Declared = guard.test {
            return self.type_of_assigned(file, guard);
        }

        let subject = self.type_of_expr(file.expr(guard.subject));

        match guard.test {
            GuardTest::InstanceOf(class) => {
                let class = self.type_of_expr(file.expr(class));
                let instance = self.instance_of(class, &[]);
                self.narrow_by(subject, instance, guard.negated, |ty| {
                    self.is_derived(ty, instance)
                })
            }
            GuardTest::IsType(ty) => {
                let ty = self.type_of(file, ty);
                self.narrow_to(subject, ty, guard.negated)
            }
            GuardTest::Predicate(call, index) => {
                self.narrow_by_predicate(subject, CallSite { file, call }, index, guard.negated)
            }
            GuardTest::TypeOf(sym) => {
                self.narrow_by_typeof(subject, facts.text(sym), guard.negated)
            }
            GuardTest::Discriminant(member, kind, literal) => {
                self.narrow_by_literal(file, subject, (member, kind, literal), guard.negated)
            }
            GuardTest::HasProperty(sym) => {
                let name = self.name(file, sym);
                self.sift_union(subject, guard.negated, |ty| {
                    Some(self.lookup_member(ty, name) != MemberLookup::Missing)
                })
            }
            GuardTest::Asserted(call, index, condition) => {
                self.narrow_by_assertion(subject, CallSite { file, call }, (index, condition))
            }
            GuardTest::Either(a, b) => {
                let types = [a, b].map(|guard| self.type_of_guarded(file, guard));
                match types.iter().find(|ty| ty.is_opaque()) {
                    Some(opaque) => *opaque,
                    None => self.arena.union(&types),
                }
            }
            GuardTest::Truthy | GuardTest::Assigned(_) | GuardTest::Declared => subject,
        }
    }

    /// Returns the type after an assignment: the members of a declared union that accept the value,
    /// else the declared type.
    fn type_of_assigned(&self, file: FileId, guard: Guard) -> Ty {
        let declared = self.type_of_declared(file.expr(guard.subject));
        let GuardTest::Assigned(value) = guard.test else {
            return declared;
        };
        if !matches!(self.get(declared), Type::Union(_)) {
            return declared;
        }
        let value = self.type_of_expr(file.expr(value));
        if value.is_opaque() || value == Ty::NOTHING {
            return declared;
        }

        let members = self.arena.members(declared);

        let mut kept = Vec::new();
        for &given in self.arena.members(value).iter() {
            let before = kept.len();
            for &member in members.iter() {
                if self.extends(given, member, &mut Vec::new()) != Some(false) {
                    kept.push(member);
                }
            }
            if kept.len() == before {
                return declared;
            }
        }

        self.arena.union(&kept)
    }

    /// Returns the type of a name or member, ignoring guards.
    fn type_of_declared(&self, subject: ExprRef) -> Ty {
        let ExprRef {
            file,
            expr: subject,
        } = subject;

        match self.facts(file).expr(subject) {
            Expr::Name(sym, scope, offset) => self.type_of_name(
                sym,
                LookupPosition {
                    file,
                    scope,
                    offset,
                },
                Meaning::Value,
            ),
            Expr::Member(object, sym) => self.type_of_declared_member(file.expr(object), sym),
            Expr::Index(call) => self.type_of_index_expr(file, call),
            _ => self.type_of_expr(file.expr(subject)),
        }
    }

    fn narrow_by_predicate(&self, subject: Ty, site: CallSite, index: u16, negated: bool) -> Ty {
        let facts = self.facts(site.file);
        let Some(call) = facts.calls.get(site.call.0 as usize) else {
            return subject;
        };

        let callee = self.type_of_expr(site.file.expr(call.callee));
        let signatures = self.signatures(callee);
        let Some(signature) = self.resolve_overload(&signatures, site) else {
            return subject;
        };
        let Some((param, ty)) = self.named_predicate(signature) else {
            return subject;
        };

        let ty = self.bound_at(signature, site, ty);

        if param.is_none_or(|param| param != usize::from(index)) {
            return subject;
        }

        self.narrow_to(subject, ty, negated)
    }

    /// Returns the type after `f(x)` or `f(condition)`, if `f` asserts a type of this argument, or
    /// that it is true.
    fn narrow_by_assertion(
        &self,
        subject: Ty,
        site: CallSite,
        (index, condition): (u16, u32),
    ) -> Ty {
        let callee = self.facts(site.file).calls[site.call.index()].callee;
        let callee_type = self.type_of_expr(site.file.expr(callee));
        if condition != NO_GUARD && callee_type.is_opaque() && self.is_named_assertion(site, callee)
        {
            return self.type_of_guarded(site.file, condition);
        }

        let signatures = self.signatures(callee_type);
        let asserted = self
            .resolve_overload(&signatures, site)
            .and_then(|signature| self.asserted_parameter(signature));

        match asserted {
            Some((param, _)) if param != usize::from(index) => subject,
            Some((_, true)) if condition == NO_GUARD => {
                self.narrow_by_predicate(subject, site, index, false)
            }
            Some((_, false)) if condition != NO_GUARD => self.type_of_guarded(site.file, condition),
            _ => subject,
        }
    }

    /// Reports whether an absent function is an assertion by its name, or by that of its object:
    /// `assert`, `assert.ok`, `invariant`.
    fn is_named_assertion(&self, site: CallSite, callee: ExprId) -> bool {
        let facts = self.facts(site.file);
        let mut path = callee;

        loop {
            let (object, name) = match facts.expr(path) {
                Expr::Member(object, name) => (Some(object), name),
                Expr::Name(name, ..) => (None, name),
                _ => return false,
            };

            if matches!(facts.text(name), "assert" | "invariant") {
                return true;
            }
            let Some(object) = object else {
                return false;
            };

            path = object;
        }
    }

    fn narrow_to(&self, subject: Ty, to: Ty, negated: bool) -> Ty {
        self.narrow_by(subject, to, negated, |ty| {
            self.extends(ty, to, &mut Vec::new())
        })
    }

    /// Returns the members of a union that have a type; the type itself if none has.
    fn narrow_by(
        &self,
        subject: Ty,
        to: Ty,
        negated: bool,
        is_of: impl Fn(Ty) -> Option<bool>,
    ) -> Ty {
        if to.is_opaque() {
            return if negated { subject } else { to };
        }
        if negated {
            return self.sift_union(subject, true, is_of);
        }

        let mut kept = Vec::new();
        for &member in self.arena.members(subject).iter() {
            if is_of(member) == Some(true) {
                kept.push(member);
            }
        }

        if kept.is_empty() {
            to
        } else {
            self.arena.union(&kept)
        }
    }

    /// Filters a union by a test or its negation; undecided members stay. If none were left, all
    /// stay, unless the union may lack those that pass.
    fn sift_union(
        &self,
        subject: Ty,
        negated: bool,
        mut test: impl FnMut(Ty) -> Option<bool>,
    ) -> Ty {
        let mut kept = Vec::new();
        for &member in self.arena.members(subject).iter() {
            match test(member) {
                Some(passes) if passes == negated => {}
                _ => kept.push(member),
            }
        }

        match self.get(subject) {
            _ if !kept.is_empty() => self.arena.union(&kept),
            Type::Union(members) if self.arena.is_full(members) => Ty::UNKNOWN,
            _ => subject,
        }
    }

    fn narrow_by_typeof(&self, subject: Ty, word: &str, negated: bool) -> Ty {
        let primitive = match word {
            "string" => Some(Ty::STRING),
            "number" => Some(Ty::NUMBER),
            "boolean" => Some(Ty::BOOLEAN),
            "symbol" => Some(Ty::SYMBOL),
            "bigint" => Some(Ty::BIGINT),
            _ => None,
        };
        let may_be_any = || self.arena.members(subject).iter().any(|ty| ty.is_opaque());
        if let Some(primitive) = primitive
            && !negated
            && may_be_any()
        {
            return primitive;
        }

        self.sift_union(subject, negated, |ty| {
            Some(match word {
                _ if primitive.is_some() => Some(self.arena.widen(ty)) == primitive,
                "function" => {
                    matches!(self.get(ty), Type::Static(_)) || !self.signatures(ty).is_empty()
                }
                "object" => {
                    !self.arena.widen(ty).is_primitive()
                        && !matches!(self.get(ty), Type::Static(_))
                        && self.signatures(ty).is_empty()
                }
                _ => return None,
            })
        })
    }

    fn narrow_by_literal(
        &self,
        file: FileId,
        subject: Ty,
        (member, kind, literal): (Sym, LiteralKind, Sym),
        negated: bool,
    ) -> Ty {
        let member = self.name(file, member);
        let literal = self.name(file, literal);
        let wanted = self.arena.add(Type::Literal(kind, literal));

        self.sift_union(subject, negated, |ty| {
            let tag = self.type_of_member(ty, member);
            match self.get(tag) {
                Type::Literal(..) => Some(tag == wanted),
                Type::Union(args) => {
                    let tags = self.arena.list(args);
                    let all_literal = tags
                        .iter()
                        .all(|tag| matches!(self.get(*tag), Type::Literal(..)));
                    match (all_literal, tags.contains(&wanted)) {
                        (true, false) => Some(false),
                        (true, true) if !negated => Some(true),
                        _ => None,
                    }
                }
                Type::Simple(simple) if simple.is_primitive() => {
                    (primitive_of(kind) != simple).then_some(false)
                }
                _ => None,
            }
        })
    }
}
