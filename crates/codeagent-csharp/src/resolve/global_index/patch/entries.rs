//! The namespaces and types that two versions of a file have in common.

use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts};
use codeagent_model::graph::Access;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The identity of a namespace or type in the tables, without its number.
#[derive(PartialEq, Eq, Hash)]
struct DeclaredIdentity<'f> {
    kind: DeclKind,
    flags: DeclFlags,
    name: &'f str,
    arity: usize,
    access: Option<Access>,
    /// The enclosing namespace or type in the old version of the file, by its index among the
    /// entries.
    owner: Option<usize>,
}

/// The namespaces and types of two versions of a file, in order.
pub(super) struct Entries {
    pub(super) old: Vec<DeclId>,
    pub(super) new: Vec<DeclId>,
    /// For each of `new`: the index in `old` of the same entry.
    pub(super) kept: Vec<Option<usize>>,
}

impl Entries {
    pub(super) fn of(old: &Facts, new: &Facts) -> Self {
        let (old_ids, new_ids) = (entries(old), entries(new));
        let mut known: FxHashMap<DeclaredIdentity<'_>, SmallVec<[usize; 1]>> = FxHashMap::default();
        for at in (0..old_ids.len()).rev() {
            let identity = identity(old, old_ids[at], owner(old, old_ids[at], &old_ids));
            known.entry(identity).or_default().push(at);
        }

        let mut kept: Vec<Option<usize>> = Vec::with_capacity(new_ids.len());
        for id in &new_ids {
            let around = owner(new, *id, &new_ids).map(|around| kept[around]);
            let same = match around {
                // Its owner is new.
                Some(None) => None,
                around => known
                    .get_mut(&identity(new, *id, around.flatten()))
                    .and_then(SmallVec::pop),
            };
            kept.push(same);
        }

        Self {
            old: old_ids,
            new: new_ids,
            kept,
        }
    }

    pub(super) fn removed(&self) -> Vec<DeclId> {
        let kept: FxHashSet<usize> = self.kept.iter().flatten().copied().collect();
        let all = self.old.iter().enumerate();
        all.filter(|(at, _)| !kept.contains(at))
            .map(|(_, id)| *id)
            .collect()
    }

    /// Returns the new declaration of each old one that is kept.
    pub(super) fn renumbered(&self) -> FxHashMap<DeclId, DeclId> {
        let all = self.new.iter().zip(&self.kept);
        all.filter_map(|(id, kept)| Some((self.old[(*kept)?], *id)))
            .collect()
    }
}

/// Returns the namespaces and types that a file declares, in order.
fn entries(facts: &Facts) -> Vec<DeclId> {
    facts.decl_ids().filter(|id| is_entry(facts, *id)).collect()
}

fn identity(facts: &Facts, id: DeclId, owner: Option<usize>) -> DeclaredIdentity<'_> {
    let decl = facts.decl(id);
    DeclaredIdentity {
        kind: decl.kind,
        flags: decl.flags,
        name: facts.text(decl.name),
        arity: decl.type_params.len(),
        access: facts.detail(id).and_then(|detail| detail.access),
        owner,
    }
}

pub(super) fn is_entry(facts: &Facts, id: DeclId) -> bool {
    let kind = facts.decl(id).kind;
    kind == DeclKind::Namespace || kind.opens_type()
}

/// Returns the nearest entry that encloses another.
pub(super) fn owner(facts: &Facts, id: DeclId, ids: &[DeclId]) -> Option<usize> {
    let mut scope = facts.decl(id).scope;
    while let Some(id) = scope.some() {
        let around = facts.scope(id);
        if let Some(at) = around
            .owner
            .some()
            .and_then(|owner| ids.binary_search(&owner).ok())
        {
            return Some(at);
        }
        scope = around.parent;
    }
    None
}
