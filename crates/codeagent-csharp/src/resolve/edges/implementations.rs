//! Overrides and interface implementations: the base members that a type's member overrides, and
//! the interface members it implements.
//!
//! Explicit implementations are found by the interface they name, others by name and parameters for
//! every interface in the type's own base list and above. An override belongs to the nearest base
//! class that declares the member.
//!
//! `class A : Base, I` makes members of `Base` implement those of `I`. The edge belongs to the
//! declaration of `A`, because the text of `Base` does not name `I`.
//!
//! Limitations: a parameter or result type that no file declares is compared by name.

use codeagent_lang::{DeclRef, InheritedImplementation, Reference, Resolution, Target};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind};
use codeagent_model::graph::{Access, Confidence, EdgeType};

use crate::resolve::edges::{FileResolver, SiteResolver};
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::{Ty, TyList, Type};

impl FileResolver<'_> {
    /// Records the relations of all members declared in the file.
    pub(super) fn record_implementations(&self, resolution: &mut Resolution) {
        let facts = self.types.facts();
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            let here = self.at(id);
            if decl.flags.has(DeclFlags::OVERRIDE) {
                here.stack.begin_site();
                here.record_override(id, resolution);
            }
            if !matches!(decl.kind, DeclKind::Enum | DeclKind::Delegate)
                && let Some(&tid) = here.table.types.get(&id)
            {
                here.record_implementations(id, tid, resolution);
            }
        }
    }
}

impl SiteResolver<'_> {
    fn record_override(&self, id: DeclId, resolution: &mut Resolution) {
        let decl = self.facts.decl(id);
        let Some(own) = self.type_around(id) else {
            return;
        };

        let member = Candidate {
            decl: DeclRef {
                file: self.file,
                decl: id,
            },
            within: own,
            depth: 0,
        };

        let name = self.own_name(decl.name);
        let mut base = self.base_class(own);
        for _ in 0..32 {
            let Type::Named(tid, _) = self.arena.get(base) else {
                return;
            };

            self.type_def(tid);
            for target in self.members_of(tid, name) {
                let candidate = Candidate {
                    decl: *target,
                    within: base,
                    depth: 0,
                };
                if self.decl(*target).kind == decl.kind
                    && self.access_of(*target) != Some(Access::Private)
                    && !self.is_implied(*target)
                    && self.same_parameters(member, candidate)
                {
                    if !self.tables.type_def(tid).external {
                        self.record_edge(id, EdgeType::Overrides, *target, resolution);
                    }
                    return;
                }
            }

            base = self.base_class(base);
        }
    }

    fn type_around(&self, id: DeclId) -> Option<Ty> {
        let scope = self.facts.decl(id).scope.some()?;
        let tid = self
            .table
            .types
            .get(&self.facts.scope(scope).owner.some()?)?;
        Some(self.self_type(*tid))
    }

    fn record_implementations(&self, part: DeclId, tid: TypeDefId, resolution: &mut Resolution) {
        let own = self.self_type(tid);
        let group = self.type_def(tid);
        if group
            .parts
            .first()
            .is_some_and(|first| first.file == self.file && first.decl != part)
        {
            return;
        }

        self.stack.begin_site();
        let mut seen: Vec<Ty> = Vec::new();
        for base in self.bases(tid).iter() {
            if self.is_interface(*base) != Some(true) {
                continue;
            }

            for interface in self.supertypes(*base).iter() {
                if !seen.contains(interface) {
                    seen.push(*interface);
                    self.record_implemented(own, tid, *interface, resolution);
                }
            }
        }
    }

    fn record_implemented(
        &self,
        own: Ty,
        tid: TypeDefId,
        interface: Ty,
        resolution: &mut Resolution,
    ) {
        let Type::Named(interface_tid, _) = self.arena.get(interface) else {
            return;
        };

        let declares = self.type_def(interface_tid);
        if declares.external {
            return;
        }

        self.record_type_lookup(interface_tid, provided_keys::ALL_MEMBERS, declares.name);
        for target in declares
            .members
            .iter()
            .filter(|member| self.can_be_implemented(**member))
        {
            let wanted = Candidate {
                decl: *target,
                within: interface,
                depth: 0,
            };

            let found = self
                .lookup_explicit_implementation(own, tid, wanted)
                .or_else(|| self.lookup_implicit_implementation(own, tid, wanted));
            let Some(found) = found else { continue };

            let is_own = self.declared_in(found) == Some(tid);
            if !is_own && self.supertypes(self.base_class(own)).contains(&interface) {
                continue;
            }

            if found.file == self.file {
                self.record_edge(found.decl, EdgeType::Implements, *target, resolution);
            } else if !is_own {
                self.record_inherited(tid, found, *target, resolution);
            }
        }
    }

    fn declared_in(&self, member: DeclRef) -> Option<TypeDefId> {
        let facts = self.facts(member.file);
        let owner = facts.scope(facts.decl(member.decl).scope.some()?).owner;
        self.tables.file(member.file).types.get(&owner).copied()
    }

    /// Records the implementations by members of base classes in other files, at the first part of
    /// the type.
    fn record_inherited(
        &self,
        tid: TypeDefId,
        member: DeclRef,
        implements: DeclRef,
        resolution: &mut Resolution,
    ) {
        let part = self.type_def(tid).parts[0];
        if part.file == self.file && !self.is_external_file(member.file) {
            resolution.inherited.push(InheritedImplementation {
                member,
                implements,
                at: self.facts.decl(part.decl).at,
            });
        }
    }

    fn lookup_explicit_implementation(
        &self,
        own: Ty,
        tid: TypeDefId,
        wanted: Candidate,
    ) -> Option<DeclRef> {
        let target = self.decl(wanted.decl);
        let name = self.name(wanted.decl.file, target.name);
        self.record_type_lookup(tid, provided_keys::MEMBERS, name);

        self.type_def(tid).explicit.iter().copied().find(|decl| {
            let facts = self.facts(decl.file);
            let (Some(detail), declared) = (facts.detail(decl.decl), facts.decl(decl.decl)) else {
                return false;
            };

            // Compares names first, so that nothing about members with other names becomes a
            // dependency.
            let is_named =
                declared.kind == target.kind && self.name(decl.file, declared.name) == name;
            let candidate = Candidate {
                decl: *decl,
                within: own,
                depth: 0,
            };

            is_named
                && self.type_of(decl.file, detail.explicit_interface) == wanted.within
                && self.same_parameters(candidate, wanted)
        })
    }

    fn lookup_implicit_implementation(
        &self,
        own: Ty,
        tid: TypeDefId,
        wanted: Candidate,
    ) -> Option<DeclRef> {
        if self.tables.type_def(tid).kind == DeclKind::Interface {
            return None;
        }

        let name = self.name(wanted.decl.file, self.decl(wanted.decl).name);
        // A member that hides one of a base class without implementing the interface leaves the
        // implementation to that one.
        self.class_chain(own).iter().find_map(|&class| {
            let Type::Named(tid, _) = self.arena.get(class) else {
                return None;
            };

            let shared = self.type_def(tid).shared;
            let mut members = self.members_of(tid, name).iter().copied();

            members.find(|decl| {
                let candidate = Candidate {
                    decl: *decl,
                    within: class,
                    depth: 0,
                };
                (!shared || self.is_compiled_here(*decl)) && self.can_implement(candidate, wanted)
            })
        })
    }

    /// Reports whether a member is public and matches the interface's member.
    fn can_implement(&self, candidate: Candidate, wanted: Candidate) -> bool {
        let (decl, target) = (self.decl(candidate.decl), self.decl(wanted.decl));
        decl.kind == target.kind
            && decl.flags.has(DeclFlags::STATIC) == target.flags.has(DeclFlags::STATIC)
            && self.access_of(candidate.decl) == Some(Access::Public)
            && self.same_parameters(candidate, wanted)
            && self.same_result(candidate, wanted)
    }

    fn access_of(&self, decl: DeclRef) -> Option<Access> {
        self.facts(decl.file)
            .detail(decl.decl)
            .and_then(|detail| detail.access)
    }

    /// Reports whether two members have the same result type, as far as is known.
    fn same_result(&self, a: Candidate, b: Candidate) -> bool {
        let (first, second) = (self.signature(a.decl), self.signature(b.decl));
        let own = self.substitute(first.result, a.within);
        let other = self.replace_params(
            self.substitute(second.result, b.within),
            &second.type_params,
            &first.type_params,
        );
        self.are_alike(own, other, 0)
    }

    /// Reports whether two types may be the same: `T?` of an undeclared type may be `T`.
    fn are_alike(&self, a: Ty, b: Ty, depth: u32) -> bool {
        let (a, b) = (self.without_annotation(a), self.without_annotation(b));
        let all = |x: &TyList, y: &TyList| {
            x.len() == y.len()
                && x.iter()
                    .zip(y.iter())
                    .all(|(x, y)| self.are_alike(*x, *y, depth + 1))
        };

        if a == b || depth > 8 {
            return true;
        }

        match (self.arena.get(a), self.arena.get(b)) {
            (Type::Named(first, x), Type::Named(second, y)) => first == second && all(&x, &y),
            (Type::External(first, x), Type::External(second, y)) => first == second && all(&x, &y),
            (Type::Tuple(x, _), Type::Tuple(y, _)) => all(&x, &y),
            (Type::Array(x, first), Type::Array(y, second)) => {
                first == second && self.are_alike(x, y, depth + 1)
            }
            (Type::Nullable(x), Type::Nullable(y)) => self.are_alike(x, y, depth + 1),
            _ => self.is_uncertain(a) || self.is_uncertain(b),
        }
    }

    fn without_annotation(&self, ty: Ty) -> Ty {
        match self.arena.get(ty) {
            Type::Nullable(of) if self.is_value_type(of) != Some(true) => of,
            _ => ty,
        }
    }

    /// Reports whether an interface member can be implemented: it is not private, sealed, or static
    /// with a body of its own.
    fn can_be_implemented(&self, member: DeclRef) -> bool {
        let flags = self.decl(member).flags;
        let fixed = flags.has(DeclFlags::SEALED)
            || flags.has(DeclFlags::STATIC)
                && !flags.has(DeclFlags::ABSTRACT)
                && !flags.has(DeclFlags::VIRTUAL);
        !fixed && self.access_of(member) != Some(Access::Private)
    }

    fn record_edge(
        &self,
        source: DeclId,
        edge_type: EdgeType,
        target: DeclRef,
        resolution: &mut Resolution,
    ) {
        let at = self.facts.decl(source).at;
        resolution.uses.push(Reference {
            source,
            edge_type,
            confidence: Confidence::Exact,
            targets: vec![Target::Decl(target)],
            at,
        });
    }
}
