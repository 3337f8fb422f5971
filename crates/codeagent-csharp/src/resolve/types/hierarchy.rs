//! Type hierarchy: declared bases with their arguments, all supertypes, constraints of type
//! parameters, which overrides inherit.
//!
//! `class A<T> : B<List<T>>` makes `A<int>` a `B<List<int>>`.
//!
//! Limitations: at most 64 supertypes; a type whose bases depend on itself has none.

use codeagent_lang::DeclRef;
use codeagent_model::facts::{BaseClause, DeclFlags, DeclKind, TypeExpr, TypeId};

use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::Types;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{ParamOwner, Ty, TyList, Type};

const MAX_SUPERTYPES: usize = 64;

/// Largest number of entries of a base list.
const MAX_BASES: usize = 200;

impl Types<'_> {
    /// Returns the base list of a type over all its parts, in terms of its own type parameters.
    pub fn bases(&self, tid: TypeDefId) -> TyList {
        let asked = (tid, Query::Bases(tid));
        self.stack
            .query(&self.memo.bases, asked, || self.compute_bases(tid))
            .unwrap_or_default()
    }

    fn compute_bases(&self, tid: TypeDefId) -> TyList {
        let mut made: Vec<Ty> = Vec::new();
        for part in &self.type_def(tid).parts {
            let facts = self.facts(part.file);
            for base in facts.list(self.decl(*part).bases).iter().take(MAX_BASES) {
                let ty = self.type_of(part.file, base.ty);
                if !ty.is_unknown() && !made.contains(&ty) {
                    made.push(ty);
                }
            }
        }
        made.into()
    }

    /// Reports whether a type is an interface; `None` if it is undeclared.
    pub fn is_interface(&self, ty: Ty) -> Option<bool> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => Some(self.tables.type_def(tid).kind == DeclKind::Interface),
            Type::External(name, _) => {
                looks_like_interface(self.tables.names.text(name)).then_some(true)
            }
            _ => Some(false),
        }
    }

    /// Returns the base class, `object` for a class without one.
    pub fn base_class(&self, ty: Ty) -> Ty {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return Ty::UNKNOWN;
        };
        let bases = self.bases(tid);
        match bases
            .iter()
            .find(|base| self.is_interface(**base) != Some(true))
        {
            Some(base) => self.substitute(*base, ty),
            None => self.known_type(Known::Object, &[]),
        }
    }

    /// Returns the first supertype that is no interface: the base class. It is found without reading
    /// the interfaces, unless there is no such class.
    pub(super) fn next_in_chain(&self, ty: Ty) -> Option<Ty> {
        let is_class = |base: &Ty| *base != ty && self.is_interface(*base) == Some(false);

        let base = self.base_class_alone(ty).filter(is_class);
        let direct = || self.direct_bases(ty).into_iter().find(is_class);
        let farther = || self.supertypes(ty).iter().copied().find(is_class);
        base.or_else(direct).or_else(farther)
    }

    /// Returns the base class that a type's kind or its base list alone determines.
    fn base_class_alone(&self, ty: Ty) -> Option<Ty> {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return None;
        };
        let implied = match self.type_def(tid).kind {
            DeclKind::Class | DeclKind::Record => {
                return Some(self.substitute(self.first_written_class(tid)?, ty));
            }
            DeclKind::Enum => Known::Enum,
            DeclKind::Delegate => Known::MulticastDelegate,
            DeclKind::Struct | DeclKind::RecordStruct => Known::ValueType,
            _ => return None,
        };
        Some(self.known_type(implied, &[]))
    }

    /// Returns the first class in the base lists of a class.
    fn first_written_class(&self, tid: TypeDefId) -> Option<Ty> {
        // In a cycle it is as unknown as the whole list.
        let asked = (tid, Query::Bases(tid));
        let found = self.stack.query(&self.memo.base_classes, asked, || {
            let is_class = |ty: &Ty| match self.arena.get(*ty) {
                Type::Named(base, _) => self.type_def(base).kind != DeclKind::Interface,
                _ => false,
            };
            self.type_def(tid).parts.iter().find_map(|part| {
                let bases = self.facts(part.file).list(self.decl(*part).bases);
                let mut types = bases.iter().take(MAX_BASES);
                types.find_map(|base| Some(self.type_of(part.file, base.ty)).filter(is_class))
            })
        });
        found.flatten()
    }

    /// Returns the type and all its supertypes: itself, then breadth first, base classes before
    /// interfaces as declared.
    pub fn supertypes(&self, ty: Ty) -> TyList {
        self.stack
            .memoized(&self.memo.supertypes, ty, || self.compute_supertypes(ty))
    }

    fn compute_supertypes(&self, ty: Ty) -> TyList {
        let mut all = vec![ty];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_SUPERTYPES {
            for base in self.direct_bases(all[next]) {
                if !all.contains(&base) {
                    all.push(base);
                }
            }
            next += 1;
        }
        all.into()
    }

    fn direct_bases(&self, ty: Ty) -> Vec<Ty> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => {
                let mut bases: Vec<Ty> = self
                    .bases(tid)
                    .iter()
                    .map(|base| self.substitute(*base, ty))
                    .collect();

                let implicit = match self.tables.type_def(tid).kind {
                    DeclKind::Enum => {
                        bases.clear();
                        Some(Known::Enum)
                    }
                    DeclKind::Delegate => Some(Known::MulticastDelegate),
                    DeclKind::Interface => None,
                    DeclKind::Struct | DeclKind::RecordStruct => Some(Known::ValueType),
                    _ => bases
                        .iter()
                        .all(|base| self.is_interface(*base) == Some(true))
                        .then_some(Known::Object),
                };

                bases.extend(implicit.map(|known| self.known_type(known, &[])));

                if matches!(
                    self.tables.type_def(tid).kind,
                    DeclKind::Record | DeclKind::RecordStruct
                ) {
                    bases.push(self.known_type(Known::Equatable, &[ty]));
                }
                bases
            }
            Type::Param(..) => self.constraints(ty).to_vec(),
            Type::Array(..) => vec![self.known_type(Known::Array, &[])],
            Type::Tuple(elements, _) => vec![self.known_type(Known::ValueTuple, &elements)],
            _ => Vec::new(),
        }
    }

    /// Returns the types to which a type parameter is constrained.
    pub fn constraints(&self, param: Ty) -> TyList {
        let asked = (param, Query::Constraints(param));
        self.stack
            .query(&self.memo.constraints, asked, || {
                self.compute_constraints(param)
            })
            .unwrap_or_default()
    }

    fn compute_constraints(&self, param: Ty) -> TyList {
        if let Some((inherited, target)) = self.inherited_param(param) {
            let (from, to) = (self.signature(target.decl), self.siblings_of(param));
            let constraints = self.constraints(inherited);
            return constraints
                .iter()
                .map(|ty| self.substitute(*ty, target.within))
                .map(|ty| self.replace_params(ty, &from.type_params, &to))
                .collect();
        }

        let mut made = Vec::new();
        self.each_constraint(param, &mut |file, clause, ty| {
            if clause != BaseClause::ConstraintWord {
                made.push(self.type_of(file, ty));
            }
        });
        made.into()
    }

    /// Reports whether a type parameter accepts only value types (`true`) or only reference types
    /// (`false`).
    pub fn param_is_value_type(&self, param: Ty) -> Option<bool> {
        let mut answer = None;
        self.each_constraint(self.constrained_param(param)?, &mut |file, _, ty| {
            let facts = self.facts(file);
            if let TypeExpr::Primitive(word) = facts.type_expr(ty) {
                match facts.text(word) {
                    "struct" | "unmanaged" => answer = Some(true),
                    "class" => answer = Some(false),
                    _ => {}
                }
            }
        });
        answer
    }

    /// Reports whether a type parameter has the constraints of a method that is not declared.
    pub fn has_unknown_constraints(&self, param: Ty) -> bool {
        match self.arena.get(param) {
            Type::Param(ParamOwner::Decl(method), _) => {
                self.takes_constraints(method) && self.inherited_param(param).is_none()
            }
            _ => false,
        }
    }

    fn takes_constraints(&self, method: DeclRef) -> bool {
        self.explicit_interface(method).is_some()
            || self.decl(method).flags.has(DeclFlags::OVERRIDE)
    }

    /// Returns the interface that a member names as the one it implements.
    fn explicit_interface(&self, member: DeclRef) -> Option<TypeId> {
        let detail = self.facts(member.file).detail(member.decl)?;
        Some(detail.explicit_interface).filter(|interface| !interface.is_none())
    }

    /// Returns the type parameter that an override or explicit implementation takes the constraints of
    /// its own from, and the method that declares it (standard §15.2.5).
    fn inherited_param(&self, param: Ty) -> Option<(Ty, Candidate)> {
        let Type::Param(ParamOwner::Decl(method), index) = self.arena.get(param) else {
            return None;
        };
        if !self.takes_constraints(method) {
            return None;
        }
        let target = self
            .stack
            .memoized(&self.memo.overridden, method, || self.overridden(method))?;
        let signature = self.signature(target.decl);
        Some((*signature.type_params.get(usize::from(index))?, target))
    }

    /// Returns the method that an override or explicit implementation stands for.
    fn overridden(&self, method: DeclRef) -> Option<Candidate> {
        let facts = self.facts(method.file);
        let declared = facts.decl(method.decl);
        let own = self
            .tables
            .file(method.file)
            .types
            .get(&facts.scope(declared.scope).owner)?;
        let own = self.self_type(*own);
        let bases = match self.explicit_interface(method) {
            Some(interface) => TyList::from([self.type_of(method.file, interface)]),
            None => self.supertypes(own),
        };
        let implementation = Candidate {
            decl: method,
            within: own,
            depth: 0,
        };

        let name = self.name(method.file, declared.name);
        let declared: Vec<Candidate> = bases
            .iter()
            .filter(|base| **base != own)
            .flat_map(|base| self.declared_methods(*base, name))
            .collect();
        if !self.spend(declared.len()) {
            return None;
        }
        declared
            .into_iter()
            .find(|candidate| self.same_parameters(*candidate, implementation))
    }

    /// Returns the type parameter that declares the constraints of another; `None` if classes that
    /// derive from each other override each other's methods.
    fn constrained_param(&self, param: Ty) -> Option<Ty> {
        let mut seen = vec![param];
        let mut last = param;
        while let Some((inherited, _)) = self.inherited_param(last) {
            if seen.contains(&inherited) {
                return None;
            }
            seen.push(inherited);
            last = inherited;
        }
        Some(last)
    }

    /// Returns the type parameters of the method that declares one.
    fn siblings_of(&self, param: Ty) -> Vec<Ty> {
        match self.arena.get(param) {
            Type::Param(ParamOwner::Decl(method), _) => self.signature(method).type_params.clone(),
            _ => Vec::new(),
        }
    }

    fn each_constraint(
        &self,
        param: Ty,
        visit: &mut dyn FnMut(codeagent_lang::FileId, BaseClause, codeagent_model::facts::TypeId),
    ) {
        let Type::Param(owner, index) = self.arena.get(param) else {
            return;
        };

        let (owners, index): (Vec<DeclRef>, usize) = match owner {
            ParamOwner::Type(tid) => {
                let group = self.type_def(tid);
                (
                    group.parts.to_vec(),
                    usize::from(index.saturating_sub(group.outer_arity)),
                )
            }
            ParamOwner::Decl(decl) => (vec![decl], usize::from(index)),
        };

        for owner in owners {
            let facts = self.facts(owner.file);
            if let Some(param) = facts.list(self.decl(owner).type_params).get(index) {
                for base in facts.list(facts.decl(*param).bases) {
                    visit(owner.file, base.clause, base.ty);
                }
            }
        }
    }

    /// Returns the instance of the definition of `target` that a type is or derives from.
    pub fn as_instance_of(&self, ty: Ty, target: Ty) -> Option<Ty> {
        let wanted = self.arena.get(target);
        let same = |candidate: &Type| match (candidate, &wanted) {
            (Type::Named(a, _), Type::Named(b, _)) => a == b,
            (Type::External(a, x), Type::External(b, y)) => a == b && x.len() == y.len(),
            _ => false,
        };

        // A library type derives from no repository type; most queries end here.
        if let (Type::Named(from, _), Type::Named(to, _)) = (self.arena.get(ty), &wanted)
            && self.tables.is_framework(from)
            && !self.tables.is_framework(*to)
        {
            return None;
        }

        for base in self.supertypes(ty).iter() {
            if same(&self.arena.get(*base)) {
                return Some(*base);
            }
        }

        self.implicit_instance_of(ty, target)
    }

    /// Returns the instance for bases that are not declared: everything is an `object`, and an
    /// array a collection of its elements (standard §17.2).
    fn implicit_instance_of(&self, ty: Ty, target: Ty) -> Option<Ty> {
        let (wanted, _) = self.known(target)?;
        match self.arena.get(ty) {
            _ if wanted == Known::Object => Some(target),
            Type::Array(element, 1) if wanted.is_collection_interface() => {
                Some(self.known_type(wanted, &[element]))
            }
            _ => None,
        }
    }

    /// Reports whether some base class of the type is undeclared.
    pub fn has_foreign_class(&self, ty: Ty) -> bool {
        self.has_foreign_base(ty)
            && self
                .supertypes(ty)
                .iter()
                .any(|base| match self.arena.get(*base) {
                    Type::External(..) => self.is_interface(*base) != Some(true),
                    Type::Unknown => true,
                    _ => false,
                })
    }

    /// Reports whether some supertype is undeclared, so that not everything about the type is
    /// known.
    pub fn has_foreign_base(&self, ty: Ty) -> bool {
        if matches!(self.arena.get(ty), Type::Named(tid, _) if self.tables.is_framework(tid)) {
            return false;
        }
        self.supertypes(ty)
            .iter()
            .any(|base| matches!(self.arena.get(*base), Type::External(..) | Type::Unknown))
    }
}

/// Reports whether a name has the form `IName`.
fn looks_like_interface(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next() == Some('I') && chars.next().is_some_and(char::is_uppercase)
}
