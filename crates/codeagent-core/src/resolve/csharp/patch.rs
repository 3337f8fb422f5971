//! A file whose bodies changed takes the place of its former self in the tables, without making the tables anew.
//!
//! Possible if both declare the same namespaces, types and members in the same order, and if no name is new that leads to more of the library;
//! then only the numbers of the declarations differ.
//! What the tables say afterwards is what tables made afresh would say, but for the numbers of names, whose order nothing depends on.
//!
//! **Limits.** Anything else is refused: whoever asked makes the tables anew.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::model::facts::{DeclFlags, DeclId, DeclKind, Facts, ImportId, ScopeId};
use crate::model::graph::Access;
use crate::resolve::csharp::intern::NameId;
use crate::resolve::csharp::published;
use crate::resolve::csharp::tables::{FileTable, Tables, is_member_kind, is_type};
use crate::resolve::world::{DeclRef, FileId};

/// What the tables take of a declaration, but for its number.
#[derive(PartialEq)]
struct Entry<'f> {
    kind: DeclKind,
    flags: DeclFlags,
    name: &'f str,
    arity: usize,
    access: Option<Access>,
    explicit: bool,
    /// The declaration whose body it stands in, by its place among the entries.
    owner: Option<usize>,
}

/// The declarations that the tables look at, in order.
fn entries(facts: &Facts) -> (Vec<DeclId>, Vec<Entry<'_>>) {
    let mut ids: Vec<DeclId> = Vec::new();
    let mut entries = Vec::new();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        if decl.kind != DeclKind::Namespace && !is_type(decl.kind) && !decl.flags.has(DeclFlags::MEMBER) && !is_member_kind(decl.kind) {
            continue;
        }
        let detail = facts.detail(id);
        entries.push(Entry {
            kind: decl.kind,
            flags: decl.flags,
            name: facts.text(decl.name),
            arity: decl.type_params.len(),
            access: detail.and_then(|detail| detail.access),
            explicit: detail.is_some_and(|detail| !detail.explicit_interface.is_none()),
            owner: owner(facts, decl.scope, &ids),
        });
        ids.push(id);
    }
    (ids, entries)
}

/// The nearest entry around a scope.
fn owner(facts: &Facts, mut scope: ScopeId, ids: &[DeclId]) -> Option<usize> {
    while let Some(id) = scope.some() {
        let around = facts.scope(id);
        if let Some(at) = around.owner.some().and_then(|owner| ids.binary_search(&owner).ok()) {
            return Some(at);
        }
        scope = around.parent;
    }
    None
}

fn global_usings(facts: &Facts) -> impl Iterator<Item = usize> {
    facts.imports.iter().enumerate().filter(|(_, import)| import.global).map(|(at, _)| at)
}

impl Tables {
    /// Puts new facts of a file in the place of old ones. False, with nothing changed, if the tables have to be made anew.
    pub fn replace(&mut self, file: FileId, old: &Facts, new: &Facts) -> bool {
        let ((old_ids, before), (new_ids, now)) = (entries(old), entries(new));
        if before != now || !global_usings(old).eq(global_usings(new)) || !published::friends(old).eq(published::friends(new)) {
            return false;
        }
        if new.names.iter().any(|text| self.leads_further(text)) {
            return false;
        }
        let renumbered: FxHashMap<DeclId, DeclId> = old_ids.iter().copied().zip(new_ids.iter().copied()).collect();
        let table = std::mem::take(&mut self.files[file.0 as usize]);
        self.renumber(file, &table, (old, &old_ids), &renumbered);
        let mut made = FileTable {
            names: new.names.iter().map(|text| self.names.add(text)).collect(),
            homes: table.homes.clone(),
            ..FileTable::default()
        };
        for (before, now) in old_ids.iter().zip(&new_ids) {
            if let Some(&namespace) = table.namespaces.get(&old.decl(*before).inner) {
                made.namespaces.insert(new.decl(*now).inner, namespace);
            }
            if let Some(&tid) = table.types.get(before) {
                made.types.insert(*now, tid);
            }
        }
        for (index, import) in new.imports.iter().enumerate().filter(|(_, import)| !import.global) {
            made.usings.entry(import.scope.some().unwrap_or(ScopeId(0))).or_default().push(ImportId(index as u32));
        }
        self.files[file.0 as usize] = made;
        true
    }

    fn renumber(&mut self, file: FileId, table: &FileTable, (old, ids): (&Facts, &[DeclId]), to: &FxHashMap<DeclId, DeclId>) {
        let change = |refs: &mut [DeclRef]| {
            for reference in refs.iter_mut().filter(|reference| reference.file == file) {
                reference.decl = to.get(&reference.decl).copied().unwrap_or(reference.decl);
            }
        };
        let mut namespaces: SmallVec<[_; 4]> = table.namespaces.values().copied().collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        for namespace in namespaces {
            change(&mut self.namespaces[namespace.0 as usize].decls);
        }
        let mut types: Vec<_> = table.types.values().copied().collect();
        types.sort_unstable();
        types.dedup();
        let mut names: Vec<NameId> = ids.iter().filter_map(|id| table.names.get(old.decl(*id).name.0 as usize)).copied().collect();
        names.sort_unstable();
        names.dedup();
        for tid in types {
            let group = &mut self.types[tid.0 as usize];
            change(&mut group.parts);
            for list in [&mut group.members, &mut group.constructors, &mut group.conversions, &mut group.explicit] {
                change(list);
            }
            for name in &names {
                if let Some(members) = self.members.get_mut(&(tid, *name)) {
                    change(members);
                }
            }
        }
        for name in names {
            for extension in self.extensions.get_mut(&name).into_iter().flatten().filter(|extension| extension.decl.file == file) {
                extension.decl.decl = to.get(&extension.decl.decl).copied().unwrap_or(extension.decl.decl);
            }
        }
    }
}
