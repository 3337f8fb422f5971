//! Assignability: the relation tested by `extends` in a conditional type and by an argument for a
//! parameter.
//!
//! Classes and interfaces are compared by name first, then member by member like every object type.
//! A comparison that recurs while it is active counts as true, as in the compiler.
//!
//! Limitations: the result is "undecided" (`None`) if a type is unknown, has open type parameters,
//! or has too many members to compare. Functions and constructors are compared in
//! `signature_relations`.

use std::rc::Rc;

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper, Utility, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::queries::Query;
use crate::resolve::types::conditional_types::SpreadElement;
use crate::resolve::types::members::MemberLookup;

/// Largest number of members that are compared.
pub const MAX_MEMBERS: usize = 64;

/// Largest number of nested comparisons.
const MAX_COMPARED: usize = 12;

/// The inferred type arguments of the target type.
pub type Inferred = Vec<(DeclRef, Ty)>;

impl Checker<'_> {
    /// Reports whether `sub` is assignable to `sup`; infers type parameters of `sup`. `None` if
    /// undecided.
    pub fn extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        let (sub, sup) = (self.arena.unselected(sub), self.arena.unselected(sup));
        if sub == sup || sup == Ty::ANY {
            return Some(true);
        }
        if sub.is_opaque() || sup.is_opaque() || !self.spend(1) {
            return None;
        }
        if let (
            Type::Literal(LiteralKind::String, text),
            Type::Deferred(Utility::Template, parts),
        ) = (self.get(sub), self.get(sup))
        {
            return self.text_extends(text, parts, inferred);
        }
        let (sub, sup) = (self.as_text(sub), self.as_text(sup));
        if let Type::Param(param) = self.get(sup) {
            return self.extends_param(sub, param, inferred);
        }

        match (self.get(sub), self.get(sup)) {
            (Type::Union(args), _) => {
                let members = self.arena.list(args);
                let all = self.all_extend(members.iter().map(|member| (*member, sup)), inferred);
                all.filter(|fits| !*fits || !self.arena.is_full(args))
            }
            (_, Type::Union(args)) => self.extends_union(sub, sup, args, inferred),
            (_, Type::Intersection(args)) if !self.arena.is_keys(sub) => {
                let members = self.arena.list(args);
                self.all_extend(members.iter().map(|member| (sub, *member)), inferred)
            }
            (Type::Param(param), _) => {
                let bound = self.constraint(param);
                if bound == sub {
                    None
                } else {
                    self.extends(bound, sup, inferred).filter(|fits| *fits)
                }
            }
            (Type::Conditional(file, ty, mapper), _) => {
                self.branches_extend((file, ty, mapper), sup, inferred)
            }
            (Type::Indexed(..) | Type::Deferred(..), _) => None,
            // `keyof any`
            (Type::Literal(..) | Type::Simple(_), Type::KeyOf(Ty::ANY)) => Some(matches!(
                self.arena.widen(sub),
                Ty::STRING | Ty::NUMBER | Ty::SYMBOL
            )),
            // `string extends keyof T`: has `T` an index signature?
            (Type::Simple(Ty::STRING | Ty::NUMBER | Ty::SYMBOL), Type::KeyOf(object)) => {
                self.has_only_named_members(object, 0).then_some(false)
            }
            (
                Type::Instance(..)
                | Type::Object(..)
                | Type::Static(_)
                | Type::Function(..)
                | Type::BuiltIn(..)
                | Type::Tuple(_),
                Type::KeyOf(Ty::ANY),
            ) => Some(self.is_enum(sub)),
            (Type::KeyOf(_), _) => self.keys_extend(sub, sup, inferred),
            (Type::Intersection(args), _) => self.intersection_extends(sub, args, sup, inferred),
            (Type::Literal(kind, _), Type::Simple(simple)) => Some(primitive_of(kind) == simple),
            (Type::Literal(..), Type::Literal(..)) => Some(false),
            (Type::Literal(_, name), Type::KeyOf(source))
                if self.is_declared_by_library(source) =>
            {
                Some(!matches!(
                    self.lookup_member(source, name),
                    MemberLookup::Missing | MemberLookup::External
                ))
            }
            (Type::Literal(..), Type::KeyOf(_)) => {
                let keys = self.keys_of(sup)?;
                Some(keys.contains(&sub))
            }
            (Type::Simple(simple), Type::Simple(other)) => Some(simple == other),
            (Type::Simple(simple), Type::Literal(..)) if simple.is_primitive() => Some(false),
            (Type::Simple(simple), _) if simple.is_primitive() || simple == Ty::NOTHING => {
                self.primitive_extends(simple, sup, inferred)
            }
            (Type::Literal(..), _) => self.primitive_extends(self.arena.widen(sub), sup, inferred),
            (Type::Instance(decl, _), Type::Simple(Ty::STRING | Ty::NUMBER))
                if self.is_enum(sub) =>
            {
                self.enum_extends(decl, sup)
            }
            (_, Type::Simple(simple)) => Some(simple == Ty::THIS),
            (_, Type::Literal(..)) => Some(false),
            _ => self.object_extends(sub, sup, inferred),
        }
    }

    /// Returns `string` for a template literal type that has type parameters.
    fn as_text(&self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::Deferred(utility, _) if utility.makes_texts() => Ty::STRING,
            _ => ty,
        }
    }

    /// Compares a type with each member of a union; keys are compared one by one.
    fn extends_union(&self, sub: Ty, sup: Ty, args: Args, inferred: &mut Inferred) -> Option<bool> {
        let members = self.arena.list(args);
        let any = self.any_extends(members.iter().map(|member| (sub, *member)), inferred);
        if any == Some(true) {
            return any;
        }
        if self.arena.is_keys(sub) {
            return self.keys_extend(sub, sup, inferred);
        }
        // A full union may lack the member.
        any.filter(|_| !self.arena.is_full(args))
    }

    /// Compares a deferred conditional type: both of its branches must be assignable.
    fn branches_extend(
        &self,
        (file, ty, mapper): (FileId, TypeId, TypeMapper),
        sup: Ty,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let branches = self.branches(file, ty, mapper)?;
        let branches = branches.into_iter().filter(|branch| *branch != Ty::NOTHING);
        // Before the condition is known, a branch that does not fit proves nothing.
        self.all_extend(branches.map(|branch| (branch, sup)), inferred)
            .filter(|fits| *fits)
    }

    /// Returns the types of the two branches of a conditional type.
    pub fn branches(&self, file: FileId, ty: TypeId, mapper: TypeMapper) -> Option<[Ty; 2]> {
        let facts = self.facts(file);
        let TypeExpr::Conditional(parts) = facts.type_expr(ty) else {
            return None;
        };
        let &[_, _, holds, fails] = facts.list(parts).first_chunk()?;
        Some([holds, fails].map(|branch| self.substitute(self.type_of(file, branch), mapper)))
    }

    /// Compares an enumeration with `string` or `number`; undecided if it has members of both.
    fn enum_extends(&self, decl: DeclRef, sup: Ty) -> Option<bool> {
        let parts = self.merged_symbol(decl);
        let mut members = parts
            .iter()
            .flat_map(|part| self.enum_values(*part))
            .map(|value| value == sup);
        let first = members.next()?;
        members.all(|fits| fits == first).then_some(first)
    }

    /// Returns `string` or `number` for each member of an enumeration.
    fn enum_values(&self, decl: DeclRef) -> Vec<Ty> {
        let facts = self.facts(decl.file);
        let inner = self.decl(decl).inner;
        if inner.is_none() {
            return Vec::new();
        }
        let members = self.declared_in(decl.file, inner);
        let members = members.iter().map(|(_, member)| facts.decl(*member));
        members
            .filter(|member| member.kind == DeclKind::EnumMember)
            .map(|member| match facts.expr(member.init) {
                Expr::Literal(kind, _) => primitive_of(kind),
                _ => Ty::NUMBER,
            })
            .collect()
    }

    pub fn extends_param(&self, sub: Ty, param: DeclRef, inferred: &mut Inferred) -> Option<bool> {
        if !inferred.iter().any(|binding| binding.0 == param) {
            inferred.push((param, sub));
        }
        let bound = self.constraint(param);
        self.nested_extends(sub, bound, &mut Vec::new())
            .or(Some(true))
    }

    /// Compares types that have members.
    fn object_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        match (self.get(sub), self.get(sup)) {
            (Type::Instance(..), Type::Instance(decl, args)) => {
                if let Some(found) = self.as_instance_of(sub, decl, 0) {
                    return if self.infer_args(args, found, inferred) {
                        Some(true)
                    } else {
                        // How the members use the arguments decides.
                        self.compare_members(sub, sup, None, inferred)
                            .or(Some(true))
                    };
                }

                if self.is_enum(sub) || self.is_enum(sup) {
                    return Some(false);
                }

                self.compare_members(sub, sup, None, inferred)
            }
            (Type::BuiltIn(known, given), Type::BuiltIn(wanted, args)) => {
                let is_same = known.is_a(wanted);
                if !is_same
                    && !matches!(
                        wanted,
                        BuiltinType::Iterable | BuiltinType::Record | BuiltinType::Object
                    )
                {
                    return Some(false);
                }
                if (known, wanted) == (BuiltinType::AsyncIterable, BuiltinType::Iterable) {
                    return Some(false);
                }

                let fits = self.infer_args(args, given, inferred);
                Some(fits || !is_same || known == BuiltinType::Record)
            }
            (Type::Tuple(_), Type::BuiltIn(BuiltinType::Array | BuiltinType::Iterable, args)) => {
                let element = self.type_of_element(sub);
                let given = self.arena.args(&[element]);
                Some(self.infer_args(args, given, inferred))
            }
            (Type::Tuple(given), Type::Tuple(wanted)) => {
                let (given, wanted) = (self.arena.list(given), self.arena.list(wanted));
                if given.len() != wanted.len() {
                    return Some(false);
                }
                self.all_extend(given.iter().copied().zip(wanted.iter().copied()), inferred)
            }
            (_, Type::Function(..)) => self.function_extends(sub, sup, inferred),
            (Type::BuiltIn(..) | Type::Tuple(_), Type::Instance(..)) => {
                self.built_in_extends(sub, sup, inferred)
            }
            (Type::Function(..) | Type::Tuple(_), Type::Instance(..) | Type::BuiltIn(..)) => {
                self.callable_extends(sub, sup, inferred)
            }
            (_, Type::BuiltIn(BuiltinType::Record, args)) => {
                self.record_extends(sub, args, inferred)
            }
            (
                Type::Instance(..) | Type::Object(..) | Type::Static(_),
                Type::BuiltIn(
                    BuiltinType::Array
                    | BuiltinType::Promise
                    | BuiltinType::Map
                    | BuiltinType::Set
                    | BuiltinType::Date
                    | BuiltinType::RegExp,
                    _,
                ),
            ) => (!self.has_external_base(sub)).then_some(false),
            (Type::Mapped(..), _) if self.is_open(sub) => None,
            (
                Type::Instance(..) | Type::Object(..) | Type::Static(_) | Type::Mapped(..),
                Type::BuiltIn(known, _),
            ) => self.lacks_members_of(sub, known).then_some(false),
            (_, Type::Object(..)) => self.compare_members(sub, sup, None, inferred),
            (
                Type::Object(..) | Type::Static(_) | Type::Mapped(..) | Type::Intersection(_),
                Type::Instance(..),
            ) => {
                if self.is_enum(sup) {
                    Some(false)
                } else {
                    self.compare_members(sub, sup, None, inferred)
                }
            }
            _ => None,
        }
    }

    /// Compares an intersection `A & B`: one part may suffice, or the members of all parts
    /// together.
    fn intersection_extends(
        &self,
        sub: Ty,
        args: Args,
        sup: Ty,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        if self.arena.is_keys(sub) {
            return self.keys_extend(sub, sup, inferred);
        }

        if self.is_of_interface(args) && self.has_index(sup) && !self.has_index(sub) {
            return Some(false);
        }

        let members = self.arena.list(args);
        let (mut decided, mut fitting) = (Some(false), None);

        for &member in members.iter() {
            match self.nested_extends(member, sup, inferred) {
                Some(true) => {
                    (decided, fitting) = (Some(true), Some(member));
                    break;
                }
                Some(false) => {}
                None => decided = None,
            }
        }

        match self.get(sup) {
            _ if fitting == Some(sup) => decided,
            // Even if one part fits, the combined members may not.
            Type::Object(..) | Type::Instance(..) if fitting.is_some() => {
                self.compare_members(sub, sup, fitting, inferred)
            }
            Type::Object(..) | Type::Instance(..) => self.object_extends(sub, sup, inferred),
            _ => decided,
        }
    }

    pub fn is_enum(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Instance(decl, _) if self.decl(decl).kind == DeclKind::Enum)
    }

    pub(super) fn all_extend(
        &self,
        pairs: impl Iterator<Item = (Ty, Ty)>,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let mut unsure = false;
        for (sub, sup) in pairs {
            match self.nested_extends(sub, sup, inferred) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => unsure = true,
            }
        }
        if unsure { None } else { Some(true) }
    }

    fn any_extends(
        &self,
        pairs: impl Iterator<Item = (Ty, Ty)>,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let mut unsure = false;
        for (sub, sup) in pairs {
            match self.nested_extends(sub, sup, inferred) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => unsure = true,
            }
        }
        if unsure { None } else { Some(false) }
    }

    /// Compares a tuple with one that has a rest element, which accepts the remaining elements.
    pub fn tuple_extends(
        &self,
        given: Args,
        (wanted, rest): &SpreadElement,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let given = self.arena.list(given);
        let behind = wanted.len() - rest - 1;
        if given.len() < rest + behind {
            return Some(false);
        }

        let (front, back) = given.split_at(given.len() - behind);
        let (front, middle) = front.split_at(*rest);
        let middle = self.arena.tuple(middle);
        let fixed = wanted[..*rest].iter().chain(&wanted[rest + 1..]).copied();

        let pairs = front
            .iter()
            .chain(back)
            .copied()
            .zip(fixed)
            .chain([(middle, wanted[*rest])]);

        self.all_extend(pairs, inferred)
    }

    pub fn nested_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if self.is_deepest() {
            return None;
        }
        self.with_depth(|| self.extends(sub, sup, inferred))
    }

    /// Infers type parameters from type arguments. Returns false if an argument is not assignable.
    fn infer_args(&self, wanted: Args, given: Args, inferred: &mut Inferred) -> bool {
        let (wanted, given) = (self.arena.list(wanted), self.arena.list(given));
        let mut fits = true;
        for (wanted, given) in wanted.iter().zip(given.iter()) {
            fits &= self.nested_extends(*given, *wanted, inferred) != Some(false)
                || *given == Ty::NOTHING
                || self.may_be_literals(*given, *wanted);
        }
        fits
    }

    /// Reports whether a type argument is `string`, `number` or `boolean` where literals of it are
    /// wanted. The elements of `["a"]` are inferred as `string`, in an empty list as `never`.
    fn may_be_literals(&self, given: Ty, wanted: Ty) -> bool {
        let is_primitive = |ty: &Ty| ty.is_primitive();
        self.arena.members(given).iter().any(is_primitive)
            && (matches!(self.get(wanted), Type::KeyOf(_))
                || self.nested_extends(given, self.arena.widen(wanted), &mut Vec::new())
                    != Some(false))
    }

    /// Compares a primitive type, which has the members of its wrapper: `string` is assignable to
    /// `{ length: number }`.
    fn primitive_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        match self.get(sup) {
            // A number may be a value of an enumeration, a text never is.
            Type::Instance(decl, _) if self.is_enum(sup) => {
                Some(sub == Ty::NUMBER && self.enum_extends(decl, sub) != Some(false))
            }
            Type::Instance(..) | Type::Object(..) if sub == Ty::NOTHING => Some(false),
            // The compiler refuses a type whose members are all optional, but not `{}`.
            Type::Instance(..) | Type::Object(..) => {
                let fits = self.compare_members(sub, sup, None, inferred);
                fits.filter(|fits| !*fits || !self.has_only_optional_members(sup))
            }
            Type::BuiltIn(..) | Type::Function(..) | Type::Tuple(_) | Type::Static(_) => {
                Some(false)
            }
            _ => None,
        }
    }

    fn has_only_optional_members(&self, ty: Ty) -> bool {
        self.key_names(ty).is_none_or(|names| {
            let is_optional = |name: &Name| self.is_optional(ty, &self.lookup_member(ty, *name));
            !names.is_empty() && names.iter().all(is_optional)
        })
    }

    /// Reports whether a type has exactly the members that the libraries declare.
    fn is_built_in(&self, ty: Ty) -> bool {
        matches!(
            self.get(ty),
            Type::BuiltIn(..)
                | Type::Tuple(_)
                | Type::Simple(Ty::STRING | Ty::NUMBER | Ty::BOOLEAN)
        )
    }

    /// Compares a list, map or other built-in type with an interface. Of the interfaces of a
    /// library, only those with a length take lists.
    fn built_in_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if self.is_enum(sup) {
            return Some(false);
        }
        if !self.is_declared_by_library(sup) {
            return self.compare_members(sub, sup, None, inferred);
        }
        let length = self.lookup_member(sup, self.tables.find("length"));
        (!matches!(length, MemberLookup::Declared(_))).then_some(false)
    }

    fn callable_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if !matches!(self.get(sub), Type::Function(..)) {
            return Some(false);
        }
        match self.get(sup) {
            Type::BuiltIn(BuiltinType::Function | BuiltinType::Object, _) => Some(true),
            _ if !self.signatures(sup).is_empty() => None,
            Type::Instance(..) if !self.is_declared_by_library(sup) => {
                let function = self.arena.built_in(BuiltinType::Function, &[]);
                let fits = self.compare_members(function, sup, None, inferred);
                fits.filter(|fits| !*fits)
            }
            _ => Some(false),
        }
    }

    /// Compares two types member by member, once; a recursive comparison of the same pair succeeds.
    fn compare_members(
        &self,
        sub: Ty,
        sup: Ty,
        fitting: Option<Ty>,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let pair = (sub, sup);
        let is_recursive = self.comparing.borrow().contains(&pair);
        if !is_recursive && self.comparing.borrow().len() >= MAX_COMPARED {
            self.stack.cut_off();
            return None;
        }

        let key = (sub, sup, fitting);
        let compared = self.stack.query(
            &self.comparisons,
            (key, Query::Comparison(sub, sup)),
            || {
                self.comparing.borrow_mut().push(pair);
                let mut own = Inferred::new();
                let result = self.structure_extends(sub, sup, fitting, &mut own);
                self.comparing.borrow_mut().pop();
                (result, Rc::from(own))
            },
        );
        let Some((result, own)) = compared else {
            return is_recursive.then_some(true);
        };

        for binding in own.iter() {
            if !inferred.iter().any(|known| known.0 == binding.0) {
                inferred.push(*binding);
            }
        }
        result
    }

    /// Compares members. `fitting` is a part of the intersection `sub` that is itself assignable to
    /// `sup`.
    fn structure_extends(
        &self,
        sub: Ty,
        sup: Ty,
        fitting: Option<Ty>,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        if self.shares_no_member(sub, sup) {
            return Some(false);
        }

        let has_more = self.has_external_base(sub) || self.has_spread(sub);
        let mut unsure = has_more;
        match self.signatures_extend(sub, sup, inferred) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => unsure = true,
        }
        match self.index_extends(sub, sup, inferred) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => unsure = true,
        }

        let mut names = Vec::new();
        let mut is_weak = self.add_key_names(sup, &mut names, 0).is_some();
        unsure |= !is_weak;
        is_weak &= !has_more && !names.is_empty() && names.len() <= MAX_MEMBERS;

        for name in names.into_iter().take(MAX_MEMBERS) {
            if fitting.is_some_and(|part| self.is_only_in(part, sub, name)) {
                continue;
            }
            let MemberLookup::Declared(wanted) = self.lookup_member(sup, name) else {
                continue;
            };

            if wanted.decls.iter().any(|decl| self.is_hidden(*decl)) {
                if !matches!(self.lookup_member(sub, name), MemberLookup::Declared(found) if found.decls == wanted.decls)
                {
                    return Some(false);
                }
                continue;
            }

            let optional = wanted
                .decls
                .iter()
                .any(|decl| self.decl(*decl).flags.has(DeclFlags::OPTIONAL));

            is_weak &= optional;

            match self.lookup_member(sub, name) {
                MemberLookup::Missing if optional || has_more => {}
                MemberLookup::Missing => return Some(false),
                // All members of a built-in type are declared, if any is.
                MemberLookup::External
                    if self.is_built_in(sub)
                        && self.tables.has_libraries()
                        && !self.is_object_member(name) =>
                {
                    if !optional {
                        return Some(false);
                    }
                }
                MemberLookup::Value(_) if !optional && self.has_index(sub) => {
                    return Some(false);
                }
                lookup => {
                    is_weak = false;
                    // `Partial<T>` and `Required<T>` are `T` here, so a required member may still
                    // be absent.
                    unsure |= !optional && self.is_optional(sub, &lookup);
                    let given = self.type_of_given(lookup, sub);
                    let wanted = self.type_of_lookup(MemberLookup::Declared(wanted), sup);
                    match self.nested_extends(given, wanted, inferred) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => unsure = true,
                    }
                }
            }
        }

        // All properties are optional: a type with none of them is not meant.
        if is_weak && self.is_weak_target(sup) && self.has_any_member(sub) {
            return Some(false);
        }

        if unsure { None } else { Some(true) }
    }

    /// Reports whether a type accepts no calls and no other properties than its own.
    fn is_weak_target(&self, ty: Ty) -> bool {
        let is_open = |decl: DeclRef| {
            !self
                .nameless_members(decl, DeclKind::IndexSignature)
                .is_empty()
        };
        match self.get(ty) {
            Type::Object(decl, _) | Type::Instance(decl, _) => {
                !self.merged_symbol(decl).iter().any(|part| is_open(*part))
                    && self.signatures(ty).is_empty()
                    && self.construct_signatures(ty).is_empty()
            }
            _ => false,
        }
    }

    fn has_any_member(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::BuiltIn(known, _) => known != BuiltinType::Object,
            Type::Tuple(_) | Type::Function(..) => true,
            _ => self.key_names(ty).is_some_and(|names| !names.is_empty()),
        }
    }

    /// Reports whether no other part of an intersection has a member with this name.
    fn is_only_in(&self, part: Ty, whole: Ty, name: Name) -> bool {
        let Type::Intersection(parts) = self.get(whole) else {
            return false;
        };
        self.arena.list(parts).iter().all(|other| {
            *other == part || matches!(self.lookup_member(*other, name), MemberLookup::Missing)
        })
    }

    /// Reports whether a member of a type may be absent.
    fn is_optional(&self, ty: Ty, lookup: &MemberLookup) -> bool {
        if let Type::Mapped(decl, _) = self.get(ty)
            && self.decl(decl).flags.has(DeclFlags::OPTIONAL)
        {
            return true;
        }
        match lookup {
            MemberLookup::Declared(member) => member
                .decls
                .iter()
                .all(|decl| self.decl(*decl).flags.has(DeclFlags::OPTIONAL)),
            _ => false,
        }
    }

    /// Reports whether an object literal has a spread, whose members may be unknown.
    pub fn has_spread(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Object(decl, _) if !self.nameless_members(decl, DeclKind::Property).is_empty())
    }

    /// Returns the type of a compared member; properties of object literals keep their literal
    /// types.
    pub fn type_of_given(&self, lookup: MemberLookup, receiver: Ty) -> Ty {
        if let (Type::Object(..), MemberLookup::Declared(member)) = (self.get(receiver), &lookup)
            && let [decl] = member.decls[..]
        {
            let declaration = self.decl(decl);
            if declaration.ty.is_none() && !declaration.init.is_none() {
                let ty = self.type_of_expr(decl.file.expr(declaration.init));
                return self.substitute(ty, member.mapper);
            }
        }
        self.type_of_lookup(lookup, receiver)
    }

    /// Compares the call and construct signatures that an object type requires.
    fn signatures_extend(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if let Some(&wanted) = self.signatures(sup).first() {
            let Some(found) = self.signatures(sub).last().copied() else {
                return Some(false);
            };
            let (wanted, found) = (self.signature_result(wanted), self.signature_result(found));
            let _ = self.nested_extends(found, wanted, inferred);
        }

        if self.construct_signatures(sup).is_empty() {
            return Some(true);
        }

        match self.get(sub) {
            Type::Static(_) => {}
            _ if self.construct_signatures(sub).is_empty() => return Some(false),
            _ => {}
        }

        self.constructor_extends(sub, sup, inferred)
    }

    fn keys_extend(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        if self.get(sub) == Type::KeyOf(Ty::ANY) {
            let kinds = [Ty::STRING, Ty::NUMBER, Ty::SYMBOL];
            return self.all_extend(kinds.into_iter().map(|kind| (kind, sup)), inferred);
        }
        if sup == Ty::STRING {
            return Some(true);
        }
        let keys = self.keys_of(sub)?;
        self.all_extend(keys.into_iter().map(|key| (key, sup)), inferred)
    }
}
