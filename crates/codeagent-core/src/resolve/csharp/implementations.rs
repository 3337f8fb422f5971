//! Which base members does a type's member override, and which interface members does it implement.
//!
//! Explicit implementations by the interface they name, others by name and parameters for every interface in the type's own base list and
//! above; an override goes to the nearest base class that declares the member.
//!
//! **Limits.** An implementation inherited from a base class in another file is not stated: its text names no interface.

use crate::model::facts::{DeclFlags, DeclId, DeclKind};
use crate::model::graph::{Confidence, EdgeType};
use crate::resolve::csharp::linker::Linker;
use crate::resolve::csharp::members::Candidate;
use crate::resolve::csharp::tables::{Tid, is_type};
use crate::resolve::csharp::types::{Ty, Type};
use crate::resolve::{DeclRef, Links, Target, Use};

impl Linker<'_> {
    /// States the relations of all members declared in the file.
    pub(super) fn implementations(&self, links: &mut Links) {
        for id in self.facts.decl_ids() {
            let decl = self.facts.decl(id);
            if decl.flags.has(DeclFlags::OVERRIDE) {
                self.begin_site();
                self.override_of(id, links);
            }
            if is_type(decl.kind)
                && !matches!(decl.kind, DeclKind::Enum | DeclKind::Delegate)
                && let Some(&tid) = self.table.types.get(&id)
            {
                self.implementations_of(id, tid, links);
            }
        }
    }

    fn override_of(&self, id: DeclId, links: &mut Links) {
        let decl = self.facts.decl(id);
        let Some(own) = self.type_around(id) else { return };
        let member = Candidate { decl: DeclRef { file: self.file, decl: id }, within: own, depth: 0 };
        let name = self.own_name(decl.name);
        let mut base = self.base_class(own);
        for _ in 0..32 {
            let Type::Inst(tid, _) = self.arena.get(base) else { return };
            self.group(tid);
            for target in self.tables.members.get(&(tid, name)).into_iter().flatten() {
                let candidate = Candidate { decl: *target, within: base, depth: 0 };
                if self.world.decl(*target).kind == decl.kind && self.same_parameters(member, candidate) {
                    if !self.tables.group(tid).external {
                        self.relate(id, EdgeType::Overrides, *target, links);
                    }
                    return;
                }
            }
            base = self.base_class(base);
        }
    }

    fn type_around(&self, id: DeclId) -> Option<Ty> {
        let scope = self.facts.decl(id).scope.some()?;
        let tid = self.table.types.get(&self.facts.scope(scope).owner.some()?)?;
        Some(self.self_type(*tid))
    }

    fn implementations_of(&self, part: DeclId, tid: Tid, links: &mut Links) {
        let own = self.self_type(tid);
        let group = self.group(tid);
        if group.parts.first().is_some_and(|first| first.file == self.file && first.decl != part) {
            return;
        }
        self.begin_site();
        let mut seen: Vec<Ty> = Vec::new();
        for base in self.bases(tid).iter() {
            if self.is_interface(*base) != Some(true) {
                continue;
            }
            for interface in self.supertypes(*base).iter() {
                let declared =
                    matches!(self.arena.get(*interface), Type::Inst(tid, _) if self.tables.group(tid).kind == DeclKind::Interface);
                if declared && !seen.contains(interface) {
                    seen.push(*interface);
                    self.implement(own, tid, *interface, links);
                }
            }
        }
    }

    fn implement(&self, own: Ty, tid: Tid, interface: Ty, links: &mut Links) {
        let Type::Inst(interface_tid, _) = self.arena.get(interface) else { return };
        let declares = self.group(interface_tid);
        if declares.external {
            return;
        }
        for target in &declares.members {
            let wanted = Candidate { decl: *target, within: interface, depth: 0 };
            if let Some(found) = self.explicit_implementation(own, tid, wanted).or_else(|| self.implicit_implementation(own, tid, wanted))
                && found.file == self.file
            {
                self.relate(found.decl, EdgeType::Implements, *target, links);
            }
        }
    }

    fn explicit_implementation(&self, own: Ty, tid: Tid, wanted: Candidate) -> Option<DeclRef> {
        let target = self.world.decl(wanted.decl);
        let name = self.name(wanted.decl.file, target.name);
        self.group(tid).explicit.iter().copied().find(|decl| {
            let facts = self.world.facts(decl.file);
            let (Some(detail), declared) = (facts.detail(decl.decl), facts.decl(decl.decl)) else { return false };
            let interface = self.type_of(decl.file, detail.explicit_interface);
            let candidate = Candidate { decl: *decl, within: own, depth: 0 };
            let named = self.name(decl.file, declared.name) == name || self.last_part_is(*decl, name);
            declared.kind == target.kind && named && interface == wanted.within && self.same_parameters(candidate, wanted)
        })
    }

    /// Whether an explicit implementation is named `IFace.Member`.
    fn last_part_is(&self, decl: DeclRef, name: crate::resolve::csharp::intern::NameId) -> bool {
        let facts = self.world.facts(decl.file);
        facts.decl_name(decl.decl).rsplit('.').next() == Some(self.tables.names.text(name))
    }

    fn implicit_implementation(&self, own: Ty, tid: Tid, wanted: Candidate) -> Option<DeclRef> {
        if self.tables.group(tid).kind == DeclKind::Interface {
            return None;
        }
        let target = self.world.decl(wanted.decl);
        let name = self.name(wanted.decl.file, target.name);
        let found = self.members(own, name);
        let same_kind = |kind: DeclKind| kind == target.kind;
        found
            .iter()
            .find(|candidate| {
                let decl = self.world.decl(candidate.decl);
                same_kind(decl.kind)
                    && decl.flags.has(DeclFlags::STATIC) == target.flags.has(DeclFlags::STATIC)
                    && self.same_parameters(**candidate, wanted)
            })
            .map(|candidate| candidate.decl)
    }

    fn relate(&self, source: DeclId, edge_type: EdgeType, target: DeclRef, links: &mut Links) {
        let at = self.facts.decl(source).at;
        links.uses.push(Use { source, edge_type, confidence: Confidence::Exact, targets: vec![Target::Decl(target)], at });
    }
}
