//! Member lookup (C# standard §12.5): members of a type and of its base classes or interfaces,
//! without the hidden ones.
//!
//! An overriding method replaces the overridden one: it is the method called, but counts as
//! declared in the type that first declares it.
//!
//! Limitations: an inaccessible member is still found if nothing else has the name, because the
//! project model may not know all friend assemblies.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclKind};
use codeagent_model::graph::Access;

use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::Types;
use crate::resolve::types::{Ty, TyList, Type};

/// A member found through a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub decl: DeclRef,
    /// The instance of the declaring type; [`Ty::UNKNOWN`] for locals.
    pub within: Ty,
    /// Number of base classes between the type and the one that first declares the member.
    pub depth: u16,
}

impl Types<'_> {
    /// Returns the members with this name, most derived first.
    pub fn lookup_members(&self, ty: Ty, name: Name) -> Rc<[Candidate]> {
        self.stack.memoized(
            &self.memo.members,
            (self.site.enclosing_type, ty, name),
            || self.compute_members(ty, name).into(),
        )
    }

    fn compute_members(&self, ty: Ty, name: Name) -> Vec<Candidate> {
        let accessible = self.collect_members(ty, name, true);
        if accessible.is_empty() {
            self.collect_members(ty, name, false)
        } else {
            accessible
        }
    }

    fn collect_members(&self, ty: Ty, name: Name, accessible: bool) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (depth, level) in self.levels_of(ty).iter().enumerate() {
            for &base in level {
                let Type::Named(tid, _) = self.arena.get(base) else {
                    continue;
                };

                self.type_def(tid);
                let shared = self.tables.type_def(tid).shared;
                for decl in self.members_of(tid, name) {
                    let candidate = Candidate {
                        decl: *decl,
                        within: base,
                        depth: depth as u16,
                    };
                    if (!accessible || self.is_accessible(candidate))
                        && (!shared || self.is_compiled_here(candidate.decl))
                    {
                        self.add_member(&mut found, candidate);
                    }
                }
            }

            if found
                .iter()
                .any(|candidate| !is_method(self.decl(candidate.decl).kind))
            {
                break;
            }
        }

        found
    }

    /// Returns the methods with this name, skipping values that hide them, as an invocation does.
    pub fn lookup_methods(&self, ty: Ty, name: Name) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (depth, level) in self.levels_of(ty).iter().enumerate() {
            for &base in level {
                let Type::Named(tid, _) = self.arena.get(base) else {
                    continue;
                };

                for decl in self.members_of(tid, name) {
                    let candidate = Candidate {
                        decl: *decl,
                        within: base,
                        depth: depth as u16,
                    };
                    if is_method(self.decl(*decl).kind) && self.is_accessible(candidate) {
                        self.add_member(&mut found, candidate);
                    }
                }
            }
        }

        found
    }

    /// Returns the methods with a name that a type declares itself.
    pub(super) fn declared_methods(&self, ty: Ty, name: Name) -> Vec<Candidate> {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return Vec::new();
        };
        self.members_of(tid, name)
            .iter()
            .filter(|decl| is_method(self.decl(**decl).kind))
            .map(|decl| Candidate {
                decl: *decl,
                within: ty,
                depth: 0,
            })
            .collect()
    }

    /// Adds a member of a base unless a more derived one hides it. An override found before takes
    /// its depth instead.
    fn add_member(&self, found: &mut Vec<Candidate>, candidate: Candidate) {
        if !found.is_empty() && !is_method(self.decl(candidate.decl).kind) {
            return;
        }
        self.spend(found.len());
        match found
            .iter_mut()
            .find(|derived| self.same_parameters(**derived, candidate))
        {
            Some(derived) if self.replaces_implied(candidate, *derived) => *derived = candidate,
            Some(derived) if self.decl(derived.decl).flags.has(DeclFlags::OVERRIDE) => {
                derived.depth = candidate.depth
            }
            Some(_) => {}
            None => found.push(candidate),
        }
    }

    /// Reports whether a member takes the place of one that the compiler would add to a record: it
    /// is written in the record, or sealed in a base record.
    fn replaces_implied(&self, candidate: Candidate, derived: Candidate) -> bool {
        self.is_implied(derived.decl)
            && !self.is_implied(candidate.decl)
            && (candidate.within == derived.within
                || self.decl(candidate.decl).flags.has(DeclFlags::SEALED))
    }

    /// Reports whether the compiler adds this method or operator to a record.
    pub fn is_implied(&self, decl: DeclRef) -> bool {
        let decl = self.decl(decl);
        is_method(decl.kind) && decl.flags.has(DeclFlags::FROM_PARAMETER)
    }

    /// Reports whether two methods have the same parameters.
    pub fn same_parameters(&self, a: Candidate, b: Candidate) -> bool {
        let (first, second) = (self.signature(a.decl), self.signature(b.decl));
        let by_ref = DeclFlags::REF | DeclFlags::OUT | DeclFlags::IN;

        if first.params.len() != second.params.len()
            || first.type_params.len() != second.type_params.len()
        {
            return false;
        }

        first.params.iter().zip(&second.params).all(|(x, y)| {
            let own = self.substitute(x.ty, a.within);
            let other = self.rename_params(
                self.substitute(y.ty, b.within),
                &second.type_params,
                &first.type_params,
            );

            (own == other || own.is_unknown() || other.is_unknown())
                && (x.flags.0 & by_ref.0 != 0) == (y.flags.0 & by_ref.0 != 0)
        })
    }

    fn rename_params(&self, ty: Ty, from: &[Ty], to: &[Ty]) -> Ty {
        if from.is_empty() {
            return ty;
        }
        self.replace_params(ty, from, to)
    }

    /// Returns the types whose members count, by distance: a class and its base classes, or an
    /// interface and its base interfaces.
    fn levels_of(&self, ty: Ty) -> Rc<[Vec<Ty>]> {
        self.stack
            .memoized(&self.memo.levels, ty, || self.compute_levels(ty).into())
    }

    fn compute_levels(&self, ty: Ty) -> Vec<Vec<Ty>> {
        match self.arena.get(ty) {
            Type::Named(tid, _) if self.tables.type_def(tid).kind == DeclKind::Interface => {
                let all = self.supertypes(ty);
                let mut levels = vec![vec![ty]];
                levels.push(all.iter().skip(1).copied().collect());
                levels.push(vec![self.known_type(Known::Object, &[])]);
                levels
            }
            Type::Named(..) => levels_of_chain(&self.class_chain(ty)),
            Type::Param(..) => {
                let mut levels = Vec::new();
                for constraint in self.constraints(ty).iter() {
                    for (depth, level) in self
                        .levels_of_constraint(*constraint)
                        .into_iter()
                        .enumerate()
                    {
                        if levels.len() <= depth {
                            levels.push(Vec::new());
                        }
                        levels[depth].extend(level);
                    }
                }

                levels.push(vec![self.known_type(Known::Object, &[])]);
                levels
            }
            Type::Array(..) => vec![
                vec![self.known_type(Known::Array, &[])],
                vec![self.known_type(Known::Object, &[])],
            ],
            Type::Tuple(elements, _) => {
                levels_of_chain(&self.class_chain(self.known_type(Known::ValueTuple, &elements)))
            }
            Type::Nullable(of) => {
                let mut levels = vec![vec![self.known_type(Known::Nullable, &[of])]];
                levels.extend(self.levels_of(of).iter().cloned());
                levels
            }
            Type::Pointer(of) => self.levels_of(of).to_vec(),
            _ => Vec::new(),
        }
    }

    fn levels_of_constraint(&self, constraint: Ty) -> Vec<Vec<Ty>> {
        if matches!(self.arena.get(constraint), Type::Param(..)) {
            return self
                .supertypes(constraint)
                .iter()
                .skip(1)
                .map(|ty| vec![*ty])
                .collect();
        }
        self.levels_of(constraint).to_vec()
    }

    /// Returns a class and its base classes.
    pub fn class_chain(&self, ty: Ty) -> TyList {
        self.stack
            .memoized(&self.memo.chains, ty, || self.compute_class_chain(ty))
    }

    fn compute_class_chain(&self, ty: Ty) -> TyList {
        let mut chain = vec![ty];
        let mut current = ty;
        for _ in 0..32 {
            match self.next_in_chain(current) {
                Some(next) if next != current => {
                    chain.push(next);
                    current = next;
                }
                _ => break,
            }
        }

        chain.into()
    }

    /// Removes members that are inaccessible from the file being resolved, unless all are.
    pub fn prefer_accessible(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let accessible: Vec<Candidate> = found
            .iter()
            .copied()
            .filter(|candidate| self.is_accessible(*candidate))
            .collect();
        if accessible.is_empty() {
            found
        } else {
            accessible
        }
    }

    /// Reports whether the member is accessible from the site (standard §7.5).
    pub fn is_accessible(&self, candidate: Candidate) -> bool {
        let Some(access) = self
            .facts(candidate.decl.file)
            .detail(candidate.decl.decl)
            .and_then(|detail| detail.access)
        else {
            return true;
        };
        let Type::Named(tid, _) = self.arena.get(candidate.within) else {
            return true;
        };

        match access {
            Access::Private => self.types_around().any(|around| around == tid),
            Access::Internal => self.is_same_assembly(tid),
            Access::Protected => self.derives_here(tid),
            Access::PrivateProtected => self.is_same_assembly(tid) && self.derives_here(tid),
            Access::ProtectedInternal => self.is_same_assembly(tid) || self.derives_here(tid),
            _ => true,
        }
    }

    /// Reports whether a type enclosing the site is or derives from the type.
    fn derives_here(&self, tid: TypeDefId) -> bool {
        self.stack.memoized(&self.memo.derives, (self.site.enclosing_type, tid), || {
            self.types_around().any(|around| {
                let all = self.supertypes(self.self_type(around));
                all.iter().any(|base| matches!(self.arena.get(*base), Type::Named(other, _) if other == tid))
            })
        })
    }

    /// Returns the types enclosing the site, the innermost first.
    fn types_around(&self) -> impl Iterator<Item = TypeDefId> {
        std::iter::successors(self.site.enclosing_type, |tid| {
            self.tables.type_def(*tid).outer
        })
    }

    /// Reports whether internals of the type are accessible from the file being resolved.
    fn is_same_assembly(&self, tid: TypeDefId) -> bool {
        let here = self
            .table
            .homes
            .first()
            .copied()
            .unwrap_or(self.tables.assemblies.none());
        self.tables
            .type_def(tid)
            .homes
            .iter()
            .any(|home| self.tables.assemblies.is_friend(here, *home))
    }

    /// Returns the constructors of a type: those that are accessible from the site, if any are.
    pub fn lookup_constructors(&self, ty: Ty) -> Rc<[Candidate]> {
        let key = (self.site.enclosing_type, ty);
        self.stack.memoized(&self.memo.constructors, key, || {
            self.compute_constructors(ty).into()
        })
    }

    fn compute_constructors(&self, ty: Ty) -> Vec<Candidate> {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return Vec::new();
        };

        let group = self.type_def(tid);
        self.record_type_lookup(tid, provided_keys::CONSTRUCTORS, group.name);
        let parts = group
            .constructors
            .iter()
            .filter(|decl| !group.shared || self.is_compiled_here(**decl));

        self.prefer_accessible(
            parts
                .map(|decl| Candidate {
                    decl: *decl,
                    within: ty,
                    depth: 0,
                })
                .collect(),
        )
    }

    /// Reports whether a part of a type in a shared project is compiled into an assembly that the
    /// file being resolved sees.
    pub fn is_compiled_here(&self, decl: DeclRef) -> bool {
        let homes = &self.tables.file(decl.file).homes;
        self.table.homes.iter().any(|here| {
            homes
                .iter()
                .any(|home| self.tables.assemblies.sees(*here, *home))
        })
    }
}

fn levels_of_chain(chain: &[Ty]) -> Vec<Vec<Ty>> {
    chain.iter().map(|ty| vec![*ty]).collect()
}

/// Reports whether declarations of this kind are methods, which can be overloaded.
#[must_use]
pub fn is_method(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Method | DeclKind::LocalFunction | DeclKind::Operator | DeclKind::Indexer
    )
}
